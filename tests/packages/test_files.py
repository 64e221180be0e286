# SPDX-License-Identifier: Apache-2.0
"""test_files.py - the packages as files: the same bytes each time, clean, complete."""
import os
import pathlib
import re
import shutil
import subprocess

import pytest

from machine import Machine, base
from rig import tree

pytestmark = pytest.mark.timeout(900)
RPM = tree.ROOT / "packaging/rpm"


def test_deb__same_bytes_twice(debs):
    this, again, _ = debs
    names = sorted(f.name for f in this.glob("*.deb"))
    assert len(names) == 9 and names == sorted(f.name for f in again.glob("*.deb"))
    assert [n for n in names if (this / n).read_bytes() != (again / n).read_bytes()] == []


def test_deb__lintian(debs):
    tree.run("lintian", "--fail-on", "error,warning", *sorted(debs[0].glob("*.deb")))


def test_rpm__rpmlint(rpms):
    done = subprocess.run(
        ["rpmlint", "-c", RPM / "rpmlint.toml", RPM / "cosid.spec", *sorted(rpms.glob("*.rpm"))],
        capture_output=True, text=True)
    assert "6 packages and 1 specfiles checked; 0 errors, 0 warnings" in done.stdout, \
        done.stdout + done.stderr


# For those who change cosid: in the sources alone.  Manual pages are where man looks.
SOURCES = re.compile(r"CONTRIBUTING\.md$|(modules|tests)/README\.md$|\.[1578]$")


@pytest.mark.parametrize("kind", ["deb", "rpm"])
def test_pages__links_work_as_installed(kind, debs, rpms):
    if kind == "deb":
        listed = tree.run("dpkg-deb", "-c", *debs[0].glob("cosid_*.deb"))
    else:
        listed = tree.run("rpm", "-qpl", *rpms.glob("cosid-0*.rpm"))
    pages = {pathlib.PurePath(name) for name in re.findall(r"/usr/share/doc/cosid[^/\n]*/(\S+\.md)$", listed, re.M)}
    assert pathlib.PurePath("docs/stores/minio.md") in pages
    there = pages | {folder for page in pages for folder in page.parents}
    broken = [f"{page}: {link}" for page in pages for link in re.findall(r"\]\(([\w./-]+)(?:#[\w-]+)?\)", (tree.ROOT / page).read_text())
              if pathlib.PurePath(os.path.normpath(page.parent / link)) not in there and not SOURCES.search(link)]
    assert not broken


@pytest.mark.parametrize("system, makes_user", [("fedora 44", False), ("rhel 10", True)])
def test_spec__expands_for(system, makes_user):
    """Fedora's rpm makes the user by itself, of the file in sysusers.d."""
    text = tree.run("rpmspec", "-P", "--load", RPM / "macros.debian", "--define", system,
                    "--define", f"_sourcedir {tree.ROOT / 'systemd'}", RPM / "cosid.spec")
    assert ("\n%pre\n" in text) == ("\nu cosid - " in text) == makes_user
    assert re.findall(r"%(?:\{|cmake|systemd|sysusers)", text) == []


def test_rpm__scripts(rpms):
    """As systemd's own macros: presets, and no restart of what does not run."""
    text = tree.run("rpm", "-qp", "--scripts", "--filetriggers", *rpms.glob("cosid-0*.rpm"))
    for line in ("install-system-units cosid.service cosid.socket",
                 "remove-system-units cosid.service cosid.socket",
                 "libexec/cosid/cosid-check-service",
                 "transfiletriggerin scriptlet (using /bin/sh) -- /usr/lib64/cosid/modules"):
        assert line in text


def test_modules__depend_on_the_api_alone(debs, rpms):
    """Of the header's version, so that modules of others, and of another build, can be installed."""
    header = (tree.ROOT / "include/cosi_module.h").read_text()
    major, minor = (re.search(rf"^#define COSI_API_{name} (\d+)u$", header, re.M)[1] for name in ("MAJOR", "MINOR"))
    assert tree.run("dpkg-deb", "-f", *debs[0].glob("cosid_*.deb"), "Provides").strip() == \
        f"cosid-module-api-{major} (= {minor})"
    assert re.search(rf"^cosid-module-api-{major}(\(.+\))? = {minor}$",
                     tree.run("rpm", "-qp", "--provides", *rpms.glob("cosid-0*.rpm")), re.M)
    modules = [deb for deb in debs[0].glob("cosid-module-*.deb") if "-dbgsym" not in deb.name], \
        [*rpms.glob("cosid-module-*.rpm")]
    assert len(modules[0]) == len(modules[1]) == 3
    for deb in modules[0]:
        wanted = re.findall(r"cosid[^,]*", tree.run("dpkg-deb", "-f", deb, "Depends"))
        assert wanted == [f"cosid-module-api-{major} (>= {minor})"]
    for rpm in modules[1]:
        wanted = re.findall(r"^cosid.*", tree.run("rpm", "-qp", "--requires", rpm), re.M)
        assert [re.sub(r"\(.+\)", "", line) for line in wanted] == [f"cosid-module-api-{major} >= {minor}"]


def test_rpm__installs_and_verifies(rpms, tmp_path):
    root = Machine(tmp_path, base()).root

    def rpm(*words):
        return subprocess.run(["rpm", "--root", root, *words], check=True, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL).stdout

    try:
        rpm("--initdb")
        rpm("-i", "--nodeps", *sorted(rpms.glob("*.rpm")))
        assert rpm("-V", "--nodeps", "-a") == ""
        # Made before the files: rpm gives those of an unknown group to root, and verifies them.
        group = re.search(r"^cosid:x:(\d+):", (root / "etc/group").read_text(), re.M)
        assert (root / "etc/cosid/secrets").stat().st_gid == int(group[1])
        assert (root / "usr/lib64/cosid/modules/ceph-rgw.so").stat().st_mode & 0o022 == 0
        assert "driver_name = " in (root / "etc/cosid/cosid.conf").read_text()
        rpm("-e", "--nodeps", *rpm("-qa").split())
        assert [f.name for f in (root / "etc/cosid").iterdir()] == ["cosid.conf"]
    finally:
        shutil.rmtree(root)


CMAKE = """cmake_minimum_required(VERSION 3.25)
project(example LANGUAGES C)
find_package(cosid REQUIRED CONFIG)
add_library(example MODULE example.c store.c)
target_link_libraries(example PRIVATE cosid::module jansson crypto)
install(TARGETS example DESTINATION "${COSID_MODULE_DIR}")
"""


def test_dev__cmake_package(debs, tmp_path):
    """From wherever it is unpacked: a module is found its header and its place."""
    root, example = tmp_path / "root", tmp_path / "example"
    tree.run("dpkg", "-x", *debs[0].glob("cosid-dev_*.deb"), root)
    shutil.copytree(root / "usr/share/doc/cosid-dev/examples", example)
    (example / "CMakeLists.txt").write_text(CMAKE)
    tree.run("cmake", "-S", example, "-B", example / "build", f"-DCMAKE_PREFIX_PATH={root}/usr")
    tree.run("cmake", "--build", example / "build")
    tree.run("cmake", "--install", example / "build")
    assert len(list(root.glob("usr/lib/*/cosid/modules/*example.so"))) == 1

# SPDX-License-Identifier: Apache-2.0
"""test_files.py - the packages as files: the same bytes each time, clean, complete."""
import shutil
import subprocess

import pytest

from rig import tree

pytestmark = pytest.mark.timeout(900)


def test_deb__same_bytes_twice(debs):
    this, again, _ = debs
    names = sorted(f.name for f in this.glob("*.deb"))
    assert len(names) == 9 and names == sorted(f.name for f in again.glob("*.deb"))
    assert [n for n in names if (this / n).read_bytes() != (again / n).read_bytes()] == []


def test_deb__lintian(debs):
    tree.run("lintian", "--fail-on", "error,warning", *sorted(debs[0].glob("*.deb")))


def test_rpm__rpmlint(rpms):
    done = subprocess.run(
        ["rpmlint", "-c", tree.ROOT / "packaging/rpm/rpmlint.toml",
         tree.ROOT / "packaging/rpm/cosid.spec", *sorted(rpms.glob("*.rpm"))],
        capture_output=True, text=True)
    assert "6 packages and 1 specfiles checked; 0 errors, 0 warnings" in done.stdout, \
        done.stdout + done.stderr


def test_rpm__installs_and_verifies(rpms, tmp_path):
    def rpm(*words):
        return subprocess.run(["rpm", "--root", tmp_path, *words], check=True, capture_output=True,
                              text=True, stdin=subprocess.DEVNULL).stdout

    rpm("--initdb")
    rpm("-i", "--nodeps", "--noscripts", *sorted(rpms.glob("*.rpm")))
    # Without the scripts there is no group cosid for the secrets.
    assert rpm("-V", "--nodeps", "--nogroup", "-a") == ""
    assert (tmp_path / "usr/lib64/cosid/modules/ceph-rgw.so").stat().st_mode & 0o022 == 0
    assert "try-restart cosid.service" in rpm("-q", "--scripts", "cosid")


CMAKE = """cmake_minimum_required(VERSION 3.25)
project(toy LANGUAGES C)
find_package(cosid REQUIRED CONFIG)
add_library(toy MODULE toy.c)
target_link_libraries(toy PRIVATE cosid::module)
install(TARGETS toy DESTINATION "${COSID_MODULE_DIR}")
"""


def test_dev__cmake_package(debs, tmp_path):
    """From wherever it is unpacked: a module is found its header and its place."""
    root, toy = tmp_path / "root", tmp_path / "toy"
    tree.run("dpkg", "-x", *debs[0].glob("cosid-dev_*.deb"), root)
    shutil.copytree(root / "usr/share/doc/cosid-dev/examples", toy)
    (toy / "CMakeLists.txt").write_text(CMAKE)
    tree.run("cmake", "-S", toy, "-B", toy / "build", f"-DCMAKE_PREFIX_PATH={root}/usr")
    tree.run("cmake", "--build", toy / "build")
    tree.run("cmake", "--install", toy / "build")
    assert len(list(root.glob("usr/lib/*/cosid/modules/*toy.so"))) == 1

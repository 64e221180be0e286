# SPDX-License-Identifier: Apache-2.0
"""test_files.py - the packages as files: the same bytes each time, clean, complete."""
import subprocess

import pytest

from rig import tree

pytestmark = pytest.mark.timeout(900)


def test_deb__same_bytes_twice(debs):
    this, again, _ = debs
    names = sorted(f.name for f in this.glob("*.deb"))
    assert len(names) == 7 and names == sorted(f.name for f in again.glob("*.deb"))
    assert [n for n in names if (this / n).read_bytes() != (again / n).read_bytes()] == []


def test_deb__lintian(debs):
    tree.run("lintian", "--fail-on", "error,warning", *sorted(debs[0].glob("*.deb")))


def test_rpm__rpmlint(rpms):
    done = subprocess.run(
        ["rpmlint", "-c", tree.ROOT / "packaging/rpm/rpmlint.toml",
         tree.ROOT / "packaging/rpm/cosid.spec", *sorted(rpms.glob("*.rpm"))],
        capture_output=True, text=True)
    assert "5 packages and 1 specfiles checked; 0 errors, 0 warnings" in done.stdout, \
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

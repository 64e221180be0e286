# SPDX-License-Identifier: Apache-2.0
"""test_stores.py - ceph-up, minio-up and their likes, and the demo that people see first."""
import os
import re
import subprocess

import pytest

from rig.ceph import STORES, free_port


def run(script, *arguments, **env):
    return subprocess.run([STORES / script, *map(str, arguments)], env=os.environ | env, timeout=150,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def processes(word):
    """The command lines that hold that word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if word.encode() in file.read():
                    found.append(pid)
        except OSError:
            pass  # it ended meanwhile
    return found


def test_ceph__refuses_what_is_in_use(rgw, folder):
    port = rgw.endpoint.rpartition(":")[2]
    second = run("ceph-up", rgw.folder, free_port())
    assert second.returncode == 1 and "runs there as process" in second.stderr
    same_port = run("ceph-up", folder / "ceph", port)
    assert same_port.returncode == 1 and "is taken" in same_port.stderr
    assert rgw.owner().request("GET", "/").status == 200, "the first one is untouched"


@pytest.mark.parametrize("arguments", [[], ["dir"], ["dir", "port"], ["dir", "0"], ["dir", "65536"],
                                       ["dir", "80", "more"]])
def test_ceph__usage(folder, arguments):
    done = subprocess.run([STORES / "ceph-up", *arguments], cwd=folder, capture_output=True, text=True)
    assert done.returncode == 2 and "usage" in done.stderr
    assert os.listdir(folder) == []


def test_ceph__ends_and_leaves_nothing(folder):
    up = run("ceph-up", folder / "ceph", free_port())
    assert up.returncode == 0, up.stderr
    assert processes(str(folder))
    assert run("ceph-down", "-r", folder / "ceph").returncode == 0
    assert not processes(str(folder)) and not (folder / "ceph").exists()
    assert run("ceph-down", "-r", folder / "ceph").returncode == 0, "again is no error"


def test_minio__refuses_what_is_in_use(minio, folder):
    second = run("minio-up", minio.folder, free_port())
    assert second.returncode == 1 and "runs there as process" in second.stderr
    same_port = run("minio-up", folder / "minio", minio.port)
    assert same_port.returncode == 1 and "is taken" in same_port.stderr
    assert minio.root().request("GET", "/").status == 200, "the first one is untouched"


@pytest.mark.parametrize("arguments", [[], ["dir"], ["dir", "port"], ["dir", "0"], ["dir", "65536"],
                                       ["dir", "80", "more"]])
def test_minio__usage(folder, arguments):
    done = subprocess.run([STORES / "minio-up", *arguments], cwd=folder, capture_output=True,
                          text=True)
    assert done.returncode == 2 and "usage" in done.stderr
    assert os.listdir(folder) == []


@pytest.mark.minio
def test_minio__ends_and_leaves_nothing(folder):
    up = run("minio-up", folder / "minio", free_port())
    assert up.returncode == 0, up.stderr
    assert processes(str(folder))
    assert run("minio-down", "-r", folder / "minio").returncode == 0
    assert not processes(str(folder)) and not (folder / "minio").exists()
    assert run("minio-down", "-r", folder / "minio").returncode == 0, "again is no error"


@pytest.mark.parametrize("store", ["posix", pytest.param("ceph-rgw", marks=pytest.mark.ceph),
                                   pytest.param("minio", marks=pytest.mark.minio)])
def test_demo__goes_through_and_leaves_nothing(build, folder, store):
    done = run("demo", store, build, TMPDIR=str(folder))
    assert done.returncode == 0, done.stdout + done.stderr
    assert re.search(r"\nAll \d+ steps went as they should", done.stdout)
    assert "\x1b" not in done.stdout, "colours only on a terminal"
    for secret in re.findall(r"SECRET\w*=(\S+)", done.stdout):
        assert "****" in secret, done.stdout
    assert os.listdir(folder) == [] and not processes(str(folder))


def test_demo__says_what_went_wrong(folder):
    """A build that is not one: a failure in words, status 1."""
    done = run("demo", "posix", folder, TMPDIR=str(folder))
    assert done.returncode == 1 and "failed: " in done.stdout
    assert os.listdir(folder) == []

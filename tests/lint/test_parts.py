# SPDX-License-Identifier: Apache-2.0
"""test_parts.py - a store that cannot be fetched fails its own tests, with the reason, and no others."""
import os
import subprocess

import pytest

from rig.minio import Minio
from rig.tree import ROOT

SHELL = """
set -u -o pipefail
heading() { echo "== $*"; }
. tests/parts.sh
results=$1
absent() { echo "minio-build: no network" >&2; echo "dev: cannot build MinIO" >&2; exit 1; }
there() { echo "/var/cache/program"; }
try_store minio absent
try_store other there
export_without
env | grep COSID_WITHOUT
"""


def test_try_store__the_reason_is_kept(tmp_path):
    done = subprocess.run(["bash", "-c", SHELL, "bash", tmp_path], cwd=ROOT, capture_output=True,
                          stdin=subprocess.DEVNULL, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines() == [
        "minio-build: no network", "dev: cannot build MinIO",
        "== going on without minio: what needs it fails", "/var/cache/program",
        "COSID_WITHOUT_minio=minio-build: no network|dev: cannot build MinIO"]
    assert [f.name for f in tmp_path.iterdir()] == ["without-minio"]


def test_minio__says_why_it_is_not_there(monkeypatch, tmp_path):
    monkeypatch.setenv("COSID_WITHOUT_minio", "no network")
    with pytest.raises(AssertionError, match="no minio to test with: no network"):
        Minio(tmp_path / "minio").up()
    assert not os.listdir(tmp_path)

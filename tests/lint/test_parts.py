# SPDX-License-Identifier: Apache-2.0
"""test_parts.py - ./dev: its commands, long steps, and a store that cannot be fetched."""
import os
import re
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


def dev(*words):
    return subprocess.run([ROOT / "dev", *words], capture_output=True, stdin=subprocess.DEVNULL, text=True)


@pytest.mark.parametrize("word", ["help", "-h", "--help"])
def test_dev__help_is_no_mistake(word):
    done = dev(word)
    assert done.returncode == 0 and "./dev test quick" in done.stdout and done.stderr == ""


@pytest.mark.parametrize("words, text", [
    (["foo"], "no such command: 'foo'"), (["package", "foo"], "no such kind: 'foo' (deb or rpm)"),
    (["test", "foo"], "no such part: 'foo'"), (["test", "lint", "tests/no.py"], "no such file: 'tests/no.py'"),
    (["build", "foo"], "no such preset: 'foo'"), (["demo", "--store", "foo"], "no such store: 'foo'"),
    (["trace", "Foo"], "no such method: 'Foo'"), (["fuzz", "x"], "no such target: 'x'"), (["fuzz", "--minutes", "x"], "--minutes takes a number"),
    (["fuzz", "stateful", "wire"], "'stateful' runs alone")])
def test_dev__mistakes(words, text):
    """They are said before anything is built, installed or removed."""
    done = dev(*words)
    assert done.returncode == 2 and text in done.stderr and "--help" in done.stderr and done.stdout == ""


LONG = """
. tests/stores/progress.sh
progress_every_s=0.1
quietly "$1" sh -c 'echo "step one"; exec sleep 0.5'; echo "status $?"
quietly "$1" sh -c 'echo wrong; exit 3'; echo "status $?"
"""


def test_progress__long_steps_say_so(tmp_path):
    done = subprocess.run(["bash", "-c", LONG, "bash", tmp_path / "log"], cwd=ROOT, capture_output=True, text=True,
                          stdin=subprocess.DEVNULL)
    assert done.stdout.splitlines() == ["status 0", "status 3"]
    assert re.fullmatch(r"   \d+ s: step one", done.stderr.splitlines()[0])
    assert (tmp_path / "log").read_text() == "wrong\n"


NAMED = """
. tests/parts.sh
python_tests() { echo "python $*"; }
unit_tests() { echo "unit $*"; }
run_named tests/a.py cli tests/unit/rpc/test_x.c tests/b.py::test_c tests/unit/base/test_y.c
"""


def test_files__none_is_lost():
    """Those that are named together are one part each, Python and C; a part's results are one file."""
    done = subprocess.run(["bash", "-c", NAMED], cwd=ROOT, capture_output=True, text=True, stdin=subprocess.DEVNULL)
    assert done.stdout.splitlines() == [
        "python cli asan tests/cli", "unit unit-files asan -R ^(rpc/test_x|base/test_y)$",
        "python files asan tests/a.py tests/b.py::test_c"]

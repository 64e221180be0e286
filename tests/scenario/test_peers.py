# SPDX-License-Identifier: Apache-2.0
"""test_peers.py - who may talk on the socket: the file's mode, and the kernel's word for the peer."""
import pathlib
import shutil
import subprocess
import sys
import tempfile

import pytest

from rig.tree import ROOT

NOBODY = 65534
CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from rig.client import V1, outcome
print(outcome(V1(sys.argv[2]).info))
"""


@pytest.fixture(scope="module")
def lent():
    """What a client is made of, where every user can read it: the tree may lie where none can."""
    made = pathlib.Path(tempfile.mkdtemp(prefix="cosid-"))
    for each in ("tests/rig", "proto"):
        shutil.copytree(ROOT / each, made / each, ignore=shutil.ignore_patterns("__pycache__"))
    for each in (made, *made.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def ask_as(lent):
    """ask_as(uid, gid, groups, daemon): DriverGetInfo by another user: "OK" or the code."""
    def ask(uid, gid, groups, daemon):
        done = subprocess.run(
            ["setpriv", f"--reuid={uid}", f"--regid={gid}",
             f"--groups={groups}" if groups else "--clear-groups", sys.executable, "-c", CALL,
             str(lent / "tests"), str(daemon.socket)],
            capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=lent)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return ask


@pytest.fixture
def start(cosid, posix, folder):
    def make(**config):
        daemon = cosid({"backends": [posix.backend()]} | config)
        for each in (folder, daemon.folder, daemon.socket.parent):
            each.chmod(0o755)
        return daemon
    return make


def test_mode__keeps_others_out(start, ask_as):
    daemon = start(socket_mode="0600")
    assert ask_as(0, 0, "", daemon) == "OK"
    assert ask_as(NOBODY, NOBODY, "", daemon) == "UNAVAILABLE"


def test_peers__absent_means_the_mode_alone(start, ask_as):
    assert ask_as(NOBODY, NOBODY, "", start(socket_mode="0666")) == "OK"


@pytest.mark.parametrize("uid, gid, groups, answer", [
    (0, 0, "", "UNAVAILABLE"), (NOBODY, NOBODY, "", "UNAVAILABLE"), (1234, 5, "", "OK"),
    (NOBODY, 4321, "", "OK"), (NOBODY, NOBODY, "7,4321", "OK"), (4321, 1234, "", "UNAVAILABLE")])
def test_peers__by_uid_gid_or_supplementary_group(start, ask_as, uid, gid, groups, answer):
    daemon = start(socket_mode="0666", allowed_peers={"uids": [1234], "gids": [4321]})
    assert ask_as(uid, gid, groups, daemon) == answer


def test_peers__refused_one_is_logged_once_a_minute(start, ask_as):
    daemon = start(socket_mode="0666", allowed_peers={"uids": [0]})
    for _ in range(3):
        assert ask_as(NOBODY, NOBODY, "", daemon) == "UNAVAILABLE"
    daemon.wait_log(f"{NOBODY}")
    daemon.stop()
    log = (daemon.folder / "log").read_text()
    assert len([x for x in log.splitlines() if f"{NOBODY}" in x]) == 1, log


def test_peers__an_empty_list_is_nobody(start, ask_as):
    daemon = start(socket_mode="0666", allowed_peers={"uids": []})
    assert ask_as(0, 0, "", daemon) == "UNAVAILABLE"

# SPDX-License-Identifier: Apache-2.0
"""test_peers.py - who may talk on the socket: the file's mode, and the kernel's word for the peer."""
import subprocess
import sys

import pytest

NOBODY = 65534
CALL = """
import sys
sys.path.insert(0, sys.argv[1])
from rig.client import V1, outcome
print(outcome(V1(sys.argv[2]).info))
"""


def ask_as(uid, gid, groups, daemon):
    """DriverGetInfo by another user: "OK" or the code."""
    from rig.tree import ROOT
    done = subprocess.run(
        ["setpriv", f"--reuid={uid}", f"--regid={gid}",
         f"--groups={groups}" if groups else "--clear-groups", sys.executable, "-c", CALL,
         str(ROOT / "tests"), str(daemon.socket)],
        capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


@pytest.fixture
def start(cosid, posix, folder):
    def make(**config):
        daemon = cosid({"backends": [posix.backend()]} | config)
        for each in (folder, daemon.folder, daemon.socket.parent):
            each.chmod(0o755)
        return daemon
    return make


def test_mode__keeps_others_out(start):
    daemon = start(socket_mode="0600")
    assert ask_as(0, 0, "", daemon) == "OK"
    assert ask_as(NOBODY, NOBODY, "", daemon) == "UNAVAILABLE"


def test_peers__absent_means_the_mode_alone(start):
    assert ask_as(NOBODY, NOBODY, "", start(socket_mode="0666")) == "OK"


@pytest.mark.parametrize("uid, gid, groups, answer", [
    (0, 0, "", "UNAVAILABLE"), (NOBODY, NOBODY, "", "UNAVAILABLE"), (1234, 5, "", "OK"),
    (NOBODY, 4321, "", "OK"), (NOBODY, NOBODY, "7,4321", "OK"), (4321, 1234, "", "UNAVAILABLE")])
def test_peers__by_uid_gid_or_supplementary_group(start, uid, gid, groups, answer):
    daemon = start(socket_mode="0666", allowed_peers={"uids": [1234], "gids": [4321]})
    assert ask_as(uid, gid, groups, daemon) == answer


def test_peers__refused_one_is_logged_once_a_minute(start):
    daemon = start(socket_mode="0666", allowed_peers={"uids": [0]})
    for _ in range(3):
        assert ask_as(NOBODY, NOBODY, "", daemon) == "UNAVAILABLE"
    daemon.wait_log(f"{NOBODY}")
    daemon.stop()
    log = (daemon.folder / "log").read_text()
    assert len([x for x in log.splitlines() if f"{NOBODY}" in x]) == 1, log


def test_peers__an_empty_list_is_nobody(start):
    daemon = start(socket_mode="0666", allowed_peers={"uids": []})
    assert ask_as(0, 0, "", daemon) == "UNAVAILABLE"

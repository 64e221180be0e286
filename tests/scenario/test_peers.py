# SPDX-License-Identifier: Apache-2.0
"""test_peers.py - who may talk on the socket: the file's mode, and the kernel's word for the peer."""
import contextlib
import pathlib
import shutil
import socket
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
    made = pathlib.Path(tempfile.mkdtemp(prefix=""))
    for each in ("tests/rig", "proto"):
        shutil.copytree(ROOT / each, made / each, ignore=shutil.ignore_patterns("__pycache__"))
    for each in (made, *made.rglob("*")):
        each.chmod(0o755 if each.is_dir() else 0o644)
    yield made
    shutil.rmtree(made)


@pytest.fixture
def ask_by(lent):
    """ask_by(command, daemon): DriverGetInfo by a process that this command starts: "OK" or the code."""
    def ask(command, daemon):
        done = subprocess.run([*command, sys.executable, "-c", CALL, str(lent / "tests"), str(daemon.socket)],
                              capture_output=True, text=True, timeout=60, stdin=subprocess.DEVNULL, cwd=lent)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()
    return ask


@pytest.fixture
def ask_as(ask_by):
    """ask_as(uid, gid, groups, daemon): the same by another user."""
    def ask(uid, gid, groups, daemon):
        return ask_by(["setpriv", f"--reuid={uid}", f"--regid={gid}",
                       f"--groups={groups}" if groups else "--clear-groups"], daemon)
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


OF_ONE_USER = 64  # limits.h, LIMIT_CONNECTIONS_USER


def is_closed(peer):
    """The server speaks first (its SETTINGS), unless it closes."""
    return peer.recv(1) == b""


def test_limit__one_user_keeps_out_no_other(start, ask_as):
    daemon = start(socket_mode="0666")
    with contextlib.ExitStack() as stack:
        def connect():
            peer = stack.enter_context(socket.socket(socket.AF_UNIX))
            peer.connect(str(daemon.socket))
            return peer
        client = daemon.client()
        assert client.info()
        peers = [connect() for _ in range(OF_ONE_USER - 1)]
        assert not any(is_closed(peer) for peer in peers)
        assert is_closed(connect()) and is_closed(connect())
        assert ask_as(NOBODY, NOBODY, "", daemon) == "OK"
        assert client.info(), "whoever had connected before is served on"
        for peer in peers:
            peer.setblocking(False)
            with contextlib.suppress(BlockingIOError):
                while peer.recv(4096):
                    pass
                pytest.fail("a connection was closed for another's sake")
        peers[0].close()
        while is_closed(connect()):  # until the place is free
            pass
    daemon.wait_log(r"refusing a connection of user 0, process \d+: 64 of its connections are open")


# ---- user namespaces, as pods with hostUsers: false and rootless containers have them

INSIDE = ["setpriv", "--reuid=1234", "--regid=1234", "--clear-groups", "unshare", "--user", "--map-root-user"]


@pytest.mark.parametrize("admitted, answer", [(1234, "OK"), (0, "UNAVAILABLE"), (NOBODY, "UNAVAILABLE")])
def test_peers__of_another_namespace_by_its_number_outside(start, ask_by, admitted, answer):
    """Root inside is user 1234 here."""
    daemon = start(socket_mode="0666", allowed_peers={"uids": [admitted]})
    assert ask_by(INSIDE, daemon) == answer
    if answer != "OK":
        assert "user 1234, group 1234" in daemon.wait_log("refusing a connection")


@pytest.mark.parametrize("admitted, answer", [(NOBODY, "OK"), (1234, "UNAVAILABLE")])
def test_peers__without_a_number_are_65534(cosid, posix, folder, ask_as, admitted, answer):
    """cosid itself in a namespace that has root's number alone."""
    daemon = cosid.make({"backends": [posix.backend()], "socket_mode": "0666",
                         "allowed_peers": {"uids": [admitted]}},
                        wrap=["unshare", "--user", "--map-root-user"]).start()
    for each in (folder, daemon.folder, daemon.socket.parent):
        each.chmod(0o755)
    assert ask_as(1234, 1234, "", daemon) == answer
    if answer != "OK":
        assert f"user {NOBODY}, group {NOBODY}" in daemon.wait_log("refusing a connection")

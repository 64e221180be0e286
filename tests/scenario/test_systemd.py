# SPDX-License-Identifier: Apache-2.0
"""test_systemd.py - readiness and socket activation, without a systemd: the environment is what counts."""
import socket
import sys

import pytest

from rig.daemon import Ended

# Listens on the path and hands the socket over as descriptor 3, as systemd does.
ACTIVATE = """
import os, socket, sys
kind = socket.SOCK_DGRAM if sys.argv[2] == "datagram" else socket.SOCK_STREAM
made = socket.socket(socket.AF_UNIX, kind)
made.bind(sys.argv[1])
if kind == socket.SOCK_STREAM:
    made.listen()
if made.fileno() != 3:
    os.dup2(made.fileno(), 3)
os.set_inheritable(3, True)
os.environ |= {"LISTEN_PID": str(os.getpid()), "LISTEN_FDS": "1"}
os.execvp(sys.argv[3], sys.argv[3:])
"""


def activated(path, kind="stream"):
    return [sys.executable, "-c", ACTIVATE, str(path), kind]


@pytest.fixture
def config(posix):
    return {"backends": [posix.backend()]}


def test_activation__the_socket_is_systemds(cosid, config, folder):
    """It is served, and left in place at the end: systemd will hand it over again."""
    path = folder / "handed-over.sock"
    daemon = cosid.make(config, env={"COSI_ENDPOINT": f"unix://{path}"}, wrap=activated(path)).start()
    daemon.socket = path
    assert daemon.client().info().name == "cosid.example.org"
    daemon.stop()
    assert path.is_socket()


@pytest.mark.parametrize("path, kind", [("other.sock", "stream"), ("right.sock", "datagram")])
def test_activation__a_socket_that_is_not_ours(cosid, config, folder, path, kind):
    daemon = cosid.make(config, env={"COSI_ENDPOINT": f"unix://{folder}/right.sock"},
                        wrap=activated(folder / path, kind))
    with pytest.raises(Ended) as ended:
        daemon.start()
    daemon.process = None
    assert ended.value.status == 1
    assert f"{folder}/right.sock" in ended.value.log


def test_notify__ready_then_stopping(cosid, config, folder):
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(folder / "notify"))
        manager.settimeout(60)
        daemon = cosid(config, env={"NOTIFY_SOCKET": str(folder / "notify")})
        while b"READY=1" not in manager.recv(4096):
            pass
        assert daemon.client().info().name == "cosid.example.org", "it was ready when it said so"
        daemon.stop()
        while b"STOPPING=1" not in manager.recv(4096):
            pass  # a word on its state; without the one that is waited for this times out


def test_notify__not_before_it_serves(cosid, folder):
    """A start that fails is never ready."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(folder / "notify"))
        manager.setblocking(False)
        daemon = cosid.make({"workers": 0}, env={"NOTIFY_SOCKET": str(folder / "notify")})
        with pytest.raises(Ended):
            daemon.start()
        daemon.process = None
        with pytest.raises(BlockingIOError):
            manager.recv(4096)

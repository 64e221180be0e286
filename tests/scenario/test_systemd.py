# SPDX-License-Identifier: Apache-2.0
"""test_systemd.py - states, status, signs of life and socket activation; systemd is played by the test."""
import concurrent.futures
import contextlib
import os
import re
import signal
import socket
import sys
import threading

import pytest

from rig import secrets
from rig.callers import Callers
from rig.client import outcome
from rig.daemon import Ended
from rig.shelf import Shelf, source

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


@pytest.mark.parametrize("shell, words", [
    ("export LISTEN_FDS=many", "cannot take over the socket of systemd: Invalid argument"),
    ("export LISTEN_FDS=2; exec 3</dev/null 4</dev/null", "systemd handed over 2 sockets, cosid takes one, '/"),
    ("export LISTEN_FDS=1; exec 3</dev/null", "the socket that systemd handed over does not listen on '/")])
def test_activation__errors_say_what_is_wrong(cosid, config, shell, words):
    daemon = cosid.make(config, wrap=["bash", "-c", f'export LISTEN_PID=$$; {shell}; exec "$@"', "bash"])
    done = daemon.run()
    assert done.returncode == 1 and words in done.stderr, done.stderr


HELD = 'export LISTEN_PID=$$ LISTEN_FDS=1; exec 3<&"$0"; exec "$@"'


def test_activation__restarts_lose_no_call(cosid, config, folder):
    """The socket stays, and callers never pause: not one call is refused, reset or forgotten.

    The clients are as they come: what has not left them when a connection ends they send again.
    """
    with socket.socket(socket.AF_UNIX) as held:
        held.bind(str(folder / "held.sock"))
        held.listen(4096)
        daemon = cosid.make(config, env={"COSI_ENDPOINT": f"unix://{folder}/held.sock"},
                            wrap=["bash", "-c", HELD, str(held.fileno())])
        with Callers(folder / "held.sock") as callers:
            for n in range(4):
                daemon.start(pass_fds=[held.fileno()])
                callers.wait(100)
                daemon.stop()
            daemon.start(pass_fds=[held.fileno()])
            callers.wait(100)
        assert callers.failures == []


class Manager:
    """systemd's end of $NOTIFY_SOCKET."""

    def __init__(self, folder):
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.path = folder / "notify"
        self.socket.bind(str(self.path))
        self.socket.settimeout(60)

    def env(self, **more):
        return {"env": {"NOTIFY_SOCKET": str(self.path)} | more}

    def wait(self, *patterns):
        """The first message that holds all of them; it waits for it."""
        while True:
            said = self.socket.recv(4096).decode()
            if all(re.search(p, said, re.MULTILINE) for p in patterns):
                return said

    def rest(self):
        self.socket.setblocking(False)
        said = ""
        with contextlib.suppress(BlockingIOError):
            while True:
                said += self.socket.recv(4096).decode() + "\n"
        self.socket.settimeout(60)
        return said


@pytest.fixture
def manager(folder):
    made = Manager(folder)
    yield made
    made.socket.close()


def test_notify__ready_then_stopping(cosid, config, manager):
    daemon = cosid(config, **manager.env())
    said = manager.wait("^READY=1$")
    assert f"STATUS=generation 1 serves 1 backend on unix://{daemon.socket}" in said.split("\n")
    assert daemon.client().info().name == "cosid.example.org", "it was ready when it said so"
    daemon.stop()
    said = manager.wait("^STOPPING=1$") + manager.rest()
    assert "WATCHDOG" not in said, "nobody has asked for it"


@pytest.mark.parametrize("most", [12, 14, 24])
def test_start__with_too_few_descriptors(cosid, config, most):
    """gRPC would abort the process."""
    daemon = cosid.make(config, wrap=["bash", "-c", f'ulimit -n {most}; exec "$@"', "bash"])
    done = daemon.run()
    assert done.returncode == 1, done.stderr
    assert "cannot start gRPC: less than 16 descriptors are left: raise the limit (LimitNOFILE=)" in done.stderr


def test_start__without_standard_streams(cosid, config, manager):
    """No descriptor takes their place: lines of the log would go there."""
    close = ["bash", "-c", 'exec "$@" <&- >&- 2>&-', "bash"]
    daemon = cosid.make(config, **manager.env(), wrap=close).start(wait=False)
    manager.wait("^READY=1$")
    assert daemon.client().create("without-a-log") == "files.without-a-log"
    streams = [os.readlink(f"/proc/{daemon.pid}/fd/{fd}") for fd in (1, 2)]
    assert streams == ["/dev/null"] * 2, streams
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(60) == 0
    daemon.process = None


def test_notify__not_before_it_serves(cosid, manager):
    """A start that fails is never ready."""
    daemon = cosid.make({"workers": 0}, **manager.env())
    with pytest.raises(Ended):
        daemon.start()
    daemon.process = None
    assert manager.rest() == ""


def test_notify__reload(cosid, config, manager):
    """A refused one stays in the status until one is taken."""
    daemon = cosid(config, **manager.env())
    manager.wait("^READY=1$")
    text = daemon.config.read_text()
    daemon.config.write_text("nonsense")
    daemon.cosictl("reload")
    manager.wait("^RELOADING=1$", r"^MONOTONIC_USEC=\d+$")
    refused = "^STATUS=reload failed, generation 1 continues to serve: .*cosid.conf:1: "
    manager.wait("^READY=1$", refused)
    assert "READY=1" not in manager.rest()
    daemon.config.write_text(text)
    daemon.cosictl("reload")
    manager.wait("^RELOADING=1$")
    manager.wait("^READY=1$", "^STATUS=generation 2 serves 1 backend on unix://")


def test_notify__file_name_with_a_line_break(cosid, config, manager, folder):
    """It is shown once, the same in the status, in the log and by cosictl."""
    parts = folder / "conf.d"
    parts.mkdir()
    daemon = cosid(config | {"include_dir": str(parts)}, **manager.env())
    (parts / "a\nerror.conf").write_text("nonsense")
    shown = r"conf.d/a\nerror.conf:1: "
    assert shown in daemon.cosictl("reload").stderr
    manager.wait("^STATUS=reload failed, .*" + re.escape(shown))
    daemon.wait_log(" error .*" + re.escape(shown))


def test_status__names_the_backend_that_fails(cosid, manager, posix):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        rgw = {"name": "rgw", "module": "ceph-rgw", "endpoint": url, "retries": 0,
               "access_key": "plain:planted-access", "secret_key": "plain:planted-secret"}
        daemon = cosid({"backends": [posix.backend(), rgw]}, **manager.env())
        client = daemon.client()
        assert outcome(client.create, "unreachable", {"backend": "rgw"}) == "UNAVAILABLE"
        manager.wait(r"serves 2 backends on \S+; rgw: the last call failed at \S+Z: UNAVAILABLE: ")
        while daemon.status()["backends"][1]["state"] != "failing":
            assert outcome(client.create, "unreachable", {"backend": "rgw"}) == "UNAVAILABLE"
        said = manager.wait(f"; rgw: circuit breaker open for {url}: ")
    secrets.assert_absent(said, "the status")


def test_status__no_fault_of_the_caller(cosid, config, manager):
    """A request that cannot work says nothing of the store."""
    daemon = cosid(config, **manager.env())
    manager.wait("^READY=1$")
    client = daemon.client()
    assert outcome(client.create, "bad", {"nonsense": "1"}) == "INVALID_ARGUMENT"
    client.create("good")
    daemon.stop()
    assert "fail" not in manager.rest()


def test_status__stuck_call(cosid, folder):
    """A stuck call is reported, and WATCHDOG=1 still comes: from the polling thread, whichever that is.

    Two daemons at once, because the status is looked at every 5 s: one has had no call before, one has had many.
    """
    lives, library = [], None
    for nbefore in (0, 100):
        place = folder / str(nbefore)
        place.mkdir()
        shelf, manager = Shelf(place), Manager(place)
        library = library or shelf.build("1", source(stubborn=True))
        shelf.put(library)
        daemon = cosid.make(shelf.config(call_timeout="300ms"), **manager.env(WATCHDOG_USEC="400000"))
        lives.append((nbefore, shelf, manager, daemon))

    def live(nbefore, shelf, manager, daemon):
        client = daemon.start().client()
        for _ in range(nbefore):
            client.create("before")
        shelf.gate.touch()
        assert outcome(client.create, "stuck") == "DEADLINE_EXCEEDED"
        manager.wait("; shelf: the last call failed at .*: DEADLINE_EXCEEDED: .*, stuck calls: 1$")
        manager.wait("^WATCHDOG=1$")
        client.info()
        assert "1 stuck" in daemon.cosictl("status").stdout
        shelf.gate.unlink()
        client.create("free")
        manager.wait(r"^STATUS=generation 1 serves 1 backend on unix://\S+$")
        manager.socket.close()

    with concurrent.futures.ThreadPoolExecutor(2) as pool:
        for done in [pool.submit(live, *each) for each in lives]:
            done.result()


@pytest.mark.parametrize("ncallers", [0, 1, 8])
def test_watchdog__beats(cosid, config, manager, ncallers):
    """Busy or not: one caller makes the polling go from thread to thread, with many the queue is never empty for long."""
    daemon = cosid(config, **manager.env(WATCHDOG_USEC="400000"))
    ended = threading.Event()

    def call(client):
        while not ended.is_set():
            if ncallers == 1:
                client.create("again")
            else:
                client.info()

    callers = [threading.Thread(target=call, args=[daemon.client()]) for _ in range(ncallers)]
    for caller in callers:
        caller.start()
    for _ in range(10):
        manager.wait("^WATCHDOG=1$")
    ended.set()
    for caller in callers:
        caller.join()

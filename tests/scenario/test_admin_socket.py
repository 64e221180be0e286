# SPDX-License-Identifier: Apache-2.0
"""test_admin_socket.py - who may use the admin socket, and what it stands."""
import contextlib
import json
import os
import socket
import stat
import subprocess
import time

import pytest

from rig.daemon import Ended
from rig.shelf import source


def raw(daemon, data, end=True):
    """What the admin socket answers to these bytes, until it closes."""
    with socket.socket(socket.AF_UNIX) as s:
        s.settimeout(60)
        s.connect(str(daemon.admin))
        with contextlib.suppress(BrokenPipeError):
            s.sendall(data)
        if end:
            s.shutdown(socket.SHUT_WR)
        answer = b""
        with contextlib.suppress(ConnectionResetError):  # it closed with more to read
            while more := s.recv(65536):
                answer += more
    return [json.loads(line) for line in answer.splitlines()]


# ---- who may, and what it stands


def test_socket__place_and_mode(cosid, shelf):
    daemon = cosid(shelf.config())
    assert stat.S_IMODE(daemon.admin.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(daemon.admin.stat().st_mode) == 0o600
    assert os.listdir(daemon.socket.parent) == ["cosi.sock"]
    daemon.stop()
    assert os.listdir(daemon.admin.parent) == ["admin.sock.crashes"], "which the next process reads"


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_socket__folder_is_open_to_others(cosid, shelf, mode):
    daemon = cosid.make(shelf.config())
    daemon.admin.parent.mkdir()
    daemon.admin.parent.chmod(mode)
    with pytest.raises(Ended, match="0700"):
        daemon.start()
    daemon.process = None
    assert not daemon.socket.exists()


@pytest.mark.parametrize("endpoint, reason", [
    ("unix://{}/admin.sock", "nothing but that socket"), ("unix://admin.sock", "admin_endpoint"),
    ("", "admin_endpoint"), ("tcp://127.0.0.1:7000", "admin_endpoint")])
def test_socket__refused(cosid, shelf, endpoint, reason):
    """The record of crashes lies beside the admin socket: without one there is none, under no name."""
    daemon = cosid.make(shelf.config())
    daemon.write_config(shelf.config(admin_endpoint=endpoint.format(daemon.socket.parent)))
    before = set(daemon.folder.rglob("*")) | {daemon.folder / "log"}
    with pytest.raises(Ended, match=reason):
        daemon.start(preexec=lambda: os.chdir(daemon.folder))
    daemon.process = None
    assert set(daemon.folder.rglob("*")) == before


def test_peer__another_user(cosid, shelf):
    """Even one for whom the doors were opened."""
    daemon = cosid(shelf.config())
    shelf.folder.chmod(0o711)
    daemon.folder.chmod(0o711)
    daemon.admin.parent.chmod(0o711)
    daemon.admin.chmod(0o666)
    command = [daemon.lend("cosictl"), "-e", f"unix://{daemon.admin}", "status"]
    done = subprocess.run(command, user=65534, group=65534, extra_groups=[], capture_output=True, text=True,
                          env={"PATH": os.environ["PATH"]})
    assert done.returncode == 1 and "PERMISSION_DENIED: only root and" in done.stderr, done.stderr
    daemon.wait_log("refusing user 65534")


@pytest.mark.parametrize("data", [
    b"\n", b"nonsense\n", b"[]\n", b"{}\n", b'{"command":5}\n', b'{"command":"dance"}\n', b"\xff\xfe\n",
    b'{"command":"list","backend":7}\n', b'{"command":"status","command":"reload"}\n', b"{" * 4000 + b"\n"])
def test_peer__nonsense(cosid, shelf, data):
    daemon = cosid(shelf.config())
    (last,) = raw(daemon, data)
    assert last["code"] in ("INVALID_ARGUMENT", "UNIMPLEMENTED") and last["error"]


@pytest.mark.parametrize("size, code", [(4095, "OK"), (4096, "INVALID_ARGUMENT")])
def test_peer__longest_request(cosid, shelf, size, code):
    daemon = cosid(shelf.config())
    text = b'{"command":"status"}'
    (last,) = raw(daemon, text + b" " * (size - len(text)) + b"\n", end=False)
    assert last["code"] == code


def test_peer__half_a_request(cosid, shelf):
    daemon = cosid(shelf.config())
    assert raw(daemon, b'{"command":') == []


def test_peer__silent_ones_make_room(cosid, shelf):
    """They keep no command out, however many they are."""
    daemon = cosid(shelf.config())
    with contextlib.ExitStack() as stack:
        silent = [stack.enter_context(socket.socket(socket.AF_UNIX)) for _ in range(8)]
        for each in silent:
            each.connect(str(daemon.admin))
            each.send(b"{")
        for command in ("status", "reload", "status"):
            done = daemon.cosictl(command)
            assert done.returncode == 0, done.stderr
        silent[0].settimeout(60)
        assert silent[0].recv(1) == b"", "the oldest one was closed"


OPENS = """
static int
open_by_the_gate(struct cosi_call *call, const void *data, void **out)
{
	const struct config *config = data;

	*out = (void *)(unsigned long)data;
	while (access(config->gate, F_OK) == 0 && call->host->wait(call, 5) == 0)
		;
	return 0;
}
"""


def test_peer__so_many_at_once(cosid, shelf):
    """Sessions that wait for their answer are not cut."""
    shelf.put(shelf.build("opens", source(OPENS, open="open_by_the_gate")))
    daemon = cosid(shelf.config())
    daemon.write_config({"module_dir": str(shelf.modules), "backends": [shelf.backend(label="new")]})
    shelf.gate.touch()
    with contextlib.ExitStack() as stack:
        waiting, error = [], ""
        while "RESOURCE_EXHAUSTED: too many admin sessions (8)" not in error and len(waiting) < 24:
            waiting.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            waiting[-1].connect(str(daemon.admin))
            waiting[-1].send(b'{"command":"reload"}\n')
            error = daemon.cosictl("status").stderr
        assert 8 <= len(waiting) < 24, error
        shelf.gate.unlink()
        waiting[0].settimeout(60)
        assert json.loads(waiting[0].recv(65536))["code"] == "OK"
    while daemon.cosictl("status").returncode != 0:
        pass


def test_peer__request_in_drops(cosid, shelf):
    """One time for the whole request: bytes that go on coming buy no more of it."""
    daemon = cosid(shelf.config())
    with socket.socket(socket.AF_UNIX) as slow:
        slow.connect(str(daemon.admin))
        slow.settimeout(1)
        begun, answer = time.monotonic(), None
        while answer is None and time.monotonic() < begun + 30:
            slow.send(b" ")
            with contextlib.suppress(TimeoutError):
                answer = json.loads(slow.recv(65536))
        assert answer["code"] == "DEADLINE_EXCEEDED" and answer["error"] == "the request was not complete after 5 s"
        assert time.monotonic() > begun + 4


def test_peer__silent_one_does_not_hold_a_stop(cosid, shelf):
    daemon = cosid(shelf.config())
    with socket.socket(socket.AF_UNIX) as silent:
        silent.connect(str(daemon.admin))
        silent.send(b"{")
        daemon.status()
        daemon.stop()


def test_cosictl__nobody_listens(cosid, shelf):
    daemon = cosid.make(shelf.config())
    done = daemon.cosictl("status")
    assert done.returncode == 1 and "cannot connect" in done.stderr


@pytest.mark.parametrize("words", [
    ["status", "x"], ["reload", "x"], ["list", "a", "b"], ["--api", "v1alpha1", "status"],
    ["-o", "env", "status"], ["--mode", "readOnly", "list"]])
def test_cosictl__usage(cosid, shelf, words):
    assert cosid.make(shelf.config()).cosictl(*words).returncode == 2

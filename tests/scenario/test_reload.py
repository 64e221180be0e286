# SPDX-License-Identifier: Apache-2.0
"""test_reload.py - SIGHUP: what changes, what stays, what is refused, and what goes wrong."""
import ctypes
import os
import re
import shutil
import signal
import socket
import struct

import pytest

from rig.client import refused
from rig.watch import wait_for


def region(client, bucket="probe"):
    """Which build and which configuration answered: "v1-plain"."""
    method, fields = client.create_fields(bucket, {"backend": "shelf"})
    return client.call(method, **fields).bucket_info.s3.region


def fails(daemon, *words):
    """The reload fails, and the log says why in these words; what served goes on."""
    last = daemon.reload(r"reload failed, generation \d+ continues to serve|generation \d+ serves")
    assert "failed" in last, daemon.log
    for word in words:
        assert re.search(word, daemon.log), daemon.log


def in_flight(daemon, shelf, method=None, fields=None):
    """A call, a create if nothing else is said, that has its locks and waits at the gate."""
    shelf.gate.touch()
    client = daemon.client()
    if method:
        call = client.start(method, **fields)
    # One connection's calls draw their locks in the order in which they were sent.
    name, other = client.create_fields("slow")
    create = client.start(name, **other)
    wait_for(shelf.root / "slow")
    return call if method else create


# ---- what a reload changes


def test_settings(cosid, shelf):
    daemon = cosid(shelf.config())
    client = daemon.client()
    assert region(client) == "v1-plain"
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(label="second")]})
    assert region(client) == "v1-plain", "nothing changes before the signal"
    assert "generation 2 serves 1 backend," in daemon.reload()
    assert region(client) == "v1-second"


def test_module__replaced(cosid, shelf):
    daemon = cosid(shelf.config())
    client = daemon.client()
    assert region(client) == "v1-plain"
    shelf.install("2")
    assert region(client) == "v1-plain"
    daemon.reload()
    assert region(client) == "v2-plain"
    shelf.install("1")
    daemon.reload()
    assert region(client) == "v1-plain", "and back to a file that was there before"


@pytest.mark.unsanitized
def test_module__overwritten_in_place(cosid, shelf):
    """As cp does it: what is loaded runs on, and the next reload takes what is there."""
    daemon = cosid(shelf.config())
    client = daemon.client()
    shutil.copyfile(shelf.build("2"), shelf.modules / "shelf.so")
    assert region(client) == "v1-plain"
    daemon.reload()
    assert region(client) == "v2-plain"


def test_module__added_and_removed(cosid, shelf, build, posix):
    """A file into module_dir, a file into include_dir, SIGHUP: it serves."""
    (shelf.modules / "shelf.so").unlink()
    shelf.put(build / "modules" / "posix.so", "posix")
    parts = shelf.folder / "conf.d"
    parts.mkdir()
    config = {"module_dir": str(shelf.modules), "include_dir": str(parts), "default_backend": "files",
              "backends": [posix.backend()]}
    daemon = cosid(config)
    client = daemon.client()
    with refused("INVALID_ARGUMENT", "shelf"):
        region(client)
    shelf.install()
    part = parts / "shelf.conf"
    part.write_text(cosid.make({"backends": [shelf.backend()]}).config.read_text().split("\n", 5)[-1])
    part.chmod(0o600)
    daemon.reload()
    assert region(client) == "v1-plain"
    client.create("of-files")
    part.unlink()
    daemon.reload()
    with refused("INVALID_ARGUMENT", "shelf"):
        region(client)
    with refused("FAILED_PRECONDITION", "shelf"):
        client.delete("shelf.probe")
    with refused("FAILED_PRECONDITION", "shelf"):
        client.revoke("shelf.cosi-ba", "shelf.probe")
    with refused("FAILED_PRECONDITION", "shelf"):
        client.grant("shelf.probe", "ba")
    with refused("FAILED_PRECONDITION", "shelf"):
        daemon.client("v1alpha2").get("shelf.probe")
    client.delete("files.of-files")


def test_secret__behind_the_same_file(cosid, shelf):
    daemon = cosid(shelf.config())
    client = daemon.client()
    client.create("keys")
    before = client.grant("shelf.keys", "ba-keys")
    shelf.write_secret("planted-another-key-of-the-shelf")
    assert client.grant("shelf.keys", "ba-keys").secret == before.secret
    daemon.reload()
    assert client.grant("shelf.keys", "ba-keys").secret.startswith("planted-another-key")


def test_routes_and_draining(cosid, shelf):
    """accept_new = false: no new buckets, and the old ones live on."""
    daemon = cosid(shelf.config(shelf.backend("other"), default_backend="shelf"))
    client = daemon.client()
    assert client.create("one") == "shelf.one"
    daemon.write_config(shelf.config(default_backend="other") | {
        "backends": [shelf.backend(accept_new=False), shelf.backend("other")]})
    daemon.reload()
    assert client.create("two") == "other.two"
    client.delete("shelf.one")
    daemon.write_config(shelf.config(shelf.backend("other")) | {
        "routes": [{"match": "t*", "backend": "other"}, {"match": "*", "backend": "shelf"}]})
    daemon.reload()
    assert client.create("three") == "other.three"
    assert client.create("four") == "shelf.four"


def test_log_and_limits(cosid, shelf):
    daemon = cosid(shelf.config())
    daemon.write_config(shelf.config(log={"level": "info", "format": "json"}, call_timeout="300ms"))
    assert daemon.reload().startswith("{")
    with refused("DEADLINE_EXCEEDED"):
        in_flight(daemon, shelf).result()
    shelf.gate.unlink()


def test_fixed__is_refused_and_the_rest_applies(cosid, shelf, folder):
    daemon = cosid(shelf.config())
    client = daemon.client()
    other = folder / "other.sock"
    daemon.write_config(shelf.config(driver_name="another.example.org", endpoint=f"unix://{other}") | {
        "backends": [shelf.backend(label="second")]})
    daemon.reload()
    for key in ("driver_name", "endpoint"):
        assert re.search(rf"cosid.conf:\d+: .*'{key}' cannot change without a restart", daemon.log), daemon.log
    assert region(client) == "v1-second"
    assert client.info().name == "cosid.example.org"
    assert not other.exists() and daemon.socket.exists()


def test_protocols__a_change_is_warned_of(cosid, shelf):
    daemon = cosid(shelf.config())
    daemon.write_config(shelf.config() | {"backends": []})
    daemon.reload()
    assert "restart the sidecars" in daemon.log
    with refused("UNAVAILABLE"):
        daemon.client("v1alpha2").info()


class Watch:
    """What is made in a folder from now on, however short it lives."""

    IN_CREATE, IN_MOVED_TO = 0x100, 0x80

    def __init__(self, folder):
        libc = ctypes.CDLL(None, use_errno=True)
        self.fd = libc.inotify_init1(os.O_CLOEXEC | os.O_NONBLOCK)
        found = libc.inotify_add_watch(self.fd, os.fsencode(folder), self.IN_CREATE | self.IN_MOVED_TO)
        assert self.fd >= 0 and found >= 0, os.strerror(ctypes.get_errno())

    def names(self):
        made, events = [], os.read(self.fd, 65536)
        while events:
            size = struct.unpack_from("iIII", events)[3]
            made.append(events[16:16 + size].rstrip(b"\0").decode())
            events = events[16 + size:]
        os.close(self.fd)
        return made


def test_socket__nothing_else_in_its_folder(cosid, shelf):
    """Start, reload, failed reload, stop: nothing but the socket, not even for a moment."""
    daemon = cosid.make(shelf.config())
    watch = Watch(daemon.socket.parent)
    daemon.start()
    there = lambda: os.listdir(daemon.socket.parent)
    assert there() == ["cosi.sock"]
    shelf.install("2")
    daemon.reload()
    assert there() == ["cosi.sock"]
    daemon.config.write_text("nonsense")
    fails(daemon)
    assert there() == ["cosi.sock"]
    daemon.stop()
    assert there() == []
    assert watch.names() == ["cosi.sock"], "made once"


def test_systemd__is_told(cosid, shelf, folder):
    """RELOADING, then READY in either case, and a status that says which it was."""
    with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as manager:
        manager.bind(str(folder / "notify"))
        manager.settimeout(60)
        daemon = cosid(shelf.config(), env={"NOTIFY_SOCKET": str(folder / "notify")})

        def until(word):
            said = ""
            while word not in said:
                said += manager.recv(4096).decode() + "\n"
            return said

        until("STATUS=generation 1 serves 1 backend on")
        daemon.process.send_signal(signal.SIGHUP)
        said = until("STATUS=generation 2 serves 1 backend on")
        assert said.index("RELOADING=1\nMONOTONIC_USEC=") < said.index("READY=1")
        daemon.config.write_text("nonsense")
        daemon.process.send_signal(signal.SIGHUP)
        said = until("STATUS=reload failed, generation 2 continues to serve: ")
        assert said.index("RELOADING=1") < said.index("READY=1") and "cosid.conf:1: " in said


# ---- calls under way


def test_calls__end_where_they_began(cosid, shelf):
    daemon = cosid(shelf.config())
    call = in_flight(daemon, shelf)
    shelf.install("2")
    daemon.reload()
    other = shelf.folder / "other-gate"
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(gate=str(other), label="new")]})
    daemon.reload()
    assert region(daemon.client()) == "v2-new", "new calls do not wait for old ones"
    assert not call.done()
    shelf.gate.unlink()
    assert call.result().bucket_info.s3.region == "v1-plain"


def test_calls__grant_before_excludes_revoke_after(cosid, shelf):
    """Locks go by name, not by generation."""
    daemon = cosid(shelf.config())
    client = daemon.client()
    client.create("shared")
    grant = in_flight(daemon, shelf, *client.grant_fields("shelf.shared", "ba-1"))
    shelf.install("2")
    daemon.reload()
    method, fields = client.revoke_fields("shelf.cosi-ba-1", "shelf.shared")
    with refused("DEADLINE_EXCEEDED"):
        client.call(method, timeout=0.3, **fields)
    revoke = client.start(method, **fields)
    assert not grant.done()
    shelf.gate.unlink()
    grant.result()
    revoke.result()


def test_calls__stop_while_an_old_generation_has_one(cosid, shelf):
    daemon = cosid(shelf.config(drain_timeout="60s"))
    call = in_flight(daemon, shelf)
    shelf.install("2")
    daemon.reload()
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_log("stopping")
    shelf.gate.unlink()
    assert call.result().bucket_info.s3.region == "v1-plain"
    assert daemon.wait_end() == 0


# ---- what goes wrong: the old generation serves on, and says why


@pytest.mark.parametrize("text, words", [
    ("nonsense", r"cosid.conf:1: "), ("", "driver_name"),
    ("driver_name = \"cosid.example.org\";\nbackends = ( { name = \"x\"; } );", r"cosid.conf:2: .*module"),
    ("driver_name = \"cosid.example.org\";\n", r"cosid.conf: no file has the key 'backends'")])
def test_config__broken(cosid, shelf, text, words):
    daemon = cosid(shelf.config())
    whole = daemon.config.read_text()
    daemon.config.write_text(text)
    fails(daemon, words)
    assert region(daemon.client()) == "v1-plain"
    daemon.config.write_text(whole)
    assert "generation 2 serves" in daemon.reload()


def test_config__without_backends(cosid, shelf):
    """The check accepts what a start would take, and says that a reload would not."""
    daemon = cosid(shelf.config())
    whole = daemon.config.read_text()
    for text, refused in (("", True), ("backends = ( );\n", False)):
        daemon.config.write_text(f'driver_name = "cosid.example.org";\n{text}')
        checked = daemon.run("--check")
        assert checked.returncode == 0 and "ok, 0 backends" in checked.stdout
        warning = "warning: a reload from backends to none is refused unless the file has backends = ( );"
        assert (warning in checked.stderr) == refused
        assert ("reload failed" in daemon.reload("reload failed|generation 2 serves 0 backends")) == refused
    daemon.config.write_text(whole)
    assert "generation 3 serves" in daemon.reload()


def test_config__gone(cosid, shelf):
    daemon = cosid(shelf.config())
    daemon.config.unlink()
    fails(daemon, "cosid.conf: .*No such file")
    assert region(daemon.client()) == "v1-plain"


def test_secret__gone(cosid, shelf):
    daemon = cosid(shelf.config())
    shelf.secret.unlink()
    fails(daemon, "shelf.key")
    assert region(daemon.client()) == "v1-plain"


def test_signals__a_storm(cosid, shelf):
    """One that comes during a reload is remembered, however many there are."""
    daemon = cosid(shelf.config())
    client = daemon.client()
    for number in range(300):
        daemon.process.send_signal(signal.SIGHUP)
        if number % 10 == 0:
            assert region(client, f"storm-{number}") == "v1-plain"
    shelf.install("2")
    daemon.reload()
    while region(client) != "v2-plain":
        pass


def test_signals__stop_wins(cosid, shelf):
    daemon = cosid(shelf.config())
    for _ in range(50):
        daemon.process.send_signal(signal.SIGHUP)
    daemon.process.send_signal(signal.SIGTERM)
    for _ in range(50):
        if daemon.process.poll() is None:
            daemon.process.send_signal(signal.SIGHUP)
    assert daemon.wait_end() == 0


def test_signals__stop_during_a_reload(cosid, shelf):
    """cosid stops when the check of the module has ended."""
    daemon = cosid(shelf.config())
    with shelf.held_load("2"):
        daemon.process.send_signal(signal.SIGHUP)
        shelf.wait_load()
        daemon.process.send_signal(signal.SIGTERM)
    assert daemon.wait_end() == 0
    assert "generation 2 serves" in daemon.log and "stopped" in daemon.log

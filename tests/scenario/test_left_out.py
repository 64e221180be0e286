# SPDX-License-Identifier: Apache-2.0
"""test_left_out.py - backends that cannot be opened at a start, or whose module crashes: the others serve."""
import os
import shutil

import grpc
import pytest

from rig.client import refused
from rig.daemon import Ended
from rig.shelf import Shelf
from rig.tree import ROOT

RETRY_S = 60 + 5 + 30  # core/daemon.h, the main thread's period, a busy machine



def crashing(deed="__builtin_trap()"):
    """shelf.c, whose create of a bucket `crash` does that."""
    return (ROOT / "tests" / "scenario" / "shelf.c").read_text().replace(
        "	const char *path = cosi_printf(call,", f"	if (strcmp(req->native, \"crash\") == 0)\n		{deed};\n"
        "	const char *path = cosi_printf(call,", 1)


@pytest.fixture
def shelf(build, folder):
    made = Shelf(folder)
    made.install()
    shutil.copy(build / "modules" / "posix.so", made.modules)
    os.chmod(made.modules / "posix.so", 0o644)
    return made


def state(daemon, name):
    """(state, reason) of a backend."""
    backend = next(b for b in daemon.status()["backends"] if b["name"] == name)
    return backend["state"], backend["leftOut"]


def test_start__others_serve_until_it_can_be_opened(cosid, shelf, posix):
    """A secret that is missing at the start, and comes later."""
    shelf.secret.unlink()
    config = shelf.config(posix.backend(), default_backend="files")
    checked = cosid.make(config).run("--check")
    assert checked.returncode == 1 and "shelf.key" in checked.stderr
    daemon = cosid(config)
    daemon.wait_log(r"warning 1 of 2 backends are left out: cosictl status says why")
    old, new = daemon.client("v1alpha1"), daemon.client("v1alpha2")
    assert [p.type for p in new.info().supported_protocols] == [new.message("ObjectProtocol", type="S3").type]
    why = r"backend 'shelf' is left out: \S+cosid.conf:\d+: 'key': .*shelf\.key.*: No such file or directory"

    # What names it, and what would have to ask it.
    for call in (lambda: old.create("explicit", {"backend": "shelf"}), lambda: old.delete("shelf.photos"),
                 lambda: old.grant("shelf.photos", "ba-1"), lambda: old.revoke("shelf.cosi-ba-1", "shelf.photos"),
                 lambda: new.get("shelf.photos"), lambda: new.get("photos"), lambda: old.delete("photos"),
                 lambda: old.create("default")):
        with refused("UNAVAILABLE", why):
            call()
    # The rest.
    bucket = old.create("served", {"backend": "files"})
    assert old.create("served") == bucket, "a bucket that is found needs no answer of the others"
    old.grant(bucket, "ba-2")
    assert state(daemon, "files") == ("up", None)
    assert state(daemon, "shelf")[0] == "left-out" and "shelf.key" in state(daemon, "shelf")[1]
    shown = daemon.cosictl("status").stdout
    assert "\n  left out: " in shown and "shelf.key" in shown
    listed = daemon.cosictl("list")
    assert listed.returncode != 0 and "backend shelf: UNAVAILABLE" in listed.stderr and "files.served" in listed.stdout

    # A reload is as strict as ever.
    daemon.reload(r"reload failed, generation 1 continues to serve")
    shelf.write_secret("planted-key-that-comes-later-01234")
    daemon.wait_log(r"backend 'shelf' was left out and serves now", timeout=RETRY_S)
    assert old.create("explicit", {"backend": "shelf"}) == "shelf.explicit"
    assert old.create("default") == "files.default"
    assert state(daemon, "shelf") == ("up", None)


def test_start__module_is_missing_and_comes_by_a_reload(cosid, shelf, posix):
    config = shelf.config(posix.backend())
    cosid(config).stop()
    (shelf.modules / "shelf.so").unlink()
    daemon = cosid(config)
    client = daemon.client("v1alpha2")
    assert state(daemon, "shelf")[0] == "left-out"
    assert len(client.info().supported_protocols) == 1, "what shelf.so served is remembered"
    with refused("UNAVAILABLE", r"backend 'shelf' is left out: .*cannot load module 'shelf'"):
        client.delete("shelf.photos")
    shelf.install()
    daemon.reload()
    assert client.create("photos", {"backend": "shelf"}) == "shelf.photos"


def test_lookup__of_none_that_is_open(cosid, shelf, posix):
    """Two backends whose module is missing, and no other that could have the bucket."""
    absent = [{"name": name, "module": "absent", "accept_new": name == "a"} for name in ("a", "b")]
    daemon = cosid(shelf.config() | {"backends": [posix.backend(existing_buckets=["x-*"]), *absent]})
    client = daemon.client("v1alpha2")
    for call in (lambda: client.get("photos"), lambda: client.grant("photos", "ba-1"),
                 lambda: client.call("DriverCreateBucket", name="photos", protocols=[{"type": "AZURE"}])):
        with refused("UNAVAILABLE", "backend 'a' is left out: .*cannot load module 'absent'"):
            call()
    assert client.create("served", {"backend": "files"}) == "files.served"


@pytest.mark.parametrize("key, value, text", [
    ("retries", "many", "'retries'"), ("colour", "red", "unknown key 'colour'"), ("root", "relative", "'root'")])
def test_start__bad_value(cosid, shelf, posix, key, value, text):
    daemon = cosid(shelf.config(posix.backend()) | {"backends": [shelf.backend(**{key: value}), posix.backend()]})
    assert state(daemon, "shelf")[0] == "left-out" and text in state(daemon, "shelf")[1]
    assert daemon.client().create("served", {"backend": "files"}) == "files.served"


def test_start__none_can_be_opened(cosid, shelf):
    shelf.secret.unlink()
    daemon = cosid.make(shelf.config())
    with pytest.raises(Ended) as ended:
        daemon.start()
    daemon.process = None
    assert ended.value.status == 1


def test_probe__secret_of_the_unit(cosid, shelf):
    """--check accepts a credential that it cannot read; the probe cannot do without."""
    checked = cosid.make(shelf.config() | {"backends": [shelf.backend(key="credential:shelf")]})
    assert checked.run("--check").returncode == 0
    done = checked.run("--check", "--probe")
    assert done.returncode == 1
    assert "$CREDENTIALS_DIRECTORY is not set" in done.stderr
    assert done.stderr.splitlines()[-1].endswith(": backend 'shelf': one of its secrets cannot be read here")


def test_start__error_elsewhere(cosid, shelf, posix):
    """What is wrong with the file itself is no backend's."""
    daemon = cosid.make(shelf.config(posix.backend(), workers=0))
    with pytest.raises(Ended):
        daemon.start()
    daemon.process = None


def crash(daemon):
    """A call that ends the daemon; what its log says."""
    with pytest.raises(grpc.RpcError):
        daemon.client().create("crash", {"backend": "shelf"})
    assert daemon.wait_end() < 0
    daemon.close_clients()
    daemon.process = None
    assert "module 'shelf' crashed in create_bucket()" in daemon.log


def test_crash__third_in_a_row_costs_the_backend(cosid, shelf, posix):
    shelf.put(shelf.build("crashing", text=crashing()))
    daemon = cosid.make(shelf.config(posix.backend()))
    for _ in range(3):
        daemon.start()
        crash(daemon)
    daemon.start()
    daemon.wait_log(r"warning \S+: backend 'shelf' is left out: module 'shelf' has ended cosid 3 times in a row")
    with refused("UNAVAILABLE", "backend 'shelf' is left out: module 'shelf' has ended cosid 3 times"):
        daemon.client().create("crash", {"backend": "shelf"})
    assert daemon.client().create("served", {"backend": "files"}) == "files.served"
    assert state(daemon, "shelf")[0] == "left-out"
    daemon.reload()
    assert state(daemon, "shelf")[0] == "left-out", "nothing of it has changed"
    daemon.stop()
    daemon.start()
    assert state(daemon, "shelf")[0] == "left-out"
    # Another file.
    shelf.install("2")
    daemon.reload()
    assert daemon.client().create("crash", {"backend": "shelf"}) == "shelf.crash"
    assert state(daemon, "shelf") == ("up", None)


def test_crash__clean_stop_between_two(cosid, shelf):
    shelf.put(shelf.build("crashing", text=crashing()))
    daemon = cosid.make(shelf.config())
    for _ in range(2):
        for _ in range(2):
            daemon.start()
            crash(daemon)
        daemon.start()
        assert state(daemon, "shelf") == ("up", None)
        daemon.stop()


@pytest.mark.unsanitized  # that build reports the overflow, and ends with a status of its own
def test_crash__stack_is_full(cosid, shelf):
    recurse = """
static int
recurse(volatile int depth)
{
	volatile char frame[2048];

	frame[0] = (char)depth;
	return depth < 0 ? 0 : recurse(depth + 1) + frame[0];
}
"""
    head, body = crashing("(void)recurse(0)").split("static int\nshelf_create", 1)
    shelf.put(shelf.build("recursive", text=f"{head}{recurse}static int\nshelf_create{body}"))
    daemon = cosid.make(shelf.config())
    daemon.start()
    crash(daemon)
    assert "(SIGSEGV)" in daemon.log
    record = daemon.admin.with_name(f"{daemon.admin.name}.crashes").read_text()
    assert "\ncrash shelf " in record

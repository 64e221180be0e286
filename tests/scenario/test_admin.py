# SPDX-License-Identifier: Apache-2.0
"""test_admin.py - the admin socket: cosictl status, reload, list, and who else may not use it."""
import concurrent.futures
import contextlib
import json
import os
import re
import signal
import socket
import stat
import subprocess
import time

import pytest

from rig import tree
from rig.client import outcome
from rig.daemon import Ended
from rig.shelf import Shelf


@pytest.fixture
def shelf(folder):
    made = Shelf(folder)
    made.install()
    return made


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


def backend_of(status, name):
    return next(b for b in status["backends"] if b["name"] == name)


def test_wrong_one_of_the_two_sockets(cosid, shelf):
    """Either way cosictl says what it may be."""
    daemon = cosid(shelf.config())
    program = str(daemon.build / "bin" / "cosictl")
    for path, word in ((daemon.admin, "info"), (daemon.socket, "status")):
        done = subprocess.run([program, "-e", f"unix://{path}", word], capture_output=True, text=True,
                              timeout=60)
        assert done.returncode == 1 and done.stderr.startswith("cosictl: UNAVAILABLE: "), done.stderr
        assert "is this " in done.stderr and "admin socket" in done.stderr, done.stderr


# ---- status


def test_status__of_a_new_daemon(cosid, shelf):
    daemon = cosid(shelf.config())
    status = daemon.status()
    assert status["driver"] == "cosid.example.org" and status["pid"] == daemon.pid
    assert status["socket"] == str(daemon.socket)
    assert (status["generation"], status["reload"], status["draining"]) == (1, None, [])
    (module,) = status["modules"]
    digest = subprocess.run(["sha256sum", shelf.modules / "shelf.so"], capture_output=True, text=True)
    assert module["sha256"] == digest.stdout.split()[0]
    assert (module["name"], module["version"], module["backends"]) == ("shelf", "1", ["shelf"])
    assert module["file"] == str(shelf.modules / "shelf.so")
    backend = backend_of(status, "shelf")
    assert backend["state"] == "up" and backend["calls"] == 0 and backend["lastError"] is None


def test_status__counts_and_names_failures(cosid, shelf):
    daemon = cosid(shelf.config())
    client = daemon.client()
    client.create("one")
    (shelf.root / "one" / "object").touch()
    assert outcome(client.delete, "shelf.one") == "FAILED_PRECONDITION"
    shelf.root.rename(shelf.folder / "away")
    assert outcome(client.create, "two") == "UNAVAILABLE"
    backend = backend_of(daemon.status(), "shelf")
    assert (backend["calls"], backend["failed"]) == (3, 2)
    assert backend["lastError"]["code"] == "UNAVAILABLE" and "two" in backend["lastError"]["text"]
    text = daemon.cosictl("status").stdout
    assert re.search(r"backend shelf \(shelf, -\): up, .* 3 calls, 2 failed", text), text
    assert "UNAVAILABLE: cannot create bucket 'two'" in text


def test_status__id_of_a_backend_that_is_gone(cosid, posix):
    """It may be the name of a bucket, too, so the one that is left is asked; the failure is not its own."""
    daemon = cosid({"backends": [posix.backend()]})
    later = daemon.client("v1alpha2")
    for ask in (lambda: daemon.client().grant("gone.bucket", "ba"), lambda: later.get("gone.bucket")):
        assert outcome(ask) == "FAILED_PRECONDITION"
    backend = backend_of(daemon.status(), "files")
    assert (backend["calls"], backend["failed"]) == (0, 0)
    assert outcome(later.get, "bucket") == "NOT_FOUND"
    backend = backend_of(daemon.status(), "files")
    assert (backend["calls"], backend["failed"]) == (1, 1)


def test_status__open_breaker(cosid, shelf, build):
    for name in ("shelf", "ceph-rgw"):
        shelf.put((build / "modules" / "ceph-rgw.so") if name != "shelf" else shelf.build("1"), name)
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        port = nobody.getsockname()[1]
        daemon = cosid(shelf.config({
            "name": "rgw", "module": "ceph-rgw", "endpoint": f"http://127.0.0.1:{port}", "retries": 0,
            "access_key": "plain:planted-access", "secret_key": "plain:planted-secret"}))
        client = daemon.client()
        for _ in range(6):
            assert outcome(client.create, "unreachable", {"backend": "rgw"}) == "UNAVAILABLE"
    backend = backend_of(daemon.status(), "rgw")
    assert backend["state"] == "failing"
    (breaker,) = backend["breakers"]
    assert breaker["url"] == f"http://127.0.0.1:{port}" and breaker["since"] and breaker["error"]
    # Unchanged: it goes over with what is known of its store.
    shelf.install("2")
    daemon.reload()
    assert backend_of(daemon.status(), "rgw")["breakers"] == [breaker]


def test_status__who_holds_an_old_generation(cosid, shelf):
    daemon = cosid(shelf.config())
    shelf.gate.touch()
    client = daemon.client()
    method, fields = client.create_fields("slow")
    call = client.start(method, **fields)
    while not (shelf.root / "slow").is_dir():
        os.sched_yield()
    shelf.install("2")
    daemon.reload()
    status = daemon.status()
    (old,) = status["draining"]
    assert (old["generation"], old["calls"], old["backend"]) == (1, 1, "shelf")
    assert (old["module"], old["version"]) == ("shelf", "1"), "the one that was replaced"
    assert old["oldest"] == "create bucket 'slow'" and old["since"]
    assert backend_of(status, "shelf")["running"] == 1
    text = daemon.cosictl("status").stdout
    assert re.search(r"backend shelf of generation 1 \(shelf 1\) was replaced at \S+ and "
                     r"is kept open by 1 call, the oldest: create bucket 'slow'", text), text
    shelf.gate.unlink()
    call.result()
    while daemon.status()["draining"]:
        pass


LISTING = """
static int
list_slowly(void *arg, struct cosi_call *call, const char *owner,
	    int (*found)(struct cosi_call *, const struct cosi_found *))
{
	struct cosi_bucket bucket;
	(void)owner, (void)found;
	(void)mkdir(cosi_printf(call, "%s/listing", ((struct config *)arg)->root), 0700);
	return answer(arg, call, &bucket);
}
"""


def test_status__a_listing_holds_an_old_generation(cosid, shelf):
    """It is no call: it has no name of a bucket and no age."""
    text = (tree.ROOT / "tests" / "scenario" / "shelf.c").read_text()
    text = text.replace("COSI_MODULE = {", LISTING + "COSI_MODULE = {")
    shelf.put(shelf.build("lists", text.replace("COSI_MODULE_HEAD,", "COSI_MODULE_HEAD, .list = list_slowly,")))
    shelf.gate.touch()
    daemon = cosid(shelf.config())
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        listing = pool.submit(daemon.cosictl, "list", "shelf")
        while not (shelf.root / "listing").is_dir():
            os.sched_yield()
        shelf.install("2")
        daemon.reload()
        assert re.search(r"backend shelf of generation 1 \(shelf lists\) was replaced at \S+ and "
                         r"is kept open by cosictl list$", daemon.cosictl("status").stdout, re.M)
        shelf.gate.unlink()
        assert listing.result().returncode == 0


def test_status__holds_no_other_instance(cosid, shelf):
    """What a slow call does not need is closed at once; what has moved over is not old at all."""
    changed, same = shelf.backend("changed", gate=str(shelf.folder / "other")), shelf.backend("same")
    daemon = cosid(shelf.config(changed, same))
    shelf.gate.touch()
    client, calls = daemon.client(), []
    for backend in ("shelf", "same"):
        method, fields = client.create_fields(f"slow-{backend}", {"backend": backend})
        calls.append(client.start(method, **fields))
        while not (shelf.root / f"slow-{backend}").is_dir():
            os.sched_yield()
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(label="new"), changed | {"label": "new"}, same]})
    daemon.reload()
    assert [(old["generation"], old["backend"]) for old in daemon.status()["draining"]] == [(1, "shelf")]
    daemon.write_config(shelf.config() | {"backends": []})
    daemon.reload()
    held = {(old["generation"], old["backend"], old["calls"]) for old in daemon.status()["draining"]}
    assert held == {(1, "shelf", 1), (1, "same", 1)}, "which serves no more, either"
    shelf.gate.unlink()
    for call in calls:
        call.result()
    while daemon.status()["draining"]:
        pass


def test_status__during_a_reload(cosid, shelf):
    """A module that hangs when it is loaded holds the reload for 10 s, and nothing else."""
    daemon = cosid(shelf.config())
    hang = "#include <unistd.h>\n#include <cosi_module.h>\nCOSI_MODULE = { COSI_MODULE_HEAD };\n__attribute__((constructor)) static void hang(void) { for (;;) pause(); }\n"
    shelf.put(shelf.build("hang", hang))
    daemon.process.send_signal(signal.SIGHUP)
    daemon.wait_log("reloading")
    assert daemon.status()["reload"] is None
    daemon.client().create("meanwhile")
    daemon.wait_log("reload failed", timeout=60)
    status = daemon.status()
    assert status["reload"]["ok"] is False and "loading timed out after" in status["reload"]["messages"][0]


# ---- reload


def test_reload__outcome(cosid, shelf):
    daemon = cosid(shelf.config())
    done = daemon.cosictl("reload")
    assert (done.returncode, done.stdout, done.stderr) == (0, "generation 2 serves 1 backend\n", "")
    daemon.config.write_text("nonsense")
    done = daemon.cosictl("reload")
    assert (done.returncode, done.stdout) == (1, "") and "cosid.conf:1: " in done.stderr
    assert done.stderr.endswith("the reload failed, generation 2 continues to serve\n")
    done = daemon.cosictl("-o", "json", "reload")
    assert done.returncode == 1 and json.loads(done.stdout).items() >= {"code": "INVALID_ARGUMENT", "backendCount": 1}.items()
    assert daemon.status()["reload"]["ok"] is False


def test_reload__warnings_are_shown(cosid, shelf):
    daemon = cosid(shelf.config())
    daemon.write_config(shelf.config(shelf.backend("second"), driver_name="other.example.org"))
    done = daemon.cosictl("reload")
    assert done.stdout.startswith("generation 2 serves 2 backends\n")
    assert done.returncode == 0 and "'driver_name' cannot change without a restart" in done.stdout


def test_reload__many_at_once(cosid, shelf):
    """Each is told of a reload that began after it had asked."""
    daemon = cosid(shelf.config())
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(label="new")]})
    command = [str(daemon.build / "bin" / "cosictl"), "-e", f"unix://{daemon.admin}", "reload"]
    asking = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(6)]
    for process in asking:
        out, _ = process.communicate(timeout=60)
        assert process.returncode == 0 and re.fullmatch(r"generation \d+ serves 1 backend\n", out)


# ---- list


def test_list(cosid, shelf, build, posix):
    shelf.put(build / "modules" / "posix.so", "posix")
    daemon = cosid(shelf.config(posix.backend()))
    client = daemon.client()
    bucket = client.create("ours", {"backend": "files"})
    account = client.grant(bucket, "ba-ours").account_id
    posix.make_foreign("theirs")
    done = daemon.cosictl("-o", "json", "list", "files")
    assert done.returncode == 0, done.stderr
    found = {f["id"]: f for f in json.loads(done.stdout)["found"]}
    assert set(found) == {bucket, account}, "what bears our mark, and nothing else"
    assert found[bucket]["kind"] == "bucket" and found[account]["kind"] == "account"
    assert found[bucket]["name"] == "ours" and found[bucket]["owner"] == "cosid.example.org"
    assert found[bucket]["params"].startswith("1:")
    assert f"bucket {bucket} name=ours" in daemon.cosictl("list", "files").stdout
    # A backend that fails does not end the listing of the others.
    done = daemon.cosictl("list")
    assert done.returncode == 1 and f"bucket {bucket}" in done.stdout
    assert "backend shelf: UNIMPLEMENTED" in done.stderr
    assert daemon.cosictl("list", "nowhere").returncode == 1


def test_list__does_not_hold_a_stop(cosid, shelf, build):
    """The store takes the question and never answers; a listing loses nothing when it is given up."""
    shelf.put(build / "modules" / "ceph-rgw.so", "ceph-rgw")
    with socket.socket() as silent, concurrent.futures.ThreadPoolExecutor(1) as pool:
        silent.bind(("127.0.0.1", 0))
        silent.listen()
        daemon = cosid(shelf.config({
            "name": "rgw", "module": "ceph-rgw", "endpoint": f"http://127.0.0.1:{silent.getsockname()[1]}",
            "request_timeout": "1h", "access_key": "plain:planted-access", "secret_key": "plain:planted-secret"},
            drain_timeout="10m"))
        listing = pool.submit(daemon.cosictl, "list", "rgw")
        with silent.accept()[0] as store:
            assert store.recv(4096).startswith(b"GET ")
            daemon.stop()
            assert "backend rgw: UNAVAILABLE: cannot list: cosid is stopping" in listing.result().stderr


# ---- who may, and what it stands


def test_socket__place_and_mode(cosid, shelf):
    daemon = cosid(shelf.config())
    assert stat.S_IMODE(daemon.admin.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(daemon.admin.stat().st_mode) == 0o600
    assert os.listdir(daemon.socket.parent) == ["cosi.sock"]
    daemon.stop()
    assert not daemon.admin.parent.exists(), "made by the daemon, so it goes with it"


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701])
def test_socket__folder_is_open_to_others(cosid, shelf, mode):
    daemon = cosid.make(shelf.config())
    daemon.admin.parent.mkdir()
    daemon.admin.parent.chmod(mode)
    with pytest.raises(Ended, match="0700"):
        daemon.start()
    daemon.process = None
    assert not daemon.socket.exists()


def test_socket__beside_the_other_one(cosid, shelf):
    daemon = cosid.make(shelf.config())
    daemon.write_config(shelf.config(admin_endpoint=f"unix://{daemon.socket.parent}/admin.sock"))
    with pytest.raises(Ended, match="nothing but that socket"):
        daemon.start()
    daemon.process = None


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


def test_peer__so_many_at_once(cosid, shelf):
    daemon = cosid(shelf.config())
    with contextlib.ExitStack() as stack:
        for _ in range(8):
            silent = stack.enter_context(socket.socket(socket.AF_UNIX))
            silent.connect(str(daemon.admin))
            silent.send(b"{")
        done = daemon.cosictl("status")
        assert done.returncode == 1 and "RESOURCE_EXHAUSTED: too many admin sessions (8)" in done.stderr
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

# SPDX-License-Identifier: Apache-2.0
"""test_admin.py - the admin socket: cosictl status, reload, list, and who else may not use it."""
import concurrent.futures
import json
import re
import signal
import socket
import subprocess

from rig.client import outcome
from rig.shelf import source
from rig.watch import wait_for


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
    wait_for(shelf.root / "slow")
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
    daemon.wait_status(lambda status: not status["draining"])


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
    shelf.put(shelf.build("lists", source(LISTING, list="list_slowly")))
    shelf.gate.touch()
    daemon = cosid(shelf.config())
    with concurrent.futures.ThreadPoolExecutor(1) as pool:
        listing = pool.submit(daemon.cosictl, "list", "shelf")
        wait_for(shelf.root / "listing")
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
        wait_for(shelf.root / f"slow-{backend}")
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
    daemon.wait_status(lambda status: not status["draining"])


def test_status__during_a_reload(cosid, shelf):
    """A module that does not return from being loaded holds the reload, and nothing else."""
    daemon = cosid(shelf.config())
    with shelf.held_load("2"):
        daemon.process.send_signal(signal.SIGHUP)
        shelf.wait_load()
        assert daemon.status()["reload"] is None
        daemon.client().create("during-the-reload")
        assert daemon.status()["reload"] is None
    daemon.wait_log("generation 2 serves 1 backend")
    assert daemon.status()["reload"]["ok"] is True


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
    assert re.search(f"^bucket   {bucket} +ours +2", daemon.cosictl("list", "files").stdout, re.M)
    # A backend that fails does not end the listing of the others.
    done = daemon.cosictl("list")
    assert done.returncode == 1 and f"bucket   {bucket} " in done.stdout
    assert "backend shelf: UNIMPLEMENTED" in done.stderr
    assert daemon.cosictl("list", "nowhere").returncode == 1


GREEDY = """
static int
list_greedily(void *arg, struct cosi_call *call, const char *owner,
	      int (*found)(struct cosi_call *, const struct cosi_found *))
{
	(void)arg, (void)owner;
	(void)cosi_alloc(call, (64u << 20) - 256);
	if (found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = "first")) != 0 || cosi_alloc(call, 4096) == NULL)
		return -1;
	return found(call, COSI_FOUND(.kind = COSI_BUCKET, .native = "second"));
}
"""


def test_list__of_a_module_without_memory(cosid, shelf):
    """A list ends with an error when memory runs out, even if the module itself has used it up."""
    shelf.put(shelf.build("greedy", source(GREEDY, list="list_greedily")))
    daemon = cosid(shelf.config())
    done = daemon.cosictl("list", "shelf")
    assert done.returncode == 1 and "bucket   shelf.first " in done.stdout and "second" not in done.stdout
    assert re.search(r"backend shelf: RESOURCE_EXHAUSTED: the list ends after 1 lines?: backend 'shelf' \(module 'shelf'\) "
                     "needs more memory", done.stderr), done.stderr


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

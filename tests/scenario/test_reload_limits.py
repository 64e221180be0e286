# SPDX-License-Identifier: Apache-2.0
"""test_reload_limits.py - a reload changes how much is done at once, and how much is said of it."""
import contextlib
import os
import pathlib
import re
import resource
import signal
import subprocess

import pytest

from rig import tree
from rig.client import outcome, refused
from rig.shelf import Shelf


@pytest.fixture
def shelf(folder):
    made = Shelf(folder)
    made.install()
    return made


def workers_of(daemon):
    tasks = pathlib.Path(f"/proc/{daemon.pid}/task").iterdir()
    names = []
    for task in tasks:
        with contextlib.suppress(OSError):  # it has ended
            names.append((task / "comm").read_text().strip())
    return names.count("worker")


def test_workers(cosid, shelf):
    """Threads come with the calls, and go when they have no call in hand."""
    daemon = cosid(shelf.config(workers=4) | {"backends": [shelf.backend(max_calls=8)]})
    assert workers_of(daemon) == 1
    shelf.gate.touch()
    client = daemon.client()
    fields = [client.create_fields(f"slow-{n}") for n in range(8)]
    calls = [client.start(method, **more) for method, more in fields]
    running = lambda: daemon.status()["backends"][0]["running"]
    while running() < 4:
        pass
    for number in (8, 2):
        daemon.write_config(shelf.config(workers=number) | {"backends": [shelf.backend(max_calls=8)]})
        assert daemon.cosictl("reload").stdout.endswith("serves 1 backend\n")
        while running() < 8:
            pass
        assert workers_of(daemon) == 8, "eight calls run"
    shelf.gate.unlink()
    for call in calls:
        call.result()
    while workers_of(daemon) > 2:
        pass
    assert daemon.status()["workers"] <= 2
    assert re.search(r", [12] workers?\n", daemon.cosictl("status").stdout)
    client.create("with-two")


@pytest.mark.unsanitized  # those need terabytes of addresses
def test_workers__no_room_for_all(cosid, shelf):
    """Calls wait for the threads that there are; the reason is told once."""
    def little_room():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 30, 1 << 30))
    daemon = cosid.make(shelf.config(workers=1024) | {"backends": [shelf.backend()]}).start(preexec=little_room)
    shelf.gate.touch()
    client = daemon.client()
    fields = [client.create_fields(f"slow-{n}") for n in range(120)]
    calls = [client.start(method, **more) for method, more in fields]
    daemon.wait_log("cannot start worker thread [0-9]+ of 1024: ")
    assert 1 < workers_of(daemon) < 120
    shelf.gate.unlink()
    for call in calls:
        call.result()
    assert daemon.log.count("cannot start worker thread") == 1


def test_max_calls(cosid, shelf):
    daemon = cosid(shelf.config() | {"backends": [shelf.backend(max_calls=1)]})
    shelf.gate.touch()
    client = daemon.client()
    calls = [client.start(method, **fields) for method, fields in
             [client.create_fields(f"slow-{n}") for n in range(4)]]
    numbers = lambda: [daemon.status()["backends"][0][k] for k in ("running", "waiting")]
    while numbers() != [1, 3]:
        pass
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(max_calls=3)]})
    daemon.reload()
    while numbers() != [3, 1]:
        pass
    shelf.gate.unlink()
    for call in calls:
        call.result()


def test_access(cosid, shelf):
    """The socket's mode, for those who connect from then on, and who is listed, for all."""
    daemon = cosid(shelf.config())
    before = daemon.client()
    mode = lambda: daemon.socket.stat().st_mode & 0o7777
    assert mode() == 0o660 and before.info()
    daemon.write_config(shelf.config(socket_mode="0600", allowed_peers={"uids": [4242]}))
    assert "warning" not in daemon.cosictl("reload").stdout
    assert mode() == 0o600
    with refused("UNAVAILABLE"):
        daemon.client().info()
    daemon.wait_log("refusing a connection of user 0")
    while outcome(before.info) != "UNAVAILABLE":
        pass  # its connection is closed
    daemon.write_config(shelf.config(allowed_peers={"uids": [0]}))
    daemon.reload()
    assert daemon.client().info() and mode() == 0o660
    daemon.write_config(shelf.config())
    daemon.reload()
    assert daemon.client().info()


def test_access__calls_under_way_finish(cosid, shelf):
    daemon = cosid(shelf.config())
    client = daemon.client()
    shelf.gate.touch()
    method, fields = client.create_fields("slow")
    call = client.start(method, **fields)
    while daemon.status()["backends"][0]["running"] < 1:
        pass
    daemon.write_config(shelf.config(allowed_peers={"uids": [4242]}))
    daemon.reload()
    daemon.wait_log("refusing a connection of user 0")
    shelf.gate.unlink()
    assert call.result().bucket_id == "shelf.slow"
    while outcome(client.info) != "UNAVAILABLE":
        pass  # the connection is looked at ten times a second


def test_access__socket_is_gone(cosid, shelf):
    """The rest applies, and a warning says what does not."""
    daemon = cosid(shelf.config())
    client = daemon.client()
    client.info()
    daemon.socket.unlink()
    daemon.write_config(shelf.config(socket_mode="0600"))
    daemon.reload()
    daemon.wait_log("cannot set the mode of '.*cosi.sock': another file has replaced the socket")
    assert client.info()


def test_log_level(cosid, shelf):
    daemon = cosid.make(shelf.config(log={"level": "error"})).start(wait=False)
    while daemon.cosictl("reload").returncode != 0:
        pass  # it starts
    assert daemon.log == ""
    daemon.write_config(shelf.config(log={"level": "info"}))
    assert daemon.cosictl("reload").returncode == 0
    daemon.wait_log(r"generation 3 serves 1 backend\b")


STUCK = """
#include <stdio.h>
static void
stay(const struct config *config, const char *where)
{
	char path[4096];

	(void)snprintf(path, sizeof path, "%s/%s", config->root, where);
	if (access(config->gate, F_OK) == 0)
		(void)mkdir(path, 0700);
	while (access(config->gate, F_OK) == 0)
		(void)usleep(5000);
}
static int
stuck_open(struct cosi_call *call, const void *config, void **out)
{
	(void)call;
	stay(config, "opening");
	*out = (void *)(uintptr_t)config;
	return 0;
}
static void
stuck_close(void *config)
{
	stay(config, "closing");
}
"""


@pytest.fixture
def stuck(cosid, shelf, folder):
    """Not started.  Its module's open() and close() do not return while the gate is shut."""
    text = (tree.ROOT / "tests" / "scenario" / "shelf.c").read_text()
    text = text.replace("COSI_MODULE = {", STUCK + "COSI_MODULE = {").replace(
        "COSI_MODULE_HEAD,", "COSI_MODULE_HEAD, .open = stuck_open, .close = stuck_close,")
    shelf.put(shelf.build("stuck", text))
    return cosid.make(shelf.config(drain_timeout="1s"))


@pytest.mark.parametrize("where", ["start", "reload", "close"])
def test_stop__while_a_module_does_not_return(stuck, shelf, where):
    """It holds the main thread, which reads the signals."""
    if where == "start":
        shelf.gate.touch()
    stuck.start(wait=where != "start")
    if where != "start":
        shelf.gate.touch()
        left = [shelf.backend(label="new")] if where == "reload" else []
        stuck.write_config(shelf.config(drain_timeout="1s") | {"backends": left})
        stuck.process.send_signal(signal.SIGHUP)
    while not (shelf.root / ("closing" if where == "close" else "opening")).is_dir():
        os.sched_yield()
    stuck.stop()
    assert shelf.gate.exists(), "nobody has let it go"


def test_check__can_be_interrupted(stuck, shelf):
    shelf.gate.touch()
    # Whoever starts the tests in the background has them ignore it.
    check = subprocess.Popen(["env", "--default-signal=INT", *stuck.command("--check")], env=stuck.environment())
    while not (shelf.root / "opening").is_dir():
        os.sched_yield()
    check.send_signal(signal.SIGINT)
    assert check.wait(60) == -signal.SIGINT


def test_stop__with_a_call_that_does_not_return(cosid, shelf):
    """Its caller has gone already; the log says what the stop waits for."""
    shelf.put(shelf.build("stubborn", flags=["-DSTUBBORN"]))
    daemon = cosid(shelf.config(call_timeout="100ms"))
    shelf.gate.touch()
    with refused("DEADLINE_EXCEEDED"):
        daemon.client().create("slow")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_log("backend 'shelf': waiting up to 5 s more for 1 call that the store or the module has not finished")
    shelf.gate.unlink()
    daemon.wait_log("stopped")

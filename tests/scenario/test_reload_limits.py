# SPDX-License-Identifier: Apache-2.0
"""test_reload_limits.py - a reload changes how much is done at once, and how much is said of it."""
import contextlib
import pathlib
import re
import resource
import signal
import subprocess

import pytest

from rig.client import outcome, refused
from rig.shelf import Shelf, source
from rig.watch import wait_for


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
    daemon.wait_status(lambda status: status["backends"][0]["running"] == 4)
    for number in (8, 2):
        daemon.write_config(shelf.config(workers=number) | {"backends": [shelf.backend(max_calls=8)]})
        assert daemon.cosictl("reload").stdout.endswith("serves 1 backend\n")
        daemon.wait_status(lambda status: status["backends"][0]["running"] == 8)
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
    are = lambda *numbers: lambda status: tuple(status["backends"][0][k] for k in ("running", "waiting")) == numbers
    daemon.wait_status(are(1, 3))
    daemon.write_config(shelf.config() | {"backends": [shelf.backend(max_calls=3)]})
    daemon.reload()
    daemon.wait_status(are(3, 1))
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
    daemon.wait_status(lambda status: status["backends"][0]["running"] == 1)
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
	(void)wait_for_gate(config->gate);
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
def stuck(shelf):
    """A module's file.  open() and close() do not return while the gate is shut."""
    return shelf.build("stuck", source(STUCK, open="stuck_open", close="stuck_close"))


def start_stuck(cosid, shelf, where):
    """A daemon whose module holds the main thread, which reads the signals: at its start, a reload or in close()."""
    daemon = cosid.make(shelf.config(drain_timeout="1s"))
    if where == "start":
        shelf.gate.touch()
    daemon.start(wait=where != "start")
    if where != "start":
        shelf.gate.touch()
        left = [shelf.backend(label="new")] if where == "reload" else []
        daemon.write_config(shelf.config(drain_timeout="1s") | {"backends": left})
        daemon.process.send_signal(signal.SIGHUP)
    wait_for(shelf.root / ("closing" if where == "close" else "opening"))
    return daemon


def test_stop__while_a_module_does_not_return(cosid, stuck, folder):
    """Three daemons at once, because a stop waits some seconds."""
    started = []
    for where in ("start", "reload", "close"):
        (folder / where).mkdir()
        shelf = Shelf(folder / where)
        shelf.put(stuck)
        started.append((shelf, start_stuck(cosid, shelf, where)))
    for _, daemon in started:
        daemon.process.send_signal(signal.SIGTERM)
    for shelf, daemon in started:
        assert daemon.wait_end() == 0
        assert shelf.gate.exists(), "the module was not let go"


def test_check__can_be_interrupted(cosid, stuck, shelf):
    shelf.put(stuck)
    daemon = cosid.make(shelf.config())
    shelf.gate.touch()
    # A shell that starts the tests in the background makes them ignore SIGINT.
    check = subprocess.Popen(["env", "--default-signal=INT", *daemon.command("--check")], env=daemon.environment())
    wait_for(shelf.root / "opening")
    check.send_signal(signal.SIGINT)
    assert check.wait(60) == -signal.SIGINT


def test_stop__with_a_call_that_does_not_return(cosid, shelf):
    """Its caller has gone already; the log says what the stop waits for."""
    shelf.put(shelf.build("stubborn", source(stubborn=True)))
    daemon = cosid(shelf.config(call_timeout="100ms"))
    shelf.gate.touch()
    with refused("DEADLINE_EXCEEDED"):
        daemon.client().create("slow")
    daemon.process.send_signal(signal.SIGTERM)
    daemon.wait_log("backend 'shelf': waiting up to 5 s more for 1 call that the store or the module has not finished")
    shelf.gate.unlink()
    daemon.wait_log("stopped")

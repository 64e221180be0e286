# SPDX-License-Identifier: Apache-2.0
"""test_calls.py - clients that give up, deadlines, a full queue, and a stop with calls in flight.

The proxy holds a request back until the test lets it go: that is what "while it runs" means here.
"""
import os
import signal
import threading

import grpc
import pytest

from rig.client import refused, until_ok
from rig.store import CephRgw


class Gate:
    """A proxy rule: requests that match wait until open() is called; wait(n): n of them wait."""

    def __init__(self, match=lambda request: True):
        self._match, self._waiting = match, 0
        self._changed, self._opened = threading.Condition(), False

    def __call__(self, request):
        if self._match(request):
            with self._changed:
                self._waiting += 1
                self._changed.notify_all()
                self._changed.wait_for(lambda: self._opened, 100)

    def wait(self, n=1):
        with self._changed:
            assert self._changed.wait_for(lambda: self._waiting >= n, 60), self._waiting

    def open(self):
        with self._changed:
            self._opened = True
            self._changed.notify_all()


@pytest.fixture
def shop(rgw, proxy):
    return CephRgw(rgw, proxy.endpoint)


@pytest.fixture
def gate(proxy):
    made = Gate()
    yield made
    made.open()


@pytest.mark.clause(27, 76)
@pytest.mark.parametrize("after_ms", [1, 3, 10, 30])
def test_cancel__then_again(cosid, shop, name, after_ms):
    """A client that gives up after that many ms and comes back gets the right answer."""
    client = cosid({"backends": [shop.backend("shop")]}).client()
    users, buckets = shop.admin.users(), shop.buckets()
    bucket, account = f"shop.{name}", f"shop.cosi-ba-{name}"
    for method, fields in (client.create_fields(name), client.grant_fields(bucket, f"ba-{name}"),
                           client.revoke_fields(account, bucket), client.delete_fields(bucket)):
        try:
            client.call(method, timeout=after_ms / 1000, **fields)
        except grpc.RpcError as error:
            assert error.code() == grpc.StatusCode.DEADLINE_EXCEEDED
        until_ok("ABORTED|UNAVAILABLE", lambda m=method, f=fields: client.call(m, **f))
        if "Grant" in method:
            access = client.grant(bucket, f"ba-{name}")
            assert shop.client(access).list(name).status == 200
    assert shop.admin.users() == users and shop.buckets() == buckets


def test_cancel__is_heard_while_it_runs(cosid, shop, proxy, gate, name):
    """The handler stops before its next request; a retry waits for it and converges."""
    daemon = cosid({"backends": [shop.backend("shop")]})
    client = daemon.client()
    proxy.rule = gate
    method, fields = client.create_fields(name)
    call = client.start(method, **fields)
    gate.wait()
    assert call.cancel()
    daemon.wait_log("the client cancelled the call")
    again = client.start(method, **fields)
    gate.open()
    assert again.result().bucket_id == f"shop.{name}"
    assert proxy.lines().count(f"PUT /{name}") == 1, "the cancelled call asked nothing more"


@pytest.mark.parametrize("where", ["client", "config"])
def test_deadline__whichever_is_sooner(cosid, shop, proxy, gate, name, where):
    config = {"backends": [shop.backend("shop", request_timeout="3s")]}
    daemon = cosid(config | ({"call_timeout": "300ms"} if where == "config" else {}))
    client = daemon.client()
    proxy.rule = gate
    method, fields = client.create_fields(name)
    with refused("DEADLINE_EXCEEDED"):
        client.call(method, timeout=0.3 if where == "client" else 60, **fields)
    assert client.info().name == "cosid.example.org"
    gate.open()
    until_ok("DEADLINE_EXCEEDED|ABORTED|UNAVAILABLE", client.create, name)


def test_deadline__passed_already(cosid, shop, proxy, name):
    client = cosid({"backends": [shop.backend("shop")]}).client()
    method, fields = client.create_fields(name)
    with refused("DEADLINE_EXCEEDED"):
        client.call(method, timeout=0, **fields)
    assert proxy.lines() == []


def test_queue__full(cosid, shop, proxy, gate, name):
    """max_calls run, four times as many wait, one more is RESOURCE_EXHAUSTED; then all are done."""
    daemon = cosid({"backends": [shop.backend("shop", max_calls=2)]})
    client = daemon.client()
    proxy.rule = gate
    calls = []
    for number in range(10):
        method, fields = client.create_fields(f"{name}-{number}")
        calls.append(client.start(method, **fields))
    gate.wait(2)
    # The ten are two that run and eight that wait once an eleventh is refused.
    late = client.create_fields(f"{name}-late")
    with refused("RESOURCE_EXHAUSTED", "shop"):
        client.call(late[0], **late[1])
    assert len(proxy.lines()) == 2
    gate.open()
    assert [c.result().bucket_id for c in calls] == [f"shop.{name}-{n}" for n in range(10)]
    client.call(late[0], **late[1])


def test_queue__a_dead_store_stops_no_other(cosid, shop, posix, proxy, gate, name):
    daemon = cosid({"backends": [shop.backend("shop"), posix.backend("files")], "workers": 4})
    client = daemon.client()
    proxy.rule = gate
    calls = []
    for number in range(5):  # one runs and four wait, of four workers
        method, fields = client.create_fields(f"{name}-{number}", {"backend": "shop"})
        calls.append(client.start(method, **fields))
    gate.wait()
    assert client.create(name, {"backend": "files"}, timeout=30) == f"files.{name}"
    gate.open()
    for call in calls:
        call.result()


@pytest.mark.clause(32, 76)
def test_lock__delete_waits_for_create(cosid, shop, proxy, name):
    """Two calls for one bucket never meet in the store."""
    client = cosid({"backends": [shop.backend("shop")]}).client()
    gate = Gate(lambda request: request.line == f"PUT /{name}")
    proxy.rule = gate
    create, delete = client.create_fields(name), client.delete_fields(f"shop.{name}")
    first = client.start(create[0], **create[1])
    gate.wait()
    second = client.start(delete[0], **delete[1])
    assert client.create(f"{name}-other") == f"shop.{name}-other", "others go on"
    assert not any(line.startswith("DELETE") for line in proxy.lines())
    gate.open()
    first.result()
    second.result()
    assert not shop.exists(name)


@pytest.mark.clause(57)
def test_stop__calls_in_flight_are_finished(cosid, shop, proxy, gate, name):
    daemon = cosid({"backends": [shop.backend("shop")]})
    client = daemon.client()
    proxy.rule = gate
    method, fields = client.create_fields(name)
    call = client.start(method, **fields)
    gate.wait()
    os.kill(daemon.pid, signal.SIGTERM)
    daemon.wait_log("stopping")
    gate.open()
    assert call.result().bucket_id == f"shop.{name}"
    assert daemon.wait_end() == 0
    assert not daemon.socket.exists()


@pytest.mark.clause(57)
def test_stop__calls_that_take_too_long_are_cut(cosid, shop, proxy, gate, name):
    daemon = cosid({"backends": [shop.backend("shop", request_timeout="2s")],
                    "drain_timeout": "500ms"})
    client = daemon.client()
    proxy.rule = gate
    method, fields = client.create_fields(name)
    call = client.start(method, **fields)
    gate.wait()
    os.kill(daemon.pid, signal.SIGTERM)
    assert call.code().name in ("UNAVAILABLE", "CANCELLED", "DEADLINE_EXCEEDED")
    assert daemon.wait_end() == 0


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_stop__idle_with_a_silent_client(cosid, posix, number):
    """A client that is connected and says nothing holds nothing up."""
    daemon = cosid({"backends": [posix.backend()]})
    client = daemon.client()
    client.info()
    os.kill(daemon.pid, number)
    assert daemon.wait_end() == 0
    assert not daemon.socket.exists()


def test_settle__holds_a_create_and_nothing_else(cosid, posix, api_version):
    """v1alpha1's controller loses a race with a fast driver: only its Create is held back.  The
    hold is longer than any client here waits, so what returns was not held."""
    daemon = cosid({"backends": [posix.backend()], "create_settle": "10s", "call_timeout": "60s"})
    client = daemon.client(api_version)
    method, fields = client.create_fields("settles")
    call = client.start(method, **fields)
    if api_version == "v1alpha2":
        assert call.result().bucket_id == "files.settles"
        return
    until_ok("NOT_FOUND", lambda: client.grant("files.settles", "ba-settles", timeout=5))
    with refused("INVALID_ARGUMENT"):
        client.create("Bad Name", timeout=5)
    assert not call.done()
    os.kill(daemon.pid, signal.SIGTERM)
    assert call.result().bucket_id == "files.settles", "a stop answers at once"
    assert daemon.wait_end() == 0


def test_settle__a_sooner_deadline_answers(cosid, posix):
    daemon = cosid({"backends": [posix.backend()], "create_settle": "10s", "call_timeout": "60s"})
    assert daemon.client().create("settles", timeout=2) == "files.settles"

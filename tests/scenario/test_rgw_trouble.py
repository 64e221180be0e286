# SPDX-License-Identifier: Apache-2.0
"""test_rgw_trouble.py - a gateway that is down, hangs, lies or refuses: clear answers, nothing lost."""
import json

import pytest

from rig.ceph import Ceph
from rig.client import refused, until_ok
from rig.proxy import Cut, answer, older
from rig.server import free_port
from rig.steps import steps
from rig.store import CephRgw


@pytest.fixture
def shop(rgw, proxy):
    return CephRgw(rgw, proxy.endpoint)


QUICK = {"request_timeout": "1s", "connect_timeout": "1s", "retries": 0}


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop", **QUICK)]})


@pytest.fixture
def client(daemon):
    return daemon.client()


def lifecycle(client, name):
    for step in steps(client, name):
        step()


# What the store says, and the code for it.
NONSENSE = {
    "html": (answer(200, b"<html><body>It works!</body></html>", "text/html"), None),
    "html-404": (answer(404, b"<html>not here</html>", "text/html"), None),
    "404": (answer(404, b""), "UNAVAILABLE"),
    "html-502": (answer(502, b"<html>Bad Gateway</html>", "text/html"), "UNAVAILABLE"),
    "503": (answer(503, b"<Error><Code>SlowDown</Code></Error>"), "UNAVAILABLE|ABORTED"),
    "429": (answer(429, b""), "UNAVAILABLE|RESOURCE_EXHAUSTED"),
    "500": (answer(500, b""), "UNAVAILABLE|INTERNAL"),
    "bad-xml": (answer(200, b"<Tagging><TagSet><Tag", "application/xml"), None),
    "bomb": (answer(200, b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">]><Tagging>' + b"&a;" * 10000
                    + b"</Tagging>", "application/xml"), None),
    "bad-json": (answer(200, b'{"keys": [', "application/json"), None),
    "deep-json": (answer(200, b"[" * 100000, "application/json"), None),
    "empty": (answer(200), None),
    "10-mb": (answer(200, b"x" * 10_000_000), None),
    "redirect": (answer(301, b"", location="http://127.0.0.1:1/"), None),
    "no-http": (b"\x16\x03\x01\x02\x00hello", "UNAVAILABLE"),
    "half-head": (b"HTTP/1.1 200", "UNAVAILABLE"),
    "header-flood": (b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200000 + b"\r\n", "UNAVAILABLE"),
    "bad-key": (answer(403, b"<Error><Code>InvalidAccessKeyId</Code></Error>"), "UNAUTHENTICATED"),
    "bad-secret": (answer(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"),
                   "UNAUTHENTICATED"),
}


@pytest.mark.clause(78)
@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense__from_the_store(daemon, client, proxy, name, kind):
    """Whatever comes, the call fails in clear words, and goes well when the store is itself again."""
    reply, code = NONSENSE[kind]
    final = {"INVALID_ARGUMENT", "ALREADY_EXISTS", "UNIMPLEMENTED", "OUT_OF_RANGE"}
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    calls = steps(client, name) if code else steps(client, name)[2:3]
    proxy.rule = lambda request: reply
    for call in calls:
        with refused(code or "INTERNAL|UNAVAILABLE|FAILED_PRECONDITION|NOT_FOUND") as seen:
            call()
        assert seen.code not in final
    proxy.reset()
    daemon.stop()
    daemon.start()  # a breaker that opened is closed again
    lifecycle(daemon.client(), name)


@pytest.mark.clause(31, 33)
def test_keys__wrong(cosid, shop, name):
    bad_secret = shop.backend("shop", secret_key="plain:planted-wrong-secret")
    with refused("UNAUTHENTICATED", "SignatureDoesNotMatch"):
        cosid({"backends": [bad_secret]}).client().create(name)
    bad_key = shop.backend("shop", access_key="plain:NOSUCHKEY")
    with refused("UNAUTHENTICATED", "InvalidAccessKeyId"):
        cosid({"backends": [bad_key]}).client().create(name)
    assert not shop.exists(name)


@pytest.mark.clause(31)
def test_keys__without_the_capability(cosid, folder, name):
    """An administrator who may not make users: PERMISSION_DENIED, and the text says what is missing."""
    ceph = Ceph(folder / "ceph", caps="buckets=read").up()
    try:
        shop = CephRgw(ceph)
        client = cosid({"backends": [shop.backend("shop")]}).client()
        bucket = client.create(name)
        with refused("PERMISSION_DENIED", "users"):
            client.grant(bucket, f"ba-{name}")
    finally:
        ceph.down()


def test_clock__20_minutes_off(client, rgw, proxy, name):
    """UNAVAILABLE (it passes), with both times in the text, in whichever call it shows first."""
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    proxy.rule = older(rgw.port, 20)
    for call in steps(client, name):
        with refused("UNAVAILABLE", "clocks differ: .* at the store .* GMT"):
            call()
    proxy.reset()
    lifecycle(client, name)


def test_down__nobody_listens(cosid, shop, name):
    gone = shop.backend("shop", endpoint=f"http://127.0.0.1:{free_port()}", **QUICK)
    client = cosid({"backends": [gone]}).client()
    for call in steps(client, name):
        with refused("UNAVAILABLE", "127.0.0.1"):
            call()


def test_down__name_that_does_not_resolve(cosid, shop, name):
    gone = shop.backend("shop", endpoint="http://store.invalid:80", **QUICK)
    with refused("UNAVAILABLE", "store.invalid"):
        cosid({"backends": [gone]}).client().create(name)


def test_down__breaker(daemon, client, proxy, name):
    """Five failures in a row open it: then nothing is sent until a probe is due, and one success
    closes it."""
    proxy.rule = lambda request: Cut.BEFORE
    while True:
        sent = len(proxy.lines())
        with refused("UNAVAILABLE"):
            client.create(name)
        if len(proxy.lines()) == sent:
            break
        assert sent < 20, "it never opened"
    assert sent >= 5
    proxy.rule = lambda request: None
    until_ok("UNAVAILABLE", client.create, name)
    lifecycle(client, name)


@pytest.mark.parametrize("which", ["osd", "rgw"])
def test_hang__then_again(cosid, rgw, shop, name, which):
    """The process stands still: DEADLINE_EXCEEDED or UNAVAILABLE in time; it converges afterwards."""
    daemon = cosid({"call_timeout": "3s", "backends": [shop.backend("shop", **QUICK)]})
    client = daemon.client()
    made, granted = f"{name}-made", f"{name}-granted"
    client.create(made)
    client.create(granted)
    key = shop.client(client.grant(f"shop.{granted}", f"ba-{granted}"))
    passing = "DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED"
    with rgw.stopped(which):
        # A create that was done before may be answered out of the gateway's cache; these may not.
        for call in (steps(client, name)[0], steps(client, made)[1], steps(client, granted)[2],
                     steps(client, made)[3]):
            with refused(passing):
                call()
        assert client.info().name == "cosid.example.org", "what needs no store is answered"
    until_ok(passing, steps(client, granted)[2])
    assert key.list(granted).status == 403
    for each in (name, made, granted):
        for call in steps(client, each):
            until_ok(passing, call)
        assert not shop.exists(each)
        assert shop.admin.user(f"cosi-ba-{each}") is None


def test_lie__a_revoke_that_did_not_happen(cosid, folder, name):
    """With rados_osd_op_timeout a gateway whose osd hangs says 404 for users that are there: a
    revoke must not be OK then."""
    ceph = Ceph(folder / "ceph", rgw_options="rados_osd_op_timeout = 1").up()
    try:
        shop = CephRgw(ceph)
        daemon = cosid({"call_timeout": "20s", "backends": [shop.backend("shop", retries=0)]})
        client = daemon.client()
        bucket = client.create(name)
        access = client.grant(bucket, f"ba-{name}")
        key = shop.client(access)
        passing = "UNAVAILABLE|DEADLINE_EXCEEDED|UNAUTHENTICATED"
        with ceph.stopped("osd"):
            with refused(passing):
                client.revoke(access.account_id, bucket)
        while key.list(name).status != 200:
            pass  # the lie may outlast the osd's sleep; were the account gone, this would never end
        until_ok(passing, client.revoke, access.account_id, bucket)
        assert key.list(name).status == 403
    finally:
        ceph.down()


def test_probe__asks_the_store(cosid, shop, proxy):
    good = cosid.make({"backends": [shop.backend("shop")]})
    assert good.run("--check", "--probe").returncode == 0
    for rule, words in ((lambda r: Cut.BEFORE, "shop"), (NONSENSE["bad-key"][0], "shop")):
        proxy.rule = rule if callable(rule) else lambda r, reply=rule: reply
        done = good.run("--check", "--probe")
        assert done.returncode == 1 and words in done.stderr
    assert good.run("--check").returncode == 0, "no store is asked"


def test_answer__of_another_shape(client, proxy, name):
    """JSON that is valid and not what was asked for."""
    client.create(name)
    shapes = [{}, [], None, 5, "x", {"keys": []}, {"keys": {}}, {"keys": [{}]},
              {"user_id": 5, "keys": [{"user": 5, "access_key": None}]}]
    for shape in shapes:
        body = json.dumps(shape).encode()

        def rule(request, body=body):
            return answer(200, body) if request.target.startswith("/admin") else None

        proxy.rule = rule
        with refused("INTERNAL|UNAVAILABLE|FAILED_PRECONDITION|ABORTED"):
            client.grant(f"shop.{name}", f"ba-{name}")
    proxy.reset()
    lifecycle(client, name)

# SPDX-License-Identifier: Apache-2.0
"""test_store_trouble.py - a store that is down, hangs, lies or refuses: clear answers, nothing lost.

What only one store does wrong is in its own file: test_rgw_trouble.py and its like.
"""
import threading

import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, real, shop
from rig.client import refused, until_ok
from rig.minio import ADMIN
from rig.proxy import Cut, answer, of_store, older
from rig.server import free_port
from rig.steps import PASSING, QUICK, live, steps


@pytest.fixture(scope="module")
def settings():
    return QUICK


@pytest.fixture
def client(one):
    return one


HTML = answer(200, b"<html><body>It works!</body></html>", "text/html")
# What the store says, and the code for it.  What says nothing: test_hostile.py.
ANY_S3 = {
    "404": (of_store(404), "UNAVAILABLE"),
    "429": (of_store(429), "UNAVAILABLE"),
}
ERRORS = {
    "ceph-rgw": ANY_S3 | {
        "500": (of_store(500), "UNAVAILABLE"),
        "503": (of_store(503, b"<Error><Code>SlowDown</Code></Error>"), "UNAVAILABLE|ABORTED"),
        "bad-key": (of_store(403, b"<Error><Code>InvalidAccessKeyId</Code></Error>"),
                    "UNAUTHENTICATED"),
        "bad-secret": (of_store(403, b"<Error><Code>SignatureDoesNotMatch</Code></Error>"),
                       "UNAUTHENTICATED"),
    },
    "minio": ANY_S3 | {
        "499": (of_store(499, b"<Error><Code>ClientDisconnected</Code></Error>"), "UNAVAILABLE"),
        "503": (of_store(503, b'{"Code":"SlowDownWrite"}'), "UNAVAILABLE|ABORTED"),
        "not-ready": (of_store(503, b"<Error><Code>XMinioServerNotInitialized</Code></Error>"),
                      "UNAVAILABLE"),
        "other-api": (of_store(426, b'{"Code":"XMinioAdminVersionMismatch"}'), "FAILED_PRECONDITION"),
        "bad-secret": (of_store(403, b'{"Code":"SignatureDoesNotMatch"}'),
                       "UNAUTHENTICATED|FAILED_PRECONDITION"),
    },
    "azure": {
        "500": (of_store(500, x_ms_error_code="InternalError"), "UNAVAILABLE"),
    },
}


@pytest.mark.clause(78)
@pytest.mark.parametrize("real, kind", [(s, k) for s, kinds in ERRORS.items() for k in kinds],
                         indirect=["real"], scope="module")
def test_error__of_the_store(daemon, client, proxy, shop, name, kind):
    """Whatever comes, the call fails in clear words, and goes well when the store is itself again."""
    reply, code = ERRORS[shop.name][kind]
    client.create(name)
    key = shop.client(client.grant(f"shop.{name}", f"ba-{name}"))
    rights = shop.rights(name)
    proxy.rule = lambda request: reply
    for call in steps(client, name):
        with refused(code):
            call()
    assert shop.rights(name) == rights and key.list(name).status == 200
    proxy.reset()
    daemon.stop()
    daemon.start()  # a breaker that opened is closed again
    live(daemon.client(), name)


@pytest.mark.parametrize("real", ["minio"], indirect=True)
def test_path__that_an_older_minio_lacks(cosid, client, proxy, shop, name):
    """Its answer has no request id.  Without revoke-tokens a Revoke goes on; without the others the probe says why."""
    unknown = shop.root.request("GET", ADMIN + "of-a-later-version")
    assert unknown.status == 426 and "x-amz-request-id" not in unknown.headers
    reply = answer(426, unknown.body, "application/json")
    client.create(name)
    account = client.grant(f"shop.{name}", f"ba-{name}").account_id
    proxy.rule = lambda request: reply if "revoke-tokens" in request.target else None
    client.revoke(account, f"shop.{name}")
    assert account.removeprefix("shop.") not in shop.accounts()
    proxy.rule = lambda request: reply if ADMIN in request.target else None
    done = cosid.make({"backends": [shop.backend("shop")]}).run("--check", "--probe")
    assert done.returncode == 1 and "another version of the admin API than v3" in done.stderr
    proxy.reset()
    client.delete(f"shop.{name}")


# ---- keys, clocks


@pytest.mark.clause(31, 33)
@pytest.mark.parametrize("real", ["ceph-rgw", "minio"], indirect=True)
@pytest.mark.parametrize("word, keys", [
    ("SignatureDoesNotMatch: is the key 'secret_key' right", {"secret_key": "plain:planted-wrong-secret"}),
    ("InvalidAccessKeyId: is the key 'access_key' right", {"access_key": "plain:NOSUCHKEY"})])
def test_keys__wrong(cosid, shop, name, word, keys):
    client = cosid({"backends": [shop.backend("shop", **keys)]}).client()
    for call in (steps(client, name)[0], steps(client, name)[2], steps(client, name)[3]):
        with refused("UNAUTHENTICATED", word):
            call()
    assert not shop.exists(name)


@pytest.mark.parametrize("real", ["ceph-rgw", "minio"], indirect=True)
def test_clock__20_minutes_off(client, real, proxy, name):
    """UNAVAILABLE (it passes), with both times in the text, in whichever call it shows first."""
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    proxy.rule = older(real.server.port, 20)
    for call in steps(client, name):
        with refused("UNAVAILABLE", "clocks differ: .* at the store .* GMT"):
            call()
    proxy.reset()
    live(client, name)


# ---- down, slow, hanging


def test_down__nobody_listens(cosid, shop, name):
    gone = shop.at(f"http://127.0.0.1:{free_port()}").backend("shop", **QUICK)
    client = cosid({"backends": [gone]}, protocol=shop.protocol).client()
    for call in steps(client, name):
        with refused("UNAVAILABLE", "127.0.0.1"):
            call()


def test_down__name_that_does_not_resolve(cosid, shop, name):
    gone = shop.backend("shop", endpoint="http://store.invalid:80", **QUICK)
    with refused("UNAVAILABLE", "store.invalid"):
        cosid({"backends": [gone]}, protocol=shop.protocol).client().create(name)


def test_down__breaker(cosid, shop, proxy, name):
    """Five failures in a row open it: then nothing is sent until a probe is due, and one success
    closes it."""
    client = cosid({"backends": [shop.backend("shop", **QUICK)]}, protocol=shop.protocol).client()
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
    live(client, name)


def test_slow__within_the_timeout(client, proxy, name):
    """A server that takes its time is waited for."""
    nobody = threading.Event()
    proxy.rule = lambda request: nobody.wait(0.15) or None
    live(client, name)


@pytest.mark.parametrize("real, process", [("ceph-rgw", "osd"), ("ceph-rgw", "rgw"),
                                           ("minio", "minio"), ("azure", "azurite")],
                         indirect=["real"], scope="module")
def test_hang__then_again(cosid, shop, proxy, name, process):
    """The process stands still: DEADLINE_EXCEEDED or UNAVAILABLE in time; it converges afterwards."""
    daemon = cosid({"call_timeout": "3s", "backends": [shop.backend("shop", **QUICK)]},
                   protocol=shop.protocol)
    client = daemon.client()
    made, granted = f"{name}-made", f"{name}-granted"
    client.create(made)
    client.create(granted)
    key = shop.client(client.grant(f"shop.{granted}", f"ba-{granted}"))
    with shop.server.stopped(process):
        # A create that was done before may be answered out of a gateway's cache; these may not.
        for call in (steps(client, name)[0], steps(client, made)[1], steps(client, granted)[2],
                     steps(client, made)[3]):
            with refused(PASSING):
                call()
        assert client.info().name == "cosid.example.org", "what needs no store is answered"
    until_ok(PASSING, steps(client, granted)[2])
    assert key.list(granted).status == 403
    for each in (name, made, granted):
        for call in steps(client, each):
            until_ok(PASSING, call)
        assert not shop.exists(each)
        assert f"cosi-ba-{each}" not in shop.accounts()


# What each store answers to a user without rights, in addition to what every store could say.
REFUSALS = {
    "ceph-rgw": [lambda r: ERRORS["ceph-rgw"]["bad-key"][0]],
    "minio": [lambda r: ERRORS["minio"]["bad-secret"][0],
              lambda r: of_store(403, b'{"Code":"AccessDenied"}') if ADMIN in r.target else None],
    "azure": [lambda r: of_store(403, x_ms_error_code="AuthenticationFailed")],
}
# What --probe calls it.
WORDS = {"ceph-rgw": "gateway", "minio": "server", "azure": "storage account"}


def test_probe__asks_the_store(cosid, shop, proxy):
    good = cosid.make({"backends": [shop.backend("shop")]})
    assert good.run("--check", "--probe").returncode == 0
    for rule in (lambda r: Cut.BEFORE, lambda r: HTML, *REFUSALS[shop.name]):
        proxy.rule = rule
        done = good.run("--check", "--probe")
        assert done.returncode == 1, done.stderr
        assert f"'shop': cannot use the {WORDS[shop.name]}" in done.stderr
    assert good.run("--check").returncode == 0, "no store is asked"

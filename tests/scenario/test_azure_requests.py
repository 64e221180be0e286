# SPDX-License-Identifier: Apache-2.0
"""test_azure_requests.py - which HTTP requests each call costs on Azurite, and a kill between any two."""
import urllib.parse

import pytest

from rig.client import outcome, refused, until_ok
from rig.proxy import Cut, Proxy
from rig.store import AzureStore

pytestmark = pytest.mark.azure

# What may be answered to a call that another one was cut off before.
PASSING = "ABORTED|UNAVAILABLE|DEADLINE_EXCEEDED"
ACQUIRE, READ, WRITE, RELEASE = "PUT lease acquire", "GET acl", "PUT acl", "PUT lease release"


@pytest.fixture
def proxy(azurite):
    with Proxy(azurite.endpoint) as made:
        yield made


@pytest.fixture
def shop(azurite, proxy):
    return AzureStore(azurite, endpoint=proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop", request_timeout="2s")]}, protocol="AZURE")


def words(request):
    """ "PUT", "PUT lease acquire", "GET list" """
    query = dict(urllib.parse.parse_qsl(request.target.partition("?")[2]))
    found = [request.method, query.get("comp"), request.headers.get("x-ms-lease-action")]
    return " ".join(word for word in found if word)


def asked(proxy, call, *arguments):
    """The requests of one call."""
    proxy.reset()
    call(*arguments)
    return [words(request) for request in proxy.requests]


@pytest.mark.clause(65)
def test_requests__of_each_call(daemon, proxy, name):
    client, bucket, account = daemon.client(), f"shop.{name}", f"shop.cosi-ba-{name}"
    assert asked(proxy, client.create, name) == ["PUT"]
    assert asked(proxy, client.create, name) == ["PUT", "HEAD"]
    granted = asked(proxy, client.grant, bucket, f"ba-{name}")
    assert len(granted) == 4 and sorted(granted) == sorted([ACQUIRE, READ, WRITE, RELEASE])
    assert asked(proxy, client.grant, bucket, f"ba-{name}") == [READ]
    revoked = asked(proxy, client.revoke, account, bucket)
    assert len(revoked) == 4 and sorted(revoked) == sorted([ACQUIRE, READ, WRITE, RELEASE])
    assert asked(proxy, client.revoke, account, bucket) == [READ]
    deleted = asked(proxy, client.delete, bucket)
    assert deleted[-2:] == ["GET list", "DELETE"] and len(deleted) <= 3
    assert len(asked(proxy, client.delete, bucket)) == 1
    client.create(name)
    assert asked(proxy, client.delete, bucket, {"whenNotEmpty": "purge"})[-1] == "DELETE"


def test_requests__without_the_lease(cosid, shop, proxy, name):
    client = cosid({"backends": [shop.backend("shop", lease=False)]}, protocol="AZURE").client()
    bucket = client.create(name)
    assert asked(proxy, client.grant, bucket, f"ba-{name}") == [READ, WRITE]
    assert asked(proxy, client.revoke, f"shop.cosi-ba-{name}", bucket) == [READ, WRITE]


def test_requests__that_are_well_formed(daemon, proxy, name):
    """A PUT has a length, a request a date and a version; no secret stands in a URL or a body."""
    client = daemon.client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    client.revoke(access.account_id, bucket)
    client.delete(bucket)
    signature = access.token.partition("sig=")[2]
    for request in proxy.requests:
        assert "x-ms-date" in request.headers and "x-ms-version" in request.headers
        assert "date" not in request.headers and "expect" not in request.headers
        assert request.method != "PUT" or request.headers["content-length"] == str(len(request.body))
        assert signature not in request.target and signature.encode() not in request.body


def lifecycle(client, shop, name):
    """Create, grant, revoke, delete until each is OK: what a sidecar does after a restart."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    key = shop.client(access)
    assert key.put(name, "object", b"content").status == 201
    assert key.get(name, "object").body == b"content"
    assert key.remove(name, "object").status == 202
    client.revoke(access.account_id, bucket)
    assert key.get(name, "object").status == 403
    client.delete(bucket)


# What runs before the operation, the operation, and how many requests it has.
OPERATIONS = {
    "create": ([], "create", 1), "again": (["create"], "create", 2),
    "grant": (["create"], "grant", 4), "repeat": (["create", "grant"], "grant", 1),
    "revoke": (["create", "grant"], "revoke", 4), "delete": (["create"], "delete", 3),
}


def run(client, operation, name):
    bucket, account = f"shop.{name}", f"ba-{name}"
    if operation == "create":
        client.create(name)
    elif operation == "grant":
        client.grant(bucket, account)
    elif operation == "revoke":
        client.revoke(f"shop.cosi-{account}", bucket)
    else:
        client.delete(bucket)


def check_retried(client, shop, what, name):
    """After the retry an account is one policy, or none."""
    if what == "grant":
        client.grant(f"shop.{name}", f"ba-{name}")
        assert shop.accounts_of(name) == [f"cosi-ba-{name}"]
    if what == "revoke":
        assert shop.accounts_of(name) == []


@pytest.mark.clause(27)
def test_kill__between_any_two_requests(daemon, proxy, shop, name):
    """kill -9 when request N was answered and not heard: the retry converges, nothing is left over.

    A killed grant or revoke leaves its lease, which runs out by itself: all are killed first and
    tried again afterwards, so that the 15 s pass once.
    """
    found, killed = shop.buckets(), []
    for operation, (before, what, most) in OPERATIONS.items():
        for number in range(1, most + 1):
            each = f"{name}-{operation}-{number}"
            proxy.reset()
            client = daemon.client()
            for earlier in before:
                run(client, earlier, each)
            proxy.reset()
            proxy.after = lambda r, n=number: daemon.process.kill() if r.number == n else None
            with refused("UNAVAILABLE"):
                run(client, what, each)
            daemon.kill()
            daemon.close_clients()
            proxy.reset()
            daemon.start()
            killed.append((what, each))
    leased = [each for _, each in killed if shop.root.lease_state(each) == "leased"]
    assert len(leased) >= 4, "a kill between acquire and release leaves the lease"
    client = daemon.client()
    for what, each in killed:
        until_ok(PASSING, run, client, what, each)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)
    assert shop.buckets() == found


@pytest.mark.clause(27)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, proxy, shop, name, cut):
    """A connection that breaks at request N: the call is OK (it was sent again) or passes, the next
    ones converge."""
    found, client, seen = shop.buckets(), daemon.client(), []
    for operation, (before, what, most) in OPERATIONS.items():
        for number in range(1, most + 1):
            each = f"{name}-{operation}-{number}"
            proxy.reset()
            for earlier in before:
                run(client, earlier, each)
            proxy.reset()
            proxy.rule = lambda r, n=number: cut if r.number == n else None
            assert outcome(run, client, what, each) in ("OK", *PASSING.split("|")), each
            proxy.reset()
            seen.append((what, each))
    for what, each in seen:
        until_ok(PASSING, run, client, what, each)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)
    assert shop.buckets() == found


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", ["create", "grant", "revoke", "delete"])
def test_cut__never_again(daemon, proxy, shop, name, operation):
    """Every try of one kind of request is cut: nothing is answered OK that is not so."""
    before, what, _ = OPERATIONS[operation]
    client = daemon.client()
    kinds = {"create": ["PUT"], "delete": ["GET list", "DELETE"]}.get(what, [ACQUIRE, READ, WRITE])
    for number, kind in enumerate(kinds):
        each = f"{name}-{number}"
        for earlier in before:
            run(client, earlier, each)
        proxy.rule = lambda r, k=kind: Cut.BEFORE if words(r) == k else None
        with refused(PASSING):
            run(client, what, each)
        proxy.reset()
        if shop.root.lease_state(each) == "leased":  # an operator need not wait
            assert shop.root.lease(each, "break", break_period=0).status == 202
        until_ok(PASSING, run, client, what, each)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)

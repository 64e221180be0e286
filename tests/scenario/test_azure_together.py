# SPDX-License-Identifier: Apache-2.0
"""test_azure_together.py - several at once on one container of a real Azurite: grants, daemons, leases."""
import contextlib
import http.client

import pytest

from rig.azure import Policy
from rig.client import outcome, refused, until_ok
from rig.proxy import Proxy
from rig.store import AzureStore

pytestmark = pytest.mark.azure

RETRY = "ABORTED|UNAVAILABLE"


@pytest.fixture(scope="module")
def shop(azurite):
    return AzureStore(azurite)


@pytest.fixture(scope="module")
def client(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]}, protocol="AZURE").client()


def both_until_ok(calls):
    """[(client, method, fields)] at once, each repeated while it is told to."""
    running = [(c.start(m, **f), c, m, f) for c, m, f in calls]
    replies = []
    for call, c, method, fields in running:
        while call.exception() is not None:
            assert call.code().name in RETRY.split("|"), call.details()
            call = c.start(method, **fields)
        replies.append(call.result())
    return replies


def test_two_daemons__grants_and_revokes_of_one_container(cosid, shop, name):
    """Neither overwrites what the other wrote: no granted policy is lost, no revoked one returns."""
    clients = [cosid({"backends": [shop.backend("shop")]}, protocol="AZURE").client()
               for _ in range(2)]
    bucket = clients[0].create(name)
    old = [clients[n].access(both_until_ok([(clients[n], *clients[n].grant_fields(
        bucket, f"old-{n}"))])[0]) for n in range(2)]
    for number in range(4):
        new = [f"new-{number}-{n}" for n in range(2)]
        replies = both_until_ok(
            [(clients[n], *clients[n].grant_fields(bucket, new[n])) for n in range(2)]
            + [(clients[1 - n], *clients[n].revoke_fields(old[n].account_id, bucket))
               for n in range(2)])
        fresh = [clients[0].access(r) for r in replies[:2]]
        assert [shop.client(a).list(name).status for a in fresh] == [200, 200], number
        assert [shop.client(a).list(name).status for a in old] == [403, 403], number
        assert sorted(shop.accounts_of(name)) == sorted(f"cosi-{n}" for n in new)
        old = fresh
    assert shop.root.lease_state(name) == "available"


def test_two_daemons__the_same_grant(cosid, shop, name):
    """One policy, one token."""
    clients = [cosid({"backends": [shop.backend("shop")]}, protocol="AZURE").client()
               for _ in range(2)]
    bucket = clients[0].create(name)
    for number in range(4):
        replies = both_until_ok([(c, *c.grant_fields(bucket, f"ba-{number}")) for c in clients])
        one, two = (clients[0].access(r) for r in replies)
        assert one.token == two.token
        assert shop.accounts_of(name).count(f"cosi-ba-{number}") == 1


def test_two_daemons__the_last_place(cosid, shop, name):
    """Four policies are there, two grants come at once: one is granted, the other told, none is lost."""
    clients = [cosid({"backends": [shop.backend("shop")]}, protocol="AZURE").client()
               for _ in range(2)]
    for number in range(4):
        each = f"{name}-{number}"
        bucket = clients[0].create(each)
        by_hand = [Policy(f"by-hand-{n}", "r") for n in range(4)]
        assert shop.root.set_policies(each, by_hand).status == 200
        running = []
        for n, client in enumerate(clients):
            method, fields = client.grant_fields(bucket, f"ba-{n}")
            running.append(client.start(method, **fields))
        codes = [outcome(call.result) for call in running]
        assert sorted(codes) == ["OK", "RESOURCE_EXHAUSTED"]
        assert shop.accounts_of(each) == [f"cosi-ba-{codes.index('OK')}"]
        assert [p for p in shop.root.policies(each) if p.id.startswith("by-hand")] == by_hand


def test_parallel__five_grants_of_one_daemon(client, shop, name):
    bucket = client.create(name)
    calls = [(client, *client.grant_fields(bucket, f"ba-{n}")) for n in range(5)]
    found = [client.access(r) for r in both_until_ok(calls)]
    assert all(shop.client(a).list(name).status == 200 for a in found)
    both_until_ok([(client, *client.revoke_fields(a.account_id, bucket)) for a in found[:4]])
    assert [shop.client(a).list(name).status for a in found] == [403] * 4 + [200]


def test_lease__of_somebody_else(cosid, shop, name):
    """A container that is locked: ABORTED or UNAVAILABLE, nothing written, and well again after it."""
    daemon = cosid({"call_timeout": "2s", "backends": [shop.backend("shop")]}, protocol="AZURE")
    client = daemon.client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    lease = shop.root.lease(name, duration=-1).headers["x-ms-lease-id"]
    for call in (lambda: client.grant(bucket, f"ba-{name}-new"),
                 lambda: client.revoke(access.account_id, bucket)):
        with refused(RETRY + "|DEADLINE_EXCEEDED|FAILED_PRECONDITION", name):
            call()
    assert client.grant(bucket, f"ba-{name}") == access, "what is there needs no lock"
    assert shop.client(access).list(name).status == 200
    assert shop.root.lease(name, "release", id=lease).status == 200
    until_ok(RETRY, client.revoke, access.account_id, bucket)
    assert shop.client(access).list(name).status == 403


@pytest.mark.parametrize("taken", [False, True])
def test_lease__lost_before_the_write(cosid, azurite, name, taken):
    """The lease ended, and another client wrote or holds it now: nothing is overwritten."""
    by_hand = [Policy("by-hand", "r")]
    with Proxy(azurite.endpoint) as proxy:
        shop = AzureStore(azurite, endpoint=proxy.endpoint)
        client = cosid({"backends": [shop.backend("shop")]}, protocol="AZURE").client()
        bucket = client.create(name)

        def take_it(request):
            if request.method == "PUT" and "comp=acl" in request.target:
                assert shop.root.lease(name, "break", break_period=0).status == 202
                assert shop.root.set_policies(name, by_hand).status == 200
                assert not taken or shop.root.lease(name, duration=15).status == 201

        proxy.rule = take_it
        with refused(RETRY, name):
            client.grant(bucket, f"ba-{name}")
        proxy.reset()
    assert shop.root.policies(name) == by_hand


def test_lease__off(cosid, shop, name):
    """lease = false is for one daemon alone; it takes no lease and ignores that of another client."""
    daemon = cosid({"backends": [shop.backend("shop", lease=False)]}, protocol="AZURE")
    client = daemon.client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    assert shop.client(access).list(name).status == 200
    client.revoke(access.account_id, bucket)
    assert shop.client(access).list(name).status == 403
    client.delete(bucket)


def test_late__without_a_lease(cosid, shop, name):
    """A write that was on its way for long overwrites nothing of what came after it."""
    with Proxy(shop.server.endpoint) as proxy:
        slow = AzureStore(shop.server, endpoint=proxy.endpoint)
        client = cosid({"backends": [slow.backend("shop", lease=False)]}, protocol="AZURE").client()
        bucket = client.create(name)
        client.grant(bucket, "ba-1")
        late = next(r for r in proxy.requests if r.method == "PUT" and "comp=acl" in r.target)
        client.grant(bucket, "ba-2")
        began = shop.root.head(name).headers["last-modified"]
        while shop.root.head(name).headers["last-modified"] == began:  # it counts in seconds
            assert shop.root.set_policies(name, shop.root.policies(name)).status == 200
        with contextlib.closing(http.client.HTTPConnection(
                shop.root.url.hostname, shop.root.url.port, timeout=60)) as again:
            again.request(late.method, late.target, late.body, late.headers)
            assert again.getresponse().status == 412
    assert shop.accounts_of(name) == ["cosi-ba-1", "cosi-ba-2"]

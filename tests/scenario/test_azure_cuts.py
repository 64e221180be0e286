# SPDX-License-Identifier: Apache-2.0
"""test_azure_cuts.py - a kill, and a connection that breaks, between any two requests of a call to Azurite.

test_cuts.py has the S3 stores; here the locks last longer than a call, so that the order is another.
"""
import urllib.parse

import pytest

from rig.client import outcome, refused, until_ok
from rig.proxy import Cut, Proxy
from rig.steps import PASSING, lifecycle, run
from rig.store import AzureStore

pytestmark = pytest.mark.azure

ACQUIRE, READ, WRITE = "PUT lease acquire", "GET acl", "PUT acl"


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


# What runs before the operation, the operation, and how many requests it has.
OPERATIONS = {
    "create": ([], "create", 1), "again": (["create"], "create", 2),
    "grant": (["create"], "grant", 4), "repeat": (["create", "grant"], "grant", 1),
    "revoke": (["create", "grant"], "revoke", 4), "delete": (["create"], "delete", 3),
}


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
    found, killed, leased = shop.buckets(), [], 0
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
            leased += shop.root.lease_state(each) == "leased"
            daemon.close_clients()
            proxy.reset()
            daemon.start()
            killed.append((what, each))
    assert leased == 4, "a kill between acquire and release leaves the lease"
    client = daemon.client()
    for what, each in killed:
        until_ok(PASSING, run, client, what, each)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)
    assert shop.buckets() == found


@pytest.mark.clause(27)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, proxy, shop, name, cut):
    """A connection that breaks at request N: the call is OK (a GET is sent again) or passes, the next
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
def test_cut__every_try(cosid, proxy, shop, name):
    """Each request of one kind is cut: nothing is answered OK that is not so.

    A call whose outcome is unknown keeps its locks for a request's time: all calls are cut first.
    """
    client = cosid({"backends": [shop.backend("shop", retries=0, request_timeout="2s")]},
                   protocol="AZURE").client()
    kinds = {"create": ["PUT"], "delete": ["HEAD", "GET list", "DELETE"],
             "grant": [ACQUIRE, READ, WRITE], "revoke": [ACQUIRE, READ, WRITE]}
    seen = []
    for operation in kinds:
        before, what, _ = OPERATIONS[operation]
        for number, kind in enumerate(kinds[operation]):
            each = f"{name}-{operation}-{number}"
            for earlier in before:
                run(client, earlier, each)
            proxy.rule = lambda r, k=kind: Cut.BEFORE if words(r) == k else None
            with refused(PASSING):
                run(client, what, each)
            proxy.reset()
            seen.append((what, each))
    for what, each in seen:
        if shop.root.lease_state(each) == "leased":  # an operator need not wait
            assert shop.root.lease(each, "break", break_period=0).status == 202
        until_ok(PASSING, run, client, what, each)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)

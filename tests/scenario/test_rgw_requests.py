# SPDX-License-Identifier: Apache-2.0
"""test_rgw_requests.py - which HTTP requests each call costs on a gateway, and a kill between any two."""
import pytest

from rig.client import outcome, refused
from rig.proxy import Cut
from rig.steps import lifecycle, run
from rig.store import CephRgw


@pytest.fixture
def shop(rgw, proxy):
    return CephRgw(rgw, proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    # After a cut the locks stay held for as long as the lost request may still be at work.
    return cosid({"backends": [shop.backend("shop", request_timeout="300ms")]})


def asked(proxy, call, *arguments):
    """The requests of one call."""
    proxy.reset()
    call(*arguments)
    return proxy.lines()


@pytest.mark.clause(65)
def test_requests__of_each_call(daemon, proxy, name, rgw):
    client, bucket, account = daemon.client(), f"shop.{name}", f"shop.cosi-ba-{name}"
    mark, user = f"GET /{name}?tagging", "/admin/user"
    assert asked(proxy, client.create, name) == [mark, f"PUT /{name}", f"PUT /{name}?tagging"]
    assert asked(proxy, client.create, name) == [mark]
    assert len(asked(proxy, client.grant, bucket, f"ba-{name}")) == 4
    assert proxy.lines()[1:] == [f"PUT {user}", "POST /", f"GET {user}"]
    assert len(asked(proxy, client.grant, bucket, f"ba-{name}")) == 3
    assert proxy.lines()[1:] == [f"GET {user}", "POST /"]
    assert len(asked(proxy, client.revoke, account, bucket)) == 4
    assert sorted(proxy.lines()) == [f"DELETE {user}"] + [f"GET {user}"] * 3
    assert any(rgw.key in r.target for r in proxy.requests), "the proof that RADOS answers"
    assert asked(proxy, client.delete, bucket) == [mark, f"DELETE /{name}"]
    assert not rgw.admin().bucket(name)


def test_requests__no_secret_in_a_url(daemon, proxy, name):
    """A store's log holds the lines of its requests."""
    client = daemon.client()
    access = client.grant(client.create(name), f"ba-{name}")
    for request in proxy.requests:
        assert access.secret not in request.target


# What runs before the operation, the operation, and how many requests it has at most.
OPERATIONS = {
    "create": ([], "create", 3), "grant": (["create"], "grant", 4),
    "repeat": (["create", "grant"], "grant", 3),
    "revoke": (["create", "grant"], "revoke", 4),
    "delete": (["create"], "delete", 2),
    "settings": ([], "settings", 6),
}
SETTINGS = {"versioning": "true", "quotaMaxObjects": "10"}


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_kill__between_any_two_requests(daemon, proxy, shop, name, operation):
    """kill -9 when request N was answered and not heard: the retry converges, nothing is left over."""
    before, what, most = OPERATIONS[operation]
    users, buckets = shop.admin.users(), shop.buckets()
    for number in range(1, most + 1):
        each = f"{name}-{number}"
        proxy.reset()
        client = daemon.client()
        for earlier in before:
            run(client, earlier, each, SETTINGS)
        proxy.reset()
        proxy.after = lambda r, n=number: daemon.process.kill() if r.number == n else None
        with refused("UNAVAILABLE"):
            run(client, what, each, SETTINGS)
        daemon.kill()
        daemon.close_clients()
        proxy.reset()
        daemon.start()
        client = daemon.client()
        run(client, what, each, SETTINGS)
        if operation == "settings":
            client.delete(f"shop.{each}")
        lifecycle(client, shop, each)
        assert shop.buckets() == buckets and shop.admin.users() == users, f"after request {number}"


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, proxy, shop, name, operation, cut):
    """A connection that breaks at request N: the call is OK (it was sent again) or UNAVAILABLE, the
    next one converges."""
    before, what, most = OPERATIONS[operation]
    users, buckets = shop.admin.users(), shop.buckets()
    client = daemon.client()
    for number in range(1, most + 1):
        each = f"{name}-{number}"
        proxy.reset()
        for earlier in before:
            run(client, earlier, each, SETTINGS)
        proxy.reset()
        proxy.rule = lambda r, n=number: cut if r.number == n else None
        assert outcome(run, client, what, each, SETTINGS) in ("OK", "UNAVAILABLE", "DEADLINE_EXCEEDED")
        proxy.reset()
        if what == "delete":  # its lock stays for 60 s: the next call comes to a restarted cosid
            daemon.stop()
            client = daemon.start().client()
        run(client, what, each, SETTINGS)
        if operation == "settings":
            client.delete(f"shop.{each}")
        lifecycle(client, shop, each)
        assert shop.buckets() == buckets and shop.admin.users() == users, f"after request {number}"

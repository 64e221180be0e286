# SPDX-License-Identifier: Apache-2.0
"""test_minio_requests.py - which HTTP requests each call costs on MinIO, and a kill between any two."""
import pytest

from rig.client import outcome, refused, until_ok
from rig.proxy import Cut, Proxy
from rig.steps import lifecycle, run
from rig.store import MinioStore

pytestmark = pytest.mark.minio

ADMIN = "/minio/admin/v3"
# What may be answered to a call that another one was cut off before.
PASSING = "ABORTED|UNAVAILABLE|DEADLINE_EXCEEDED"


@pytest.fixture
def proxy(minio):
    with Proxy(minio.endpoint) as made:
        yield made


@pytest.fixture
def shop(minio, proxy):
    return MinioStore(minio, proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    # A bucket without marks is taken over when it is older than two calls.
    return cosid({"call_timeout": "1s",
                  "backends": [shop.backend("shop", request_timeout="300ms")]})


def asked(proxy, call, *arguments):
    """The requests of one call."""
    proxy.reset()
    call(*arguments)
    return proxy.lines()


@pytest.mark.clause(65)
def test_requests__of_each_call(daemon, proxy, name):
    client, bucket, account = daemon.client(), f"shop.{name}", f"shop.cosi-ba-{name}"
    marks, look = f"GET /{name}?tagging", f"GET /{name}?location"
    remove = [f"DELETE {ADMIN}/remove-user", f"DELETE {ADMIN}/remove-canned-policy",
              f"POST {ADMIN}/revoke-tokens/builtin"]
    assert asked(proxy, client.create, name) == [f"PUT /{name}", f"PUT /{name}?tagging"]
    assert asked(proxy, client.create, name) == [f"PUT /{name}", marks]
    assert asked(proxy, client.grant, bucket, f"ba-{name}") == [
        look, look, f"PUT {ADMIN}/add-canned-policy", f"PUT {ADMIN}/add-user",
        f"PUT {ADMIN}/set-user-or-group-policy"]
    assert asked(proxy, client.grant, bucket, f"ba-{name}") == [
        look, f"GET {ADMIN}/info-canned-policy"]
    assert asked(proxy, client.revoke, account, bucket) == remove
    assert asked(proxy, client.revoke, account, bucket) == remove
    assert asked(proxy, client.delete, bucket) == [marks, f"DELETE /{name}"]
    assert asked(proxy, client.delete, bucket) == [marks, look]


def test_requests__of_several_buckets(daemon, proxy, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "abc"]
    assert len(asked(proxy, client.grant, ids, f"ba-{name}")) == 4 + 3
    assert len(asked(proxy, client.grant, ids, f"ba-{name}")) == 2
    account = f"shop.cosi-ba-{name}"
    assert asked(proxy, client.revoke, account, ids[:1]) == [
        f"GET {ADMIN}/info-canned-policy", f"PUT {ADMIN}/add-canned-policy"]
    assert len(asked(proxy, client.revoke, account, ids[1:])) == 1 + 3


def test_requests__that_must_never_be_sent(daemon, proxy, name):
    """x-minio-force-create empties a bucket's record, x-minio-force-delete a bucket."""
    client = daemon.client()
    access = client.grant(client.create(name, {"versioning": "true"}), f"ba-{name}")
    client.create(name, {"versioning": "true"})
    client.revoke(access.account_id, f"shop.{name}")
    client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    for request in proxy.requests:
        assert not any(header.startswith("x-minio-") for header in request.headers)
        assert access.secret not in request.target
        assert access.secret.encode() not in request.body, "bodies are sealed"


# What runs before the operation, the operation, and how many requests it has.
OPERATIONS = {
    "create": ([], "create", 2), "grant": (["create"], "grant", 5),
    "repeat": (["create", "grant"], "grant", 2),
    "revoke": (["create", "grant"], "revoke", 3),
    "delete": (["create"], "delete", 2),
    "settings": ([], "settings", 6),
}
SETTINGS = {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}


def everything(shop):
    """All that a lifecycle could leave behind."""
    return (shop.buckets(), sorted(shop.root.users()), sorted(shop.root.policies()),
            shop.root.mappings())


def check_retried(client, shop, what, name):
    """After the retry: the settings are there, an account is one user, one policy, one key."""
    if what == "settings":
        assert shop.root.quota(name) == 1 << 30
        assert shop.root.request("GET", f"/{name}", {"versioning": ""}).texts("Status") == ["Enabled"]
        assert "cosi-params" in shop.root.tags(name) and "cosi-making" not in shop.root.tags(name)
        client.delete(f"shop.{name}")
    if what == "grant":
        key = client.grant(f"shop.{name}", f"ba-{name}").key
        assert [p for p in shop.root.policies() if name in p] == [f"cosi-ba-{name}.{key}"]
        assert shop.root.mappings()[key] == f"cosi-ba-{name}.{key}"


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", OPERATIONS)
def test_kill__between_any_two_requests(daemon, proxy, shop, name, operation):
    """kill -9 when request N was answered and not heard: the retry converges, nothing is left over."""
    before, what, most = OPERATIONS[operation]
    found = everything(shop)
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
        until_ok(PASSING, run, client, what, each, SETTINGS)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)
        assert everything(shop) == found, f"after request {number}"


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, proxy, shop, name, operation, cut):
    """A connection that breaks at request N: the call is OK (it was sent again) or passes, the next
    ones converge."""
    before, what, most = OPERATIONS[operation]
    found = everything(shop)
    client = daemon.client()
    for number in range(1, most + 1):
        each = f"{name}-{number}"
        proxy.reset()
        for earlier in before:
            run(client, earlier, each, SETTINGS)
        proxy.reset()
        proxy.rule = lambda r, n=number: cut if r.number == n else None
        assert outcome(run, client, what, each, SETTINGS) in ("OK", *PASSING.split("|"))
        proxy.reset()
        until_ok(PASSING, run, client, what, each, SETTINGS)
        check_retried(client, shop, what, each)
        lifecycle(client, shop, each)
        assert everything(shop) == found, f"after request {number}"

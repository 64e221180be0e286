# SPDX-License-Identifier: Apache-2.0
"""test_minio_late.py - a change that MinIO carries out seconds after cosid was cut off from it.

While the daemon that sent it keeps its locks, nothing that was answered OK is undone.  What a second
daemon meets is written down in docs/stores/minio.md, "Several daemons", and shown here.
"""
import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, shop
from rig.client import refused, until_ok
from rig.keys import may
from rig.minio import ADMIN
from rig.proxy import Cut
from rig.steps import PASSING, QUICK
from rig.store import MinioStore

pytestmark = pytest.mark.minio

SETTINGS = {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}


@pytest.fixture(scope="module")
def real(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def settings():
    return QUICK


@pytest.fixture
def second(cosid, minio):
    """Another daemon, which is not cut off."""
    return cosid({"call_timeout": "1s", "backends": [MinioStore(minio).backend("shop")]}).client()


@pytest.fixture
def left(shop):
    """left(): the accounts that the test has left; other files leave some on purpose."""
    before = shop.accounts()
    return lambda: [account for account in shop.accounts() if account not in before]


def lost(proxy, number, call, *arguments):
    """The call whose request `number` is kept; nothing is sent after it."""
    proxy.reset()
    proxy.rule = lambda request: Cut.LATE if request.number == number else None
    with refused("UNAVAILABLE"):
        call(*arguments)
    assert len(proxy.lines()) == number, "something was sent after the lost request"
    proxy.reset()


def check_settings(shop, name):
    assert shop.root.versioning(name) == "Enabled"
    assert shop.root.quota(name) == 1 << 30
    assert shop.root.request("GET", f"/{name}", {"policy": ""}).status == 200
    tags = shop.root.tags(name)
    assert "cosi-params" in tags and "cosi-making" not in tags


@pytest.mark.parametrize("number", range(1, 7))
def test_late__create_with_settings(one, proxy, shop, name, number):
    """Any of its requests is late: the repeated Create waits for it, and its OK lasts."""
    lost(proxy, number, one.create, name, SETTINGS)
    call = one.start(*one.create_fields(name, SETTINGS)[:1], **one.create_fields(name, SETTINGS)[1])
    assert not call.done() and proxy.lines() == [], "the lock is kept"
    assert [late.status for late in proxy.deliver()] != [0]
    if call.exception() is not None:
        until_ok(PASSING, one.create, name, SETTINGS)
    check_settings(shop, name)
    with refused("ALREADY_EXISTS"):
        one.create(name)
    one.delete(f"shop.{name}")


@pytest.mark.parametrize("number", range(3, 6))
def test_late__grant(one, proxy, shop, left, name, number):
    """A late policy, user or attachment: the repeated Grant gives a key that works."""
    bucket = one.create(name)
    lost(proxy, number, one.grant, bucket, f"ba-{name}")
    proxy.deliver()
    access = until_ok(PASSING, one.grant, bucket, f"ba-{name}")
    assert may(shop.client(access), name, "put")
    one.revoke(access.account_id, bucket)
    assert shop.client(access).list(name).status == 403
    assert left() == [] and access.key not in shop.root.users()


@pytest.mark.parametrize("number", range(1, 4))
def test_late__revoke(one, proxy, shop, left, name, number):
    bucket = one.create(name)
    access = one.grant(bucket, f"ba-{name}")
    lost(proxy, number, one.revoke, access.account_id, bucket)
    proxy.deliver()
    until_ok(PASSING, one.revoke, access.account_id, bucket)
    assert left() == [] and access.key not in shop.root.users()
    assert one.grant(bucket, f"ba-{name}") == access and may(shop.client(access), name, "put")
    one.revoke(access.account_id, bucket)


def test_late__delete(one, proxy, shop, name):
    bucket = one.create(name)
    lost(proxy, 2, one.delete, bucket)
    proxy.deliver()
    until_ok(PASSING, one.delete, bucket)
    assert not shop.exists(name)
    one.create(name)
    assert shop.exists(name)


# ---- what a second daemon meets


def test_second__late_first_tags(one, second, proxy, shop, name):
    """Later than two calls: a finished bucket is unfinished again.  Its key works, its settings are
    there, and the next Create finishes it."""
    lost(proxy, 2, one.create, name, SETTINGS)
    until_ok("ABORTED", second.create, name, SETTINGS)
    check_settings(shop, name)
    proxy.deliver()
    assert "cosi-making" in shop.root.tags(name)
    access = second.grant(f"shop.{name}", f"ba-{name}")
    assert shop.client(access).list(name).status == 200
    until_ok(PASSING, second.create, name, SETTINGS)
    check_settings(shop, name)
    second.revoke(access.account_id, f"shop.{name}")


def test_second__late_first_tags_within_two_calls(one, second, proxy, shop, name):
    """The other daemon waits for that long, so its OK lasts."""
    lost(proxy, 2, one.create, name, SETTINGS)
    with refused("ABORTED", "unfinished"):
        second.create(name, SETTINGS)
    proxy.deliver()
    until_ok("ABORTED", second.create, name, SETTINGS)
    check_settings(shop, name)


def test_second__late_user(one, second, proxy, shop, name):
    """A Revoke was OK: the user comes back without rights, and the next Revoke removes it."""
    bucket = one.create(name)
    key = one.grant(bucket, f"ba-{name}").key
    one.revoke(f"shop.cosi-ba-{name}", bucket)
    lost(proxy, 4, one.grant, bucket, f"ba-{name}")
    second.revoke(f"shop.cosi-ba-{name}", bucket)
    assert key not in shop.root.users()
    proxy.deliver()
    assert key in shop.root.users() and key not in shop.root.mappings()
    second.revoke(f"shop.cosi-ba-{name}", bucket)
    assert key not in shop.root.users()


def test_second__late_policy(one, second, proxy, shop, left, name):
    """A policy that no user has stays until the next Revoke."""
    bucket = one.create(name)
    lost(proxy, 3, one.grant, bucket, f"ba-{name}")
    second.revoke(f"shop.cosi-ba-{name}", bucket)
    proxy.deliver()
    assert f"cosi-ba-{name}" in shop.accounts()
    second.revoke(f"shop.cosi-ba-{name}", bucket)
    assert left() == []


@pytest.mark.parametrize("number, works", [(1, False), (2, True), (3, True)])
def test_second__late_revoke(one, second, proxy, shop, name, number, works):
    """A late remove-user ends the account that was granted again; the next Grant makes it anew."""
    bucket = one.create(name)
    access = one.grant(bucket, f"ba-{name}")
    lost(proxy, number, one.revoke, access.account_id, bucket)
    second.revoke(access.account_id, bucket)
    assert second.grant(bucket, f"ba-{name}") == access
    proxy.deliver()
    assert may(shop.client(access), name, "put") == works
    assert second.grant(bucket, f"ba-{name}") == access and may(shop.client(access), name, "put")
    second.revoke(access.account_id, bucket)


def test_second__late_attachment(one, second, proxy, shop, left, name):
    """Refused by the server: the user is gone."""
    bucket = one.create(name)
    lost(proxy, 5, one.grant, bucket, f"ba-{name}")
    second.revoke(f"shop.cosi-ba-{name}", bucket)
    assert [(late.status, ADMIN in late.target) for late in proxy.deliver()] == [(404, True)]
    assert left() == []


def test_second__late_delete(one, second, proxy, shop, name):
    """Deletes the empty bucket that was created since under the same name."""
    bucket = one.create(name)
    lost(proxy, 2, one.delete, bucket)
    second.delete(bucket)
    second.create(name)
    assert [late.status for late in proxy.deliver()] == [204]
    assert not shop.exists(name)


def test_second__late_bucket(one, second, proxy, shop, name):
    """Stays without tags; a Create and a Delete remove it."""
    lost(proxy, 1, one.create, name)
    second.create(name)
    second.delete(f"shop.{name}")
    assert [late.status for late in proxy.deliver()] == [200]
    with refused("FAILED_PRECONDITION", "has no tags"):
        second.delete(f"shop.{name}")
    until_ok("ABORTED", second.create, name)
    second.delete(f"shop.{name}")
    assert not shop.exists(name)

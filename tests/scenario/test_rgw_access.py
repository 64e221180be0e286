# SPDX-License-Identifier: Apache-2.0
"""test_rgw_access.py - accounts on a real gateway: whose they are, and their keys when asked again.

test_s3_access.py has what is the same for every S3 store.
"""
import pytest

from rig.client import refused
from rig.keys import may
from rig.store import CephRgw
from rig.wire import field


@pytest.fixture
def shop(rgw):
    return CephRgw(rgw)


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop")]})


@pytest.fixture
def client(daemon):
    return daemon.client()


NEW_NUMBERS = {1: {"list", "get"}, 2: {"list", "get", "put", "remove"}, 3: {"list", "get"}, 4: {"put"}}


@pytest.mark.parametrize("number", NEW_NUMBERS)
def test_mode__of_the_later_v1alpha2(daemon, shop, name, number):
    """Its numbers mean other things; tags 3 and 4 of AccessedBucket tell that it is spoken.  ANY (1)
    is the least."""
    client = daemon.client("v1alpha2")
    bucket = client.create(name)
    shop.fill(name)
    method, fields = client.grant_fields([], f"ba-{name}")
    any_mode = field(1, 1)
    later = field(6, field(1, bucket.encode()) + field(2, field(1, number)) + field(3, any_mode)
                  + field(4, any_mode))
    path, request, reply = client.methods[method]
    body = request(**fields).SerializeToString() + later
    key = shop.client(client.access(reply.FromString(client.raw(path, body))))
    for verb in ("list", "get", "put", "remove"):
        assert may(key, name, verb) == (verb in NEW_NUMBERS[number]), verb


def test_parallel__ten_identical_grants_make_one_key(client, shop, name):
    bucket = client.create(name)
    method, fields = client.grant_fields(bucket, f"ba-{name}")
    running = [client.start(method, **fields) for _ in range(10)]
    found = {(a.account_id, a.key, a.secret) for a in (client.access(c.result()) for c in running)}
    assert len(found) == 1
    assert len(shop.admin.user(f"cosi-ba-{name}")["keys"]) == 1


@pytest.mark.clause(31)
def test_foreign__user_of_our_prefix(client, shop, name):
    """A user made by hand has the name of the account: refused, and untouched."""
    bucket = client.create(name)
    assert shop.admin.user_make(f"cosi-ba-{name}", "a person").status == 200
    before = shop.admin.user(f"cosi-ba-{name}")
    with refused("FAILED_PRECONDITION", f"cosi-ba-{name}"):
        client.grant(bucket, f"ba-{name}")
    with refused("FAILED_PRECONDITION", f"cosi-ba-{name}"):
        client.revoke(f"shop.cosi-ba-{name}", bucket)
    assert shop.admin.user(f"cosi-ba-{name}") == before


def test_foreign__user_of_another_driver(cosid, client, shop, name):
    """Another owner's account of the same name is not ours either."""
    other = cosid({"driver_name": "other.example.org", "backends": [shop.backend("shop")]})
    bucket = client.create(name)
    theirs = other.client().grant(name, f"ba-{name}")
    with refused("FAILED_PRECONDITION"):
        client.grant(bucket, f"ba-{name}")
    with refused("FAILED_PRECONDITION"):
        client.revoke(theirs.account_id, bucket)
    with refused("FAILED_PRECONDITION"):
        other.client().delete(bucket)
    assert shop.client(theirs).list(name).status == 200


def test_foreign__the_drivers_own_user(client, shop, rgw, name):
    """A Revoke that names cosid's own administrator must not end cosid's access."""
    bucket = client.create(name)
    before = shop.admin.user("cosid")
    with refused("FAILED_PRECONDITION"):
        client.revoke("shop.cosid", bucket)
    assert shop.admin.user("cosid") == before


def test_foreign__bucket_of_another_user(client, shop, name):
    """It cannot even be looked into: create says EXISTS, delete refuses."""
    assert shop.admin.user_make(f"stranger-{name}").status == 200
    stranger = shop.admin.client(f"stranger-{name}")
    assert stranger.create(name).status == 200
    assert stranger.put(name, "object", b"content").status == 200
    with refused("ALREADY_EXISTS", name):
        client.create(name)
    with refused("FAILED_PRECONDITION"):
        client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    assert stranger.get(name, "object").body == b"content"


def test_account__cannot_be_found_again_once_revoked(client, shop, name):
    bucket = client.create(name)
    first = client.grant(bucket, f"ba-{name}")
    client.revoke(first.account_id, bucket)
    second = client.grant(bucket, f"ba-{name}")
    assert second.account_id == first.account_id
    assert shop.client(second).list(name).status == 200


def test_key__of_a_known_credential_key_is_derived(cosid, shop, name):
    """With credential_key the same request has the same key, from every daemon and at any time."""
    key = "plain:planted-rgw-derivation-key-0123456789"
    first, second = (cosid({"backends": [shop.backend("shop", credential_key=key)]})
                     for _ in range(2))
    bucket = first.client().create(name)
    one = first.client().grant(bucket, f"ba-{name}")
    assert second.client().grant(bucket, f"ba-{name}") == one
    first.client().revoke(one.account_id, bucket)
    assert second.client().grant(bucket, f"ba-{name}") == one
    assert shop.client(one).list(name).status == 200

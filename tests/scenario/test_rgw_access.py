# SPDX-License-Identifier: Apache-2.0
"""test_rgw_access.py - keys on a real gateway: what they open, what they do not, until when."""
import pytest

from rig.client import refused
from rig.s3 import S3
from rig.steps import both
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


def may(key, bucket, verb):
    """Does the store let this key do that?"""
    if verb == "list":
        return key.list(bucket).status == 200
    if verb == "get":
        return key.get(bucket, "object").status == 200
    if verb == "put":
        return key.put(bucket, "fresh").status == 200
    return key.remove(bucket, "fresh").status == 204


MODES = {"readWrite": {"list", "get", "put", "remove"}, "readOnly": {"list", "get"},
         "writeOnly": {"put"}, None: {"list", "get", "put", "remove"}}


@pytest.mark.clause(26)
@pytest.mark.parametrize("mode", MODES)
def test_mode__opens_what_it_says(daemon, shop, dialect, name, mode):
    client = daemon.client(dialect)
    bucket, other = client.create(name), client.create(f"{name}-other")
    for made in (name, f"{name}-other"):
        assert shop.root.put(made, "object", b"content").status == 200
    access = client.grant(bucket, f"ba-{name}", mode)
    key = shop.client(access)
    for verb in ("list", "get", "put", "remove"):
        assert may(key, name, verb) == (verb in MODES[mode]), verb
        assert not may(key, f"{name}-other", verb), f"{verb} in another bucket"
    assert key.create(f"{name}-own").status == 403, "no bucket of its own"
    assert key.drop(name).status == 403
    for word in ("policy", "acl", "versioning", "tagging"):
        assert key.request("PUT", f"/{name}", {word: ""}, body=b"{}").status >= 400, word
    client.revoke(access.account_id, bucket)
    for verb in ("list", "get", "put"):
        assert not may(key, name, verb), f"{verb} after the revoke"
    assert key.list(name).code == "InvalidAccessKeyId"
    assert shop.root.get(name, "object").body == b"content", "the objects stay"
    client.delete(bucket, {"whenNotEmpty": "purge"})
    client.delete(other, {"whenNotEmpty": "purge"})


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


def test_several_buckets__one_account(daemon, shop, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "abc"]
    reply = client.call("DriverGrantBucketAccess", account_name=f"ba-{name}",
                        protocol={"type": "S3"}, authentication_type={"type": "KEY"},
                        buckets=[{"bucket_id": ids[0], "access_mode": {"mode": "READ_WRITE"}},
                                 {"bucket_id": ids[1], "access_mode": {"mode": "READ_ONLY"}},
                                 {"bucket_id": ids[2], "access_mode": {"mode": "WRITE_ONLY"}}])
    access = client.access(reply)
    key = shop.client(access)
    assert may(key, f"{name}-a", "put") and may(key, f"{name}-a", "list")
    assert not may(key, f"{name}-b", "put") and may(key, f"{name}-b", "list")
    assert may(key, f"{name}-c", "put") and not may(key, f"{name}-c", "list")
    client.revoke(access.account_id, ids[:1])
    assert not may(key, f"{name}-a", "list") and may(key, f"{name}-b", "list")
    client.revoke(access.account_id, ids[1:])
    assert shop.admin.user(f"cosi-ba-{name}") is None


def test_parallel__twenty_grants_on_one_bucket(client, shop, name):
    """20 of 20 keys work; after one is revoked the 19 others do."""
    bucket = client.create(name)
    assert shop.root.put(name, "object", b"content").status == 200
    running = []
    for number in range(20):
        method, fields = client.grant_fields(bucket, f"ba-{number}-{name}")
        running.append(client.start(method, **fields))
    found = [client.access(call.result()) for call in running]
    assert len({a.key for a in found}) == 20
    keys = [shop.client(a) for a in found]
    assert all(may(key, name, "get") for key in keys)
    client.revoke(found[7].account_id, bucket)
    assert [may(key, name, "get") for key in keys] == [n != 7 for n in range(20)]
    for access in found:
        client.revoke(access.account_id, bucket)
    assert not any(may(key, name, "get") for key in keys)


def test_parallel__ten_identical_grants_make_one_key(client, shop, name):
    bucket = client.create(name)
    method, fields = client.grant_fields(bucket, f"ba-{name}")
    running = [client.start(method, **fields) for _ in range(10)]
    found = {(a.account_id, a.key, a.secret) for a in (client.access(c.result()) for c in running)}
    assert len(found) == 1
    assert len(shop.admin.user(f"cosi-ba-{name}")["keys"]) == 1


@pytest.mark.clause(31)
def test_foreign__user_of_our_prefix(client, shop, name):
    """A hand-made user named like our account: refused, and untouched."""
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
    """With credential_key the same request has the same key, whoever asks and whenever."""
    key = "plain:planted-rgw-derivation-key-0123456789"
    first, second = (cosid({"backends": [shop.backend("shop", credential_key=key)]})
                     for _ in range(2))
    bucket = first.client().create(name)
    one = first.client().grant(bucket, f"ba-{name}")
    assert second.client().grant(bucket, f"ba-{name}") == one
    first.client().revoke(one.account_id, bucket)
    assert second.client().grant(bucket, f"ba-{name}") == one
    assert shop.client(one).list(name).status == 200


def test_two_daemons__one_lifecycle_at_once(cosid, shop, name):
    """Two gateways with one credential_key: neither loses anything, both answer the same keys."""
    key = "plain:planted-rgw-derivation-key-0123456789"
    clients = [cosid({"backends": [shop.backend("shop", credential_key=key)]}).client()
               for _ in range(2)]

    for number in range(5):
        each = f"{name}-{number}"
        both(clients, lambda c: c.create_fields(each))
        grants = both(clients, lambda c: c.grant_fields(f"shop.{each}", f"ba-{each}"))
        one, two = (clients[0].access(g) for g in grants)
        assert (one.key, one.secret) == (two.key, two.secret)
        assert shop.client(one).list(each).status == 200
        both(clients, lambda c: c.revoke_fields(one.account_id, f"shop.{each}"))
        assert shop.client(one).list(each).status == 403
        both(clients, lambda c: c.delete_fields(f"shop.{each}"))
        assert not shop.exists(each)


def test_anonymous__nobody_by_default(client, shop, rgw, name):
    client.create(name)
    shop.fill(name)
    stranger = S3(rgw.endpoint)
    assert stranger.list(name).status == 403 and stranger.get(name, "object").status == 403

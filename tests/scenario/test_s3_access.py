# SPDX-License-Identifier: Apache-2.0
"""test_s3_access.py - keys of an S3 store: what they open, what they do not, until when.

What only one store does: test_rgw_access.py and test_minio_access.py.  Azure's tokens are another
thing: test_azure_access.py.
"""
import pytest

from rig.client import refused
from rig.keys import MODES, VERBS, may
from rig.s3 import S3
from rig.steps import both


@pytest.fixture(scope="module", params=["ceph-rgw", "minio"])
def shop(request, stores):
    return stores(request.param)


@pytest.fixture(scope="module")
def daemon(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]})


@pytest.fixture
def client(daemon):
    return daemon.client()


@pytest.mark.clause(26)
@pytest.mark.parametrize("mode", MODES)
def test_mode__opens_what_it_says(daemon, shop, api_version, name, mode):
    client = daemon.client(api_version)
    bucket, other = client.create(name), client.create(f"{name}-other")
    for made in (name, f"{name}-other"):
        shop.fill(made)
    access = client.grant(bucket, f"ba-{name}", mode)
    key = shop.client(access)
    for verb in VERBS:
        assert may(key, name, verb) == (verb in MODES[mode]), verb
        assert not may(key, f"{name}-other", verb), f"{verb} in another bucket"
    assert key.create(f"{name}-own").status == 403, "no bucket of its own"
    assert key.drop(name).status == 403
    for word in ("policy", "acl", "versioning", "tagging"):
        assert key.request("PUT", f"/{name}", {word: ""}, body=b"<x/>").status == 403, word
    client.revoke(access.account_id, bucket)
    for verb in VERBS:
        assert not may(key, name, verb), f"{verb} after the revoke"
    assert key.list(name).code == "InvalidAccessKeyId"
    assert shop.is_filled(name), "the objects stay"
    client.delete(bucket, {"whenNotEmpty": "purge"})
    client.delete(other, {"whenNotEmpty": "purge"})


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
    with refused("ALREADY_EXISTS"):
        client.grant(ids, f"ba-{name}")
    client.revoke(access.account_id, ids[1:])
    assert key.list(f"{name}-b").code == "InvalidAccessKeyId"
    assert f"cosi-ba-{name}" not in shop.accounts()


def test_parallel__twenty_grants_on_one_bucket(client, shop, name):
    """20 of 20 keys work; after one is revoked the 19 others do."""
    bucket = client.create(name)
    shop.fill(name)
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
    assert not any(name in account for account in shop.accounts())


def test_two_daemons__one_lifecycle_at_once(cosid, shop, name):
    """Two daemons with one credential_key: neither loses anything, both answer the same keys."""
    backend = shop.backend("shop", credential_key="plain:planted-shared-derivation-key-0123456789")
    clients = [cosid({"backends": [backend]}).client() for _ in range(2)]
    settings = {"versioning": "true", "quotaMaxSize": "1Gi"}

    for number in range(5):
        each = f"{name}-{number}"
        both(clients, lambda c: c.create_fields(each, settings))
        assert shop.quota(each) == 1 << 30
        assert shop.root.versioning(each) == "Enabled"
        grants = both(clients, lambda c: c.grant_fields(f"shop.{each}", f"ba-{each}"))
        one, two = (clients[0].access(g) for g in grants)
        assert (one.key, one.secret) == (two.key, two.secret)
        assert shop.client(one).list(each).status == 200
        both(clients, lambda c: c.revoke_fields(one.account_id, f"shop.{each}"))
        assert shop.client(one).list(each).status == 403
        both(clients, lambda c: c.delete_fields(f"shop.{each}"))
        assert not shop.exists(each)


def test_anonymous__nobody_by_default(client, shop, name):
    client.create(name)
    shop.fill(name)
    stranger = S3(shop.server.endpoint)
    assert stranger.list(name).status == 403 and stranger.get(name, "object").status == 403

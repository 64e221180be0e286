# SPDX-License-Identifier: Apache-2.0
"""test_bucket.py - create and delete: what is answered, what the store has then, and again."""
import pytest

from rig.client import refused


@pytest.mark.clause(5, 11, 61, 64, 65, 69)
def test_create__then_again(client, store, name):
    bucket = client.create(name)
    assert bucket == f"shop.{name}"
    assert store.exists(name)
    before = store.buckets()
    assert client.create(name) == bucket
    assert client.create(name, timeout=50) == bucket
    assert store.buckets() == before


@pytest.mark.clause(12)
def test_create__bucket_info_of_v1alpha1(daemon, store, name):
    store.check_v1(daemon.client("v1alpha1").call("DriverCreateBucket", name=name).bucket_info)


@pytest.mark.clause(69, 70, 71, 80)
def test_create__bucket_info_of_v1alpha2(daemon, store, name):
    reply = daemon.client("v1alpha2").call(
        "DriverCreateBucket", name=name, protocols=[{"type": store.protocol}])
    store.check_v2(reply.protocols, name)


def test_create__api_versions_share_a_bucket(daemon, name):
    first = daemon.client("v1alpha1").create(name)
    assert daemon.client("v1alpha2").create(name) == first


@pytest.mark.clause(9, 29)
def test_create__without_name(client):
    with refused("INVALID_ARGUMENT", "name"):
        client.create("")


@pytest.mark.clause(7, 30)
@pytest.mark.parametrize("bad", [
    "UPPER-case", "a", "under_score", "-begins", "ends-", "two..dots", "192.168.5.4", "sp ace",
    "sl/ash", "../up", "x" * 64, "über"])
def test_create__illegal_name_of_v1alpha1(daemon, store, bad):
    before = store.buckets()
    with refused("INVALID_ARGUMENT", "name"):
        daemon.client("v1alpha1").create(bad)
    assert store.buckets() == before


@pytest.mark.clause(66)
def test_create__long_name_of_v1alpha2(daemon, store, name):
    """253 bytes are legal there, and 63 in most stores: the name is cut and made unique by a hash."""
    client = daemon.client("v1alpha2")
    names = [f"{name}.{'x' * 180}.{last}" for last in ("a", "b")]
    names = [n + "y" * (253 - len(n)) for n in names]
    ids = [client.create(n) for n in names]
    assert ids[0] != ids[1]
    assert ids == [client.create(n) for n in names]
    for bucket in ids:
        assert len(bucket) <= 128 and store.exists(bucket.removeprefix("shop."))
    with refused("INVALID_ARGUMENT"):
        client.create(names[0] + "z")


@pytest.mark.clause(10, 30, 63)
def test_create__unknown_parameter(client, store, name):
    with refused("INVALID_ARGUMENT", "colour"):
        client.create(name, {"colour": "red"})
    assert not store.exists(name)


def test_create__provisioner_secrets_are_refused(client, name):
    with refused("INVALID_ARGUMENT", "backend"):
        client.create(name, {"cosi.io/provisioner-secret-name": "x"})


@pytest.mark.clause(10, 30, 63)
@pytest.mark.parametrize("bad", [
    {"whenNotEmpty": "maybe"}, {"whenNotEmpty": ""}, {"backend": "nowhere"}, {"backend": ""},
    {"versioning": "perhaps"}, {"quotaMaxSize": "-1"}, {"quotaMaxObjects": "many"},
    {"anonymousAccess": "Everything"}, {"WhenNotEmpty": "purge"}])
def test_create__bad_value(client, store, name, bad):
    with refused("INVALID_ARGUMENT", next(iter(bad))):
        client.create(name, bad)
    assert not store.exists(name)


def test_create__backend_named(client, store, name):
    assert client.create(name, {"backend": "shop"}) == f"shop.{name}"
    assert client.create(name) == f"shop.{name}", "`backend` is not part of what a bucket is"


def test_create__when_not_empty_may_change(client, name):
    bucket = client.create(name, {"whenNotEmpty": "refuse"})
    assert client.create(name, {"whenNotEmpty": "purge"}) == bucket


@pytest.mark.clause(6, 62)
def test_create__foreign_bucket(client, store, name):
    store.make_foreign(name)
    store.fill(name)
    with refused("ALREADY_EXISTS", name):
        client.create(name)
    assert store.is_filled(name)
    with refused("FAILED_PRECONDITION", name):
        client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    assert store.is_filled(name)


@pytest.mark.clause(26, 67)
def test_create__no_protocols_of_v1alpha2(daemon, store, name):
    reply = daemon.client("v1alpha2").call("DriverCreateBucket", name=name)
    store.check_v2(reply.protocols, name)


@pytest.mark.clause(68)
@pytest.mark.parametrize("asked", ["one", "other", "own and one", "UNKNOWN"])
def test_create__protocol_not_served(daemon, store, name, asked):
    types = {"own": store.protocol, "one": store.others[0], "other": store.others[1]}
    with refused("INVALID_ARGUMENT"):
        daemon.client("v1alpha2").create(
            name, protocols=[{"type": types.get(t, t)} for t in asked.split(" and ")])
    assert not store.exists(name)


@pytest.mark.clause(68)
def test_create__protocol_number_not_known(daemon, name):
    with refused("INVALID_ARGUMENT"):
        daemon.client("v1alpha2").create(name, protocols=[{"type": 77}])


@pytest.mark.clause(14, 73)
def test_delete__then_again(client, store, name):
    bucket = client.create(name)
    client.delete(bucket)
    assert not store.exists(name)
    client.delete(bucket)
    assert client.create(name) == bucket, "a deleted name is free again"


@pytest.mark.clause(13, 29)
def test_delete__without_id(client):
    with refused("INVALID_ARGUMENT", "bucket_id"):
        client.delete("")


@pytest.mark.clause(26)
def test_delete__not_empty(client, store, name):
    """Without a delete_context that says otherwise it is refused."""
    bucket = client.create(name)
    store.fill(name)
    with refused("FAILED_PRECONDITION", name):
        client.delete(bucket)
    assert store.is_filled(name)
    store.empty(name)
    client.delete(bucket)
    assert not store.exists(name)


def test_delete__purge(client, store, name):
    bucket = client.create(name)
    store.fill(name)
    client.delete(bucket, {"whenNotEmpty": "purge"})
    assert not store.exists(name)


@pytest.mark.clause(15)
def test_delete__parameters(client, store, name):
    """Unknown keys are let be (the class may be a newer version's); a known key's value is checked."""
    bucket = client.create(name)
    with refused("INVALID_ARGUMENT", "whenNotEmpty"):
        client.delete(bucket, {"whenNotEmpty": "perhaps"})
    assert store.exists(name)
    client.delete(bucket, {"colour": "red", "backend": "shop"})
    assert not store.exists(name)


@pytest.mark.parametrize("foreign", ["other.bucket", "Shop.bucket", "sho.bucket", "bucket", ".", "a."])
def test_delete__id_of_nobody(client, foreign):
    """Never OK and never NOT_FOUND: a sidecar takes both for "gone" and drops its finalizer."""
    with refused("FAILED_PRECONDITION"):
        client.delete(foreign)


@pytest.mark.clause(72)
def test_get__of_v1alpha2(daemon, store, name):
    client = daemon.client("v1alpha2")
    bucket = client.create(name)
    for method in ("DriverGetExistingBucket", "DriverGetBucket"):
        for asked in (bucket, name):
            reply = client.get(asked, method)
            assert reply.bucket_id == bucket, "the id, also when it was asked for by name"
            store.check_v2(reply.protocols, name)
    with refused("NOT_FOUND"):
        client.get(bucket + "-absent")
    with refused("NOT_FOUND"):
        client.get(name + "-absent")
    with refused("INVALID_ARGUMENT"):
        client.get("")
    with refused("INVALID_ARGUMENT"):
        client.get(bucket, protocols=[{"type": store.others[0]}])


def test_get__foreign_bucket(daemon, store, name):
    """Brownfield: a bucket that cosid did not make can be found and granted, not deleted."""
    store.make_foreign(name)
    client = daemon.client("v1alpha2")
    store.check_v2(client.get(name).protocols, name)
    access = client.grant(name, f"ba-{name}")
    client.revoke(access.account_id, name)
    with refused("FAILED_PRECONDITION"):
        client.delete(name)
    assert store.exists(name)

# SPDX-License-Identifier: Apache-2.0
"""test_params.py - the bucket parameters that several stores have, and buckets that are hard to delete.

What only one store can do, or does in its own way: test_rgw_params.py and its like.
"""
import pytest

from rig.behind import client, daemon, lasting_proxy, on, one, proxy, real, settings, shop
from rig.client import refused
from rig.s3 import S3


BOTH = ("ceph-rgw", "minio")


@on(*BOTH)
def test_versioning(one, shop, name):
    bucket = one.create(name, {"versioning": "true"})
    assert shop.root.versioning(name) == "Enabled"
    assert one.create(name, {"versioning": "true"}) == bucket
    one.create(f"{name}-plain")
    assert shop.root.versioning(f"{name}-plain") == ""


# A quota, the same in other words, and another one.
QUOTAS = {"ceph-rgw": ("quotaMaxObjects", "10", "10", "11"),
          "minio": ("quotaMaxSize", "10Mi", str(10 << 20), "11Mi")}


@on(*BOTH)
@pytest.mark.clause(6, 62)
def test_parameters__others_than_at_creation(client, shop, name):
    key, first, same, other = QUOTAS[shop.name]
    client.create(name, {"versioning": "true", key: first})
    for params in ({}, {"versioning": "true"}, {"versioning": "true", key: other},
                   {"versioning": "false", key: first}):
        with refused("ALREADY_EXISTS", name):
            client.create(name, params)
    client.create(name, {key: same, "versioning": "true"})


NOT_TO_BE_HAD = {
    "ceph-rgw": [
        {"quotaMaxSize": "0"}, {"quotaMaxSize": "-5"}, {"quotaMaxSize": "1.5Gi"},
        {"quotaMaxSize": "9223372036854775808"}, {"quotaMaxObjects": "0"},
        {"quotaMaxObjects": "2.0"}, {"quotaMaxObjects": " 5"}, {"versioning": "True"},
        {"objectLock": "yes"}, {"anonymousAccess": "readonly"}, {"anonymousAccess": ""}],
    "minio": [
        {"region": "us-east-1"}, {"quotaMaxObjects": "5"}, {"quotaMaxSize": "0"},
        {"quotaMaxSize": "1.5Gi"}, {"versioning": "True"}, {"objectLock": "yes"},
        {"anonymousAccess": "readonly"}, {"objectLock": "true", "versioning": "false"}],
    "azure": [
        {"region": "westeurope"}, {"versioning": "true"}, {"objectLock": "true"},
        {"quotaMaxSize": "1Gi"}, {"quotaMaxObjects": "5"}, {"anonymousAccess": "readonly"}],
}


@pytest.mark.clause(10, 30, 63)
@pytest.mark.parametrize("real, params", [(s, p) for s, all_of in NOT_TO_BE_HAD.items() for p in all_of],
                         indirect=["real"], scope="module")
def test_parameters__not_to_be_had(client, shop, name, params):
    """Values that are none, and what the store does not have."""
    with refused("INVALID_ARGUMENT|OUT_OF_RANGE", next(iter(params))):
        client.create(name, params)
    assert not shop.exists(name)


# Legal words that a store cannot use.
NOT_HERE = [("ceph-rgw", {"region": "moon-1"}), ("azure", {"anonymousAccess": "writeOnly"}),
            ("azure", {"anonymousAccess": "readWrite"})]


@pytest.mark.clause(8)
@pytest.mark.parametrize("real, params", NOT_HERE, indirect=["real"], scope="module")
def test_parameters__legal_and_not_here(client, shop, name, params):
    code = "OUT_OF_RANGE" if client.api_version == "v1alpha1" else "INVALID_ARGUMENT"
    with refused(code, next(iter(params))):
        client.create(name, params)
    assert not shop.exists(name)


@on(*BOTH)
@pytest.mark.clause(6, 62)
def test_parameters__a_given_default_is_a_choice(client, name):
    """An absent parameter and its default are two requests: a later default changes neither."""
    client.create(name)
    with refused("ALREADY_EXISTS", name):
        client.create(name, {"versioning": "false"})


TOO_MUCH = {"ceph-rgw": "QuotaExceeded", "minio": "XMinioAdminBucketQuotaExceeded"}


@on(*BOTH)
def test_quota__size(one, shop, name):
    """MinIO enforces it by what its scanner saw last, and for one object at once."""
    bucket = one.create(name, {"quotaMaxSize": "64Ki"})
    assert shop.quota(name) == 64 << 10
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert key.put(name, "fits", b"x" * 32768).status == 200
    assert key.put(name, "too-much", b"x" * 65537).code == TOO_MUCH[shop.name]


@on(*BOTH)
def test_object_lock(one, shop, name):
    """Purge does not break a lock: the locked version stays, and so does the bucket."""
    bucket = one.create(name, {"objectLock": "true"})
    assert one.create(name, {"objectLock": "true"}) == bucket
    assert shop.root.versioning(name) == "Enabled"
    put = shop.root.put(name, "locked", b"content", x_amz_object_lock_mode="COMPLIANCE",
                        x_amz_object_lock_retain_until_date="2099-01-01T00:00:00Z")
    assert put.status == 200
    assert shop.root.put(name, "free", b"content").status == 200
    with refused("FAILED_PRECONDITION", f"{name}.*lock"):
        one.delete(bucket, {"whenNotEmpty": "purge"})
    assert shop.root.get(name, "locked").body == b"content"
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert key.remove(name, "locked", put.headers["x-amz-version-id"]).status >= 400
    assert shop.root.get(name, "locked").body == b"content"


ANONYMOUS = {"private": set(), "readOnly": {"list", "get"}, "writeOnly": {"put"},
             "readWrite": {"list", "get", "put"}}


@on(*BOTH)
@pytest.mark.parametrize("mode", ANONYMOUS)
def test_anonymous__opens_what_it_says(one, shop, name, mode):
    bucket = one.create(name, {"anonymousAccess": mode})
    assert one.create(name, {"anonymousAccess": mode}) == bucket
    shop.fill(name)
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert key.put(name, "by-a-grantee", b"content", x_amz_acl="public-read").status == 200
    stranger = S3(shop.server.endpoint)
    can = ANONYMOUS[mode]
    assert (stranger.list(name).status == 200) == ("list" in can)
    assert (stranger.get(name, "object").status == 200) == ("get" in can)
    assert (stranger.get(name, "by-a-grantee").status == 200) == ("get" in can)
    assert (stranger.put(name, "anonymous").status == 200) == ("put" in can)
    assert stranger.remove(name, "object").status == 403
    assert stranger.drop(name).status == 403
    for word in ("policy", "acl", "tagging", "uploads"):
        assert stranger.request("GET", f"/{name}", {word: ""}).status == 403, word
    versions = stranger.request("GET", f"/{name}", {"versions": ""}).status
    listed = shop.name == "minio" and "list" in can  # to MinIO a list is a list
    assert versions == (200 if listed else 403)


# ---- deletes


@on(*BOTH)
def test_delete__only_versions_are_left(one, shop, name):
    bucket = one.create(name, {"versioning": "true"})
    for number in range(3):
        assert shop.root.put(name, "object", b"%d" % number).status == 200
    assert shop.root.remove(name, "object").status == 204
    with refused("FAILED_PRECONDITION", name):
        one.delete(bucket)
    one.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


# Names that XML cannot hold or that need escapes.
AWKWARD = {"ceph-rgw": lambda n: f"o\x01 &<>'\"+%2F/{n}\n",
           "minio": lambda n: f"o &<>'\"+%2F{n}{chr(1) if n % 100 == 0 else ''}"}


@on(*BOTH)
def test_delete__purge_of_many_pages(one, shop, name, whole):
    """More objects than one page holds."""
    bucket = one.create(name)
    for number in range(2200 if whole else 1010):
        assert shop.root.put(name, AWKWARD[shop.name](number), b"").status == 200
    one.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


@on(*BOTH)
def test_delete__unfinished_uploads(one, shop, name):
    bucket = one.create(name)
    assert shop.root.request("POST", f"/{name}/half", {"uploads": ""}).status == 200
    one.delete(bucket)
    assert not shop.exists(name)


# ---- names and marks


# Where a server has its own pages: a refusal in words, not a strange status.
RESERVED = {"ceph-rgw": ("admin", "swift", "auth"), "minio": ("minio",)}


@on(*BOTH)
def test_names__of_the_servers_own_pages(client, shop):
    for word in RESERVED[shop.name]:
        if client.api_version == "v1alpha1":
            with refused("INVALID_ARGUMENT", word):
                client.create(word)
        else:
            made = client.create(word)
            assert shop.exists(made.removeprefix("shop."))
            client.delete(made)


@on("minio", "azure")
def test_names__longest(daemon, shop):
    """The longest name of v1alpha2 stands whole in the tags, and is cut in the bucket's name."""
    client = daemon.client("v1alpha2")
    asked = "x" * 253
    made = client.create(asked)
    native = made.removeprefix("shop.")
    assert client.create(asked) == made and len(native) <= 63
    assert asked in shop.marks(native).values()
    client.delete(made)


@on("minio", "azure")
def test_marks__beside_others(one, shop, name):
    """Tags that a user adds to one of cosid's buckets stay."""
    bucket = one.create(name)
    marks = shop.marks(name) | {"team": "photos"}
    shop.set_marks(name, marks)
    assert one.create(name) == bucket
    one.revoke(one.grant(bucket, f"ba-{name}").account_id, bucket)
    assert shop.marks(name) == marks
    one.delete(bucket)

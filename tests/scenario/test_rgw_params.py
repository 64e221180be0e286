# SPDX-License-Identifier: Apache-2.0
"""test_rgw_params.py - every bucket parameter on a real gateway, and buckets that are hard to delete."""
import pytest

from rig.client import refused, until_ok
from rig.s3 import S3
from rig.store import CephRgw


@pytest.fixture
def shop(rgw):
    return CephRgw(rgw)


@pytest.fixture
def client(cosid, shop, dialect):
    return cosid({"backends": [shop.backend("shop")]}).client(dialect)


@pytest.fixture
def one(cosid, shop):
    """A client where the dialect makes no difference."""
    return cosid({"backends": [shop.backend("shop")]}).client()


def status_of(s3, bucket, word):
    reply = s3.request("GET", f"/{bucket}", {word: ""})
    return (reply.texts("Status") or [""])[0]


def test_versioning(one, shop, name):
    bucket = one.create(name, {"versioning": "true"})
    assert status_of(shop.root, name, "versioning") == "Enabled"
    assert one.create(name, {"versioning": "true"}) == bucket
    one.create(f"{name}-plain")
    assert status_of(shop.root, f"{name}-plain", "versioning") == ""


@pytest.mark.clause(6, 62)
def test_parameters__others_than_at_creation(client, name):
    client.create(name, {"versioning": "true", "quotaMaxObjects": "10"})
    for other in ({}, {"versioning": "true"}, {"versioning": "true", "quotaMaxObjects": "11"},
                  {"versioning": "false", "quotaMaxObjects": "10"}):
        with refused("ALREADY_EXISTS", name):
            client.create(name, other)
    client.create(name, {"quotaMaxObjects": "10", "versioning": "true"})


def test_parameters__spelling_does_not_matter(one, name):
    bucket = one.create(name, {"quotaMaxSize": "10Mi"})
    assert one.create(name, {"quotaMaxSize": str(10 * 1024 * 1024)}) == bucket


@pytest.mark.clause(6, 62)
def test_parameters__a_given_default_is_a_choice(client, name):
    """An absent parameter and its default are two requests: a later default changes neither."""
    client.create(name)
    with refused("ALREADY_EXISTS", name):
        client.create(name, {"versioning": "false"})


def test_quota__objects(one, shop, name):
    bucket = one.create(name, {"quotaMaxObjects": "2"})
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert [key.put(name, f"o{n}").status for n in range(3)] == [200, 200, 403]


def test_quota__size(one, shop, name):
    bucket = one.create(name, {"quotaMaxSize": "64Ki"})
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert key.put(name, "fits", b"x" * 32768).status == 200
    assert key.put(name, "too-much", b"x" * 65536).code == "QuotaExceeded"


@pytest.mark.parametrize("params", [
    {"quotaMaxSize": "0"}, {"quotaMaxSize": "-5"}, {"quotaMaxSize": "1.5Gi"},
    {"quotaMaxSize": "9223372036854775808"}, {"quotaMaxObjects": "0"}, {"quotaMaxObjects": "2.0"},
    {"quotaMaxObjects": " 5"}, {"versioning": "True"}, {"objectLock": "yes"},
    {"anonymousAccess": "readonly"}, {"anonymousAccess": ""}])
def test_parameters__bad_value(client, shop, name, params):
    with refused("INVALID_ARGUMENT|OUT_OF_RANGE", next(iter(params))):
        client.create(name, params)
    assert not shop.exists(name)


@pytest.mark.clause(8)
def test_region__that_the_gateway_does_not_have(client, shop, name):
    """A legal word that this store cannot use."""
    with refused("OUT_OF_RANGE" if client.dialect == "v1alpha1" else "INVALID_ARGUMENT", "region"):
        client.create(name, {"region": "moon-1"})
    assert not shop.exists(name)


def test_region__that_it_has(one, shop, name):
    one.create(name, {"region": "default"})
    assert shop.exists(name)


def test_object_lock(one, shop, name):
    """Purge does not break a lock: the locked version stays, and so does the bucket."""
    bucket = one.create(name, {"objectLock": "true"})
    assert status_of(shop.root, name, "versioning") == "Enabled"
    put = shop.root.put(name, "locked", b"content", x_amz_object_lock_mode="COMPLIANCE",
                         x_amz_object_lock_retain_until_date="2099-01-01T00:00:00Z")
    assert put.status == 200
    assert shop.root.put(name, "free", b"content").status == 200
    with refused("FAILED_PRECONDITION", name):
        one.delete(bucket, {"whenNotEmpty": "purge"})
    assert shop.root.get(name, "locked").body == b"content"


def test_delete__only_versions_are_left(one, shop, name):
    bucket = one.create(name, {"versioning": "true"})
    for number in range(3):
        assert shop.root.put(name, "object", b"%d" % number).status == 200
    assert shop.root.remove(name, "object").status == 204
    with refused("FAILED_PRECONDITION", name):
        one.delete(bucket)
    one.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


def test_delete__purge_of_many_pages(one, shop, name, whole):
    """More objects than one page holds, with names that XML cannot hold."""
    bucket = one.create(name)
    for number in range(2200 if whole else 1010):
        shop.root.put(name, f"o\x01 &<>'\"+%2F/{number}\n", b"")
    one.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


def test_delete__purge_in_short_calls(cosid, shop, name):
    """No call has the time for a page of the usual size; those that come again get there."""
    daemon = cosid({"call_timeout": "2s", "backends": [shop.backend("shop")]})
    client = daemon.client()
    bucket = client.create(name)
    for number in range(450):
        assert shop.root.put(name, f"{number}", b"").status == 200
    until_ok("ABORTED|DEADLINE_EXCEEDED", client.delete, bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


def test_delete__unfinished_uploads(one, shop, name):
    bucket = one.create(name)
    begun = shop.root.request("POST", f"/{name}/half", {"uploads": ""})
    assert begun.status == 200
    one.delete(bucket)
    assert not shop.exists(name)


ANONYMOUS = {"private": set(), "readOnly": {"list", "get"}, "writeOnly": {"put"},
             "readWrite": {"list", "get", "put"}}


@pytest.mark.parametrize("mode", ANONYMOUS)
def test_anonymous__opens_what_it_says(one, shop, rgw, name, mode):
    bucket = one.create(name, {"anonymousAccess": mode})
    assert one.create(name, {"anonymousAccess": mode}) == bucket
    shop.fill(name)
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert key.put(name, "by-a-grantee", b"content").status == 200
    stranger = S3(rgw.endpoint)
    can = ANONYMOUS[mode]
    assert (stranger.list(name).status == 200) == ("list" in can)
    assert (stranger.get(name, "object").status == 200) == ("get" in can)
    assert (stranger.put(name, "anonymous").status == 200) == ("put" in can)
    assert stranger.remove(name, "object").status == 403
    assert stranger.drop(name).status == 403
    for word in ("policy", "acl", "tagging", "versions", "uploads"):
        assert stranger.request("GET", f"/{name}", {word: ""}).status == 403, word


def test_names__that_are_api_prefixes(client, shop):
    """RGW serves its other APIs there: a refusal in words, not a strange status."""
    for word in ("admin", "swift", "auth"):
        if client.dialect == "v1alpha1":
            with refused("INVALID_ARGUMENT", word):
                client.create(word)
        else:
            assert shop.exists(client.create(word).removeprefix("shop."))

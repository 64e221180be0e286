# SPDX-License-Identifier: Apache-2.0
"""test_minio_params.py - unfinished buckets and ownership tags on a real MinIO.

test_params.py has what is the same for several stores.
"""
import base64
import hashlib

import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, settings, shop
from rig.client import outcome, refused, until_ok
from rig.proxy import Proxy, of_store
from rig.store import MinioStore

pytestmark = pytest.mark.minio


@pytest.fixture(scope="module")
def real(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def hasty(lasting, shop):
    """An unfinished bucket counts as abandoned when it is older than two calls."""
    return lasting({"call_timeout": "1s", "backends": [shop.backend("shop")]})


@pytest.fixture
def quick(hasty):
    return hasty.client()


# ---- unfinished buckets: what a cut Create leaves, made by hand


def half_made(shop, bucket, **tags):
    assert shop.root.create(bucket).status == 200
    if tags:
        tags = {f"cosi-{k}": v for k, v in tags.items()}
        assert shop.root.set_tags(bucket, tags).status == 200


def test_half_made__without_marks(quick, shop, name):
    """Its owner is unknown: it is not taken over at once, because another daemon may be making it."""
    half_made(shop, name)
    with refused("ABORTED", "unfinished"):
        quick.create(name, {"versioning": "true"})
    until_ok("ABORTED", quick.create, name, {"versioning": "true"})
    assert shop.root.versioning(name) == "Enabled"
    assert shop.root.tags(name)["cosi-name"] == name


@pytest.mark.parametrize("params, number", [
    ({}, 2), ({"versioning": "true"}, 2), ({"versioning": "true"}, 3), ({"versioning": "true"}, 4)])
def test_half_made__by_ourselves(cosid, minio, name, params, number):
    """Who has made it need not wait for another daemon: the one that may be at it is itself."""
    with Proxy(minio.endpoint) as proxy:
        shop = MinioStore(minio, proxy.endpoint)
        client = cosid({"backends": [shop.backend("shop", retries=0)]}).client()
        proxy.rule = lambda request: of_store(503) if request.number == number else None
        with refused("UNAVAILABLE"):
            client.create(name, params)
        assert shop.exists(name)
        assert client.create(name, params) == f"shop.{name}"
        assert shop.root.tags(name)["cosi-name"] == name
        with refused("ALREADY_EXISTS"):
            client.create(name, {"anonymousAccess": "readOnly"})


def test_half_made__given_up_at_once(one, shop, name):
    """A caller that leaves within milliseconds leaves no wait to the next one: this daemon knows that
    no other is creating it, however little time the call had."""
    left, number = 0, 0
    while left < 3 and number < 300:
        number += 1
        each = f"{name}-{number}"
        ended = outcome(lambda n=each: one.create(n, timeout=0.002 + number % 10 / 1000))
        one.create(f"{each}-next")  # longer than twice that time
        left += ended != "OK" and shop.exists(each) and not shop.root.tags(each)
        assert one.create(each) == f"shop.{each}"
    assert left == 3, "no call was cut between the bucket and its tags"


@pytest.mark.parametrize("params", [{}, {"objectLock": "true"}, {"versioning": "true"}])
def test_half_made__by_a_killed_server(quick, hasty, shop, minio, name, params):
    """A server that is killed while it makes a bucket leaves a directory: no date, no object lock."""
    (minio.folder / "data" / name).mkdir()
    assert shop.exists(name) and not shop.root.tags(name)
    with refused("FAILED_PRECONDITION", "has no tags"):
        quick.delete(f"shop.{name}")
    with refused("ABORTED", "unfinished"):
        quick.create(name, params)
    begun = len(hasty.log)
    until_ok("ABORTED", quick.create, name, params)
    assert hasty.log[begun:].count(f"takes over the bucket '{name}'") == 1
    assert shop.root.tags(name)["cosi-name"] == name
    assert (shop.root.versioning(name) == "Enabled") == bool(params)
    quick.delete(f"shop.{name}")
    assert not shop.exists(name)


def test_half_made__deleted_without_tags(cosid, minio, hasty, name):
    """The daemon that made it deletes it; another one does after a Create."""
    with Proxy(minio.endpoint) as proxy:
        shop = MinioStore(minio, proxy.endpoint)
        client = cosid({"backends": [shop.backend("shop", retries=0)]}).client()
        for each in (f"{name}-a", f"{name}-b"):
            proxy.reset()
            proxy.rule = lambda request: of_store(503) if request.number == 2 else None
            with refused("UNAVAILABLE"):
                client.create(each)
            assert shop.exists(each) and not shop.root.tags(each)
        proxy.reset()
        client.delete(f"shop.{name}-a")
        assert not shop.exists(f"{name}-a")
        other = hasty.client()
        with refused("FAILED_PRECONDITION", "has no tags"):
            other.delete(f"shop.{name}-b")
        until_ok("ABORTED", other.create, f"{name}-b")
        other.delete(f"shop.{name}-b")
        assert not shop.exists(f"{name}-b")


def test_half_made__older_than_the_window(cosid, shop, name):
    half_made(shop, name)
    client = cosid({"call_timeout": "1s", "backends": [
        shop.backend("shop", adopt_window="0s")]}).client()
    while (code := outcome(client.create, name)) == "ABORTED":  # dates are whole seconds
        pass
    assert code == "ALREADY_EXISTS"
    assert shop.root.tags(name) == {}


def test_half_made__touched_since(quick, shop, name):
    """A bucket that differs from a new one in any way belongs to another user."""
    policy = ('{"Version":"2012-10-17","Statement":[{"Effect":"Allow","Principal":{"AWS":["*"]},'
              f'"Action":["s3:GetObject"],"Resource":["arn:aws:s3:::{name}-p/*"]}}]}}')
    versioning = b"<VersioningConfiguration><Status>Enabled</Status></VersioningConfiguration>"
    lifecycle = (b"<LifecycleConfiguration><Rule><ID>x</ID><Status>Enabled</Status><Filter><Prefix>"
                 b"</Prefix></Filter><Expiration><Days>1</Days></Expiration></Rule>"
                 b"</LifecycleConfiguration>")
    checksum = {"content-md5": base64.b64encode(hashlib.md5(lifecycle).digest()).decode()}
    for letter in "oupvcq":
        half_made(shop, f"{name}-{letter}")
    assert shop.root.put(f"{name}-o", "object").status == 200
    assert shop.root.request("POST", f"/{name}-u/half", {"uploads": ""}).status == 200
    assert shop.root.request("PUT", f"/{name}-p", {"policy": ""}, body=policy.encode()).status == 204
    assert shop.root.request("PUT", f"/{name}-v", {"versioning": ""}, body=versioning).status == 200
    assert shop.root.request("PUT", f"/{name}-c", {"lifecycle": ""}, checksum,
                             lifecycle).status == 200
    assert shop.root.admin("PUT", "set-bucket-quota", {"bucket": f"{name}-q"},
                           b'{"quota":9,"size":9,"quotatype":"hard"}').status == 200
    assert shop.root.create(f"{name}-l", x_amz_bucket_object_lock_enabled="true").status == 200
    for letter in "oupvcql":
        with refused("ALREADY_EXISTS", name):
            quick.create(f"{name}-{letter}")
        assert shop.root.tags(f"{name}-{letter}") == {}
    until_ok("ABORTED", quick.create, f"{name}-l", {"objectLock": "true"})


def test_half_made__ours_and_unfinished(quick, shop, name):
    """Begun by this driver: finished when it was begun with these parameters, else left alone."""
    quick.create(f"{name}-model", {"objectLock": "true", "quotaMaxSize": "1Gi"})
    params = shop.root.tags(f"{name}-model")["cosi-params"]
    marks = {"driver": "cosid.example.org", "making": params}
    half_made(shop, f"{name}-other", name=f"{name}-other", **marks)
    assert shop.root.create(f"{name}-same", x_amz_bucket_object_lock_enabled="true").status == 200
    tags = {f"cosi-{k}": v for k, v in marks.items()} | {"cosi-name": f"{name}-same"}
    assert shop.root.set_tags(f"{name}-same", tags).status == 200
    half_made(shop, f"{name}-filled", name=f"{name}-filled", **(marks | {"making": "1:0"}))
    assert shop.root.put(f"{name}-filled", "object").status == 200
    asked = {"objectLock": "true", "quotaMaxSize": "1Gi"}
    until_ok("ABORTED", quick.create, f"{name}-same", asked)
    assert shop.root.quota(f"{name}-same") == 1 << 30
    assert shop.root.tags(f"{name}-same")["cosi-params"] == params
    for other in ("other", "filled"):
        with refused("ALREADY_EXISTS", "begun with other parameters"):
            quick.create(f"{name}-{other}", {})
        assert "cosi-making" in shop.root.tags(f"{name}-{other}")
    assert shop.root.get(f"{name}-filled", "object").status == 200


def test_marks__of_others(one, shop, name):
    """Another owner's tags, a user's tags, and this driver's for another name."""
    half_made(shop, f"{name}-a", driver="other.example.org", name=f"{name}-a", params="1:0")
    half_made(shop, f"{name}-b")
    assert shop.root.set_tags(f"{name}-b", {"team": "photos"}).status == 200
    half_made(shop, f"{name}-c", driver="cosid.example.org", name="another", params="1:0")
    for letter in "abc":
        tags = shop.root.tags(f"{name}-{letter}")
        with refused("ALREADY_EXISTS", name):
            one.create(f"{name}-{letter}")
        assert shop.root.tags(f"{name}-{letter}") == tags
    for letter in "ab":
        with refused("FAILED_PRECONDITION", name):
            one.delete(f"shop.{name}-{letter}")
# SPDX-License-Identifier: Apache-2.0
"""test_minio_params.py - half-made buckets and marks on a real MinIO.

test_params.py has what is the same for several stores.
"""
import base64
import hashlib

import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, settings, shop
from rig.client import outcome, refused, until_ok
from rig.proxy import Proxy, answer
from rig.store import MinioStore

pytestmark = pytest.mark.minio


@pytest.fixture(scope="module")
def real(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def hasty(lasting, shop):
    """A half-made bucket counts as left alone when it is older than two calls."""
    return lasting({"call_timeout": "1s", "backends": [shop.backend("shop")]})


@pytest.fixture
def quick(hasty):
    return hasty.client()


# ---- half-made buckets: what a create that was cut off leaves, made by hand


def half_made(shop, bucket, **tags):
    assert shop.root.create(bucket).status == 200
    if tags:
        tags = {f"cosi-{k}": v for k, v in tags.items()}
        assert shop.root.set_tags(bucket, tags).status == 200


def test_half_made__without_marks(quick, shop, name):
    """Nobody can tell whose it is: not at once, because another daemon may be making it."""
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
        proxy.rule = lambda request: answer(503) if request.number == number else None
        with refused("UNAVAILABLE"):
            client.create(name, params)
        assert shop.exists(name)
        assert client.create(name, params) == f"shop.{name}"
        assert shop.root.tags(name)["cosi-name"] == name
        with refused("ALREADY_EXISTS"):
            client.create(name, {"anonymousAccess": "readOnly"})


def test_half_made__older_than_the_window(cosid, shop, name):
    half_made(shop, name)
    client = cosid({"call_timeout": "1s", "backends": [
        shop.backend("shop", adopt_window="0s")]}).client()
    while (code := outcome(client.create, name)) == "ABORTED":  # dates are whole seconds
        pass
    assert code == "ALREADY_EXISTS"
    assert shop.root.tags(name) == {}


def test_half_made__touched_since(quick, shop, name):
    """What is not as a new bucket is somebody's, whatever it was that was done to it."""
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
    """Begun by us: finished when it was begun with these parameters, else made anew."""
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
    until_ok("ABORTED", quick.create, f"{name}-other", {})
    assert "cosi-making" not in shop.root.tags(f"{name}-other")
    while (code := outcome(quick.create, f"{name}-filled", {})) == "ABORTED":
        pass
    assert code == "ALREADY_EXISTS"
    assert shop.root.get(f"{name}-filled", "object").status == 200


def test_marks__of_others(one, shop, name):
    """Another owner's, somebody's own tags, and ours for another name."""
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
# SPDX-License-Identifier: Apache-2.0
"""test_minio_requests.py - which HTTP requests each call costs on MinIO."""
import pytest

from rig.proxy import Proxy
from rig.store import MinioStore

pytestmark = pytest.mark.minio

ADMIN = "/minio/admin/v3"


@pytest.fixture
def proxy(minio):
    with Proxy(minio.endpoint) as made:
        yield made


@pytest.fixture
def shop(minio, proxy):
    return MinioStore(minio, proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop")]})


@pytest.mark.clause(65)
def test_requests__of_each_call(daemon, proxy, name):
    client, bucket, account = daemon.client(), f"shop.{name}", f"shop.cosi-ba-{name}"
    marks, look = f"GET /{name}?tagging", f"GET /{name}?location"
    remove = [f"DELETE {ADMIN}/remove-user", f"DELETE {ADMIN}/remove-canned-policy",
              f"POST {ADMIN}/revoke-tokens/builtin"]
    assert proxy.asked(client.create, name) == [f"PUT /{name}", f"PUT /{name}?tagging"]
    assert proxy.asked(client.create, name) == [f"PUT /{name}", marks]
    assert proxy.asked(client.grant, bucket, f"ba-{name}") == [
        look, look, f"PUT {ADMIN}/add-canned-policy", f"PUT {ADMIN}/add-user",
        f"PUT {ADMIN}/set-user-or-group-policy"]
    assert proxy.asked(client.grant, bucket, f"ba-{name}") == [
        look, f"GET {ADMIN}/info-canned-policy"]
    assert proxy.asked(client.revoke, account, bucket) == remove
    assert proxy.asked(client.revoke, account, bucket) == remove
    assert proxy.asked(client.delete, bucket) == [marks, f"DELETE /{name}"]
    assert proxy.asked(client.delete, bucket) == [marks, look]


def test_requests__of_several_buckets(daemon, proxy, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "abc"]
    assert len(proxy.asked(client.grant, ids, f"ba-{name}")) == 4 + 3
    assert len(proxy.asked(client.grant, ids, f"ba-{name}")) == 2
    account = f"shop.cosi-ba-{name}"
    assert proxy.asked(client.revoke, account, ids[:1]) == [
        f"GET {ADMIN}/info-canned-policy", f"PUT {ADMIN}/add-canned-policy"]
    assert len(proxy.asked(client.revoke, account, ids[1:])) == 1 + 3


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

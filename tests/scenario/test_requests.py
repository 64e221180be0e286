# SPDX-License-Identifier: Apache-2.0
"""test_requests.py - which HTTP requests each call costs on each store, and what stands in none of them."""
import urllib.parse

import pytest

from rig.azure import Policy
from rig.behind import daemon, lasting_proxy, on, one, proxy, real, settings, shop

ADMIN, USER = "/minio/admin/v3", "/admin/user"
ACQUIRE, READ, WRITE, RELEASE = "PUT lease acquire", "GET acl", "PUT acl", "PUT lease release"
TAGS, WRITE_TAGS, LOOK = "GET {}?tagging", "PUT {}?tagging", "GET {}?location"
REMOVE = [f"DELETE {ADMIN}/remove-user", f"DELETE {ADMIN}/remove-canned-policy",
          f"POST {ADMIN}/revoke-tokens/builtin"]
# The calls of a bucket's life in their order, and the requests of each; {} is the bucket.  A dict counts
# requests whose order is not fixed: the proof that RADOS answers may come anywhere.
LIFE = {
    "ceph-rgw": [
        ("create", [TAGS, "PUT {}", WRITE_TAGS]), ("create", [TAGS]),
        ("grant", [TAGS, f"PUT {USER}", "POST /", f"GET {USER}"]),
        ("grant", [TAGS, f"GET {USER}", "POST /", f"GET {USER}"]),
        ("revoke", {f"DELETE {USER}": 1, f"GET {USER}": 3}), ("delete", [TAGS, "DELETE {}"])],
    "minio": [
        ("create", ["PUT {}", WRITE_TAGS]), ("create", ["PUT {}", TAGS]),
        ("grant", [LOOK, LOOK, f"PUT {ADMIN}/add-canned-policy", f"PUT {ADMIN}/add-user",
                   f"PUT {ADMIN}/set-user-or-group-policy"]),
        ("grant", [LOOK, f"GET {ADMIN}/info-canned-policy"]), ("revoke", REMOVE), ("revoke", REMOVE),
        ("delete", [TAGS, "DELETE {}"]), ("delete", [TAGS, LOOK])],
    "azure": [
        ("create", ["PUT"]), ("create", ["PUT", "HEAD"]), ("grant", [READ, ACQUIRE, WRITE, RELEASE]),
        ("grant", [READ]), ("revoke", [READ, ACQUIRE, WRITE, RELEASE]), ("revoke", [READ]),
        ("delete", ["HEAD", "GET list", "DELETE"]), ("delete", ["HEAD"]), ("create", ["PUT"]),
        ("purge", ["HEAD", "DELETE"])],
}


def words(request):
    """Azure's: "PUT", "PUT lease acquire", "GET list"."""
    query = dict(urllib.parse.parse_qsl(request.target.partition("?")[2]))
    found = [request.method, query.get("comp"), request.headers.get("x-ms-lease-action")]
    return " ".join(word for word in found if word)


def asked(store, proxy, call, *arguments):
    """The requests of one call, in the store's words."""
    lines = proxy.asked(call, *arguments)
    return [words(request) for request in proxy.requests] if store.name == "azure" else lines


@pytest.mark.clause(65)
def test_requests__of_each_call(one, proxy, shop, name):
    bucket, account = f"shop.{name}", f"shop.cosi-ba-{name}"
    calls = {"create": (one.create, name), "grant": (one.grant, bucket, f"ba-{name}"),
             "revoke": (one.revoke, account, bucket), "delete": (one.delete, bucket),
             "purge": (one.delete, bucket, {"whenNotEmpty": "purge"})}
    for call, expected in LIFE[shop.name]:
        found = asked(shop, proxy, *calls[call])
        if isinstance(expected, dict):
            assert {line: found.count(line) for line in found} == expected, call
            assert any(shop.server.key in r.target for r in proxy.requests), "the proof that RADOS answers"
        else:
            assert found == [line.replace("{}", f"/{name}") for line in expected], call
    assert not shop.exists(name)


def test_requests__no_secret_in_any(one, proxy, shop, name):
    """A store's log holds the lines of its requests; the body of a request that makes a key is sealed, or
    has no secret."""
    params = {"versioning": "true"} if shop.name == "minio" else {}
    bucket = one.create(name, params)
    one.create(name, params)
    access = one.grant(bucket, f"ba-{name}")
    one.revoke(access.account_id, bucket)
    one.delete(bucket, {"whenNotEmpty": "purge"})
    secret = access.token.partition("sig=")[2] if shop.name == "azure" else access.secret
    for request in proxy.requests:
        assert secret not in request.target
        assert shop.name == "ceph-rgw" or secret.encode() not in request.body
        if shop.name == "minio":  # force-create empties a bucket's record, force-delete a bucket
            assert not any(header.startswith("x-minio-") for header in request.headers)
        if shop.name == "azure":
            assert "x-ms-date" in request.headers and "x-ms-version" in request.headers
            assert "date" not in request.headers and "expect" not in request.headers
            assert request.method != "PUT" or request.headers["content-length"] == str(len(request.body))


@on("minio")
def test_requests__of_several_buckets(daemon, proxy, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "abc"]
    assert len(proxy.asked(client.grant, ids, f"ba-{name}")) == 4 + 3
    assert len(proxy.asked(client.grant, ids, f"ba-{name}")) == 2
    account = f"shop.cosi-ba-{name}"
    assert proxy.asked(client.revoke, account, ids[:1]) == [
        f"GET {ADMIN}/info-canned-policy", f"PUT {ADMIN}/add-canned-policy"]
    assert len(proxy.asked(client.revoke, account, ids[1:])) == 1 + 3


@on("azure")
def test_requests__without_the_lease(cosid, shop, proxy, name):
    client = cosid({"backends": [shop.backend("shop", lease=False)]}, protocol="AZURE").client()
    bucket = client.create(name)
    assert asked(shop, proxy, client.grant, bucket, f"ba-{name}") == [READ, WRITE]
    assert asked(shop, proxy, client.revoke, f"shop.cosi-ba-{name}", bucket) == [READ, WRITE]


@on("azure")
def test_requests__when_somebody_wrote_meanwhile(one, shop, proxy, name):
    """What was read before the lock counts only while the container's ETag is the same."""
    bucket = one.create(name)
    by_hand = Policy("by-hand", "r")

    def write(request):
        if words(request) == ACQUIRE:
            assert shop.root.set_policies(name, [by_hand]).status == 200

    proxy.rule = write
    access = one.grant(bucket, f"ba-{name}")
    assert [words(r) for r in proxy.requests][-5:] == [READ, ACQUIRE, READ, WRITE, RELEASE]
    assert by_hand in shop.root.policies(name) and shop.client(access).list(name).status == 200
    proxy.reset()
    proxy.rule = write
    one.revoke(access.account_id, bucket)
    assert [words(r) for r in proxy.requests] == [READ, ACQUIRE, READ, RELEASE], "gone meanwhile"
    assert shop.root.policies(name) == [by_hand]

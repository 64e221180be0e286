# SPDX-License-Identifier: Apache-2.0
"""test_minio_access.py - accounts on a real MinIO: whose they are, what breaks them, what they cannot do.

test_s3_access.py has what is the same for every S3 store.
"""
import json

import pytest

from rig.client import refused
from rig.keys import VERBS, may
from rig.minio import seal
from rig.s3 import S3
from rig.store import MinioStore

pytestmark = pytest.mark.minio

OTHER_KEY = "plain:planted-other-credential-key-0123456789"


@pytest.fixture(scope="module")
def shop(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def daemon(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]})


@pytest.fixture
def client(daemon):
    return daemon.client()


def test_write_only__cannot_erase(client, shop, name):
    """With s3:DeleteObject one request would erase all that is below a prefix, all versions of it."""
    bucket = client.create(name, {"versioning": "true"})
    key = shop.client(client.grant(bucket, f"ba-{name}", "writeOnly"))
    assert shop.root.put(name, "below/object", b"content").status == 200
    erase = key.request("DELETE", f"/{name}/below/", headers={"x-minio-force-delete": "true"})
    assert erase.status == 403
    assert shop.root.get(name, "below/object").body == b"content"


def test_several_buckets__what_is_left_is_granted_again(daemon, shop, name):
    """A revoke of some buckets leaves an account that a grant of the others finds as it is."""
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    access = client.grant(ids, f"ba-{name}")
    client.revoke(access.account_id, ids[:1])
    again = client.grant(ids[1:], f"ba-{name}")
    assert (again.key, again.secret) == (access.key, access.secret)
    key = shop.client(again)
    assert may(key, f"{name}-b", "put") and not may(key, f"{name}-a", "list")


def test_several_buckets__as_many_as_a_policy_holds(daemon, shop, name):
    client = daemon.client("v1alpha2")
    names = [f"{name}-{n:03}".ljust(63, "x") for n in range(125)]
    ids = [client.create(n) for n in names]
    with refused("OUT_OF_RANGE", "125 buckets are too many"):
        client.grant(ids, f"ba-{name}")
    assert f"cosi-ba-{name}" not in shop.accounts()
    access = client.grant(ids[:124], f"ba-{name}")
    key = shop.client(access)
    assert all(may(key, n, "put") for n in (names[0], names[61], names[123]))
    assert not may(key, names[124], "put")
    assert client.grant(ids[:124], f"ba-{name}").key == access.key
    client.revoke(access.account_id, ids)
    assert key.list(names[0]).code == "InvalidAccessKeyId"


def key_of(client, name):
    """The access key of an account that is gone again."""
    access = client.grant(f"shop.{name}", f"ba-{name}")
    client.revoke(access.account_id, f"shop.{name}")
    return access.key


def test_foreign__user_with_our_key(client, shop, name):
    """Another user has that very access key: the grant is refused, the user stays unchanged."""
    bucket = client.create(name)
    key = key_of(client, name)
    shop.root.put_user(key, "secret-of-a-stranger", "readwrite")
    with refused("FAILED_PRECONDITION", "credential"):
        client.grant(bucket, f"ba-{name}")
    assert shop.root.users()[key]["secretKey"] == "secret-of-a-stranger"
    assert shop.root.mappings()[key] == "readwrite"
    assert shop.root.remove_user(key).status == 200


def test_foreign__policies_of_our_prefix(client, shop, name):
    """Hand-made policies that begin like ours are neither read nor changed."""
    bucket = client.create(name)
    document = {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": ["s3:GetObject"], "Resource": ["arn:aws:s3:::*"]}]}
    theirs = [f"cosi-ba-{name}", f"cosi-ba-{name}.COSIAAAAAAAAAAAAAAAA"]
    for policy in theirs:
        shop.root.put_policy(policy, document)
    access = client.grant(bucket, f"ba-{name}")
    client.revoke(access.account_id, bucket)
    for policy in theirs:
        assert shop.root.policies()[policy] == document
        assert shop.root.remove_policy(policy).status == 200


def test_foreign__account_of_another_driver(cosid, client, shop, name):
    """Two owners' accounts of one name are two accounts, and neither's revoke ends the other's."""
    other = cosid({"driver_name": "other.example.org", "backends": [shop.backend("shop")]}).client()
    bucket = client.create(name)
    ours, theirs = client.grant(bucket, f"ba-{name}"), other.grant(name, f"ba-{name}")
    assert ours.key != theirs.key
    client.revoke(ours.account_id, bucket)
    assert shop.client(theirs).list(name).status == 200
    with refused("FAILED_PRECONDITION"):
        other.delete(bucket)
    other.revoke(theirs.account_id, name)


def test_foreign__accounts_that_are_not_ours(client, shop, minio, name):
    """A Revoke that names cosid's own user, or a policy of the server."""
    bucket = client.create(name)
    for account in (minio.key, "readwrite", "consoleAdmin", "cosi-", "cosid"):
        with refused("FAILED_PRECONDITION"):
            client.revoke(f"shop.{account}", bucket)
    assert minio.key in shop.root.users()


def test_disabled__by_an_operator(client, shop, name):
    """Making the user again would switch it on."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    shop.root.set_status(access.key, "disabled")
    with refused("FAILED_PRECONDITION", "disabled"):
        client.grant(bucket, f"ba-{name}")
    assert shop.root.users()[access.key]["status"] == "disabled"
    client.revoke(access.account_id, bucket)
    assert access.key not in shop.root.users()


def test_damage__is_repaired_by_the_repeated_grant(client, shop, name):
    """What an operator removed comes back, under the same key."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    policy = f"cosi-ba-{name}.{access.key}"
    document = shop.root.policies()[policy]

    def no_user():
        assert shop.root.remove_user(access.key).status == 200

    def nothing():
        no_user()
        assert shop.root.remove_policy(policy).status == 200

    def other_policy():
        assert shop.root.join(access.key, "diagnostics").status == 200

    def fewer_rights():
        fewer = [s | {"Action": ["s3:GetBucketLocation"]} if s.get("Sid") == "CosiReadWriteBuckets"
                 else s for s in document["Statement"]]
        shop.root.put_policy(policy, document | {"Statement": fewer})

    for damage in (no_user, nothing, other_policy, fewer_rights):
        damage()
        assert not may(shop.client(access), name, "list")
        assert client.grant(bucket, f"ba-{name}") == access
        assert all(may(shop.client(access), name, verb) for verb in ("put", "list", "remove"))


def test_policy__that_others_got_too(client, shop, name):
    """The account dies all the same; its policy stays until they have lost it."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    shop.root.put_user(f"person-{name}", "secret-of-a-person", f"cosi-ba-{name}.{access.key}")
    with refused("FAILED_PRECONDITION", f"cosi-ba-{name}"):
        client.revoke(access.account_id, bucket)
    assert shop.client(access).list(name).code == "InvalidAccessKeyId"
    assert shop.root.remove_user(f"person-{name}").status == 200
    client.revoke(access.account_id, bucket)
    assert f"cosi-ba-{name}" not in shop.accounts()


def test_keys__after_a_change_of_credential_key(cosid, shop, name):
    """Accounts keep the secret that they have while the key that it derives from is listed."""
    old = shop.backend("shop")["credential_key"]
    daemon = cosid({"backends": [shop.backend("shop")]})
    listed = daemon.client()
    bucket = listed.create(name)
    before = listed.grant(bucket, f"ba-{name}")
    daemon.write_config({"backends": [shop.backend(
        "shop", credential_key=OTHER_KEY,
        previous_credential_keys=["plain:planted-third-credential-key-0123456789", old])]})
    daemon.reload()
    assert listed.grant(bucket, f"ba-{name}") == before
    fresh = listed.grant(bucket, f"ba-{name}-new")
    unlisted = cosid({"backends": [shop.backend("shop", credential_key=OTHER_KEY)]}).client()
    assert unlisted.grant(bucket, f"ba-{name}-new") == fresh, "new accounts have the current one"
    with refused("FAILED_PRECONDITION", "previous_credential_keys"):
        unlisted.grant(bucket, f"ba-{name}")
    assert shop.client(before).list(name).status == 200, "nothing was changed"
    unlisted.revoke(before.account_id, bucket)
    assert shop.client(before).list(name).code == "InvalidAccessKeyId"
    after = listed.grant(bucket, f"ba-{name}")
    assert after.key == before.key and after.secret != before.secret


class Sts(S3):
    service = "sts"

    def assume_role(self, seconds=3600):
        """A client with temporary keys of this account."""
        reply = self.request("POST", "/", headers={
            "content-type": "application/x-www-form-urlencoded"},
            body=f"Action=AssumeRole&Version=2011-06-15&DurationSeconds={seconds}".encode())
        assert reply.status == 200, reply
        found = [reply.texts(w)[0] for w in ("AccessKeyId", "SecretAccessKey", "SessionToken")]
        return Assumed(self.url.geturl(), *found, self.region)


class Assumed(S3):
    def __init__(self, endpoint, key, secret, token, region):
        super().__init__(endpoint, key, secret, region)
        self.token = token

    def request(self, method, path, query=None, headers=None, body=b"", timeout=60):
        headers = (headers or {}) | {"x-amz-security-token": self.token}
        return super().request(method, path, query, headers, body, timeout)


def test_assumed_role__opens_nothing_ever(client, shop, name):
    """Any account may make itself temporary keys; they are refused, also after it is granted again."""
    bucket = client.create(name)
    assert shop.root.put(name, "object", b"content").status == 200
    access = client.grant(bucket, f"ba-{name}")
    temporary = Sts(access.endpoint, access.key, access.secret, access.region).assume_role(31536000)
    for verb in VERBS:
        assert not may(temporary, name, verb), verb
    client.revoke(access.account_id, bucket)
    assert temporary.list(name).status == 403
    again = client.grant(bucket, f"ba-{name}")
    assert (again.key, again.secret) == (access.key, access.secret), "derived: the same again"
    assert may(shop.client(again), name, "get")
    assert temporary.list(name).code == "InvalidAccessKeyId", "revoked for good"
    for verb in VERBS:
        assert not may(temporary, name, verb), verb


def test_account__cannot_outgrow_its_grant(client, shop, name):
    """No keys, no users, no policies of its own making; not even its own secret."""
    access = client.grant(client.create(name), f"ba-{name}")
    user = seal(access.secret, json.dumps({"secretKey": "x" * 40, "status": "enabled"}))
    mine = seal(access.secret, json.dumps({
        "accessKey": "MYOWN", "secretKey": "x" * 40, "targetUser": access.key}))
    everything = shop.root.policies()["consoleAdmin"]
    for method, what, query, body in (
            ("PUT", "add-user", {"accessKey": access.key}, user),
            ("PUT", "add-user", {"accessKey": "another"}, user),
            ("PUT", "add-service-account", {}, mine),
            ("PUT", "set-user-or-group-policy", {
                "policyName": "consoleAdmin", "userOrGroup": access.key, "isGroup": "false"}, b""),
            ("PUT", "add-canned-policy", {"name": f"cosi-ba-{name}.{access.key}"},
             json.dumps(everything).encode()),
            ("GET", "user-info", {"accessKey": access.key}, b""),
            ("GET", "list-canned-policies", {}, b""), ("GET", "export-iam", {}, b"")):
        reply = shop.client(access).request(method, f"/minio/admin/v3/{what}", query, body=body)
        assert (reply.status, reply.code) == (403, "AccessDenied"), what

# SPDX-License-Identifier: Apache-2.0
"""test_minio_rights.py - cosid with less than the manual's policy: each right is needed, and is named."""
import json
import re

import grpc
import pytest

from rig import tree
from rig.client import check_refusal
from rig.minio import Minio
from rig.store import MinioStore

pytestmark = pytest.mark.minio

POLICY = json.loads((tree.ROOT / "docs" / "stores" / "minio.md").read_text()
                    .split("```json\n")[1].split("```")[0])
RIGHTS = [action for statement in POLICY["Statement"] for action in statement["Action"]]
# For cosictl list alone.
LIST = "admin:ListUserPolicies"


def without(right):
    """The manual's policy without one right."""
    statements = []
    for statement in POLICY["Statement"]:
        actions = [a for a in statement["Action"] if a != right]
        if actions:
            statements.append(statement | {"Action": actions})
    return POLICY | {"Statement": statements}


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One of its own, because the policy of cosid's user changes."""
    made = Minio(tmp_path_factory.mktemp("minio")).up()
    yield made
    made.down()


@pytest.fixture(scope="module")
def shop(server):
    return MinioStore(server)


@pytest.fixture(scope="module")
def daemon(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]})


@pytest.fixture
def client(daemon):
    return daemon.client("v1alpha2")


def everything(client, shop, name):
    """Whatever cosid does at a server, as often as it has to; yields each step."""
    settings = {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}
    access = []
    yield lambda: client.create(name, settings)
    yield lambda: client.create(name, settings)
    yield lambda: client.create(f"{name}-lock", {"objectLock": "true"})
    assert shop.root.create(f"{name}-half").status in (200, 409)
    yield lambda: client.create(f"{name}-half")  # ABORTED: it is looked at from all sides first
    yield lambda: client.grant([f"shop.{name}", f"shop.{name}-lock"], f"ba-{name}")
    yield lambda: access.append(client.grant([f"shop.{name}", f"shop.{name}-lock"], f"ba-{name}"))
    shop.root.join(access[-1].key if access else "NOBODY", "")
    shop.root.put_policy(f"cosi-ba-{name}.{access[-1].key}" if access else "cosid-none", POLICY)
    yield lambda: client.grant([f"shop.{name}", f"shop.{name}-lock"], f"ba-{name}")
    yield lambda: client.revoke(f"shop.cosi-ba-{name}", f"shop.{name}")
    yield lambda: client.revoke(f"shop.cosi-ba-{name}", f"shop.{name}-lock")
    assert shop.root.put(name, "object").status in (200, 404)
    assert shop.root.put(name, "object\x01").status in (200, 404)
    yield lambda: client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    yield lambda: client.delete(f"shop.{name}-lock")


def refusals(client, shop, name):
    """The texts of all calls that were refused for want of a right."""
    found = []
    for step in everything(client, shop, name):
        try:
            step()
        except grpc.RpcError as error:
            code, text = check_refusal(error)
            if code == "PERMISSION_DENIED" or "a missing right" in text:
                found.append(text)
    return found


def test_rights__together_are_enough(client, shop, name):
    assert refusals(client, shop, name) == []


@pytest.mark.parametrize("right", [r for r in RIGHTS if r != LIST])
def test_rights__each_is_needed(client, shop, name, right):
    shop.root.put_policy("cosid", without(right))
    try:
        found = refusals(client, shop, name)
    finally:
        shop.root.put_policy("cosid", POLICY)
    assert found, "nothing was refused"
    assert any(re.search(f"{right}|AccessDenied|a missing right", text) for text in found), found
    refusals(client, shop, name)


def test_rights__of_a_prefix(client, shop, name):
    """The policy may name buckets: others are refused, and those that it names work."""
    limited = json.loads(json.dumps(POLICY).replace("arn:aws:s3:::*", f"arn:aws:s3:::{name}*"))
    shop.root.put_policy("cosid", limited)
    try:
        assert refusals(client, shop, name) == []
        assert refusals(client, shop, f"other-{name}")
    finally:
        shop.root.put_policy("cosid", POLICY)
def test_list__what_is_ours(cosid, shop, name):
    """cosictl list: by tags and by the names of policies; nothing of another owner."""
    daemon = cosid({"driver_name": "listed.example.org", "backends": [shop.backend("shop")]})
    client = daemon.client()
    bucket = client.create(name)
    account = client.grant(bucket, f"ba-{name}").account_id
    done = daemon.cosictl("-o", "json", "list", "shop")
    assert done.returncode == 0, done.stderr
    found = {f["id"]: f for f in json.loads(done.stdout)["found"]}
    assert set(found) == {bucket, account}
    assert found[bucket]["name"] == name and found[account]["kind"] == "account"



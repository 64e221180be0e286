# SPDX-License-Identifier: Apache-2.0
"""test_azure_params.py - anonymousAccess, marks, names and hard deletes on a real Azurite.

test_params.py has what is the same for several stores.
"""
import pytest

from rig.azure import Blob, Policy
from rig.behind import client, daemon, lasting_proxy, one, proxy, settings, shop
from rig.client import refused
from rig.store import AzureStore

pytestmark = pytest.mark.azure


@pytest.fixture(scope="module")
def real(azurite):
    return AzureStore(azurite)


# ---- anonymousAccess


def test_anonymous__nobody_by_default(one, shop, name):
    one.create(name)
    shop.fill(name)
    stranger = Blob(shop.public_endpoint)
    assert shop.root.public(name) is None
    assert stranger.list(name).status >= 400 and stranger.get(name, "object").status >= 400


def test_anonymous__read_only(client, shop, name):
    """Anonymous clients list and read but do not write; grants and revokes do not change that."""
    params = {"anonymousAccess": "readOnly"}
    bucket = client.create(name, params)
    shop.fill(name)
    stranger = Blob(shop.public_endpoint)

    def check():
        assert stranger.list(name).status == 200
        assert stranger.get(name, "object").body == b"content"
        assert stranger.put(name, "fresh").status >= 400
        assert stranger.remove(name, "object").status >= 400

    check()
    access = client.grant(bucket, f"ba-{name}")
    check()
    client.revoke(access.account_id, bucket)
    check()
    assert client.create(name, params) == bucket
    with refused("ALREADY_EXISTS", name):
        client.create(name, {"anonymousAccess": "private"})


# ---- marks


def test_marks__in_one_request(one, shop, name):
    """They are there as soon as the container is, and survive what is done to it."""
    bucket = one.create(name)
    marks = shop.root.marks(name)
    assert len(marks) == 3 and {"cosid.example.org", name} < set(marks.values())
    assert all(key.isalpha() for key in marks), "other letters are sorted in as many ways as servers"
    one.revoke(one.grant(bucket, f"ba-{name}").account_id, bucket)
    assert shop.root.marks(name) == marks


def test_marks__of_another_driver(cosid, client, shop, name):
    other = cosid({"driver_name": "other.example.org", "backends": [shop.backend("shop")]},
                  protocol="AZURE").client()
    other.create(name)
    marks = shop.root.marks(name)
    with refused("ALREADY_EXISTS", name):
        client.create(name)
    with refused("FAILED_PRECONDITION", name):
        client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    assert shop.root.marks(name) == marks


def test_marks__of_another_driver_and_its_accounts(cosid, one, shop, name):
    """Two owners' accounts of one name on one container are two, and neither's revoke ends the other's."""
    other = cosid({"driver_name": "other.example.org", "backends": [shop.backend("shop")]},
                  protocol="AZURE").client()
    bucket = one.create(name)
    ours, theirs = one.grant(bucket, f"ba-{name}"), other.grant(name, f"ba-{name}", "readOnly")
    assert shop.accounts_of(name) == [f"cosi-ba-{name}"] * 2 and ours.token != theirs.token
    one.revoke(ours.account_id, bucket)
    assert [shop.client(a).list(name).status for a in (ours, theirs)] == [403, 200]
    with refused("FAILED_PRECONDITION"):
        other.delete(bucket)
    other.revoke(theirs.account_id, name)
    assert shop.root.policies(name) == []


@pytest.mark.parametrize("marks", [{"team": "photos"}, "of another name", "without parameters"])
def test_marks__that_are_not_ours(one, shop, name, marks):
    if isinstance(marks, str):
        one.create(f"{name}-model")
        found = shop.root.marks(f"{name}-model")
        if marks == "without parameters":
            found = {k: v for k, v in found.items() if not v.startswith("1:")}
            assert len(found) == 2
        marks = found
    assert shop.root.create(name, **marks).status == 201
    shop.fill(name)
    with refused("ALREADY_EXISTS", name):
        one.create(name)
    if "team" in marks:
        with refused("FAILED_PRECONDITION", name):
            one.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    assert shop.root.marks(name) == marks and shop.is_filled(name)


def test_marks__in_another_case(one, shop, name):
    """Metadata names are case-insensitive; some clients write them back in capitals."""
    bucket = one.create(name)
    shop.root.set_marks(name, **{k.capitalize(): v for k, v in shop.root.marks(name).items()})
    assert one.create(name) == bucket
    one.delete(bucket)
    assert not shop.exists(name)


# ---- whenNotEmpty


def test_delete__snapshots_and_uncommitted_blocks(one, shop, name):
    """A blob that was never committed is none; one that was counts, whatever its name."""
    bucket = one.create(name)
    assert shop.root.request("PUT", f"/{name}/half", {"comp": "block", "blockid": "MDAx"},
                             body=b"x").status == 201
    assert shop.root.put(name, "below/a folder/ü").status == 201
    with refused("FAILED_PRECONDITION", f"{name}.*empty"):
        one.delete(bucket)
    assert shop.root.get(name, "below/a folder/ü").status == 200
    assert shop.root.remove(name, "below/a folder/ü").status == 202
    one.delete(bucket)
    assert not shop.exists(name)


def test_delete__purge_of_many(one, shop, name):
    bucket = one.create(name)
    for number in range(30):
        assert shop.root.put(name, f"object-{number}").status == 201
    access = one.grant(bucket, f"ba-{name}")
    one.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)
    one.create(name)
    assert shop.client(access).list(name).status == 403, "its policy went with the container"
    assert shop.root.policies(name) == []


def test_delete__while_somebody_holds_a_lease(one, shop, name):
    """A daemon killed in a grant leaves a lease for 15 s; a lease without end belongs to another client."""
    bucket = one.create(name)
    lease = shop.root.lease(name, duration=-1).headers["x-ms-lease-id"]
    with refused("FAILED_PRECONDITION", f"{name}.*lease"):
        one.delete(bucket)
    assert shop.exists(name)
    assert shop.root.lease(name, "release", id=lease).status == 200
    assert shop.root.lease(name, duration=60).status == 201
    one.delete(bucket)
    assert not shop.exists(name)


# ---- names


@pytest.mark.parametrize("asked", ["two--dashes", "with.dot", "$root", "$logs", "$web"])
def test_names__that_are_no_containers(daemon, shop, asked):
    """v1alpha1 tells applications that very word, so it must do; v1alpha2 is given another."""
    before = shop.buckets()
    with refused("INVALID_ARGUMENT", "name"):
        daemon.client("v1alpha1").create(asked)
    assert shop.buckets() == before
    if not asked.startswith("$"):
        client = daemon.client("v1alpha2")
        made = client.create(asked)
        assert client.create(asked) == made
        assert shop.exists(made.removeprefix("shop."))
        assert asked in shop.root.marks(made.removeprefix("shop.")).values()
        client.delete(made)


def test_names__of_every_length(daemon, shop):
    one = daemon.client("v1alpha1")
    for asked in ("abc", "y" * 63):
        assert one.create(asked) == f"shop.{asked}"
        one.delete(f"shop.{asked}")
    for asked in ("ab", "y" * 64):
        with refused("INVALID_ARGUMENT"):
            one.create(asked)


def test_names__longest_account(one, shop, name):
    """The policy's id holds 64 bytes: the longest account name fits."""
    bucket = one.create(name)
    account = "a" * (shop.account_most - len("cosi-"))
    access = one.grant(bucket, account)
    policy, = shop.root.policies(name)
    assert access.account_id == f"shop.cosi-{account}" and len(policy.id) == 64
    shop.root.set_policies(name, [policy, Policy(policy.id + "x", "r")])
    assert one.grant(bucket, account) == access
    one.revoke(access.account_id, bucket)
    assert [p.id for p in shop.root.policies(name)] == [policy.id + "x"], "longer: not ours"

# SPDX-License-Identifier: Apache-2.0
"""test_azure_access.py - tokens on a real Azurite: what they open, what they do not, until when."""
import re

import pytest

from rig.azure import CUSTOM, WELL_KNOWN, Blob, Policy
from rig.client import refused
from rig.store import AzureStore

pytestmark = pytest.mark.azure

PLACES = [(account, style) for account in (WELL_KNOWN[0], CUSTOM) for style in ("path", "host")]


@pytest.fixture(scope="module")
def shop(azurite):
    return AzureStore(azurite)


@pytest.fixture(scope="module")
def daemon(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]}, protocol="AZURE")


@pytest.fixture
def client(daemon):
    return daemon.client()


@pytest.fixture(scope="module", params=PLACES, ids="-".join)
def place(request, azurite, lasting):
    """(store, daemon): an account by either kind of URL."""
    store = AzureStore(azurite, *request.param)
    return store, lasting({"backends": [store.backend("shop")]}, protocol="AZURE")


def block_list(key, container):
    """A block, and its commit."""
    part = key.request("PUT", f"/{container}/big", {"comp": "block", "blockid": "MDAx"}, body=b"x")
    body = b'<?xml version="1.0" encoding="utf-8"?><BlockList><Latest>MDAx</Latest></BlockList>'
    done = key.request("PUT", f"/{container}/big", {"comp": "blocklist"}, body=body)
    return part.status == done.status == 201


VERBS = {
    "list": lambda key, container: key.list(container).status == 200,
    "get": lambda key, container: key.get(container, "object").status == 200,
    "put": lambda key, container: key.put(container, "fresh").status == 201,
    "overwrite": lambda key, container: key.put(container, "object", b"content").status == 201,
    "blocks": block_list,
    "remove": lambda key, container: key.remove(container, "fresh").status == 202,
}
WRITING = {"put", "overwrite", "blocks"}
MODES = {"readWrite": set(VERBS), "readOnly": {"list", "get"}, "writeOnly": WRITING,
         None: set(VERBS)}


def test_lifecycle__of_both_accounts_and_styles(place, api_version, name):
    shop, daemon = place
    client = daemon.client(api_version)
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    assert access.token.startswith(f"{shop.public_endpoint}/{name}?sv=")
    key = shop.client(access)
    assert all(VERBS[verb](key, name) for verb in ("put", "overwrite", "list", "get", "remove"))
    assert client.grant(bucket, f"ba-{name}") == access
    client.revoke(access.account_id, bucket)
    assert not any(VERBS[verb](key, name) for verb in VERBS)
    client.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


@pytest.mark.parametrize("mode", MODES)
def test_mode__opens_what_it_says(daemon, shop, api_version, name, mode):
    client = daemon.client(api_version)
    bucket, _ = client.create(name), client.create(f"{name}-other")
    for made in (name, f"{name}-other"):
        shop.fill(made)
    access = client.grant(bucket, f"ba-{name}", mode)
    key = shop.client(access)
    for verb in VERBS:
        assert VERBS[verb](key, name) == (verb in MODES[mode]), verb
        assert not VERBS[verb](key, f"{name}-other"), f"{verb} in another container"
    assert key.create(f"{name}-own").status == 403, "no container of its own"
    assert key.drop(name).status == 403
    assert key.set_policies(name, []).status == 403
    assert key.container("PUT", name, "metadata").status == 403
    client.revoke(access.account_id, bucket)
    for verb in VERBS:
        assert not VERBS[verb](key, name), f"{verb} after the revoke"
    assert key.list(name).code == "AuthorizationFailure"
    assert shop.is_filled(name), "the objects stay"


def test_token__lives_once(client, shop, name):
    """A revoked token stays dead when the account is granted again, with another token."""
    bucket = client.create(name)
    first = client.grant(bucket, f"ba-{name}")
    client.revoke(first.account_id, bucket)
    second = client.grant(bucket, f"ba-{name}")
    assert second.account_id == first.account_id and second.token != first.token
    assert shop.client(first).list(name).status == 403
    assert shop.client(second).list(name).status == 200
    client.revoke(second.account_id, bucket)
    client.delete(bucket)
    client.create(name)
    third = client.grant(bucket, f"ba-{name}")
    assert shop.client(third).list(name).status == 200
    assert [shop.client(old).list(name).status for old in (first, second)] == [403, 403]


def test_token__names_a_policy(client, shop, name):
    """The rights stand in the policy alone, so that nothing but the policy must go."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    policy, = shop.root.policies(name)
    assert re.fullmatch(rf"cosi-ba-{name}\.[A-Z2-7]{{8}}\.[A-Z2-7]{{10}}", policy.id)
    assert len(policy.id) <= 64
    assert (policy.permission, policy.expiry, policy.start) == ("racwdl", "", "")
    assert f"&si={policy.id}&sr=c&sig=" in access.token


@pytest.mark.parametrize("form", ["container", "service", "bare"])
def test_token__forms(cosid, shop, name, form):
    daemon = cosid({"backends": [shop.backend("shop", token_form=form)]}, protocol="AZURE")
    bucket = daemon.client().create(name)
    token = daemon.client().grant(bucket, f"ba-{name}").token
    assert daemon.client("v1alpha2").grant(bucket, f"ba-{name}").token == token
    before, _, sas = token.rpartition("?")
    assert before == {"container": f"{shop.public_endpoint}/{name}",
                      "service": shop.public_endpoint + "/", "bare": ""}[form]
    assert Blob(shop.public_endpoint, sas=sas).list(name).status == 200


def test_token__expires(cosid, shop, name):
    """sas_lifetime stands in the policy, and each API version gets it in its own form."""
    daemon = cosid({"backends": [shop.backend("shop", sas_lifetime="24h")]}, protocol="AZURE")
    one, two = daemon.client("v1alpha1"), daemon.client("v1alpha2")
    bucket = one.create(name)
    first, second = one.grant(bucket, f"ba-{name}"), two.grant(bucket, f"ba-{name}")
    assert first.token == second.token
    policy, = shop.root.policies(name)
    assert re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", policy.expiry)
    assert second.expires == policy.expiry
    assert first.expires == policy.expiry[:10] + " " + policy.expiry[11:19] + " +0000 UTC"
    assert shop.client(first).list(name).status == 200
    shop.root.set_policies(name, [Policy(policy.id, policy.permission, "2020-01-01T00:00:00Z")])
    assert shop.client(first).list(name).status == 403
    again = two.grant(bucket, f"ba-{name}")
    assert again.token == first.token and again.expires > "2026", "a new end for the same token"
    assert shop.client(again).list(name).status == 200


@pytest.mark.parametrize("lifetime, legal", [("1m", True), ("59s", False), ("876000h", True),
                                             ("876001h", False)])
def test_token__shortest_and_longest_life(cosid, shop, lifetime, legal):
    done = cosid.make({"backends": [shop.backend("shop", sas_lifetime=lifetime)]}).run("--check")
    assert done.returncode == (0 if legal else 1), done.stderr
    assert legal or "sas_lifetime" in done.stderr


FOREIGN = [Policy("by-hand", "r", "2031-01-02T03:04:05.1234567Z", "2020-01-01"),
           Policy("cosi-ba-by-hand", "rl"), Policy("with space &amp; more", "l", "2031-01-01")]


def test_foreign__policies_and_public_access_stay(client, shop, name):
    bucket = client.create(name)
    assert shop.root.set_policies(name, FOREIGN, public="blob").status == 200
    shown = shop.root.policies(name)
    access = client.grant(bucket, f"ba-{name}")
    assert [p for p in shop.root.policies(name) if not p.id.startswith(f"cosi-ba-{name}.")] == shown
    assert shop.root.public(name) == "blob"
    client.revoke(access.account_id, bucket)
    assert shop.root.policies(name) == shown and shop.root.public(name) == "blob"
    with refused("FAILED_PRECONDITION|NOT_FOUND|INVALID_ARGUMENT"):
        client.revoke("by-hand", bucket)
    client.revoke("shop.cosi-ba-by-hand", bucket)
    assert shop.root.policies(name) == shown, "it only begins like ours"


def test_policies__the_sixth(client, shop, name):
    """Five is the service's limit, and the emulator has none: cosid counts by itself."""
    bucket = client.create(name)
    assert shop.root.set_policies(name, FOREIGN[:2]).status == 200
    found = [client.grant(bucket, f"ba-{n}-{name}") for n in range(3)]
    assert all(shop.client(a).list(name).status == 200 for a in found)
    with refused("RESOURCE_EXHAUSTED", f"{name}.*(5|five)"):
        client.grant(bucket, f"ba-more-{name}")
    assert client.grant(bucket, f"ba-1-{name}") == found[1], "what is there is not counted again"
    assert len(shop.root.policies(name)) == 5
    client.revoke(found[0].account_id, bucket)
    assert shop.client(client.grant(bucket, f"ba-more-{name}")).list(name).status == 200


def test_policies__changed_by_hand(client, shop, name):
    """A repeated grant restores a policy that was changed by hand, under the same token."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}", "readOnly")
    policy, = shop.root.policies(name)
    for other in (Policy(policy.id, "racwdl"), Policy(policy.id, "rl", "2020-01-01"),
                  Policy(policy.id, "r")):
        assert shop.root.set_policies(name, [*FOREIGN[:2], other]).status == 200
        assert client.grant(bucket, f"ba-{name}", "readOnly") == access
        assert shop.client(access).list(name).status == 200
        assert shop.client(access).put(name, "fresh").status == 403
        assert [p for p in shop.root.policies(name) if p not in FOREIGN] == [policy]
    client.revoke(access.account_id, bucket)
    assert shop.root.policies(name) == FOREIGN[:2]


def test_policies__our_own_twice(client, shop, name):
    """A repeated request that two daemons wrote at once, or a hand: a revoke takes them all."""
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    policy, = shop.root.policies(name)
    account, _, params = policy.id.split(".")
    twin = Policy(f"{account}.AAAAAAAA.{params}", policy.permission)
    assert shop.root.set_policies(name, [policy, twin]).status == 200
    assert client.grant(bucket, f"ba-{name}") == access
    client.revoke(access.account_id, bucket)
    assert shop.root.policies(name) == []


def test_existing__container_of_somebody_else(client, shop, name):
    """Brownfield: it is granted and revoked, and keeps what it has."""
    assert shop.root.create(name, public="container", team="photos").status == 201
    shop.fill(name)
    access = client.grant(name, f"ba-{name}", "readOnly")
    assert shop.client(access).get(name, "object").body == b"content"
    client.revoke(access.account_id, name)
    with refused("FAILED_PRECONDITION"):
        client.delete(f"shop.{name}", {"whenNotEmpty": "purge"})
    assert shop.root.marks(name) == {"team": "photos"} and shop.root.public(name) == "container"


def test_two_backends__one_name_in_two_accounts(cosid, azurite, name):
    """Each has its own container, policy and key; a revoke in one leaves the other."""
    shops = {word: AzureStore(azurite, account)
             for word, account in (("one", WELL_KNOWN[0]), ("two", CUSTOM))}
    client = cosid({"backends": [s.backend(word) for word, s in shops.items()]},
                   protocol="AZURE").client()
    found = {}
    for word, shop in shops.items():
        bucket = client.create(name, {"backend": word})
        assert bucket == f"{word}.{name}"
        found[word] = client.grant(bucket, f"ba-{name}")
        assert found[word].token.startswith(f"{shop.public_endpoint}/{name}?")
        assert shop.client(found[word]).put(name, "object", word.encode()).status == 201
    client.revoke(found["one"].account_id, f"one.{name}")
    assert shops["one"].client(found["one"]).list(name).status == 403
    assert shops["two"].client(found["two"]).get(name, "object").body == b"two"
    client.delete(f"one.{name}", {"whenNotEmpty": "purge"})
    assert shops["two"].client(found["two"]).list(name).status == 200


def test_several_buckets__out_of_range(daemon, shop, name):
    """A token opens one container: v1alpha2 is told so in its own word."""
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    with refused("OUT_OF_RANGE", "one"):
        client.grant(ids, f"ba-{name}")
    assert shop.accounts_of(f"{name}-a") == [] and shop.accounts_of(f"{name}-b") == []


def test_revoke__of_a_bucket_that_cannot_be(client, cosid, shop, name):
    """v1alpha1 may name one that is none: the policies of all containers are looked through."""
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    found = [client.grant(i, f"ba-{name}") for i in ids]
    kept = client.grant(ids[0], f"ba-{name}-kept")
    alone = cosid({"backends": [shop.backend("shop", lease=False)]}, protocol="AZURE")
    with refused("FAILED_PRECONDITION", f"{name}-a"):
        alone.client().revoke(found[0].account_id, "no_container")
    assert [shop.client(a).list(f"{name}-{n}").status for a, n in zip(found, "ab")] == [200, 200]
    client.revoke(found[0].account_id, "no_container")
    assert [shop.client(a).list(f"{name}-{n}").status for a, n in zip(found, "ab")] == [403, 403]
    assert shop.client(kept).list(f"{name}-a").status == 200


def test_list__buckets_and_accounts(daemon, client, shop, name):
    """cosictl list: what has the driver's tags, and no policy of others."""
    bucket = client.create(name)
    client.grant(bucket, f"ba-{name}")
    policy, = shop.root.policies(name)
    shop.root.set_policies(name, [policy, *FOREIGN])
    shop.make_foreign(f"{name}-foreign")
    done = daemon.cosictl("list", "shop")
    assert done.returncode == 0, done.stderr
    assert f"shop.{name}" in done.stdout and f"shop.cosi-ba-{name}" in done.stdout
    assert f"{name}-foreign" not in done.stdout and "by-hand" not in done.stdout

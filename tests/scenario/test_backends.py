# SPDX-License-Identifier: Apache-2.0
"""test_backends.py - which backend gets a bucket, and that it is found again whatever the file says."""
import pytest

from rig.client import refused
from rig.store import Posix


@pytest.fixture
def stores(folder):
    return {name: Posix(folder / name) for name in ("north", "south", "west")}


@pytest.fixture
def config(stores):
    return {"backends": [store.backend(name) for name, store in stores.items()]}


ROUTES = [{"match": "photos-*", "backend": "south"}, {"match": "*-w?", "backend": "west"},
          {"match": "photos-x*", "backend": "north"}]


def test_pick__order_of_what_decides(cosid, config, stores, api_version):
    """The parameter, then the first route that matches, then default_backend."""
    daemon = cosid(config | {"routes": ROUTES, "default_backend": "north"})
    client = daemon.client(api_version)
    for name, params, backend in (
            ("photos-1", None, "south"), ("photos-xyz", None, "south"), ("logs-w2", None, "west"),
            ("logs-w22", None, "north"), ("anything", None, "north"),
            ("photos-2", {"backend": "west"}, "west")):
        assert client.create(name, params) == f"{backend}.{name}"
        assert stores[backend].exists(name)


def test_pick__nothing_decides_is_warned_of(cosid, config):
    words = "there is no 'default_backend' to choose between 'north', 'south', 'west'"
    daemon = cosid(config)
    assert daemon.log.count(words) == 1
    daemon.reload()
    assert daemon.log.count(words) == 2
    done = daemon.run("--check")
    assert done.returncode == 0 and f":6: warning: {words}" in done.stderr
    daemon.write_config(config | {"default_backend": "west"})
    daemon.reload()
    assert daemon.log.count(words) == 2 and daemon.run("--check").stderr == ""


@pytest.mark.clause(7)
def test_pick__nothing_decides(cosid, config):
    with refused("INVALID_ARGUMENT", "north.*south.*west"):
        cosid(config).client().create("anywhere")


def test_pick__accept_new(cosid, config):
    for backend in config["backends"][:2]:
        backend["accept_new"] = False
    client = cosid(config).client()
    assert client.create("anywhere") == "west.anywhere", "the only one that takes new buckets"
    with refused("FAILED_PRECONDITION", "backend 'north' takes no new buckets"):
        client.create("elsewhere", {"backend": "north"})


@pytest.mark.clause(64)
def test_pick__a_changed_default_gives_no_second_bucket(cosid, config, stores, api_version):
    daemon = cosid(config | {"default_backend": "north"})
    bucket = daemon.client(api_version).create("stays")
    daemon.stop()
    daemon.write_config(config | {"default_backend": "south"})
    daemon.start()
    client = daemon.client(api_version)
    assert client.create("stays") == bucket == "north.stays"
    assert not stores["south"].exists("stays")
    assert client.create("fresh") == "south.fresh"
    assert client.create("stays", {"backend": "south"}) == "south.stays", "asked for by name"


def test_pick__a_backend_that_takes_no_more_still_knows_its_own(cosid, config):
    daemon = cosid(config | {"default_backend": "north"})
    bucket = daemon.client().create("stays")
    daemon.stop()
    config["backends"][0]["accept_new"] = False
    daemon.write_config(config | {"default_backend": "south"})
    daemon.start()
    client = daemon.client()
    assert client.create("stays") == bucket
    access = client.grant(bucket, "ba-stays")
    client.revoke(access.account_id, bucket)
    client.delete(bucket)


def test_pick__a_candidate_that_cannot_answer(cosid, config, rgw, proxy, name):
    """It may hold the name: UNAVAILABLE, rather than a second bucket."""
    from rig.proxy import Cut
    from rig.store import CephRgw
    shop = CephRgw(rgw, proxy.endpoint)
    down = shop.backend("shop", retries=0)
    client = cosid(config | {"default_backend": "north",
                             "backends": config["backends"] + [down]}).client()
    proxy.rule = lambda request: Cut.BEFORE
    with refused("UNAVAILABLE", "shop"):
        client.create(name)
    proxy.reset()
    assert client.create(name) == f"north.{name}"


def test_removed__backend(cosid, config, stores):
    """No backend owns its ids then: never OK, never NOT_FOUND."""
    daemon = cosid(config | {"default_backend": "north"})
    client = daemon.client()
    bucket = client.create("left")
    account = client.grant(bucket, "ba-left").account_id
    daemon.stop()
    daemon.write_config({"backends": config["backends"][1:], "default_backend": "south"})
    daemon.start()
    client = daemon.client()
    with refused("FAILED_PRECONDITION", "north"):
        client.delete(bucket)
    with refused("FAILED_PRECONDITION", "north"):
        client.revoke(account, bucket)
    with refused("FAILED_PRECONDITION", "north"):
        client.grant(bucket, "ba-other")
    with refused("FAILED_PRECONDITION", "north"):
        daemon.client("v1alpha2").get(bucket)
    assert stores["north"].exists("left")


def test_existing__found_wherever_it_is(cosid, config, stores, api_version):
    """Brownfield by native name: exactly one backend must have it."""
    client = cosid(config).client(api_version)
    stores["south"].make_foreign("old")
    access = client.grant("old", "ba-old")
    assert access.account_id == "south.cosi-ba-old"
    client.revoke(access.account_id, "old")
    stores["west"].make_foreign("old")
    with refused("FAILED_PRECONDITION", "south.*west"):
        client.grant("old", "ba-old")
    assert client.grant("west.old", "ba-old").account_id == "west.cosi-ba-old"
    with refused("NOT_FOUND", "nowhere"):
        client.grant("nowhere", "ba-old2")


def test_existing__globs(cosid, config, stores):
    config["backends"][0]["existing_buckets"] = ["public-*"]
    client = cosid(config).client()
    stores["north"].make_foreign("public-a")
    stores["north"].make_foreign("private-a")
    assert client.grant("public-a", "ba-a").account_id == "north.cosi-ba-a"
    with refused("NOT_FOUND", "private-a"):
        client.grant("private-a", "ba-b")


@pytest.mark.clause(70)
def test_several_buckets__of_two_backends(cosid, config, stores):
    """OUT_OF_RANGE, with the reason: v1alpha2's word for "not in one access"."""
    client = cosid(config).client("v1alpha2")
    ids = [client.create("a", {"backend": "north"}), client.create("b", {"backend": "south"})]
    with refused("OUT_OF_RANGE", "backend"):
        client.grant(ids, "ba-two")
    assert stores["north"].accounts() == [] and stores["south"].accounts() == []


@pytest.mark.clause(60)
def test_no_backend(cosid):
    """v1alpha1 has a name to give; v1alpha2 must name a protocol and has none."""
    daemon = cosid({"backends": []})
    assert daemon.client("v1alpha1").info().name == "cosid.example.org"
    with refused("UNAVAILABLE", "backend"):
        daemon.client("v1alpha2").info()
    with refused("INVALID_ARGUMENT|UNAVAILABLE", "backend"):
        daemon.client("v1alpha1").create("anything")

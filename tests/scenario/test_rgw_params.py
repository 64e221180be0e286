# SPDX-License-Identifier: Apache-2.0
"""test_rgw_params.py - bucket parameters on a real gateway: quotas, regions, names; a delete that takes long.

test_params.py has what is the same for several stores.
"""
import pytest

from rig.client import refused, until_ok
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


@pytest.mark.clause(8)
def test_region__that_the_gateway_does_not_have(client, shop, name):
    """A legal word that this store cannot use."""
    with refused("OUT_OF_RANGE" if client.dialect == "v1alpha1" else "INVALID_ARGUMENT", "region"):
        client.create(name, {"region": "moon-1"})
    assert not shop.exists(name)


def test_region__that_it_has(one, shop, name):
    one.create(name, {"region": "default"})
    assert shop.exists(name)


def test_delete__purge_in_short_calls(cosid, shop, name):
    """No call has the time for a page of the usual size; those that come again get there."""
    daemon = cosid({"call_timeout": "2s", "backends": [shop.backend("shop")]})
    client = daemon.client()
    bucket = client.create(name)
    for number in range(450):
        assert shop.root.put(name, f"{number}", b"").status == 200
    until_ok("ABORTED|DEADLINE_EXCEEDED", client.delete, bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


def test_names__that_are_api_prefixes(client, shop):
    """RGW serves its other APIs there: a refusal in words, not a strange status."""
    for word in ("admin", "swift", "auth"):
        if client.dialect == "v1alpha1":
            with refused("INVALID_ARGUMENT", word):
                client.create(word)
        else:
            assert shop.exists(client.create(word).removeprefix("shop."))

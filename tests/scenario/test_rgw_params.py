# SPDX-License-Identifier: Apache-2.0
"""test_rgw_params.py - bucket parameters on a real gateway: quotas, regions; a delete that takes long.

test_params.py has what is the same for several stores.
"""
import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, settings, shop
from rig.client import until_ok
from rig.store import CephRgw


pytestmark = pytest.mark.ceph


@pytest.fixture(scope="module")
def real(rgw):
    return CephRgw(rgw)


def test_parameters__spelling_does_not_matter(one, name):
    bucket = one.create(name, {"quotaMaxSize": "10Mi"})
    assert one.create(name, {"quotaMaxSize": str(10 * 1024 * 1024)}) == bucket


def test_quota__objects(one, shop, name):
    bucket = one.create(name, {"quotaMaxObjects": "2"})
    key = shop.client(one.grant(bucket, f"ba-{name}"))
    assert [key.put(name, f"o{n}").status for n in range(3)] == [200, 200, 403]


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
# SPDX-License-Identifier: Apache-2.0
"""test_rgw_params.py - bucket parameters on a real gateway: quotas, regions; a delete that takes long.

test_params.py has what is the same for several stores.
"""
import pytest

from rig.behind import daemon, lasting_proxy, one, proxy, settings, shop
from rig.client import until_ok
from rig.s3 import S3
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

def test_take_over__is_logged(daemon, one, shop, name):
    """A bucket that someone made by hand as cosid's user, and did not touch."""
    shop.make_foreign(name)
    one.create(name)
    daemon.wait_log(f"notice ceph-rgw: takes over bucket '{name}', which has no tags")
    assert one.create(name) == f"shop.{name}"
    assert daemon.log.count(f"takes over bucket '{name}'") == 1
    one.delete(f"shop.{name}")


PUBLIC = {"x-amz-acl": "public-read"}
READERS = {"x-amz-grant-read": 'uri="http://acs.amazonaws.com/groups/global/AllUsers"'}


def publish(key, bucket):
    """The names of objects that a key has written and made public, in every way there is."""
    assert key.put(bucket, "put", **{"x_amz_acl": "public-read"}).status == 200
    assert key.request("PUT", f"/{bucket}/granted", headers=READERS, body=b"x").status == 200
    assert key.put(bucket, "later").status == 200
    assert key.request("PUT", f"/{bucket}/later", {"acl": ""}, headers=PUBLIC).status == 200
    copy = PUBLIC | {"x-amz-copy-source": f"/{bucket}/put"}
    assert key.request("PUT", f"/{bucket}/copied", headers=copy).status == 200
    begun = key.request("POST", f"/{bucket}/parts", {"uploads": ""}, headers=PUBLIC)
    upload = begun.texts("UploadId")[0]
    part = key.request("PUT", f"/{bucket}/parts", {"partNumber": "1", "uploadId": upload}, body=b"x")
    whole = f"<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>{part.headers['etag']}</ETag></Part>" \
        "</CompleteMultipartUpload>"
    assert key.request("POST", f"/{bucket}/parts", {"uploadId": upload}, body=whole.encode()).status == 200
    return ["put", "granted", "later", "copied", "parts"]


@pytest.mark.parametrize("params, status", [({"anonymousAccess": "private"}, 403), ({}, 200)])
def test_publish__closed_by_private_alone(one, shop, name, params, status):
    """After the Revoke, as ceph-rgw.md says."""
    bucket = one.create(name, params)
    access = one.grant(bucket, f"ba-{name}")
    objects = publish(shop.client(access), name)
    one.revoke(access.account_id, bucket)
    anyone = S3(shop.server.endpoint)
    assert {o: anyone.get(name, o).status for o in objects} == dict.fromkeys(objects, status)
    one.delete(bucket, {"whenNotEmpty": "purge"})

# SPDX-License-Identifier: Apache-2.0
"""test_rgw_trouble.py - a gateway that refuses, lies, or is gone for long: clear answers, nothing lost.

test_store_trouble.py has what is the same for every store.
"""
import json

import pytest

from rig.ceph import Ceph
from rig import secrets
from rig.behind import daemon, lasting_proxy, one, proxy, shop
from rig.client import refused, until_ok
from rig.proxy import of_store
from rig.steps import QUICK, live
from rig.store import CephRgw


pytestmark = pytest.mark.ceph


@pytest.fixture(scope="module")
def real(rgw):
    return CephRgw(rgw)


@pytest.fixture(scope="module")
def settings():
    return QUICK


@pytest.mark.clause(31)
def test_keys__without_the_capability(cosid, folder, name):
    """An administrator who may not make users: PERMISSION_DENIED, and the text says what is missing."""
    ceph = Ceph(folder / "ceph", caps="buckets=read").up()
    try:
        shop = CephRgw(ceph)
        client = cosid({"backends": [shop.backend("shop")]}).client()
        bucket = client.create(name)
        with refused("PERMISSION_DENIED", "users"):
            client.grant(bucket, f"ba-{name}")
    finally:
        ceph.down()


@pytest.mark.clause(31)
def test_grant__without_the_right_to_set_policies(cosid, folder, name):
    """It leaves a user without rights. A Revoke of v1alpha2 takes single buckets out of its policy, which it may
    not read; one of v1alpha1 takes the whole account. Once the capability is there, both calls of v1alpha2 succeed."""
    ceph = Ceph(folder / "ceph", caps="users=*").up()
    try:
        shop = CephRgw(ceph)
        daemon = cosid({"backends": [shop.backend("shop")]})
        old, new = daemon.client("v1alpha1"), daemon.client("v1alpha2")
        bucket, account = old.create(name), f"shop.cosi-ba-{name}"
        with refused("PERMISSION_DENIED", "lacks the cap 'user-policy=write'"):
            new.grant(bucket, f"ba-{name}")
        assert shop.accounts() == [f"cosi-ba-{name}"]
        assert shop.admin.client(f"cosi-ba-{name}").list(name).status == 403
        with refused("PERMISSION_DENIED", "lacks the cap 'user-policy=read'"):
            new.revoke(account, bucket)
        old.revoke(account, bucket)
        assert shop.accounts() == []
        for ba in (f"granted-{name}", f"revoked-{name}"):
            with refused("PERMISSION_DENIED", "lacks the cap"):
                new.grant(bucket, ba)
        ceph.admin().caps_add("cosid", "user-policy=*")
        access = new.grant(bucket, f"granted-{name}")
        assert shop.client(access).list(name).status == 200
        new.revoke(f"shop.cosi-revoked-{name}", bucket)
        assert shop.accounts() == [f"cosi-granted-{name}"]
    finally:
        ceph.down()


def test_lie__a_revoke_that_did_not_happen(cosid, folder, name):
    """With rados_osd_op_timeout a gateway whose osd hangs says 404 for users that are there: a
    revoke must not be OK then."""
    ceph = Ceph(folder / "ceph", rgw_options="rados_osd_op_timeout = 1").up()
    try:
        shop = CephRgw(ceph)
        daemon = cosid({"call_timeout": "10s", "backends": [shop.backend("shop", retries=0)]})
        client = daemon.client()
        passing = "UNAVAILABLE|DEADLINE_EXCEEDED|UNAUTHENTICATED"
        bucket = until_ok(passing, client.create, name)  # on a busy machine 1 s may be too short
        access = until_ok(passing, client.grant, bucket, f"ba-{name}")
        key = shop.client(access)
        while key.list(name).status != 200:
            pass
        with ceph.stopped("osd"):
            with refused(passing):
                client.revoke(access.account_id, bucket)
        # The account may be gone by now: what the gateway sent, the osd does when it wakes.
        until_ok(passing, client.revoke, access.account_id, bucket)
        assert key.list(name).status == 403
    finally:
        ceph.down()


@pytest.mark.parametrize("derived", [False, True])
def test_grant__key_that_the_gateway_lost(cosid, folder, name, derived):
    """The user lists it, and it opens nothing: a repeated Grant makes the same key anew, also in a daemon that
    granted it. Without a cache the gateway is as it would be after its crash."""
    ceph = Ceph(folder / "ceph", rgw_options="rgw_cache_enabled = false").up()
    try:
        shop = CephRgw(ceph)
        more = {"credential_key": "plain:" + secrets.plant("planted-credential-key-of-a-lost-one")} if derived else {}
        config = {"backends": [shop.backend("shop", **more)]}
        first, second = cosid(config).client(), cosid(config).client()
        bucket = first.create(name)
        access = first.grant(bucket, f"ba-{name}")
        for client in (first, second):
            assert shop.client(access).list(name).status == 200
            ceph.lose_key(access.key)
            assert shop.client(access).list(name).status == 403
            assert client.grant(bucket, f"ba-{name}").credentials == access.credentials
        assert shop.client(access).list(name).status == 200
        first.revoke(access.account_id, bucket)
        assert shop.client(access).list(name).status == 403
    finally:
        ceph.down()


def test_answer__of_another_shape(one, proxy, name):
    """Valid JSON of an unexpected shape."""
    one.create(name)
    shapes = [{}, [], None, 5, "x", {"keys": []}, {"keys": {}}, {"keys": [{}]},
              {"user_id": 5, "keys": [{"user": 5, "access_key": None}]}]
    for shape in shapes:
        body = json.dumps(shape).encode()

        def rule(request, body=body):
            return of_store(200, body) if request.target.startswith("/admin") else None

        proxy.rule = rule
        with refused("INTERNAL|UNAVAILABLE|FAILED_PRECONDITION|ABORTED"):
            one.grant(f"shop.{name}", f"ba-{name}")
    proxy.reset()
    live(one, name)

# SPDX-License-Identifier: Apache-2.0
"""test_rgw_requests.py - which HTTP requests each call costs on a gateway."""
import pytest

from rig.store import CephRgw


@pytest.fixture
def shop(rgw, proxy):
    return CephRgw(rgw, proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop")]})


@pytest.mark.clause(65)
def test_requests__of_each_call(daemon, proxy, name, rgw):
    client, bucket, account = daemon.client(), f"shop.{name}", f"shop.cosi-ba-{name}"
    mark, user = f"GET /{name}?tagging", "/admin/user"
    assert proxy.asked(client.create, name) == [mark, f"PUT /{name}", f"PUT /{name}?tagging"]
    assert proxy.asked(client.create, name) == [mark]
    assert len(proxy.asked(client.grant, bucket, f"ba-{name}")) == 4
    assert proxy.lines()[1:] == [f"PUT {user}", "POST /", f"GET {user}"]
    assert len(proxy.asked(client.grant, bucket, f"ba-{name}")) == 3
    assert proxy.lines()[1:] == [f"GET {user}", "POST /"]
    assert len(proxy.asked(client.revoke, account, bucket)) == 4
    assert sorted(proxy.lines()) == [f"DELETE {user}"] + [f"GET {user}"] * 3
    assert any(rgw.key in r.target for r in proxy.requests), "the proof that RADOS answers"
    assert proxy.asked(client.delete, bucket) == [mark, f"DELETE /{name}"]
    assert not rgw.admin().bucket(name)


def test_requests__no_secret_in_a_url(daemon, proxy, name):
    """A store's log holds the lines of its requests."""
    client = daemon.client()
    access = client.grant(client.create(name), f"ba-{name}")
    for request in proxy.requests:
        assert access.secret not in request.target

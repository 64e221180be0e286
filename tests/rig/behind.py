# SPDX-License-Identifier: Apache-2.0
"""behind.py - fixtures of suites that run on several stores, each behind a proxy; a file imports what it uses.

A file says which stores (a parameter of `real`) and overrides `settings`, what its backend is told.
"""
import pytest

from rig.proxy import Proxy
from rig.store import AzureStore, CephRgw, MinioStore

STORES = {"ceph-rgw": (CephRgw, "rgw"), "minio": (MinioStore, "minio"), "azure": (AzureStore, "azurite")}


def on(*names):
    """pytestmark of a file whose tests run on these stores."""
    return pytest.mark.parametrize("real", names, indirect=True, scope="module")


@pytest.fixture(scope="module", params=list(STORES))
def real(request):
    """The store on the run's server."""
    kind, server = STORES[request.param]
    return kind(request.getfixturevalue(server))


@pytest.fixture(scope="module")
def lasting_proxy(real):
    with Proxy(real.server.endpoint) as made:
        yield made


@pytest.fixture
def proxy(lasting_proxy):
    lasting_proxy.reset()
    return lasting_proxy


@pytest.fixture(scope="module")
def shop(real, lasting_proxy):
    """The same store by way of the proxy."""
    return real.at(lasting_proxy.endpoint)


@pytest.fixture(scope="module")
def settings():
    return {}


@pytest.fixture(scope="module")
def daemon(lasting, shop, settings):
    """One for all tests of the file."""
    return lasting({"backends": [shop.backend("shop", **settings)]}, protocol=shop.protocol)


@pytest.fixture
def client(daemon, proxy, api_version):
    return daemon.client(api_version)


@pytest.fixture
def one(daemon, proxy):
    """A client where the API version makes no difference."""
    return daemon.client()

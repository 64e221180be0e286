# SPDX-License-Identifier: Apache-2.0
"""test_cuts.py - a kill, and a connection that breaks, between any two requests of a call to an S3 store.

Which requests those are: test_requests.py.  Azure's locks last longer than a call, so that
test_azure_cuts.py does it in another order.
"""
import dataclasses

import pytest

from rig.client import outcome, refused, until_ok
from rig.proxy import Cut, Proxy
from rig.steps import PASSING, lifecycle, run


@dataclasses.dataclass
class Case:
    """What is special about a store."""

    most: dict  # the requests of each operation
    settings: dict  # of the operation "settings"
    config: dict = dataclasses.field(default_factory=dict)
    # The codes that the next calls may get before they are OK; on a slow machine the deadline passes.
    again: str = "DEADLINE_EXCEEDED"
    restarted: tuple = ()  # after these a lock stays for 60 s: the next call comes to a restarted cosid


CASES = {
    "ceph-rgw": Case(
        {"create": 3, "grant": 4, "repeat": 3, "revoke": 4, "delete": 2, "settings": 6},
        {"versioning": "true", "quotaMaxObjects": "10"}, restarted=("delete",)),
    "minio": Case(
        {"create": 2, "grant": 5, "repeat": 2, "revoke": 3, "delete": 2, "settings": 6},
        {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}, again=PASSING,
        config={"call_timeout": "1s"}),
}
# What runs before the operation.
BEFORE = {"create": [], "grant": ["create"], "repeat": ["create", "grant"],
          "revoke": ["create", "grant"], "delete": ["create"], "settings": []}


@pytest.fixture(params=CASES)
def real(request, stores):
    return stores(request.param)


@pytest.fixture
def case(real):
    return CASES[real.name]


@pytest.fixture
def proxy(real):
    with Proxy(real.server.endpoint) as made:
        yield made


@pytest.fixture
def shop(real, proxy):
    return real.at(proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop, case):
    # After a cut the locks stay held for as long as the lost request may still be at work.
    return cosid(case.config | {"backends": [shop.backend("shop", request_timeout="1s")]})


def everything(shop):
    """All that a lifecycle could leave behind."""
    return shop.buckets(), shop.rights()


def check_retried(client, shop, operation, name):
    """After the retry: the settings are there, an account of MinIO is one user, one policy, one key."""
    if operation == "settings":
        assert shop.root.versioning(name) == "Enabled"
        if shop.name == "minio":
            assert shop.root.quota(name) == 1 << 30
            tags = shop.root.tags(name)
            assert "cosi-params" in tags and "cosi-making" not in tags
        client.delete(f"shop.{name}")
    if operation in ("grant", "repeat") and shop.name == "minio":
        key = client.grant(f"shop.{name}", f"ba-{name}").key
        assert [p for p in shop.root.policies() if name in p] == [f"cosi-ba-{name}.{key}"]
        assert shop.root.mappings()[key] == f"cosi-ba-{name}.{key}"


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", BEFORE)
def test_kill__between_any_two_requests(daemon, proxy, shop, case, name, operation):
    """kill -9 when request N was answered and not heard: the retry converges, nothing is left over."""
    found = everything(shop)
    for number in range(1, case.most[operation] + 1):
        each = f"{name}-{number}"
        proxy.reset()
        client = daemon.client()
        for earlier in BEFORE[operation]:
            run(client, earlier, each)
        proxy.reset()
        proxy.after = lambda r, n=number: daemon.process.kill() if r.number == n else None
        with refused("UNAVAILABLE"):
            run(client, operation, each, case.settings)
        daemon.kill()
        daemon.close_clients()
        proxy.reset()
        daemon.start()
        client = daemon.client()
        until_ok(case.again, run, client, operation, each, case.settings)
        check_retried(client, shop, operation, each)
        lifecycle(client, shop, each)
        assert everything(shop) == found, f"after request {number}"


@pytest.mark.clause(27)
@pytest.mark.parametrize("operation", BEFORE)
@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, proxy, shop, case, name, operation, cut):
    """A connection that breaks at request N: a GET is sent again; what changes something is not, since
    the store may still carry it out: the call fails.  The next calls converge."""
    found = everything(shop)
    client = daemon.client()
    for number in range(1, case.most[operation] + 1):
        each = f"{name}-{number}"
        proxy.reset()
        for earlier in BEFORE[operation]:
            run(client, earlier, each)
        proxy.reset()
        proxy.rule = lambda r, n=number: cut if r.number == n else None
        ended = outcome(run, client, operation, each, case.settings)
        last = proxy.requests[-1]
        if proxy.requests[number - 1].method == "GET":
            assert ended in ("OK", "DEADLINE_EXCEEDED") and last.number > number
        else:
            assert ended == "UNAVAILABLE" and last.number == number
        proxy.reset()
        if operation in case.restarted:
            daemon.stop()
            client = daemon.start().client()
        until_ok(case.again, run, client, operation, each, case.settings)
        check_retried(client, shop, operation, each)
        lifecycle(client, shop, each)
        assert everything(shop) == found, f"after request {number}"

# SPDX-License-Identifier: Apache-2.0
"""test_late.py - a request whose caller was cut off reaches the store later, when the test says so.

The call fails, is repeated and answered, and then the late request arrives: nothing that was answered
may be undone by it.  docs/operations.md, "Several daemons on one store", says what else can happen.
"""
import itertools

import pytest

from rig import secrets
from rig.client import outcome, until_ok
from rig.life import BEFORE, Life, unlock
from rig.proxy import Cut, Proxy
from rig.steps import PASSING
from rig.store import AzureStore, CephRgw, MinioStore

STORES = {"ceph-rgw": (CephRgw, "rgw"), "minio": (MinioStore, "minio"), "azure": (AzureStore, "azurite")}
# A request of RADOS Gateway that deletes a bucket keeps its locks for 60 s; other requests, this long.
TIMEOUT = "500ms"
MANY = pytest.mark.parametrize("daemons", [1, 2])


@pytest.fixture(params=STORES)
def real(request):
    kind, server = STORES[request.param]
    return kind(request.getfixturevalue(server))


@pytest.fixture
def proxy(real):
    with Proxy(real.server.endpoint) as made:
        yield made


@pytest.fixture
def start(cosid, real, proxy):
    """start(n): clients of n daemons on the store; only the first one comes through the proxy."""

    def backend(shop):
        more = {"credential_key": "plain:" + secrets.plant("planted-credential-key-of-late-requests")}
        return shop.backend("shop", request_timeout=TIMEOUT, **(more if shop.name == "ceph-rgw" else {}))

    def made(count):
        shops = [real.at(proxy.endpoint), real][:count]
        return [cosid({"call_timeout": "2s", "backends": [backend(shop)]}, protocol=real.protocol)
                for shop in shops]

    return made


def changes(request):
    return request.method not in ("GET", "HEAD")


def lose(proxy, number, cut=Cut.LATE):
    """Keeps the numberth change of the next call, which gets no answer."""
    count = itertools.count(1)
    proxy.reset()
    proxy.rule = lambda r: cut if changes(r) and next(count) == number else None


@MANY
@pytest.mark.parametrize("what", BEFORE)
def test_repeated__then_the_late_request_arrives(start, real, proxy, name, what, daemons, whole):
    """Each change of a call is lost in turn; the call is repeated, at the same daemon or at another."""
    made = start(daemons)
    short = real.name == "minio" and not whole  # an unfinished bucket waits there for two call_timeouts
    for number in range(1, 3) if short else itertools.count(1):
        life = Life(real, made[0].client(), f"{name}-{number}")
        access = None
        proxy.reset()
        for earlier in BEFORE[what]:
            answer = until_ok(PASSING, life.call, earlier)
            access = answer if earlier == "grant" else access
        lose(proxy, number)
        if outcome(life.call, what) == "OK":
            assert number > 1, "no change was lost"
            break
        proxy.wait_kept()
        proxy.reset()
        unlock(real, life.name)
        if what == "delete" and real.name == "ceph-rgw" and daemons == 1:
            made[0].stop()  # its locks would stay for 60 s
            life = life.at(made[0].start().client())
        again = life.at(made[-1].client())
        answer = until_ok(PASSING, again.call, what)
        proxy.deliver()
        unlock(real, life.name)
        again.check(what, answer if what == "grant" else access)


# What undoes what; RADOS Gateway's DELETE of a bucket keeps it locked for 60 s.
REVERSE = {"create": "delete", "grant": "revoke", "revoke": "grant", "delete": "create"}


@pytest.mark.whole_sweeps(real="ceph-rgw", what="delete")  # 60 s
@pytest.mark.parametrize("what, cut", [*((what, Cut.LATE) for what in REVERSE),
                                       ("create", Cut.GATEWAY), ("revoke", Cut.GATEWAY)])
def test_one_daemon__the_reverse_call_waits(start, real, proxy, name, what, cut):
    """The late request arrives within its timeout, while the call that undoes it waits for the locks; also
    when a proxy answered 503 in its place."""
    made = start(1)
    for number in itertools.count(1):
        life = Life(real, made[0].client(), f"{name}-{number}")
        proxy.reset()
        for earlier in BEFORE[what]:
            until_ok(PASSING, life.call, earlier)
        lose(proxy, number, cut)
        if outcome(life.call, what) == "OK":
            assert number > 1, "no change was lost"
            break
        proxy.wait_kept()
        proxy.reset()
        proxy.deliver()
        unlock(real, life.name)
        if what == "create" and number == 1 and real.name != "azure":
            while (code := outcome(life.call, "delete")) in PASSING:
                pass  # the locks are kept
            assert code == "FAILED_PRECONDITION"  # without tags it may be anybody's
            until_ok(PASSING, life.call, "create")
        answer = until_ok(PASSING, life.call, REVERSE[what])
        life.check(REVERSE[what], answer if what == "revoke" else None)


# What a late request of one daemon leaves after the reverse call of another was OK, by the number of the
# lost change.  On Azure the first and last ones of Grant and Revoke are about the lease.
UNDONE = {"create": {1: "a bucket"}, "grant": {1: "an account"}, "revoke": {1: "a dead key"}, "delete": {1: "nothing"}}
UNDONE_AZURE = UNDONE | {"grant": {2: "an account"}, "revoke": {2: "a dead key"}}


def left(life, what, access):
    """What is there that the reverse call of `what` has not left so; None: nothing."""
    real, name = life.real, life.name
    if what == "create":
        return "a bucket" if real.exists(name) else None
    if what == "delete":
        return None if real.exists(name) else "nothing"
    if what == "grant":
        return "an account" if f"cosi-ba-{name}" in real.accounts() else None
    return None if real.client(access).list(name).status == 200 else "a dead key"


@pytest.mark.parametrize("what", REVERSE)
def test_two_daemons__what_the_stores_cannot_prevent(start, real, proxy, name, what):
    """The other daemon knows nothing of the lost request; one more call puts everything right."""
    first, second = [daemon.client() for daemon in start(2)]
    found = {}
    for number in itertools.count(1):
        life = Life(real, first, f"{name}-{number}")
        proxy.reset()
        for earlier in BEFORE[what]:
            until_ok(PASSING, life.call, earlier)
        lose(proxy, number)
        if outcome(life.call, what) == "OK":
            break
        proxy.wait_kept()
        proxy.reset()
        life = life.at(second)
        code = outcome(life.call, REVERSE[what])
        access = life.call("grant") if what == "revoke" and code == "OK" else None
        proxy.deliver()
        if code != "OK":
            assert code in ("FAILED_PRECONDITION" if what == "create" else PASSING)
            continue
        if (more := left(life, what, access)) is None:
            continue
        found[number] = more
        if what == "grant" and real.name == "ceph-rgw":
            key = real.admin.client(f"cosi-ba-{life.name}")
            assert key.list(life.name).status == 403 and key.put(life.name, "object").status == 403
        unlock(real, life.name)
        if what == "create":
            until_ok(PASSING, life.call, what)  # it has no tags on S3 stores
        again = until_ok(PASSING, life.call, REVERSE[what])
        assert left(life, what, again) is None
    assert found == (UNDONE_AZURE if real.name == "azure" else UNDONE)[what]

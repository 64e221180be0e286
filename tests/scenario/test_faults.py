# SPDX-License-Identifier: Apache-2.0
"""test_faults.py - a fault at every request of every call to every store, one kind after another.

The call is OK or fails in a way that passes; an OK is true as it stands, and else the repetition's is, at
the same daemon or at another one.  Then a whole life with the same names, and nothing is left.  pytest -rP
says how many faults there were.
"""
import itertools

import pytest

from rig import secrets
from rig.client import outcome, until_ok
from rig.faults import KINDS, Faults, everything, real
from rig.life import SETTINGS, Life, unlock
from rig.proxy import Proxy
from rig.steps import PASSING

# After these a request can arrive late, which another daemon does not know of.
UNKNOWN = ["cut after", "hang", "mute", "late", "delay", "gateway", "cosid killed before", "cosid killed after",
           "store stands still"]
# What the gate tries, which has the others elsewhere: test_late.py, test_cuts.py, test_hostile.py.
GATE = {("ceph-rgw", "delay", 1), ("ceph-rgw", "twice", 1), ("minio", "delay", 1),
        ("minio", "store killed after", 1), ("azure", "delay", 2), ("azure", "mute", 1)}
# What comes before the call, and the call.
OPERATIONS = {"create": ([], "create"), "settings": ([], "create"), "again": (["create"], "create"),
              "grant": (["create"], "grant"), "repeat": (["create", "grant"], "grant"),
              "revoke": (["create", "grant"], "revoke"), "delete": (["create"], "delete")}


def cases():
    for store, kind, daemons, operation in itertools.product(SETTINGS, KINDS, (1, 2), OPERATIONS):
        if daemons == 2 and kind not in UNKNOWN or operation == "settings" and not SETTINGS[store]:
            continue
        marks = () if (store, kind, daemons) in GATE else pytest.mark.whole_sweeps()
        yield pytest.param(store, kind, daemons, operation, marks=marks)


@pytest.fixture
def proxy(real):
    with Proxy(real.server.endpoint) as made:
        yield made


@pytest.fixture
def pair(cosid, real, proxy, daemons):
    """The daemon behind the proxy, and the one that the repetition goes to."""
    more = {"call_timeout": "1s" if real.name == "minio" else "2s"}
    key = {"credential_key": "plain:" + secrets.plant("planted-credential-key-of-the-sweep")}
    shops = [real.at(proxy.endpoint), real][:daemons]
    # No retries: the fault is what the call meets.
    made = [cosid(more | {"backends": [shop.backend("shop", request_timeout="500ms", retries=0, **(
        key if daemons == 2 and real.name == "ceph-rgw" else {}))]}, protocol=real.protocol) for shop in shops]
    return made[0], made[-1]


def answered(life, call):
    """(code, answer) of one call."""
    answers = []
    return outcome(lambda: answers.append(life.call(call))), answers[0] if answers else None


@pytest.mark.parametrize("real, kind, daemons, operation", cases(), indirect=["real"], scope="module")
def test_fault__at_every_request(pair, real, proxy, name, kind, operation):
    daemon, other = pair
    earlier, call = OPERATIONS[operation]
    faults = Faults(real, proxy, daemon)
    for number in itertools.count(1):
        each = f"{name}-{number}"
        found = everything(real, each)
        life = Life(real, daemon.client(), each, None if operation in ("settings", "again") else {})
        access = None
        proxy.reset()
        for step in earlier:
            access = until_ok(PASSING, life.call, step)
        faults.arm(kind, number)
        try:
            code, reply = answered(life, call)
        finally:
            faults.over()
        if not faults.fired:
            assert code == "OK"
            life.check(call, reply if call == "grant" else access)
            break
        assert code in ("OK", *PASSING.split("|")), f"request {number}: {code}"
        if call == "delete" and code != "OK" and real.name == "ceph-rgw":
            faults.restart()  # its locks would stay for 60 s
        unlock(real, each)
        life = life.at(other.client())
        if code != "OK":
            reply = until_ok(PASSING, life.call, call)
        proxy.wait_idle()
        unlock(real, each)
        life.check(call, reply if call == "grant" else access)
        until_ok(PASSING, life.call, "create")
        life.check("create", None)
        assert everything(real, each) == found, f"request {number}"
    assert number > 1
    print(f"{number - 1} faults")
    life.client.close()

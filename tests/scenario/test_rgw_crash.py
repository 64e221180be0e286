# SPDX-License-Identifier: Apache-2.0
"""test_rgw_crash.py - radosgw is killed while Grants are at each of their requests, started, killed again.

The osd is not killed: its data is in memory.
"""
import contextlib
import threading

import pytest

from rig.ceph import Ceph
from rig.client import outcome, until_ok
from rig.proxy import Proxy
from rig.steps import PASSING
from rig.store import CephRgw

pytestmark = pytest.mark.ceph

PLACES = 4  # the requests of a Grant: the bucket's tags, PUT user, PutUserPolicy, GET user
SETTINGS = {"request_timeout": "2s", "retries": 0}


class Meeting:
    """Holds each proxy's request of that number until all are there, or a Grant ended before its own."""

    def __init__(self, proxies):
        self.proxies, self.missing = proxies, set(range(PLACES))
        self.changed, self.go = threading.Condition(), threading.Event()
        for place, proxy in enumerate(proxies):
            proxy.reset()
            proxy.rule = lambda request, n=place: self.at(n) if request.number == n + 1 else None

    def at(self, place):
        self.left(place)
        self.go.wait(60)

    def left(self, place):
        with self.changed:
            self.missing.discard(place)
            self.changed.notify_all()

    def wait(self):
        with self.changed:
            assert self.changed.wait_for(lambda: not self.missing, 60), self.missing


def grants_that_meet_a_crash(ceph, proxies, grants, users):
    """One Grant each, all of them at their place when the gateway goes on, until it has a user's key."""
    meeting = Meeting(proxies)

    def run(place):
        outcome(grants[place])
        meeting.left(place)

    threads = [threading.Thread(target=run, args=(n,)) for n in range(PLACES)]
    for thread in threads:
        thread.start()
    meeting.wait()
    meeting.go.set()
    admin = ceph.admin()
    while any(t.is_alive() for t in threads) and not ((user := admin.user(users[1])) and user["keys"]):
        pass
    ceph.crash()
    for thread in threads:
        thread.join()
    for proxy in proxies:
        proxy.reset()
    ceph.recover()


def test_grant__gateway_killed_in_every_place_twice(cosid, folder, name, whole):
    """No Grant is OK with a key that opens nothing."""
    ceph = Ceph(folder / "ceph", rgw_options="[osd]\nosd_client_watch_timeout = 8").up()
    try:
        with contextlib.ExitStack() as stack:
            proxies = [stack.enter_context(Proxy(ceph.endpoint)) for _ in range(PLACES)]
            shop = CephRgw(ceph)
            backends = [shop.at(p.endpoint).backend(f"at{n}", **SETTINGS) for n, p in enumerate(proxies)]
            daemon = cosid({"call_timeout": "10s", "backends": backends, "default_backend": "at0"})
            clients = [daemon.client() for _ in range(PLACES)]
            buckets = [until_ok(PASSING, c.create, f"{name}-{n}", {"backend": f"at{n}"})
                       for n, c in enumerate(clients)]
            dead = []
            for again in range(6 if whole else 1):
                grants = [lambda c=c, b=b, a=f"ba-{name}-{n}-{again}": c.grant(b, a)
                          for n, (c, b) in enumerate(zip(clients, buckets))]
                users = [f"cosi-ba-{name}-{n}-{again}" for n in range(PLACES)]
                for _ in range(2):
                    grants_that_meet_a_crash(ceph, proxies, grants, users)
                for place, grant in enumerate(grants):
                    access = until_ok(PASSING, grant)
                    if shop.client(access).list(f"{name}-{place}").status != 200:
                        dead.append((again, place))
            assert not dead
    finally:
        ceph.down()

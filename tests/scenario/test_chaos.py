# SPDX-License-Identifier: Apache-2.0
"""test_chaos.py - calls in parallel while faults of every kind happen at random, with a daemon behind a proxy.

Each caller repeats a call until it is OK, as a sidecar does.  What was answered OK must be so in the store,
and in the end nothing is left.  What each caller and the disturber choose follows from the seed.
"""
import random
import threading
import time

import pytest

from rig.client import outcome, until_ok
from rig.faults import VERDICTS, everything, real
from rig.life import SETTINGS, Life, unlock
from rig.proxy import Proxy
from rig.steps import PASSING

CALLERS, SECONDS, EACH = 4, 60, 8  # one request in EACH meets a fault


class Chaos:
    def __init__(self, real, proxy, daemon, seed):
        self.real, self.proxy, self.daemon = real, proxy, daemon
        self.random = random.Random(f"{seed}-faults")
        self.lock, self.store = threading.Lock(), threading.Lock()  # the second one: the store is itself
        self.called = threading.Condition(self.lock)
        self.over, self.wrong, self.ncalls, self.nfaults, self.nkills = threading.Event(), [], 0, 0, 0

    def before(self, _):
        with self.lock:
            if self.over.is_set() or self.random.randrange(EACH):
                return None
            self.nfaults += 1
            return VERDICTS[self.random.choice(list(VERDICTS))]

    def after(self, request):
        with self.lock:
            twice = not self.over.is_set() and self.random.randrange(4 * EACH) == 0
            self.nfaults += twice
        if twice:
            self.proxy.send_again(request)

    def count(self):
        with self.called:
            self.ncalls += 1
            self.called.notify_all()

    def wait_calls(self, n, end):
        with self.called:
            last = self.ncalls + n
            self.called.wait_for(lambda: self.ncalls >= last or self.wrong, max(0, end - time.monotonic()))

    def disturb(self):
        """Kills and stops, until the time is over; late requests are delivered at once by deliver()."""
        end = time.monotonic() + SECONDS
        kinds = [self.restart, self.restart, self.crash, self.stop]
        while time.monotonic() < end and not self.wrong:
            self.wait_calls(self.random.randint(20, 60), end)
            self.random.choice(kinds)()
            self.nkills += 1
        self.over.set()

    def restart(self):
        """Not while a request of the killed one is on its way: the next one would know nothing of it."""
        self.daemon.kill()
        self.proxy.wait_closed()
        self.deliver()
        self.daemon.start()

    def crash(self):
        with self.store:
            self.real.server.crash()
            self.real.server.recover()

    def stop(self):
        """Until some calls have ended in time, because the store does not answer."""
        with self.store, self.real.server.stopped(self.real.server.disk_process):
            self.wait_calls(CALLERS, time.monotonic() + 3)

    def deliver(self):
        try:
            self.proxy.deliver()
        except OSError:
            pass  # the store was killed: these requests are lost

    def keep_delivering(self):
        while not self.over.is_set():
            if self.proxy.has_kept(0.5):
                self.deliver()


class Caller(threading.Thread):
    """Lives one life after the other."""

    def __init__(self, chaos, number, name, seed):
        super().__init__()
        self.chaos, self.real, self.name = chaos, chaos.real, f"{name}-{number}"
        self.client = chaos.daemon.client(f"v1alpha{1 + number % 2}")
        self.random = random.Random(f"{seed}-{number}")
        self.undeleted = []

    def run(self):
        number = 0
        try:
            while not self.chaos.over.is_set():
                number += 1
                settings = self.random.choice([{}, SETTINGS[self.real.name]])
                self.live(Life(self.real, self.client, f"{self.name}-{number}", settings))
        except BaseException as error:  # whatever it is, the test must see it
            self.chaos.wrong.append(f"{self.name}-{number}: {error!r}")

    def live(self, life):
        self.call(life, "create")
        for _ in range(self.random.randint(0, 2)):
            access = self.call(life, "grant")
            if self.random.randrange(2):
                self.call(life, "create")
                assert self.call(life, "grant").credentials == access.credentials
            self.call(life, "revoke", access)
        self.call(life, "delete")

    def call(self, life, what, access=None):
        """Until it is OK, and that is so."""
        while True:
            answers = []
            code = outcome(lambda: answers.append(life.call(what)))
            self.chaos.count()
            with self.chaos.store:
                if code == "OK":
                    self.check(life, what, access or answers[0])
                    return answers[0]
                assert code in PASSING.split("|"), f"{what}: {code}"
                unlock(self.real, life.name)
            if what == "delete" and self.real.name == "ceph-rgw":
                self.undeleted.append(life)  # its locks may stay for 60 s
                return None
            self.chaos.over.wait(0.02)

    def check(self, life, what, access):
        if what == "grant":
            assert self.real.client(access).list(life.name).status == 200, "a dead key"
        elif what == "revoke":
            assert self.real.client(access).list(life.name).status == 403, "a key that still works"
            assert life.account.removeprefix("shop.") not in self.real.accounts(), "an account is left"
        elif what == "delete":
            assert not self.real.exists(life.name), "a bucket is left"
        elif life.settings:
            assert self.real.root.versioning(life.name) == "Enabled", "a setting is lost"
            assert self.real.quota(life.name) == 1 << 30, "a setting is lost"


@pytest.mark.whole_sweeps()
@pytest.mark.timeout(SECONDS + 240)
@pytest.mark.parametrize("real", SETTINGS, indirect=True, scope="module")
@pytest.mark.parametrize("seed", [1])
def test_chaos__what_is_ok_is_so_and_nothing_is_left(cosid, real, name, seed):
    found = everything(real, name)
    with Proxy(real.server.endpoint) as proxy:
        shop = real.at(proxy.endpoint)
        daemon = cosid({"call_timeout": "2s", "backends": [shop.backend("shop", request_timeout="500ms")]},
                       protocol=real.protocol)
        chaos = Chaos(real, proxy, daemon, seed)
        callers = [Caller(chaos, n, name, seed) for n in range(CALLERS)]
        proxy.rule, proxy.after = chaos.before, chaos.after
        threads = [*callers, threading.Thread(target=chaos.keep_delivering)]
        for thread in threads:
            thread.start()
        try:
            chaos.disturb()
        finally:
            chaos.over.set()
            for thread in threads:
                thread.join()
        proxy.reset()
        chaos.restart()
        for caller in callers:
            for life in caller.undeleted:
                until_ok(PASSING, life.call, "delete")
        assert not chaos.wrong
        assert everything(real, name) == found
    print(f"{chaos.ncalls} calls, {chaos.nfaults} faults, {chaos.nkills} kills and stops")

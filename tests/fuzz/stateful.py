# SPDX-License-Identifier: Apache-2.0
"""stateful.py [--seconds N] [--seed N]... - random calls of a whole daemon against a model.

Callers of backends API versions create, repeat, fill, look up, delete, grant and revoke, each on names of its
own, and give some calls up; the posix module serves two backends.  During that the daemon is killed and
started, reloaded with other and with broken configurations, and its file system fails.  What must hold:

  - a call succeeds or is refused as the state of its bucket and account says, whatever others do;
  - nothing fails that no kill, no fault and no giving up overlaps: a reload costs no call;
  - what those broke off succeeds when it is repeated, and the key of an account is the same for ever;
  - what was answered is on the disk, and at the end cosictl list says exactly that.

The calls follow from the seed, their order among the callers does not.  What is wrong is shown with what
the caller did last.
"""
import argparse
import collections
import errno
import json
import pathlib
import random
import shutil
import struct
import sys
import tempfile
import threading
import time
from xml.sax.saxutils import escape

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

import grpc  # noqa: E402

from rig import guard  # noqa: E402
from rig.client import API_VERSIONS, check_refusal  # noqa: E402
from rig.daemon import Cosid  # noqa: E402
from rig.store import Posix  # noqa: E402

CALLERS, NAMES, TRIES = 4, 3, 200
# What the store's state makes of a call; anything else is a failure.
REFUSALS = {"NOT_FOUND", "ALREADY_EXISTS", "FAILED_PRECONDITION"}


class Wrong(Exception):
    """What must hold does not."""


class World:
    """The daemon, what disturbs it, and how many calls were made."""

    def __init__(self, build, folder, seed):
        self.random = random.Random(f"{seed}-world")
        self.stores = {n: Posix(folder / n) for n in ("east", "west", "more")}
        for store in self.stores.values():  # without records no absence would be believed
            (store.root / ".cosid").mkdir()
        self.control = folder / "faults"
        self.set_faults(0, 0)
        preload = build / "tests/stateful_faults.so"
        self.cosid = Cosid(build, folder / "cosid", self.config(0), env={
            "LD_PRELOAD": str(preload), "COSID_STATEFUL_FAULTS": str(self.control)})
        # The sanitizers want to be the first library otherwise.
        environment = self.cosid.environment
        self.cosid.environment = lambda: environment() | {
            "ASAN_OPTIONS": environment()["ASAN_OPTIONS"] + ":verify_asan_link_order=0"}
        self.changed = threading.Condition()
        self.active, self.over, self.ndisturbed, self.nstarts, self.ncalls, self.nwaiting = False, False, 0, 0, 0, 0
        self.wrong, self.story = None, collections.deque(maxlen=12)

    def config(self, variant):
        east, west, more = [store.backend(name) for name, store in self.stores.items()]
        routes = [{"match": "e-*", "backend": "east"}, {"match": "w-*", "backend": "west"}]
        backends = [west, east, more] if variant % 3 == 1 else [east, west]
        config = {"backends": backends, "routes": routes, "workers": 2 + variant % 5}
        if variant % 4 == 2:
            config["backends"] = [b | {"max_calls": 1} for b in backends]
        if variant % 7 == 3:
            config |= {"log": {"level": "debug"}, "call_timeout": "20s"}
        return config

    def set_faults(self, every, error):
        self.control.touch()
        with self.control.open("r+b") as file:  # it is mapped: never a new file
            file.write(struct.pack("II", every, error))

    # ---- the callers' side

    def begin(self):
        with self.changed:
            return self.active, self.ndisturbed

    def is_disturbed_since(self, begun):
        with self.changed:
            return begun[0] or self.active or self.ndisturbed != begun[1]

    def wait_calm(self):
        with self.changed:
            self.nwaiting += 1
            self.changed.notify_all()
            self.changed.wait_for(lambda: not self.active)
            self.nwaiting -= 1

    def count(self):
        with self.changed:
            self.ncalls += 1
            self.changed.notify_all()

    def report(self, caller, error):
        with self.changed:
            if self.wrong is None:
                self.wrong = f"caller {caller.number}: {error}\n  it did:\n    " + "\n    ".join(caller.story) + \
                    "\n  and the daemon:\n    " + "\n    ".join(self.story)
            self.over = True
            self.changed.notify_all()

    # ---- disturbances

    def wait_calls(self, n):
        """Until the callers have made n more, or all wait for calm; false: the end has come."""
        with self.changed:
            until = self.ncalls + n
            self.changed.wait_for(lambda: self.ncalls >= until or self.nwaiting == CALLERS or self.over)
            return not self.over

    def disturb(self, active):
        with self.changed:
            self.active = active
            self.ndisturbed += active
            self.changed.notify_all()

    def kill(self):
        self.story.append("killed")
        self.disturb(True)
        self.cosid.kill()
        self.cosid.write_config(self.config(self.random.randrange(1000)))
        self.cosid.start()
        self.nstarts += 1
        self.disturb(False)

    def fail(self):
        every, error = self.random.randint(1, 6), self.random.choice((errno.ENOSPC, errno.EIO, errno.EROFS))
        self.story.append(f"each {every}. system call fails with {errno.errorcode[error]}")
        self.disturb(True)
        self.set_faults(every, error)
        self.wait_calls(self.random.randint(2, 10))
        self.set_faults(0, 0)
        self.disturb(False)

    def reload(self):
        variant = self.random.randrange(1000)
        if variant % 10 == 9:
            self.story.append("reloaded, broken")
            self.cosid.write_config('driver_name = "cosid.example.org";\nbackends = ( { name = "east";')
            self.cosid.reload(r"continues to serve")
        else:
            self.story.append(f"reloaded, configuration {variant}")
            self.cosid.write_config(self.config(variant))
            self.cosid.reload()

    def run(self, seconds):
        end = time.monotonic() + seconds
        try:
            while time.monotonic() < end and self.wait_calls(self.random.randint(3, 30)):
                self.random.choice((self.kill, self.fail, self.fail, self.reload, self.reload))()
        except Exception as error:  # noqa: BLE001  # such as the end of the daemon
            self.wrong = self.wrong or repr(error)
        self.over = True
        self.disturb(False)


class Caller:
    """Its buckets and accounts, and what is known of them: None: absent, else what it has."""

    def __init__(self, world, number, seed):
        self.world, self.number = world, number
        self.random = random.Random(f"{seed}-{number}")
        self.clients, self.nstarts = {}, None
        self.buckets = {f"{'ew'[n % 2]}-{number}-{n}": None for n in range(NAMES)}  # None, "empty", "filled", "foreign"
        self.accounts = {f"a-{number}-{n}": None for n in range(NAMES)}  # None, or the mode
        self.keys, self.ids = {}, {}
        self.story = collections.deque(maxlen=16)

    def store(self, bucket):
        return self.world.stores[self.bucket_id(bucket).partition(".")[0]]

    def client(self, version):
        """One that is connected to the daemon that runs now: gRPC would wait before it connects again."""
        if self.nstarts != self.world.nstarts:
            self.nstarts = self.world.nstarts
            for client in self.clients.values():
                client.close()
            self.clients = {v: API_VERSIONS[v](self.world.cosid.socket) for v in API_VERSIONS}
        return self.clients[version]

    @staticmethod
    def bucket_id(bucket):
        return {"e": "east.", "w": "west."}[bucket[0]] + bucket

    def once(self, what, version, method, *arguments):
        """("OK", answer) or (code, text) of one call."""
        try:
            code, answer = "OK", getattr(self.client(version), method)(*arguments)
        except grpc.RpcError as error:
            code, answer = error.code().name, error.details()
            if code != "UNAVAILABLE":  # which gRPC may have said
                code, answer = check_refusal(error)
        self.story.append(f"{version} {what}: {code}" + (f": {answer}" if code != "OK" else ""))
        return code, answer

    def until_settled(self, what, version, method, *arguments):
        """The call's code and answer once nothing breaks it off: a sidecar repeats it, too."""
        for _ in range(TRIES):
            begun = self.world.begin()
            code, answer = self.once(what, version, method, *arguments)
            self.world.count()
            if code == "OK" or (code in REFUSALS and not self.world.is_disturbed_since(begun)):
                return code, answer
            if not self.world.is_disturbed_since(begun):
                raise Wrong(f"{what} fails although nothing disturbs it: {code}: {answer}")
            self.world.wait_calm()
        raise Wrong(f"{what} does not succeed when it is repeated")

    def expect(self, what, code, expected):
        if code not in expected.split("|"):
            raise Wrong(f"{what}: {code}, where {expected} was expected")

    # ---- steps

    def give_up(self, version, fields, *arguments):
        """Begins a call and cancels it; what it did is not known, and so the same call follows."""
        if self.random.random() < 0.1:
            client = self.client(version)
            method, message = getattr(client, fields)(*arguments)
            client.start(method, **message).cancel()
            self.story.append(f"{version} gives {method} up")

    def create(self, version, bucket):
        state = self.buckets[bucket]
        self.give_up(version, "create_fields", bucket)
        code, answer = self.until_settled(f"create {bucket}", version, "create", bucket)
        self.expect(f"create {bucket}, {state}", code, "ALREADY_EXISTS" if state == "foreign" else "OK")
        if code == "OK":
            self.expect("its id", answer, self.bucket_id(bucket))
            self.buckets[bucket] = state or "empty"

    def delete(self, version, bucket):
        state, purge = self.buckets[bucket], self.random.random() < 0.5
        what, params = f"delete {bucket}{' with purge' * purge}", {"whenNotEmpty": "purge"} if purge else {}
        self.give_up(version, "delete_fields", self.bucket_id(bucket), params)
        code, _ = self.until_settled(what, version, "delete", self.bucket_id(bucket), params)
        kept = state == "foreign" or (state == "filled" and not purge)
        self.expect(f"{what}, {state}", code, "FAILED_PRECONDITION" if kept else "OK")
        if code == "OK":
            self.buckets[bucket] = None

    def get(self, _, bucket):
        code, _ = self.until_settled(f"get {bucket}", "v1alpha2", "get", self.bucket_id(bucket))
        self.expect(f"get {bucket}, {self.buckets[bucket]}", code, "OK" if self.buckets[bucket] else "NOT_FOUND")

    def touch(self, _, bucket):
        """What others do: objects come and go, and a directory is there without cosid."""
        state, store = self.buckets[bucket], self.store(bucket)
        if state is None and self.random.random() < 0.2:
            store.make_foreign(bucket)
            self.buckets[bucket] = "foreign"
        elif state == "foreign":
            (store.root / bucket).rmdir()
            self.buckets[bucket] = None
        elif state == "empty":
            store.fill(bucket)
            self.buckets[bucket] = "filled"
        elif state == "filled":
            store.empty(bucket)
            self.buckets[bucket] = "empty"
        self.story.append(f"makes {bucket} {self.buckets[bucket]}")

    # An account is always asked for in one API version, on one bucket.

    def place(self, account):
        n = int(account[-1])
        return "v1alpha1" if n % 2 else "v1alpha2", list(self.buckets)[n]

    def grant(self, account):
        version, bucket = self.place(account)
        mode, has = self.random.choice(("readWrite", "readOnly")), self.accounts[account]
        what = f"grant {account} {mode} on {bucket}"
        self.give_up(version, "grant_fields", self.bucket_id(bucket), account, mode)
        code, answer = self.until_settled(what, version, "grant", self.bucket_id(bucket), account, mode)
        if not self.buckets[bucket]:
            self.expect(f"{what}, which is absent", code, "NOT_FOUND")
        elif has in (None, mode):
            self.expect(f"{what}, has {has}", code, "OK")
        else:
            self.expect(f"{what}, has {has}", code, "ALREADY_EXISTS|FAILED_PRECONDITION")
        if code == "OK":
            self.accounts[account], self.ids[account] = mode, answer.account_id
            if self.keys.setdefault(account, answer.credentials) != answer.credentials:
                raise Wrong(f"{what}: another key than before")

    def revoke(self, account):
        version, bucket = self.place(account)
        if account not in self.ids:
            return
        self.give_up(version, "revoke_fields", self.ids[account], self.bucket_id(bucket))
        code, _ = self.until_settled(f"revoke {account}", version, "revoke", self.ids[account], self.bucket_id(bucket))
        self.expect(f"revoke {account}, has {self.accounts[account]}", code, "OK")
        self.accounts[account] = None

    def check_disk(self):
        for bucket, state in self.buckets.items():
            if self.store(bucket).exists(bucket) != (state is not None):
                raise Wrong(f"{bucket} is {state}, and the disk says otherwise")
            if state == "filled" and not self.store(bucket).is_filled(bucket):
                raise Wrong(f"{bucket} has lost its object")
        for account, mode in self.accounts.items():
            if account in self.ids:
                backend, _, native = self.ids[account].partition(".")
                record = self.world.stores[backend].root / ".cosid/accounts" / f"{native}.json"
                if record.exists() != (mode is not None):
                    raise Wrong(f"{account} has {mode}, and the disk says otherwise")

    def step(self):
        version = self.random.choice(("v1alpha1", "v1alpha2"))
        if self.random.random() < 0.6:
            how = self.random.choice((self.create, self.create, self.delete, self.get, self.touch))
            how(version, self.random.choice(list(self.buckets)))
        else:
            self.random.choice((self.grant, self.grant, self.revoke))(self.random.choice(list(self.accounts)))
        self.check_disk()

    def run(self):
        try:
            while not self.world.over:
                self.step()
        except Exception as error:  # noqa: BLE001  # another thread has to tell it
            self.world.report(self, error if isinstance(error, Wrong) else repr(error))
        for client in self.clients.values():
            client.close()


def check_list(world, callers):
    """What the daemon lists is what its callers have."""
    done = world.cosid.cosictl("-o", "json", "list")
    if done.returncode != 0:
        raise Wrong(f"cosictl list: {done.stderr}")
    found = {item["id"] for item in json.loads(done.stdout)["found"]}
    has = {caller.bucket_id(b) for caller in callers for b, s in caller.buckets.items() if s not in (None, "foreign")}
    has |= {caller.ids[a] for caller in callers for a, mode in caller.accounts.items() if mode}
    if found != has:
        raise Wrong(f"cosictl list says {sorted(found - has)} too much, {sorted(has - found)} too little")


def run_seed(build, seed, seconds):
    """(calls, disturbances, what is wrong or None)"""
    folder = pathlib.Path(tempfile.mkdtemp(prefix=""))
    try:
        world = World(build, folder, seed)
        world.cosid.start()
        callers = [Caller(world, n, seed) for n in range(CALLERS)]
        threads = [threading.Thread(target=caller.run) for caller in callers]
        for thread in threads:
            thread.start()
        world.run(seconds)
        [thread.join() for thread in threads]
        try:
            if world.wrong is None:
                check_list(world, callers)
            world.cosid.stop()
        except (Wrong, AssertionError) as error:
            world.wrong = world.wrong or f"at the end: {error}"
        return world.ncalls, world.ndisturbed, world.wrong
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", type=pathlib.Path, default=ROOT / "build/asan")
    parser.add_argument("--seconds", type=int, default=60)
    parser.add_argument("--seed", type=int, action="append", help="default: one of its own")
    parser.add_argument("--junit", type=pathlib.Path)
    options = parser.parse_args()
    guard.start()
    seeds = options.seed or [random.SystemRandom().randrange(1 << 32)]
    failed, cases = False, []
    for seed in seeds:
        ncalls, ndisturbed, wrong = run_seed(options.build.resolve(), seed, options.seconds / len(seeds))
        failed = failed or wrong is not None
        print(f"stateful  seed {seed} {ncalls:8} calls {ndisturbed:5} disturbances  {'FAILED' if wrong else 'clean'}")
        if wrong:
            print(f"  {wrong}\n  again: tests/fuzz/stateful.py --seed {seed} --seconds {options.seconds}")
        cases.append(f'<testcase classname="stateful" name="seed {seed}">' +
                     (f"<failure>{escape(wrong)}</failure>" if wrong else "") + "</testcase>")
    if options.junit:
        options.junit.write_text(f"<testsuite>{''.join(cases)}</testsuite>\n")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())

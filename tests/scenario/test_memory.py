# SPDX-License-Identifier: Apache-2.0
"""test_memory.py - a store whose answers grow large when they are parsed: its calls fail, and nothing else.

A fake, because no real store can be made to say such things.
"""
import concurrent.futures
import pathlib
import threading

import pytest

from fakes.store import FakeStore, answer
from rig.client import refused

CALLS, MOST_MIB = 16, 400
KEYS = {"access_key": "plain:AKIAIOSFODNN7EXAMPLE", "secret_key": "plain:" + "s3cr3t" * 6}


def tree(size):
    """jansson makes 77 times as much of it."""
    return b'{"a":[{}' + b",{}" * (size // 3 - 4) + b"]}"


MODULES = {"ceph-rgw": {}, "minio": {"credential_key": "plain:" + "c" * 32}}


@pytest.fixture(name="store")
def fixture_store():
    with FakeStore() as made:
        yield made


def backend(store, module):
    return {"name": "liar", "module": module, "endpoint": store.url, "max_calls": CALLS,
            "retries": 0} | KEYS | MODULES[module]


class Resident:
    """The largest resident memory of a process while it is watched, in MiB."""

    def __init__(self, pid):
        self.status, self.most, self.ended = pathlib.Path(f"/proc/{pid}/status"), 0, threading.Event()
        self.thread = threading.Thread(target=self._watch)

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.ended.set()
        self.thread.join()

    def _watch(self):
        while not self.ended.wait(0.005):
            line = next(x for x in self.status.read_text().splitlines() if x.startswith("VmRSS:"))
            self.most = max(self.most, int(line.split()[1]) // 1024)


@pytest.mark.unsanitized  # those keep what was freed
@pytest.mark.parametrize("module", MODULES)
def test_create__many_hostile_answers(cosid, posix, store, module):
    """Honest calls beside them succeed, and so do later ones."""
    store.on("*", answer(400, tree(1 << 20), content_type="application/json"))
    daemon = cosid({"backends": [backend(store, module), posix.backend("honest")],
                    "default_backend": "liar"})
    clients = [daemon.client() for _ in range(CALLS + 1)]
    honest = clients.pop()

    def hostile(n):
        for again in range(3):
            with refused("RESOURCE_EXHAUSTED", "backend 'liar' .*needs more memory than a call may use"):
                clients[n].create(f"photos-{n}-{again}", {"backend": "liar"})

    with Resident(daemon.pid) as resident, concurrent.futures.ThreadPoolExecutor(CALLS) as pool:
        attacks = [pool.submit(hostile, n) for n in range(CALLS)]
        while not all(attack.done() for attack in attacks):
            bucket = honest.create("honest", {"backend": "honest"})
            honest.delete(bucket)
            concurrent.futures.wait(attacks, timeout=0.01)
        for attack in attacks:
            attack.result()
    assert resident.most < MOST_MIB, f"{resident.most} MiB"


def test_list__of_a_lying_store(cosid, store):
    """MinIO's policies come in one answer of up to 32 MiB."""
    store.on("*", answer(200, b"<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>"))
    store.on("GET /minio/admin/*list-canned-policies*",
             answer(200, tree(8 << 20), content_type="application/json"))
    daemon = cosid({"backends": [backend(store, "minio")]})
    with Resident(daemon.pid) as resident:
        done = daemon.cosictl("list", "liar")
    assert done.returncode == 1
    assert "EXHAUSTED" in done.stderr and "backend 'liar'" in done.stderr, done.stderr
    assert resident.most < MOST_MIB // 2, f"{resident.most} MiB"

# SPDX-License-Identifier: Apache-2.0
"""test_reload_storm.py - callers in a closed loop while modules, settings and keys are swapped: no call fails."""
import itertools
import os
import pathlib
import shutil
import threading

import grpc
import pytest

from rig.client import check_refusal
from rig.shelf import Shelf
from rig.store import CephRgw, MinioStore, Posix

CALLERS = {"shelf": 32, "files": 16, "rgw": 8, "minio": 8}


class Caller(threading.Thread):
    """A bucket's life, again and again."""

    def __init__(self, daemon, backend, number, over):
        super().__init__(daemon=True)
        self.client = daemon.client(("v1alpha1", "v1alpha2")[number % 2])
        self.backend, self.number, self.over = backend, number, over
        self.failures, self.regions, self.lives = [], set(), 0

    def run(self):
        for turn in itertools.count():
            if self.over.is_set():
                return
            try:
                self.life(f"storm-{self.number}-{turn}")
            except grpc.RpcError as error:
                self.failures.append(check_refusal(error))
            except Exception as error:
                self.failures.append(repr(error))

    def region_of(self, reply):
        if self.client.dialect == "v1alpha1":
            return reply.bucket_info.s3.region
        return reply.protocols.s3.region

    def life(self, name):
        method, fields = self.client.create_fields(name, {"backend": self.backend})
        reply = self.client.call(method, **fields)
        if self.backend == "shelf":
            self.regions.add(self.region_of(reply))
        access = self.client.grant(reply.bucket_id, f"ba-{name}")
        if self.backend == "shelf":
            self.regions.add(access.region)
        self.client.revoke(access.account_id, reply.bucket_id)
        self.client.delete(reply.bucket_id)
        self.lives += 1


class Swapper:
    """Brings the daemon another generation each turn, every tenth one broken."""

    def __init__(self, cosid, build, shelf, backends):
        self.build, self.shelf, self.backends = build, shelf, backends
        self.install(1)
        self.daemon = cosid(self.config(1), env={"STATE_DIRECTORY": str(self.state())})

    def state(self):
        made = self.shelf.folder / "state"
        made.mkdir(exist_ok=True)
        return made

    def install(self, edition):
        """Module and label say the same number, so that a mixture of two generations shows."""
        self.shelf.install(str(edition))
        for name in {b["module"] for b in self.backends}:
            other = self.shelf.folder / f"{name}.{edition}.so"
            if not other.exists():
                shutil.copyfile(self.build / "modules" / f"{name}.so", other)
                with open(other, "ab") as file:  # other bytes, the same code
                    file.write(b"\0" * edition)
            self.shelf.put(other, name)

    def config(self, edition, **more):
        shelf = self.shelf.backend(label=f"of{edition}", max_calls=12 + edition)
        return self.shelf.config(workers=48, call_timeout="90s") | {"backends": [shelf, *self.backends]} | more

    def turn(self, number):
        edition = 1 + number % 2
        if number % 10 == 9:
            broken = ({"driver_name": "-"}, {"backends": [self.shelf.backend(root="relative")]},
                      {"backends": [self.shelf.backend(), {"name": "x", "module": "absent"}]})[number // 10 % 3]
            self.daemon.write_config(self.config(edition, **broken))
            assert "failed" in self.daemon.reload(r"reload failed|generation \d+ serves")
            return
        if number % 3 == 0:
            self.install(edition)  # the settings follow in the same reload
        else:
            edition = self.edition
        self.edition = edition
        self.daemon.write_config(self.config(edition))
        assert "serves" in self.daemon.reload(r"reload failed|generation \d+ serves"), self.daemon.log[-2000:]

    edition = 1


def used(pid):
    """(threads, descriptors, mappings, resident KiB) of a process."""
    proc = pathlib.Path("/proc", str(pid))
    status = dict(x.split(":", 1) for x in (proc / "status").read_text().splitlines())
    return (int(status["Threads"]), len(os.listdir(proc / "fd")),
            len((proc / "maps").read_text().splitlines()), int(status["VmRSS"].split()[0]))


def is_sanitized(build):
    program = (build / "bin" / "cosid").read_bytes()
    return b"__asan_init" in program or b"__tsan_init" in program


@pytest.mark.timeout(3000)
def test_storm(cosid, build, folder, rgw, minio, whole):
    """64 callers; a short one here, 1,000 reloads with --whole-sweeps."""
    nreloads = 1000 if whole else 60
    shelf = Shelf(folder)
    files = Posix(folder / "root")
    swapper = Swapper(cosid, build, shelf, [files.backend(), CephRgw(rgw).backend(request_timeout="60s"),
                                            MinioStore(minio).backend()])
    daemon, over = swapper.daemon, threading.Event()
    callers = [Caller(daemon, backend, number, over) for number, backend in
               enumerate(b for b, n in CALLERS.items() for _ in range(n))]
    assert len(callers) == 64
    for caller in callers:
        caller.start()
    for number in range(nreloads):
        swapper.turn(number)
        if number == nreloads // 5:
            early = used(daemon.pid)
    late = used(daemon.pid)
    over.set()
    for caller in callers:
        caller.join(200)
        assert not caller.is_alive()
    failures = [f for c in callers for f in c.failures]
    assert not failures, (len(failures), failures[:3])
    assert {r for c in callers for r in c.regions} == {"v1-of1", "v2-of2"}, "each call by one generation"
    lives = {b: sum(c.lives for c in callers if c.backend == b) for b in CALLERS}
    assert all(lives.values()), lives
    status = daemon.status()
    assert status["cooling"] == [] and all(b["running"] == 0 for b in status["backends"])
    print(nreloads, "reloads,", lives, "lives; threads, descriptors, mappings, KiB:", early, late)
    if not is_sanitized(build):  # those never unmap a module
        for what, before, after, slack in zip(("threads", "descriptors", "mappings", "KiB"), early, late,
                                              (8, 140, 60, 12288)):
            assert after <= before + slack, (what, early, late)


def test_storm__nothing_grows(cosid, build, folder):
    """Without calls there is nothing to excuse: after 40 reloads as after 10."""
    if is_sanitized(build):
        nreloads, check = 12, False
    else:
        nreloads, check = 40, True
    shelf = Shelf(folder)
    swapper = Swapper(cosid, build, shelf, [Posix(folder / "root").backend()])
    for number in range(nreloads):
        swapper.turn(number)
        if number == 9:
            early = used(swapper.daemon.pid)
    late = used(swapper.daemon.pid)
    assert swapper.daemon.status()["cooling"] == []
    (own,) = (folder / "state" / "modules").iterdir()
    assert len(list(own.iterdir())) <= 2, "a copy for each loaded module"
    if check:
        assert late[:3] == early[:3], "threads, descriptors, mappings"
        assert late[3] <= early[3] + 2048, (early, late)

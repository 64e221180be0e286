# SPDX-License-Identifier: Apache-2.0
"""test_reload_storm.py - callers in a closed loop while modules, settings and keys are swapped: no call fails."""
import contextlib
import itertools
import os
import pathlib
import shutil
import threading

import grpc
import pytest

from rig import secrets
from rig.client import check_refusal
from rig.shelf import Shelf
from rig.store import CREDENTIAL_KEY, CephRgw, MinioStore, Posix

CALLERS = {"shelf": 32, "files": 16, "rgw": 8, "minio": 8}
KEYS = {n: secrets.plant(f"planted-key-of-edition-{n}-of-the-shelf") for n in (1, 2)}
OTHER_KEY = secrets.plant("planted-other-credential-key-0123456789")


class Caller(threading.Thread):
    """A bucket's life, again and again."""

    def __init__(self, daemon, backend, number, over):
        super().__init__(daemon=True)
        self.client = daemon.client(("v1alpha1", "v1alpha2")[number % 2])
        self.backend, self.number, self.over = backend, number, over
        self.failures, self.regions, self.keys, self.lives = [], set(), set(), 0

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
        if self.client.api_version == "v1alpha1":
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
            self.keys.add((access.region, access.secret.split()[0]))
        self.client.revoke(access.account_id, reply.bucket_id)
        self.client.delete(reply.bucket_id)
        self.lives += 1


class Swapper:
    """Brings the daemon another generation each turn, every tenth one broken.

    backends: what makes the entries of an edition out of its number.
    """

    def __init__(self, cosid, build, shelf, backends):
        self.build, self.shelf, self.backends = build, shelf, backends
        self.install(1)
        self.daemon = cosid(self.config(1))

    def install(self, edition):
        """Module, key and label say the same number, so that a mixture of two generations shows."""
        self.shelf.install(str(edition))
        self.shelf.write_secret(KEYS[edition])
        for name in {b["module"] for b in self.backends(edition)}:
            other = self.shelf.folder / f"{name}.{edition}.so"
            if not other.exists():
                shutil.copyfile(self.build / "modules" / f"{name}.so", other)
                with open(other, "ab") as file:  # other bytes, the same code
                    file.write(b"\0" * edition)
            self.shelf.put(other, name)

    def config(self, edition, **more):
        shelf = self.shelf.backend(label=f"of{edition}", max_calls=12 + edition)
        top = self.shelf.config(workers=40 + 8 * edition, call_timeout="90s")
        return top | {"backends": [shelf, *self.backends(edition)]} | more

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


@contextlib.contextmanager
def second_key(rgw):
    """Another pair of keys for the user that cosid is at the gateway: (key, secret)."""
    admin = rgw.admin()
    user = next(u for u in admin.users() if rgw.key in str(admin.user(u)["keys"]))
    key, secret = "SECONDKEYOFTHESTORM0", secrets.plant("plantedsecondsecretofthestorm0000000000")
    query = {"key": "", "uid": user, "access-key": key}
    assert admin.request("PUT", "/admin/user", query | {"secret-key": secret, "generate-key": "false"}).status == 200
    try:
        yield key, secret
    finally:
        assert admin.request("DELETE", "/admin/user", query).status == 200


def entries(files, rgw, minio, pair):
    """The backends of an edition: the same stores, by other keys."""
    def of(edition):
        if edition == 1:
            return [files.backend(), rgw.backend(request_timeout="60s"), minio.backend()]
        key, secret = (f"plain:{x}" for x in pair)
        return [files.backend(credential_key=f"plain:{OTHER_KEY}"),
                rgw.backend(request_timeout="60s", access_key=key, secret_key=secret),
                minio.backend(credential_key=f"plain:{OTHER_KEY}",
                              previous_credential_keys=[f"plain:{CREDENTIAL_KEY}"])]
    return of


@pytest.mark.timeout(3000)
def test_storm(cosid, build, folder, rgw, minio, whole):
    """64 callers; a short one here, 1,000 reloads with --whole-sweeps."""
    with second_key(rgw) as pair:
        backends = entries(Posix(folder / "root"), CephRgw(rgw), MinioStore(minio), pair)
        storm(Swapper(cosid, build, Shelf(folder), backends), 1000 if whole else 60, is_sanitized(build))


def storm(swapper, nreloads, sanitized):
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
    assert {k for c in callers for k in c.keys} == {("v1-of1", KEYS[1]), ("v2-of2", KEYS[2])}
    lives = {b: sum(c.lives for c in callers if c.backend == b) for b in CALLERS}
    assert all(lives.values()), lives
    status = daemon.status()
    assert status["draining"] == [] and all(b["running"] == 0 for b in status["backends"])
    print(nreloads, "reloads,", lives, "lives; threads, descriptors, mappings, KiB:", early, late)
    if not sanitized:  # those never unmap a module
        for what, before, after, slack in zip(("threads", "descriptors", "mappings", "KiB"), early, late,
                                              (16, 140, 60, 12288)):
            assert after <= before + slack, (what, early, late)


@pytest.mark.unsanitized  # those never unmap a module
def test_storm__nothing_grows(cosid, build, folder):
    """Without calls there is nothing to excuse: after 40 reloads as after 10."""
    shelf = Shelf(folder)
    swapper = Swapper(cosid, build, shelf, lambda edition: [Posix(folder / "root").backend()])
    for number in range(40):
        swapper.turn(number)
        if number == 9:
            early = used(swapper.daemon.pid)
    late = used(swapper.daemon.pid)
    assert swapper.daemon.status()["draining"] == []
    assert late[:3] == early[:3], "threads, descriptors, mappings"
    assert late[3] <= early[3] + 2048, (early, late)

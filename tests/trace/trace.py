# SPDX-License-Identifier: Apache-2.0
"""trace.py BUILD STORE METHOD - the functions of cosid that one call runs through: ./dev trace calls it.

BUILD has -finstrument-functions (the preset `trace`); STORE is posix or ceph-rgw; METHOD is Create, Get,
Delete, Grant, Revoke or Info.  Each thread's part of the call stands together, in the order in which the
parts begin; what a function calls is indented below it, and what comes again at once is counted.
"""
import collections
import contextlib
import mmap
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests"))

from rig import guard  # noqa: E402
from rig.ceph import Ceph  # noqa: E402
from rig.daemon import Cosid  # noqa: E402
from rig.store import CephRgw, Posix  # noqa: E402

RECORD, DUMP, DUMPED = 1, 2, 3
HEAD, EVENT = 16, 16
OURS = ("core/", "modules/", "cli/", "include/")
QUIET_S = 0.1  # the call is over when nothing has happened for so long


class Node:
    """One run of a function."""

    def __init__(self, tid, address):
        self.tid, self.address, self.calls = tid, address, []

    def key(self):
        return self.address, tuple(call.key() for call in self.calls)


class Recorder:
    """The file that record.c writes."""

    def __init__(self, folder, room=1 << 22):
        self.path = folder / "events"
        self.path.write_bytes(b"")
        os.truncate(self.path, HEAD + EVENT * room)
        with open(self.path, "r+b") as file:
            self.map = mmap.mmap(file.fileno(), 0)
        self.room = room

    @property
    def n(self):
        return struct.unpack_from("Q", self.map, 8)[0]

    def say(self, state):
        struct.pack_into("I", self.map, 0, state)

    def until_quiet(self):
        """No event tells that a call has left nothing more to run in other threads."""
        give_up, seen, since = time.monotonic() + 5, self.n, time.monotonic()
        while time.monotonic() < min(give_up, since + QUIET_S):
            time.sleep(0.01)
            if self.n != seen:
                seen, since = self.n, time.monotonic()

    def events(self):
        """(address, ends, tid) in their order."""
        if self.n > self.room:
            raise SystemExit(f"trace: {self.n} events, room for {self.room}")
        for at in range(self.n):
            address, tid, ends = struct.unpack_from("QII", self.map, HEAD + EVENT * at)
            yield address, ends, tid

    def maps(self, make_it_run):
        """([(base, build id)], {tid: name})"""
        self.say(DUMP)
        path = self.path.with_suffix(".maps")
        give_up = time.monotonic() + 30
        while not path.exists() or not path.read_text().endswith("end\n"):
            if time.monotonic() > give_up:
                raise SystemExit("trace: the build has no -finstrument-functions")
            make_it_run()
        words = [line.split(" ", 2) for line in path.read_text().splitlines()[:-1]]
        return ([(int(w[1], 16), w[2]) for w in words if w[0] == "image"],
                {int(w[1]): w[2] for w in words if w[0] == "thread"})


def trees(events):
    """The nodes that were called by none that is recorded, in their order.  A function that had begun
    before the recording has no node."""
    roots, stacks = [], collections.defaultdict(list)
    for address, ends, tid in events:
        stack = stacks[tid]
        if not ends:
            node = Node(tid, address)
            (stack[-1].calls if stack else roots).append(node)
            stack.append(node)
        elif stack:
            stack.pop()
    return roots


def build_id(path):
    said = subprocess.run(["readelf", "-n", path], capture_output=True, text=True, check=False).stdout
    return next((line.split()[-1] for line in said.splitlines() if "Build ID:" in line), None)


def lines_of(build, images, addresses):
    """{address: (function, "file:line")} of cosid's own functions; others are left out."""
    tree = build.parents[1]
    files = {build_id(f): f for f in [build / "bin" / "cosid", *(build / "modules").glob("*.so")]}
    images = sorted((base, files[found]) for base, found in images if found in files)
    by_image = collections.defaultdict(list)
    for address in addresses:
        base, file = [i for i in images if i[0] <= address][-1]
        by_image[base, file].append(address)
    found = {}
    for (base, file), group in by_image.items():
        said = subprocess.run(["addr2line", "-f", "-e", file], check=True, capture_output=True, text=True,
                              input="".join(f"{a - base:#x}\n" for a in group)).stdout.splitlines()
        for address, name, where in zip(group, said[::2], said[1::2]):
            path, _, line = where.split(" ")[0].rpartition(":")
            path = os.path.relpath(os.path.realpath(path), tree)  # the layers' headers are seen through links
            if path.startswith(OURS):
                found[address] = name, f"{path}:{line}"
    return found


def ours_alone(nodes, lines):
    """Without those that are not ours; what these called takes their place."""
    kept = []
    for node in nodes:
        node.calls = ours_alone(node.calls, lines)
        kept.extend([node] if node.address in lines else node.calls)
    return kept


def show(nodes, lines, depth=0):
    at = 0
    while at < len(nodes):
        node, times = nodes[at], 1
        while at + times < len(nodes) and nodes[at + times].key() == node.key():
            times += 1
        name, where = lines[node.address]
        text = "  " * depth + name + (f" x{times}" if times > 1 else "")
        print(f"  {text:<58} {where}")
        show(node.calls, lines, depth + 1)
        at += times


def walk(nodes):
    for node in nodes:
        yield node
        yield from walk(node.calls)


def report(build, recorder, images, threads, what):
    roots = trees(recorder.events())
    addresses = {node.address for node in walk(roots)}
    lines = lines_of(build, images, sorted(addresses))
    roots = ours_alone(roots, lines)
    last = None
    for at, node in enumerate(roots):
        if at and node.tid == last and node.key() == roots[at - 1].key():
            continue
        if node.tid != last:
            print(f"-- thread {node.tid} {threads.get(node.tid, '')}")
            last = node.tid
        show([node], lines)
    ran = list(walk(roots))
    functions = {lines[n.address] for n in ran}
    files = {where.rpartition(":")[0] for _, where in functions}
    print(f"\n{what}: {len(functions)} functions in {len(files)} files, {len({n.tid for n in ran})} threads, "
          f"{len(ran)} entries")


@contextlib.contextmanager
def store_of(kind, folder):
    if kind == "posix":
        yield Posix(folder / "root")
        return
    ceph = Ceph(folder / "ceph").up()
    try:
        yield CephRgw(ceph)
    finally:
        ceph.down()


def prepared(client, method):
    """The call to record, when all that it needs is there."""
    if method == "Info":
        return client.info
    if method == "Create":
        return lambda: client.create("photos")
    bucket = client.create("photos")
    if method in ("Get", "Delete"):
        return lambda: (client.get if method == "Get" else client.delete)(bucket)
    if method == "Grant":
        return lambda: client.grant(bucket, "app")
    account = client.grant(bucket, "app").account_id
    return lambda: client.revoke(account, bucket)


def main():
    build, kind, method = pathlib.Path(sys.argv[1]).resolve(), sys.argv[2], sys.argv[3]
    guard.start()
    folder = pathlib.Path(tempfile.mkdtemp(prefix=""))
    recorder = Recorder(folder)
    library = os.environ.get("COSID_TRACE_RECORDER", build / "trace" / "record.so")
    env = {"LD_PRELOAD": str(library), "COSID_TRACE": str(recorder.path)}
    with store_of(kind, folder) as store:
        daemon = Cosid(build, folder / "cosid", {"backends": [store.backend("shop")]}, env=env).start()
        # Get is a call of v1alpha2 alone.
        client = daemon.client("v1alpha2" if method == "Get" else "v1alpha1")
        client.info()
        call = prepared(client, method)
        recorder.until_quiet()
        recorder.say(RECORD)
        call()
        recorder.until_quiet()
        images, threads = recorder.maps(client.info)
        report(build, recorder, images, threads, f"{client.api_version} {method} on {kind}")
        daemon.stop()


main()

# SPDX-License-Identifier: Apache-2.0
"""test_stores.py - ceph-up, minio-up and their likes, and the demo that people see first."""
import contextlib
import os
import re
import select
import signal
import subprocess
import sys
import time

import pytest

from rig.azure import CUSTOM, KEYS, WELL_KNOWN, Azurite, Blob, Policy
from rig.server import STORES, free_port
from rig.store import AzureStore

PROGRAMS = ["ceph", "minio", "azurite"]


def run(script, *arguments, **env):
    return subprocess.run([STORES / script, *map(str, arguments)], env=os.environ | env, timeout=150,
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)


def processes(word):
    """The command lines that hold that word."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/environ", "rb") as file:
                if word.encode() in file.read():
                    found.append(pid)
        except OSError:
            pass  # the process has ended
    return found


@pytest.mark.parametrize("kind", ["ceph-rgw", "minio", "azure"])
def test_up__refuses_what_is_in_use(stores, folder, kind):
    first = stores(kind)
    server, script = first.server, f"{first.server.name}-up"
    second = run(script, server.folder, free_port())
    assert second.returncode == 1 and "runs there as process" in second.stderr
    same_port = run(script, folder / "another", server.port)
    assert same_port.returncode == 1 and "is taken" in same_port.stderr
    assert first.buckets() is not None, "the first one is untouched"


@pytest.mark.parametrize("program", PROGRAMS)
@pytest.mark.parametrize("arguments", [[], ["dir"], ["dir", "port"], ["dir", "0"], ["dir", "65536"],
                                       ["dir", "80", "more"]])
def test_up__usage(folder, program, arguments):
    done = subprocess.run([STORES / f"{program}-up", *arguments], cwd=folder, capture_output=True,
                          text=True)
    assert done.returncode == 2 and "usage" in done.stderr
    assert os.listdir(folder) == []


@pytest.mark.parametrize("program", PROGRAMS)
def test_down__leaves_nothing(folder, program):
    up = run(f"{program}-up", folder / "made", free_port())
    assert up.returncode == 0, up.stderr
    assert processes(str(folder))
    assert run(f"{program}-down", "-r", folder / "made").returncode == 0
    assert not processes(str(folder)) and not (folder / "made").exists()
    assert run(f"{program}-down", "-r", folder / "made").returncode == 0, "again is no error"


@pytest.mark.azure
def test_azurite__keeps_its_data_on_a_disk(folder):
    server = Azurite(folder / "azurite", disk=True).up()
    try:
        root = AzureStore(server).root
        assert root.create("kept", cosiname="kept").status == 201
        server.kill()
        server.up()
        assert root.marks("kept") == {"cosiname": "kept"}
    finally:
        server.down()
    assert not (folder / "azurite").exists()


@pytest.mark.parametrize("style", ["path", "host"])
def test_azurite__takes_what_the_rig_signs(azurite, style, name):
    """Both accounts, either kind of URL; what is signed otherwise is refused."""
    for account, not_its in ((WELL_KNOWN[0], KEYS[0]), (CUSTOM, WELL_KNOWN[1])):
        store = AzureStore(azurite, account, style)
        root = Blob(store.public_endpoint, account, store.key)
        assert root.create(name).status == 201
        assert root.set_policies(name, [Policy("one", "rl", "2031-01-01T00:00:00Z")]).status == 200
        assert [p.id for p in root.policies(name)] == ["one"]
        assert root.put(name, "a b/c", b"content").status == 201
        assert root.get(name, "a b/c").body == b"content"
        assert name in root.containers()
        assert Blob(store.public_endpoint, account, not_its).head(name).status == 403
        assert Blob(store.public_endpoint).get(name, "a b/c").status >= 400
        assert root.drop(name).status == 202


@pytest.mark.parametrize("store", ["posix", "ceph-rgw", "minio", "azure"])
def test_demo__goes_through_and_leaves_nothing(build, folder, store):
    done = run("demo", store, build, TMPDIR=str(folder))
    assert (done.returncode, done.stderr) == (0, ""), done.stdout
    assert re.search(r"\nAll \d+ steps went as they should", done.stdout)
    for shown in ("cosictl create ", "cosictl --api v1alpha1 create ", "/admin.sock reload\n", " answered in the background\n"):
        assert shown in done.stdout
    assert "\x1b" not in done.stdout, "colours only on a terminal"
    shown = re.findall(r"(?:SECRET|SAS|AZURITE_KEY)\w*=(\S+)", done.stdout)
    assert shown and all("****" in secret for secret in shown), done.stdout
    assert os.listdir(folder) == [] and not processes(str(folder))


def test_demo__says_what_went_wrong(folder):
    """A build that is not one: a failure in words, status 1."""
    done = run("demo", "posix", folder, TMPDIR=str(folder))
    assert done.returncode == 1 and "failed: " in done.stdout
    assert os.listdir(folder) == []


def wait_gone(word, file=""):
    """Until no process has that word in its environment, and no such file is there."""
    give_up = time.monotonic() + 60
    while (left := processes(word)) or os.path.exists(file):
        assert time.monotonic() < give_up, left
        os.sched_yield()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                ended = os.pidfd_open(int(pid))
                select.select([ended], [], [], give_up - time.monotonic())
                os.close(ended)


OWNER = """
import os, pathlib, sys
sys.path.insert(0, {tests!r})
from rig import guard
guard.start()
from rig.daemon import Cosid
from rig.store import Posix
{start}
print(os.environ["COSID_TEST_RUN"], flush=True)
sys.stdin.read()
"""
STARTS = {
    "ceph": "from rig.ceph import Ceph; kept = Ceph({folder!r} + '/s').up()",
    "minio": "from rig.minio import Minio; kept = Minio({folder!r} + '/s').up()",
    "azurite": "from rig.azure import Azurite; kept = Azurite({folder!r} + '/s').up()",
    "cosid": "kept = Cosid({build!r}, {folder!r}, {{'backends': [Posix({folder!r} + '/root').backend()]}}).start()",
    "session": "import subprocess; kept = subprocess.run(['setsid', '-f', 'sh', '-c', 'sleep 600; :'])",
}


@pytest.mark.parametrize("what", sorted(STARTS))
def test_guard__a_run_that_is_killed_leaves_nothing(build, folder, what):
    """SIGKILL of the process that started it: no store, no daemon and no file of that run stays."""
    start = STARTS[what].format(folder=str(folder), build=str(build))
    script = OWNER.format(tests=str(STORES.parent), start=start)
    owner = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    made = owner.stdout.readline().strip()
    assert made and processes(f"COSID_TEST_RUN={made}\0")
    owner.send_signal(signal.SIGKILL)
    owner.wait()
    wait_gone(f"COSID_TEST_RUN={made}\0", made)


@pytest.mark.ceph
def test_guard__a_gateway_of_a_unit_test_ends_with_it(folder):
    """As when ctest kills a program and all its children because the time is up."""
    with_rgw = STORES.parent / "unit" / "ceph-rgw" / "with-rgw"
    owner = subprocess.Popen([with_rgw, "sh", "-c", "echo $CEPH_CONF; sleep 600"], stdout=subprocess.PIPE, text=True,
                             env=os.environ | {"TMPDIR": str(folder)})
    assert owner.stdout.readline().startswith(str(folder))
    children = subprocess.run(["pgrep", "-P", str(owner.pid)], capture_output=True, text=True, check=True).stdout
    for pid in [owner.pid, *map(int, children.split())]:
        os.kill(pid, signal.SIGKILL)
    owner.wait()
    wait_gone(f"COSID_TEST_RUN={folder}", next(folder.iterdir()))
    assert os.listdir(folder) == []

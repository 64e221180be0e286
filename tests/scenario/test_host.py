# SPDX-License-Identifier: Apache-2.0
"""test_host.py - what cosid needs of the system that it runs on, which is next to nothing."""
import pathlib
import subprocess
import sys

import pytest

from rig.tree import ROOT

LIFE = """
import sys
sys.path.insert(0, sys.argv[1])
from rig.client import API_VERSIONS
client = API_VERSIONS[sys.argv[3]](sys.argv[2])
bucket = client.create("of-another-house")
access = client.grant(bucket, "ba-of-another-house")
client.revoke(access.account_id, bucket)
client.delete(bucket)
print(bucket)
"""
# Everything of a system that is not its programs and libraries.
HIDDEN = ("/etc", "/home", "/root", "/srv", "/opt", "/media", "/mnt", "/run", "/var", "/boot")
HIDE = 'for each in $HIDE; do mount -t tmpfs none "$each"; done; exec "$@"'


def live(daemon, api_version, *wrap):
    """A bucket's whole life, as a client in another process sees it."""
    done = subprocess.run(
        [*wrap, sys.executable, "-c", LIFE, str(ROOT / "tests"), str(daemon.socket), api_version],
        capture_output=True, text=True, timeout=120, stdin=subprocess.DEVNULL)
    assert done.returncode == 0, done.stderr
    assert done.stdout == "files.of-another-house\n"


@pytest.mark.clause(45, 56)
def test_namespaces__only_the_socket_is_shared(cosid, posix, build, folder, api_version):
    """Its own mounts, without a file of the system's but programs; its own network, IPC and host
    name; its clients in a process namespace where it is not."""
    needed = (build, folder)
    hidden = [d for d in HIDDEN if pathlib.Path(d).is_dir()
              and not any(path.is_relative_to(d) for path in needed)]
    assert "/etc" in hidden and "/run" in hidden
    daemon = cosid({"backends": [posix.backend()], "allowed_peers": {"uids": [0]}},
                   env={"HIDE": " ".join(hidden)},
                   wrap=["unshare", "--mount", "--net", "--ipc", "--uts", "sh", "-c", HIDE, "-"])
    mounts = (pathlib.Path("/proc") / str(daemon.pid) / "mounts").read_text()
    assert all(f" {each} tmpfs " in mounts for each in hidden)
    live(daemon, api_version, "unshare", "--pid", "--fork", "--ipc", "--uts")


@pytest.mark.clause(55)
def test_rights__no_capability_is_needed(cosid, posix, api_version):
    # What looks for leaks at the end needs one: it traces a process that cannot be dumped.
    daemon = cosid({"backends": [posix.backend()]}, env={"ASAN_OPTIONS": "detect_leaks=0"},
                   wrap=["setpriv", "--bounding-set=-all", "--inh-caps=-all", "--no-new-privs"])
    status = (pathlib.Path("/proc") / str(daemon.pid) / "status").read_text()
    for kind in ("CapPrm", "CapEff", "CapBnd", "CapAmb"):
        assert f"{kind}:\t0000000000000000\n" in status, status
    live(daemon, api_version)

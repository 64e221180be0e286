# SPDX-License-Identifier: Apache-2.0
"""ceph.py - a real RADOS Gateway for the tests: tests/stores/ceph-up on a free port."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess

from rig.s3 import S3, Admin

STORES = pathlib.Path(__file__).resolve().parents[1] / "stores"
SECRET = "plantedrgwadminsecret0000000000000000000"


def check_there(store):
    """./dev test says so in the environment when it could not fetch a store."""
    reason = os.environ.get(f"COSID_WITHOUT_{store}")
    assert not reason, f"there is no {store} to test with: {reason}"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Ceph:
    """One cluster: up() and down(); `caps` None: what cosid needs and no more."""

    def __init__(self, folder, caps=None, rgw_options=""):
        self.folder, self.caps, self.rgw_options = pathlib.Path(folder), caps, rgw_options
        self.endpoint = self.key = None
        self.secret, self.region = SECRET, "default"

    def up(self):
        env = os.environ | {"RGW_SECRET_KEY": self.secret, "CEPH_UP_RGW": self.rgw_options}
        if self.caps:
            env["RGW_CAPS"] = self.caps
        for _ in range(5):  # another process may take the port first
            done = subprocess.run([STORES / "ceph-up", self.folder, str(free_port())], env=env,
                                  stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        said = dict(line.split("=", 1) for line in done.stdout.splitlines())
        self.endpoint, self.key = said["RGW_ENDPOINT"], said["RGW_ACCESS_KEY"]
        return self

    def down(self):
        subprocess.run([STORES / "ceph-down", "-r", self.folder], check=True,
                       stdin=subprocess.DEVNULL)

    def owner(self):
        """A client with the key that cosid has."""
        return S3(self.endpoint, self.key, self.secret, self.region)

    def admin(self):
        return Admin(self.endpoint, self.key, self.secret, self.region)

    def pid(self, name):
        """mon, osd or rgw."""
        for line in (self.folder / "pids").read_text().splitlines():
            if line.split()[0] == name:
                return int(line.split()[1])
        raise KeyError(name)

    @contextlib.contextmanager
    def stopped(self, name):
        """The process stands still (SIGSTOP): it accepts connections and never answers."""
        os.kill(self.pid(name), signal.SIGSTOP)
        try:
            yield
        finally:
            os.kill(self.pid(name), signal.SIGCONT)

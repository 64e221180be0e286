# SPDX-License-Identifier: Apache-2.0
"""ceph.py - a real RADOS Gateway for the tests."""
import http.client
import os
import signal
import subprocess

from rig.s3 import S3, Admin
from rig.server import Server

SECRET = "plantedrgwadminsecret0000000000000000000"


class Ceph(Server):
    """One cluster: processes mon, osd and rgw."""

    name, process, disk_process = "ceph", "rgw", "osd"

    def __init__(self, folder, caps=None, rgw_options=""):
        """caps: of cosid's user; None: what it needs and no more."""
        super().__init__(folder)
        self.caps, self.rgw_options = caps, rgw_options
        self.endpoint = self.key = None
        self.secret, self.region = SECRET, "default"

    def up(self):
        caps = {"RGW_CAPS": self.caps} if self.caps else {}
        said = self.start(RGW_SECRET_KEY=self.secret, CEPH_UP_RGW=self.rgw_options, **caps)
        self.endpoint, self.key = said["RGW_ENDPOINT"], said["RGW_ACCESS_KEY"]
        return self

    def crash(self):
        """kill -9 of radosgw; the osd, whose data is in memory, goes on."""
        os.kill(self.pid(), signal.SIGKILL)

    def recover(self):
        """A new one after a crash, noted for ceph-down; when it answers."""
        conf = self.folder / "ceph.conf"
        with open(self.folder / "out" / "rgw.again", "ab") as out:
            process = subprocess.Popen(["radosgw", "-c", conf, "-n", "client.rgw", "-f"], stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=out, start_new_session=True, cwd=self.folder)
        with open(f"/proc/{process.pid}/stat", encoding="ascii") as stat:
            start = stat.read().rpartition(")")[2].split()[19]
        with open(self.folder / "pids", "r+", encoding="ascii") as pids:
            others = [line for line in pids if line.split()[0] != "rgw"]
            pids.seek(0)
            pids.truncate()
            pids.writelines([*others, f"rgw {process.pid} {start}\n"])
        while not self._answers():
            assert process.poll() is None, "radosgw ended"

    def _answers(self):
        try:
            return self.root().request("GET", "/").status == 200
        except (OSError, http.client.HTTPException):
            return False

    def lose_key(self, key):
        """What a gateway can lose when it crashes: the index by which it finds the user of a key."""
        conf = self.folder / "ceph.conf"
        subprocess.run(["rados", "-c", conf, "-p", "default.rgw.meta", "-N", "users.keys", "rm", key],
                       check=True, stdin=subprocess.DEVNULL, capture_output=True)

    def root(self):
        """A client with the key that cosid has."""
        return S3(self.endpoint, self.key, self.secret, self.region)

    def admin(self):
        return Admin(self.endpoint, self.key, self.secret, self.region)

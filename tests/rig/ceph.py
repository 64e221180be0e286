# SPDX-License-Identifier: Apache-2.0
"""ceph.py - a real RADOS Gateway for the tests."""
import subprocess

from rig.s3 import S3, Admin
from rig.server import Server

SECRET = "plantedrgwadminsecret0000000000000000000"


class Ceph(Server):
    """One cluster: processes mon, osd and rgw."""

    name, process = "ceph", "rgw"

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

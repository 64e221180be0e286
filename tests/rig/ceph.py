# SPDX-License-Identifier: Apache-2.0
"""ceph.py - a real RADOS Gateway for the tests."""
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

    def root(self):
        """A client with the key that cosid has."""
        return S3(self.endpoint, self.key, self.secret, self.region)

    def admin(self):
        return Admin(self.endpoint, self.key, self.secret, self.region)

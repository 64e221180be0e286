# SPDX-License-Identifier: Apache-2.0
"""minio.py - a real MinIO server for the tests, and a client of its administrator."""
import hashlib
import io
import json
import os
import pathlib
import zipfile

from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from rig.s3 import S3
from rig.server import Server

SECRET = "planteddriversecret00000000000000000000"
ADMIN = "/minio/admin/v3/"


def seal(password, text):
    """The admin API's encryption, written down once more: what cosid's own must agree with."""
    salt, nonce = os.urandom(32), os.urandom(8)
    cipher = AESGCM(hashlib.pbkdf2_hmac("sha256", password.encode(), salt, 8192))
    zeroth = cipher.encrypt(nonce + bytes(4), b"", None)
    return salt + b"\2" + nonce + cipher.encrypt(nonce + b"\1\0\0\0", text.encode(), b"\x80" + zeroth)


class Root(S3):
    """The server's administrator: what cosid's own user may not do, and a look at everything."""

    def admin(self, method, what, query=None, body=b""):
        return self.request(method, ADMIN + what, query, body=body)

    def _exported(self):
        reply = self.admin("GET", "export-iam")
        assert reply.status == 200, reply
        archive = zipfile.ZipFile(io.BytesIO(reply.body))
        return {pathlib.Path(n).stem: json.loads(archive.read(n)) for n in archive.namelist()}

    def import_iam(self, **parts):
        """users, policies, user_mappings as the server exports them."""
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            for name, content in parts.items():
                archive.writestr(f"iam-assets/{name}.json", json.dumps(content))
        reply = self.admin("PUT", "import-iam", body=out.getvalue())
        assert reply.status == 200, reply

    def users(self):
        """{access key: {"secretKey", "status"}} of all users."""
        return self._exported()["users"]

    def mappings(self):
        """{access key: policy} of all users that have one."""
        return {k: v["policy"] for k, v in self._exported()["user_mappings"].items()}

    def put_user(self, key, secret, policy=None):
        self.import_iam(users={key: {"secretKey": secret, "status": "enabled"}})
        if policy:
            assert self.join(key, policy).status == 200

    def join(self, key, policy):
        return self.admin("PUT", "set-user-or-group-policy",
                          {"policyName": policy, "userOrGroup": key, "isGroup": "false"})

    def set_status(self, key, status):
        reply = self.admin("PUT", "set-user-status", {"accessKey": key, "status": status})
        assert reply.status == 200, reply

    def remove_user(self, key):
        return self.admin("DELETE", "remove-user", {"accessKey": key})

    def policies(self):
        """{name: document} of all policies."""
        reply = self.admin("GET", "list-canned-policies")
        assert reply.status == 200, reply
        return reply.json()

    def put_policy(self, name, document):
        reply = self.admin("PUT", "add-canned-policy", {"name": name},
                           json.dumps(document).encode())
        assert reply.status == 200, reply

    def remove_policy(self, name):
        return self.admin("DELETE", "remove-canned-policy", {"name": name})

    def quota(self, bucket):
        return self.admin("GET", "get-bucket-quota", {"bucket": bucket}).json()["quota"]


class Minio(Server):
    name = process = "minio"

    def __init__(self, folder, region=None):
        super().__init__(folder)
        self.given_region, self.secret = region, SECRET

    def up(self):
        """Also after kill(): on the same port, with the same data."""
        region = {"MINIO_REGION": self.given_region} if self.given_region else {}
        said = self.start(MINIO_SECRET_KEY=self.secret, **region)
        self.endpoint, self.key = said["MINIO_ENDPOINT"], said["MINIO_ACCESS_KEY"]
        self.region = said["MINIO_SIGNED_REGION"]
        self._root = said["MINIO_ROOT_USER"], said["MINIO_ROOT_PASSWORD"]
        return self

    def recover(self):
        """When it has scanned its buckets, too: until then it undoes changes (docs/stores/minio.md)."""
        self.up()
        while self.root().request("GET", "/minio/health/cluster").status != 200:
            pass

    def root(self):
        return Root(self.endpoint, *self._root, self.region)

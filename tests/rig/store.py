# SPDX-License-Identifier: Apache-2.0
"""store.py - what the shared tests need of a store, whatever it is: a backend of it, and a look inside.

  backend(name)       its entry in `backends`
  exists(bucket)      does the store itself have it?
  make_foreign(name)  a bucket that cosid did not make
  accounts()          the native names of all accounts that have the driver's prefix
  objects             can keys be tried out?
A Remote one, which is a server (`server`), has also:
  at(endpoint)        the same store by another way, as a proxy is
  rights(bucket)      all that a grant of that bucket can have written
rig/answers.py has the rest of it: what answers must say.
"""
import os
import pathlib

from rig import secrets
from rig.answers import AzureAnswers, S3Answers
from rig.azure import CUSTOM, KEYS, WELL_KNOWN, Blob, account_url
from rig.s3 import S3

CREDENTIAL_KEY = secrets.plant("planted-credential-key-0123456789abcdef")


class Posix(S3Answers):
    name, objects = "posix", False

    def __init__(self, root):
        self.root = pathlib.Path(root)
        self.root.mkdir(parents=True, exist_ok=True)

    def backend(self, name="files", **more):
        return {"name": name, "module": "posix", "root": str(self.root),
                "credential_key": "plain:" + CREDENTIAL_KEY,
                "public_endpoint": "http://files.example.org"} | more

    def exists(self, bucket):
        return (self.root / bucket).is_dir()

    def make_foreign(self, bucket):
        (self.root / bucket).mkdir()

    def fill(self, bucket):
        (self.root / bucket / "object").write_text("content")

    def is_filled(self, bucket):
        return (self.root / bucket / "object").read_text() == "content"

    def empty(self, bucket):
        (self.root / bucket / "object").unlink()

    def buckets(self):
        return sorted(p.name for p in self.root.iterdir() if not p.name.startswith("."))

    def accounts(self):
        return sorted({f.partition(".")[0] for _, _, files in os.walk(self.root) for f in files
                       if f.startswith("cosi-")})


class Example(S3Answers):
    """The store of modules/example, a fake one in this process."""
    name, objects = "example", False

    def __init__(self, server):
        self.server = server

    def backend(self, name="example", **more):
        return {"name": name, "module": "example", "endpoint": self.server.url,
                "admin_key": "plain:" + secrets.plant(self.server.key)} | more

    def exists(self, bucket):
        return bucket in self.server.buckets

    def make_foreign(self, bucket):
        self.server.buckets[bucket] = {"name": bucket, "created": 0, "tags": {}, "objects": {}}

    def fill(self, bucket):
        self.server.buckets[bucket]["objects"]["object"] = b"content"

    def is_filled(self, bucket):
        return self.server.buckets[bucket]["objects"] == {"object": b"content"}

    def empty(self, bucket):
        self.server.buckets[bucket]["objects"].clear()

    def buckets(self):
        return sorted(self.server.buckets)

    def accounts(self):
        return sorted(self.server.accounts)


class Remote:
    """A store that is a server; root: a client that may do everything with its buckets."""

    objects = True

    def exists(self, bucket):
        return self.root.head(bucket).status == 200

    def make_foreign(self, bucket):
        assert self.root.create(bucket).status == self.stored

    def fill(self, bucket):
        assert self.root.put(bucket, "object", b"content").status == self.stored

    def is_filled(self, bucket):
        return self.root.get(bucket, "object").body == b"content"

    def empty(self, bucket):
        assert self.root.remove(bucket, "object").status == self.removed


class S3Store(Remote, S3Answers):
    def __init__(self, server, endpoint=None):
        self.server, self.endpoint = server, endpoint or server.endpoint
        self.root = server.root()

    def at(self, endpoint):
        return type(self)(self.server, endpoint)

    def buckets(self):
        return sorted(self.root.buckets())

    def client(self, access):
        """A client with what a grant gave."""
        return S3(access.endpoint, access.key, access.secret, access.region)


class CephRgw(S3Store):
    name = "ceph-rgw"

    def __init__(self, server, endpoint=None):
        super().__init__(server, endpoint)
        self.admin = server.admin()

    def backend(self, name="rgw", **more):
        return {"name": name, "module": "ceph-rgw", "endpoint": self.endpoint,
                "public_endpoint": self.server.endpoint, "region": self.server.region,
                "access_key": "plain:" + self.server.key,
                "secret_key": "plain:" + secrets.plant(self.server.secret)} | more

    def accounts(self):
        return sorted(u for u in self.admin.users() if u.startswith("cosi-"))

    def rights(self, _=None):
        return sorted(self.admin.users())

    def quota(self, bucket):
        """Its size in bytes."""
        return self.admin.bucket(bucket)["bucket_quota"]["max_size"]


class MinioStore(S3Store):
    name = "minio"

    def backend(self, name="minio", **more):
        return {"name": name, "module": "minio", "endpoint": self.endpoint,
                "public_endpoint": self.server.endpoint, "region": self.server.region,
                "access_key": "plain:" + self.server.key,
                "secret_key": "plain:" + secrets.plant(self.server.secret),
                "credential_key": "plain:" + CREDENTIAL_KEY} | more

    def accounts(self):
        """Of the users with their policies; what has one without the other is shown by that name."""
        policies = {p.rpartition(".") for p in self.root.policies() if p.startswith("cosi-")}
        users = {u for u in self.root.users() if u.startswith("COSI") and u != self.server.key}
        return sorted([account for account, _, _ in policies]
                      + list(users ^ {key for _, _, key in policies}))

    def rights(self, _=None):
        return self.root.users(), sorted(self.root.policies()), self.root.mappings()

    def quota(self, bucket):
        return self.root.quota(bucket)

    def marks(self, bucket):
        """Its ownership tags and others."""
        return self.root.tags(bucket)

    def set_marks(self, bucket, marks):
        assert self.root.set_tags(bucket, marks).status == 200


class AzureStore(Remote, AzureAnswers):
    name = "azure"

    def __init__(self, server, account=CUSTOM, style="path", endpoint=None):
        self.server, self.account = server, account
        self.key = KEYS[0] if account == CUSTOM else WELL_KNOWN[1]
        self.endpoint = account_url(endpoint or server.endpoint, account, style)
        self.public_endpoint = account_url(server.endpoint, account, style)
        self.root = Blob(account_url(server.endpoint, account), account, self.key, ca=server.ca)

    def at(self, endpoint):
        return AzureStore(self.server, self.account, endpoint=endpoint)

    def backend(self, name="azure", **more):
        return {"name": name, "module": "azure", "endpoint": self.endpoint,
                "public_endpoint": self.public_endpoint, "account": self.account,
                "account_key": "plain:" + self.key} | more

    def buckets(self):
        return sorted(self.root.containers())

    def marks(self, bucket):
        return self.root.marks(bucket)

    def set_marks(self, bucket, marks):
        self.root.set_marks(bucket, **marks)

    def accounts_of(self, bucket):
        """Of the container's policies."""
        return sorted(policy.id.partition(".")[0] for policy in self.root.policies(bucket)
                      if policy.id.startswith("cosi-"))

    def rights(self, bucket):
        return self.root.policies(bucket)

    def accounts(self):
        return sorted(account for bucket in self.buckets() for account in self.accounts_of(bucket))

    def client(self, access):
        """A client with what a grant gave."""
        return Blob.of_token(access.token, self.server.ca)

# SPDX-License-Identifier: Apache-2.0
"""life.py - one bucket and one account while faults happen: the calls on them, and whether an OK holds."""
from rig.client import outcome, until_ok
from rig.steps import PASSING

SETTINGS = {"ceph-rgw": {"versioning": "true", "quotaMaxSize": "1Gi"},
            "minio": {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}, "azure": {}}
OTHER = {"anonymousAccess": "readOnly"}
# What comes before a call.
BEFORE = {"create": [], "grant": ["create"], "revoke": ["create", "grant"], "delete": ["create"]}


def unlock(real, bucket):
    """A lease that a lost request of Azure's left: an operator need not wait 15 s for its end."""
    if real.name == "azure" and real.root.lease_state(bucket) == "leased":
        real.root.lease(bucket, "break", break_period=0)


class Life:
    """One bucket and one account, in whatever state: calls on them, and whether that state is kept."""

    def __init__(self, real, client, name, settings=None):
        self.real, self.client, self.name = real, client, name
        self.bucket, self.account = f"shop.{name}", f"shop.cosi-ba-{name}"
        self.settings = SETTINGS[real.name] if settings is None else settings

    def at(self, client):
        return Life(self.real, client, self.name, self.settings)

    def call(self, what):
        return {"create": lambda: self.client.create(self.name, self.settings),
                "grant": lambda: self.client.grant(self.bucket, f"ba-{self.name}"),
                "revoke": lambda: self.client.revoke(self.account, self.bucket),
                "delete": lambda: self.client.delete(self.bucket)}[what]()

    def check(self, what, access):
        getattr(self, "check_" + what)(access)

    def check_create(self, _):
        """Also for an application that has access already."""
        access = until_ok(PASSING, self.call, "grant")
        key = self.real.client(access)
        while (code := outcome(self.client.create, self.name, OTHER)) in PASSING:
            pass
        assert code == "ALREADY_EXISTS"  # though it is empty
        assert key.put(self.name, "object", b"content").status == self.real.stored
        if self.settings:
            assert self.real.root.versioning(self.name) == "Enabled"
            assert self.real.quota(self.name) == 1 << 30
            if "anonymousAccess" in self.settings:
                assert self.real.root.request("GET", f"/{self.name}", {"policy": ""}).status == 200
        assert until_ok(PASSING, self.call, "create") == self.bucket
        assert key.get(self.name, "object").body == b"content"
        self.check_grant(access)

    def check_grant(self, access):
        key = self.real.client(access)
        assert key.list(self.name).status == 200
        assert until_ok(PASSING, self.call, "grant").credentials == access.credentials
        assert key.list(self.name).status == 200
        until_ok(PASSING, self.call, "revoke")
        self.check_revoke(access)

    def check_revoke(self, access):
        assert access is None or self.real.client(access).list(self.name).status == 403
        assert f"cosi-ba-{self.name}" not in self.real.accounts()
        until_ok(PASSING, self.client.delete, self.bucket, {"whenNotEmpty": "purge"})
        self.check_delete(access)

    def check_delete(self, _):
        assert not self.real.exists(self.name)

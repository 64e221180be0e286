# SPDX-License-Identifier: Apache-2.0
"""test_minio_faults.py - a fault at every request of every call to a real MinIO, one kind after another.

test_cuts.py has connections that break and a cosid that is killed, test_minio_late.py what arrives late.
"""
import pytest

from rig.client import outcome, until_ok
from rig.minio import Minio
from rig.proxy import Cut, Proxy, answer, of_store
from rig.steps import PASSING, lifecycle, run
from rig.store import MinioStore

pytestmark = pytest.mark.minio

SETTINGS = {"versioning": "true", "quotaMaxSize": "1Gi", "anonymousAccess": "readOnly"}
# The calls, what comes before each, and how many requests each has.
CALLS = {"create": ([], 2), "settings": ([], 6), "again": (["create"], 2), "grant": (["create"], 5),
         "repeat": (["create", "grant"], 2), "revoke": (["create", "grant"], 3),
         "delete": (["create"], 2)}
HTML = answer(200, b"<html><body>It works!</body></html>", "text/html")


class Faults:
    """One fault at the request `number`; what the proxy does, and what happens beside it."""

    def __init__(self, server, proxy):
        self.server, self.proxy, self.fired = server, proxy, 0

    def arm(self, kind, number):
        self.proxy.reset()
        self.fired, verdicts = 0, {
            "hang": Cut.SILENT, "late": Cut.LATE, "page": HTML, "empty page": answer(200),
            "braces": of_store(200, b'{"a":[]}'), "busy": of_store(503), "refused": of_store(429)}

        def rule(request):
            if request.number != number:
                return None
            self.fired += 1
            if kind == "killed before":
                self.server.kill()
                return Cut.BEFORE
            return verdicts.get(kind)

        def after(request):
            if request.number == number and kind == "killed after":
                self.server.kill()
            if request.number == number and kind == "twice":
                self.proxy.send_again(request)

        self.proxy.rule, self.proxy.after = rule, after

    def over(self):
        """The server is itself again, and what was late arrives."""
        self.proxy.reset()
        if not self.server_lives():
            self.server.up()
        self.proxy.deliver()

    def server_lives(self):
        try:
            self.server.root().request("GET", "/minio/health/live")
        except OSError:
            return False
        return True


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """One of its own, because it is killed."""
    made = Minio(tmp_path_factory.mktemp("minio")).up()
    yield made
    made.down()


@pytest.mark.parametrize("operation", CALLS)
@pytest.mark.parametrize("kind", ["killed before", "killed after", "hang", "late", "twice", "page",
                                  "empty page", "braces", "busy", "refused"])
def test_fault__at_every_request(cosid, server, name, kind, operation):
    """The call is OK or passes, its repetition ends well, its settings are there, nothing stays."""
    before, most = CALLS[operation]
    with Proxy(server.endpoint) as proxy:
        shop, faults = MinioStore(server, proxy.endpoint), Faults(server, proxy)
        # No retries: the fault is what the call meets.
        client = cosid({"call_timeout": "2s", "backends": [
            shop.backend("shop", request_timeout="500ms", retries=0)]}).client()
        found = shop.buckets(), shop.rights()
        for number in range(1, most + 1):
            each = f"{name}-{number}"
            for earlier in before:
                until_ok(PASSING, run, client, earlier, each)
            faults.arm(kind, number)
            try:
                ended = outcome(run, client, operation, each, SETTINGS)
            finally:
                faults.over()
            assert faults.fired == 1 and ended in ("OK", *PASSING.split("|")), f"request {number}"
            until_ok(PASSING, run, client, operation, each, SETTINGS)
            if operation == "settings":
                assert shop.root.versioning(each) == "Enabled"
                assert shop.root.quota(each) == 1 << 30 and "cosi-params" in shop.root.tags(each)
                client.delete(f"shop.{each}")
            lifecycle(client, shop, each)
            assert (shop.buckets(), shop.rights()) == found, f"request {number}"

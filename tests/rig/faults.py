# SPDX-License-Identifier: Apache-2.0
"""faults.py - what can go wrong with one request between a daemon and a real store, and the store for it."""
import pytest

from rig.azure import Azurite
from rig.ceph import Ceph
from rig.minio import Minio
from rig.proxy import Cut, answer, of_store
from rig.store import AzureStore, CephRgw, MinioStore

PAGE = b"<html><body>It works!</body></html>"
# What the proxy does with the request; test_hostile.py has more answers that are wrong.
VERDICTS = {
    "cut before": Cut.BEFORE, "cut after": Cut.AFTER, "half": Cut.HALF, "hang": Cut.SILENT, "mute": Cut.MUTE,
    "late": Cut.LATE, "delay": Cut.DELAY, "gateway": Cut.GATEWAY, "page": answer(200, PAGE, "text/html"),
    "404 of another": answer(404, PAGE, "text/html"), "empty page": answer(200),
    "braces": of_store(200, b'{"a":[]}'), "busy": of_store(503), "refused": of_store(429)}
# Or what happens beside it: it is sent twice, or cosid or the store is killed or stands still.
KINDS = [*VERDICTS, "twice", "store killed before", "store killed after", "cosid killed before",
         "cosid killed after", "store stands still"]


@pytest.fixture(scope="module")
def real(request, tmp_path_factory):
    """The store on a server of its own, because that is killed."""
    folder = tmp_path_factory.mktemp(request.param) / "server"
    kind, make = {"ceph-rgw": (CephRgw, lambda: Ceph(folder, rgw_options="[osd]\nosd_client_watch_timeout = 8")),
                  "minio": (MinioStore, lambda: Minio(folder)),
                  "azure": (AzureStore, lambda: Azurite(folder, disk=True))}[request.param]
    server = make().up()
    yield kind(server)
    server.down()


def everything(real, bucket):
    """All that a life with that bucket could leave behind."""
    return real.buckets(), real.accounts(), real.rights(bucket)


class Faults:
    """One fault at the request `number` of the daemon's next call."""

    def __init__(self, real, proxy, daemon):
        self.server, self.proxy, self.daemon = real.server, proxy, daemon
        self.kind, self.fired, self.still = None, 0, None

    def arm(self, kind, number):
        self.proxy.reset()
        self.kind, self.fired = kind, 0
        self.proxy.rule = lambda request: self.before(request) if request.number == number else None
        self.proxy.after = lambda request: self.after(request) if request.number == number else None

    def before(self, _):
        self.fired += 1
        if self.kind == "store killed before":
            self.server.crash()
            return Cut.BEFORE
        if self.kind == "cosid killed before":
            self.daemon.process.kill()
            return Cut.LATE
        if self.kind == "store stands still":
            self.still = self.server.stopped(self.server.disk_process)
            self.still.__enter__()
        return VERDICTS.get(self.kind)

    def after(self, request):
        if self.kind == "store killed after":
            self.server.crash()
        if self.kind == "cosid killed after":
            self.daemon.process.kill()
        if self.kind == "twice":
            self.proxy.send_again(request)

    def over(self):
        """The store and the daemon are themselves again, and what is late arrives."""
        self.proxy.reset()
        if not self.fired:
            return
        if self.still is not None:
            self.still.__exit__(None, None, None)
            self.still = None
        if "killed" in self.kind:
            self.proxy.wait_idle()
        if self.kind.startswith("store killed"):
            self.server.recover()
        if self.kind.startswith("cosid killed"):
            self.restart()
        self.proxy.deliver()

    def restart(self):
        """kill -9, and a new one."""
        self.daemon.kill()
        self.daemon.close_clients()
        self.daemon.start()

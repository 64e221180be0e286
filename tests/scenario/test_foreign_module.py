# SPDX-License-Identifier: Apache-2.0
"""test_foreign_module.py - the walk-through of cosi-module(7): a module from outside the tree, its whole life, under load."""
import os
import re
import threading

import grpc

from rig.client import check_refusal, refused
from rig.shelf import Shelf, installed
from rig.tree import ROOT


def test_module__written_with_the_header_alone():
    """Under 100 lines, and nothing of cosid but the installed header."""
    lines = (ROOT / "tests" / "scenario" / "shelf.c").read_text().splitlines()
    assert len(lines) < 100
    ours = [x for x in lines if x.startswith("#include") and re.search(r'"|cosi|jansson|openssl|expat', x)]
    assert ours == ["#include <cosi_module.h>"]


def test_module__walk_through(cosid, build, folder, posix):
    """Built, dropped in, reloaded, it serves, is replaced, drained and removed; calls go on all the while."""
    shelf = Shelf(folder, installed(build, folder) / "include")
    shelf.put(build / "modules" / "posix.so", "posix")
    parts = folder / "conf.d"
    parts.mkdir()
    daemon = cosid({"module_dir": str(shelf.modules), "include_dir": str(parts), "backends": [posix.backend()],
                    "default_backend": "files"})
    over, failures, lives = threading.Event(), [], []

    def live(number):
        client = daemon.client()
        while not over.is_set():
            try:
                bucket = client.create(f"load-{number}")
                client.revoke(client.grant(bucket, f"ba-{number}").account_id, bucket)
                client.delete(bucket)
                lives.append(number)
            except grpc.RpcError as error:
                failures.append(check_refusal(error))

    threads = [threading.Thread(target=live, args=(n,), daemon=True) for n in range(16)]
    for thread in threads:
        thread.start()
    client = daemon.client()
    part = parts / "shelf.conf"

    def configure(**more):
        text = cosid.make({"backends": [shelf.backend(**more)]}).config.read_text()
        part.write_text("\n".join(x for x in text.splitlines() if x.startswith("backends")) + "\n")
        part.chmod(0o600)

    def region(bucket):
        method, fields = client.create_fields(bucket, {"backend": "shelf"})
        return client.call(method, **fields).bucket_info.s3.region

    # Built and dropped in.
    shelf.install("1")
    configure()
    assert daemon.cosictl("reload").returncode == 0
    assert region("first") == "v1-plain"
    access = client.grant("shelf.first", "ba-first")
    # Replaced by its second version.
    shelf.install("2")
    assert daemon.cosictl("reload").returncode == 0
    assert region("first") == "v2-plain"
    assert client.grant("shelf.first", "ba-first").secret == access.secret
    versions = {m["name"]: m["version"] for m in daemon.status()["modules"]}
    assert versions["shelf"] == "2"
    # Drained, and removed.
    configure(accept_new=False)
    assert daemon.cosictl("reload").returncode == 0
    client.revoke(access.account_id, "shelf.first")
    client.delete("shelf.first")
    part.unlink()
    (shelf.modules / "shelf.so").unlink()
    assert daemon.cosictl("reload").returncode == 0
    with refused("FAILED_PRECONDITION", "shelf"):
        client.delete("shelf.first")
    assert [m["name"] for m in daemon.status()["modules"]] == ["posix"]
    before = len(lives)
    while len(lives) < before + 16:
        os.sched_yield()
    over.set()
    for thread in threads:
        thread.join(100)
        assert not thread.is_alive()
    assert not failures, failures[:3]

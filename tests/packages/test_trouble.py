# SPDX-License-Identifier: Apache-2.0
"""test_trouble.py - what ends the daemon, and how it comes back; the tests go on from one another."""
import json
import re
import subprocess

import pytest

from administrator import BACKEND
from rig.callers import Callers
from rig.daemon import config_text
from rig.tree import ROOT

pytestmark = pytest.mark.timeout(900)


@pytest.fixture(autouse=True, scope="module")
def bucket(served):
    served.run("cosictl", "create", "photos")


def test_kill__comes_back(served):
    seen, pid = served.cursor(), served.show("MainPID")
    served.run("kill", "-9", pid)
    served.wait_log("serving unix://", seen)
    assert served.show("MainPID") != pid and served.show("NRestarts") == "1"
    served.run("cosictl", "get", "files.photos")


CRASHING = """#include "cosi_module.h"
static int crash(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req, struct cosi_bucket *out)
{ (void)instance, (void)call, (void)req, (void)out; __builtin_trap(); }
COSI_MODULE = { COSI_MODULE_HEAD, .name = "crashing", .version = "1", .summary = "x", .protocols = COSI_S3,
	.auth = COSI_AUTH_KEY, .config = { 1, 0, NULL }, .create_bucket = crash };
"""


def test_crash__third_in_a_row_leaves_the_backend_out(served):
    """systemd restarts cosid each time; then the other backend serves in peace."""
    modules = next(served.root.glob("usr/lib/*/cosid/modules"))
    subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}/include", "-x", "c", "-", "-o", modules / "crashing.so"],
                   input=CRASHING, text=True, check=True)
    (modules / "crashing.so").chmod(0o644)
    served.write("/etc/cosid/conf.d/crashing.conf", config_text({"backends": [
        {"name": "bad", "module": "crashing", "public_endpoint": "http://bad.example.org"}]}))
    served.run("systemctl", "reload", "cosid")
    for _ in range(3):
        seen = served.cursor()
        served.run("cosictl", "create", "anything", "backend=bad", ok=False)
        served.wait_log(r"backend 'bad': module 'crashing' crashed in create_bucket\(\) \(SIGILL\)", seen)
        served.wait_log("serving unix://", seen)
    refused = served.run("cosictl", "create", "anything", "backend=bad", ok=False)
    assert "UNAVAILABLE" in refused and "module 'crashing' has ended cosid 3 times in a row" in refused
    assert "bad: left out: " in served.run("systemctl", "status", "cosid", ok=None)
    served.run("cosictl", "get", "files.photos")
    left_out = {b["name"]: b["leftOut"] for b in json.loads(served.run("cosictl", "-o", "json", "status"))["backends"]}
    assert left_out["files"] is None and "crashing" in left_out["bad"]
    served.run("rm", "/etc/cosid/conf.d/crashing.conf")
    served.restart()
    assert "left out" not in served.run("systemctl", "status", "cosid", ok=None)


def test_watchdog__ends_a_process_that_hangs(served):
    assert served.show("WatchdogUSec") == "30s"
    served.drop_in("watchdog", "[Service]\nWatchdogSec=2s\n")
    served.restart()
    seen, pid = served.cursor(), served.show("MainPID")
    served.run("kill", "-STOP", pid)
    served.wait_log("Watchdog timeout", seen)
    served.wait_log("serving unix://", seen)
    assert served.show("MainPID") != pid and served.show("NRestarts") == "1"
    served.run("cosictl", "get", "files.photos")
    served.shell("rm /etc/systemd/system/cosid.service.d/watchdog.conf; systemctl daemon-reload")
    served.restart()


def test_start__refused_one_is_not_repeated(served):
    served.write("/etc/cosid/conf.d/zz.conf", "backends = (\n")
    served.run("systemctl", "restart", "cosid", ok=False)
    assert served.show("ActiveState") == "failed" and served.show("NRestarts") == "0"
    served.run("rm", "/etc/cosid/conf.d/zz.conf")
    served.run("systemctl", "start", "cosid")


def test_start__file_that_others_can_change(served):
    """Also where the unit's sandbox makes the whole system read-only for cosid."""
    served.shell("chmod 0666 /etc/cosid/conf.d/files.conf")
    seen = served.cursor()
    served.run("systemctl", "restart", "cosid", ok=False)
    served.wait_log("users other than its owner may write to '/etc/cosid/conf.d/files.conf'", seen)
    served.shell("chmod 0644 /etc/cosid/conf.d/files.conf; systemctl start cosid")


def test_start__without_a_name_says_what_is_missing(served):
    """As on a host without a domain."""
    served.shell("cp /etc/cosid/cosid.conf /srv; sed -i 's/^driver_name/# &/' /etc/cosid/cosid.conf")
    seen = served.cursor()
    served.run("systemctl", "restart", "cosid", ok=False)
    served.wait_log("/etc/cosid/cosid.conf.*driver_name", seen)
    assert served.show("NRestarts") == "0"
    served.shell("rm /etc/cosid/cosid.conf; mkdir /srv/bin; echo '#!/bin/sh' >/srv/bin/hostname; chmod +x /srv/bin/hostname")
    said = served.shell("PATH=/srv/bin:$PATH /usr/libexec/cosid/cosid-configure")
    assert "no domain name: set driver_name in /etc/cosid/cosid.conf" in said, "at the installation, too"
    served.shell("cp /srv/cosid.conf /etc/cosid/; systemctl start cosid")


def test_credential__of_root_alone(served):
    served.shell("chown root:root /etc/cosid/secrets/posix.key; chmod 0600 /etc/cosid/secrets/posix.key")
    served.write("/etc/cosid/conf.d/files.conf", config_text(
        {"backends": [BACKEND | {"credential_key": "credential:posix.key"}]}))
    served.drop_in("key", "[Service]\nLoadCredential=posix.key:/etc/cosid/secrets/posix.key\n")
    served.restart()
    served.run("cosictl", "get", "files.photos")
    # From outside the unit it cannot be read: a warning, and the rest is checked.
    assert "cannot read the credential" in served.run("cosid", "--check")


def test_restart__loses_no_call(served):
    """Without cosid.socket connections are refused for a moment; calls on open connections are answered."""
    with Callers(served.socket) as callers:
        for _ in range(3):
            callers.wait(100)
            served.restart()
        callers.wait(100)
    refused = re.compile(r"the daemon is stopping|No such file|Connection refused")
    assert [(code, text) for code, text in callers.failures
            if code != "UNAVAILABLE" or not refused.search(text)] == []


def test_socket__held_by_systemd(served):
    """With cosid.socket a restart refuses no connection."""
    served.run("systemctl", "stop", "cosid")
    served.run("systemctl", "start", "cosid.socket")
    served.run("cosictl", "get", "files.photos")
    with Callers(served.socket) as callers:
        for _ in range(3):
            callers.wait(100)
            served.restart()
        callers.wait(100)
    assert callers.failures == []
    while (state := served.show("ActiveState")) == "activating":
        pass  # it serves before it says so
    assert state == "active"
    served.run("systemctl", "stop", "cosid.socket")
    served.restart()

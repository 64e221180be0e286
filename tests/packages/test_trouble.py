# SPDX-License-Identifier: Apache-2.0
"""test_trouble.py - what ends the daemon, and how it comes back; the tests go on from one another."""
import re

import pytest

from administrator import BACKEND
from rig.callers import Callers
from rig.daemon import config_text

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


def test_start__without_a_name_says_what_is_missing(served):
    """As on a host without a domain."""
    served.shell("cp /etc/cosid/cosid.conf /srv; sed -i 's/^driver_name/# &/' /etc/cosid/cosid.conf")
    seen = served.cursor()
    served.run("systemctl", "restart", "cosid", ok=False)
    served.wait_log("/etc/cosid/cosid.conf.*driver_name", seen)
    assert served.show("NRestarts") == "0"
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
    """Without cosid.socket there is none to connect to for a moment; whoever was connected is served."""
    with Callers(served.socket) as callers:
        for _ in range(3):
            callers.wait(100)
            served.restart()
        callers.wait(100)
    refused = re.compile(r"the daemon is stopping|No such file|Connection refused")
    assert [(code, text) for code, text in callers.failures
            if code != "UNAVAILABLE" or not refused.search(text)] == []


def test_socket__held_by_systemd(served):
    """Then nobody is refused, either."""
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

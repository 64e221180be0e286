# SPDX-License-Identifier: Apache-2.0
"""test_upgrade.py - a later version, and no version; the tests go on from one another."""
import re

import pytest

from rig.callers import Callers
from rig.store import CREDENTIAL_KEY

pytestmark = pytest.mark.timeout(900)
THIS = ["/packages/this-cosid.deb", "/packages/this-cosid-module-ceph-rgw.deb"]
LATER = ["/packages/later-cosid.deb", "/packages/later-cosid-module-ceph-rgw.deb"]


@pytest.fixture(autouse=True, scope="module")
def bucket(served):
    served.apt("install", *THIS)
    served.run("cosictl", "create", "photos")


def test_upgrade__keeps_what_was_edited(served):
    files = "/etc/cosid/cosid.conf /etc/cosid/conf.d/posix.conf.example"
    served.shell(f"for f in {files}; do echo '# mine' >>$f; done")
    pid = served.show("MainPID")
    served.apt("install", *LATER)
    assert "cosid 0.1.99" in served.run("cosid", "--version")
    assert served.shell(f"grep -hx '# mine' {files}") == "# mine\n# mine\n"
    assert served.show("ActiveState") == "active" and served.show("MainPID") != pid
    assert "cosid 0.1.99, " in served.run("cosictl", "status")
    served.run("cosictl", "get", "files.photos")


def test_upgrade__back_again(served):
    """cosid alone: the module depends on the module API, not on the version."""
    served.apt("install", "--allow-downgrades", THIS[0])
    served.run("cosictl", "get", "files.photos")
    assert "0.1.99" not in served.run("cosictl", "status")
    assert "0.1.99" in served.run("dpkg-query", "-W", "cosid-module-ceph-rgw")


def test_upgrade__refused_configuration_leaves_the_old_process(served):
    pid = served.show("MainPID")
    served.write("/etc/cosid/conf.d/zz.conf", "backends = (\n")
    said = served.apt("install", LATER[0])
    assert re.search(r"zz\.conf:\d+: ", said)
    assert "the new version refuses the configuration, so the old process keeps serving" in said
    assert served.show("MainPID") == pid
    served.run("cosictl", "get", "files.photos")
    served.shell("rm /etc/cosid/conf.d/zz.conf; /usr/libexec/cosid/cosid-check-service; systemctl restart cosid")
    assert "cosid 0.1.99, " in served.run("cosictl", "status")
    assert served.shell("ls /run/systemd/system; systemctl --failed --no-legend").split().count("cosid-check.service") == 0


def test_upgrade__checks_with_what_the_unit_adds(served):
    """A secret in the unit's environment, which no other process has."""
    served.shell("sed -i 's|file:/etc/cosid/secrets/posix.key|env:POSIX_KEY|' /etc/cosid/conf.d/files.conf")
    served.drop_in("key", f"[Service]\nEnvironment=POSIX_KEY={CREDENTIAL_KEY}\n")
    served.restart()
    pid = served.show("MainPID")
    served.apt("install", "--allow-downgrades", THIS[0])
    assert served.show("MainPID") != pid
    served.run("cosictl", "get", "files.photos")
    served.shell("sed -i 's|env:POSIX_KEY|file:/etc/cosid/secrets/posix.key|' /etc/cosid/conf.d/files.conf;"
                 "rm /etc/systemd/system/cosid.service.d/key.conf; systemctl daemon-reload; systemctl restart cosid")


@pytest.mark.parametrize("socket_unit", [False, True])
def test_upgrade__under_calls(served, socket_unit):
    """With cosid.socket no connection is refused; without it connections are refused for a moment."""
    if socket_unit:
        served.shell("systemctl stop cosid.service; systemctl enable --now cosid.socket")
        served.run("cosictl", "get", "files.photos")
    with Callers(served.socket) as callers:
        for packages in LATER, THIS:
            callers.wait(100)
            served.apt("install", "--allow-downgrades", *packages)
        callers.wait(100)
    if socket_unit:
        assert callers.failures == []
        assert served.run("systemctl", "is-active", "cosid.socket") == "active\n"
        served.shell("systemctl disable --now cosid.socket; systemctl restart cosid")
    refused = re.compile(r"the daemon is stopping|No such file|Connection refused")
    assert [(code, text) for code, text in callers.failures
            if code != "UNAVAILABLE" or not refused.search(text)] == []


def test_remove__keeps_the_configuration(served):
    served.apt("remove", "cosid")
    assert served.show("ActiveState") == "inactive"
    served.run("test", "-e", "/etc/cosid/secrets/posix.key")
    served.apt("install", *LATER)
    served.run("cosictl", "get", "files.photos")


def test_purge__leaves_nothing(served):
    served.apt("purge", "cosid", "cosid-module-ceph-rgw")
    left = served.shell("find / -xdev -path /proc -prune -o -path /packages -prune -o "
                        "-path /srv -prune -o -name '*cosid*' -print; ls -d /run/cosid* || true")
    assert [x for x in left.splitlines() if x.startswith("/")] == []
    served.run("test", "-d", "/srv/buckets/photos")
    served.apt("install", *THIS)
    assert served.show("ActiveState") == "active"

# SPDX-License-Identifier: Apache-2.0
"""test_service.py - the Debian packages on a booted machine: an administrator's days, in their order.

The tests share one machine and go on from where the one before them left it.
"""
import re

import pytest

from rig import secrets
from rig.daemon import config_text
from rig.store import CREDENTIAL_KEY, CephRgw

pytestmark = pytest.mark.timeout(900)
BACKEND = {"name": "files", "module": "posix", "root": "/srv/buckets",
           "credential_key": "file:/etc/cosid/secrets/posix.key",
           "public_endpoint": "http://files.example.org"}


def test_install__serves_without_a_backend(machine):
    assert machine.show("ActiveState") == "active"
    assert machine.show("StatusText").startswith("generation 1 serves 0 backends on unix://")
    assert 'driver_name = "cosid.example.org";' in machine.run("cat", "/etc/cosid/cosid.conf")
    assert "no backend is configured" in machine.run("cosictl", "info", ok=False)
    assert machine.run("systemctl", "--failed", "--no-legend") == ""


def test_service__security_at_most_2(machine):
    said = machine.run("systemd-analyze", "security", "--offline=true", "--threshold=20", "--no-pager",
                       "/lib/systemd/system/cosid.service")
    assert float(re.search(r"exposure level for cosid.service: ([0-9.]+)", said).group(1)) <= 2.0


def test_backend__first_one(machine):
    machine.shell("install -d -o cosid -g cosid /srv/buckets")
    machine.write("/etc/cosid/secrets/posix.key", CREDENTIAL_KEY)
    machine.shell("chmod 0640 /etc/cosid/secrets/posix.key; chgrp cosid /etc/cosid/secrets/posix.key")
    machine.write("/etc/cosid/conf.d/files.conf", config_text({"backends": [BACKEND]}))
    machine.run("cosid", "--check")
    machine.run("systemctl", "restart", "cosid")  # /srv/buckets is new: the sandbox must see it
    assert "files.photos" in machine.run("cosictl", "create", "photos")
    assert machine.shell("stat -c '%a %U' /srv/buckets/photos") == "770 cosid\n"


def test_peers__group_alone(machine):
    machine.shell("useradd alice; useradd -G cosid bob")
    assert "Permission denied" in machine.run("su", "alice", "-c", "cosictl info", ok=False)
    assert "cosid.example.org" in machine.run("su", "bob", "-c", "cosictl info")


def test_reload__new_module_and_backend_on_a_gateway(machine, rgw):
    """Its package reloads the service; then a lifecycle on the real gateway."""
    store = CephRgw(rgw)
    seen = machine.cursor()
    machine.apt("install", "/packages/this-cosid-module-ceph-rgw.deb")
    machine.wait_log("generation 2 serves 1 backend,", seen)
    machine.write("/etc/cosid/conf.d/rgw.conf", config_text({"backends": [store.backend("rgw")]}))
    seen = machine.cursor()
    machine.run("systemctl", "reload", "cosid")
    machine.wait_log("generation 3 serves 2 backends", seen)
    assert "rgw.packaged" in machine.run("cosictl", "create", "packaged", "backend=rgw")
    assert store.exists("packaged")
    said = machine.run("cosictl", "-o", "env", "grant", "rgw.packaged", "--account", "me")
    account = re.search(r"ACCOUNT_ID='?([^'\n]+)", said).group(1)
    assert len(store.accounts()) == 1
    machine.run("cosictl", "revoke", "rgw.packaged", "--account-id", account)
    machine.run("cosictl", "delete", "rgw.packaged")
    assert not store.exists("packaged") and not store.accounts()


def test_reload__broken_file_leaves_the_old_generation(machine):
    machine.write("/etc/cosid/conf.d/zz.conf", "backends = (\n")
    assert "zz.conf:" in machine.run("cosid", "--check", ok=False)
    seen = machine.cursor()
    machine.run("systemctl", "reload", "cosid", ok=None)
    machine.wait_log("reload failed, generation 3 goes on", seen)
    assert "zz.conf:" in machine.show("StatusText")
    machine.run("cosictl", "get", "files.photos")
    machine.run("rm", "/etc/cosid/conf.d/zz.conf")


def test_kill__comes_back(machine):
    seen, pid = machine.cursor(), machine.show("MainPID")
    machine.run("kill", "-9", pid)
    machine.wait_log("serving unix://", seen)
    assert machine.show("MainPID") != pid and machine.show("NRestarts") == "1"
    machine.run("cosictl", "get", "files.photos")


def test_start__refused_one_is_not_repeated(machine):
    machine.write("/etc/cosid/conf.d/zz.conf", "backends = (\n")
    machine.run("systemctl", "restart", "cosid", ok=False)
    assert machine.show("ActiveState") == "failed"
    machine.run("rm", "/etc/cosid/conf.d/zz.conf")
    machine.run("systemctl", "start", "cosid")


def test_credential__of_root_alone(machine):
    machine.shell("chown root:root /etc/cosid/secrets/posix.key; chmod 0600 /etc/cosid/secrets/posix.key")
    machine.write("/etc/cosid/conf.d/files.conf", config_text(
        {"backends": [BACKEND | {"credential_key": "credential:posix.key"}]}))
    machine.run("mkdir", "/etc/systemd/system/cosid.service.d")
    machine.write("/etc/systemd/system/cosid.service.d/key.conf",
                  "[Service]\nLoadCredential=posix.key:/etc/cosid/secrets/posix.key\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "restart", "cosid")
    machine.run("cosictl", "get", "files.photos")


def test_socket__held_by_systemd(machine):
    machine.run("systemctl", "stop", "cosid")
    machine.run("systemctl", "start", "cosid.socket")
    machine.run("cosictl", "get", "files.photos")
    assert machine.show("ActiveState") == "active"
    machine.run("systemctl", "stop", "cosid.socket")
    machine.run("systemctl", "restart", "cosid")


def test_upgrade__keeps_what_was_edited(machine):
    files = "/etc/cosid/cosid.conf /etc/cosid/conf.d/posix.conf.example"
    machine.shell(f"for f in {files}; do echo '# mine' >>$f; done")
    machine.apt("install", "/packages/later-cosid.deb", "/packages/later-cosid-module-ceph-rgw.deb")
    assert "cosid 0.1.99" in machine.run("cosid", "--version")
    assert machine.shell(f"grep -hx '# mine' {files}") == "# mine\n# mine\n"
    machine.run("cosictl", "get", "files.photos")


def test_remove__keeps_the_configuration(machine):
    machine.apt("remove", "cosid")
    assert machine.show("ActiveState") == "inactive"
    machine.run("test", "-e", "/etc/cosid/secrets/posix.key")
    machine.apt("install", "/packages/later-cosid.deb", "/packages/later-cosid-module-ceph-rgw.deb")
    machine.run("cosictl", "get", "files.photos")


def test_log__holds_no_secret(machine):
    said = machine.run("journalctl", "-u", "cosid", "-o", "cat")
    assert "serving unix://" in said
    secrets.assert_absent(said, "the journal")


def test_purge__leaves_nothing(machine):
    machine.shell("rm -r /etc/systemd/system/cosid.service.d")
    machine.apt("purge", "cosid", "cosid-module-ceph-rgw")
    left = machine.shell("find / -xdev -path /proc -prune -o -path /packages -prune -o "
                         "-path /srv -prune -o -name '*cosid*' -print; ls -d /run/cosid* || true")
    assert [x for x in left.splitlines() if x.startswith("/")] == []
    machine.apt("install", "/packages/this-cosid.deb")
    assert machine.show("ActiveState") == "active"

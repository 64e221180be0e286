# SPDX-License-Identifier: Apache-2.0
"""test_first_days.py - from `apt install` to several stores; the tests go on from one another."""
import re

import pytest

from administrator import first_backend
from fakes.example_store import ExampleStore
from rig import secrets
from rig.daemon import config_text
from rig.store import CephRgw
from rig.tree import ROOT

PAGE = " ".join((ROOT / "docs" / "operations.md").read_text().split())
pytestmark = pytest.mark.timeout(900)


def test_install__serves_without_a_backend(machine):
    assert machine.show("ActiveState") == "active"
    assert machine.show("StatusText").startswith("generation 1 serves 0 backends on unix://")
    assert 'driver_name = "cosid.example.org";' in machine.run("cat", "/etc/cosid/cosid.conf")
    assert "no backend is configured" in machine.run("cosictl", "info", ok=False)
    assert "generation 1 since" in machine.run("cosictl", "status")
    assert machine.run("systemctl", "--failed", "--no-legend") == ""
    said = machine.run("journalctl", "-u", "cosid", "-o", "cat")
    assert "there is no backend: no bucket can be created" in said
    assert "serving unix:///run/cosid/cosi.sock as cosid.example.org" in said


def test_unit__security_is_as_documented(machine):
    """At most 2.0, of the unit that is loaded, and of its file alone, which systemd rates a little worse."""
    told = re.search(r"rates the unit (1\.\d), and its file alone \(`--offline=true`\) (1\.\d)", PAGE)
    for words, rating in (("cosid.service",), told[1]), (("--offline=true", "/lib/systemd/system/cosid.service"), told[2]):
        said = machine.run("systemd-analyze", "security", "--threshold=20", "--no-pager", *words)
        assert re.search(r"exposure level for cosid.service: ([0-9.]+)", said)[1] == rating


def test_unit__is_sound(machine):
    units = ["/lib/systemd/system/cosid.service", "/lib/systemd/system/cosid.socket"]
    said = machine.run("systemd-analyze", "verify", "--man=no", *units)
    assert "cosid" not in said, said


def test_sandbox__holds(machine):
    """What the unit takes away from the daemon, as the kernel has it."""
    pid = machine.show("MainPID")
    status = machine.run("cat", f"/proc/{pid}/status")
    assert re.findall(r"Cap\w+:\t(\w+)", status) == ["0" * 16] * 5
    assert "NoNewPrivs:\t1" in status and "Seccomp:\t2" in status
    assert "Max core file size        0 " in machine.run("cat", f"/proc/{pid}/limits")


def test_check__names_file_and_line(machine):
    machine.write("/etc/cosid/conf.d/one.conf", 'backends = (\n  { name = "one"; module = "posix";\n    rot = "/x"; }\n);\n')
    assert "/etc/cosid/conf.d/one.conf:3: " in machine.run("cosid", "--check", ok=False)
    machine.run("rm", "/etc/cosid/conf.d/one.conf")
    assert "with the rights of user 'cosid'" in machine.run("cosid", "--check")


def test_backend__first_one(machine):
    """Its module is loaded from memory, under the unit's system call filter."""
    first_backend(machine)
    assert "/memfd:cosid:" in machine.run("cat", f"/proc/{machine.show('MainPID')}/maps")
    assert "files.photos" in machine.run("cosictl", "create", "photos")
    assert machine.shell("stat -c '%a %U' /srv/buckets/photos") == "770 cosid\n"
    assert 'Status: "generation 1 serves 1 backend on unix:///run/cosid/cosi.sock"' in \
        machine.run("systemctl", "status", "--no-pager", "cosid")


def test_peers__group_alone(machine):
    machine.shell("useradd alice; useradd -G cosid bob")
    assert "Permission denied" in machine.run("su", "alice", "-c", "cosictl info", ok=False)
    assert "cosid.example.org" in machine.run("su", "bob", "-c", "cosictl info")
    # The administrator's socket is root's and the daemon's alone.
    assert "Permission denied" in machine.run("su", "bob", "-c", "cosictl status", ok=False)
    machine.run("cosictl", "status")


def test_reload__new_module_and_backend_on_a_gateway(machine, rgw):
    """Its package reloads the service; then a lifecycle on the real gateway."""
    store = CephRgw(rgw)
    seen = machine.cursor()
    machine.apt("install", "/packages/this-cosid-module-ceph-rgw.deb")
    machine.wait_log("generation 2 serves 1 backend", seen)
    machine.write("/etc/cosid/conf.d/rgw.conf", config_text({"backends": [store.backend("rgw")]}))
    machine.run("systemctl", "reload", "cosid")
    assert machine.show("StatusText").startswith("generation 3 serves 2 backends"), "it has waited"
    assert "rgw.packaged" in machine.run("cosictl", "create", "packaged", "backend=rgw")
    assert store.exists("packaged")
    said = machine.run("cosictl", "-o", "env", "grant", "rgw.packaged", "--account", "me")
    account = re.search(r"ACCOUNT_ID='?([^'\n]+)", said).group(1)
    assert len(store.accounts()) == 1
    assert account in machine.run("cosictl", "list", "rgw")
    machine.run("cosictl", "revoke", "rgw.packaged", "--account-id", account)
    machine.run("cosictl", "delete", "rgw.packaged")
    assert not store.exists("packaged") and not store.accounts()


@pytest.fixture
def imaginary_store():
    with ExampleStore(secrets.plant("planted-key-of-the-examples-administrator"),
                      new_secret=lambda account: secrets.plant("planted-secret-of-" + account)) as store:
        yield store


def test_module__of_ones_own(machine, imaginary_store):
    """The example of cosid-dev, built outside of any tree with one command, dropped in, reloaded."""
    machine.apt("install", "/packages/this-cosid-dev.deb")
    machine.shell("cp -r /usr/share/doc/cosid-dev/examples /srv/example && cd /srv/example && make && make install")
    assert "example" in machine.run("cosid", "--describe", "example")
    machine.write("/etc/cosid/conf.d/example.conf", config_text({"backends": [
        {"name": "mine", "module": "example", "endpoint": imaginary_store.url,
         "admin_key": "plain:" + imaginary_store.key}]}))
    machine.run("chmod", "0600", "/etc/cosid/conf.d/example.conf")
    machine.run("chown", "cosid", "/etc/cosid/conf.d/example.conf")
    machine.run("systemctl", "reload", "cosid")
    assert "mine.first" in machine.run("cosictl", "create", "first", "backend=mine")
    assert "first" in imaginary_store.buckets
    machine.shell("rm /etc/cosid/conf.d/example.conf && systemctl reload cosid")


def test_reload__broken_file_leaves_the_old_generation(machine):
    before = machine.show("StatusText")
    machine.write("/etc/cosid/conf.d/zz.conf", "backends = (\n")
    assert re.search(r"/etc/cosid/conf\.d/zz\.conf:\d+: ", machine.run("cosid", "--check", ok=False))
    seen = machine.cursor()
    assert "failed" in machine.run("systemctl", "reload", "cosid", ok=False)
    machine.wait_log(r"zz\.conf:\d+: ", seen)
    machine.wait_log("reload failed, generation 5 continues to serve", seen)
    assert re.match(r"reload failed, generation 5 continues to serve: \S+zz\.conf:\d+: ", machine.show("StatusText"))
    assert machine.show("ActiveState") == "active"
    machine.run("cosictl", "get", "files.photos")
    machine.run("rm", "/etc/cosid/conf.d/zz.conf")
    machine.run("systemctl", "reload", "cosid")
    assert machine.show("StatusText") == before.replace("generation 5", "generation 6")


def test_status__names_the_store_that_fails(machine):
    machine.write("/etc/cosid/conf.d/dead.conf", config_text({"backends": [
        {"name": "dead", "module": "ceph-rgw", "endpoint": "http://127.0.0.1:9", "retries": 0,
         "access_key": "plain:" + secrets.plant("planted-access-of-the-dead"),
         "secret_key": "plain:" + secrets.plant("planted-secret-of-the-dead")}]}))
    machine.run("systemctl", "reload", "cosid")
    assert "'dead'" in machine.run("cosid", "--check", "--probe", ok=False)
    machine.run("cosictl", "create", "nowhere", "backend=dead", ok=False)
    while "; dead: " not in machine.show("StatusText"):
        pass
    assert "UNAVAILABLE" in machine.show("StatusText")
    machine.run("cosictl", "get", "files.photos")


def test_log__holds_no_secret(machine):
    said = machine.run("journalctl", "-o", "cat") + machine.show("StatusText")
    assert "serving unix://" in said
    secrets.assert_absent(said, "the journal")

# SPDX-License-Identifier: Apache-2.0
"""test_manual.py - the commands of docs/operations.md as they stand there; the tests go on from one another."""
import re

import pytest

from rig.tree import ROOT

pytestmark = pytest.mark.timeout(900)
PAGE = (ROOT / "docs" / "operations.md").read_text()


def block(text, **words):
    """The one indented block of the page that has this text, with words replaced and without comments."""
    (found,) = [lines for lines in re.findall(r"(?:^    .*\n)+", PAGE, re.M) if text in lines]
    for word, value in words.items():
        assert word.replace("_", "-") in found
        found = found.replace(word.replace("_", "-"), value)
    return re.sub(r"^    |\s+# .*$", "", found, flags=re.M)


def in_conf_d(machine, commands):
    return machine.shell("cd /etc/cosid/conf.d; " + commands)


def test_first_backend__directory(machine):
    in_conf_d(machine, block("cp posix.conf.example files.conf"))
    commands = block("editor rgw-east.conf", rgw_east="files").splitlines()
    assert commands.pop(1).startswith("cp ceph-rgw.conf.example "), "its example is edited by hand"
    said = in_conf_d(machine, "\n".join(commands))
    assert "backend 'files': reachable" in said and "/etc/cosid/cosid.conf: ok, 1 backend" in said
    assert machine.shell("ls /srv/buckets") == ""


def test_check__with_credentials(machine):
    machine.shell("cp /etc/cosid/secrets/posix.key /etc/cosid/secrets/rgw-east.secret;"
                  "sed -i 's|file:/etc/cosid/secrets/posix.key|credential:rgw-east.secret|' /etc/cosid/conf.d/files.conf")
    said = machine.shell(block("systemd-run --pipe"))
    assert "/etc/cosid/cosid.conf: ok, 1 backend" in said and "cannot read the credential" not in said
    machine.drop_in("key", "[Service]\n" + block("[Service]\n    LoadCredential=").partition("\n")[2])
    machine.restart()
    machine.shell("cosictl create trial && cosictl delete files.trial")


def test_directory__elsewhere(machine):
    machine.shell("install -d -o cosid -g cosid /export/buckets; sed -i 's|/srv/buckets|/export/buckets|' /etc/cosid/conf.d/files.conf")
    machine.restart()
    assert "Read-only file system" in machine.run("cosictl", "create", "trial", ok=False)
    machine.drop_in("export", block("RequiresMountsFor=/export/buckets"))
    machine.restart()
    machine.shell("cosictl create trial && test -d /export/buckets/trial")


def test_peers__operator(machine):
    machine.shell("useradd -N operator; " + block("usermod -aG cosid operator"))
    assert "files.trial" in machine.run("su", "operator", "-c", "cosictl get files.trial")


def test_socket_unit__is_enabled(machine):
    machine.shell(block("systemctl enable --now cosid.socket"))
    machine.run("cosictl", "get", "files.trial")
    assert machine.run("systemctl", "is-active", "cosid.socket") == "active\n"


def test_monitoring(machine):
    said = machine.shell(block("journalctl -u cosid -p warning", rgw_east="files"))
    for text in ("generation 1 serves 1 backend on unix://", "backend files (posix, ", "trial"):
        assert text in said

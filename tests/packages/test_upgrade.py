# SPDX-License-Identifier: Apache-2.0
"""test_upgrade.py - a later version, and no version; the tests go on from one another."""
import pytest

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
    served.apt("install", "--allow-downgrades", *THIS)
    served.run("cosictl", "get", "files.photos")
    assert "0.1.99" not in served.run("cosictl", "status")


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

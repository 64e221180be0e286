# SPDX-License-Identifier: Apache-2.0
"""test_check.py - --check of an installed configuration by root: it finds what the service would find."""
import os
import pathlib
import shutil
import subprocess

import pytest

from rig import secrets
from rig.daemon import config_text

SERVICE = 4242
KEY = secrets.plant("planted-key-of-an-installation-0123456789")


@pytest.fixture
def check(build, folder, posix):
    """check(*arguments): that run, where user cosid is in the passwd, of a program below a prefix."""
    folder.chmod(0o755)
    for part in ("sbin", "modules", "etc/cosid"):
        (folder / part).mkdir(parents=True)
    shutil.copy(build / "bin" / "cosid", folder / "sbin")
    shutil.copy(build / "modules" / "posix.so", folder / "modules")
    (folder / "key").write_text(KEY)
    (folder / "key").chmod(0o600)
    (folder / "etc/cosid/cosid.conf").write_text(config_text({
        "driver_name": "cosid.example.org", "module_dir": str(folder / "modules"),
        "backends": [posix.backend(credential_key=f"file:{folder}/key")]}))
    users = pathlib.Path("/etc/passwd").read_text()
    (folder / "passwd").write_text("".join(line for line in users.splitlines(True) if not line.startswith("cosid:")) +
                                   f"cosid:x:{SERVICE}:{SERVICE}::/:/bin/false\n")

    def run(*arguments):
        return subprocess.run(
            ["unshare", "--mount", "sh", "-c", f'mount --bind {folder}/passwd /etc/passwd && exec "$@"', "sh",
             folder / "sbin" / "cosid", "--check", *arguments], capture_output=True, text=True, timeout=60)
    return run


def test_root__has_the_rights_of_the_service(check, folder):
    done = check()
    assert done.returncode == 1, done.stdout
    assert f"'credential_key': cannot read the secret's file '{folder}/key': Permission denied" in done.stderr
    os.chown(folder / "key", SERVICE, -1)
    done = check("--probe")
    assert done.returncode == 1 and "backend 'files'" in done.stderr and "Permission denied" in done.stderr
    os.chown(folder / "root", SERVICE, -1)
    done = check("--probe")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == ("checking with the rights of user 'cosid', as which the service runs\n"
                           "backend 'files': reachable\n"
                           f"{folder}/etc/cosid/cosid.conf: ok, 1 backend\n")


def test_root__checks_a_file_of_its_own_as_root(check, folder):
    done = check("-c", str(folder / "etc/cosid/cosid.conf"))
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == f"{folder}/etc/cosid/cosid.conf: ok, 1 backend\n"

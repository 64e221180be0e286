# SPDX-License-Identifier: Apache-2.0
"""test_trust.py - cosid reads no file that another user could change: at --check, at the start, at a reload."""
import os
import shutil
import subprocess

import pytest

from rig.daemon import config_text
from rig.shelf import Shelf

ENDS = r"generation \d+ serves|reload failed"
PLACES = ["cosid.conf", "conf.d", "conf.d/shelf.conf", "modules", "modules/shelf.so", "shelf.key"]


def writable(path):
    path.chmod(path.stat().st_mode | 0o020)
    return f"users other than its owner may write to '{path}' (mode "


def foreign(path):
    os.chown(path, 4242, -1)
    return f"'{path}' belongs to user 4242, not to root or to user {os.geteuid()}"


@pytest.fixture
def daemon(cosid, folder):
    """One whose configuration has every kind of file; all lie below a folder of its own."""
    shelf = Shelf(folder)
    shelf.install()
    (folder / "conf.d").mkdir(mode=0o755)
    (folder / "conf.d" / "shelf.conf").write_text(config_text({"backends": [shelf.backend()]}))
    (folder / "conf.d" / "shelf.conf").chmod(0o600)
    daemon = cosid.make({"module_dir": str(shelf.modules), "include_dir": str(folder / "conf.d")})
    daemon.config.rename(folder / "cosid.conf")
    daemon.config = folder / "cosid.conf"
    return daemon


@pytest.mark.parametrize("change", [writable, foreign])
@pytest.mark.parametrize("place", PLACES)
def test_trust__every_file_and_folder(daemon, folder, place, change):
    assert daemon.run("--check").returncode == 0
    daemon.start()
    words = change(folder / place)
    assert daemon.reload(ENDS).endswith("reload failed, generation 1 continues to serve")
    assert words in daemon.log
    daemon.stop()
    done = daemon.run("--check")
    assert done.returncode == 1 and words in done.stderr, done.stderr
    done = daemon.run()
    assert done.returncode == 1 and words in done.stderr, done.stderr


def test_trust__the_folder_above(daemon, folder):
    words = writable(folder)
    done = daemon.run("--check")
    assert done.returncode == 1 and words in done.stderr
    folder.chmod(0o1777)
    assert daemon.run("--check").returncode == 0


@pytest.mark.parametrize("change", [writable, foreign])
def test_trust__the_folders_above_the_program(build, posix, folder, change):
    """As in a source tree that belongs to another user: that user can replace the program as well."""
    tree = folder / "tree"
    for name in ("bin/cosid", "modules/posix.so"):
        (tree / name).parent.mkdir(mode=0o755, parents=True)
        shutil.copy(build / name, tree / name)
    (folder / "cosid.conf").write_text(config_text({"driver_name": "cosid.example.org", "backends": [posix.backend()]}))
    (folder / "cosid.conf").chmod(0o600)

    def check():
        return subprocess.run([tree / "bin" / "cosid", "--check", "-c", folder / "cosid.conf"], capture_output=True, text=True)
    change(tree)
    done = check()
    assert done.returncode == 0, done.stderr
    words = change(tree / "modules")
    done = check()
    assert done.returncode == 1 and words in done.stderr

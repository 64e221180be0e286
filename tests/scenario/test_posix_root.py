# SPDX-License-Identifier: Apache-2.0
"""test_posix_root.py - a directory that is not there, or not the one that was meant."""
import re

import pytest

from rig.client import refused
from rig.store import Posix


@pytest.fixture
def away(folder):
    """An entry whose root was mistyped, or is not mounted."""
    return Posix(folder / "other").backend("away") | {"root": str(folder / "notmounted")}


ABSENT = "cannot use '.*/notmounted': No such file or directory: is key 'root' right"


def test_absent__start_reload_and_other_backends_go_on(cosid, posix, away, folder):
    daemon = cosid({"backends": [posix.backend(), away]})
    client = daemon.client()
    assert client.create("photos", {"backend": "files"}) == "files.photos"
    with refused("UNAVAILABLE", ABSENT):
        client.create("films", {"backend": "away"})
    for id in ("away.films", "away.photos"):
        with refused("UNAVAILABLE", ABSENT):
            client.delete(id)
    daemon.reload()
    daemon.write_config({"backends": [posix.backend(), away | {"max_calls": 3}]})
    daemon.reload()
    (folder / "notmounted").mkdir()
    assert client.create("films", {"backend": "away"}) == "away.films"
    client.delete("away.never-made")


def test_absent__is_named_by_probe_and_status(cosid, posix, away, folder):
    daemon = cosid({"backends": [posix.backend(), away]})
    assert daemon.run("--check").returncode == 0
    done = daemon.run("--check", "--probe")
    assert done.returncode == 1 and "backend 'files': reachable" in done.stdout
    assert re.search(f"^{daemon.config}:[0-9]+: backend 'away': {ABSENT}", done.stderr, re.M)
    with refused("UNAVAILABLE"):
        daemon.client().grant("away.films", "ba")
    failed, = (each for each in daemon.status()["backends"] if each["name"] == "away")
    assert failed["lastError"]["code"] == "UNAVAILABLE"
    assert re.search(ABSENT, failed["lastError"]["text"])
    (folder / "notmounted").mkdir()
    assert daemon.run("--check", "--probe").returncode == 0

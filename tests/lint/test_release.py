# SPDX-License-Identifier: Apache-2.0
"""test_release.py - a release is refused while a published text has an address below cosid.invalid."""
import os
import shutil
import subprocess

import pytest

from rig.tree import ROOT

PLACES = ["SECURITY.md", "packaging/debian/control", "packaging/debian/changelog", "packaging/rpm/cosid.spec"]


@pytest.fixture(name="release")
def fixture_release(tmp_path):
    """release(**texts): what packaging/build --release says of a tree with these files."""
    for file in ("packaging/build", "tests/stores/progress.sh"):
        (tmp_path / file).parent.mkdir(parents=True)
        shutil.copy(ROOT / file, tmp_path / file)

    def run(texts, *words):
        for place in PLACES:
            (tmp_path / place).parent.mkdir(exist_ok=True)
            (tmp_path / place).write_text(texts.get(place, "Maintainer: A Person <person@example.org>\n"))
        # The kind is unknown, so that nothing is built in any case.
        return subprocess.run([tmp_path / "packaging" / "build", *words, "no-kind", "1"], capture_output=True,
                              text=True, env=os.environ | {"SOURCE_DATE_EPOCH": "1"})
    return run


@pytest.mark.parametrize("place", PLACES)
def test_release__refused_without_an_address(release, place):
    texts = {place: "Maintainer: cosid maintainers <maintainers@cosid.invalid>\n"}
    done = release(texts, "--release")
    assert done.returncode == 1 and f"a release needs a real address instead of cosid.invalid in: {place}" \
        in done.stderr
    assert "usage: packaging/build" in release(texts).stderr, "other builds are as they were"


def test_release__goes_on_with_an_address(release):
    assert "usage: packaging/build" in release({}, "--release").stderr

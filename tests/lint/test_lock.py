# SPDX-License-Identifier: Apache-2.0
"""test_lock.py - what the tests fetch from npm is pinned by version and hash, for any registry."""
import json
import re

from rig import tree

FOLDER = tree.ROOT / "tests" / "stores" / "azurite"


def test_lock__names_versions_and_hashes():
    packages = json.loads((FOLDER / "package-lock.json").read_text())["packages"]
    assert len(packages) > 100
    bad = [name for name, package in packages.items()
           if name and not package.get("integrity", "").startswith("sha512-")]
    assert not bad
    wanted = json.loads((FOLDER / "package.json").read_text())["dependencies"]
    assert wanted == packages[""]["dependencies"]
    assert all(packages[f"node_modules/{name}"]["version"] == version
               for name, version in wanted.items()), "package.json has exact versions"


def test_lock__names_no_registry():
    text = (FOLDER / "package-lock.json").read_text()
    assert '"resolved"' not in text and not re.search(r"registry\.\w+\.\w+|\.tgz", text)

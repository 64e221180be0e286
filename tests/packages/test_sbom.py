# SPDX-License-Identifier: Apache-2.0
"""test_sbom.py - the bill of materials beside the packages: valid SPDX, complete, the same bytes each time."""
import fcntl
import hashlib
import json
import pathlib
import shutil

import pytest

from machine import CACHE
from rig import tree

pytestmark = pytest.mark.timeout(900)
REQUIREMENTS = pathlib.Path(__file__).with_name("spdx-tools.txt")


@pytest.fixture(scope="session")
def validator():
    """spdx-tools, the reference library of SPDX, of the pinned versions; fetched once."""
    folder = CACHE / f"spdx-tools-{hashlib.sha256(REQUIREMENTS.read_bytes()).hexdigest()[:12]}"
    CACHE.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "spdx-tools.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "complete").exists():
            shutil.rmtree(folder, ignore_errors=True)
            tree.run("/usr/bin/python3", "-m", "venv", folder)
            tree.run(folder / "bin/pip", "install", "-q", "--require-hashes", "--only-binary=:all:", "-r", REQUIREMENTS)
            (folder / "complete").touch()
    return folder / "bin/pyspdxtools"


def bill(folder):
    (found,) = folder.glob("*.spdx.json")
    return found


def contents(package, root):
    """{file: its SHA-256}: of an .rpm as its header has them."""
    if package.suffix == ".rpm":
        lines = tree.run("rpm", "-qp", "--qf", r"[.%{FILENAMES}\t%{FILEDIGESTS}\n]", package).splitlines()
        return {name: digest for name, digest in (line.split("\t") for line in lines) if digest}
    tree.run("dpkg-deb", "-x", package, root)
    files = [file for file in root.rglob("*") if file.is_file() and not file.is_symlink()]
    return {f"./{file.relative_to(root)}": hashlib.sha256(file.read_bytes()).hexdigest() for file in files}


@pytest.mark.parametrize("kind", ["deb", "rpm"])
def test_sbom__is_valid_and_complete(kind, debs, rpms, validator, tmp_path):
    folder = debs[0] if kind == "deb" else rpms
    tree.run(validator, "--infile", bill(folder))
    told = json.loads(bill(folder).read_text())
    files = {each["SPDXID"]: each for each in told["files"]}
    packages = {each["SPDXID"]: each for each in told["packages"]}
    listed = {each["packageFileName"]: {} for each in packages.values() if "packageFileName" in each}
    for each in told["relationships"]:
        if each["relationshipType"] == "CONTAINS":
            file = files[each["relatedSpdxElement"]]
            listed[packages[each["spdxElementId"]]["packageFileName"]][file["fileName"]] = \
                {c["algorithm"]: c["checksumValue"] for c in file["checksums"]}["SHA256"]
    assert listed == {package.name: contents(package, tmp_path / package.name) for package in folder.glob(f"*.{kind}")}
    needed = {packages[each["relatedSpdxElement"]]["name"] for each in told["relationships"]
              if each["relationshipType"] == "DEPENDS_ON" and each["spdxElementId"] == "SPDXRef-Package-cosid"}
    assert {"deb": {"libgrpc29", "libssl3"}, "rpm": {"libgrpc_unsecure.so.29", "libssl.so.3"}}[kind] <= needed


def test_sbom__names_the_versions_that_were_used(debs):
    packages = {each["name"]: each for each in json.loads(bill(debs[0]).read_text())["packages"]}
    version = tree.run("dpkg-query", "-W", "-f", "${Version}", "libssl3")
    assert packages["libssl3"]["versionInfo"] == version
    assert packages["libssl3"]["externalRefs"][0]["referenceLocator"].startswith("pkg:deb/debian/libssl3@")


def test_sbom__same_bytes_twice(debs):
    assert bill(debs[0]).read_bytes() == bill(debs[1]).read_bytes()

# SPDX-License-Identifier: Apache-2.0
"""conftest.py - packages of this tree, and a machine to install them on."""
import os
import pathlib
import shutil
import subprocess
import tempfile

import pytest

from administrator import first_backend
from machine import Machine, base

ROOT = pathlib.Path(__file__).resolve().parents[2]
LATER = "0.1.99"

def build_packages(folder, kind, *version):
    subprocess.run([ROOT / "packaging" / "build", kind, *version], check=True,
                   env=os.environ | {"COSID_PACKAGES": str(folder)}, stdin=subprocess.DEVNULL)
    return folder


@pytest.fixture(scope="session")
def debs(tmp_path_factory):
    """Three folders: this version, the same built again, and a later version."""
    top = tmp_path_factory.mktemp("debs")
    yield [build_packages(top / "this", "deb"), build_packages(top / "again", "deb"),
           build_packages(top / "later", "deb", LATER)]
    shutil.rmtree(top)


@pytest.fixture(scope="session")
def rpms(tmp_path_factory):
    folder = build_packages(tmp_path_factory.mktemp("rpms") / "this", "rpm")
    yield folder
    shutil.rmtree(folder)


@pytest.fixture(scope="session")
def tree():
    return base()


@pytest.fixture(scope="module")
def machine(tree, debs):
    """Booted, with the packages in /packages, this version of them installed; one for each file."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="machine."))
    made = None
    try:
        made = Machine(folder, tree)
        made.up()
        for each in debs[0], debs[2]:
            for file in each.glob("*.deb"):
                shutil.copy(file, made.root / "packages" / f"{each.name}-{file.name.split('_')[0]}.deb")
        made.apt("install", "/packages/this-cosid.deb")
        yield made
    finally:
        if made:
            made.down()
        shutil.rmtree(folder)


@pytest.fixture(scope="module")
def served(machine):
    """The machine with a first backend, `files`: a directory."""
    first_backend(machine)
    return machine

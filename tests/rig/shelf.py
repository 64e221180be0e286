# SPDX-License-Identifier: Apache-2.0
"""shelf.py - a module folder of the test's own, and the module tests/scenario/shelf.c in any version."""
import os
import pathlib
import shutil
import subprocess

from rig import secrets
from rig.tree import ROOT

KEY = secrets.plant("planted-key-of-the-shelf-0123456789")


def installed(build, folder):
    """What a package of the header has: the folder that stands for /usr."""
    place = folder / "installed"
    done = subprocess.run(["cmake", "--install", build, "--prefix", "/usr"], env=os.environ | {"DESTDIR": str(place)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [f.name for f in (place / "usr" / "include").iterdir()] == ["cosi_module.h"]
    return place / "usr"


class Shelf:
    def __init__(self, folder, include=ROOT / "include"):
        """include: where the public header lies."""
        self.folder, self.include = pathlib.Path(folder), include
        self.modules, self.root = self.folder / "modules", self.folder / "shelf"
        self.modules.mkdir(mode=0o755)
        self.root.mkdir()
        self.gate = self.folder / "gate"
        self.secret = self.folder / "shelf.key"
        self.write_secret(KEY)
        self.built = {}

    def write_secret(self, text):
        self.secret.write_text(text)
        self.secret.chmod(0o600)

    def build(self, version, source=None, flags=()):
        """A file outside of the module folder, built against the public header alone."""
        if version not in self.built:
            out = self.folder / f"shelf.{version}.so"
            command = ["cc", "-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-z,defs", "-Wall", "-Wextra", "-Werror",
                       "-D_GNU_SOURCE", f"-I{self.include}", f'-DVERSION="{version}"', *flags, "-o", out]
            if source is None:
                command.append(ROOT / "tests" / "scenario" / "shelf.c")
            else:
                command += ["-x", "c", "-"]
            done = subprocess.run(command, input=source, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            self.built[version] = out
        return self.built[version]

    def put(self, file, name="shelf"):
        """As a package manager does it: a new file, then a rename."""
        new = self.modules / f".{name}.new"
        shutil.copyfile(file, new)
        os.chmod(new, 0o644)
        new.rename(self.modules / f"{name}.so")

    def install(self, version="1"):
        self.put(self.build(version))

    def backend(self, name="shelf", **more):
        return {"name": name, "module": "shelf", "root": str(self.root), "gate": str(self.gate),
                "key": f"file:{self.secret}", "public_endpoint": "http://shelf.example.org"} | more

    def config(self, *more, **top):
        """The shelf's backend and others."""
        return {"module_dir": str(self.modules), "backends": [self.backend(), *more]} | top

# SPDX-License-Identifier: Apache-2.0
"""test_tidy.py - clang-tidy on the product's C files, with the checks that .clang-tidy names."""
import json
import os
import subprocess

from rig import tree

TIDY = "clang-tidy-14"


def sources(build):
    """The files below core, modules and cli that this build compiles."""
    commands = json.loads((build / "compile_commands.json").read_text())
    compiled = {os.path.normpath(os.path.join(c["directory"], c["file"])) for c in commands}
    found = [f for top in ("core", "modules", "cli") for f in tree.files("*.c", under=top) if str(f) in compiled]
    assert len(found) > 100, "compile_commands.json knows hardly any file"
    return found


def test_tidy__product(build):
    tree.run_each([TIDY, "--quiet", "-p", build], sources(build), at_once=8)


def test_tidy__finds_what_is_wrong(build, tmp_path):
    """.clang-tidy is read, and makes errors of its checks."""
    (tmp_path / "wrong.c").write_text("int f(int a);\nint f(int a) { return a - a; }\n")
    done = subprocess.run([TIDY, "--quiet", f"--config-file={tree.ROOT}/.clang-tidy", tmp_path / "wrong.c", "--"],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode != 0 and "misc-redundant-expression" in done.stdout

# SPDX-License-Identifier: Apache-2.0
"""test_shape.py - how the files look: format, first lines, includes, size (CONTRIBUTING.md)."""
import ast
import re

import pytest

from rig import tree

C_FILES = [f for f in tree.files("*.c", "*.h") if "corpus" not in f.parts]
OURS = [f for f in C_FILES if f.name != "cosi_module.h"]  # that one is laid out by hand
SHELL = [f for f in tree.files("*")
         if f.suffix == ".sh" or f.read_bytes()[:40].startswith((b"#!/bin/bash", b"#!/bin/sh"))]
# What each layer may include; core/CMakeLists.txt is the same table for the compiler.
MAY_INCLUDE = {
    "base": {"base"}, "config": {"config", "base"}, "http": {"http", "base"},
    "module": {"module", "http", "config", "base"},
    "routing": {"routing", "module", "config", "base"},
    "sched": {"sched", "routing", "module", "config", "base"},
    "admin": {"admin", "sched", "routing", "module", "config", "base"},
    "rpc": {"rpc", "sched", "routing", "base"},
}


def test_format__clang_format():
    tree.run_each(["clang-format-14", "--dry-run", "-Werror"], OURS)


def test_shell__shellcheck():
    tree.run_each(["shellcheck", "-x", "-P", tree.ROOT], SHELL, at_once=4)


def test_head__license_then_purpose():
    """The first two lines are the license and "name - what it is for"."""
    bad = []
    for file in C_FILES + SHELL + tree.files("*.py"):
        head = [x for x in file.read_text().split("\n")[:4]
                if not x.startswith(("#!", "# shellcheck"))]
        if "SPDX-License-Identifier: Apache-2.0" not in head[0] or f"{file.name} " not in head[1]:
            bad.append(tree.name(file))
    assert not bad


@pytest.mark.parametrize("folder", ["core", "modules", "cli"])
def test_include__banned_is_last(folder):
    bad = []
    for file in tree.files("*.c", under=folder):
        if file.parent.name == "example":  # what others copy has the installed header alone
            continue
        included = re.findall(r'^#include\s+[<"](\S+)[>"]', file.read_text(), re.M)
        if not included or included[-1] != "banned.h":
            bad.append(tree.name(file))
    assert not bad


def test_include__layers():
    """A layer includes only layers to its right."""
    bad = []
    for layer, allowed in MAY_INCLUDE.items():
        for file in tree.files("*.c", "*.h", under=f"core/{layer}"):
            for other in re.findall(r'^#include\s+"(\w+)/', file.read_text(), re.M):
                if other not in allowed:
                    bad.append(f"{tree.name(file)} includes {other}/")
    assert not bad


def test_size__files():
    """400 lines at most: a file that is longer holds two ideas.  The header is one."""
    long = {tree.name(f): n for f in C_FILES + SHELL + tree.files("*.py")
            if (n := f.read_bytes().count(b"\n")) > 400 and f.name != "cosi_module.h"}
    assert not long


def test_python__imports_are_used():
    """By a name, or by a test that takes the fixture of that name; rig.behind has fixtures that take each other."""
    unused = []
    for file in tree.files("*.py"):
        nodes = list(ast.walk(ast.parse(file.read_text())))
        used = {node.id for node in nodes if isinstance(node, ast.Name)} | {node.arg for node in nodes if isinstance(node, ast.arg)}
        for node in nodes:
            if isinstance(node, (ast.Import, ast.ImportFrom)) and getattr(node, "module", "") != "rig.behind":
                names = {(each.asname or each.name).split(".")[0] for each in node.names}
                unused += [f"{tree.name(file)}:{node.lineno}: {name}" for name in names - used]
    assert not unused


# Each says there why it lets time pass: a handler's or an answer's lateness, a quiet moment, a store's slowness.
MAY_SLEEP = ["tests/scenario/test_reload_faults.py", "tests/trace/trace.py", "tests/unit/rpc/test_server_limits.c",
             "tests/unit/sched/test_sched.c"]


def test_sleep__tests_wait_for_events():
    """A test that sleeps is slow on every machine, and fails on one that is slower still."""
    sleep = re.compile(r"(?<![\w.])(?:u|nano|clock_nano|time\.)?sleep\(|\bpoll\(NULL, 0, ")
    files = tree.files("*.c", "*.h", "*.py", under="tests")
    assert [tree.name(f) for f in files if sleep.search(f.read_text())] == MAY_SLEEP


def test_size__functions():
    """80 lines at most."""
    long = []
    for file in C_FILES:
        begun = 0
        for number, line in enumerate(file.read_text().split("\n"), 1):
            if line.startswith("{"):
                begun = number
            elif line.startswith("}") and begun:
                if number - begun > 80:
                    long.append(f"{tree.name(file)}:{begun}: {number - begun} lines")
                begun = 0
    assert not long

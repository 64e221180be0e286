# SPDX-License-Identifier: Apache-2.0
"""test_prefix.py - an installed cosid finds what was installed with it, wherever that is moved."""
import os
import re
import subprocess

import pytest

from rig.daemon import config_text


def run(program, *words):
    keep = ("PATH", "TMPDIR", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
    env = {k: os.environ[k] for k in keep if k in os.environ}
    return subprocess.run([program, *words], env=env, cwd="/", stdin=subprocess.DEVNULL,
                          capture_output=True, text=True, timeout=60)


def defaults(program):
    """(configuration, modules) as --help says them."""
    said = run(program, "--help").stdout
    return (re.search(r"the configuration \((.*)\)$", said, re.M)[1],
            re.search(r"^Modules are loaded from (.*)\.$", said, re.M)[1])


@pytest.fixture
def installed(build, folder):
    """A prefix with all that cmake --install puts there."""
    prefix = folder / "one"
    done = subprocess.run(["cmake", "--install", build, "--prefix", prefix], capture_output=True,
                          stdin=subprocess.DEVNULL, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return prefix


def check(prefix, posix, program=None):
    """--check without -c reads the prefix's file and loads the prefix's module."""
    program = program or prefix / "sbin" / "cosid"
    config, modules = defaults(program)
    assert config == str(prefix / "etc/cosid/cosid.conf")
    assert modules.startswith(f"{prefix}/lib") and os.path.exists(f"{modules}/posix.so")
    (prefix / "etc/cosid/cosid.conf").write_text(config_text(
        {"driver_name": "cosid.example.org", "backends": [posix.backend()]}))
    (prefix / "etc/cosid/cosid.conf").chmod(0o600)
    done = run(program, "--check")
    assert (done.returncode, done.stderr) == (0, ""), done.stderr
    assert done.stdout == f"{config}: ok, 1 backend\n"
    assert run(program, "--describe", "posix").stdout.startswith("name posix\n")
    described = run(program, "--describe").stdout
    assert f"daemon - module_dir path {modules} " in described


def test_prefix__installed(installed, posix):
    check(installed, posix)


def test_prefix__in_the_unit(installed):
    """It runs this prefix's programs."""
    text = next(installed.rglob("cosid.service")).read_text()
    assert re.search(r"^ExecStart=(.*)$", text, re.M)[1] == str(installed / "sbin/cosid")
    assert re.search(r"^ExecReload=(.*)$", text, re.M)[1] == f"{installed}/bin/cosictl reload"


def test_prefix__moved(installed, posix, folder):
    moved = installed.rename(folder / "two")
    check(moved, posix)


def test_prefix__called_by_a_link(installed, posix, folder):
    link = folder / "cosid"
    link.symlink_to(installed / "sbin" / "cosid")
    check(installed, posix, link)


def test_prefix__tree_of_a_build(build):
    _, modules = defaults(build / "bin" / "cosid")
    assert modules == str(build / "modules")
    assert run(build / "bin" / "cosid", "--describe", "posix").returncode == 0
    mistyped = run(build / "bin" / "cosid", "--describe", "possix").stderr
    assert re.search(r"cannot load module '\S+/possix.so': No such file or directory: the modules there are .*, posix\b",
                     mistyped)


def test_prefix__a_program_alone(installed, folder):
    """What was chosen when it was built; the message says which file is missing."""
    alone = (installed / "sbin" / "cosid").rename(folder / "cosid")
    config, modules = defaults(alone)
    assert not modules.startswith(str(folder)) and not config.startswith(str(folder))
    done = run(alone, "--describe", "no-such-module")
    assert done.returncode == 1 and f"{modules}/no-such-module.so" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""tree.py - the files of the project: what git has or would take, not what a build left."""
import concurrent.futures
import functools
import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]


@functools.lru_cache(maxsize=None)
def _all():
    # safe.directory: the tree may belong to another user than the one that tests it.
    out = subprocess.run(
        ["git", "-c", "safe.directory=*", "-C", ROOT, "ls-files", "-z", "-co", "--exclude-standard"],
        check=True, capture_output=True, text=True).stdout
    return sorted({ROOT / name for name in out.split("\0") if name and (ROOT / name).is_file()})


def files(*patterns, under=""):
    """Every file whose path matches one of the glob patterns ("*.c"), below the folder `under`."""
    top = ROOT / under
    return [f for f in _all() if top in f.parents and any(f.match(p) for p in patterns)]


def name(path):
    return str(path.relative_to(ROOT))


def run(*command):
    """A tool that finds fault with files: fails the test with what it printed, returns its output."""
    done = subprocess.run(command, cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode != 0:
        pytest.fail(done.stdout + done.stderr, pytrace=False)
    return done.stdout


def run_each(command, paths, at_once=16):
    """The same for many files, on all processors: `command` and `at_once` of them at a time."""
    chunks = [paths[at:at + at_once] for at in range(0, len(paths), at_once)]
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        done = list(pool.map(lambda chunk: subprocess.run([*command, *chunk], cwd=ROOT, stdin=subprocess.DEVNULL,
                                                          capture_output=True, text=True), chunks))
    if any(d.returncode for d in done):
        pytest.fail("".join(d.stdout + d.stderr for d in done if d.returncode), pytrace=False)

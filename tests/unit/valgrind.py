# SPDX-License-Identifier: Apache-2.0
"""valgrind.py - every unit test once more under valgrind: no error, no definite leak (./dev test all)."""
import pathlib
import subprocess

VALGRIND = ["valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--error-exitcode=98", "--child-silent-after-fork=yes"]


def pytest_generate_tests(metafunc):
    folder = pathlib.Path(metafunc.config.getoption("--build")) / "tests"
    programs = sorted(p for p in folder.iterdir() if p.is_file() and p.stat().st_mode & 0o100)
    assert programs, f"no unit test in {folder}"
    metafunc.parametrize("program", programs, ids=lambda p: p.name)


def test_valgrind(program):
    done = subprocess.run([*VALGRIND, program], stdin=subprocess.DEVNULL, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

# SPDX-License-Identifier: Apache-2.0
"""valgrind.py - the unit tests once more under valgrind: no error, no definite leak (./dev test all)."""
import json
import pathlib
import subprocess

VALGRIND = ["valgrind", "-q", "--leak-check=full", "--show-leak-kinds=definite",
            "--errors-for-leak-kinds=definite", "--error-exitcode=98", "--child-silent-after-fork=yes",
            f"--suppressions={pathlib.Path(__file__).with_suffix('.supp')}"]
# What these look at is not the same under valgrind.
CANNOT = {
    "base/test_wipe": "counts copies in memory that valgrind lays out",
    "config/test_wipe": "counts copies in memory that valgrind lays out",
    "http/test_wipe": "counts copies in memory that valgrind lays out",
    "ceph-rgw/test_stall": "its gateway gives up sooner than valgrind gets there",
    "module/test_load_check": "starts itself anew and reads the exit status",
    "posix/test_tree": "forks children whose exit status counts, and they free nothing",
    "rpc/test_listener": "runs out of descriptors, which valgrind keeps some of",
}


def commands(build):
    """{name: command} of every unit test that is a program of this build, or one in a wrapper."""
    listed = subprocess.run(["ctest", "--test-dir", build, "--show-only=json-v1"], check=True,
                            capture_output=True, text=True).stdout
    programs = str(pathlib.Path(build).resolve() / "tests") + "/"
    return {test["name"]: test["command"] for test in json.loads(listed)["tests"]
            if test["command"][-1].startswith(programs) and not test["command"][-1].endswith(".so")}


def pytest_generate_tests(metafunc):
    found = commands(metafunc.config.getoption("--build"))
    assert set(CANNOT) <= set(found), "a test of that name is gone"
    names = [name for name in found if name not in CANNOT]
    metafunc.parametrize("command", [found[n] for n in names], ids=names)


def test_valgrind(command):
    done = subprocess.run([*command[:-1], *VALGRIND, command[-1]], stdin=subprocess.DEVNULL,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-4000:] + done.stderr[-4000:]

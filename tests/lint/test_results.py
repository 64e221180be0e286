# SPDX-License-Identifier: Apache-2.0
"""test_results.py - what ./dev test counts as passed: only tests that ran and passed."""
import subprocess
import sys

import pytest

from rig.tree import ROOT

GOOD = '<testcase classname="a" name="good"/>'
BAD = '<testcase classname="a" name="bad"><failure message="no"/></testcase>'
SKIPPED = '<testcase classname="a" name="lazy"><skipped message="later"/></testcase>'
TEARDOWN = '<testcase classname="a" name="bad"><error message="and then"/></testcase>'
CTEST_BAD = '<testcase classname="a" name="dead" status="fail"/>'
CTEST_OFF = '<testcase classname="a" name="off" status="disabled"/>'


@pytest.mark.parametrize("cases, status, line", [
    ([GOOD, GOOD], 0, "2 passed, 0 failed"), ([GOOD, BAD], 1, "1 passed, 1 failed"),
    ([GOOD, BAD, TEARDOWN], 1, "1 passed, 1 failed"),
    ([GOOD, SKIPPED], 0, "1 passed, 1 failed"), ([GOOD, CTEST_BAD], 8, "1 passed, 1 failed"),
    ([GOOD, CTEST_OFF], 0, "1 passed, 1 failed"), ([GOOD], 134, "1 passed, 1 failed"),
    ([], 0, "0 passed, 1 failed"), (None, 0, "0 passed, 1 failed"), (None, 2, "0 passed, 1 failed")])
def test_results__counts(tmp_path, cases, status, line):
    (tmp_path / "part.status").write_text(f"{status}\n")
    if cases is not None:
        (tmp_path / "part.xml").write_text(f"<testsuite>{''.join(cases)}</testsuite>")
    done = subprocess.run([sys.executable, ROOT / "tests/results.py", tmp_path],
                          capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == line
    assert done.returncode == (0 if line.endswith(" 0 failed") else 1)


def test_results__of_nothing_is_a_failure(tmp_path):
    done = subprocess.run([sys.executable, ROOT / "tests/results.py", tmp_path],
                          capture_output=True, text=True)
    assert done.returncode == 1 and done.stdout == "0 passed, 1 failed\n"

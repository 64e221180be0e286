# SPDX-License-Identifier: Apache-2.0
"""test_strict.py - tests that did not run, or failed in another thread or process, do not pass: C and Python."""
import subprocess
import sys

import pytest

from rig.tree import ROOT

HEAD = """
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>
#include <sys/wait.h>
#include <cmocka.h>
static void good(void **state) { (void)state; }
static void bad(void **state) { (void)state; fail(); }
static void lazy(void **state) { (void)state; skip(); }
static void leaves(void **state) { (void)state; exit(0); }
static void vanishes(void **state) { (void)state; _exit(0); }
static void forks(void **state) {
	int status;
	(void)state;
	if (fork() == 0)
		_exit(0);
	wait(&status);
	assert_int_equal(status, 0);
}
int main(void) {
	const struct CMUnitTest tests[] = { cmocka_unit_test(good), cmocka_unit_test(%s) };
	%s;
}
"""
RUN = "return cmocka_run_group_tests(tests, NULL, NULL)"
WRAPS = "-Wl,--wrap=_cmocka_run_group_tests,--wrap=_skip,--wrap=_exit"


@pytest.mark.parametrize("test, run, passes", [
    ("good", RUN, True), ("forks", RUN, True), ("bad", RUN, False), ("lazy", RUN, False), ("leaves", RUN, False),
    ("vanishes", RUN, False), ("good", "(void)tests; return 0", False),
    ("bad", RUN.replace("return ", "") + "; return 0", False)])
def test_strict__c_programs(tmp_path, test, run, passes):
    (tmp_path / "test.c").write_text(HEAD % (test, run))
    subprocess.run(["cc", "-w", "-D_GNU_SOURCE", f"-I{ROOT}/core/banned", WRAPS, "-o", tmp_path / "test", tmp_path / "test.c",
                    ROOT / "tests" / "unit" / "strict.c", "-lcmocka"], check=True)
    done = subprocess.run([tmp_path / "test"], capture_output=True, text=True)
    assert (done.returncode == 0) == passes, done.stdout + done.stderr


PYTHON = {
    "thread": "import threading\ndef test_a():\n    def run():\n        assert False\n"
              "    t = threading.Thread(target=run)\n    t.start()\n    t.join()\n",
    "never": "def test_a():\n    import pytest\n    pytest.skip('later')\n",
    "good": "def test_a():\n    pass\n",
}


@pytest.mark.parametrize("what", sorted(PYTHON))
def test_strict__python(tmp_path, what):
    """An assert that fails in a thread fails the test; a skipped test has not passed."""
    (tmp_path / "test_it.py").write_text(PYTHON[what])
    (tmp_path / "pytest.ini").write_text((ROOT / "tests" / "pytest.ini").read_text())
    results = tmp_path / "results"
    results.mkdir()
    done = subprocess.run([sys.executable, "-m", "pytest", "-c", "pytest.ini", "--junitxml", results / "a.xml", "test_it.py"],
                          cwd=tmp_path, capture_output=True, text=True)
    (results / "a.status").write_text(f"{done.returncode}\n")
    line = subprocess.run([sys.executable, ROOT / "tests" / "results.py", results], capture_output=True,
                          text=True).stdout.splitlines()[-1]
    assert line == ("1 passed, 0 failed" if what == "good" else "0 passed, 1 failed"), done.stdout

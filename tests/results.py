# SPDX-License-Identifier: Apache-2.0
"""results.py DIR - adds up the parts of a test run: "N passed, N failed", and the exit status.

DIR holds for each part NAME.status (its exit status) and NAME.xml (JUnit).  Nothing counts as passed
but a test that ran and passed: a skipped one has failed, and so has a part that ended badly
without naming a test, or that ran no test.
"""
import pathlib
import sys
import xml.etree.ElementTree as ET


def part_counts(xml):
    """(passed, failed) of one JUnit file; names what failed.  Who fails and ends badly, too, stands there twice."""
    passed, failed = [], set()
    for case in ET.parse(xml).iter("testcase"):
        bad = [child.tag for child in case if child.tag in ("failure", "error", "skipped")]
        if case.get("status") in ("fail", "notrun", "disabled"):
            bad.append(case.get("status"))
        name = f"{case.get('classname')}: {case.get('name')}"
        if bad:
            print(f"failed: {xml.stem}: {name} ({bad[0]})")
            failed.add(name)
        else:
            passed.append(name)
    return sum(name not in failed for name in passed), len(failed)


def main():
    folder = pathlib.Path(sys.argv[1])
    passed = failed = 0
    for status in sorted(folder.glob("*.status")):
        xml = status.with_suffix(".xml")
        good, bad = part_counts(xml) if xml.exists() else (0, 0)
        code = int(status.read_text())
        if (code != 0 and bad == 0) or good + bad == 0:
            print(f"failed: {status.stem}: ended with status {code}, {good} passed")
            bad += 1
        passed += good
        failed += bad
    if passed + failed == 0:
        failed = 1
    print(f"{passed} passed, {failed} failed")
    return 1 if failed else 0


sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""test_clauses.py - each clause of the COSI specifications has a test, or docs/conformance.md says why not."""
import re

from rig import tree

CLAUSES = range(1, 82)


def tested():
    """Numbers on @pytest.mark.clause(...) in python tests, or in a C test's comment: "clause 39"."""
    found = set()
    for file in tree.files("test_*.py", "test_*.c", under="tests"):
        mark = r"mark\.clause\(([\d, ]+)\)" if file.suffix == ".py" else r"\bclauses? ([\d, ]+)"
        for numbers in re.findall(mark, file.read_text()):
            found |= {int(n) for n in re.findall(r"\d+", numbers)}
    return found


def excused():
    """Rows of the document's table that end in a reason instead of "tested"."""
    text = (tree.ROOT / "docs" / "conformance.md").read_text()
    rows = re.findall(r"^\| *(\d+) *\|.*\| *([^|]+?) *\|$", text, re.M)
    return {int(number): last for number, last in rows}


def test_clauses__the_document_lists_all():
    assert sorted(excused()) == list(CLAUSES)


def test_clauses__tested_or_excused():
    rows, marked = excused(), tested()
    assert marked <= set(CLAUSES)
    wrong = [n for n in CLAUSES if (n in marked) != (rows.get(n, "") == "tested")]
    assert not wrong, "a mark without the word `tested` in the document, or the other way round"

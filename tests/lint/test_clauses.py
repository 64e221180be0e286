# SPDX-License-Identifier: Apache-2.0
"""test_clauses.py - each clause of the COSI specifications has a test, or docs/conformance.md says why not."""
import re

from rig import tree

CLAUSES = range(1, 82)
PAGE = (tree.ROOT / "docs" / "conformance.md").read_text()


def marked():
    """{number: files}, by @pytest.mark.clause(...) in python, or a comment in C: "clause 39"."""
    found = {}
    for file in tree.files("test_*.py", "test_*.c", under="tests"):
        mark = r"mark\.clause\(([\d, ]+)\)" if file.suffix == ".py" else r"\bclauses? ([\d, ]+)"
        for numbers in re.findall(mark, file.read_text()):
            for number in re.findall(r"\d+", numbers):
                found.setdefault(int(number), set()).add(str(file.relative_to(tree.ROOT / "tests")))
    return found


def rows():
    """{number: (files, state)} of the document's tables."""
    found = re.findall(r"^\| *(\d+) *\|.*\| *([^|]+?) *\| *([^|]+?) *\|$", PAGE, re.M)
    return {int(n): (set(re.findall(r"[\w/]+\.(?:py|c)", files)), state) for n, files, state in found}


def test_clauses__the_document_lists_all():
    assert sorted(rows()) == list(CLAUSES)


def test_clauses__tested_or_excused():
    wrong = [n for n, (_, state) in rows().items() if (n in marked()) != (state == "tested")]
    assert not wrong, "a mark without the word `tested` in the document, or the other way round"
    tested, excused = map(int, re.search(r"(\d+) are tested, (\d+) cannot be", PAGE).groups())
    assert (tested, excused) == (len(marked()), len(CLAUSES) - len(marked()))


def test_clauses__the_document_names_the_tests():
    found = marked()
    wrong = {n: files ^ found.get(n, set()) for n, (files, _) in rows().items() if files != found.get(n, set())}
    assert not wrong, "a file without the mark, or a mark in a file that the document does not name"


def test_excuses__hold():
    """48 and 49: there is no image."""
    assert not tree.files("Dockerfile*", "Containerfile*", "*.dockerfile")

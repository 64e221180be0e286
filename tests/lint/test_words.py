# SPDX-License-Identifier: Apache-2.0
"""test_words.py - what stands in the files: spelling, manual pages, paths, unfinished work."""
import re

import pytest

from rig import tree

TEXTS = [f for f in tree.files("*") if f.suffix not in (".png", ".der") and "corpus" not in f.parts
         and f.name != "package-lock.json"]  # hashes are no words


def lines():
    """(where, line) of every line of every text."""
    for file in TEXTS:
        for number, line in enumerate(file.read_text(errors="replace").split("\n"), 1):
            yield f"{tree.name(file)}:{number}", line


def test_spelling__codespell():
    tree.run("codespell", "--ignore-words", "tests/lint/words.txt", *TEXTS)


def test_manual__mandoc():
    pages = [p for p in tree.files("*.[1-8]", under="docs")]
    assert pages
    tree.run("mandoc", "-Tlint", "-Wwarning", *pages)


@pytest.mark.clause(47)
def test_environment__the_prefix_is_the_specifications():
    """COSI_ENDPOINT is read; none of cosid's own variables begins with COSI_."""
    read = set()
    for file in tree.files("*.c", under="core") + tree.files("*.c", under="cli"):
        read |= set(re.findall(r'getenv\("(\w+)"\)', file.read_text()))
    assert "COSI_ENDPOINT" in read
    assert [name for name in read if name.startswith("COSI_")] == ["COSI_ENDPOINT"]


def test_words__no_unfinished_work():
    marks = re.compile(r"\b(TO" r"DO|FIX" r"ME|X" r"XX|HA" r"CK)\b")
    assert not [where for where, line in lines() if marks.search(line)]


def test_words__no_path_of_a_machine():
    paths = re.compile(r"(^|[^.\w$-])/(work|farm|root|home)/")
    assert not [where for where, line in lines() if paths.search(line)]


def test_words__no_line_ends_in_a_space():
    bad = [where for where, line in lines() if line != line.rstrip(" \t\r")]
    assert not [w for w in bad if not w.startswith(("LICENSE", "proto/"))]

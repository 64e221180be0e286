# SPDX-License-Identifier: Apache-2.0
"""test_plain_words.py - documents, comments and texts use plain words: none of banned_words.txt."""
import ast
import io
import re
import tokenize

from rig import tree

RULES_FILE = tree.ROOT / "tests" / "lint" / "banned_words.txt"
DOCUMENTS = tree.files("*.md") + tree.files("*.[1-8]", under="docs")
EXAMPLES = [f for folder in ("conf", "systemd", "packaging") for f in tree.files("*", under=folder)]
CODE = [f for folder in ("core", "cli", "modules", "include") for f in tree.files("*.c", "*.h", under=folder)]
TESTS = tree.files("*.c", "*.cc", "*.h", "*.py", under="tests")
# Comments and string literals of C, in one pass, so that neither hides in the other.
PIECE = re.compile(r'/\*.*?\*/|//[^\n]*|"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\\\n]|\\.)+\'', re.S)


def rules():
    """(pattern, advice, whether for documents alone) of each line."""
    found = []
    for line in RULES_FILE.read_text().splitlines():
        if not line or line.startswith("#"):
            continue
        pattern, _, advice = line.partition("\t")
        documents, pattern = pattern.startswith("docs:"), pattern.removeprefix("docs:")
        case, pattern = pattern.startswith("case:"), pattern.removeprefix("case:")
        found.append((re.compile(pattern, 0 if case else re.I), advice, documents))
    return found


def offences(name, text, first_line, rules):
    return [f"{name}:{first_line + text.count(chr(10), 0, hit.start())}: '{hit[0]}': {advice}"
            for pattern, advice, _ in rules for hit in pattern.finditer(text)]


def test_rules__are_read_and_match():
    """A rule that is broken finds nothing: one of each kind, on a text that breaks it."""
    all_rules = rules()
    assert len(all_rules) > 30
    assert len(offences("x", "Whoever mends it\nbears our mark: EXISTS", 1, all_rules)) == 6
    assert not offences("x", "RESOURCE_EXHAUSTED COSI_EXISTS benchmarks", 1, all_rules)


def prose(text):
    """The text without its code, which stands in `backquotes`, fences, .Bd -literal and .Va; lines stay."""
    code = r"^```.*?^```|`[^`\n]*`|^\.Bd -literal.*?^\.Ed|^\.(?:It )?(?:Va|Vt|Dv|Fn|Fa|Li|Ic|Ev|Pa)\b[^\n]*"
    return re.sub(code, lambda hit: "\n" * hit[0].count("\n"), text, flags=re.M | re.S)


def test_documents__use_plain_words():
    found = []
    for file in DOCUMENTS + EXAMPLES:
        found += offences(tree.name(file), prose(file.read_text()), 1, rules())
    assert not found, "\n" + "\n".join(found)


def test_documents__prose_is_100_columns_wide():
    """So that a change of one sentence is a change of few lines; tables and code may be wider."""
    wide, fenced = [], False
    for file in tree.files("*.md"):
        for number, line in enumerate(file.read_text().splitlines(), 1):
            fenced ^= line.startswith("```")
            if len(line) > 100 and not fenced and not line.startswith(("|", "    ")):
                wide.append(f"{tree.name(file)}:{number}")
    assert not wide


def code_offences():
    found, code_rules = [], [r for r in rules() if not r[2]]
    for file in CODE:
        text = file.read_text()
        for piece in PIECE.finditer(text):
            line = 1 + text.count("\n", 0, piece.start())
            found += offences(tree.name(file), piece[0], line, code_rules)
    return found


def test_code__comments_and_texts_use_plain_words():
    found = code_offences()
    assert not found, "\n" + "\n".join(found)


def comments_of_c(text):
    """(line, text) of each comment."""
    return [(1 + text.count("\n", 0, piece.start()), piece[0]) for piece in PIECE.finditer(text)
            if piece[0].startswith("/")]


def comments_of_python(text):
    """(line, text) of each comment and docstring."""
    found = [(token.start[0], token.string) for token in tokenize.generate_tokens(io.StringIO(text).readline)
             if token.type == tokenize.COMMENT]
    for node in ast.walk(ast.parse(text)):
        first = getattr(node, "body", None)
        if isinstance(first, list) and first and isinstance(first[0], ast.Expr) \
                and isinstance(getattr(first[0].value, "value", None), str):
            found.append((first[0].lineno, first[0].value.value))
    return found


def test_comments__are_found():
    """In C and in Python, and no string that only looks like one."""
    c = 'int a; /* first\n * second */ char b[] = "/* no */"; // third\n'
    assert comments_of_c(c) == [(1, "/* first\n * second */"), (2, "// third")]
    python = '"""module"""\nA = "# no"  # comment\ndef f():\n    """function"""\n    return """no"""\n'
    assert sorted(comments_of_python(python)) == [(1, "module"), (2, "# comment"), (4, "function")]


def test_tests__comments_use_plain_words():
    """Their strings are left out: they are what the tests send and expect."""
    found, code_rules = [], [r for r in rules() if not r[2]]
    for file in TESTS:
        comments = comments_of_python if file.suffix == ".py" else comments_of_c
        for line, comment in comments(file.read_text()):
            found += offences(tree.name(file), comment, line, code_rules)
    assert not found, "\n" + "\n".join(found)

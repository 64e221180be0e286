# SPDX-License-Identifier: Apache-2.0
"""test_log_lines.py - every line that the daemon logs by itself is explained in docs/operations.md."""
import re

from rig import tree

CALL = re.compile(r"\b(?:log_(?:error|warning|notice|info)|log_refusal|diag_warning)\(([^;]*);")
PIECE = r'"(?:[^"\\]|\\.)*"'
TEXT = re.compile(rf"{PIECE}(?:\s*(?:PRI\w+\s*)?{PIECE})*")
CONVERSION = re.compile(r"%[-0-9.*#]*(?:ll|l|z|j)?[a-z]|%(?= )|\\.")


def log_texts():
    """{the longest words between two conversions: file} of each text that has words."""
    found = {}
    for file in tree.files("*.c", under="core"):
        for call in CALL.finditer(re.sub(r"/\*.*?\*/", "", file.read_text(), flags=re.DOTALL)):
            for text in TEXT.findall(call[1]):
                text = "".join(re.findall(PIECE, text)).replace('"', "")
                words = max(CONVERSION.split(text), key=len).strip(" ':,;")
                if len(words) > 3:
                    found[words] = tree.name(file)
    return found


def test_log__every_line_is_explained():
    manual = re.sub(r"[`\s]+", " ", (tree.ROOT / "docs/operations.md").read_text())
    texts = log_texts()
    assert len(texts) >= 20, texts
    assert {w: f for w, f in texts.items() if w not in manual} == {}

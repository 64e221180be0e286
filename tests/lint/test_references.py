# SPDX-License-Identifier: Apache-2.0
"""test_references.py - what documents and comments refer to is there: links, anchors, files of the tree."""
import re

from rig import tree

PAGES = tree.files("*.md")
NAMED = re.compile(r"(?<![\w./-])((?:core|cli|modules|tests|docs|include|proto|cmake|packaging|systemd|conf)/"
                   r"[\w./-]*\.(?:c|h|py|md|sh|cmake|txt|service|socket|proto|\d))(?![\w/*])")
ELSEWHERE = {"proto/cosi.proto"}  # in upstream's tree


def anchors(page):
    """What a heading is called in links: lower case, spaces are hyphens, other signs go."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(), re.M)
    return {re.sub(r"[^\w -]", "", h).strip().lower().replace(" ", "-") for h in headings}


def test_links__lead_somewhere():
    bad = []
    for page in PAGES:
        text = re.sub(r"`[^`\n]*`", "", page.read_text())
        for link in re.findall(r"\]\(([^)\s]+)\)", text):
            path, _, anchor = link.partition("#")
            if link.startswith(("http:", "https:")):
                continue
            target = (page.parent / path).resolve() if path else page
            if not target.exists() or anchor and anchor not in anchors(target):
                bad.append(f"{tree.name(page)}: {link}")
    assert not bad


def test_files__that_are_named_are_there():
    """In documents, manuals and code, by their path from the root of the tree; NAME stands for any."""
    bad = []
    code = [f for folder in ("core", "cli", "modules", "include") for f in tree.files("*.c", "*.h", under=folder)]
    for file in PAGES + tree.files("*.[1-8]", under="docs") + code:
        text = re.sub(r"^#include <.*$", "", file.read_text(), flags=re.M)
        for named in NAMED.findall(text):
            if not (tree.ROOT / named).exists() and not re.search("NAME|FILE", named) and named not in ELSEWHERE:
                bad.append(f"{tree.name(file)}: {named}")
    assert not bad

# SPDX-License-Identifier: Apache-2.0
"""test_completions.py - shells complete what the programs' own summaries name, all of it."""
import re
import subprocess

import pytest

from rig.tree import ROOT

FORMS = {"bash": "{}.bash", "zsh": "_{}", "fish": "{}.fish"}


@pytest.mark.parametrize("program", ["cosictl", "cosid"])
@pytest.mark.parametrize("shell", sorted(FORMS))
def test_completion__knows_every_word(build, program, shell):
    summary = subprocess.run([build / "bin" / program, "--help"], capture_output=True, text=True, check=True).stdout
    words = set(re.findall(r"--([a-z-]+)", summary))
    if program == "cosictl":
        words |= {"create", "status", "reload", "list"} | set(re.findall(r"^ +([a-z]+)\\b", summary, re.M))
    assert {"help", "version"} <= words
    text = (ROOT / "packaging" / "completions" / FORMS[shell].format(program)).read_text()
    missing = {word for word in words if not re.search(rf"(?<![a-z]){word}(?![a-z])", text)}
    assert not missing

# SPDX-License-Identifier: Apache-2.0
"""test_pages.py - what the manuals tell people to write: configurations are accepted, commands are known.

tests/packages/test_manual.py runs the commands of operations.md on a machine, tests/scenario/test_kubernetes.py
the scripts of kubernetes.md.  Not run: those of the stores' own tools (radosgw-admin, mc, az), of dnf, and
kubectl with an API server.
"""
import re
import shlex
import subprocess

import pytest

from rig import secrets
from rig.tree import ROOT

KEY = secrets.plant("cGxhbnRlZC1rZXktb2YtYS1tYW51YWxzLWV4YW1wbGU0")  # base64, for Azure's
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]
EXAMPLES = [ROOT / "conf" / "cosid.conf", *sorted((ROOT / "conf" / "conf.d").glob("*.example"))]


def whole_configurations():
    manual = (ROOT / "docs" / "cosid.conf.5").read_text()
    yield "cosid.conf(5)", re.search(r"^\.Bd .*\n((?:.*\n)*?driver_name(?:.*\n)*?)\.Ed", manual, re.M)[1].replace(r"\e", "\\")
    page = (ROOT / "docs" / "operations.md").read_text()
    yield "operations.md", re.search(r"^    driver_name = (?:.*\n)*?    \);$", page, re.M)[0]
    for file in EXAMPLES:
        # With and without what is commented out: "# key = value;".
        text = file.read_text()
        yield file.name, text
        yield f"{file.name}, every key", re.sub(r"^( *)# (\w+ = [^;]*;.*)$", r"\1\2", text, flags=re.M)


@pytest.mark.parametrize("name, text", whole_configurations(), ids=[name for name, _ in whole_configurations()])
def test_configuration__is_accepted(build, tmp_path, name, text):
    ca = tmp_path / "ca.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=x", "-keyout", "/dev/null", "-out", ca],
                   check=True, capture_output=True)
    text = re.sub(r'"(?:file|credential|env):[^"]*"', f'"plain:{KEY}"', text).replace("/etc/cosid/ca.pem", str(ca))
    text = re.sub(r'"/DIRECTORY/conf.d"', f'"{tmp_path}/none"', text)
    (tmp_path / "none").mkdir()
    if not re.search(r"^\s*driver_name", text, re.M):
        text = 'driver_name = "cosid.example.org";\n' + text
    (tmp_path / "cosid.conf").write_text(text)
    (tmp_path / "cosid.conf").chmod(0o600)
    done = subprocess.run([build / "bin" / "cosid", "--check", "-c", tmp_path / "cosid.conf"], capture_output=True, text=True)
    assert done.returncode == 0 and ": ok, " in done.stdout, f"{name}: {done.stderr}"


def code_of(page):
    """Command lines, without comments: what is indented or fenced, and `three words or more` within the text."""
    text = page.read_text()
    lines = [*re.findall(r"^    (.*)$", text, re.M), *"\n".join(re.findall(r"```sh\n(.*?)```", text, re.S)).splitlines()]
    prose = re.sub(r"```(?s:.*?)```|^    .*$", "", text, flags=re.M).replace("\n", " ")
    within = [words for words in re.findall(r"`([^`]+)`", prose) if len(words.split()) > 2]
    return [re.sub(r"\s#.*", "", line) for line in lines] + within


def calls_of(program):
    """[(words, page)]: each call of the program in the pages, once."""
    found = set()
    for page in PAGES:
        for part in (part for line in code_of(page) for part in re.split(r"[|;&()]+", line)):
            if (call := re.match(rf"\s*{re.escape(program)} (?!\d)(.*)", part)) and "..." not in part:
                found.add((tuple(shlex.split(call[1].rstrip("\\"))), page.name))
    return sorted(found)


def test_cosictl__every_call_of_the_pages_is_one(build):
    calls = calls_of("cosictl")
    assert len(calls) > 15
    for words, page in calls:
        done = subprocess.run([build / "bin" / "cosictl", *words, "-e", "unix:///nonexistent/cosi.sock"], capture_output=True, text=True,
                              stdin=subprocess.DEVNULL)
        # What is only named within the text may lack its arguments.
        named = re.match(r"cosictl: (no command|'\w+' needs )", done.stderr)
        assert done.returncode in (0, 1) or named, f"{page}: cosictl {' '.join(words)}: {done.stderr}"


def test_dev__every_call_of_the_pages_is_one():
    usage = subprocess.run([ROOT / "dev", "--help"], capture_output=True, text=True, check=True).stdout
    calls = calls_of("./dev")
    assert len(calls) > 2
    for words, page in calls:
        assert re.search(rf"\./dev {words[0]}\b", usage), f"{page}: ./dev {' '.join(words)}"

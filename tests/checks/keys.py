#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""keys.py - the keys of a build against those of cosid.conf(5), both ways.

keys.py BUILD: a folder with bin/cosid and modules/*.so.  Prints what differs; exit 1 if anything does.
"""
import pathlib
import re
import subprocess
import sys

MANUAL = pathlib.Path(__file__).resolve().parents[2] / "docs" / "cosid.conf.5"
# Words that the daemon reads itself whatever the module; --describe of a module does not have them.
CORE = {
    ("core bucket", "backend"): ("string", ""),
    ("core access", "accessMode"): ("enum(readWrite|readOnly|writeOnly)", "readWrite"),
}
ITEM = re.compile(r"\.It Ic (\S+)(?: No \( (.+) \))?$")
LIST = re.compile(r'\.\\" keys: (.+)$')


def item_of(text):
    """"type , default word" -> (type, word)"""
    kind, _, default = text.partition(" , ")
    return kind, default.removeprefix("default ")


def manual_keys(text):
    """{(list, name): (type, default)} of the lists that are marked, and of no other item."""
    found, section = {}, None
    for number, line in enumerate(text.splitlines(), 1):
        if mark := LIST.match(line):
            section = mark[1]
        elif line == ".El":
            section = None
        elif section and (item := ITEM.match(line)):
            key = (section, item[1])
            if key in found:
                raise SystemExit(f"{MANUAL.name}:{number}: '{item[1]}' stands twice in '{section}'")
            if item[2] is None:
                raise SystemExit(f"{MANUAL.name}:{number}: '{item[1]}' has no type")
            found[key] = item_of(item[2])
    return found


def describe(build, *module):
    done = subprocess.run([build / "bin" / "cosid", "--describe", *module],
                          stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    if done.returncode != 0:
        raise SystemExit(f"cosid --describe {' '.join(map(str, module))}: {done.stderr}")
    return [line.split(" ") for line in done.stdout.splitlines()]


def value_of(word):
    return "" if word == "-" else word


def daemon_keys(build):
    found = {}
    for word, section, name, kind, default, *_ in describe(build):
        assert word == "daemon"
        # Where a build lies is its own business.
        value = "beside the program" if name == "module_dir" else value_of(default)
        found[f"daemon {section}", name] = (kind, value)
    return found


def module_keys(build, path):
    found = {}
    for kind, *words in describe(build, path):
        if kind in ("config", "bucket", "access", "common"):
            found[f"{path.stem} {kind}", words[0]] = (words[1], value_of(words[2]))
    return found


def shared_keys(found):
    """The parameters that all stores spell alike: what any module has of them."""
    return {("all common", name): value for (section, name), value in found.items()
            if section.endswith(" common")}


def build_keys(build):
    found = daemon_keys(build)
    for path in sorted((build / "modules").glob("*.so")):
        found |= module_keys(build, path)
    return found | shared_keys(found) | CORE


def differences(manual, build):
    for key in sorted(manual.keys() | build.keys()):
        where = f"'{key[1]}' in '{key[0]}'"
        if key not in build:
            yield f"{where}: in the manual alone"
        elif key not in manual:
            yield f"{where}: not in the manual"
        elif manual[key] != build[key]:
            yield f"{where}: {build[key]}, the manual says {manual[key]}"


def main():
    if len(sys.argv) != 2:
        raise SystemExit("usage: keys.py BUILD")
    build = pathlib.Path(sys.argv[1]).resolve()
    found = list(differences(manual_keys(MANUAL.read_text()), build_keys(build)))
    print(*found, sep="\n", end="\n" if found else "")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())

# SPDX-License-Identifier: Apache-2.0
"""test_keys.py - cosid.conf(5) has every key that there is, and no other (keys.py)."""
import keys


def test_keys__manual_and_build(build):
    found = list(keys.differences(keys.manual_keys(keys.MANUAL.read_text()), keys.build_keys(build)))
    assert "\n".join(found) == ""


def test_keys__every_difference_is_found():
    manual = keys.manual_keys(keys.MANUAL.read_text())
    built = dict(manual)
    built["daemon -", "new_key"] = built.pop(("daemon -", "workers"))
    built["posix config", "root"] = ("string", "required")
    assert list(keys.differences(manual, built)) == [
        "'new_key' in 'daemon -': not in the manual",
        "'workers' in 'daemon -': in the manual alone",
        "'root' in 'posix config': ('string', 'required'), the manual says ('path', 'required')",
    ]


def test_manual__no_item_escapes_the_comparison():
    """Every item of the lists of keys is read: none is misspelt into a plain line."""
    text = keys.MANUAL.read_text()
    assert len(keys.manual_keys(text)) == text.count("\n.It Ic ")

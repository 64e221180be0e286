# SPDX-License-Identifier: Apache-2.0
"""secrets.py - every secret that a test plants or is given, to be looked for where none may be."""

_planted = set()


def plant(secret):
    """Remembers it for the rest of the run; gives it back."""
    if secret:
        _planted.add(secret)
    return secret


def plant_all(found, *names):
    for name in names:
        plant(found[name])
    return found


def assert_absent(text, where):
    for secret in _planted:
        assert secret not in text, f"a secret stands in {where}"

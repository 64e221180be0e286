# SPDX-License-Identifier: Apache-2.0
"""wire.py - protobuf by hand, to send what a library refuses to write."""


def varint(n):
    out = bytearray()
    while n > 127:
        out.append(n & 127 | 128)
        n >>= 7
    out.append(n)
    return bytes(out)


def field(tag, value):
    """int: a varint field; bytes: a field with a length."""
    if isinstance(value, int):
        return varint(tag << 3) + varint(value)
    return varint(tag << 3 | 2) + varint(len(value)) + value


def entry(tag, key, value):
    """One entry of a map of strings."""
    return field(tag, field(1, key) + field(2, value))

# SPDX-License-Identifier: Apache-2.0
"""test_memory.py - what a peer made the daemon take, it gives back."""
import pathlib
import socket
import struct

import pytest

NCALLS = 60000


def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


HEADERS = b"\x83\x86" + b"".join(literal(*pair) for pair in [
    (b":path", b"/cosi.v1alpha1.Identity/DriverGetInfo"), (b":authority", b"x"),
    (b"content-type", b"application/grpc"), (b"te", b"trailers")])


def resident(daemon):
    """MiB."""
    for line in (pathlib.Path("/proc") / str(daemon.pid) / "status").read_text().splitlines():
        if line.startswith("VmRSS:"):
            return int(line.split()[1]) // 1024
    raise AssertionError("no VmRSS")


@pytest.mark.unsanitized  # those keep what was freed
def test_calls_that_are_only_begun(cosid, posix):
    daemon = cosid({"backends": [posix.backend()]})
    daemon.client().info()
    before = resident(daemon)
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(daemon.socket))
        peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0))
        for number in range(NCALLS):
            peer.sendall(frame(1, 4, 2 * number + 1, HEADERS))
        while resident(daemon) < before + 100:
            pass
    while resident(daemon) > before + 50:
        pass  # looked at four times a minute
    assert daemon.client().info()

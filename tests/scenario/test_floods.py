# SPDX-License-Identifier: Apache-2.0
"""test_floods.py - peers that send frames without end, and what becomes of them and of others."""
import contextlib
import itertools
import socket
import struct
import threading

import pytest

def frame(kind, flags, stream, body=b""):
    return struct.pack(">I", len(body))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + body


def literal(name, value):
    return b"\0" + bytes([len(name)]) + name + bytes([len(value)]) + value


HEADERS = b"\x83\x86" + b"".join(literal(*pair) for pair in [
    (b":path", b"/cosi.v1alpha1.Identity/DriverGetInfo"), (b":authority", b"x"),
    (b"content-type", b"application/grpc"), (b"te", b"trailers")])


@pytest.fixture(name="daemon")
def fixture_daemon(cosid, posix):
    daemon = cosid({"backends": [posix.backend()]})
    daemon.client().info()
    return daemon


class Flood:
    """A connection on which calls are begun, and never more than that."""

    CALLS_AT_ONCE = 30

    def __init__(self, daemon, first=b""):
        self.peer, self.streams = socket.socket(socket.AF_UNIX), itertools.count(1, 2)
        self.peer.connect(str(daemon.socket))
        self.peer.sendall(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + frame(4, 0, 0) + first)

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.peer.close()

    def go_on(self):
        self.peer.sendall(b"".join(frame(1, 4, stream, HEADERS)
                                   for stream in itertools.islice(self.streams, self.CALLS_AT_ONCE)))

    def is_served(self):
        """It answers a PING (RFC 9113, 6.7)."""
        self.peer.sendall(frame(6, 0, 0, b"knocking"))
        come = b""
        while frame(6, 1, 0, b"knocking") not in come:
            data = self.peer.recv(1 << 16)
            if not data:
                return False
            come = come[-16:] + data
        return True


class Beginner(threading.Thread):
    """Begins calls and never sends their messages, until its connection is cut."""

    def __init__(self, daemon):
        super().__init__()
        self.flood, self.under_way = Flood(daemon), threading.Event()

    def run(self):
        try:
            for n in itertools.count():
                self.flood.go_on()
                if n == 10:
                    self.under_way.set()
        except OSError:
            self.under_way.set()


@pytest.mark.unsanitized  # it takes that build minutes to forget the calls
def test_begun_calls__end_with_the_connection_that_began_them(daemon):
    """SECURITY.md: they cost memory and time, but no calls or connections of others."""
    client, beginner = daemon.client(), Beginner(daemon)
    assert client.info()
    beginner.start()
    beginner.under_way.wait()
    assert client.info()
    beginner.join()
    beginner.flood.peer.close()
    assert client.info() and daemon.client().info()
    daemon.wait_log(r"closing a connection of user \d+, process \d+: ")


class Endless(threading.Thread):
    """One header field that goes on for ever, in frame after frame, until the connection is cut."""

    FIELD = HEADERS + b"\0\x05x-abc\x7f\xff\xff\xff\x0f"
    FRAMES = b"".join([frame(9, 0, 1, b"z" * 16000)] * 10)

    def __init__(self, daemon, served):
        super().__init__()
        begin = frame(1, 0, 1, self.FIELD) + self.FRAMES
        self.flood, self.under_way = Flood(daemon, b"" if served else begin), threading.Event()
        if served:
            assert self.flood.is_served()
            self.flood.peer.sendall(begin)

    def run(self):
        try:
            for n in itertools.count():
                self.flood.peer.sendall(self.FRAMES)
                if n == 10:
                    self.under_way.set()
        except OSError:
            self.under_way.set()

    def __enter__(self):
        self.start()
        self.under_way.wait()
        return self

    def __exit__(self, *error):
        with contextlib.suppress(OSError):
            self.flood.peer.shutdown(socket.SHUT_RDWR)
        self.join()
        self.flood.peer.close()


@pytest.mark.parametrize("served", [False, True], ids=["at_once", "once_served"])
def test_stall__ends_with_the_connection_that_caused_it(daemon, served):
    """limits.h, LIMIT_STALL_MS; on whichever thread the core happens to read it."""
    client = daemon.client()
    with Endless(daemon, served) as endless:
        assert client.info() and daemon.client().info()
        endless.join()
    assert daemon.client().info()
    daemon.wait_log(r"closing a connection of user \d+, process \d+: what it sent was not read to its end for 2 s")

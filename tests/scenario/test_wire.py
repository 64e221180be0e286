# SPDX-License-Identifier: Apache-2.0
"""test_wire.py - what no honest client sends: bad protobuf, bad text, too much, and not even gRPC."""
import random
import socket

import grpc
import pytest

from rig.client import refused, until_ok
from rig.wire import entry, field

# Per API version: the path of Create and the tag of its parameters; tag 1 is the name in both.
CREATE = {"v1alpha1": ("/cosi.v1alpha1.Provisioner/DriverCreateBucket", 2),
          "v1alpha2": ("/sigs.k8s.io.cosi.v1alpha2.Provisioner/DriverCreateBucket", 4)}


@pytest.fixture
def daemon(cosid, posix):
    return cosid({"backends": [posix.backend()]})


@pytest.fixture
def create(daemon, api_version):
    """create(bytes): DriverCreateBucket with those bytes as its message."""
    client, (path, _) = daemon.client(api_version), CREATE[api_version]
    yield lambda body: client.raw(path, body)
    assert client.info().name == "cosid.example.org", "it still serves"


@pytest.mark.parametrize("body", [
    b"\xff", b"\x0a", b"\x0a\x05abc", b"\x00", b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
    b"\x0b\x0c", b"\x0f\x00", bytes(range(256)), b"\x0a\xff\xff\xff\xff\x0f",
    b"\x80" * 20, field(1, 5), field(1, 5) + field(2, 5) + field(4, 5), field(2, b"\xff\xff"), field(4, b"\xff\xff")])
def test_malformed__message(create, body):
    with refused("INVALID_ARGUMENT"):
        create(body)


@pytest.mark.parametrize("text", [
    b"a\xff", b"\xc0\x80", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"a\x00b", b"\x00", b"\xc3"])
def test_malformed__text(create, api_version, text, posix):
    """Not UTF-8, or with a NUL in it: in the name, a key, a value."""
    tag = CREATE[api_version][1]
    with refused("INVALID_ARGUMENT"):
        create(field(1, b"bucket" + text))
    with refused("INVALID_ARGUMENT"):
        create(field(1, b"bucket") + entry(tag, text, b"x"))
    with refused("INVALID_ARGUMENT"):
        create(field(1, b"bucket") + entry(tag, b"backend", text))
    assert posix.buckets() == []


@pytest.mark.parametrize("text", ["\n", "\r\n", "\t", "\x1b[2J", "\x7f"])
def test_malformed__name_in_an_error(daemon, api_version, text):
    """Sidecars write cosid's errors into logs and events: no control character comes back."""
    with pytest.raises(grpc.RpcError) as error:
        daemon.client(api_version).create(f"photos{text}x")
    told = error.value.details()
    assert ("photos" if api_version == "v1alpha1" else "'name'") in told
    assert told.isprintable()


def test_malformed__key_twice(create, api_version, posix):
    tag = CREATE[api_version][1]
    with refused("INVALID_ARGUMENT", "backend"):
        create(field(1, b"bucket") + entry(tag, b"backend", b"files") + entry(tag, b"backend", b"x"))
    assert posix.buckets() == []


def test_unknown__fields_are_let_be(create):
    """A newer client may send fields that cosid does not know."""
    create(field(1, b"bucket-of-the-future") + field(77, b"news") + field(78, 5))


@pytest.mark.clause(24, 79)
def test_limit__strings(daemon, api_version):
    """128 bytes, v1alpha2's ids 2048; one more is refused.  No backend owns ids that long: another refusal."""
    client, most = daemon.client(api_version), 128 if api_version == "v1alpha1" else 2048
    longest = "other." + "x" * (most - len("other."))
    bucket = client.create("limits-of-strings")
    for call in (client.delete, lambda account: client.revoke(account, bucket)):
        with refused("FAILED_PRECONDITION"):
            call(longest)
        with refused("INVALID_ARGUMENT", str(most)):
            call(longest + "x")


@pytest.mark.clause(24, 79)
def test_limit__account_name(daemon, api_version):
    client = daemon.client(api_version)
    bucket = client.create("limits-of-accounts")
    most = 128 if api_version == "v1alpha1" else 253
    client.grant(bucket, "a" * most)
    with refused("INVALID_ARGUMENT", str(most)):
        client.grant(bucket, "a" * (most + 1))


@pytest.mark.clause(24, 79)
def test_limit__map(daemon, api_version):
    """4 KiB, keys and values together, however many entries."""
    client = daemon.client(api_version)
    bucket = client.create("limits-of-maps")
    room = {f"key{n:03}": "v" * 122 for n in range(32)}
    assert sum(len(k) + len(v) for k, v in room.items()) == 4096
    client.delete(bucket, room)
    with refused("INVALID_ARGUMENT", "4096|4 KiB"):
        client.delete(bucket, room | {"k": ""})


def test_limit__many_empty_entries(create, api_version):
    """They weigh nothing by the map's rule: the count is limited too."""
    with refused("INVALID_ARGUMENT"):
        create(field(1, b"bucket") + field(CREATE[api_version][1], b"") * 100_000)


@pytest.mark.parametrize("size", [256 * 1024 + 1, 4 * 1024 * 1024])
def test_limit__message(create, api_version, size):
    empty = field(CREATE[api_version][1], b"")
    with refused("RESOURCE_EXHAUSTED"):
        create(empty * (size // len(empty) + 1))


def test_limit__depth(create):
    body = b""
    for _ in range(2000):
        body = field(3, body)
    create(field(1, b"deep-unknown-field") + body)


@pytest.mark.parametrize("noise", [
    b"GET / HTTP/1.1\r\n\r\n", b"\x00" * 4096, b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + b"\xff" * 512,
    # SETTINGS, then a HEADERS frame on stream 1 whose header block is no HPACK
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n" + bytes.fromhex("000000040000000000")
    + bytes.fromhex("000008010500000001") + b"\xff" * 8, b""])
def test_noise__not_grpc(daemon, noise):
    with socket.socket(socket.AF_UNIX) as peer:
        peer.connect(str(daemon.socket))
        peer.sendall(noise)
        peer.shutdown(socket.SHUT_WR)
        peer.settimeout(30)
        try:
            while peer.recv(4096):
                pass
        except ConnectionResetError:
            pass  # as good an end as a close
    assert daemon.client().info().name == "cosid.example.org"


def test_noise__many_connections(daemon):
    """More than it has descriptors for: when they are gone it serves again."""
    peers = []
    try:
        for _ in range(300):
            peer = socket.socket(socket.AF_UNIX)
            peers.append(peer)
            peer.settimeout(1)
            try:
                peer.connect(str(daemon.socket))
            except (BlockingIOError, TimeoutError):
                break  # the backlog is full
    finally:
        for peer in peers:
            peer.close()
    # Until the daemon has seen the ends of those, the user may have no further connection.
    assert until_ok("UNAVAILABLE", daemon.client().info).name == "cosid.example.org"


def test_noise__random_messages(daemon, api_version, whole):
    """Any bytes are answered, and nothing of them is made."""
    client, dice = daemon.client(api_version), random.Random(api_version)
    for method in client.methods:
        if method == "DriverGetInfo":
            continue
        for _ in range(4000 if whole else 400):
            body = dice.randbytes(dice.randint(1, 256))
            with refused("INVALID_ARGUMENT"):
                client.raw(client.path(method), body)

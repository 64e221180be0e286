# SPDX-License-Identifier: Apache-2.0
"""test_cosictl_hostile.py - what servers can do to cosictl: refuse, hang, lie."""
import contextlib
import itertools
import json
import os
import socket
import subprocess
import sys
import threading

import grpc
import pytest

from messages import S3_GRANT, v2


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_refusal__each_code(call, server, code):
    server.answers["DriverCreateBucket"] = (code, "cannot create 'photos': because")
    done = call("create", "photos", check=1)
    assert done.err == f"cosictl: {code.name}: cannot create 'photos': because\n" and done.out == ""


def test_refusal__hostile_text(call, server):
    server.answers["DriverCreateBucket"] = (
        grpc.StatusCode.NOT_FOUND, "a\nb\r\x1b[2J\x7f\u009b31m \u00e4\u20ac \\n")
    done = call("create", "photos", check=1)
    assert done.err == "cosictl: NOT_FOUND: a\\x0ab\\x0d\\x1b[2J\\x7f\\xc2\\x9b31m \u00e4\u20ac \\n\n"


def test_answer__text_that_turns_its_direction(call, server):
    """U+202E and U+2028 change how a line reads, and a key that a store made may hold them."""
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", account_id="a\u202eb\u2028c")
    assert "account id           a\\xe2\\x80\\xaeb\\xe2\\x80\\xa8c\n" == call("grant", "x", "--account", "a").out
    done = call("-o", "env", "grant", "x", "--account", "a", check=1)
    assert "cannot write 'ACCOUNT_ID' for a shell" in done.err and done.out == ""


def test_answer__more_buckets_than_were_named(call, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", account_id="a",
                                                   buckets=[{"bucket_id": "x"}, {"bucket_id": "y"}])
    done = call("grant", "x", "--account", "a", check=1)
    assert "INTERNAL: cannot read the answer: it has 2 buckets, the request 1" in done.err and done.out == ""


@pytest.fixture
def admin(folder):
    """admin(lines): an admin socket that answers them, whatever it is asked; its endpoint.  Bytes go as they are."""
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / "admin.sock"))
        listener.listen()
        threads = []

        def serve(lines, buffering):
            peer, _ = listener.accept()
            with contextlib.suppress(BrokenPipeError):  # cosictl has heard enough
                with peer, peer.makefile("wb", buffering) as out:
                    peer.recv(4096)
                    for line in lines:
                        out.write(line if isinstance(line, bytes)
                                  else json.dumps(line, ensure_ascii=False).encode() + b"\n")

        def start(lines, buffering=-1):
            threads.append(threading.Thread(target=serve, args=(lines, buffering)))
            threads[-1].start()
            return f"unix://{folder}/admin.sock"

        yield start
        for thread in threads:
            thread.join()


def found(id, **more):
    return {"item": {"kind": "bucket", "id": id, "name": "photos", "created": None} | more}


def test_list__is_a_table(cosictl, admin):
    lines = [found("rgw.photos"), found("rgw.a-longer-one", kind="account", created="2026-11-20T12:00:00Z"),
             {"code": "OK"}]
    assert cosictl("list", "-e", admin(lines), check=0).out == (
        "KIND     ID                NAME    CREATED\n"
        "bucket   rgw.photos        photos  -\n"
        "account  rgw.a-longer-one  photos  2026-11-20T12:00:00Z\n")
    assert cosictl("list", "-e", admin([{"code": "OK"}]), check=0).out == ""


@pytest.mark.parametrize("output", ["text", "json"])
def test_list__hostile_text(cosictl, admin, output):
    evil = "x\x1b[2J\u009b31m\u202ey\u2028z"
    lines = [found(evil, name=evil), {"failure": {"backend": "b", "code": "UNAVAILABLE", "text": evil}},
             {"code": "UNAVAILABLE", "error": evil}]
    done = cosictl("list", "-o", output, "-e", admin(lines), check=1)
    assert not set("\x1b\u009b\u202e\u2028") & set(done.out + done.err)
    assert "\\x1b[2J" in done.err and ("\\u202E" if output == "json" else "\\xe2\\x80\\xae") in done.out


def test_list__each_of_many_lines_has_its_text(cosictl, admin):
    """Together they take more memory than a call's answer may."""
    names = [f"rgw.{'x' * 1000}-{n}" for n in range(40_000)]
    done = cosictl("list", "-e", admin([*map(found, names), {"code": "OK"}]), check=0, timeout=170)
    assert [line.split()[1] for line in done.out.splitlines()[1:]] == names


MOST = 1_000_000


def test_list__as_long_as_may_be(cosictl, admin):
    lines = itertools.chain(itertools.repeat({"item": {}}, MOST), [{"code": "OK"}])
    assert len(cosictl("list", "-e", admin(lines), check=0, timeout=170).out.splitlines()) == MOST + 1


TOO_MUCH = ("cosictl: RESOURCE_EXHAUSTED: cannot hold the list: it has more than 1,000,000 entries or 256 MiB; "
            "list one backend at a time\n")


def test_list__one_line_longer(cosictl, admin):
    done = cosictl("list", "-e", admin(itertools.repeat({"item": {}}, MOST + 1)), check=1, timeout=170)
    assert done.err == TOO_MUCH and done.out == ""


LINE = 1024 * 1024


def padded(size):
    """An entry that takes so many bytes with its newline, and prints little."""
    return b'{"item":{},"x":"%s"}\n' % (b"x" * (size - 19))


def test_list__256_mib(cosictl, admin):
    lines = [*itertools.repeat(padded(LINE), 256), {"code": "OK"}]
    assert len(cosictl("list", "-e", admin(lines), check=0, timeout=170).out.splitlines()) == 257


def test_list__256_mib_and_a_byte(cosictl, admin):
    lines = [*itertools.repeat(padded(LINE), 255), padded(LINE // 2), padded(LINE // 2 + 1), {"code": "OK"}]
    assert cosictl("list", "-e", admin(lines), check=1, timeout=170).err == TOO_MUCH


def test_answer__line_that_is_too_long(cosictl, admin):
    done = cosictl("list", "-e", admin([padded(LINE + 1), {"code": "OK"}]), check=1)
    assert done.err == "cosictl: UNAVAILABLE: cannot read the answer: a line is longer than 1 MiB\n"


# Started by a small process: the kernel counts what the one before exec() used, too.
PEAK = """import resource, subprocess, sys
subprocess.run(sys.argv[1:], stdout=subprocess.DEVNULL, check=True)
print(resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss)"""


@pytest.mark.parametrize("output", ["text", "json"])
def test_list__trees_are_not_kept(build, admin, output):
    """30 lines of 300,000 objects: 70 MB each as a tree, of which there is one at a time."""
    lines = [*itertools.repeat(b'{"item":{},"x":[%s{}]}\n' % (b"{}," * 299_999), 30), {"code": "OK"}]
    command = [build / "bin" / "cosictl", "list", "-o", output, "-e", admin(lines)]
    # A sanitized build would keep what was freed.
    sanitizer = {"ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":quarantine_size_mb=0"}
    done = subprocess.run([sys.executable, "-c", PEAK, *command], stdout=subprocess.PIPE, timeout=60, check=True,
                          env=os.environ | sanitizer)
    assert int(done.stdout) < 400 * 1024, "KiB"


@pytest.mark.parametrize("width", [64, 65])
def test_list__one_wide_cell(cosictl, admin, width):
    """No column is padded to more than 64."""
    lines = [found("a" * width), found("b"), {"code": "OK"}]
    assert cosictl("list", "-e", admin(lines), check=0).out.splitlines()[1:] == [
        f"bucket   {'a' * width}  photos  -", f"bucket   b{' ' * 63}  photos  -"]


def test_list__json(cosictl, admin):
    lines = [found("a"), {"failure": {"backend": "b", "code": "UNAVAILABLE", "text": "down"}}, found("c"),
             {"code": "UNAVAILABLE", "error": "the list is not complete", "found": 1, "more": [2]}]
    assert json.loads(cosictl("list", "-o", "json", "-e", admin(lines), check=1).out) == {
        "code": "UNAVAILABLE", "error": "the list is not complete", "more": [2],
        "found": [found("a")["item"], found("c")["item"]],
        "failures": [{"backend": "b", "code": "UNAVAILABLE", "text": "down"}]}


def nested(levels):
    return b'{"code":"OK","x":%s%s}\n' % (b"[" * (levels - 1), b"]" * (levels - 1))


def test_answer__depth(cosictl, admin):
    """Indented, 1 MiB of objects 2,000 levels deep would be 1.4 GB."""
    assert "x" in json.loads(cosictl("status", "-o", "json", "-e", admin([nested(16)]), check=0).out)
    done = cosictl("status", "-o", "json", "-e", admin([nested(17)]), check=1)
    assert done.err == "cosictl: UNAVAILABLE: cannot read the answer: it is nested too deeply\n" and done.out == ""


def slowly(line):
    """It again and again, until cosictl has ended."""
    while True:
        yield line
        threading.Event().wait(0.02)


@pytest.mark.parametrize("command, line", [("status", b" "), ("reload", b" "), ("list", b'{"item":{}}\n')])
def test_timeout__daemon_that_goes_on_and_on(cosictl, admin, command, line):
    """The timeout is for the command, not for each read."""
    done = cosictl(command, "--timeout", "300ms", "-e", admin(slowly(line), buffering=0), check=1)
    assert done.err == "cosictl: UNAVAILABLE: no complete answer came in time\n" and done.out == ""


def test_timeout__parts_that_come_in_time(cosictl, admin):
    parts = [bytes([byte]) for byte in b'{"item":{"id":"a"}}\n{"code":"OK"}\n']
    assert "a" in cosictl("list", "--timeout", "50s", "-e", admin(parts, buffering=0), check=0).out


def test_closed__admin_socket(cosictl, admin):
    done = cosictl("status", "-e", admin([b'{"code":']), check=1)
    assert done.err == ("cosictl: UNAVAILABLE: the daemon closed the connection: has it ended (systemctl status "
                        "cosid), or is this COSI's socket, and not the admin socket?\n")


HOSTILE = "x\n\x1b[2J\u009b31m"


def test_answer__hostile_text(call, server):
    server.answers["DriverGetInfo"] = v2("DriverGetInfoResponse", name=HOSTILE)
    assert call("info").out == "driver               x\\x0a\\x1b[2J\\xc2\\x9b31m\n"
    raw = call("info", "-o", "json").out
    assert json.loads(raw)["name"] == HOSTILE and "\x1b" not in raw and "\u009b" not in raw
    done = call("info", "-o", "env", check=1)
    assert "cannot write 'DRIVER_NAME' for a shell" in done.err and done.out == ""


@pytest.mark.parametrize("body", [
    b"\x0a\x02\xff\xfe",             # name is not UTF-8
    b"\x0a\x05abc",                  # cut
    b"\xff" * 16,                    # no message at all
])
def test_answer__malformed(call, server, body):
    server.answers["DriverGetInfo"] = body
    done = call("info", check=1)
    assert done.err.startswith("cosictl: INTERNAL: cannot read the answer: ") and done.out == ""


@pytest.mark.parametrize("method, body", [
    ("DriverGrantBucketAccess", b"\x12\x06\x0a\x02s3\x12\x00" * 3),              # three credentials
    ("DriverGrantBucketAccess", b"\x12\x0f\x0a\x02s3\x12\x09\x0a\x07\x0a\x01k\x12\x02\xff\xfe"),
    ("DriverCreateBucket", b"\x12\x04\x0a\x02\xff\xfe"),                         # inside the oneof
])
def test_answer__malformed_at_depth(call, server, method, body):
    server.answers[method] = body
    words = {"DriverGrantBucketAccess": ["grant", "x.b", "--account", "a"], "DriverCreateBucket": ["create", "b"]}
    done = call("--api", "v1alpha1", *words[method], check=1)
    assert done.err.startswith("cosictl: INTERNAL: cannot read the answer: ") and done.out == ""


def test_answer__limit_of_its_size(call, server):
    """An unknown field pads the answer to the byte: 5 bytes of its own, 4 + n of padding."""
    def padded(size):
        n = size - 9
        return b"\x0a\x03abc" + b"\x7a" + bytes([n & 0x7f | 0x80, n >> 7 & 0x7f | 0x80, n >> 14]) + b"p" * n
    server.answers["DriverGetInfo"] = padded(1024 * 1024)
    assert call("info").out.split() == ["driver", "abc"]
    server.answers["DriverGetInfo"] = padded(1024 * 1024 + 1)
    assert call("info", check=1).err.startswith("cosictl: RESOURCE_EXHAUSTED: ")


def test_answer__half_a_million_map_entries(call, server):
    server.answers["DriverGrantBucketAccess"] = b"\x12\x00" * (512 * 1024)
    assert "INTERNAL" in call("--api", "v1alpha1", "grant", "x", "--account", "a", check=1).err


def test_timeout__server_that_hangs(call, server):
    done = threading.Event()
    server.answers["DriverGetInfo"] = lambda _: done.wait(60) and b""
    try:
        assert call("info", "--timeout", "200ms", check=1).err.startswith("cosictl: DEADLINE_EXCEEDED: ")
    finally:
        done.set()


def test_connect__nobody_listens(cosictl, folder):
    path = folder / "stale.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    done = cosictl("info", "-e", f"unix://{path}", check=1)
    assert done.err == (f"cosictl: UNAVAILABLE: cannot connect to 'unix://{path}': Connection refused: "
                        "does cosid run, and is this its socket?\n")


@pytest.mark.parametrize("command", ["info", "status"])
def test_connect__not_permitted(cosictl, folder, command):
    """A refusal by the socket's mode says where that is set."""
    path = folder / "closed.sock"
    with socket.socket(socket.AF_UNIX) as closed:
        closed.bind(str(path))
        closed.listen()
        path.chmod(0)
        done = cosictl(command, "-e", f"unix://{path}", check=1, user=65534)
    assert f"UNAVAILABLE: cannot connect to 'unix://{path}': Permission denied: " in done.err
    assert "socket_mode" in done.err


def test_connect__backlog_is_full(cosictl, folder):
    path = folder / "full.sock"
    waiting = []
    with socket.socket(socket.AF_UNIX) as full:
        full.bind(str(path))
        full.listen(0)
        while True:
            peer = socket.socket(socket.AF_UNIX)
            peer.setblocking(False)
            waiting.append(peer)
            try:
                peer.connect(str(path))
            except BlockingIOError:
                break
        done = cosictl("info", "-e", f"unix://{path}", "--timeout", "200ms", check=1)
        assert done.err.startswith(f"cosictl: UNAVAILABLE: cannot connect to 'unix://{path}': ")
    for peer in waiting:
        peer.close()


def test_connect__not_a_grpc_server(cosictl, folder):
    path = folder / "web.sock"
    with socket.socket(socket.AF_UNIX) as web:
        web.bind(str(path))
        web.listen()

        def answer():
            peer, _ = web.accept()
            with peer:
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                while peer.recv(4096):
                    pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        done = cosictl("info", "-e", f"unix://{path}", check=1)
        assert done.err.startswith(("cosictl: INTERNAL: ", "cosictl: UNAVAILABLE: ")) and done.out == ""
        thread.join()


SETTINGS = b"\0\0\0\4\0\0\0\0\0"


@pytest.mark.parametrize("hello", [b"", SETTINGS])
def test_closed__before_the_answer(cosictl, folder, hello):
    """As by cosid when a module crashes, or when it refuses the user."""
    with socket.socket(socket.AF_UNIX) as driver:
        driver.bind(str(folder / "cosi.sock"))
        driver.listen()

        def answer():
            peer, _ = driver.accept()
            with peer:
                peer.sendall(hello)
                while hello and b"DriverGetInfo" not in peer.recv(65536):
                    pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        done = cosictl("info", "-e", f"unix://{folder}/cosi.sock", check=1)
        assert ("closed the connection: has cosid ended (systemctl status cosid), does it not allow this user "
                "(cosid.conf(5), allowed_peers; ") in done.err
        thread.join()


def test_output__cannot_be_written(build, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([build / "bin" / "cosictl", "-e", server.endpoint, "grant", "rgw.photos", "--account", "a"],
                              stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"cannot write the answer: No space left" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""test_store.py - the scripted store does what it says."""
import http.client
import pathlib
import socket
import ssl
import subprocess
import sys
import threading

import pytest

from fakes import store as fake
from fakes.store import FakeStore, Then


@pytest.fixture
def store():
    with FakeStore() as made:
        yield made


def ask(store, line="GET /b", body=b"", sock=None):
    """The bytes that come back until the connection ends or says no more; b'RESET' at its end."""
    sock = sock or socket.create_connection(("127.0.0.1", store.port), 10)
    sock.sendall(f"{line} HTTP/1.1\r\nhost: x\r\ncontent-length: {len(body)}\r\n\r\n".encode() + body)
    got = b""
    try:
        while data := sock.recv(1 << 20):
            got += data
            if len(got) > 3_000_000:
                break
    except ConnectionResetError:
        got += b"RESET"
    sock.close()
    return got


def test_answer__default_and_recorded(store):
    connection = http.client.HTTPConnection("127.0.0.1", store.port)
    connection.request("PUT", "/photos?tagging", b"<x/>", {"X-Amz-Date": "now"})
    assert connection.getresponse().status == 200
    connection.close()
    store.wait(1)
    request = store.requests[0]
    assert (request.number, request.connection, request.method) == (1, 1, "PUT")
    assert (request.target, request.body) == ("/photos?tagging", b"<x/>")
    assert request.headers["x-amz-date"] == "now"


def test_rules__one_after_the_other_and_the_last_stays(store):
    store.on("GET *", fake.answer(500))
    store.on("GET /b", fake.busy(503, retry_after=2), fake.answer(204, x_id="7"))
    connection = http.client.HTTPConnection("127.0.0.1", store.port)
    seen = []
    for path in ("/b", "/b", "/b", "/other"):
        connection.request("GET", path)
        reply = connection.getresponse()
        reply.read()
        seen.append((reply.status, reply.headers.get("retry-after"), reply.headers.get("x-id")))
    connection.close()
    assert seen == [(503, "2", None), (204, None, "7"), (204, None, "7"), (500, None, None)]
    assert store.nconnections == 1


@pytest.mark.parametrize("say, expected", [
    (fake.close(), b""),
    (fake.reset(), b"RESET"),
    (fake.raw(b"SSH-2.0\r\n", Then.CLOSE), b"SSH-2.0\r\n"),
    (fake.cut(fake.answer(200, b"0123456789"), -4),
     b"HTTP/1.1 200 scripted\r\ncontent-length: 10\r\n\r\n012345"),
    (fake.cut(fake.answer(), 8), b"HTTP/1.1"),
    (fake.cut(fake.answer(), 8, Then.RESET), b"HTTP/1.1RESET"),
    (fake.wrong_length(5, b"abc"), b"HTTP/1.1 200 OK\r\ncontent-length: 8\r\n\r\nabc"),
    (fake.last(fake.wrong_length(-2, b"abc")), b"HTTP/1.1 200 OK\r\ncontent-length: 1\r\n\r\nabc"),
    (fake.last(fake.interim(fake.answer())),
     b"HTTP/1.1 100 Interim\r\n\r\nHTTP/1.1 200 scripted\r\ncontent-length: 0\r\n\r\n"),
    (fake.last(fake.drip(fake.raw(b"slow"), 0.001)), b"slow"),
])
def test_bytes__as_told(store, say, expected):
    store.on("*", say)
    # A reset may overtake the bytes before it.
    assert ask(store) in (expected, expected[-5:] if say.then is Then.RESET else expected)


@pytest.mark.parametrize("say", [fake.endless(), fake.endless_head(), fake.big(4_000_000),
                                 fake.huge_headers(4)])
def test_large__as_much_as_one_takes(store, say):
    store.on("*", say)
    assert len(ask(store)) > 3_000_000


@pytest.mark.parametrize("say, text", [(fake.html(), b"<html>"), (fake.bad_xml(404), b"<Error>"),
                                       (fake.bad_json(), b'"keys"')])
def test_nonsense(store, say, text):
    store.on("*", fake.last(say))
    assert text in ask(store)


def test_held__until_released(store):
    store.on("*", fake.held(fake.last(fake.answer(201))))
    got = []
    thread = threading.Thread(target=lambda: got.append(ask(store)))
    thread.start()
    store.wait(1)
    assert not got
    store.release()
    thread.join()
    assert got[0].startswith(b"HTTP/1.1 201")
    store.wait_closed()


def test_hang__until_released_or_stopped():
    with FakeStore() as store:
        store.on("*", fake.hang())
        sock = socket.create_connection(("127.0.0.1", store.port), 10)
        other = socket.create_connection(("127.0.0.1", store.port), 10)
        got = []
        thread = threading.Thread(target=lambda: got.append(ask(store, sock=sock)))
        thread.start()
        store.wait(1)
        store.release()
        thread.join()
        assert got == [b""]
        other.sendall(b"GET / HTTP/1.1\r\n\r\n")
        store.wait(2)
    assert other.recv(1) == b""
    other.close()


def test_early__body_is_not_waited_for(store):
    store.on("PUT *", fake.early(fake.last(fake.answer(413))))
    with socket.create_connection(("127.0.0.1", store.port), 10) as sock:
        sock.sendall(b"PUT /b HTTP/1.1\r\ncontent-length: 1000000\r\n\r\n")
        assert sock.recv(4096).startswith(b"HTTP/1.1 413")
    assert store.requests[0].body == b""


def test_close_after__n_requests():
    with FakeStore(close_after=2) as store:
        with socket.create_connection(("127.0.0.1", store.port), 10) as sock:
            for _ in range(2):
                sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
                assert sock.recv(4096).startswith(b"HTTP/1.1 200")
            assert sock.recv(1) == b""
        assert len(store.requests) == 2


def test_tls__any_say(tmp_path):
    cert, key = tmp_path / "cert.pem", tmp_path / "key.pem"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=x", "-addext", "subjectAltName=IP:127.0.0.1",
                    "-days", "1", "-keyout", key, "-out", cert], check=True, capture_output=True)
    context = ssl.create_default_context(cafile=cert)
    with FakeStore(tls=(cert, key)) as store:
        store.on("*", fake.answer(202), fake.reset())
        left = socket.create_connection(("127.0.0.1", store.port), 10)  # never shakes hands
        plain = socket.create_connection(("127.0.0.1", store.port), 10)
        with context.wrap_socket(plain, server_hostname="127.0.0.1") as sock:
            sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert sock.recv(4096).startswith(b"HTTP/1.1 202")
            sock.sendall(b"GET / HTTP/1.1\r\n\r\n")
            assert sock.recv(4096) == b""  # python makes an end of a reset
    left.close()


def test_forget__rules_and_requests(store):
    store.on("*", fake.last(fake.answer(500)))
    assert b" 500 " in ask(store)
    store.forget()
    assert not store.requests
    store.on("*", fake.close())
    assert ask(store) == b""


def test_command__prints_its_url_and_the_requests():
    program = pathlib.Path(fake.__file__)
    with subprocess.Popen([sys.executable, program, "PUT *=503:2,close"], text=True,
                          stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        url = process.stdout.readline().strip()
        connection = http.client.HTTPConnection(url.removeprefix("http://"))
        connection.request("PUT", "/b", b"body")
        reply = connection.getresponse()
        assert (reply.status, reply.headers["retry-after"]) == (503, "2")
        assert process.stdout.readline() == "1 PUT /b 4\n"
        connection.close()
        process.stdin.close()
        assert process.wait(10) == 0

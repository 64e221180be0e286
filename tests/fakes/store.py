#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""store.py - a store that says what it is told, byte by byte, and remembers what it was asked.

    with FakeStore() as store:                      # store.url is where it listens
        store.on("PUT /photos", busy(503, retry_after=1), answer(200))
        store.on("GET /photos?*", cut(answer(200, b"<Tagging/>"), at=30))
        store.on("DELETE *", hang())
        ...
        store.wait(3)                               # three requests have come
        store.requests[0].body

A rule is a glob over "METHOD TARGET" and what its requests meet, one after the other; the last one
stays.  Later rules win; what no rule knows is answered 200 without a body.

By hand: store.py [--tls CERT KEY] [GLOB=WORD[,WORD...]]... serves until its input ends.  The first line
that it prints is its URL, then one for each request.  WORD: ok html bad-xml bad-json big endless
endless-head drip huge-headers short-body long-body continue reset close hang cut, or a status like 503
with, if wanted, a Retry-After: 503:2.
"""
import dataclasses
import enum
import fnmatch
import socket
import ssl
import struct
import sys
import threading

PATIENCE = 30  # seconds that wait() waits for what must come


class Then(enum.Enum):
    """What follows the bytes."""
    KEEP = 1    # the next request
    CLOSE = 2   # an end in order, whatever the answer promised
    RESET = 3   # the client sees ECONNRESET
    HANG = 4    # nothing, until release() or stop(); then the end
    REPEAT = 5  # more, for ever


@dataclasses.dataclass(frozen=True)
class Say:
    data: bytes = b""
    then: Then = Then.KEEP
    again: bytes = b""    # what REPEAT goes on with
    held: bool = False    # says nothing before release()
    early: bool = False   # before the request's body is read
    pause: float = 0      # seconds after each byte


@dataclasses.dataclass(frozen=True)
class Request:
    number: int      # from 1, over all connections
    connection: int  # from 1
    method: str
    target: str
    headers: dict    # names in lower case
    body: bytes


# ---- what can be said


def answer(status=200, body=b"", **headers):
    """A good answer; x_name='v' becomes the header "x-name: v"."""
    lines = [f"HTTP/1.1 {status} scripted", f"content-length: {len(body)}"]
    lines += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return Say("\r\n".join(lines).encode() + b"\r\n\r\n" + body)


def busy(status=503, retry_after=None):
    more = {} if retry_after is None else {"retry_after": retry_after}
    return answer(status, **more)


def html(status=200):
    """What a wrong port or a proxy in between says."""
    return answer(status, b"<!DOCTYPE html><html><body><h1>It works!</h1></body></html>\n",
                  content_type="text/html")


def bad_xml(status=200):
    return answer(status, b'<?xml version="1.0"?><Error><Code>Nope</Code', content_type="application/xml")


def bad_json(status=200):
    return answer(status, b'{"user_id": "cosi-a", "keys": [{', content_type="application/json")


def big(size=10_000_000):
    return answer(200, b"x" * size)


def endless():
    return Say(b"HTTP/1.1 200 OK\r\n\r\n", Then.REPEAT, again=b"x" * 65536)


def endless_head():
    return Say(b"HTTP/1.1 200 OK\r\n", Then.REPEAT, again=b"x-more: " + b"y" * 1000 + b"\r\n")


def huge_headers(count=1, size=1_000_000):
    return answer(200, **{f"x_huge_{i}": "y" * size for i in range(count)})


def wrong_length(by, body=b"<Tagging/>"):
    """A content-length that is too large (by > 0: then the end comes), or too small (by < 0)."""
    head = f"HTTP/1.1 200 OK\r\ncontent-length: {len(body) + by}\r\n\r\n".encode()
    return Say(head + body, Then.CLOSE if by > 0 else Then.KEEP)


def raw(data, then=Then.KEEP):
    return Say(data, then)


def close():
    return Say(then=Then.CLOSE)


def reset():
    return Say(then=Then.RESET)


def hang():
    return Say(then=Then.HANG)


def cut(say, at, then=Then.CLOSE):
    """The first `at` bytes; at < 0: all but the last ones."""
    return dataclasses.replace(say, data=say.data[:at], then=then)


def drip(say, pause=0.02):
    return dataclasses.replace(say, pause=pause)


def held(say):
    """Not before store.release()."""
    return dataclasses.replace(say, held=True)


def early(say):
    return dataclasses.replace(say, early=True)


def last(say):
    """The connection ends after it, without a word of it in the answer."""
    return dataclasses.replace(say, then=Then.CLOSE)


def interim(say, status=100):
    """An interim answer before it."""
    return dataclasses.replace(say, data=f"HTTP/1.1 {status} Interim\r\n\r\n".encode() + say.data)


# ---- the server


class FakeStore:
    def __init__(self, close_after=0, tls=None):
        """close_after: requests that a connection lives for, 0: any; tls: (certificate, key)."""
        self._close_after = close_after
        self._context = None
        if tls:
            self._context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            self._context.load_cert_chain(*tls)
        self._changed = threading.Condition()
        self._rules = []
        self._releases = 0
        self._stopping = False
        self._open = set()
        self._threads = []
        self.requests = []
        self.nconnections = 0
        self.told = lambda request: None  # called for each request, before it is answered

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.port = self._listener.getsockname()[1]
        self.url = f"http{'s' if self._context else ''}://127.0.0.1:{self.port}"
        self._acceptor = threading.Thread(target=self._accept)
        self._acceptor.start()
        return self

    def __exit__(self, *_):
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
            open_now = list(self._open)
        self._listener.shutdown(socket.SHUT_RDWR)
        self._acceptor.join()
        self._listener.close()
        for sock in open_now:
            _shut(sock)
        for thread in self._threads:
            thread.join()

    def on(self, glob, *says):
        """What requests that match meet, one after the other; the last one stays."""
        assert says
        with self._changed:
            self._rules.insert(0, (glob, list(says)))

    def forget(self):
        """All rules and requests."""
        with self._changed:
            self._rules, self.requests = [], []

    def wait(self, n):
        """Until n requests have come."""
        with self._changed:
            came = self._changed.wait_for(lambda: len(self.requests) >= n, PATIENCE)
            assert came, f"{len(self.requests)} requests came, not {n}"

    def wait_closed(self):
        """Until no connection stands."""
        with self._changed:
            assert self._changed.wait_for(lambda: not self._open, PATIENCE), "connections stay open"

    def release(self):
        """What hangs or is held now goes on."""
        with self._changed:
            self._releases += 1
            self._changed.notify_all()

    def _accept(self):
        while True:
            try:
                sock, _ = self._listener.accept()
            except OSError:
                return  # stopped
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            if self._context:
                sock = self._context.wrap_socket(sock, server_side=True,
                                                 do_handshake_on_connect=False)
            with self._changed:
                if self._stopping:
                    sock.close()
                    return
                self.nconnections += 1
                self._open.add(sock)
                peer = _Peer(self, sock, self.nconnections)
                self._threads.append(threading.Thread(target=peer.serve))
            self._threads[-1].start()

    def _next(self, line, peek):
        """What the request meets; peek: it comes again."""
        for glob, says in self._rules:
            if fnmatch.fnmatchcase(line, glob):
                return says[0] if peek or len(says) == 1 else says.pop(0)
        return answer()


def _shut(sock):
    try:
        sock.shutdown(socket.SHUT_RDWR)
    except OSError:
        pass  # it ended by itself


class _Peer:
    """One connection."""

    def __init__(self, store, sock, number):
        self.store, self.sock, self.number = store, sock, number
        self.left, self.served = b"", 0

    def serve(self):
        try:
            if self.store._context:
                self.sock.do_handshake()
            while self._exchange():
                pass
        except OSError:
            pass  # the client went away
        finally:
            with self.store._changed:
                self.store._open.discard(self.sock)
                self.store._changed.notify_all()
            self.sock.close()

    def _exchange(self):
        """False: the connection ends."""
        if not self._fill(lambda: b"\r\n\r\n" in self.left):
            return False
        head, _, self.left = self.left.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, target, _ = first.split(" ")
        headers = {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in lines)}
        length = int(headers.get("content-length", "0"))
        with self.store._changed:
            is_early = self.store._next(f"{method} {target}", peek=True).early
        if is_early:
            length = 0
        if not self._fill(lambda: len(self.left) >= length):
            return False
        body, self.left = self.left[:length], self.left[length:]
        with self.store._changed:
            number = len(self.store.requests) + 1
            request = Request(number, self.number, method, target, headers, body)
            self.store.requests.append(request)
            say = self.store._next(f"{method} {target}", peek=False)
            releases = self.store._releases
            self.store._changed.notify_all()
        self.store.told(request)
        self.served += 1
        return self._say(say, releases) and self.served != self.store._close_after

    def _fill(self, enough):
        while not enough():
            data = self.sock.recv(65536)
            if not data:
                return False
            self.left += data
        return True

    def _wait_release(self, since):
        with self.store._changed:
            self.store._changed.wait_for(
                lambda: self.store._releases > since or self.store._stopping)

    def _say(self, say, releases):
        if say.held:
            self._wait_release(releases)
        if say.pause:
            for i in range(len(say.data)):
                self.sock.sendall(say.data[i:i + 1])
                with self.store._changed:
                    if self.store._changed.wait_for(lambda: self.store._stopping, say.pause):
                        return False
        else:
            self.sock.sendall(say.data)
        if say.then is Then.REPEAT:
            while not self.store._stopping:
                self.sock.sendall(say.again)
        if say.then is Then.HANG:
            self._wait_release(releases)
        if say.then is Then.RESET:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        return say.then is Then.KEEP


# ---- by hand

WORDS = {
    "ok": answer, "html": html, "bad-xml": bad_xml, "bad-json": bad_json, "big": big,
    "endless": endless, "endless-head": endless_head, "huge-headers": huge_headers,
    "reset": reset, "close": close, "hang": hang, "drip": lambda: drip(answer(200, b"slow")),
    "cut": lambda: cut(answer(200, b"half of it"), -5),
    "short-body": lambda: wrong_length(5), "long-body": lambda: wrong_length(-5),
    "continue": lambda: interim(answer()),
}


def _word(word):
    if word in WORDS:
        return WORDS[word]()
    status, _, after = word.partition(":")
    return busy(int(status), int(after) if after else None)


def main(arguments):
    tls = None
    if arguments[:1] == ["--tls"]:
        tls, arguments = (arguments[1], arguments[2]), arguments[3:]
    with FakeStore(tls=tls) as store:
        for argument in arguments:
            glob, _, words = argument.rpartition("=")
            store.on(glob, *[_word(word) for word in words.split(",")])
        store.told = lambda r: print(f"{r.number} {r.method} {r.target} {len(r.body)}", flush=True)
        print(store.url, flush=True)
        sys.stdin.read()


if __name__ == "__main__":
    main(sys.argv[1:])

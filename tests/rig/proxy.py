# SPDX-License-Identifier: Apache-2.0
"""proxy.py - stands between cosid and a store: counts the HTTP requests, and meddles with them.

A rule is called for each request and says what becomes of it:
  None            it goes through
  Cut.BEFORE      the connection is closed, the store never sees it
  Cut.AFTER       the store answers, cosid does not hear it
  Cut.HALF        cosid hears the first half of the answer
  Cut.LATE        the connection is closed, and the store gets the request when deliver() is called
  Cut.SILENT      the same, but the connection stays open without an answer until cosid closes it
  Cut.GATEWAY     as Cut.LATE, with a proxy's own 503 as the answer
  Cut.DELAY       as Cut.LATE, but the store gets it by itself after 5 to 30 ms
  Cut.MUTE        the store answers, cosid hears nothing until it closes the connection
  bytes           cosid gets these bytes instead; the store never sees the request
A rule may also do something by itself, like killing cosid: `after` is called with the request when
the store has answered it and cosid has not heard so yet.
"""
import dataclasses
import datetime
import enum
import random
import select
import socket
import threading
import urllib.parse

DATE = "%Y%m%dT%H%M%SZ"  # of x-amz-date


class Cut(enum.Enum):
    BEFORE = 1
    AFTER = 2
    HALF = 3
    LATE = 4
    SILENT = 5
    GATEWAY = 6
    DELAY = 7
    MUTE = 8


@dataclasses.dataclass
class Request:
    number: int  # from 1, over all connections
    method: str
    target: str
    headers: dict
    body: bytes
    status: int = 0  # the store's answer; 0: none
    raw: bytes = b""  # as it goes to the store

    @property
    def line(self):
        """What a table of requests calls it: "PUT /admin/user", "GET /bucket?tagging"."""
        path, _, query = self.target.partition("?")
        words = [q.partition("=")[0] for q in query.split("&") if q.endswith("=") or "=" not in q]
        return f"{self.method} {path}" + ("?" + words[0] if words and words[0] else "")


def answer(status, body=b"", content_type="text/plain", **headers):
    """The bytes of an HTTP answer, for a rule to give."""
    head = [f"HTTP/1.1 {status} scripted", f"content-length: {len(body)}",
            f"content-type: {content_type}", "connection: close"]
    head += [f"{k.replace('_', '-')}: {v}" for k, v in headers.items()]
    return ("\r\n".join(head) + "\r\n\r\n").encode() + body


def of_store(status, body=b"", content_type="text/plain", **headers):
    """The same with the header that is on every answer of the stores."""
    return answer(status, body, content_type, x_amz_request_id="1", x_ms_request_id="1", **headers)


def older(port, minutes):
    """A rule: the store's own answer to the same request with a date that is `minutes` older."""

    def rule(request):
        date = datetime.datetime.strptime(request.headers["x-amz-date"], DATE)
        date -= datetime.timedelta(minutes=minutes)
        headers = request.headers | {"x-amz-date": date.strftime(DATE), "connection": "close"}
        head = f"{request.method} {request.target} HTTP/1.1\r\n" + "".join(
            f"{k}: {v}\r\n" for k, v in headers.items()) + "\r\n"
        with socket.create_connection(("127.0.0.1", port)) as store:
            store.sendall(head.encode() + request.body)
            reply = b""
            while data := store.recv(65536):
                reply += data
        return reply

    return rule


class _Stream:
    """Reads HTTP messages from a socket."""

    def __init__(self, sock):
        self.sock, self.left = sock, b""

    def _more(self):
        data = self.sock.recv(65536)
        self.left += data
        return bool(data)

    def _take(self, n):
        taken, self.left = self.left[:n], self.left[n:]
        return taken

    def head(self):
        """(raw bytes, first line, headers), or None at the end of the stream."""
        while b"\r\n\r\n" not in self.left:
            if not self._more():
                return None
        raw = self._take(self.left.index(b"\r\n\r\n") + 4)
        first, *rest = raw.decode("latin-1").rstrip("\r\n").split("\r\n")
        return raw, first, {k.lower(): v.strip() for k, _, v in (x.partition(":") for x in rest)}

    def has_more(self):
        """Are there unexpected bytes to read (or the end)?"""
        return bool(self.left) or bool(select.select([self.sock], [], [], 0)[0])

    def exactly(self, n):
        while len(self.left) < n and self._more():
            pass
        return self._take(n)

    def chunked(self):
        raw = b""
        while True:
            while b"\r\n" not in self.left:
                if not self._more():
                    return raw
            line = self._take(self.left.index(b"\r\n") + 2)
            size = int(line.split(b";")[0], 16)
            raw += line + self.exactly(size + 2)
            if size == 0:
                return raw

    def to_the_end(self):
        while self._more():
            pass
        return self._take(len(self.left))


class Proxy:
    """`with Proxy(endpoint) as p:` p.endpoint is the URL for cosid; p.requests is what cosid sent."""

    def __init__(self, endpoint, tls=None):
        """tls: a server's ssl.SSLContext; cosid comes by https then."""
        url = urllib.parse.urlsplit(endpoint)
        self._store, self._tls = (url.hostname, url.port), tls
        self._lock = threading.Lock()
        self._open = set()
        self._kept, self._has_kept = [], threading.Condition(self._lock)
        self._ended = threading.Event()
        self._busy, self._is_idle = 0, threading.Condition(self._lock)
        self.requests = []
        self.rule = lambda request: None
        self.after = lambda request: None

    def __enter__(self):
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=256)
        self.endpoint = f"http{'s' if self._tls else ''}://127.0.0.1:{self._listener.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *_):
        self._ended.set()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self.cut_all()

    def cut_all(self):
        """Every connection that is open now ends."""
        with self._lock:
            sockets = list(self._open)
        for sock in sockets:
            try:
                sock.shutdown(socket.SHUT_RDWR)
            except OSError:
                pass  # it has ended by itself

    def reset(self):
        """Forgets what was asked and lets everything through; what is kept stays so."""
        with self._lock:
            self.requests = []
        self.rule = lambda request: None
        self.after = lambda request: None

    def wait_kept(self, count=1, timeout=60):
        """Waits until that many requests are kept (Cut.LATE, Cut.SILENT, Cut.GATEWAY): those."""
        with self._has_kept:
            assert self._has_kept.wait_for(lambda: len(self._kept) >= count, timeout), "none is kept"
            return list(self._kept)

    def has_kept(self, timeout):
        """Is one kept, at the latest after that time?"""
        with self._has_kept:
            return self._has_kept.wait_for(lambda: self._kept, timeout)

    def wait_idle(self, timeout=120):
        """Waits until no request is on its way to the store any more, but those that are kept."""
        with self._is_idle:
            assert self._is_idle.wait_for(lambda: not self._busy, timeout), "a request is still on its way"

    def wait_closed(self, timeout=120):
        """Waits until every connection has ended: those that came were killed."""
        with self._is_idle:
            assert self._is_idle.wait_for(lambda: not self._open, timeout), "a connection is still open"

    def deliver(self):
        """Sends what is kept to the store, in order: those requests, with the store's answers."""
        with self._lock:
            late, self._kept = self._kept, []
        for request in late:
            self.send_again(request)
        return late

    def send_again(self, request):
        """Sends it to the store, once more if it was sent; request.status becomes that of the answer."""
        with socket.create_connection(self._store) as store:
            store.sendall(request.raw)
            self._answer(request, _Stream(store))

    def lines(self):
        with self._lock:
            return [request.line for request in self.requests]

    def asked(self, call, *arguments):
        """The lines of one call's requests."""
        self.reset()
        call(*arguments)
        return self.lines()

    def _accept(self):
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return  # closed
            client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            threading.Thread(target=self._serve, args=(client,), daemon=True).start()

    def _serve(self, client):
        store = None
        with self._lock:
            self._open.add(client)
        try:
            if self._tls:
                with self._lock:
                    self._open.remove(client)
                client = self._tls.wrap_socket(client, server_side=True)
                with self._lock:
                    self._open.add(client)
            reader = _Stream(client)
            while (head := reader.head()) is not None:
                if store is None or answers.has_more():
                    store = self._connect(store)
                    answers = _Stream(store)
                if not self._exchange(head, reader, client, store, answers):
                    return
        except OSError:
            pass  # either side went away: so does the other
        finally:
            with self._is_idle:
                self._open -= {client, store}
                self._is_idle.notify_all()
            client.close()
            if store is not None:
                store.close()

    def _connect(self, old):
        """A connection to the store.  RGW 16.2 sends more than one answer's worth of bytes for an
        absent user policy: clients close such a connection, and so does the proxy."""
        store = socket.create_connection(self._store)
        store.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        with self._lock:
            self._open.discard(old)
            self._open.add(store)
        if old is not None:
            old.close()
        return store

    def _exchange(self, *connection):
        with self._lock:
            self._busy += 1
        try:
            return self._pass_on(*connection)
        finally:
            with self._is_idle:
                self._busy -= 1
                self._is_idle.notify_all()

    def _pass_on(self, head, reader, client, store, answers):
        """One request and its answer; False when the connection ends with it."""
        raw, first, headers = head
        if headers.get("expect", "").lower() == "100-continue":
            client.sendall(b"HTTP/1.1 100 Continue\r\n\r\n")
            raw = b"".join(x + b"\r\n" for x in raw.split(b"\r\n")[:-2]
                           if not x.lower().startswith(b"expect:")) + b"\r\n"
        body = reader.exactly(int(headers.get("content-length", "0")))
        method, target, _ = first.split(" ")
        with self._lock:
            request = Request(len(self.requests) + 1, method, target, headers, body,
                              raw=raw + body)
            self.requests.append(request)
        verdict = self.rule(request)
        if verdict is Cut.BEFORE:
            return False
        if isinstance(verdict, bytes):
            client.sendall(verdict)
            return False
        if verdict in (Cut.LATE, Cut.SILENT, Cut.GATEWAY):
            with self._has_kept:
                self._kept.append(request)
                self._has_kept.notify_all()
            if verdict is Cut.SILENT:
                reader.to_the_end()
            if verdict is Cut.GATEWAY:
                client.sendall(answer(503, b"upstream connect error or disconnect/reset before headers"))
            return False
        if verdict is Cut.DELAY:
            client.shutdown(socket.SHUT_RDWR)
            self._ended.wait(random.uniform(0.005, 0.030))
            self.send_again(request)
            return False
        store.sendall(request.raw)
        reply = self._answer(request, answers)
        self.after(request)
        if verdict is Cut.MUTE:
            reader.to_the_end()
            return False
        if verdict is Cut.AFTER or not reply:
            return False
        if verdict is Cut.HALF:
            client.sendall(reply[: len(reply) // 2])
            return False
        client.sendall(reply)
        return True

    @staticmethod
    def _answer(request, answers):
        head = answers.head()
        while head is not None and head[1].split(" ")[1] == "100":
            head = answers.head()
        if head is None:
            return b""
        raw, first, headers = head
        request.status = int(first.split(" ")[1])
        if request.method == "HEAD" or request.status in (204, 304):
            return raw
        if headers.get("transfer-encoding", "").lower() == "chunked":
            return raw + answers.chunked()
        if "content-length" in headers:
            return raw + answers.exactly(int(headers["content-length"]))
        return raw + answers.to_the_end()

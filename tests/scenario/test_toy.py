# SPDX-License-Identifier: Apache-2.0
"""test_toy.py - the module that cosi-module(7) shows works, on the store that its comments imagine."""
import http.server
import threading

import pytest

from rig import secrets
from rig.client import refused
from rig.shelf import Shelf
from rig.tree import ROOT

ADMIN = secrets.plant("planted-key-of-the-toys-administrator")


class Imagined(http.server.BaseHTTPRequestHandler):
    """Keeps what is PUT with its marks; 200 to the same again and to the DELETE of nothing, else 409."""
    protocol_version = "HTTP/1.1"
    things = {}

    def answer(self, status, text=""):
        self.send_response(status)
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text.encode())

    def body(self):
        assert self.headers["authorization"] == ADMIN
        return self.rfile.read(int(self.headers["Content-Length"] or 0)).decode()

    def do_PUT(self):
        made = self.headers["x-owner"], self.headers["x-params"], self.body()
        for line in made[2].splitlines():
            if f"/b/{line.split()[0]}" not in self.things:
                return self.answer(404)
        if self.things.setdefault(self.path, made) != made:
            return self.answer(409)
        return self.answer(200, f"ID{self.path[3:]} {secrets.plant('planted-secret-of' + self.path)}")

    def do_DELETE(self):
        body = self.body()
        found = self.things.get(self.path)
        if found and found[0] != self.headers["x-owner"]:
            return self.answer(409)
        left = [x for x in (found or ("", "", ""))[2].splitlines() if x.split()[0] not in body.split()]
        if found and body and left:
            self.things[self.path] = (*found[:2], "\n".join(left))
        else:
            self.things.pop(self.path, None)
        return self.answer(200)

    def log_message(self, *_):
        pass


@pytest.fixture
def store():
    Imagined.things = {}
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Imagined) as server:
        server.daemon_threads = True
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture
def daemon(cosid, folder, store):
    shelf = Shelf(folder)
    shelf.put(shelf.build("toy", (ROOT / "tests/abi/toy.c").read_text()), "toy")
    return cosid({"module_dir": str(shelf.modules), "backends": [
        {"name": "shop", "module": "toy", "admin_key": "plain:" + ADMIN,
         "endpoint": f"http://127.0.0.1:{store.server_port}"}]})


def test_toy__life_of_a_bucket(daemon, dialect):
    client = daemon.client(dialect)
    bucket = client.create("photos")
    assert bucket == "shop.photos" == client.create("photos")
    access = client.grant(bucket, "me", "readOnly")
    assert (access.key, access.secret) == ("IDcosi-me", "planted-secret-of/a/cosi-me")
    assert access.region == "default"
    assert client.grant(bucket, "me", "readOnly").secret == access.secret
    with refused("ALREADY_EXISTS|FAILED_PRECONDITION", "cannot PUT '/a/cosi-me'"):
        client.grant(bucket, "me", "readWrite")
    with refused("NOT_FOUND"):
        client.grant("shop.absent", "you")
    client.revoke(access.account_id, bucket)
    client.revoke(access.account_id, bucket)
    client.delete(bucket)
    client.delete(bucket)
    assert not Imagined.things


def test_toy__leaves_what_is_somebody_elses(daemon, dialect):
    Imagined.things = {"/b/photos": ("another.example.org", "1:0", "")}
    client = daemon.client(dialect)
    with refused("ALREADY_EXISTS"):
        client.create("photos")
    with refused("FAILED_PRECONDITION"):
        client.delete("shop.photos")
    assert list(Imagined.things) == ["/b/photos"]

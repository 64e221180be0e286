#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""example_store.py - the imaginary store of modules/example, as store.h describes it.

    with ExampleStore("the administrator's key") as store:   # store.url is where it listens
        store.buckets["photos"]["objects"]["a"] = b"content"
        store.accounts["cosi-me"]["buckets"]

By hand: EXAMPLE_STORE_KEY=... example_store.py [PORT] serves until it is interrupted.
"""
import http.server
import json
import os
import secrets
import sys
import threading
import time
import urllib.parse

PAGE = 3  # so few that every list has pages


class ExampleStore:
    def __init__(self, key, port=0, new_secret=lambda account: secrets.token_hex(20)):
        """new_secret(account): the secret key of a new account."""
        self.key, self.new_secret = key, new_secret
        self.buckets, self.accounts = {}, {}
        self.requests = []  # "METHOD TARGET"
        self.lock = threading.Lock()
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", port), _Handler)
        self.server.daemon_threads = True
        self.server.store = self
        self.url = f"http://127.0.0.1:{self.server.server_port}"

    def __enter__(self):
        self.thread = threading.Thread(target=self.server.serve_forever)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.thread.join()
        self.server.server_close()

    def answer(self, method, path, query, body):
        """(status, what becomes the body)"""
        kind, _, name = path.removeprefix("/v1/").partition("/")
        if kind not in ("buckets", "accounts") or "/" in name:
            return 400, {"error": "BadRequest"}
        things = getattr(self, kind)
        word = "Bucket" if kind == "buckets" else "Account"
        if not name:
            return 200, self.page(things, query.get("after", ""))
        if method == "PUT":
            return self.put(kind, word, name, body)
        if name not in things:
            return 404, {"error": f"NoSuch{word}"}
        if method == "DELETE":
            return self.delete(kind, name, query)
        return 200, self.shown(things[name])

    def page(self, things, after):
        names = sorted(n for n in things if n > after)
        return {"items": [self.shown(things[n]) for n in names[:PAGE]], "more": len(names) > PAGE}

    @staticmethod
    def shown(thing):
        return {k: v for k, v in thing.items() if k != "objects"}

    def put(self, kind, word, name, body):
        if name in getattr(self, kind):
            return 409, {"error": f"{word}Exists"}
        made = body | {"name": name, "created": int(time.time())}
        if kind == "buckets":
            made["objects"] = {}
        elif not set(made["buckets"]) <= set(self.buckets):
            return 404, {"error": "NoSuchBucket"}
        else:
            made |= {"keyId": "ID" + name.upper(), "keySecret": self.new_secret(name)}
        getattr(self, kind)[name] = made
        return 201, self.shown(made)

    def delete(self, kind, name, query):
        things = getattr(self, kind)
        if kind == "buckets" and things[name]["objects"] and query.get("purge") != "true":
            return 409, {"error": "BucketNotEmpty"}
        if "buckets" in query:
            for bucket in query["buckets"].split(","):
                things[name]["buckets"].pop(bucket, None)
            if things[name]["buckets"]:
                return 204, None
        del things[name]
        return 204, None


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    wbufsize = -1  # head and body in one segment

    def handle_any(self):
        store = self.server.store
        path, _, query = self.path.partition("?")
        text = self.rfile.read(int(self.headers["content-length"] or 0))
        with store.lock:
            store.requests.append(f"{self.command} {self.path}")
            if self.headers["authorization"] != f"Bearer {store.key}":
                status, said = 401, {"error": "Unauthorized"}
            else:
                status, said = store.answer(self.command, path, dict(urllib.parse.parse_qsl(query)),
                                            json.loads(text) if text else {})
        body = b"" if said is None else json.dumps(said).encode()
        self.send_response(status)
        if status != 204:
            self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_PUT = do_DELETE = handle_any

    def log_message(self, format, *args):
        pass


def main(arguments):
    port = int(arguments[0]) if arguments else 0
    with ExampleStore(os.environ["EXAMPLE_STORE_KEY"], port) as store:
        print(store.url, flush=True)
        try:
            store.thread.join()
        except KeyboardInterrupt:
            pass


if __name__ == "__main__":
    main(sys.argv[1:])

# SPDX-License-Identifier: Apache-2.0
"""test_hostile.py - a store whose answers prove nothing: no call is OK, and none is refused for good.

Each request of each call in turn gets the answer; the store itself never sees that request.
"""
import re

import grpc
import pytest

from fakes import store as fake
from rig.azure import CUSTOM, KEYS
from rig.behind import daemon, lasting_proxy, proxy, real, shop
from rig.client import check_refusal, refused, until_ok
from rig.proxy import answer, of_store
from rig.steps import PASSING, QUICK, steps

XML, JSON, HTML = "application/xml", "application/json", "text/html"
PAGE = b"<!DOCTYPE html><html><body><h1>It works!</h1></body></html>\n"


def said(body, kind=XML, status=200):
    """By the store itself, as far as its header tells."""
    return of_store(status, body, kind)


# Answers of the store, or of a server in between, to which no request leads.
ANSWERS = {
    "empty": answer(200), "empty-201": answer(201), "empty-206": answer(206),
    "html": answer(200, PAGE, HTML), "html-201": answer(201, PAGE, HTML), "html-404": answer(404, PAGE, HTML),
    "html-409": answer(409, PAGE, HTML), "html-502": answer(502, PAGE, HTML), "html-of-the-store": said(PAGE, HTML),
    "400": answer(400), "404": answer(404), "405": answer(405), "409": answer(409), "410": answer(410),
    "412": answer(412), "418": answer(418), "429": answer(429), "500": answer(500),
    "object": said(b"{}", JSON), "array": said(b"[]", JSON), "null": said(b"null", JSON), "text": said(b'"ok"', JSON),
    "number": said(b"1", JSON), "json-cut": said(b'{"user_id": "cosi-a", "keys": [{', JSON),
    "json-types": said(b'{"user_id": 1, "keys": {}, "status": [], "quota": "x"}', JSON),
    "json-of-another": said(b'{"bucket": "of-somebody-else", "Code": "NoSuchUser"}', JSON),
    "root": said(b"<x/>"), "xml-cut": said(b"<Tagging><TagSet><Tag><Key>cosi-"),
    "error-in-a-success": said(b"<Error><Code>NoSuchBucket</Code></Error>"),
    "deep-xml": said(b"<a>" * 100_000), "deep-json": said(b"[" * 100_000, JSON),
    "bomb": said(b'<!DOCTYPE x [<!ENTITY a "aaaa">]><Tagging>' + b"&a;" * 1000 + b"</Tagging>"),
    "nul": said(b"\0" * 64), "controls": said(b"<Error><Code>\x1b[2J\xe2\x80\xae</Code></Error>", XML, 400),
    "latin-1": said(b"<Tagging>\xff\xfe</Tagging>"), "20-mb": said(b"x" * 20_000_000),
    "redirect": answer(301, location="http://127.0.0.1:1/"), "redirect-307": said(PAGE, HTML, 307),
    "304": b"HTTP/1.1 304 Not Modified\r\nconnection: close\r\n\r\n",
}
# No HTTP, or more of it than anybody reads: all requests of a call get these.
BYTES = {
    "nothing": b"", "no-http": b"\x16\x03\x01\x02\x00hello", "http-0.9": b"hello\r\n", "half-head": b"HTTP/1.1 200",
    "999": b"HTTP/1.1 999 No\r\ncontent-length: 0\r\n\r\n",
    "header-flood": b"HTTP/1.1 200 OK\r\n" + b"x: y\r\n" * 200_000 + b"\r\n", "long-header": answer(200, x="y" * 400_000),
    "1xx-storm": b"HTTP/1.1 100 Continue\r\n\r\n" * 10_000 + answer(404),
    "short-body": b"HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n<Tagging/>",
    "two-lengths": b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\ncontent-length: 9\r\n\r\n<Tagging>",
    "bad-chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n",
    "cut-chunks": b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nff\r\n<Tagging>",
}
STORES = ("ceph-rgw", "minio", "azure")
CODES = PASSING + "|RESOURCE_EXHAUSTED"


@pytest.fixture(scope="module")
def settings():
    return QUICK


def calls(client, name):
    """Each, and those that make something a second time, when it is there."""
    create, grant, revoke, delete = steps(client, name)
    return create, grant, create, grant, revoke, delete


def outcome(call):
    """(code, text); "OK" without a text."""
    try:
        call()
    except grpc.RpcError as error:
        return check_refusal(error)
    return "OK", ""


def counts(request):
    """False: of the release of Azure's lease no answer is needed, and one to HEAD has no body that could be wrong."""
    return request.headers.get("x-ms-lease-action") != "release" and request.method != "HEAD"


# After RADOS Gateway's DELETE of a bucket the locks are kept for 60 s; the same with "html-502" is not left out.
@pytest.mark.whole_sweeps(real="ceph-rgw", kind="500")
@pytest.mark.whole_sweeps(real="ceph-rgw", kind="20-mb")
@pytest.mark.clause(78)
@pytest.mark.parametrize("real, kind", [(s, k) for s in STORES for k in ANSWERS], indirect=["real"], scope="module")
def test_answer__that_proves_nothing(daemon, proxy, shop, name, kind, whole):
    client = daemon.client("v1alpha2")
    for call in calls(client, name):
        for number in range(1, 20 if whole else 6):
            proxy.reset()
            asked = []
            proxy.rule = lambda r, n=number: (asked.append(r) or (ANSWERS[kind] if counts(r) else None)
                                              if r.number == n else None)
            code, text = outcome(call)
            if not asked:
                break
            if shop.name == "azure":  # else the next call waits for a lease of 15 s
                shop.root.lease(name, "break", break_period=0)
            if counts(asked[0]):  # where the answer needs too much memory, the text names the backend
                named = proxy.endpoint in text or (code == "RESOURCE_EXHAUSTED" and "backend 'shop'" in text)
                assert code in CODES.split("|") and named, f"{asked[0].line}: {code}: {text}"
        proxy.reset()
        until_ok(PASSING, call)


@pytest.mark.clause(78)
@pytest.mark.parametrize("real, kind", [(s, k) for s in STORES for k in BYTES], indirect=["real"], scope="module")
def test_bytes__that_are_no_answer(daemon, proxy, shop, name, kind):
    client = daemon.client("v1alpha2")
    for call in calls(client, name):
        proxy.rule = lambda r: BYTES[kind]
        with refused(CODES, re.escape(proxy.endpoint)):
            call()
        proxy.reset()
        until_ok(PASSING, call)


STREAMS = {"drip": lambda: fake.drip(answer_of_a_fake(), 0.05), "endless": fake.endless, "endless-head": fake.endless_head,
           "hang": fake.hang, "reset": fake.reset}
BACKENDS = {
    "ceph-rgw": {"access_key": "plain:planted-access", "secret_key": "plain:planted-secret"},
    "minio": {"access_key": "plain:planted-access", "secret_key": "plain:planted-secret",
              "credential_key": "plain:planted-credential-key-0123456789abcdef"},
    "azure": {"account": CUSTOM, "account_key": "plain:" + KEYS[0]},
}


def answer_of_a_fake():
    return fake.answer(200, b"<Tagging/>" * 100)


@pytest.mark.parametrize("module", BACKENDS)
@pytest.mark.parametrize("stream", STREAMS)
def test_stream__that_does_not_end(cosid, module, stream):
    """All calls at once; each ends in its time."""
    with fake.FakeStore() as store:
        store.on("*", STREAMS[stream]())
        endpoint = store.url + (f"/{CUSTOM}" if module == "azure" else "")
        daemon = cosid({"backends": [{"name": "shop", "module": module, "endpoint": endpoint} | QUICK | BACKENDS[module]],
                        "call_timeout": "3s"}, protocol="AZURE" if module == "azure" else "S3")
        client = daemon.client("v1alpha2")
        running = [client.start(method, timeout=30, **fields) for method, fields in (
            client.create_fields("first"), client.grant_fields("shop.second", "ba-1"),
            client.revoke_fields("shop.cosi-ba-2", "shop.third"), client.delete_fields("shop.fourth"))]
        for call in running:
            code, text = check_refusal(call.exception())
            assert code in CODES.split("|"), text

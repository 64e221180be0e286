# SPDX-License-Identifier: Apache-2.0
"""test_memory.py - stores and modules that make the daemon take much memory: their calls fail, and nothing else.

Fakes, because no real store can be made to say such things.  What is measured is the largest resident memory that
the daemon ever had (VmHWM).
"""
import concurrent.futures
import contextlib
import pathlib
import threading

import pytest

from fakes.store import FakeStore, answer
from rig.client import outcome, refused
from rig.shelf import Shelf

CALLS, MOST_MIB = 16, 400
KEYS = {"access_key": "plain:AKIAIOSFODNN7EXAMPLE", "secret_key": "plain:" + "s3cr3t" * 6}
MODULES = {"ceph-rgw": {}, "minio": {"credential_key": "plain:" + "c" * 32}}


def says(status, body=b"", **more):
    """As a gateway itself says it, and no server in between."""
    return answer(status, body, x_amz_request_id="1", **more)


def repeated(head, body, tail, size):
    """A document of about that size."""
    return head + body * ((size - len(head) - len(tail)) // len(body)) + tail


def tree(size):
    """jansson makes 77 times as much of it."""
    return repeated(b'{"a":[{}', b",{}", b"]}", size)


@pytest.fixture(name="store")
def fixture_store():
    with FakeStore() as made:
        yield made


def backend(store, module, name="liar", **more):
    return {"name": name, "module": module, "endpoint": store.url, "retries": 0} | KEYS | MODULES[module] | more


def peak_mib(daemon):
    lines = pathlib.Path(f"/proc/{daemon.pid}/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM:")).split()[1]) // 1024


@contextlib.contextmanager
def honest_beside(client):
    """Creates and deletes buckets of the backend "honest" while the block runs: each call is OK."""
    ended, lost, ncalls = threading.Event(), [], 0

    def live():
        nonlocal ncalls
        while not ended.is_set():
            lost.extend(code for code in (outcome(client.create, "honest", {"backend": "honest"}),
                                          outcome(client.delete, "honest.honest")) if code != "OK")
            ncalls += 2

    thread = threading.Thread(target=live)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()
    assert not lost and ncalls > 1, (lost, ncalls)


def all_at_once(ncalls, call):
    """call(n) for each n, none of which may raise."""
    with concurrent.futures.ThreadPoolExecutor(ncalls) as pool:
        for made in [pool.submit(call, n) for n in range(ncalls)]:
            made.result()


@pytest.mark.unsanitized  # those keep what was freed
@pytest.mark.parametrize("modules", [["ceph-rgw"], ["minio"], ["ceph-rgw", "minio"]], ids="+".join)
def test_create__many_hostile_answers(cosid, posix, store, modules):
    """16 on each backend at once; the calls beside them succeed, and so do later ones."""
    store.on("*", says(400, tree(1 << 20), content_type="application/json"))
    daemon = cosid({"backends": [*(backend(store, m, m) for m in modules), posix.backend("honest")],
                    "default_backend": "honest"})
    clients = [daemon.client() for _ in range(CALLS * len(modules) + 1)]

    def hostile(n):
        name = modules[n % len(modules)]
        for again in range(3):
            with refused("RESOURCE_EXHAUSTED", f"backend '{name}' .*needs more memory than a call may use"):
                clients[n].create(f"photos-{n}-{again}", {"backend": name})

    with honest_beside(clients[-1]):
        all_at_once(CALLS * len(modules), hostile)
    assert peak_mib(daemon) < MOST_MIB, f"{peak_mib(daemon)} MiB"


MARKS = b"".join(b"<Tag><Key>cosi-%b</Key><Value>%b</Value></Tag>" % tag for tag in (
    (b"driver", b"cosid.example.org"), (b"name", b"photos"), (b"params", b"1:" + b"0" * 64)))
# What a page of 4 MiB can hold that costs most: the text of the delete request grows with it, until there are
# more versions than requested, which are 500, or 100 in a hurry.
PAGES = {
    "tiny": (b"<Version><Key>%26</Key><VersionId>&#38;</VersionId></Version>", "more than the [15]00 object versions"),
    "escaped": (b"<Version><Key>" + b"%26" * 15500 + b"</Key><VersionId>1</VersionId></Version>", "are deleted"),
}


@pytest.mark.unsanitized
@pytest.mark.parametrize("page, text", PAGES.values(), ids=PAGES)
def test_purge__of_a_lying_store(cosid, posix, store, page, text):
    """It lists versions without end.  No call of others is lost for that."""
    store.on("*", says(404))
    store.on("GET /photos*tagging*", says(200, b"<Tagging><TagSet>" + MARKS + b"</TagSet></Tagging>"))
    store.on("GET /photos*versions*", says(200, repeated(
        b"<ListVersionsResult><IsTruncated>true</IsTruncated>", page, b"</ListVersionsResult>", 4 << 20)))
    store.on("DELETE /photos*", says(409, b"<Error><Code>BucketNotEmpty</Code></Error>"))
    store.on("POST /photos*delete*", says(200, b"<DeleteResult/>"))
    daemon = cosid({"backends": [backend(store, "ceph-rgw"), posix.backend("honest")], "default_backend": "honest",
                    "call_timeout": "30s"})
    clients = [daemon.client() for _ in range(CALLS + 1)]

    def purge(n):
        with refused("ABORTED|UNAVAILABLE", f"cannot delete bucket 'photos-{n}': .*{text}"):
            clients[n].delete(f"liar.photos-{n}", {"whenNotEmpty": "purge"})

    with honest_beside(clients[-1]):
        all_at_once(CALLS, purge)
    assert peak_mib(daemon) < MOST_MIB, f"{peak_mib(daemon)} MiB"


MIB = 1 << 20
LISTS = {
    "objects": tree(32 * MIB),
    "names": b"{" + b",".join(b'"cosi-ba-%07d.COSI":{}' % n for n in range(1_200_000)) + b"}",
    "text": repeated(b'{"a":"', b"x" * MIB, b'"}', 32 * MIB),
    "more": tree(32 * MIB + 4),
}


@pytest.mark.unsanitized
@pytest.mark.parametrize("kind", LISTS)
def test_list__of_a_lying_store(cosid, store, kind):
    """MinIO's policies come in one answer of up to 32 MiB.  The failure names the backend, and the store or what it
    cost."""
    store.on("*", says(200, b"<ListAllMyBucketsResult><Buckets></Buckets></ListAllMyBucketsResult>"))
    store.on("GET /minio/admin/*list-canned-policies*",
             says(200, LISTS[kind], content_type="application/json"))
    daemon = cosid({"backends": [backend(store, "minio")]})
    done = daemon.cosictl("list", "liar")
    assert done.returncode == 1 and done.stdout == ""
    assert "cosictl: backend liar: " in done.stderr
    assert ("backend 'liar' (module 'minio') needs more memory" in done.stderr
            or f"the answer of {store.url}" in done.stderr), done.stderr
    assert peak_mib(daemon) < MOST_MIB // 2, f"{peak_mib(daemon)} MiB"


# ---- modules

GREEDY = """
static void *leaked[1024];

static int
greedy_create(void *config, struct cosi_call *call, const struct cosi_bucket_req *req, struct cosi_bucket *out)
{
	size_t size = 60u << 20;
	char *taken = req->native[0] == 'l' ? malloc(size) : cosi_alloc(call, size);
	static _Atomic unsigned n;

	if (taken == NULL)
		return cosi_fail(call, COSI_EXHAUSTED, "no memory for '%s'", req->native);
	memset(taken, 1, size);
	if (req->native[0] == 'l')
		leaked[n++] = taken;
	return shelf_create(config, call, req, out);
}
"""


@pytest.mark.unsanitized
@pytest.mark.parametrize("kind", ["large", "alloc"], ids=["a leak", "cosi_alloc"])
def test_module__that_takes_much(cosid, posix, build, folder, kind):
    """60 MiB for each of 8 calls at once, or lost by each: no caller is cut off for it, neither these nor others."""
    shelf = Shelf(folder)
    source = (pathlib.Path(__file__).parent / "shelf.c").read_text()
    source = source.replace("#include <string.h>", "#include <stdlib.h>\n#include <string.h>")
    source = source.replace("COSI_MODULE = {", GREEDY + "COSI_MODULE = {")
    shelf.put(shelf.build("greedy", source.replace("create_bucket = shelf_create", "create_bucket = greedy_create")))
    shelf.put(build / "modules" / "posix.so", "posix")
    shelf.gate.touch()
    daemon = cosid(shelf.config(posix.backend("honest"), default_backend="honest"))
    clients = [daemon.client() for _ in range(9)]
    with honest_beside(clients[8]), concurrent.futures.ThreadPoolExecutor(8) as pool:
        calls = [pool.submit(clients[n].create, f"{kind}-{n}", {"backend": "shelf"}) for n in range(8)]
        while peak_mib(daemon) < 8 * 60:
            assert not any(call.done() for call in calls)
        shelf.gate.unlink()
        assert [call.result() for call in calls] == [f"shelf.{kind}-{n}" for n in range(8)]
    assert all(client.info().name == "cosid.example.org" for client in clients), "all connections stand"

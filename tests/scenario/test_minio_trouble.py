# SPDX-License-Identifier: Apache-2.0
"""test_minio_trouble.py - a MinIO that is down, hangs, lies or refuses: clear answers, nothing lost."""
import re
import threading

import pytest

from rig import secrets
from rig.client import refused, until_ok
from rig.minio import ADMIN, Minio
from rig.proxy import Cut, Proxy, answer, older
from rig.server import free_port
from rig.steps import steps
from rig.store import MinioStore

pytestmark = pytest.mark.minio

QUICK = {"request_timeout": "1s", "connect_timeout": "1s", "retries": 0}
PASSING = "DEADLINE_EXCEEDED|UNAVAILABLE|ABORTED"


@pytest.fixture
def proxy(minio):
    with Proxy(minio.endpoint) as made:
        yield made


@pytest.fixture
def shop(minio, proxy):
    return MinioStore(minio, proxy.endpoint)


@pytest.fixture
def daemon(cosid, shop):
    return cosid({"backends": [shop.backend("shop", **QUICK)]})


@pytest.fixture
def client(daemon):
    return daemon.client()


def lifecycle(client, name):
    for step in steps(client, name):
        step()


# What the store says, and the code for it; None: only that it is not final.
NONSENSE = {
    "html": (answer(200, b"<html><body>It works!</body></html>", "text/html"), None),
    "html-404": (answer(404, b"<html>not here</html>", "text/html"), None),
    "404": (answer(404, b""), "UNAVAILABLE"),
    "html-502": (answer(502, b"<html>Bad Gateway</html>", "text/html"), "UNAVAILABLE"),
    "not-ready": (answer(503, b"<Error><Code>XMinioServerNotInitialized</Code></Error>"),
                  "UNAVAILABLE"),
    "503": (answer(503, b'{"Code":"SlowDownWrite"}'), "UNAVAILABLE|ABORTED"),
    "429": (answer(429), "UNAVAILABLE"),
    "499": (answer(499, b"<Error><Code>ClientDisconnected</Code></Error>"), "UNAVAILABLE"),
    "bad-xml": (answer(200, b"<Tagging><TagSet><Tag", "application/xml"), None),
    "bad-json": (answer(200, b'{"Statement": ['), None),
    "deep-json": (answer(200, b"{" + b'"a":{' * 100000), None),
    "10-mb": (answer(200, b"x" * 10_000_000), None),
    "redirect": (answer(307, b"", location="http://127.0.0.1:1/"), None),
    "no-http": (b"\x16\x03\x01\x02\x00hello", "UNAVAILABLE"),
    "half-head": (b"HTTP/1.1 200", "UNAVAILABLE"),
    "other-api": (answer(426, b'{"Code":"XMinioAdminVersionMismatch"}'), None),
    "bad-secret": (answer(403, b'{"Code":"SignatureDoesNotMatch"}'), None),
}


@pytest.mark.parametrize("kind", NONSENSE)
def test_nonsense__from_the_store(daemon, client, proxy, name, kind):
    """Whatever comes, the call fails in clear words, and goes well when the store is itself again."""
    reply, code = NONSENSE[kind]
    final = {"INVALID_ARGUMENT", "ALREADY_EXISTS", "UNIMPLEMENTED", "OUT_OF_RANGE"}
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    proxy.rule = lambda request: reply
    for call in steps(client, name):
        with refused(code or f"INTERNAL|FAILED_PRECONDITION|UNAUTHENTICATED|{PASSING}") as seen:
            call()
        assert seen.code not in final
    proxy.reset()
    daemon.stop()
    daemon.start()  # a breaker that opened is closed again
    lifecycle(daemon.client(), name)


def test_answer__of_another_shape(daemon, proxy, name):
    """JSON that is valid and no policy: a repeated grant and a partial revoke read one."""
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    access = client.grant(ids, f"ba-{name}")
    for body in (b"{}", b"[]", b"null", b'{"Statement":{}}', b'{"Statement":[null,5,{"Sid":5}]}'):
        proxy.rule = lambda r, b=body: answer(200, b) if "info-canned" in r.target else None
        with refused("ALREADY_EXISTS|INTERNAL|UNAVAILABLE"):
            client.grant(ids, f"ba-{name}")
    proxy.rule = lambda r: answer(200, b"[]") if "info-canned" in r.target else None
    with refused("INTERNAL|UNAVAILABLE"):
        client.revoke(access.account_id, ids[:1])
    proxy.reset()
    assert client.grant(ids, f"ba-{name}") == access


@pytest.mark.clause(31, 33)
def test_keys__wrong(cosid, shop, name):
    bad = [("SignatureDoesNotMatch", {"secret_key": "plain:planted-wrong-secret"}),
           ("InvalidAccessKeyId", {"access_key": "plain:NOSUCHKEY"})]
    for word, keys in bad:
        client = cosid({"backends": [shop.backend("shop", **keys)]}).client()
        for call in (steps(client, name)[0], steps(client, name)[2], steps(client, name)[3]):
            with refused("UNAUTHENTICATED", word):
                call()
    assert not shop.exists(name)


def test_keys__too_short(cosid, shop):
    for key in ({"credential_key": "plain:" + "k" * 31},
                {"previous_credential_keys": ["plain:" + "k" * 32, "plain:" + "p" * 31]}):
        done = cosid.make({"backends": [shop.backend("shop", **key)]}).run("--check")
        assert done.returncode == 1 and f"{next(iter(key))} is shorter than 32" in done.stderr
    assert cosid.make({"backends": [shop.backend(
        "shop", credential_key="plain:" + "k" * 32)]}).run("--check").returncode == 0


def test_keys__rotated_at_the_server(cosid, shop, minio, name):
    """cosid's own secret changes at the server, then by a reload: accounts do not notice."""
    daemon, fresh = cosid({"backends": [shop.backend("shop")]}), secrets.plant("planted-new-secret-1")
    client = daemon.client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    try:
        shop.root.put_user(minio.key, fresh)
        with refused("UNAUTHENTICATED"):
            client.grant(bucket, f"ba-{name}-new")
        daemon.write_config({"backends": [shop.backend("shop", secret_key="plain:" + fresh)]})
        daemon.reload()
        assert client.grant(bucket, f"ba-{name}") == access
        assert shop.client(client.grant(bucket, f"ba-{name}-new")).list(name).status == 200
        client.revoke(access.account_id, bucket)
        assert shop.client(access).list(name).status == 403
        client.revoke(f"shop.cosi-ba-{name}-new", bucket)
    finally:
        shop.root.put_user(minio.key, minio.secret)


def test_keys__rotated_between_two_requests(client, shop, minio, proxy, name):
    """A request that is signed well and sealed with another secret passes: it is UNAVAILABLE."""
    client.create(name)
    proxy.rule = lambda r: answer(
        400, b'{"Code":"XMinioAdminConfigBadJSON"}') if "add-user" in r.target else None
    with refused("UNAVAILABLE", "seal"):
        client.grant(f"shop.{name}", f"ba-{name}")
    proxy.reset()
    lifecycle(client, name)


def test_clock__20_minutes_off(client, minio, proxy, name):
    """UNAVAILABLE (it passes), with both times in the text, in whichever call it shows first."""
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    proxy.rule = older(minio.port, 20)
    for call in steps(client, name):
        with refused("UNAVAILABLE", "clocks differ: .* at the store .* GMT"):
            call()
    proxy.reset()
    lifecycle(client, name)


def test_down__nobody_listens(cosid, shop, name):
    gone = shop.backend("shop", endpoint=f"http://127.0.0.1:{free_port()}", **QUICK)
    client = cosid({"backends": [gone]}).client()
    for call in steps(client, name):
        with refused("UNAVAILABLE", "127.0.0.1"):
            call()


def test_slow__within_the_timeout(client, proxy, name):
    """A server that takes its time is waited for."""
    nobody = threading.Event()
    proxy.rule = lambda request: nobody.wait(0.15) or None
    lifecycle(client, name)


def test_hang__then_again(cosid, minio, shop, name):
    """The process stands still: DEADLINE_EXCEEDED or UNAVAILABLE in time; it converges afterwards."""
    daemon = cosid({"call_timeout": "3s", "backends": [shop.backend("shop", **QUICK)]})
    client = daemon.client()
    made, granted = f"{name}-made", f"{name}-granted"
    client.create(made)
    client.create(granted)
    key = shop.client(client.grant(f"shop.{granted}", f"ba-{granted}"))
    with minio.stopped():
        for call in (steps(client, name)[0], steps(client, made)[1], steps(client, granted)[2],
                     steps(client, made)[3]):
            with refused(PASSING):
                call()
        assert client.info().name == "cosid.example.org", "what needs no store is answered"
    until_ok(PASSING, steps(client, granted)[2])
    assert key.list(granted).status == 403
    for each in (name, made, granted):
        for call in steps(client, each):
            until_ok(PASSING, call)
        assert not shop.exists(each)
        assert f"cosi-ba-{each}" not in shop.accounts()


def test_killed__and_started_again(cosid, folder, name):
    """kill -9 of the server among grants; what was answered OK works afterwards, the rest converges."""
    server = Minio(folder / "minio").up()
    try:
        shop = MinioStore(server)
        client = cosid({"backends": [shop.backend("shop", **QUICK)]}).client()
        bucket = client.create(name)
        running = []
        for number in range(40):
            method, fields = client.grant_fields(bucket, f"ba-{number}")
            running.append(client.start(method, **fields))
            if number == 20:
                running[5].result()
                server.kill()
        answered = [client.access(c.result()) for c in running if c.exception() is None]
        failed = {c.code().name for c in running if c.exception() is not None}
        assert answered and failed <= set(PASSING.split("|"))
        with refused("UNAVAILABLE"):
            client.grant(bucket, "ba-new")
        server.up()
        assert all(shop.client(a).list(name).status == 200 for a in answered)
        for number in range(40):
            until_ok(PASSING, client.grant, bucket, f"ba-{number}")
        keys = {client.grant(bucket, f"ba-{n}").key for n in range(40)}
        assert len(keys) == 40 and len(shop.accounts()) == 40
        for number in range(40):
            client.revoke(f"shop.cosi-ba-{number}", bucket)
        client.delete(bucket)
        assert shop.accounts() == [] and shop.buckets() == []
    finally:
        server.down()


def test_region__of_the_server(cosid, folder, name):
    """A server with MINIO_REGION: the right word works, and a wrong one is answered with the right."""
    server = Minio(folder / "minio", region="eu-west-1").up()
    try:
        shop = MinioStore(server)
        client = cosid({"backends": [shop.backend("shop")]}).client()
        bucket = client.create(name, {"versioning": "true", "quotaMaxSize": "1Gi",
                                      "anonymousAccess": "readOnly"})
        access = client.grant(bucket, f"ba-{name}")
        assert access.region == "eu-west-1"
        assert shop.client(access).put(name, "object").status == 200
        wrong = cosid({"backends": [shop.backend("shop", region="us-east-1")]})
        for call in (lambda: wrong.client().create(f"{name}-other"),
                     lambda: wrong.client().grant(bucket, f"ba-{name}"),
                     lambda: wrong.client().delete(bucket)):
            with refused("FAILED_PRECONDITION", "region is 'eu-west-1'"):
                call()
        client.revoke(access.account_id, bucket)
        client.delete(bucket, {"whenNotEmpty": "purge"})
    finally:
        server.down()


def test_race__granted_again_while_revoked(client, shop, proxy, cosid, name):
    """Another gateway's grant between two requests of a revoke: never OK while the account lives."""
    other = cosid({"backends": [MinioStore(shop.server).backend("shop")]}).client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")

    def grant_again(request):
        if request.target.startswith(ADMIN + "remove-canned-policy"):
            other.grant(bucket, f"ba-{name}")

    proxy.rule = grant_again
    with refused("ABORTED", "granted again"):
        client.revoke(access.account_id, bucket)
    assert shop.client(access).list(name).status == 200
    proxy.reset()
    client.revoke(access.account_id, bucket)
    assert shop.client(access).list(name).status == 403
    assert f"cosi-ba-{name}" not in shop.accounts()


def test_race__made_while_looked_at(client, shop, proxy, cosid, name):
    """Another gateway marks and sets a bucket between two looks of a create: it is not a stranger's."""
    other = cosid({"backends": [MinioStore(shop.server).backend("shop")]}).client()
    settings = {"versioning": "true", "anonymousAccess": "readOnly"}

    def make(request):
        if "versions=" in request.target:
            assert shop.root.drop(name).status == 204
            other.create(name, settings)

    assert shop.root.create(name).status == 200
    proxy.rule = make
    client.create(name, settings)
    proxy.reset()
    with refused("ALREADY_EXISTS"):
        client.create(name)


def test_race__revoked_while_granted(client, shop, proxy, cosid, name):
    """The other way round: the grant is not OK, and leaves a user without rights at most."""
    other = cosid({"backends": [MinioStore(shop.server).backend("shop")]}).client()
    bucket = client.create(name)

    def revoke(request):
        if request.target.startswith(ADMIN + "set-user-or-group-policy"):
            other.revoke(f"shop.cosi-ba-{name}", bucket)

    proxy.rule = revoke
    with refused("ABORTED", "revoked meanwhile"):
        client.grant(bucket, f"ba-{name}")
    assert f"cosi-ba-{name}" not in shop.accounts()
    proxy.reset()
    access = client.grant(bucket, f"ba-{name}")
    assert shop.client(access).list(name).status == 200
    client.revoke(access.account_id, bucket)


def test_probe__asks_the_store(cosid, shop, proxy):
    good = cosid.make({"backends": [shop.backend("shop")]})
    assert good.run("--check", "--probe").returncode == 0
    for rule in (lambda r: Cut.BEFORE, lambda r: NONSENSE["bad-secret"][0],
                 lambda r: NONSENSE["html"][0],
                 lambda r: answer(403, b'{"Code":"AccessDenied"}') if ADMIN in r.target else None):
        proxy.rule = rule
        done = good.run("--check", "--probe")
        assert done.returncode == 1 and re.search("shop.*cannot use the server", done.stderr)
    assert good.run("--check").returncode == 0, "no store is asked"


def test_probe__names_the_missing_right(cosid, shop, minio):
    shop.root.put_policy("cosid-probe", {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::*"]}]})
    shop.root.put_user("COSIPROBE", minio.secret, "cosid-probe")
    weak = cosid.make({"backends": [shop.backend("shop", access_key="plain:COSIPROBE")]})
    done = weak.run("--check", "--probe")
    assert done.returncode == 1 and "admin:GetUser" in done.stderr
    assert shop.root.remove_user("COSIPROBE").status == 200
    assert shop.root.remove_policy("cosid-probe").status == 200

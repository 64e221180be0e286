# SPDX-License-Identifier: Apache-2.0
"""test_minio_trouble.py - a MinIO that dies, changes its keys or is used by two: nothing is lost.

test_store_trouble.py has what is the same for every store.
"""
import pytest

from rig import secrets
from rig.behind import daemon, lasting_proxy, one, proxy, shop
from rig.client import refused, until_ok
from rig.minio import ADMIN, Minio
from rig.proxy import of_store
from rig.steps import PASSING, QUICK, live
from rig.store import MinioStore

pytestmark = pytest.mark.minio


@pytest.fixture(scope="module")
def real(minio):
    return MinioStore(minio)


@pytest.fixture(scope="module")
def settings():
    return QUICK


@pytest.fixture
def client(one):
    return one


def test_answer__of_another_shape(daemon, proxy, name):
    """JSON that is valid and no policy: a repeated grant and a partial revoke read one."""
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    access = client.grant(ids, f"ba-{name}")
    for body in (b"{}", b"[]", b"null", b'{"Statement":{}}', b'{"Statement":[null,5,{"Sid":5}]}'):
        proxy.rule = lambda r, b=body: of_store(200, b) if "info-canned" in r.target else None
        with refused("UNAVAILABLE", "cannot be understood"):
            client.grant(ids, f"ba-{name}")
        with refused("UNAVAILABLE", "cannot be understood"):
            client.revoke(access.account_id, ids[:1])
    proxy.reset()
    assert client.grant(ids, f"ba-{name}") == access


def test_keys__too_short(cosid, shop):
    for key in ({"credential_key": "plain:" + "k" * 31},
                {"previous_credential_keys": ["plain:" + "k" * 32, "plain:" + "p" * 31]}):
        done = cosid.make({"backends": [shop.backend("shop", **key)]}).run("--check")
        assert done.returncode == 1 and f"key '{next(iter(key))}' has a value of less than 32 bytes" in done.stderr
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
    proxy.rule = lambda r: of_store(
        400, b'{"Code":"XMinioAdminConfigBadJSON"}') if "add-user" in r.target else None
    with refused("UNAVAILABLE", "decrypt"):
        client.grant(f"shop.{name}", f"ba-{name}")
    proxy.reset()
    live(client, name)


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
    """Another daemon's grant between two requests of a revoke: never OK while the account lives."""
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
    """Another daemon marks and sets a bucket between two looks of a create: it is not a stranger's."""
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
    with refused("ABORTED", "revoked by another request"):
        client.grant(bucket, f"ba-{name}")
    assert f"cosi-ba-{name}" not in shop.accounts()
    proxy.reset()
    access = client.grant(bucket, f"ba-{name}")
    assert shop.client(access).list(name).status == 200
    client.revoke(access.account_id, bucket)


def test_probe__names_the_missing_right(cosid, shop, minio):
    shop.root.put_policy("cosid-probe", {"Version": "2012-10-17", "Statement": [
        {"Effect": "Allow", "Action": ["s3:*"], "Resource": ["arn:aws:s3:::*"]}]})
    shop.root.put_user("COSIPROBE", minio.secret, "cosid-probe")
    weak = cosid.make({"backends": [shop.backend("shop", access_key="plain:COSIPROBE")]})
    done = weak.run("--check", "--probe")
    assert done.returncode == 1 and "admin:GetUser" in done.stderr
    assert shop.root.remove_user("COSIPROBE").status == 200
    assert shop.root.remove_policy("cosid-probe").status == 200

# SPDX-License-Identifier: Apache-2.0
"""test_azure_trouble.py - policies that cannot be read, keys that are wrong, TLS, a lock that hangs.

test_store_trouble.py has what is the same for every store.
"""
import base64
import subprocess
import threading

import pytest

from rig import secrets
from rig.azure import KEYS, Azurite
from rig.behind import daemon, lasting_proxy, one, proxy, shop
from rig.client import refused, until_ok
from rig.proxy import Cut, answer
from rig.steps import PASSING, QUICK, steps
from rig.store import AzureStore

pytestmark = pytest.mark.azure


@pytest.fixture(scope="module")
def real(azurite):
    return AzureStore(azurite)


WRONG = base64.b64encode(b"planted-wrong-key-of-the-account".ljust(64, b".")).decode()


@pytest.fixture(scope="module")
def settings():
    return QUICK


@pytest.fixture
def client(one):
    return one


XML = b'<?xml version="1.0" encoding="utf-8"?>'
# Lists of policies that no store gives, and that must not be written back.
LISTS = [
    b"<SignedIdentifiers/>" * 2, b"<SignedIdentifiers><SignedIdentifier/></SignedIdentifiers>",
    b"<Other><SignedIdentifiers/></Other>", b"", b"<!DOCTYPE a [<!ENTITY b 'c'>]><SignedIdentifiers>"
    b"<SignedIdentifier><Id>&b;</Id></SignedIdentifier></SignedIdentifiers>",
]


@pytest.mark.parametrize("number", range(len(LISTS)))
def test_policies__of_another_shape(client, proxy, shop, name, number):
    """What is not understood is not written: the policies of others would be lost."""
    bucket = client.create(name)
    token = shop.client(client.grant(bucket, f"ba-{name}"))
    body = (XML if LISTS[number] else b"") + LISTS[number]
    proxy.rule = lambda r: answer(200, body, "application/xml", x_ms_request_id="1") \
        if r.method == "GET" and "comp=acl" in r.target else None
    with refused(f"INTERNAL|{PASSING}"):
        client.grant(bucket, f"ba-{name}-new")
    assert token.list(name).status == 200, "what was there is still there"
    with refused(f"INTERNAL|{PASSING}"):
        client.revoke(f"shop.cosi-ba-{name}", bucket)
    assert token.list(name).status == 200
    proxy.reset()
    client.revoke(f"shop.cosi-ba-{name}", bucket)
    assert token.list(name).status == 403


# ---- keys


@pytest.mark.clause(31, 33)
def test_key__wrong(cosid, shop, proxy, name):
    daemon = cosid({"backends": [shop.backend("shop", account_key="plain:" + secrets.plant(WRONG))]},
                   protocol="AZURE")
    for call in steps(daemon.client(), name):
        with refused("UNAUTHENTICATED|PERMISSION_DENIED", "key"):
            call()
    assert not shop.exists(name)
    done = daemon.run("--check", "--probe")
    assert done.returncode == 1 and "shop" in done.stderr and "key" in done.stderr


def test_key__of_an_account_that_is_not_there(cosid, shop, azurite, name):
    url = f"{azurite.endpoint}/nosuchaccount"
    backend = shop.backend("shop", endpoint=url, public_endpoint=url, account="nosuchaccount")
    client = cosid({"backends": [backend]}, protocol="AZURE").client()
    for call in steps(client, name):
        with refused(f"FAILED_PRECONDITION|UNAUTHENTICATED|PERMISSION_DENIED|INTERNAL|{PASSING}"):
            call()


@pytest.mark.parametrize("key", ["", "not base64 !", "abc", "A" * 89, "====", "QUJD\nREVG"])
def test_key__that_is_none(cosid, shop, key):
    done = cosid.make({"backends": [shop.backend("shop", account_key="plain:" + key)]}).run("--check")
    assert done.returncode == 1 and "account_key" in done.stderr
    assert not key or key not in done.stderr


@pytest.mark.parametrize("account", ["", "ab", "a" * 25, "UPPER", "with-dash", "with.dot", "a/b"])
def test_account__that_is_none(cosid, shop, account):
    done = cosid.make({"backends": [shop.backend("shop", account=account)]}).run("--check")
    assert done.returncode == 1 and "account" in done.stderr


@pytest.mark.parametrize("key, value", [
    ("tenant_id", "11111111-2222-3333-4444-555555555555"), ("client_id", "x"),
    ("client_secret", "plain:planted-client-secret"), ("federated_token_file", "/run/token"),
    ("managed_identity", True)])
def test_entra__its_keys_are_refused(cosid, shop, key, value):
    """A service SAS is signed with the account's key: Entra tokens cannot make one."""
    done = cosid.make({"backends": [shop.backend("shop", **{key: value})]}).run("--check")
    assert done.returncode == 1 and key in done.stderr
    secrets.assert_absent(done.stderr, "the error")


def test_key__rotated(cosid, folder, name):
    """As the service's manual has it: to the second key, then the first is made anew.

    Tokens are signed with the account's key, so they end with it; a repeated grant gives the one
    that works.
    """
    server = Azurite(folder / "azurite", disk=True).up()
    try:
        shop = AzureStore(server)
        daemon = cosid({"backends": [shop.backend("shop")]}, protocol="AZURE")
        client = daemon.client()
        bucket = client.create(name)
        first = client.grant(bucket, f"ba-{name}")
        daemon.write_config({"backends": [shop.backend("shop", account_key="plain:" + KEYS[1])]})
        daemon.reload()
        second = client.grant(bucket, f"ba-{name}")
        assert second.account_id == first.account_id and second.token != first.token
        assert [shop.client(a).list(name).status for a in (first, second)] == [200, 200]
        assert shop.accounts_of(name) == [f"cosi-ba-{name}"], "the policy is the same"
        server.kill()
        server.keys = [WRONG, KEYS[1]]
        server.up()
        assert [shop.client(a).list(name).status for a in (first, second)] == [403, 200]
        until_ok(PASSING, client.revoke, first.account_id, bucket)
        assert shop.client(second).list(name).status == 403
        client.delete(bucket)
    finally:
        server.down()


def test_tls__as_the_service_has_it(cosid, folder, name):
    """https with a certificate that is looked at, in both styles; the token begins with it."""
    cert, key = folder / "cert.pem", folder / "cert.key"
    subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256",
                    "-nodes", "-subj", "/CN=azurite", "-days", "2", "-keyout", key, "-out", cert,
                    "-addext", "subjectAltName=IP:127.0.0.1,DNS:*.blob.localhost"],
                   check=True, capture_output=True)
    server = Azurite(folder / "azurite", tls=(cert, key)).up()
    try:
        shops = {style: AzureStore(server, style=style) for style in ("path", "host")}
        backends = [shop.backend(style, ca_file=str(cert)) for style, shop in shops.items()]
        client = cosid({"backends": [*backends, shops["path"].backend("blind")]},
                       protocol="AZURE").client()
        for style, shop in shops.items():
            each = f"{name}-{style}"
            bucket = client.create(each, {"backend": style})
            access = client.grant(bucket, f"ba-{each}")
            assert shop.public_endpoint.startswith("https://")
            assert access.token.startswith(f"{shop.public_endpoint}/{each}?")
            assert shop.client(access).put(each, "object", b"content").status == 201
            client.revoke(access.account_id, bucket)
            assert shop.client(access).get(each, "object").status == 403
        with refused("UNAVAILABLE|FAILED_PRECONDITION", "certificate"):
            client.create(f"{name}-blind", {"backend": "blind"})
    finally:
        server.down()


def test_hang__between_two_requests(cosid, azurite, shop, proxy, name):
    """It hangs while the lock is held, which an operator may break, or it runs out: nothing is lost."""
    daemon = cosid({"call_timeout": "3s", "backends": [shop.backend("shop", **QUICK)]},
                   protocol="AZURE")
    client = daemon.client()
    bucket = client.create(name)
    kept = shop.client(client.grant(bucket, "ba-kept"))
    released = threading.Event()
    proxy.rule = lambda r: (released.wait(60), Cut.BEFORE)[1] \
        if r.method == "PUT" and "comp=acl" in r.target else None
    try:
        with refused(PASSING):
            client.grant(bucket, f"ba-{name}")
    finally:
        released.set()
    proxy.reset()
    if shop.root.lease_state(name) == "leased":
        assert shop.root.lease(name, "break", break_period=0).status == 202
    until_ok(PASSING, client.grant, bucket, f"ba-{name}")
    assert sorted(shop.accounts_of(name)) == [f"cosi-ba-{name}", "cosi-ba-kept"]
    assert kept.list(name).status == 200


# ---- what is seen of it


def test_log__holds_no_token(cosid, shop, proxy, name):
    """The daemon's end looks for every key and token in what it logged, here at debug."""
    daemon = cosid({"log": {"level": "debug"}, "backends": [shop.backend("shop")]}, protocol="AZURE")
    client = daemon.client()
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    client.revoke(access.account_id, bucket)
    signature = access.token.partition("sig=")[2]
    assert "cosi-ba" in daemon.log and signature not in daemon.log and KEYS[0] not in daemon.log

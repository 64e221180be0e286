# SPDX-License-Identifier: Apache-2.0
"""test_reload_stores.py - reloads and real stores: one that hangs, one whose keys or certificates change."""
import datetime
import ipaddress
import shutil
import ssl

import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec

from rig import secrets
from rig.client import refused
from rig.proxy import Proxy
from rig.store import CephRgw, MinioStore


@pytest.fixture(params=["ceph-rgw", "minio"])
def store(request, stores):
    return stores(request.param)


def put_edition(shelf, build, module, number):
    """Other bytes, the same code."""
    file = shelf.folder / f"{module}.{number}.so"
    shutil.copyfile(build / "modules" / f"{module}.so", file)
    with open(file, "ab") as end:
        end.write(b"\0" * number)
    shelf.put(file, module)


def test_hang__swaps_all_the_same(cosid, build, shelf, store, name):
    """The old instance waits for its store; only calls for the same account wait for the old instance."""
    put_edition(shelf, build, store.name, 1)
    daemon = cosid(shelf.config(store.backend("slow"), default_backend="shelf", call_timeout="90s"))
    client = daemon.client()
    bucket = client.create(name, {"backend": "slow"})
    of_slow = lambda status: next(b for b in status["backends"] if b["name"] == "slow")
    with store.server.stopped():
        method, fields = client.grant_fields(bucket, f"ba-{name}")
        grant = client.start(method, **fields)
        daemon.wait_status(lambda status: of_slow(status)["running"] == 1)
        for number in (2, 3):
            put_edition(shelf, build, store.name, number)
            assert "serves" in daemon.reload(r"reload failed|generation \d+ serves")
        assert client.create(f"{name}-{number}", {"backend": "shelf"}) == f"shelf.{name}-{number}"
        (old,) = daemon.status()["draining"]
        assert (old["generation"], old["backend"], old["calls"]) == (1, "slow", 1)
        assert old["oldest"] == f"grant access for 'ba-{name}'" and old["module"] == store.name
        method, fields = client.revoke_fields(f"slow.cosi-ba-{name}", bucket)
        revoke = client.start(method, **fields)
        status = daemon.wait_status(lambda status: of_slow(status)["waiting"] == 1)
        assert of_slow(status)["running"] == 1, "the revocation waits for the grant"
        assert not grant.done() and not revoke.done()
    access = client.access(grant.result())
    revoke.result()
    assert f"cosi-ba-{name}" not in store.accounts()
    assert store.client(access).head(name).status == 403
    daemon.wait_status(lambda status: not status["draining"])
    client.delete(bucket)


def test_keys__of_the_store(cosid, rgw, folder, name):
    """The way to rotate them: a second pair at the store, both files, a reload; then the first pair goes."""
    store, admin = CephRgw(rgw), rgw.admin()
    user = next(u for u in admin.users() if rgw.key in str(admin.user(u)["keys"]))
    second = {"uid": user, "access-key": "SECONDKEYOFTHEGATEWAY",
              "secret-key": secrets.plant("plantedsecondsecretofthegateway0000000")}
    files = {"access_key": folder / "access", "secret_key": folder / "secret"}

    def write(key, secret):
        for file, text in zip(files.values(), (key, secret)):
            file.write_text(text)
            file.chmod(0o600)

    write(rgw.key, "planted-wrong-secret")
    backend = store.backend(**{k: f"file:{v}" for k, v in files.items()})
    daemon = cosid({"backends": [backend]})
    client = daemon.client()
    with refused("UNAUTHENTICATED|PERMISSION_DENIED"):
        client.create(name)
    made = admin.request("PUT", "/admin/user", second | {"key": "", "generate-key": "false"})
    assert made.status == 200, made
    try:
        write(second["access-key"], second["secret-key"])
        with refused("UNAUTHENTICATED|PERMISSION_DENIED"):
            client.create(name)
        daemon.reload()
        client.delete(client.create(name))
    finally:
        admin.request("DELETE", "/admin/user", {"uid": user, "key": "", "access-key": second["access-key"]})
    with refused("UNAUTHENTICATED|PERMISSION_DENIED"):
        client.create(name)


# ---- certificates


class Ca:
    """A certificate authority of the test's own, and one server that it vouches for."""

    def __init__(self, folder, name):
        self.folder, self.name = folder, name
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
        self.pem = self._sign(self.subject, self.key, x509.BasicConstraints(True, None))

    def _sign(self, subject, key, extension):
        now = datetime.datetime.utcnow()
        made = x509.CertificateBuilder(
            self.subject, subject, key.public_key(), x509.random_serial_number(),
            now - datetime.timedelta(hours=1), now + datetime.timedelta(days=2))
        signed = made.add_extension(extension, critical=False).sign(self.key, hashes.SHA256())
        return signed.public_bytes(serialization.Encoding.PEM)

    def context(self):
        key = ec.generate_private_key(ec.SECP256R1())
        where = x509.SubjectAlternativeName([x509.IPAddress(ipaddress.ip_address("127.0.0.1"))])
        file = self.folder / f"{self.name}.server"
        file.write_bytes(self._sign(x509.Name([]), key, where) + key.private_bytes(
            serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()))
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(file)
        return context


def test_certificate__behind_the_same_file(cosid, minio, folder, name):
    """Only the content of ca_file changes."""
    right, wrong, ca_file = Ca(folder, "right"), Ca(folder, "wrong"), folder / "ca.pem"
    ca_file.write_bytes(wrong.pem)
    with Proxy(minio.endpoint, right.context()) as proxy:
        daemon = cosid({"backends": [MinioStore(minio, proxy.endpoint).backend(ca_file=str(ca_file), retries=0)]})
        client = daemon.client()
        with refused("UNAVAILABLE", "certificate"):
            client.create(name)
        ca_file.write_bytes(right.pem)
        with refused("UNAVAILABLE", "certificate"):
            client.create(name)
        daemon.reload()
        client.delete(client.create(name))
        ca_file.write_bytes(wrong.pem)
        client.delete(client.create(name))
        daemon.reload()
        with refused("UNAVAILABLE", "certificate"):
            client.create(name)
        ca_file.write_text("no certificate")
        assert "failed" in daemon.reload(r"reload failed|generation \d+ serves")
        assert "no certificate in PEM form" in daemon.log

# SPDX-License-Identifier: Apache-2.0
"""azure.py - a real Azurite for the tests, and a small Blob client: Shared Key, a SAS, or neither."""
import base64
import dataclasses
import hashlib
import hmac
import http.client
import re
import socket
import ssl
import time
import urllib.parse
import xml.etree.ElementTree as ET

from rig import secrets
from rig.s3 import Reply
from rig.server import Server

# The emulator's own account, whose key everybody knows, and one with two keys, as a real one has.
WELL_KNOWN = ("devstoreaccount1", "Eby8vdM02xNOcqFlqUwJPLlmEtlCDXJ1OUzFT50uSRZ6IFsuFq2UVErCz4I6tq/"
              "K1SZFPTOtr/KBHBeksoGMGw==")
CUSTOM = "cosidtests"
KEYS = [base64.b64encode(f"planted-key-{n}-of-an-azure-account".ljust(64, ".").encode()).decode()
        for n in (1, 2)]
VERSION = "2021-12-02"


class Answer(Reply):
    @property
    def code(self):
        return self.headers.get("x-ms-error-code") or super().code


@dataclasses.dataclass
class Policy:
    """A stored access policy."""
    id: str
    permission: str = ""
    expiry: str = ""
    start: str = ""

    def xml(self):
        inner = "".join(f"<{tag}>{text}</{tag}>" for tag, text in (
            ("Start", self.start), ("Expiry", self.expiry), ("Permission", self.permission)) if text)
        return (f"<SignedIdentifier><Id>{self.id}</Id><AccessPolicy>{inner}</AccessPolicy>"
                "</SignedIdentifier>")


class Blob:
    """An account at its endpoint, or (with `sas`) what a SAS opens of it.  A connection per request.

    endpoint: "http://HOST:PORT/ACCOUNT" or "http://ACCOUNT.HOST:PORT"; *.localhost is 127.0.0.1.
    """

    def __init__(self, endpoint, account=None, key=None, sas="", ca=None):
        """ca: for https, the file of the authority that the server's certificate is from."""
        self.ca = ca
        self.url = urllib.parse.urlsplit(endpoint)
        self.account, self.key, self.sas = account, key, sas

    @classmethod
    def of_token(cls, token, ca=None):
        """What has a granted URL ("http://.../CONTAINER?sv=..."), and no key."""
        endpoint, _, sas = token.partition("?")
        return cls(endpoint.rpartition("/")[0], sas=sas, ca=ca)

    def _connect(self, timeout):
        host = self.url.hostname
        address = "127.0.0.1" if host.endswith(".localhost") else host
        if self.url.scheme == "http":
            return http.client.HTTPConnection(address, self.url.port, timeout=timeout)
        made = http.client.HTTPSConnection(address, self.url.port, timeout=timeout)
        plain = socket.create_connection((address, self.url.port), timeout)
        made.sock = ssl.create_default_context(cafile=self.ca).wrap_socket(
            plain, server_hostname=host)
        return made

    def _sign(self, method, path, query, headers, body):
        headers |= {"x-ms-date": time.strftime("%a, %d %b %Y %H:%M:%S GMT", time.gmtime()),
                    "x-ms-version": VERSION}
        lines = [method, "", "", str(len(body) or ""), "", headers.get("content-type", ""), "", "",
                 "", "", headers.get("if-unmodified-since", ""), headers.get("range", "")]
        lines += [f"{n}:{headers[n]}" for n in sorted(headers) if n.startswith("x-ms-")]
        lines += [f"/{self.account}{path}"] + [f"{k}:{v}" for k, v in sorted(query.items())]
        mac = hmac.new(base64.b64decode(self.key), "\n".join(lines).encode(), hashlib.sha256)
        headers["authorization"] = (f"SharedKey {self.account}:"
                                    + base64.b64encode(mac.digest()).decode())

    def request(self, method, path="", query=None, headers=None, body=b"", timeout=60):
        """path: below the account, "/container/blob"."""
        path = self.url.path + urllib.parse.quote(path, safe="/-_.~$") or "/"
        query = query or {}
        headers = {k.lower(): v for k, v in (headers or {}).items()}
        headers["content-length"] = str(len(body))
        text = urllib.parse.urlencode(query, quote_via=urllib.parse.quote)
        if self.key:
            self._sign(method, path, query, headers, body)
        text = "&".join(x for x in (text, self.sas) if x)
        headers["host"] = self.url.netloc
        connection = self._connect(timeout)
        try:
            connection.request(method, path + ("?" + text if text else ""), body or None, headers)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()},
                          answer.read())
        finally:
            connection.close()

    def container(self, method, name, comp=None, headers=None, body=b""):
        query = {"restype": "container"} | ({"comp": comp} if comp else {})
        return self.request(method, f"/{name}", query, headers, body)

    def create(self, name, public=None, **meta):
        """meta: its metadata; "cosiname": x-ms-meta-cosiname."""
        headers = {f"x-ms-meta-{k}": v for k, v in meta.items()}
        headers |= {"x-ms-blob-public-access": public} if public else {}
        return self.container("PUT", name, headers=headers)

    def head(self, name):
        return self.container("HEAD", name)

    def drop(self, name):
        return self.container("DELETE", name)

    def marks(self, name):
        """The container's metadata."""
        return {k.removeprefix("x-ms-meta-"): v for k, v in self.head(name).headers.items()
                if k.startswith("x-ms-meta-")}

    def set_marks(self, name, **meta):
        headers = {f"x-ms-meta-{k}": v for k, v in meta.items()}
        assert self.container("PUT", name, "metadata", headers).status == 200

    def public(self, name):
        """None, "blob" or "container"."""
        return self.head(name).headers.get("x-ms-blob-public-access")

    def policies(self, name):
        """Its stored access policies, in their order; [] also when there is no such container."""
        reply = self.container("GET", name, "acl")
        if reply.status != 200:
            return []
        text = reply.body.decode("utf-8-sig")
        found = []
        for element in ET.fromstring(text).iter("SignedIdentifier"):
            inner = {e.tag: e.text or "" for e in element.iter()}
            found.append(Policy(inner["Id"], inner.get("Permission", ""), inner.get("Expiry", ""),
                                inner.get("Start", "")))
        return found

    def set_policies(self, name, policies, public=None, lease=None):
        body = ('<?xml version="1.0" encoding="utf-8"?><SignedIdentifiers>'
                + "".join(p.xml() for p in policies) + "</SignedIdentifiers>")
        headers = {"content-type": "application/xml"}
        headers |= {"x-ms-blob-public-access": public} if public else {}
        headers |= {"x-ms-lease-id": lease} if lease else {}
        return self.container("PUT", name, "acl", headers, body.encode())

    def lease(self, name, action="acquire", **more):
        """lease("c", duration=15), lease("c", "release", id=...), lease("c", "break", break_period=0)."""
        headers = {"x-ms-lease-action": action} | {
            f"x-ms-lease-{k}": str(v) for k, v in more.items()}
        return self.container("PUT", name, "lease", {k.replace("_", "-"): v
                                                     for k, v in headers.items()})

    def lease_state(self, name):
        """available, leased, expired, breaking, broken."""
        return self.head(name).headers.get("x-ms-lease-state")

    def containers(self):
        reply = self.request("GET", "", {"comp": "list"})
        assert reply.status == 200, reply
        return re.findall("<Container><Name>([^<]*)</Name>", reply.body.decode())

    # Objects, by the names that rig.s3 has for them.

    def put(self, container, key, body=b"x"):
        return self.request("PUT", f"/{container}/{key}", {}, {"x-ms-blob-type": "BlockBlob"}, body)

    def get(self, container, key):
        return self.request("GET", f"/{container}/{key}")

    def remove(self, container, key):
        return self.request("DELETE", f"/{container}/{key}")

    def list(self, container):
        return self.container("GET", container, "list")


class Azurite(Server):
    """One server with two accounts."""

    name = process = "azurite"

    def __init__(self, folder, disk=False, keys=KEYS, tls=None):
        """disk: its data stays over kill(); keys: of the account CUSTOM; tls: (certificate, key), which
        is its own authority."""
        super().__init__(folder)
        self.disk, self.keys, self.tls = disk, list(keys), tls
        for key in (WELL_KNOWN[1], *keys):
            secrets.plant(key)

    def up(self):
        """Also after kill(): on the same port."""
        accounts = ";".join([":".join(WELL_KNOWN), ":".join([CUSTOM, *self.keys])])
        tls = {"AZURITE_CERT": str(self.tls[0]),
               "AZURITE_CERT_KEY": str(self.tls[1])} if self.tls else {}
        said = self.start(AZURITE_ACCOUNTS=accounts, AZURITE_DISK="1" if self.disk else "", **tls)
        self.endpoint = said["AZURITE_ENDPOINT"]  # account_url() knows those of accounts
        return self

    @property
    def ca(self):
        return self.tls and str(self.tls[0])


def account_url(endpoint, account, style="path"):
    """The URL of an account at a server: path style or host style."""
    if style == "path":
        return f"{endpoint}/{account}"
    url = urllib.parse.urlsplit(endpoint)
    return f"{url.scheme}://{account}.blob.localhost:{url.port}"

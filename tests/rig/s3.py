# SPDX-License-Identifier: Apache-2.0
"""s3.py - a small S3 and RGW admin client that signs (SigV4), or does not (anonymous requests)."""
import dataclasses
import hashlib
import hmac
import http.client
import json
import time
import urllib.parse
import xml.etree.ElementTree as ET


@dataclasses.dataclass
class Reply:
    status: int
    headers: dict
    body: bytes

    @property
    def code(self):
        """The store's word for an error, from XML or JSON; "" when there is none."""
        if self.body.startswith(b"{"):
            return json.loads(self.body).get("Code", "")
        if b"<Code>" in self.body:
            return self.body.partition(b"<Code>")[2].partition(b"</Code>")[0].decode()
        return ""

    def json(self):
        return json.loads(self.body)

    def texts(self, tag):
        """The text of every element of that name, whatever its namespace."""
        return [e.text or "" for e in ET.fromstring(self.body).iter()
                if e.tag.rpartition("}")[2] == tag]


def _hmac(key, text):
    return hmac.new(key, text.encode(), hashlib.sha256).digest()


def _quote(text):
    return urllib.parse.quote(text, safe="-_.~")


class S3:
    """One key pair at one endpoint; key None: anonymous.  A connection per request."""

    service = "s3"  # what signatures are for

    def __init__(self, endpoint, key=None, secret=None, region="default"):
        self.url = urllib.parse.urlsplit(endpoint)
        self.key, self.secret, self.region = key, secret, region

    def _sign(self, method, path, query, headers, body):
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime())
        scope = f"{now[:8]}/{self.region}/{self.service}/aws4_request"
        digest = hashlib.sha256(body).hexdigest()
        headers |= {"x-amz-date": now, "x-amz-content-sha256": digest}
        names = sorted(headers)
        canonical = "\n".join(
            [method, path, query] + [f"{n}:{headers[n]}" for n in names]
            + ["", ";".join(names), digest])
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope,
                          hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in scope.split("/"):
            key = _hmac(key, part)
        headers["authorization"] = (
            f"AWS4-HMAC-SHA256 Credential={self.key}/{scope},SignedHeaders={';'.join(names)},"
            f"Signature={_hmac(key, text).hex()}")

    def request(self, method, path, query=None, headers=None, body=b"", timeout=60):
        """query: a dict; its values may be "" (a bare sub-resource)."""
        path = urllib.parse.quote(path, safe="/-_.~")
        text = "&".join(f"{_quote(k)}={_quote(v)}" for k, v in sorted((query or {}).items()))
        headers = {k.lower(): v for k, v in (headers or {}).items()}
        headers["host"] = self.url.netloc
        if self.key:
            self._sign(method, path, text, headers, body)
        connection = http.client.HTTPConnection(self.url.hostname, self.url.port, timeout=timeout)
        try:
            connection.request(method, path + ("?" + text if text else ""), body or None, headers)
            answer = connection.getresponse()
            return Reply(answer.status, {k.lower(): v for k, v in answer.getheaders()},
                         answer.read())
        finally:
            connection.close()

    def create(self, bucket, **headers):
        return self.request("PUT", f"/{bucket}",
                            headers={k.replace("_", "-"): v for k, v in headers.items()})

    def head(self, bucket):
        return self.request("HEAD", f"/{bucket}")

    def drop(self, bucket):
        return self.request("DELETE", f"/{bucket}")

    def list(self, bucket):
        return self.request("GET", f"/{bucket}", {"list-type": "2"})

    def buckets(self):
        """The names of all buckets of the key's owner."""
        reply = self.request("GET", "/")
        assert reply.status == 200, reply
        return reply.texts("Name")

    def put(self, bucket, key, body=b"x", **headers):
        return self.request("PUT", f"/{bucket}/{key}", body=body,
                            headers={k.replace("_", "-"): v for k, v in headers.items()})

    def get(self, bucket, key):
        return self.request("GET", f"/{bucket}/{key}")

    def remove(self, bucket, key, version=None):
        return self.request("DELETE", f"/{bucket}/{key}",
                            {"versionId": version} if version else None)

    def versioning(self, bucket):
        """Enabled, Suspended, or "" when it never was."""
        reply = self.request("GET", f"/{bucket}", {"versioning": ""})
        assert reply.status == 200, reply
        return (reply.texts("Status") or [""])[0]

    def tags(self, bucket):
        """The bucket's tags as a dict; {} when it has none."""
        reply = self.request("GET", f"/{bucket}", {"tagging": ""})
        if reply.status != 200:
            return {}
        return dict(zip(reply.texts("Key"), reply.texts("Value")))

    def set_tags(self, bucket, tags):
        body = "".join(f"<Tag><Key>{k}</Key><Value>{v}</Value></Tag>" for k, v in tags.items())
        return self.request("PUT", f"/{bucket}", {"tagging": ""},
                            body=f"<Tagging><TagSet>{body}</TagSet></Tagging>".encode())


class Admin(S3):
    """RGW's admin API, with the rights of its key."""

    def user_make(self, uid, display="somebody", **more):
        query = {"uid": uid, "display-name": display}
        query |= {k.replace("_", "-"): v for k, v in more.items()}
        return self.request("PUT", "/admin/user", query)

    def user(self, uid):
        """The user as a dict; None when the store says that there is none."""
        reply = self.request("GET", "/admin/user", {"uid": uid})
        if reply.status == 404:
            return None
        assert reply.status == 200, reply
        return reply.json()

    def users(self):
        """The names of all users."""
        reply = self.request("GET", "/admin/user", {"list": ""})
        assert reply.status == 200, reply
        return reply.json()["keys"]

    def caps_add(self, uid, caps):
        reply = self.request("PUT", "/admin/user", {"caps": "", "uid": uid, "user-caps": caps})
        assert reply.status == 200, reply

    def user_drop(self, uid):
        return self.request("DELETE", "/admin/user", {"uid": uid, "purge-data": "true"})

    def bucket(self, name):
        reply = self.request("GET", "/admin/bucket", {"bucket": name})
        return None if reply.status == 404 else reply.json()

    def bucket_drop(self, name):
        return self.request("DELETE", "/admin/bucket", {"bucket": name, "purge-objects": "true"})

    def client(self, uid):
        """A client with the first key of that user."""
        key = self.user(uid)["keys"][0]
        return S3(self.url.geturl(), key["access_key"], key["secret_key"], self.region)

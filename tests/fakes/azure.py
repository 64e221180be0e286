# SPDX-License-Identifier: Apache-2.0
"""azure.py - a fake: what Azure Blob Storage does by its documents and Azurite, behind it, does not.

    with FakeAzure(azurite.endpoint) as service:    # service.endpoint is the URL for cosid
        service.clock_off = 20                      # minutes
        ...
        service.reset()                             # as it was at first; requests are forgotten

Always: at most 5 policies of 64 bytes and legal times, XML with a byte order mark, times with seven
digits, PUT with a length, error bodies and their words as the service has them, a deleted
container's name that is blocked until settle().  When told so: clock_off, no_public_access,
no_shared_key, busy (statuses that the next requests meet, each with a Retry-After when it is a pair),
capitals (lists show metadata's names as some client wrote them, Azurite has them in lower case).
"""
import datetime
import email.utils
import http.client
import re

from rig.proxy import Proxy, answer
from rig.s3 import Reply

BOM = b"\xef\xbb\xbf"
POLICIES_MAX, ID_MAX = 5, 64
TIME = re.compile(r"\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{7})?)?(Z|[+-]\d\d:\d\d))?$")
# Azurite's words, and the service's.
WORDS = {"AuthorizationFailure": "AuthenticationFailed"}


def error(status, code, text="scripted", **headers):
    body = (f'<?xml version="1.0" encoding="utf-8"?><Error><Code>{code}</Code><Message>{text}\n'
            "RequestId:11111111-2222-3333-4444-555555555555\nTime:2026-11-21T00:00:00.0000000Z"
            "</Message></Error>").encode()
    return answer(status, BOM + body, "application/xml", x_ms_error_code=code,
                  x_ms_version="2021-12-02",
                  x_ms_request_id="11111111-2222-3333-4444-555555555555", **headers)


class FakeAzure(Proxy):
    def __init__(self, endpoint):
        super().__init__(endpoint)
        self.reset()

    def reset(self):
        super().reset()
        self.rule = self._judge
        self.clock_off, self.busy = 0, []
        self.no_public_access = self.no_shared_key = self.capitals = False
        self.deleted = set()

    def settle(self):
        """The names of deleted containers are free."""
        self.deleted = set()

    def _judge(self, request):
        for check in (self._is_busy, self._key, self._clock, self._length, self._public,
                      self._being_deleted, self._policies):
            said = check(request)
            if said is not None:
                return said
        return self._reworded(request)

    def _is_busy(self, _):
        if not self.busy:
            return None
        said = self.busy.pop(0)
        status, after = said if isinstance(said, tuple) else (said, None)
        return error(status, "ServerBusy", **({"retry_after": after} if after else {}))

    def _key(self, request):
        signed = request.headers.get("authorization", "").startswith("SharedKey ")
        if self.no_shared_key and (signed or "sig=" in request.target):
            return error(403, "KeyBasedAuthenticationNotPermitted")
        return None

    def _clock(self, request):
        date = request.headers.get("x-ms-date")
        if date is None:
            return None
        now = datetime.datetime.now(datetime.timezone.utc) + datetime.timedelta(
            minutes=self.clock_off)
        if abs(now - email.utils.parsedate_to_datetime(date)) <= datetime.timedelta(minutes=15):
            return None
        return error(403, "AuthenticationFailed", "Server failed to authenticate the request.",
                     date=email.utils.format_datetime(now, usegmt=True))

    @staticmethod
    def _length(request):
        if request.method == "PUT" and "content-length" not in request.headers:
            return error(411, "MissingContentLengthHeader")
        return None

    def _public(self, request):
        if self.no_public_access and "x-ms-blob-public-access" in request.headers:
            return error(409, "PublicAccessNotPermitted")
        return None

    def _being_deleted(self, request):
        path, _, query = request.target.partition("?")
        of_container = "restype=container" in query
        if path in self.deleted and of_container:
            if request.method == "PUT" and "comp=" not in query:
                return error(409, "ContainerBeingDeleted")
            return error(404, "ContainerNotFound")
        if request.method == "DELETE" and of_container:
            self.deleted.add(path)
        return None

    @staticmethod
    def _policies(request):
        if request.method != "PUT" or "comp=acl" not in request.target:
            return None
        text = request.body.decode()
        ids = re.findall("<Id>(.*?)</Id>", text)
        times = re.findall("<(?:Start|Expiry)>(.*?)</", text)
        if len(ids) > POLICIES_MAX or any(len(i) > ID_MAX for i in ids) \
                or not all(TIME.match(t) for t in times):
            return error(400, "InvalidXmlDocument", "XML specified is not syntactically valid.")
        return None

    def _reworded(self, request):
        """The store's own answer, in the service's form."""
        reply = self._ask(request)
        body, status = reply.body, reply.status
        for word, ours in WORDS.items():
            body = body.replace(word.encode(), ours.encode())
        body = re.sub(rb"(\d\dT\d\d:\d\d:\d\d)Z", rb"\1.0000000Z", body)
        if self.capitals:
            body = re.sub(rb"<(/?)(cosi)(?=\w+>)", lambda m: b"<" + m[1] + m[2].capitalize(), body)
        if body.startswith(b"<"):
            body = BOM + body
        if request.method == "DELETE" and status != 202:
            self.deleted.discard(request.target.partition("?")[0])
        headers = {k.replace("-", "_"): WORDS.get(v, v) for k, v in reply.headers.items()
                   if k.startswith("x-ms-") or k in ("etag", "last-modified", "date")}
        kind = reply.headers.get("content-type", "application/xml")
        return answer(status, b"" if request.method == "HEAD" else body, kind, **headers)

    def _ask(self, request):
        connection = http.client.HTTPConnection(*self._store, timeout=60)
        try:
            connection.putrequest(request.method, request.target, skip_host=True,
                                  skip_accept_encoding=True)
            for name, value in request.headers.items():
                connection.putheader(name, value)
            connection.endheaders(request.body or None)
            given = connection.getresponse()
            request.status = given.status
            return Reply(given.status, {k.lower(): v for k, v in given.getheaders()}, given.read())
        finally:
            connection.close()

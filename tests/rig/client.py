# SPDX-License-Identifier: Apache-2.0
"""client.py - calls cosid in either API version with arguments that both share, and reports refusals."""
import contextlib
import dataclasses
import os
import re
import types
import urllib.parse

# A channel on which no call waits is looked at by gRPC itself, one event each time, by default every
# 5 s: callers that are refused and ask again at once then need 20 s and more to connect (measured
# with 1.51).  Read by the first channel.
os.environ["GRPC_CLIENT_CHANNEL_BACKUP_POLL_INTERVAL_MS"] = "100"

import grpc  # noqa: E402

from rig import proto, secrets


@dataclasses.dataclass
class Access:
    """What a grant of S3 returned, in either API version."""

    account_id: str
    key: str
    secret: str
    endpoint: str
    region: str
    raw: object

    @property
    def credentials(self):
        return self.key, self.secret


@dataclasses.dataclass
class Token:
    """What a grant of Azure returned; expires: in the API version's own form, "" for never."""

    account_id: str
    token: str
    expires: str
    raw: object

    def __post_init__(self):
        secrets.plant(self.token)
        secrets.plant(urllib.parse.unquote(self.token.partition("sig=")[2]))

    @property
    def credentials(self):
        return (self.token,)


class Client:
    """One connection that speaks of stores of one protocol; use V1 or V2."""

    api_version = ""

    def __init__(self, socket, protocol="S3"):
        self.protocol = protocol
        self.channel = grpc.insecure_channel(f"unix:{socket}", options=[
            ("grpc.enable_retries", 0), ("grpc.use_local_subchannel_pool", 1),
            # The last is what a connection may take until its first frame, on a busy machine too.
            ("grpc.initial_reconnect_backoff_ms", 100), ("grpc.min_reconnect_backoff_ms", 20000)])
        self.methods = proto.methods(self.api_version)

    def close(self):
        self.channel.close()

    def message(self, name, **fields):
        return proto.message(self.api_version, name)(**fields)

    def _stub(self, method):
        path, request, reply = self.methods[method]
        stub = self.channel.unary_unary(path, request_serializer=request.SerializeToString,
                                        response_deserializer=reply.FromString)
        return stub, request

    def call(self, method, timeout=100, **fields):
        stub, request = self._stub(method)
        return stub(request(**fields), timeout=timeout, wait_for_ready=False)

    def start(self, method, timeout=100, **fields):
        """The same without waiting: a future with result(), cancel(), code()."""
        stub, request = self._stub(method)
        return stub.future(request(**fields), timeout=timeout, wait_for_ready=False)

    def raw(self, path, body, timeout=30, metadata=None):
        """Any bytes to any method; the answer's bytes."""
        return self.channel.unary_unary(path)(body, timeout=timeout, metadata=metadata)

    def path(self, method):
        return self.methods[method][0]

    def info(self, timeout=30):
        return self.call("DriverGetInfo", timeout)

    # The requests in the API version's own fields: (method, fields).

    def create_fields(self, name, params=None):
        raise NotImplementedError

    def create(self, name, params=None, **more):
        """The bucket's id."""
        method, fields = self.create_fields(name, params)
        return self.call(method, **(fields | more)).bucket_id

    def delete(self, bucket_id, params=None, **more):
        method, fields = self.delete_fields(bucket_id, params)
        self.call(method, **(fields | more))

    def grant(self, bucket_id, account, mode=None, params=None, **more):
        """mode: readWrite, readOnly, writeOnly; None: what cosid takes by default."""
        method, fields = self.grant_fields(bucket_id, account, mode, params)
        return self.access(self.call(method, **(fields | more)))

    def revoke(self, account_id, bucket_id, **more):
        method, fields = self.revoke_fields(account_id, bucket_id)
        self.call(method, **(fields | more))


class V1(Client):
    api_version = "v1alpha1"

    @staticmethod
    def create_fields(name, params=None):
        return "DriverCreateBucket", {"name": name, "parameters": params or {}}

    @staticmethod
    def delete_fields(bucket_id, params=None):
        return "DriverDeleteBucket", {"bucket_id": bucket_id, "delete_context": params or {}}

    @staticmethod
    def grant_fields(bucket_id, account, mode=None, params=None):
        params = dict(params or {}) | ({"accessMode": mode} if mode else {})
        return "DriverGrantBucketAccess", {
            "bucket_id": bucket_id, "name": account, "authentication_type": "Key",
            "parameters": params}

    @staticmethod
    def revoke_fields(account_id, bucket_id):
        return "DriverRevokeBucketAccess", {"bucket_id": bucket_id, "account_id": account_id}

    def access(self, reply):
        assert list(reply.credentials) == [self.protocol.lower()], \
            "its sidecar takes exactly one entry"
        found = reply.credentials[self.protocol.lower()].secrets
        if self.protocol == "AZURE":
            return Token(reply.account_id, found["accessToken"], found.get("expiryTs", ""), reply)
        secrets.plant_all(found, "accessSecretKey")
        return Access(reply.account_id, found["accessKeyID"], found["accessSecretKey"],
                      found["endpoint"], found["region"], reply)


class V2(Client):
    api_version = "v1alpha2"
    MODES = {None: "READ_WRITE", "readWrite": "READ_WRITE", "readOnly": "READ_ONLY",
             "writeOnly": "WRITE_ONLY"}

    def create_fields(self, name, params=None):
        return "DriverCreateBucket", {"name": name, "parameters": params or {},
                                      "protocols": [{"type": self.protocol}]}

    @staticmethod
    def delete_fields(bucket_id, params=None):
        return "DriverDeleteBucket", {"bucket_id": bucket_id, "parameters": params or {}}

    def grant_fields(self, bucket_id, account, mode=None, params=None):
        ids = [bucket_id] if isinstance(bucket_id, str) else bucket_id
        return "DriverGrantBucketAccess", {
            "account_name": account, "protocol": {"type": self.protocol},
            "authentication_type": {"type": "KEY"}, "parameters": params or {},
            "buckets": [{"bucket_id": b, "access_mode": {"mode": self.MODES[mode]}} for b in ids]}

    def revoke_fields(self, account_id, bucket_id):
        ids = [bucket_id] if isinstance(bucket_id, str) else bucket_id
        return "DriverRevokeBucketAccess", {
            "account_id": account_id, "protocol": {"type": self.protocol},
            "authentication_type": {"type": "KEY"}, "buckets": [{"bucket_id": b} for b in ids]}

    def access(self, reply):
        if self.protocol == "AZURE":
            found = reply.credentials.azure
            return Token(reply.account_id, found.access_token, found.expiry_timestamp, reply)
        key = reply.credentials.s3
        secrets.plant(key.access_secret_key)
        info = reply.buckets[0].bucket_info.s3
        return Access(reply.account_id, key.access_key_id, key.access_secret_key,
                      info.endpoint, info.region, reply)

    def get(self, bucket_id, method="DriverGetExistingBucket", **more):
        if method == "DriverGetBucket":  # the later name of the same call
            reply = proto.message("v1alpha2", "DriverGetExistingBucketResponse")
            request = self.message("DriverGetExistingBucketRequest", existing_bucket_id=bucket_id,
                                   protocols=[{"type": self.protocol}])
            path = self.path("DriverGetExistingBucket").replace("Existing", "")
            return reply.FromString(self.raw(path, request.SerializeToString()))
        fields = {"existing_bucket_id": bucket_id, "protocols": [{"type": self.protocol}]} | more
        return self.call("DriverGetExistingBucket", **fields)


API_VERSIONS = {"v1alpha1": V1, "v1alpha2": V2}


def check_refusal(error):
    """(code, text) of a refusal, which must be fit to be seen.

    A canonical status with a readable text of at most 1 KB, without details (clauses 28, 34, 35)
    and without a secret (clause 77).
    """
    code, text = error.code().name, error.details()
    details = [k for k, _ in error.trailing_metadata() or () if k == "grpc-status-details-bin"]
    assert text and len(text.encode()) <= 1024, f"{code}: {text}"
    assert not details
    secrets.assert_absent(text, "a status text")
    return code, text


@contextlib.contextmanager
def refused(code, text=""):
    """The call inside must fail with that code ("A|B": one of them), in words that hold `text`."""
    seen = types.SimpleNamespace(code=None, text=None)
    try:
        yield seen
    except grpc.RpcError as error:
        seen.code, seen.text = check_refusal(error)
        assert seen.code in code.split("|"), f"{seen.code}: {seen.text}"
        assert re.search(text, seen.text), f"no '{text}' in: {seen.text}"
    else:
        raise AssertionError(f"OK where {code} was expected")


def outcome(call, *arguments):
    """ "OK", or the code of the refusal."""
    try:
        call(*arguments)
    except grpc.RpcError as error:
        return check_refusal(error)[0]
    return "OK"


def until_ok(passing, call, *arguments):
    """Repeats a call as a sidecar does, while it fails with one of these codes ("A|B"); its answer."""
    while True:
        try:
            return call(*arguments)
        except grpc.RpcError as error:
            code = check_refusal(error)[0]
            assert code in passing.split("|"), code

# SPDX-License-Identifier: Apache-2.0
"""test_cosictl.py - the command line, the messages it sends and the answers it prints."""
import json
import os
import socket
import subprocess
import threading

import grpc
import pytest

from fakeserver import FakeServer
from rig import proto


@pytest.fixture
def server(folder):
    with FakeServer(folder / "cosi.sock") as made:
        yield made


@pytest.fixture
def cosictl(build):
    """cosictl(*words): the finished process, its output as text."""
    def run(*words, env=None, check=None, **more):
        done = subprocess.run([build / "bin" / "cosictl", *words], capture_output=True, timeout=60,
                              env={**os.environ, **(env or {})}, **more)
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        if check is not None:
            assert done.returncode == check, done.err
        return done
    return run


@pytest.fixture
def call(cosictl, server):
    """call(*words): the same on the fake server; it must succeed."""
    return lambda *words, **more: cosictl("-e", server.endpoint, *words, **({"check": 0} | more))


def v2(kind, /, **fields):
    return proto.message("v1alpha2", kind)(**fields)


def v1(kind, /, **fields):
    return proto.message("v1alpha1", kind)(**fields)


S3_INFO = {"bucket_id": "photos", "endpoint": "http://s3.example.org:8000", "region": "east",
           "addressing_style": {"style": "PATH"}}
S3_GRANT = {"account_id": "rgw.cosi-app",
            "buckets": [{"bucket_id": "rgw.photos", "bucket_info": {"s3": S3_INFO}}],
            "credentials": {"s3": {"access_key_id": "AKEXAMPLE", "access_secret_key": "it's $HOME`id`"}}}
V1_S3 = {"accessKeyID": "AKEXAMPLE", "accessSecretKey": "sesame", "endpoint": "http://s3.example.org:8000",
         "region": "east"}


def v1_grant(credentials):
    return v1("DriverGrantBucketAccessResponse", account_id="rgw.cosi-app",
              credentials={name: v1("CredentialDetails", secrets=found) for name, found in credentials.items()})


def shell(text, *variables):
    """What the variables hold after a shell has read the text."""
    script = text + "".join(f'printf "%s\\0" "${{{name}-UNSET}}"\n' for name in variables)
    out = subprocess.run(["sh", "-eu", "-c", script], capture_output=True, check=True,
                         env={"AWS_SESSION_TOKEN": "stale"}).stdout
    return out.decode().split("\0")[:-1]


# ---- usage


@pytest.mark.parametrize("words, reason", [
    ([], "no command"),
    (["status"], "unknown command 'status'"),
    (["reload"], "unknown command 'reload'"),
    (["list"], "unknown command 'list'"),
    (["--no-such-option", "info"], "no-such-option"),
    (["info", "word"], "'info' does not take 'word'"),
    (["create"], "'create' needs a bucket name"),
    (["create", ""], "'create' needs a bucket name that is not empty"),
    (["create", "a", "b"], "'create' does not take 'b'"),
    (["create", "a", "=v"], "parameter '=v' has no name"),
    (["create", "a", "k=1", "k=2"], "parameter 'k' is given twice"),
    (["create", "a", "--mode", "readOnly"], "'create' does not take --mode"),
    (["create", "a", "--protocol", "nfs"], "unknown protocol 'nfs'"),
    (["get"], "'get' needs a bucket id"),
    (["get", "a", "k=v"], "'get' does not take 'k=v'"),
    (["--api", "v1alpha1", "get", "a"], "v1alpha1 has no 'get'"),
    (["delete"], "'delete' needs a bucket id"),
    (["delete", "a", "--protocol", "s3"], "'delete' does not take --protocol"),
    (["grant", "a"], "'grant' needs --account"),
    (["grant", "a", "--account", ""], "--account is empty"),
    (["grant", "--account", "x"], "'grant' needs a bucket id"),
    (["grant", "a", "--account", "x", "--mode", "rw"], "unknown mode 'rw'"),
    (["grant", "a", "--account", "x", "--protocol", "s3", "--protocol", "gcs"], "takes one --protocol"),
    (["grant", "a", "b", "--account", "x", "--api", "v1alpha1"], "v1alpha1 takes one bucket id, not 2"),
    (["grant", "a", "--account", "x", "--api", "v1alpha1", "--protocol", "s3"], "v1alpha1 has no --protocol"),
    (["grant", "a", "--account", "x", "--api", "v1alpha1", "--mode", "readOnly", "accessMode=readOnly"],
     "--mode and accessMode are the same"),
    (["grant"] + [f"b{i}" for i in range(129)] + ["--account", "x"], "'grant' does not take 'b128'"),
    (["revoke", "a"], "'revoke' needs --account-id"),
    (["revoke", "a", "--account-id", ""], "--account-id is empty"),
    (["revoke", "--account-id", "x"], "'revoke' needs a bucket id"),
    (["info", "--api", "v1"], "unknown api 'v1'"),
    (["info", "-o", "yaml"], "unknown output 'yaml'"),
    (["info", "--timeout", "60"], "bad timeout '60'"),
    (["info", "--timeout", "0s"], "bad timeout '0s'"),
    (["info", "--timeout", "25h"], "bad timeout '25h'"),
    (["info", "-e", "/run/x.sock"], "it must begin with unix:///"),
    (["info", "-e", "unix://relative.sock"], "it must begin with unix:///"),
    (["info", "-e", "unix:///" + "x" * 107], "longer than 107 bytes"),
    (["info", "-e", "x\x1b[2J"], r"'x\x1b[2J'"),
])
def test_usage__refused(cosictl, words, reason):
    done = cosictl(*words, check=2)
    assert reason in done.err
    assert done.out == "" and "Try 'cosictl --help'" in done.err


def test_usage__endpoint_of_107_bytes(cosictl):
    done = cosictl("info", "-e", "unix:///" + "x" * 106, check=1)
    assert "UNAVAILABLE: cannot connect" in done.err


def test_usage__help_and_version(cosictl):
    assert cosictl("--help", check=0).out.startswith("usage: cosictl")
    assert cosictl("-h", check=0).err == ""
    assert cosictl("--version", check=0).out.startswith("cosictl ")


def test_usage__options_before_and_after(call, server):
    call("create", "photos", "--protocol", "s3", "region=east")
    call("--protocol", "s3", "create", "photos", "region=east")
    assert server.asked[0] == server.asked[1]


def test_usage__endpoint_from_the_environment(cosictl, server):
    env = {"COSI_ENDPOINT": server.endpoint}
    cosictl("info", env=env, check=0)
    cosictl("info", "-e", "unix:///nowhere.sock", env=env, check=1)
    assert len(server.asked) == 1


def test_usage__empty_environment_is_no_endpoint(cosictl):
    assert "unix:///run/cosid/cosi.sock" in cosictl("info", env={"COSI_ENDPOINT": ""}, check=1).err


# ---- what goes over the wire


def test_create__v1alpha2_request(call, server):
    call("create", "photos", "region=east", "empty=", "eq=a=b", "--protocol", "s3", "--protocol", "gcs")
    assert server.last() == ("v1alpha2", "DriverCreateBucket", v2(
        "DriverCreateBucketRequest", name="photos", protocols=[{"type": "S3"}, {"type": "GCS"}],
        parameters={"region": "east", "empty": "", "eq": "a=b"}))


def test_create__v1alpha1_request(call, server):
    call("--api", "v1alpha1", "create", "photos", "region=east")
    assert server.last() == ("v1alpha1", "DriverCreateBucket", v1(
        "DriverCreateBucketRequest", name="photos", parameters={"region": "east"}))


def test_get__request(call, server):
    call("get", "rgw.photos", "--protocol", "azure")
    assert server.last() == ("v1alpha2", "DriverGetExistingBucket", v2(
        "DriverGetExistingBucketRequest", existing_bucket_id="rgw.photos", protocols=[{"type": "AZURE"}]))


def test_delete__requests(call, server):
    call("delete", "rgw.photos", "whenNotEmpty=purge")
    assert server.last() == ("v1alpha2", "DriverDeleteBucket", v2(
        "DriverDeleteBucketRequest", bucket_id="rgw.photos", parameters={"whenNotEmpty": "purge"}))
    call("delete", "rgw.photos", "whenNotEmpty=purge", "--api", "v1alpha1")
    assert server.last() == ("v1alpha1", "DriverDeleteBucket", v1(
        "DriverDeleteBucketRequest", bucket_id="rgw.photos", delete_context={"whenNotEmpty": "purge"}))


@pytest.mark.parametrize("mode, wire", [(None, 1), ("readWrite", 1), ("readOnly", 2), ("writeOnly", 3)])
def test_grant__v1alpha2_request(call, server, mode, wire):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    call("grant", "rgw.a", "rgw.b", "--account", "app", *(["--mode", mode] if mode else []), "k=v")
    assert server.last() == ("v1alpha2", "DriverGrantBucketAccess", v2(
        "DriverGrantBucketAccessRequest", account_name="app", protocol={"type": "S3"},
        authentication_type={"type": "KEY"}, parameters={"k": "v"},
        buckets=[{"bucket_id": b, "access_mode": {"mode": wire}} for b in ("rgw.a", "rgw.b")]))


@pytest.mark.parametrize("mode", [None, "readWrite", "readOnly", "writeOnly"])
def test_grant__v1alpha1_request(call, server, mode):
    server.answers["DriverGrantBucketAccess"] = v1_grant({"s3": V1_S3})
    call("--api", "v1alpha1", "grant", "rgw.a", "--account", "app", *(["--mode", mode] if mode else []), "k=v")
    assert server.last() == ("v1alpha1", "DriverGrantBucketAccess", v1(
        "DriverGrantBucketAccessRequest", bucket_id="rgw.a", name="app", authentication_type="Key",
        parameters={"k": "v"} | ({"accessMode": mode} if mode else {})))


def test_revoke__requests(call, server):
    call("revoke", "rgw.a", "rgw.b", "--account-id", "rgw.cosi-app", "--protocol", "gcs")
    assert server.last() == ("v1alpha2", "DriverRevokeBucketAccess", v2(
        "DriverRevokeBucketAccessRequest", account_id="rgw.cosi-app", protocol={"type": "GCS"},
        authentication_type={"type": "KEY"}, buckets=[{"bucket_id": "rgw.a"}, {"bucket_id": "rgw.b"}]))
    call("--api", "v1alpha1", "revoke", "rgw.a", "--account-id", "rgw.cosi-app")
    assert server.last() == ("v1alpha1", "DriverRevokeBucketAccess", v1(
        "DriverRevokeBucketAccessRequest", bucket_id="rgw.a", account_id="rgw.cosi-app"))


def test_grant__128_buckets(call, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    call("grant", *(f"b{i}" for i in range(128)), "--account", "app")
    assert len(server.last()[2].buckets) == 128


# ---- what is printed


def test_info__json(call, server):
    server.answers["DriverGetInfo"] = v2("DriverGetInfoResponse", name="cosid.example.org",
                                         supported_protocols=[{"type": "S3"}, {"type": "GCS"}, {"type": 9}])
    assert json.loads(call("info", "-o", "json").out) == {
        "name": "cosid.example.org", "protocols": ["s3", "gcs"]}
    assert call("info").out.split() == ["driver", "cosid.example.org", "protocols", "s3", "gcs"]
    assert call("info", "-o", "env").out == "export DRIVER_NAME='cosid.example.org'\n"


def test_info__v1alpha1(call, server):
    server.answers["DriverGetInfo"] = v1("DriverGetInfoResponse", name="cosid.example.org")
    assert json.loads(call("info", "-o", "json", "--api", "v1alpha1").out) == {"name": "cosid.example.org"}


@pytest.mark.parametrize("command, kind", [("create", "CreateBucket"), ("get", "GetExistingBucket")])
def test_bucket__json(call, server, command, kind):
    server.answers["Driver" + kind] = v2(f"Driver{kind}Response", bucket_id="rgw.photos", protocols={
        "s3": S3_INFO, "azure": {"storage_account": "acc"}, "gcs": {"project_id": "p", "bucket_name": "b"}})
    assert json.loads(call(command, "photos", "-o", "json").out) == {
        "bucketId": "rgw.photos", "protocols": {
            "s3": {"bucket": "photos", "endpoint": "http://s3.example.org:8000", "region": "east",
                   "addressingStyle": "path"},
            "azure": {"storageAccount": "acc"}, "gcs": {"bucket": "b", "project": "p"}}}


@pytest.mark.parametrize("told, found", [
    ({"s3": {"region": "east", "signature_version": "S3V4"}}, {"s3": {"region": "east"}}),
    ({"azureBlob": {"storage_account": "acc"}}, {"azure": {"storageAccount": "acc"}}),
    ({"gcs": {"project_id": "p"}}, {"gcs": {"project": "p"}}),
    ({}, {}),
])
def test_create__v1alpha1_json(call, server, told, found):
    server.answers["DriverCreateBucket"] = v1("DriverCreateBucketResponse", bucket_id="x.photos",
                                              bucket_info=told)
    assert json.loads(call("create", "photos", "-o", "json", "--api", "v1alpha1").out) == {
        "bucketId": "x.photos", "protocols": found}


def test_grant__json(call, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    assert json.loads(call("grant", "rgw.photos", "--account", "app", "-o", "json").out) == {
        "accountId": "rgw.cosi-app",
        "buckets": [{"bucketId": "rgw.photos", "protocols": {"s3": {
            "bucket": "photos", "endpoint": "http://s3.example.org:8000", "region": "east",
            "addressingStyle": "path"}}}],
        "credentials": {"s3": {"accessKeyId": "AKEXAMPLE", "accessSecretKey": "it's $HOME`id`"}}}


@pytest.mark.parametrize("told, found", [
    ({"s3": V1_S3}, {"s3": {"accessKeyId": "AKEXAMPLE", "accessSecretKey": "sesame"}}),
    ({"azure": {"accessToken": "https://a/b?sig=1", "expiryTs": "2030-01-01 00:00:00 +0000 UTC"}},
     {"azure": {"accessToken": "https://a/b?sig=1", "expires": "2030-01-01 00:00:00 +0000 UTC"}}),
])
def test_grant__v1alpha1_json(call, server, told, found):
    server.answers["DriverGrantBucketAccess"] = v1_grant(told)
    got = json.loads(call("grant", "x.photos", "--account", "app", "-o", "json", "--api", "v1alpha1").out)
    assert got["accountId"] == "rgw.cosi-app" and got["credentials"] == found
    assert got["buckets"][0]["bucketId"] == "x.photos"


@pytest.mark.parametrize("told", [{}, {"s3": V1_S3, "azure": {}}, {"tape": {"reel": "1"}}])
def test_grant__v1alpha1_credentials_that_are_not_one(call, server, told):
    server.answers["DriverGrantBucketAccess"] = v1_grant(told)
    done = call("grant", "x.photos", "--account", "app", "--api", "v1alpha1", check=1)
    assert done.err.startswith("cosictl: INTERNAL: cannot read the answer: ") and done.out == ""


def test_grant__text(call, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    lines = [line.split(None, 2) for line in call("grant", "rgw.photos", "--account", "app").out.splitlines()]
    assert ["account", "id", "rgw.cosi-app"] in lines
    assert ["s3", "access", "key id     AKEXAMPLE"] in lines
    assert ["s3", "access", "secret key it's $HOME`id`"] in lines


def test_grant__env_s3(call, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    text = call("grant", "rgw.photos", "--account", "app", "-o", "env").out
    assert shell(text, "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_ENDPOINT_URL", "AWS_REGION",
                 "AWS_DEFAULT_REGION", "BUCKET", "BUCKET_ID", "ACCOUNT_ID", "AWS_SESSION_TOKEN", "BUCKETS") == [
        "AKEXAMPLE", "it's $HOME`id`", "http://s3.example.org:8000", "east", "east", "photos", "rgw.photos",
        "rgw.cosi-app", "UNSET", "UNSET"]


def test_grant__env_of_several_buckets(call, server):
    both = [{"bucket_id": f"rgw.{name}", "bucket_info": {"s3": S3_INFO | {"bucket_id": name}}}
            for name in ("photos", "films")]
    server.answers["DriverGrantBucketAccess"] = v2(
        "DriverGrantBucketAccessResponse", **(S3_GRANT | {"buckets": both}))
    text = call("grant", "rgw.photos", "rgw.films", "--account", "app", "-o", "env").out
    assert shell(text, "BUCKET", "BUCKETS", "BUCKET_IDS") == ["photos", "photos films", "rgw.photos rgw.films"]


def test_grant__env_azure(call, server):
    server.answers["DriverGrantBucketAccess"] = v2(
        "DriverGrantBucketAccessResponse", account_id="az.a",
        buckets=[{"bucket_id": "az.b", "bucket_info": {"azure": {"storage_account": "acc"}}}],
        credentials={"azure": {"access_token": "https://acc.blob.example/b?sv=1&sig=a%2Fb'",
                               "expiry_timestamp": "2030-01-01T00:00:00Z"}})
    text = call("grant", "az.b", "--account", "a", "--protocol", "azure", "-o", "env").out
    assert shell(text, "AZURE_STORAGE_ACCOUNT", "AZURE_STORAGE_SAS_URL", "AZURE_STORAGE_SAS_TOKEN",
                 "CREDENTIALS_EXPIRE") == [
        "acc", "https://acc.blob.example/b?sv=1&sig=a%2Fb'", "sv=1&sig=a%2Fb'", "2030-01-01T00:00:00Z"]


def test_grant__env_gcs(call, server):
    server.answers["DriverGrantBucketAccess"] = v2(
        "DriverGrantBucketAccessResponse", account_id="g.a",
        buckets=[{"bucket_id": "g.b", "bucket_info": {"gcs": {"project_id": "p", "bucket_name": "b"}}}],
        credentials={"gcs": {"access_id": "GOOG1", "access_secret": "s", "service_account": "sa@p"}})
    text = call("grant", "g.b", "--account", "a", "--protocol", "gcs", "-o", "env").out
    assert shell(text, "GOOGLE_CLOUD_PROJECT", "BUCKET", "GS_ACCESS_KEY_ID", "GS_SECRET_ACCESS_KEY",
                 "GOOGLE_SERVICE_ACCOUNT") == ["p", "b", "GOOG1", "s", "sa@p"]


@pytest.mark.parametrize("words, text, shape", [
    (["delete", "rgw.photos"], "deleted              rgw.photos\n", {}),
    (["revoke", "rgw.photos", "--account-id", "rgw.app"], "revoked              rgw.app\n", {}),
])
def test_done__says_so(call, words, text, shape):
    assert call(*words).out.startswith(text)
    assert json.loads(call(*words, "-o", "json").out) == shape
    assert call(*words, "-o", "env").out == ""


def test_delete__warns_of_names_that_recur(call):
    assert "before a bucket of the same name is made" in call("delete", "rgw.photos").out


# ---- what servers can do to us


@pytest.mark.parametrize("code", [code for code in grpc.StatusCode if code is not grpc.StatusCode.OK])
def test_refusal__each_code(call, server, code):
    server.answers["DriverCreateBucket"] = (code, "cannot create 'photos': because")
    done = call("create", "photos", check=1)
    assert done.err == f"cosictl: {code.name}: cannot create 'photos': because\n" and done.out == ""


def test_refusal__hostile_text(call, server):
    server.answers["DriverCreateBucket"] = (
        grpc.StatusCode.NOT_FOUND, "a\nb\r\x1b[2J\x7f\u009b31m \u00e4\u20ac \\n")
    done = call("create", "photos", check=1)
    assert done.err == "cosictl: NOT_FOUND: a\\x0ab\\x0d\\x1b[2J\\x7f\\xc2\\x9b31m \u00e4\u20ac \\n\n"


HOSTILE = "x\n\x1b[2J\u009b31m"


def test_answer__hostile_text(call, server):
    server.answers["DriverGetInfo"] = v2("DriverGetInfoResponse", name=HOSTILE)
    assert call("info").out == "driver               x\\x0a\\x1b[2J\\xc2\\x9b31m\n"
    raw = call("info", "-o", "json").out
    assert json.loads(raw)["name"] == HOSTILE and "\x1b" not in raw and "\u009b" not in raw
    done = call("info", "-o", "env", check=1)
    assert "cannot write 'DRIVER_NAME' for a shell" in done.err and done.out == ""


@pytest.mark.parametrize("body", [
    b"\x0a\x02\xff\xfe",             # name is not UTF-8
    b"\x0a\x05abc",                  # cut
    b"\xff" * 16,                    # no message at all
])
def test_answer__malformed(call, server, body):
    server.answers["DriverGetInfo"] = body
    done = call("info", check=1)
    assert done.err.startswith("cosictl: INTERNAL: cannot read the answer: ") and done.out == ""


@pytest.mark.parametrize("method, body", [
    ("DriverGrantBucketAccess", b"\x12\x06\x0a\x02s3\x12\x00" * 3),              # three credentials
    ("DriverGrantBucketAccess", b"\x12\x0f\x0a\x02s3\x12\x09\x0a\x07\x0a\x01k\x12\x02\xff\xfe"),
    ("DriverCreateBucket", b"\x12\x04\x0a\x02\xff\xfe"),                         # inside the oneof
])
def test_answer__malformed_at_depth(call, server, method, body):
    server.answers[method] = body
    words = {"DriverGrantBucketAccess": ["grant", "x.b", "--account", "a"], "DriverCreateBucket": ["create", "b"]}
    done = call("--api", "v1alpha1", *words[method], check=1)
    assert done.err.startswith("cosictl: INTERNAL: cannot read the answer: ") and done.out == ""


def test_answer__limit_of_its_size(call, server):
    """An unknown field pads the answer to the byte: 5 bytes of its own, 4 + n of padding."""
    def padded(size):
        n = size - 9
        return b"\x0a\x03abc" + b"\x7a" + bytes([n & 0x7f | 0x80, n >> 7 & 0x7f | 0x80, n >> 14]) + b"p" * n
    server.answers["DriverGetInfo"] = padded(1024 * 1024)
    assert call("info").out.split() == ["driver", "abc"]
    server.answers["DriverGetInfo"] = padded(1024 * 1024 + 1)
    assert call("info", check=1).err.startswith("cosictl: RESOURCE_EXHAUSTED: ")


def test_answer__half_a_million_map_entries(call, server):
    server.answers["DriverGrantBucketAccess"] = b"\x12\x00" * (512 * 1024)
    assert "INTERNAL" in call("--api", "v1alpha1", "grant", "x", "--account", "a", check=1).err


def test_timeout__server_that_hangs(call, server):
    done = threading.Event()
    server.answers["DriverGetInfo"] = lambda _: done.wait(60) and b""
    try:
        assert call("info", "--timeout", "200ms", check=1).err.startswith("cosictl: DEADLINE_EXCEEDED: ")
    finally:
        done.set()


def test_connect__nobody_listens(cosictl, folder):
    path = folder / "stale.sock"
    with socket.socket(socket.AF_UNIX) as stale:
        stale.bind(str(path))
    done = cosictl("info", "-e", f"unix://{path}", check=1)
    assert done.err == f"cosictl: UNAVAILABLE: cannot connect to 'unix://{path}': Connection refused\n"


def test_connect__not_a_grpc_server(cosictl, folder):
    path = folder / "web.sock"
    with socket.socket(socket.AF_UNIX) as web:
        web.bind(str(path))
        web.listen()

        def answer():
            peer, _ = web.accept()
            with peer:
                peer.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                while peer.recv(4096):
                    pass

        thread = threading.Thread(target=answer, daemon=True)
        thread.start()
        done = cosictl("info", "-e", f"unix://{path}", check=1)
        assert done.err.startswith(("cosictl: INTERNAL: ", "cosictl: UNAVAILABLE: ")) and done.out == ""
        thread.join()


def test_output__cannot_be_written(build, server):
    server.answers["DriverGrantBucketAccess"] = v2("DriverGrantBucketAccessResponse", **S3_GRANT)
    with open("/dev/full", "wb") as full:
        done = subprocess.run([build / "bin" / "cosictl", "-e", server.endpoint, "grant", "rgw.photos", "--account", "a"],
                              stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"cannot write the answer: No space left" in done.stderr

# SPDX-License-Identifier: Apache-2.0
"""test_cosictl_answers.py - what cosictl prints for people, scripts and shells."""
import json
import subprocess

import pytest

from messages import S3_GRANT, S3_INFO, V1_S3, v1, v1_grant, v2


def shell(text, *variables):
    """What the variables hold after a shell has read the text."""
    script = text + "".join(f'printf "%s\\0" "${{{name}-UNSET}}"\n' for name in variables)
    out = subprocess.run(["sh", "-eu", "-c", script], capture_output=True, check=True,
                         env={"AWS_SESSION_TOKEN": "stale"}).stdout
    return out.decode().split("\0")[:-1]


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
                 "CREDENTIALS_EXPIRE", "BUCKET", "BUCKET_ID") == [
        "acc", "https://acc.blob.example/b?sv=1&sig=a%2Fb'", "sv=1&sig=a%2Fb'", "2030-01-01T00:00:00Z", "b", "az.b"]


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
    (["revoke", "rgw.photos", "--account-id", "rgw.app"], "revoked              rgw.photos from rgw.app\n", {}),
])
def test_done__says_so(call, words, text, shape):
    assert call(*words).out.startswith(text)
    assert json.loads(call(*words, "-o", "json").out) == shape
    assert call(*words, "-o", "env").out == ""


def test_revoke__names_the_buckets(call):
    """The account may live on with others: nothing is said of it."""
    assert call("revoke", "rgw.photos", "rgw.films", "--account-id", "rgw.app").out == (
        "revoked              rgw.photos from rgw.app\n"
        "revoked              rgw.films from rgw.app\n")


def test_delete__warns_of_names_that_recur(call):
    assert "before a bucket of the same name is made" in call("delete", "rgw.photos").out

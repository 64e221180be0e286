# SPDX-License-Identifier: Apache-2.0
"""test_cosictl_usage.py - the command line of cosictl, and the messages that it becomes."""
import os
import pty
import re
import subprocess

import pytest

from messages import S3_GRANT, V1_S3, v1, v1_grant, v2


@pytest.mark.parametrize("words, reason", [
    ([], "no command"),
    (["remove", "x"], "unknown command 'remove': info, create, get, delete, grant, revoke, status, reload or list"),
    (["grnt", "x"], "unknown command 'grnt': did you mean 'grant'?"),
    (["grant", "a", "--account", "x", "--mode", "readonyl"], "unknown mode 'readonyl': did you mean 'readOnly'?"),
    (["help", "remove"], "unknown command 'remove': info, "),
    (["create", "a", "--yes"], "'create' does not take --yes"),
    (["status", "x"], "'status' does not take 'x'"),
    (["reload", "-o", "env"], "'reload' has no output env"),
    (["list", "a", "b"], "'list' does not take 'b'"),
    (["list", ""], "'list' needs a backend that is not empty"),
    (["list", "--api", "v1alpha2"], "'list' does not take --api"),
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


@pytest.mark.parametrize("words", [["grant", "--help"], ["-h", "grant", "x"], ["help", "grant"]])
def test_usage__help_of_one_command(cosictl, words):
    said = cosictl(*words, check=0).out
    assert said.startswith("usage: cosictl [options] grant ID ... --account NAME [key=value ...]\n")
    assert "--mode MODE" in said and "Example: cosictl grant " in said and "\n  -e, --endpoint" in said
    assert "--account-id" not in said and "revoke" not in said.partition("Example")[0].replace("status, reload", "")


@pytest.mark.parametrize("command, socket, other, timeout", [
    ("info", "run/cosid/", "run/cosid-admin/", "60s"), ("grant", "run/cosid/", "run/cosid-admin/", "60s"),
    ("status", "run/cosid-admin/", "run/cosid/", "60s; list: 10m"),
    ("list", "run/cosid-admin/", "run/cosid/", "60s; list: 10m")])
def test_usage__help_has_the_defaults_of_its_command(cosictl, command, socket, other, timeout):
    said = cosictl(command, "--help", check=0).out
    assert socket in said and other not in said and f" default {timeout}\n" in said
    assert ("COSI_ENDPOINT" in said) == ("or env" in said) == (socket == "run/cosid/")
    everything = cosictl("--help", check=0).out
    assert socket in everything and other in everything


def test_usage__examples_are_accepted(cosictl, folder):
    """Each is a valid command line: it comes as far as the socket, which is not there."""
    commands = re.findall(r"^(?:usage:|      ) cosictl \[options\] (\w+)", cosictl("--help", check=0).out, re.M)
    assert len(commands) == 9
    for command in commands:
        example, = re.findall("^Example: cosictl (.*)$", cosictl(command, "--help", check=0).out, re.M)
        assert example.split()[0] == command
        assert "cannot connect" in cosictl(*example.split(), "-e", f"unix://{folder}/none", check=1).err


@pytest.mark.parametrize("word", ["--help", "--version"])
def test_usage__help_that_cannot_be_written(build, word):
    with open("/dev/full", "wb") as full:
        done = subprocess.run([build / "bin" / "cosictl", word], stdout=full, stderr=subprocess.PIPE, timeout=60)
    assert done.returncode == 1 and b"cannot write the answer: No space left" in done.stderr


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


@pytest.mark.parametrize("typed, more, deleted", [
    (b"yes\n", [], True), (b"Y\n", [], True), (b"n\n", [], False), (b"\n", [], False), (b"\x04", [], False),
    (b"", ["--yes"], True)])
def test_delete__a_purge_is_confirmed_on_a_terminal(build, server, typed, more, deleted):
    words = ["delete", "rgw.photos", "whenNotEmpty=purge", "-e", server.endpoint, *more]
    terminal, its = pty.openpty()
    os.write(terminal, typed)
    try:
        done = subprocess.run([build / "bin" / "cosictl", *words], stdin=its, capture_output=True, timeout=60)
    finally:
        os.close(terminal)
        os.close(its)
    assert done.returncode == (0 if deleted else 1) and len(server.asked) == deleted, done.stderr
    assert (b"Delete 'rgw.photos' and all objects in it? [y/N]" in done.stderr) == bool(typed)
    assert (b"nothing was deleted" in done.stderr) != deleted


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

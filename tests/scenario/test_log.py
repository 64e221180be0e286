# SPDX-License-Identifier: Apache-2.0
"""test_log.py - one line per failed call, in text or JSON, that no request can forge."""
import json
import re

import pytest

from rig.client import refused
from rig.store import CephRgw

LINE = re.compile(r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z (error|warning|notice|info|debug) ")


@pytest.fixture(params=["text", "json"])
def daemon(cosid, posix, request):
    return cosid({"backends": [posix.backend()], "log": {"format": request.param, "level": "debug"}})


def is_json(daemon):
    return '"json"' in daemon.config.read_text()


def lines_of(daemon, text):
    """What was logged with that text in it, as one record per line."""
    daemon.stop()
    records = []
    for line in (daemon.folder / "log").read_text().splitlines():
        if is_json(daemon):
            record = json.loads(line)
            assert {"time", "level", "msg"} <= set(record), line
            records.append((record["level"], json.dumps(record, ensure_ascii=False)))
        else:
            assert LINE.match(line), line
            records.append((line.split(" ")[1], line))
    return [record for record in records if text in record[1]]


@pytest.mark.clause(51)
def test_failure__is_logged_once_with_what_it_was_about(daemon, api_version):
    with refused("INVALID_ARGUMENT"):
        daemon.client(api_version).create("of-the-log", {"colour": "red"})
    found = lines_of(daemon, "of-the-log")
    assert len(found) == 1, found
    for word in (api_version, "DriverCreateBucket", "colour", "INVALID_ARGUMENT"):
        assert word in found[0][1], found[0][1]


def test_failure__repeated_is_not_logged_each_time(daemon):
    """The sidecars retry for ever: the same failure of the same object is a line, then a count."""
    client = daemon.client()
    for _ in range(50):
        with refused("INVALID_ARGUMENT"):
            client.create("again-and-again", {"colour": "red"})
    assert 1 <= len(lines_of(daemon, "again-and-again")) <= 3


def test_success__is_in_the_log_at_info(cosid, posix):
    """Who made what, and how long it took: one id finds a bucket's whole life."""
    daemon = cosid({"backends": [posix.backend()], "log": {"format": "json"}})
    client = daemon.client()
    bucket = client.create("of-the-log")
    access = client.grant(bucket, "ba-of-the-log")
    client.revoke(access.account_id, bucket)
    client.delete(bucket)
    found = [json.loads(x[1]) for x in lines_of(daemon, "of-the-log")]
    assert [x["method"] for x in found] == [
        "DriverCreateBucket", "DriverGrantBucketAccess", "DriverRevokeBucketAccess", "DriverDeleteBucket"]
    for record in found:
        assert record["api"] == "v1alpha1" and record["backend"] == "files"
        assert record["code"] == "OK" and record["ms"] >= 0
        assert record["bucket"] == bucket
    assert [x.get("name") for x in found] == ["of-the-log", "ba-of-the-log", None, None]
    assert [x.get("account") for x in found] == [None, access.account_id, access.account_id, None]


def test_success__names_a_bucket_by_its_id(cosid, posix):
    """Also where the request calls it by its name in the store."""
    daemon = cosid({"backends": [posix.backend()], "log": {"format": "json", "level": "debug"}})
    posix.make_foreign("existing-one")
    client = daemon.client("v1alpha2")
    client.get("existing-one")
    access = client.grant(["existing-one"], "ba-of-an-existing-one")
    client.revoke(access.account_id, ["existing-one"])
    with refused("FAILED_PRECONDITION"):
        daemon.client().delete("existing-one")
    found = [json.loads(x[1]) for x in lines_of(daemon, "existing-one")]
    done = [x for x in found if "method" in x]
    assert [x["method"] for x in done] == [
        "DriverGetExistingBucket", "DriverGrantBucketAccess", "DriverRevokeBucketAccess", "DriverDeleteBucket"], found
    assert {x["bucket"] for x in done[:3]} == {"files.existing-one"}, done


FORGERIES = ["a\n2026-01-01T00:00:00.000Z error forged", "a\r\nforged", "a\x1b[2Jforged", "a\x85b",
             "a\u2028forged", "a\u202eforged", "a\x00"[:1] + "\x07forged", '", "level": "forged',
             "%s%n%d", "a\x7f\x9b31mforged"]


@pytest.mark.parametrize("forgery", FORGERIES)
def test_forgery__of_a_line(daemon, api_version, forgery):
    """Text out of a request is one value in one line, whatever is in it."""
    client = daemon.client(api_version)
    for attempt in (lambda: client.create(forgery), lambda: client.delete(forgery),
                    lambda: client.create("real-name", {forgery: "x"}),
                    lambda: client.create("real-name", {"backend": forgery}),
                    lambda: client.grant(forgery, forgery), lambda: client.revoke(forgery, "b")):
        with refused("INVALID_ARGUMENT|FAILED_PRECONDITION|NOT_FOUND"):
            attempt()
    daemon.stop()
    raw = (daemon.folder / "log").read_bytes()
    for line in raw.decode("utf-8").split("\n")[:-1]:
        assert all(c.isprintable() for c in line), repr(line)
        if is_json(daemon):
            assert json.loads(line)["level"] != "forged"
        else:
            assert LINE.match(line), line


@pytest.mark.clause(39, 52, 77)
@pytest.mark.parametrize("level", ["debug", "info"])
def test_secrets__never(cosid, rgw, proxy, name, api_version, level):
    """At any level, of a whole lifecycle: the rig looks for all secrets when the daemon ends."""
    shop = CephRgw(rgw, proxy.endpoint)
    daemon = cosid({"backends": [shop.backend("shop")], "log": {"level": level}})
    client = daemon.client(api_version)
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    assert access.secret not in daemon.log
    with refused("INVALID_ARGUMENT"):
        client.create(f"{name}-2", {"colour": access.secret})
    client.revoke(access.account_id, bucket)
    client.delete(bucket)
    if level == "debug":
        daemon.wait_log(f"/{name}")
    assert "Signature=" not in daemon.log and "AWS4-HMAC" not in daemon.log


@pytest.mark.clause(51)
def test_journal__priorities(cosid, posix, folder):
    """Under systemd each line begins with its priority: stderr is what $JOURNAL_STREAM names."""
    wrap = ["bash", "-c", 'exec env JOURNAL_STREAM="$(stat -L -c %d:%i /proc/self/fd/2)" "$@"', "-"]
    daemon = cosid.make({"backends": [posix.backend()]}, wrap=wrap).start(wait=False)
    assert daemon.wait_log("serving unix://").startswith("<5>")


def test_trace__has_no_query_and_no_headers(cosid, rgw, proxy, name):
    shop = CephRgw(rgw, proxy.endpoint)
    daemon = cosid({"backends": [shop.backend("shop")], "log": {"level": "debug"}})
    client = daemon.client()
    client.grant(client.create(name), f"ba-{name}")
    line = daemon.wait_log("/admin/user")
    assert "uid=" not in line and "display-name=" not in line, line

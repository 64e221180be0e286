# SPDX-License-Identifier: Apache-2.0
"""test_access.py - grant and revoke: accounts, keys that work and then do not, and again."""
import pytest

from rig.client import refused


@pytest.fixture
def bucket(client, name):
    return client.create(name)


@pytest.mark.clause(18, 19, 20, 25, 36)
def test_grant__then_again(client, store, bucket, name):
    first = client.grant(bucket, f"ba-{name}")
    assert first.account_id == f"shop.cosi-ba-{name}"
    store.check_access(first)
    before = store.accounts()
    again = client.grant(bucket, f"ba-{name}")
    assert again == first
    assert store.accounts() == before


@pytest.mark.clause(19, 36)
def test_grant__answer_of_v1alpha1(daemon, store, bucket, name):
    told = daemon.client("v1alpha1").grant(bucket, f"ba-{name}").raw.credentials
    assert list(told) == [store.protocol.lower()]
    assert sorted(told[store.protocol.lower()].secrets) == store.secret_keys


@pytest.mark.clause(70, 80)
def test_grant__answer_of_v1alpha2(daemon, store, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in ("zam" if store.several else "z")]
    reply = client.grant(ids, f"ba-{name}").raw
    assert [b.bucket_id for b in reply.buckets] == ids, "in the order of the request"
    for asked, given in zip(ids, reply.buckets):
        store.check_v2(given.bucket_info, asked.partition(".")[2])
    told = [kind for kind in ("s3", "azure", "gcs") if reply.credentials.HasField(kind)]
    assert told == [store.protocol.lower()]
    again = client.grant(ids[::-1], f"ba-{name}").raw
    assert [b.bucket_id for b in again.buckets] == ids[::-1], "sidecars send them in random order"
    assert again.credentials == reply.credentials


@pytest.mark.clause(70)
def test_grant__several_buckets(daemon, store, name):
    """One account for all of them, or OUT_OF_RANGE and none: never one that opens only some."""
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "ab"]
    if store.several:
        client.grant(ids, f"ba-{name}")
        assert store.accounts().count(f"cosi-ba-{name}") == 1
    else:
        with refused("OUT_OF_RANGE", f"ba-{name}|one"):
            client.grant(ids, f"ba-{name}")
        assert f"cosi-ba-{name}" not in store.accounts()


def test_grant__api_versions_share_an_account(daemon, name):
    one, two = daemon.client("v1alpha1"), daemon.client("v1alpha2")
    bucket = one.create(name)
    first, second = one.grant(bucket, f"ba-{name}"), two.grant(bucket, f"ba-{name}")
    assert (first.account_id, first.credentials) == (second.account_id, second.credentials)


@pytest.mark.clause(74)
def test_grant__otherwise_than_before(client, store, bucket, name):
    """v1alpha1's sidecar crashes on ALREADY_EXISTS for a grant, so it gets another code."""
    first = client.grant(bucket, f"ba-{name}", "readOnly")
    code = "FAILED_PRECONDITION" if client.api_version == "v1alpha1" else "ALREADY_EXISTS"
    with refused(code, f"ba-{name}"):
        client.grant(bucket, f"ba-{name}", "readWrite")
    other = client.create(f"{name}-other")
    if store.several:
        with refused(code, f"ba-{name}"):
            client.grant(other, f"ba-{name}", "readOnly")
    else:
        # What is kept on the bucket is another account on another bucket.
        assert client.grant(other, f"ba-{name}", "readOnly").credentials != first.credentials


@pytest.mark.clause(16, 29)
def test_grant__without_what_is_required(client, bucket, name):
    with refused("INVALID_ARGUMENT", "bucket"):
        client.grant("", f"ba-{name}")
    with refused("INVALID_ARGUMENT", "name"):
        client.grant(bucket, "")
    kind = 0 if client.api_version == "v1alpha1" else {"type": 0}
    with refused("INVALID_ARGUMENT", "authentication"):
        client.grant(bucket, f"ba-{name}", authentication_type=kind)


@pytest.mark.clause(16, 25, 29)
def test_grant__without_what_v1alpha2_requires(daemon, name):
    client = daemon.client("v1alpha2")
    bucket = client.create(name)
    with refused("INVALID_ARGUMENT", "bucket"):
        client.grant([], f"ba-{name}")
    with refused("INVALID_ARGUMENT", "protocol"):
        client.grant(bucket, f"ba-{name}", protocol={"type": 0})
    with refused("INVALID_ARGUMENT", "protocol"):
        client.grant(bucket, f"ba-{name}", protocol=None)
    with refused("INVALID_ARGUMENT", "mode"):
        client.grant(bucket, f"ba-{name}",
                     buckets=[{"bucket_id": bucket, "access_mode": {"mode": 0}}])
    with refused("INVALID_ARGUMENT", "service_account_name|SERVICE_ACCOUNT|service account"):
        client.grant(bucket, f"ba-{name}", authentication_type={"type": 2})


@pytest.mark.clause(17)
def test_grant__authentication_not_served(client, bucket, name, store):
    before = store.accounts()
    kind = 2 if client.api_version == "v1alpha1" else {"type": 2}
    more = {} if client.api_version == "v1alpha1" else {"service_account_name": "someone"}
    with refused("INVALID_ARGUMENT", "shop"):
        client.grant(bucket, f"ba-{name}", authentication_type=kind, **more)
    kind = 9 if client.api_version == "v1alpha1" else {"type": 9}
    with refused("INVALID_ARGUMENT", "authentication"):
        client.grant(bucket, f"ba-{name}", authentication_type=kind)
    assert store.accounts() == before


@pytest.mark.clause(30, 68)
def test_grant__protocol_not_served(daemon, store, name):
    client = daemon.client("v1alpha2")
    bucket = client.create(name)
    for kind in (*store.others, 9):
        with refused("INVALID_ARGUMENT"):
            client.grant(bucket, f"ba-{name}", protocol={"type": kind})


def test_grant__absent_bucket(client, store, name):
    before = store.accounts()
    for absent in (f"shop.{name}-absent", f"{name}-absent"):
        with refused("NOT_FOUND", "absent"):
            client.grant(absent, f"ba-{name}")
    assert store.accounts() == before, "no account is left behind"


@pytest.mark.clause(30)
def test_grant__parameters(client, bucket, name):
    with refused("INVALID_ARGUMENT", "colour"):
        client.grant(bucket, f"ba-{name}", params={"colour": "red"})
    if client.api_version == "v1alpha1":
        for bad in ("readwrite", "", "all"):
            with refused("INVALID_ARGUMENT", "accessMode"):
                client.grant(bucket, f"ba-{name}", params={"accessMode": bad})


def test_grant__long_account_name(client, store, bucket, name):
    """That many of [a-z0-9-], the prefix with them, stay as they are; what is longer, or other, gets a
    hash."""
    plain = f"a{name}-".ljust(store.account_most - len("cosi-"), "x")
    assert client.grant(bucket, plain).account_id == f"shop.cosi-{plain}"
    long = plain + "y"
    account = client.grant(bucket, long).account_id
    assert account.startswith("shop." + f"cosi-{long}"[:store.account_head] + "-")
    assert len(account) == len("shop.") + store.account_head + 1 + 12
    assert client.grant(bucket, long).account_id == account
    dotted = f"a.{name}"
    assert client.grant(bucket, dotted).account_id != client.grant(bucket, f"a-{name}").account_id


@pytest.mark.clause(22, 75)
def test_revoke__then_again(client, store, bucket, name):
    account = client.grant(bucket, f"ba-{name}").account_id
    client.revoke(account, bucket)
    assert f"cosi-ba-{name}" not in store.accounts()
    client.revoke(account, bucket)


@pytest.mark.clause(22, 75)
def test_revoke__after_delete(client, bucket, name, store):
    account = client.grant(bucket, f"ba-{name}").account_id
    client.delete(bucket)
    client.revoke(account, bucket)
    assert f"cosi-ba-{name}" not in store.accounts()
    client.delete(bucket)


@pytest.mark.clause(21, 29)
def test_revoke__without_what_is_required(client, bucket, name):
    account = client.grant(bucket, f"ba-{name}").account_id
    with refused("INVALID_ARGUMENT", "account_id"):
        client.revoke("", bucket)
    if client.api_version == "v1alpha1":
        with refused("INVALID_ARGUMENT", "bucket_id"):
            client.revoke(account, "")


@pytest.mark.clause(23)
def test_revoke__parameters(client, store, bucket, name):
    """As on Delete: unknown keys are let be, a known key's value is checked."""
    field = "revoke_access_context" if client.api_version == "v1alpha1" else "parameters"
    account = client.grant(bucket, f"ba-{name}").account_id
    if client.api_version == "v1alpha1":  # v1alpha2 has its own field for the mode
        with refused("INVALID_ARGUMENT", "accessMode"):
            client.revoke(account, bucket, **{field: {"accessMode": "perhaps"}})
        assert f"cosi-ba-{name}" in store.accounts()
    client.revoke(account, bucket, **{field: {"colour": "red", "accessMode": "readOnly"}})
    assert f"cosi-ba-{name}" not in store.accounts()


@pytest.mark.parametrize("foreign", ["other.cosi-ba-x", "cosi-ba-x", "Shop.cosi-ba-x", "."])
def test_revoke__id_of_nobody(client, bucket, foreign):
    """v0.2.2's sidecars ask every driver: an OK here would drop another driver's finalizer."""
    with refused("FAILED_PRECONDITION"):
        client.revoke(foreign, bucket)


def test_revoke__bucket_it_has_no_access_to(daemon, store, name):
    client = daemon.client("v1alpha2")
    bucket, other = client.create(name), client.create(f"{name}-other")
    access = client.grant(bucket, f"ba-{name}")
    client.revoke(access.account_id, other)
    assert f"cosi-ba-{name}" in store.accounts()
    assert client.grant(bucket, f"ba-{name}") == access


def test_revoke__some_of_several_buckets(daemon, store, name):
    client = daemon.client("v1alpha2")
    ids = [client.create(f"{name}-{n}") for n in "abc"]
    if not store.several:
        client.revoke(client.grant(ids[0], f"ba-{name}").account_id, ids)
        assert f"cosi-ba-{name}" not in store.accounts()
        return
    account = client.grant(ids, f"ba-{name}").account_id
    client.revoke(account, ids[:1])
    assert f"cosi-ba-{name}" in store.accounts()
    with refused("ALREADY_EXISTS"):  # never OK: it has fewer than were granted
        client.grant(ids, f"ba-{name}")
    client.revoke(account, ids[1:])
    assert f"cosi-ba-{name}" not in store.accounts()


@pytest.mark.clause(27, 32, 76)
def test_parallel__identical_grants(client, store, bucket, name):
    method, fields = client.grant_fields(bucket, f"ba-{name}")
    running = [client.start(method, **fields) for _ in range(10)]
    got = [client.access(call.result()) for call in running]
    assert all(access == got[0] for access in got)
    assert store.accounts().count(f"cosi-ba-{name}") == 1


@pytest.mark.clause(32, 76)
def test_parallel__creates_and_deletes_of_one_name(client, store, name):
    create, delete = client.create_fields(name), client.delete_fields(f"shop.{name}")
    running = [client.start(m, **f) for _ in range(5) for m, f in (create, delete)]
    for call in running:
        call.result()
    assert client.create(name) == f"shop.{name}"
    client.delete(f"shop.{name}")
    assert not store.exists(name)

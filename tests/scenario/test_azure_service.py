# SPDX-License-Identifier: Apache-2.0
"""test_azure_service.py - what the service does and Azurite does not, by the fake in tests/fakes/azure.py."""
import pytest

from fakes.azure import FakeAzure, error
from rig.azure import Blob, Policy
from rig.client import refused, until_ok
from rig.proxy import answer
from rig.steps import PASSING, steps
from rig.store import AzureStore

pytestmark = pytest.mark.azure


@pytest.fixture(scope="module")
def lasting_service(azurite):
    with FakeAzure(azurite.endpoint) as made:
        yield made


@pytest.fixture
def service(lasting_service):
    lasting_service.reset()
    return lasting_service


@pytest.fixture(scope="module")
def shop(azurite, lasting_service):
    return AzureStore(azurite, endpoint=lasting_service.endpoint)


@pytest.fixture(scope="module")
def daemon(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]}, protocol="AZURE")


@pytest.fixture
def client(daemon):
    return daemon.client()


def test_fake__is_stricter_than_the_emulator(shop, service, name):
    """The fake itself, asked without cosid: each thing that it is there for."""
    root = Blob(shop.endpoint, shop.account, shop.key)
    assert root.create(name).status == 201
    policies = [Policy(f"policy-{n}", "r", "2031-01-01T00:00:00Z") for n in range(6)]
    assert root.set_policies(name, policies).code == "InvalidXmlDocument"
    assert root.set_policies(name, [Policy("x" * 65)]).status == 400
    assert root.set_policies(name, [Policy("x" * 64, "r", "soon")]).status == 400
    assert root.set_policies(name, policies[:5]).status == 200
    reply = root.container("GET", name, "acl")
    assert reply.body.startswith(b"\xef\xbb\xbf<") and b"00:00:00.0000000Z" in reply.body
    assert root.drop(name).status == 202
    assert (root.head(name).status, root.create(name).code) == (404, "ContainerBeingDeleted")
    service.settle()
    assert root.create(name, public="blob").status == 201
    service.no_public_access = True
    assert root.create(f"{name}-b", public="blob").code == "PublicAccessNotPermitted"
    service.clock_off = 16
    assert root.head(name).code == "AuthenticationFailed"
    service.clock_off, service.no_shared_key = 14, True
    assert root.head(name).code == "KeyBasedAuthenticationNotPermitted"
    service.reset()
    service.busy = [(503, 3)]
    reply = root.head(name)
    assert (reply.status, reply.headers["retry-after"]) == (503, "3")
    assert root.head(name).status == 200


def test_lifecycle__with_a_mark_and_seven_digits(daemon, shop, service, api_version, name):
    """Answers begin with a byte order mark, and other policies' times are not as Azurite has them."""
    client = daemon.client(api_version)
    bucket = client.create(name)
    by_hand = [Policy("by-hand", "r", "2031-01-02T03:04:05Z", "2020-01-01T00:00:00Z")]
    assert shop.root.set_policies(name, by_hand).status == 200
    access = client.grant(bucket, f"ba-{name}")
    assert client.grant(bucket, f"ba-{name}") == access
    kept = shop.root.policies(name)[0]
    assert (kept.id, kept.permission) == ("by-hand", "r")
    assert kept.expiry == "2031-01-02T03:04:05.0000000Z", "as the store gave it"
    assert shop.client(access).list(name).status == 200
    shop.fill(name)
    with refused("FAILED_PRECONDITION", f"{name}.*empty"):
        client.delete(bucket)
    client.revoke(access.account_id, bucket)
    assert [p.id for p in shop.root.policies(name)] == ["by-hand"]
    client.delete(bucket, {"whenNotEmpty": "purge"})
    assert not shop.exists(name)


def test_expiry__with_seven_digits(cosid, shop, service, name):
    """cosid's own policy comes back with more digits than were sent: it is the same policy."""
    daemon = cosid({"backends": [shop.backend("shop", sas_lifetime="24h")]}, protocol="AZURE")
    client = daemon.client("v1alpha2")
    bucket = client.create(name)
    access = client.grant(bucket, f"ba-{name}")
    assert client.grant(bucket, f"ba-{name}") == access
    assert shop.accounts_of(name) == [f"cosi-ba-{name}"]


def test_list__metadata_in_another_case(daemon, client, service, name):
    """Names of metadata are the same in any case, and lists show the one that they were written in."""
    client.create(name)
    for service.capitals in (False, True):
        done = daemon.cosictl("list", "shop")
        assert done.returncode == 0 and f"shop.{name}" in done.stdout, service.capitals


def test_deleted__the_name_is_blocked_for_a_while(client, shop, service, name):
    """For every call the container is gone; a create of the same name succeeds later."""
    bucket = client.create(name)
    account = client.grant(bucket, f"ba-{name}").account_id
    client.delete(bucket)
    with refused("UNAVAILABLE|ABORTED", f"{name}.*being deleted"):
        client.create(name)
    client.delete(bucket)
    client.revoke(account, bucket)
    with refused("NOT_FOUND", name):
        client.grant(bucket, f"ba-{name}")
    service.settle()
    assert client.create(name) == bucket


def test_policies__a_sixth_by_somebody_else(client, shop, service, name):
    """Another client adds one without the lease between cosid's GET and PUT: the store's 400 is reported."""
    bucket = client.create(name)
    assert shop.root.set_policies(name, [Policy(f"by-hand-{n}", "r") for n in range(4)]).status == 200
    judge = service.rule
    service.rule = lambda r: error(400, "InvalidXmlDocument") \
        if r.method == "PUT" and "comp=acl" in r.target else judge(r)
    with refused(f"RESOURCE_EXHAUSTED|FAILED_PRECONDITION|INTERNAL|{PASSING}", name):
        client.grant(bucket, f"ba-{name}")
    service.reset()
    client.grant(bucket, f"ba-{name}")
    with refused("RESOURCE_EXHAUSTED", f"{name}.*(5|five)"):
        client.grant(bucket, f"ba-more-{name}")
    puts = [r for r in service.requests if r.method == "PUT" and "comp=acl" in r.target]
    assert len(puts) == 1, "the sixth was not even sent"


def test_busy__is_tried_again(client, service, name):
    """Two refusals are within the retries; 429 and 503 alike, with the time to wait and without."""
    for step, said in zip(steps(client, name), ([503, 429], [429, (503, 1)], [(429, 1)], [503, 503])):
        service.busy = list(said)
        step()
        assert service.busy == []


@pytest.mark.parametrize("status", [503, 429])
def test_busy__for_long(cosid, shop, service, name, status):
    """With a daemon of its own, whose breaker opens."""
    client = cosid({"backends": [shop.backend("shop")]}, protocol="AZURE").client()
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    for step in steps(client, name):
        service.busy = [status] * 50
        with refused("UNAVAILABLE", "ServerBusy|busy|429|503"):
            step()
    service.busy = []
    for step in steps(client, name):
        until_ok(PASSING, step)


def test_clock__20_minutes_off(client, service, name):
    """UNAVAILABLE or UNAUTHENTICATED, with a word of the clocks: it looks like a wrong key."""
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    service.clock_off = 20
    for step in steps(client, name):
        with refused("UNAVAILABLE|UNAUTHENTICATED", "clock"):
            step()
    service.clock_off = 0
    for step in steps(client, name):
        step()


def test_shared_key__switched_off(client, service, name):
    """The account's owner forbade keys: final words, which say what to switch on."""
    service.no_shared_key = True
    for step in steps(client, name):
        with refused("PERMISSION_DENIED", "KeyBasedAuthenticationNotPermitted.*allowSharedKeyAccess"):
            step()
    service.no_shared_key = False
    for step in steps(client, name):
        step()


def test_public_access__switched_off(client, service, shop, name):
    """The account forbids it: refused for what asks for it, and nothing else is touched."""
    service.no_public_access = True
    with refused("FAILED_PRECONDITION", "PublicAccessNotPermitted.*allowBlobPublicAccess"):
        client.create(name, {"anonymousAccess": "readOnly"})
    assert not shop.exists(name)
    for step in steps(client, name):
        step()


def test_public_access__switched_off_later(client, service, shop, name):
    """A revoke succeeds although the container's public access may no longer be set."""
    bucket = client.create(name, {"anonymousAccess": "readOnly"})
    access, stays = client.grant(bucket, f"ba-{name}"), client.grant(bucket, f"stays-{name}")
    service.no_public_access = True
    with refused("FAILED_PRECONDITION", "allowBlobPublicAccess"):
        client.grant(bucket, f"late-{name}")
    assert shop.root.public(name) == "container"
    client.revoke(access.account_id, bucket)
    assert shop.client(access).put(name, "fresh").status == 403
    assert shop.client(stays).put(name, "fresh").status == 201
    assert shop.root.public(name) is None
    assert client.grant(bucket, f"late-{name}").token


KEY = "UNAUTHENTICATED|PERMISSION_DENIED"
# The status, the service's word, the code for it, and what must stand in the text.
ERRORS = [
    (403, "AuthenticationFailed", KEY, "key"), (403, "AuthorizationFailure", KEY, "key"),
    (403, "InsufficientAccountPermissions", KEY, ""),
    (403, "AccountIsDisabled", KEY, "AccountIsDisabled"),
    (400, "InvalidAuthenticationInfo", KEY, "key"), (401, "", KEY, ""),
    (411, "MissingContentLengthHeader", "INTERNAL", "MissingContentLengthHeader"),
    (500, "OperationTimedOut", "UNAVAILABLE", "OperationTimedOut"),
    (409, "AccountBeingCreated", f"FAILED_PRECONDITION|{PASSING}", "AccountBeingCreated"),
]


@pytest.mark.parametrize("status, word, code, text", ERRORS, ids=[f"{e[0]}{e[1]}" for e in ERRORS])
def test_error__of_the_service(client, service, name, status, word, code, text):
    """Each is the same whichever call meets it, and passes or not as the code says."""
    client.create(name)
    client.grant(f"shop.{name}", f"ba-{name}")
    service.rule = lambda request: error(status, word) if word else answer(status, x_ms_request_id="of-the-service")
    for step in steps(client, name):
        with refused(code, text):
            step()
    service.reset()
    for step in steps(client, name):
        until_ok(PASSING, step)

# SPDX-License-Identifier: Apache-2.0
"""test_azure_list.py - a list of a storage account that is longer than a call's memory: a fake, whose few
pages are as large as Azure's of thousands of containers."""
import pytest

from fakes.store import FakeStore, answer
from rig.azure import CUSTOM, KEYS

OWNER = "cosid.example.org"
PAGE = 7 << 20  # nine of them and what else a list needs fit into 64 MiB, ten do not


@pytest.fixture
def store():
    with FakeStore() as made:
        made.on("GET *comp=acl*", answer(200, b"<SignedIdentifiers />", x_ms_request_id="1"))
        yield made


def page(number, last):
    marker = "" if number == last else str(number)
    return answer(200, (
        f"<EnumerationResults>{'<!--x-->' * (PAGE // 8)}<Containers><Container><Name>photos-{number}</Name>"
        f"<Metadata><cosidriver>{OWNER}</cosidriver><cosiname>photos-{number}</cosiname></Metadata>"
        f"</Container></Containers><NextMarker>{marker}</NextMarker></EnumerationResults>").encode(),
        x_ms_request_id="1")


@pytest.mark.parametrize("npages,got", [(9, 9), (10, 9)])
def test_list__of_more_than_a_call_can_hold(cosid, store, npages, got):
    """What was listed until then is printed; then it is said that it is not all, and how much it was."""
    store.on("GET *comp=list*", *[page(n, npages) for n in range(1, npages + 1)])
    daemon = cosid({"backends": [{"name": "shop", "module": "azure", "endpoint": f"{store.url}/{CUSTOM}",
                                  "account": CUSTOM, "account_key": "plain:" + KEYS[0]}]},
                   protocol="AZURE")
    done = daemon.cosictl("list", "shop")
    assert [line.split()[1] for line in done.stdout.splitlines()[1:]] == \
        [f"shop.photos-{n}" for n in range(1, got + 1)]
    if got == npages:
        assert done.returncode == 0, done.stderr
    else:
        assert done.returncode == 1
        assert f"backend shop: RESOURCE_EXHAUSTED: the list ends after {got} lines: " in done.stderr, \
            done.stderr
        assert "out of memory for the answer of" in done.stderr

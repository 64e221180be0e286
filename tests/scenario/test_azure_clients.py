# SPDX-License-Identifier: Apache-2.0
"""test_azure_clients.py - what a grant gives, in the hands of clients that others wrote: curl and Microsoft's."""
import json
import os
import pathlib
import subprocess

import pytest

from rig import tree
from rig.server import STORES
from rig.store import AzureStore

pytestmark = pytest.mark.azure

GOOD = {"list": 200, "get": 200, "put": 201, "overwrite": 201, "blocks": 201, "remove": 202}
MODES = {"readWrite": set(GOOD), "readOnly": {"list", "get"},
         "writeOnly": {"put", "overwrite", "blocks"}}


@pytest.fixture(scope="module", params=["path", "host"])
def shop(request, azurite):
    return AzureStore(azurite, style=request.param)


@pytest.fixture(scope="module")
def client(lasting, shop):
    return lasting({"backends": [shop.backend("shop")]}, protocol="AZURE").client()


def one_curl(url, method, body=None):
    """The URL goes by standard input, as it is the secret."""
    send = ["-H", "x-ms-blob-type: BlockBlob", "--data-binary", body] if body is not None else []
    done = subprocess.run(
        ["curl", "-sS", "-K", "-", "-m", "30", "--noproxy", "*", "-X", method, "-o", "/dev/null",
         "-w", "%{http_code}", *send], input=f'url = "{url}"\n', text=True, capture_output=True,
        check=True)
    return int(done.stdout)


def by_curl(token):
    url, _, sas = token.partition("?")
    asked = {
        "list": ("GET", f"{url}?restype=container&comp=list&{sas}"),
        "get": ("GET", f"{url}/object?{sas}"), "put": ("PUT", f"{url}/fresh?{sas}", "x"),
        "overwrite": ("PUT", f"{url}/object?{sas}", "content"),
        "blocks": ("PUT", f"{url}/big?comp=block&blockid=MDAx&{sas}", "x"),
        "remove": ("DELETE", f"{url}/fresh?{sas}"),
    }
    return {verb: one_curl(what[1], what[0], *what[2:]) for verb, what in asked.items()}


@pytest.fixture(scope="module")
def node():
    """tests/rig/blobs.js, which lasts for the file."""
    folder = pathlib.Path(subprocess.run(
        [STORES / "azurite-build"], check=True, capture_output=True, text=True,
        stdin=subprocess.DEVNULL).stdout.strip())
    with subprocess.Popen(
            [folder / "node", tree.ROOT / "tests" / "rig" / "blobs.js", *GOOD], text=True,
            stdin=subprocess.PIPE, stdout=subprocess.PIPE,
            env={k: os.environ[k] for k in ("PATH", "COSID_TEST_RUN")} | {"NODE_PATH": str(folder / "node_modules")}) as process:
        yield process
        process.stdin.close()
        assert process.wait(30) == 0


@pytest.fixture(params=["curl", "microsoft"])
def tool(request):
    """tool(token): {verb: status}"""
    if request.param == "curl":
        return by_curl
    process = request.getfixturevalue("node")

    def by_node(token):
        process.stdin.write(token + "\n")
        process.stdin.flush()
        return json.loads(process.stdout.readline())

    return by_node


@pytest.mark.parametrize("mode", MODES)
def test_client__does_what_the_mode_says(client, shop, name, tool, mode):
    bucket, _ = client.create(name), client.create(f"{name}-other")
    for made in (name, f"{name}-other"):
        shop.fill(made)
    access = client.grant(bucket, f"ba-{name}", mode)
    assert tool(access.token) == {v: s if v in MODES[mode] else 403 for v, s in GOOD.items()}
    assert set(tool(access.token.replace(f"/{name}?", f"/{name}-other?")).values()) == {403}
    client.revoke(access.account_id, bucket)
    assert set(tool(access.token).values()) == {403}, "after the revoke"

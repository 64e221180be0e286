# SPDX-License-Identifier: Apache-2.0
"""test_info.py - DriverGetInfo, and that every method of the services answers."""
import pytest

from rig import proto
from rig.client import refused


@pytest.mark.clause(3, 4, 43, 58)
def test_info__name(client):
    assert client.info().name == "cosid.example.org"


@pytest.mark.clause(59)
def test_info__protocols_of_v1alpha2(daemon, store):
    told = daemon.client("v1alpha2").info().supported_protocols
    assert [p.type for p in told] == [store.number]


@pytest.mark.clause(1, 3, 58)
def test_methods__all_are_there(client):
    """An empty request to a method that is there is answered INVALID_ARGUMENT, not UNIMPLEMENTED."""
    for method, (path, _, _) in proto.methods(client.api_version).items():
        if method == "DriverGetInfo":
            client.raw(path, b"")
        else:
            with refused("INVALID_ARGUMENT"):
                client.raw(path, b"")


@pytest.mark.clause(2, 28, 34, 35)
@pytest.mark.parametrize("path", [
    "/cosi.v1alpha1.Provisioner/DriverSomething", "/cosi.v1alpha1.Other/DriverGetInfo",
    "/cosi.v1.Identity/DriverGetInfo", "/grpc.health.v1.Health/Check", "/", "/x"])
def test_methods__unknown(client, path):
    """refused() checks every status: canonical, readable, without details."""
    with refused("UNIMPLEMENTED"):
        client.raw(path, b"")

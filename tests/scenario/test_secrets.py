# SPDX-License-Identifier: Apache-2.0
"""test_secrets.py - where a secret was read from it does not stay, and a reload has it all the same."""
import pathlib

from rig import secrets

KEY = secrets.plant("planted-key-of-the-environment-0123456789")


def test_env__is_taken_out_of_the_environment(cosid, posix):
    backends = [posix.backend(name, credential_key="env:KEY_OF_THE_FILES") for name in ("one", "two")]
    daemon = cosid.make({"backends": backends}, env={"KEY_OF_THE_FILES": KEY}).start()
    environment = pathlib.Path(f"/proc/{daemon.pid}/environ").read_bytes()
    assert b"KEY_OF_THE_FILES=" in environment and KEY.encode() not in environment
    client = daemon.client()
    first = client.grant(client.create("before", {"backend": "one"}), "ba-1")
    daemon.write_config({"backends": [b | {"public_endpoint": "http://other.example.org"} for b in backends], "default_backend": "one"})
    daemon.reload()
    again = client.grant("one.before", "ba-1")
    assert (again.secret, again.endpoint) == (first.secret, "http://other.example.org")
    assert client.grant(client.create("after", {"backend": "two"}), "ba-2").secret

# SPDX-License-Identifier: Apache-2.0
"""test_secrets.py - where a secret was read from it does not stay, and a reload has it all the same."""
import pathlib
import re

import pytest

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


def copies(daemon, secret):
    """Those in memory that can be written; the text of the file, which libconfig leaves there, does not count."""
    found = 0
    with open(f"/proc/{daemon.pid}/mem", "rb", buffering=0) as memory:
        for line in pathlib.Path(f"/proc/{daemon.pid}/maps").read_text().splitlines():
            begin, end, kind = re.match(r"(\w+)-(\w+) (\S+)", line).groups()
            if kind.startswith("rw"):
                memory.seek(int(begin, 16))
                data = memory.read(int(end, 16) - int(begin, 16))
                found += len(re.findall(re.escape(secret.encode()) + b'(?!")', data))
    return found


@pytest.mark.unsanitized  # those keep what was freed, and have terabytes of it
def test_plain__one_copy_until_a_reload(cosid, posix, folder):
    """Also when the reload is refused, and after a backend was left out, for whose sake the file's text was kept."""
    keys = [secrets.plant(f"planted-key-{i}-" + "of-the-file-" * 6) for i in range(4)]

    def write(key, *more):
        daemon.write_config({"backends": [posix.backend(credential_key="plain:" + key), *more]})

    def count():
        return [copies(daemon, key) for key in keys]

    daemon = cosid({"backends": [posix.backend(credential_key="plain:" + keys[0])]})
    assert count() == [1, 0, 0, 0]
    write(keys[1])
    daemon.reload()
    assert count() == [0, 1, 0, 0]
    write(keys[2], posix.backend("absent", credential_key=f"file:{folder}/absent"))
    daemon.reload("reload failed")
    assert count() == [0, 1, 0, 0]
    daemon.stop()
    daemon.start()
    assert count() == [0, 0, 2, 0]
    write(keys[3])
    daemon.reload()
    assert count() == [0, 0, 0, 1]

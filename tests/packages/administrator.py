# SPDX-License-Identifier: Apache-2.0
"""administrator.py - what an administrator does on a machine, as docs/operations.md has it."""
from rig.daemon import config_text
from rig.store import CREDENTIAL_KEY

BACKEND = {"name": "files", "module": "posix", "root": "/srv/buckets",
           "credential_key": "file:/etc/cosid/secrets/posix.key",
           "public_endpoint": "http://files.example.org"}


def first_backend(machine):
    """A directory."""
    machine.shell("install -d -o cosid -g cosid /srv/buckets")
    machine.write("/etc/cosid/secrets/posix.key", CREDENTIAL_KEY)
    machine.shell("chmod 0640 /etc/cosid/secrets/posix.key; chgrp cosid /etc/cosid/secrets/posix.key")
    machine.write("/etc/cosid/conf.d/files.conf", config_text({"backends": [BACKEND]}))
    machine.run("cosid", "--check")
    machine.run("systemctl", "restart", "cosid")  # /srv/buckets is new: the sandbox must see it

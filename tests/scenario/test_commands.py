# SPDX-License-Identifier: Apache-2.0
"""test_commands.py - cosictl against a real daemon; tests/cli has what a fake one can be made to say."""
import json
import os
import subprocess

import pytest

from rig import secrets


@pytest.fixture
def daemon(cosid, posix):
    return cosid({"backends": [posix.backend()]})


@pytest.fixture
def ctl(daemon, build, folder):
    """ctl(words...): CompletedProcess of a cosictl that calls that daemon."""
    def run(*words, endpoint=None):
        keep = ("PATH", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS")
        env = {k: os.environ[k] for k in keep if k in os.environ}
        return subprocess.run(
            [build / "bin" / "cosictl", "-e", endpoint or f"unix://{daemon.socket}", *words], env=env,
            stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=60)
    return run


def told(done):
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done.stdout


def test_lifecycle(ctl, posix, api_version):
    api = ("--api", api_version)
    assert "cosid.example.org" in told(ctl(*api, "info"))
    assert "files.of-the-shell" in told(ctl(*api, "create", "of-the-shell"))
    grant = (*api, "-o", "json", "grant", "files.of-the-shell", "--account", "me")
    access = json.loads(told(ctl(*grant)))
    assert json.loads(told(ctl(*grant))) == access
    assert "files.cosi-me" in json.dumps(access)
    told(ctl(*api, "revoke", "files.of-the-shell", "--account-id", "files.cosi-me"))
    told(ctl(*api, "delete", "files.of-the-shell"))
    assert posix.buckets() == []


def test_get(ctl):
    told(ctl("create", "to-get"))
    assert "files.to-get" in told(ctl("--api", "v1alpha2", "get", "files.to-get"))
    done = ctl("--api", "v1alpha2", "get", "files.not-there")
    assert done.returncode == 1 and "NOT_FOUND" in done.stderr


def test_env__is_for_a_shell(ctl):
    """eval of it gives the variables that S3 tools read."""
    told(ctl("create", "to-use"))
    text = told(ctl("-o", "env", "grant", "files.to-use", "--account", "me"))
    done = subprocess.run(["sh", "-euc", text + 'echo "$AWS_ACCESS_KEY_ID $AWS_SECRET_ACCESS_KEY '
                           '$AWS_ENDPOINT_URL $ACCOUNT_ID"'], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    key, secret, endpoint, account = done.stdout.split()
    secrets.plant(secret)
    assert key and endpoint == "http://files.example.org" and account == "files.cosi-me"


def test_refusal__has_code_and_text(ctl):
    done = ctl("create", "colourful", "colour=red")
    assert done.returncode == 1 and done.stdout == ""
    assert "INVALID_ARGUMENT" in done.stderr and "colour" in done.stderr


def test_modes(ctl):
    """The default API version is v1alpha2, where "exists otherwise" is ALREADY_EXISTS."""
    told(ctl("create", "moody"))
    told(ctl("grant", "files.moody", "--account", "reader", "--mode", "readOnly"))
    done = ctl("grant", "files.moody", "--account", "reader", "--mode", "readWrite")
    assert done.returncode == 1 and "ALREADY_EXISTS" in done.stderr


def test_refused_user__is_told_where_to_look(cosid, posix):
    daemon = cosid({"backends": [posix.backend()], "allowed_peers": {"uids": [4242]}})
    done = subprocess.run([daemon.build / "bin" / "cosictl", "-e", f"unix://{daemon.socket}", "info"],
                          capture_output=True, text=True, timeout=60)
    assert done.returncode == 1 and done.stderr.startswith("cosictl: UNAVAILABLE: "), done.stderr
    assert "does it not allow this user (cosid.conf(5), allowed_peers" in done.stderr, done.stderr

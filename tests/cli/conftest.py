# SPDX-License-Identifier: Apache-2.0
"""conftest.py - cosictl, and the fake server that it is run against."""
import os
import subprocess

import pytest

from fakeserver import FakeServer


@pytest.fixture
def server(folder):
    with FakeServer(folder / "cosi.sock") as made:
        yield made


@pytest.fixture
def cosictl(build):
    """cosictl(*words): the finished process, its output as text."""
    def run(*words, env=None, check=None, user=None, timeout=60):
        done = subprocess.run([build / "bin" / "cosictl", *words], capture_output=True, timeout=timeout,
                              user=user, env={**os.environ, **(env or {})})
        done.out, done.err = done.stdout.decode(), done.stderr.decode()
        if check is not None:
            assert done.returncode == check, done.err
        return done
    return run


@pytest.fixture
def call(cosictl, server):
    """call(*words): the same on the fake server; it must succeed."""
    return lambda *words, **more: cosictl("-e", server.endpoint, *words, **({"check": 0} | more))

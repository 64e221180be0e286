# SPDX-License-Identifier: Apache-2.0
"""conftest.py - cosictl, and the fake server that it is run against."""
import os
import shutil
import subprocess

import pytest

from fakeserver import FakeServer


@pytest.fixture
def server(folder):
    with FakeServer(folder / "cosi.sock") as made:
        yield made


@pytest.fixture
def cosictl(build, folder):
    """cosictl(*words): the finished process, its output as text.  Another user runs a copy in the folder, which
    it may enter: the tree may lie where it may not."""
    def run(*words, env=None, check=None, user=None, timeout=60):
        program = build / "bin" / "cosictl"
        if user is not None:
            folder.chmod(0o755)
            program = shutil.copy(program, folder)
        done = subprocess.run([program, *words], capture_output=True, timeout=timeout,
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

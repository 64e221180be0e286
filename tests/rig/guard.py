# SPDX-License-Identifier: Apache-2.0
"""guard.py - what this process starts from now on ends with it, even by SIGKILL (tests/stores/guard)."""
import os
import subprocess
import tempfile

from rig.server import STORES


def start():
    """Also makes the folder for all temporary files of the run."""
    tempfile.tempdir = run = tempfile.mkdtemp(prefix="cosid-")
    os.chmod(run, 0o711)  # tests lend files to other users
    without = {k: v for k, v in os.environ.items() if k != "COSID_TEST_RUN"}
    subprocess.run(["setsid", "-f", STORES / "guard", str(os.getpid()), run], env=without, check=True,
                   stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    os.environ["COSID_TEST_RUN"] = run

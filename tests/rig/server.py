# SPDX-License-Identifier: Apache-2.0
"""server.py - a real store's processes: tests/stores/NAME-up on a free port, NAME-down at the end."""
import contextlib
import os
import pathlib
import signal
import socket
import subprocess

STORES = pathlib.Path(__file__).resolve().parents[1] / "stores"


def free_port():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def _stands_still(pid):
    """Has the signal reached every thread of it?"""
    try:
        threads = pathlib.Path(f"/proc/{pid}/task").iterdir()
        return all((t / "stat").read_text().rpartition(")")[2].split()[0] == "T" for t in threads)
    except (FileNotFoundError, ProcessLookupError):
        return False  # a thread has ended


class Server:
    """up() and down(); its data stays until then.

    name: of its scripts; process: the one that answers, by its name in the file `pids`; disk_process:
    the one behind it that keeps the data, if that is another.
    """

    name = process = disk_process = None

    def __init__(self, folder):
        self.folder, self.port = pathlib.Path(folder), None

    def start(self, **env):
        """What NAME-up said, {name: value}; after kill() on the same port."""
        reason = os.environ.get(f"COSID_WITHOUT_{self.name}")  # from ./dev test, which had to fetch it
        assert not reason, f"there is no {self.name} to test with: {reason}"
        for _ in range(5):  # another process may take the port first
            port = self.port or free_port()
            done = subprocess.run([STORES / f"{self.name}-up", self.folder, str(port)],
                                  env=os.environ | env, stdin=subprocess.DEVNULL,
                                  capture_output=True, text=True)
            if done.returncode == 0:
                break
        assert done.returncode == 0, done.stderr
        self.port = port
        return dict(line.split("=", 1) for line in done.stdout.splitlines())

    def kill(self):
        """Its data stays."""
        subprocess.run([STORES / f"{self.name}-down", self.folder], check=True,
                       stdin=subprocess.DEVNULL)

    def crash(self):
        """kill -9 of the process that answers; recover() starts it again."""
        self.kill()

    def recover(self):
        self.up()

    def down(self):
        subprocess.run([STORES / f"{self.name}-down", "-r", self.folder], check=True,
                       stdin=subprocess.DEVNULL)

    def pid(self, process=None):
        for line in (self.folder / "pids").read_text().splitlines():
            if line.split()[0] == (process or self.process):
                return int(line.split()[1])
        raise KeyError(process)

    @contextlib.contextmanager
    def stopped(self, process=None):
        """The process stands still (SIGSTOP): it accepts connections and never answers."""
        pid = self.pid(process)
        os.kill(pid, signal.SIGSTOP)
        try:
            while not _stands_still(pid):  # on a busy machine a thread may answer once more
                pass
            yield
        finally:
            os.kill(pid, signal.SIGCONT)

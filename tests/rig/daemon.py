# SPDX-License-Identifier: Apache-2.0
"""daemon.py - one cosid in a folder of its own: configuration, start, log, end."""
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import threading

from rig import secrets
from rig.client import API_VERSIONS


def config_text(value, top=True):
    """A python value in libconfig's words: dict: group, list: list, str, int, bool."""
    if isinstance(value, dict):
        lines = [f"{k} = {config_text(v, False)};" for k, v in value.items()]
        return "\n".join(lines) + "\n" if top else "{ " + " ".join(lines) + " }"
    if isinstance(value, (list, tuple)):
        return "( " + ", ".join(config_text(v, False) for v in value) + " )"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int):
        return str(value)
    return '"' + value.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'


class Ended(AssertionError):
    """cosid ended where it should have started; `status` and `log` say how."""

    def __init__(self, status, log):
        super().__init__(f"cosid ended with status {status}:\n{log}")
        self.status, self.log = status, log


class Cosid:
    """config: a dict (completed with what every test needs) or the file's very text.

    protocol: what its clients ask for, "S3" or "AZURE".
    """

    START_S = 60  # sanitized, on a busy machine

    def __init__(self, build, folder, config, env=None, wrap=(), protocol="S3"):
        self.build, self.folder = pathlib.Path(build), pathlib.Path(folder)
        self.folder.mkdir(parents=True, exist_ok=True)
        (self.folder / "socket").mkdir(exist_ok=True)
        self.socket = self.folder / "socket" / "cosi.sock"
        self.admin = self.folder / "admin" / "admin.sock"
        self.config = self.folder / "cosid.conf"
        self.write_config(config)
        self.env, self.wrap, self.protocol = env or {}, wrap, protocol
        self.process = None
        self.clients = []

    def write_config(self, config):
        if isinstance(config, dict):
            config = config_text(self.defaults() | config)
        self.config.write_text(config)
        self.config.chmod(0o600)  # it holds secrets; cosid warns otherwise

    def defaults(self):
        return {"driver_name": "cosid.example.org", "endpoint": f"unix://{self.socket}",
                "admin_endpoint": f"unix://{self.admin}",
                "module_dir": str(self.build / "modules"), "create_settle": "0s"}

    def environment(self):
        keep = ("PATH", "HOME", "TMPDIR", "LANG", "ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS", "COSID_TEST_RUN")
        env = {k: os.environ[k] for k in keep if k in os.environ}
        for name in ("ASAN_OPTIONS", "UBSAN_OPTIONS", "TSAN_OPTIONS"):
            env[name] = env.get(name, "") + f":log_path={self.folder}/sanitizer"
        return env | self.env

    def lend(self, name):
        """A copy of a program that every user can run: the tree may lie where none can."""
        (self.folder / "bin").mkdir(exist_ok=True)
        return shutil.copy(self.build / "bin" / name, self.folder / "bin")

    def command(self, *arguments):
        return [*self.wrap, str(self.build / "bin" / "cosid"), "-c", str(self.config), *arguments]

    def run(self, *arguments, timeout=60):
        """A run that ends by itself (--check and the like): CompletedProcess."""
        done = subprocess.run(self.command(*arguments), env=self.environment(), timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        self.assert_sane(done.stdout + done.stderr)
        return done

    # ---- life

    def start(self, wait=True, preexec=None, pass_fds=()):
        self._lines, self._changed = [], threading.Condition()
        self.process = subprocess.Popen(
            self.command(), env=self.environment(), stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, preexec_fn=preexec, pass_fds=pass_fds)
        self._reader = threading.Thread(target=self._read, args=(self.process,), daemon=True)
        self._reader.start()
        if wait:
            self.wait_log(r"serving unix://\S+ as ")
        return self

    def _read(self, process):
        with open(self.folder / "log", "a", buffering=1, encoding="utf-8") as copy:
            for raw in process.stderr:
                line = raw.decode("utf-8", "backslashreplace").rstrip("\n")
                copy.write(line + "\n")
                with self._changed:
                    self._lines.append(line)
                    self._changed.notify_all()
        with self._changed:
            self._lines.append(None)
            self._changed.notify_all()

    @property
    def pid(self):
        return self.process.pid

    @property
    def log(self):
        with self._changed:
            return "\n".join(line for line in self._lines if line is not None)

    def wait_log(self, pattern, timeout=None, after=0):
        """The first line of this start that matches, after that many others; it waits for it."""
        found = None

        def ready():
            nonlocal found
            found = next((x for x in self._lines[after:] if x is not None and re.search(pattern, x)), None)
            return found is not None or self._lines[-1:] == [None]

        with self._changed:
            in_time = self._changed.wait_for(ready, timeout or self.START_S)
        if found is None and in_time:
            raise Ended(self.process.wait(), self.log)
        assert found is not None, f"no '{pattern}' in the log:\n{self.log}"
        return found

    def reload(self, how=r"generation \d+ serves"):
        """SIGHUP, and the line that says how it ended."""
        with self._changed:
            seen = len(self._lines)
        self.process.send_signal(signal.SIGHUP)
        return self.wait_log(how, after=seen)

    def cosictl(self, *words, timeout=60):
        """A command over the admin socket: CompletedProcess."""
        command = [str(self.build / "bin" / "cosictl"), "-e", f"unix://{self.admin}", *words]
        return subprocess.run(command, env=self.environment(), timeout=timeout,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)

    def status(self):
        """cosictl -o json status."""
        done = self.cosictl("-o", "json", "status")
        assert done.returncode == 0, done.stderr
        secrets.assert_absent(done.stdout, "the status")
        return json.loads(done.stdout)

    def wait_status(self, holds):
        """The first status of which holds(status) is true; no event tells of it."""
        while not holds(status := self.status()):
            pass
        return status

    def client(self, api_version="v1alpha1"):
        made = API_VERSIONS[api_version](self.socket, self.protocol)
        self.clients.append(made)
        return made

    def wait_end(self, timeout=60):
        """The exit status, and everything that was logged has been read."""
        status = self.process.wait(timeout)
        self._reader.join(timeout)
        return status

    def stop(self, status=0):
        """SIGTERM; checks the exit status, the sanitizers and the secrets."""
        if self.process is None:
            return
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            ended = self.wait_end()
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.wait_end()
            raise
        finally:
            self.close_clients()
        log, self.process = self.log, None
        self.assert_sane(log)
        assert ended == status, f"cosid ended with status {ended}:\n{log}"

    def kill(self):
        """kill -9: nothing is checked but what was logged."""
        self.process.kill()
        self.wait_end()
        self.process = None
        secrets.assert_absent(self.log, "the log")

    def close_clients(self):
        for client in self.clients:
            client.close()
        self.clients = []

    def assert_sane(self, log):
        files = [*self.folder.glob("sanitizer.*"), *self.folder.parent.glob("valgrind.*")]
        reports = [text for file in files if (text := file.read_text(errors="replace"))]
        assert not reports, "\n".join(reports)
        assert "runtime error:" not in log and "ERROR: AddressSanitizer" not in log, log
        secrets.assert_absent(log, "the log")

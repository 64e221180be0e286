# SPDX-License-Identifier: Apache-2.0
"""machine.py - a Debian 12 of its own, booted by systemd-nspawn: root, loopback of this machine."""
import fcntl
import hashlib
import os
import pathlib
import re
import select
import shutil
import socket
import subprocess

# What the packages depend on, and what the example module is built with, stands in the tree, so that
# nothing is fetched while it runs.
LIBRARIES = ("libconfig9", "libcurl4", "libexpat1", "libgrpc29", "libjansson4", "libprotobuf-c1", "libssl3",
             "libsystemd0")
PACKAGES = ("systemd", "systemd-sysv", "dbus", "hostname", "procps", "ca-certificates", "openssl",
            "gcc", "libc6-dev", "libjansson-dev", "libssl-dev", "make", "pkg-config", *LIBRARIES)
HOSTS = "127.0.0.1 localhost\n127.0.1.1 gateway.example.org gateway\n"
CACHE = pathlib.Path(os.environ.get("COSID_TEST_CACHE", "/var/cache/cosid-test"))
BOOT_S = 120


class Unbootable(Exception):
    """This machine cannot run another one; the text says why."""


def base():
    """The tree as an archive, made once for what it is made of.

    The packages are built against this machine's libraries, so a tree with others is another one.
    """
    if os.geteuid() != 0:
        raise Unbootable("the packages are installed on a tree of their own, which takes root")
    versions = subprocess.run(["dpkg-query", "-W", *LIBRARIES], check=True, capture_output=True).stdout
    key = hashlib.sha256(" ".join(PACKAGES).encode() + versions).hexdigest()[:16]
    tar = CACHE / f"debian-12-{key}.tar"
    CACHE.mkdir(parents=True, exist_ok=True)
    # Two runs at once: the second waits and finds the tree.
    with open(CACHE / "debian.lock", "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not tar.exists():
            part = CACHE / f"debian-12-{key}.part.tar"
            done = subprocess.run(["mmdebstrap", "-q", "--variant=minbase", f"--include={','.join(PACKAGES)}",
                                   "bookworm", part], stdin=subprocess.DEVNULL, capture_output=True, text=True)
            if done.returncode != 0:
                raise Unbootable(f"cannot make a Debian tree: {done.stderr[-2000:]}")
            part.rename(tar)
    return tar


class Machine:
    """up() and down(); run() is a command as root inside."""

    def __init__(self, folder, tar):
        self.root, self.folder = pathlib.Path(folder) / "root", pathlib.Path(folder)
        self.root.mkdir()
        done = subprocess.run(["tar", "-C", self.root, "-xf", tar, "--exclude=./dev/*"],
                              stdin=subprocess.DEVNULL, capture_output=True, text=True)
        if done.returncode != 0:
            raise Unbootable(f"cannot unpack the Debian tree: {done.stderr[-2000:]}")
        (self.root / "etc/hosts").write_text(HOSTS)
        (self.root / "etc/hostname").write_text("gateway\n")
        (self.root / "packages").mkdir()
        self.process = self.leader = None

    def up(self):
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.bind(str(self.folder / "notify"))
        with open(self.folder / "console", "wb") as console:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "-q", "-D", self.root, "--boot", "--register=no", "--keep-unit",
                 "--notify-ready=yes", "--resolv-conf=off", "--timezone=off", "--console=pipe",
                 "--hostname=gateway"],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                     "NOTIFY_SOCKET": str(self.folder / "notify"),
                     "COSID_TEST_RUN": os.environ["COSID_TEST_RUN"]},
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
        ended = os.pidfd_open(self.process.pid)
        said = ""
        while "READY=1" not in said.split("\n"):
            come = select.select([ready, ended], [], [], BOOT_S)[0]
            if ready not in come:
                console = (self.folder / "console").read_text(errors="replace")[-2000:]
                how = "ended" if come else f"has not booted within {BOOT_S} s"
                raise Unbootable(f"systemd-nspawn {how}: {console}")
            said = ready.recv(4096).decode()
            found = re.search(r"X_NSPAWN_LEADER_PID=(\d+)", said)
            self.leader = found.group(1) if found else self.leader
        os.close(ended)
        return self

    def down(self):
        if self.process and self.process.poll() is None and self.leader:
            self.run("systemctl", "poweroff", ok=None)
        try:
            if self.process:
                self.process.wait(30)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        shutil.rmtree(self.root)

    def enter(self, *command):
        return ["nsenter", "-t", self.leader, "-a", "--", "env", "-i", "LC_ALL=C.UTF-8",
                "DEBIAN_FRONTEND=noninteractive", "PATH=/usr/sbin:/usr/bin:/sbin:/bin", *command]

    def run(self, *command, ok=True):
        """ok None: whatever the status is; False: it must fail."""
        done = subprocess.run(self.enter(*command), stdin=subprocess.DEVNULL, text=True,
                              capture_output=True)
        assert ok is None or ok == (done.returncode == 0), \
            f"{command}: {done.returncode}\n{done.stdout}{done.stderr}"
        return done.stdout + done.stderr

    def shell(self, text, ok=True):
        return self.run("sh", "-ec", text, ok=ok)

    def write(self, path, text):
        (self.root / path.lstrip("/")).write_text(text)

    def drop_in(self, name, text):
        """A part of cosid.service that an administrator adds."""
        self.run("mkdir", "-p", "/etc/systemd/system/cosid.service.d")
        self.write(f"/etc/systemd/system/cosid.service.d/{name}.conf", text)
        self.run("systemctl", "daemon-reload")

    def apt(self, *words):
        return self.run("apt-get", "-y", "-q", *words)

    def restart(self):
        self.run("systemctl", "restart", "cosid")

    def show(self, name):
        return self.run("systemctl", "show", "-P", name, "cosid").strip()

    @property
    def socket(self):
        """COSI's, as it is reached from outside."""
        return pathlib.Path("/proc", self.leader, "root", "run/cosid/cosi.sock")

    def cursor(self):
        return self.run("journalctl", "-n0", "--show-cursor").strip().rpartition(" ")[2]

    def wait_log(self, pattern, after):
        """The first line of the unit's log after the cursor that matches; it waits for it."""
        follow = self.enter("journalctl", "-u", "cosid", "-o", "cat", "-f", "--after-cursor", after)
        with subprocess.Popen(follow, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True) as journal:
            found = next((line for line in journal.stdout if re.search(pattern, line)), None)
            journal.kill()
        assert found, f"the journal ended without '{pattern}'"
        return found

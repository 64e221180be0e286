# SPDX-License-Identifier: Apache-2.0
"""machine.py - a Debian 12 of its own, booted by systemd-nspawn: root, loopback of this machine."""
import pathlib
import re
import shutil
import socket
import subprocess

# What the packages depend on stands in the tree, so that nothing is fetched while it runs.
BASE = ("systemd,systemd-sysv,dbus,hostname,procps,ca-certificates,openssl,"
        "libconfig9,libcurl4,libexpat1,libgrpc29,libjansson4,libprotobuf-c1,libssl3,libsystemd0")
HOSTS = "127.0.0.1 localhost\n127.0.1.1 gateway.example.org gateway\n"


def base(tar):
    """The tree as an archive, made once."""
    if not tar.exists():
        made = tar.with_suffix(".part.tar")
        subprocess.run(["mmdebstrap", "-q", "--variant=minbase", f"--include={BASE}",
                        "bookworm", made], check=True, stdin=subprocess.DEVNULL)
        made.rename(tar)
    return tar


class Machine:
    """up() and down(); run() is a command as root inside."""

    def __init__(self, folder, tar):
        self.root, self.folder = pathlib.Path(folder) / "root", pathlib.Path(folder)
        self.root.mkdir()
        subprocess.run(["tar", "-C", self.root, "-xf", tar, "--exclude=./dev/*"], check=True)
        (self.root / "etc/hosts").write_text(HOSTS)
        (self.root / "etc/hostname").write_text("gateway\n")
        (self.root / "packages").mkdir()
        self.process = self.leader = None

    def up(self):
        ready = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        ready.bind(str(self.folder / "notify"))
        ready.settimeout(120)
        with open(self.folder / "console", "wb") as console:
            self.process = subprocess.Popen(
                ["systemd-nspawn", "-q", "-D", self.root, "--boot", "--register=no", "--keep-unit",
                 "--notify-ready=yes", "--resolv-conf=off", "--timezone=off", "--console=pipe",
                 "--hostname=gateway"],
                env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin",
                     "NOTIFY_SOCKET": str(self.folder / "notify")},
                stdin=subprocess.DEVNULL, stdout=console, stderr=console, start_new_session=True)
        said = ""
        while "READY=1" not in said.split("\n"):
            said = ready.recv(4096).decode()
            found = re.search(r"X_NSPAWN_LEADER_PID=(\d+)", said)
            self.leader = found.group(1) if found else self.leader
        return self

    def down(self):
        if self.process.poll() is None and self.leader:
            self.run("systemctl", "poweroff", ok=None)
        try:
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

    def apt(self, *words):
        return self.run("apt-get", "-y", "-q", *words)

    def show(self, name):
        return self.run("systemctl", "show", "-P", name, "cosid").strip()

    def cursor(self):
        return self.run("journalctl", "-n0", "--show-cursor").strip().rpartition(" ")[2]

    def wait_log(self, pattern, after):
        """The first line of the unit's log behind the cursor that matches; it waits for it."""
        follow = self.enter("journalctl", "-u", "cosid", "-o", "cat", "-f", "--after-cursor", after)
        with subprocess.Popen(follow, stdout=subprocess.PIPE, stdin=subprocess.DEVNULL,
                              text=True) as journal:
            found = next((line for line in journal.stdout if re.search(pattern, line)), None)
            journal.kill()
        assert found, f"the journal ended without '{pattern}'"
        return found

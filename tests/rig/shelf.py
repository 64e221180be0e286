# SPDX-License-Identifier: Apache-2.0
"""shelf.py - a module folder of the test's own, and the module tests/scenario/shelf.c in any version."""
import contextlib
import os
import pathlib
import shutil
import subprocess

from rig import secrets
from rig.tree import ROOT
from rig.watch import wait_for

SOURCE = ROOT / "tests" / "scenario" / "shelf.c"
# Looks at no time, as what hangs in a system call.  The answer is always that the gate is open.
WAIT_FOR_GATE = """
#include <sys/inotify.h>
#include <unistd.h>
static inline int
wait_for_gate(const char *gate)
{
	char event[512];

	while (access(gate, F_OK) == 0) {
		int fd = inotify_init1(IN_CLOEXEC);

		if (inotify_add_watch(fd, gate, IN_ATTRIB | IN_DELETE_SELF) >= 0)
			(void)!read(fd, event, sizeof event);
		(void)close(fd);
	}
	return 0;
}
"""
KEY = secrets.plant("planted-key-of-the-shelf-0123456789")


def installed(build, folder):
    """What a package of the header has: the folder that stands for /usr."""
    place = folder / "installed"
    done = subprocess.run(["cmake", "--install", build, "--prefix", "/usr"], env=os.environ | {"DESTDIR": str(place)},
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert [f.name for f in (place / "usr" / "include").iterdir()] == ["cosi_module.h"]
    return place / "usr"


def source(code="", stubborn=False, **handlers):
    """shelf.c with this code before cosi_module, which may call wait_for_gate(), and with these handlers.

    stubborn: its creates and grants wait for the gate alone.
    """
    text = SOURCE.read_text()
    head, wait = "COSI_MODULE = {\n\tCOSI_MODULE_HEAD,", "access(config->gate, F_OK) == 0 && call->host->wait(call, 5) == 0"
    assert head in text and wait in text
    if stubborn:
        text = text.replace(wait, "wait_for_gate(config->gate) != 0")
    return WAIT_FOR_GATE + text.replace(head, code + head + "".join(f" .{name} = {of}," for name, of in handlers.items()))


class Shelf:
    def __init__(self, folder, include=ROOT / "include"):
        """include: where the public header lies."""
        self.folder, self.include = pathlib.Path(folder), include
        self.modules, self.root = self.folder / "modules", self.folder / "shelf"
        self.modules.mkdir(mode=0o755)
        self.root.mkdir()
        self.gate = self.folder / "gate"
        self.secret = self.folder / "shelf.key"
        self.write_secret(KEY)
        self.built = {}

    def write_secret(self, text):
        self.secret.write_text(text)
        self.secret.chmod(0o600)

    def build(self, version, text=None, flags=()):
        """A file outside of the module folder, built against the public header alone."""
        if version not in self.built:
            out = self.folder / f"shelf.{version}.so"
            command = ["cc", "-fPIC", "-fvisibility=hidden", "-shared", "-Wl,-z,defs", "-Wall", "-Wextra", "-Werror",
                       "-D_GNU_SOURCE", f"-I{self.include}", f'-DVERSION="{version}"', *flags, "-o", out]
            if text is None:
                command.append(SOURCE)
            else:
                command += ["-x", "c", "-"]
            done = subprocess.run(command, input=text, capture_output=True, text=True)
            assert done.returncode == 0, done.stderr
            self.built[version] = out
        return self.built[version]

    def put(self, file, name="shelf"):
        """As a package manager does it: a new file, then a rename."""
        new = self.modules / f".{name}.new"
        shutil.copyfile(file, new)
        os.chmod(new, 0o644)
        new.rename(self.modules / f"{name}.so")

    def install(self, version="1"):
        self.put(self.build(version))

    @contextlib.contextmanager
    def held_load(self, version):
        """Installs a file that is not loaded, not even by the load check, until the block has ended."""
        hold, loading = self.folder / "hold", self.folder / "loading"
        hold.touch()
        self.put(self.build(version, source(f"""
#include <sys/stat.h>
__attribute__((constructor)) static void
hold_load(void)
{{
	if (access("{hold}", F_OK) == 0)
		(void)mkdir("{loading}", 0700);
	(void)wait_for_gate("{hold}");
}}
""")))
        try:
            yield
        finally:
            hold.unlink()

    def wait_load(self):
        """Until such a file is being loaded."""
        wait_for(self.folder / "loading")

    def backend(self, name="shelf", **more):
        return {"name": name, "module": "shelf", "root": str(self.root), "gate": str(self.gate),
                "key": f"file:{self.secret}", "public_endpoint": "http://shelf.example.org"} | more

    def config(self, *more, **top):
        """The shelf's backend and others."""
        return {"module_dir": str(self.modules), "backends": [self.backend(), *more]} | top

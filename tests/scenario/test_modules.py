# SPDX-License-Identifier: Apache-2.0
"""test_modules.py - module files that are missing, broken, foreign or not to be trusted."""
import contextlib
import os
import re
import shutil
import socket
import subprocess
import threading

import pytest

from rig.daemon import Ended
from rig.tree import ROOT

HEAD = '#include "cosi_module.h"\n'
GOOD = 'COSI_MODULE = { COSI_MODULE_HEAD, .name = "posix", .version = "1", .summary = "x", ' \
       '.protocols = COSI_S3, .auth = COSI_AUTH_KEY, .config = { 1, 0, NULL } };\n'


@pytest.fixture
def modules(build, folder):
    """A private module folder with the real posix.so in it."""
    made = folder / "modules"
    made.mkdir(mode=0o755)
    shutil.copy(build / "modules" / "posix.so", made)
    os.chmod(made / "posix.so", 0o644)
    return made


@pytest.fixture
def config(modules, posix):
    return {"module_dir": str(modules), "backends": [posix.backend()]}


def refuses(cosid, config, why):
    daemon = cosid.make(config)
    with pytest.raises(Ended) as ended:
        daemon.start()
    daemon.process = None
    assert ended.value.status == 1
    assert re.search(rf"cannot load module 'posix' from '\S+/posix.so': {why}", ended.value.log), ended.value.log


def compile_module(modules, source, *flags):
    done = subprocess.run(["cc", "-shared", "-fPIC", f"-I{ROOT}/include", "-x", "c", "-", *flags,
                           "-o", modules / "posix.so"], input=source, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr


def test_good(cosid, config):
    assert cosid(config).client().create("of-a-private-folder") == "files.of-a-private-folder"


def test_missing(cosid, config, modules):
    (modules / "posix.so").unlink()
    refuses(cosid, config, "No such file or directory")


@pytest.mark.parametrize("keep, why", [(0, "the file is empty"), (1, "the file is not a shared object"),
                                       *((n, "the file is truncated") for n in (64, 4096, 0.5, 0.99))])
def test_half_written(cosid, config, modules, keep, why):
    file = modules / "posix.so"
    whole = file.read_bytes()
    file.write_bytes(whole[: keep if isinstance(keep, int) else int(len(whole) * keep)])
    refuses(cosid, config, why)


@pytest.mark.parametrize("content, why", [(b"not a module at all\n" * 100, "the file is not a shared object"),
                                          (b"\x7fELF" + b"\xff" * 4000, "the file is built for another architecture")])
def test_garbage(cosid, config, modules, content, why):
    (modules / "posix.so").write_bytes(content)
    refuses(cosid, config, why)


def test_foreign_library(cosid, config, modules):
    """A shared object that is no module."""
    compile_module(modules, "int answer(void) { return 42; }\n")
    refuses(cosid, config, "the file is not a COSI module .*'cosi_module'")


@pytest.mark.parametrize("size, answer", [(63 << 20, "reachable"), (65 << 20, "needs more memory than a call may use")])
def test_probe__has_the_memory_of_any_call(cosid, modules, size, answer):
    compile_module(modules, HEAD + "static int probe(void *instance, struct cosi_call *call)\n"
                   f"{{ (void)instance; return cosi_alloc(call, {size}) ? 0 : -1; }}\n" +
                   GOOD.replace(".config", ".probe = probe, .config"))
    done = cosid.make({"module_dir": str(modules), "backends": [
        {"name": "large", "module": "posix", "public_endpoint": "http://large.example.org"}]}).run("--check", "--probe")
    assert done.returncode == (answer != "reachable"), done.stderr
    assert answer in done.stdout + done.stderr


def test_probe__none_says_that_nobody_asked(cosid, modules):
    """An endpoint that does not exist, at that: nothing is known of it."""
    compile_module(modules, HEAD + GOOD.replace(".config", ".flags = COSI_NETWORK, .config"))
    done = cosid.make({"module_dir": str(modules), "backends": [
        {"name": "mute", "module": "posix", "endpoint": "https://nowhere.invalid"}]}).run("--check", "--probe")
    assert done.returncode == 0, done.stderr
    assert "backend 'mute': skipped: module 'posix' has no probe\n" in done.stdout
    assert "reachable" not in done.stdout


def test_probe__shows_no_secret(cosid, modules):
    """A store that answers nothing: the text names what was asked."""
    compile_module(modules, HEAD + "struct config { const char *key; };\n"
                   "static const struct cosi_key keys[] = { COSI_SECRET(struct config, key, COSI_REQUIRED, \"k\") };\n"
                   "static int probe(void *instance, struct cosi_call *call)\n"
                   "{ const struct config *config = instance;\n"
                   "return cosi_http(call, .method = \"GET\", .path = cosi_printf(call, \"/%s\", config->key)) ? 0 : -1; }\n" +
                   GOOD.replace(".config = { 1, 0, NULL }", ".flags = COSI_NETWORK, .probe = probe, "
                                ".config = COSI_SCHEMA(struct config, keys)"))
    with socket.create_server(("127.0.0.1", 0)) as server:
        def hang_up():
            with contextlib.suppress(OSError):
                while True:
                    server.accept()[0].close()
        threading.Thread(target=hang_up, daemon=True).start()
        done = cosid.make({"module_dir": str(modules), "backends": [
            {"name": "silent", "module": "posix", "endpoint": f"http://127.0.0.1:{server.getsockname()[1]}",
             "key": "plain:PROBED-SECRET-1", "retries": 0}]}).run("--check", "--probe")
        server.shutdown(socket.SHUT_RDWR)
    assert done.returncode == 1 and "'GET /***'" in done.stderr, done.stderr
    assert "PROBED" not in done.stdout + done.stderr


def test_env__is_taken_before_a_module_is_loaded(cosid, modules, folder):
    """By a child that tries it, at the start and at a reload, or by the daemon."""
    seen = folder / "seen"

    def build(version):
        compile_module(modules, "#include <stdio.h>\n#include <stdlib.h>\n" + HEAD +
                       "struct config { const char *key; const char *const *more; };\n"
                       "static const struct cosi_key keys[] = { COSI_SECRET(struct config, key, 0, \"k\"),\n"
                       "COSI_SECRET_LIST(struct config, more, \"m\") };\n"
                       "__attribute__((constructor)) static void look(void)\n"
                       f"{{ FILE *out = fopen(\"{seen}\", \"a\"); extern char **environ;\n"
                       'for (char **at = environ; *at; at++) fprintf(out, "%s\\n", *at);\n'
                       "fclose(out); }\n" +
                       GOOD.replace(".config = { 1, 0, NULL }", ".config = COSI_SCHEMA(struct config, keys)")
                       .replace('"1"', f'"{version}"'))

    def backend(name, **keys):
        return {"name": name, "module": "posix", "public_endpoint": "http://env.example.org"} | keys

    build(1)
    config = {"module_dir": str(modules), "backends": [backend("one", key="env:ENV_ONE")]}
    daemon = cosid.make(config, env={"ENV_ONE": "planted-in-env-1", "ENV_TWO": "planted-in-env-2", "ENV_THREE": "planted-in-env-3"})
    daemon.start()
    assert "ENV_ONE=\n" in seen.read_text() and "planted-in-env-1" not in seen.read_text()
    seen.unlink()
    build(2)
    config["backends"] += [backend("two", key="env:ENV_TWO", more=["env:ENV_ONE", "env:ENV_THREE"])]
    daemon.write_config(config)
    daemon.reload()
    assert "ENV_TWO=\n" in seen.read_text() and "planted-in-env" not in seen.read_text()


def test_without_head(cosid, config, modules):
    compile_module(modules, HEAD + GOOD.replace("COSI_MODULE_HEAD, ", ""))
    refuses(cosid, config, "the file is not a COSI module")


@pytest.mark.parametrize("name, version, why", [("MAJOR", "99u", "99.1"), ("MINOR", "99u", "1.99"), ("MAJOR", "0u", "0.1")])
def test_another_version(cosid, config, modules, name, version, why):
    compile_module(modules, HEAD + f"#undef COSI_API_{name}\n#define COSI_API_{name} {version}\n" + GOOD)
    refuses(cosid, config, f"the module is built for module API {re.escape(why)}, cosid has ")


def test_another_name(cosid, config, modules):
    compile_module(modules, HEAD + GOOD.replace('"posix"', '"other"'))
    refuses(cosid, config, "the module's name is 'other'")


def test_crashes_when_loaded(cosid, config, modules):
    """It is tried in a process of its own first: that one crashes, cosid says so."""
    crash = "__attribute__((constructor)) static void crash(void) { *(volatile int *)0 = 1; }\n"
    compile_module(modules, HEAD + GOOD + crash)
    refuses(cosid, config, "loading (crashed|ended the process)")


def test_needs_a_symbol_that_is_not_there(cosid, config, modules):
    missing = "void nowhere(void);\n__attribute__((visibility(\"default\"))) void *p = nowhere;\n"
    compile_module(modules, HEAD + GOOD + missing)
    refuses(cosid, config, "undefined symbol: nowhere")


@pytest.mark.parametrize("mode", [0o666, 0o664])
def test_writable_by_others(cosid, config, modules, mode):
    os.chmod(modules / "posix.so", mode)
    refuses(cosid, config, "users other than its owner may write to ")


def test_belongs_to_another(cosid, config, modules):
    os.chown(modules / "posix.so", 4242, -1)
    refuses(cosid, config, r"\S+ belongs to user 4242")


@pytest.mark.parametrize("make, why", [(os.mkfifo, "the path is not a regular file"), (os.mkdir, "the path is a directory"),
                                       (lambda p: os.symlink("/dev/zero", p), "the path is not a regular file")])
def test_not_a_file(cosid, config, modules, make, why):
    (modules / "posix.so").unlink()
    make(modules / "posix.so")
    refuses(cosid, config, why)


def test_replaced_by_another_while_it_runs(cosid, config, modules):
    """As a package manager does it, by rename: what is loaded stays."""
    daemon = cosid(config)
    client = daemon.client()
    client.create("before")
    (modules / "new").write_bytes(b"no module")
    (modules / "new").rename(modules / "posix.so")
    client.create("after")
    client.delete("files.before")


@pytest.mark.unsanitized
def test_overwritten_while_it_runs(cosid, config, modules):
    """In place, as cp does it: the daemon runs on a copy of its own."""
    daemon = cosid(config)
    client = daemon.client()
    client.create("before")
    file = modules / "posix.so"
    with open(file, "r+b") as over:
        over.write(b"\xff" * file.stat().st_size)
    client.create("after")
    client.delete("files.before")

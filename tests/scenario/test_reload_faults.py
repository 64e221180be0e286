# SPDX-License-Identifier: Apache-2.0
"""test_reload_faults.py - modules that cannot be loaded, or lie: the old ones serve on, the core says why."""
import os
import pathlib
import re
import signal

import pytest

from rig.client import refused
from rig.daemon import Ended
from rig.shelf import SOURCE, source

HEAD = "#include <cosi_module.h>\n"
GOOD = 'COSI_MODULE = { COSI_MODULE_HEAD, .name = "shelf", .version = "1", .summary = "x", ' \
       '.protocols = COSI_S3, .auth = COSI_AUTH_KEY, .config = { 1, 0, NULL } };\n'


def serves_on(daemon):
    client = daemon.client()
    method, fields = client.create_fields("still-there")
    assert client.call(method, **fields).bucket_info.s3.region == "v1-plain"


ENDS = r"reload failed, generation \d+ continues to serve|generation \d+ serves"


TIMED_OUT = r"cosid.conf:\d+: backend 'shelf': .*shelf.so.* loading timed out after"


def fails(daemon, *words):
    last = daemon.reload(ENDS)
    assert "failed" in last, daemon.log
    for word in words:
        assert re.search(word, daemon.log), daemon.log
    serves_on(daemon)


def defined(name, value):
    return HEAD + f"#undef COSI_API_{name}\n#define COSI_API_{name} {value}\n" + GOOD


SOURCES = {
    "magic": (HEAD + GOOD.replace("COSI_MODULE_HEAD, ", ""), "not a COSI module"),
    "major": (defined("MAJOR", "9u"), "9"), "minor": (defined("MINOR", "99u"), "99"),
    "symbol": ("int answer(void) { return 42; }\n", "not a COSI module"),
    "name": (HEAD + GOOD.replace('"shelf"', '"other"'), "other"),
    "crash": (HEAD + GOOD + "__attribute__((constructor)) static void f(void) { __builtin_trap(); }\n", "loading crashed"),
    # Past exit(), within which TSan would report that something is being loaded; a unit test has that.
    "exit": (HEAD + GOOD + "#include <sys/syscall.h>\n#include <unistd.h>\n__attribute__((constructor)) "
             "static void f(void) { syscall(SYS_exit_group, 0); }\n", "loading ended the process"),
    "fork": (HEAD + GOOD + "#include <unistd.h>\n__attribute__((constructor)) static void f(void) "
             "{ if (fork() == 0) for (;;) pause(); }\n", "loading left a child process running"),
}


@pytest.mark.parametrize("fault", sorted(SOURCES))
def test_module__built_wrong(cosid, shelf, fault):
    text, word = SOURCES[fault]
    daemon = cosid(shelf.config())
    shelf.put(shelf.build(fault, text))
    fails(daemon, r"cosid.conf:\d+: backend 'shelf': .*shelf.so", word)
    shelf.install("2")
    daemon.reload()


def test_module__hangs_when_loaded(cosid, shelf):
    """A reload and a start fail when the limit of 10 s has passed: both at once, because it is long."""
    daemon = cosid(shelf.config())
    shelf.put(shelf.build("hang", HEAD + GOOD + "#include <unistd.h>\n__attribute__((constructor)) static void f(void) "
                                                "{ for (;;) pause(); }\n"))
    starting = cosid.make(shelf.config()).start(wait=False)
    fails(daemon, TIMED_OUT)
    reload = daemon.status()["reload"]
    assert reload["ok"] is False and re.search("loading timed out after", reload["messages"][0])
    with pytest.raises(Ended) as ended:
        starting.wait_log("serving")
    starting.process = None
    assert ended.value.status == 1 and re.search(TIMED_OUT, ended.value.log), ended.value.log
    shelf.install("2")
    daemon.reload()


def test_module__name_of_another(cosid, shelf):
    """The file says by what name it goes, and that one is loaded already."""
    daemon = cosid(shelf.config())
    shelf.put(shelf.build("2"), "other")
    daemon.write_config(shelf.config({"name": "other", "module": "other"}))
    fails(daemon, r"backend 'other': .*other.so': the module's name is 'shelf'")


def test_module__check_leaves_no_process(cosid, shelf):
    """Neither the child nor what a constructor has started."""
    daemon = cosid(shelf.config())
    note = shelf.folder / "forked"
    shelf.put(shelf.build("fork", HEAD + GOOD + f"""
#include <stdio.h>
#include <unistd.h>
__attribute__((constructor)) static void f(void)
{{
	int written[2];
	char byte;

	if (pipe(written) == 0 && fork() == 0) {{
		FILE *note = fopen("{note}", "w");

		fprintf(note, "%d", getpid());
		fclose(note);
		write(written[1], "", 1);
		for (;;)
			pause();
	}}
	read(written[0], &byte, 1);
}}
"""))
    fails(daemon, "loading left a child process running")
    while pathlib.Path(f"/proc/{note.read_text()}").exists():
        os.sched_yield()
    children = pathlib.Path(f"/proc/{daemon.pid}/task/{daemon.pid}/children").read_text()
    assert not children, children


CRASHES = {
    "crash": ("__builtin_trap();", r"open\(\) of module 'shelf' (crashed \(SIGILL\)|ended the process)"),
    "exit": ("exit(0);", r"open\(\) of module 'shelf' ended the process \(exit status \d+\)"),
    "fork": ("if (fork() == 0) for (;;) pause();", r"open\(\) of module 'shelf' left a child process running"),
}


def crashing_open(shelf, statement):
    """Only for the backend whose root is named so: its neighbours of the same module open."""
    opens = "#include <stdlib.h>\n#include <string.h>\n#include <unistd.h>\nstatic int bad_open(struct cosi_call *call, const void *config, void **out)\n" \
            "{ (void)call; if (strstr(*(const char *const *)config, \"bad\") != NULL) { " + statement + " }\n" \
            "*out = (void *)config; return 0; }\n"
    return source(opens, open="bad_open")


@pytest.mark.parametrize("fault", sorted(CRASHES))
def test_open__crashes(cosid, shelf, fault):
    """--check, a start and a reload name the backend, the module and what happened, and go on to the next backend."""
    statement, words = CRASHES[fault]
    shelf.put(shelf.build(f"open-{fault}", crashing_open(shelf, statement), flags=["-Wno-cast-qual", "-Wno-discarded-qualifiers"]))
    config = shelf.config({**shelf.backend("broken"), "root": str(shelf.folder / "bad")}, {"name": "absent", "module": "absent"})
    line = rf"cosid.conf:\d+: backend 'broken': {words}"
    checked = cosid.make(config).run("--check")
    assert checked.returncode == 1, checked.stderr
    starts = cosid(config)
    starts.wait_log("2 of 3 backends are left out")
    for said in (checked.stderr, starts.log):
        assert re.search(line, said) and "backend 'absent': cannot load module" in said, said
        assert "backend 'shelf'" not in said, "its neighbour opens"
    starts.stop()
    daemon = cosid(shelf.config())
    daemon.write_config(config)
    last = daemon.reload(ENDS)
    assert "failed" in last and re.search(line, daemon.log), daemon.log
    serves = daemon.client()
    assert serves.create("still-there") == "shelf.still-there"


ENDS_IN_A_HANDLER = {
    "trap": ("__builtin_trap();", r"crashed in create_bucket\(\) \(SIGILL\)", signal.SIGILL),
    "abort": ("abort();", r"crashed in create_bucket\(\) \(SIGABRT\)", signal.SIGABRT),
    "exit": ("exit(0);", r"ended the process in create_bucket\(\) \(exit\(\)\)", signal.SIGABRT),
}


@pytest.mark.parametrize("fault", sorted(ENDS_IN_A_HANDLER))
def test_handler__that_ends_the_process_is_named(cosid, shelf, fault):
    """One line with the backend, the module, the handler and the call; and never a status that reads as a stop."""
    statement, words, how = ENDS_IN_A_HANDLER[fault]
    text = SOURCE.read_text()
    begins = "shelf_create(void *config, struct cosi_call *call, const struct cosi_bucket_req *req,\n\t     struct cosi_bucket *out)\n{\n"
    assert begins in text
    text = "#include <stdlib.h>\n#include <string.h>\n" + text.replace(
        begins, begins + f"if (strcmp(req->native, \"bad\") == 0) {{ {statement} }}\n")
    shelf.put(shelf.build(f"handler-{fault}", text, flags=["-Wno-declaration-after-statement"]))
    daemon = cosid(shelf.config())
    client = daemon.client()
    client.create("good")
    with refused("UNAVAILABLE"):
        client.create("bad")
    assert daemon.wait_end() == -how
    lines = [line for line in daemon.log.split("\n") if " error " in line]
    assert len(lines) == 1, daemon.log
    assert re.search(rf" error backend 'shelf': module 'shelf' {words} api=v1alpha1 method=DriverCreateBucket "
                     r"backend=shelf name=bad", lines[0]), lines[0]
    daemon.process = None


def test_module__by_a_link(cosid, shelf):
    """What counts is the file that it leads to."""
    daemon = cosid(shelf.config())
    (shelf.modules / "shelf.so").unlink()
    (shelf.modules / "shelf.so").symlink_to(shelf.build("2"))
    shelf.build("2").chmod(0o644)
    daemon.reload()
    assert {m["version"] for m in daemon.status()["modules"]} == {"2"}
    shelf.build("1").chmod(0o666)
    (shelf.modules / "shelf.so").unlink()
    (shelf.modules / "shelf.so").symlink_to(shelf.build("1"))
    last = daemon.reload(ENDS)
    assert "failed" in last and "may write to '" in daemon.log
    (shelf.modules / "shelf.so").unlink()
    (shelf.modules / "shelf.so").symlink_to(shelf.folder / "nowhere")
    assert "failed" in daemon.reload(ENDS)
    assert "No such file" in daemon.log


def test_module__not_readable(cosid, shelf):
    """By a daemon that is not root."""
    config = shelf.config()
    daemon = cosid.make(config)
    daemon.lend("cosid")
    daemon.build = daemon.folder
    for path in (shelf.folder, daemon.folder, shelf.root, daemon.socket.parent, *daemon.folder.iterdir(),
                 shelf.secret, shelf.build("2")):
        os.chown(path, 65534, 65534)
    shelf.folder.chmod(0o755)
    daemon.start(preexec=lambda: (os.setgroups([]), os.setgid(65534), os.setuid(65534)))
    serves_on(daemon)
    shelf.install("2")
    (shelf.modules / "shelf.so").chmod(0o600)
    fails(daemon, "shelf.so': Permission denied")
    (shelf.modules / "shelf.so").chmod(0o644)
    daemon.reload()


def half(path):
    os.truncate(path, path.stat().st_size // 2)


def other_machine(path):
    with open(path, "r+b") as file:
        file.seek(18)  # e_machine
        file.write(b"\x08\x00")  # MIPS


def instead(make):
    def fault(path):
        path.unlink()
        make(path)
    return fault


FILES = {
    "half": (half, "the file is truncated"), "garbage": (lambda p: p.write_text("no module\n" * 500), "not a shared object"),
    "empty": (lambda p: os.truncate(p, 0), "the file is empty"), "machine": (other_machine, "machine|architecture|processor"),
    "gone": (lambda p: p.unlink(), "No such file"), "folder": (instead(os.mkdir), "directory"),
    "fifo": (instead(os.mkfifo), "not a regular file"), "loop": (instead(lambda p: p.symlink_to(p)), "symbolic"),
    "writable": (lambda p: p.chmod(0o666), "may write to .*shelf.so"), "foreign": (lambda p: os.chown(p, 4242, -1), "4242"),
}


@pytest.mark.parametrize("fault", sorted(FILES))
def test_module__file_is_wrong(cosid, shelf, fault):
    """Each is done to a new file that takes the old one's place."""
    change, word = FILES[fault]
    daemon = cosid(shelf.config())
    shelf.install("2")
    change(shelf.modules / "shelf.so")
    fails(daemon, r"cosid.conf:\d+: backend 'shelf': .*shelf.so", word)


# ---- answers that the core does not believe


LIAR = HEAD + """
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
static const char *
long_text(struct cosi_call *call)
{
	char *text = cosi_alloc(call, 5000);
	return text == NULL ? NULL : memset(text, 'x', 4999);
}
static int
create(void *instance, struct cosi_call *call, const struct cosi_bucket_req *req, struct cosi_bucket *out)
{
	(void)instance;
	*out = (struct cosi_bucket){ .ours = true, .protocols = COSI_S3, .region = "here" };
	if (strcmp(req->native, "long-region") == 0)
		out->region = long_text(call);
	else if (strcmp(req->native, "long-name") == 0)
		out->name = long_text(call);
	else if (strcmp(req->native, "no-region") == 0)
		out->region = NULL;
	else if (strcmp(req->native, "no-protocol") == 0)
		out->protocols = 0;
	else if (strcmp(req->native, "not-ours") == 0)
		out->ours = false;
	else if (strcmp(req->native, "no-reason") == 0)
		return -1;
	else if (strcmp(req->native, "no-text") == 0)
		return cosi_fail(call, COSI_BUSY, "%s", "");
	else if (strcmp(req->native, "no-code") == 0)
		return cosi_fail(call, 4711, "cannot say");
	else if (strcmp(req->native, "late") == 0)
		/* So late that the deadline was answered: at the deadline itself either may come first. */
		(void)poll(NULL, 0, (int)call->host->time_left_ms(call) + 500);
	return 0;
}
static int
grant(void *instance, struct cosi_call *call, const struct cosi_access_req *req, struct cosi_access *out)
{
	(void)instance;
	for (size_t i = 0; i < req->nbuckets; i++)
		*out->buckets[i] = (struct cosi_bucket){ .protocols = COSI_S3, .region = "here" };
	out->key_id = strcmp(req->native, "cosi-no-id") == 0 ? NULL : "id";
	out->key_secret = strcmp(req->native, "cosi-no-secret") == 0 ? NULL : cosi_printf(call, "secret");
	return 0;
}
COSI_MODULE = { COSI_MODULE_HEAD, .name = "liar", .version = "1", .summary = "lies", .protocols = COSI_S3,
	.auth = COSI_AUTH_KEY, .config = { 1, 0, NULL }, .create_bucket = create, .grant = grant };
"""


@pytest.fixture
def lied(cosid, shelf):
    """A daemon that got the liar by a reload."""
    daemon = cosid(shelf.config(default_backend="shelf"))
    shelf.put(shelf.build("liar", LIAR), "liar")
    daemon.write_config(shelf.config({"name": "liar", "module": "liar", "public_endpoint": "http://l.example.org"},
                                     default_backend="shelf", call_timeout="300ms"))
    daemon.reload()
    return daemon


@pytest.mark.parametrize("bucket, code, words", [
    ("long-region", "INTERNAL", "module 'liar'.*region"), ("long-name", "INTERNAL", "module 'liar'.*name"),
    ("no-region", "INTERNAL", "module 'liar'.*missing region"), ("no-protocol", "INTERNAL", "module 'liar'"),
    ("not-ours", "INTERNAL", "module 'liar'.*without the owner's tags"),
    ("no-reason", "INTERNAL", "module 'liar' failed without a reason"),
    ("no-text", "INTERNAL|ABORTED", ""), ("no-code", "INTERNAL", "cannot say"),
    ("late", "DEADLINE_EXCEEDED", "deadline")])
def test_liar__create(lied, bucket, code, words):
    client = lied.client()
    with refused(code, words):
        client.create(bucket, {"backend": "liar"})
    assert client.create("honest", {"backend": "liar"}) == "liar.honest"
    serves_on(lied)


@pytest.mark.parametrize("account, words", [("no-id", "module 'liar'"), ("no-secret", "module 'liar'")])
def test_liar__grant(lied, account, words):
    client = lied.client()
    client.create("honest", {"backend": "liar"})
    with refused("INTERNAL", words):
        client.grant("liar.honest", account)
    serves_on(lied)

# SPDX-License-Identifier: Apache-2.0
"""test_start.py - what cosid refuses to start with, and how it says so."""
import os
import pathlib
import re
import signal
import socket
import stat
import subprocess

import pytest

from rig.daemon import Ended
from rig.shelf import Shelf, source
from rig.watch import wait_for


def fails(cosid, config, *patterns, preexec=None, **more):
    """It ends by itself with status 1; its log holds each of these words."""
    daemon = cosid.make(config, **more)
    with pytest.raises(Ended) as ended:
        daemon.start(preexec=preexec)
    daemon.process = None
    assert ended.value.status == 1
    for pattern in patterns:
        assert pattern in ended.value.log
    return ended.value.log


@pytest.fixture
def config(posix):
    return {"backends": [posix.backend()]}


@pytest.mark.clause(41, 43, 44, 50)
def test_endpoint__the_file_names_it(cosid, config):
    daemon = cosid(config)
    assert daemon.client().info().name == "cosid.example.org"
    assert os.listdir(daemon.socket.parent) == ["cosi.sock"], "nothing else beside the socket"


@pytest.mark.clause(41, 46)
def test_endpoint__the_environment_wins(cosid, config, folder):
    other = folder / "other.sock"
    daemon = cosid.make(config, env={"COSI_ENDPOINT": f"unix://{other}"}).start()
    assert not daemon.socket.exists()
    daemon.socket = other
    assert daemon.client().info().name == "cosid.example.org"


@pytest.mark.clause(46)
def test_secret__out_of_the_environment(cosid, posix, folder):
    """The same key by another way: the same credentials."""
    backend = posix.backend()
    plain = cosid({"backends": [backend]}).client()
    secret = backend["credential_key"].removeprefix("plain:")
    by_env = cosid({"backends": [backend | {"credential_key": "env:KEY_OF_FILES"}]},
                   env={"KEY_OF_FILES": secret}).client()
    bucket = plain.create("of-the-environment")
    assert by_env.grant(bucket, "ba-env") == plain.grant(bucket, "ba-env")


@pytest.mark.clause(40, 42, 53)
@pytest.mark.parametrize("bad", [
    "tcp://127.0.0.1:7000", "127.0.0.1:7000", "unix:///run/cosi", "unix:///run/cosi.sock.old",
    "unix://relative.sock", "unix:/run/cosi.sock", "unix-abstract:cosi.sock", "", "unix://",
    "unix:///.sock/", "http:///run/cosi.sock", "unix:///" + "x" * 120 + ".sock"])
def test_endpoint__bad(cosid, config, bad):
    fails(cosid, config, "COSI_ENDPOINT", env={"COSI_ENDPOINT": bad})
    fails(cosid, config | {"endpoint": bad}, "cosid.conf:", "endpoint")


def test_endpoint__longest_path(cosid, config, folder):
    """107 bytes are what the kernel takes."""
    deep = folder / ("d" * (107 - len(str(folder)) - len("//s.sock")))
    deep.mkdir()
    path = deep / "s.sock"
    assert len(str(path)) == 107
    daemon = cosid.make(config, env={"COSI_ENDPOINT": f"unix://{path}"}).start()
    assert path.exists()
    daemon.stop()
    fails(cosid, config, "107", env={"COSI_ENDPOINT": f"unix://{deep}/ss.sock"})


def test_endpoint__folder_is_missing(cosid, config, folder):
    fails(cosid, config, "no-such", env={"COSI_ENDPOINT": f"unix://{folder}/no-such/c.sock"})


@pytest.mark.parametrize("mode", ["0600", "0660", "0666"])
def test_socket__mode(cosid, config, mode):
    daemon = cosid(config | {"socket_mode": mode})
    assert stat.S_IMODE(daemon.socket.stat().st_mode) == int(mode, 8)


def test_signal__alarm_of_another(cosid, config):
    """It is no stop: systemd must see a failure."""
    daemon = cosid(config)
    daemon.process.send_signal(signal.SIGALRM)
    assert daemon.wait_end() == -signal.SIGALRM
    daemon.process = None


def test_signal__limits_are_errors(cosid, config):
    """A peer that is gone, and RLIMIT_FSIZE."""
    ignored = int(re.search(r"^SigIgn:\t(\w+)$", pathlib.Path(f"/proc/{cosid(config).pid}/status").read_text(), re.M)[1], 16)
    assert [sig for sig in (signal.SIGPIPE, signal.SIGXFSZ) if not ignored >> (sig - 1) & 1] == []


def test_socket__stale_one_is_replaced(cosid, config):
    daemon = cosid(config)
    daemon.kill()
    assert daemon.socket.exists()
    daemon.start()
    assert daemon.client().info().name == "cosid.example.org"


def test_socket__live_one_is_not_stolen(cosid, config):
    first = cosid(config)
    fails(cosid, config, str(first.socket), env={"COSI_ENDPOINT": f"unix://{first.socket}"})
    assert first.client().info().name == "cosid.example.org"


def test_socket__another_file_is_not_removed(cosid, config):
    daemon = cosid.make(config)
    daemon.socket.write_text("precious")
    fails(cosid, config, str(daemon.socket), env={"COSI_ENDPOINT": f"unix://{daemon.socket}"})
    assert daemon.socket.read_text() == "precious"


def test_socket__live_one_of_another_program(cosid, config):
    daemon = cosid.make(config)
    with socket.socket(socket.AF_UNIX) as other:
        other.bind(str(daemon.socket))
        other.listen()
        fails(cosid, config, str(daemon.socket), env={"COSI_ENDPOINT": f"unix://{daemon.socket}"})
        assert daemon.socket.is_socket()


CLOSES = """
#include <sys/prctl.h>
static int
open_same(struct cosi_call *call, const void *config, void **out)
{
	(void)call;
	*out = (void *)(unsigned long)config;
	return 0;
}

static void
close_never(void *arg)
{
	int in_child = 0;

	(void)prctl(PR_GET_PDEATHSIG, &in_child);
	while (in_child == 0) {
		(void)rmdir(((struct config *)arg)->root);
		(void)pause();
	}
}
"""


def test_socket__status_when_the_end_takes_too_long(cosid, config, folder):
    """A start that has failed is a failure, too, when the limit of a stop ends it."""
    shelf = Shelf(folder)
    shelf.put(shelf.build("closes", source(CLOSES, open="open_same", close="close_never")))
    first = cosid(config)
    daemon = cosid.make(shelf.config(), env={"COSI_ENDPOINT": f"unix://{first.socket}"}).start(wait=False)
    daemon.wait_log("another process listens there")
    wait_for(shelf.root, there=False)
    daemon.process.send_signal(signal.SIGTERM)
    assert daemon.process.wait(60) == 1
    daemon.process = None


@pytest.mark.clause(4, 53)
@pytest.mark.parametrize("bad", ["", "-a.org", "a-.org", "a..org", "a_b.org", "UPPER.org", "1.org",
                                 "a" * 63 + ".o", ".org", "org.", "a b"])
def test_driver_name__bad(cosid, config, bad):
    fails(cosid, config | {"driver_name": bad}, "cosid.conf:1: ", "driver_name")


@pytest.mark.clause(4)
def test_driver_name__longest(cosid, config):
    name = "a" * 30 + "." + "b" * 32
    assert cosid(config | {"driver_name": name}).client().info().name == name


def test_config__missing_file(cosid, config, folder):
    daemon = cosid.make(config)
    daemon.config.unlink()
    done = daemon.run()
    assert done.returncode == 1 and "cosid.conf" in done.stderr


@pytest.mark.clause(53)
@pytest.mark.parametrize("line, words", [
    ("drivername = \"x\";", "drivername"), ("workers = \"many\";", "workers"),
    ("workers = 0;", "workers"), ("workers = -1;", "workers"), ("workers = ;", ""),
    ("call_timeout = \"25\";", "call_timeout"), ("call_timeout = \"-1s\";", "call_timeout"),
    ("log = { level = \"loud\"; };", "level"), ("log = { colour = true; };", "colour"),
    ("socket_mode = \"999\";", "socket_mode"), ("socket_mode = \"0777x\";", "socket_mode"),
    ("default_backend = \"nowhere\";", "nowhere"),
    ("routes = ( { match = \"a*\"; backend = \"nowhere\"; } );", "nowhere"),
    ("routes = ( { match = \"a*\"; } );", "backend"),
    ("include_dir = \"relative\";", "include_dir"), ("@include \"nowhere.conf\"", "@include"),
    ("metrics = \"unix:///x/metrics.sock\";", "metrics"),
    ("\x01", ""), ("é = 1;", "")])
def test_config__bad_line(cosid, config, line, words):
    """The message names the file, the line and the thing."""
    daemon = cosid.make(config)
    text = daemon.config.read_text()
    number = text.count("\n") + 1
    fails(cosid, text + line + "\n", "cosid.conf:", words)
    done = daemon.run("--check")
    assert done.returncode == 0, done.stderr
    daemon.write_config(text + line + "\n")
    done = daemon.run("--check")
    assert done.returncode == 1
    assert f"cosid.conf:{number}: " in done.stderr or f"cosid.conf:{number + 1}: " in done.stderr
    assert words in done.stderr


@pytest.mark.parametrize("change, words", [
    ({"name": "Upper"}, "name"), ({"name": ""}, "name"), ({"name": "with.dot"}, "name"),
    ({"name": "x" * 33}, "name"), ({"module": "absent"}, "absent"),
    ({"module": "../posix"}, "module"), ({"root": "relative"}, "root"), ({"root": 5}, "root"),
    ({"colour": "red"}, "colour"), ({"ca_file": "/x"}, "ca_file"),
    ({"credential_key": "no-scheme-planted"}, "credential_key"),
    ({"credential_key": "file:/no/such/file"}, "/no/such/file"),
    ({"credential_key": "env:NO_SUCH_VARIABLE"}, "credential_key"),
    ({"credential_key": "plain:"}, "credential_key"),
    ({"public_endpoint": "ftp://x"}, "public_endpoint"), ({"accept_new": "maybe"}, "accept_new")])
def test_config__bad_backend(cosid, posix, change, words):
    log = fails(cosid, {"backends": [posix.backend() | change]}, "cosid.conf:6: ", words)
    assert "no-scheme-planted" not in log


@pytest.mark.parametrize("key, value", [("credential_key", "plain:short"), ("module", "absent"), ("root", "/no/such")])
def test_config__errors_of_modules_stand_at_the_key(cosid, posix, key, value):
    """Also those that only the module, or the store, can find."""
    entry = posix.backend() | {key: value}
    daemon = cosid.make({"backends": [entry]})
    head = daemon.config.read_text().splitlines()[:5]
    daemon.write_config("\n".join([*head, "backends = ( {", *(f'{k} = "{v}";' for k, v in entry.items()), "} );", ""]))
    line = 7 + list(entry).index(key)
    assert f"cosid.conf:{line}: backend 'files': " in daemon.run("--check", "--probe").stderr


@pytest.mark.parametrize("module", ["minio", "ceph-rgw"])
def test_config__region_that_no_answer_can_hold(cosid, posix, module):
    """Else a create would make the bucket and fail."""
    entry = {"name": "s3", "module": module, "endpoint": "http://127.0.0.1:9", "access_key": "plain:planted-access-key",
             "secret_key": "plain:planted-secret-key", "credential_key": posix.backend()["credential_key"]}
    for length, status in ((128, 0), (129, 1)):
        done = cosid.make({"backends": [entry | {"region": "r" * length}]}).run("--check")
        assert done.returncode == status, done.stderr
    assert "key 'region' is longer than 128 bytes, the most that COSI allows" in done.stderr


@pytest.mark.parametrize("missing", ["name", "module", "root", "credential_key", "public_endpoint"])
def test_config__backend_without(cosid, posix, missing):
    backend = posix.backend()
    del backend[missing]
    fails(cosid, {"backends": [backend]}, "cosid.conf:6: ", missing)


def test_config__two_backends_of_one_name(cosid, posix):
    fails(cosid, {"backends": [posix.backend("a"), posix.backend("a")]}, "cosid.conf:6: ", "'a'")


def test_config__all_errors_are_told(cosid, config):
    daemon = cosid.make(config | {"workers": 0, "call_timeout": "soon"})
    done = daemon.run("--check")
    assert done.returncode == 1
    assert "workers" in done.stderr and "call_timeout" in done.stderr


def test_config__errors_of_the_daemon_do_not_hide_the_modules(cosid, posix):
    """One run of --check, and one start that fails, tell of all there is, each once."""
    backends = [posix.backend("a") | {"colour": "red"}, posix.backend("b") | {"root": "relative"},
                posix.backend("c") | {"module": "absent"}, posix.backend("d") | {"max_calls": 0},
                posix.backend("e") | {"credential_key": "plain:short"}]
    daemon = cosid.make({"backends": backends, "workers": 0, "driver_name": "UPPER"})
    words = ("'driver_name'", "'workers'", "'max_calls'", "'colour'", "'root': expected",
             "cannot load module 'absent'", "'credential_key' is shorter")
    for text in (daemon.run("--check").stderr, fails(cosid, daemon.config.read_text())):
        assert [text.count(word) for word in words] == [1] * len(words), text
        assert len(text.splitlines()) == len(words), text


def test_probe__asks_whom_it_can(cosid, posix):
    """One backend that cannot be opened keeps none of the others from being asked."""
    other = {"credential_key": "plain:short"}
    backends = [posix.backend("one"), posix.backend("two") | other, posix.backend("three")]
    daemon = cosid.make({"backends": backends})
    done = daemon.run("--check", "--probe")
    assert done.returncode == 1 and "shorter than 32 bytes" in done.stderr, done.stderr
    assert done.stdout == "backend 'one': reachable\nbackend 'three': reachable\n"
    assert daemon.run("--check").stdout == "", "what is not asked is not said to be reachable"
    daemon.write_config({"backends": [posix.backend("one")], "call_timeout": "soon"})
    done = daemon.run("--check", "--probe")
    assert (done.returncode, done.stdout) == (1, "") and "'call_timeout'" in done.stderr, done.stderr


def test_config__include_dir(cosid, posix, folder):
    """In name order; other files are let be; each may add backends and routes."""
    parts = folder / "conf.d"
    parts.mkdir()
    daemon = cosid.make({"include_dir": str(parts)})
    for number, backend in enumerate(("late", "early")):
        text = cosid.make({"backends": [posix.backend(backend)]}).config.read_text()
        only = [x for x in text.split("\n") if x.startswith("backends")]
        (parts / f"{9 - number}0-{backend}.conf").write_text("\n".join(only) + "\n")
    (parts / "99-old.conf.dpkg-old").write_text("nonsense")
    daemon.start()
    bucket = daemon.client().create("included", {"backend": "early"})
    assert bucket == "early.included"
    daemon.stop()
    (parts / "50-broken.conf").write_text("backends = (\n{ name = 5; } );\n")
    fails(cosid, daemon.config.read_text(), "50-broken.conf:2: ")


@pytest.mark.parametrize("arguments, status", [
    (["--version"], 0), (["--describe"], 0), (["--describe", "{build}/modules/posix.so"], 0),
    (["--describe", "absent"], 1), (["--check"], 0), (["--check", "--probe"], 0),
    (["--nonsense"], 2), (["surplus"], 2), (["--probe"], 2)])
def test_options__status(cosid, config, build, arguments, status):
    daemon = cosid.make(config)
    done = daemon.run(*(a.format(build=build) for a in arguments))
    assert done.returncode == status, done.stderr
    assert done.stdout + done.stderr
    assert not daemon.socket.exists()


@pytest.mark.parametrize("arguments, words", [
    (["surplus"], "cosid: unexpected argument 'surplus'\n"), (["--probe"], "cosid: --probe needs --check\n"),
    (["--nonsense"], "unrecognized option '--nonsense'\n"), (["-c"], "option requires an argument -- 'c'\n")])
def test_options__wrong_ones_are_named(cosid, config, arguments, words):
    done = cosid.make(config).run(*arguments)
    assert words in done.stderr and done.stderr.endswith("Try 'cosid --help'.\n") and done.stdout == ""


@pytest.mark.parametrize("argument", ["-h", "--help", "--version", "--describe"])
def test_options__output_that_is_lost_is_an_error(cosid, config, build, argument):
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([build / "bin" / "cosid", argument], stdout=full, stderr=subprocess.PIPE, text=True,
                              timeout=60)
    assert done.returncode == 1 and "cannot write to standard output" in done.stderr

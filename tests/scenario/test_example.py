# SPDX-License-Identifier: Apache-2.0
"""test_example.py - modules/example beyond the contract: built as its readers build it, cut off anywhere, listed."""
import os
import re
import shutil
import subprocess

import pytest

from rig.client import outcome, refused, until_ok
from rig.proxy import Cut, Proxy, answer
from rig.shelf import installed
from rig.steps import PASSING, run
from rig.store import Example
from rig.tree import ROOT

# What runs before the operation, the operation, and how many requests it has.
OPERATIONS = {
    "create": ([], "create", 1), "again": (["create"], "create", 2),
    "grant": (["create"], "grant", 2), "repeat": (["create", "grant"], "grant", 3),
    "revoke": (["create", "grant"], "revoke", 2), "delete": (["create"], "delete", 2),
}


@pytest.fixture
def proxy(example_store):
    with Proxy(example_store.url) as made:
        yield made


@pytest.fixture
def store(example_store):
    example_store.buckets.clear()
    example_store.accounts.clear()
    return Example(example_store)


@pytest.fixture
def daemon(cosid, build, store, proxy):
    backend = store.backend("shop", endpoint=proxy.endpoint, request_timeout="1s", retries=0)
    return cosid({"module_dir": str(build / "example"), "backends": [backend]})


@pytest.mark.parametrize("cut", [Cut.BEFORE, Cut.AFTER, Cut.HALF])
def test_cut__of_any_request(daemon, store, proxy, name, cut):
    """The call is OK (a GET is sent again) or says so, and its retry ends as one that lost nothing.

    A call whose outcome is unknown keeps its locks for a request's time: all calls are cut first.
    """
    client = daemon.client()
    steps = [(f"{name}-{operation}-{number}", operation, number)
             for operation, (_, _, most) in OPERATIONS.items() for number in range(1, most + 1)]
    for each, operation, number in steps:
        before, what, _ = OPERATIONS[operation]
        for earlier in before:
            run(client, earlier, each)
        proxy.reset()
        proxy.rule = lambda r, n=number: cut if r.number == n else None
        assert outcome(run, client, what, each) in ("OK", *PASSING.split("|")), each
        proxy.reset()
    for each, operation, _ in steps:
        _, what, most = OPERATIONS[operation]
        proxy.reset()
        until_ok(PASSING, run, client, what, each)
        assert len(proxy.requests) <= most + 1
        assert (each in store.buckets()) == (what != "delete")
        assert (f"cosi-ba-{each}" in store.accounts()) == (what in ("grant", "repeat"))


def test_list__has_all_pages(daemon, store):
    client = daemon.client()
    names = [f"listed-{n}" for n in "abcdefg"]
    for each in names:
        client.create(each)
    store.make_foreign("listed-foreign")
    client.grant("shop.listed-a", "me")
    said = daemon.cosictl("list", "shop").stdout
    assert [n for n in names if f"shop.{n}" not in said] == []
    assert "cosi-me" in said and "listed-foreign" not in said


def test_refusal__says_what_to_do(cosid, build, store):
    backend = store.backend("shop", admin_key="plain:not-the-key-of-the-administrator")
    daemon = cosid({"module_dir": str(build / "example"), "backends": [backend]})
    with refused("UNAUTHENTICATED", "cannot create bucket 'photos': the store answered 401 .* is 'admin_key' right"):
        daemon.client().create("photos")
    assert "is 'admin_key' right" in daemon.run("--check", "--probe").stderr


@pytest.mark.parametrize("said", [answer(404), answer(404, b"<html>"), answer(200, b"ok"), answer(204, b""),
                                  answer(500), answer(429)])
def test_answer__of_somebody_else(daemon, store, proxy, name, said):
    """A proxy's 404 is no "gone", and its 200 no success."""
    client = daemon.client()
    client.grant(client.create(name), f"ba-{name}")
    proxy.rule = lambda request: said if request.method == "GET" else None
    with refused("UNAVAILABLE"):
        client.revoke(f"shop.cosi-ba-{name}", f"shop.{name}")
    with refused("UNAVAILABLE"):
        client.delete(f"shop.{name}")
    assert store.exists(name) and f"cosi-ba-{name}" in store.accounts()


def test_open__refuses_a_key_that_is_too_short(cosid, build, store):
    backend = store.backend("shop", admin_key="plain:short")
    daemon = cosid.make({"module_dir": str(build / "example"), "backends": [backend]})
    done = daemon.run("--check")
    assert done.returncode == 1 and "key 'admin_key' is shorter than 16 bytes" in done.stderr


def make(folder, build, *words):
    """In a copy of the folder, with the installed header."""
    if not (folder / "example").exists():
        shutil.copytree(ROOT / "modules" / "example", folder / "example")
    prefix = installed(build, folder)
    env = os.environ | {"PKG_CONFIG_PATH": str(next(prefix.glob("lib/**/pkgconfig")))}
    done = subprocess.run(["make", "-C", folder / "example", f"CPPFLAGS=-I{prefix}/include", *words], env=env,
                          capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_makefile__builds_outside_the_tree(build, folder):
    make(folder, build, "CFLAGS=-O0 -Wall -Wextra -Werror", f"DESTDIR={folder}/dest", "install")
    made = list((folder / "dest").rglob("example.so"))
    assert len(made) == 1 and made[0].stat().st_mode & 0o022 == 0
    said = subprocess.run([build / "bin" / "cosid", "--describe", made[0]], capture_output=True, text=True)
    assert said.stdout.startswith("name example\n"), said.stderr


def test_makefile__takes_flags_and_libraries(build, folder):
    line = make(folder, build, "-n", "CFLAGS=-O3", "LDFLAGS=-L/elsewhere", "LDLIBS=-lexpat")
    assert " -O3 " in line and "-lcrypto" not in line
    assert line.index(" store.c ") < line.index("-L/elsewhere") < line.index("-lexpat")


def test_makefile__links_another_library(build, folder):
    """LDLIBS stand after the sources: with --as-needed a library in front of them would not be linked."""
    shutil.copytree(ROOT / "modules" / "example", folder / "example")
    with open(folder / "example" / "store.c", "a", encoding="utf-8") as store:
        store.write("""
#include <expat.h>
const char *expat_of_this_module(void);
const char *expat_of_this_module(void) { return XML_ExpatVersion(); }
""")
    make(folder, build, "CFLAGS=-Wall -Werror", "LDFLAGS=-Wl,--as-needed", "LDLIBS=-ljansson -lcrypto -lexpat")
    file = folder / "example" / "example.so"
    needed = subprocess.run(["readelf", "-d", file], check=True, capture_output=True, text=True).stdout
    assert re.search(r"NEEDED.*\[libexpat\.so", needed), needed
    said = subprocess.run([build / "bin" / "cosid", "--describe", file], capture_output=True, text=True)
    assert said.stdout.startswith("name example\n"), said.stderr

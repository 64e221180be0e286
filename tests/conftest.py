# SPDX-License-Identifier: Apache-2.0
"""conftest.py - the fixtures: a build, stores, daemons.  tests/README.md says which test goes where."""
import itertools
import pathlib
import shutil
import signal
import tempfile
import threading

import pytest

from fakes.example_store import ExampleStore
from rig import secrets
from rig import guard
from rig.azure import Azurite
from rig.ceph import Ceph
from rig.client import API_VERSIONS
from rig.daemon import Cosid
from rig.minio import Minio
from rig.proxy import Proxy
from rig.shelf import Shelf
from rig.store import AzureStore, CephRgw, Example, MinioStore, Posix

ROOT = pathlib.Path(__file__).resolve().parents[1]


def pytest_addoption(parser):
    parser.addoption("--build", default=str(ROOT / "build" / "asan"), help="a build folder")
    parser.addoption("--whole-sweeps", action="store_true", help="every step of every sweep")
    parser.addoption("--valgrind", action="store_true", help="run cosid under valgrind")


def pytest_sessionstart():
    """A run that is told to stop ends its stores and daemons, as it does on ^C; for one that is killed
    tests/stores/guard does it, also for a worker of pytest-xdist that does not run in the main thread."""
    if threading.current_thread() is threading.main_thread():
        signal.signal(signal.SIGTERM, signal.default_int_handler)
    guard.start()


# The mark of a store's tests, by the names that its fixture, its module and its program have.
MARKS = {"posix": "posix", "rgw": "ceph", "ceph-rgw": "ceph", "ceph": "ceph", "minio": "minio",
         "azurite": "azure", "azure": "azure"}


def is_long(item):
    """Does one of its marks whole_sweeps(PARAMETER=VALUE...) fit all the way?"""
    return any(all(item.callspec.params[key] == value for key, value in mark.kwargs.items())
               for mark in item.iter_markers("whole_sweeps"))


def pytest_collection_modifyitems(config, items):
    """A test has the mark of each store whose fixture it uses or that is a parameter of it."""
    if not config.getoption("--whole-sweeps"):
        long = [item for item in items if is_long(item)]
        config.hook.pytest_deselected(items=long)
        items[:] = [item for item in items if item not in long]
    for item in items:
        params = item.callspec.params.values() if hasattr(item, "callspec") else ()
        words = {*item.fixturenames, *(word for word in params if isinstance(word, str))}
        for mark in {MARKS[word] for word in words & MARKS.keys()}:
            item.add_marker(mark)


def pytest_report_teststatus(report):
    """How long it took stands next to how it went."""
    if report.when == "call" and report.outcome == "passed":
        return "passed", ".", f"PASSED {report.duration:.1f} s"
    return None


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    """A test that failed shows what its daemons logged last."""
    report = (yield).get_result()
    if not report.failed:
        return
    found = getattr(item, "funcargs", {})
    daemons = [*getattr(found.get("cosid"), "made", ()), found.get("daemon")]
    for daemon in dict.fromkeys(d for d in daemons if isinstance(d, Cosid)):
        log = daemon.folder / "log"
        if log.exists():
            last = log.read_text(errors="replace").splitlines()[-12:]
            report.sections.append((f"log of {daemon.folder.name}", "\n".join(last)))


@pytest.fixture(scope="session")
def build(request):
    folder = pathlib.Path(request.config.getoption("--build")).resolve()
    assert (folder / "bin" / "cosid").exists(), f"{folder} holds no build"
    return folder


@pytest.fixture(scope="session")
def whole(request):
    """True: every step of a sweep; False: the gate's shortened one."""
    return request.config.getoption("--whole-sweeps")


def _new_folder():
    # Short, because a socket's path has at most 107 bytes.
    return pathlib.Path(tempfile.mkdtemp(prefix=""))


@pytest.fixture
def folder():
    made = _new_folder()
    yield made
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def rgw():
    """One real gateway for the whole run."""
    made = _new_folder()
    ceph = Ceph(made / "ceph").up()
    yield ceph
    ceph.down()
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def minio():
    """One real server for the whole run."""
    made = _new_folder()
    server = Minio(made / "minio").up()
    yield server
    server.down()
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def azurite():
    """One server for the whole run, Microsoft's emulator."""
    made = _new_folder()
    server = Azurite(made / "azurite").up()
    yield server
    server.down()
    shutil.rmtree(made)


@pytest.fixture(scope="session")
def stores(request):
    """stores("minio"): that module's store, on the run's server."""
    kinds = {"ceph-rgw": (CephRgw, "rgw"), "minio": (MinioStore, "minio"),
             "azure": (AzureStore, "azurite")}

    def get(name):
        kind, server = kinds[name]
        return kind(request.getfixturevalue(server))

    return get


@pytest.fixture
def posix(folder):
    return Posix(folder / "root")


@pytest.fixture
def shelf(folder):
    """A module folder of the test's own, with the module tests/scenario/shelf.c."""
    made = Shelf(folder)
    made.install()
    return made


_numbers = itertools.count(1)


@pytest.fixture
def name():
    """A bucket name that no other test has, with room for a suffix."""
    return f"bucket-{next(_numbers)}-of-the-tests"


class Starter:
    """Makes daemons, and ends those that are left."""

    def __init__(self, build, folder, wrap=()):
        self.build, self.folder, self.wrap, self.made = build, folder, wrap, []

    def make(self, config, **more):
        """Not started yet."""
        more = {"wrap": self.wrap} | more
        daemon = Cosid(self.build, self.folder / f"cosid{len(self.made)}", config, **more)
        self.made.append(daemon)
        return daemon

    def __call__(self, config, **more):
        return self.make(config, **more).start()

    def stop_all(self):
        failures = []
        for daemon in self.made:
            try:
                daemon.stop()
            except Exception as error:  # the others must end too
                failures.append(error)
        if failures:
            raise failures[0]


def _wrap(request, folder):
    if not request.config.getoption("--valgrind"):
        return ()
    return ("valgrind", "-q", "--leak-check=full", "--errors-for-leak-kinds=definite",
            "--error-exitcode=98", f"--log-file={folder}/valgrind.%p")


@pytest.fixture
def cosid(request, build, folder):
    """cosid(config): a daemon that serves; ended, and checked for a clean end, after the test."""
    starter = Starter(build, folder, _wrap(request, folder))
    yield starter
    starter.stop_all()


@pytest.fixture(scope="module")
def lasting(request, build):
    """As cosid, but what it starts stays for the file: for tests that do not mind each other."""
    made = _new_folder()
    starter = Starter(build, made, _wrap(request, made))
    yield starter
    starter.stop_all()
    shutil.rmtree(made)


@pytest.fixture
def proxy(rgw):
    with Proxy(rgw.endpoint) as made:
        yield made


@pytest.fixture(params=sorted(API_VERSIONS))
def api_version(request):
    return request.param


# ---- the shared suite: every store, every API version, one daemon per file


@pytest.fixture(scope="session")
def example_store():
    """The fake store of modules/example."""
    with ExampleStore("planted-key-of-the-examples-administrator",
                      new_secret=lambda account: secrets.plant("planted-secret-of-" + account)) as made:
        yield made


@pytest.fixture(scope="module", params=["posix", "ceph-rgw", "minio", "azure", "example"])
def shared(request, build, stores):
    """(store, daemon), kept for the file."""
    made = _new_folder()
    config = {}
    if request.param == "posix":
        store = Posix(made / "root")
    elif request.param == "example":
        store = Example(request.getfixturevalue("example_store"))
        config = {"module_dir": str(build / "example")}
    else:
        store = stores(request.param)
    starter = Starter(build, made, _wrap(request, made))
    yield store, starter(config | {"backends": [store.backend("shop")]}, protocol=store.protocol)
    starter.stop_all()
    shutil.rmtree(made)


@pytest.fixture
def store(shared):
    return shared[0]


@pytest.fixture
def daemon(shared):
    return shared[1]


@pytest.fixture
def client(daemon, api_version):
    made = daemon.client(api_version)
    yield made
    made.close()
    daemon.clients.remove(made)

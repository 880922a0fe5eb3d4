"""The program as `start` runs it, and what a browser does with it."""

import http.cookiejar
import re
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


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

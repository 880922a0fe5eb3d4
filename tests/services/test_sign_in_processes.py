"""What must hold across processes that share nothing but the database: the throttle, and a code that works once."""

import http.cookiejar
import re
import socket
import subprocess
import sys
import urllib.error
import urllib.parse
import urllib.request

import pytest
from django.conf import settings

pytestmark = pytest.mark.services

TOGETHER = """
import django, sys, threading
django.setup()
from django.db import connection
from planner.services import codes, throttle
throttle.FIRST_WAIT_SECONDS = 600
got = []
def attempt():
    for each in sys.argv[2:]:
        got.append(throttle.admit("s", "c") == 0 if sys.argv[1] == "guess" else codes.spend(each) is not None)
    connection.close()
connection.close()
print("ready", flush=True)
input()
threads = [threading.Thread(target=attempt) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(got))
"""


MAKE = """
import django
django.setup()
from planner.services import accounts, codes
accounts.local_owner()  # as does `start`
print(*(codes.create() for _ in range(9)))
"""


def together(environment, *arguments):
    """Two processes of four threads begin at the same moment; returns how often each succeeded."""
    command = [sys.executable, "-c", TOGETHER, *arguments]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": settings.BASE_DIR}
    with (
        subprocess.Popen(command, env=environment, **pipes) as one,
        subprocess.Popen(command, env=environment, **pipes) as other,
    ):
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
        return [int(process.communicate(timeout=60)[0]) for process in (one, other)]


def test_a_burst_from_two_processes_gets_no_more_free_guesses_than_there_are(shared):
    assert sum(together(shared, "guess", *"0123456789")) == 5


def test_a_code_that_many_send_at_once_lets_one_in(shared):
    done = subprocess.run(
        [sys.executable, "-c", MAKE], env=shared, cwd=settings.BASE_DIR, check=True, capture_output=True, text=True
    )
    codes = done.stdout.split()
    assert len(codes) == 9
    assert sum(together(shared, "spend", *codes)) == 9


@pytest.fixture
def served(shared):
    """The addresses of two web processes, not of `start`, on the shared database."""
    processes, addresses = [], []
    for _ in range(2):
        with socket.create_server(("127.0.0.1", 0)) as listening:
            listening.set_inheritable(True)
            address = f"http://127.0.0.1:{listening.getsockname()[1]}/"
            process = subprocess.Popen(
                [sys.executable, "-m", "planner.project.web"],
                env=shared | {"OUTLAY_SOCKET": str(listening.fileno())},
                cwd=settings.BASE_DIR,
                pass_fds=[listening.fileno()],
            )
        processes.append(process)
        addresses.append(address)  # the socket waits for it
    yield addresses
    for process in processes:
        process.terminate()
    for process in processes:
        process.wait(20)


def try_password(address, username):
    """Sign in as a browser does; returns the status."""
    browser = urllib.request.build_opener(
        urllib.request.ProxyHandler({}), urllib.request.HTTPCookieProcessor(http.cookiejar.CookieJar())
    )
    with browser.open(f"{address}sign-in/", timeout=60) as answer:
        token = re.search(r'name="csrfmiddlewaretoken" value="(\w+)"', answer.read().decode())[1]
    form = {"csrfmiddlewaretoken": token, "username": username, "password": "a guess"}
    try:
        with browser.open(f"{address}sign-in/", urllib.parse.urlencode(form).encode(), timeout=60) as answer:
            return answer.status
    except urllib.error.HTTPError as answer:
        with answer:
            return answer.code


def test_guesses_at_passwords_are_slowed_across_two_web_processes(served):
    one, other = served
    statuses = [try_password(address, "ada") for address in (one, other, one, other, one, other, one)]
    assert statuses == [200] * 5 + [429] * 2

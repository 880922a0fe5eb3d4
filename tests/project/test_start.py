"""`start`: says where it is, serves, is kept alive, and leaves nothing behind however it ends."""

import os
import signal
import socket
import stat
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.running import ROOT, Running

pytestmark = pytest.mark.skipif(not Path("/proc/self/task").exists(), reason="looks for child processes in /proc")


def alive(pid):
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


def gone_within(seconds, pids):
    deadline = time.monotonic() + seconds
    while any(map(alive, pids)) and time.monotonic() < deadline:
        time.sleep(0.05)
    return not any(map(alive, pids))


@pytest.fixture(scope="module")
def data(tmp_path_factory):
    return tmp_path_factory.mktemp("start") / "data 中文"


@pytest.fixture
def start(environment, data):
    started = []
    environment |= {"OUTLAY_DATA": str(data), "OUTLAY_BOOTSTRAP": "0", "OUTLAY_NO_BROWSER": "1"}

    def start(*arguments, **variables):
        started.append(Running(environment | variables, *arguments))
        return started[-1]

    yield start
    for running in started:
        if running.process.poll() is None:
            running.end(signal.SIGKILL)
        running.process.stdout.close()


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listening:
        return listening.getsockname()[1]


def test_it_serves_the_owner_and_a_second_start_is_quick_and_takes_another_port(start, data):
    first = start().wait_for_address()
    assert first.get("healthz") == (200, b"ok")
    assert first.sign_in()[0] == 200
    assert b"Site administration" in first.get("admin/")[1]
    assert first.get("static/vendor/plotly.min.js")[0] == 200
    second, best = None, float("inf")
    for _try in range(3):  # a busy machine may be slow once, not three times
        began = time.monotonic()
        second = start().wait_for_address()
        best = min(best, time.monotonic() - began)
        if best < 5:
            break
    assert best < 5
    assert second.address != first.address
    assert second.get("healthz") == (200, b"ok")
    assert not any("Loading" in line or "Preparing" in line for line in second.said)


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_stops_it_with_its_children(start, number):
    running = start().wait_for_address()
    children = running.children()
    assert children
    assert running.end(number) == 0
    assert gone_within(1, children)


def test_killed_it_leaves_no_child(start):
    running = start().wait_for_address()
    children = running.children()
    running.end(signal.SIGKILL)
    assert gone_within(6, children)


@pytest.mark.parametrize("name", ["web", "worker"])
def test_a_dead_child_is_started_again_at_the_same_address(start, name):
    running = start().wait_for_address()
    before = running.children()
    (victim,) = [pid for pid in before if f"planner.project.{name}" in Path(f"/proc/{pid}/cmdline").read_text()]
    os.kill(victim, signal.SIGKILL)
    assert gone_within(2, [victim])
    assert running.get("healthz") == (200, b"ok")
    deadline = time.monotonic() + 5
    while victim in (after := running.children()) or len(after) < 2:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    assert len(after) == len(before) == 2


def test_a_port_that_was_asked_for_is_taken_or_nothing(start):
    port = free_port()
    running = start("--port", str(port)).wait_for_address()
    assert running.address == f"http://127.0.0.1:{port}/"
    other = start("--port", str(port))
    out, _ = other.process.communicate(timeout=30)
    assert other.process.returncode == 1
    assert f"port {port} cannot be used" in out


@pytest.mark.parametrize("address", ["0.0.0.0", "::", "192.168.1.2", "example.org"])
def test_another_address_than_loopback_is_refused_with_the_reason(start, address):
    running = start("--bind", address)
    out, _ = running.process.communicate(timeout=30)
    assert running.process.returncode == 1
    assert "for one person on this computer" in out


@pytest.fixture
def browser_that_fails(tmp_path):
    """(what BROWSER is set to, what it was asked to open)."""
    browser = tmp_path / "browser"
    browser.write_text(f"#!/bin/sh\necho \"$1\" > '{tmp_path / 'opened'}'\nexit 3\n")
    browser.chmod(0o755)

    def opened():
        deadline = time.monotonic() + 5
        while not (tmp_path / "opened").exists() and time.monotonic() < deadline:
            time.sleep(0.05)
        return (tmp_path / "opened").read_text().strip()

    return str(browser), opened


def test_a_browser_that_fails_does_not_matter(start, browser_that_fails):
    browser, opened = browser_that_fails
    running = start(OUTLAY_NO_BROWSER="0", BROWSER=browser).wait_for_address()
    assert opened() == running.file().as_uri()
    assert running.get("healthz") == (200, b"ok")


def test_the_code_is_in_a_private_file_that_goes_once_it_is_spent_and_nowhere_else(start, browser_that_fails):
    browser, opened = browser_that_fails
    running = start(OUTLAY_NO_BROWSER="0", BROWSER=browser).wait_for_address()
    file = running.file()
    code = running.code()
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert len(code) == 32  # 128 bits, hexadecimal
    told = opened()
    assert running.sign_in()[0] == 200
    assert not file.exists()
    running.end(signal.SIGTERM)
    running.said.extend(running.process.stdout)
    assert code not in told + "".join(running.said)


def test_a_code_is_good_for_one_browser(start):
    running = start().wait_for_address()
    code = running.code()
    assert running.sign_in(code) == (200, running.address)
    other = running.another_browser()
    assert other.sign_in(code) == (403, f"{running.address}sign-in/code/")
    assert other.get("admin/")[1].count(b'name="code"') == 1  # still before the door


def test_nobody_gets_in_without_a_code(start):
    running = start().wait_for_address()
    status, page = running.get("")
    assert status == 200
    assert b'name="code"' in page
    assert b"python3 manage.py sign_in" in page


def test_a_session_outlives_the_web_process_and_start_itself(start):
    running = start().wait_for_address()
    running.sign_in()
    children = running.children()
    for child in children:
        os.kill(child, signal.SIGKILL)
    assert gone_within(2, children)
    assert b"Site administration" in running.get("admin/")[1]
    running.end(signal.SIGTERM)
    again = start("--port", running.address.rpartition(":")[2].strip("/")).wait_for_address()
    again.cookies = running.cookies
    assert b"Site administration" in again.get("admin/")[1]


def test_sign_in_makes_another_page_while_it_runs_and_says_so_when_it_does_not(start, environment, data):
    environment |= {"OUTLAY_DATA": str(data), "OUTLAY_BOOTSTRAP": "0", "OUTLAY_NO_BROWSER": "1"}

    def sign_in(*arguments):
        command = [sys.executable, str(ROOT / "manage.py"), "sign_in", *arguments]
        return subprocess.run(command, env=environment, cwd="/", capture_output=True, text=True, timeout=30)

    running = start().wait_for_address()
    running.sign_in()
    said = sign_in()
    assert said.returncode == 0, said.stderr
    assert str(running.file()) in said.stdout
    assert running.code() not in said.stdout
    assert running.another_browser().sign_in()[0] == 200
    assert running.another_browser().sign_in(sign_in("--code").stdout)[0] == 200
    running.end(signal.SIGKILL)  # which leaves word of where it was
    said = sign_in()
    assert said.returncode == 1
    assert f"nothing serves the data folder {data}" in said.stderr


def test_two_instances_share_no_cookie(start, tmp_path):
    one, other = start().wait_for_address(), start(OUTLAY_DATA=str(tmp_path / "other")).wait_for_address()
    names = []
    for running in (one, other):
        running.sign_in()
        running.get("admin/")
        names.append({cookie.name for cookie in running.cookies})
    assert len(names[0]) == len(names[1]) == 2  # session, forms
    assert not names[0] & names[1]


@pytest.mark.parametrize("host", ["attacker.example", "127.0.0.1.attacker.example", "192.168.1.2"])
def test_a_name_that_was_made_to_point_here_is_refused(start, host):
    running = start().wait_for_address()
    port = running.address.rpartition(":")[2].strip("/")
    for path in ("", "sign-in/", "admin/"):
        assert running.get(path, {"Host": f"{host}:{port}"})[0] == 400
    assert running.get("sign-in/", {"Host": f"localhost:{port}"})[0] == 200


def test_what_comes_through_a_proxy_is_refused_even_with_the_right_code(start):
    running = start().wait_for_address()
    code = running.code()
    assert running.sign_in(code, {"X-Forwarded-For": "127.0.0.1"})[0] == 403
    assert running.sign_in(code)[0] == 200  # the code was not spent


def test_folders_that_others_could_enter_are_closed(start, tmp_path):
    for folder in (tmp_path / "data", tmp_path / "data" / "broker"):
        folder.mkdir(mode=0o755)
        folder.chmod(0o755)
    start(OUTLAY_DATA=str(tmp_path / "data")).wait_for_address()
    for folder in (tmp_path / "data", tmp_path / "data" / "broker"):
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700

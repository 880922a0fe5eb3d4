"""Real workers that are killed, paused, cancelled and stopped in the middle: a run ends once, and rightly."""

import os
import signal
import subprocess
import sys
import time

import pytest
import yaml

from tests.running import ROOT, ended, under_way

pytestmark = pytest.mark.services


def test_a_killed_worker_costs_an_attempt_and_the_run_finishes_once(program):
    program.start()
    pk = program.ask()
    program.wait(pk, under_way)
    program.kill("worker")
    assert program.wait(pk, ended)[:2] == ("done", 2)
    assert program.rows("SELECT COUNT(*) FROM planner_run") == [(1,)]
    assert program.ask() == pk


def test_a_worker_that_was_killed_while_it_waited_for_work_costs_nothing(program):
    program.start()
    program.kill("worker")
    assert program.wait(program.ask(), ended)[:2] == ("done", 1)


def test_a_paused_worker_that_wakes_late_writes_nothing(program):
    program.start()
    pk = program.ask()
    program.wait(pk, under_way)
    sleeper = os.getpgid(program.child("worker"))
    os.killpg(sleeper, signal.SIGSTOP)
    program.start()  # a second worker beside the paused one
    assert program.wait(pk, ended)[:2] == ("done", 2)
    before = program.rows("SELECT * FROM planner_run")
    os.killpg(sleeper, signal.SIGCONT)
    time.sleep(2)
    assert program.child("worker")
    assert program.rows("SELECT * FROM planner_run") == before


def test_a_cancel_is_obeyed_within_two_seconds(program):
    program.start()
    pk = program.ask()
    program.wait(pk, under_way)
    began = time.monotonic()
    assert program.post(f"runs/{pk}/cancel/")[0] == 200
    assert program.wait(pk, ended)[0] == "cancelled"
    assert time.monotonic() - began < 2
    again = program.ask()
    assert again != pk
    assert program.wait(again, ended)[0] == "done"


def test_stopped_in_the_middle_it_goes_on_at_the_next_start(program):
    program.start()
    pk = program.ask()
    program.wait(pk, under_way)
    program.stop(signal.SIGINT)
    assert program.run(pk)[0] == "queued"  # given back, not lost
    program.start()
    assert program.wait(pk, ended)[:2] == ("done", 2)
    assert program.rows("SELECT lost FROM planner_run") == [(0,)]


ASK = """
import django
django.setup()
from planner.models import Scenario
from planner.services import runs
print(runs.sweep(Scenario.objects.get().head, None).pk)
"""


@pytest.fixture
def service(program):
    """Start a service of compose.yaml by its own command: service("worker")."""
    services = yaml.safe_load((ROOT / "compose.yaml").read_text("utf-8"))["services"]
    started = []

    def service(name):
        program_, *arguments = services[name]["command"].split()
        assert program_ == "celery"
        arguments = [each.replace("/tmp/beat", f"{program.environment['OUTLAY_DATA']}/beat") for each in arguments]
        started.append(
            subprocess.Popen(
                [sys.executable, "-m", "celery", *arguments], cwd=ROOT, env=program.environment, start_new_session=True
            )
        )
        return started[-1]

    yield service
    for process in started:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@pytest.mark.parametrize("program", ["server"], indirect=True)
def test_on_a_server_another_worker_takes_over_what_a_dead_one_held(program, service):
    program.start()  # makes the database and its first scenario
    program.stop()
    dead = service("worker")
    ask = subprocess.run(
        [sys.executable, "-c", ASK],
        cwd=ROOT,
        env=program.environment | {"DJANGO_SETTINGS_MODULE": "planner.project.settings"},
        capture_output=True,
        text=True,
        check=True,
    )
    pk = int(ask.stdout)
    program.wait(pk, under_way)
    os.killpg(dead.pid, signal.SIGKILL)
    service("worker")
    service("clock")
    assert program.wait(pk, ended)[:2] == ("done", 2)

"""Real workers that are killed, paused, cancelled and stopped in the middle: a run ends once, and rightly."""

import os
import signal
import time

import pytest

from tests.running import LEASE, ended, under_way

pytestmark = pytest.mark.services


@pytest.mark.parametrize("victim", ["worker", "computing"])
def test_a_killed_worker_costs_an_attempt_and_the_run_finishes_once(program, victim):
    program.start()
    pk = program.ask()
    program.wait(pk, under_way)
    os.kill(program.child("worker") if victim == "worker" else program.computing(), signal.SIGKILL)
    assert program.wait(pk, ended)[:2] == ("done", 2)
    assert program.rows("SELECT COUNT(*) FROM planner_run") == [(1,)]
    assert program.ask() == pk


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
    assert program.run(pk)[0] == "running"
    program.start()
    assert program.wait(pk, ended, LEASE + 40)[:2] == ("done", 2)

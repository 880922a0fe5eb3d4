"""Web and worker processes killed at random while somebody edits and asks for runs. OUTLAY_KILLS says how often."""

import http.client
import json
import os
import random
import threading
import time

import pytest

from tests.running import ended

pytestmark = pytest.mark.services
KILLS = int(os.environ.get("OUTLAY_KILLS") or 5)
VICTIMS = [["web"], ["worker"], ["web", "worker"]]


def back(program, seconds=60):
    """Wait until the web process answers again."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            return program.get("healthz")
        except (OSError, http.client.HTTPException):
            time.sleep(0.05)
    raise AssertionError("the web process did not come back")


def head(program):
    ((number,),) = program.rows(
        "SELECT v.number FROM planner_scenario s JOIN planner_scenarioversion v ON v.id = s.head_id WHERE s.id = 1"
    )
    return number


def kills(program, chance):
    """Kill at random moments while it serves, and one time in five while it is still starting again."""
    for kill in range(KILLS):
        time.sleep(chance.uniform(0.2, 3))
        for name in chance.choice(VICTIMS):
            program.kill(name)
        while not (program.child("web") and program.child("worker")):
            time.sleep(0.05)
        if kill % 5:
            back(program)


def test_no_acknowledged_edit_is_lost_and_every_run_ends(program):
    program.start()
    chance, saved, asked, tries = random.Random(20261130), {}, set(), 0
    killer = threading.Thread(target=kills, args=(program, random.Random(1)))
    killer.start()
    while killer.is_alive():
        back(program)
        tries += 1  # no rate twice: one saved without an answer would be no change the second time
        base, rate = head(program), round(2 + tries * 0.01, 2)
        status, _address = program.post(
            "s/1/edit/", {"path": "finance/discount_rate", "value": f"{rate}", "base": base}
        )
        assert status in (0, 200)
        if status == 200:
            saved[base + 1] = rate / 100
        if len(saved) > 10 * len(asked) and len(asked) < 20:
            status, address = program.post("s/1/sensitivity/run/", {"version": head(program)})
            if status == 200:
                asked.add(int(address.rstrip("/").rpartition("/")[2]))
        time.sleep(chance.uniform(0, 0.3))
    assert saved
    assert asked
    back(program)
    numbers = [number for (number,) in program.rows("SELECT number FROM planner_scenarioversion ORDER BY number")]
    assert numbers == list(range(1, head(program) + 1))
    for number, rate in saved.items():
        ((patch,),) = program.rows(f"SELECT patch FROM planner_scenarioversion WHERE number = {number}")
        patch = json.loads(patch) if isinstance(patch, str) else patch  # SQLite keeps JSON as text
        assert patch[0][0] == "finance/discount_rate"
        assert patch[0][2] == pytest.approx(rate)
    runs = [pk for (pk,) in program.rows("SELECT id FROM planner_run")]
    assert asked <= set(runs)
    for pk in runs:
        state, _attempt, _done = program.wait(pk, ended, 60 + 15 * len(runs))
        ((result, failure),) = program.rows(f"SELECT result, failure FROM planner_run WHERE id = {pk}")
        assert (result is not None) == (state == "done")
        assert (failure is not None) == (state == "failed")

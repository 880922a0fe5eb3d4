"""The throttle holds across processes that share nothing but the database."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

pytestmark = pytest.mark.services
BURST = """
import django, threading
django.setup()
from django.db import connection
from planner.services import throttle
throttle.FIRST_WAIT_SECONDS = 600
admitted = []
def guess():
    for _ in range(10):
        admitted.append(throttle.admit("s", "c") == 0)
    connection.close()
connection.close()
print("ready", flush=True)
input()
threads = [threading.Thread(target=guess) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(sum(admitted))
"""


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


def test_a_burst_from_two_processes_gets_no_more_free_guesses_than_there_are(shared):
    command = [sys.executable, "-c", BURST]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "cwd": settings.BASE_DIR}
    with (
        subprocess.Popen(command, env=shared, **pipes) as one,
        subprocess.Popen(command, env=shared, **pipes) as other,
    ):
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
        admitted = [int(process.communicate(timeout=60)[0]) for process in (one, other)]
    assert sum(admitted) == 5

"""The last view of a link is given once, whichever processes ask for it together."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

pytestmark = pytest.mark.services
MAKE = """
import django
django.setup()
from planner.models import Report, Workspace
from planner.services import sharing
workspace = Workspace.objects.create(name="Lab")
report = Report.objects.create(
    workspace=workspace, title="x", version_number=1, engine_version="1", content="{}", sha256="0" * 64, pages="{}"
)
print(sharing.create(report, None, views=5)[1])
"""
BURST = """
import sys, django, threading
django.setup()
from django.db import connection
from planner.services import sharing
link = sharing.find(sys.argv[1])
taken = []
def take():
    for _ in range(5):
        taken.append(sharing.take_view(link))
    connection.close()
connection.close()
print("ready", flush=True)
input()
threads = [threading.Thread(target=take) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
link.refresh_from_db()
print(sum(taken), link.opened)
"""


@pytest.mark.parametrize("kind", ["sqlite", "postgresql"])
def test_u096_of_forty_who_enter_at_once_five_take_the_five_views(request, environment, tmp_path, kind):
    environment |= {
        "OUTLAY_DATA": str(tmp_path),
        "OUTLAY_BOOTSTRAP": "0",
        "DJANGO_SETTINGS_MODULE": "planner.project.settings",
    }
    if kind == "postgresql":
        environment["DATABASE_URL"] = request.getfixturevalue("postgres")
    more = {"env": environment, "text": True, "cwd": settings.BASE_DIR}
    migrate = [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), "migrate", "--verbosity=0"]
    subprocess.run(migrate, check=True, timeout=120, **more)
    token = subprocess.check_output([sys.executable, "-c", MAKE], timeout=60, **more).strip()
    command, pipes = [sys.executable, "-c", BURST, token], {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    with (
        subprocess.Popen(command, **pipes, **more) as one,
        subprocess.Popen(command, **pipes, **more) as other,
    ):
        for process in (one, other):
            assert process.stdout.readline() == "ready\n"
        for process in (one, other):
            process.stdin.write("\n")
            process.stdin.flush()
        answers = [process.communicate(timeout=60)[0].split() for process in (one, other)]
    assert sum(int(taken) for taken, _opened in answers) == 5
    assert max(int(opened) for _taken, opened in answers) == 5

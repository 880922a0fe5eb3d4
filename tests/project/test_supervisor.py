"""Children that die again and again, or will not leave."""

import signal
import sys
import time

import pytest

from planner.project import supervisor
from planner.project.supervisor import Child, Supervisor

if sys.platform == "win32":
    pytest.skip("process groups", allow_module_level=True)


@pytest.fixture
def supervise(tmp_path):
    made = []

    def supervise(*codes):
        children = [Child(name, [sys.executable, "-c", code]) for name, code in zip("abc", codes, strict=False)]
        made.append(Supervisor(children, tmp_path))
        made[-1].start_all()
        return made[-1]

    yield supervise
    for each in made:
        each.stop()


def test_a_child_that_dies_at_once_is_started_after_ever_longer_pauses(supervise, monkeypatch, capsys):
    clock = [0.0]
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: clock[0])
    watch = supervise("import sys; sys.exit(7)")
    (child,) = watch.children
    pauses = []
    for _ in range(9):
        child.process.wait()
        watch.look()
        pauses.append(child.start_again_at - clock[0])
        clock[0] = child.start_again_at - 0.01
        if pauses[-1]:
            watch.look()
            assert child.process is None
        clock[0] = child.start_again_at
        watch.look()
    assert pauses == [0, 1, 2, 4, 8, 16, 30, 30, 30]
    assert "The a process ended (7)" in capsys.readouterr().err


def test_one_that_lived_long_is_started_at_once(supervise, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(supervisor.time, "monotonic", lambda: clock[0])
    watch = supervise("pass")
    (child,) = watch.children
    child.failures = 5
    child.process.wait()
    clock[0] = supervisor.LONG_LIVED_SECONDS + 1
    watch.look()
    assert (child.failures, child.start_again_at) == (1, clock[0])


STUBBORN = """
import signal, subprocess, sys, time
signal.signal(signal.SIGTERM, signal.SIG_IGN)
print("ready", flush=True)
time.sleep(60)
"""


def test_one_that_will_not_leave_is_killed_after_the_grace(supervise, monkeypatch):
    monkeypatch.setattr(supervisor.lifeline, "GRACE_SECONDS", 0.3)
    watch = supervise(STUBBORN, "import time; time.sleep(60)")
    time.sleep(0.5)
    stubborn, obedient = (child.process for child in watch.children)
    watch.stop()
    assert (stubborn.returncode, obedient.returncode) == (-signal.SIGKILL, -signal.SIGTERM)


def test_a_child_leaves_with_what_it_started_when_its_parent_is_gone(tmp_path):
    """The pipe's end of file, as seen by the child: here the parent closes it rather than dies."""
    marker = tmp_path / "grandchild"
    code = f"""
import subprocess, sys, time
sys.path.insert(0, {str(supervisor.__file__.rpartition("/planner/")[0])!r})
from planner.project import lifeline
lifeline.watch()
child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
open({str(marker)!r}, "w").write(str(child.pid))
time.sleep(60)
"""
    watch = Supervisor([Child("a", [sys.executable, "-c", code])], tmp_path)
    watch.start_all()
    deadline = time.monotonic() + 10
    while not marker.exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    supervisor.os.close(watch.write_end)
    assert watch.children[0].process.wait(5) == -signal.SIGTERM

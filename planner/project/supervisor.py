"""Runs the children of `start`: starts them, starts a dead one again, does a chore between, stops them all."""

import contextlib
import os
import signal
import subprocess
import sys
import time
from dataclasses import dataclass, field

from planner.project import lifeline

LONG_LIVED_SECONDS = 5  # a child that ran this long does not die at every start: it is started again at once
LONGEST_PAUSE_SECONDS = 30
CHORE_SECONDS = 1


@dataclass
class Child:
    """One process that runs as long as `start` does."""

    name: str
    command: list[str]
    environment: dict[str, str] = field(default_factory=dict)
    descriptors: tuple[int, ...] = ()  # open files it inherits
    process: subprocess.Popen | None = None
    started_at: float = 0.0
    failures: int = 0
    start_again_at: float = 0.0


class Supervisor:
    def __init__(self, children, folder, chore=lambda: None):
        self.children = children
        self.folder = folder
        self.chore = chore  # done every second while the children run
        self.stopping = 0
        self.read_end, self.write_end = os.pipe()

    def listen_for_signals(self):
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, self._stop_soon)

    def _stop_soon(self, _number, _frame):
        self.stopping += 1

    def start(self, child):
        child.process = subprocess.Popen(
            child.command,
            cwd=self.folder,
            env=os.environ | child.environment | {lifeline.VARIABLE: str(self.read_end)},
            stdin=subprocess.DEVNULL,
            pass_fds=(*child.descriptors, self.read_end),
            start_new_session=True,
        )
        child.started_at = time.monotonic()

    def start_all(self):
        for child in self.children:
            self.start(child)

    def look(self):
        """Start again what has died, each time after a longer pause."""
        now = time.monotonic()
        for child in self.children:
            if child.process is None:
                if now >= child.start_again_at:
                    self.start(child)
            elif (code := child.process.poll()) is not None:
                _kill_group(child.process.pid, signal.SIGKILL)  # what it may have left behind
                child.process = None
                child.failures = 1 if now - child.started_at > LONG_LIVED_SECONDS else child.failures + 1
                pause = min(2.0 ** (child.failures - 2), LONGEST_PAUSE_SECONDS) if child.failures > 1 else 0.0
                child.start_again_at = now + pause
                print(f"The {child.name} process ended ({code}); starting it again.", file=sys.stderr, flush=True)

    def run(self):
        """Keep the children alive until a signal asks to stop."""
        due = time.monotonic()
        while not self.stopping:
            self.look()
            if time.monotonic() >= due:
                self.chore()
                due = time.monotonic() + CHORE_SECONDS
            time.sleep(0.2)

    def stop(self):
        """Ask every child to stop, and kill what has not after the grace; a second signal kills at once."""
        asked = self.stopping
        running = [child.process for child in self.children if child.process]
        for process in running:
            _kill_group(process.pid, signal.SIGTERM)
        deadline = time.monotonic() + lifeline.GRACE_SECONDS
        while time.monotonic() < deadline and self.stopping == asked and any(p.poll() is None for p in running):
            time.sleep(0.05)
        for process in running:
            _kill_group(process.pid, signal.SIGKILL)
            process.wait()


def _kill_group(group, number):
    with contextlib.suppress(ProcessLookupError, PermissionError):
        os.killpg(group, number)

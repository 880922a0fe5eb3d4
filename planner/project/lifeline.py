"""A child of `start` must not outlive it, even if `start` is killed with -9: then nobody is left to tell the child.

`start` holds the write end of a pipe and each child the read end: end of file means that the parent is gone.
"""

import os
import signal
import threading
import time

VARIABLE = "OUTLAY_LIFELINE"
GRACE_SECONDS = 3  # between asking a process group to stop and killing it


def watch():
    """Leave, with all of this process's group, once the parent is gone. Does nothing outside `start`."""
    if handle := os.environ.pop(VARIABLE, ""):
        threading.Thread(target=_wait, args=(int(handle),), daemon=True).start()


def _wait(handle):
    while os.read(handle, 1):
        pass
    os.killpg(0, signal.SIGTERM)
    time.sleep(GRACE_SECONDS)
    os.killpg(0, signal.SIGKILL)

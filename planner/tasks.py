"""What a Celery worker does: an id in, and the row says the rest."""

import faulthandler

from celery import shared_task
from celery.signals import worker_shutting_down

from catalog import imports
from planner.services import runs

STDERR = 2  # Celery puts something else in the place of sys.stderr
HUNG_SECONDS = runs.LONGEST_SECONDS + 60


@shared_task
def compute(pk: int) -> None:
    # A step that never ends cannot be told to: then the process says where it hangs and ends, and another begins.
    faulthandler.dump_traceback_later(HUNG_SECONDS, exit=True, file=STDERR)
    try:
        runs.work(pk)
    finally:
        faulthandler.cancel_dump_traceback_later()


@shared_task
def reap() -> None:
    runs.reap()
    imports.reap()


@worker_shutting_down.connect
def leave(**_more: object) -> None:
    """The run at hand is given back at its next step, so that whoever starts again goes on with it."""
    runs.leaving.set()

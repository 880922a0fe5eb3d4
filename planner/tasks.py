"""What a Celery worker does: an id in, and the row says the rest."""

from celery import shared_task

from planner.services import runs


@shared_task
def compute(pk: int) -> None:
    runs.work(pk)


@shared_task
def reap() -> None:
    runs.reap()

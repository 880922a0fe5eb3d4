"""What a worker does for the catalog: an id in, and the row says the rest."""

from celery import shared_task

from catalog import imports


@shared_task
def import_files(pk: int) -> None:
    imports.work(pk)

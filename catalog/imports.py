"""Imports from upload to catalog: what is in the files, what they would change, and the change once somebody says so.

A job's row says how it stands. Small files are worked on while the page waits; for large ones a worker is called, who
holds a lease on the row as long as it reports.
"""

import hashlib
import logging
from collections.abc import Callable, Iterable, Mapping
from datetime import timedelta
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from catalog import neighbour
from catalog.comparing import Comparison, Outdated, Plan
from catalog.importers import confined
from catalog.importers.files import QUOTED_KINDS
from catalog.importers.sheet import MAX_BYTES
from catalog.importers.table import BadCell, Refused
from catalog.models import ImportBatch, ImportJob, Item, SupplierMapping, Upload

MAX_FILES = 100  # as Django takes at most
AT_ONCE_BYTES = 300_000  # worked on while the page waits: a second or so
TRIES = 3  # of a save, where others change the catalog meanwhile
NEEDED = {"skypilot": ("provider", "as_of"), "supplier": ("terms",)}  # by format: what a file does not say itself
MAY_IMPORT = "catalog.add_importbatch"

logger = logging.getLogger(__name__)
File = tuple[str, bytes]


class Stopped(Exception):
    """The job is not this attempt's any more: cancelled, or claimed by another."""


def may_import(user: Any) -> bool:
    return user.has_perm(MAY_IMPORT)


def visible(user: Any, job: ImportJob) -> bool:
    """Whether the user may see what somebody uploaded: it is theirs, or a colleague's."""
    if job.by is None:
        return bool(user.is_superuser)
    return job.by == user or neighbour.ask().colleagues(user, job.by)


def quote_files(user: Any, batches: Iterable[int | None]) -> dict[int, Upload]:
    """The suppliers' files, by the import they came by, that the user may fetch."""
    known = {pk for pk in batches if pk}
    files = Upload.objects.filter(job__batch__in=known, job__options__format="supplier").defer("content")
    found = files.select_related("job__by").order_by("-pk")
    return {file.job.batch_id: file for file in found if file.job.batch_id and visible(user, file.job)}


# ── Uploading ────────────────────────────────────────────────────────────────────────────────────────────────────────


def upload(files: list[File], format_: str, by: Any) -> ImportJob:
    """A job for the files; it begins at once unless something must be said of them first. Raises Refused."""
    sheet = inspected(files, format_)
    options = {"format": sheet["format"]} | remembered(files)
    with transaction.atomic():
        job = ImportJob.objects.create(by=by, sheet=sheet, options=options)
        for name, content in files:
            digest = hashlib.sha256(content).hexdigest()
            Upload.objects.create(job=job, name=name[:200], content=content, size=len(content), sha256=digest)
    if sheet["format"] not in NEEDED:
        begin(job, options)
    return job


def inspected(files: list[File], format_: str = "") -> dict[str, Any]:
    """Format, header and first rows; raises Refused."""
    if len(files) > MAX_FILES:
        raise Refused([BadCell(files[0][0], 1, "", f"{len(files):,}", "too_many_files", high=MAX_FILES)])
    size = sum(len(content) for _name, content in files)
    if size > MAX_BYTES:
        raise Refused([BadCell(files[0][0], 1, "", f"{size:,}", "too_large", high=MAX_BYTES)])
    found = confined.inspect(files, format_)
    return {name: value for name, value in found.items() if name not in ("refused", "end")}


def remembered(files: list[File]) -> dict[str, Any]:
    """What was said of the very same files when they were imported before."""
    digests = {hashlib.sha256(content).hexdigest() for _name, content in files}
    batch = ImportBatch.objects.filter(sources__sha256__in=digests).first()
    return dict(batch.options) if batch else {}


def mapping_of(supplier: str, sheet: Mapping[str, Any]) -> dict[str, str]:
    """Field → column: as chosen for this supplier last, where the columns are still there; else by their names."""
    kept = SupplierMapping.objects.filter(supplier=supplier).values_list("mapping", flat=True).first() or {}
    header = sheet.get("header", [])
    return {**sheet.get("guessed", {}), **{name: column for name, column in kept.items() if column in header}}


def begin(job: ImportJob, options: dict[str, Any]) -> None:
    """Check the files, as these options say."""
    terms = options.get("terms")
    if terms:
        remember_mapping(terms)
    _queue(job, ImportJob.Step.CHECK, options=options, preview=None)


def remember_mapping(terms: Mapping[str, Any]) -> None:
    SupplierMapping.objects.update_or_create(supplier=terms["supplier"], defaults={"mapping": terms["mapping"]})


def confirm(job: ImportJob, skip_bad: bool) -> None:
    """Save what was shown."""
    _queue(job, ImportJob.Step.SAVE, options={**job.options, "skip_bad": skip_bad})


def cancel(job: ImportJob) -> None:
    """Before anything is at work, at once; else at its next report."""
    jobs = ImportJob.objects.filter(pk=job.pk)
    jobs.filter(state=ImportJob.State.RUNNING).update(cancel_requested=True)
    waiting = [ImportJob.State.DETAILS, ImportJob.State.QUEUED, ImportJob.State.READY]
    jobs.filter(state__in=waiting).update(state=ImportJob.State.CANCELLED)


def _queue(job: ImportJob, step: str, **fields: Any) -> None:
    small = sum(job.files.values_list("size", flat=True)) <= AT_ONCE_BYTES
    rung = timezone.now() + timedelta(minutes=1) if small else timezone.now()  # so that nobody else takes it up
    for name, value in fields.items():
        setattr(job, name, value)
    job.state, job.step, job.attempt, job.done, job.total = ImportJob.State.QUEUED, step, 0, 0, 0
    job.rung_at = rung
    job.save()
    if small:
        work(job.pk)
        job.refresh_from_db()
    else:
        transaction.on_commit(lambda: ring(job.pk))


def ring(pk: int) -> None:
    """Tell a worker; where the broker is away, the reaper tells one later."""
    from catalog.tasks import import_files

    try:
        import_files.delay(pk)
    except (import_files.OperationalError, OSError) as error:
        logger.warning("The broker is away, import %s waits: %s", pk, error)


def lease() -> timedelta:
    return timedelta(seconds=settings.RUN_LEASE_SECONDS)


def reap() -> None:
    """Look after jobs whose worker or message is lost."""
    for pk in ImportJob.objects.reap(timezone.now(), lease()):
        ring(pk)


# ── Working ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def work(pk: int) -> None:
    """Check or save a job that is free, to its end; one that another holds is left alone."""
    attempt = ImportJob.objects.claim(pk, timezone.now(), lease())
    if attempt is None:
        return
    try:
        job = ImportJob.objects.get(pk=pk)
        _check(job, attempt) if job.step == ImportJob.Step.CHECK else _save(job, attempt)
    except Stopped:
        stopped = ImportJob.objects.filter(pk=pk, attempt=attempt, state=ImportJob.State.RUNNING)
        stopped.update(state=ImportJob.State.CANCELLED)
    except Refused as error:
        plan = Plan(bad=error.bad_cells, bad_count=len(error.bad_cells))
        _end(pk, attempt, ImportJob.State.READY, preview=plan.as_plain())
    except Exception as error:
        logger.exception("Import %s failed", pk)
        _end(pk, attempt, ImportJob.State.FAILED, failure={"code": "error", "error": type(error).__name__})


def _check(job: ImportJob, attempt: int) -> None:
    with comparison_for(job.options) as comparison:
        _compare(comparison, job, attempt)
        _end(job.pk, attempt, ImportJob.State.READY, preview=comparison.plan.as_plain())


def _save(job: ImportJob, attempt: int) -> None:
    """What the preview counted and nothing else: where the catalog has changed since, a new preview instead."""
    for _ in range(TRIES):
        with comparison_for(job.options) as comparison:
            _compare(comparison, job, attempt)
            plan = comparison.plan
            if (found := plan.as_plain()) != job.preview:
                _end(job.pk, attempt, ImportJob.State.READY, preview=found, failure={"code": "changed"})
                return
            try:
                with transaction.atomic():
                    batch = save(comparison, files_of(job), job.options, job.by)
                    _end(job.pk, attempt, ImportJob.State.DONE, batch=batch, failure=None)
                return
            except Outdated:
                continue
    _end(job.pk, attempt, ImportJob.State.FAILED, failure={"code": "busy", "tries": TRIES})


def _compare(comparison: Comparison, job: ImportJob, attempt: int) -> None:
    files = [(name, bytes(content)) for name, content in job.files.values_list("name", "content")]
    total = sum(content.count(b"\n") for _name, content in files)

    def report() -> None:
        going = ImportJob.objects.held(job.pk, attempt)
        if not going.update(done=comparison.plan.rows, total=total, heartbeat_at=timezone.now()):
            raise Stopped

    compare(comparison, files, job.options, report)


def _end(pk: int, attempt: int, state: str, **fields: Any) -> None:
    """The last write of an attempt; nobody's any more, it is undone with the transaction at hand."""
    if not ImportJob.objects.held(pk, attempt).update(state=state, **fields):
        raise Stopped


# ── Reading, comparing, saving: what the command does too ────────────────────────────────────────────────────────────


def comparison_for(options: Mapping[str, Any]) -> Comparison:
    """Our own files say all of an item; those of others add to it."""
    return Comparison(adds_only=options["format"] != "own")


def compare(
    comparison: Comparison, files: list[File], options: Mapping[str, Any], report: Callable[[], None] = lambda: None
) -> Plan:
    """Read the files in a child process and compare what they say with the catalog. Raises Refused."""
    last = timezone.now()
    for portion in confined.read(files, {**options, **_known(options["format"])}, report):
        comparison.take(portion)
        if (timezone.now() - last).total_seconds() > confined.LOOK_SECONDS:
            report()
            last = timezone.now()
    return comparison.plan


def save(comparison: Comparison, files: Iterable[Upload], options: Mapping[str, Any], by: Any) -> ImportBatch | None:
    """Write the plan, in the transaction at hand. `options`: so that the same file is read in the same way again."""
    sources = [{"name": each.name, "sha256": each.sha256, "rows": comparison.plan.rows} for each in files]
    kept = {name: value for name, value in options.items() if name in ("format", "provider", "as_of", "kind", "terms")}
    return comparison.save(sources, kept, by)


def files_of(job: ImportJob) -> Iterable[Upload]:
    return job.files.defer("content")


def _known(format_: str) -> dict[str, Any]:
    """What a reader must know of the catalog: the items that others name, the accelerators, the parts."""
    cards = dict(Item.objects.of_kind("accelerator").order_by().values_list("slug", "spec__tdp_w"))
    if format_ == "own":
        return {"cards": cards, "known": _of_kinds((*QUOTED_KINDS, "other"))}
    return {"cards": cards, "parts": _parts()} if format_ == "supplier" else {"cards": cards}


def _of_kinds(kinds: Iterable[str]) -> list[tuple[str, str]]:
    return list(Item.objects.filter(kind__in=kinds).order_by().values_list("kind", "slug"))


def _parts() -> dict[str, tuple[str, str]]:
    """Slug, part number or name in lower case → the item of a quote's line. What names two things names none."""
    found: dict[str, tuple[str, str]] = {}
    twice: set[str] = set()
    items = Item.objects.filter(kind__in=QUOTED_KINDS).order_by("kind", "slug")
    for kind, slug, name, number in items.values_list("kind", "slug", "name", "spec__part_number"):
        for word in {slug, name.lower(), number or slug}:
            if found.setdefault(word, (kind, slug)) != (kind, slug):
                twice.add(word)
    return {word: part for word, part in found.items() if word not in twice}


def source_rows(files: list[File]) -> list[Upload]:
    """Unsaved rows of files, for `save`."""
    digests = [hashlib.sha256(content).hexdigest() for _name, content in files]
    return [Upload(name=name[:200], sha256=digest) for (name, _content), digest in zip(files, digests, strict=True)]

"""Runs: ask for one, watch it, cancel it; what a worker does with one.

The row is the truth, the broker a doorbell: a lost message costs one lease, a lost worker one attempt.
"""

from __future__ import annotations

import datetime as dt
import logging
import threading
import time
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Any

from django.conf import settings
from django.db import DatabaseError, IntegrityError, transaction
from django.utils import timezone

from planner.engine import sensitivity
from planner.engine.inputs import Scenario
from planner.engine.prices import content_hash
from planner.engine.quantities import InputError
from planner.models import Run, ScenarioVersion, User
from planner.services import evaluation

TICK_SECONDS = 0.5  # between two reports of a worker: a cancel is obeyed within that
LONGEST_SECONDS = 15 * 60  # of one attempt
WORTH_WAITING = 8  # seconds after which a waiting run says that no worker has come

logger = logging.getLogger(__name__)


def lease() -> dt.timedelta:
    """Time after which a silent worker counts as dead."""
    return dt.timedelta(seconds=settings.RUN_LEASE_SECONDS)


# ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def sweep(version: ScenarioVersion, user: User | None) -> Run:
    """The sensitivity of a version: the run that has computed or computes the same question, or a new one."""
    return _ask(version, Run.Kind.SWEEP, {"count": sensitivity.COUNT, "points": sensitivity.POINTS}, user)


def _ask(version: ScenarioVersion, kind: str, parameters: dict[str, Any], user: User | None) -> Run:
    question = {
        "kind": kind,
        "parameters": parameters,
        "document": version.document,
        "prices": version.prices_id,
        "engine": evaluation.ENGINE_VERSION,
    }
    same = Run.objects.filter(scenario_id=version.scenario_id, key=content_hash(question)).exclude(
        state__in=[Run.State.FAILED, Run.State.CANCELLED]
    )
    # A run that is about to end as cancelled is no answer: mark it so, and ask anew.
    same.filter(state=Run.State.RUNNING, cancel_requested=True).update(
        state=Run.State.CANCELLED, finished_at=timezone.now()
    )
    if (found := same.first()) is not None:
        return found
    try:
        with transaction.atomic():
            run = Run.objects.create(
                scenario_id=version.scenario_id,
                version=version,
                kind=kind,
                parameters=parameters,
                key=content_hash(question),
                created_by=user,
                rung_at=timezone.now(),
            )
            transaction.on_commit(lambda: ring(run.pk))
    except IntegrityError:  # somebody asked the same at this moment
        return same.get()
    return run


def ring(pk: int) -> None:
    """Tell a worker; where the broker is away, the reaper tells one later."""
    from planner.tasks import compute

    try:
        compute.delay(pk)
    except (compute.OperationalError, OSError) as error:
        logger.warning("The broker is away, run %s waits: %s", pk, error)


def cancel(run: Run) -> None:
    Run.objects.cancel(run.pk, timezone.now())


def reap() -> None:
    """Look after runs whose worker or message is lost; called every second or so, by any number of processes."""
    for pk in Run.objects.reap(timezone.now(), lease()):
        ring(pk)


@dataclass(frozen=True)
class Progress:
    """How a run stands. share: 0–1. elapsed, remaining [s]; None where that is not known yet."""

    share: float
    elapsed: float | None
    remaining: float | None
    unattended: bool  # it waits, and no worker has come


def progress(run: Run) -> Progress:
    now = timezone.now()
    elapsed = (now - run.started_at).total_seconds() if run.started_at and run.state == Run.State.RUNNING else None
    share = run.done / run.total if run.total else 0.0
    known = elapsed is not None and share > 0.02
    waited = (now - run.queued_at).total_seconds()
    return Progress(
        share=share,
        elapsed=elapsed,
        remaining=elapsed * (1 - share) / share if known and elapsed is not None else None,
        unattended=run.state == Run.State.QUEUED and waited > WORTH_WAITING,
    )


def took(run: Run) -> float:
    """How long the last attempt computed. [s]"""
    if run.started_at is None or run.finished_at is None:
        return 0.0
    return (run.finished_at - run.started_at).total_seconds()


def found(run: Run) -> sensitivity.Sweep:
    """What a finished run has found."""
    return sensitivity.from_plain(run.result)


# ── Computing, in a worker ───────────────────────────────────────────────────────────────────────────────────────────


class Stopped(Exception):
    """The run is not this attempt's any more: cancelled, claimed by another, or deleted."""


class Leaving(Exception):
    """This process has been asked to end."""


class TooLong(Exception):
    """The run has taken more time than any may."""


leaving = threading.Event()  # set by the worker when it is asked to end


def work(pk: int) -> None:
    """Compute a run if it is free, to its end; a run that another holds is left alone."""
    attempt = Run.objects.claim(pk, timezone.now(), lease())
    if attempt is None:
        return
    try:
        run = Run.objects.select_related("version").get(pk=pk)
        result = _through(COMPUTED[run.kind](run), lambda done, total: _tick(pk, attempt, done, total))
    except Stopped:
        Run.objects.end(pk, attempt, Run.State.CANCELLED, timezone.now())
    except Leaving:
        Run.objects.release(pk, attempt, timezone.now())
    except InputError as error:
        _fail(pk, attempt, {"code": "input", "problems": [problem.as_dict() for problem in error.problems]})
    except TooLong:
        _fail(pk, attempt, {"code": "too_long", "minutes": LONGEST_SECONDS // 60})
    except DatabaseError:
        raise  # the row cannot be written now; once it can, the lease has run out
    except Exception as error:
        logger.exception("Run %s failed", pk)
        _fail(pk, attempt, {"code": "error", "error": type(error).__name__})
    else:
        _end(pk, attempt, Run.State.DONE, result=result)


def _fail(pk: int, attempt: int, failure: dict[str, Any]) -> None:
    _end(pk, attempt, Run.State.FAILED, failure=failure)


def _end(pk: int, attempt: int, state: str, **fields: Any) -> None:
    """End as asked, or as cancelled where somebody cancelled in the last moment."""
    now = timezone.now()
    if not Run.objects.end(pk, attempt, state, now, **fields):
        Run.objects.end(pk, attempt, Run.State.CANCELLED, now)


def _tick(pk: int, attempt: int, done: int, total: int) -> None:
    if not Run.objects.tick(pk, attempt, done, total, timezone.now()):
        raise Stopped


def _through(steps: Generator[Any, None, Any], tick: Callable[[int, int], None]) -> Any:
    """Exhaust a generator of the engine, reporting its progress; returns what it returns."""
    began, last = time.monotonic(), 0.0
    while True:
        try:
            step = next(steps)
        except StopIteration as end:
            return end.value
        now = time.monotonic()
        if leaving.is_set():
            raise Leaving
        if now - began > LONGEST_SECONDS:
            raise TooLong
        if now - last >= TICK_SECONDS:
            tick(step.done, step.total)
            last = now


def _sweep(run: Run) -> Generator[Any, None, Any]:
    book = evaluation.book_of(run.version.prices_id)
    found = yield from sensitivity.sweep(Scenario.read(run.version.document), book, **run.parameters)
    return sensitivity.as_plain(found)


COMPUTED: dict[str, Callable[[Run], Generator[Any, None, Any]]] = {Run.Kind.SWEEP: _sweep}

"""A run is computed once, by whoever holds its lease; it ends in one of three ways, and says which."""

import datetime as dt
from dataclasses import dataclass

import pytest
from django.db import transaction
from django.utils import timezone

from planner import tasks
from planner.engine.quantities import InputError, Problem
from planner.models import Run
from planner.models.runs import GIVE_UP_WAITING, MAX_LOST
from planner.services import runs, scenarios
from tests.planner.conftest import GROWTH

State = Run.State
LATER = dt.timedelta(seconds=11)  # beyond the lease of 10 s


@dataclass
class Step:
    done: int
    total: int


@pytest.fixture
def run(row, editor):
    return runs.sweep(row.head, editor)


@pytest.fixture
def computed(monkeypatch):
    """Replace what a run computes by a generator: computed(steps, result)."""

    def computed(*steps, result=None):
        def compute(_run):
            for step in steps:
                if callable(step):
                    step()
                elif isinstance(step, BaseException):
                    raise step
                else:
                    yield step
            return result

        monkeypatch.setitem(runs.COMPUTED, Run.Kind.SWEEP, compute)
        monkeypatch.setattr(runs, "TICK_SECONDS", 0)

    return computed


def now():
    return timezone.now()


def fresh(run):
    return Run.objects.get(pk=run.pk)


# ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_same_question_is_asked_once_while_it_waits_runs_or_is_answered(row, editor, colleague, run, computed):
    assert runs.sweep(row.head, colleague) == run
    attempt = Run.objects.claim(run.pk, now(), runs.lease())
    assert runs.sweep(row.head, colleague) == run
    Run.objects.end(run.pk, attempt, State.DONE, now(), result={})
    assert runs.sweep(row.head, colleague) == run
    assert Run.objects.count() == 1


def test_an_edit_asks_a_new_question_and_its_undo_finds_the_old_answer(row, editor, run, computed):
    computed(result={"x": 1})
    runs.work(run.pk)
    edited = scenarios.edit(row, 1, GROWTH, 0.08, editor)
    assert runs.sweep(edited, editor) != run
    undone = scenarios.undo(row, 2, editor)
    assert undone.number == 3
    assert runs.sweep(undone, editor) == run


def test_a_run_that_failed_or_was_cancelled_may_be_asked_again(row, editor, run, computed):
    runs.cancel(run)
    again = runs.sweep(row.head, editor)
    assert again != run
    computed(RuntimeError("broken"))
    runs.work(again.pk)
    assert runs.sweep(row.head, editor) not in (run, again)


def test_a_new_engine_asks_a_new_question(row, editor, run, monkeypatch):
    monkeypatch.setattr(runs.evaluation, "ENGINE_VERSION", "999")
    assert runs.sweep(row.head, editor) != run


def test_a_run_being_cancelled_is_no_answer(row, editor, run):
    attempt = Run.objects.claim(run.pk, now(), runs.lease())
    runs.cancel(run)
    again = runs.sweep(row.head, editor)
    assert again != run
    assert fresh(run).state == State.CANCELLED
    assert not Run.objects.tick(run.pk, attempt, 1, 2, now())


def test_a_worker_is_told_when_the_row_is_written_and_not_before(
    row, editor, monkeypatch, django_capture_on_commit_callbacks
):
    rung = []
    monkeypatch.setattr(tasks.compute, "delay", rung.append)
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.sweep(row.head, editor)
        assert rung == []
    assert rung == [run.pk]


def test_a_broker_that_is_away_costs_no_error_and_no_run(row, editor, monkeypatch, django_capture_on_commit_callbacks):
    def away(_pk):
        raise tasks.compute.OperationalError("refused")

    monkeypatch.setattr(tasks.compute, "delay", away)
    with django_capture_on_commit_callbacks(execute=True):
        run = runs.sweep(row.head, editor)
    assert fresh(run).state == State.QUEUED
    rung = []
    monkeypatch.setattr(tasks.compute, "delay", rung.append)
    Run.objects.update(rung_at=now() - LATER)
    runs.reap()
    assert rung == [run.pk]


# ── Lease and fence ──────────────────────────────────────────────────────────────────────────────────────────────────


def test_only_one_of_two_workers_gets_a_run(run):
    assert Run.objects.claim(run.pk, now(), runs.lease()) == 1
    assert Run.objects.claim(run.pk, now(), runs.lease()) is None


def test_a_silent_run_is_claimed_by_another_and_the_sleeper_writes_nothing(run):
    began = now()
    sleeper = Run.objects.claim(run.pk, began, runs.lease())
    assert Run.objects.claim(run.pk, began + LATER, runs.lease()) == sleeper + 1
    before = fresh(run)
    assert not Run.objects.tick(run.pk, sleeper, 7, 9, began + LATER)
    assert not Run.objects.end(run.pk, sleeper, State.DONE, began + LATER, result={"late": True})
    assert not Run.objects.end(run.pk, sleeper, State.FAILED, began + LATER, failure={"code": "late"})
    after = fresh(run)
    assert (after.state, after.done, after.result, after.heartbeat_at) == (State.RUNNING, 0, None, before.heartbeat_at)


def test_a_run_that_reports_keeps_its_lease(run):
    began = now()
    attempt = Run.objects.claim(run.pk, began, runs.lease())
    assert Run.objects.tick(run.pk, attempt, 1, 5, began + dt.timedelta(seconds=9))
    assert Run.objects.claim(run.pk, began + LATER, runs.lease()) is None
    assert Run.objects.reap(began + LATER, runs.lease()) == []
    assert fresh(run).state == State.RUNNING


def test_the_reaper_queues_a_silent_run_and_rings_once_a_lease(run):
    began = now()
    Run.objects.claim(run.pk, began, runs.lease())
    assert Run.objects.reap(began + LATER, runs.lease()) == [run.pk]
    assert fresh(run).state == State.QUEUED
    assert Run.objects.reap(began + LATER, runs.lease()) == []
    assert Run.objects.reap(began + 2 * LATER, runs.lease()) == [run.pk]


def test_after_three_lost_workers_a_run_fails_and_says_so(run):
    moment = now()
    for attempt in range(1, MAX_LOST + 1):
        assert Run.objects.claim(run.pk, moment, runs.lease()) == attempt
        moment += LATER
        Run.objects.reap(moment, runs.lease())
    last = fresh(run)
    assert (last.state, last.failure) == (State.FAILED, {"code": "lost", "attempts": 3})
    assert Run.objects.claim(run.pk, moment, runs.lease()) is None


def test_a_silent_run_is_taken_up_by_a_worker_too_but_not_for_ever(run):
    moment = now()
    for attempt in range(1, MAX_LOST + 1):
        assert Run.objects.claim(run.pk, moment, runs.lease()) == attempt
        moment += LATER
    assert Run.objects.claim(run.pk, moment, runs.lease()) is None
    Run.objects.reap(moment, runs.lease())
    assert fresh(run).failure == {"code": "lost", "attempts": 3}


def test_a_worker_that_leaves_gives_its_run_back_as_often_as_it_likes(run, computed, monkeypatch):
    computed(Step(1, 2), runs.leaving.set, Step(2, 2), AssertionError("went on"))
    try:
        for attempt in range(1, MAX_LOST + 3):
            runs.leaving.clear()
            runs.work(run.pk)
            assert (fresh(run).state, fresh(run).attempt, fresh(run).lost) == (State.QUEUED, attempt, 0)
    finally:
        runs.leaving.clear()
    assert Run.objects.reap(now(), runs.lease()) == [run.pk]  # told of at once


def test_a_run_that_takes_too_long_is_stopped(run, computed, monkeypatch):
    monkeypatch.setattr(runs, "LONGEST_SECONDS", -1)
    computed(Step(1, 2), AssertionError("went on"))
    runs.work(run.pk)
    assert fresh(run).failure["code"] == "too_long"


def test_a_run_for_which_no_worker_comes_fails_after_an_hour(run):
    Run.objects.reap(now() + GIVE_UP_WAITING - LATER, runs.lease())
    assert fresh(run).state == State.QUEUED
    Run.objects.reap(now() + GIVE_UP_WAITING + LATER, runs.lease())
    assert fresh(run).failure == {"code": "no_worker"}


def test_a_message_of_a_run_that_is_over_or_deleted_does_nothing(run, computed):
    computed(result={"x": 1})
    runs.cancel(run)
    tasks.compute(run.pk)
    assert fresh(run).state == State.CANCELLED
    tasks.compute(987_654)


# ── Working ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_work_reports_its_progress_and_keeps_the_result(run, computed):
    seen = []
    computed(Step(1, 4), lambda: seen.append((fresh(run).done, fresh(run).total)), Step(2, 4), result={"answer": 42})
    runs.work(run.pk)
    assert seen == [(1, 4)]
    assert (fresh(run).state, fresh(run).result, fresh(run).attempt) == (State.DONE, {"answer": 42}, 1)


def test_work_stops_at_the_next_report_after_a_cancel(run, computed):
    computed(Step(1, 3), lambda: runs.cancel(run), Step(2, 3), AssertionError("went on"))
    runs.work(run.pk)
    assert (fresh(run).state, fresh(run).done, fresh(run).failure) == (State.CANCELLED, 1, None)


@pytest.mark.parametrize("end", [None, RuntimeError("broken")])
def test_a_cancel_in_the_last_moment_counts(run, computed, end):
    computed(Step(1, 1), lambda: runs.cancel(run), *([end] if end else []), result={"x": 1})
    runs.work(run.pk)
    assert (fresh(run).state, fresh(run).result, fresh(run).failure) == (State.CANCELLED, None, None)


def test_a_waiting_run_is_cancelled_at_once(run):
    runs.cancel(run)
    assert fresh(run).state == State.CANCELLED
    assert Run.objects.claim(run.pk, now(), runs.lease()) is None


def test_a_finished_run_is_not_cancelled_any_more(run, computed):
    computed(result={"x": 1})
    runs.work(run.pk)
    runs.cancel(run)
    assert (fresh(run).state, fresh(run).cancel_requested) == (State.DONE, False)


def test_a_cancelled_run_whose_worker_died_ends_cancelled(run):
    began = now()
    Run.objects.claim(run.pk, began, runs.lease())
    runs.cancel(run)
    assert Run.objects.reap(began + LATER, runs.lease()) == []
    assert fresh(run).state == State.CANCELLED


def test_a_bad_input_fails_with_its_problems(run, computed):
    computed(InputError(Problem(("finance", "discount_rate"), "out_of_bounds", 7, 0.0, 1.0, "share/year")))
    runs.work(run.pk)
    failure = fresh(run).failure
    assert (failure["code"], failure["problems"][0]["field"]) == ("input", "finance/discount_rate")


def test_an_unforeseen_error_fails_with_its_kind_and_is_logged(run, computed, caplog):
    computed(ZeroDivisionError("secret detail"))
    runs.work(run.pk)
    assert fresh(run).failure == {"code": "error", "error": "ZeroDivisionError"}
    assert "secret detail" in caplog.text


def test_a_deleted_scenario_stops_its_run(row, run, computed):
    def delete():
        with transaction.atomic():
            scenarios.delete(row)

    computed(Step(1, 3), delete, Step(2, 3), AssertionError("went on"))
    runs.work(run.pk)
    assert not Run.objects.exists()


# ── How it stands ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_remaining_time_follows_from_what_is_done(run):
    Run.objects.filter(pk=run.pk).update(
        state=State.RUNNING, started_at=now() - dt.timedelta(seconds=6), done=30, total=120
    )
    found = runs.progress(fresh(run))
    assert found.share == 0.25
    assert found.elapsed == pytest.approx(6, abs=1)
    assert found.remaining == pytest.approx(18, abs=3)


def test_a_run_that_nobody_takes_up_says_so_after_a_while(run):
    assert not runs.progress(run).unattended
    Run.objects.update(queued_at=now() - dt.timedelta(seconds=runs.WORTH_WAITING + 1))
    assert runs.progress(fresh(run)).unattended

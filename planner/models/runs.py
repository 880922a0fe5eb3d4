"""Long work, as a row: whoever computes it holds a lease on the row, and the row alone says how it stands."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.conf import settings
from django.db import models, transaction
from django.db.models import Case, F, Q, When
from django.utils import timezone
from django.utils.translation import gettext_lazy as _

MAX_LOST = 3  # workers that may die of a run before it is given up
GIVE_UP_WAITING = timedelta(hours=1)  # for a worker to take a run up


class RunQuerySet(models.QuerySet["Run"]):
    """Every change of state is one UPDATE that names the state it starts from: of two that compete, one finds no row.

    An attempt is the fence: a worker that slept while its run was claimed again has an old number and writes nothing.
    """

    def claim(self, pk: int, now: datetime, lease: timedelta) -> int | None:
        """Take a run up that waits, or whose worker fell silent; returns the attempt, None where there is nothing."""
        silent = Q(state=Run.State.RUNNING, heartbeat_at__lt=now - lease, lost__lt=MAX_LOST - 1)
        lost = F("lost") + Case(When(state=Run.State.RUNNING, then=1), default=0)
        with transaction.atomic():
            free = self.filter(Q(state=Run.State.QUEUED) | silent, pk=pk, cancel_requested=False)
            taken = free.update(
                state=Run.State.RUNNING,
                attempt=F("attempt") + 1,
                lost=lost,
                started_at=now,
                heartbeat_at=now,
                done=0,
                total=0,
            )
            return self.values_list("attempt", flat=True).get(pk=pk) if taken else None

    def release(self, pk: int, attempt: int, now: datetime) -> None:
        """Give a run back that a worker leaves in order: another begins it anew, and nothing is held against it."""
        going = self.held(pk, attempt).filter(cancel_requested=False)
        going.update(state=Run.State.QUEUED, queued_at=now, rung_at=None, done=0, total=0)

    def held(self, pk: int, attempt: int) -> RunQuerySet:
        """The run, as long as this attempt is the one that computes it."""
        return self.filter(pk=pk, attempt=attempt, state=Run.State.RUNNING)

    def tick(self, pk: int, attempt: int, done: int, total: int, now: datetime) -> bool:
        """Report progress and renew the lease; False: stop, the run is somebody else's, cancelled or gone."""
        going = self.held(pk, attempt).filter(cancel_requested=False)
        return bool(going.update(done=done, total=total, heartbeat_at=now))

    def end(self, pk: int, attempt: int, state: str, now: datetime, **fields: object) -> bool:
        """The last write of an attempt; a result counts only where nobody cancelled it meanwhile."""
        mine = self.held(pk, attempt).filter(cancel_requested=state == Run.State.CANCELLED)
        return bool(mine.update(state=state, finished_at=now, **fields))

    def cancel(self, pk: int, now: datetime) -> None:
        """A waiting run ends at once; a running one when its worker next reports."""
        self.filter(pk=pk, state__in=[Run.State.QUEUED, Run.State.RUNNING]).update(cancel_requested=True)
        self.filter(pk=pk)._end_waiting(now)

    def _end_waiting(self, now: datetime) -> None:
        asked = self.filter(state=Run.State.QUEUED, cancel_requested=True)
        asked.update(state=Run.State.CANCELLED, finished_at=now)

    def reap(self, now: datetime, lease: timedelta) -> list[int]:
        """Put back what a dead worker held, end what cannot go on; returns the runs for which to ring again."""
        silent = self.filter(state=Run.State.RUNNING, heartbeat_at__lt=now - lease)
        silent.filter(cancel_requested=True).update(state=Run.State.CANCELLED, finished_at=now)
        self._end_waiting(now)
        silent.filter(lost__gte=MAX_LOST - 1).update(
            state=Run.State.FAILED, finished_at=now, lost=MAX_LOST, failure={"code": "lost", "attempts": MAX_LOST}
        )
        silent.update(state=Run.State.QUEUED, queued_at=now, rung_at=None, lost=F("lost") + 1)
        waiting = self.filter(state=Run.State.QUEUED)
        waiting.filter(queued_at__lt=now - GIVE_UP_WAITING).update(
            state=Run.State.FAILED, finished_at=now, failure={"code": "no_worker"}
        )
        unheard = Q(rung_at=None) | Q(rung_at__lt=now - lease)
        found = waiting.filter(unheard).values_list("pk", flat=True)
        return [pk for pk in found if self.filter(unheard, pk=pk, state=Run.State.QUEUED).update(rung_at=now)]


class Run(models.Model):
    """One question computed in the background for one version of a scenario."""

    class State(models.TextChoices):
        QUEUED = "queued", _("waiting")
        RUNNING = "running", _("running")
        DONE = "done", _("finished")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled")

    class Kind(models.TextChoices):
        SWEEP = "sweep", _("sensitivity")

    scenario = models.ForeignKey("planner.Scenario", on_delete=models.CASCADE, related_name="runs")
    version = models.ForeignKey("planner.ScenarioVersion", on_delete=models.CASCADE, related_name="+")
    kind = models.CharField(max_length=8, choices=Kind.choices, default=Kind.SWEEP)
    parameters = models.JSONField(default=dict)
    key = models.CharField(max_length=64)  # SHA-256 of all that the result depends on
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    state = models.CharField(max_length=9, choices=State.choices, default=State.QUEUED)
    attempt = models.PositiveIntegerField(default=0)  # the fence: rises with every claim
    lost = models.PositiveSmallIntegerField(default=0)  # attempts whose worker died
    queued_at = models.DateTimeField(default=timezone.now)
    rung_at = models.DateTimeField(null=True, blank=True)  # when a worker was last told of it
    started_at = models.DateTimeField(null=True, blank=True)
    heartbeat_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    cancel_requested = models.BooleanField(default=False)
    done = models.PositiveIntegerField(default=0)  # evaluations
    total = models.PositiveIntegerField(default=0)
    failure = models.JSONField(null=True, blank=True)  # {"code", …}: said by planner.wording
    result = models.JSONField(null=True, blank=True)

    objects = RunQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["scenario", "key"],
                condition=Q(state__in=["queued", "running", "done"]),
                name="one_run_each_question",
            )
        ]
        indexes = [models.Index(fields=["state", "heartbeat_at"], name="runs_by_state")]

    def __str__(self) -> str:
        return f"{self.kind} #{self.pk} · {self.state}"

    @property
    def active(self) -> bool:
        """True while it waits or computes."""
        return self.state in (self.State.QUEUED, self.State.RUNNING)

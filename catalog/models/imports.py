"""Who brought which files, how far each has come, and what changed by it."""

import secrets
from datetime import datetime, timedelta

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class ImportBatch(models.Model):
    """One import; the same content is taken over once."""

    content_sha256 = models.CharField(_("content"), max_length=64, db_index=True)
    at = models.DateTimeField(_("at"), auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    counts = models.JSONField(_("counts"), default=dict)  # {"items": {"added": 1, …}, "quotes": {…}}
    options = models.JSONField(_("options"), default=dict, blank=True)  # how the files were read

    class Meta:
        ordering = ["-at", "-pk"]
        verbose_name = _("import")
        verbose_name_plural = _("imports")

    def __str__(self) -> str:
        return f"{self.at:%Y-%m-%d %H:%M} · {self.content_sha256[:12]}"


class Source(models.Model):
    """A file of an import."""

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="sources")
    name = models.CharField(_("file"), max_length=200)
    sha256 = models.CharField("SHA-256", max_length=64)
    rows = models.PositiveIntegerField(_("rows"))

    class Meta:
        ordering = ["name"]
        verbose_name = _("source file")
        verbose_name_plural = _("source files")

    def __str__(self) -> str:
        return f"{self.name} · {self.sha256[:12]}"


class Change(models.Model):
    """One field of an item or of one of its prices as it was before an import, and as it is since."""

    batch = models.ForeignKey(ImportBatch, on_delete=models.CASCADE, related_name="changes")
    item = models.ForeignKey("catalog.Item", on_delete=models.CASCADE, related_name="changes")
    quote = models.ForeignKey("catalog.Quote", null=True, on_delete=models.CASCADE, related_name="changes")
    field = models.CharField(max_length=60)
    old = models.TextField(blank=True)
    new = models.TextField(blank=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.field}: {self.old} → {self.new}"


class SupplierMapping(models.Model):
    """Which columns a supplier's quotes have: what was chosen last."""

    supplier = models.CharField(_("supplier"), max_length=200, unique=True)
    mapping = models.JSONField(default=dict)  # our field → the column
    updated_at = models.DateTimeField(auto_now=True)

    def __str__(self) -> str:
        return self.supplier


MAX_ATTEMPTS = 3
KEPT_UNFINISHED = timedelta(days=7)


def new_token() -> str:
    return secrets.token_urlsafe(16)


class ImportJobQuerySet(models.QuerySet["ImportJob"]):
    """Every change of state is one UPDATE that names the state it starts from; an attempt is the fence."""

    def claim(self, pk: int, now: datetime, lease: timedelta) -> int | None:
        """Take a job up that waits, or whose worker fell silent; returns the attempt, None where there is nothing."""
        silent = Q(state=ImportJob.State.RUNNING, heartbeat_at__lt=now - lease, attempt__lt=MAX_ATTEMPTS)
        free = self.filter(Q(state=ImportJob.State.QUEUED) | silent, pk=pk, cancel_requested=False)
        taken = free.update(state=ImportJob.State.RUNNING, attempt=F("attempt") + 1, heartbeat_at=now, done=0)
        return self.values_list("attempt", flat=True).get(pk=pk) if taken else None

    def held(self, pk: int, attempt: int) -> "ImportJobQuerySet":
        return self.filter(pk=pk, attempt=attempt, state=ImportJob.State.RUNNING, cancel_requested=False)

    def reap(self, now: datetime, lease: timedelta) -> list[int]:
        """Put back what a dead worker held, end what cannot go on, forget what nobody finished; what to ring for."""
        silent = self.filter(state=ImportJob.State.RUNNING, heartbeat_at__lt=now - lease)
        silent.filter(cancel_requested=True).update(state=ImportJob.State.CANCELLED)
        silent.filter(attempt__gte=MAX_ATTEMPTS).update(
            state=ImportJob.State.FAILED, failure={"code": "lost", "attempts": MAX_ATTEMPTS}
        )
        silent.update(state=ImportJob.State.QUEUED, rung_at=None)
        open_states = [
            ImportJob.State.DETAILS,
            ImportJob.State.READY,
            ImportJob.State.FAILED,
            ImportJob.State.CANCELLED,
        ]
        self.filter(state__in=open_states, batch=None, created_at__lt=now - KEPT_UNFINISHED).delete()
        unheard = Q(rung_at=None) | Q(rung_at__lt=now - lease)
        waiting = self.filter(unheard, state=ImportJob.State.QUEUED).values_list("pk", flat=True)
        return [pk for pk in waiting if self.filter(unheard, pk=pk).update(rung_at=now)]


class ImportJob(models.Model):
    """An upload on its way into the catalog: checked in the background, shown, and saved once somebody says so."""

    class State(models.TextChoices):
        DETAILS = "details"  # something must be said of it first, such as whose prices these are
        QUEUED = "queued"
        RUNNING = "running"
        READY = "ready"
        DONE = "done"
        FAILED = "failed"
        CANCELLED = "cancelled"

    class Step(models.TextChoices):
        CHECK = "check"
        SAVE = "save"

    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    state = models.CharField(max_length=10, choices=State.choices, default=State.DETAILS)
    step = models.CharField(max_length=6, choices=Step.choices, default=Step.CHECK)
    sheet = models.JSONField(default=dict)  # format and, of a supplier's table, header and first rows
    options = models.JSONField(default=dict)
    preview = models.JSONField(null=True)
    failure = models.JSONField(null=True)
    batch = models.OneToOneField(ImportBatch, null=True, on_delete=models.SET_NULL, related_name="job")
    attempt = models.PositiveIntegerField(default=0)
    heartbeat_at = models.DateTimeField(null=True)
    rung_at = models.DateTimeField(null=True)
    cancel_requested = models.BooleanField(default=False)
    done = models.PositiveIntegerField(default=0)  # rows
    total = models.PositiveIntegerField(default=0)

    objects = ImportJobQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.token} · {self.state}"

    @property
    def active(self) -> bool:
        return self.state in (self.State.QUEUED, self.State.RUNNING)


class Upload(models.Model):
    """A file as it came. In the database, not in a folder: a worker on another machine reads it too, no address leads
    to it but the one that asks who is there."""

    job = models.ForeignKey(ImportJob, on_delete=models.CASCADE, related_name="files")
    token = models.CharField(max_length=32, unique=True, default=new_token, editable=False)
    name = models.CharField(max_length=200)
    content = models.BinaryField()
    size = models.PositiveIntegerField()
    sha256 = models.CharField(max_length=64)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return self.name

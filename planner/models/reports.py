"""A report is a scenario's answer, frozen; a share link lets someone without an account read it for a time."""

from django.conf import settings
from django.db import models
from django.db.models import F, Q
from django.utils import timezone
from django.utils.translation import gettext_lazy as _


class Report(models.Model):
    """Never changed once written; it outlives the scenario it was made of.

    Both texts are kept as text, not as JSON fields: a database may reorder keys or rewrite numbers, and the
    checksum is over the very bytes.
    """

    workspace = models.ForeignKey("planner.Workspace", on_delete=models.CASCADE, related_name="reports")
    scenario = models.ForeignKey("planner.Scenario", null=True, on_delete=models.SET_NULL, related_name="reports")
    # The scenario's own name, or the template whose name it bears in either language.
    title = models.CharField(_("title"), max_length=120, blank=True)
    template = models.SlugField(_("template"), blank=True)
    version_number = models.PositiveIntegerField()
    engine_version = models.CharField(max_length=40)
    # Canonical JSON of document, price book and results; of no language.
    content = models.TextField()
    sha256 = models.CharField(max_length=64)
    # Canonical JSON of the words, figures and charts of the page, by language, as they were said then.
    pages = models.TextField()
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.title or self.template} · {self.sha256[:12]}"


class ShareLinkQuerySet(models.QuerySet["ShareLink"]):
    def opening(self, now):
        """Links that are neither revoked nor expired at that moment."""
        return self.filter(Q(expires_at=None) | Q(expires_at__gt=now), revoked_at=None)

    def count_opened(self, now) -> int:
        """Count one more view of links that have one to give: by one UPDATE, so that the last is given once."""
        left = self.opening(now).filter(Q(max_views=None) | Q(opened__lt=F("max_views")))
        return left.update(opened=F("opened") + 1, last_opened_at=now)

    def count_wrong_attempt(self) -> int:
        return self.update(wrong_attempts=F("wrong_attempts") + 1)


class ShareLink(models.Model):
    """A way into one report. The token itself is shown once and kept nowhere: only its SHA-256 is stored."""

    report = models.ForeignKey(Report, on_delete=models.CASCADE, related_name="links")
    token_sha256 = models.CharField(max_length=64, unique=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    created_at = models.DateTimeField(default=timezone.now)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    max_views = models.PositiveIntegerField(null=True, blank=True)
    passphrase = models.CharField(max_length=128, blank=True)  # as the password hasher stores it; empty: none is asked
    wrong_attempts = models.PositiveIntegerField(default=0)
    language = models.CharField(max_length=10, blank=True)  # in which it opens; empty: the reader's
    hides_prices = models.BooleanField(default=False)
    opened = models.PositiveIntegerField(default=0)
    last_opened_at = models.DateTimeField(null=True, blank=True)

    objects = ShareLinkQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]

    def __str__(self) -> str:
        return f"{self.report} · {self.created_at:%Y-%m-%d %H:%M}"

    @property
    def state(self) -> str:
        """open · revoked · expired · spent."""
        if self.revoked_at is not None:
            return "revoked"
        if self.expires_at is not None and self.expires_at <= timezone.now():
            return "expired"
        return "spent" if self.spent else "open"

    @property
    def spent(self) -> bool:
        return self.max_views is not None and self.opened >= self.max_views

    @property
    def guarded(self) -> bool:
        """Whether a reader first says that they want in: with a passphrase, or because it takes one of the views."""
        return bool(self.passphrase) or self.max_views is not None

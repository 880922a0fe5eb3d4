"""A scenario is a chain of immutable versions; each pins the prices it was computed with."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class PinnedPrices(models.Model):
    """A frozen price book, stored once per content."""

    sha256 = models.CharField(max_length=64, primary_key=True)
    book = models.JSONField()
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "pinned prices"

    def __str__(self) -> str:
        return self.sha256[:12]


class Scenario(models.Model):
    """A question a workspace works on; `head` is the version its readers see."""

    workspace = models.ForeignKey("planner.Workspace", on_delete=models.CASCADE, related_name="scenarios")
    name = models.CharField(_("name"), max_length=120, blank=True)
    template = models.SlugField(_("template"), blank=True)
    head = models.ForeignKey("planner.ScenarioVersion", null=True, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    updated_at = models.DateTimeField(auto_now=True)
    # The verdict of the head as the list shows it: codes and numbers, never sentences.
    last_verdict = models.JSONField(null=True, blank=True)

    class Meta:
        ordering = ["-updated_at"]

    def __str__(self) -> str:
        return self.name or self.template or f"#{self.pk}"


class ScenarioVersion(models.Model):
    """One edit. Never changed once written: undo and redo write versions of their own."""

    class Kind(models.TextChoices):
        EDIT = "edit", _("edit")
        UNDO = "undo", _("undo")
        REDO = "redo", _("redo")

    scenario = models.ForeignKey(Scenario, on_delete=models.CASCADE, related_name="versions")
    number = models.PositiveIntegerField()
    parent = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    kind = models.CharField(max_length=4, choices=Kind.choices, default=Kind.EDIT)
    # The edit this one takes back (undo) or brings back (redo).
    reverses = models.ForeignKey("self", null=True, on_delete=models.PROTECT, related_name="+")
    patch = models.JSONField(default=list)  # [[path, old, new], …]
    document = models.JSONField()
    prices = models.ForeignKey(PinnedPrices, on_delete=models.PROTECT, related_name="+")
    author = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, on_delete=models.SET_NULL, related_name="+")
    message = models.CharField(max_length=200, blank=True)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["scenario", "number"], name="one_version_each_number")]
        ordering = ["number"]

    def __str__(self) -> str:
        return f"{self.scenario} v{self.number}"

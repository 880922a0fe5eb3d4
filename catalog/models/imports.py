"""Who brought which files and what changed by them."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _


class ImportBatch(models.Model):
    """One import; the same content is taken over once."""

    content_sha256 = models.CharField(_("content"), max_length=64, db_index=True)
    at = models.DateTimeField(_("at"), auto_now_add=True)
    by = models.ForeignKey(settings.AUTH_USER_MODEL, null=True, blank=True, on_delete=models.SET_NULL, related_name="+")
    counts = models.JSONField(_("counts"), default=dict)  # {"items": {"added": 1, …}, "quotes": {…}}

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

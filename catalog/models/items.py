"""What can be bought or rented."""

from django.db import models
from django.db.models import Q
from django.utils.translation import gettext_lazy as _
from pydantic import ValidationError as SpecError

from catalog.records import STATUSES, ItemRecord, filled, read_provenance, words_of, write_provenance
from catalog.specs import KINDS


class ItemQuerySet(models.QuerySet):
    def of_kind(self, *kinds):
        return self.filter(kind__in=kinds)

    def search(self, words):
        """Items in which every word occurs, in name, slug, vendor or any text of the data sheet."""
        found = self
        for word in words.split():
            found = found.filter(
                Q(name__icontains=word) | Q(slug__icontains=word) | Q(vendor__icontains=word) | Q(words__icontains=word)
            )
        return found

    def with_quotes(self):
        """Each item with all its quotes, newest first, in two queries."""
        return self.prefetch_related("quotes")


class Item(models.Model):
    """One item: its data sheet is a document of its kind, validated by catalog.specs."""

    kind = models.CharField(_("kind"), max_length=20, choices=[(kind, kind) for kind in KINDS])
    slug = models.CharField("slug", max_length=120)
    name = models.CharField(_("name"), max_length=300)
    vendor = models.CharField(_("vendor"), max_length=120, blank=True)
    spec = models.JSONField(_("data sheet"), default=dict, blank=True)
    # [{"status", "text", "url", "cells": […]}, …]: one remark usually speaks of many cells.
    provenance = models.JSONField(_("provenance"), default=list, blank=True)
    words = models.TextField(editable=False, blank=True)  # the texts of the data sheet, for search on any database
    edited_by_hand = models.BooleanField(_("edited by hand"), default=False, help_text=_("Imports leave it alone."))
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = ItemQuerySet.as_manager()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "slug"], name="one_item_each_kind_and_slug")]
        ordering = ["kind", "slug"]
        verbose_name = _("item")
        verbose_name_plural = _("items")

    def __str__(self) -> str:
        return f"{self.name} ({self.slug})"

    def save(self, *args, **kwargs):
        self.words = words_of(self.spec)
        super().save(*args, **kwargs)

    def record(self) -> ItemRecord:
        """The same object as the importers make."""
        return record_of(self.slug, self.kind, self.name, self.vendor, self.spec, self.provenance)


def record_of(slug, kind, name, vendor, spec, provenance) -> ItemRecord:
    try:
        document = KINDS[kind].model_validate(spec)
    except SpecError as error:
        raise ValueError(f"the data sheet of {kind} {slug} cannot be read: {error}") from error
    return ItemRecord(slug, kind, name, vendor, document, read_provenance(provenance))


def provenance_problem(rows) -> str:
    """What is wrong with provenance typed by hand, in English, or nothing."""
    if not isinstance(rows, list):
        return 'must be a list of {"status", "text", "url", "cells"}'
    for place, row in enumerate(rows, 1):
        if not isinstance(row, dict) or set(row) - {"status", "text", "url", "cells"}:
            return f'entry {place} must be {{"status", "text", "url", "cells"}}'
        if row.get("status") not in STATUSES:
            return f"entry {place}: status must be one of {', '.join(STATUSES)}; got {row.get('status')!r}"
        if not isinstance(row.get("cells"), list) or not all(isinstance(cell, str) for cell in row["cells"]):
            return f"entry {place}: cells must be a list of names"
        if not isinstance(row.get("text", ""), str):
            return f"entry {place}: text must be a text"
        url = row.get("url", "")
        if not isinstance(url, str) or (url and not url.startswith(("http://", "https://"))):
            return f"entry {place}: url must start with http:// or https://; got {url!r}"
    return ""


def as_row(record: ItemRecord) -> Item:
    """An unsaved row of a record."""
    spec = record.spec.model_dump(mode="json", include=set(filled(record.spec)))
    return Item(
        kind=record.kind,
        slug=record.slug,
        name=record.name,
        vendor=record.vendor,
        spec=spec,
        provenance=write_provenance(record.provenance),
        words=words_of(spec),
    )

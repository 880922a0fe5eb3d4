"""Prices: what was asked for an item, by whom, on which day, in which currency and unit."""

import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from django.core.exceptions import ValidationError
from django.core.serializers.json import DjangoJSONEncoder
from django.core.validators import MaxValueValidator, MinValueValidator, URLValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from catalog.importers.files import SHARE
from catalog.importers.table import CURRENCIES, URL_LENGTH
from catalog.models.imports import ImportBatch
from catalog.models.items import Item
from catalog.records import CONDITIONS, PRECISIONS, PRICE_DECIMALS, QUOTE_KINDS, STALE_AFTER_DAYS, QuoteRecord, plain
from catalog.terms import MAX_QUANTITY, stored_amount, stored_breaks, stored_discounts


class QuoteQuerySet(models.QuerySet):
    def effective_on(self, day):
        """Quotes a buyer could accept on `day`: already issued and not yet expired."""
        return self.filter(Q(valid_until=None) | Q(valid_until__gte=day), quoted_on__lte=day)

    def of_kind(self, *kinds):
        """Quotes of items of these kinds."""
        return self.filter(item__kind__in=kinds)

    def stale_on(self, day):
        """Quotes older than 180 days, or undated."""
        return self.filter(Q(quoted_on=None) | Q(quoted_on__lt=day - timedelta(days=STALE_AFTER_DAYS)))

    def search(self, words):
        found = self
        for word in words.split():
            found = found.filter(
                Q(item__name__icontains=word)
                | Q(item__slug__icontains=word)
                | Q(supplier__icontains=word)
                | Q(number__icontains=word)
            )
        return found


def known_currency(code):
    if code not in CURRENCIES:
        raise ValidationError(
            _("Currency must be a three-letter code of ISO 4217; got “%(value)s”."), params={"value": code}
        )


def _choices(words):
    return [(word, word) for word in words]


class Quote(models.Model):
    """One price. Totals are made in Python: SQLite keeps decimals as floats, of which 15 digits survive."""

    item = models.ForeignKey(Item, on_delete=models.CASCADE, related_name="quotes", verbose_name=_("item"))
    unit_price = models.DecimalField(
        _("unit price"), max_digits=15, decimal_places=PRICE_DECIMALS, validators=[MinValueValidator(0)]
    )
    currency = models.CharField(_("currency"), max_length=3, blank=True, validators=[known_currency])
    unit = models.CharField(
        _("unit and period"), max_length=60, help_text=_("What the price buys: each, kWh, kW-month …")
    )
    kind = models.CharField(_("kind of price"), max_length=10, choices=_choices(QUOTE_KINDS))
    supplier = models.CharField(_("supplier"), max_length=200, blank=True)
    number = models.CharField(_("quote number"), max_length=100, blank=True)
    quoted_on = models.DateField(_("quoted on"), null=True, blank=True)
    date_precision = models.CharField(_("date known to the"), max_length=8, choices=_choices(PRECISIONS), default="day")
    valid_until = models.DateField(_("valid until"), null=True, blank=True)
    condition = models.CharField(_("condition"), max_length=6, choices=_choices(CONDITIONS), default="new")
    source_url = models.CharField(
        _("source"), max_length=URL_LENGTH, blank=True, validators=[URLValidator(schemes=["http", "https"])]
    )
    basis = models.TextField(_("basis"), blank=True, help_text=_("How the price was arrived at, or a remark."))
    breaks = models.JSONField(_("volume breaks"), default=list, blank=True, encoder=DjangoJSONEncoder)
    discounts = models.JSONField(_("discounts"), default=list, blank=True, encoder=DjangoJSONEncoder)
    min_quantity = models.PositiveIntegerField(
        _("minimum quantity"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_QUANTITY)]
    )
    min_order_value = models.DecimalField(
        _("minimum order value"),
        max_digits=15,
        decimal_places=PRICE_DECIMALS,
        null=True,
        blank=True,
        validators=[MinValueValidator(0)],
        help_text=_("In the currency of the price."),
    )
    pack_size = models.PositiveIntegerField(
        _("sold in packs of"), null=True, blank=True, validators=[MinValueValidator(1), MaxValueValidator(MAX_QUANTITY)]
    )
    tax_included_percent = models.DecimalField(
        _("tax included, per cent"),
        max_digits=6,
        decimal_places=3,
        null=True,
        blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(100)],
        help_text=_("Rate of the tax inside the price; empty where the price is before tax."),
    )
    external_id = models.CharField(max_length=40, unique=True, editable=False)
    edited_by_hand = models.BooleanField(_("edited by hand"), default=False, help_text=_("Imports leave it alone."))
    batch = models.ForeignKey(
        ImportBatch,
        null=True,
        editable=False,
        on_delete=models.SET_NULL,
        related_name="quotes",
        verbose_name=_("import"),
    )
    updated_at = models.DateTimeField(_("updated"), auto_now=True)

    objects = QuoteQuerySet.as_manager()

    class Meta:
        ordering = [F("quoted_on").desc(nulls_last=True), "-pk"]
        indexes = [models.Index(fields=["item", "quoted_on"])]
        constraints = [
            models.CheckConstraint(condition=Q(unit_price__gte=0), name="price_not_negative"),
            models.CheckConstraint(condition=~Q(unit=""), name="price_has_a_unit"),
        ]
        verbose_name = _("quote")
        verbose_name_plural = _("quotes")

    def __str__(self) -> str:
        return f"{plain(self.unit_price):,} {self.currency} / {self.unit} · {self.quoted_on or '—'}"

    def save(self, *args, **kwargs):
        self.external_id = self.external_id or f"hand-{uuid.uuid4().hex}"
        super().save(*args, **kwargs)

    def clean(self):
        problems = {}
        unit = (self.unit or "").strip()
        if not unit:
            problems["unit"] = _("A price needs a unit and period: each, kWh, kW-month …")
        elif not self.currency and not SHARE.match(unit):
            problems["currency"] = _("A price needs a currency; only a share or a count has none.")
        if self.valid_until and self.quoted_on and self.valid_until < self.quoted_on:
            problems["valid_until"] = _("Valid until %(until)s lies before the day of the quote, %(day)s.") % {
                "until": self.valid_until.isoformat(),
                "day": self.quoted_on.isoformat(),
            }
        if problems:
            raise ValidationError(problems)

    def record(self) -> QuoteRecord:
        """The same object as the importers make."""
        return quote_record(self.item.slug, self.item.kind, *(getattr(self, name) for name in RECORD_FIELDS))


RECORD_FIELDS = (
    *("unit_price", "currency", "kind", "unit", "quoted_on", "date_precision", "valid_until"),
    *("supplier", "number", "condition", "source_url", "basis", "external_id"),
    *("breaks", "discounts", "min_quantity", "min_order_value", "pack_size", "tax_included_percent"),
)
_AS_KEPT: dict[str, Callable[[Any], Any]] = {
    "unit_price": plain,
    "breaks": stored_breaks,
    "discounts": stored_discounts,
    **dict.fromkeys(("min_order_value", "tax_included_percent"), stored_amount),
}


def quote_record(item_slug, item_kind, *values) -> QuoteRecord:
    """A record of what the columns RECORD_FIELDS hold."""
    kept = dict(zip(RECORD_FIELDS, values, strict=True))
    return QuoteRecord(item_slug, item_kind, **(kept | {name: read(kept[name]) for name, read in _AS_KEPT.items()}))

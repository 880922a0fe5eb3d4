"""Where a catalog steward keeps data sheets and prices true."""

from django.contrib import admin
from django.utils import timezone
from django.utils.html import format_html, format_html_join
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from catalog import pages, specs, wording
from catalog.forms import ItemForm, QuoteForm
from catalog.importers.table import bound
from catalog.models import ImportBatch, Item, Quote, Source


class InWords(admin.ChoicesFieldListFilter):
    """A filter by code that speaks the reader's language."""

    def choices(self, changelist):
        for choice in super().choices(changelist):
            code = str(choice["display"])
            yield choice | {"display": wording.kind(code) if code in wording.KINDS else wording.word(code)}


TERMS = (
    ("breaks", "discounts"),
    ("min_quantity", "pack_size", "min_order_value", "tax_included_percent"),
)


class QuoteInline(admin.StackedInline):
    """The prices of an item, each with its unit beside it."""

    model = Quote
    form = QuoteForm
    extra = 0
    fields = (
        ("unit_price", "currency", "unit"),
        ("kind", "condition", "supplier", "number"),
        ("quoted_on", "date_precision", "valid_until"),
        ("source_url", "basis"),
        *TERMS,
    )


@admin.register(Item)
class ItemAdmin(admin.ModelAdmin):
    form = ItemForm
    list_display = ("name", "slug", "kind_in_words", "vendor", "price_now", "edited_by_hand", "updated_at")
    list_filter = (("kind", InWords), "vendor", "edited_by_hand")
    search_fields = ("name", "slug", "vendor", "words")
    list_per_page = 50
    readonly_fields = ("fields_of_the_kind", "edited_by_hand", "updated_at")
    fields = (
        "kind",
        "slug",
        "name",
        "vendor",
        "spec",
        "fields_of_the_kind",
        "provenance",
        "edited_by_hand",
        "updated_at",
    )
    inlines = (QuoteInline,)

    class Media:
        css = {"all": ["catalog/admin.css"]}

    def get_queryset(self, request):
        return super().get_queryset(request).prefetch_related("quotes")

    @admin.display(description=_("kind"), ordering="kind")
    def kind_in_words(self, item):
        return wording.kind(item.kind)

    @admin.display(description=_("price, per unit"))
    def price_now(self, item):
        return price_in_words(pages.current(item.quotes.all(), timezone.localdate()))

    @admin.display(description=_("fields of this kind"))
    def fields_of_the_kind(self, item):
        if not item.pk:
            return gettext("Save once to see them.")
        rows = []
        for name in specs.KINDS[item.kind].model_fields:
            low, high, unit = specs.bounds(item.kind, name)
            limits = f"{bound(low)} – {bound(high)}" if low is not None else ""
            rows.append((name, wording.field(name), limits, wording.unit(unit) if unit else ""))
        head = (gettext("field"), gettext("meaning"), gettext("bounds"), gettext("unit"))
        return format_html(
            "<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>",
            format_html_join("", '<th scope="col">{}</th>', ((text,) for text in head)),
            format_html_join("", "<tr><td><code>{}</code></td><td>{}</td><td>{}</td><td>{}</td></tr>", rows),
        )

    def save_model(self, request, item, form, change):
        item.edited_by_hand = item.edited_by_hand or not change or bool(form.changed_data)
        super().save_model(request, item, form, change)

    def save_formset(self, request, form, formset, change):
        if formset.model is Quote:
            for quote in formset.save(commit=False):
                quote.edited_by_hand = True
        super().save_formset(request, form, formset, change)


class Staleness(admin.SimpleListFilter):
    title = _("staleness")
    parameter_name = "stale"

    def lookups(self, request, model_admin):
        return [("yes", wording.freshness("stale")), ("no", _("not stale"))]

    def queryset(self, request, quotes):
        if self.value() not in ("yes", "no"):
            return quotes
        stale = quotes.stale_on(timezone.localdate())
        return stale if self.value() == "yes" else quotes.exclude(pk__in=stale.values("pk"))


@admin.register(Quote)
class QuoteAdmin(admin.ModelAdmin):
    form = QuoteForm
    list_display = (
        "name_of_the_item",
        "price_in_words",
        "kind_in_words",
        "dated",
        "stale",
        "supplier",
        "valid_until",
        "edited_by_hand",
    )
    list_filter = (
        *(("item__kind", InWords), ("kind", InWords), ("condition", InWords)),
        *(Staleness, "currency", "edited_by_hand"),
    )
    list_select_related = ("item",)
    list_per_page = 50
    search_fields = ("item__name", "item__slug", "supplier", "number")
    date_hierarchy = "quoted_on"
    autocomplete_fields = ("item",)
    readonly_fields = ("edited_by_hand", "batch", "updated_at")
    fields = (
        "item",
        ("unit_price", "currency", "unit"),
        ("kind", "condition"),
        ("supplier", "number"),
        ("quoted_on", "date_precision", "valid_until"),
        "source_url",
        "basis",
        *TERMS,
        ("edited_by_hand", "batch", "updated_at"),
    )

    class Media:
        css = {"all": ["catalog/admin.css"]}

    @admin.display(description=_("item"), ordering="item__name")
    def name_of_the_item(self, quote):
        return quote.item.name

    @admin.display(description=_("price, per unit"), ordering="unit_price")
    def price_in_words(self, quote):
        return price_in_words(quote)

    @admin.display(description=_("kind of price"), ordering="kind")
    def kind_in_words(self, quote):
        return wording.word(quote.kind)

    @admin.display(description=_("date"), ordering="quoted_on")
    def dated(self, quote):
        return pages.day(quote.quoted_on, quote.date_precision) or gettext("undated")

    @admin.display(description=_("staleness"))
    def stale(self, quote):
        return wording.freshness(quote.record().freshness_on(timezone.localdate()))

    def save_model(self, request, quote, form, change):
        quote.edited_by_hand = quote.edited_by_hand or not change or bool(form.changed_data)
        super().save_model(request, quote, form, change)


class SourceInline(admin.TabularInline):
    model = Source
    extra = 0
    can_delete = False
    readonly_fields = ("name", "sha256", "rows")

    def has_add_permission(self, request, obj=None):
        return False


@admin.register(ImportBatch)
class ImportBatchAdmin(admin.ModelAdmin):
    """To read: an import is not edited."""

    list_display = ("at", "by", "content_sha256")
    readonly_fields = ("at", "by", "content_sha256", "counts")
    inlines = (SourceInline,)

    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


def price_in_words(quote: Quote | None) -> str:
    """Amount, currency and unit, or "no quote"; never a bare number."""
    if quote is None:
        return gettext(wording.NO_QUOTE)
    amount = pages.number(quote.unit_price)
    return gettext("{amount} {currency} / {unit}").format(
        amount=amount, currency=quote.currency, unit=wording.unit(quote.unit)
    )

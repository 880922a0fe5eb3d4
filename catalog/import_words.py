"""What an import says to a person: formats, counts, doubts, rows left out, and how a job stands."""

from collections.abc import Iterable, Mapping
from typing import Any

from django.utils.translation import gettext, gettext_noop, ngettext, pgettext_lazy
from django.utils.translation import gettext_lazy as _

from catalog import wording
from catalog.comparing import Plan
from catalog.importers.harvest import Doubt
from catalog.importers.wire import QUOTE_COLUMNS
from catalog.models import Quote

PRICE_FIELDS = frozenset(QUOTE_COLUMNS[2:]) - {"external_id"}
FORMATS = {
    "own": _("Catalog file (own CSV or XLSX)"),
    "skypilot": _("Cloud prices (SkyPilot catalog)"),
    "netbox": _("Device or rack types (NetBox library)"),
    "supplier": _("Quote of a supplier"),
}
COLUMNS = {  # of a supplier's quote
    "item": _("Item of the catalog (slug)"),
    "part_number": _("Part number"),
    "description": _("Description"),
    "quantity": _("From quantity"),
    "price": _("Unit price"),
    "currency": _("Currency"),
    "unit": _("Unit"),
    "condition": _("Condition"),
    "valid_until": _("Valid until"),
    "pack_size": _("Sold in packs of"),
    "note": _("Remark"),
}
DOUBTS = {
    "typical_over_maximum": gettext_noop(
        "{subject}: the typical power, {typical} W, is above the maximum, {maximum} W"
    ),
    "less_than_its_cards": gettext_noop(
        "{subject}: {maximum} W is less than its {count} accelerators alone take, {cards} W or more"
    ),
    "dear_hour": gettext_noop(
        "{subject}: {price} {currency} an hour is above {limit} {currency}; is it the price of a month?"
    ),
    "month_as_hour": gettext_noop(
        "{subject}: {price} {currency} / {unit} after {last} {currency} / {last_unit}; is it the price of a month?"
    ),
    "price_far_off": gettext_noop(
        "{subject}: {price} {currency} / {unit} is {times} times the last price, {last} {currency}"
    ),
    "unknown_accelerator": gettext_noop(
        "“{subject}” is no accelerator of the catalog: what is offered with it ({offers}) is compared with nothing"
    ),
    "accelerators_alone": gettext_noop(
        "{subject}: {offers} offers are of accelerators alone, without the machine around them, which costs extra"
    ),
    "kind_unknown": gettext_noop(
        "{subject}: the file does not tell what kind of thing it is; it becomes an “other price”"
    ),
    "parts_unknown": gettext_noop("{parts} lines name no item of the catalog and become “other prices”: {first} …"),
}
TITLES = {
    "typical_over_maximum": _("Typical power above the maximum"),
    "less_than_its_cards": _("Less power than the accelerators alone take"),
    "dear_hour": _("Price of a month as one of an hour?"),
    "month_as_hour": _("Price of a month as one of an hour, by earlier prices?"),
    "price_far_off": _("Price ten times off the last one"),
    "unknown_accelerator": _("Accelerators that are not in the catalog"),
    "accelerators_alone": _("Accelerators without the machine around them"),
    "kind_unknown": _("Kind not told"),
    "parts_unknown": _("Parts that are not in the catalog"),
}
LEFT_OUT = {
    "no_accelerator": _("machines without an accelerator"),
    "part_of_an_accelerator": _("parts of an accelerator"),
    "slice_too_large": _("slices of more than 1,024 accelerators"),
    "no_price": _("no price"),
    "same_price_in_region": _("the same price in another zone of the region"),
    "dearer_in_region": _("a dearer price of the same machine in the region"),
}
COUNTS = {
    "create": pgettext_lazy("import", "new"),
    "update": _("changed"),
    "unchanged": _("unchanged"),
    "kept": _("kept as edited by hand"),
}
FAILURES = {
    "changed": gettext_noop(
        "The catalog has changed since the preview. Nothing was saved; this is the preview of now."
    ),
    "lost": gettext_noop("The worker was lost {attempts} times. Nothing was saved."),
    "busy": gettext_noop("Others changed the catalog each of {tries} times. Nothing was saved; try again."),
    "error": gettext_noop("The program failed ({error}). Nothing was saved."),
}


def doubt(one: Doubt) -> str:
    """A sentence, with file and line where there are any."""
    facts = {name: _shown(value) for name, value in one.facts.items()}
    for unit in ("unit", "last_unit"):
        if unit in facts:
            facts[unit] = wording.unit(facts[unit])
    said = gettext(DOUBTS[one.code]).format(subject=one.subject, **facts)
    if not one.file:
        return said
    return gettext("{file}: line {line}: {sentence}").format(file=one.file, line=one.line, sentence=said)


def title(code: str) -> str:
    return str(TITLES[code])


def left_out(plan: Plan) -> list[tuple[int, str]]:
    """(rows, why) of what the file has and the catalog does not take."""
    return [(count, str(LEFT_OUT[code])) for code, count in plan.left_out.most_common()]


def failure(plain: Mapping[str, Any] | None) -> str:
    return gettext(FAILURES[plain["code"]]).format(**plain) if plain else ""


def counted(counts: Mapping[str, int]) -> list[tuple[str, str]]:
    """(word, how many), all four of them."""
    return [(str(word), f"{counts.get(code, 0):,}") for code, word in COUNTS.items()]


def line(counts: Mapping[str, int]) -> str:
    return gettext(", ").join(f"{count} {word}" for word, count in counted(counts))


def field(name: str) -> str:
    """A field of an item or of a price."""
    if name in PRICE_FIELDS:
        return str(getattr(Quote._meta.get_field(name), "verbose_name", name)).capitalize()
    return wording.field(name)


def changed(fields: Iterable[Iterable[str]]) -> str:
    """(field, old, new) of each change in one line."""
    return "; ".join(f"{field(name)}: {old or '—'} → {new or '—'}" for name, old, new in fields)


def bad_rows(count: int) -> str:
    return ngettext("{count} bad row", "{count} bad rows", count).format(count=f"{count:,}")


def _shown(value: Any) -> str:
    return f"{value:,.10g}" if isinstance(value, int | float) else str(value)

"""An item's price history, ready to be drawn: a series for each currency and unit, since an axis holds only one."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from django.utils.translation import gettext, ngettext

from catalog import pages, wording
from catalog.records import QuoteRecord, plain


@dataclass(frozen=True)
class Point:
    """One price: `label` names its kind, and its condition unless new; `text` says the whole of it."""

    day: date
    until: date | None
    amount: Decimal
    kind: str
    new: bool
    label: str
    text: str


@dataclass(frozen=True)
class Series:
    """The dated prices of one currency and unit, oldest first; never empty."""

    unit: str  # as on the axis: "USD / each"
    summary: str
    points: list[Point]


def series(quotes: Sequence[QuoteRecord], today: date) -> list[Series]:
    """The one with the newest price first. Prices without a date are in none.

    quotes : newest first, as `Item.quotes` has them: of one day, the first is the one a list would show.
    """
    groups: dict[tuple[str, str], list[QuoteRecord]] = {}
    for quote in reversed(quotes):
        if quote.quoted_on is not None:
            groups.setdefault((quote.currency, quote.unit), []).append(quote)
    found = [_series(group, today) for group in groups.values()]
    return sorted(found, key=lambda one: one.points[-1].day, reverse=True)


def _series(quotes: list[QuoteRecord], today: date) -> Series:
    unit = " / ".join(part for part in (quotes[0].currency, wording.unit(quotes[0].unit)) if part)
    points = [point for quote in quotes for point in _points(quote, today)]
    return Series(unit, _summary(quotes, unit), points)


def _points(quote: QuoteRecord, today: date) -> Iterator[Point]:
    if quote.quoted_on is None:
        return
    shown = pages.price(quote, today)
    label = gettext(", ").join(filter(None, (wording.word(quote.kind), shown.condition)))
    until = "" if not shown.valid_until else gettext("valid until {day}").format(day=shown.valid_until)
    unverified = wording.word("unverified") if quote.status == "unverified" else ""
    said = (shown.day, shown.amount, label, unverified, quote.supplier, until)
    yield Point(
        day=quote.quoted_on,
        until=quote.valid_until,
        amount=plain(quote.unit_price),
        kind=quote.kind,
        new=quote.condition == "new",
        label=label,
        text=" · ".join(filter(None, said)),
    )


def _summary(quotes: list[QuoteRecord], unit: str) -> str:
    newest = quotes[-1]
    facts = {
        "count": len(quotes),
        "unit": unit,
        "day": pages.day(newest.quoted_on, newest.date_precision),
        "amount": pages.number(newest.unit_price),
        "kind": wording.word(newest.kind),
        "first": pages.day(quotes[0].quoted_on, quotes[0].date_precision),
        "low": pages.number(min(quote.unit_price for quote in quotes)),
        "high": pages.number(max(quote.unit_price for quote in quotes)),
    }
    return ngettext(
        "One price in {unit}: {amount} ({kind}), {day}.",
        "{count} prices in {unit} from {first} to {day}, between {low} and {high}; the newest is {amount} ({kind}).",
        len(quotes),
    ).format(**facts)

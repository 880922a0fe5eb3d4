"""Prices that the catalog gives otherwise than when a scenario was priced: which, with what effect, and their adoption.

Compared is what a plan pays and who says so, for the same document and pricing date. A remark that was reworded is no
other price, and what a machine is made of is not for sale: technical data stay as they were pinned.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from catalog.records import Catalog
from planner.engine.compare import Comparison
from planner.engine.evaluate import Evaluation
from planner.engine.inputs import Scenario
from planner.engine.prices import Cost, Price, PriceBook, Source
from planner.engine.quantities import InputError
from planner.models import Scenario as ScenarioRow
from planner.models import ScenarioVersion, User
from planner.services import evaluation, pricebook, scenarios
from planner.services.pricebook import Asked

# Part of a price book → the fields that hold its prices, with the kind of price each is.
PRICES = {
    "builds": {"price": "server"},
    "addons": {"price": "card", "extra_price": "card_extra"},
    "offers": {"price": "offer"},
    "items": {"price": "switch"},
    "tariffs": {"price": "tariff"},
    "colocation": {"price": "colocation"},
    "costs": {"likely": "cost"},
}
# What else decides what is paid for.
TERMS = {"offers": ("count", "billing_unit"), "colocation": ("power_included", "size_band"), "costs": ("unit",)}
WHOLE = ("offers", "colocation", "costs")  # nothing but the terms of the price
SHARES = ("accelerator_share", "memory_share", "nic_share", "share_basis")  # of a server's price, which follow from it


class MovedAgain(Exception):
    """The catalog has changed once more since the prices were shown."""


@dataclass(frozen=True)
class Figure:
    """A price as a book has it, in its own currency ("" for a share or a count) with the rate to the book's."""

    amount: float
    currency: str
    rate: float | None
    source: Source
    terms: tuple[Any, ...] = ()

    def value(self) -> float | None:
        """The amount in the currency of the book; None where a rate is missing."""
        return None if self.rate is None else self.amount * self.rate

    def facts(self) -> tuple[Any, ...]:
        """What makes it this price and no other."""
        said = self.source
        return (
            *(self.amount, self.currency, self.rate, self.terms),
            *(said.basis, said.supplier, said.number, said.dated, said.valid_until),
        )


@dataclass(frozen=True)
class Moved:
    """A price that differs; None is "no quote". `key` is its entry in that part of a price book."""

    part: str
    key: str
    field: str
    old: Figure | None
    new: Figure | None
    entry: Any  # as the catalog gives it today; as pinned where it gives none

    @property
    def kind(self) -> str:
        return PRICES[self.part][self.field]

    @property
    def slug(self) -> str:
        """The item in the catalog."""
        said = (self.new or self.old or Figure(0.0, "", None, Source())).source.item
        return said or getattr(self.entry, "slug", self.key)

    @property
    def change(self) -> float | None:
        """By what share the price rose, in the currency of the book; None where that cannot be said."""
        old = self.old.value() if self.old else None
        new = self.new.value() if self.new else None
        return None if new is None or not old else new / old - 1.0


@dataclass(frozen=True)
class Offered:
    """What a scenario would adopt: the prices that moved, and the price book with them."""

    moved: tuple[Moved, ...]
    book: PriceBook


@dataclass(frozen=True)
class Answer:
    """What a document comes to with some prices; `problem` where it cannot be computed."""

    result: Evaluation | None
    comparison: Comparison | None
    problem: InputError | None = None


def moved(scenario: Scenario, pinned: PriceBook, catalog: Catalog) -> tuple[Moved, ...]:
    """The prices that the catalog gives otherwise today, in the order of the price book."""
    return tuple(_moved(scenario, pinned, pricebook.build(catalog, scenario)))


def offered(scenario: Scenario, pinned: PriceBook, catalog: Catalog) -> Offered:
    """The prices that moved, and the pinned book with all of them taken over."""
    today = pricebook.build(catalog, scenario)
    found = tuple(_moved(scenario, pinned, today))
    return Offered(found, _with(found, pinned, today))


def answer(version: ScenarioVersion, book: PriceBook) -> Answer:
    """What a version comes to with these prices, stored or not."""
    try:
        return Answer(*evaluation.answer(version.document, book, book.sha256()))
    except InputError as error:
        return Answer(None, None, error)


def adopt(row: ScenarioRow, base_number: int, shown: str, user: User | None) -> ScenarioVersion:
    """Pin all prices that moved, as a version that can be undone.

    shown : SHA-256 of the price book that the user was shown.
    Raises MovedAgain where it would be another by now; Conflict and InputError as an edit does.
    """
    head = scenarios.newest(row)
    if shown == head.prices_id:  # adopted, and the answer was lost
        return head
    book = offered(scenarios.read(head.document), evaluation.book_of(head.prices_id), evaluation.catalog()).book
    if head.number == base_number and book.sha256() != shown:
        raise MovedAgain
    return scenarios.reprice(row, base_number, book, user)


def _moved(scenario: Scenario, pinned: PriceBook, today: PriceBook) -> Iterator[Moved]:
    asked = Asked.by(scenario)
    for part, fields in PRICES.items():
        held = {key: entry for key, entry in getattr(pinned, part).items() if asked.wants(part, key, entry, pinned)}
        found = getattr(today, part)
        for key in sorted(held.keys() | found.keys()):
            for field in fields:
                old, new = _figure(part, held.get(key), field), _figure(part, found.get(key), field)
                if (old and old.facts()) != (new and new.facts()):
                    yield Moved(part, key, field, old, new, found.get(key, held.get(key)))


def _figure(part: str, entry: Any, field: str) -> Figure | None:
    if entry is None:
        return None
    terms = tuple(getattr(entry, name) for name in TERMS.get(part, ()))
    if isinstance(entry, Cost):
        return Figure(entry.likely, entry.currency, entry.rate, entry.source, terms)
    price: Price | None = getattr(entry, field)
    if price is None:
        return None
    terms = (*terms, price.tax_included, price.terms)
    return Figure(price.amount, price.currency, price.rate, price.source, terms)


def _with(moved: tuple[Moved, ...], pinned: PriceBook, today: PriceBook) -> PriceBook:
    """The pinned book with these prices of today's; the rest of each entry stays as it is."""
    parts = {part: dict(getattr(pinned, part)) for part in PRICES}
    for each in moved:
        parts[each.part][each.key] = _entry(each, parts[each.part].get(each.key), getattr(today, each.part))
    for slug in {each.key for each in moved if each.part in ("builds", "addons")} & parts["builds"].keys():
        if (build := today.builds.get(slug)) is not None:
            shares = {name: getattr(build, name) for name in SHARES}
            parts["builds"][slug] = parts["builds"][slug].model_copy(update=shares)
    parts["costs"] = {slug: cost for slug, cost in parts["costs"].items() if cost is not None}
    accelerators = today.accelerators | pinned.accelerators
    return pinned.model_copy(update={**parts, "accelerators": accelerators})


def _entry(each: Moved, held: Any, found: dict[str, Any]) -> Any:
    """The entry of a book with the price as it is today; None for a planning default that is gone."""
    entry = found.get(each.key)
    if entry is None:
        return None if each.part == "costs" else held.model_copy(update={each.field: None})
    other = getattr(held, "slug", None) != getattr(entry, "slug", None)
    if held is None or other or each.part in WHOLE:
        return entry
    return held.model_copy(update={each.field: getattr(entry, each.field)})

"""Orders that a quote does not allow as they stand: too few, too small, or in broken packs. Nothing is rounded up."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.books import Books
from planner.engine.costs.purchases import Purchases
from planner.engine.prices import Price
from planner.engine.result import Finding
from planner.engine.rounding import SLACK
from planner.engine.wiring import Network

BROKEN_TERMS = frozenset({"below_moq", "broken_pack", "below_order_value"})


def broken_terms(bought: list[Purchases], network: Network | None, books: Books) -> list[Finding]:
    """One finding for each term of a quote that an order breaks, in the first month in which one does."""
    return [
        finding
        for slug, quoted, quantity, unit_price in _ordered(bought, network, books)
        for finding in _broken(slug, quoted, quantity, unit_price, books)
    ]


def _ordered(
    bought: list[Purchases], network: Network | None, books: Books
) -> Iterator[tuple[str, Price | None, Array, Array]]:
    """(item, its quote, pieces ordered in each month, price of one), (M,), of everything that is bought by a quote."""
    for each in bought:
        build, addon, shape = each.machine.build, each.machine.addon, each.paid.shape
        pieces, price = (each.builds + each.hosts)[0], np.broadcast_to(each.build_price, shape)[0]
        yield build.slug, build.price, pieces, price
        if addon is not None:
            yield addon.slug, addon.price, each.cards[0], np.broadcast_to(each.card_price, shape)[0]
    if network is not None:
        for slug, (pieces, paid) in network.devices_bought().items():
            yield slug, books.book.items[slug].price, pieces[0], paid[0] / np.maximum(pieces[0], 1.0)


def _broken(slug: str, quoted: Price | None, quantity: Array, unit_price: Array, books: Books) -> Iterator[Finding]:
    terms = books.terms(slug, quoted)
    if quoted is None or terms is None:
        return
    said = {"item": slug, "supplier": quoted.source.supplier, "number": quoted.source.number}

    def first(where: Any) -> int | None:
        months = np.flatnonzero((quantity > 0) & where)
        return int(months[0]) if months.size else None

    if terms.min_quantity and (m := first(quantity < terms.min_quantity - SLACK)) is not None:
        yield Finding("below_moq", m, {**said, "ordered": float(quantity[m]), "least": terms.min_quantity})
    if terms.pack and (m := first(np.abs(quantity / terms.pack - np.round(quantity / terms.pack)) > SLACK)) is not None:
        packs = math.ceil(float(quantity[m]) / terms.pack)
        facts: dict[str, Any] = {
            "ordered": float(quantity[m]),
            "pack": terms.pack,
            "packs": packs,
            "offered": packs * terms.pack,
        }
        yield Finding("broken_pack", m, {**said, **facts})
    if terms.min_order_value:
        worth = quantity * unit_price / quoted.to_book(books.book.currency)  # as quoted, its tax included
        if (m := first(worth < terms.min_order_value * (1.0 - SLACK))) is not None:
            facts = {"value_ordered": float(worth[m]), "least": terms.min_order_value, "currency": quoted.currency}
            yield Finding("below_order_value", m, {**said, **facts})

"""Discounts of quotes: each taken once, on a line of its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from planner.engine.calendar import Array
from planner.engine.lines import Ledger
from planner.engine.prices import Price, Source

if TYPE_CHECKING:
    from planner.engine.costs.books import Books


@dataclass(frozen=True)
class Taken:
    """One discount as taken. Arrays (S, M).

    quantity : goods it is a share of [money], or 1 in the month of the first order.
    price    : share, or amount [money].
    """

    item: str
    name: str
    quantity: Array
    unit: str  # money · each
    price: Array
    source: Source

    @property
    def formula(self) -> str:
        return "discount_share" if self.unit == "money" else "discount_amount"

    @property
    def amount(self) -> Array:
        return np.asarray(self.quantity * self.price)

    def write(self, ledger: Ledger, category: str) -> None:
        ledger.add(
            category,
            "discount",
            self.quantity,
            self.unit,
            self.price,
            self.source,
            self.formula,
            item=self.item,
            drivers=("market/own_prices/" + self.item,),
            credit=True,
            part=self.name,
        )


def taken(item: str, quoted: Price | None, goods: Array, books: Books) -> list[Taken]:
    """The discounts of a quote on what is ordered under it, (S, M) [money]: shares of each order, amounts of the first.

    None is taken off another, and together they leave nothing below 0.
    """
    terms = books.terms(item, quoted)
    if quoted is None or terms is None or not goods.any():
        return []
    found, left = [], goods
    first = np.zeros(goods.shape)
    rows = np.flatnonzero(goods.any(axis=1))
    first[rows, np.argmax(goods[rows] > 0, axis=1)] = 1.0
    for each in terms.discounts:
        if each.share is not None:
            one = Taken(item, each.name, goods, "money", np.full(goods.shape, each.share), quoted.source)
        else:
            amount = (each.amount or 0.0) * quoted.to_book(books.book.currency)
            one = Taken(item, each.name, first, "each", np.minimum(first * amount, left), quoted.source)
        left = np.clip(left - one.amount, 0.0, None)
        found.append(one)
    return found


def kept(discounts: list[Taken], goods: Array) -> Array | float:
    """Share of the price of goods that is paid after the discounts, (S, M); 1 where there are none."""
    if not discounts:
        return 1.0
    off = sum((each.amount for each in discounts), np.zeros(goods.shape))
    return np.asarray(1.0 - np.where(goods > 0, off / np.where(goods > 0, goods, 1.0), 0.0))

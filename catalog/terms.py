"""Terms of a quote as people write them: volume breaks "8: 41500; 16: 40000", discounts "Framework: 5 %; Rebate: 2000".

A break holds from its quantity on, for every piece of the order. A discount in per cent is taken off every order under
the quote, an amount once; each once, none off another.
"""

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal, InvalidOperation
from typing import Any

from catalog.records import PRICE_DECIMALS, PRICE_LIMIT, Break, Discount, plain

MAX_QUANTITY = 1_000_000
MAX_TERMS = 20
MAX_NAME = 80


class BadTerm(ValueError):
    """A term that cannot be read; `code` is for wording, `entry` what was written."""

    def __init__(self, code: str, entry: str) -> None:
        self.code, self.entry = code, entry
        super().__init__(f"{code}: {entry}")


def read_breaks(text: str) -> tuple[Break, ...]:
    """Volume breaks, smallest quantity first; raises BadTerm."""
    found = []
    for entry in _entries(text):
        left, colon, right = entry.partition(":")
        quantity = left.strip()
        if not colon or not re.fullmatch(r"[0-9]{1,7}", quantity, re.ASCII):
            raise BadTerm("bad_break", entry)
        if not 2 <= int(quantity) <= MAX_QUANTITY:
            raise BadTerm("break_quantity", entry)
        found.append(Break(int(quantity), _amount(right, entry)))
    if len({each.min_quantity for each in found}) < len(found):
        raise BadTerm("break_twice", text)
    return tuple(sorted(found))


def write_breaks(breaks: Iterable[Break]) -> str:
    return "; ".join(f"{each.min_quantity}: {plain(each.unit_price)}" for each in breaks)


def read_discounts(text: str) -> tuple[Discount, ...]:
    """Discounts in their order; raises BadTerm, for several that leave no price too."""
    found = []
    for entry in _entries(text):
        name, colon, right = entry.rpartition(":")
        name, right = name.strip(), right.strip()
        if not colon or not name or len(name) > MAX_NAME:
            raise BadTerm("bad_discount", entry)
        if right.endswith("%"):
            share = _amount(right[:-1], entry)
            if not 0 < share < 100:
                raise BadTerm("discount_share", entry)
            found.append(Discount(name, share=plain(share / 100)))
        else:
            found.append(Discount(name, amount=_amount(right, entry)))
    if len({each.name for each in found}) < len(found):
        raise BadTerm("discount_twice", text)
    if sum(each.share or 0 for each in found) >= 1:
        raise BadTerm("discount_share", text)
    return tuple(found)


def write_discounts(discounts: Iterable[Discount]) -> str:
    return "; ".join(f"{each.name}: {_off(each)}" for each in discounts)


def _off(each: Discount) -> str:
    return f"{plain(each.share * 100)} %" if each.share is not None else f"{plain(each.amount or Decimal(0))}"


def stored_breaks(rows: Iterable[Iterable[Any]]) -> tuple[Break, ...]:
    """Breaks out of a column, where numbers are text."""
    return tuple(Break(int(quantity), plain(Decimal(str(price)))) for quantity, price in rows or ())


def stored_discounts(rows: Iterable[Iterable[Any]]) -> tuple[Discount, ...]:
    """Discounts out of a column."""
    return tuple(Discount(name, *(stored_amount(part) for part in parts)) for name, *parts in rows or ())


def stored_amount(part: Any) -> Decimal | None:
    """An amount out of a column, without the zeros the column adds."""
    return None if part is None else plain(Decimal(str(part)))


def _entries(text: str) -> list[str]:
    typed = unicodedata.normalize("NFKC", text)
    entries = [entry.strip() for entry in re.split(r"[;\r\n]+", typed) if entry.strip()]
    if len(entries) > MAX_TERMS:
        raise BadTerm("too_many_terms", entries[MAX_TERMS])
    return entries


def _amount(text: str, entry: str) -> Decimal:
    typed = text.strip()
    if re.fullmatch(r"[0-9]{1,3}(,[0-9]{3})+(\.[0-9]*)?", typed, re.ASCII):
        typed = typed.replace(",", "")
    if not re.fullmatch(r"[0-9]+(\.[0-9]*)?|\.[0-9]+", typed, re.ASCII):
        raise BadTerm("term_amount", entry)
    try:
        amount = Decimal(typed)
    except InvalidOperation:
        raise BadTerm("term_amount", entry) from None
    if amount >= PRICE_LIMIT or amount != round(amount, PRICE_DECIMALS):
        raise BadTerm("term_amount", entry)
    return plain(amount)

"""An amount of money as people write it: "¥200万", "2 million", "$300k", "EUR 1,500,000"."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal

# Written beside an amount → the currencies it may mean, the likeliest first.
DOLLARS = ("USD", "HKD", "SGD", "AUD", "CAD", "NZD", "TWD")
SIGNS: dict[str, tuple[str, ...]] = {
    "¥": ("CNY", "JPY"),
    "CN¥": ("CNY",),
    "JP¥": ("JPY",),
    "RMB": ("CNY",),
    "元": ("CNY",),
    "人民币": ("CNY",),
    "$": DOLLARS,
    "US$": ("USD",),
    "HK$": ("HKD",),
    "S$": ("SGD",),
    "A$": ("AUD",),
    "C$": ("CAD",),
    "NT$": ("TWD",),
    "美元": ("USD",),
    "港元": ("HKD",),
    "日元": ("JPY",),
    "欧元": ("EUR",),
    "英镑": ("GBP",),
    "€": ("EUR",),
    "£": ("GBP",),
    "₩": ("KRW",),
    "₹": ("INR",),
}
SCALES: dict[str, int] = {
    "千": 10**3,
    "万": 10**4,
    "萬": 10**4,
    "百万": 10**6,
    "千万": 10**7,
    "亿": 10**8,
    "億": 10**8,
    "k": 10**3,
    "thousand": 10**3,
    "m": 10**6,
    "mn": 10**6,
    "mio": 10**6,
    "million": 10**6,
    "b": 10**9,
    "bn": 10**9,
    "billion": 10**9,
}


def _any(words: dict[str, object]) -> str:
    return "|".join(re.escape(word) for word in sorted(words, key=len, reverse=True))


_CODE = rf"(?:{_any(dict(SIGNS))}|[A-Za-z]{{3}})"
_AMOUNT = re.compile(
    rf"(?P<before>{_CODE})?(?P<number>\d{{1,3}}(?:,\d{{3}})+(?:\.\d*)?|\d+\.?\d*|\.\d+)"
    rf"(?P<scale>{_any(dict(SCALES))})?(?P<after>{_CODE})?",
    re.IGNORECASE,
)


def read_money(text: str, currency: str) -> tuple[float, str]:
    """(amount, currency) of what was typed: the currency written beside the amount, else the one given.

    A sign of several currencies, as "¥" and "$", means the given one where that is among them.
    Raises ValueError where the text is no amount, or names two currencies.
    """
    typed = re.sub(r"[\s\u2009\u202f]+", "", unicodedata.normalize("NFKC", text))
    found = _AMOUNT.fullmatch(typed)
    if found is None:
        raise ValueError(text)
    said = {_meant(sign, currency) for sign in (found["before"], found["after"]) if sign}
    if len(said) > 1:
        raise ValueError(text)
    scale = SCALES[found["scale"].lower()] if found["scale"] else 1
    return float(Decimal(found["number"].replace(",", "")) * scale), said.pop() if said else currency


def _meant(sign: str, currency: str) -> str:
    meant = SIGNS.get(sign.upper(), (sign.upper(),))
    return currency if currency in meant else meant[0]

"""Who says so: the badge of a price or default, and the quote behind it."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.prices import Cost, Price, PriceBook, Source
from planner.wording.numbers import chinese, date, number

BADGES = {
    "quoted": _("quoted"),
    "sourced": _("sourced"),
    "market": _("market price"),
    "estimate": _("estimate"),
    "own": _("entered"),
    "unverified": _("unverified"),
    "stale": _("stale"),
}
# What a catalog row says of itself → the badge it gets.
BADGE_OF = {
    "quoted": "quoted",
    "list": "market",
    "market": "market",
    "estimate": "estimate",
    "own": "own",
    "sourced": "sourced",
    "unverified": "unverified",
    "default": "estimate",
    "choice": "own",
}


# Short names under which the catalog keeps cloud providers → how they write themselves.
PROVIDERS: dict[str, Any] = {
    "acecloud": "AceCloud",
    "alibaba-cloud": _("Alibaba Cloud"),
    "aws": "AWS",
    "azure": "Azure",
    "china-lease-market": _("lease market in China"),
    "coreweave": "CoreWeave",
    "crusoe": "Crusoe",
    "cudo": "CUDO Compute",
    "cyfuture": "Cyfuture",
    "digitalocean": "DigitalOcean",
    "e2e-networks": "E2E Networks",
    "fluidstack": "Fluidstack",
    "gcp": "Google Cloud",
    "huawei-cloud": _("Huawei Cloud"),
    "hyperstack": "Hyperstack",
    "jarvislabs": "Jarvislabs",
    "lambda": "Lambda",
    "latitude": "Latitude.sh",
    "market-index": _("market index"),
    "nebius": "Nebius",
    "oblivus": "Oblivus",
    "oracle": "Oracle Cloud",
    "ovhcloud": "OVHcloud",
    "packet-ai": "packet.ai",
    "paperspace": "Paperspace",
    "runpod": "Runpod",
    "salad": "Salad",
    "tencent-cloud": _("Tencent Cloud"),
    "tensorwave": "TensorWave",
    "together": "Together AI",
    "vast": "Vast.ai",
    "verda-datacrunch": "Verda (DataCrunch)",
    "vultr": "Vultr",
    "yotta-shakti": "Yotta Shakti",
    "yottalabs": "Yotta Labs",
}

# Exchange rates are published with five or six; fewer would not give the converted amount.
RATE_DIGITS = 6
# Estimates of our own, which no supplier quotes.
ITEMS = {"residual_curve": _("resale curve, estimate")}


def provider(slug: str) -> str:
    """A supplier as it writes itself; others than the catalog's clouds come back as they are."""
    return str(PROVIDERS.get(slug, slug))


def badge(basis: str) -> dict[str, str]:
    """{"badge", "word"} of a basis alone, as a Quantity has it."""
    code = BADGE_OF.get(basis, "unverified")
    return {"badge": code, "word": str(BADGES[code])}


def source(origin: Source, pricing_date: dt.date | None = None, stale_after_days: int = 180) -> dict[str, Any]:
    """The quote behind a figure: {"badge", "word", "text", "url", "note", "lang", "rate", "record"}.

    `record` is the key of the price in the catalog, `text` names supplier, number, date and validity; `note` is quoted
    from the catalog, English whatever the page's language.
    """
    stale = (
        pricing_date is not None
        and origin.dated is not None
        and origin.basis != "own"
        and origin.dated < pricing_date - dt.timedelta(days=stale_after_days)
    )
    found = badge(origin.basis)
    if stale:
        found = {"badge": "stale", "word": str(BADGES["stale"])}
    facts = [
        str(ITEMS.get(origin.item, "")),
        provider(origin.supplier),
        gettext("no. {number}").format(number=origin.number) if origin.number else "",
    ]
    if origin.dated is not None:
        facts.append(date(origin.dated))
    if origin.valid_until is not None:
        facts.append(gettext("valid until {date}").format(date=date(origin.valid_until)))
    if origin.basis == "own":
        facts.append(gettext("entered in the scenario"))
    rate = ""
    if origin.rate is not None and origin.rate != 1.0:
        rate = gettext("exchange rate {rate}").format(rate=number(origin.rate, digits=RATE_DIGITS))
        if origin.rate_dated is not None:
            rate += f" · {date(origin.rate_dated)}"
        if origin.rate_source:
            rate += f" · {origin.rate_source}"
    text = " · ".join(fact for fact in facts if fact)
    return {
        **found,
        "text": text,
        "url": origin.url,
        "note": origin.note,
        "lang": "en" if origin.note and chinese() else "",
        "rate": rate,
        "record": origin.quote_id or ("" if origin.basis == "own" or origin.item in ITEMS else origin.item),
    }


def exchange_rates(book: PriceBook) -> str:
    """The exchange rates at which a price book converts, each once, with its date; "" where all is in one currency."""
    entries = [entry for _name, part in book if isinstance(part, dict) for entry in part.values()]
    priced: list[Price | Cost] = [value for entry in entries for _name, value in entry if isinstance(value, Price)]
    priced += [entry for entry in entries if isinstance(entry, Cost)]
    found: dict[str, str] = {}
    for price in priced:
        if price.currency not in ("", book.currency) and price.rate is not None:
            dated = f" ({date(price.source.rate_dated)})" if price.source.rate_dated is not None else ""
            found.setdefault(
                price.currency, f"{price.currency}/{book.currency} {number(price.rate, digits=RATE_DIGITS)}{dated}"
            )
    rates = gettext(", ").join(found[currency] for currency in sorted(found))
    return gettext("Exchange rates: {rates}.").format(rates=rates) if rates else ""

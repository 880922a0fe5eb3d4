"""Prices that moved as rows of formatted cells: old and new with their sources, and what they do to each plan."""

from __future__ import annotations

from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from catalog import wording as catalog_wording
from catalog.records import Catalog
from planner import tables, wording
from planner.engine.evaluate import PlanResult
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.services.newer_prices import Answer, Figure, Moved

KINDS = {
    "server": gettext_lazy("Server"),
    "card": gettext_lazy("GPU card, added later"),
    "card_extra": gettext_lazy("Memory and network card of an added GPU"),
    "offer": gettext_lazy("Rented GPUs"),
    "switch": gettext_lazy("Fabric switch"),
    "tariff": gettext_lazy("Electricity"),
    "colocation": gettext_lazy("Colocation"),
    "cost": gettext_lazy("Planning default"),
}
# What a price buys, by its kind; a planning default has its own unit.
UNITS = {
    "server": "money/server",
    "card": "money/card",
    "card_extra": "money/card",
    "offer": "money/instance-hour",
    "switch": "money/switch",
    "tariff": "money/kWh",
    "colocation": "money/kW/month",
}
SAME = 1e-9  # a share below which two prices are the same amount


def moved(found: tuple[Moved, ...], scenario: Scenario, book: PriceBook, catalog: Catalog) -> list[dict[str, Any]]:
    """One row a price; `book` names the items."""
    return [_row(each, scenario, book, catalog) for each in found]


def effects(now: Answer, then: Answer) -> list[dict[str, Any]]:
    """Present value of each plan now, with the newer prices, and the difference; None where there is none."""
    shown = now if now.result is not None else then
    if shown.result is None or shown.comparison is None:
        return []
    called, currency = tables.names(shown.result), shown.result.scenario.currency
    rows = []
    for plan in tables.ordered(shown.result, shown.comparison):
        old, new = (_present_value(answer, plan.slug) for answer in (now, then))
        change = new - old if old is not None and new is not None else None
        rows.append(
            {
                "name": called[plan.slug],
                "colour": tables.colour(shown.result, plan.slug),
                "cells": [_amount(old, currency), _amount(new, currency), _change(change, old, currency)],
            }
        )
    return rows


def verdict(now: Answer, then: Answer) -> str:
    """Whether the answer would be another: "“Cloud” stays the cheapest."; "" where either cannot be computed."""
    if now.result is None or now.comparison is None or then.result is None or then.comparison is None:
        return ""
    before, after = now.comparison.verdict, then.comparison.verdict
    if before.plan is None and after.plan is None:
        return _("Still no plan meets the demand.")
    old = wording.verdict(now.result, now.comparison)["title"].rstrip(".。")
    new = wording.verdict(then.result, then.comparison)["title"].rstrip(".。")
    if (before.code, before.plan) != (after.code, after.plan) or old != new:
        return _("The verdict would change from “{old}” to “{new}”.").format(old=old, new=new)
    if before.code == "clear":
        return _("“{plan}” stays the cheapest.").format(plan=tables.names(now.result)[before.plan or ""])
    return _("The verdict stays “{verdict}”.").format(verdict=old)


def problem(answer: Answer, scenario: Scenario) -> str:
    """Why it cannot be computed; "" where it can."""
    return wording.say(answer.problem, scenario.currency, scenario) if answer.problem is not None else ""


def _row(each: Moved, scenario: Scenario, book: PriceBook, catalog: Catalog) -> dict[str, Any]:
    change, tone = _price_change(each)
    return {
        "name": _name(each, book, catalog),
        "lang": "en" if each.kind == "colocation" and wording.chinese() else "",  # the catalog's own words
        "kind": str(KINDS[each.kind]),
        "slug": each.slug,
        "both": [_price(figure, each, scenario) for figure in (each.old, each.new)],
        "change": change,
        "tone": tone,
        "own": each.slug in scenario.market.own_prices and each.kind != "card_extra",
    }


def _name(each: Moved, book: PriceBook, catalog: Catalog) -> str:
    match each.kind:
        case "tariff":
            return f"{each.entry.region} · {catalog_wording.word(each.entry.customer_class)}"
        case "colocation":
            item = catalog.of_kind("colocation").get(each.slug)
            return each.slug if item is None else item.name
        case "offer":
            return " · ".join(part for part in (wording.item(each.key, book), each.entry.region) if part)
    return wording.item(each.slug, book)


def _price(figure: Figure | None, each: Moved, scenario: Scenario) -> dict[str, Any] | None:
    """{"text", "rate", "source"}; None is "no quote"."""
    if figure is None:
        return None
    rate = ""
    if figure.rate is not None and figure.currency not in ("", scenario.currency):
        rate = _("at {rate}").format(rate=wording.number(figure.rate, digits=5))
        if figure.source.rate_dated is not None:
            rate += f" · {wording.date(figure.source.rate_dated)}"
    source = wording.source(figure.source, scenario.pricing_date, scenario.market.stale_after_days)
    host = urlsplit(source["url"]).hostname or ""
    return {"text": _figure(figure, each), "rate": rate, "source": {**source, "host": host}}


def _figure(figure: Figure, each: Moved) -> str:
    if each.kind != "cost":
        return wording.quantity(figure.amount, UNITS[each.kind], figure.currency)
    unit = catalog_wording.unit(each.entry.unit)
    if not figure.currency:
        return f"{wording.number(figure.amount, digits=6)} {unit}"
    return f"{wording.unit_price(figure.amount, figure.currency)} / {unit}"


def _price_change(each: Moved) -> tuple[str, str]:
    """(by how much, its tone); in the currency of the scenario, exchange rates included."""
    if each.old is None or each.new is None or each.change is None:
        return "–", ""
    if abs(each.change) < SAME:
        same_terms = each.old.terms == each.new.terms
        return (_("same amount, other quote") if same_terms else _("same amount, other terms")), ""
    return wording.percent(each.change, plus=True), "bad" if each.change > 0 else "good"


def _present_value(answer: Answer, slug: str) -> float | None:
    plan: PlanResult | None = answer.result.plan(slug) if answer.result is not None else None
    return plan.present_value if plan is not None and plan.priced else None


def _amount(amount: float | None, currency: str) -> dict[str, str] | None:
    if amount is None:
        return None
    return {"text": wording.money(amount, currency, compact=True), "exact": wording.money(amount, currency)}


def _change(change: float | None, old: float | None, currency: str) -> dict[str, str] | None:
    if change is None:
        return None
    exact = wording.money(change, currency)
    if not any(digit in exact for digit in "123456789"):
        return {"text": _("unchanged"), "exact": exact, "tone": ""}
    plus, tone = ("+", "bad") if change > 0 else ("", "good")
    text = plus + wording.money(change, currency, compact=True)
    share = wording.percent(change / old, plus=True) if old else ""
    return {"text": text, "exact": plus + exact, "tone": tone, "share": share}

"""Which prices an edit pins: those its scenario has already, and today's for what it newly asks for.

A price that the scenario has keeps its amount, its source and its exchange rate, whatever the catalog says by now;
`newer_prices` offers those. Another pricing date is the wish to be priced anew; another currency only converts anew.
"""

from __future__ import annotations

from catalog.records import Catalog
from planner.engine.inputs import Scenario
from planner.engine.prices import Accelerator, PriceBook
from planner.services import pricebook
from planner.services.pricebook import Asked

PARTS = ("accelerators", "builds", "addons", "offers", "items", "costs", "tariffs", "schedules", "colocation", "models")


def carried(catalog: Catalog, scenario: Scenario, held: PriceBook, *former: Scenario) -> PriceBook:
    """The prices of a document that grew out of `former`, which were computed with the prices `held`.

    What former documents asked for and `held` lacks was not in the catalog then; it stays out.
    """
    if held.pricing_date != scenario.pricing_date:
        return pricebook.build(catalog, scenario)
    held = pricebook.in_currency(held, catalog, scenario.currency)
    today = pricebook.build(catalog, scenario, rates_of=held)
    asked, known = Asked.by(scenario), Asked.by(*former)

    def is_new(part: str, key: str, entry: object) -> bool:
        by_name = part == "accelerators" or (part == "offers" and key in asked.offers)
        return by_name or not known.wants(part, key, entry, today)

    parts = {}
    for part in PARTS:
        fresh = {key: entry for key, entry in getattr(today, part).items() if is_new(part, key, entry)}
        kept = {key: entry for key, entry in getattr(held, part).items() if asked.wants(part, key, entry, held)}
        if part == "accelerators":
            kept = {key: _powered(entry, today) for key, entry in kept.items()}
        parts[part] = dict(sorted((fresh | kept).items()))
    return today.model_copy(update=parts)


def _powered(card: Accelerator, today: PriceBook) -> Accelerator:
    """A card of a scenario saved before books held its nameplate power, with it: no price, and no figure without a
    power limit."""
    known = today.accelerators.get(card.slug)
    return card if card.tdp_w is not None or known is None else card.model_copy(update={"tdp_w": known.tdp_w})


def stepped(held: PriceBook, start: PriceBook, end: PriceBook) -> PriceBook | None:
    """The prices `held` with the step from `start` to `end` taken as well; all three of one day and currency.

    None where a price that the step replaces has been replaced by a third since.
    """
    parts = {}
    for part in PARTS:
        now, before, after = dict(getattr(held, part)), getattr(start, part), getattr(end, part)
        for key, entry in after.items():
            if before.get(key) == entry or (key not in before and key in now):
                continue
            if now.get(key) not in (None, before.get(key), entry):
                return None
            now[key] = entry
        parts[part] = now
    return held.model_copy(update=parts)

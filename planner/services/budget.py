"""What a budget buys: a document to ask with, the configurations of the catalog, and a scenario made of one of them."""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Any

from catalog.records import Catalog
from planner.engine.abilities import Abilities
from planner.engine.budget import (
    BOUND,
    GROUPS,
    Budget,
    Configuration,
    configurations,
    neighbours,
    plan_of,
)
from planner.engine.calendar import lead_in_months
from planner.engine.compare import Comparison, compare
from planner.engine.inputs import Scenario
from planner.engine.prices import PROVIDER_CLASSES, PriceBook, comparable_offers, content_hash
from planner.engine.quantities import InputError
from planner.engine.result import Evaluation
from planner.services import gallery, pricebook
from planner.services.evaluation import Recent
from planner.services.sizing import MONTHS, month_after

__all__ = ["BOUND", "GROUPS", "Answer", "Budget", "Configuration", "InputError", "answer", "around", "blank", "propose"]

TEMPLATE = "budget-first"
POOL, ROOM = "pool", "room"
REFERENCE = "h200-sxm"  # in whose GPU-hours kinds are compared, where the catalog has it
# An example to begin with, by the language that is read: (currency, amount, region).
EXAMPLES = {"zh": ("CNY", 2_000_000.0, "CN"), "en": ("USD", 300_000.0, "US-VA")}
# What operating costs are known for: country of the room → region of the catalog's staff rows.
STAFF = {"US": "US", "CN": "CN", "IN": "IN", "GB": "UK", "DE": "DE"}
# A hall to begin with, by country.
HALLS = {
    "CN": "beijing-retail-cabinet-power-included",
    "US": "northern-virginia-ashburn-1-mw-wholesale",
    "JP": "tokyo-250-500-kw",
    "SG": "singapore-250-500-kw",
    "GB": "london-250-500-kw",
    "DE": "frankfurt-250-500-kw",
    "FR": "paris-250-500-kw",
    "NL": "amsterdam-250-500-kw",
    "IN": "mumbai-250-500-kw",
    "AU": "sydney-250-500-kw",
    "HK": "hong-kong-250-500-kw",
}
HALL = "global-average-250-500-kw"
USE_OF = {"serving": "serving", "batch": "serving", "tuning": "tuning", "training": "training", "hpc": "simulation"}


# ── A document to ask with ───────────────────────────────────────────────────────────────────────────────────────────


def blank(catalog: Catalog, today: dt.date, language: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """(document, budget): one room, priced today, for five years from the next month."""
    currency, amount, region = EXAMPLES["zh" if language.startswith("zh") else "en"]
    document = _document(
        _pool(catalog, REFERENCE),
        start=month_after(today, 1),
        months=MONTHS,
        pricing_date=today.isoformat(),
        currency=currency,
        sites=[{"slug": ROOM, "region": region}],
        reliability={"counted": True},
    )
    return settled(document, catalog), Budget(amount=amount).model_dump(mode="json")


def around(
    document: dict[str, Any], catalog: Catalog, answered: tuple[Evaluation, Comparison] | None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """(document, budget) with the rooms, prices, people and dates of a scenario and the money of its best plan.

    answered : the scenario's own answer; None where it cannot be computed.
    """
    works = document["demand"]["workloads"]
    pool = _pool(catalog, works[0]["accelerator"])
    made = _document(pool, **{name: value for name, value in document.items() if name not in ("demand", "plans")})
    made = {**made, "name": "", "template": None}
    made["demand"]["scaling"] = document["demand"]["scaling"]
    use = USE_OF.get(works[0]["kind"]) or next(use for use, bound in BOUND.items() if bound == works[0]["bound"])
    budget = Budget.read({"amount": _spent(answered, document["currency"]), "use": use})
    return made, budget.model_dump(mode="json")


def _spent(answered: tuple[Evaluation, Comparison] | None, currency: str) -> float:
    """What the best plan that buys something spends at the start, in whole thousands; an example where none does."""
    if answered is not None:
        result, comparison = answered
        for slug in comparison.ranking:
            spent = float(result.plan(slug).monthly("capex")[0])
            if spent > 0:
                return -(-spent // 1000.0) * 1000.0
    return next((amount for code, amount, _region in EXAMPLES.values() if code == currency), EXAMPLES["en"][1])


def _pool(catalog: Catalog, accelerator: str) -> dict[str, Any]:
    known = catalog.of_kind("accelerator")
    reference = accelerator if accelerator in known else next(iter(known), accelerator)
    growth = {"kind": "constant"}
    return {"slug": POOL, "kind": "pool", "accelerator": reference, "target_utilisation": 0.7, "growth": growth}


def _document(pool: dict[str, Any], **given: Any) -> dict[str, Any]:
    scenario = Scenario.read({"demand": {"workloads": [pool]}, "plans": [{"slug": "none"}], **given})
    return scenario.model_dump(mode="json")


def settled(document: dict[str, Any], catalog: Catalog) -> dict[str, Any]:
    """A document whose one room has what its region and kind bring: customers of its tariff, staff, a hall, an office.

    What the room already says of itself stays.
    """
    site = dict(document["sites"][0])
    country = site["region"].partition("-")[0]
    tariffs = catalog.of_kind("tariff").values()
    classes = [item.spec.customer_class for item in tariffs if item.spec.region_code == site["region"]]
    if site["customer_class"] not in classes and classes:
        site["customer_class"] = classes[0]
    if site["kind"] == "colocation":
        market = HALLS.get(country, HALL)
        known = market if market in catalog.of_kind("colocation") else None
        site["colocation"] = site["colocation"] or {"market": known}
        site["cooling_method"] = "contained"
    if site["kind"] == "office":
        site |= _office(site, country)
    operations = {**document["operations"], "region": STAFF.get(country, document["operations"]["region"])}
    made = {**document, "sites": [site], "operations": operations}
    return Scenario.read(made).model_dump(mode="json")


def _office(site: dict[str, Any], country: str) -> dict[str, Any]:
    """An office as in the small team's situation: its cooling, power, rack and what can be added to them."""
    office = next(each for each in gallery.document("small-team")["sites"] if each["kind"] == "office")
    kept = {name: office[name] for name in ("cooling_method", "racks", "rack_units")}
    for name in ("cooling_kw", "power_kw"):
        kept[name] = office[name] if site[name] is None else site[name]
    # the circuit is one of North America
    steps = [step for step in office["upgrades"] if country in ("US", "CA") or "circuit" not in step]
    return {**kept, "upgrades": steps}


# ── The answer ───────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Answer:
    """Every configuration of the catalog's servers, those that the budget buys first and the best of them first."""

    scenario: Scenario
    book: PriceBook
    budget: Budget
    found: list[Configuration]

    def of(self, slug: str) -> Configuration | None:
        return next((each for each in self.found if each.slug == slug), None)

    @property
    def bought(self) -> list[Configuration]:
        return [each for each in self.found if each.state == "fits"]


# By content; the catalog is kept with its answers, so that no other can take its identity meanwhile.
_answers, _books, _abilities = Recent(12), Recent(6), Recent(2)


def book_for(scenario: Scenario, catalog: Catalog) -> PriceBook:
    """Prices of all servers and of what the scenario asks for."""
    asked = {name: value for name, value in scenario.model_dump(mode="json").items() if name not in ("demand",)}
    key = (id(catalog), content_hash([asked, scenario.demand.workloads[0].accelerator]))
    book: PriceBook = _books.get(key, lambda: (pricebook.shop(catalog, scenario), catalog))[0]
    return book


def answer(scenario: Scenario, budget: Budget, catalog: Catalog) -> Answer:
    """What the budget buys; raises InputError, MissingRate among them, where that cannot be said."""

    def make() -> tuple[Answer, Catalog]:
        book = book_for(scenario, catalog)
        able = _abilities.get(id(catalog), lambda: (Abilities(book.models.values()), catalog))[0]
        return Answer(scenario, book, budget, configurations(scenario, book, budget, able)), catalog

    key = (id(catalog), content_hash([scenario.model_dump(mode="json"), budget.model_dump(mode="json")]))
    found: Answer = _answers.get(key, make)[0]
    return found


def evaluated(found: Configuration) -> tuple[Evaluation, Comparison]:
    """The plan of a configuration with its comparison, for whoever explains its figures; raises KeyError without."""
    if found.evaluation is None or found.result is None:
        raise KeyError(found.slug)
    return found.evaluation, compare(found.evaluation)


# ── A scenario of it ─────────────────────────────────────────────────────────────────────────────────────────────────


def propose(answered: Answer, slug: str) -> dict[str, Any]:
    """A document whose plans are a configuration and the two beside it, for the work that the configuration carries.

    What a smaller neighbour cannot carry is rented where an offer of the reference is comparable; else the work is that
    of the smallest of them, so that each can do it. Raises KeyError for what cannot be bought.
    """
    beside = neighbours(answered.found, slug)
    chosen = next(each for each in beside if each.slug == slug)
    scenario = answered.scenario
    pool = scenario.demand.workloads[0].model_copy(update={"bound": BOUND[answered.budget.use]})
    overflow = _overflow(answered, pool.accelerator)
    carried = {each.slug: each.work.gpus for each in beside if each.work is not None}
    gpus = carried[slug] if overflow is not None else min(carried.values())
    gpus = math.floor(gpus * 1000.0) / 1000.0  # a figure that people read, and no more than is there
    plans = [plan_of(each.build, each.servers, each.joined).model_dump(mode="json") for each in beside]
    lead = max(lead_in_months(each.weeks, 0.0) for each in beside)
    document = {
        **scenario.model_dump(mode="json"),
        "template": TEMPLATE,
        "start": month_after(scenario.pricing_date, max(1, lead + 1)),
        "demand": {
            "workloads": [{**pool.model_dump(mode="json"), "gpus": gpus}],
            "scaling": scenario.demand.scaling.model_dump(mode="json"),
        },
        "plans": [{**plan, "slug": _short(plan["slug"]), "overflow": overflow, "end_of_life": {}} for plan in plans],
    }
    document["plans"].sort(key=lambda plan: plan["slug"] != _short(chosen.slug))
    return Scenario.read(document).model_dump(mode="json")


def _short(slug: str) -> str:
    return slug.replace(".", "-")


def _overflow(answered: Answer, accelerator: str) -> dict[str, Any] | None:
    market, book = answered.scenario.market, answered.book
    for name in (market.provider_class, *(each for each in PROVIDER_CLASSES if each != market.provider_class)):
        offers = comparable_offers(
            book.offers.values(), accelerator, name, "", book.pricing_date, market.stale_after_days
        )
        if any(offer.price is not None and offer.price.rate is not None for offer in offers):
            return {"accelerator": accelerator, "provider_class": name}
    return None

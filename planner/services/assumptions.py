"""What the catalog says where a scenario is silent, and what a scenario may choose from it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext as _

from catalog.records import Catalog
from catalog.tariff_periods import schedules
from catalog.wording import word as catalog_word
from planner import wording
from planner.engine.calendar import lead_in_months
from planner.engine.carbon import grid_factor
from planner.engine.costs.books import LOADED_COST, LOAN_RATE, profit_tax_row
from planner.engine.eligibility import has_rate
from planner.engine.evaluate import Evaluation, PlanResult
from planner.engine.housing import PUE_BY_METHOD
from planner.engine.inputs import (
    BatchWorkload,
    HpcWorkload,
    Scenario,
    ServingWorkload,
    TrainingWorkload,
    TuningWorkload,
    Workload,
)
from planner.engine.prices import Accelerator, Price, PriceBook, Source
from planner.engine.quantities import Document, InputError, Problem, quantity_of
from planner.engine.subscriptions import PER
from planner.engine.tenders import threshold_row, weeks_row
from planner.services import pricebook
from planner.services.evaluation import Recent

# Fields of a site and of its hall that the catalog has a figure for.
CATALOG_FIGURES = {
    "cross_connect_price": "cross-connect",
    "remote_hands_price": "remote-hands-hour",
    "water_l_per_kwh": "water-use-wue",
    "water_price_per_m3": "water-us-m3",
}
_cards = Recent(2)
# Lines of what stands around the GPUs, whose unit prices anybody may replace.
AROUND = ("host_memory", "load_balancer")
MIN_SERVICE_WITH_OVERFLOW = 18  # months; model, section 3


@dataclass(frozen=True)
class Priced:
    """A unit price a scenario uses: of a server, a card, or an hour of one rented GPU.

    amount : in the currency of the scenario, per `times` of what is shown; None without a quote.
    """

    slug: str
    name: str
    unit: str
    amount: float | None
    source: Source | None
    stale: bool
    times: float = 1.0


def unit_prices(scenario: Scenario, evaluation: Evaluation) -> list[Priced]:
    """The unit prices of everything the plans buy or rent, servers first."""
    book, found = evaluation.book, dict[str, Priced]()

    def add(slug: str, name: str, unit: str, price: Price | None, times: float = 1.0) -> None:
        amount = None if price is None or price.rate is None else price.value(book.currency)
        dated = price.source.dated if price is not None else None
        age = (scenario.pricing_date - dated).days if dated is not None else 0
        found.setdefault(
            slug,
            Priced(
                slug, name, unit, amount, price.source if price else None, age > scenario.market.stale_after_days, times
            ),
        )

    for plan in scenario.plans:
        for slug in (
            plan.start.build if plan.start else None,
            plan.follow_up.build if plan.follow_up.kind != "none" else None,
        ):
            if slug is None or slug not in book.builds:
                continue
            add(slug, wording.item(slug, book), "money/server", book.builds[slug].price)
            if (card := book.addons.get(slug)) is not None:
                name = _("{card} card, added later").format(card=book.accelerators[card.accelerator].name)
                add(card.slug, name, "money/card", card.price)
    for result in evaluation.plans:
        for line in result.lines:
            if line.category in ("capex.fabric", "capex.storage") or line.code in AROUND:
                if (item := book.items.get(line.item)) is not None:
                    add(line.item, wording.item(line.item, book), "money/each", item.price)
                elif (row := book.costs.get(line.item)) is not None:
                    price = Price(amount=row.likely, currency=row.currency, rate=row.rate, source=row.source)
                    add(line.item, wording.item(line.item, book), f"money/{line.quantity_unit}", price)
        for reason in result.infeasible:
            slug = str(reason.facts.get("item"))
            if reason.code == "no_quote" and slug in book.items:
                add(slug, wording.item(slug, book), "money/each", book.items[slug].price)
        for offer in [result.offer, *result.offers_by_class.values()]:
            if offer is not None:
                name = _("{offer}, rented").format(offer=wording.item(offer.slug, book))
                add(offer.slug, name, "money/GPU-hour", offer.price, float(offer.count))
    return list(found.values())


def effective(scenario: Scenario, book: PriceBook, path: str) -> tuple[float, Source] | None:
    """(value, source) that holds where a field is left empty; None where nothing stands in for it."""
    parent, _slash, name = path.rpartition("/")
    keys = path.split("/")
    try:
        if keys[0] == "sites":
            return _of_site(scenario, book, keys[1], parent, name)
        if keys[0] == "operations":
            return _of_operations(scenario, book, path, name)
        if path == "reliability/repair_rate_per_hour":
            row = book.costs["remote-hands-hour"]
            return row.value(book.currency), row.source
        if keys[0] == "finance" and name == "profit_tax_rate":
            return _share(book, profit_tax_row(scenario))
        if path == "procurement/threshold":
            row = book.cost(threshold_row(scenario) or "")
            return row.value(book.currency), row.source
        if path == "procurement/tender_weeks":
            row = book.cost(weeks_row(scenario))
            return row.likely, row.source
        if keys[0] == "plans" and name == "rate_per_year":
            return _share(book, LOAN_RATE)
        if keys[0] == "plans":
            return _of_plan(scenario, book, keys[1], name)
    except (KeyError, InputError):
        return None
    return None


def _of_site(scenario: Scenario, book: PriceBook, slug: str, parent: str, name: str) -> tuple[float, Source] | None:
    site = next(site for site in scenario.sites if site.slug == slug)
    if name == "electricity_price_per_kwh":
        return _priced(book.tariffs[f"{site.region}/{site.customer_class}"].price, book)
    if name == "grid_kgco2e_per_kwh":
        factor, source = grid_factor(site, book)
        return None if factor is None else (factor, source)
    if name == "pue":
        return PUE_BY_METHOD[site.cooling_method], Source(basis="estimate")
    if name == "price_per_kw_month" and site.colocation and site.colocation.market:
        return _priced(book.colocation[site.colocation.market].price, book)
    if name in CATALOG_FIGURES and (site.colocation or not parent.endswith("/colocation")):
        row = book.cost(CATALOG_FIGURES[name])
        return row.value(book.currency), row.source
    if name == "price" and "/upgrades/" in parent:
        row = book.costs[next(step for step in site.upgrades if parent.endswith("/" + step.slug)).item]
        return row.value(book.currency), row.source
    return None


def _of_operations(scenario: Scenario, book: PriceBook, path: str, name: str) -> tuple[float, Source] | None:
    if path.startswith("operations/subscriptions/"):
        terms = next(each for each in scenario.operations.subscriptions if path.split("/")[2] == each.slug)
        return _priced(book.cost(terms.item or "").price, book) if name == "price" else None
    slug = {
        "loaded_cost_per_fte_year": LOADED_COST[scenario.operations.region],
        "commissioning_days": "commissioning-days",
    }.get(name)
    if slug is None:
        return None
    row = book.costs[slug]
    return row.value(book.currency), row.source


def _of_plan(scenario: Scenario, book: PriceBook, slug: str, name: str) -> tuple[float, Source] | None:
    plan = next(plan for plan in scenario.plans if plan.slug == slug)
    follows = plan.follow_up.build or (plan.start.build if plan.start else None)
    if name == "cards" and plan.start is not None:
        build = book.builds[plan.start.build]
        return build.accelerator_count * plan.start.quantity, build.source.model_copy(update={"basis": "sourced"})
    if name == "min_service_months":
        return (MIN_SERVICE_WITH_OVERFLOW if plan.overflow is not None else 0), Source(basis="estimate")
    if name == "lead_months" and follows is not None:
        days = scenario.operations.commissioning_days
        days = days if days is not None else book.costs["commissioning-days"].likely
        return lead_in_months(book.builds[follows].lead_weeks[1], days), Source(basis="estimate")
    return None


def _share(book: PriceBook, slug: str) -> tuple[float, Source]:
    """A planning default in per cent, as a fraction."""
    row = book.costs[slug]
    return row.likely / 100.0, row.source


def _priced(price: Price | None, book: PriceBook) -> tuple[float, Source] | None:
    return None if price is None else (price.value(book.currency), price.source)


# ── Choices from the catalog ─────────────────────────────────────────────────────────────────────────────────────────


def items(catalog: Catalog, scenario: Scenario, path: str, kind: str) -> list[tuple[str, str]]:
    """(slug, name) of everything that a field may name, by name."""
    if kind == "tariff":
        regions = {
            item.spec.region_code: getattr(item.spec, "region", None) or item.name
            for item in catalog.of_kind("tariff").values()
        }
        return _by_name((code, f"{code} · {name}") for code, name in regions.items())
    if kind == "tariff_schedule":
        return _by_name(
            (slug, wording.places.tariff(found.region_code, found.region)) for slug, found in schedules().items()
        )
    if kind == "cloud_region":
        sold = catalog.offers_of(narrowed_by(scenario, path))
        named = {item.spec.region for item in sold if item.spec.region and item.spec.pricing_model == "on_demand"}
        return _by_name((region, region) for region in named)
    if kind == "cloud_offer":
        rented = narrowed_by(scenario, path)
        return _by_name(
            (item.slug, _offer(item)) for item in catalog.offers_of(rented) if item.spec.provider_class != "index"
        )
    if kind == "tax":
        return _by_name(
            (slug, wording.item(slug)) for slug in catalog.of_kind("cost") if slug.startswith(("vat-", "sales-tax-"))
        )
    if kind == "subscription":
        return _by_name(
            (slug, wording.item(slug))
            for slug, item in catalog.of_kind("cost").items()
            if item.spec.category in ("software", "compliance") and item.spec.unit in PER and item.spec.likely != 0
        )
    if kind == "build":
        return _by_name(
            (slug, wording.product(item.name))
            for slug, item in catalog.of_kind("build").items()
            if _rated(catalog, scenario, item.spec.accelerator_slug)
        )
    known = [
        (slug, item)
        for slug, item in catalog.of_kind(kind).items()
        if kind != "accelerator" or not path.startswith("plans/") or _rated(catalog, scenario, slug)
    ]
    return _by_name((slug, item.name) for slug, item in known if kind != "model" or pricebook.sizable(item))


def _rated(catalog: Catalog, scenario: Scenario, slug: str) -> bool:
    """Whether a kind of GPU has a rate for any of the work: what has none for all of it is not offered."""
    # the catalog is kept with its cards, so that no other can take its identity meanwhile
    cards: dict[str, Accelerator] = _cards.get(id(catalog), lambda: (pricebook.accelerators(catalog), catalog))[0]
    if slug not in cards:
        return False
    return any(has_rate(work, cards[slug], cards.get(work.accelerator)) for work in scenario.demand.workloads)


def narrowed_by(scenario: Scenario, path: str) -> str:
    """The value of the field that narrows the choices at a path: offers are those of the rented GPU."""
    keys = path.split("/")
    if keys[0] == "plans" and keys[-1] in ("offer", "region"):
        plan = next(plan for plan in scenario.plans if plan.slug == keys[1])
        return plan.overflow.accelerator if plan.overflow else ""
    return ""


def _offer(item: Any) -> str:
    spec = item.spec
    return " · ".join(
        str(part)
        for part in (wording.provider(spec.provider), spec.instance_type, spec.region, catalog_word(spec.pricing_model))
        if part
    )


def _by_name(pairs: Iterable[tuple[str, str]]) -> list[tuple[str, str]]:
    return sorted(pairs, key=lambda pair: pair[1].lower())


def currencies(catalog: Catalog, now: str) -> list[str]:
    """Currencies for which the catalog knows a rate, and the one in use."""
    codes = {code.upper() for slug in catalog.of_kind("fx") for code in slug.split("-")}
    return sorted({code for code in codes if len(code) == 3 and code.isalpha()} | {now})


def in_currency(scenario: Scenario, wanted: str, catalog: Catalog, fields: Iterable[Any]) -> list[tuple[str, Any]]:
    """What the user typed as money, converted at the catalog's rate; quotes keep their own currency."""
    if wanted == scenario.currency:
        return []
    fields = list(fields)
    typed = [
        (field.path, field.value)
        for field in fields
        if field.quantity is not None and field.quantity.unit.startswith("money") and field.value
    ]
    typed += [(f"market/own_prices/{slug}", value) for slug, value in scenario.market.own_prices.items()]
    listed = [(field.path, field.value) for field in fields if _lists_money(field.value)]
    if not typed and not listed:
        return []
    rate = pricebook.exchange_rate(catalog, scenario.currency, wanted, scenario.pricing_date)
    if rate is None:
        raise InputError(Problem(("currency",), "missing_rate", scenario.currency, unit=wanted))
    converted = [(path, _converted(value, rate)) for path, value in typed]
    return [*converted, *((path, [_entry_in(entry, rate) for entry in rows]) for path, rows in listed)]


def _lists_money(value: Any) -> bool:
    """Whether a field is a list of rows that hold money: the periods of a tariff, its tiers."""
    return isinstance(value, tuple) and any(isinstance(entry, Document) and _money_in(entry) for entry in value)


def _money_in(entry: Document) -> list[str]:
    """The fields of a row that hold money."""
    declared = ((name, quantity_of(info)) for name, info in type(entry).model_fields.items())
    return [name for name, quantity in declared if quantity is not None and quantity.unit.startswith("money")]


def _entry_in(entry: Document, rate: float) -> dict[str, Any]:
    given = entry.model_dump(mode="json")
    return given | {name: _converted(given[name], rate) for name in _money_in(entry) if given.get(name)}


def _converted(value: float, rate: float) -> float:
    """The product; a hair beside a number of ten digits it is that number: converting back restores what was typed."""
    exact = value * rate
    plain = float(f"{exact:.10g}")
    return plain if abs(plain - exact) <= 1e-12 * abs(exact) else exact


# ── One line each ────────────────────────────────────────────────────────────────────────────────────────────────────


def driver(work: Workload) -> float:
    """Today's value of what grows."""
    match work:
        case TrainingWorkload() | TuningWorkload():
            return work.runs_per_month if work.driver == "runs" else 1.0
        case ServingWorkload():
            return work.requests_per_day if work.driver == "requests" else 1.0
        case BatchWorkload() if work.driver == "model_size":
            return 1.0
        case BatchWorkload():
            return work.items_m_per_month if work.tokens_b_per_month is None else work.tokens_b_per_month
        case HpcWorkload():
            return work.exaflop_per_month
    return work.gpu_hours_per_month if work.gpu_hours_per_month is not None else work.gpus


def peak_demand(evaluation: Evaluation) -> str:
    """ "peak 16 GPUs in Apr 2031": the highest mean demand of the horizon, in GPUs of the stated kind; of jobs
    what planning asks for, "needs 256 GPUs": a run takes them all at once, whatever the mean."""
    if any(work.kind in ("training", "tuning", "hpc") for work in evaluation.scenario.demand.workloads):
        wanted = evaluation.scenario.demand.workloads[0].accelerator
        needs = [
            (_accelerator_of(plan, evaluation) != wanted, float(plan.needed.max()))
            for plan in evaluation.plans
            if plan.feasible and np.isfinite(plan.needed).all()
        ]
        if needs:
            gpus = wording.number(min(needs, key=lambda need: need[0])[1], digits=3)
            return _("needs {gpus} GPUs").format(gpus=gpus)
    demand = evaluation.plans[0].demand[0]
    month = int(np.argmax(demand))
    return _("peak {gpus} GPUs in {month}").format(
        gpus=wording.number(float(demand[month]), digits=3), month=wording.month_label(evaluation.calendar, month)
    )


def _accelerator_of(plan: PlanResult, evaluation: Evaluation) -> str:
    build = evaluation.book.builds.get(plan.plan.start.build) if plan.plan.start else None
    return "" if build is None else build.accelerator


def demand_at_the_end(evaluation: Evaluation) -> str:
    """Where the growth leads: the demand in the last month."""
    last = float(evaluation.plans[0].demand[0, -1])
    return _("At the end of the horizon: {gpus} GPUs.").format(gpus=wording.number(last, digits=3))

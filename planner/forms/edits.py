"""Edits that touch more than one field: a curve of another kind, a part switched on, another currency, a new plan."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext as _

from catalog.records import Catalog
from planner import wording
from planner.engine.evaluate import owed
from planner.engine.inputs import Generation, Plan, Scenario, Site, SupportContract, Workload, get_at
from planner.engine.quantities import InputError, Problem
from planner.engine.subscriptions import PER, Subscription
from planner.forms.fields import Declared, walk
from planner.services import assumptions, pricebook, sizing


def changes(
    scenario: Scenario, each: Declared, value: Any, first: dict[str, Any], catalog: Catalog
) -> list[tuple[str, Any]]:
    """The (path, value) pairs an edit writes: a curve of another kind brings its own fields, a part its defaults."""
    parent, _slash, name = each.path.rpartition("/")
    if name == "kind" and parent.endswith("/growth"):
        return [(parent, _growth(scenario, parent, value, first))]
    if name == "kind" and parent.startswith("sites/") and parent.count("/") == 1:
        site = next(site for site in scenario.sites if f"sites/{site.slug}" == parent)
        terms: list[tuple[str, Any]] = (
            [(f"{parent}/colocation", {})] if value == "colocation" and site.colocation is None else []
        )
        return [*terms, (each.path, value)]
    if each.kind == "part":
        return [(each.path, _part(scenario, each, catalog) if value else None)]
    if each.owner == "Scenario.lines":
        unsaid = each.path.removeprefix("lines/") in _on_by_contract(scenario, catalog) or each.default
        return [(each.path, None if value == unsaid else value)]
    if name == "layers" and get_at(scenario.model_dump(mode="json"), f"{parent}/full_attention_layers") == each.value:
        return [(each.path, value), (f"{parent}/full_attention_layers", None)]  # every layer still, however many
    if each.owner == "Subscription.item" and value is not None:  # a row without a price does not reach the engine
        return [(each.path, value), (f"{parent}/per", _covers(value, catalog))]
    if name == "currency":
        return [(each.path, value), *assumptions.in_currency(scenario, value, catalog, walk(scenario))]
    return [(each.path, value)]


def _on_by_contract(scenario: Scenario, catalog: Catalog) -> frozenset[str]:
    """Lines that are on because a contract names them, whatever their switches say now."""
    silent = scenario.model_copy(update={"lines": {}})
    return owed(silent, pricebook.build(catalog, silent))


def _growth(scenario: Scenario, path: str, kind: str, first: dict[str, Any]) -> dict[str, Any]:
    """A growth curve of another kind that keeps what both have in common."""
    slug = path.split("/")[2]
    work = next(work for work in scenario.demand.workloads if work.slug == slug)
    former = get_at(first, path)
    if former is not None and former.get("kind") == kind:
        return dict(former)
    now = work.growth.model_dump(mode="json")
    driver = assumptions.driver(work)
    ceiling = now.get("ceiling")
    made: dict[str, Any] = {"kind": kind}
    if kind in ("compound", "logistic"):
        made["rate_per_month"] = max(0.0, now.get("rate_per_month", 0.04))
    if kind in ("compound", "linear"):
        made["ceiling"] = ceiling
    if kind == "linear":
        made["per_month"] = round(driver * 0.04, 6)
    if kind == "logistic":
        made["ceiling"] = ceiling or max(4.0 * driver, 1.0)
    if kind == "steps":
        made["steps"] = [{"month": 12, "value": driver * 2}]
    if kind == "table":
        made["values"] = [driver]
    return made


def _part(scenario: Scenario, each: Declared, catalog: Catalog) -> dict[str, Any]:
    """The defaults of a part that is switched on: of a plan or a room, or a workload's own model, which begins as its
    preset."""
    if each.name == "tariff":
        return {}
    if each.name == "circuit":
        site = next(site for site in scenario.sites if site.slug == each.path.split("/")[1])
        return _feeds(site, office=site.kind == "office" and "/upgrades/" not in each.path)
    if each.name == "model":
        work = next(work for work in scenario.demand.workloads if work.slug == each.path.split("/")[2])
        return sizing.shape_of(getattr(work, "preset", None) or default_model(catalog), catalog)
    slug = each.path.split("/")[1]
    plan = next(plan for plan in scenario.plans if plan.slug == slug)
    if each.name == "overflow":
        return {"accelerator": scenario.demand.workloads[0].accelerator}
    build = plan.follow_up.build or next((other.start.build for other in scenario.plans if other.start), None)
    return {"build": build or next(iter(catalog.of_kind("build"))), "quantity": 1}


# In the United States and Canada breakers carry 80 % of their rating for long (NEC 210.20, 215.3; CEC 8-104).
_OUTLET = {"volts": 120.0, "amps": 15.0, "phases": "single", "derating": 0.8, "power_factor": 1.0}
_RACK_FEED = {"volts": 208.0, "amps": 60.0, "phases": "three", "derating": 0.8}


def _feeds(site: Site, *, office: bool) -> dict[str, Any]:
    """The circuit that a room usually has where it stands; elsewhere the defaults of the document.

    office : an outlet rather than the feed of a data hall, which an upgrade brings to an office too.
    """
    if site.region.partition("-")[0] not in ("US", "CA"):
        return {}
    if office:
        return {**_OUTLET, "feeds": 1, "redundancy": "N"}
    return {**_RACK_FEED, "feeds": 2, "redundancy": "2N"}


def default_model(catalog: Catalog) -> str:
    """Slug of the model that a new workload begins with."""
    known = [slug for slug, item in catalog.of_kind("model").items() if pricebook.sizable(item)]
    return DEFAULT_MODEL if DEFAULT_MODEL in known else known[0]


STRATEGIES = ("scale_out", "server_now", "cluster_now", "cloud", "hybrid")


def new_plan(scenario: Scenario, strategy: str, catalog: Catalog) -> dict[str, Any]:
    """A plan of a named strategy, ready to be edited; raises InputError for an unknown one."""
    if strategy not in STRATEGIES:
        raise InputError(Problem(("plans",), "not_a_choice", strategy, choices=STRATEGIES))
    starts = [plan.start for plan in scenario.plans if plan.start is not None]
    wanted = scenario.demand.workloads[0].accelerator
    builds = [item for item in catalog.of_kind("build").values() if catalog.quotes_of(item.slug, "build")]
    fitting = [item for item in builds if item.spec.accelerator_slug == wanted] or builds
    largest = max(fitting, key=lambda item: item.spec.accelerator_count).slug
    growable = next((item.slug for item in fitting if catalog.addons_of(item.slug)), None)
    cards = next((start.build for start in starts if catalog.addons_of(start.build)), growable)
    server = next((start.build for start in starts if not catalog.addons_of(start.build)), largest)
    overflow = {"accelerator": wanted}
    shapes: dict[str, dict[str, Any]] = {
        "scale_out": {"start": {"build": cards or server}, "follow_up": {"kind": "cards" if cards else "servers"}},
        "server_now": {"start": {"build": server}, "follow_up": {"kind": "servers"}},
        "cluster_now": {
            "start": {"build": server, "quantity": 4},
            "follow_up": {"kind": "servers"},
            "fabric": {"when": "always"},
        },
        "cloud": {},
        "hybrid": {"start": {"build": server}},
    }
    return {
        "slug": free_slug(scenario.plans, strategy.replace("_", "-")),
        "strategy": strategy,
        "overflow": overflow,
        **shapes[strategy],
    }


KINDS = ("pool", "training", "tuning", "serving", "batch", "hpc")
DEFAULT_MODEL = "llama-3.1-8b"


def new_work(scenario: Scenario, kind: str, catalog: Catalog) -> dict[str, Any]:
    """A workload of a kind, on the hardware of the first one; raises InputError for an unknown kind."""
    if kind not in KINDS:
        raise InputError(Problem(("demand", "workloads"), "not_a_choice", kind, choices=KINDS))
    made = {
        "slug": free_slug(scenario.demand.workloads, kind),
        "kind": kind,
        "accelerator": scenario.demand.workloads[0].accelerator,
        "growth": {"kind": "constant"},  # no growth that nobody has stated
    }
    return made if kind in ("pool", "hpc") else {**made, "preset": default_model(catalog)}


def copied_work(scenario: Scenario, work: Workload) -> dict[str, Any]:
    """A copy of a workload under a name of its own."""
    name = _("{plan} (copy)").format(plan=wording.workload_named(scenario, work.slug))[:120]
    return {**work.model_dump(mode="json"), "slug": free_slug(scenario.demand.workloads, work.slug), "name": name}


def copied_plan(scenario: Scenario, plan: Plan) -> dict[str, Any]:
    """A copy of a plan under a name of its own."""
    name = _("{plan} (copy)").format(plan=wording.plan_name(plan))[:120]
    return {**plan.model_dump(mode="json"), "slug": free_slug(scenario.plans, plan.slug), "name": name}


# Lists of parts that a planner may lengthen: code → path.
LISTS = {
    "generations": "market/generations",
    "contracts": "operations/contracts",
    "subscriptions": "operations/subscriptions",
    "rooms": "sites",
}


# What the list of licences and assessments begins with, by country; elsewhere a licence.
USUAL_SUBSCRIPTION = {"CN": "mlps-2-assessment"}


MOVE_AFTER_MONTHS = 18  # where a room is added to move to: an example, to be edited


def _next_room(scenario: Scenario, catalog: Catalog) -> dict[str, Any]:
    """A colocation hall in the region of the last room, some months after that one begins; its terms are to be set."""
    last = scenario.sites[-1]
    month = min(last.from_month + MOVE_AFTER_MONTHS, scenario.months - 1)
    if month <= last.from_month:
        raise InputError(Problem(("sites",), "conflict", "no month is left for a further room"))
    # A median of North America stands for no other country: there the market is to be chosen before there is a price.
    near = last.region.partition("-")[0] in ("US", "CA") and pricebook.RETAIL_ROW in catalog.of_kind("colocation")
    market = pricebook.RETAIL_ROW if near else None
    return {
        "slug": free_slug(scenario.sites, "colocation"),
        "kind": "colocation",
        "from_month": month,
        "region": last.region,
        "customer_class": "industrial",
        "cooling_method": "contained",
        "colocation": {"market": market},
    }


def _covers(row: str, catalog: Catalog) -> str:
    """What one price of a row of the catalog covers."""
    return PER[catalog.of_kind("cost")[row].spec.unit]


def parts_of(scenario: Scenario, listed: str) -> set[str]:
    """Short names of the elements of such a list."""
    parts: Iterable[Generation | SupportContract | Subscription] = scenario.market.generations
    if listed == "contracts":
        parts = scenario.operations.contracts
    if listed == "subscriptions":
        parts = scenario.operations.subscriptions
    if listed == "rooms":
        return {site.slug for site in scenario.sites[1:]}  # the first one is where every plan begins
    return {part.slug for part in parts}


def new_part(scenario: Scenario, listed: str, catalog: Catalog) -> dict[str, Any]:
    """An element for a list of parts; raises InputError for an unknown list."""
    if listed == "contracts":
        return {"slug": free_slug(scenario.operations.contracts, "contract"), "name": _("Warranty extension")}
    if listed == "subscriptions":
        row = USUAL_SUBSCRIPTION.get(scenario.operations.region, "nvidia-ai-enterprise")
        return {
            "slug": free_slug(scenario.operations.subscriptions, "yearly"),
            "item": row,
            "per": _covers(row, catalog),
        }
    if listed == "rooms":
        return _next_room(scenario, catalog)
    if listed != "generations":
        raise InputError(Problem(("list",), "not_a_choice", listed, choices=tuple(LISTS)))
    starts = [plan.start.build for plan in scenario.plans if plan.start is not None]
    like = next(iter(starts), None) or next(iter(catalog.of_kind("build")))
    return {"slug": free_slug(scenario.market.generations, "generation"), "name": _("Next generation"), "like": like}


def free_slug(
    elements: Iterable[Plan | Workload | Generation | SupportContract | Subscription | Site], wanted: str
) -> str:
    """A short name that no element of a list has."""
    taken = {element.slug for element in elements}
    wanted = re.sub(r"-\d+$", "", wanted)[:150]
    return (
        wanted if wanted not in taken else next(f"{wanted}-{n}" for n in range(2, 99) if f"{wanted}-{n}" not in taken)
    )

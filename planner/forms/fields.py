"""Every field of a scenario that can be edited, found by walking the declarations of its document."""

from __future__ import annotations

import datetime as dt
import inspect
import re
import types
import typing
from collections.abc import Iterator, Set
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from planner.engine.evaluate import Evaluation
from planner.engine.inputs import Financing, Plan, Scenario, get_at
from planner.engine.lines import AFTER_TAX, CATEGORIES, FINANCING, NAMED
from planner.engine.procurement import Procurement
from planner.engine.quantities import Choice, InputError, Problem, Quantity, quantity_of
from planner.engine.subscriptions import Subscription
from planner.engine.upkeep import Reliability
from planner.forms.tables import TABLES
from planner.services import assumptions

MAX_TYPED = 400
MAX_PASTED = 8000

# Fields that are no row: names, kinds that stay what they are, settings of one value, what has rows of its own.
HIDDEN = {
    "Scenario.schema_version",
    "Scenario.template",
    "Scenario.lines",
    "Market.own_prices",
    "PoolWorkload.kind",
    "TrainingWorkload.kind",
    "TuningWorkload.kind",
    "ServingWorkload.kind",
    "BatchWorkload.kind",
    "HpcWorkload.kind",
    "Plan.sourcing",
    "Plan.strategy",
    "Fabric.link",
    "Upgrade.item",
    "Plan.name",
    "Site.name",
}
# Fields seldom touched: they wait under "More".
SELDOM = {
    "name",
    "priority",
    "bound",
    "framework",
    "phases",
    "recompute",
    "band",
    "batch_tokens_m",
    "measured_prefill_tokens_per_s_per_gpu",
    "measured_decode_tokens_per_s_per_gpu",
    "disaggregated",
    "concurrency_p99_to_mean",
    "gpu_power_limit_w",
    "measure",
    "gpu_hours_per_month",
    "scheduler",
    "fade_per_year",
    "by_year",
    "states",
    "micro_batch",
    "driver",
    "mfu",
    "goodput",
    "min_service_months",
    "cloud_level",
    "electricity_level",
    "colocation_level",
    "lead_months",
    "life_months",
    "then",
    "final_nodes",
    "topology",
    "oversubscription",
    "spread",
    "switch",
    "planes",
    "ufm",
    "cabling",
    "leaf_m",
    "spine_m",
    "storage_network",
    "in_band",
    "out_of_band",
    "joined",
    "pcie",
    "between_servers",
    "replica_gpus",
    "host_memory",
    "local_flash",
    "load_balancer",
    "rented_storage",
    "fabric_fte_per_64_servers",
    "fabric_acceptance_share",
    "shared_gb_s_per_tb",
    "provider_class",
    "reserved_units",
    "rack_cfm",
    "cooling_units",
    "spare_cooling_units",
    "power_budget",
    "rack_heat_kw",
    "floor_kg_m2",
    "floor_foot_kg",
    "supply_c",
    "air_cfm",
    "liquid_l_per_min",
    "ups",
    "supplies",
    "transient_ratio",
    "module_kw",
    "modules",
    "spare",
    "battery_minutes",
    "rack_kg",
    "rack_units",
    "customer_class",
    "moving_cost",
    "downtime_days",
    "move_month",
    "Condition.kind",
    "grid_kgco2e_per_kwh",
    "water_l_per_kwh",
    "water_price_per_m3",
    "commit_discount",
    "Overflow.region",
    "spot_share",
    "spot_interruption_share",
    "blocks",
    "block_days",
    "egress_tb_per_month",
    "stored_tb",
    "bands",
    "overage_price_per_kw",
    "cabinets",
    "cabinet_volts",
    "cabinet_phases",
    "cross_connects",
    "cross_connect_price",
    "remote_hands_hours",
    "remote_hands_price",
    "term_months",
    "escalator_per_year",
    "time_zone",
    "load_profile",
    "tiers",
    "peak_share",
    "ratchet_share",
    "ratchet_months",
    "capacity_kw",
    "capacity_price_per_kw",
    "fixed_per_month",
    "commissioning_days",
    "host_memory_factor",
    "local_flash_tb_per_gpu",
    "shared_tb_per_job_gpu",
    "shared_tb_per_service_gpu",
    "checkpoint_minutes",
    "checkpoints_kept",
    "model_load_s",
    "warranty_years",
    "after_warranty",
    "repair_hours",
    "repair_rate_per_hour",
    "server_parts_share",
    "interruptions_per_1000_server_days",
    "restart_minutes",
    "checkpoint_write_gb_per_s",
    "other_time_lost",
    "tax_region",
    "recoverable_tax_share",
    "fiscal_year_start_month",
    "running_costs_mid_month",
    "inflation_per_year",
    "book_life_months",
    "rate_is",
    "on_order",
    "covers",
    "on_delivery",
    "retention",
    "acceptance_months",
    "retention_months",
    "bill_months",
    "rent_share_per_month",
    "losses_kept_years",
    "stale_after_days",
    "unmet_penalty_factor",
    "resale_factor",
    "sale_speed_factor",
    "generation",
    "committed_kw",
    "step_kw",
    "usable_share",
    "software_speedup_per_year",
    "service_target",
    "system",
    "card",
    "host",
    "network",
    "active_params_b",
    "kv_heads",
    "head_dim",
    "attention",
    "kv_lora_rank",
    "rope_head_dim",
    "sliding_window",
    "full_attention_layers",
    "moe",
}
NOT_SELDOM = {"Market.provider_class", "Fabric.network"}
MONTH_NAMED = {"fiscal_year_start_month"}  # numbers that are chosen by the name of a month
# Fields that say nothing under a rule of follow-up purchases.
UNUSED_FOLLOW_UP = {
    "none": {
        *("FollowUp.batch", "FollowUp.build", "FollowUp.waves", "FollowUp.min_service_months"),
        "FollowUp.generation",
    },
    "cards": {"FollowUp.waves"},
    "servers": {"FollowUp.waves"},
    "schedule": {"FollowUp.batch", "FollowUp.min_service_months"},
}
# Fields that say nothing where failures are not counted.
UNCOUNTED = set(Reliability.model_fields) - {"counted"}


# Fields of a contract, and of the after-tax view, that say nothing under other settings.
UNUSED_FINANCING = {
    "cash": {"share", "rate_per_year", "rate_is", "term_months", "repayment"},
    "loan": set(),
    "lease": {"repayment"},
}
SECOND_HAND_ONLY = {"Condition.price_share", "Condition.age_months", "Condition.warranty_months"}
LEASE_ONLY = {"payment", "buy_out_share", "at_end", "rent_share_per_month"}
TAX_ONLY = {"buyer", "profit_tax_rate", "tax_depreciation", "tax_life_months", "other_income_per_year"}
TAX_ONLY |= {"losses_kept_years"}
ONE_OFF_ONLY = {"one_off_cap", "one_off_until"}


@dataclass(frozen=True)
class Declared:
    """One editable field of a concrete scenario."""

    path: str
    owner: str  # class and name, "Site.pue"
    kind: str  # number · choice · item · switch · text · list · points · table · month · date · currency · part
    value: Any
    section: str
    group: str = ""  # path of the workload, plan, room or part it belongs to
    quantity: Quantity | None = None
    whole: bool = False
    optional: bool = False
    choices: tuple[Any, ...] = ()
    catalog_kind: str = ""
    default: Any = None
    longest: int = MAX_TYPED
    times: float = 1.0  # what is stored = what is shown × times
    unit: str = ""

    @property
    def name(self) -> str:
        return self.path.rpartition("/")[2]

    @property
    def seldom(self) -> bool:
        return (
            self.owner == "Scenario.lines"
            or self.owner.startswith(("Upgrade.", "Circuit."))
            or self.owner in SELDOM
            or (self.owner.partition(".")[2] in SELDOM and self.owner not in NOT_SELDOM)
        )


def walk(scenario: Scenario) -> Iterator[Declared]:
    """Every field that can be edited, in the order of the document."""
    for work in scenario.demand.workloads:
        base = f"demand/workloads/{work.slug}"
        yield from sorted(_document(work, base, "demand", base), key=_rank)
    yield from _document(scenario.demand, "demand", "demand", "demand", skip={"workloads"})
    for plan in scenario.plans:
        unused = UNUSED_FOLLOW_UP[plan.follow_up.kind] | _unused_financing(plan.financing)
        unused |= _unused_moves(scenario, plan)
        unused |= set() if plan.condition.kind != "new" else SECOND_HAND_ONLY
        for each in _document(plan, f"plans/{plan.slug}", "plans", f"plans/{plan.slug}"):
            if each.owner not in unused:
                yield each
    yield from _document(scenario.market, "market", "prices", "market", skip={"own_prices", "generations"})
    for coming in scenario.market.generations:
        base = f"market/generations/{coming.slug}"
        yield from _document(coming, base, "prices", base)
    for site in scenario.sites:
        base = f"sites/{site.slug}"
        yield from _document(site, base, "site", base, skip={"upgrades"})
        for step in site.upgrades:
            yield from _document(step, f"{base}/upgrades/{step.slug}", "site", f"{base}/upgrades/{step.slug}")
    yield from _document(scenario.operations, "operations", "site", "operations", skip={"contracts", "subscriptions"})
    for contract in scenario.operations.contracts:
        base = f"operations/contracts/{contract.slug}"
        yield from _document(contract, base, "site", base)
    for terms in scenario.operations.subscriptions:
        base = f"operations/subscriptions/{terms.slug}"
        yield from _document(terms, base, "site", base, skip=_unused_subscription(terms))
    unused = set() if scenario.reliability.counted else UNCOUNTED
    yield from _document(scenario.reliability, "reliability", "site", "reliability", skip=unused)
    top = {"name", "months", "start", "currency", "pricing_date"}
    yield from _document(scenario, "", "finance", "finance", skip=set(Scenario.model_fields) - top)
    yield from _document(scenario.finance, "finance", "finance", "finance", skip=_unused_tax(scenario))
    unused = set() if scenario.procurement.counted else set(Procurement.model_fields) - {"counted"}
    yield from _document(scenario.procurement, "procurement", "finance", "procurement", skip=unused)
    for name, default in CATEGORIES.items():
        if name not in NAMED | FINANCING | {AFTER_TAX}:
            yield Declared(
                f"lines/{name}",
                "Scenario.lines",
                "switch",
                scenario.lines.get(name, default),
                "finance",
                "lines",
                default=default,
            )


def fields_of(document: BaseModel, name: str) -> Iterator[Declared]:
    """Every field of a document that stands beside a scenario, under a name of its own."""
    yield from _document(document, name, name, name)


def _unused_subscription(terms: Subscription) -> set[str]:
    """A licence is not repeated, an assessment is of the system; a row of the catalog says what its price covers."""
    return {"rented" if terms.per == "assessment" else "every_months"} | ({"per"} if terms.item else set())


def _unused_moves(scenario: Scenario, plan: Plan) -> set[str]:
    if len(scenario.sites) == 1:
        return {"Plan.moves", "Plan.move_month"}
    return set() if plan.moves else {"Plan.move_month"}


def _unused_financing(terms: Financing) -> set[str]:
    names = UNUSED_FINANCING[terms.kind] | (set() if terms.kind == "lease" else LEASE_ONLY)
    return {f"Financing.{name}" for name in names}


def _unused_tax(scenario: Scenario) -> set[str]:
    money = scenario.finance
    if not money.after_tax:
        tendered = {"buyer"} if scenario.procurement.counted else set()
        return (TAX_ONLY | ONE_OFF_ONLY) - tendered
    return set() if money.tax_depreciation == "china_one_off" else ONE_OFF_ONLY


def _document(
    document: BaseModel, path: str, section: str, group: str, skip: Set[str] = frozenset()
) -> Iterator[Declared]:
    for shape in _shapes(type(document)):
        if shape.name in skip:
            continue
        value = getattr(document, shape.name)
        where = f"{path}/{shape.name}" if path else shape.name
        if shape.kind == "document":
            if shape.optional and _is_a_part(where):
                yield Declared(where, shape.owner, "part", value is not None, section, group, optional=True)
            if value is not None:
                yield from _document(value, where, section, group)
        elif shape.kind:
            yield Declared(
                where,
                shape.owner,
                shape.kind,
                value,
                section,
                group,
                shape.quantity,
                shape.whole,
                shape.optional,
                shape.choices,
                shape.catalog_kind,
                shape.default,
                MAX_PASTED if shape.kind in ("list", "points", "table") else MAX_TYPED,
            )


# A workload begins with its hardware and its amount, then how that grows.
FIRST = (
    "accelerator",
    "method",
    "preset",
    "gpus",
    "requests_per_day",
    "items_m_per_month",
    "tokens_b_per_month",
    "exaflop_per_month",
    "runs_per_month",
    "tokens_b",
    "tokens_m",
)


def _rank(each: Declared) -> int:
    if each.name in FIRST:
        return FIRST.index(each.name)
    return len(FIRST) + (0 if "/growth/" in each.path else 1)


def _is_a_part(path: str) -> bool:
    """What may be switched on and off: parts of a plan, a room's own circuit, a workload's own model."""
    if path.startswith("plans/") or path.endswith(("/circuit", "/tariff")):
        return True
    return path.startswith("demand/workloads/") and path.endswith("/model")


@dataclass(frozen=True)
class _Shape:
    name: str
    owner: str
    kind: str
    quantity: Quantity | None
    whole: bool
    optional: bool
    choices: tuple[Any, ...]
    catalog_kind: str
    default: Any


@lru_cache(maxsize=64)
def _shapes(model: type[BaseModel]) -> tuple[_Shape, ...]:
    """What kind of row each field of a document makes; read once a class."""
    found = []
    for name, info in model.model_fields.items():
        owner = next(
            f"{base.__name__}.{name}"
            for base in reversed(model.__mro__)
            if issubclass(base, BaseModel) and name in inspect.get_annotations(base)
        )
        own = f"{model.__name__}.{name}"
        if name == "slug" or own in HIDDEN:
            continue
        found.append(_shape(name, own if own in NOT_SELDOM else owner, info))
    return tuple(found)


def _shape(name: str, owner: str, info: FieldInfo) -> _Shape:
    parts = _parts(info.annotation)
    optional = type(None) in parts
    marks = [*info.metadata, *(mark for part in parts for mark in getattr(part, "__metadata__", ()))]
    bare = [get_args(part)[0] if hasattr(part, "__metadata__") else part for part in parts]
    quantity = quantity_of(info)
    choices = next((get_args(part) for part in bare if get_origin(part) is Literal), ())
    catalog_kind = next((mark.kind for mark in marks if isinstance(mark, Choice)), "")
    kind = ""
    if quantity is not None:
        kind = "number"
    elif choices:
        kind = "choice" if len(choices) > 1 or name == "kind" else ""
    elif catalog_kind:
        kind = "item"
    elif bool in bare:
        kind = "switch"
    elif dt.date in bare:
        kind = "date"
    elif any(isinstance(part, type) and issubclass(part, BaseModel) for part in bare):
        kind = "document"
    elif any(get_origin(part) is tuple for part in bare):
        inside = next(part for part in bare if get_origin(part) is tuple)
        element = get_args(inside)[0]
        kind = "points" if isinstance(element, type) and issubclass(element, BaseModel) else "list"
        kind = "table" if element in TABLES.values() else kind
        quantity = next((mark for mark in getattr(element, "__metadata__", ()) if isinstance(mark, Quantity)), None)
    elif str in bare:
        kind = {"start": "month", "currency": "currency", "tax_region": "item"}.get(name, "text")
        catalog_kind = "tax" if name == "tax_region" else ""
    if kind == "choice" and name == "kind" and len(choices) == 1:
        choices = UNION_KINDS.get(owner.partition(".")[0], choices)
        kind = "choice" if len(choices) > 1 else ""
    if name in MONTH_NAMED:
        kind, choices = "choice", tuple(range(1, 13))
    default = None if info.is_required() else info.get_default()
    return _Shape(
        name, owner, kind, quantity, int in bare and float not in bare, optional, choices, catalog_kind, default
    )


def _parts(annotation: Any) -> list[Any]:
    """The members of a union, or the annotation itself; discriminated unions count as their members."""
    if get_origin(annotation) is typing.Annotated and get_origin(get_args(annotation)[0]) in (
        typing.Union,
        types.UnionType,
    ):
        annotation = get_args(annotation)[0]
    if get_origin(annotation) in (typing.Union, types.UnionType):
        return list(get_args(annotation))
    return [annotation]


_GROWTH = ("constant", "compound", "linear", "logistic", "steps", "table")
UNION_KINDS = {f"{name}Growth": _GROWTH for name in ("Constant", "Compound", "Linear", "Logistic", "Step", "Table")}


def declared(scenario: Scenario, path: str, evaluation: Evaluation | None = None) -> Declared:
    """The field at a path; raises InputError where there is none that can be edited."""
    found = next((each for each in walk(scenario) if each.path == path), None)
    if found is None and evaluation is not None:
        found = next((each for each in own_prices(scenario, evaluation) if each.path == path), None)
    if found is None:
        named = re.fullmatch(r"(plans|sites)/[^/]+/name|name", path)
        if named and (path == "name" or get_at(scenario.model_dump(mode="json"), path.rpartition("/")[0]) is not None):
            return Declared(path, "Plan.name", "text", "", "plans", longest=120)
        raise InputError(Problem(tuple(path[:200].split("/")), "unknown_field"))
    return found


def section_of(path: str) -> str:
    """The section of the page in which a path stands."""
    return {
        "demand": "demand",
        "plans": "plans",
        "market": "prices",
        "sites": "site",
        "operations": "site",
        "reliability": "site",
    }.get(path.partition("/")[0], "finance")


def first_value(each: Declared, first: dict[str, Any]) -> Any:
    """What "reset to default" writes: the value the scenario began with, else the declared default."""
    if each.kind == "part":
        return get_at(first, each.path) is not None
    if each.owner == "Scenario.lines":
        was = get_at(first, each.path)
        return each.default if was is None else was
    parent = get_at(first, each.path.rpartition("/")[0]) if "/" in each.path else first
    if isinstance(parent, dict) and each.name in parent:
        return parent[each.name]
    return None if each.group == "own_prices" else plain_value(each.default)


def own_prices(scenario: Scenario, evaluation: Evaluation) -> Iterator[Declared]:
    """A row for the unit price of every item the plans use, in place of the catalog's quote."""
    for priced in assumptions.unit_prices(scenario, evaluation):
        yield Declared(
            f"market/own_prices/{priced.slug}",
            "Market.own_prices",
            "number",
            scenario.market.own_prices.get(priced.slug),
            "prices",
            "own_prices",
            Quantity(priced.unit, 0.0, 1e9),
            optional=True,
            times=priced.times,
            unit=priced.unit,
        )


def plain_value(value: Any) -> Any:
    """A value as the stored document has it."""
    if isinstance(value, tuple):
        return [plain_value(entry) for entry in value]
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return value.isoformat() if isinstance(value, dt.date) else value

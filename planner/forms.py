"""Assumption rows, generated from the declarations of the scenario document, and what people type into them.

`walk` finds every field that can be edited; `rows` gives each its words, unit, source and default; `read` turns typed text
into a value of the document or raises InputError naming field, value, bound and unit. Shares are shown and typed in per cent.
"""

from __future__ import annotations

import datetime as dt
import math
import re
import types
import typing
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from functools import lru_cache
from typing import Any, Literal, get_args, get_origin

from django.utils.translation import gettext as _
from pydantic import BaseModel
from pydantic.fields import FieldInfo

from catalog.records import Catalog
from planner import wording
from planner.engine.evaluate import Evaluation
from planner.engine.inputs import Plan, Scenario, get_at
from planner.engine.lines import CATEGORIES, NOT_COMPUTED
from planner.engine.prices import PriceBook, Source
from planner.engine.quantities import Choice, InputError, Problem, Quantity, quantity_of
from planner.services import assumptions

SECTIONS = ("demand", "plans", "prices", "site", "finance")
MAX_TYPED = 400
MAX_PASTED = 8000

# Fields that are no row: names of elements, tags of unions whose kind is fixed, settings of one value, what rows of their own show.
HIDDEN = {
    "Scenario.schema_version", "Scenario.template", "Scenario.name", "Scenario.lines", "Market.own_prices", "PoolWorkload.kind",
    "TrainingWorkload.kind", "ServingWorkload.kind", "Plan.sourcing", "Plan.strategy", "Fabric.link", "Upgrade.item", "Plan.name",
    "Site.name",
}
# Fields seldom touched: they wait under "More".
SELDOM = {
    "name", "priority", "bound", "measure", "gpu_hours_per_month", "scheduler", "fade_per_year", "by_year", "states", "micro_batch",
    "driver", "mfu", "goodput", "min_service_months", "lead_months", "life_months", "then", "final_nodes", "switch", "provider_class",
    "reserved_units", "rack_kg", "rack_units", "customer_class", "moving_cost", "commissioning_days", "tax_region", "recoverable_tax_share",
    "fiscal_year_start_month", "running_costs_mid_month", "stale_after_days", "unmet_penalty_factor", "resale_factor", "committed_kw",
    "step_kw", "usable_share", "software_speedup_per_year", "service_target", "system", "card", "host", "network", "active_params_b",
    "kv_heads", "head_dim", "attention", "kv_lora_rank", "rope_head_dim", "sliding_window", "full_attention_layers", "moe",
}
NOT_SELDOM = {"Market.provider_class"}
# Fields that say nothing under a rule of follow-up purchases.
UNUSED_FOLLOW_UP = {
    "none": {"FollowUp.batch", "FollowUp.build", "FollowUp.waves", "FollowUp.min_service_months"},
    "cards": {"FollowUp.waves"}, "servers": {"FollowUp.waves"}, "schedule": {"FollowUp.batch", "FollowUp.min_service_months"},
}


@dataclass(frozen=True)
class Declared:
    """One editable field of a concrete scenario."""

    path: str
    owner: str  # class and name, "Site.pue"
    kind: str  # number · choice · item · switch · text · list · points · month · date · currency · part
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
        return self.owner == "Scenario.lines" or self.owner.startswith("Upgrade.") or self.owner.partition(".")[2] in SELDOM and self.owner not in NOT_SELDOM


@dataclass(frozen=True)
class Row:
    """One row as it stands on the page."""

    path: str
    kind: str
    label: str
    help: str
    text: str
    unit: str = ""
    placeholder: str = ""
    badge: dict[str, str] | None = None
    changed: bool = False
    default: str = ""
    options: tuple[tuple[str, str], ...] = ()
    seldom: bool = False
    optional: bool = False
    error: str = ""

    @property
    def id(self) -> str:
        return anchor(self.path)

    @property
    def on(self) -> bool:
        return self.text == "on"

    @property
    def stacked(self) -> bool:
        """A label too long to stand beside its box stands above it."""
        return sum(2 if ord(letter) > 0x2E80 else 1 for letter in self.label) > 26


@dataclass
class Group:
    """Rows under one heading; `seldom` ones are folded away."""

    path: str
    title: str
    rows: list[Row] = field(default_factory=list)

    @property
    def often(self) -> list[Row]:
        return [row for row in self.rows if not row.seldom]

    @property
    def more(self) -> list[Row]:
        return [row for row in self.rows if row.seldom]

    @property
    def id(self) -> str:
        return anchor(self.path)


@dataclass
class Section:
    code: str
    title: str
    summary: str
    groups: list[Group]

    @property
    def rows(self) -> Iterator[Row]:
        for group in self.groups:
            yield from group.rows


def anchor(path: str) -> str:
    """The id of a row on the page; links to an assumption end in it."""
    return "a-" + re.sub(r"[^A-Za-z0-9_.+-]", "-", path.replace("/", "--"))


# ── Declarations of a concrete scenario ──────────────────────────────────────────────────────────────────────────────

def walk(scenario: Scenario) -> Iterator[Declared]:
    """Every field that can be edited, in the order of the document."""
    for work in scenario.demand.workloads:
        yield from _document(work, f"demand/workloads/{work.slug}", "demand", f"demand/workloads/{work.slug}")
    yield from _document(scenario.demand, "demand", "demand", "demand", skip={"workloads"})
    for plan in scenario.plans:
        unused = UNUSED_FOLLOW_UP[plan.follow_up.kind]
        for each in _document(plan, f"plans/{plan.slug}", "plans", f"plans/{plan.slug}"):
            if each.owner not in unused:
                yield each
    yield from _document(scenario.market, "market", "prices", "market", skip={"own_prices"})
    for site in scenario.sites:
        base = f"sites/{site.slug}"
        yield from _document(site, base, "site", base, skip={"upgrades"})
        for step in site.upgrades:
            yield from _document(step, f"{base}/upgrades/{step.slug}", "site", f"{base}/upgrades/{step.slug}")
    yield from _document(scenario.operations, "operations", "site", "operations")
    top = {"months", "start", "currency", "pricing_date"}
    yield from _document(scenario, "", "finance", "finance", skip=set(Scenario.model_fields) - top)
    yield from _document(scenario.finance, "finance", "finance", "finance")
    for name, default in CATEGORIES.items():
        if name not in NOT_COMPUTED:
            yield Declared(f"lines/{name}", "Scenario.lines", "switch", scenario.lines.get(name, default), "finance", "lines", default=default)


def _document(document: BaseModel, path: str, section: str, group: str, skip: set[str] = frozenset()) -> Iterator[Declared]:  # type: ignore[assignment]
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
                where, shape.owner, shape.kind, value, section, group, shape.quantity, shape.whole, shape.optional, shape.choices,
                shape.catalog_kind, shape.default, MAX_PASTED if shape.kind in ("list", "points") else MAX_TYPED)


def _is_a_part(path: str) -> bool:
    return path.startswith("plans/")


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
        owner = next(f"{base.__name__}.{name}" for base in reversed(model.__mro__)
                     if issubclass(base, BaseModel) and name in base.__dict__.get("__annotations__", {}))
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
    elif str in bare:
        kind = {"start": "month", "currency": "currency", "tax_region": "item"}.get(name, "text")
        catalog_kind = "tax" if name == "tax_region" else ""
    if kind == "choice" and name == "kind" and len(choices) == 1:
        choices = UNION_KINDS.get(owner.partition(".")[0], choices)
        kind = "choice" if len(choices) > 1 else ""
    default = None if info.is_required() else info.get_default()
    return _Shape(name, owner, kind, quantity, int in bare and float not in bare, optional, choices, catalog_kind, default)


def _parts(annotation: Any) -> list[Any]:
    """The members of a union, or the annotation itself; discriminated unions count as their members."""
    if get_origin(annotation) is typing.Annotated and get_origin(get_args(annotation)[0]) in (typing.Union, types.UnionType):
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
    return {"demand": "demand", "plans": "plans", "market": "prices", "sites": "site", "operations": "site"}.get(path.partition("/")[0], "finance")


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
    return None if each.group == "own_prices" else _plain_value(each.default)


def own_prices(scenario: Scenario, evaluation: Evaluation) -> Iterator[Declared]:
    """A row for the unit price of every item the plans use, in place of the catalog's quote."""
    for priced in assumptions.unit_prices(scenario, evaluation):
        yield Declared(
            f"market/own_prices/{priced.slug}", "Market.own_prices", "number", scenario.market.own_prices.get(priced.slug), "prices",
            "own_prices", Quantity(priced.unit, 0.0, 1e9), optional=True, times=priced.times, unit=priced.unit)


# ── Rows ─────────────────────────────────────────────────────────────────────────────────────────────────────────────

class Page:
    """Everything the rows of one version need; made once per request."""

    def __init__(self, scenario: Scenario, evaluation: Evaluation | None, book: PriceBook, catalog: Catalog, first: dict[str, Any]) -> None:
        self.scenario, self.evaluation, self.book, self.catalog, self.first = scenario, evaluation, book, catalog, first
        self.currency = scenario.currency
        self.priced = {} if evaluation is None else {each.slug: each for each in assumptions.unit_prices(scenario, evaluation)}

    def sections(self) -> list[Section]:
        groups: dict[str, dict[str, Group]] = {code: {} for code in SECTIONS}
        for each in self.declared():
            group = groups[each.section].setdefault(each.group, Group(each.group, ""))
            group.rows.append(self.row(each))
        for code in SECTIONS:
            several = len(groups[code]) > 1
            for group in groups[code].values():
                group.title = self.title(group.path, several)
        return [Section(code, self.heading(code), self.summary(code), list(groups[code].values())) for code in SECTIONS if groups[code]]

    def declared(self) -> Iterator[Declared]:
        if self.evaluation is not None:
            yield from own_prices(self.scenario, self.evaluation)
        yield from walk(self.scenario)

    def rows(self) -> dict[str, Row]:
        return {each.path: self.row(each) for each in self.declared()}

    def row_at(self, path: str, text: str = "", error: str = "") -> Row | None:
        """One row, with what was typed and what is wrong with it."""
        try:
            row = self.row(declared(self.scenario, path, self.evaluation))
        except InputError:
            return None
        if not error:
            return row
        return Row(**{**row.__dict__, "text": text, "error": error})

    def heading(self, code: str) -> str:
        return wording.section({"prices": "market"}.get(code, code))

    def title(self, path: str, several: bool) -> str:
        if path in ("demand", "market"):
            return _("All workloads") if path == "demand" else _("Price changes and resale") if several else ""
        if path == "own_prices":
            return _("Unit prices")
        if path in ("operations", "lines"):
            return wording.section(path)
        if path == "finance":
            return ""
        keys = path.split("/")
        if keys[0] == "demand":
            return wording.workload_named(self.scenario, keys[2])
        if keys[0] == "plans":
            return wording.plan_names(self.scenario, self.book)[keys[1]]
        site = next(site for site in self.scenario.sites if site.slug == keys[1])
        if len(keys) == 2:
            return wording.site_name(site)
        step = next(step for step in site.upgrades if step.slug == keys[3])
        return _("Possible upgrade: {item}").format(item=wording.item(step.item, self.book))

    def row(self, each: Declared) -> Row:
        own_price = each.group == "own_prices"
        shown, badge, note = self._shown(each)
        former, known = self._default(each)
        changed = known and former != _plain_value(each.value)
        label, help_text = self._words(each)
        row = Row(
            path=each.path, kind=each.kind, label=label, help=help_text + self._facts(each, note),
            text=write(each, shown), unit=self._unit(each), badge=badge, changed=changed,
            placeholder=str(wording.empty_text(each.path, self.scenario)) or (_("no quote") if own_price else _("automatic")) if each.optional else "",
            default=self._default_text(each, former) if changed else "", options=self._options(each), seldom=each.seldom, optional=each.optional)
        return row

    # what a row says

    def _words(self, each: Declared) -> tuple[str, str]:
        if each.group == "own_prices":
            return self.priced[each.name].name, _("Price of today; what you type replaces the catalog's, an empty field takes it back.")
        return wording.label(each.path, self.scenario), wording.help_text(each.path, self.scenario)

    def _shown(self, each: Declared) -> tuple[Any, dict[str, str] | None, str]:
        """(value in the box, badge, note on its source): an empty field shows what holds instead."""
        if each.group == "own_prices":
            priced = self.priced[each.name]
            source = wording.source(Source(basis="own") if each.value is not None else priced.source) if priced.source else {
                "badge": "none", "text": _("no quote"), "url": ""}
            badge = dict(source)
            if priced.stale and each.value is None:
                badge["badge"] = "stale"
            amount = each.value if each.value is not None else priced.amount
            return (None if amount is None else amount / each.times), badge, badge["text"]
        if each.kind != "number":
            return each.value, None, ""
        quantity = each.quantity
        assert quantity is not None
        if each.value is None:
            stands_in = assumptions.effective(self.scenario, self.book, each.path)
            if stands_in is None:
                return None, None, ""
            value, source = stands_in
            badge = wording.source(source)
            return value, badge, badge["text"]
        same = each.default is not None and each.value == each.default
        basis = quantity.basis if same and quantity.basis != "choice" else "own"
        link = quantity.source if quantity.source.startswith("http") else ""
        badge = wording.source(Source(basis=basis, url=link if basis != "own" else ""))  # type: ignore[arg-type]
        return each.value, badge, badge["text"]

    def _default(self, each: Declared) -> tuple[Any, bool]:
        """(value the scenario began with, whether there was one)."""
        if each.kind == "part":
            parent = get_at(self.first, each.path.rpartition("/")[0])
            return (get_at(self.first, each.path) is not None), parent is not None
        if each.group == "own_prices":
            return get_at(self.first, each.path), True
        if each.owner == "Scenario.lines":
            was = get_at(self.first, each.path)
            return (each.default if was is None else was), True
        parent = get_at(self.first, each.path.rpartition("/")[0]) if "/" in each.path else self.first
        if parent is None:
            return None, False
        return (parent.get(each.name), True) if each.name in parent else (_plain_value(each.default), True)

    def _default_text(self, each: Declared, former: Any) -> str:
        if each.kind in ("choice", "item", "switch", "part"):
            return wording.choice(each.path, former) if each.kind != "part" else wording.choice("", bool(former))
        if former is None:
            return wording.empty_text(each.path, self.scenario) or _("automatic")
        return write(each, former) + ("\u00a0" + self._unit(each) if self._unit(each) else "")

    def _unit(self, each: Declared) -> str:
        if each.unit:
            return wording.unit(each.unit, self.currency)
        if each.quantity is None or each.kind != "number":
            return ""
        work = None
        if each.group.startswith("demand/workloads/"):
            slug = each.group.rpartition("/")[2]
            work = next((work for work in self.scenario.demand.workloads if work.slug == slug), None)
        return wording.unit(each.quantity.unit, self.currency, work)

    def _facts(self, each: Declared, note: str) -> str:
        facts = []
        if each.quantity is not None and each.kind == "number":
            code = each.quantity.unit if not each.unit else each.unit
            bounds = wording.bounds(each.quantity.low, each.quantity.high, code if not code.startswith("driver") else "1", self.currency)
            facts.append(_("Bounds: {bounds}.").format(bounds=bounds))
        if each.kind == "number" and note:
            facts.append(_("Source: {source}.").format(source=note))
        if each.path.endswith(("growth/rate_per_month", "growth/ceiling", "growth/per_month")) and self.evaluation is not None:
            facts.append(assumptions.demand_at_the_end(self.evaluation))
        gap = "" if wording.chinese() else " "
        return "".join(gap + fact for fact in facts)

    def _options(self, each: Declared) -> tuple[tuple[str, str], ...]:
        if each.kind == "choice":
            listed = [(str(value), wording.choice(each.path, value)) for value in each.choices]
        elif each.kind == "item":
            listed = assumptions.items(self.catalog, self.scenario, each.path, each.catalog_kind)
            if each.value is not None and each.value not in dict(listed):
                listed = [(each.value, wording.item(each.value, self.book)), *listed]
        elif each.kind == "currency":
            listed = [(code, code) for code in assumptions.currencies(self.catalog, self.currency)]
        else:
            return ()
        if each.optional:
            listed = [("", str(wording.empty_text(each.path, self.scenario)) or _("automatic")), *listed]
        return tuple(listed)

    def value_text(self, path: str, value: Any) -> str:
        """A value at a path in words: "5 % / mo"; what has no row is named by its parts."""
        try:
            each = declared(self.scenario, path, self.evaluation)
        except InputError:
            return _("removed") if value is None else str(value.get("kind") or value.get("slug") or "…") if isinstance(value, dict) else str(value)
        if each.kind in ("choice", "item", "switch"):
            return wording.choice(path, value) if value is not None else str(wording.empty_text(path, self.scenario))
        if each.kind == "part":
            return wording.choice("", value is not None and value is not False)
        if value is None:
            return str(wording.empty_text(path, self.scenario)) or _("automatic")
        unit = self._unit(each)
        return write(each, value / each.times if each.times != 1.0 else value) + ("\u00a0" + unit if unit else "")

    # one line a section, for when it is folded

    def summary(self, code: str) -> str:
        scenario = self.scenario
        if code == "demand":
            return assumptions.peak_demand(self.evaluation) if self.evaluation is not None else ""
        if code == "plans":
            return wording.number(len(scenario.plans))
        if code == "prices":
            return _("quotes on {date}").format(date=wording.date(scenario.pricing_date))
        if code == "site":
            site = scenario.sites[0]
            parts = [wording.choice("site/kind", site.kind)]
            if site.power_kw is not None:
                parts.append(_("{kw} kW power").format(kw=wording.number(site.power_kw)))
            if site.cooling_kw is not None:
                parts.append(_("{kw} kW cooling").format(kw=wording.number(site.cooling_kw)))
            return _(", ").join(parts)
        return _("{rate} a year, {months} months").format(rate=wording.percent(scenario.finance.discount_rate), months=scenario.months)


def _plain_value(value: Any) -> Any:
    """A value as the stored document has it."""
    if isinstance(value, tuple):
        return [_plain_value(entry) for entry in value]
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    return value.isoformat() if isinstance(value, dt.date) else value


# ── Writing and reading numbers ──────────────────────────────────────────────────────────────────────────────────────

def write(each: Declared, value: Any) -> str:
    """The text of a value in its box."""
    if each.kind == "switch":
        return "on" if value else ""
    if each.kind == "part":
        return "on" if value else ""
    if value is None:
        return ""
    if each.kind == "number":
        assert each.quantity is not None
        return write_number(value, each.quantity.is_share)
    if each.kind == "list":
        return ", ".join(write_number(entry, _in_per_cent(each)) for entry in value)
    if each.kind == "points":
        first, second, share = _columns(each)
        entries = [entry if isinstance(entry, dict) else entry.model_dump() for entry in value]
        return ", ".join(f"{entry[first]}: {write_number(entry[second], share)}" for entry in entries)
    return value.isoformat() if isinstance(value, dt.date) else str(value)


def write_number(value: float, share: bool = False) -> str:
    """1234.5 → "1,234.5"; a share in per cent: 0.05 → "5"."""
    exact = Decimal(repr(float(value))) * (100 if share else 1)
    rounded = exact if exact == 0 else round(exact, max(0, 6 - max(0, exact.adjusted())))
    text = f"{rounded:,f}"
    text = text.rstrip("0").rstrip(".") if "." in text else text
    return "0" if text in ("", "-0") else text.replace("-", "\u2212")


_SPACES = re.compile(r"[\s\u00a0\u2009\u202f]+")
_GROUPS = re.compile(r"[+-]?\d{1,3}(,\d{3})+(\.\d*)?")
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d{1,3})?", re.IGNORECASE)


def read(each: Declared, text: str, currency: str = "") -> Any:
    """What was typed, as a value of the document; raises InputError naming the field."""
    if len(text) > each.longest:
        raise _wrong(each, "too_long", text, Quantity("character", 0, each.longest))
    text = text.strip()
    if each.kind in ("switch", "part"):
        return text in ("on", "true", "1")
    if each.kind == "text":
        return text
    if not text:
        if each.optional:
            return None
        if each.kind == "list":
            return []
        raise _wrong(each, "missing", text)
    if each.kind == "number":
        return _number(each, text)
    if each.kind == "choice":
        found = next((value for value in each.choices if str(value) == text), None)
        if found is None:
            raise InputError(Problem(tuple(each.path.split("/")), "not_a_choice", text, choices=tuple(str(v) for v in each.choices)))
        return found
    if each.kind == "list":
        return [_plain_number(each, part, _in_per_cent(each)) for part in _split(text)]
    if each.kind == "points":
        first, second, share = _columns(each)
        points = []
        for part in _split(text):
            left, colon, right = unicodedata.normalize("NFKC", part).partition(":")
            if not colon:
                raise _wrong(each, "bad_format", part)
            points.append({first: _plain_number(each, left, whole=True), second: _plain_number(each, right, share)})
        return points
    return unicodedata.normalize("NFKC", text)


def _number(each: Declared, text: str) -> float | int:
    quantity = each.quantity
    assert quantity is not None
    value = _plain_number(each, text, quantity.is_share, whole=each.whole)
    value = value * each.times if each.times != 1.0 else value
    if not quantity.low <= value <= quantity.high:
        raise _wrong(each, "out_of_bounds", value)
    return value


def _plain_number(each: Declared, text: str, share: bool = False, *, whole: bool = False) -> float | int:
    """A number as people write it in either language: full-width digits, spaces, thousands, a real minus, a per cent sign."""
    typed = unicodedata.normalize("NFKC", text).replace("\u2212", "-").replace("\u2013", "-")
    typed = _SPACES.sub("", typed)
    if share and typed.endswith("%"):
        typed = typed[:-1]
    if _GROUPS.fullmatch(typed):
        typed = typed.replace(",", "")
    if not _NUMBER.fullmatch(typed):
        raise _wrong(each, "not_a_number", text)
    try:
        exact = Decimal(typed)
    except InvalidOperation:
        raise _wrong(each, "not_a_number", text) from None
    value = float(exact / 100 if share else exact)
    if not math.isfinite(value):
        raise _wrong(each, "out_of_bounds", text)
    if whole:
        if value != int(value):
            raise _wrong(each, "not_whole", text)
        return int(value)
    return value + 0.0


def _split(text: str) -> list[str]:
    return [part for part in re.split(r"[,;，；、\t\r\n]+", text) if part.strip()]


def _in_per_cent(each: Declared) -> bool:
    return each.name == "by_year"


def _columns(each: Declared) -> tuple[str, str, bool]:
    """The two fields of a point, and whether the second is a share."""
    return {"waves": ("month", "quantity", False), "steps": ("month", "value", False)}.get(each.name, ("month", "share", True))


def _wrong(each: Declared, code: str, value: Any, bounds: Quantity | None = None) -> InputError:
    quantity = bounds or each.quantity
    return InputError(Problem(
        tuple(each.path.split("/")), code, value, quantity.low if quantity else None, quantity.high if quantity else None,
        quantity.unit if quantity else ""))


# ── Edits that touch more than one field ─────────────────────────────────────────────────────────────────────────────

def changes(scenario: Scenario, each: Declared, value: Any, first: dict[str, Any], catalog: Catalog) -> list[tuple[str, Any]]:
    """The (path, value) pairs an edit writes: a curve of another kind brings its own fields, a part its defaults."""
    parent, _slash, name = each.path.rpartition("/")
    if name == "kind" and parent.endswith("/growth"):
        return [(parent, _growth(scenario, parent, value, first))]
    if name == "kind" and parent.startswith("sites/") and parent.count("/") == 1:
        site = next(site for site in scenario.sites if f"sites/{site.slug}" == parent)
        terms = [(f"{parent}/colocation", {})] if value == "colocation" and site.colocation is None else []
        return [*terms, (each.path, value)]
    if each.kind == "part":
        return [(each.path, _part(scenario, each, catalog) if value else None)]
    if each.owner == "Scenario.lines":
        return [(each.path, None if value == each.default else value)]
    if name == "currency":
        return [(each.path, value), *assumptions.in_currency(scenario, value, catalog, walk(scenario))]
    return [(each.path, value)]


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
    """The defaults of a part of a plan that is switched on."""
    slug = each.path.split("/")[1]
    plan = next(plan for plan in scenario.plans if plan.slug == slug)
    if each.name == "overflow":
        return {"accelerator": scenario.demand.workloads[0].accelerator}
    build = plan.follow_up.build or next((other.start.build for other in scenario.plans if other.start), None)
    return {"build": build or next(iter(catalog.of_kind("build"))), "quantity": 1}


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
        "cluster_now": {"start": {"build": server, "quantity": 4}, "follow_up": {"kind": "servers"}, "fabric": {"when": "always"}},
        "cloud": {}, "hybrid": {"start": {"build": server}},
    }
    return {"slug": free_slug(scenario, strategy.replace("_", "-")), "strategy": strategy, "overflow": overflow, **shapes[strategy]}


def copied_plan(scenario: Scenario, plan: Plan) -> dict[str, Any]:
    """A copy of a plan under a name of its own."""
    name = _("{plan} (copy)").format(plan=wording.plan_name(plan))[:120]
    return {**plan.model_dump(mode="json"), "slug": free_slug(scenario, plan.slug), "name": name}


def free_slug(scenario: Scenario, wanted: str) -> str:
    taken = {plan.slug for plan in scenario.plans}
    wanted = re.sub(r"-\d+$", "", wanted)[:150]
    return wanted if wanted not in taken else next(f"{wanted}-{n}" for n in range(2, 99) if f"{wanted}-{n}" not in taken)



"""Scenario + price book → evaluation: each module of the engine in its order."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from planner.engine import ENGINE_VERSION
from planner.engine.allocation import Allocation, allocate
from planner.engine.calendar import Array, Calendar, calendar_for
from planner.engine.costs import Books, PlanCosts, write_cloud, write_owned
from planner.engine.demand import Machine, Requirement, Sizing, machine_for
from planner.engine.fleet import Fleet, simulate
from planner.engine.housing import Housing, UpgradeOrder, house
from planner.engine.inputs import Plan, Scenario, Workload
from planner.engine.lines import CATEGORIES, NOT_COMPUTED, Ledger, Line, minor_unit, round_half_up, switched_on
from planner.engine.prices import CloudOffer, MissingRate, NoQuote, PriceBook, Source
from planner.engine.quantities import InputError
from planner.engine.wiring import Network, network_for

SLACK = 1e-9


@dataclass(frozen=True)
class Finding:
    """A warning or a reason: a code, the month it begins, and the numbers a sentence needs."""

    code: str
    month: int | None = None
    facts: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"code": self.code, "month": self.month, **self.facts}


@dataclass(frozen=True)
class Order:
    """One position of one order."""

    month: int
    in_service: int
    order_by: dt.date
    item: str
    kind: str  # server · chassis · card · card_extra · switch · link · upgrade
    quantity: float
    unit_price: float
    currency: str
    source: Source

    def as_dict(self) -> dict[str, Any]:
        return {
            "order_by": self.order_by.isoformat(),
            "month": self.month,
            "in_service": self.in_service,
            "item": self.item,
            "kind": self.kind,
            "quantity": _whole(self.quantity),
            "unit_price": round(self.unit_price, 6),
            "currency": self.currency,
            "source": self.source.model_dump(mode="json"),
        }


@dataclass
class PlanResult:
    """What one plan needs, costs and fails at. Arrays (S, M)."""

    plan: Plan
    calendar: Calendar
    discount: Array
    currency: str
    decimals: int
    lines: list[Line]
    demand: Array  # reference GPUs, on average
    needed: Array  # GPUs planning asks for, on the plan's first machine or the reference
    fleet: Fleet
    housing: Housing
    allocation: Allocation
    network: Network | None
    offer: CloudOffer | None
    offers_by_class: dict[str, CloudOffer | None]
    orders: list[Order]
    infeasible: list[Finding]
    warnings: list[Finding]
    requirements: dict[str, dict[str, Requirement]]  # by build slug ("offer" for the cloud), by workload
    fte: Array
    commissioning_days: float = 0.0
    unmet_cost: float | None = None
    cloud_by_class: dict[str, list[Line]] = field(default_factory=dict)

    @property
    def slug(self) -> str:
        return self.plan.slug

    @property
    def feasible(self) -> bool:
        return not self.infeasible

    @property
    def priced(self) -> bool:
        """False where an item has no quote: the plan then has no totals."""
        return not any(
            reason.code in ("no_quote", "no_rate", "not_in_catalog", "no_fabric_ports") for reason in self.infeasible
        )

    @cached_property
    def present_value(self) -> float:
        """Sum of the rounded present values of the lines. [money]"""
        return self.money(line.present_value(self.discount) for line in self.lines)

    def total(self, kind: str) -> float:
        """Nominal capex, opex or credits: the sum of the lines shown. [money]"""
        return self.money(line.total() for line in self.lines if line.kind == kind)

    @cached_property
    def nominal_total(self) -> float:
        return self.money(line.total() for line in self.lines)

    def by_category(self) -> dict[str, float]:
        """Present value by category, in the order of the categories."""
        groups: dict[str, list[float]] = {name: [] for name in CATEGORIES}
        for line in self.lines:
            groups[line.category].append(line.present_value(self.discount))
        return {name: self.money(values) for name, values in groups.items() if values}

    def monthly(self, kind: str) -> Array:
        """(M,): nominal money of a kind in each month, rounded cells summed."""
        cells = [line.minor for line in self.lines if line.kind == kind]
        return np.asarray(sum(cells, np.zeros(self.calendar.months))) / 10.0**self.decimals

    @cached_property
    def cumulative(self) -> Array:
        """(M,): cumulative present value, all lines."""
        return self._cumulative(self.lines)

    @cached_property
    def cumulative_without_residual(self) -> Array:
        """(M,): cumulative present value before the residual at the horizon, for break-even."""
        return self._cumulative(line for line in self.lines if line.category != "credit.residual_at_horizon")

    def _cumulative(self, lines: Iterable[Line]) -> Array:
        cells = sum((line.minor for line in lines), np.zeros(self.calendar.months)) / 10.0**self.decimals
        return np.cumsum(cells * self.discount)

    @cached_property
    def useful_hours(self) -> Array:
        """(M,): reference GPU-hours of work done, owned and rented. [GPU-hour]"""
        return np.asarray((self.allocation.useful_owned + self.allocation.useful_rented)[0] * self.calendar.hours)

    @property
    def cost_per_useful_gpu_hour(self) -> float | None:
        """PV of cost ÷ PV of useful GPU-hours; None where nothing useful is done. [money/GPU-hour]"""
        useful = float((self.useful_hours * self.discount).sum())
        return self.present_value / useful if useful > 0 else None

    @property
    def served_share(self) -> float:
        """Share of the demanded GPU-hours that is served, over the horizon."""
        asked = float((self.demand[0] * self.calendar.hours).sum())
        unmet = float((self.allocation.unmet[0] * self.calendar.hours).sum())
        return 1.0 if asked <= 0 else 1.0 - unmet / asked

    @cached_property
    def capacity(self) -> Array:
        """(M,): owned GPUs that run, throttling taken off."""
        cards = sum((holding.cards for holding in self.fleet.holdings), np.zeros((1, self.calendar.months)))
        return np.asarray((cards * self.housing.factor)[0])

    @cached_property
    def utilisation(self) -> Array:
        """(M,): GPUs busy ÷ GPUs owned; 0 where none is owned."""
        owned = sum((holding.cards for holding in self.fleet.holdings), np.zeros((1, self.calendar.months)))[0]
        used = sum((used[0] for used in self.allocation.used.values()), np.zeros(self.calendar.months))
        return np.asarray(np.where(owned > 0, used / np.where(owned > 0, owned, 1.0), 0.0))

    @property
    def peak_kw(self) -> float:
        """Highest measured IT draw. [kW]"""
        return float(self.housing.draw[0].max(initial=0.0))

    @cached_property
    def facility_kw(self) -> Array:
        """(M,): IT draw × PUE. [kW]"""
        from planner.engine.housing import PUE_BY_METHOD

        pue = np.array(
            [site.pue if site.pue is not None else PUE_BY_METHOD[site.cooling_method] for site in self.housing.site_of]
        )
        return np.asarray(self.housing.draw[0] * pue)

    def present_value_with(self, provider_class: str) -> float | None:
        """PV with the cloud offer of another class; None where that class has no comparable offer."""
        if provider_class not in self.cloud_by_class:
            return self.present_value if self.plan.overflow is None or self.offer is None else None
        owned = [line for line in self.lines if not line.category.startswith("opex.cloud")]
        return self.money(line.present_value(self.discount) for line in [*owned, *self.cloud_by_class[provider_class]])

    def money(self, amounts: Iterable[float]) -> float:
        """Sum of amounts that are whole minor units, exactly."""
        scale = 10.0**self.decimals
        return float(sum(round(amount * scale) for amount in amounts)) / scale


@dataclass
class Evaluation:
    """The answer to one scenario."""

    scenario: Scenario
    book: PriceBook
    calendar: Calendar
    plans: list[PlanResult]
    left_out: list[str]
    warnings: list[Finding]

    def plan(self, slug: str) -> PlanResult:
        return next(result for result in self.plans if result.slug == slug)

    def as_dict(self) -> dict[str, Any]:
        """Plain data of the public result (the same for `manage.py evaluate` and `python -m planner.engine`)."""
        from planner.engine.compare import by_lead_time, compare
        from planner.engine.export import as_plain

        return as_plain(self, compare(self), by_lead_time(self))


def evaluate(scenario: Scenario, book: PriceBook, *, lead_case: int = 1) -> Evaluation:
    """Compute every plan of a scenario.

    lead_case : 0, 1, 2 for the low, likely or high lead time.
    Raises MissingRate where a price has no exchange rate, InputError where the document asks for the impossible.
    """
    if scenario.currency != book.currency:
        raise MissingRate(book.currency, scenario.currency)
    calendar = calendar_for(scenario.start, scenario.months)
    books = Books(scenario, book, calendar)
    sizing = Sizing(scenario, book, calendar)
    on = switched_on(scenario.lines)
    plans = [_evaluate_plan(plan, scenario, books, sizing, on, lead_case) for plan in scenario.plans]
    left_out = [name for name in CATEGORIES if name not in on]
    return Evaluation(scenario, book, calendar, plans, left_out, _stale_prices(scenario, plans))


def _evaluate_plan(
    plan: Plan, scenario: Scenario, books: Books, sizing: Sizing, on: frozenset[str], lead_case: int
) -> PlanResult:
    """One plan: sizing → orders → room → allocation → lines → verdict on its own feasibility."""
    calendar = books.calendar
    shape = (1, calendar.months)
    decimals = minor_unit(scenario.currency)
    workloads = sizing.workloads
    reference = {work.slug: sizing.reference(work) for work in workloads}
    demand = np.asarray(sum(need.mean for need in reference.values()))
    problems: list[Finding] = []

    slugs = dict.fromkeys(
        slug
        for slug in (
            plan.start.build if plan.start else None,
            plan.follow_up.build if plan.follow_up.kind != "none" else None,
        )
        if slug
    )
    machines: dict[str, Machine] = {}
    requirements: dict[str, dict[str, Requirement]] = {}
    for slug in slugs:
        try:
            machine = machine_for(books.book, slug)
            requirements[slug] = {work.slug: sizing.on_machine(work, machine) for work in workloads}
            machines[slug] = machine
        except InputError as error:
            problems.extend(_from_error(error))

    joined = plan.fabric.when == "always" or (
        plan.fabric.when == "when_needed"
        and any(
            need.gang > machines[slug].server_gpus for slug, needs in requirements.items() for need in needs.values()
        )
    )
    usable: dict[str, list[tuple[Machine, Requirement]]] = {work.slug: [] for work in workloads}
    for work in workloads:
        refusals = []
        for slug in _by_running_cost(machines):
            need, machine = requirements[slug][work.slug], machines[slug]
            refusal = _cannot_run(work, need, machine, joined)
            if refusal is None:
                usable[work.slug].append((machine, need))
            else:
                refusals.append(refusal)
        if refusals and not usable[work.slug]:
            problems.extend(refusals)

    fleet = Fleet([], 0)
    if machines:
        needs = {slug: np.asarray(sum(need.required for need in requirements[slug].values())) for slug in machines}
        fleet = simulate(
            plan,
            machines,
            needs,
            scenario=scenario,
            book=books.book,
            commissioning_days=books.commissioning_days,
            lead_case=lead_case,
        )
    ledger = Ledger(shape, on, decimals)
    network: Network | None = None
    try:
        if joined and fleet.holdings:
            network = network_for(plan, fleet, books)
    except InputError as error:
        problems.extend(_from_error(error))

    offer: CloudOffer | None = None
    offered: dict[str, Requirement] | None = None
    if plan.overflow is not None:
        try:
            offer = books.offer(plan)
            if offer is None:
                raise NoQuote(plan.overflow.accelerator)
            hardware = sizing.accelerator(offer.accelerator)
            offered = {work.slug: sizing.on(work, hardware, server_gpus=8, one_domain=True) for work in workloads}
            requirements["offer"] = offered
        except MissingRate:
            raise
        except InputError as error:
            problems.extend(_from_error(error))

    order = [work.slug for work in workloads]
    nominal = {holding.machine.slug: holding.cards for holding in fleet.holdings}
    allocation = allocate(order, reference, usable, nominal, offered)
    zero = np.zeros(shape)
    fabric_kw = (network.kw_max, network.kw_typical) if network is not None else (zero, zero)
    housing = house(
        plan, scenario, fleet, allocation.used, fabric_kw, network.switches if network is not None else zero
    )
    lost = 0.0
    if (housing.factor < 1.0 - SLACK).any():
        before = allocation
        throttled = {slug: cards * housing.factor for slug, cards in nominal.items()}
        allocation = allocate(order, reference, usable, throttled, offered, installed=nominal)
        lost = float(((before.useful_owned - allocation.useful_owned)[0] * calendar.hours).sum())

    fte = zero
    cloud_by_class: dict[str, list[Line]] = {}
    offers_by_class: dict[str, CloudOffer | None] = {}
    try:
        costs = PlanCosts(plan, books, fleet, network, housing, allocation, ledger)
        write_owned(costs)
        fte = costs.fte_owned + costs.fte_fabric
        if offer is not None and plan.overflow is not None:
            write_cloud(plan, books, allocation.rented, offer, ledger)
            for name in ("specialist", "large_provider"):
                other = books.offer(plan, name) if plan.overflow.offer is None else offer
                offers_by_class[name] = other
                if other is not None:
                    lines = Ledger(shape, on, decimals)
                    write_cloud(plan, books, allocation.rented, other, lines)
                    cloud_by_class[name] = lines.lines
    except MissingRate:
        raise
    except InputError as error:
        problems.extend(_from_error(error))

    discount = calendar.discount(scenario.finance.discount_rate)
    result = PlanResult(
        plan=plan,
        calendar=calendar,
        discount=discount,
        currency=scenario.currency,
        decimals=decimals,
        lines=ledger.lines,
        demand=demand,
        needed=_needed(plan, requirements, reference),
        fleet=fleet,
        housing=housing,
        allocation=allocation,
        network=network,
        offer=offer,
        offers_by_class=offers_by_class,
        orders=[],
        infeasible=problems,
        warnings=[],
        requirements=requirements,
        fte=fte,
        commissioning_days=books.commissioning_days,
        cloud_by_class=cloud_by_class,
    )
    result.orders = _orders(result, books)
    _judge(result, scenario, books, lost)
    return result


def _needed(plan: Plan, requirements: dict[str, dict[str, Requirement]], reference: dict[str, Requirement]) -> Array:
    first = plan.start.build if plan.start else next(iter(requirements), None)
    needs = requirements.get(first or "", reference)
    return np.asarray(sum(need.required for need in needs.values()))


def _by_running_cost(machines: dict[str, Machine]) -> list[str]:
    """Build slugs by power per unit of matrix work: the running cost that differs between machines."""

    def watts_per_rate(slug: str) -> float:
        machine = machines[slug]
        rate = machine.accelerator.bf16_tflops or machine.accelerator.memory_bw_gbps or 1.0
        return machine.build.typical_kw / (rate * machine.base_cards)

    return sorted(machines, key=watts_per_rate)


def _cannot_run(work: Workload, need: Requirement, machine: Machine, joined: bool) -> Finding | None:
    """Why a machine cannot run a workload, or None: memory first, then deadline (model.md 2 and 3)."""
    if not need.fits:
        return Finding(
            "memory",
            0,
            {"workload": work.slug, "item": machine.slug, "needed_gpus": None, "server_gpus": machine.server_gpus},
        )
    if joined or need.gang <= machine.server_gpus:
        return None
    by = "memory" if need.gang_memory > machine.server_gpus else "deadline"
    return Finding(
        by,
        0,
        {
            "workload": work.slug,
            "item": machine.slug,
            "server_gpus": machine.server_gpus,
            "needed_gpus": need.gang_memory if by == "memory" else need.gang_deadline,
        },
    )


def _from_error(error: InputError) -> list[Finding]:
    if isinstance(error, MissingRate):
        raise error
    return [
        Finding(problem.code, None, {"item": str(problem.value), "field": "/".join(problem.path)})
        for problem in error.problems
    ]


def _orders(result: PlanResult, books: Books) -> list[Order]:
    """Positions of each order: purchases of machines, fabric and upgrades, with their dates."""
    calendar, orders = result.calendar, []
    lead_days = {}
    for holding in result.fleet.holdings:
        weeks = holding.machine.build.lead_weeks[1]
        lead_days[holding.machine.slug] = round(weeks * 7 + books.commissioning_days)
    leads = {holding.machine.slug: holding.lead for holding in result.fleet.holdings}
    addon_of = {
        holding.machine.addon.slug: holding.machine.slug for holding in result.fleet.holdings if holding.machine.addon
    }
    for line in result.lines:
        if line.category not in ("capex.accelerators_and_servers", "capex.fabric", "capex.cooling", "capex.facility"):
            continue
        if line.code in ("moving", "link_labour"):
            continue  # services, not goods
        owner = line.item if line.item in leads else addon_of.get(line.item, "")
        for m in np.flatnonzero(line.quantity[0]):
            m = int(m)
            quantity, price = float(line.quantity[0, m]), float(line.unit_price[0, m])
            for part, first in _split_first(result, line, owner, m, quantity):
                lead = (
                    0
                    if first
                    else leads.get(owner, max(leads.values(), default=0) if line.category == "capex.fabric" else 0)
                )
                renewed = not first and owner and bool(_renewed(result, owner, m))
                service = m if renewed else min(m + lead, calendar.months)
                # the fabric must be there when its servers are
                ahead = lead_days.get(
                    owner, max(lead_days.values(), default=0) if line.category == "capex.fabric" else 0
                )
                order_by = calendar.firsts[m] - dt.timedelta(days=ahead) if first else calendar.firsts[m]
                orders.append(
                    Order(m, service, order_by, line.item, line.code, part, price, result.currency, line.source)
                )
    return sorted(orders, key=lambda order: (order.month, order.in_service, order.kind, order.item))


def _split_first(result: PlanResult, line: Line, owner: str, month: int, quantity: float) -> list[tuple[float, bool]]:
    """The first wave, in service at once, apart from a follow-up ordered in the same month 0."""
    if month != 0 or line.category != "capex.accelerators_and_servers":
        return [(quantity, month == 0)]
    holding = next(holding for holding in result.fleet.holdings if holding.machine.slug == owner)
    base, extra = (
        holding.machine.base_cards,
        max(0, holding.first_cards - holding.first_hosts * holding.machine.base_cards),
    )
    whole = holding.first_cards >= holding.first_hosts * base
    first = {
        "server": holding.first_hosts if whole else 0,
        "chassis": 0 if whole else holding.first_hosts,
        "card": extra if whole else holding.first_cards,
        "card_extra": extra if whole else 0,
    }.get(line.code, 0)
    parts = [(float(min(first, quantity)), True), (quantity - min(first, quantity), False)]
    return [part for part in parts if part[0] > 0]


def _renewed(result: PlanResult, slug: str, month: int) -> float:
    return float(
        sum(holding.renewed_cards[0, month] for holding in result.fleet.holdings if holding.machine.slug == slug)
    )


def _judge(result: PlanResult, scenario: Scenario, books: Books, lost_gpu_hours: float) -> None:
    """Feasibility and warnings of one plan."""
    plan, calendar, allocation = result.plan, result.calendar, result.allocation
    target = scenario.demand.service_target
    short = allocation.served[0] < target - 1e-9
    cannot_run = any(reason.code in ("memory", "deadline") for reason in result.infeasible)
    if short.any() and result.priced and not cannot_run:
        first = int(np.argmax(short))
        result.infeasible.append(
            Finding(
                "service_target",
                first,
                {
                    "served": float(allocation.served[0, first]),
                    "target": target,
                    "demand_gpu": float(result.demand[0, first]),
                    "capacity_gpu": float(result.capacity[first]),
                },
            )
        )
    for shortage in result.housing.shortages:
        facts = {
            "needed": shortage.needed,
            "limit": shortage.limit,
            "site": shortage.site,
            "months": shortage.months,
            "resource": shortage.resource,
            **_remedy(shortage.remedy, books),
        }
        if shortage.resource == "cooling":
            result.warnings.append(
                Finding(
                    "cooling_short",
                    shortage.month,
                    {**facts, "lost_gpu_hours": lost_gpu_hours, "stopped": result.housing.tripped},
                )
            )
        elif shortage.remedy is None or plan.upgrades == "show":
            result.infeasible.append(Finding(f"room_{shortage.resource}", shortage.month, facts))
        else:
            result.warnings.append(Finding("room_short", shortage.month, facts))
    for order in result.housing.upgrades:
        result.warnings.append(
            Finding(
                "upgrade_included",
                order.ordered,
                {"site": order.site, "in_service": order.in_service, **_remedy(order, books)},
            )
        )
    if result.fleet.due_at_start:
        result.warnings.append(Finding("next_order_due_at_start", 0, {"lead_months": result.fleet.follow_lead}))
    firsts = [
        order
        for order in result.orders
        if order.month == 0 and order.in_service == 0 and order.kind in ("server", "chassis")
    ]
    if firsts:
        earliest = min(firsts, key=lambda order: order.order_by)
        if earliest.order_by < scenario.pricing_date:
            result.warnings.append(
                Finding("order_by_past", 0, {"order_by": earliest.order_by.isoformat(), "item": earliest.item})
            )
    for site in scenario.sites:
        loud = [
            holding.machine.build
            for holding in result.fleet.holdings
            if site.noise_limit_db is not None
            and (holding.machine.build.noise_db or 0) > site.noise_limit_db
            and holding.hosts.any()
        ]
        for build in loud:
            result.warnings.append(
                Finding(
                    "noise",
                    site.from_month,
                    {"item": build.slug, "noise_db": build.noise_db, "limit": site.noise_limit_db, "site": site.slug},
                )
            )
    unmet_hours = float((allocation.unmet[0] * calendar.hours).sum())
    if unmet_hours > 0:
        result.unmet_cost = _unmet_cost(result, scenario, books, unmet_hours)
        first = int(np.argmax(allocation.unmet[0] > 0))
        result.warnings.append(Finding("unmet", first, {"gpu_hours": unmet_hours, "cost": result.unmet_cost}))


def _remedy(order: UpgradeOrder | None, books: Books) -> dict[str, Any]:
    """What an upgrade adds, costs and takes, for a sentence."""
    if order is None:
        return {"remedy": None}
    price = order.upgrade.price if order.upgrade.price is not None else books.cost(order.upgrade.item)[0]
    return {
        "remedy": order.upgrade.item,
        "remedy_slug": order.upgrade.slug,
        "remedy_price": price * order.upgrade.quantity,
        "remedy_lead_weeks": order.upgrade.lead_weeks,
        "adds_cooling_kw": order.upgrade.adds_cooling_kw,
        "adds_power_kw": order.upgrade.adds_power_kw,
        "order_month": order.ordered,
    }


def _unmet_cost(result: PlanResult, scenario: Scenario, books: Books, hours: float) -> float | None:
    """Unmet work at a penalty on the overflow offer (model.md 3); None where no offer is comparable. Shown, in no total."""
    offer = result.offer or books.median(scenario.demand.workloads[0].accelerator, scenario.market.provider_class)
    if offer is None or offer.price is None:
        return None
    hourly = books.price(offer.slug, offer.price)[0] / offer.count
    monthly = result.allocation.unmet[0] * books.calendar.hours * hourly * books.paths["cloud"]
    cost = scenario.market.unmet_penalty_factor * float(monthly.sum())
    return float(round_half_up(np.asarray(cost), result.decimals)) / 10.0**result.decimals


def _stale_prices(scenario: Scenario, plans: list[PlanResult]) -> list[Finding]:
    """Prices older than the limit: taken flat to the start, and said so."""
    oldest = scenario.pricing_date - dt.timedelta(days=scenario.market.stale_after_days)
    seen: dict[str, Finding] = {}
    for result in plans:
        for line in result.lines:
            dated = line.source.dated
            if line.category == "capex.accelerators_and_servers" and dated is not None and dated < oldest:
                seen.setdefault(
                    line.item, Finding("stale_price", None, {"item": line.item, "dated": dated.isoformat()})
                )
    return list(seen.values())


def _whole(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value


# Kept here so that a reader of the result sees which switches cannot be turned on yet.
__all__ = ["ENGINE_VERSION", "NOT_COMPUTED", "Evaluation", "Finding", "Order", "PlanResult", "evaluate"]

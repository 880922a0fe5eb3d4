"""What an evaluation holds: plans with their lines, orders, findings, and the figures that are sums over lines."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from planner.engine.allocation import Allocation
from planner.engine.calendar import Array, Calendar
from planner.engine.costs.basis import PlanCosts
from planner.engine.costs.credits import remaining_service
from planner.engine.costs.tax import AfterTax, Capitalised
from planner.engine.demand import Requirement
from planner.engine.fleet import Fleet
from planner.engine.housing import Housing, pue_of
from planner.engine.inputs import MAX_MONTHS, Plan, Scenario
from planner.engine.lines import AFTER_TAX, CATEGORIES, Line, at_horizon, round_half_up
from planner.engine.prices import CloudOffer, PriceBook, Source
from planner.engine.repairs import Repairs
from planner.engine.wiring import Network

# A plan with such a reason cannot be priced and has no totals.
# `out_of_bounds`: more cards than slots, or a fabric of more nodes than any tree of its switches joins.
UNPRICED = frozenset(
    {
        "no_quote",
        "no_offer",
        "no_rate",
        "not_in_catalog",
        "no_fabric_ports",
        "no_cable",
        "unknown_power",
        "power_not_rising",
        "out_of_bounds",
    }
)


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
    kind: str  # server · chassis · card · card_extra · spare_(server · chassis · card) · switch · link · upgrade
    quantity: float
    unit_price: float
    currency: str
    source: Source
    line: str = ""  # key of the cost line it is a part of
    minor: int = 0  # its share of the line's rounded cell, in minor units
    tender_days: int = 0  # of tender or approval, before the lead time of delivery

    def as_dict(self) -> dict[str, Any]:
        return {
            "order_by": self.order_by.isoformat(),
            "month": self.month,
            "in_service": self.in_service,
            "item": self.item,
            "kind": self.kind,
            "quantity": whole(self.quantity),
            "unit_price": round(self.unit_price, 6),
            "currency": self.currency,
            "source": self.source.model_dump(mode="json"),
        }


@dataclass
class PlanResult:
    """What one plan needs, costs and fails at. Arrays (S, M)."""

    plan: Plan
    calendar: Calendar
    discount: Array  # (M,), of purchases and credits
    running_discount: Array  # (M,), of running costs
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
    stranded: dict[str, Array] = field(default_factory=dict)  # GPUs that complete no replica, by build slug
    repairs: dict[str, Repairs] = field(default_factory=dict)  # by build slug; empty where failures are not counted
    costs: PlanCosts | None = None  # what the lines are made of; None where it could not be found out
    taxes: AfterTax | None = None
    tender_days: Array = field(default_factory=lambda: np.zeros(MAX_MONTHS))  # (M,), by the month of an order [d]
    reference: dict[str, Requirement] = field(default_factory=dict)  # by workload, in GPUs of its own reference

    @property
    def slug(self) -> str:
        return self.plan.slug

    @property
    def feasible(self) -> bool:
        return not self.infeasible

    @property
    def priced(self) -> bool:
        """False where an item has no quote: the plan then has no totals."""
        return not any(reason.code in UNPRICED for reason in self.infeasible)

    @cached_property
    def present_value(self) -> float:
        """Sum of the rounded present values of the lines. [money]"""
        return self.money(line.present_value(self.discount_of(line)) for line in self.lines)

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
            groups[line.category].append(line.present_value(self.discount_of(line)))
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
        return self._cumulative(line for line in self.lines if not at_horizon(line))

    @cached_property
    def value_at_horizon(self) -> float:
        """Present value of what counts at the horizon: residual value and the tax on it; negative, a credit. [money]"""
        return self.money(line.present_value(self.discount_of(line)) for line in self.lines if at_horizon(line))

    @cached_property
    def present_value_without_residual(self) -> float:
        """Where machines are worth nothing at the horizon. [money]"""
        return self.money([self.present_value, -self.value_at_horizon])

    @cached_property
    def present_value_with_remaining_service(self) -> float:
        """Where machines count at the horizon as the share of their price for which they can still serve. [money]

        Tax on that value is as on a sale at it.
        """
        if self.costs is None:
            return self.present_value_without_residual
        worth = remaining_service(self.costs)
        if self.taxes is not None and self.taxes.basis is not None and self.taxes.rate is not None:
            worth -= float(self.taxes.rate[0, -1] * (worth - self.taxes.basis.left[0, -1]))
        scale = 10.0**self.decimals
        credit = float(round_half_up(np.asarray(-worth * self.discount[-1]), self.decimals)) / scale
        return self.money([self.present_value_without_residual, credit])

    @cached_property
    def book_value(self) -> Array:
        """(M,): what the books show at each month's end: price less straight line by the day over the book life."""
        if self.costs is None:
            return np.zeros(self.calendar.months)
        life = self.costs.scenario.finance.book_life_months
        return np.asarray(Capitalised(self.costs, "straight_line", life).value[0])

    def _cumulative(self, lines: Iterable[Line]) -> Array:
        cells = sum((line.discounted_minor(self.discount_of(line)) for line in lines), np.zeros(self.calendar.months))
        return np.cumsum(cells / 10.0**self.decimals)

    def discount_of(self, line: Line) -> Array:
        """(M,): the factors a line is discounted by."""
        return self.running_discount if line.kind == "opex" else self.discount

    @cached_property
    def useful_hours(self) -> Array:
        """(M,): reference GPU-hours of work done, owned and rented. [GPU-hour]"""
        return np.asarray((self.allocation.useful_owned + self.allocation.useful_rented)[0] * self.calendar.hours)

    @property
    def cost_per_useful_gpu_hour(self) -> float | None:
        """PV of cost ÷ PV of useful GPU-hours; None where nothing useful is done. [money/GPU-hour]"""
        useful = float((self.useful_hours * self.running_discount).sum())
        return self.present_value / useful if useful > 0 else None

    @property
    def useful_hours_per_kwh(self) -> float | None:
        """Useful GPU-hours of owned machines ÷ the energy of their facility; None where nothing is owned. [1/kWh]"""
        energy = float((self.facility_kw * self.calendar.hours).sum())
        useful = float((self.allocation.useful_owned[0] * self.calendar.hours).sum())
        return useful / energy if energy > 0 else None

    @property
    def served_share(self) -> float:
        """Share of the demanded GPU-hours that is served, over the horizon."""
        asked = float((self.demand[0] * self.calendar.hours).sum())
        unmet = float((self.allocation.unmet[0] * self.calendar.hours).sum())
        return 1.0 if asked <= 0 else 1.0 - unmet / asked

    @cached_property
    def capacity(self) -> Array:
        """(M,): owned GPUs that run, throttling and what waits for repair taken off."""
        cards = sum((holding.cards for holding in self.fleet.holdings), np.zeros((1, self.calendar.months)))
        cards = cards - self.under_repair
        return np.asarray((cards * self.housing.factor)[0])

    @property
    def under_repair(self) -> Array:
        """(S, M): owned GPUs that have failed and found no spare, on average."""
        return np.asarray(
            sum((repairs.under_repair for repairs in self.repairs.values()), np.zeros((1, self.calendar.months)))
        )

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
        pue = np.array([pue_of(site) for site in self.housing.site_of])
        return np.asarray(self.housing.draw[0] * pue)

    def present_value_with(self, provider_class: str) -> float | None:
        """PV with the cloud offer of another class; None where that class has no comparable offer."""
        if provider_class not in self.cloud_by_class:
            return self.present_value if self.plan.overflow is None or self.offer is None else None
        owned = [line for line in self.lines if not line.category.startswith(("opex.cloud", AFTER_TAX))]
        return self.money(
            line.present_value(self.discount_of(line)) for line in [*owned, *self.cloud_by_class[provider_class]]
        )

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
    pinned: PriceBook  # as given; `book` has the scenario's own generations besides

    def plan(self, slug: str) -> PlanResult:
        return next(result for result in self.plans if result.slug == slug)

    def as_dict(self) -> dict[str, Any]:
        """Plain data of the public result (the same for `manage.py evaluate` and `python -m planner.engine`)."""
        from planner.engine.compare import by_lead_time, compare
        from planner.engine.export import as_plain

        return as_plain(self, compare(self), by_lead_time(self))


def whole(value: float) -> float | int:
    return int(value) if float(value).is_integer() else value

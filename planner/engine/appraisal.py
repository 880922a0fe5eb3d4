"""Plans as investments: what one earns against another, level payments, and the verdict at other discount rates."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine import finance
from planner.engine.calendar import Array
from planner.engine.evaluate import evaluate
from planner.engine.growth import driver_path
from planner.engine.inputs import BatchWorkload, ServingWorkload, TrainingWorkload, TuningWorkload, Workload
from planner.engine.needs.case import MEAN_MONTH_HOURS
from planner.engine.result import Evaluation, PlanResult

# catalog/data/defaults.csv, parameter.discount_rate. [1/yr]
PRESETS = {"public": 0.04, "enterprise": 0.08, "startup": 0.17}
# Lives that people argue about (cost method, section 6). [month]
LIVES = (36, 48, 60, 72)
HIGHEST_RATE, STEPS = 1.0, 401
# A flip is known to this. [1/yr]
RATE_TOLERANCE = 1e-5


@dataclass(frozen=True)
class Appraisal:
    """One plan instead of another as an investment, on the nominal cash of all lines.

    plan    : the one of the two that pays more at first.
    irr     : of what it saves later: monthly rates; `irr.annual()` are yearly ones.
    payback : months from the start, None: never; the second at the scenario's discount rate.
    """

    plan: str
    irr: finance.Irr
    payback: float | None
    discounted_payback: float | None


def appraise(one: PlanResult, other: PlanResult) -> Appraisal:
    """What the dearer start of two plans earns: the other's cash less its own, month by month."""
    saved = cash(other) - cash(one)
    first = np.flatnonzero(saved)
    plan = other if first.size and saved[first[0]] > 0 else one
    saved = -saved if plan is other else saved
    return Appraisal(plan.slug, finance.irr(saved), finance.payback(saved), finance.payback(saved, plan.discount))


def cash(plan: PlanResult) -> Array:
    """(M,): nominal money out, less what comes in, of each month; its rounded cells. [money]"""
    return np.asarray(plan.monthly("capex") + plan.monthly("opex") + plan.monthly("credit"))


def level_payment(plan: PlanResult) -> float:
    """The same payment at each month's end that is worth as much as the plan, P·r/(1 − vⁿ). [money/month]"""
    rate = finance.periodic_rate(plan_rate(plan))
    return float(finance.annuity(plan.present_value, rate, plan.calendar.months))


def plan_rate(plan: PlanResult) -> float:
    """The discount rate by which the plan is valued, from its factors. [1/yr]"""
    return float(plan.discount[1] ** -12.0 - 1.0) if plan.calendar.months > 1 else 0.0


@dataclass(frozen=True)
class UnitCost:
    """What a unit of one workload costs: PV of cost ÷ PV of units, by its share of the useful GPU-hours.

    hours : of work, in GPUs of its reference, (M,). [GPU-hour]
    units : made in each month, (M,).
    """

    workload: str
    unit: str  # 1e6 token · 1e6 item · run
    cost: float
    hours: Array
    units: Array


def unit_costs(evaluation: Evaluation, plan: PlanResult) -> list[UnitCost]:
    """Levelised cost per million tokens or items, or per run, of the work that has such units; none without a total."""
    hourly = plan.cost_per_useful_gpu_hour if plan.priced else None
    found = []
    for work in evaluation.scenario.demand.workloads:
        counted = _units(work, plan)
        if counted is None or hourly is None or work.slug not in plan.reference:
            continue
        unit, units = counted
        hours = plan.reference[work.slug].mean[0] * plan.calendar.hours
        each = finance.levelised_cost(hourly * hours, units, plan.running_discount)
        if np.isfinite(each):
            found.append(UnitCost(work.slug, unit, float(each), hours, units))
    return found


def _units(work: Workload, plan: PlanResult) -> tuple[str, Array] | None:
    """(unit, (M,) of them in each month); None for work that is stated in GPUs or operations."""
    months, hours = plan.calendar.months, plan.calendar.hours
    of_mean_month = hours / MEAN_MONTH_HOURS
    match work:
        case ServingWorkload():
            grows = work.driver == "model_size"
            requests = driver_path(work.growth, work.requests_per_day, months)
            daily = np.full(months, work.requests_per_day) if grows else requests
            return "1e6 token", daily * hours / 24.0 * (work.input_tokens + work.output_tokens) / 1e6
        case BatchWorkload(tokens_b_per_month=tokens) if tokens is not None:
            return "1e6 token", driver_path(work.growth, tokens, months) * 1e3 * of_mean_month
        case BatchWorkload():
            return "1e6 item", driver_path(work.growth, work.items_m_per_month, months) * of_mean_month
        case TrainingWorkload() | TuningWorkload():
            level = np.full(months, work.runs_per_month)
            path = driver_path(work.growth, work.runs_per_month, months) if work.driver == "runs" else level
            return "run", path * of_mean_month
    return None


def cost_by_life(evaluation: Evaluation) -> dict[int, dict[str, float | None]]:
    """Cost per useful GPU-hour of each plan if its machines served so many months; None where it has none.

    Contracts longer than that life end with it. The book life is another input and moves no cash.
    """
    return {life: _hourly(_with_life(evaluation, life)) for life in LIVES}


def _with_life(evaluation: Evaluation, months: int) -> Evaluation:
    scenario = evaluation.scenario
    plans = tuple(
        plan.model_copy(
            update={
                "end_of_life": plan.end_of_life.model_copy(update={"life_months": months}),
                "financing": plan.financing.model_copy(update={"term_months": min(plan.financing.term_months, months)}),
            }
        )
        for plan in scenario.plans
    )
    return evaluate(scenario.model_copy(update={"plans": plans}), evaluation.pinned)


def _hourly(evaluation: Evaluation) -> dict[str, float | None]:
    return {plan.slug: plan.cost_per_useful_gpu_hour if plan.priced else None for plan in evaluation.plans}


@dataclass(frozen=True)
class RateFlip:
    """At a discount rate the cheapest feasible plan changes, from `before` below it to `after` above."""

    rate: float
    before: str
    after: str


@dataclass(frozen=True)
class ByRate:
    """The cheapest feasible plan at each preset, and the nearest rates at which it changes; None: up to 1 at none."""

    presets: dict[str, str]
    below: RateFlip | None
    above: RateFlip | None


def by_discount_rate(evaluation: Evaluation) -> ByRate | None:
    """The verdict at other discount rates; None where no plan is feasible. Contracts keep their own rates."""
    plans = [plan for plan in sorted(evaluation.plans, key=lambda plan: plan.slug) if plan.feasible]
    if not plans:
        return None
    values = _Values(evaluation, plans)
    now = evaluation.scenario.finance.discount_rate
    grid = np.union1d(np.linspace(0.0, HIGHEST_RATE, STEPS), [now])
    cheapest = values.cheapest(grid)
    place = int(np.searchsorted(grid, now))
    changes = np.flatnonzero(cheapest[1:] != cheapest[:-1])
    below, above = changes[changes < place], changes[changes >= place]
    return ByRate(
        {name: plans[int(values.cheapest(np.array([rate]))[0])].slug for name, rate in PRESETS.items()},
        values.flip(grid, int(below[-1])) if below.size else None,
        values.flip(grid, int(above[0])) if above.size else None,
    )


class _Values:
    """Present values of plans at any rate, on their rounded monthly cells."""

    def __init__(self, evaluation: Evaluation, plans: list[PlanResult]) -> None:
        self.slugs = [plan.slug for plan in plans]
        calendar = evaluation.calendar
        shift = 0.5 / 12.0 if evaluation.scenario.finance.running_costs_mid_month else 0.0
        self.at_once = np.array([plan.monthly("capex") + plan.monthly("credit") for plan in plans])
        self.running = np.array([plan.monthly("opex") for plan in plans])
        self.years, self.later = calendar.years, calendar.years + shift

    def cheapest(self, rates: Array) -> Array:
        """(R,): position of the cheapest plan at each rate; of equals the first by name."""
        base = 1.0 + np.asarray(rates)[:, None]
        return np.asarray((base**-self.years @ self.at_once.T + base**-self.later @ self.running.T).argmin(axis=1))

    def flip(self, grid: Array, k: int) -> RateFlip:
        """Where the cheapest plan changes between two rates of the grid."""
        low, high = float(grid[k]), float(grid[k + 1])
        before = int(self.cheapest(np.array([low]))[0])
        while high - low > RATE_TOLERANCE:
            middle = (low + high) / 2.0
            if int(self.cheapest(np.array([middle]))[0]) == before:
                low = middle
            else:
                high = middle
        after = int(self.cheapest(np.array([high]))[0])
        return RateFlip((low + high) / 2.0, self.slugs[before], self.slugs[after])

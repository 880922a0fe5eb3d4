"""Money that may be spent in a fiscal year (model.md 7): which plan passes it, in which year and month, by how much."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.inputs import Scenario, YearlyBudget
from planner.engine.result import Finding, PlanResult


def spending(result: PlanResult, covers: str) -> Array:
    """What a plan pays in each month, (M,): capex alone, or with opex; what it gets back is no budget. [currency]

    The cells are rounded as the statements show them.
    """
    kinds = ("capex",) if covers == "capex" else ("capex", "opex")
    return np.asarray(sum((result.monthly(kind) for kind in kinds), np.zeros(result.calendar.months)))


def judge_budget(result: PlanResult, scenario: Scenario) -> None:
    """The first fiscal year in which a plan spends more than is there: a hard budget rules it out, a soft one warns."""
    budget = scenario.finance.budget
    if not budget.per_year or not result.priced:
        return
    paid = spending(result, budget.covers)
    years = result.calendar.fiscal_years(scenario.finance.fiscal_year_start_month)
    half_a_unit = 0.5 * 10.0**-result.decimals
    for index, (label, part, _partial) in enumerate(years):
        allowed, spent = allowance(budget, index), float(paid[part].sum())
        if spent <= allowed + half_a_unit:
            continue
        month = part.start + int(np.argmax(np.cumsum(paid[part]) > allowed + half_a_unit))
        hard = budget.rule == "hard"
        facts = {"fiscal_year": label, "spent": spent, "allowed": allowed, "covers": budget.covers, "hard": hard}
        (result.infeasible if hard else result.warnings).append(Finding("money_budget", month, facts))
        return


def allowance(budget: YearlyBudget, year: int) -> float:
    """What may be spent in a fiscal year of the horizon, counted from 0; the last amount holds for later years."""
    return budget.per_year[min(year, len(budget.per_year) - 1)]

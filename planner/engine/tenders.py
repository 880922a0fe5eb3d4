"""Orders at or above a threshold go out to tender, which lengthens their lead time.

Whether a year's orders reach the threshold depends on when they are placed, and that on the weeks of a tender: the
plan is computed again with the years that reached it, until the same years do.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array
from planner.engine.costs.books import Books
from planner.engine.inputs import Scenario
from planner.engine.prices import Price, PriceBook
from planner.engine.result import Finding, PlanResult

DAYS_PER_WEEK = 7.0
# Goods that a tender for computing covers; circuits and cooling are building work.
TENDERED = ("capex.accelerators_and_servers", "capex.spares", "capex.fabric")
# (buyer, country) → whose rules hold. A university is no central authority; a company sets its own.
RULES = {
    ("university", "CN"): "cn",
    ("state_funded", "CN"): "cn",
    ("university", "DE"): "eu_other",
    ("state_funded", "DE"): "eu_central",
    ("university", "UK"): "uk_other",
    ("state_funded", "UK"): "uk_central",
    ("university", "US"): "us_federal",
    ("state_funded", "US"): "us_federal",
    ("university", "IN"): "in",
    ("state_funded", "IN"): "in",
}
COMPANY = "company"  # rules without a threshold: what a company does not state, it does not have


def rules_of(scenario: Scenario) -> str:
    """Whose rules hold."""
    named = scenario.procurement.rules
    return RULES.get((scenario.finance.buyer, scenario.operations.region), COMPANY) if named == "by_buyer" else named


def threshold_row(scenario: Scenario) -> str | None:
    """The catalog's row of the threshold; None where the rules have none."""
    rules = rules_of(scenario)
    return None if rules == COMPANY else f"tender-{rules.replace('_', '-')}-threshold"


def weeks_row(scenario: Scenario) -> str:
    """The catalog's row of the weeks that a tender takes."""
    return f"tender-{rules_of(scenario).replace('_', '-')}-weeks"


def procurement_rows(scenario: Scenario) -> frozenset[str]:
    """Rows that tenders ask for, where they are counted."""
    if not scenario.procurement.counted:
        return frozenset()
    threshold = threshold_row(scenario)
    return frozenset({weeks_row(scenario)} | ({threshold} if threshold else set()))


@dataclass(frozen=True)
class Tender:
    """The rules as figures; a threshold of None is never reached."""

    rules: str
    threshold: float | None  # [money]
    quoted: Price | None  # the threshold as its rules state it; None where it is the planner's own
    weeks: float
    weeks_below: float
    together: bool  # whether the orders of a budget year count together

    def days(self, marked: npt.NDArray[np.bool_]) -> Array:
        """(M,): days before delivery begins to count, by the month of an order. [d]"""
        return np.where(marked, self.weeks, self.weeks_below) * DAYS_PER_WEEK


def tender_of(scenario: Scenario, books: Books, lead_case: int = 1) -> Tender | None:
    """The tender rules of a scenario; None where none are counted.

    lead_case : 0, 1, 2 for the low, likely or high weeks of the catalog.
    Raises MissingRate where the threshold's currency has no rate, NoQuote where the catalog has no such row.
    """
    asked = scenario.procurement
    if not asked.counted:
        return None
    row, threshold, quoted = threshold_row(scenario), asked.threshold, None
    if threshold is None and row is not None:
        threshold, quoted = books.cost(row)[0], books.book.cost(row).price
    weeks = asked.tender_weeks
    if weeks is None:
        figures = books.book.cost(weeks_row(scenario))
        weeks = (figures.low, figures.likely, figures.high)[lead_case]
    return Tender(rules_of(scenario), threshold, quoted, weeks, asked.weeks_below, asked.together == "budget_year")


def weeks_vary(scenario: Scenario, book: PriceBook) -> bool:
    """Whether low, likely and high weeks of a tender differ."""
    if not scenario.procurement.counted or scenario.procurement.tender_weeks is not None:
        return False
    row = book.cost(weeks_row(scenario))
    return row.low < row.high


def tendered(books: Books, tender: Tender, compute: Callable[[Array], PlanResult]) -> PlanResult:
    """A plan with its tenders.

    compute : days that are added to the lead time, by the month of an order, → the plan.
    Where no choice of years agrees with itself, every year that reached the threshold on the way is put out to tender.
    """
    groups = _groups(books, tender)

    def with_tenders(of: frozenset[int]) -> tuple[PlanResult, list[float]]:
        result = compute(tender.days(_months(groups, of, books.calendar.months)))
        months = by_month(result)
        return result, [float(months[span].sum()) for _label, span in groups]

    seen = [frozenset[int]()]
    while True:
        chosen = seen[-1]
        result, sums = with_tenders(chosen)
        reached = frozenset(place for place, total in enumerate(sums) if _reaches(total, tender))
        if reached == chosen:
            break
        if reached in seen:
            chosen = frozenset[int]().union(*seen)
            result, sums = with_tenders(chosen)
            break
        seen.append(reached)
    for place in sorted(chosen):
        found = _finding(result, tender, groups[place], sums[place])
        if found is not None:
            result.warnings.append(found)
    return result


def _groups(books: Books, tender: Tender) -> list[tuple[str, slice]]:
    """(name, months) of what is held against the threshold together."""
    calendar = books.calendar
    if tender.together:
        years = calendar.fiscal_years(books.scenario.finance.fiscal_year_start_month)
        return [(label, months) for label, months, _partial in years]
    return [(label, slice(m, m + 1)) for m, label in enumerate(calendar.labels)]


def _months(groups: list[tuple[str, slice]], chosen: frozenset[int], months: int) -> npt.NDArray[np.bool_]:
    marked = np.zeros(months, dtype=bool)
    for place in chosen:
        marked[groups[place][1]] = True
    return marked


def by_month(result: PlanResult) -> Array:
    """(M,): what the orders of each month come to that a tender covers. [money]"""
    categories = {line.key: line.category for line in result.lines}
    total = np.zeros(result.calendar.months)
    for order in result.orders:
        if categories[order.line] in TENDERED:
            total[order.month] += order.minor
    return total / 10.0**result.decimals


def _reaches(total: float, tender: Tender) -> bool:
    return tender.threshold is not None and total > 0.0 and total >= tender.threshold


def _finding(result: PlanResult, tender: Tender, group: tuple[str, slice], total: float) -> Finding | None:
    """What the tender of a year means, from its first order on; None where none is left in it."""
    label, span = group
    categories = {line.key: line.category for line in result.lines}
    orders = [
        order for order in result.orders if span.start <= order.month < span.stop and categories[order.line] in TENDERED
    ]
    if not orders or tender.threshold is None:
        return None
    first = min(orders, key=lambda order: order.order_by)
    facts: dict[str, Any] = {
        "amount": total,
        "threshold": tender.threshold,
        "year": label,
        "weeks": tender.weeks,
        "order_by": first.order_by.isoformat(),
        "rules": "own" if tender.quoted is None else tender.rules,
    }
    if tender.quoted is not None and tender.quoted.currency != result.currency:
        dated = tender.quoted.source.rate_dated
        facts |= {"quoted": tender.quoted.amount, "quoted_currency": tender.quoted.currency, "rate_dated": dated}
    if not tender.together:
        code = "tender_order"
    elif total < tender.threshold:
        code = "tender_swings"
    else:
        code = "tender" if by_month(result)[span].max() >= tender.threshold else "tender_together"
    return Finding(code, first.month, facts)

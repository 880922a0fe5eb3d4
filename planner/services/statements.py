"""A plan's statements: by fiscal year and by month, in nominal money or in money of the start."""

from __future__ import annotations

from dataclasses import dataclass

from planner.engine.result import Evaluation
from planner.engine.statements import Statement, months, statement, years


@dataclass(frozen=True)
class Statements:
    """The same cells twice: their sums agree to the minor unit."""

    annual: Statement
    monthly: Statement
    real: bool


def statements(evaluation: Evaluation, slug: str, *, real: bool = False) -> Statements:
    """Raises KeyError for an unknown plan, and for one without totals."""
    plan = next((plan for plan in evaluation.plans if plan.slug == slug and plan.priced), None)
    if plan is None:
        raise KeyError(slug)
    inflation = evaluation.scenario.finance.inflation_per_year if real else None
    monthly = statement(plan, months(evaluation), inflation=inflation)
    return Statements(statement(plan, years(evaluation), inflation=inflation), monthly, real)

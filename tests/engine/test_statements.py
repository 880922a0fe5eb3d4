"""Statements: the cells of a plan by fiscal year and month, in the same whole cents everywhere."""

import numpy as np
import pytest

from planner.engine.statements import months, statement, years
from tests.engine.sample import evaluated, plan, pool

CHANGES = {
    "months": 30,
    "work": pool(6.3, 0.03),
    "finance": {"discount_rate": 0.083, "residual_at_horizon": True, "fiscal_year_start_month": 4,
                "book_life_months": 36, "after_tax": True, "profit_tax_rate": 0.25},
}  # fmt: skip


@pytest.fixture(scope="module")
def evaluation():
    financed = plan("lent", financing={"kind": "loan", "rate_per_year": 0.07, "term_months": 48})
    return evaluated(plan("owned", follow_up={"kind": "servers"}), financed, **CHANGES)


def test_years_months_lines_and_totals_are_the_same_to_the_cent(evaluation):
    for result in evaluation.plans:
        by_year, by_month = statement(result, years(evaluation)), statement(result, months(evaluation))
        assert by_year.net.sum() == by_month.net.sum() == round(result.nominal_total * 100)
        assert by_year.present_value.sum() == by_month.present_value.sum() == round(result.present_value * 100)
        for kind in ("capex", "opex", "credit"):
            assert by_year.kind(kind).sum() == round(result.total(kind) * 100)
        for name, cells in by_year.categories.items():
            lines = [line.minor.sum() for line in result.lines if line.category == name]
            assert cells.sum() == sum(lines) == by_month.categories[name].sum()


def test_the_first_and_the_last_fiscal_year_are_partial(evaluation):
    # January 2027 to June 2029, years from April
    found = [(period.label, period.partial, period.months.stop - period.months.start) for period in years(evaluation)]
    assert found == [("2027", True, 3), ("2028", False, 12), ("2029", False, 12), ("2030", True, 3)]


def test_book_value_stands_at_each_end(evaluation):
    result = evaluation.plan("owned")
    found = statement(result, years(evaluation))
    assert found.book_value.tolist() == np.floor(result.book_value[[2, 14, 26, 29]] * 100 + 0.5).tolist()


def test_money_of_the_start_divides_by_inflation(evaluation):
    result = evaluation.plan("lent")
    nominal, real = (statement(result, months(evaluation), inflation=rate) for rate in (None, 0.03))
    assert real.net[12] == pytest.approx(nominal.net[12] / 1.03, abs=len(result.lines))
    assert real.net[0] == nominal.net[0]
    assert real.present_value.tolist() == nominal.present_value.tolist()

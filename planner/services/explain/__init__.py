"""Why a figure is what it is: a tree from the figure down to cost lines, months, assumptions and quotes.

A node is a plain dict: {"key", "label", "value", "value_text", "unit", "formula_text", "combine", "expression",
"inputs", "children", "related", "months", "columns", "source", "drivers"}. `combine` says how the children make the
value: "sum" (to the cent where it is money), "quotient", "least" (of those that are known), "rate" (the yearly rate at
which the months of the child are worth 0 in month 0), "payback" (the month, a fraction, from which the running sum of
the child's months stays above 0), or "" (they are its parts in words).
`expression`, where there is one, is arithmetic over `inputs` and the keys of the children. `months` are the cells of a
line, zero ones left out; they too add up to the value: each amount is the product of its `terms`, rounded half up to
the `decimals` of the root, and its value is that × discount. `related` stands beside the value and makes no part of
it; `source.price` has the price behind a line as it was quoted, with its record, its exchange rate and the day of
that. So a script recomputes each figure from nothing else.
"""

import datetime as dt
from collections.abc import Callable
from functools import partial

from planner.engine import ENGINE_VERSION
from planner.engine.compare import Comparison
from planner.engine.lines import CATEGORIES
from planner.engine.result import Evaluation
from planner.engine.trust import PARTS
from planner.services.explain import bought, carbon, investment, room, totals, trust, use, versus, work
from planner.services.explain.nodes import Node, Subject, walk

__all__ = ["KPIS", "Node", "tree", "walk"]

BUILDERS: dict[str, Callable[[Subject], Node]] = {
    "present_value": totals.present_value,
    "nominal_total": totals.nominal_total,
    "capex": totals.capex,
    "opex": totals.opex,
    "credits": totals.credits,
    "cost_per_useful_gpu_hour": totals.cost_per_useful_gpu_hour,
    "unit_cost": investment.unit_cost,
    "work_per_kwh": totals.work_per_kwh,
    "hours_per_capex": bought.hours_per_capex,
    "hours_per_payment": bought.hours_per_payment,
    "peak_kw": room.peak_kw,
    "racks": room.racks,
    "break_even": versus.break_even,
    "served_share": work.served_share,
    "margin": versus.margin,
    "level_payment": investment.level_payment,
    "irr": investment.irr,
    "payback": investment.payback,
    "discounted_payback": investment.discounted_payback,
    "unmet_cost": work.unmet_cost,
    "capacity": work.capacity,
    "orders": totals.orders,
    "break_even_use": use.break_even_use,
    "carbon": carbon.carbon,
    "carbon_use": carbon.carbon_use,
    "carbon_embodied": carbon.carbon_embodied,
    "trust": trust.trust,
    **{f"trust_{part}": partial(trust.part, code=part) for part in PARTS},
}
KPIS = tuple(BUILDERS)
# Sums over lines, of which a category or some months can be explained alone.
SUMS = frozenset({"present_value", "nominal_total", "capex", "opex", "credits"})


def tree(
    evaluation: Evaluation,
    comparison: Comparison,
    plan_slug: str,
    kpi: str,
    today: dt.date | None = None,
    *,
    against: str = "",
    category: str = "",
    months: tuple[int, int] | None = None,
) -> Node:
    """The tree of one figure of one plan; raises KeyError where a name is unknown.

    today   : the day on which a quote must hold to count as valid, where it is later than the pricing date.
    against : the plan to compare with, of figures that compare; "" is the one that the verdict names.
    category : of the lines of a sum of money; "" is all.
    months  : the first and the last of a sum of money, None is all; raises KeyError where they lie outside.
    """
    if ((category or months) and kpi not in SUMS) or (category and category not in CATEGORIES):
        raise KeyError(kpi, category)
    if months is not None and not 0 <= months[0] <= months[1] < evaluation.calendar.months:
        raise KeyError(months)
    window = None if months is None else slice(months[0], months[1] + 1)
    plans = {plan.slug: plan for plan in evaluation.plans}
    day = max(today or evaluation.scenario.pricing_date, evaluation.scenario.pricing_date)
    other = plans[against] if against else None
    root = BUILDERS[kpi](Subject(evaluation, comparison, plans[plan_slug], day, other, category, window))
    return {
        **root,
        "engine_version": ENGINE_VERSION,
        "plan": plan_slug,
        "kpi": kpi,
        "currency": evaluation.scenario.currency,
        "decimals": evaluation.plan(plan_slug).decimals,
        "pricing_date": evaluation.scenario.pricing_date.isoformat(),
        "prices_sha256": evaluation.pinned.sha256(),
    }

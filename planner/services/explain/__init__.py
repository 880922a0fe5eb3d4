"""Why a figure is what it is: a tree from the figure down to cost lines, months, assumptions and quotes.

A node is a plain dict: {"key", "label", "value", "value_text", "unit", "formula_text", "combine", "expression",
"inputs", "children", "related", "months", "source", "drivers"}. `combine` says how the children make the value: "sum"
(to the cent where it is money), "quotient", "least" (of those that are known), or "" (they are its parts in words).
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
from planner.engine.result import Evaluation
from planner.engine.trust import PARTS
from planner.services.explain import bought, carbon, room, totals, trust, use, versus, work
from planner.services.explain.nodes import Node, Subject, walk

__all__ = ["KPIS", "Node", "tree", "walk"]

BUILDERS: dict[str, Callable[[Subject], Node]] = {
    "present_value": totals.present_value,
    "nominal_total": totals.nominal_total,
    "capex": totals.capex,
    "opex": totals.opex,
    "credits": totals.credits,
    "cost_per_useful_gpu_hour": totals.cost_per_useful_gpu_hour,
    "work_per_kwh": totals.work_per_kwh,
    "hours_per_capex": bought.hours_per_capex,
    "hours_per_payment": bought.hours_per_payment,
    "peak_kw": room.peak_kw,
    "racks": room.racks,
    "break_even": versus.break_even,
    "served_share": work.served_share,
    "margin": versus.margin,
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


def tree(
    evaluation: Evaluation, comparison: Comparison, plan_slug: str, kpi: str, today: dt.date | None = None
) -> Node:
    """The tree of one figure of one plan; raises KeyError where either is unknown.

    today : the day on which a quote must hold to count as valid, where it is later than the pricing date.
    """
    if plan_slug not in {plan.slug for plan in evaluation.plans}:
        raise KeyError(plan_slug)
    day = max(today or evaluation.scenario.pricing_date, evaluation.scenario.pricing_date)
    root = BUILDERS[kpi](Subject(evaluation, comparison, evaluation.plan(plan_slug), day))
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

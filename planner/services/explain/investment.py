"""A plan as an investment: its level payment, and what the dearer start of two plans earns, from the cash of both."""

from collections.abc import Callable
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine import appraisal, finance
from planner.engine.appraisal import Appraisal, UnitCost
from planner.engine.calendar import Array
from planner.engine.result import PlanResult
from planner.services.explain.lines import categories
from planner.services.explain.nodes import Node, Subject, make_node
from planner.services.explain.totals import cost_per_useful_gpu_hour, present_value
from planner.services.explain.versus import rival


def level_payment(subject: Subject) -> Node:
    """P · r / (1 − vⁿ), or P / n at a rate of 0."""
    plan = subject.plan
    if not plan.priced:
        return subject.money("level_payment", gettext("Level payment a month"), None)
    rate = float(finance.periodic_rate(appraisal.plan_rate(plan)))
    flat = rate < finance.RATE_IS_ZERO
    inputs = {"rate": rate, "months": float(plan.calendar.months), "factor": (1.0 + rate) ** -plan.calendar.months}
    return subject.money(
        "level_payment",
        gettext("Level payment a month"),
        appraisal.level_payment(plan),
        formula=gettext("present value ÷ months")
        if flat
        else gettext("present value × {rate} ÷ (1 − (1 + {rate})^(−{months})), paid at each month's end").format(
            rate=wording.exact_percent(rate), months=wording.number(plan.calendar.months)
        ),
        expression="present_value / months" if flat else "present_value * rate / (1 - factor)",
        inputs=inputs,
        children=[present_value(subject)],
        drivers=subject.drivers(("finance/discount_rate", "months")),
    )


def unit_cost(subject: Subject) -> Node:
    """What a million tokens or items, or a run, costs; one part a workload that is counted so."""
    found = appraisal.unit_costs(subject.evaluation, subject.plan)
    parts = [_unit_cost(subject, each) for each in found]
    said = gettext("; ").join(f"{part['label']} {part['value_text']}" for part in parts)
    return make_node(
        "unit_cost",
        gettext("Cost of a unit of work"),
        parts[0]["value"] if len(parts) == 1 else None,
        said or gettext("not known"),
        unit=subject.currency,
        combine="sum" if len(parts) == 1 else "",
        children=parts,
        formula=gettext("cost per useful GPU-hour × useful GPU-hours of the work ÷ units of work, both discounted"),
    )


def _unit_cost(subject: Subject, found: UnitCost) -> Node:
    factors = subject.plan.running_discount
    return make_node(
        found.workload,
        wording.unit_of_work(subject.scenario, found.workload, found.unit),
        found.cost,
        wording.unit_price(found.cost, subject.currency),
        unit=subject.currency,
        expression="cost_per_useful_gpu_hour * hours / units",
        children=[
            cost_per_useful_gpu_hour(subject),
            subject.figure(
                "hours", gettext("Useful GPU-hours, discounted"), float((found.hours * factors).sum()), "GPU-hour"
            ),
            subject.figure("units", gettext("Units of work, discounted"), float((found.units * factors).sum())),
        ],
    )


def irr(subject: Subject) -> Node:
    """Every yearly rate at which what is saved later is worth today what is paid more at first."""
    label = gettext("Earns a year")
    found = _appraised(subject)
    if found is None:
        return _alone("irr", label)
    formula = gettext("the rate at which Σ saved ÷ (1 + rate)^(m/12) is 0; sign changes of the cash: {count}").format(
        count=wording.number(found.irr.sign_changes)
    )
    series = _saved(subject, found, _running)
    rates = found.irr.annual()
    if found.irr.state == "one":
        return _rate("irr", label, rates[0], formula, series)
    return make_node(
        "irr",
        label,
        None,
        wording.earned(found.irr),
        unit=wording.unit("share/year"),
        formula=formula,
        children=[_rate(f"irr:{n}", label, rate, "", series) for n, rate in enumerate(rates)] or [series],
    )


def _rate(key: str, label: str, rate: float, formula: str, series: Node) -> Node:
    return make_node(
        key,
        label,
        rate,
        wording.percent(rate),
        unit=wording.unit("share/year"),
        formula=formula,
        combine="rate",
        children=[series],
    )


def payback(subject: Subject) -> Node:
    found = _appraised(subject)
    months = None if found is None else found.payback
    return _payback(subject, "payback", gettext("Paid back after"), found, months, _running)


def discounted_payback(subject: Subject) -> Node:
    found = _appraised(subject)
    months = None if found is None else found.discounted_payback
    return _payback(subject, "discounted_payback", gettext("Paid back after, discounted"), found, months, _discounted)


Columns = Callable[[Subject, Array, Array], tuple[str, list[dict[str, Any]]]]


def _payback(
    subject: Subject, key: str, label: str, found: Appraisal | None, months: float | None, columns: Columns
) -> Node:
    if found is None:
        return _alone(key, label)
    return make_node(
        key,
        label,
        months,
        wording.payback(months),
        unit=wording.unit("month"),
        formula=gettext("the month from which the running sum stays above 0, in between on a straight line"),
        combine="payback",
        children=[_saved(subject, found, columns)],
        drivers=subject.drivers(("finance/discount_rate",)) if columns is _discounted else (),
    )


def _appraised(subject: Subject) -> Appraisal | None:
    other = rival(subject)
    return appraisal.appraise(subject.plan, other) if other is not None and other.priced else None


def _alone(key: str, label: str) -> Node:
    return make_node(key, label, None, gettext("not known"), formula=gettext("no other plan is ranked"))


def _saved(subject: Subject, found: Appraisal, columns: Columns) -> Node:
    """What the plan with the dearer start saves against the other, month by month, and the lines of both behind it."""
    other = rival(subject)
    assert other is not None  # an appraisal is of two plans
    dearer, cheaper = (subject.plan, other) if found.plan == subject.plan.slug else (other, subject.plan)
    names = {"dearer": subject.names[dearer.slug], "other": subject.names[cheaper.slug]}
    paid, own = appraisal.cash(cheaper), appraisal.cash(dearer)
    head, cells = columns(subject, paid, own)
    return subject.money(
        "saved",
        gettext("What “{dearer}” saves against “{other}”").format(**names),
        None if not cells else float(sum(cell["value"] for cell in cells)),
        formula=gettext("all that “{other}” pays − all that “{dearer}” pays, month by month").format(**names),
        combine="sum",
        children=[_side(subject, cheaper, 1), _side(subject, dearer, -1)] if columns is _running else (),
        months=cells,
        columns=[names["other"], names["dearer"], gettext("Saved"), head],
    )


def _side(subject: Subject, plan: PlanResult, sign: int) -> Node:
    """All lines of one of the two, not discounted."""
    side = Subject(subject.evaluation, subject.comparison, plan, subject.day)
    return side.money(
        plan.slug,
        gettext("“{plan}”: nominal total").format(plan=side.names[plan.slug]),
        sign * plan.nominal_total,
        combine="sum",
        children=categories(side, discounted=False, sign=sign),
    )


def _running(subject: Subject, paid: Array, own: Array) -> tuple[str, list[dict[str, Any]]]:
    """Months whose values are what is saved, beside their running sum."""
    saved = paid - own
    return gettext("Running sum"), [
        _cell(subject, m, paid, own, float(saved[m]), float(total)) for m, total in enumerate(np.cumsum(saved))
    ]


def _discounted(subject: Subject, paid: Array, own: Array) -> tuple[str, list[dict[str, Any]]]:
    """Months whose values are what is saved × the discount factor, beside their running sum."""
    factors = subject.plan.discount
    worth = (paid - own) * factors
    return gettext("Running sum, discounted"), [
        {**_cell(subject, m, paid, own, float(worth[m]), float(total)), "discount": float(factors[m])}
        for m, total in enumerate(np.cumsum(worth))
    ]


def _cell(subject: Subject, m: int, paid: Array, own: Array, value: float, total: float) -> dict[str, Any]:
    def text(amount: float) -> str:
        return wording.money(amount, subject.currency)

    amount = float(paid[m] - own[m])
    return {
        "month": m,
        "label": subject.month(m),
        "amount": amount,
        "value": value,
        "quantity_text": text(float(paid[m])),
        "unit_price_text": text(float(own[m])),
        "amount_text": text(amount),
        "value_text": text(total),
    }

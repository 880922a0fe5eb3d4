"""Useful GPU-hours for the money: what configurations of a budget are ranked by. Nothing is discounted."""

from django.utils.translation import gettext

from planner import wording
from planner.services.explain.nodes import Node, Subject, make_node
from planner.services.explain.totals import capex, opex


def hours_per_capex(subject: Subject) -> Node:
    """Useful GPU-hours ÷ the purchase."""
    return _per_money(subject, "hours_per_capex", capex(subject), gettext("useful GPU-hours ÷ purchase"))


def hours_per_payment(subject: Subject) -> Node:
    """Useful GPU-hours ÷ all that is paid until the horizon."""
    bought, run = capex(subject), opex(subject)
    priced = subject.plan.priced
    paid = subject.money(
        "paid",
        gettext("Purchase and running costs"),
        subject.plan.money([bought["value"], run["value"]]) if priced else None,
        combine="sum" if priced else "",
        formula=gettext("what a sale brings is not counted on"),
        children=(bought, run) if priced else (),
    )
    return _per_money(subject, "hours_per_payment", paid, gettext("useful GPU-hours ÷ purchase and running costs"))


def _per_money(subject: Subject, key: str, paid: Node, formula: str) -> Node:
    hours = subject.figure(
        "useful_hours",
        gettext("Useful GPU-hours"),
        float(subject.plan.useful_hours.sum()),
        "GPU-hour",
        formula=gettext("GPUs of the reference that are busy × hours of each month"),
    )
    value = hours["value"] / paid["value"] if paid["value"] else None
    unit = gettext("GPU-hours per {currency}").format(currency=subject.currency)
    return make_node(
        key,
        gettext("Useful GPU-hours for the money"),
        value,
        gettext("undefined") if value is None else f"{wording.number(value, digits=4)}\u00a0{unit}",
        unit=unit,
        formula=formula,
        combine="quotient",
        children=[hours, paid],
    )

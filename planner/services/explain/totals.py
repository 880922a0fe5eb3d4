"""Sums of a plan's money, what a useful GPU-hour costs, and the orders."""

from django.utils.translation import gettext

from planner import wording
from planner.engine.tenders import DAYS_PER_WEEK
from planner.services.explain.lines import categories
from planner.services.explain.nodes import Node, Subject, make_node
from planner.services.explain.work import useful_hours


def present_value(subject: Subject) -> Node:
    priced = subject.plan.priced
    children = categories(subject, discounted=True) if priced else []
    return subject.money(
        "present_value",
        subject.named(gettext("Present value")),
        _sum(subject, children, subject.plan.present_value) if priced else None,
        combine="sum",
        formula=gettext("sum of its lines over the months, each amount × discount factor; month 0 is not discounted"),
        children=children,
        drivers=subject.drivers(("finance/discount_rate", "months", "finance/residual_at_horizon")),
    )


def nominal_total(subject: Subject) -> Node:
    return _nominal(subject, "nominal_total", gettext("Nominal total"), None)


def capex(subject: Subject) -> Node:
    return _nominal(subject, "capex", wording.kind("capex"), "capex")


def opex(subject: Subject) -> Node:
    return _nominal(subject, "opex", wording.kind("opex"), "opex")


def credits(subject: Subject) -> Node:
    return _nominal(subject, "credits", wording.kind("credit"), "credit")


def _nominal(subject: Subject, key: str, label: str, kind: str | None) -> Node:
    if not subject.plan.priced:
        return subject.money(key, label, None)
    children = categories(subject, discounted=False, kind=kind)
    whole = subject.plan.nominal_total if kind is None else subject.plan.total(kind)
    return subject.money(
        key,
        subject.named(label),
        _sum(subject, children, whole),
        combine="sum",
        formula=gettext("sum of its lines over the months, not discounted"),
        children=children,
    )


def _sum(subject: Subject, children: list[Node], whole: float) -> float:
    """The whole figure, or the part of it that is explained."""
    return subject.plan.money(child["value"] for child in children) if subject.partial else whole


def cost_per_useful_gpu_hour(subject: Subject) -> Node:
    value = subject.plan.cost_per_useful_gpu_hour if subject.plan.priced else None
    return make_node(
        "cost_per_useful_gpu_hour",
        gettext("Cost per useful GPU-hour"),
        value,
        gettext("undefined") if value is None else wording.money(value, subject.currency),
        unit=wording.unit("money/GPU-hour", subject.currency),
        formula=gettext("present value ÷ discounted useful GPU-hours"),
        combine="quotient",
        children=[present_value(subject), useful_hours(subject)],
    )


def work_per_kwh(subject: Subject) -> Node:
    """Useful GPU-hours of owned machines over the energy of their facility."""
    plan, hours = subject.plan, subject.calendar.hours
    value = plan.useful_hours_per_kwh
    return make_node(
        "work_per_kwh",
        gettext("Work per kWh"),
        value,
        gettext("undefined")
        if value is None
        else gettext("{hours} GPU-hours per kWh").format(hours=wording.number(value, digits=3)),
        formula=gettext("useful GPU-hours on owned GPUs ÷ energy with cooling and losses"),
        combine="quotient",
        children=[
            subject.figure(
                "owned", gettext("On owned GPUs"), float((plan.allocation.useful_owned[0] * hours).sum()), "GPU-hour"
            ),
            subject.figure(
                "energy", gettext("Energy with cooling and losses"), float((plan.facility_kw * hours).sum()), "kWh"
            ),
        ],
    )


def orders(subject: Subject) -> Node:
    """What is ordered, when, at which price."""
    parts = []
    for position, order in enumerate(subject.plan.orders):
        formula = gettext("{quantity} × {price}; order by {order_by}, in service {month}").format(
            quantity=wording.number(order.quantity),
            price=wording.unit_price(order.unit_price, subject.currency),
            order_by=wording.date(order.order_by),
            month=subject.month(order.in_service),
        )
        if order.tender_days:
            weeks = wording.amount(order.tender_days / DAYS_PER_WEEK, "week")
            formula = gettext("{formula}; {weeks} of tender or approval before delivery begins to count").format(
                formula=formula, weeks=weeks
            )
        parts.append(
            subject.money(
                f"{position}:{order.item}",
                wording.line(order, subject.book),
                order.minor / 10.0**subject.plan.decimals,
                formula=formula,
                expression="quantity * unit_price",
                inputs={"quantity": order.quantity, "unit_price": order.unit_price},
                source=subject.source(order.source),
            )
        )
    return subject.money(
        "orders",
        gettext("Orders"),
        subject.plan.money(part["value"] for part in parts),
        combine="sum",
        children=parts,
        formula=gettext("sum of the orders"),
    )

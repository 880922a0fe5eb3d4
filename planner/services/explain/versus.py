"""A plan against the others: when it is the cheaper one, and by how much."""

from django.utils.translation import gettext

from planner import wording
from planner.engine.compare import category_gap
from planner.engine.result import PlanResult
from planner.services.explain.lines import category, lines_by_category
from planner.services.explain.nodes import Node, Subject, cents, make_node


def break_even(subject: Subject) -> Node:
    mine = subject.plan
    parts = [
        _crossing(subject, other)
        for other in subject.evaluation.plans
        if other.slug != mine.slug and other.priced and mine.priced
    ]
    known = [part["value"] for part in parts if part["value"] is not None]
    text = gettext("; ").join(f"{part['label']}{gettext(': ')}{part['value_text']}" for part in parts)
    return make_node(
        "break_even",
        gettext("Break-even"),
        min(known) if known else None,
        text or gettext("not known"),
        unit=wording.unit("month"),
        combine="least",
        children=parts,
        formula=gettext("the month in which the cumulative present values of two plans cross"),
    )


def _crossing(subject: Subject, other: PlanResult) -> Node:
    """Both cumulative costs in the months in which they cross, or in the last one."""
    state = subject.comparison.break_even[subject.plan.slug][other.slug]
    values = [
        subject.money(
            f"{plan.slug}:{m}",
            gettext("{plan}, to {month}").format(plan=subject.names[plan.slug], month=subject.month(m)),
            cents(float(plan.cumulative_without_residual[m]), plan.decimals),
        )
        for m in state.months or (subject.calendar.months - 1,)
        for plan in (subject.plan, other)
    ]
    return make_node(
        other.slug,
        gettext("against “{plan}”").format(plan=subject.names[other.slug]),
        float(state.months[0]) if state.months else None,
        wording.break_even(state, subject.calendar),
        unit=wording.unit("month"),
        children=values,
        formula=gettext("cumulative present value of both, before the value at the horizon"),
    )


def margin(subject: Subject) -> Node:
    """Present value, by category, against the best other plan (the winner's) or the winner (any other plan's)."""
    other = rival(subject)
    if other is None:
        return subject.money("margin", gettext("Margin"), None, formula=gettext("no other plan is ranked"))
    names = {"other": subject.names[other.slug], "plan": subject.names[subject.plan.slug]}
    gap = category_gap(subject.plan, other)
    theirs = Subject(subject.evaluation, subject.comparison, other, subject.day)
    parts = []
    for name, amount in gap.items():
        sides = [
            {**category(side, name, lines, discounted=True, sign=sign), "label": subject.names[side.plan.slug]}
            for side, sign in ((theirs, 1), (subject, -1))
            if (lines := lines_by_category(side).get(name))
        ]
        parts.append(
            subject.money(
                name,
                wording.category(name),
                amount,
                combine="sum",
                children=sides,
                formula=gettext("“{other}” less “{plan}”").format(**names),
            )
        )
    return subject.money(
        "margin",
        gettext("Margin: “{other}” less “{plan}”").format(**names),
        subject.plan.money(gap.values()),
        combine="sum",
        children=parts,
        formula=gettext("difference of the present values, category by category"),
        related=_in_per_cent(subject, other),
    )


def _in_per_cent(subject: Subject, other: PlanResult) -> list[Node]:
    """How much more or less the plan costs, as a share of the other's present value; none where that is not above 0."""
    mine, theirs = subject.plan.present_value, other.present_value
    if theirs <= 0.0:
        return []
    share = mine / theirs - 1.0
    names = {"plan": subject.names[subject.plan.slug], "other": subject.names[other.slug]}
    return [
        make_node(
            "share",
            gettext("“{plan}” against “{other}”").format(**names),
            share,
            wording.percent(share, plus=True),
            unit=wording.unit("share"),
            formula=gettext("present value of “{plan}” ÷ that of “{other}” − 1").format(**names),
            expression="plan / other - 1",
            inputs={"plan": mine, "other": theirs},
        )
    ]


def rival(subject: Subject) -> PlanResult | None:
    """The plan to compare with: as asked, else the best other plan for the winner, the winner for any other plan."""
    if not subject.plan.priced:
        return None
    if subject.against is not None:
        return subject.against if subject.against.priced else None
    decided = subject.comparison.verdict
    slug = decided.runner_up if decided.plan == subject.plan.slug else decided.plan
    return subject.evaluation.plan(slug) if slug else None

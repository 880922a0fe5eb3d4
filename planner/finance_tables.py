"""Plans as investments, and the verdict under other assumptions on money, as rows of formatted cells."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import tables, wording
from planner.engine import appraisal
from planner.engine.appraisal import PRESETS, Appraisal
from planner.engine.compare import Comparison, Verdict, compare
from planner.engine.evaluate import Evaluation, evaluate
from planner.tables import Cell, Table
from planner.wording.findings import sentence_space


def investment(evaluation: Evaluation, comparison: Comparison) -> Table | None:
    """Each plan as a level payment; of it and the best one, what the dearer start earns."""
    if comparison.verdict.plan is None:
        return None
    best, currency, called = (
        evaluation.plan(comparison.verdict.plan),
        evaluation.scenario.currency,
        tables.names(evaluation),
    )
    rows = []
    for plan in tables.ordered(evaluation, comparison):
        if not plan.priced:
            continue
        payment = appraisal.level_payment(plan)
        cells = [
            Cell(wording.money(payment, currency, compact=True), wording.money(payment, currency), "level_payment")
        ]
        cells += [Cell("–")] * 4 if plan is best else _earned(appraisal.appraise(plan, best), called)
        rows.append(
            {
                "slug": plan.slug,
                "name": called[plan.slug],
                "colour": tables.colour(evaluation, plan.slug),
                "cells": cells,
            }
        )
    head = [
        _("Plan"),
        _("Level payment a month"),
        _("Pays more at first than the other"),
        _("Earns on it a year"),
        _("Paid back after"),
        _("Discounted"),
    ]
    return Table(head, rows)


def unit_costs(evaluation: Evaluation, comparison: Comparison) -> Table | None:
    """What a million tokens, a million items or a run costs under each plan."""
    called, currency = tables.names(evaluation), evaluation.scenario.currency
    costs = {plan.slug: appraisal.unit_costs(evaluation, plan) for plan in tables.ordered(evaluation, comparison)}
    shown = next((found for found in costs.values() if found), [])
    if not shown:
        return None
    rows = [
        {
            "slug": slug,
            "name": called[slug],
            "colour": tables.colour(evaluation, slug),
            "cells": [
                Cell(
                    wording.money(each.cost, currency, compact=True),
                    wording.unit_price(each.cost, currency),
                    "unit_cost",
                )
                for each in found
            ],
        }
        for slug, found in costs.items()
        if found
    ]
    heads = [wording.unit_of_work(evaluation.scenario, each.workload, each.unit) for each in shown]
    return Table([_("Plan"), *heads], rows)


def _earned(found: Appraisal, called: dict[str, str]) -> list[Cell]:
    hint = _("from the difference of what both plans pay, month by month")
    return [
        Cell(called[found.plan]),
        Cell(wording.earned(found.irr), hint, "irr"),
        Cell(wording.payback(found.payback), hint, "payback"),
        Cell(wording.payback(found.discounted_payback), hint, "discounted_payback"),
    ]


def verdicts(evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict]) -> list[dict[str, Any]]:
    """One line each: which plan is cheapest if machines are worth something else at the horizon, if they are delivered
    sooner or later, with the clouds of each kind of provider, and at other rates.

    by_lead : the verdict with low and high lead times, where either moves a delivery.
    """
    decided = comparison.verdict.plan
    found: list[tuple[str, str | None]] = [
        (_("Machines worth nothing at the horizon"), comparison.without_residual.plan),
        (_("Machines worth their market price there"), _by_market(evaluation, comparison)),
        (_("Machines worth the service left in them"), comparison.remaining_service.plan),
        (_("Shortest lead times"), by_lead.get("low", comparison.verdict).plan),
        (_("Likely lead times"), decided),
        (_("Longest lead times"), by_lead.get("high", comparison.verdict).plan),
    ]
    lines = [_line(evaluation, label, slug, decided) for label, slug in found]
    if any(plan.offer is not None for plan in evaluation.plans):
        lines += [_of_class(evaluation, comparison, name) for name in comparison.by_class]
    by_rate = appraisal.by_discount_rate(evaluation)
    presets = by_rate.presets if by_rate is not None else {}
    return [*lines, *(_line(evaluation, _discount(name), slug, decided) for name, slug in presets.items())]


def _line(evaluation: Evaluation, label: str, slug: str | None, decided: str | None) -> dict[str, Any]:
    return {
        "label": label,
        "plan": tables.names(evaluation)[slug] if slug else _("no plan"),
        "colour": tables.colour(evaluation, slug) if slug else "",
        "changed": slug != decided,
    }


def _of_class(evaluation: Evaluation, comparison: Comparison, name: str) -> dict[str, Any]:
    """With the clouds of one kind of provider; without a comparable offer nobody knows."""
    label = _("Cloud: {provider}").format(provider=wording.choice("provider_class", name))
    found = comparison.by_class[name]
    if found is None:
        return {"label": label, "plan": _("no comparable offer"), "colour": "", "changed": False}
    return _line(evaluation, label, found.plan, comparison.verdict.plan)


def agreement(lines: list[dict[str, Any]]) -> str:
    """Whether all these verdicts name the same plan, or how many do not."""
    others = sum(line["changed"] for line in lines)
    if not others:
        return _("Each of these leads to the same plan.")
    return ngettext("{count} of these leads to another plan.", "{count} of these lead to another plan.", others).format(
        count=wording.number(others)
    )


def _by_market(evaluation: Evaluation, comparison: Comparison) -> str | None:
    """The verdict with the resale value at the horizon, which a scenario may leave out."""
    scenario = evaluation.scenario
    if scenario.finance.residual_at_horizon:
        return comparison.verdict.plan
    finance = scenario.finance.model_copy(update={"residual_at_horizon": True})
    return compare(evaluate(scenario.model_copy(update={"finance": finance}), evaluation.pinned)).verdict.plan


def _discount(preset: str) -> str:
    words = {
        "public": _("Discount rate of a public body, {rate}"),
        "enterprise": _("Discount rate of an enterprise, {rate}"),
        "startup": _("Discount rate of a start-up, {rate}"),
    }[preset]
    return words.format(rate=wording.percent(PRESETS[preset]))


def remaining_service(evaluation: Evaluation, comparison: Comparison) -> str:
    """Whether counting the service left in the machines leads to another plan."""
    other = comparison.remaining_service.plan
    if other is None or other == comparison.verdict.plan:
        return _("Counting the service left in the machines instead of their resale value, the same plan is cheapest.")
    return _("Counting the service left in the machines instead of their resale value, “{plan}” is cheapest.").format(
        plan=tables.names(evaluation)[other]
    )


def rate_flip(evaluation: Evaluation) -> str:
    """The discount rates next to the one that holds at which another plan becomes the cheapest."""
    found = appraisal.by_discount_rate(evaluation)
    if found is None:
        return ""
    called = tables.names(evaluation)
    sentences = []
    if found.below is not None:
        sentences.append(
            _("Below a discount rate of {rate} “{plan}” is cheapest.").format(
                rate=wording.percent(found.below.rate), plan=called[found.below.before]
            )
        )
    if found.above is not None:
        sentences.append(
            _("Above a discount rate of {rate} “{plan}” is cheapest.").format(
                rate=wording.percent(found.above.rate), plan=called[found.above.after]
            )
        )
    return sentence_space().join(sentences) or _("No discount rate from 0 to 100 % changes the cheapest plan.")

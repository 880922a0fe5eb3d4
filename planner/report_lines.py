"""Cost lines of a report: each opens to its formula, its inputs, and the quote it rests on. Frozen like all of it."""

from __future__ import annotations

import datetime as dt
from typing import Any

from django.utils.translation import gettext as _

from planner import tables, wording
from planner.engine import ENGINE_VERSION
from planner.engine.appraisal import LIVES, cost_by_life
from planner.engine.compare import Comparison
from planner.engine.result import Evaluation, PlanResult
from planner.services import explain

SOURCE = ("badge", "word", "text", "url", "note", "lang", "quoted", "rate", "record")


def cost_lines(evaluation: Evaluation, comparison: Comparison, today: dt.date) -> list[dict[str, Any]]:
    """Every plan with its categories, their lines, and what each line opens to; plans without a price have none."""
    names = tables.names(evaluation)
    return [
        {
            "slug": plan.slug,
            "anchor": anchor(plan),
            "name": names[plan.slug],
            "colour": tables.colour(evaluation, plan.slug),
            "total": wording.money(plan.present_value, plan.currency),
            "engine_version": ENGINE_VERSION,
            "groups": [
                {
                    "anchor": anchor(plan, group["key"]),
                    "name": group["label"],
                    "total": group["value_text"],
                    "lines": [_line(node) for node in group["children"]],
                }
                for group in explain.tree(evaluation, comparison, plan.slug, "present_value", today)["children"]
            ],
        }
        for plan in tables.ordered(evaluation, comparison)
        if plan.priced
    ]


def anchor(plan: PlanResult, category: str = "") -> str:
    """Where the lines of a plan, or those of a category of it, stand on the page; "" where there are none."""
    if not plan.priced or not any(line.category == (category or line.category) for line in plan.lines):
        return ""
    return "-".join(part for part in ("lines", plan.slug, category.replace(".", "-")) if part)


def _line(node: dict[str, Any]) -> dict[str, Any]:
    source = node["source"] or {}
    return {
        "name": node["label"],
        "value": node["value_text"],
        "formula": node["formula_text"],
        "inputs": [{"name": each["label"], "value": each["value_text"]} for each in (*node["related"], *_said(node))],
        "source": {name: source[name] for name in SOURCE if source.get(name)},
    }


def _said(node: dict[str, Any]) -> list[dict[str, str]]:
    return [{"label": driver["label"], "value_text": driver["value_text"]} for driver in node["drivers"]]


def lives(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any] | None:
    """Cost per useful GPU-hour of each plan if its machines served 3, 4, 5 or 6 years; None where nothing is owned."""
    if not any(plan.fleet.holdings for plan in evaluation.plans):
        return None
    found, names = cost_by_life(evaluation), tables.names(evaluation)
    rows = []
    for plan in tables.ordered(evaluation, comparison):
        hourly = [found[months][plan.slug] for months in LIVES]
        cells = [
            {
                "text": "–" if value is None else wording.money(value, plan.currency),
                "exact": "" if value is None else wording.unit_price(value, plan.currency),
            }
            for value in hourly
        ]
        set_to = plan.plan.end_of_life.life_months
        rows.append(
            {
                "name": names[plan.slug],
                "colour": tables.colour(evaluation, plan.slug),
                "cells": cells,
                "set": wording.quantity(set_to, "month", plan.currency) if plan.fleet.holdings else "–",
            }
        )
    return {
        "head": [
            _("Plan"),
            *(_("{years} years").format(years=months // 12) for months in LIVES),
            _("Service life set"),
        ],
        "rows": rows,
    }

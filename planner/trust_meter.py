"""The trust meter: what the present value of the chosen plan rests on, as a bar and its labelled parts."""

from __future__ import annotations

import datetime as dt
from typing import Any

from planner import wording
from planner.engine.compare import Comparison
from planner.engine.result import Evaluation, PlanResult
from planner.engine.trust import EXPIRED, QUOTED, parts_of, percents, shares, weights

GAP = 0.5  # between two parts of the bar, in per cent of its width


def meter(evaluation: Evaluation, comparison: Comparison, today: dt.date) -> dict[str, Any] | None:
    """{"plan", "title", "note", "update", "parts"} of the cheapest plan; None where no plan is possible or it costs
    nothing. `update` asks for new quotes where all of them have ended.

    today : quotes that end before it count as expired, where it is later than the pricing date.
    """
    if comparison.verdict.plan is None:
        return None
    plan, day = evaluation.plan(comparison.verdict.plan), max(today, evaluation.scenario.pricing_date)
    found = {part: share for part, share in shares(plan, day).items() if share > 0}
    if not found:
        return None
    shown, money, parts, x = percents(plan, day), weights(plan, day), [], 0.0
    for part, share in found.items():
        width = 100.0 * share
        parts.append(
            {
                "code": part,
                "name": wording.trust_name(part),
                "help": wording.trust_help(part, day),
                "mark": wording.trust_mark(part),
                "percent": wording.trust_percent(shown[part]),
                "share": share,
                "money": wording.money(money[part], plan.currency, compact=True),
                "exact": wording.money(money[part], plan.currency),
                "x": round(x, 2),
                "width": round(max(width - GAP, 0.3), 2),
                "why": f"trust_{part}",
            }
        )
        x += width
    said = {"title": wording.trust_title(), "note": wording.trust_note(), "update": ""}
    if EXPIRED in found and QUOTED not in found:
        said["update"] = wording.trust_update()
    return {"plan": plan.slug, **said, "parts": parts}


def with_lines(shown: dict[str, Any] | None, evaluation: Evaluation, today: dt.date) -> dict[str, Any] | None:
    """The meter with the lines behind each part, the largest first, for a page that opens no trees."""
    if shown is None:
        return None
    plan, day = evaluation.plan(shown["plan"]), max(today, evaluation.scenario.pricing_date)
    lines = parts_of(plan, day)
    return {
        **shown,
        "parts": [{**part, "lines": _lines(plan, evaluation, lines[part["code"]])} for part in shown["parts"]],
    }


def _lines(plan: PlanResult, evaluation: Evaluation, lines: list[Any]) -> list[dict[str, str]]:
    valued = sorted(
        ((line.present_value(plan.discount_of(line)), line) for line in lines), key=lambda each: -abs(each[0])
    )
    return [
        {
            "name": wording.line(line, evaluation.book),
            "category": wording.category(line.category),
            "text": wording.money(value, plan.currency),
        }
        for value, line in valued
    ]

"""An answer as the words, figures and charts of a report, in the language that is active. Plain data, made once.

The page draws nothing else: what is not listed here does not leave the workspace.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

from django.utils.translation import gettext as _

from catalog.records import Catalog
from planner import charts, finance_tables, forms, report_lines, tables, trust_meter, wording
from planner.engine.compare import Comparison, Verdict, category_gap
from planner.engine.evaluate import Evaluation, Finding, PlanResult
from planner.forms.rows import Row

Shown = dict[str, Any]

CHARTS = ("cumulative", "power", "cash")
KINDS = ("capex", "opex", "credit")


def shown(
    evaluation: Evaluation,
    comparison: Comparison,
    by_lead: dict[str, Verdict],
    catalog: Catalog,
    first: dict[str, Any],
    today: dt.date,
) -> Shown:
    """Everything the page of a report says."""
    said = wording.verdict(evaluation, comparison, by_lead)
    best = evaluation.plan(comparison.verdict.plan) if comparison.verdict.plan else None
    others = finance_tables.verdicts(evaluation, comparison, by_lead) if best is not None else []
    return {
        "name": wording.scenario_name(evaluation.scenario),
        "verdict": {name: said[name] for name in ("title", "text", "parts", "blocking")},
        "trust": trust_meter.with_lines(trust_meter.meter(evaluation, comparison, today), evaluation, today),
        "tiles": _tiles(best, comparison) if best is not None else [],
        "plans": _plans(evaluation, comparison),
        "lives": report_lines.lives(evaluation, comparison),
        "gap": _gap(evaluation, comparison),
        "verdicts": others,
        "agreement": finance_tables.agreement(others) if others else "",
        "flips": _flips(evaluation, comparison, by_lead, said, best),
        "use": _use(evaluation, comparison),
        "facility": _facility(evaluation, comparison),
        "carbon": _carbon(evaluation, comparison),
        "cash": _cash(evaluation, comparison),
        "lines": report_lines.cost_lines(evaluation, comparison, today),
        "assumptions": _assumptions(evaluation, catalog, first),
        "left_out": [wording.category(name) for name in evaluation.left_out],
        "rates": wording.exchange_rates(evaluation.book),
        "pricing_date": wording.date(evaluation.scenario.pricing_date),
        "price_book": evaluation.pinned.sha256(),
        "currency": evaluation.scenario.currency,
        "charts": {code: charts.figure(code, evaluation, comparison) for code in CHARTS},
    }


def _cell(text: str, exact: str = "", **more: Any) -> dict[str, Any]:
    return {"text": text, "exact": exact, **more}


def _money(amount: float, currency: str) -> dict[str, Any]:
    return _cell(wording.money(amount, currency, compact=True), wording.money(amount, currency))


def _tiles(best: PlanResult, comparison: Comparison) -> list[dict[str, Any]]:
    """Four figures of the chosen plan."""
    hourly, share = best.cost_per_useful_gpu_hour, comparison.verdict.margin_share
    return [
        {"label": _("Total cost, present value"), **_money(best.present_value, best.currency)},
        {"label": _("Outlay at the start"), **_money(float(best.monthly("capex")[0]), best.currency)},
        {
            "label": _("Per useful GPU-hour"),
            **(
                _cell("–")
                if hourly is None
                else _cell(wording.money(hourly, best.currency), wording.unit_price(hourly, best.currency))
            ),
        },
        {
            "label": _("Under the next plan"),
            **(
                _cell("–")
                if share is None
                else _cell(wording.percent(share), wording.money(comparison.verdict.margin or 0.0, best.currency))
            ),
        },
    ]


def _plans(evaluation: Evaluation, comparison: Comparison) -> list[dict[str, Any]]:
    """The plans as they rank: what each costs, whether it meets the demand and fits."""
    rows = []
    for row in tables.kpis(evaluation, comparison):
        cells = {
            code: {"text": cell.text, "exact": cell.exact, "tone": cell.tone, "extra": cell.extra}
            for code, cell in row.cells.items()
        }
        plan = evaluation.plan(row.slug)
        rows.append(
            {
                "slug": row.slug,
                "anchor": report_lines.anchor(plan),
                "name": row.name,
                "colour": row.colour,
                "best": row.best,
                "fails": not plan.feasible,
                "what": tables.what(plan.plan, evaluation),
                "cells": cells,
                "bar": row.bar,
            }
        )
    return rows


def _gap(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any] | None:
    """Where the difference to the next plan comes from, category by category; the last row is the sum."""
    table = tables.gap(evaluation, comparison)
    if table is None:
        return None
    verdict = comparison.verdict
    both = [evaluation.plan(slug) for slug in (verdict.plan, verdict.runner_up) if slug]
    categories = [*category_gap(*both), ""]
    return {
        "head": table.head,
        "rows": [
            {
                "name": row["name"],
                "total": row.get("total", False),
                "cells": [
                    _cell(cell.text, cell.exact, anchor=place)
                    for cell, place in zip(
                        row["cells"], [*(report_lines.anchor(plan, category) for plan in both), ""], strict=True
                    )
                ],
            }
            for row, category in zip(table.rows, categories, strict=True)
        ],
    }


def _flips(
    evaluation: Evaluation,
    comparison: Comparison,
    by_lead: dict[str, Verdict],
    said: dict[str, Any],
    best: PlanResult | None,
) -> list[str]:
    """What would change the verdict, or was tried and does not."""
    if best is None:
        return [wording.finding(reason, evaluation) for reason in comparison.verdict.reasons]
    flips = [said["by_class"]]
    flips.append(
        said["without_residual"] or _("Without the value of the machines at the horizon, the same plan is cheapest.")
    )
    flips.append(
        said["by_lead"]
        or (
            _("With the shortest and with the longest lead times, the same plan is cheapest.")
            if by_lead
            else _("Shorter or longer lead times move no delivery.")
        )
    )
    flips += [finance_tables.remaining_service(evaluation, comparison), finance_tables.rate_flip(evaluation)]
    flips += _break_evens(evaluation, comparison, best)
    return [text for text in flips if text]


def _break_evens(evaluation: Evaluation, comparison: Comparison, best: PlanResult) -> Iterator[str]:
    """From when the chosen plan is cheaper than another, where the curves cross."""
    names = tables.names(evaluation)
    for slug, state in comparison.break_even[best.slug].items():
        if state.state == "crossings" and evaluation.plan(slug).priced:
            yield _("Against “{plan}”: {when}, before the value of the machines.").format(
                plan=names[slug], when=wording.break_even(state, evaluation.calendar)
            )


def _use(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any] | None:
    """How busy each plan's own GPUs must be to cost less than renting; None where none are owned."""
    table = tables.use(evaluation, comparison)
    if table is None:
        return None
    rows = [
        {
            **_named(row),
            "against": _("against {offer}").format(offer=row["offer"]),
            "cells": [_cell(cell.text, cell.exact, tone=cell.tone) for cell in row["cells"]],
        }
        for row in table.rows
    ]
    return {"head": table.head, "rows": rows}


def _carbon(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any]:
    """Carbon of each plan's own machines; what is not known of a plan is said below its row."""
    table = tables.carbon(evaluation, comparison)
    rows = [
        {**_named(row), "note": row["note"], "cells": [_cell(cell.text, cell.exact) for cell in row["cells"]]}
        for row in table.rows
    ]
    return {"head": table.head, "rows": rows}


def _named(row: dict[str, Any]) -> dict[str, Any]:
    return {"name": row["name"], "colour": row["colour"]}


# ── Facility ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def _of_room(finding: Finding) -> bool:
    return finding.code.startswith(("room_", "cooling_", "limit_", "cards_")) or finding.code in (
        "upgrade_included",
        "noise",
        "office_server",
    )


def _facility(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any]:
    """Power, racks and what the room says to them, plan by plan."""
    names = tables.names(evaluation)
    rows, notes = [], []
    for plan in tables.ordered(evaluation, comparison):
        found = [finding for finding in [*plan.infeasible, *plan.warnings] if _of_room(finding)]
        tone = "good" if not found else "bad" if any(wording.tone(each) == "bad" for each in found) else "warn"
        words = {"good": _("fits"), "warn": _("fits with works"), "bad": _("too much for the room")}[tone]
        owns = bool(plan.housing.draw_busy.any())
        facility_kw = float(plan.facility_kw.max(initial=0.0))
        rows.append(
            {
                "name": names[plan.slug],
                "colour": tables.colour(evaluation, plan.slug),
                "cells": [
                    _kw(plan.peak_kw),
                    _kw(facility_kw),
                    _cell(wording.number(float(plan.housing.racks[0].max(initial=0.0)))),
                ],
                "fit": {"text": words if owns else _("nothing to house"), "tone": tone if owns else ""},
            }
        )
        if found:
            notes.append(
                {
                    "name": names[plan.slug],
                    "colour": tables.colour(evaluation, plan.slug),
                    "texts": [wording.finding(each, evaluation) for each in found],
                    "unpriced": [wording.finding(wording.unpriced(each), evaluation) for each in found],
                }
            )
    head = [_("Plan"), _("Highest mean draw"), _("With cooling and losses"), _("Racks"), _("Room")]
    return {"head": head, "rows": rows, "notes": notes}


def _kw(value: float) -> dict[str, Any]:
    return _cell(f"{wording.number(value, 1) if value else '0'}\u00a0kW", f"{wording.number(value)}\u00a0kW")


# ── Cash ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def _cash(evaluation: Evaluation, comparison: Comparison) -> dict[str, Any]:
    """Nominal cash by fiscal year: capex, opex, credits and their sum, plan by plan."""
    names, currency = tables.names(evaluation), evaluation.scenario.currency
    years = evaluation.calendar.fiscal_years(evaluation.scenario.finance.fiscal_year_start_month)
    groups = []
    for plan in tables.ordered(evaluation, comparison):
        if not plan.priced:
            continue
        monthly = {kind: plan.monthly(kind) for kind in KINDS}
        rows = []
        for kind in KINDS:
            sums = [plan.money(monthly[kind][months]) for _label, months, _partial in years]
            if any(sums):
                rows.append((wording.kind(kind), sums, plan.total(kind)))
        net = [plan.money(cell for kind in KINDS for cell in monthly[kind][months]) for _label, months, _p in years]
        rows.append((_("Net"), net, plan.nominal_total))
        groups.append(
            {
                "name": names[plan.slug],
                "anchor": report_lines.anchor(plan),
                "colour": tables.colour(evaluation, plan.slug),
                "rows": [
                    {"name": name, "cells": [_money(value, currency) for value in [*sums, total]]}
                    for name, sums, total in rows
                ],
            }
        )
    labels = [_("FY {year}").format(year=label) + ("*" if partial else "") for label, _months, partial in years]
    return {
        "head": [_("Kind"), *labels, _("Total")],
        "groups": groups,
        "partial": any(partial for _label, _months, partial in years),
    }


# ── Assumptions ──────────────────────────────────────────────────────────────────────────────────────────────────────


def _assumptions(evaluation: Evaluation, catalog: Catalog, first: dict[str, Any]) -> list[dict[str, Any]]:
    """What the figures rest on, each with its source and date: what is often touched, and whatever was changed."""
    page = forms.Page(evaluation.scenario, evaluation, evaluation.book, catalog, first)
    free = {each.path for each in page.declared() if _without_money(each)}
    sections = []
    for section in page.sections():
        groups = []
        for group in section.groups:
            rows = [
                {**_assumption(row, evaluation), "without_money": row.path in free} for row in group.rows if _told(row)
            ]
            if rows:
                groups.append({"title": group.title, "rows": rows})
        if groups:
            sections.append({"title": section.title, "groups": groups})
    return sections


def _without_money(each: forms.Declared) -> bool:
    """Whether a reader who is to see no unit price may see this value: only what is known to be no money."""
    if each.kind == "number":
        return each.group != "own_prices" and each.quantity is not None and "money" not in each.quantity.unit
    return each.kind in ("choice", "item", "switch", "part", "date", "month", "currency", "text")


def _told(row: Row) -> bool:
    if row.changed:
        return True
    if row.seldom or row.path.startswith("lines/"):
        return False
    if row.path.startswith("plans/") and row.kind not in ("number", "item"):
        return False  # which parts a plan has stands in its line among the plans
    return row.kind in ("switch", "part") or bool(row.text)


def _assumption(row: Row, evaluation: Evaluation) -> dict[str, Any]:
    value = row.text
    if row.path.endswith("/build"):  # a server's name has Chinese words, the catalog's has not
        value = wording.item(row.text, evaluation.book) if row.text else ""
    elif row.kind in ("choice", "item", "currency"):
        value = dict(row.options).get(row.text, row.text)
    elif row.kind in ("switch", "part"):
        value = wording.choice("", row.on)
    elif row.kind == "date":
        value = wording.date(row.text)
    elif row.unit:
        value += "\u00a0" + row.unit
    badge: dict[str, Any] = row.badge or {}
    own = badge.get("badge") == "own"
    source = "" if own else badge.get("text", "") or urlsplit(badge.get("url", "")).hostname or ""
    return {
        "label": row.label,
        "value": value,
        # a name the catalog has in English only; a page in another language says so
        "lang": "en" if row.kind == "item" and wording.chinese() and value.replace("·", "").isascii() else "",
        "word": badge.get("word", ""),
        "badge": badge.get("badge", ""),
        "source": source,
        "changed": row.changed,
    }

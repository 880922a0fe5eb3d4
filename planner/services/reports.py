"""Frozen reports: an answer kept as it was given, whatever becomes of the prices, the scenario or the program.

The content is canonical JSON of no language: document, price book, results. Its SHA-256 is printed on the report.
The pages hold what was said of it, in both languages; the content carries their checksum: one number seals both.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from django.conf import settings
from django.db import transaction
from django.utils import timezone, translation

from planner import report
from planner.engine.compare import by_lead_time
from planner.engine.evaluate import Evaluation, evaluate
from planner.engine.export import as_plain
from planner.engine.inputs import Scenario as Document
from planner.engine.lines import minor_unit
from planner.engine.prices import PriceBook
from planner.engine.quantities import InputError
from planner.engine.trust import shares
from planner.models import Report, Scenario, ScenarioVersion, User
from planner.services import evaluation, scenarios

FORMAT = 1
TWICE_WITHIN = dt.timedelta(minutes=1)
LANGUAGES = {"en": "English", "zh-hans": "中文"}  # as each names itself
assert set(LANGUAGES) == {code for code, _name in settings.LANGUAGES}


# ── Freezing ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def canonical(data: Any) -> str:
    """JSON with sorted keys and no spaces: the same data, the same bytes."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)


def sha256(text: str | bytes) -> str:
    return hashlib.sha256(text.encode() if isinstance(text, str) else text).hexdigest()


def freeze(version: ScenarioVersion, user: User | None) -> Report:
    """The answer of a version, kept for good; raises InputError where it cannot be computed.

    Asked for twice, as by a double click, it is kept once.
    """
    result, comparison = evaluation.evaluated(version)
    leads, now, row = by_lead_time(result), timezone.now(), version.scenario
    catalog, first = evaluation.catalog(), scenarios.first(row).document
    said = {}
    for code, _name in settings.LANGUAGES:
        with translation.override(code):
            said[code] = report.shown(result, comparison, leads, catalog, first, timezone.localdate(now))
    pages = canonical(said)
    content = canonical(
        {
            "format": FORMAT,
            "title": result.scenario.name,
            "version": version.number,
            "created_at": now.isoformat(timespec="seconds"),
            "created_by": user.get_username() if user is not None else "",
            "engine_version": evaluation.ENGINE_VERSION,
            "document": version.document,
            "prices": result.pinned.model_dump(mode="json"),
            "results": as_plain(result, comparison, leads),
            "trust": _trust(result, timezone.localdate(now)),
            "pages_sha256": sha256(pages),
        }
    )
    with transaction.atomic():
        Scenario.objects.select_for_update().get(pk=row.pk)  # of two at once, the second finds what the first has kept
        if twin := _frozen_just_now(version, user, result.pinned, now):
            return twin
        return Report.objects.create(
            workspace_id=row.workspace_id,
            scenario=row,
            title=result.scenario.name,
            template=result.scenario.template or "",
            version_number=version.number,
            engine_version=evaluation.ENGINE_VERSION,
            content=content,
            sha256=sha256(content),
            pages=pages,
            created_by=user,
            created_at=now,
        )


def _trust(result: Evaluation, today: dt.date) -> dict[str, Any]:
    """What the present value of each plan rests on, and on which day quotes had to hold."""
    day = max(today, result.scenario.pricing_date)
    return {"on": day.isoformat(), "plans": {plan.slug: shares(plan, day) for plan in result.plans if plan.priced}}


def _frozen_just_now(version: ScenarioVersion, user: User | None, book: PriceBook, now: dt.datetime) -> Report | None:
    """The newest report of the scenario, if it is the same answer, frozen by the same user within a minute."""
    newest = Report.objects.filter(scenario=version.scenario).first()
    if newest is None or newest.created_at < now - TWICE_WITHIN:
        return None
    wanted = (version.number, evaluation.ENGINE_VERSION, user.pk if user is not None else None)
    if (newest.version_number, newest.engine_version, newest.created_by_id) != wanted:
        return None
    same_prices = PriceBook.read(json.loads(newest.content)["prices"]).sha256() == book.sha256()
    return newest if same_prices else None


def delete(found: Report) -> None:
    """Delete a report; with it go its links, which open nothing from this moment on."""
    found.delete()


# ── What a reader gets ───────────────────────────────────────────────────────────────────────────────────────────────


def page(found: Report, language: str, *, prices: bool = True) -> dict[str, Any]:
    """What the report says in a language; English where it does not speak that one. It may leave unit prices out."""
    pages = json.loads(found.pages)
    said: dict[str, Any] = pages.get(language) or pages["en"]
    return said if prices else _without_prices(said)


# What a page without unit prices says: an allow-list, which a report of an earlier version has less of, never more.
SAID = (
    *(
        "name",
        "verdict",
        "tiles",
        "lives",
        "verdicts",
        "agreement",
        "flips",
        "carbon",
        "left_out",
        "certainty",
        "rates",
    ),
    *("pricing_date", "price_book", "currency"),
)
SAID_OF_PART = ("code", "name", "help", "mark", "percent", "share", "x", "width")
SAID_OF_PLAN = ("slug", "name", "colour", "best", "fails", "what", "bar")
CELLS = ("present_value", "capex", "opex", "hourly", "demand")
SAID_OF_ROW = ("label", "value", "lang", "word", "badge")
SAID_OF_CHART = ("title", "summary", "data", "layout")


def _without_prices(said: dict[str, Any]) -> dict[str, Any]:
    """Totals, key figures and curves; nothing from which a unit price follows at once.

    The cost of one category, or the purchases of one year, may be a single item: the gap by category is left out, cash
    by year is its sum alone, in its table and its chart, and the curve of money by month has a point a year. Money
    among the assumptions goes, with every supplier, quote number and date of a price.
    """
    facility = said["facility"]
    notes = [{**note, "texts": note.get("unpriced", [])} for note in facility["notes"]]
    return {
        **{name: said[name] for name in SAID if name in said},
        "plans": [
            {
                **{name: plan[name] for name in SAID_OF_PLAN},
                "cells": {code: plan["cells"][code] for code in CELLS if code in plan["cells"]},
            }
            for plan in said["plans"]
        ],
        "gap": None,
        "trust": _trust_without_prices(said.get("trust")),
        "facility": {
            "head": facility["head"],
            "rows": facility["rows"],
            "notes": [{name: note[name] for name in ("name", "colour", "texts")} for note in notes if note["texts"]],
        },
        "cash": {
            "head": said["cash"]["head"],
            "groups": [{**group, "rows": group["rows"][-1:]} for group in said["cash"]["groups"]],
        },
        "assumptions": _assumptions_without_money(said["assumptions"]),
        "charts": {
            code: {**{name: figure[name] for name in SAID_OF_CHART}, "table": _yearly(figure["table"]), **left(figure)}
            for code, figure in said["charts"].items()
            if (left := LEFT_OF_CHART.get(code))
        },
    }


def _trust_without_prices(shown: dict[str, Any] | None) -> dict[str, Any] | None:
    """The shares alone: a line may be a single item."""
    if shown is None:
        return None
    parts = [{name: part[name] for name in SAID_OF_PART} for part in shown["parts"]]
    return {**{name: shown[name] for name in ("title", "note", "update") if name in shown}, "parts": parts}


def _assumptions_without_money(sections: list[dict[str, Any]]) -> list[dict[str, Any]]:
    kept = []
    for section in sections:
        groups = []
        for group in section["groups"]:
            rows = [
                {name: row[name] for name in SAID_OF_ROW} for row in group["rows"] if row.get("without_money") is True
            ]
            if rows:
                groups.append({"title": group["title"], "rows": rows})
        if groups:
            kept.append({"title": section["title"], "groups": groups})
    return kept


def _yearly(table: dict[str, Any]) -> dict[str, Any]:
    return {"head": table["head"], "rows": _year_ends(table["rows"])}


def _year_ends(months: list[Any]) -> list[Any]:
    """The last month of each year since the start, and the last of all."""
    return [*months[:-1][11::12], *months[-1:]]


def _cumulative_by_year(figure: dict[str, Any]) -> dict[str, Any]:
    """Each plan's curve with a point a year, from nothing on: neither purchases nor the amount at the break-even."""
    data = []
    for trace in figure["data"]:
        if trace.get("mode") == "lines":
            months = [place for place, at in enumerate(trace["x"]) if len(at) == len("2026-11")]  # no eves of purchases
            ends = _year_ends(months)
            points = {
                "x": [trace["x"][place] for place in (0, *ends)],
                "y": [0, *(trace["y"][place] for place in ends)],
            }
            data.append({**trace, **points})
    layout = figure["layout"]
    shapes = [{**shape, "y1": layout["yaxis"]["range"][1]} for shape in layout.get("shapes", [])]
    return {"data": data, "layout": {**layout, "shapes": shapes}}


def _cash_by_year(figure: dict[str, Any]) -> dict[str, Any]:
    """One bar a plan and year: the sum of what is bought, run and credited."""
    data: list[dict[str, Any]] = []
    sums: dict[str, list[dict[str, Any]]] = {}
    for trace in figure["data"]:
        if "offsetgroup" in trace:
            sums.setdefault(trace["offsetgroup"], []).append(trace)
        elif "legendgroup" in trace:  # the legend's entry of a plan; that of a kind of money has no group
            data.append(trace)
    for traces in sums.values():
        years = zip(*(trace["y"] for trace in traces), strict=True)
        marker = {"color": traces[0]["marker"]["color"]}
        net = [sum(value or 0 for value in year) or None for year in years]
        same = {name: traces[0][name] for name in ("type", "x", "showlegend", "offsetgroup", "legendgroup")}
        data.append({**same, "y": net, "base": 0, "marker": marker})
    return {"data": data}


def _unchanged(_figure: dict[str, Any]) -> dict[str, Any]:
    return {}


# What is drawn otherwise without unit prices; a chart that is not here is left out.
LEFT_OF_CHART = {"cumulative": _cumulative_by_year, "power": _unchanged, "cash": _cash_by_year}


# What leaves the workspace as numbers: sums and months, no price of a supplier, no source, no order.
HEAD = ("engine_version", "currency", "months", "start", "pricing_date")
VERDICT = ("code", "plan", "runner_up", "margin", "margin_share")
PLAN = (
    "slug",
    "name",
    "strategy",
    "feasible",
    "present_value",
    "nominal_total",
    "capex",
    "opex",
    "credits",
    "cost_per_useful_gpu_hour",
    "served_share",
    "break_even",
    "monthly",
)
# Of the months, what is no money.
MONTHLY_WITHOUT_MONEY = (
    *("capacity_gpu", "demand_gpu", "required_gpu", "rented_gpu", "useful_gpu_hours", "unmet_gpu_hours", "utilisation"),
    *("it_kw", "facility_kw", "max_kw", "racks"),
)


def figures(found: Report, *, prices: bool = True) -> str:
    """The frozen figures for a reader who counts himself: canonical JSON, the same bytes for ever.

    Without prices, neither money by month nor by category: it may be that of a single item.
    """
    content = json.loads(found.content)
    results = content["results"]
    decided = results["verdict"]

    def verdict(given: dict[str, Any] | None) -> dict[str, Any] | None:
        return None if given is None else {name: given[name] for name in VERDICT}

    def figures_of(plan: dict[str, Any]) -> dict[str, Any]:
        kept = {name: plan[name] for name in PLAN}
        if not prices:
            kept["monthly"] = {name: plan["monthly"][name] for name in MONTHLY_WITHOUT_MONEY if name in plan["monthly"]}
        return kept

    return canonical(
        {
            **{name: results[name] for name in HEAD},
            "created_at": content["created_at"],
            "report_sha256": found.sha256,
            "version": content["version"],
            "verdict": {
                **(verdict(decided) or {}),
                "by_provider_class": {name: verdict(given) for name, given in decided["by_provider_class"].items()},
                "by_lead_time": {name: verdict(given) for name, given in decided["by_lead_time"].items()},
                "without_residual": verdict(decided["without_residual"]),
                **({"gap_by_category": decided["gap_by_category"]} if prices else {}),
            },
            "plans": [figures_of(plan) for plan in results["plans"]],
            **({"trust": content["trust"]} if "trust" in content else {}),  # reports of earlier versions have none
            "left_out": results["left_out"],
        }
    )


# ── Verifying ────────────────────────────────────────────────────────────────────────────────────────────────────────

# Amounts of money, by the key they stand under; a cell of them may differ by one minor unit.
MONEY = frozenset(
    {
        *("present_value", "nominal_total", "capex", "opex", "credits", "total", "monthly", "margin", "unmet_cost"),
        *("cumulative_present_value", "gap_by_category", "amount", "cost", "remedy_price"),
    }
)
SHOWN = 20  # differences named


@dataclass
class Verification:
    """Two answers, apart: are these the bytes of the report, and does the engine still find its figures?"""

    sha256: str
    genuine: bool
    problem: str = ""  # why the figures could not be computed: codes and fields
    engine_version: str = ""  # that the report was made with
    cells: int = 0
    differing: int = 0
    differences: list[tuple[str, Any, Any]] = field(default_factory=list)  # (place, frozen, computed now)

    @property
    def reproduced(self) -> bool:
        return not self.problem and not self.differing

    @property
    def same_engine(self) -> bool:
        return self.engine_version == evaluation.ENGINE_VERSION


def verify(data: bytes, wanted_sha256: str) -> Verification:
    """Check a report's file against the checksum printed on the report, and compute its figures anew."""
    actual = sha256(data)
    answer = Verification(actual, actual == wanted_sha256.strip().lower())
    try:
        content = json.loads(data)
        frozen = content["results"]
        answer.engine_version = str(content["engine_version"])
        now = evaluate(Document.read(content["document"]), PriceBook.read(content["prices"])).as_dict()
        cent = 10.0 ** -minor_unit(frozen["currency"])
    except InputError as error:
        answer.problem = "; ".join(str(InputError(problem)) for problem in error.problems)
        return answer
    except (ValueError, KeyError, TypeError, RecursionError, AttributeError) as error:
        answer.problem = f"not a report: {type(error).__name__}"
        return answer
    del frozen["engine_version"], now["engine_version"]
    for place, one, other in _pairs(frozen, json.loads(canonical(now)), ""):
        answer.cells += 1
        if not _same(one, other, cent if MONEY & set(place.split("/")) else 0.0):
            answer.differing += 1
            if len(answer.differences) < SHOWN:
                answer.differences.append((place, one, other))
    return answer


def _pairs(one: Any, other: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Every cell of two results side by side; what only one of them has is a pair with None."""
    if isinstance(one, dict) and isinstance(other, dict):
        for key in sorted({*one, *other}):
            yield from _pairs(one.get(key), other.get(key), f"{place}/{key}" if place else key)
    elif isinstance(one, list) and isinstance(other, list) and len(one) == len(other):
        for index, (left, right) in enumerate(zip(one, other, strict=True)):
            yield from _pairs(left, right, f"{place}/{index}")
    else:
        yield place, one, other


def _same(one: Any, other: Any, cent: float) -> bool:
    numbers = all(isinstance(value, (int, float)) and not isinstance(value, bool) for value in (one, other))
    if not numbers:
        return bool(one == other)
    return math.isclose(one, other, rel_tol=1e-9, abs_tol=1e-9) or abs(one - other) <= cent + 1e-9

"""Results as rows of formatted cells. Every figure of a plan carries the code under which its Why opens."""

from __future__ import annotations

import csv
import io
import math
import re
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import charts, wording
from planner.engine.advice import advise
from planner.engine.break_even_use import break_even_use
from planner.engine.carbon import carbon_of
from planner.engine.compare import Comparison, Verdict, category_gap
from planner.engine.evaluate import Evaluation, Finding, PlanResult
from planner.engine.export import disarmed
from planner.engine.findings import CANNOT_RUN, left_to_the_cloud
from planner.engine.housing import rack_load_field
from planner.engine.inputs import Plan, get_at
from planner.engine.needs import Requirement
from planner.engine.quantities import InputError

COLOURS = 6
SPARK_BARS, SPARK_WIDTH, SPARK_HEIGHT = 12, 96, 24


@dataclass(frozen=True)
class Cell:
    """One figure: as shown, exactly, and the code under which its Why opens ("" where there is none)."""

    text: str
    exact: str = ""
    why: str = ""
    tone: str = ""
    extra: str = ""
    plan: str = ""


@dataclass
class PlanRow:
    slug: str
    name: str
    colour: str
    best: bool
    cells: dict[str, Cell]
    bar: dict[str, float] = field(default_factory=dict)
    delta: str = ""
    delta_tone: str = ""


def colour(evaluation: Evaluation, slug: str) -> str:
    """ "1" to "6", then "1 again": a plan keeps its colour on every chart and table; a seventh has a hollow mark."""
    place = next(n for n, plan in enumerate(evaluation.plans) if plan.slug == slug)
    return f"{place % COLOURS + 1}{' again' if place >= COLOURS else ''}"


def names(evaluation: Evaluation) -> dict[str, str]:
    return wording.plan_names(evaluation.scenario, evaluation.book)


def ordered(evaluation: Evaluation, comparison: Comparison) -> list[PlanResult]:
    """The plans as they rank, those that fail last."""
    rest = [plan.slug for plan in evaluation.plans if plan.slug not in comparison.ranking]
    return [evaluation.plan(slug) for slug in [*comparison.ranking, *rest]]


def _money(amount: float, currency: str, why: str, *, extra: str = "") -> Cell:
    return Cell(wording.money(amount, currency, compact=True), wording.money(amount, currency), why, extra=extra)


def kpis(evaluation: Evaluation, comparison: Comparison, before: Evaluation | None = None) -> list[PlanRow]:
    """The table of plans: cost, power, break-even against the best, whether it serves the demand and fits."""
    currency, called = evaluation.scenario.currency, names(evaluation)
    best = comparison.ranking[0] if comparison.ranking else None
    lowest = evaluation.plan(best).present_value if best else None
    plans = ordered(evaluation, comparison)
    widest = max((plan.present_value for plan in plans if plan.priced), default=0.0)
    rows = []
    for plan in plans:
        cells = {"demand": _service(plan, evaluation)}
        bar: dict[str, float] = {}
        if plan.priced:
            more = ""
            if lowest and plan.slug != best and plan.feasible:
                more = wording.percent(plan.present_value / lowest - 1.0, plus=True)
            hourly = plan.cost_per_useful_gpu_hour
            cells |= {
                "present_value": _money(plan.present_value, currency, "present_value", extra=more),
                "capex": _money(plan.total("capex"), currency, "capex"),
                "opex": _money(plan.total("opex"), currency, "opex"),
                "hourly": Cell("–", _("undefined: no useful GPU-hours"), "cost_per_useful_gpu_hour")
                if hourly is None or _idle(plan)
                else Cell(
                    wording.money(hourly, currency), wording.unit_price(hourly, currency), "cost_per_useful_gpu_hour"
                ),
                "break_even": _break_even(plan, best, comparison, evaluation),
            }
            if (work := plan.useful_hours_per_kwh) and not _idle(plan):
                cells["per_kwh"] = Cell(
                    _("{hours} GPU-hours per kWh").format(hours=wording.number(work, digits=3)), why="work_per_kwh"
                )
            bar = _bar(plan, widest)
        kw = plan.peak_kw
        cells["peak_kw"] = (
            Cell("–", _("The machines cannot run the work."))
            if _idle(plan)
            else Cell(
                f"{wording.number(kw, 1)}\u00a0kW" if kw else "0\u00a0kW", f"{wording.number(kw)}\u00a0kW", "peak_kw"
            )
        )
        row = PlanRow(plan.slug, called[plan.slug], colour(evaluation, plan.slug), plan.slug == best, cells, bar)
        row.delta, row.delta_tone = _delta(plan, before)
        rows.append(row)
    return rows


def _idle(plan: PlanResult) -> bool:
    """Whether the machines of a plan cannot do the work at all: what they would draw then says nothing."""
    return any(reason.code in CANNOT_RUN for reason in plan.infeasible)


def _delta(plan: PlanResult, before: Evaluation | None) -> tuple[str, str]:
    """What the last edit did to the present value."""
    if before is None or before.scenario.currency != plan.currency or not plan.priced:
        return "", ""
    former = next((each for each in before.plans if each.slug == plan.slug), None)
    if former is None or not former.priced or former.present_value == plan.present_value:
        return "", ""
    change = plan.present_value - former.present_value
    text = wording.money(change, plan.currency, compact=True)
    return ("+" + text if change > 0 else text), ("bad" if change > 0 else "good")


def _bar(plan: PlanResult, widest: float) -> dict[str, float]:
    """Widths of the bar under a present value, in per cent of the dearest plan: capex, then all else."""
    if widest <= 0 or plan.present_value <= 0:
        return {}
    whole = 100.0 * plan.present_value / widest
    shares = plan.by_category()
    spent = sum(value for name, value in shares.items() if value > 0)
    capex = sum(value for name, value in shares.items() if name.startswith("capex.") and value > 0)
    first = whole * capex / spent if spent else 0.0
    return {"capex": round(first, 2), "opex": round(whole - first, 2)}


def _break_even(plan: PlanResult, best: str | None, comparison: Comparison, evaluation: Evaluation) -> Cell:
    if best is None or plan.slug == best or not plan.feasible:
        return Cell("–")
    state = comparison.break_even[plan.slug][best]
    return Cell(wording.break_even(state, evaluation.calendar), why="break_even")


def _service(plan: PlanResult, evaluation: Evaluation) -> Cell:
    """Whether the plan meets the demand and its room, in a word or two."""
    if not plan.feasible:
        return Cell(
            wording.brief(plan.infeasible[0], evaluation),
            wording.finding(plan.infeasible[0], evaluation),
            "served_share",
            "bad",
        )
    if plan.served_share < 1.0 - 1e-9:
        return Cell(wording.percent(plan.served_share), why="served_share", tone="warn")
    share, rented = wording.percent(plan.served_share), left_to_the_cloud(plan)
    if rented:  # nobody is to read it as the work of the machines bought
        why = (wording.finding(each, evaluation) for each in plan.warnings if each.code in CANNOT_RUN)
        text = _("every month, by the cloud") if rented == "all" else _("every month, in part by the cloud")
        return Cell(text, " ".join([share, *why]), "served_share", "warn")
    return Cell(_("every month"), share, "served_share", "good")


# ── Server against cluster, gap, providers ───────────────────────────────────────────────────────────────────────────


@dataclass
class Table:
    head: list[str]
    rows: list[dict[str, Any]]


def cluster(evaluation: Evaluation, comparison: Comparison) -> Table:
    """The plain server-against-cluster table of this case."""
    called = names(evaluation)
    rows = []
    for facts in comparison.table:
        slug = facts["plan"]
        lost = facts["lost_with_one_server"]
        cells = [
            Cell(wording.number(facts["gpus_at_end"]), why="orders"),
            Cell(wording.number(facts["servers_at_end"]), why="orders"),
            Cell(
                _("one server: {gpus} GPUs").format(gpus=wording.number(facts["largest_job_gpus"]))
                if facts["fabric"] is None
                else _("over the fabric: {gpus} GPUs").format(gpus=wording.number(facts["largest_job_gpus"])),
                why="capacity",
            )
            if facts["largest_job_gpus"]
            else Cell(_("as rented") if facts["rents"] else "–"),
            Cell(wording.percent(lost), why="orders") if lost is not None else Cell("–"),
            Cell(wording.number(facts["fte_at_end"], 2), why="opex"),
            Cell(wording.number(facts["free_slots_at_end"]), why="orders") if facts["servers_at_end"] else Cell("–"),
        ]
        rows.append({"slug": slug, "name": called[slug], "colour": colour(evaluation, slug), "cells": cells})
    return Table(
        [
            _("Plan"),
            _("GPUs at the end"),
            _("Servers"),
            _("Largest job"),
            _("Lost with one server"),
            _("Staff, FTE"),
            _("Free slots"),
        ],
        rows,
    )


def advice(evaluation: Evaluation) -> list[dict[str, Any]]:
    """What each workload asks for on each kind of machine: a title, its class of installation, and the rest in rows."""
    return [
        {
            "title": wording.advice_title(advised, evaluation),
            "brief": wording.advice_brief(advised),
            "rows": [{"label": label, "text": text} for label, text in wording.advice_rows(advised, evaluation)],
        }
        for advised in advise(evaluation)
    ]


def gap(evaluation: Evaluation, comparison: Comparison) -> Table | None:
    """Present value by category of the best two plans, and the difference: the parts add up to the margin."""
    verdict = comparison.verdict
    if verdict.plan is None or verdict.runner_up is None:
        return None
    currency, called = evaluation.scenario.currency, names(evaluation)
    one, other = evaluation.plan(verdict.plan), evaluation.plan(verdict.runner_up)
    left, right = one.by_category(), other.by_category()
    rows = []
    for name, difference in category_gap(one, other).items():
        rows.append(
            {
                "name": wording.category(name),
                "cells": [
                    _cell_of(left.get(name), currency, one.slug),
                    _cell_of(right.get(name), currency, other.slug),
                    _difference(difference, currency, one.slug),
                ],
            }
        )
    total = {
        "name": _("Present value"),
        "total": True,
        "cells": [
            _cell_of(one.present_value, currency, one.slug),
            _cell_of(other.present_value, currency, other.slug),
            _difference(verdict.margin or 0.0, currency, one.slug),
        ],
    }
    return Table([_("Category"), called[one.slug], called[other.slug], _("Difference")], [*rows, total])


def _cell_of(amount: float | None, currency: str, slug: str) -> Cell:
    if amount is None:
        return Cell("–")
    return Cell(
        wording.money(amount, currency, compact=True), wording.money(amount, currency), "present_value", plan=slug
    )


def _difference(amount: float, currency: str, slug: str) -> Cell:
    text = wording.money_change(amount, currency, compact=True)
    return Cell(text, wording.money(amount, currency), "margin", plan=slug)


def providers(evaluation: Evaluation, comparison: Comparison) -> Table | None:
    """Present value of each plan with a specialist's cloud and with a large provider's, and who wins then."""
    if not any(plan.offer is not None for plan in evaluation.plans):
        return None
    currency, called = evaluation.scenario.currency, names(evaluation)
    rows = []
    for plan in ordered(evaluation, comparison):
        cells = []
        for name in ("specialist", "large_provider"):
            verdict, value = comparison.by_class.get(name), plan.present_value_with(name) if plan.priced else None
            wins = verdict is not None and verdict.plan == plan.slug
            cells.append(
                Cell("–")
                if value is None
                else Cell(
                    wording.money(value, currency, compact=True),
                    wording.money(value, currency),
                    f"present_value.{name}",
                    plan=plan.slug,
                    tone="good" if wins else "",
                    extra=_("cheapest") if wins else "",
                )
            )
        rows.append(
            {"slug": plan.slug, "name": called[plan.slug], "colour": colour(evaluation, plan.slug), "cells": cells}
        )
    return Table(
        [_("Plan"), wording.choice("provider_class", "specialist"), wording.choice("provider_class", "large_provider")],
        rows,
    )


def use(evaluation: Evaluation, comparison: Comparison) -> Table | None:
    """How busy each plan's own GPUs must be to cost less than renting, in both readings; None where none are owned."""
    called = names(evaluation)
    rows = []
    for plan in ordered(evaluation, comparison):
        for found in () if _idle(plan) else break_even_use(plan, evaluation):
            rows.append(
                {
                    "slug": plan.slug,
                    "name": called[plan.slug],
                    "colour": colour(evaluation, plan.slug),
                    "offer": wording.item(found.offer.slug, evaluation.book),
                    "region": found.offer.region,
                    "cells": [
                        Cell(wording.percent(found.used), why="break_even_use"),
                        _reached(found.idle_charged, found.used),
                        _reached(found.idle_free, found.used),
                    ],
                }
            )
    head = [_("Plan"), _("Busy in the plan"), _("Idle hours charged"), _("Idle hours free")]
    return Table(head, rows) if rows else None


def _reached(share: float, used: float) -> Cell:
    """A break-even use: "never" where renting costs no more than running, "over 100 %" where full use is too little."""
    if not math.isfinite(share):
        return Cell(_("never"), _("renting costs no more than running an owned GPU"), "break_even_use", "bad")
    if share > 1.0:
        return Cell(
            _("over 100 %"),
            _("not even full use pays: {share}").format(share=wording.percent(share)),
            "break_even_use",
            "bad",
        )
    return Cell(wording.percent(share), why="break_even_use", tone="good" if used >= share else "warn")


def carbon(evaluation: Evaluation, comparison: Comparison) -> Table:
    """Carbon of each plan's own machines: of their energy, of their making, of both; what is not known is said."""
    called = names(evaluation)
    rows = []
    for plan in ordered(evaluation, comparison):
        found = carbon_of(plan, evaluation.scenario, evaluation.book)
        missing = wording.carbon_unknown(found.unknown, evaluation.book) if found.unknown else ""
        parts = (
            (found.use_kg, "carbon_use", bool({"grid", "rented"} & {*found.unknown})),
            (found.embodied_kg, "carbon_embodied", bool({*found.unknown} - {"grid"})),
            (found.total_kg, "carbon", bool(found.unknown)),
        )
        cells = [Cell("–") if _idle(plan) else _tonnes(kg, why, missing if least else "") for kg, why, least in parts]
        rows.append(
            {
                "slug": plan.slug,
                "name": called[plan.slug],
                "colour": colour(evaluation, plan.slug),
                "cells": cells,
                "note": missing,
            }
        )
    return Table([_("Plan"), _("Energy, t CO₂e"), _("Making, t CO₂e"), _("Together, t CO₂e")], rows)


def _tonnes(kg: float | None, why: str, missing: str) -> Cell:
    """Tonnes; "at least" where a part is not known, and "not known" rather than 0 where nothing is."""
    if kg is None:
        return Cell(_("not known"), missing, why)
    text = wording.number(kg / 1000.0, digits=3)
    return Cell(_("at least {value}").format(value=text) if missing else text, missing, why)


# ── Warnings ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Warning:
    """A sentence, how bad it is, and the assumption where the remedy lies."""

    text: str
    tone: str
    path: str = ""
    field: str = ""


@dataclass
class Warned:
    plan: str
    colour: str
    items: list[Warning]


def findings(evaluation: Evaluation, comparison: Comparison) -> list[Warned]:
    """What to know before trusting a plan, plan by plan, failures first; then what holds for all plans."""
    called = names(evaluation)

    def warning(finding: Finding, plan: PlanResult | None, tone: str) -> Warning:
        path = remedy_path(finding, plan)
        field = (
            wording.label(path, evaluation.scenario) if not path.startswith("market/own_prices/") else _("Unit price")
        )
        return Warning(
            wording.finding(finding, evaluation), tone, path, _("Change “{field}”").format(field=field) if path else ""
        )

    def order(item: Warning) -> int:
        return {"bad": 0, "warn": 1}.get(item.tone, 2)

    groups = []
    for plan in ordered(evaluation, comparison):
        items = [warning(finding, plan, "bad") for finding in plan.infeasible]
        items += [warning(finding, plan, _tone(finding)) for finding in plan.warnings]
        groups.append(Warned(called[plan.slug], colour(evaluation, plan.slug), sorted(items, key=order)))
    groups.sort(key=lambda group: min(map(order, group.items), default=2))
    groups.append(Warned("", "0", [warning(finding, None, "warn") for finding in evaluation.warnings]))
    return [group for group in groups if group.items]


def _tone(finding: Finding) -> str:
    """An upgrade that the plan has bought already calls for nothing: it is a note."""
    return "neutral" if finding.code == "upgrade_included" else wording.tone(finding)


def remedy_path(finding: Finding, plan: PlanResult | None) -> str:
    """The assumption that a warning is about."""
    facts, code = finding.facts, finding.code
    site = f"sites/{facts.get('site')}"
    resource = facts.get("resource") or code.removeprefix("room_")
    if code == "upgrade_included":
        return ""
    if code == "room_kg" and plan is not None:
        room = next(room for room in plan.housing.site_of if room.slug == facts.get("site"))
        return f"{site}/{rack_load_field(room)}"
    if code in ("cooling_short", "room_short") or code.startswith("room_"):
        return f"{site}/{LIMIT_FIELDS.get(resource, 'cooling_kw')}"
    if code.startswith("cards_"):
        return f"plans/{plan.slug}/start/build" if plan is not None else ""
    if code.startswith("limit_"):
        return f"{site}/{LIMIT_FIELDS[resource]}"
    if code == "second_hand":
        return f"plans/{plan.slug}/condition/kind" if plan is not None else ""
    if code == "left_room":
        return f"plans/{plan.slug}/move_month" if plan is not None else ""
    if code == "move_downtime":
        return f"sites/{facts.get('next_site')}/downtime_days"
    if code in ("noise", "office_server"):
        return f"{site}/noise_limit_db" if facts.get("loud", True) else f"{site}/cooling_kw"
    if code == "schedule_elsewhere":
        return f"{site}/tariff/schedule"
    if code == "network_paid_twice":
        return f"{site}/electricity_price_per_kwh"
    if code == "no_quote" and plan is not None and (meter := _unpriced_meter(str(facts.get("item")), plan)):
        return meter
    if code == "no_quote" and plan is not None and (licence := _unpriced_licence(str(facts.get("item")), plan)):
        return licence
    if code in ("stale_price", "no_quote"):
        return f"market/own_prices/{facts.get('item')}"
    if code in wording.TENDER_FINDINGS:
        return "procurement/threshold"
    if code == "order_by_past":
        return "start"
    if plan is None:
        return ""
    base = f"plans/{plan.slug}"
    if code == "next_order_due_at_start":
        return f"{base}/start/cards"
    if code == "end_of_sale":
        return f"{base}/follow_up/generation"
    if code in wording.TERM_FINDINGS:
        starts = plan.plan.start is not None and finding.month == 0
        return f"{base}/start/quantity" if starts else f"{base}/follow_up/batch"
    if code in ("unmet", "service_target"):
        return f"{base}/overflow"
    if code in ("scaling_assumed", "slow_copies", "replica_size", "uneven_gang", "no_cable", "deadline"):
        return _spread_path(finding, plan, base)
    if code in ("memory", "not_in_catalog", "no_rate", "no_fabric_ports"):
        return f"{base}/start/build"
    return ""


def _unpriced_meter(item: str, plan: PlanResult) -> str:
    """Where the electricity price of a region, "CN-BJ/commercial", is entered; empty where the item is another."""
    metered = {f"{room.region}/{room.customer_class}": room.slug for room in plan.housing.site_of}
    return f"sites/{metered[item]}/electricity_price_per_kwh" if item in metered else ""


def _unpriced_licence(item: str, plan: PlanResult) -> str:
    """Where the price of a licence or an assessment is entered; empty where the item is none."""
    named = plan.costs.scenario.operations.subscriptions if plan.costs is not None else ()
    slug = next((each.slug for each in named if item in (each.item, each.name, each.slug)), "")
    return f"operations/subscriptions/{slug}/price" if slug else ""


def _spread_path(finding: Finding, plan: PlanResult, base: str) -> str:
    """The assumption behind a finding about jobs over several GPUs."""
    facts, work = finding.facts, f"demand/workloads/{finding.facts.get('workload')}"
    match finding.code:
        case "slow_copies":
            return f"{base}/fabric/network"
        case "scaling_assumed" if facts.get("network"):
            return f"{base}/fabric/network"
        case "scaling_assumed":
            machines = [each.machine for each in plan.fleet.holdings if each.machine.slug == facts.get("item")]
            return "demand/scaling/" + ("joined" if machines and machines[0].build.one_domain else "pcie")
        case "replica_size":
            return f"{work}/replica_gpus"
        case "uneven_gang":
            pool = any(need.gang == facts.get("gpus") and need.replica == 1 for need in _needs(plan, facts))
            return f"{work}/{'gang_gpus' if pool else 'replica_gpus'}"
        case "no_cable":
            return f"{base}/fabric/cabling"
    return f"{base}/fabric/" + ("when" if facts.get("needed_gpus") is not None else "network")


def _needs(plan: PlanResult, facts: dict[str, Any]) -> list[Requirement]:
    """What the workload of a finding asks of each machine."""
    return [needs[facts["workload"]] for needs in plan.requirements.values() if facts.get("workload") in needs]


# The assumption that holds each limit, in its site.
LIMIT_FIELDS = {
    "cooling": "cooling_kw",
    "power": "power_kw",
    "racks": "racks",
    "units": "rack_units",
    "kw": "rack_kw",
    "kg": "rack_kg",
    "cords": "circuit/outlets",
    "cfm": "rack_cfm",
    "noise": "noise_limit_db",
    "method": "rack_heat_kw",
    "floor": "floor_kg_m2",
    "foot": "floor_foot_kg",
    "feeds": "circuit/feeds",
    "psus": "circuit/feeds",
    "inlet": "supply_c",
    "sustained": "supplies",
    "transient": "transient_ratio",
    "air": "air_cfm",
    "liquid": "liquid_l_per_min",
    "budget": "power_budget_kw",
    "ups": "ups/modules",
    "spare_cooling": "spare_cooling_units",
}


# ── Plan list ────────────────────────────────────────────────────────────────────────────────────────────────────────


def plan_heads(evaluation: Evaluation) -> list[dict[str, Any]]:
    """Each plan in the list on the left: name, what it does, its GPUs over time."""
    called, top = names(evaluation), 1.0
    series = {}
    for plan in evaluation.plans:
        rented = sum((each[0] for each in plan.allocation.rented.values()), np.zeros(plan.calendar.months))
        series[plan.slug] = _sampled(plan.capacity + rented)
        top = max(top, float(series[plan.slug].max(initial=0.0)))
    return [
        {
            "slug": plan.slug,
            "name": called[plan.slug],
            "colour": colour(evaluation, plan.slug),
            "what": what(plan.plan, evaluation),
            "bars": _bars(series[plan.slug], top),
        }
        for plan in evaluation.plans
    ]


def _sampled(values: Any) -> Any:
    bars = min(SPARK_BARS, len(values))
    return np.array([part.mean() for part in np.array_split(np.asarray(values), bars)])


def _bars(values: Any, top: float) -> list[dict[str, float]]:
    width = SPARK_WIDTH / len(values)
    heights = np.maximum(values / top * SPARK_HEIGHT, np.where(values > 0, 1.0, 0.0))
    return [
        {
            "x": round(n * width, 2),
            "y": round(SPARK_HEIGHT - float(height), 2),
            "w": round(width - 1.5, 2),
            "h": round(float(height), 2),
        }
        for n, height in enumerate(heights)
    ]


def what(plan: Plan, evaluation: Evaluation) -> str:
    """A plan in a line: what is bought first, what follows."""
    parts = []
    if plan.start is not None:
        build = evaluation.book.builds.get(plan.start.build)
        gpus = plan.start.cards or (build.accelerator_count * plan.start.quantity if build else 0)
        servers = ngettext("{count} server", "{count} servers", plan.start.quantity).format(
            count=wording.number(plan.start.quantity)
        )
        parts.append(_("{gpus} GPUs in {servers}").format(gpus=wording.number(gpus), servers=servers))
        if plan.follow_up.kind == "cards":
            parts.append(_("then +{count} cards").format(count=plan.follow_up.batch))
        elif plan.follow_up.kind == "servers":
            parts.append(
                ngettext("then +{count} server", "then +{count} servers", plan.follow_up.batch).format(
                    count=plan.follow_up.batch
                )
            )
    elif plan.overflow is not None:
        if plan.overflow.reserved_share > 0:
            parts.append(_("{share} reserved").format(share=wording.percent(plan.overflow.reserved_share)))
        parts.append(_("on demand"))
    return _(", ").join(parts)


# ── Home ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def last_verdict(document: dict[str, Any], verdict: dict[str, Any] | None) -> dict[str, Any]:
    """The verdict a scenario was left with, from its codes and numbers: {"text", "tone", "plan", "cells"}."""
    if not verdict:
        return {"text": "", "tone": ""}
    if verdict.get("plan") is None:
        return {"text": _("no plan is possible"), "tone": "bad"}
    try:
        plan = Plan.read(get_at(document, f"plans/{verdict['plan']}"))
    except InputError:  # written by another version of the program
        return {"text": "", "tone": ""}
    cells = [_money(verdict["present_value"], verdict["currency"], "present_value")]
    if verdict.get("margin_share") is not None:
        share = wording.percent(verdict["margin_share"])
        close = verdict["code"] == "close"
        text = _("close: {share} under the next") if close else _("{share} under the next")
        cells.append(Cell(text.format(share=share), wording.money(verdict["margin"], verdict["currency"]), "margin"))
    named, blocked = wording.plan_name(plan), verdict.get("blocked", False)
    return {
        "text": _("{plan}: do not order as it is").format(plan=named) if blocked else named,
        "tone": "bad" if blocked else "warn" if verdict["code"] == "close" else "good",
        "plan": plan.slug,
        "cells": cells,
    }


def verdict(evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict]) -> dict[str, Any]:
    """The verdict in words, each figure in it with the code of its Why."""
    said = wording.verdict(evaluation, comparison, by_lead)
    best = comparison.verdict.plan
    if best is None:
        return said
    # the bold figures of the sentence, in its order: present value, margin over a runner-up, money at the start
    codes = iter(["present_value", *(["margin"] if comparison.verdict.runner_up else []), "orders"])
    parts = [{**part, "why": next(codes, "") if part["strong"] else ""} for part in said["parts"]]
    symbol = wording.money(1, evaluation.scenario.currency)[0]
    chips = [
        {**chip, "why": "orders" if symbol in chip["text"] else "peak_kw" if "kW" in chip["text"] else ""}
        for chip in said["chips"]
    ]
    return {**said, "parts": parts, "chips": chips, "plan": best}


def plain_csv(table: dict[str, Any], currency: str) -> str:
    """The table of a chart as CSV: plain numbers, the currency of a column in its head."""
    symbol = re.sub(r"[\d.,\s]", "", wording.money(0, currency))
    amount = re.compile(rf"([-\u2212]?)(?:{re.escape(symbol)}\s?|{re.escape(currency)}\s?)?([\d,]+(?:\.\d+)?)")

    def plain(text: str) -> str:
        found = amount.fullmatch(text)
        if text == "–":
            return ""
        return f"{'-' if found[1] else ''}{found[2].replace(',', '')}" if found else disarmed(text)

    rows = [[disarmed(line[0]), *map(plain, line[1:])] for line in table["rows"]]
    money = [
        any(symbol in cell and cell != plain(cell) for cell in column) for column in zip(*table["rows"], strict=True)
    ]
    head = [f"{name}, {currency}" if is_money else name for name, is_money in zip(table["head"], money, strict=False)]
    out = io.StringIO()
    csv.writer(out, lineterminator="\r\n").writerows([map(disarmed, head or table["head"]), *rows])
    return out.getvalue()


def chart_tabs() -> list[tuple[str, str]]:
    """(code, name) of each chart, in their order."""
    words = {
        "cumulative": _("Cumulative cost"),
        "category": _("By category"),
        "capacity": _("Capacity and demand"),
        "power": _("Power and racks"),
        "cash": _("Cash by year"),
    }
    return [(code, words.get(code, code)) for code in charts.FIGURES]

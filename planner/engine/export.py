"""An evaluation as plain data: JSON, and rows for tables."""

from __future__ import annotations

import json
import math
from typing import TYPE_CHECKING, Any

import numpy as np

from planner.engine import ENGINE_VERSION
from planner.engine.break_even_use import break_even_use
from planner.engine.calendar import calendar_for
from planner.engine.carbon import carbon_of
from planner.engine.lines import Line

if TYPE_CHECKING:
    from planner.engine.compare import Comparison, Verdict
    from planner.engine.evaluate import Evaluation, PlanResult

# A unit price may be a share of millions: quantity × unit price must still give the cell to the cent.
PRICE_DECIMALS = 12


def as_plain(evaluation: Evaluation, comparison: Comparison, by_lead: dict[str, Verdict]) -> dict[str, Any]:
    """The public result: figures rounded once, totals that are sums of the cells given."""
    return {
        "engine_version": ENGINE_VERSION,
        "currency": evaluation.scenario.currency,
        "months": evaluation.scenario.months,
        "start": evaluation.scenario.start,
        "pricing_date": evaluation.scenario.pricing_date.isoformat(),
        "prices_sha256": evaluation.pinned.sha256(),
        "verdict": {
            **comparison.verdict.as_dict(),
            "by_provider_class": {name: v.as_dict() if v else None for name, v in comparison.by_class.items()},
            "by_lead_time": {name: verdict.as_dict() for name, verdict in by_lead.items()},
            "without_residual": comparison.without_residual.as_dict(),
            "with_remaining_service": comparison.remaining_service.as_dict(),
            "gap_by_category": comparison.gap,
        },
        "plans": [
            {
                **_plan(plan, comparison, {other.slug for other in evaluation.plans if other.priced}),
                "carbon": carbon_of(plan, evaluation.scenario, evaluation.book).as_dict(),
            }
            for plan in evaluation.plans
        ],
        "server_against_cluster": comparison.table,
        # a plan that rents nothing is set against the offer of another
        "break_even_use": {
            plan.slug: [use.as_dict() for use in break_even_use(plan, evaluation)] for plan in evaluation.plans
        },
        "left_out": evaluation.left_out,
        "warnings": [finding.as_dict() for finding in evaluation.warnings],
    }


def _plan(result: PlanResult, comparison: Comparison, with_totals: set[str]) -> dict[str, Any]:
    priced = result.priced
    return {
        "slug": result.slug,
        "name": result.plan.name or result.slug,
        "strategy": result.plan.strategy,
        "feasible": result.feasible,
        "infeasible_reasons": [reason.as_dict() for reason in result.infeasible],
        "present_value": result.present_value if priced else None,
        "nominal_total": result.nominal_total if priced else None,
        "capex": result.total("capex") if priced else None,
        "opex": result.total("opex") if priced else None,
        "credits": result.total("credit") if priced else None,
        "cost_per_useful_gpu_hour": result.cost_per_useful_gpu_hour if priced else None,
        "useful_gpu_hours_per_kwh": result.useful_hours_per_kwh if priced else None,
        "served_share": result.served_share,
        "unmet_cost": result.unmet_cost,
        "sizing": _sizing(result),
        "cloud_offer": result.offer.slug if result.offer else None,
        # a plan without a quote has no cost curve to compare
        "break_even": {
            other: state.as_dict()
            for other, state in comparison.break_even[result.slug].items()
            if priced and other in with_totals
        },
        "monthly": {
            "demand_gpu": _list(result.demand[0]),
            "required_gpu": _list(np.where(np.isfinite(result.needed[0]), result.needed[0], -1.0)),
            "capacity_gpu": _list(result.capacity),
            "under_repair_gpu": _list(result.under_repair[0]),
            "rented_gpu": _list(
                sum((r[0] for r in result.allocation.rented.values()), np.zeros(result.calendar.months))
            ),
            "unmet_gpu_hours": _list(result.allocation.unmet[0] * result.calendar.hours),
            "useful_gpu_hours": _list(result.useful_hours),
            "utilisation": _list(result.utilisation),
            "it_kw": _list(result.housing.draw[0]),
            "max_kw": _list(result.housing.draw_max[0]),
            "facility_kw": _list(result.facility_kw),
            "racks": _list(result.housing.racks[0]),
            "capex": _list(result.monthly("capex")),
            "opex": _list(result.monthly("opex")),
            "credits": _list(result.monthly("credit")),
            "cumulative_present_value": [round(float(value), result.decimals) for value in result.cumulative],
        },
        "orders": [order.as_dict() for order in result.orders],
        "lines": [line_as_dict(line, result) for line in result.lines],
        "warnings": [finding.as_dict() for finding in result.warnings],
    }


def _sizing(result: PlanResult) -> list[dict[str, Any]]:
    """What each workload asks for on each kind of machine: GPUs in the busiest month, and GPUs by each limit alone.

    None stands where no number of GPUs suffices.
    """
    rows = []
    for slug, needs in result.requirements.items():
        item = result.offer.accelerator if slug == "offer" and result.offer is not None else slug
        for workload, need in needs.items():
            most = float(need.required.max())
            rows.append(
                {
                    "workload": workload,
                    "item": item,
                    "gpus": most if math.isfinite(most) else None,
                    "largest_job_gpus": need.gang,
                    "limit": need.limit,
                    "runner_up": need.runner_up,
                    "limits": {name: gpus if math.isfinite(gpus) else None for name, gpus in need.limits.items()},
                }
            )
    return rows


def line_as_dict(line: Line, result: PlanResult) -> dict[str, Any]:
    """One cost line with its monthly cells."""
    paid = np.flatnonzero(line.quantity[0])
    return {
        "category": line.category,
        "code": line.code,
        "item": line.item,
        "place": line.place,
        "part": line.part,
        "formula": line.formula,
        "quantity": _list(line.quantity[0]),
        "quantity_unit": line.quantity_unit,
        "unit_price": round(float(line.unit_price[0, paid[0]]), PRICE_DECIMALS) if paid.size else 0.0,
        "unit_prices": [round(float(price), PRICE_DECIMALS) for price in line.unit_price[0]],
        "currency": result.currency,
        "source": line.source.model_dump(mode="json"),
        "factors": line.factors,
        "present_value": line.present_value(result.discount_of(line)),
        "total": line.total(),
        "monthly": _list(line.minor / 10.0**line.decimals),
    }


def _list(values: Any) -> list[float]:
    return [float(value) for value in np.asarray(values)]


SUMMARY = ("slug", "feasible", "present_value", "capex", "opex", "credits", "cost_per_useful_gpu_hour", "served_share")


def as_table(plain: dict[str, Any]) -> str:
    """The comparison as text for a terminal: one row a plan, then the verdict by its codes."""

    def cell(value: Any) -> str:
        if value is None:
            return "—"
        if isinstance(value, bool):
            return "yes" if value else "no"
        return f"{value:,.2f}" if isinstance(value, float) else str(value)

    rows = [list(SUMMARY), *([cell(plan[key]) for key in SUMMARY] for plan in plain["plans"])]
    widths = [max(len(row[column]) for row in rows) for column in range(len(SUMMARY))]
    text = [
        "  ".join(
            value.ljust(width) if column == 0 else value.rjust(width)
            for column, (value, width) in enumerate(zip(row, widths, strict=True))
        )
        for row in rows
    ]
    verdict = plain["verdict"]
    share = "" if verdict["margin_share"] is None else f", {verdict['margin_share']:.1%} under {verdict['runner_up']}"
    text.append("")
    text.append(
        f"verdict: {verdict['code']} {verdict['plan'] or '—'}{share}  [{plain['currency']}, {plain['months']} months]"
    )
    text.extend(f"  {reason['code']}" for reason in verdict["reasons"])
    for plan in plain["plans"]:
        for reason in plan["infeasible_reasons"]:
            text.append(f"infeasible: {plan['slug']}: {reason['code']} (month {reason['month']})")
        text.extend(
            f"warning: {plan['slug']}: {warning['code']} (month {warning['month']})" for warning in plan["warnings"]
        )
    text.append("left out: " + ", ".join(plain["left_out"]))
    return "\n".join(text)


LEDGER_HEAD = (
    "plan",
    "category",
    "line",
    "item",
    "month",
    "quantity",
    "quantity_unit",
    "unit_price",
    "amount",
    "currency",
    "source_basis",
    "source_dated",
    "source_url",
    "count",
    "hours",
)
# Quantities that multiply a count by the hours of the month; both stand apart too.
HOURLY = frozenset({"GPU-hour", "instance-hour"})


def ledger_rows(plain: dict[str, Any]) -> list[list[Any]]:
    """Every cost line, one row a month in which something is owed."""
    year, month = (int(part) for part in plain["start"].split("-"))
    labels = [f"{year + (month - 1 + m) // 12}-{(month - 1 + m) % 12 + 1:02d}" for m in range(plain["months"])]
    hours = calendar_for(plain["start"], plain["months"]).hours
    rows: list[list[Any]] = [list(LEDGER_HEAD)]
    for plan in plain["plans"]:
        for line in plan["lines"]:
            for m, amount in enumerate(line["monthly"]):
                if line["quantity"][m] or amount:
                    rows.append(
                        [
                            plan["slug"],
                            line["category"],
                            ":".join(part for part in (line["code"], line["part"]) if part),
                            line["item"],
                            labels[m],
                            line["quantity"][m],
                            line["quantity_unit"],
                            line["unit_prices"][m],
                            amount,
                            line["currency"],
                            line["source"]["basis"],
                            line["source"]["dated"] or "",
                            line["source"]["url"],
                            *_apart(line, m, float(hours[m])),
                        ]
                    )
    return rows


def _apart(line: dict[str, Any], m: int, hours: float) -> tuple[float | str, float | str]:
    """(count, hours) of a quantity in hours of several; blank for any other."""
    return (line["quantity"][m] / hours, hours) if line["quantity_unit"] in HOURLY else ("", "")


# Spreadsheets run a text that begins with one of these; the wide forms too, where Chinese or Japanese is typed.
FORMULA_STARTS = frozenset("=+-@\t\r\n＝＋－＠")


def disarmed(cell: Any) -> Any:
    """A cell for CSV: text that a spreadsheet would run as a formula is quoted, numbers stay numbers."""
    return f"'{cell}" if isinstance(cell, str) and cell[:1] in FORMULA_STARTS else cell


def as_csv(plain: dict[str, Any]) -> str:
    """The ledger as CSV."""
    import csv
    import io

    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\r\n")
    for row in ledger_rows(plain):
        writer.writerow([disarmed(cell) for cell in row])
    return out.getvalue()


WRITERS: dict[str, Any] = {
    "json": lambda plain: json.dumps(plain, ensure_ascii=False, indent=1),
    "table": as_table,
    "csv": as_csv,
}

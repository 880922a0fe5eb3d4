"""What a budget buys as a file: a row for each configuration, those that can be bought first and the best on top."""

from __future__ import annotations

from collections.abc import Iterator
from decimal import Decimal

from django.utils.translation import gettext as _

from planner import wording
from planner.engine.abilities import USES
from planner.engine.lines import minor_unit
from planner.exports.delimited import Cell, csv_bytes
from planner.services.budget import Answer, Configuration
from planner.wording import budget as words
from planner.wording.findings.configurations import against

COLUMNS = (
    "rank",
    "state",
    "group",
    "build",
    "accelerator",
    "servers",
    "gpus",
    "fabric",
    "memory_gb",
    "gpus_together",
    "useful_gpu_hours",
    "gpu_hours_per_money",
    "capex",
    "opex",
    "present_value",
    "currency",
    "peak_kw",
    "weeks",
    *(f"largest_{use}" for use in USES),
    "stops",
    "reasons",
    "export_rule",
    "quoted_on",
    "supplier",
)


def budget_csv(answer: Answer, *, bom: bool = True, codes: bool = False) -> bytes:
    """All configurations as CSV.

    codes : headings, states and reasons in codes that no language changes.
    """
    return csv_bytes(_rows(answer, codes), bom=bom)


def _heads(reference: str) -> dict[str, str]:
    return {
        "rank": _("Rank"),
        "state": _("State"),
        "group": _("Kind of installation"),
        "build": _("Server"),
        "accelerator": _("Accelerator"),
        "servers": _("Servers"),
        "gpus": _("GPUs"),
        "fabric": _("Fabric"),
        "memory_gb": _("Memory, GB"),
        "gpus_together": _("GPUs of one job"),
        "useful_gpu_hours": _("Useful GPU-hours of {reference}").format(reference=reference),
        "gpu_hours_per_money": _("GPU-hours per unit of money"),
        "capex": _("Purchase"),
        "opex": _("Running costs"),
        "present_value": _("Present value"),
        "currency": _("Currency"),
        "peak_kw": _("Highest mean draw, kW"),
        "weeks": _("Weeks to service"),
        "largest_serving": _("Largest model to serve"),
        "largest_tuning": _("Largest model to tune"),
        "largest_training": _("Largest model to train"),
        "stops": _("What stops more"),
        "reasons": _("What is against it"),
        "export_rule": _("Export rule"),
        "quoted_on": _("Quoted on"),
        "supplier": _("Supplier"),
    }


def _rows(answer: Answer, codes: bool) -> Iterator[list[Cell]]:
    work = answer.scenario.demand.workloads[0]
    heads = _heads(answer.book.accelerators[work.accelerator].name)
    yield [code if codes else heads[code] for code in COLUMNS]
    for rank, found in enumerate(answer.found, 1):
        yield _row(answer, found, rank, codes)


def _row(answer: Answer, found: Configuration, rank: int, codes: bool) -> list[Cell]:
    currency, result, price = answer.scenario.currency, found.result, found.build.price
    decimals = Decimal(1).scaleb(-minor_unit(currency))

    def money(amount: float | None) -> Cell:
        return None if amount is None else Decimal(repr(amount)).quantize(decimals)

    def plain(amount: float | None, digits: int) -> Cell:
        return None if amount is None else Decimal(f"{amount:.{digits}f}")

    reasons = [reason.code if codes else against(found, reason)[0] for reason in found.reasons]
    if found.missing:
        reasons.append(f"missing_rate {found.missing}" if codes else words.unpriced_for_rate(found.missing, currency))
    models = [found.abilities[use].model for use in USES]
    return [
        rank if found.state == "fits" else None,
        found.state if codes or found.state == "fits" else words.state(found.state),
        found.group if codes else words.group(found.group),
        found.build.slug,
        found.card.slug if codes else found.card.name,
        found.servers,
        found.gpus,
        int(found.joined),
        plain(found.memory_gb, 0),
        found.together,
        plain(found.useful_hours if result else None, 1),
        plain(found.hours_per_money, 9),
        money(result.total("capex") if result else None),
        money(result.total("opex") if result else None),
        money(result.present_value if result else None),
        currency,
        plain(result.peak_kw if result else None, 3),
        plain(found.weeks if result else None, 1),
        *(None if model is None else model.slug if codes else model.name for model in models),
        found.stops if codes else words.stops(found.stops),
        "; ".join(reasons),
        (found.export.verdict if codes else words.export_notice(found)) if found.export else None,
        price.source.dated if price is not None else None,
        wording.provider(price.source.supplier) if price is not None else None,
    ]

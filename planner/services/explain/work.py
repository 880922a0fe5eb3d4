"""The work: what is asked for, done and undone, in GPU-hours and GPUs."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.calendar import Array
from planner.engine.demand import Requirement
from planner.engine.fleet import Holding
from planner.engine.inputs import Workload
from planner.engine.prices import Source
from planner.engine.reliability import DAYS_PER_YEAR
from planner.services.explain.arithmetic import reproducing
from planner.services.explain.nodes import Node, Subject

# factor → (unit, how many of it one of that unit is). Others are plain numbers.
FACTOR_UNITS: dict[str, tuple[str, float]] = {
    **dict.fromkeys(
        (
            "target_utilisation",
            "allocation",
            "available",
            "mfu",
            "goodput",
            "derate",
            "efficiency",
            "band_low",
            "band_high",
            "other_time_lost",
            "power_share",
            "power_limit",
            "scaling_share",
            "network_share",
        ),
        ("share", 1.0),
    ),
    **dict.fromkeys(("peak_to_mean", "diurnal", "burst"), ("times", 1.0)),
    **dict.fromkeys(("batch", "requests_at_once", "under_way"), ("request", 1.0)),
    **dict.fromkeys(("gang", "server_gpus", "replica_gpus"), ("GPU", 1.0)),
    **dict.fromkeys(("spare_servers", "servers_active"), ("server", 1.0)),
    "gpu_hours_per_run": ("GPU-hour", 1.0),
    "deadline_days": ("day", 1.0),
    **dict.fromkeys(("mtbf_h", "checkpoint_every_h", "short_h"), ("hour", 1.0)),
    "restart_minutes": ("minute", 1.0),
    "save_s": ("second", 1.0),
    "run_days": ("day", 1.0),
    "tokens": ("1e9 token", 1e9),
    "active_params": ("1e9 param", 1e9),
    "peak_flops": ("TFLOP/s", 1e12),
    "fp64_flops": ("TFLOP/s", 1e12),
    "batch_rate": ("amount/s/GPU", 1.0),
    "prefill_rate": ("token/s/GPU", 1.0),
    "decode_rate": ("token/s/GPU", 1.0),
    "attention_flop": ("GFLOP/token", 1e9),
    "rate_per_gpu": ("request/s/GPU", 1.0),
    "replica_rate": ("request/s", 1.0),
    "step_s": ("ms", 1e-3),
    "prefill_s": ("ms", 1e-3),
}
# kind of work → (unit, how many of it one of that unit is, field) of a measured rate.
MEASURED = {
    "training": ("token/s/GPU", 1.0, "measured_tokens_per_s_per_gpu"),
    "tuning": ("token/s/GPU", 1.0, "measured_tokens_per_s_per_gpu"),
    "serving": ("request/s/GPU", 1.0, "measured_requests_per_s_per_gpu"),
    "batch": ("amount/s/GPU", 1.0, "measured_rate_per_gpu"),
    "hpc": ("TFLOP/s", 1e12, "measured_tflops_per_gpu"),
}
# Fields of a workload behind a factor of another name.
FIELDS = {
    "tokens": ("tokens_b", "tokens_m"),
    "diurnal": ("diurnal_peak",),
    "burst": ("burst_peak",),
    "allocation": ("scheduler",),
    "derate": ("latency",),
    "gang": ("gang_gpus",),
    "flop_per_param": ("method",),
    "band_low": ("band",),
    "band_high": ("band",),
    "requests_at_once": ("concurrency_p99_to_mean",),
    "servers_active": ("disaggregated",),
    "prefill_rate": ("measured_prefill_tokens_per_s_per_gpu",),
    "decode_rate": ("measured_decode_tokens_per_s_per_gpu",),
}
# Assumptions behind what waits for repair.
FAILING = ("gpu_failures_per_year", "server_failures_per_year", "turnaround_days", "spares_confidence")
# Factors behind which stands a field of the scenario's reliability.
RELIABILITY = {
    "mtbf_h": "interruptions_per_1000_server_days",
    "restart_minutes": "restart_minutes",
    "save_s": "checkpoint_write_gb_per_s",
    "other_time_lost": "other_time_lost",
    "short_h": "turnaround_days",
}
# How GPUs follow from a kind of work, over the factors of its requirement; told is the first that gives the number.
RULES: dict[str, tuple[str, ...]] = {
    "pool": (
        "mean * peak_to_mean / target_utilisation",
        "mean * peak_to_mean / target_utilisation / available",
        "mean * peak_to_mean",
        "max(mean * peak_to_mean / target_utilisation, largest_job)",
    ),
    **dict.fromkeys(
        ("training", "tuning", "batch", "hpc"),
        (
            "max(mean / target_utilisation, largest_job)",
            "max(mean, largest_job) / target_utilisation",
            "max(mean / target_utilisation, largest_job / target_utilisation)",
            "mean / target_utilisation",
        ),
    ),
    "serving": (
        "ceil(mean * diurnal * burst / target_utilisation / server_gpus) * server_gpus + reserve",
        "ceil(mean * diurnal * burst / target_utilisation / largest_job) * largest_job + reserve",
    ),
}
# Factors left out at 1, where they stand for "does not apply", or at 0.
SILENT = {"allocation", "available", "convert"}


def served_share(subject: Subject) -> Node:
    hours, allocation = subject.calendar.hours, subject.plan.allocation
    parts = [
        subject.figure(key, label, float((gpus[0] * hours).sum()), "GPU-hour")
        for key, label, gpus in (
            ("owned", gettext("On owned GPUs"), allocation.useful_owned),
            ("rented", gettext("On rented GPUs"), allocation.useful_rented),
            ("unmet", gettext("Undone"), allocation.unmet),
        )
    ]
    demanded = subject.figure(
        "demand",
        gettext("Demanded"),
        float((subject.plan.demand[0] * hours).sum()),
        "GPU-hour",
        combine="sum",
        children=parts,
        drivers=subject.drivers(_demand_paths(subject)),
    )
    return subject.figure(
        "served_share",
        gettext("Demand met"),
        subject.plan.served_share,
        "share",
        children=[demanded],
        expression="1 - unmet / demand" if demanded["value"] else "1",
        inputs={part["key"]: part["value"] for part in parts},
        formula=gettext("1 − GPU-hours undone ÷ GPU-hours demanded"),
    )


def useful_hours(subject: Subject) -> Node:
    """Useful GPU-hours, discounted like the money they are divided into."""
    allocation, hours, discount = subject.plan.allocation, subject.calendar.hours, subject.plan.running_discount
    parts = [
        subject.figure(
            key,
            label,
            float((gpus * hours * discount).sum()),
            "GPU-hour",
            combine="sum",
            months=_busy_months(subject, gpus),
            formula=gettext("GPUs busy × hours of the month × discount factor"),
        )
        for key, label, gpus in (
            ("owned", gettext("On owned GPUs"), allocation.useful_owned[0]),
            ("rented", gettext("On rented GPUs"), allocation.useful_rented[0]),
        )
        if gpus.any()
    ]
    return subject.figure(
        "useful_hours",
        gettext("Useful GPU-hours, discounted"),
        float((subject.plan.useful_hours * discount).sum()),
        "GPU-hour",
        combine="sum",
        children=parts,
        drivers=subject.drivers(_demand_paths(subject)),
    )


def _busy_months(subject: Subject, gpus: Array) -> Iterator[dict[str, Any]]:
    for m in np.flatnonzero(gpus).tolist():
        busy, hours, discount = (
            float(gpus[m]),
            float(subject.calendar.hours[m]),
            float(subject.plan.running_discount[m]),
        )
        yield {
            "month": m,
            "label": subject.month(m),
            "terms": [busy, hours],
            "quantity": busy,
            "unit_price": hours,
            "amount": busy * hours,
            "quantity_text": subject.counted(busy, "GPU"),
            "unit_price_text": subject.counted(hours, "hour"),
            "amount_text": wording.number(busy * hours),
            "discount": discount,
            "value": busy * hours * discount,
            "value_text": wording.number(busy * hours * discount),
        }


def unmet_cost(subject: Subject) -> Node:
    label, hours = gettext("Price of unmet work"), subject.plan.allocation.unmet[0] * subject.calendar.hours
    total = float(hours.sum())
    if not total:
        return subject.money("unmet_cost", label, 0.0, formula=gettext("all demand is met"))
    cells = [
        {
            "month": m,
            "label": subject.month(m),
            "quantity": float(hours[m]),
            "value": float(hours[m]),
            "quantity_text": subject.counted(float(hours[m]), "GPU-hour", m),
        }
        for m in np.flatnonzero(hours).tolist()
    ]
    parts = [subject.figure("hours", gettext("GPU-hours undone"), total, "GPU-hour", months=cells, combine="sum")]
    cost, factor = subject.plan.unmet_cost, subject.scenario.market.unmet_penalty_factor
    if cost is not None and factor:
        hourly = cost / total / factor
        node = subject.money("hourly", gettext("Cloud price per GPU-hour, on average"), hourly)
        parts.append({**node, "value_text": wording.unit_price(hourly, subject.currency)})
    return subject.money(
        "unmet_cost",
        label,
        cost,
        children=parts,
        expression="hours * hourly * factor" if len(parts) > 1 else "",
        inputs={"factor": factor},
        formula=gettext("GPU-hours undone × cloud price of the month × {factor}; in no total").format(
            factor=wording.number(factor)
        ),
        drivers=subject.drivers(("market/unmet_penalty_factor", "market/provider_class")),
    )


def capacity(subject: Subject) -> Node:
    """GPUs that planning asks for in the busiest month, each factor once, by name."""
    plan = subject.plan
    needed = np.where(np.isfinite(plan.needed[0]), plan.needed[0], 0.0)
    # whole servers and jobs make many months need the most: of these the one with the most work
    m = int(np.argmax(np.where(needed >= needed.max() - 1e-9, plan.demand[0], -1.0)))
    start = plan.plan.start.build if plan.plan.start else next(iter(plan.requirements), None)
    return subject.figure(
        "capacity",
        gettext("GPUs needed"),
        float(plan.needed[0, m]),
        "GPU",
        combine="sum",
        children=[
            _requirement(subject, slug, need, m) for slug, need in plan.requirements.get(start or "", {}).items()
        ],
        related=[_under_repair(subject, holding, m) for holding in plan.fleet.holdings if _fails(subject, holding, m)],
        formula=gettext("in {month}, the busiest month; in working order then: {there}").format(
            month=subject.month(m), there=subject.counted(float(plan.capacity[m]), "GPU")
        ),
    )


def _fails(subject: Subject, holding: Holding, m: int) -> bool:
    return holding.machine.slug in subject.plan.repairs and bool(holding.cards[0, m] > 0)


def _under_repair(subject: Subject, holding: Holding, m: int) -> Node:
    """GPUs of one kind of machine that are missing on average, having failed and found no spare."""
    repairs, apart = subject.plan.repairs[holding.machine.slug], holding.machine.addon is not None
    hosts, cards = float(holding.hosts[0, m]), float(holding.cards[0, m])
    kinds = [("servers", hosts, "server", repairs.server_rate, repairs.spare_servers)]
    if apart:
        kinds.append(("cards", cards, "GPU", repairs.card_rate, repairs.spare_cards))
    turnaround = subject.scenario.reliability.turnaround_days
    children = []
    for key, units, unit, rate, spares in kinds:
        away = units * rate * turnaround / DAYS_PER_YEAR
        kept = float(spares[0, m])
        formula = gettext("{units} × {rate} failures a year × {days} ÷ 365; spares: {spares}").format(
            units=subject.counted(units, unit),
            rate=wording.number(rate),
            days=subject.counted(turnaround, "day"),
            spares=wording.number(kept),
        )
        label = gettext("Cards away for repair") if key == "cards" else gettext("Servers away for repair")
        children.append(subject.figure(key, label, away, unit, formula=formula))
    return subject.figure(
        "under_repair",
        gettext("Missing under repair, {item}").format(item=wording.item(holding.machine.slug, subject.book)),
        float(repairs.under_repair[0, m]),
        "GPU",
        children=children,
        formula=gettext("GPUs whose failure finds no spare, on average (Poisson); taken off what is owned"),
        drivers=subject.drivers(f"reliability/{name}" for name in FAILING),
    )


def _requirement(subject: Subject, slug: str, need: Requirement, m: int) -> Node:
    """One workload's GPUs: its mean, then every factor by name."""
    work = next(work for work in subject.scenario.demand.workloads if work.slug == slug)
    base = f"demand/workloads/{slug}"
    paths = [path for path in _demand_paths(subject) if path.startswith(base + "/")]
    mean = float(need.mean[0, m])
    children = [
        subject.figure(
            "mean", wording.factor_name("mean"), mean, "GPU", drivers=subject.drivers(paths), formula=_mean(work)
        )
    ]
    for name, value in need.factors.items():
        if (name in SILENT and abs(value - 1.0) < 1e-12) or (name == "attention_flop" and not value):
            continue
        if name == "measured_rate":
            unit, scale, field = MEASURED[work.kind]
            fields: tuple[str, ...] = (field,)
        else:
            (unit, scale), fields = FACTOR_UNITS.get(name, ("1", 1.0)), FIELDS.get(name, (name,))
        label = wording.factor_name(name)
        if name in ("power_share", "power_limit"):
            children.append(_power_limit(subject, name, label, value))
            continue
        behind = [f"{base}/{field}" for field in fields if hasattr(work, field)]
        if name in RELIABILITY:
            behind.append(f"reliability/{RELIABILITY[name]}")
        drivers = subject.drivers(behind + _spread_paths(subject, name))
        formula = _run_hours(work, need) if name == "gpu_hours_per_run" else wording.loss(name, work, need)
        children.append(subject.figure(name, label, value / scale, unit, drivers=drivers, formula=formula))
    if need.reserve[0, m]:
        children.append(subject.figure("reserve", gettext("GPUs in spare servers"), float(need.reserve[0, m]), "GPU"))
    required = float(need.required[0, m])
    inputs = {**need.factors, "mean": mean, "reserve": float(need.reserve[0, m]), "largest_job": float(need.gang)}
    return subject.figure(
        slug,
        wording.workload_named(subject.scenario, slug),
        required,
        "GPU",
        children=children,
        expression=reproducing(RULES[work.kind], inputs, required),
        inputs=inputs,
        formula=f"{_rule(work.kind)} · {wording.limits(need)}",
    )


def power_limit_path(subject: Subject) -> str:
    """The assumption that limits the power of the plan's GPUs."""
    own = subject.plan.plan.gpu_power_limit_w is not None
    return f"plans/{subject.plan.slug}/gpu_power_limit_w" if own else "operations/gpu_power_limit_w"


def _power_limit(subject: Subject, name: str, label: str, value: float) -> Node:
    """What the limit leaves of a card's power, and what that leaves of its speed by the measured curve."""
    path = power_limit_path(subject)
    if name == "power_share":
        return subject.figure(name, label, value, "share", drivers=subject.drivers([path]))
    declared = wording.declaration(path, subject.document)
    assert declared is not None
    return subject.figure(
        name,
        label,
        value,
        "share",
        drivers=subject.drivers([path]),
        formula=gettext("measured at 50, 67 and 83 % of the power, with 4 to 64 requests at once; linear in between"),
        source=subject.source(Source(basis="sourced", url=declared.source)),
    )


def _spread_paths(subject: Subject, factor: str) -> list[str]:
    """The assumptions behind what a job keeps of its speed as it spreads."""
    return {
        "scaling_share": ["demand/scaling/joined", "demand/scaling/pcie"],
        "network_share": ["demand/scaling/between_servers", f"plans/{subject.plan.slug}/fabric/network"],
    }.get(factor, [])


def _run_hours(work: Workload, need: Requirement) -> str:
    """How the GPU-hours of a run follow from its tokens."""
    if "measured_rate" in need.factors:
        return gettext("tokens ÷ (measured tokens a second × goodput × 3,600)")
    rule = gettext(
        "(operations per parameter and token × active parameters + attention) × tokens ÷ (peak rate × model FLOPS "
        "utilisation × goodput × 3,600)"
    )
    if work.kind == "tuning":
        return gettext("{rule}; under 100 million tokens at most 10 % of the peak and at least one hour").format(
            rule=rule
        )
    return rule


def _mean(work: Workload) -> str:
    """How the mean follows from what the document states."""
    match work.kind:
        case "training" | "tuning":
            return gettext("runs a month × GPU-hours per run ÷ hours of a month, with growth and software speed-up")
        case "serving":
            return gettext(
                "requests a second ÷ (requests a second per GPU × load within the latency class), "
                "with growth and software speed-up"
            )
        case "batch":
            return gettext("amount a month ÷ (amount a second per GPU × seconds of a month), with growth and speed-up")
        case "hpc" if work.measured_tflops_per_gpu is not None:
            return gettext("operations a month ÷ (measured rate × seconds of a month), with growth and speed-up")
        case "hpc":
            return gettext(
                "operations a month ÷ (FP64 peak × share of the peak × seconds of a month), with growth and speed-up"
            )
        case "pool" if work.gpu_hours_per_month is not None:
            return gettext("GPU-hours a month ÷ hours of the month, with growth and software speed-up")
    return gettext("GPUs today, with growth and software speed-up")


def _rule(kind: str) -> str:
    """How GPUs follow from a kind of work."""
    return {
        "pool": gettext("mean × peak to mean ÷ target utilisation (÷ available share where work is in GPU-hours)"),
        "training": gettext("the larger of mean work and one run's GPUs ÷ target utilisation"),
        "tuning": gettext("mean ÷ target utilisation, at least the GPUs of one run"),
        "serving": gettext(
            "the larger of mean × daily peak × burst factor ÷ target utilisation and the places of the requests under "
            "way, up to whole servers, + spare servers"
        ),
        "batch": gettext("mean ÷ target utilisation, at least the GPUs that hold the model"),
        "hpc": gettext("mean ÷ target utilisation, at least the GPUs of the largest job"),
    }[kind]


def _demand_paths(subject: Subject) -> list[str]:
    """The assumptions about the amount of work and its growth."""
    fields = {
        "pool": ("gpus", "gpu_hours_per_month"),
        "training": ("tokens_b", "runs_per_month"),
        "tuning": ("tokens_m", "runs_per_month"),
        "serving": ("requests_per_day",),
        "batch": ("items_m_per_month", "tokens_b_per_month"),
        "hpc": ("exaflop_per_month",),
    }
    paths = []
    for work in subject.scenario.demand.workloads:
        base = f"demand/workloads/{work.slug}"
        paths += [f"{base}/{name}" for name in fields[work.kind] if getattr(work, name) is not None]
        paths += [f"{base}/growth/{name}" for name in ("rate_per_month", "ceiling") if hasattr(work.growth, name)]
    return paths

"""Cases worked by hand, computed by the public path: scenario and price book in, `evaluate` answers, we compare.

Each kind has a converter; each expected field a reader.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from planner.engine.evaluate import Evaluation, PlanResult, evaluate
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES
from planner.engine.prices import PriceBook
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Leading, Solver
from planner.engine.validation.units import unit_of

# The worked cases know purchases, energy and cloud use, nothing else.
KNOWN_LINES = {"capex.accelerators_and_servers", "opex.energy_it", "opex.energy_overhead", "opex.cloud_usage"}
ONLY_KNOWN = {name: name in KNOWN_LINES for name in CATEGORIES}

# The scale-out cases state a card at 0.7 kW and a chassis at 1.0 kW, always on, PUE 1.3, 0.10 a kWh
# (rules of hand_cases.json).
CARD_KW, CHASSIS_KW, PUE, TARIFF = 0.7, 1.0, 1.3, 0.10

# Lowest and highest of what a converter computes with, before a document checks it.
SHARE, COUNT, MONEY = (0.0, 1.0), (0.0, 1e9), (0.0, 1e15)
BOUNDS = {
    **dict.fromkeys(("init", "n", "lead", "d0"), COUNT),
    **dict.fromkeys(("chassis_slots", "batch"), (1.0, 1e9)),
    **dict.fromkeys(("card0", "chassis0", "price", "tariff"), MONEY),
    **dict.fromkeys(("idle_kw", "typical_kw", "max_kw"), (0.0, 1e6)),
    **dict.fromkeys(("g", "decline", "rate", "esc"), (-0.99, 10.0)),
    **{"thr": (0.0, 1.0), "n_gpu_busy_share": SHARE, "pue": (1.0, 10.0), "months": (1.0, 1200.0)},
}


# ── Converters ───────────────────────────────────────────────────────────────────────────────────────────────────────


def _documents(
    inputs: Inputs,
    *,
    gpus: float,
    growth: dict[str, Any],
    plan: dict[str, Any],
    builds: dict[str, Any],
    addons: dict[str, Any] | None = None,
    offers: dict[str, Any] | None = None,
    utilisation: float = 1.0,
    decline: float = 0.0,
    pue: float = PUE,
    tariff: float = TARIFF,
    escalation: float = 0.0,
) -> tuple[dict[str, Any], dict[str, Any]]:
    path = {"rate_per_year": -decline}
    scenario = {
        "start": inputs["start"],
        "months": inputs["months"],
        "currency": "USD",
        "pricing_date": f"{inputs['start']}-01",
        "demand": {
            "workloads": [
                {
                    "kind": "pool",
                    "slug": "work",
                    "accelerator": "gpu",
                    "gpus": gpus,
                    "growth": growth,
                    "target_utilisation": utilisation,
                }
            ]
        },
        "plans": [{"slug": inputs.get("plan", "plan"), **plan}],
        "sites": [
            {
                "slug": "room",
                "kind": "server_room",
                "region": "case",
                "electricity_price_per_kwh": tariff,
                "pue": pue,
                "rack_kg": None,
            }
        ],
        "market": {
            "accelerator": path,
            "memory_flash": path,
            "rest": path,
            "electricity": {"rate_per_year": escalation},
        },
        "finance": {"discount_rate": inputs["rate"], "residual_at_horizon": False},
        "lines": ONLY_KNOWN,
    }
    prices = {
        "currency": "USD",
        "pricing_date": f"{inputs['start']}-01",
        "accelerators": {
            "gpu": {"slug": "gpu", "name": "GPU", "bf16_tflops": 1.0, "memory_bw_gbps": 1.0, "memory_gb": 1.0}
        },
        "builds": builds,
        "addons": addons or {},
        "offers": offers or {},
        "costs": {
            "commissioning-days": {"slug": "commissioning-days", "low": 0, "likely": 0, "high": 0, "unit": "days"}
        },
    }
    return scenario, prices


def _price(amount: float) -> dict[str, Any]:
    return {"amount": amount, "currency": "USD", "source": {"basis": "quoted"}}


def _constant() -> dict[str, Any]:
    return {"kind": "constant"}


def _compound(inputs: Inputs) -> dict[str, Any]:
    return {"kind": "compound", "rate_per_month": inputs["g"]} if inputs["g"] else _constant()


def _energy(inputs: Inputs) -> tuple[dict[str, Any], dict[str, Any]]:
    """One machine, bought at once, busy for a share of its time."""
    build = {
        "slug": "machine",
        "name": "machine",
        "accelerator": "gpu",
        "accelerator_count": 1,
        "chassis_slots": 1,
        "max_kw": inputs.get("max_kw", inputs["typical_kw"]),
        "typical_kw": inputs["typical_kw"],
        "idle_kw": inputs["idle_kw"],
        "in_rack": False,
        "price": _price(inputs["price"]),
    }
    return _documents(
        inputs,
        gpus=inputs["n_gpu_busy_share"],
        growth=_constant(),
        plan={"start": {"build": "machine"}, "end_of_life": {"life_months": 240}},
        builds={"machine": build},
        pue=inputs["pue"],
        tariff=inputs["tariff"],
        escalation=inputs.get("esc", 0.0),
    )


def _chassis(inputs: Inputs, first_cards: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """A chassis with slots, and the card that fills them. The build is the chassis with one card."""
    slots = inputs["chassis_slots"]
    kw = CHASSIS_KW + CARD_KW
    build = {
        "slug": "machine",
        "name": "machine",
        "accelerator": "gpu",
        "accelerator_count": 1,
        "chassis_slots": max(slots, 1),
        "max_kw": kw,
        "typical_kw": kw,
        "idle_kw": kw,
        "in_rack": False,
        "memory_share": 0.0,
        "price": _price(inputs["chassis0"] + inputs["card0"]),
    }
    addon = {
        "slug": "card",
        "build": "machine",
        "accelerator": "gpu",
        "max_kw": CARD_KW,
        "typical_kw": CARD_KW,
        "idle_kw": CARD_KW,
        "price": _price(inputs["card0"]),
    }
    return {"machine": build}, {"machine": addon}


def _start(inputs: Inputs, cards: int) -> dict[str, Any] | None:
    if cards == 0:
        return None
    return {"build": "machine", "quantity": math.ceil(cards / inputs["chassis_slots"]), "cards": cards}


def _scale_out(inputs: Inputs) -> tuple[dict[str, Any], dict[str, Any]]:
    builds, addons = _chassis(inputs, inputs["init"])
    return _documents(
        inputs,
        gpus=inputs["d0"],
        growth=_compound(inputs),
        utilisation=inputs["thr"],
        decline=inputs["decline"],
        plan={
            "start": _start(inputs, inputs["init"]),
            "lead_months": inputs["lead"],
            "end_of_life": {"life_months": 240},
            "follow_up": {
                "kind": "cards",
                "batch": inputs.get("batch", 1),
                "build": "machine",
                "min_service_months": 0,
            },
        },
        builds=builds,
        addons=addons,
    )


def _up_front(inputs: Inputs) -> tuple[dict[str, Any], dict[str, Any]]:
    builds, addons = _chassis(inputs, inputs["n"])
    return _documents(
        inputs,
        gpus=inputs["d0"],
        growth=_compound(inputs),
        decline=inputs.get("decline", 0.0),
        plan={"start": _start(inputs, inputs["n"]), "end_of_life": {"life_months": 240}},
        builds=builds,
        addons=addons,
    )


def _cloud(inputs: Inputs) -> tuple[dict[str, Any], dict[str, Any]]:
    offer = {
        "slug": "offer",
        "provider": "case",
        "provider_class": "neocloud",
        "accelerator": "gpu",
        "price": _price(inputs["price"]),
    }
    return _documents(
        inputs,
        gpus=inputs["d0"],
        growth=_compound(inputs),
        decline=inputs["decline"],
        plan={"overflow": {"accelerator": "gpu", "offer": "offer"}},
        builds={},
        offers={"offer": offer},
    )


# ── Readers: raw figures of the first trial, before rounding ─────────────────────────────────────────────────────────


def _raw(result: PlanResult, *categories: str) -> np.ndarray:
    return np.asarray(
        sum((line.amount[0] for line in result.lines if line.category in categories), np.zeros(result.calendar.months))
    )


def _all(result: PlanResult) -> np.ndarray:
    return _raw(result, *CATEGORIES)


def _orders(result: PlanResult, _evaluation: Evaluation) -> list[dict[str, int]]:
    orders = []
    for holding in result.fleet.holdings:
        first = {"month": 0, "cards": holding.first_cards, "chassis": holding.first_hosts, "in_service": 0}
        if holding.first_cards:
            orders.append(first)
        for m in range(result.calendar.months):
            cards = int(holding.ordered_cards[0, m]) - (holding.first_cards if m == 0 else 0)
            chassis = int(holding.ordered_hosts[0, m]) - (holding.first_hosts if m == 0 else 0)
            if cards or chassis:
                orders.append({"month": m, "cards": cards, "chassis": chassis, "in_service": m + int(holding.leads[m])})
    return orders


_ENERGY = ("opex.energy_it", "opex.energy_overhead")
_FIELDS: dict[str, Callable[[PlanResult, Evaluation], Any]] = {
    "hours_total": lambda r, e: float(e.calendar.hours.sum()),
    "it_energy_kwh": lambda r, e: float((r.housing.draw[0] * e.calendar.hours).sum()),
    "facility_kwh": lambda r, e: float((r.facility_kw * e.calendar.hours).sum()),
    "energy_it_cost": lambda r, e: float(_raw(r, "opex.energy_it").sum()),
    "energy_overhead_cost": lambda r, e: float(_raw(r, "opex.energy_overhead").sum()),
    "energy_month_cost": lambda r, e: Leading(float(value) for value in _raw(r, *_ENERGY)),
    "energy_total": lambda r, e: float(_raw(r, *_ENERGY).sum()),
    "capex": lambda r, e: float(_raw(r, "capex.accelerators_and_servers").sum()),
    "capex_total": lambda r, e: float(_raw(r, "capex.accelerators_and_servers").sum()),
    "nominal_total": lambda r, e: float(_all(r).sum()),
    "present_value": lambda r, e: float((_all(r) * r.discount).sum()),
    "first_month": lambda r, e: float(_all(r)[0]),
    "last_month": lambda r, e: float(_all(r)[-1]),
    "orders": _orders,
    "capacity": lambda r, e: [int(value) for value in (r.fleet.capacity() + np.zeros((1, e.scenario.months)))[0]],
    "unmet_months": lambda r, e: [int(m) for m in np.flatnonzero(~r.allocation.met[0])],
    "useful_gpu_hours": lambda r, e: float(r.useful_hours.sum()),
    "discounted_useful_gpu_hours": lambda r, e: float((r.useful_hours * r.running_discount).sum()),
}


# ── Solvers ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _by(convert: Callable[[Inputs], tuple[dict[str, Any], dict[str, Any]]]) -> Solver:
    """A solver that hands the converted case to `evaluate` and reads its one plan."""

    def solve(inputs: Inputs) -> Answer:
        for name in inputs.names():
            if name in BOUNDS:
                low, high = BOUNDS[name]
                if not low <= inputs.number(name) <= high:
                    raise InputError(
                        Problem(("inputs", name), "out_of_bounds", inputs[name], low, high, unit_of(name) or "1")
                    )
        scenario, prices = convert(inputs)
        evaluation = evaluate(Scenario.read(scenario), PriceBook.read(prices))
        return {name: _reader(read, evaluation) for name, read in _FIELDS.items()}

    return solve


def _reader(read: Callable[[PlanResult, Evaluation], Any], evaluation: Evaluation) -> Callable[[], Any]:
    return lambda: read(evaluation.plans[0], evaluation)


SOLVERS: dict[str, Solver] = {
    "energy": _by(_energy),
    "scale_out": _by(_scale_out),
    "up_front": _by(_up_front),
    "cloud": _by(_cloud),
}

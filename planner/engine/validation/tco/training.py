"""Published costs of training: time at an achieved speed, rented hours, hardware that loses value, energy."""

from __future__ import annotations

import datetime as dt
from functools import partial

from planner.engine import finance
from planner.engine import workload as w
from planner.engine.facility import power_bill
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.tco.names import stems

DAYS_PER_YEAR = 365.25
HOURS_PER_YEAR = DAYS_PER_YEAR * 24.0


def training_time(i: Inputs) -> Answer:
    """Days of runs with full recomputation, 8·N·D/(n·X), at an achieved speed X of a GPU."""

    def days(run: str) -> float:
        hours = w.training_gpu_hours(
            i.number(f"{run}_parameters"),
            i.number(f"{run}_tokens"),
            i.number(f"{run}_flops_per_gpu"),
            1.0,
            1.0,
            w.FLOP_PER_PARAM["recompute_hw"],
        )
        return float(w.wall_days(hours, i.number(f"{run}_gpus")))

    return {f"{run}_days": partial(days, run) for run in stems(i, "_tokens")}


def training_run_cost(i: Inputs) -> Answer:
    """A run at a price per GPU-hour, by stages or by days; or on hardware whose price falls."""
    if "price_per_chip_usd" in i:
        return _falling_hardware(i)
    return _staged(i) if any(stems(i, "_gpu_hours")) else _rented(i)


def _staged(i: Inputs) -> Answer:
    """GPU-hours of all stages, and each at the price of an hour."""
    stages = list(stems(i, "_gpu_hours"))

    def hours(stage: str) -> float:
        return i.number(f"{stage}_gpu_hours")

    def bill(stage: str) -> float:
        return hours(stage) * i.number("usd_per_gpu_hour")

    return {
        "total_gpu_hours": lambda: sum(map(hours, stages)),
        **{f"{stage}_usd": partial(bill, stage) for stage in stages},
        "total_usd": lambda: sum(map(bill, stages)),
    }


def _rented(i: Inputs) -> Answer:
    """GPUs rented for some days, and what buying them would cost, the GPUs alone."""

    def hours() -> float:
        return i.number("gpu_hours") if "gpu_hours" in i else i.number("gpus") * i.number("days") * 24.0

    def rental() -> float:
        return hours() * i.number("usd_per_gpu_hour")

    def purchase() -> float:
        return i.number("gpus") * i.number("usd_per_gpu")

    return {
        "gpu_hours": hours,
        "rental_usd": rental,
        "purchase_usd": purchase,
        "purchase_to_rental_ratio": lambda: purchase() / rental() if rental() else 0.0,
    }


def _falling_hardware(i: Inputs) -> Answer:
    """Chip-hours at the loss of market value when the run begins, their share of the network, and their energy.

    Prices are moved to the money of another month by a price index.
    """

    def age_years() -> float:
        released = _day(i, "chip_release_date") + dt.timedelta(days=i.number("release_to_acquisition_days"))
        bought = max(released, _day(i, "price_date"))
        return (_day(i, "training_start") - bought).days / DAYS_PER_YEAR

    def with_network(amount: float) -> float:
        return amount / (1.0 - i.number("interconnect_fraction_of_cluster"))

    def in_money_of(amount: float) -> float:
        return amount * i.number("price_index_to", 1.0) / i.positive("price_index_from", 1.0)

    def hardware() -> float:
        decades = i.number("price_performance_ooms_per_year")
        value = finance.declining_value(i.number("price_per_chip_usd"), age_years(), decades)
        per_hour = finance.declining_rent(value, decades) / HOURS_PER_YEAR
        return in_money_of(with_network(i.number("chip_hours") * per_hour))

    def energy() -> float:
        kwh = i.number("chip_hours") * i.number("server_kw_per_chip") * i.number("average_power_fraction")
        return in_money_of(float(power_bill(kwh * i.number("pue"), i.number("electricity_usd_per_kwh"))))

    return {
        "amortised_hardware_usd": hardware,
        "energy_usd": energy,
        "amortised_hardware_and_energy_usd": lambda: hardware() + energy(),
        "acquisition_usd": lambda: in_money_of(with_network(i.number("chips") * i.number("price_per_chip_usd"))),
    }


def _day(i: Inputs, name: str) -> dt.datetime:
    try:
        return dt.datetime.fromisoformat(str(i[name]))
    except ValueError:
        raise InputError(Problem(("inputs", name), "bad_format", i[name])) from None


SOLVERS: dict[str, Solver] = {"training_time": training_time, "training_run_cost": training_run_cost}

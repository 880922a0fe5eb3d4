"""Published costs of machines: energy, failures, running cost per hour, a part's share, a bill of materials."""

from __future__ import annotations

from functools import partial
from typing import Any

from planner.engine import finance
from planner.engine import reliability as r
from planner.engine.facility import power_bill
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.tco.names import HOURS_PER_MONTH, HOURS_PER_YEAR, first_of, joined, stems


def energy_and_pue(i: Inputs) -> Answer:
    return _runs_energy(i) if "gpu_hours" in i else _cluster_energy(i)


def _runs_energy(i: Inputs) -> Answer:
    """Energy at the meter, emissions and bill of runs of so many GPU-hours."""
    runs = i["gpu_hours"] if isinstance(i["gpu_hours"], dict) else {}

    def mwh(run: str) -> float:
        return float(runs[run]) * i.number("gpu_w") / 1e6 * i.number("pue")

    def tonnes(run: str) -> float:
        return mwh(run) * i.number("kg_co2e_per_kwh")

    def bill(run: str) -> float:
        return float(power_bill(mwh(run) * 1e3, i.number("electricity_usd_per_kwh")))

    answer: dict[str, partial[float]] = {}
    for run in runs:
        answer |= {f"{run}_mwh": partial(mwh, run), f"{run}_tco2e": partial(tonnes, run)}
        answer |= {f"{run}_electricity_usd": partial(bill, run)}
    return answer


def _cluster_energy(i: Inputs) -> Answer:
    """Power, yearly energy and its bill of a cluster, from the watts of a server with its share of everything else."""

    def per_gpu(watts: str) -> float:
        return i.number(watts) / i.positive("gpus_per_server") / 1e3

    def critical_mw() -> float:
        return i.number("gpus") * per_gpu("superpod_w_per_server") / 1e3

    def grid_mw() -> float:
        return critical_mw() * i.number("power_utilisation") * i.number("pue")

    def energy_mwh() -> float:
        return grid_mw() * HOURS_PER_YEAR

    return {
        "server_kw_per_gpu": lambda: per_gpu("server_w"),
        "cluster_kw_per_gpu": lambda: per_gpu("superpod_w_per_server"),
        "critical_it_mw": critical_mw,
        "average_grid_mw": grid_mw,
        "energy_mwh_per_year": energy_mwh,
        "electricity_usd_per_year": lambda: float(power_bill(energy_mwh() * 1e3, i.number("electricity_usd_per_kwh"))),
        "tco2e_per_year": lambda: energy_mwh() * i.number("kg_co2e_per_kwh"),
    }


# ── Failures ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def reliability_goodput(i: Inputs) -> Answer:
    """GPU-hours that failures cost, for each class of provider; or how long jobs of several sizes run undisturbed."""
    if "failures_per_1000_node_days" in i or "failures_per_node_day" in i:
        return mttf_projection(i)
    tiers = list(stems(i, "_mtbf_gpu_h")) or [""]

    def of(tier: str, name: str, default: float | None = None) -> float:
        return first_of(i, (joined(tier, name), name), default)

    def loss(tier: str) -> float:
        """With a cold spare, a hot one (only the failed machines wait for repair), or without a restart."""
        job, mtbf, detect = i.number("job_gpus"), of(tier, "mtbf_gpu_h"), of(tier, "detect_h")
        repair = of(tier, "repair_h", 0.0)
        hot = any(name in i for name in (joined(tier, "blast_gpus"), "blast_gpus"))
        if any(name in i for name in (joined(tier, "failover_h"), "failover_h")):
            return float(r.failover_loss(job, mtbf, detect, of(tier, "failover_h"), repair, of(tier, "blast_gpus")))
        blast = of(tier, "blast_gpus") if hot else None
        interval, init = of(tier, "checkpoint_interval_h"), of(tier, "init_h")
        return float(r.restart_loss(job, mtbf, interval, detect, init, repair, blast_gpus=blast))

    def kept(tier: str) -> float:
        """Of what is paid for: spares that wait and what the software takes are lost too."""
        return (1.0 - loss(tier)) * (1.0 - of(tier, "spare_fraction", 0.0)) * (1.0 - of(tier, "overhead_fraction", 0.0))

    def price(tier: str) -> float:
        return of(tier, "usd_per_gpu_hour") / kept(tier) if kept(tier) else 0.0

    answer: dict[str, partial[float]] = {}
    for tier in tiers:
        answer |= {
            joined("goodput_loss", tier): partial(loss, tier),
            joined("goodput", tier): partial(kept, tier),
            joined(tier, "usd_per_useful_gpu_hour"): partial(price, tier),
        }
    return answer


def mttf_projection(i: Inputs) -> Answer:
    """Mean time to failure of jobs of several sizes, from the rate of one server."""

    def rate() -> float:
        if "failures_per_1000_node_days" in i:
            return i.number("failures_per_1000_node_days") / 1e3
        return i.number("failures_per_node_day")

    def hours(gpus: float) -> float:
        return float(r.job_mtbf_days(gpus / i.positive("gpus_per_node", 8), rate())) * 24.0

    name = "job_gpus" if "job_gpus" in i else "gpus"
    if not isinstance(i.get(name), list):
        return {f"{word}_{unit}": lambda: hours(i.number(name)) for word in ("mttf", "mtbf") for unit in ("h", "hours")}
    return {
        pattern.format(size): partial(hours, size)
        for size in i.numbers(name)
        for pattern in ("mttf_h_{:.0f}_gpus", "mttf_{:.0f}_gpus_h", "mttf_h_{:.0f}")
    } | {"mttf_h": lambda: [hours(size) for size in i.numbers(name)]}


# ── Money per hour, per part ─────────────────────────────────────────────────────────────────────────────────────────


def opex_build_up(i: Inputs) -> Answer:
    """Running cost per hour of servers: upkeep of the price, power and cooling, space."""
    servers = list(stems(i, "_usd", "capex_")) or [""]

    def capex(server: str) -> float:
        return i.number(joined("capex", server, "usd"))

    def upkeep(server: str) -> float:
        return i.number("maintenance_rate_per_year", 0.0) * capex(server) / HOURS_PER_YEAR

    def energy(server: str) -> float:
        stated, kw = joined("power_cooling", server, "usd_per_hour"), joined("server", server, "kw")
        if stated in i:
            return i.number(stated)
        per_kwh = i.number("electricity_usd_per_kwh") * i.number("pue", 1.0) + i.number("air_cooling_usd_per_kwh", 0.0)
        return float(power_bill(i.number(kw), per_kwh))

    def space() -> float:
        hours = i.positive("hours_per_month_used_for_colocation", HOURS_PER_MONTH)
        return i.number("colocation_usd_per_month", 0.0) / hours

    def opex(server: str) -> float:
        return upkeep(server) + energy(server) + space()

    def life(server: str) -> float:
        return capex(server) + opex(server) * i.number("years") * HOURS_PER_YEAR

    if all(joined("power_cooling", server, "usd_per_hour") in i for server in servers):
        i.leave("electricity_usd_per_kwh", "air_cooling_usd_per_kwh", "pue")
    answer: dict[str, Any] = {"colocation_usd_per_hour": space}
    for server in servers:
        answer |= {
            joined("maintenance", server, "usd_per_hour"): partial(upkeep, server),
            joined("power_cooling", server, "usd_per_hour"): partial(energy, server),
            joined("opex", server, "usd_per_hour"): partial(opex, server),
            joined("total", server, "usd"): partial(life, server),
        }
    return answer


_PARTS = {"cores": "core", "gpus": "gpu", "servers": "server"}


def unit_cost(i: Inputs) -> Answer:
    """A server's price over the hours of its parts, and what a kilowatt-hour costs with cooling and equipment."""
    part = next((name for name in _PARTS if name in i), "cores")

    def hardware() -> float:
        hours = i.positive("life_years") * HOURS_PER_YEAR * i.positive("utilisation", 1.0)
        units = hours * i.positive(part)
        return float(finance.levelised_cost([i.number("server_usd")], [units], 1.0))

    def cooling() -> float:
        return i.number("server_electricity_usd_per_kwh") * i.number("cooling_multiple_of_server_electricity", 0.0)

    def cooled() -> float:
        return i.number("server_electricity_usd_per_kwh") + cooling()

    return {
        f"hardware_usd_per_{_PARTS[part]}_hour": hardware,
        "cooling_usd_per_kwh": cooling,
        "electricity_and_cooling_usd_per_kwh": cooled,
        "all_power_usd_per_kwh": lambda: cooled() + i.number("power_equipment_usd_per_kwh", 0.0),
    }


def bill_of_materials(i: Inputs) -> Answer:
    """Parts by quantity and unit price, their sum, shares, and the price per GPU."""
    parts = _parts(i)

    def total() -> float:
        return sum(amount for amount in parts.values())

    def share(name: str) -> float:
        return parts[name] / total() if total() else 0.0

    return {
        **{f"{name}_usd": partial(parts.__getitem__, name) for name in parts},
        **{f"{name}_share": partial(share, name) for name in parts},
        "total_usd": total,
        "usd_per_gpu": lambda: total() / i.positive("gpus"),
        "usd_per_server": lambda: total() / i.positive("servers"),
    }


def _parts(i: Inputs) -> dict[str, float]:
    """Amounts by name: from a list of rows, or from pairs of inputs `x_quantity` and `x_unit_usd`."""
    if "items" not in i:
        return {name: i.number(f"{name}_quantity") * i.number(f"{name}_unit_usd") for name in stems(i, "_quantity")}
    amounts: dict[str, float] = {}
    for k, row in enumerate(i["items"] if isinstance(i["items"], list) else []):
        try:
            name, amount = str(row.get("name", k)), float(row["quantity"]) * float(row["unit_usd"])
        except (AttributeError, KeyError, TypeError, ValueError):
            raise InputError(Problem(("inputs", "items", str(k)), "bad_format", row)) from None
        amounts[name] = amounts.get(name, 0.0) + amount
    return amounts


SOLVERS: dict[str, Solver] = {
    "energy_and_pue": energy_and_pue,
    "reliability_goodput": reliability_goodput,
    "mttf_projection": mttf_projection,
    "opex_build_up": opex_build_up,
    "unit_cost": unit_cost,
    "bill_of_materials": bill_of_materials,
}

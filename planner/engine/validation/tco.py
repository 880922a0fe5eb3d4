"""Published cost cases, as far as they are sizing: time, fleets, energy, goodput, rates per token.

What they say in money beyond a price per hour is not answered here: those fields are unsupported.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from planner.engine import reliability as r
from planner.engine import workload as w
from planner.engine.validation.base import Answer, Inputs, Solver


def _prefixes(i: Inputs, ending: str) -> Iterator[str]:
    """The names of several runs or classes of one case: what stands before `ending`."""
    yield from (name.removesuffix(ending) for name in i.names() if name.endswith(ending))


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

    return {f"{run}_days": partial(days, run) for run in _prefixes(i, "_tokens")}


def training_run_cost(i: Inputs) -> Answer:
    """GPU-hours of all stages."""
    stages = list(_prefixes(i, "_gpu_hours"))
    i.leave("usd_per_gpu_hour")
    return {"total_gpu_hours": lambda: sum(i.number(f"{stage}_gpu_hours") for stage in stages)} if stages else {}


_FLEET_MONEY = (
    "years",
    "node_usd",
    "network_storage_usd",
    "node_kw",
    "pue",
    "electricity_usd_per_kwh",
    "colocation_usd_per_kw_month",
    "maintenance_rate_per_year",
    "staff_fte",
    "usd_per_fte_year",
    "spares_usd",
)


def fleet_sizing_and_tco(i: Inputs) -> Answer:
    """Nodes for a token rate; speed scales with the bytes of active weights, within bounds."""
    i.leave(*_FLEET_MONEY)

    def node_tokens_per_s() -> float:
        reference = i.number("reference_active_params_b") * i.number("reference_bytes_per_param")
        ours = i.positive("model_active_params_b") * i.positive("model_bytes_per_param")
        scale = min(max(reference / ours, i.number("speed_clamp_low")), i.number("speed_clamp_high"))
        return i.number("tok_per_s_per_gpu") * scale * i.number("gpus_per_node")

    def nodes() -> int:
        demand = i.number("demand_mtok_per_min") * 1e6 / 60.0
        return int(w.servers_needed(demand, node_tokens_per_s(), u_max=i.number("utilisation_target")))

    def of_users() -> float:
        requests = i.number("daily_users") * i.number("requests_per_user_day")
        rate = float(w.arrival_rate(requests, i.number("peak_factor")))
        return rate * i.number("tokens_per_request") * 60.0 / 1e6

    return {
        "nodes": nodes,
        "gpus": lambda: nodes() * i.number("gpus_per_node"),
        "demand_from_users_mtok_per_min": of_users,
    }


def reliability_goodput(i: Inputs) -> Answer:
    """GPU-hours that failures cost, for each class of provider."""

    def loss(tier: str) -> float:
        return float(
            r.restart_loss(
                i.number("job_gpus"),
                i.number(f"{tier}_mtbf_gpu_h"),
                i.number("checkpoint_interval_h"),
                i.number(f"{tier}_detect_h"),
                i.number(f"{tier}_init_h"),
                i.number(f"{tier}_repair_h", 0.0),
            )
        )

    return {f"goodput_loss_{tier}": partial(loss, tier) for tier in _prefixes(i, "_mtbf_gpu_h")}


def energy_and_pue(i: Inputs) -> Answer:
    return _runs_energy(i) if "gpu_hours" in i else _cluster_energy(i)


def _runs_energy(i: Inputs) -> Answer:
    """Energy at the meter and emissions of runs of so many GPU-hours."""
    runs = i["gpu_hours"] if isinstance(i["gpu_hours"], dict) else {}

    def mwh(run: str) -> float:
        return float(runs[run]) * i.number("gpu_w") / 1e6 * i.number("pue")

    def tonnes(run: str) -> float:
        return mwh(run) * i.number("kg_co2e_per_kwh")

    energy = {f"{run}_mwh": partial(mwh, run) for run in runs}
    return energy | {f"{run}_tco2e": partial(tonnes, run) for run in runs}


def _cluster_energy(i: Inputs) -> Answer:
    """Power and yearly energy of a cluster, from the watts of a server with its share of everything else."""
    i.leave("electricity_usd_per_kwh")

    def per_gpu(watts: str) -> float:
        return i.number(watts) / i.positive("gpus_per_server") / 1e3

    def critical_mw() -> float:
        return i.number("gpus") * per_gpu("superpod_w_per_server") / 1e3

    def grid_mw() -> float:
        return critical_mw() * i.number("power_utilisation") * i.number("pue")

    return {
        "server_kw_per_gpu": lambda: per_gpu("server_w"),
        "cluster_kw_per_gpu": lambda: per_gpu("superpod_w_per_server"),
        "critical_it_mw": critical_mw,
        "average_grid_mw": grid_mw,
        "energy_mwh_per_year": lambda: grid_mw() * 24.0 * r.DAYS_PER_YEAR,
    }


def inference_service_margin(i: Inputs) -> Answer:
    """Nodes that a day's tokens imply, and the share of the input that a cache answered."""
    i.leave("average_nodes", "gpus_per_node", "usd_per_gpu_hour", "usd_per_mtok_output")
    i.leave("usd_per_mtok_cache_hit", "usd_per_mtok_cache_miss")

    def nodes() -> float:
        day = 86_400.0
        return float(
            w.disaggregated_nodes(
                i.number("input_tokens") / day,
                i.number("output_tokens") / day,
                i.number("prefill_tokens_per_s_per_node"),
                i.number("decode_tokens_per_s_per_node"),
            )
        )

    return {
        "cache_hit_fraction": lambda: i.number("input_tokens_cache_hit") / i.positive("input_tokens"),
        "average_nodes_from_throughput": nodes,
    }


def cost_per_million_tokens(i: Inputs) -> Answer:
    """A price per GPU-hour over each class of tokens in turn, and the energy of a token."""
    if "total_tok_per_s_per_gpu" not in i:
        i.leave("capex_usd", "onprem_opex_usd_per_hour", "years", "api_usd_per_mtok")
        return {
            "cloud_usd_per_mtok": lambda: float(
                w.cost_per_million_tokens(i.number("cloud_usd_per_hour"), i.number("output_tokens_per_s"))
            )
        }

    def cost(owner: str, tokens: str) -> float:
        price, speed = i.number(f"{owner}_usd_per_gpu_hour"), i.number(f"{tokens}_tok_per_s_per_gpu")
        return float(w.cost_per_million_tokens(price, speed))

    owners, classes = list(_prefixes(i, "_usd_per_gpu_hour")), list(_prefixes(i, "_tok_per_s_per_gpu"))
    costs = {
        f"{owner}_usd_per_m_{tokens}_tokens": partial(cost, owner, tokens) for owner in owners for tokens in classes
    }
    speed, kw = "total_tok_per_s_per_gpu", "power_kw_per_gpu"
    return costs | {
        "tok_per_s_per_mw": lambda: i.number(speed) * 1e3 / i.positive(kw),
        "joule_per_token": lambda: i.number(kw) * 1e3 / i.positive(speed),
    }


SOLVERS: dict[str, Solver] = {
    "training_time": training_time,
    "training_run_cost": training_run_cost,
    "fleet_sizing_and_tco": fleet_sizing_and_tco,
    "reliability_goodput": reliability_goodput,
    "energy_and_pue": energy_and_pue,
    "inference_service_margin": inference_service_margin,
    "cost_per_million_tokens": cost_per_million_tokens,
}

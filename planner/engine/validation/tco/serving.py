"""Published costs of serving: fleets for a rate of tokens, a provider's margin, prices of tokens, API bills."""

from __future__ import annotations

from functools import partial

from planner.engine import finance
from planner.engine import workload as w
from planner.engine.facility import power_bill
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.tco.names import HOURS_PER_YEAR, stems

DAY_S = 86_400.0


def fleet_sizing_and_tco(i: Inputs) -> Answer:
    """Nodes for a token rate; speed scales with the bytes of active weights, within bounds. What they cost in all."""

    def node_tokens_per_s() -> float:
        reference = i.number("reference_active_params_b") * i.number("reference_bytes_per_param")
        ours = i.positive("model_active_params_b") * i.positive("model_bytes_per_param")
        scale = min(max(reference / ours, i.number("speed_clamp_low")), i.number("speed_clamp_high"))
        return i.number("tok_per_s_per_gpu") * scale * i.number("gpus_per_node")

    def nodes() -> int:
        demand = i.number("demand_mtok_per_min") if "demand_mtok_per_min" in i else of_users()
        tokens_per_s = demand * 1e6 / 60.0
        return int(w.servers_needed(tokens_per_s, node_tokens_per_s(), u_max=i.number("utilisation_target")))

    def of_users() -> float:
        requests = i.number("daily_users") * i.number("requests_per_user_day")
        rate = float(w.arrival_rate(requests, i.number("peak_factor")))
        return rate * i.number("tokens_per_request") * 60.0 / 1e6

    def capex() -> float:
        return nodes() * i.number("node_usd") + i.number("network_storage_usd", 0.0)

    def electricity() -> float:
        kwh = nodes() * i.number("node_kw") * i.number("pue") * HOURS_PER_YEAR
        return float(power_bill(kwh, i.number("electricity_usd_per_kwh")))

    def opex() -> float:
        """Of a year: energy at full load, space per IT kW, upkeep of everything bought, staff."""
        space = nodes() * i.number("node_kw") * i.number("colocation_usd_per_kw_month", 0.0) * 12.0
        upkeep = capex() * i.number("maintenance_rate_per_year", 0.0)
        staff = i.number("staff_fte", 0.0) * i.number("usd_per_fte_year", 0.0)
        return electricity() + space + upkeep + staff

    def total() -> float:
        return capex() + i.number("spares_usd", 0.0) + opex() * i.number("years")

    life = f"{i.number('years'):g}y" if "years" in i else "life"
    return {
        "nodes": nodes,
        "gpus": lambda: nodes() * i.number("gpus_per_node"),
        "demand_from_users_mtok_per_min": of_users,
        "capex_usd": capex,
        "electricity_usd_per_year": electricity,
        "opex_usd_per_year": opex,
        f"onprem_{life}_total_usd": total,
        "onprem_total_usd": total,
    }


def inference_service_margin(i: Inputs) -> Answer:
    """A day's bill against its income, nodes that the tokens imply, and the share of the input from a cache."""

    def nodes_from_throughput() -> float:
        return float(
            w.disaggregated_nodes(
                i.number("input_tokens") / DAY_S,
                i.number("output_tokens") / DAY_S,
                i.number("prefill_tokens_per_s_per_node"),
                i.number("decode_tokens_per_s_per_node"),
            )
        )

    def bill(nodes: str) -> float:
        held = i.number(nodes) if nodes in i else nodes_from_throughput()
        return held * i.number("gpus_per_node") * 24.0 * i.number("usd_per_gpu_hour")

    def cost() -> float:
        return bill("average_nodes")

    def revenue() -> float:
        cached = i.number("input_tokens_cache_hit", 0.0)
        fresh = i.number("input_tokens") - cached
        return (
            cached * i.number("usd_per_mtok_cache_hit", 0.0)
            + fresh * i.either("usd_per_mtok_cache_miss", "usd_per_mtok_input")
            + i.number("output_tokens") * i.number("usd_per_mtok_output")
        ) / 1e6

    return {
        "cost_usd_per_day": cost,
        "cost_at_peak_usd_per_day": lambda: bill("peak_nodes"),
        "revenue_usd_per_day": revenue,
        "profit_usd_per_day": lambda: revenue() - cost(),
        "cost_profit_margin": lambda: revenue() / cost() - 1.0 if cost() else 0.0,
        "cost_profit_margin_at_peak": lambda: revenue() / bill("peak_nodes") - 1.0 if bill("peak_nodes") else 0.0,
        "gross_margin": lambda: 1.0 - cost() / revenue() if revenue() else 0.0,
        "peak_to_average": lambda: i.number("peak_nodes") / i.positive("average_nodes"),
        "cache_hit_fraction": lambda: i.number("input_tokens_cache_hit") / i.positive("input_tokens"),
        "average_nodes_from_throughput": nodes_from_throughput,
    }


def cost_per_million_tokens(i: Inputs) -> Answer:
    """A price per GPU-hour over each class of tokens in turn, and a token's energy; or owned, rented and bought."""
    if "total_tok_per_s_per_gpu" not in i and not any(stems(i, "_tok_per_s_per_gpu")):
        return _owned_rented_bought(i)

    def cost(owner: str, tokens: str) -> float:
        price, speed = i.number(f"{owner}_usd_per_gpu_hour"), i.number(f"{tokens}_tok_per_s_per_gpu")
        return float(w.cost_per_million_tokens(price, speed))

    owners, classes = list(stems(i, "_usd_per_gpu_hour")), list(stems(i, "_tok_per_s_per_gpu"))
    costs = {
        f"{owner}_usd_per_m_{tokens}_tokens": partial(cost, owner, tokens) for owner in owners for tokens in classes
    }

    def joule(speed: float) -> float:
        return i.number("power_kw_per_gpu") * 1e3 / speed

    speed = "total_tok_per_s_per_gpu"
    return costs | {
        "tok_per_s_per_mw": lambda: i.number(speed) * 1e3 / i.positive("power_kw_per_gpu"),
        "joule_per_token": lambda: joule(i.positive(speed)),
        **{f"joule_per_token_at_{at}_tok_s": partial(joule, float(at)) for at in range(500, 20_500, 500)},
    }


def _owned_rented_bought(i: Inputs) -> Answer:
    """A server's price per hour over its life, at the speed that its use leaves, against a cloud and an API."""

    def hourly() -> float:
        hours = i.positive("years") * HOURS_PER_YEAR
        rate = float(finance.periodic_rate(i.number("cost_of_capital_per_year", 0.0), int(HOURS_PER_YEAR)))
        capital = finance.annuity(i.number("capex_usd"), rate, hours, i.number("residual_fraction", 0.0))
        return float(capital) + i.number("onprem_opex_usd_per_hour", 0.0)

    def owned() -> float:
        return float(
            w.cost_per_million_tokens(hourly(), i.number("output_tokens_per_s") * i.number("utilisation", 1.0))
        )

    def rented() -> float:
        return float(w.cost_per_million_tokens(i.number("cloud_usd_per_hour"), i.number("output_tokens_per_s")))

    return {
        "onprem_amortised_usd_per_hour": hourly,
        "onprem_usd_per_mtok": owned,
        "cloud_usd_per_mtok": rented,
        "cloud_to_onprem_ratio": lambda: rented() / owned() if owned() else 0.0,
        "api_to_onprem_ratio": lambda: i.number("api_usd_per_mtok") / owned() if owned() else 0.0,
    }


def api_cost(i: Inputs) -> Answer:
    """Tokens of a year by class, at their prices per million."""
    classes = list(stems(i, "_tokens_per_request"))

    def daily(tokens: str) -> float:
        return i.number(f"{tokens}_tokens_per_request") * i.number("requests_per_day")

    def yearly(tokens: str) -> float:
        return daily(tokens) * i.number("days_per_year", 365) / 1e6

    def bill(tokens: str) -> float:
        return yearly(tokens) * i.number(f"usd_per_m_{tokens}")

    answer: dict[str, partial[float]] = {}
    for tokens in classes:
        answer |= {
            f"{tokens}_tokens_per_day": partial(daily, tokens),
            f"{tokens}_mtok_per_year": partial(yearly, tokens),
            f"{tokens}_usd_per_year": partial(bill, tokens),
        }

    def total() -> float:
        return sum(map(bill, classes))

    return answer | {
        "total_usd_per_year": total,
        "total_usd_per_month": lambda: total() / 12.0,
        "total_usd": lambda: total() * i.number("years"),
    }


SOLVERS: dict[str, Solver] = {
    "fleet_sizing_and_tco": fleet_sizing_and_tco,
    "inference_service_margin": inference_service_margin,
    "cost_per_million_tokens": cost_per_million_tokens,
    "api_cost": api_cost,
}

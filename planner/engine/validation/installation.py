"""Which class of installation a workload calls for: the decision of section 10 of the sizing reference."""

from __future__ import annotations

from typing import Any

from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.model import active_params, adapter_of, all_params, cache_of, memory_gb, weights_of
from planner.engine.validation.units import SECONDS

# Replicas to try: inside a server of eight, then over whole servers. [GPU]
SIZES = (*w.REPLICA_SIZES, *range(16, 65, 8))


def installation(i: Inputs) -> Answer:
    return _serving(i) if i.text("task", ("training", "tuning", "serving")) == "serving" else _training(i)


def _server_gpus(i: Inputs) -> int:
    return i.whole("gpus_per_node", 8)


def _servers(i: Inputs, gpus: float) -> int:
    return int(w.servers_needed(gpus, _server_gpus(i), u_max=1.0))


def _too_small(i: Inputs) -> InputError:
    return InputError(Problem(("inputs", "hbm_bytes"), "not_positive", memory_gb(i) * 1e9, unit="byte"))


# ── One job ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _training(i: Inputs) -> Answer:
    """One job, or so many alike at the same time."""
    jobs = i.whole("jobs", 1)

    def by_memory() -> int:
        sizes = w.gang_sizes(_server_gpus(i))
        if "method" in i:
            need = float(w.adapter_tuning_bytes(all_params(i), adapter_of(i)))
            found = w.gang_by_bytes(need, memory_gb(i), sizes)
        elif "setup" in i:
            found = w.gang_by_memory(
                all_params(i),
                i.whole("layers"),
                i.whole("hidden"),
                i.number("seq_len"),
                memory_gb(i),
                i.text("setup", tuple(w.STATE_BYTES)),
                i.number("micro_batch", 1),
                i.text("recompute", ("full", "selective", "none", "swiglu_flash"), "full"),
                sizes,
                heads=i.whole("heads", 0),
                vocabulary=i.number("vocab", 0),
            )
        else:
            return 1
        if found is None:
            raise _too_small(i)
        return found

    def flops() -> float:
        """Achieved by one GPU in a step. [FLOP/s]"""
        return i.number("peak_flops") * i.number("utilisation")

    def work_hours() -> float:
        if "tokens_per_s_per_gpu" in i:
            return float(w.measured_gpu_hours(i.number("tokens"), i.number("tokens_per_s_per_gpu")))
        share, tokens, work = i.number("utilisation"), i.number("tokens"), w.FLOP_PER_PARAM["train"]
        if i["task"] == "tuning":  # a small run is start-up, padding and evaluation
            share = float(w.tuning_mfu(tokens, share))
            work = w.FLOP_PER_PARAM["lora"] if "method" in i else work
        peak, goodput = i.number("peak_flops"), i.number("goodput", 1.0)
        return float(w.training_gpu_hours(active_params(i), tokens, peak, share, goodput, work))

    def wall_hours() -> float:
        computed = float(w.wall_days(hours(), gpus())) * 24.0
        return float(w.tuning_hours(i.number("tokens"), computed)) if i["task"] == "tuning" else computed

    def gpus() -> int:
        if "n_gpus" in i:
            given, least = i.whole("n_gpus"), by_memory()
            if given < least:
                raise InputError(Problem(("inputs", "n_gpus"), "out_of_bounds", given, least, unit="GPU"))
            return given
        wanted = by_memory()
        if "deadline_days" in i:
            days = i.number("deadline_days")
            wanted = max(wanted, w.gang_by_deadline(work_hours(), days))
            wanted = max(wanted, w.gang_by_deadline(work_hours() * slower(wanted), days))
        return int(w.round_gang(wanted, _server_gpus(i)))

    def slower(gang: int) -> float:
        """Factor of the time that cards without NVLink take."""
        return float(w.link_time_factor(gang, i.flag("nvlink", True)))

    def hours() -> float:
        return work_hours() * slower(gpus())

    def network() -> str:
        i.leave("global_batch_tokens")  # whatever it is, one server needs no network
        if gpus() <= _server_gpus(i):
            return "none"
        tokens = i.number("global_batch_tokens") / gpus()
        return w.smallest_network(tokens, flops(), _servers(i, gpus())) or "more_batch_or_fewer_gpus"

    return {
        "class": lambda: w.installation_class(gpus(), _server_gpus(i), gpus_needed=gpus() * jobs),
        "gpus": gpus,
        "servers": lambda: _servers(i, gpus() * jobs),
        "gpu_hours": hours,
        "wall_hours": wall_hours,
        "network": network,
    }


# ── Serving ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def _step(i: Inputs) -> dict[str, Any]:
    """What it takes to hold a target for the decode step, by the roofline."""
    return {
        "tpot_target_s": i.measure("tpot_target", SECONDS),
        "active_params": active_params(i),
        "layers": i.number("layers"),
        "hidden": i.number("hidden"),
        "memory_bandwidth": i.number("memory_bandwidth"),
        "peak_flops": i.number("peak_flops"),
        "precision": i.text("precision", tuple(w.BYTES_PER_PARAM)),
        "moe": active_params(i) < all_params(i),
    }


def _serving(i: Inputs) -> Answer:
    isl, osl = i.number("isl"), i.number("osl")

    def replica() -> int:
        found = w.replica_size(
            weights=weights_of(i),
            kv=cache_of(i),
            memory_gb=memory_gb(i),
            input_tokens=isl,
            output_tokens=osl,
            concurrency=i.number("sequences", 1),
            sizes=SIZES,
            **(_step(i) if i.has("tpot_target", SECONDS) else {}),
        )
        if found is None:
            raise _too_small(i)
        return found

    def usable() -> float:
        """Output tokens a second of one replica, within its latency class and target utilisation."""
        rate = w.serving_rate(
            active_params=active_params(i),
            weights=weights_of(i),
            layers=i.number("layers"),
            hidden=i.number("hidden"),
            kv=cache_of(i),
            gpus=replica(),
            memory_gb=memory_gb(i),
            memory_bandwidth=i.number("memory_bandwidth"),
            peak_flops=i.number("peak_flops"),
            input_tokens=isl,
            output_tokens=osl,
            precision=i.text("precision", tuple(w.BYTES_PER_PARAM)),
            moe=active_params(i) < all_params(i),
        )
        derate = w.SLO_DERATE[i.text("latency", tuple(w.SLO_DERATE), "relaxed")]
        return float(rate.out_tok_per_s) * derate * i.number("u_max", w.U_MAX)

    def replicas() -> int:
        if "peak_tokens_per_s" not in i:
            return 1
        return int(w.servers_needed(i.number("peak_tokens_per_s"), usable(), u_max=1.0))

    def gpus() -> int:
        return replicas() * replica()

    def servers() -> int:
        return _servers(i, gpus())

    return {
        "class": lambda: w.installation_class(replica(), _server_gpus(i), gpus_needed=gpus()),
        "replica_gpus": replica,
        "usable_tokens_per_s": usable,
        "replicas": replicas,
        "gpus": gpus,
        "servers": servers,
        "servers_with_spare": lambda: servers() + int(w.default_spare(servers())),
    }


SOLVERS: dict[str, Solver] = {"installation": installation}

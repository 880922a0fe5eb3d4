"""Published cases of interruptions, checkpoints, spares and availability."""

from __future__ import annotations

from planner.engine import reliability as r
from planner.engine import workload as w
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs
from planner.engine.validation.units import SECONDS, durations, scaled, sizes

_DAYS = scaled(SECONDS, 86_400.0)
# Units beside twice the needed ones to try for a wanted availability.
MOST_SPARES = 100
# Names under which cases give the failures of one unit a year, and how long a repair takes.
_YEARLY, _REPAIR = ("annual_failure_rate", "afr", "rate_per_unit_year"), ("repair", "mttr")
_YEARS = {"years": 1.0, "days": 1.0 / r.DAYS_PER_YEAR, "weeks": 7.0 / r.DAYS_PER_YEAR}


def mtbf(i: Inputs) -> Answer:
    """Rates as counted, and the time between interruptions of a job; or how two such times compare."""
    if "mtbe_a_hours" in i:
        return {"ratio": lambda: i.number("mtbe_a_hours") / i.positive("mtbe_b_hours")}

    def days() -> float:
        """Between interruptions of the whole job."""
        if "failures" in i:
            return 1.0 / float(r.observed_rate(i.positive("failures"), 1.0, _period_days(i)))
        if "mtbf_hours" in i:
            return i.positive("mtbf_hours") / 24.0 / i.positive("units")
        if i.any(*_YEARLY):
            return r.DAYS_PER_YEAR / (i.positive("units") * i.either(*_YEARLY))
        return float(r.job_mtbf_days(nodes(i), node_rate(i)))

    def per_unit_year() -> float:
        rate = float(r.observed_rate(i.number("failures"), i.number("units"), _period_days(i)))
        return rate * r.DAYS_PER_YEAR

    def per_node_day() -> float:
        if "failures" in i:
            return float(r.observed_rate(i.number("failures"), nodes(i), _period_days(i)))
        return node_rate(i)

    return {
        **durations("job_mtbf", lambda: days() * 86_400.0),
        **durations("mtbf", lambda: days() * 86_400.0),
        "expected_failures": lambda: _period_days(i) / days(),
        "rate_per_unit_year": per_unit_year,
        "failures_per_node_day": per_node_day,
        "failures_per_1000_node_days": lambda: per_node_day() * 1000.0,
    }


def _period_days(i: Inputs) -> float:
    return i.number("hours") / 24.0 if "hours" in i else i.number("days")


def nodes(i: Inputs) -> float:
    """Servers of the job."""
    if "nodes" not in i and "n_gpus" in i:
        return i.number("n_gpus") / i.positive("gpus_per_node")
    return i.either("nodes", "servers")


def node_rate(i: Inputs) -> float:
    """Interruptions per server-day, as the case gives them or by the class of the fleet. [1/(server·d)]"""
    if "failures_per_1000_node_days" in i:
        rate = i.number("failures_per_1000_node_days") / 1000.0
    elif "fleet" in i:
        rate = r.INTERRUPTION_RATE[i.text("fleet", tuple(r.INTERRUPTION_RATE))]
    else:
        rate = i.number("failures_per_node_day")
    rate *= i.number("multiplier", 1.0)
    if not i.flag("user_visible", False):
        return rate
    gpus = i.number("n_gpus") if "n_gpus" in i else nodes(i) * i.number("gpus_per_node", 8)
    return float(r.interruption_rate(rate, gpus, user_visible=True))


def checkpoint(i: Inputs) -> Answer:
    """Size and time of a checkpoint, the best interval, what is lost to saving and to failures."""

    def size() -> float:
        if "bytes" in i:
            return i.number("bytes")
        if "bytes_per_param" in i:
            return float(w.weight_bytes(i.either("params", "params_total"), i.number("bytes_per_param")))
        weights_only = i.flag("weights_only", False)
        return float(w.checkpoint_bytes(i.either("params", "params_total"), weights_only=weights_only))

    def save() -> float:
        for name in ("stall", "save"):  # of an asynchronous save only the stall counts
            if i.has(name, SECONDS):
                return i.measure(name, SECONDS)
        if i.any("bytes", "bytes_per_param"):
            return float(w.transfer_s(size(), i.number("storage_write_bandwidth")))
        return float(r.save_s(i.either("params", "params_total"), i.number("storage_write_bandwidth")))

    def between() -> float:
        if i.has("mtbf", SECONDS):
            return i.measure("mtbf", SECONDS)
        return float(r.job_mtbf_days(nodes(i), node_rate(i))) * 86_400.0

    def interval() -> float:
        if i.has("interval", SECONDS):
            return i.measure("interval", SECONDS)
        return float(r.best_interval(save(), between()))

    def useful() -> float:
        known = i.has("save", SECONDS) or i.has("stall", SECONDS) or "storage_write_bandwidth" in i
        saved = save() if known else 0.0
        return float(r.goodput(between(), i.measure("restart", SECONDS, r.RESTART_MINUTES * 60.0), interval(), saved))

    def bandwidth() -> float:
        share = i.either("max_stall", "overhead", default=r.SAVE_SHARE)
        return float(r.write_bandwidth_for(i.either("params", "params_total"), interval(), share))

    return {
        **sizes("{}", size),
        **durations("save", save),
        **durations("interval", lambda: float(r.best_interval(save(), between()))),
        **durations("young_interval", lambda: float(r.young_interval(save(), between()))),
        **durations("daly_interval", lambda: float(r.daly_interval(save(), between()))),
        "overhead": lambda: float(r.save_overhead(save(), interval())),
        "loss": lambda: 1.0 - useful(),
        "ettr": useful,
        "goodput": useful,
        "storage_write_bandwidth": bandwidth,
    }


def spares(i: Inputs) -> Answer:
    """Spares that last until repairs return, or the availability of k of n."""
    if "k" in i:
        return _k_of_n(i)

    def expected() -> tuple[float, float]:
        """(failures until a unit is back, confidence where the case states none)"""
        if "lambda" in i:
            return i.number("lambda"), r.SERVER_CONFIDENCE
        if "failures_per_node_day" in i or "failures_per_1000_node_days" in i or "fleet" in i:
            return nodes(i) * node_rate(i) * _turnaround(i), r.SERVER_CONFIDENCE
        if "mtbf_hours" in i:
            return i.number("units") * i.number("hours") / i.positive("mtbf_hours"), r.PART_CONFIDENCE
        yearly = (
            r.FAILURES_PER_YEAR[i.text("component", tuple(r.FAILURES_PER_YEAR))]
            if "component" in i
            else i.either(*_YEARLY)
        )
        return i.number("units") * yearly * i.measure("lead_time", _YEARS), r.PART_CONFIDENCE

    def least() -> int:
        mean, confidence = expected()
        return int(r.spares(mean, i.number("confidence", confidence)))

    return {"spares": least, "lambda": lambda: expected()[0], "expected_failures": lambda: expected()[0]}


def _turnaround(i: Inputs) -> float:
    if "site" in i:
        return r.TURNAROUND_DAYS[i.text("site", tuple(r.TURNAROUND_DAYS))]
    return i.measure("turnaround", _DAYS)


def _k_of_n(i: Inputs) -> Answer:
    def single() -> float:
        if "availability" in i:
            return i.number("availability")
        return float(r.availability(node_rate(i), repair()))

    def repair() -> float:
        name = next((name for name in _REPAIR if i.has(name, _DAYS)), _REPAIR[0])
        return i.measure(name, _DAYS)

    def together(installed: int) -> float:
        return float(w.k_of_n_availability(i.whole("k"), installed, single()))

    def least() -> int:
        """Units that reach the wanted availability."""
        wanted, needed = i.number("target_availability"), i.whole("k")
        found = next((n for n in range(needed, 2 * needed + MOST_SPARES) if together(n) >= wanted), None)
        if found is None:
            raise InputError(Problem(("inputs", "target_availability"), "out_of_bounds", wanted, 0.0, 1.0))
        return found

    return {
        "availability": lambda: together(i.whole("n")),
        "availability_single": single,
        "n": least,
        "spares": lambda: (i.whole("n") if "n" in i else least()) - i.whole("k"),
    }

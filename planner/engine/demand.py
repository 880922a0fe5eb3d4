"""Workloads → the GPUs each kind of hardware must hold, month by month. Each factor appears once, by name."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import DAYS_PER_MONTH, Array, Calendar
from planner.engine.growth import driver_path
from planner.engine.inputs import (
    ModelShape,
    PoolWorkload,
    Scenario,
    ServingWorkload,
    TrainingWorkload,
    Workload,
)
from planner.engine.prices import Accelerator, AddOn, Build, PriceBook
from planner.engine.quantities import InputError, Problem
from planner.engine.rounding import SLACK

# Achieved bandwidth of the B200 is 7.7 TB/s of the printed 8.0 (catalog/data notes of 2026-11-30). [GB/s]
ROOFLINE_BANDWIDTH = {"b200-sxm": 7700.0}

# "Runs a month" are runs in a mean month, so that constant work stays constant through February. [h]
MEAN_MONTH_HOURS = DAYS_PER_MONTH * 24.0


@dataclass(frozen=True)
class Machine:
    """A build as bought, with the card that fills its free slots, where there is one."""

    build: Build
    addon: AddOn | None
    accelerator: Accelerator

    @property
    def slug(self) -> str:
        return self.build.slug

    @property
    def base_cards(self) -> int:
        """GPUs a new chassis comes with."""
        return self.build.accelerator_count

    @property
    def slots(self) -> int:
        """GPUs a chassis can hold."""
        return self.build.chassis_slots if self.addon else self.build.accelerator_count

    @property
    def server_gpus(self) -> int:
        """GPUs of one server, the most that one job can use without a fabric."""
        return self.slots

    @cached_property
    def card_kw(self) -> tuple[float, float, float]:
        """(max, typical, idle) of one card. [kW]"""
        return (self.addon.max_kw, self.addon.typical_kw, self.addon.idle_kw) if self.addon else (0.0, 0.0, 0.0)

    @cached_property
    def host_kw(self) -> tuple[float, float, float]:
        """(max, typical, idle) of the chassis without its cards: build − n × card. [kW]"""
        whole = (self.build.max_kw, self.build.typical_kw, self.build.idle_kw)
        n = self.base_cards
        maximum, typical, idle = (max(0.0, all_of - n * card) for all_of, card in zip(whole, self.card_kw, strict=True))
        return maximum, typical, idle

    @cached_property
    def host_kg(self) -> float:
        return max(0.0, (self.build.weight_kg or 0.0) - self.base_cards * (self.addon.weight_kg if self.addon else 0.0))


def machine_for(book: PriceBook, slug: str) -> Machine:
    """The machine of a build slug; raises InputError where the book does not hold it."""
    build = book.builds.get(slug)
    if build is None:
        raise InputError(Problem(("plans", "build"), "not_in_catalog", slug))
    return Machine(
        build,
        book.addons.get(slug) if build.chassis_slots > build.accelerator_count else None,
        book.accelerators[build.accelerator],
    )


@dataclass(frozen=True)
class Requirement:
    """What one workload asks of one kind of hardware. Arrays (S, M) in GPUs of that hardware.

    mean     : busy on average: what energy, cloud bills and useful hours count.
    peak     : must work at once for the month to be met.
    required : what planning asks for: headroom, rounding to servers and spare servers included.
    reserve  : held back as spare servers, part of `required`.
    gang     : GPUs one job needs at once; 1 for work that splits.
    """

    mean: Array
    peak: Array
    required: Array
    reserve: Array
    gang: int = 1
    gang_memory: int = 1
    gang_deadline: int = 1
    fits: bool = True
    limit: str = "throughput"  # what decides: memory · deadline · throughput · redundancy
    runner_up: str = ""
    factors: dict[str, float] = field(default_factory=dict)

    @property
    def sharing(self) -> bool:
        """True where jobs larger than one GPU exist."""
        return self.gang > 1


class Sizing:
    """Answers, for each workload and machine, what is needed; computed once per pair."""

    def __init__(self, scenario: Scenario, book: PriceBook, calendar: Calendar) -> None:
        self.scenario, self.book, self.calendar = scenario, book, calendar
        speedup = scenario.demand.software_speedup_per_year
        self.software = (1.0 - speedup) ** calendar.years  # work per unit left, (M,)
        self._known: dict[tuple[str, str, int, bool], Requirement] = {}

    @cached_property
    def workloads(self) -> list[Workload]:
        """By priority, then in the order of the document."""
        return sorted(self.scenario.demand.workloads, key=lambda item: item.priority)

    def accelerator(self, slug: str) -> Accelerator:
        try:
            return self.book.accelerators[slug]
        except KeyError:
            raise InputError(Problem(("demand", "accelerator"), "not_in_catalog", slug)) from None

    def reference(self, work: Workload) -> Requirement:
        """The requirement in GPUs of the workload's own reference hardware, on servers of eight in one domain."""
        return self.on(work, self.accelerator(work.accelerator), server_gpus=8, one_domain=True)

    def on_machine(self, work: Workload, machine: Machine, filled: bool = False) -> Requirement:
        """The requirement on a machine; one whose free slots are filled loses all of them with one server."""
        lost = machine.slots if filled else machine.base_cards
        return self.on(work, machine.accelerator, machine.server_gpus, machine.build.one_domain, lost)

    def on(
        self, work: Workload, hardware: Accelerator, server_gpus: int, one_domain: bool, failure_gpus: int | None = None
    ) -> Requirement:
        """The requirement of a workload on hardware in servers of `server_gpus`.

        failure_gpus : GPUs lost with one server, the unit of N+k (default: the whole server).
        Raises InputError `no_rate` where the hardware's rate for this work is unknown.
        """
        failure = failure_gpus or server_gpus
        key = (work.slug, hardware.slug, server_gpus * 1000 + failure, one_domain)
        if key not in self._known:
            match work:
                case PoolWorkload():
                    self._known[key] = self._pool(work, hardware, one_domain)
                case TrainingWorkload():
                    self._known[key] = self._training(work, hardware, server_gpus, one_domain)
                case ServingWorkload():
                    self._known[key] = self._serving(work, hardware, failure)
        return self._known[key]

    # ── pool: model.md 2, sizing page section 9 ──

    def _pool(self, work: PoolWorkload, hardware: Accelerator, one_domain: bool) -> Requirement:
        convert = self._ratio(work, hardware)
        pcie = formulas.PCIE_TIME_FACTOR if work.gang_gpus > formulas.PCIE_GANG and not one_domain else 1.0
        if work.gpu_hours_per_month is not None:
            hours = driver_path(work.growth, work.gpu_hours_per_month, self.calendar.months)
            busy = hours / self.calendar.hours
            allocation = formulas.ALLOCATION_SHARE[work.scheduler]
            available = allocation * (1.0 - formulas.MAINTENANCE_SHARE)
        else:
            busy = driver_path(work.growth, work.gpus, self.calendar.months)
            allocation, available = 1.0, 1.0
        mean = (busy * self.software * convert * pcie)[None, :]
        peak = mean * work.peak_to_mean
        target = 1.0 if work.measure == "installed" and work.gpu_hours_per_month is None else work.target_utilisation
        needed = peak / available
        return Requirement(
            mean=mean,
            peak=_none_fits(needed, target),
            required=_over(needed, target),
            reserve=np.zeros_like(mean),
            gang=work.gang_gpus,
            gang_memory=work.gang_gpus,
            limit="memory" if work.gang_gpus > 1 else "throughput",
            factors={
                "convert": convert,
                "peak_to_mean": work.peak_to_mean,
                "target_utilisation": target,
                "allocation": allocation,
                "available": available,
                "pcie": pcie,
            },
        )

    # ── training: sizing page sections 1, 2, 10 ──

    def _training(
        self, work: TrainingWorkload, hardware: Accelerator, server_gpus: int, one_domain: bool
    ) -> Requirement:
        shape = self.shape(work)
        by_memory = self._gang_by_memory(work, shape, hardware, server_gpus)
        single = (by_memory or formulas.LARGEST_GANG) <= server_gpus
        hours_per_run, factors = self._run_hours(work, shape, hardware, single)
        months = self.calendar.months
        runs = (
            driver_path(work.growth, work.runs_per_month, months)
            if work.driver == "runs"
            else np.full(months, work.runs_per_month)
        )
        size = driver_path(work.growth, 1.0, months) if work.driver == "tokens" else np.ones(months)
        per_run = hours_per_run * size * self.software  # GPU-hours, (M,)
        by_deadline = np.ceil(per_run / (24.0 * work.deadline_days) - SLACK)
        if not one_domain:
            slow = np.maximum(by_deadline, by_memory or 0) > formulas.PCIE_GANG
            per_run = per_run * np.where(slow, formulas.PCIE_TIME_FACTOR, 1.0)
            by_deadline = np.ceil(per_run / (24.0 * work.deadline_days) - SLACK)
        smallest = np.maximum(by_deadline, float(by_memory or 1))
        gang = np.asarray(formulas.round_gang(smallest, server_gpus), dtype=float)
        mean = (runs * per_run / MEAN_MONTH_HOURS)[None, :]  # longer months see more of a run
        gang = np.where(runs > 0, gang, 0.0)[None, :]
        peak = np.maximum(mean, gang)
        target = work.target_utilisation
        first_deadline = int(by_deadline.max())
        limits = sorted(
            [("memory", float(by_memory or 1)), ("deadline", float(first_deadline)), ("throughput", float(mean.max()))],
            key=lambda entry: -entry[1],
        )
        factors |= {
            "gpu_hours_per_run": hours_per_run,
            "deadline_days": work.deadline_days,
            "target_utilisation": target,
            "gang": float(gang.max()),
        }
        return Requirement(
            mean=mean,
            peak=_none_fits(peak, target),
            required=_over(np.maximum(gang, mean), target),
            reserve=np.zeros_like(mean),
            gang=int(gang.max()),
            gang_memory=by_memory or 1,
            gang_deadline=first_deadline,
            fits=by_memory is not None,
            limit=limits[0][0],
            runner_up=limits[1][0],
            factors=factors,
        )

    def _run_hours(
        self, work: TrainingWorkload, shape: ModelShape | None, hardware: Accelerator, single: bool
    ) -> tuple[float, dict[str, float]]:
        """GPU-hours of one run on this hardware, and the factors that made them."""
        tokens = work.tokens_b * 1e9
        goodput = work.goodput if work.goodput is not None else (0.95 if single else 0.85)
        if work.measured_tokens_per_s_per_gpu is not None:
            rate = work.measured_tokens_per_s_per_gpu / self._ratio(work, hardware)
            return formulas.measured_gpu_hours(tokens, rate, goodput), {
                "tokens": tokens,
                "measured_rate": rate,
                "goodput": goodput,
            }
        assert shape is not None  # the document is refused without a model or a measured rate
        peak = hardware.bf16_tflops if work.precision == "bf16" else hardware.fp8_tflops
        if not peak:
            raise InputError(Problem(("demand", "workloads", work.slug, "precision"), "no_rate", hardware.slug))
        mfu = work.mfu
        if mfu is None:
            mfu = formulas.training_band(hardware.architecture, work.precision, shape.moe, single).mfu
        attention = 0.0
        if work.sequence > shape.hidden / 4:
            attention = formulas.attention_flop(shape.layers, shape.hidden, work.sequence) / 2.0  # causal counting
        hours = formulas.training_gpu_hours(
            shape.active, tokens, peak * 1e12, mfu, goodput, attention_flop_per_token=attention
        )
        return hours, {
            "tokens": tokens,
            "active_params": shape.active,
            "peak_flops": peak * 1e12,
            "mfu": mfu,
            "goodput": goodput,
            "attention_flop": attention,
        }

    def _gang_by_memory(
        self, work: TrainingWorkload, shape: ModelShape | None, hardware: Accelerator, server_gpus: int
    ) -> int | None:
        if shape is None or hardware.memory_gb is None:
            return 1
        return formulas.gang_by_memory(
            shape.params_b * 1e9,
            shape.layers,
            shape.hidden,
            work.sequence,
            hardware.memory_gb,
            work.states,
            micro_batch=work.micro_batch,
            candidates=formulas.gang_sizes(server_gpus),
        )

    # ── serving: sizing page sections 3, 4, 5 ──

    def _serving(self, work: ServingWorkload, hardware: Accelerator, server_gpus: int) -> Requirement:
        per_gpu, replica, factors = self._request_rate(work, hardware)
        derate = formulas.SLO_DERATE[work.latency]
        path = driver_path(work.growth, work.requests_per_day, self.calendar.months)
        requests = formulas.arrival_rate(path) * self.software
        usable = per_gpu * derate  # requests/s a GPU carries within its latency class
        mean = (requests / usable)[None, :]
        target = work.target_utilisation
        peak_mean = work.diurnal_peak * work.burst_peak
        peak = _over(mean * peak_mean, target)
        active = np.ceil(peak / server_gpus - SLACK)
        reserve = np.where(mean > 0.0, float(work.spare_servers * server_gpus), 0.0)
        required = active * server_gpus + reserve
        factors |= {
            "rate_per_gpu": per_gpu,
            "derate": derate,
            "target_utilisation": target,
            "diurnal": work.diurnal_peak,
            "burst": work.burst_peak,
            "spare_servers": float(work.spare_servers),
            "server_gpus": float(server_gpus),
            "servers_active": float(active.max()) if np.isfinite(active).all() else math.inf,
        }
        one_server = float(required.max()) <= server_gpus * (1 + work.spare_servers)
        return Requirement(
            mean=mean,
            peak=peak,
            required=required,
            reserve=reserve,
            gang=replica,
            gang_memory=replica,
            limit="redundancy" if one_server and work.spare_servers else "throughput",
            runner_up="throughput" if one_server and work.spare_servers else "redundancy",
            factors=factors,
        )

    def _request_rate(self, work: ServingWorkload, hardware: Accelerator) -> tuple[float, int, dict[str, float]]:
        """Requests a second of one GPU at saturation, GPUs of one replica, and the factors."""
        if work.measured_requests_per_s_per_gpu is not None:
            rate = work.measured_requests_per_s_per_gpu / self._ratio(work, hardware)
            return rate, 1, {"measured_rate": rate}
        shape = self.shape(work)
        assert shape is not None
        answer = formulas.smallest_replica(
            shape_fields(shape),
            work.precision,
            work.input_tokens,
            work.output_tokens,
            memory_gb=hardware.memory_gb or 0.0,
            bandwidth_gbps=ROOFLINE_BANDWIDTH.get(hardware.slug, hardware.memory_bw_gbps or 0.0),
            bf16_tflops=hardware.bf16_tflops,
            fp8_tflops=hardware.fp8_tflops,
            fp4_tflops=hardware.fp4_tflops,
            architecture=hardware.architecture,
        )
        if answer is None:
            raise InputError(Problem(("demand", "workloads", work.slug, "precision"), "no_rate", hardware.slug))
        gpus, replica = answer
        return (
            replica.requests_per_s / gpus,
            gpus,
            {
                "replica_gpus": float(gpus),
                "replica_rate": replica.requests_per_s,
                "step_s": replica.t_step,
                "prefill_s": replica.t_prefill,
                "batch": replica.batch,
            },
        )

    # ── shared ──

    def shape(self, work: TrainingWorkload | ServingWorkload) -> ModelShape | None:
        """The model's architecture: the document's own, else the preset of the catalog."""
        if work.model is not None:
            return work.model
        if work.preset is None:
            return None
        preset = self.book.models.get(work.preset)
        if preset is None:
            raise InputError(Problem(("demand", "workloads", work.slug, "preset"), "not_in_catalog", work.preset))
        fields = preset.model_dump(exclude={"slug", "name", "source"})
        return ModelShape.read(fields)

    def _ratio(self, work: Workload, hardware: Accelerator) -> float:
        """GPUs of `hardware` that do the work of one GPU of the reference, by what binds the work."""
        reference = self.accelerator(work.accelerator)
        if reference.slug == hardware.slug:
            return 1.0

        def rate(card: Accelerator) -> float | None:
            if work.bound == "memory_bandwidth":
                return ROOFLINE_BANDWIDTH.get(card.slug, card.memory_bw_gbps)
            return card.fp64_tflops if work.bound == "fp64" else card.bf16_tflops

        theirs, ours = rate(reference), rate(hardware)
        if not theirs or not ours:
            raise InputError(Problem(("demand", "workloads", work.slug, "bound"), "no_rate", hardware.slug))
        return theirs / ours


def shape_fields(shape: ModelShape) -> dict[str, object]:
    """The architecture as plain keyword arguments of the formulas."""
    return shape.model_dump()


def _over(amount: Array, share: float) -> Array:
    """amount / share; where the share is 0 no number of GPUs suffices: infinity, except where nothing is asked."""
    if share > 0.0:
        return np.asarray(amount / share)
    return np.where(amount > 0.0, np.inf, 0.0)


def _none_fits(peak: Array, share: float) -> Array:
    """A target of 0 means that nothing may run on owned GPUs."""
    return peak if share > 0.0 else np.where(peak > 0.0, np.inf, 0.0)

"""Which installation a workload asks for, and what must stand around its GPUs: codes and numbers, never sentences.

Sizing reference, sections 2.6, 6.2, 6.4, 7.2, 9 and 10. Advice changes no figure of a plan.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from planner.engine import workload as formulas
from planner.engine.calendar import Array
from planner.engine.demand import Requirement
from planner.engine.inputs import (
    BatchWorkload,
    HpcWorkload,
    ModelShape,
    PoolWorkload,
    ServingWorkload,
    TrainingWorkload,
    TuningWorkload,
    Workload,
)
from planner.engine.needs.spread import BATCH_TOKENS, step_flop_s
from planner.engine.prices import Accelerator, Build, PriceBook
from planner.engine.result import Evaluation, PlanResult
from planner.engine.storage import host_gb, local_tb, shared_gb_s, shared_tb

TIERS = ("one_gpu", "one_server", "independent_servers", "cluster")
# A scheduler is worth it from so many GPUs. [GPU] Sizing reference 9.
SCHEDULER_FROM = 8
# Sequences from which context parallelism joins. [token] Sizing reference 6.4.
LONG_CONTEXT = 32_768
# GPUs of a rented server.
RENTED_SERVER = 8


@dataclass(frozen=True)
class Scheduler:
    """What sharing by a scheduler is worth: the same pool with and without it, in the busiest month.

    saved   : GPUs fewer than without one; of a pool that has none, what quotas would save. [GPU]
    per_gpu : what a GPU of the plan costs over the horizon, present value of all but the rent ÷ most GPUs owned.
    """

    kind: str
    gpus: float
    saved: float
    per_gpu: float | None

    @property
    def amount(self) -> float | None:
        """Money, present value; None where the plan owns nothing or has no total."""
        return None if self.per_gpu is None else self.saved * self.per_gpu


@dataclass(frozen=True)
class Advice:
    """What one workload asks for on one kind of machine.

    item        : build, or accelerator where it is rented. plan: the first plan that has it.
    tiers       : (month, tier) from the start on, each where it changes.
    network     : class of network between servers, key of NETWORK_CLASSES, or "25g" · "100g" for load and storage
                  traffic; "" where none is needed, None where none of them is enough.
    kept        : share of its speed that a job keeps, by class of network; empty where no formula says.
    parallel    : (form, GPUs or servers) of the parallelism that the efficiency assumes.
    software    : ray_serve · celery · slurm · kubernetes.
    host_gb, local_tb : advised in each server. shared_tb, shared_gb_s : advised for all. load_balancer: whether one is.
    host_gb_there, local_tb_there, ports_there : what the build comes with; ports as (number, Gbit/s).
    rented      : the machine is the provider's, and what stands around its GPUs too.
    """

    workload: str
    item: str
    plan: str
    need: Requirement
    server_gpus: int
    tiers: tuple[tuple[int, str], ...]
    network: str | None
    kept: dict[str, float]
    parallel: tuple[tuple[str, int], ...]
    software: tuple[str, ...]
    host_gb: float
    local_tb: float
    shared_tb: float
    shared_gb_s: float
    load_balancer: bool
    rented: bool = False
    host_gb_there: float | None = None
    local_tb_there: float | None = None
    ports_there: tuple[int, float] | None = None
    scheduler: Scheduler | None = None

    @property
    def tier(self) -> str:
        """What is asked for at the end of the horizon."""
        return self.tiers[-1][1]


def advise(evaluation: Evaluation) -> list[Advice]:
    """Advice for each workload on each kind of machine of the plans, in the order of the document; each once."""
    found: dict[tuple[str, str], Advice] = {}
    for work in evaluation.scenario.demand.workloads:
        for result in evaluation.plans:
            for slug, needs in result.requirements.items():
                if work.slug not in needs or not np.isfinite(needs[work.slug].required).any():
                    continue
                item = slug if slug != "offer" or result.offer is None else result.offer.accelerator
                if (work.slug, item) not in found:
                    found[work.slug, item] = _advice(work, needs[work.slug], item, result, evaluation)
    return list(found.values())


def _advice(work: Workload, need: Requirement, item: str, result: PlanResult, evaluation: Evaluation) -> Advice:
    book, rules = evaluation.book, evaluation.scenario.operations
    build = book.builds.get(item)
    hardware = book.accelerators[build.accelerator if build else item]
    server_gpus = _server_gpus(build, item, book)
    shape = _shape(work, book)
    tiers = _tiers(need, server_gpus)
    kept = _kept(work, need, hardware, shape, server_gpus)
    return Advice(
        workload=work.slug,
        item=item,
        plan=result.slug,
        need=need,
        server_gpus=server_gpus,
        tiers=tiers,
        network=_network(work, need, tiers, kept, server_gpus),
        kept=kept,
        parallel=_parallel(work, need, shape, server_gpus, one_domain=build.one_domain if build else True),
        software=_software(work, need, server_gpus, alone=len(evaluation.scenario.demand.workloads) == 1),
        host_gb=host_gb(work, hardware.memory_gb or 0.0, server_gpus, rules),
        local_tb=local_tb(work, shape, server_gpus, rules),
        shared_tb=float(shared_tb(work, shape, need.required, rules).max()),
        shared_gb_s=shared_gb_s(work, shape, rules),
        load_balancer=isinstance(work, ServingWorkload) and any(tier in TIERS[2:] for _month, tier in tiers),
        rented=build is None,
        host_gb_there=build.host_memory_gb if build else None,
        local_tb_there=build.local_tb if build else None,
        ports_there=(build.fabric_ports, build.fabric_port_gbps) if build and build.fabric_ports else None,
        scheduler=scheduler_worth(work, need, result) if build else None,
    )


def _server_gpus(build: Build | None, item: str, book: PriceBook) -> int:
    if build is None:
        return RENTED_SERVER
    return build.chassis_slots if item in book.addons else build.accelerator_count


def _shape(work: Workload, book: PriceBook) -> ModelShape | None:
    if isinstance(work, (PoolWorkload, HpcWorkload)):
        return None
    if work.model is not None or work.preset is None:
        return work.model
    return ModelShape.read(book.models[work.preset].model_dump(exclude={"slug", "name", "source"}))


# ── Class of installation, section 10 ──


def _tiers(need: Requirement, server_gpus: int) -> tuple[tuple[int, str], ...]:
    """(month, tier) where the class of installation changes; months that ask for nothing keep the one before."""
    months = need.required.shape[1]
    gang = np.full(months, float(need.gang)) if need.gang_by_month is None else need.gang_by_month
    changes: list[tuple[int, str]] = []
    for month in range(months):
        wanted = float(need.required[0, month])
        if wanted <= 0.0 or not math.isfinite(wanted):
            continue
        tier = formulas.installation_class(max(1.0, float(gang[month])), server_gpus, gpus_needed=wanted)
        if not changes or changes[-1][1] != tier:
            changes.append((month if changes else 0, tier))
    return tuple(changes) or ((0, "one_gpu"),)


def _network(
    work: Workload, need: Requirement, tiers: tuple[tuple[int, str], ...], kept: dict[str, float], server_gpus: int
) -> str | None:
    """The smallest network that the largest class of installation needs between its servers."""
    largest = max((tier for _month, tier in tiers), key=TIERS.index)
    if largest in ("one_gpu", "one_server"):
        return ""
    if largest == "independent_servers":
        split = isinstance(work, ServingWorkload) and work.apart
        return "100g" if split else "25g"
    if isinstance(work, (ServingWorkload, BatchWorkload)):
        return "8x400g_rdma"
    return next((name for name, share in kept.items() if share >= _least_kept() - 1e-9), None)


def _least_kept() -> float:
    """Efficiency at the communication that is still acceptable: 0.91."""
    return float(formulas.data_parallel_efficiency(formulas.ACCEPTABLE_RATIO))


def _kept(
    work: Workload, need: Requirement, hardware: Accelerator, shape: ModelShape | None, server_gpus: int
) -> dict[str, float]:
    """Share of its speed that the largest job keeps over each class of network; empty for jobs inside a server.

    Data parallel with a gradient all-reduce once a step, section 6.2; simulations have no such formula.
    """
    if need.gang <= server_gpus or not isinstance(work, (TrainingWorkload, TuningWorkload, PoolWorkload)):
        return {}
    flops = step_flop_s(need.factors, hardware, shape)
    if not flops:
        return {}
    batch = BATCH_TOKENS if isinstance(work, PoolWorkload) else work.batch_tokens_m * 1e6
    servers = math.ceil(need.gang / server_gpus)
    found = {}
    for name, (bandwidth, transport) in formulas.NETWORK_CLASSES.items():
        efficiency = formulas.NETWORK_EFFICIENCY[transport]
        ratio = formulas.communication_ratio(batch / need.gang, flops, servers, bandwidth, efficiency=efficiency)
        found[name] = float(formulas.data_parallel_efficiency(ratio))
    return found


def _parallel(
    work: Workload, need: Requirement, shape: ModelShape | None, server_gpus: int, *, one_domain: bool
) -> tuple[tuple[str, int], ...]:
    """How the GPUs of one job share it, sections 6.4 and 10."""
    gang = need.gang
    if gang <= 1:
        return ()
    if isinstance(work, (ServingWorkload, BatchWorkload)):
        inside = min(gang, server_gpus)
        return (("tensor", inside), *((("pipeline", math.ceil(gang / server_gpus)),) if gang > server_gpus else ()))
    if not isinstance(work, (TrainingWorkload, TuningWorkload)):
        return ()
    forms = [("sharded", min(gang, server_gpus))]
    if gang > server_gpus:
        forms.append(("data", math.ceil(gang / server_gpus)))
    if max(sequence for _tokens, sequence in work.parts) > LONG_CONTEXT:
        forms.append(("context", gang))
    if shape is not None and shape.moe:
        forms.append(("expert", gang))
    if not one_domain and gang > formulas.PCIE_GANG:
        forms.append(("no_tensor", gang))
    return tuple(forms)


def _software(work: Workload, need: Requirement, server_gpus: int, *, alone: bool) -> tuple[str, ...]:
    """What runs the work; a shared cluster of services needs an orchestrator besides."""
    shared = () if alone else ("kubernetes",)
    match work:
        case ServingWorkload():
            return ("ray_serve", *shared)
        case BatchWorkload():
            return ("celery",)
        case PoolWorkload() if need.gang <= server_gpus:
            return ("kubernetes",) if float(need.required.max()) >= SCHEDULER_FROM else ()
    if need.gang > server_gpus or float(need.required.max()) >= SCHEDULER_FROM:
        return ("slurm",)
    return ()


# ── What a scheduler is worth, section 9 ──


@dataclass(frozen=True)
class Saving:
    """What a scheduler saves a pool in its busiest month; of a pool that has none, what quotas would. [GPU]"""

    kind: str
    gpus: float  # needed with what the pool has
    saved: float


def scheduler_saving(work: Workload, need: Requirement) -> Saving | None:
    """GPUs that the scheduler of a pool saves; None where the work is not stated in GPU-hours."""
    if not isinstance(work, PoolWorkload) or work.gpu_hours_per_month is None:
        return None
    gpus = float(need.required.max())
    if not math.isfinite(gpus):
        return None
    share, none = formulas.ALLOCATION_SHARE[work.scheduler], formulas.ALLOCATION_SHARE["none"]
    if work.scheduler == "none":
        return Saving(work.scheduler, gpus, gpus * (1.0 - none / formulas.ALLOCATION_SHARE["quotas"]))
    return Saving(work.scheduler, gpus, gpus * (share / none - 1.0))


def scheduler_worth(work: Workload, need: Requirement, result: PlanResult) -> Scheduler | None:
    """GPUs and money that the scheduler of a pool saves; None where the work is not stated in GPU-hours."""
    saving = scheduler_saving(work, need)
    return None if saving is None else Scheduler(saving.kind, saving.gpus, saving.saved, cost_per_gpu(result))


def cost_per_gpu(result: PlanResult) -> float | None:
    """Present value of a plan without its rent ÷ the most GPUs it owns; None where it owns none or has no total."""
    cards: Array = sum((holding.cards[0] for holding in result.fleet.holdings), np.zeros(result.calendar.months))
    most = float(cards.max(initial=0.0))
    if most <= 0.0 or not result.priced:
        return None
    owned = [line for line in result.lines if not line.category.startswith("opex.cloud")]
    return result.money(line.present_value(result.discount_of(line)) for line in owned) / most

"""Workloads → the GPUs each kind of hardware must hold, month by month. Each factor appears once, by name."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from planner.engine.calendar import Calendar
from planner.engine.inputs import (
    BatchWorkload,
    Condition,
    HpcWorkload,
    ModelShape,
    PoolWorkload,
    Scenario,
    ServingWorkload,
    Workload,
)
from planner.engine.links import Link
from planner.engine.needs import (
    Case,
    Requirement,
    batch_needed,
    hpc_needed,
    pool_needed,
    runs_needed,
    serving_needed,
)
from planner.engine.needs.case import ROOFLINE_BANDWIDTH
from planner.engine.prices import Accelerator, AddOn, Build, PriceBook
from planner.engine.quantities import InputError, Problem

__all__ = ["Machine", "Requirement", "Sizing", "machine_for", "power_share", "under_limit"]


NEW = Condition()


@dataclass(frozen=True)
class Machine:
    """A build as bought, with the card that fills its free slots, where there is one."""

    build: Build
    addon: AddOn | None
    accelerator: Accelerator
    power_share: float = 1.0  # what a power limit leaves of the nameplate power of a card; build and card draw by it
    # In which condition it is bought: the share of a new one's price, 1 where a quote says it; its age and warranty.
    condition: Condition = NEW
    price_share: float = 1.0

    @property
    def slug(self) -> str:
        return self.build.slug

    @property
    def used(self) -> bool:
        """Whether it is bought used or refurbished."""
        return self.condition.kind != "new"

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


def machine_for(book: PriceBook, slug: str, power_limit_w: float | None = None) -> Machine:
    """The machine of a build slug, its cards under a power limit where there is one.

    Raises InputError where the book does not hold it, or where it idles above its typical draw or that above its most.
    """
    build = book.builds.get(slug)
    if build is None:
        raise InputError(Problem(("plans", "build"), "not_in_catalog", slug))
    addon = book.addons.get(slug) if build.chassis_slots > build.accelerator_count else None
    for kind, part in (("builds", build), ("addons", addon)):
        if part is not None and not part.idle_kw <= part.typical_kw <= part.max_kw:
            raise InputError(Problem((kind, slug), "power_not_rising", part.slug))
    card = book.accelerators[build.accelerator]
    return Machine(*under_limit(build, addon, card, power_limit_w), card, power_share(card, power_limit_w))


def in_condition(machine: Machine, condition: Condition) -> Machine:
    """The machine as it is bought new, refurbished or used.

    A share of the new price is the planner's; else a quote of that condition holds, and without one there is no price.
    """
    if condition.kind == "new":
        return machine
    build, addon, share = machine.build, machine.addon, condition.price_share
    if share is None:
        quoted = build.used_price if condition.kind == "used" else build.refurbished_price
        build = build.model_copy(update={"price": quoted})
        addon = addon.model_copy(update={"price": None}) if addon is not None else None
    return replace(machine, build=build, addon=addon, condition=condition, price_share=1.0 if share is None else share)


def power_share(card: Accelerator, limit_w: float | None) -> float:
    """What a power limit leaves of a card's nameplate power; 1 where none is set or the nameplate is not known. [1]"""
    return 1.0 if limit_w is None or not card.tdp_w else min(1.0, limit_w / card.tdp_w)


def under_limit(
    build: Build, addon: AddOn | None, card: Accelerator, limit_w: float | None
) -> tuple[Build, AddOn | None]:
    """A build and its card that draw at most what the limit allows each card; what else draws power stays as it is.

    A card's typical draw is that of the add-on, else its part of the nameplate as the server's is. What the supplies
    lose on the way is not taken off, so that little more may be saved than is said.
    """
    share = power_share(card, limit_w)
    if share >= 1.0:
        return build, addon
    most = (card.tdp_w or 0.0) / 1000.0
    typical = addon.typical_kw if addon else most * build.typical_kw / build.max_kw if build.max_kw else 0.0
    saved, saved_typically = most * (1.0 - share), max(0.0, typical - most * share)

    def less(part: Build | AddOn, cards: int) -> dict[str, float]:
        busy = max(part.idle_kw, part.typical_kw - cards * saved_typically)
        return {"typical_kw": busy, "max_kw": max(busy, part.max_kw - cards * saved)}

    limited = build.model_copy(update=less(build, build.accelerator_count))
    return limited, addon and addon.model_copy(update=less(addon, addon.cards))


class Sizing:
    """Answers, for each workload and machine, what is needed; computed once per pair."""

    def __init__(self, scenario: Scenario, book: PriceBook, calendar: Calendar) -> None:
        self.scenario, self.book, self.calendar = scenario, book, calendar
        speedup = scenario.demand.software_speedup_per_year
        self.software = (1.0 - speedup) ** calendar.years  # work per unit left, (M,)
        self._known: dict[tuple[object, ...], Requirement] = {}

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
        hardware = self.accelerator(work.accelerator)
        return self.on(work, hardware, server_gpus=8, one_domain=True, reference=True)

    def on_machine(
        self, work: Workload, machine: Machine, filled: bool = False, link: Link | None = None
    ) -> Requirement:
        """The requirement on a machine; one whose free slots are filled loses all of them with one server."""
        lost = machine.slots if filled else machine.base_cards
        one_domain, share = machine.build.one_domain, machine.power_share
        return self.on(work, machine.accelerator, machine.server_gpus, one_domain, lost, share, link)

    def on(
        self,
        work: Workload,
        hardware: Accelerator,
        server_gpus: int,
        one_domain: bool,
        failure_gpus: int | None = None,
        power_share: float = 1.0,
        link: Link | None = None,
        *,
        reference: bool = False,
    ) -> Requirement:
        """The requirement of a workload on hardware in servers of `server_gpus`.

        failure_gpus : GPUs lost with one server, the unit of N+k (default: the whole server).
        power_share  : see `Machine.power_share`. [1]
        link         : the network between servers; None for one as good as those of the published rates.
        reference    : in which useful work is counted: no loss by spreading a job.
        Raises InputError `no_rate` where the hardware's rate for this work is unknown.
        """
        failure = failure_gpus or server_gpus
        key = (work.slug, hardware.slug, server_gpus, failure, one_domain, power_share, link, reference)
        if key not in self._known:
            case = Case(
                work.slug,
                hardware,
                self.shape(work),
                server_gpus,
                one_domain,
                failure,
                self.calendar,
                self.software,
                lambda: self._ratio(work, hardware),
                self.scenario.reliability,
                self.scenario.operations.checkpoint_minutes,
                power_share,
                None if reference else self.scenario.demand.scaling,
                link,
            )
            self._known[key] = _needed(work, case)
        return self._known[key]

    def shape(self, work: Workload) -> ModelShape | None:
        """The model's architecture: the document's own, else the preset of the catalog; None where it has none."""
        if isinstance(work, (PoolWorkload, HpcWorkload)):
            return None
        if work.model is not None:
            if isinstance(work, (BatchWorkload, ServingWorkload)):
                _judge_layers(work.slug, work.model)
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


def _judge_layers(slug: str, shape: ModelShape) -> None:
    """Refuse more layers that see the whole context than there are: the cache of a token would be that of no model."""
    full = shape.full_attention_layers
    if full is not None and full > shape.layers:
        path = ("demand", "workloads", slug, "model", "full_attention_layers")
        raise InputError(Problem(path, "out_of_bounds", full, 0.0, float(shape.layers), "1"))


def _needed(work: Workload, case: Case) -> Requirement:
    match work:
        case PoolWorkload():
            return pool_needed(work, case)
        case HpcWorkload():
            return hpc_needed(work, case)
        case ServingWorkload():
            return serving_needed(work, case)
        case BatchWorkload():
            return batch_needed(work, case)
    return runs_needed(work, case)

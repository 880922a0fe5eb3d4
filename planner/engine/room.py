"""What a room's page tells beyond where machines stand: noise, a lost feed, floor, liquid, a month in figures.

Reads a result and adds nothing to it, as layout.py does.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.engine.demand import Machine
from planner.engine.facility import (
    CAPTURE_RATIO,
    FLOOR_LIMIT_LB_FT2,
    KG_M2_PER_LB_FT2,
    gpus_on_circuit,
    heat_split_kw,
    water_l_per_min,
)
from planner.engine.housing import on_one_circuit, power_limit
from planner.engine.inputs import Site
from planner.engine.layout import Layout, Rack
from planner.engine.quantities import InputError, Problem
from planner.engine.result import PlanResult
from planner.engine.workload.power_limit import limited_rate


def loudest(result: PlanResult, month: int, future: int = 0) -> float | None:
    """Noise of the loudest machine in service; None where none is there or none is known. [dB(A)]"""
    holdings = [holding for holding in result.fleet.holdings if holding.hosts[future, month] > 0]
    return max((holding.machine.build.noise_db for holding in holdings if holding.machine.build.noise_db), default=None)


# ── One feed lost ────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Supplies:
    """Power supplies of one kind of machine, one of its rack's feeds lost."""

    item: str
    psus: int
    needed: int | None  # None where unknown
    left: int  # still fed
    one_failed: int  # left where a single supply fails and every feed is there

    @property
    def keeps(self) -> bool:
        """Full power with the feed lost; where the need is unknown, as long as any supply is fed."""
        return self.left >= (self.needed or 1)

    @property
    def keeps_one_failed(self) -> bool:
        return self.one_failed >= (self.needed or 1)


@dataclass(frozen=True)
class RackWithout:
    """Racks filled alike, without one feed."""

    rack: Rack
    share: float  # load of each remaining feed over its rating; infinite where none is left [1]
    over: bool  # the remaining feeds trip, and all machines with them
    supplies: tuple[Supplies, ...]

    @property
    def off(self) -> int:
        """Machines in each rack that lose power: all of them where the feeds trip, else those without a fed supply."""
        if self.over:
            return self.rack.machines
        unfed = {each.item for each in self.supplies if each.left == 0}
        return sum(stack.count for stack in self.rack.stacks if stack.item in unfed)

    @property
    def short(self) -> int:
        """Machines in each rack that stay on without full power."""
        weak = {each.item for each in self.supplies if each.left > 0 and not each.keeps}
        return 0 if self.over else sum(stack.count for stack in self.rack.stacks if stack.item in weak)


def without_feed(found: Layout, feed: int) -> tuple[RackWithout, ...]:
    """Return what the loss of a given feed does to each group of racks.

    feed : from 0. Cords go to the feeds in turn, so that the first ones may carry one cord more. InputError where the
    rack has no such feed, or no circuit is known.
    """
    feeds = found.circuit.feeds if found.circuit is not None else 0
    if not 0 <= feed < feeds:
        raise InputError(Problem(("lost",), "out_of_bounds", feed, 0, max(feeds - 1, 0), "feed"))
    answer = []
    for rack in found.racks:
        assert rack.feeds is not None
        supplies = tuple(
            Supplies(
                stack.item,
                stack.cords,
                stack.psus_needed,
                stack.cords - _cords_on(stack.cords, feed, feeds),
                stack.cords - 1,
            )
            for stack in rack.stacks
            if stack.cords
        )
        answer.append(RackWithout(rack, rack.feeds.share_one_lost, not rack.feeds.fits_one_lost, supplies))
    return tuple(answer)


def _cords_on(cords: int, feed: int, feeds: int) -> int:
    return cords // feeds + (1 if feed < cords % feeds else 0)


# ── Floor and liquid ─────────────────────────────────────────────────────────────────────────────────────────────────


def floor_limit_kg_m2(site: Site) -> float | None:
    """What the floor bears: as named, else that of an ordinary building where the room is an office. [kg/m²]"""
    if site.floor_kg_m2 is None and site.kind == "office":
        return FLOOR_LIMIT_LB_FT2 * KG_M2_PER_LB_FT2
    return site.floor_kg_m2


# How far a direct-to-chip loop warms its water. [°C] Assumption.
LOOP_RISE_C = 10.0


@dataclass(frozen=True)
class Liquid:
    """What direct-to-chip loops take, from the least to the most of the capture ratio."""

    kw: tuple[float, float]
    l_per_min: tuple[float, float]
    kw_to_air: tuple[float, float]  # what is left to the air, from most to least


def liquid(result: PlanResult, month: int, future: int = 0) -> Liquid | None:
    """Return the liquid that machines with their own loops need at maximum draw; None where there are none.

    Water that warms by `LOOP_RISE_C`. Source: facility reference 3.
    """
    kw = 0.0
    for holding in result.fleet.holdings:
        if holding.machine.build.cooling != "air":
            hosts, cards = float(holding.hosts[future, month]), float(holding.cards[future, month])
            kw += hosts * holding.machine.host_kw[0] + cards * holding.machine.card_kw[0]
    if kw <= 0.0:
        return None
    (low, most_air), (high, least_air) = (heat_split_kw(kw, ratio) for ratio in CAPTURE_RATIO)
    flows = [float(water_l_per_min(taken, LOOP_RISE_C)) for taken in (low, high)]
    return Liquid((float(low), float(high)), (flows[0], flows[1]), (float(most_air), float(least_air)))


# ── One outlet ───────────────────────────────────────────────────────────────────────────────────────────────────────

# Power limits to compare, over the nameplate of a card. [1]
LIMITS_TRIED = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5)


@dataclass(frozen=True)
class Limited:
    """The most GPUs of one machine that one outlet carries at a power limit of the card."""

    share: float  # limit over the nameplate [1]
    gpu_w: float
    gpus: int
    kw: float  # of them and their host
    rate: float  # of each GPU, over its rate without a limit [1]

    @property
    def work(self) -> float:
        """Work of all of them, in GPUs without a limit."""
        return self.gpus * self.rate


def on_outlet(site: Site, machine: Machine) -> tuple[Limited, ...]:
    """Return what an office's only circuit carries of a machine at each power limit; nothing where there is none.

    The host draws what is left of the machine's maximum without its cards. Rates are those of a GPU that is full of
    work, which loses most. Source: facility reference 2.2; `workload.power_limit`.
    """
    usable, card_w = power_limit(site), machine.accelerator.tdp_w
    if not on_one_circuit(site) or usable is None or not card_w:
        return ()
    host_kw = max(0.0, machine.build.max_kw - machine.base_cards * card_w / 1000.0)
    rows = []
    for share in LIMITS_TRIED:
        gpu_kw = share * card_w / 1000.0
        gpus = min(int(gpus_on_circuit(usable, host_kw, gpu_kw)), machine.slots)
        rows.append(Limited(share, 1000.0 * gpu_kw, gpus, host_kw + gpus * gpu_kw, float(limited_rate(share))))
    return tuple(rows)


# ── A month in figures ───────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Standing:
    """The room in one month, for a comparison with another month."""

    servers: float
    gpus: float
    racks: float
    units: float
    kg: float
    max_kw: float
    heat_kw: float
    airflow_cfm: float
    contracted_kw: float


def standing(result: PlanResult, found: Layout, future: int = 0) -> Standing:
    """The figures of a layout's month."""
    month, housing = found.month, result.housing
    return Standing(
        servers=sum(float(holding.hosts[future, month]) for holding in result.fleet.holdings),
        gpus=sum(float(holding.cards[future, month]) for holding in result.fleet.holdings),
        racks=float(housing.racks[future, month]),
        units=math.fsum(rack.count * rack.units for rack in found.racks),
        kg=math.fsum(rack.count * rack.kg for rack in found.racks),
        max_kw=float(housing.draw_max[future, month]),
        heat_kw=float(housing.draw_busy[future, month]),
        airflow_cfm=found.airflow_cfm,
        contracted_kw=float(housing.contracted_kw[future, month]),
    )

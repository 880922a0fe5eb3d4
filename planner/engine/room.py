"""What a room's page tells beyond where machines stand: when limits are passed, what a lost feed does, floor, liquid.

Reads a result and adds nothing to it, as layout.py does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array
from planner.engine.facility import (
    CAPTURE_RATIO,
    COLD_AISLE_M,
    FLOOR_LIMIT_LB_FT2,
    HOT_AISLE_M,
    KG_M2_PER_LB_FT2,
    LIMITS,
    METHOD_RACK_KW,
    floor_load_lb_ft2,
    heat_split_kw,
    water_l_per_min,
)
from planner.engine.housing import UpgradeOrder, adds, limits_of, noise_limit
from planner.engine.inputs import Site
from planner.engine.layout import Layout, Rack, layout
from planner.engine.quantities import InputError, Problem
from planner.engine.result import PlanResult
from planner.engine.rounding import SLACK

# ── Months ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def waves(result: PlanResult, future: int = 0) -> list[int]:
    """Months in which what stands in the room, or the room itself, is not as in the month before; month 0 first."""
    changed = np.zeros(result.calendar.months, dtype=bool)
    changed[:1] = True
    series = [np.asarray(limit) for limit in result.housing.limits.values()]
    for holding in result.fleet.holdings:
        series += [holding.hosts[future], holding.cards[future]]
    if result.network is not None:
        series.append(result.network.switches[future])
    for values in series:
        changed[1:] |= values[1:] != values[:-1]
    sites = [site.slug for site in result.housing.site_of]
    changed[1:] |= np.array([now != before for before, now in pairwise(sites)], dtype=bool)
    return [int(month) for month in np.flatnonzero(changed)]


@dataclass(frozen=True)
class Passed:
    """A limit that a plan passes: when first, by how much, and what the plan does about it."""

    resource: str  # cooling · power · racks · units · kw · kg · cords · cfm · method · feeds · noise
    site: str
    month: int  # the first
    needed: float
    limit: float  # of that month, before any upgrade
    months: int  # in which the limit holds the plan back, the upgrades it buys counted
    bought: tuple[UpgradeOrder, ...] = ()
    remedy: UpgradeOrder | None = None  # a step that would lift it and is not bought


def limits_passed(result: PlanResult, future: int = 0) -> list[Passed]:
    """Return every limit of its rooms that a plan passes, the earliest first.

    The room's own limits are compared before any upgrade: a limit that an upgrade lifts in time is passed all the same.
    """
    housing = result.housing
    needs = {"cooling": housing.draw_busy[future], "power": housing.draw_max[future], "racks": housing.racks[future]}
    found = [
        passed
        for site in _rooms(result)
        for resource, needed in needs.items()
        if (passed := _of_room(result, site, resource, needed)) is not None
    ]
    found += [
        Passed(short.resource, short.site, short.month, short.needed, short.limit, short.months)
        for short in housing.shortages
        if short.resource in LIMITS
    ]
    found += _of_racks(result, future)
    found += _of_noise(result, future)
    return sorted(found, key=lambda passed: passed.month)


def _rooms(result: PlanResult) -> Iterable[Site]:
    return {site.slug: site for site in result.housing.site_of}.values()


def _here(result: PlanResult, site: Site) -> npt.NDArray[np.bool_]:
    return np.array([each.slug == site.slug for each in result.housing.site_of])


def _of_room(result: PlanResult, site: Site, resource: str, needed: Array) -> Passed | None:
    housing, here = result.housing, _here(result, site)
    limits = limits_of(resource, housing.site_of)
    over = here & (needed > limits + SLACK)
    if not over.any():
        return None
    month = int(np.argmax(over))
    short = next((each for each in housing.shortages if (each.resource, each.site) == (resource, site.slug)), None)
    bought = tuple(
        order for order in housing.upgrades if order.site == site.slug and adds(order.upgrade, resource) > 0.0
    )
    return Passed(
        resource,
        site.slug,
        month,
        float(needed[month]),
        float(limits[month]),
        int((here & (needed > housing.limits[resource] + SLACK)).sum()),
        bought,
        short.remedy if short is not None and short.remedy not in bought else None,
    )


def _of_racks(result: PlanResult, future: int) -> list[Passed]:
    """Racks above what their cooling method is assumed to carry, and racks that one lost feed overloads."""
    found: dict[tuple[str, str], Passed] = {}
    starts = waves(result, future)
    for start, end in zip(starts, [*starts[1:], result.calendar.months], strict=True):
        now = layout(result, start, future)
        hottest = max((rack.kw for rack in now.racks), default=0.0)
        cases = [("method", hottest, METHOD_RACK_KW[now.site.cooling_method])]
        feeds = [rack.feeds for rack in now.racks if rack.feeds is not None]
        if feeds and now.circuit is not None and now.circuit.feeds > 1:
            cases.append(("feeds", hottest, feeds[0].left_kw))
        for resource, needed, limit in cases:
            if needed > limit + SLACK:
                first = found.get((now.site.slug, resource))
                if first is None:
                    first = Passed(resource, now.site.slug, start, needed, limit, 0)
                more = first.months + end - start
                found[now.site.slug, resource] = Passed(
                    resource, now.site.slug, first.month, first.needed, first.limit, more
                )
    return list(found.values())


def _of_noise(result: PlanResult, future: int) -> list[Passed]:
    found = []
    for site in _rooms(result):
        most, here = noise_limit(site), _here(result, site)
        loudest = np.zeros(result.calendar.months)
        for holding in result.fleet.holdings:
            there = here & (holding.hosts[future] > 0)
            loudest = np.where(there, np.maximum(loudest, holding.machine.build.noise_db or 0.0), loudest)
        if most is not None and (loudest > most).any():
            month = int(np.argmax(loudest > most))
            found.append(Passed("noise", site.slug, month, float(loudest[month]), most, int((loudest > most).sum())))
    return found


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

# A rack as NVIDIA and APC make it: 600 × 1200 mm, 134 kg empty. [m], [kg] catalog/data/facility_items.csv (AR3300).
RACK_M, EMPTY_RACK_KG = (0.6, 1.2), 134.0
KG_PER_LB, M2_PER_FT2 = 0.45359237, 0.09290304


def floor_load_kg_m2(machines_kg: float) -> float:
    """Return the load of a rack on its floor, its own mass and half of the aisles before and behind it counted.

    machines_kg : what stands in the rack. [kg] Returns [kg/m²]. Source: facility reference 4 (IBM).
    """
    width, depth = RACK_M
    aisles = width * (COLD_AISLE_M + HOT_AISLE_M)
    pounds = (machines_kg + EMPTY_RACK_KG) / KG_PER_LB
    load = floor_load_lb_ft2(pounds, width * depth / M2_PER_FT2, aisles / M2_PER_FT2)
    return float(load) * KG_M2_PER_LB_FT2


def floor_limit_kg_m2(site: Site) -> float | None:
    """What an ordinary building's floor carries, where the room is an office; None elsewhere. [kg/m²]"""
    return FLOOR_LIMIT_LB_FT2 * KG_M2_PER_LB_FT2 if site.kind == "office" else None


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

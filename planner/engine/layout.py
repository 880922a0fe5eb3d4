"""Where the machines of a month stand: racks unit by unit, their feeds, and what one lost feed or cooling unit does.

Reads a result and adds nothing to it; housing.py decided what fits and what is bought. Kilowatts of racks and feeds are
maximum draw, heat is what the plan's machines draw in that month.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.engine.facility import (
    LIMITS,
    FeedCheck,
    RackGroup,
    check_feeds,
    psu_ok,
    throttle,
)
from planner.engine.housing import (
    Kind,
    feed_kw,
    kinds_in_racks,
    on_one_circuit,
    packed,
    rack_heat_limit,
    rack_limits,
    supplies_needed,
)
from planner.engine.inputs import Circuit, Site, Upgrade
from planner.engine.quantities import InputError, Problem
from planner.engine.result import PlanResult
from planner.engine.rounding import SLACK


@dataclass(frozen=True)
class Stack:
    """Machines of one kind on each other; units, kW and the rest are of each."""

    item: str  # slug of the build, or of the device of the network
    count: int
    bottom: float  # lowest unit of the lowest machine, 1 at the floor; the next begins `units` higher [U]
    units: float
    kw: float  # maximum
    kg: float
    cords: int
    cfm: float
    psus_needed: int | None = None  # of as many supplies as cords, to carry the maximum; None where unknown


@dataclass(frozen=True)
class Rack:
    """Racks filled alike, stacks from the bottom up, the heaviest machines first."""

    first: int  # number of the first of them, from 1
    count: int
    stacks: tuple[Stack, ...]
    units: float  # used in each
    kw: float  # maximum, by which circuits and racks are judged
    typical_kw: float  # expected with all machines busy
    kg: float
    cords: float
    cfm: float
    feeds: FeedCheck | None  # None where no circuit is known
    short: tuple[str, ...]  # machines that lose full power with one feed for want of supplies, by item
    above_method: bool  # gives off more, all machines busy, than the cooling carries from one rack

    @property
    def machines(self) -> int:
        return sum(stack.count for stack in self.stacks)


@dataclass(frozen=True)
class Bar:
    """What is used against a limit of the room, or of its fullest rack."""

    resource: str  # power · cooling · racks · units · kw · kg · cords · cfm
    used: float  # power and kW: the maximum draw, which decides; cooling: the heat of the month
    limit: float | None  # None where none is known
    expected: float | None = None  # power: what the month draws; kW: the fullest rack busy

    @property
    def over(self) -> bool:
        return self.limit is not None and self.used > self.limit + SLACK


@dataclass(frozen=True)
class FeedLoss:
    """One feed of every rack is lost: which racks pass what is left, which machines have too few supplies."""

    survives: bool
    racks_over: int  # their remaining feeds trip
    machines_off: int  # machines in those racks
    machines_short: int  # in the other racks, without full power
    worst_share: float  # load of the remaining feeds of the fullest rack over their rating; above 1 it overloads [1]


@dataclass(frozen=True)
class CoolingLoss:
    """One cooling unit is lost."""

    survives: bool
    cooling_kw: float  # what the others carry away
    heat_kw: float
    kept: float  # share of their rate that machines keep: 1, ratio^0.5, or 0 where they trip


@dataclass(frozen=True)
class Layout:
    """A month in the room."""

    site: Site
    month: int
    racks: tuple[Rack, ...]
    count: int  # racks
    limit_by: str | None  # the limit of a rack that decides, one of `facility.LIMITS`
    fits: bool  # False where a machine fits in no rack; it is not placed
    beside: tuple[tuple[str, int], ...]  # machines that stand on shelves, by item
    bars: tuple[Bar, ...]
    airflow_cfm: float
    circuit: Circuit | None  # that reaches each rack; None where the site names none, or an upgrade replaced it
    feed_loss: FeedLoss | None  # None where no circuit is known
    cooling_loss: CoolingLoss | None  # None where the site names no cooling or no number of units


def layout(result: PlanResult, month: int, future: int = 0) -> Layout:
    """Return where the machines of a plan stand in a month, first-fit decreasing by maximum kW.

    month  : from 0, within the horizon; InputError outside.
    future : which of the S futures.
    Cords of a machine are spread evenly over the feeds of its rack. Source: facility reference 2.3, 2.5, 3.
    """
    months = len(result.housing.site_of)
    if not 0 <= month < months:
        raise InputError(Problem(("month",), "out_of_bounds", month, 0, months - 1, "month"))
    site = result.housing.fed[month]
    kinds = kinds_in_racks(result.fleet, result.network, future, month)
    limits = rack_limits(site)
    filled = packed(tuple(kind.row for kind in kinds), limits)
    circuit = _circuit(result, site, month)
    racks, first = [], 1
    for group in filled.layout:
        racks.append(_rack(group, kinds, site, circuit, first))
        first += group.racks
    holdings = [holding for holding in result.fleet.holdings if not holding.machine.build.in_rack]
    beside = [(holding.machine.slug, round(float(holding.hosts[future, month]))) for holding in holdings]
    heat = float(result.housing.draw_busy[future, month])
    return Layout(
        site=site,
        month=month,
        racks=tuple(racks),
        count=filled.racks,
        limit_by=filled.limit_by,
        fits=filled.fits,
        beside=tuple((slug, number) for slug, number in beside if number),
        bars=_bars(result, racks, limits, future, month),
        airflow_cfm=sum(rack.count * rack.cfm for rack in racks),
        circuit=circuit,
        feed_loss=_feed_loss(racks, circuit),
        cooling_loss=_cooling_loss(result, site, month, heat),
    )


def _circuit(result: PlanResult, site: Site, month: int) -> Circuit | None:
    """The feeds of a rack. None where an upgrade adds to an office's only circuit one of which only kW are known."""
    there = _in_service(result, site, month)
    more = on_one_circuit(site) and any(step.adds_power_kw > 0.0 for step in there)
    return None if more and all(step.circuit is None for step in there) else site.circuit


def _rack(group: RackGroup, kinds: list[Kind], site: Site, circuit: Circuit | None, first: int) -> Rack:
    stacks, bottom = [], 1.0
    for place, number in sorted(group.items, key=lambda entry: -kinds[entry[0]].kg):
        kind = kinds[place]
        needed = supplies_needed(kind.build, kind.kw) if kind.build is not None and kind.build.psus else None
        stacks.append(Stack(kind.item, number, bottom, kind.units, kind.kw, kind.kg, kind.cords, kind.cfm, needed))
        bottom += number * kind.units
    short: tuple[str, ...] = ()
    if circuit is not None:
        short = tuple(kinds[place].item for place, _ in group.items if _short(kinds[place], circuit.feeds))
    typical = sum(number * kinds[place].typical_kw for place, number in group.items)
    limit = rack_heat_limit(site)
    return Rack(
        first=first,
        count=group.racks,
        stacks=tuple(stacks),
        units=group.units,
        kw=group.kw,
        typical_kw=typical,
        kg=group.kg,
        cords=group.cords,
        cfm=group.cfm,
        feeds=None if circuit is None else check_feeds(group.kw, feed_kw(circuit), circuit.feeds),
        short=short,
        above_method=limit is not None and typical > limit + SLACK,
    )


def _short(kind: Kind, feeds: int) -> bool:
    """Whether a machine loses full power with one feed; where its supplies are unknown, only if no feed is left."""
    if kind.build is None:
        return False
    needed = supplies_needed(kind.build, kind.kw)
    if not kind.build.psus or needed is None:
        return feeds == 1
    return not psu_ok(kind.build.psus, feeds, needed)


def _bars(
    result: PlanResult, racks: list[Rack], limits: tuple[float | None, ...], future: int, month: int
) -> tuple[Bar, ...]:
    """The room's limits with the upgrades in service, then those of a rack against the rack that uses most."""
    housing = result.housing

    def room(name: str, used: float, expected: float | None = None) -> Bar:
        most = float(housing.limits[name][month])
        return Bar(name, used, most if math.isfinite(most) else None, expected)

    heat = float(housing.draw_busy[future, month])
    bars = [
        room("power", float(housing.draw_max[future, month]), heat),
        room("cooling", heat),
        room("racks", float(housing.racks[future, month])),
    ]
    for name, limit in zip(LIMITS, limits, strict=True):
        used = max((float(getattr(rack, name)) for rack in racks), default=0.0)
        expected = max((rack.typical_kw for rack in racks), default=0.0) if name == "kw" else None
        bars.append(Bar(name, used, limit, expected))
    return tuple(bars)


def _in_service(result: PlanResult, site: Site, month: int) -> list[Upgrade]:
    orders = result.housing.upgrades
    return [order.upgrade for order in orders if order.site == site.slug and order.in_service <= month]


def _feed_loss(racks: list[Rack], circuit: Circuit | None) -> FeedLoss | None:
    if circuit is None:
        return None
    over = [rack for rack in racks if rack.feeds is not None and not rack.feeds.fits_one_lost]
    holding = [rack for rack in racks if rack.feeds is not None and rack.feeds.fits_one_lost]
    short = sum(rack.count * stack.count for rack in holding for stack in rack.stacks if stack.item in rack.short)
    return FeedLoss(
        survives=not over and not short,
        racks_over=sum(rack.count for rack in over),
        machines_off=sum(rack.count * rack.machines for rack in over),
        machines_short=short,
        worst_share=max((rack.feeds.share_one_lost for rack in racks if rack.feeds is not None), default=0.0),
    )


def cooling_units_in_service(result: PlanResult, site: Site, month: int) -> list[float]:
    """What each cooling unit carries away, the room's own and the pieces of upgrades; none where they are not known."""
    if site.cooling_kw is None or site.cooling_units is None:
        return []
    units = [site.cooling_kw / site.cooling_units] * site.cooling_units
    for upgrade in _in_service(result, site, month):
        units += [upgrade.adds_cooling_kw / upgrade.quantity] * upgrade.quantity
    return units


def _cooling_loss(result: PlanResult, site: Site, month: int, heat_kw: float) -> CoolingLoss | None:
    """The largest unit fails: one of the room's own, or a piece of an upgrade."""
    units = cooling_units_in_service(result, site, month)
    if not units:
        return None
    left = math.fsum(units) - max(units)
    kept = float(throttle(left, heat_kw))
    return CoolingLoss(kept >= 1.0, left, heat_kw, kept)

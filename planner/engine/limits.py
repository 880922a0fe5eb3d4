"""The limits of its rooms that a plan passes: when first, by how much, for how long, and what is done about it.

Reads a result and adds nothing to it, as layout.py does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from planner.engine.calendar import Array
from planner.engine.facility import LIMITS, psus_left, rack_floor_kg_m2, rack_foot_kg
from planner.engine.housing import (
    Kind,
    UpgradeOrder,
    adds,
    kinds_in_service,
    kinds_of_network,
    limits_of,
    noise_limit,
    rack_heat_limit,
    supply_check,
)
from planner.engine.inputs import Site
from planner.engine.layout import Layout, cooling_units_in_service, layout
from planner.engine.result import PlanResult
from planner.engine.room import floor_limit_kg_m2, liquid
from planner.engine.rounding import SLACK


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
    rooms = [(site.slug, site.circuit) for site in result.housing.fed]
    changed[1:] |= np.array([now != before for before, now in pairwise(rooms)], dtype=bool)
    return [int(month) for month in np.flatnonzero(changed)]


@dataclass(frozen=True)
class Passed:
    """A limit that a plan passes: when first, by how much, and what the plan does about it."""

    # cooling · power · racks · units · kw · kg · cords · cfm · noise, and of `further_limits`:
    # method · floor · foot · feeds · psus · inlet · sustained · transient · air · liquid · budget · ups · spare_cooling
    resource: str
    site: str
    month: int  # the first
    needed: float
    limit: float  # of that month, before any upgrade
    months: int  # in which the limit holds the plan back, the upgrades it buys counted
    bought: tuple[UpgradeOrder, ...] = ()
    remedy: UpgradeOrder | None = None  # a step that would lift it and is not bought
    item: str = ""  # the machine that passes it, where it is a machine's


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
        Passed(
            short.resource,
            short.site,
            short.month,
            short.needed,
            short.limit,
            short.months,
            tuple(order for order in housing.upgrades if order == short.remedy),
            short.remedy if short.remedy not in housing.upgrades else None,
        )
        for short in housing.shortages
        if short.resource in LIMITS
    ]
    found += further_limits(result, future)
    found += _of_noise(result, future)
    return sorted(found, key=lambda passed: passed.month)


def further_limits(result: PlanResult, future: int = 0) -> list[Passed]:
    """Return the limits beside those by which machines run or stand: what the room, its owner or a loss asks."""
    return [*_of_waves(result, future), *_of_months(result, future)]


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


def _of_waves(result: PlanResult, future: int) -> list[Passed]:
    """What changes only when something arrives, leaves or moves: racks, feeds, supplies, floor, air, liquid."""
    found: dict[tuple[str, str, str], Passed] = {}
    starts = waves(result, future)
    for start, end in zip(starts, [*starts[1:], result.calendar.months], strict=True):
        now = layout(result, start, future)
        for case in _cases(result, now, future):
            if case.needed <= case.limit + SLACK:
                continue
            key = (case.resource, now.site.slug, case.item)
            first = found.get(key)
            if first is None:
                first = Passed(case.resource, now.site.slug, start, case.needed, case.limit, 0, item=case.item)
            found[key] = replace(first, months=first.months + end - start)
    return list(found.values())


@dataclass(frozen=True)
class _Case:
    resource: str
    needed: float
    limit: float
    item: str = ""


def _cases(result: PlanResult, now: Layout, future: int) -> Iterator[_Case]:
    site = now.site
    if now.racks:
        if (most := rack_heat_limit(site)) is not None:
            yield _Case("method", max(rack.typical_kw for rack in now.racks), most)
        yield from _of_floor(site, max(rack.kg for rack in now.racks))
    if now.racks and now.circuit is not None and now.circuit.feeds > 1:
        yield from _of_feeds(now, now.circuit.feeds)
    kinds = kinds_in_service(result.fleet, future, now.month)
    for kind in kinds:
        yield from _of_machine(site, kind)
    if site.air_cfm is not None:
        moving = [*kinds, *kinds_of_network(result.network, future, now.month)]
        yield _Case("air", math.fsum(kind.count * kind.cfm for kind in moving), site.air_cfm)
    if site.liquid_l_per_min is not None and (loops := liquid(result, now.month, future)) is not None:
        yield _Case("liquid", loops.l_per_min[1], site.liquid_l_per_min)


def _of_floor(site: Site, kg: float) -> Iterator[_Case]:
    floor = floor_limit_kg_m2(site)
    if floor is not None:
        yield _Case("floor", rack_floor_kg_m2(kg), floor)
    if site.floor_foot_kg is not None:
        yield _Case("foot", rack_foot_kg(kg), site.floor_foot_kg)


def _of_feeds(now: Layout, feeds: int) -> Iterator[_Case]:
    """One feed lost: what the others carry, and the supplies that are still fed."""
    fullest = max(now.racks, key=lambda rack: rack.kw)
    if fullest.feeds is not None:
        yield _Case("feeds", fullest.kw, fullest.feeds.left_kw)
    for rack in now.racks:
        for stack in rack.stacks:
            if stack.item in rack.short and stack.psus_needed is not None:
                yield _Case("psus", stack.psus_needed, float(psus_left(stack.cords, feeds)), stack.item)


def _of_machine(site: Site, kind: Kind) -> Iterator[_Case]:
    build = kind.build
    if build is None:
        return
    if site.supply_c is not None and build.inlet_max_c is not None:
        yield _Case("inlet", site.supply_c, build.inlet_max_c, build.slug)
    check = supply_check(site, build, kind.kw)
    if check is not None:
        yield _Case("sustained", kind.kw, check.usable_kw, build.slug)
        yield _Case("transient", kind.kw * site.transient_ratio, build.psus * (build.psu_kw or 0.0), build.slug)


def _of_months(result: PlanResult, future: int) -> list[Passed]:
    """What the draw of each month is set against: the owner's budget, the UPS, the cooling without its spare units."""
    housing, found = result.housing, []
    for site in _rooms(result):
        here = _here(result, site)
        checks: list[tuple[str, Array, Array]] = []
        if site.power_budget_kw is not None:
            checks.append(("budget", housing.draw_max[future], np.full(here.size, site.power_budget_kw)))
        if site.ups is not None:
            left = (site.ups.modules - site.ups.spare) * site.ups.module_kw
            checks.append(("ups", housing.draw_max[future], np.full(here.size, left)))
        if site.spare_cooling_units and site.cooling_kw is not None and site.cooling_units is not None:
            checks.append(("spare_cooling", housing.draw_busy[future], _without_spare_units(result, site)))
        for resource, needed, limits in checks:
            over = here & (needed > limits + SLACK)
            if over.any():
                month = int(np.argmax(over))
                found.append(
                    Passed(resource, site.slug, month, float(needed[month]), float(limits[month]), int(over.sum()))
                )
    return found


def _without_spare_units(result: PlanResult, site: Site) -> Array:
    """(M,): heat that the cooling carries away while its largest spare units are down. [kW]"""
    left = np.zeros(result.calendar.months)
    for month in range(left.size):
        units = sorted(cooling_units_in_service(result, site, month), reverse=True)
        left[month] = math.fsum(units[site.spare_cooling_units :])
    return left


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

"""Machines → racks, and the limit that decides. Facility reference, section 2.5."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache

from planner.engine.bounds import whole, within
from planner.engine.rounding import SLACK

LIMITS = ("units", "kw", "kg", "cords", "cfm")
#: (rack units, maximum kW, kg, cords, airflow) of one rack, in the order of `LIMITS`; None is no limit.
Sizes = tuple[float | None, ...]
#: (count, units, maximum kW, kg, cords, airflow) of one kind of machine.
Kind = tuple[int, float, float, float, float, float]


@dataclass(frozen=True)
class RackGroup:
    """Racks filled alike: how many, and what stands in each."""

    racks: int
    items: tuple[tuple[int, int], ...]  # (place in the list of nodes, machines of that kind in each rack)
    units: float  # used in each rack [U]
    kw: float
    kg: float
    cords: float
    cfm: float = 0.0


@dataclass(frozen=True)
class Packing:
    """Racks for a fleet. Where a machine fits no rack, `fits` is False, `limit_by` its limit, the rest is packed."""

    racks: int
    limit_by: str | None  # one of `LIMITS`: the limit that decides; None where nothing limits
    fits: bool
    layout: tuple[RackGroup, ...]


def pack(nodes: Sequence[Sequence[float]], rack: Sequence[float | None]) -> Packing:
    """Return racks for a fleet, first-fit decreasing by maximum kW.

    nodes : a row (count, units, max_kw, kg, cords, cfm) for each kind of machine; cfm may be left out.
            [1], [U], [kW], [kg], [1], [ft³/min]
    rack  : (units, kw, kg, cords, cfm) one rack may hold: units and kg after what is reserved, kW the smallest of feed
        after redundancy, cooling and contract, cfm what tile or containment delivers; None or infinite is no limit,
        and so is what is left out. Scalars.
    limit_by is the limit which, alone, needs the most racks, on a tie the one used most. The work grows with the kinds,
    not with the machines: thousands of equal ones cost nothing. Source: facility reference 2.5; model page 4.
    """
    for row in nodes:
        within("nodes", row, 0.0)
        whole("nodes", row[0])
    kinds = tuple(_kind(row) for row in nodes)
    return _pack(kinds, _room(rack))


def per_rack(sizes: Sequence[float], rack: Sequence[float | None]) -> tuple[int | None, str | None]:
    """Return how many machines of one kind a rack holds, and the limit that stops one more. [machine]

    sizes : (units, max_kw, kg, cords, cfm) of the machine.   rack : as in `pack`.
    The smallest of floor(limit/size); on a tie the first in the order of `LIMITS`, which is that of facility reference
    2.5. (None, None) where nothing limits.
    """
    within("sizes", sizes, 0.0)
    most, stop = _per_rack(_kind((0, *sizes))[1:], _room(rack))
    return (None, None) if stop is None else (most, stop)


def _kind(row: Sequence[float]) -> Kind:
    count, units, kw, kg, cords, cfm = (*(float(size) for size in row), *(0.0,) * (len(LIMITS) + 1 - len(row)))
    return int(count), units, kw, kg, cords, cfm


def _room(rack: Sequence[float | None]) -> Sizes:
    whole_rack = (*rack, *(None,) * (len(LIMITS) - len(rack)))
    return tuple(
        None if size is None or size == math.inf else float(within(name, size, 0.0))
        for name, size in zip(LIMITS, whole_rack, strict=True)
    )


@lru_cache(maxsize=4096)
def _pack(kinds: tuple[Kind, ...], rack: Sizes) -> Packing:
    groups, left_over = _first_fit(kinds, rack)
    racks = sum(number for number, _, _ in groups)
    layout = tuple(RackGroup(number, tuple(sorted(items.items())), *_used(kinds, items)) for number, items, _ in groups)
    return Packing(racks, left_over or _deciding(kinds, rack), left_over is None, layout)


def _per_rack(sizes: Sequence[float], room: Sequence[float | None]) -> tuple[int, str | None]:
    """How many machines of one kind go into what is left of a rack, and the limit that stops one more."""
    most, stop = 2**62, None
    for name, size, free in zip(LIMITS, sizes, room, strict=True):
        if free is not None and size > 0.0:
            number = max(math.floor(free / size + SLACK), 0)
            if number < most:
                most, stop = number, name
    return most, stop


# Racks filled alike: how many, machines by kind in each, room left in each.
_Groups = list[tuple[int, dict[int, int], list[float | None]]]


def _first_fit(kinds: Sequence[Kind], rack: Sizes) -> tuple[_Groups, str | None]:
    """First-fit decreasing, racks filled alike kept together; also the limit of the first kind that fits no rack."""
    groups: _Groups = []
    left_over = None
    for kind in sorted(range(len(kinds)), key=lambda at: tuple(-size for size in (kinds[at][2], *kinds[at][1:]))):
        wanted, *sizes = kinds[kind]
        filled: _Groups = []
        for number, items, room in groups:
            each = _per_rack(sizes, room)[0] if wanted else 0
            full, rest = divmod(wanted, each) if each else (0, 0)
            if full >= number:
                full, rest = number, 0
            for racks, machines in ((full, each), (1 if rest else 0, rest), (number - full - bool(rest), 0)):
                if racks:
                    filled.append(
                        (racks, items | {kind: machines} if machines else items, _less(room, sizes, machines))
                    )
            wanted -= full * each + rest
        if wanted:
            each, stop = _per_rack(sizes, rack)
            if each == 0:
                left_over = left_over or stop
            else:
                each = min(each, wanted)
                full, rest = divmod(wanted, each)
                for racks, machines in ((full, each), (1 if rest else 0, rest)):
                    if racks:
                        filled.append((racks, {kind: machines}, _less(rack, sizes, machines)))
        groups = filled
    return groups, left_over


def _less(room: Sequence[float | None], sizes: Sequence[float], machines: int) -> list[float | None]:
    return [None if free is None else free - machines * size for free, size in zip(room, sizes, strict=True)]


def _used(kinds: Sequence[Kind], items: dict[int, int]) -> tuple[float, ...]:
    return tuple(sum(kinds[kind][1:][place] * number for kind, number in items.items()) for place in range(len(LIMITS)))


def _deciding(kinds: Sequence[Kind], rack: Sizes) -> str | None:
    """The limit that alone needs the most racks; on a tie the one whose share of all racks' room is used most."""
    best: tuple[int, float, str] | None = None
    for place, (name, room) in enumerate(zip(LIMITS, rack, strict=True)):
        total = sum(row[0] * row[1:][place] for row in kinds)
        if room is None or total <= 0.0:
            continue
        alone: list[float | None] = [None] * len(LIMITS)
        alone[place] = room
        groups, _ = _first_fit(kinds, tuple(alone))
        rank = (sum(number for number, _, _ in groups), total / room if room else math.inf, name)
        if best is None or rank[:2] > best[:2]:
            best = rank
    return None if best is None else best[2]

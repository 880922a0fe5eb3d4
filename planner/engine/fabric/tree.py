"""Rail-optimised fat trees: switches and links by tier. Facility reference, sections 1.1 and 1.2."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import IntArray, not_a_choice, refusal, unboxed, whole, within
from planner.engine.rounding import SLACK

# More than any switch has; keeps the search for divisors short. [port]
MOST_PORTS = 65_536

Count = TypeVar("Count", int, IntArray)


class FatTree(NamedTuple, Generic[Count]):
    """Switches by tier and links between tiers, all planes together. Integers, or arrays where an argument was one."""

    leaf: Count  # [switch]
    spine: Count  # [switch]
    core: Count  # [switch]
    node_leaf: Count  # [link]
    leaf_spine: Count  # [link]
    spine_core: Count  # [link]


@dataclass(frozen=True)
class TreeLayout:
    """How one plane of a fat tree is put together. Counts of one plane."""

    tiers: int
    leaf_down: int  # ports of a leaf towards nodes, d
    leaf_up: int  # ports of a leaf towards spines, u
    leaves_per_rail: int
    leaf: int
    spine: int
    core: int
    leaf_spine: int  # [link]
    spine_core: int  # [link]
    pods: int = 0  # pods of each rail (three tiers), else 0
    core_groups: int = 0
    core_per_group: int = 0


def even_divisor(number: int, least: int) -> int | None:
    """Return the smallest divisor of `number` that is at least `least`, or None.

    Links must spread evenly over the switches above; that is why the tables print 16 spines where 12 would carry the
    load (H100, 3 scalable units) and 18 where 16 would (XDR, 4 units). Source: facility reference 1.1 and 1.2.
    """
    return next((n for n in range(max(least, 1), number + 1) if number % n == 0), None)


def leaf_ports(radix: int, oversubscription: float = 1.0, leaf_down: int | None = None) -> tuple[int, int]:
    """Return a leaf's ports towards nodes and towards spines, (d, u). [port]

    oversubscription : o, links down over links up; 1 is non-blocking, less than 1 keeps spare links up. [1]
    d = floor(r·o/(1 + o)) unless `leaf_down` fixes fewer; u = min(r − d, ceil(d/o)). Source: facility reference 1.1.
    """
    ports = int(whole("radix", radix, 2, MOST_PORTS, unit="port"))
    ratio = float(within("oversubscription", oversubscription, 1.0 / (ports - 1), ports - 1))
    down = math.floor(ports * ratio / (1.0 + ratio) + SLACK)
    if leaf_down is not None:
        down = int(whole("leaf_down", leaf_down, 1, ports - 1, unit="port"))
    return down, min(ports - down, math.ceil(down / ratio - SLACK))


def two_tier_limit(radix: int, oversubscription: float = 1.0) -> int:
    """Return the most endpoints two tiers can join: d·r, at no oversubscription r²/2. [port] Facility reference 1.1."""
    return leaf_ports(radix, oversubscription)[0] * radix


def three_tier_limit(radix: int, oversubscription: float = 1.0) -> int:
    """Return the most endpoints three tiers can join: r pods of r/2 leaves with d ends each, d·r²/2. [port]

    Without oversubscription r³/4. Source: facility reference 1.1; r pods, since a core has a link to each.
    """
    return leaf_ports(radix, oversubscription)[0] * (radix // 2) * radix


def _divisors(number: int) -> Iterator[int]:
    return (n for n in range(1, number + 1) if number % n == 0)


@lru_cache(maxsize=65536)
def tree_layout(
    nodes: int,
    rails: int,
    radix: int,
    su_nodes: int | None = None,
    leaf_down: int | None = None,
    oversubscription: float = 1.0,
    ufm: int = 0,
    tiers: int | None = None,
    pod_leaves: int | None = None,
    even_links: bool = True,
) -> TreeLayout:
    """Return one plane of a rail-optimised fat tree; arguments as in `fat_tree`, scalars.

    Leaves: whole scalable units, SUs = ceil((N + ceil(ufm/K))/S), leaves per rail SUs·ceil(S/d); without them S = d.
    Two tiers: spines ed(u, ceil(leaf·u/r)), ed being `even_divisor`.
    Three where that fails: pods of a ≤ r/2 leaves of one rail; s spines a pod, ed(u, ceil(a·u/(r/2))), with v links up
    each, as many as down; G core groups, a divisor of s, of ed(v, ceil(K·pods·(s/G)·v/r)) switches each: the G with the
    fewest cores, the larger on a tie. Source: facility reference 1.2.
    """
    whole("nodes", nodes, unit="node")
    whole("rails", rails, 1, unit="port")
    whole("ufm", ufm, unit="port")
    if tiers not in (None, 2, 3):
        raise not_a_choice("tiers", tiers, ("2", "3"))
    if nodes == 0:
        return TreeLayout(0, 0, 0, 0, 0, 0, 0, 0, 0)
    down, up = leaf_ports(radix, oversubscription, leaf_down)
    positions = nodes + -(-ufm // rails)
    unit = down if su_nodes is None else int(whole("su_nodes", su_nodes, 1, unit="node"))
    per_rail = -(-positions // unit) * -(-unit // down)
    leaf = rails * per_rail
    if tiers in (None, 2):
        least = -(-leaf * up // radix)
        spine = even_divisor(up, least) if even_links else (least if least <= up else None)
        if spine is not None:
            return TreeLayout(2, down, up, per_rail, leaf, spine, 0, leaf * up, 0)
        if tiers == 2:
            raise refusal("nodes", nodes, 0, two_tier_limit(radix, oversubscription) // rails, "node")
    layout = _three_tiers(rails, radix, (down, up), per_rail, pod_leaves, even_links)
    if layout is None:
        raise refusal("nodes", nodes, 0, max(three_tier_limit(radix, oversubscription) // rails, 1), "node")
    return layout


def _three_tiers(
    rails: int, radix: int, ports: tuple[int, int], per_rail: int, pod_leaves: int | None, even_links: bool
) -> TreeLayout | None:
    """Pods and cores over `per_rail` leaves a rail, by the rule in `tree_layout`; None where no cores join them."""
    (down, up), leaf, half = ports, rails * per_rail, radix // 2
    if pod_leaves is not None:
        whole("pod_leaves", pod_leaves, 1, half, "switch")
    each = min(half, per_rail) if pod_leaves is None else pod_leaves
    pods = -(-per_rail // each)
    each = -(-per_rail // pods) if pod_leaves is None else pod_leaves
    least = -(-each * up // half)
    per_pod = even_divisor(up, least) if even_links else least
    assert per_pod is not None  # least ≤ u, since a ≤ r/2
    spine = rails * pods * per_pod
    if not even_links:
        links = rails * pods * each * up
        core = -(-links // radix)
        if core > each * up:
            return None
        return TreeLayout(3, down, up, per_rail, leaf, spine, core, leaf * up, links, pods, 1, core)
    spine_up = each * up // per_pod
    groups = []
    for group in _divisors(per_pod):
        size = even_divisor(spine_up, -(-rails * pods * (per_pod // group) * spine_up // radix))
        if size is not None:
            groups.append((group * size, -group, size))
    if not groups:
        return None
    core, group, size = min(groups)
    return TreeLayout(3, down, up, per_rail, leaf, spine, core, leaf * up, spine * spine_up, pods, -group, size)


@overload
def fat_tree(
    nodes: int,
    rails: int,
    radix: int,
    su_nodes: int | None = ...,
    leaf_down: int | None = ...,
    oversubscription: float = ...,
    ufm: int = ...,
    planes: int = ...,
    *,
    tiers: int | None = ...,
    pod_leaves: int | None = ...,
    even_links: bool = ...,
) -> FatTree[int]: ...
@overload
def fat_tree(
    nodes: npt.NDArray[Any] | Sequence[int],
    rails: int,
    radix: int,
    su_nodes: int | None = ...,
    leaf_down: int | None = ...,
    oversubscription: float = ...,
    ufm: int = ...,
    planes: int = ...,
    *,
    tiers: int | None = ...,
    pod_leaves: int | None = ...,
    even_links: bool = ...,
) -> FatTree[IntArray]: ...
def fat_tree(
    nodes: int | npt.NDArray[Any] | Sequence[int],
    rails: int,
    radix: int,
    su_nodes: int | None = None,
    leaf_down: int | None = None,
    oversubscription: float = 1.0,
    ufm: int = 0,
    planes: int = 1,
    *,
    tiers: int | None = None,
    pod_leaves: int | None = None,
    even_links: bool = True,
) -> FatTree[int] | FatTree[IntArray]:
    """Return switches and links of a rail-optimised fat tree of two tiers, three where two do not suffice.

    nodes    : any shape, whole, ≥ 0; 0 nodes need nothing. [node]
    rails    : ports of a node on one plane of this fabric, K. [port]
    radix    : ports of a switch at the speed of one plane. [port]
    su_nodes : nodes of a scalable unit; leaves and their uplinks are bought for whole units (NVIDIA's rule). [node]
    leaf_down : ports of a leaf towards nodes, where the design uses fewer than half the radix. [port]
    oversubscription : leaf ports down to up, 1 = non-blocking. [1]
    ufm      : leaf ports taken by fabric managers. [port]
    planes   : separate fabrics over which each port is split; all counts are multiplied. [1]
    tiers    : 2 or 3 to force; None chooses.
    pod_leaves : leaves of one rail in a pod of a three-tier tree; None makes equal pods, as few as can be. [switch]
    even_links : the divisor rule of the published tables; False rounds up only ("minimum switches"). Show both: the
        rule can over-buy between the published sizes (3,000 H100 nodes: 512 cores where 384 would carry the load).
    Source: facility reference 1.2 (NVIDIA DGX SuperPOD reference architectures).
    """
    count = whole("nodes", nodes, unit="node")
    copies = int(whole("planes", planes, 1))
    distinct, place = np.unique(count, return_inverse=True)  # months and futures repeat the same few sizes
    rows = np.zeros((distinct.size, 6), dtype=np.int64)
    for row, n in enumerate(distinct.tolist()):
        plan = tree_layout(n, rails, radix, su_nodes, leaf_down, oversubscription, ufm, tiers, pod_leaves, even_links)
        rows[row] = plan.leaf, plan.spine, plan.core, n * rails, plan.leaf_spine, plan.spine_core
    table = rows[place.reshape(count.shape)] * copies
    return FatTree(*(unboxed(table[..., column]) for column in range(6)))

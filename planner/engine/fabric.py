"""Nodes → switches, links, optics of a training fabric.

Rules: the facility reference, sections 1.2 to 1.5, reproducing the rows of tests/reference/fabric_cases.json.
Counts are whole numbers. A node has `rails` ports on this fabric; `radix` is a switch's ports at the speed of those;
a link joins two ports. Impossible input raises InputError (a ValueError) naming field, value, bound and unit.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Generic, NamedTuple, TypeVar, overload

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import IntArray, Values, not_a_choice, refusal, unboxed, whole, within
from planner.engine.rounding import SLACK

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

    d = floor(r·o/(1 + o)) unless `leaf_down` fixes fewer; u = min(r − d, ceil(d/o)). Source: facility reference 1.1.
    """
    ports = int(whole("radix", radix, 2, unit="port"))
    ratio = float(within("oversubscription", oversubscription, 1.0, ports - 1))
    down = math.floor(ports * ratio / (1.0 + ratio) + SLACK)
    if leaf_down is not None:
        down = int(whole("leaf_down", leaf_down, 1, ports - 1, unit="port"))
    return down, min(ports - down, math.ceil(down / ratio - SLACK))


def two_tier_limit(radix: int, oversubscription: float = 1.0) -> int:
    """Return the most endpoints two tiers can join: d·r, at no oversubscription r²/2. [port] Facility reference 1.1."""
    return leaf_ports(radix, oversubscription)[0] * radix


def three_tier_limit(radix: int) -> int:
    """Return the most endpoints three tiers can join without oversubscription, r³/4. [port] Facility reference 1.1."""
    return int(whole("radix", radix, 2, unit="port")) ** 3 // 4


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
        raise refusal("nodes", nodes, 0, max(three_tier_limit(radix) // rails, 1), "node")
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


def rail_only(
    nodes: int | npt.NDArray[Any] | Sequence[int], rails: int, radix: int, *, even_links: bool = True
) -> FatTree[Any]:
    """Return switches and links where no switch joins two rails: each rail a switch, or a tree, of its own.

    nodes, rails, radix : as in `fat_tree`. One switch a rail while nodes ≤ radix, counted as leaf.
    Traffic between rails goes through the node's NVLink. It saves spines; libraries are not fully tuned for it.
    Source: facility reference 1.3 (Dell H04658).
    """
    count = whole("nodes", nodes, unit="node")
    copies = int(whole("rails", rails, 1, unit="port"))
    tree = fat_tree(np.where(count > radix, count, 0), 1, radix, even_links=even_links)
    alone = (count > 0) & (count <= radix)
    return FatTree(*(unboxed(part * copies) for part in (tree.leaf + alone, tree.spine, tree.core, count, *tree[4:])))


def spineless_pair(nodes: int, rails: int, radix: int) -> tuple[int, int] | None:
    """Return (switches, links between the two) of a pair without spine, or None where the endpoints exceed it.

    E = nodes·rails endpoints are split over both, E/2 links join them, feasible while E ≤ radix. [switch], [link]
    No nodes: (0, 0). Source: facility reference 1.3 (NVIDIA DGX BasePOD; HGX enterprise reference architecture).
    """
    ports = int(whole("nodes", nodes, unit="node")) * int(whole("rails", rails, 1, unit="port"))
    if ports > int(whole("radix", radix, 2, unit="port")):
        return None
    return (2, -(-ports // 2)) if ports else (0, 0)


def pair_limit(rails: int, radix: int) -> int:
    """Return the most nodes a spineless pair joins, floor(radix / rails). [node] Facility reference 1.3."""
    return int(whole("radix", radix, 2, unit="port")) // int(whole("rails", rails, 1, unit="port"))


def super_spine(spines_per_group: int, uplinks: int, radix: int) -> int:
    """Return the super-spine switches of one group: ed(x, ceil(spines·x/r)), x links up from each spine. [switch]

    Source: facility reference 1.3 (GB200 Ethernet: 28 links up). InputError where no even spread fits.
    """
    least = -(-int(whole("spines_per_group", spines_per_group)) * int(whole("uplinks", uplinks, 1)) // radix)
    size = even_divisor(uplinks, least)
    if size is None:
        raise refusal("spines_per_group", spines_per_group, 0, radix, "switch")
    return size if spines_per_group else 0


# Links per optic on switches with twin-port cages (QM9700, SN5600, Q3400). [1] Facility reference 1.5.
TWIN_PORT = 2


def twin_port_optics(nodes: int, rails: int, switches: int, radix: int) -> tuple[int, int]:
    """Return optics of a full fabric with twin-port cages: (node side N·K/2, switch side switches·r/2). [optic]

    Every cage populated, as NVIDIA's bill for H100 4 SU (508 and 1,536). Source: facility reference 1.5.
    """
    ends = int(whole("nodes", nodes, unit="node")) * int(whole("rails", rails, unit="port"))
    return -(-ends // TWIN_PORT), -(-int(whole("switches", switches)) * int(whole("radix", radix)) // TWIN_PORT)


@dataclass(frozen=True)
class Wiring:
    """A fabric chosen for a number of nodes; what is bought and wired."""

    topology: str  # "none" | "pair" | "two_tier" | "three_tier"
    leaf: int  # [switch]; the two of a pair are leaves
    spine: int
    core: int
    switches: int  # leaf + spine + core
    endpoint_links: int  # node to leaf, connected [link]
    switch_links: int  # between switches [link]
    links: int  # endpoint_links + switch_links: one cable each
    optics: int  # twin-port optics, both ends; links inside a pair are copper [optic]


@lru_cache(maxsize=65536)
def wire(
    nodes: int,
    rails: int,
    radix: int,
    *,
    su_nodes: int | None = None,
    leaf_down: int | None = None,
    oversubscription: float = 1.0,
    ufm: int = 0,
    planes: int = 1,
    even_links: bool = True,
    links_per_optic: int = TWIN_PORT,
) -> Wiring:
    """Return the fabric for `nodes`: a spineless pair while nodes·rails ≤ radix, else a rail-optimised fat tree.

    Scalars, as in `fat_tree`; links_per_optic is 2 on twin-port cages, 1 on single ones.
    Between the pair's limit and d nodes (9 to 32 on 64 ports with 8 rails) each rail has one leaf: 8 leaves and 4
    spines, as one NVIDIA scalable unit of 32 has; from there K leaves more for every d nodes, K·ceil(N/d). A unit of d
    nodes gives that same count, so it need not be named; where a family's unit is another (GB200: 144 nodes, d = 18),
    or where the final size is wired at once, pass `su_nodes`. Fabric managers need the tree.
    Optics: two ends of every fibre link, over links_per_optic; a pair's own links are direct-attach copper.
    Source: facility reference 1.2, 1.3, 1.5.
    """
    count = int(whole("nodes", nodes, unit="node"))
    ends = count * rails * planes
    pair = spineless_pair(count, rails, radix)
    per_optic = int(whole("links_per_optic", links_per_optic, 1))
    if count == 0:
        return Wiring("none", 0, 0, 0, 0, 0, 0, 0, 0)
    if pair is not None and not ufm:
        switches, between = pair[0] * planes, pair[1] * planes
        optics = 2 * -(-ends // per_optic)
        return Wiring("pair", switches, 0, 0, switches, ends, between, ends + between, optics)
    tree = fat_tree(count, rails, radix, su_nodes, leaf_down, oversubscription, ufm, planes, even_links=even_links)
    between = tree.leaf_spine + tree.spine_core
    ends = tree.node_leaf + ufm * planes
    return Wiring(
        "three_tier" if tree.core else "two_tier",
        tree.leaf,
        tree.spine,
        tree.core,
        tree.leaf + tree.spine + tree.core,
        ends,
        between,
        ends + between,
        2 * -(-ends // per_optic) + 2 * -(-between // per_optic),
    )


# --- storage, management (1.4) -------------------------------------------------------------------------------------

# Usable ports and links up of a 48-port out-of-band switch. [port], [link] Facility reference 1.4, fits three bills.
OOB_PORTS, OOB_UPLINKS = 40, 2


def out_of_band(ports: npt.ArrayLike) -> tuple[Values, Values]:
    """Return (switches, links up) of the management network: ceil(ports/40), two links each. [switch], [link]

    ports : any shape: BMC ports of nodes, and every switch, PDU and server. [port]
    Source: facility reference 1.4.
    """
    switches = -(-whole("ports", ports, unit="port") // OOB_PORTS)
    return unboxed(switches), unboxed(switches * OOB_UPLINKS)


class StorageFabric(NamedTuple):
    """Cables and optics of an InfiniBand storage fabric; the number of switches is policy, not derivable."""

    cables: int
    node_optics: int
    switch_optics: int


def storage_fabric(
    nodes: int, storage_links: int, ports_per_node: int = 2, leaf_down: int = 32, leaf_up: int = 24, ufm: int = 0
) -> StorageFabric:
    """Return cables and optics of a storage fabric, 4:3 on the node side and 1:1 on the storage side.

    storage_links : links up of the storage leaves. [link]
    leaf_down, leaf_up : ports of a node leaf. [port]
    ufm : links of fabric managers. [link]
    Cables = ports·N + ceil(ports·N/32)·24 + storage links.
    Source: facility reference 1.4 (NVIDIA RA-11333-001 table 8: 494 cables, 369 switch optics).
    """
    ends = int(whole("nodes", nodes, unit="node")) * int(whole("ports_per_node", ports_per_node, unit="port"))
    up = -(-ends // int(whole("leaf_down", leaf_down, 1))) * int(whole("leaf_up", leaf_up))
    up += int(whole("storage_links", storage_links, unit="link"))
    return StorageFabric(ends + up, ends, -(-ends // TWIN_PORT) + up + int(whole("ufm", ufm)))


# --- cables and power (1.5) ----------------------------------------------------------------------------------------

# Mass of a cable. [kg/m] Facility reference 1.5 (NVIDIA SuperPOD design guide, H100).
CABLE_KG_PER_M = {"copper": 0.045, "optical": 0.009}


def cable_kg(count: npt.ArrayLike, metres: npt.ArrayLike, medium: str) -> Values:
    """Return the mass of `count` cables of `metres` each; medium "copper" or "optical". [kg] Facility reference 1.5."""
    if medium not in CABLE_KG_PER_M:
        raise not_a_choice("medium", medium, tuple(CABLE_KG_PER_M))
    return unboxed(within("count", count, 0.0) * within("metres", metres, 0.0, unit="m") * CABLE_KG_PER_M[medium])


def fabric_kw(
    switch_w: npt.ArrayLike, switches: npt.ArrayLike, optics: npt.ArrayLike = 0, optic_w: npt.ArrayLike = 0
) -> Values:
    """Return the draw of a fabric: switches and optics. [kW]

    switch_w : draw of a switch without optics; where the figure is "with active cables", pass no optics. [W]
    switches, optics : counts. [1]
    optic_w  : draw of one optic. [W]
    All shapes broadcast. Source: facility reference 1.5.
    """
    boxes = within("switch_w", switch_w, 0.0, unit="W") * within("switches", switches, 0.0)
    return unboxed((boxes + within("optics", optics, 0.0) * within("optic_w", optic_w, 0.0, unit="W")) / 1000.0)

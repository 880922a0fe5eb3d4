"""Fabrics other than one rail-optimised tree, and the choice between them. Facility reference, section 1.3."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from planner.engine.bounds import refusal, unboxed, whole
from planner.engine.fabric.optics import TWIN_PORT
from planner.engine.fabric.tree import MOST_PORTS, FatTree, even_divisor, fat_tree, leaf_ports
from planner.engine.quantities import InputError, Problem


def rail_only(
    nodes: int | npt.NDArray[Any] | Sequence[int],
    rails: int,
    radix: int,
    su_nodes: int | None = None,
    leaf_down: int | None = None,
    oversubscription: float = 1.0,
    planes: int = 1,
    *,
    tiers: int | None = None,
    even_links: bool = True,
) -> FatTree[Any]:
    """Return switches and links where no switch joins two rails: each rail a switch, or a tree, of its own.

    Arguments as in `fat_tree`. One switch a rail, counted as leaf, while the nodes, rounded up to whole units, are no
    more than its ports.
    Traffic between rails goes through the node's NVLink. It saves spines; libraries are not fully tuned for it.
    Source: facility reference 1.3 (Dell H04658).
    """
    count = whole("nodes", nodes, unit="node")
    copies = int(whole("rails", rails, 1, unit="port")) * int(whole("planes", planes, 1))
    unit = 1 if su_nodes is None else int(whole("su_nodes", su_nodes, 1, unit="node"))
    single = (-(-count // unit) * unit <= radix) & (tiers is None) & (leaf_down is None)
    tree = fat_tree(
        np.where(single, 0, count), 1, radix, su_nodes, leaf_down, oversubscription, tiers=tiers, even_links=even_links
    )
    alone = (count > 0) & single
    return FatTree(*(unboxed(part * copies) for part in (tree.leaf + alone, tree.spine, tree.core, count, *tree[4:])))


def spineless_pair(nodes: int, rails: int, radix: int, extra_links: int = 0) -> tuple[int, int] | None:
    """Return (switches, links between the two) of a pair without spine, or None where the endpoints exceed it.

    E = nodes·rails + extra_links endpoints are split over both, E/2 links join them, feasible while E ≤ radix.
    [switch], [link]
    extra_links : north-south, storage and support links of a collapsed design. [link]
    No endpoints: (0, 0). Source: facility reference 1.3 (NVIDIA DGX BasePOD; HGX enterprise reference architecture).
    """
    ports = int(whole("nodes", nodes, unit="node")) * int(whole("rails", rails, 1, unit="port"))
    ports += int(whole("extra_links", extra_links, unit="link"))
    if ports > int(whole("radix", radix, 2, unit="port")):
        return None
    return (2, -(-ports // 2)) if ports else (0, 0)


def pair_limit(rails: int, radix: int, extra_links: int = 0) -> int:
    """Return the most nodes a spineless pair joins, floor((radix − extra_links)/rails). [node] Facility reference 1.3.

    Arguments as in `spineless_pair`.
    """
    room = int(whole("radix", radix, 2, unit="port")) - int(whole("extra_links", extra_links, 0, radix, "link"))
    return room // int(whole("rails", rails, 1, unit="port"))


def rails_per_leaf(nodes: int, rails: int, radix: int) -> int:
    """Return how many rails of a small cluster share one leaf, floor(d/N), at least 1 and at most K. [rail]

    An assumption of facility reference 1.3: no published table covers clusters of 9 to 31 nodes. `wire` keeps one leaf
    a rail there, which needs no moving of cables when the cluster grows.
    """
    down = leaf_ports(radix)[0]
    most = int(whole("rails", rails, 1, unit="port"))
    return min(max(down // int(whole("nodes", nodes, 1, unit="node")), 1), most)


class SuperSpine(NamedTuple):
    """The tier over a group of spines."""

    switches: int  # [switch]
    links: int  # spine to super-spine [link]


def super_spine(spines_per_group: int, uplinks: int, radix: int, *, even_links: bool = True) -> SuperSpine:
    """Return the super-spine of one group: ed(x, ceil(spines·x/r)) switches, x links up from each spine.

    spines_per_group [switch]; uplinks, radix [port]; even_links as in `fat_tree`.
    Source: facility reference 1.3 (GB200 Ethernet: 28 links up). InputError where the links cannot spread: each
    switch has one link at most to each spine, so there are no more than x switches.
    """
    spines = int(whole("spines_per_group", spines_per_group, unit="switch"))
    up, ports = int(whole("uplinks", uplinks, 1, MOST_PORTS, unit="port")), int(whole("radix", radix, 2, unit="port"))
    if spines > ports:
        raise refusal("spines_per_group", spines, 0, ports, "switch")
    least = -(-spines * up // ports)
    size = even_divisor(up, least) if even_links else least
    assert size is not None  # least ≤ x, since spines ≤ r
    return SuperSpine(size if spines else 0, spines * up)


class Segment(NamedTuple):
    """Top-of-rack switches of a segment in which every GPU has a port on each plane."""

    tor: int  # [switch]
    down_ports: int  # of each, towards GPUs [port]


def dual_tor_segment(gpus: int, rails: int, planes: int) -> Segment:
    """Return the switches of a two-tier, multi-plane segment: one for each rail and plane.

    gpus : of the segment. [GPU]   rails : GPUs of a node, each on its own rail. [1]
    planes : ports into which a GPU's link is split. [1]
    Source: facility reference 1.3 (Alibaba HPN: 1,024 GPUs, 8 rails × 2 planes = 16 ToR of 128 ports down).
    """
    ways = int(whole("rails", rails, 1))
    count = int(whole("gpus", gpus, unit="GPU"))
    return Segment(ways * int(whole("planes", planes, 1)) if count else 0, -(-count // ways))


@dataclass(frozen=True)
class Wiring:
    """A fabric chosen for a number of nodes; what is bought and wired."""

    topology: str  # "none" | "pair" | "two_tier" | "three_tier" | "rail_only"
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
    rails_apart: bool = False,
) -> Wiring:
    """Return the fabric for `nodes`: a spineless pair while nodes·rails ≤ radix, else a rail-optimised fat tree.

    Scalars, as in `fat_tree`; links_per_optic is 2 on twin-port cages, 1 on single ones.
    Between the pair's limit and d nodes (9 to 32 on 64 ports with 8 rails) each rail has one leaf: 8 leaves and 4
    spines, as one NVIDIA scalable unit of 32 has; from there K leaves more for every d nodes, K·ceil(N/d). A unit of d
    nodes gives that same count, so it need not be named; where a family's unit is another (GB200: 144 nodes, d = 18),
    or where the final size is wired at once, pass `su_nodes`. Fabric managers need the tree.
    rails_apart : no switch joins two rails, see `rail_only`; never a pair, and no fabric managers are counted.
    Optics: two ends of every fibre link, over links_per_optic; a pair's own links are direct-attach copper.
    Source: facility reference 1.2, 1.3, 1.5.
    """
    count = int(whole("nodes", nodes, unit="node"))
    ends = count * rails * planes
    pair = spineless_pair(count, rails, radix)
    per_optic = int(whole("links_per_optic", links_per_optic, 1))
    if count == 0:
        return Wiring("none", 0, 0, 0, 0, 0, 0, 0, 0)
    if rails_apart and ufm:
        raise InputError(Problem(("ufm",), "conflict", "rails apart"))
    if pair is not None and not ufm and not rails_apart:
        switches, between = pair[0] * planes, pair[1] * planes
        optics = 2 * -(-ends // per_optic)
        return Wiring("pair", switches, 0, 0, switches, ends, between, ends + between, optics)
    if rails_apart:
        tree = rail_only(count, rails, radix, su_nodes, leaf_down, oversubscription, planes, even_links=even_links)
    else:
        tree = fat_tree(count, rails, radix, su_nodes, leaf_down, oversubscription, ufm, planes, even_links=even_links)
    between = tree.leaf_spine + tree.spine_core
    ends = tree.node_leaf + ufm * planes
    return Wiring(
        "rail_only" if rails_apart else "three_tier" if tree.core else "two_tier",
        tree.leaf,
        tree.spine,
        tree.core,
        tree.leaf + tree.spine + tree.core,
        ends,
        between,
        ends + between,
        2 * -(-ends // per_optic) + 2 * -(-between // per_optic),
    )

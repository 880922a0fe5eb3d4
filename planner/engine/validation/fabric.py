"""Fabric cases: switches, links, optics and cables of published designs, by the functions that wire a plan."""

from __future__ import annotations

import math

from planner.engine import fabric
from planner.engine.bounds import whole
from planner.engine.quantities import InputError, Problem
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.reading import count, given, numbers, one_of, optional


def oversubscription(i: Inputs) -> float:
    return i.number(one_of(i, "oversubscription", "oversub"), 1.0)


def up(number: int, by: int) -> int:
    return -(-number // by)


def _nodes(i: Inputs, per_node: int) -> int:
    """By number, or as many as the GPUs or the whole scalable units that the case gives hold."""
    if "nodes" not in i and "gpus" in i:
        return up(count(i, "gpus"), per_node)
    if "nodes" not in i and "sus" in i:
        return count(i, "sus") * count(i, "su_nodes", low=1)
    return count(i, "nodes")


def fat_tree(i: Inputs) -> Answer:
    rails, radix = count(i, "rails", low=1), count(i, "radix", low=2)
    per_cable, per_node = count(i, "links_per_cable", 1, 1), count(i, "gpus_per_node", rails, 1)
    nodes = _nodes(i, per_node)
    su_nodes, leaf_down, pod_leaves = (optional(i, name) for name in ("su_nodes", "leaf_down", "pod_leaves"))
    ufm, planes = count(i, one_of(i, "ufm_links", "ufm"), 0), count(i, "planes", 1, 1)
    tiers, ratio, even = optional(i, one_of(i, "force_tiers", "tiers")), oversubscription(i), i.flag("even_links", True)
    shape = (nodes, rails, radix, su_nodes, leaf_down, ratio, ufm)
    tree = fabric.fat_tree(*shape, planes, tiers=tiers, pod_leaves=pod_leaves, even_links=even)
    plane = fabric.tree_layout(*shape, tiers, pod_leaves, even)
    fewest = fabric.fat_tree(*shape, planes, tiers=tiers, pod_leaves=pod_leaves, even_links=False)
    switches = tree.leaf + tree.spine + tree.core
    per_optic = count(i, "links_per_optic", fabric.TWIN_PORT, 1)
    node_optics, switch_optics = fabric.twin_port_optics(nodes, rails * planes, switches, radix, per_optic)
    links = tree.node_leaf + ufm * planes + tree.leaf_spine + tree.spine_core
    return {
        "gpus": lambda: nodes * per_node,
        "nodes": lambda: nodes,
        "sus": lambda: up(nodes + up(ufm, rails), given("su_nodes", su_nodes)),
        "max_nodes": lambda: fabric.two_tier_limit(radix, ratio) // rails,
        "node_transceivers": lambda: node_optics,
        "switch_transceivers": lambda: switch_optics,
        "transceivers": lambda: node_optics + switch_optics,
        "tiers": lambda: plane.tiers,
        "leaf": lambda: tree.leaf,
        "spine": lambda: tree.spine,
        "core": lambda: tree.core,
        "switches": lambda: switches,
        "minimum_switches": lambda: fewest.leaf + fewest.spine + fewest.core,
        "leaf_down": lambda: plane.leaf_down,
        "leaf_up": lambda: plane.leaf_up,
        "leaves_per_rail": lambda: plane.leaves_per_rail,
        "pods": lambda: plane.pods,
        "core_groups": lambda: plane.core_groups,
        "core_per_group": lambda: plane.core_per_group,
        "node_leaf_links": lambda: tree.node_leaf,
        "leaf_spine_links": lambda: tree.leaf_spine,
        "spine_core_links": lambda: tree.spine_core,
        "links": lambda: links,
        "node_leaf_cables": lambda: up(tree.node_leaf, per_cable),
        "node_leaf_and_ufm_cables": lambda: up(tree.node_leaf + ufm * planes, per_cable),
        "leaf_spine_cables": lambda: up(tree.leaf_spine, per_cable),
        "spine_core_cables": lambda: up(tree.spine_core, per_cable),
        "cables": lambda: up(links, per_cable),
    }


def rail_only(i: Inputs) -> Answer:
    nodes, rails, radix = count(i, "nodes"), count(i, "rails", low=1), count(i, "radix", low=2)
    tree = fabric.rail_only(
        nodes,
        rails,
        radix,
        optional(i, "su_nodes"),
        optional(i, "leaf_down"),
        oversubscription(i),
        count(i, "planes", 1, 1),
        tiers=optional(i, one_of(i, "force_tiers", "tiers")),
        even_links=i.flag("even_links", True),
    )
    return {
        "gpus": lambda: nodes * rails,
        "switches": lambda: tree.leaf + tree.spine + tree.core,
        "leaf": lambda: tree.leaf,
        "spine": lambda: tree.spine,
        "core": lambda: tree.core,
        "switches_per_rail": lambda: (tree.leaf + tree.spine + tree.core) // rails,
        "node_leaf_links": lambda: tree.node_leaf,
        "leaf_spine_links": lambda: tree.leaf_spine,
        "spine_core_links": lambda: tree.spine_core,
    }


def super_spine(i: Inputs) -> Answer:
    """One spine of each unit stands in each group, unless the case says otherwise."""
    units, groups = count(i, "sus"), count(i, "groups", 1, 1)
    spines = units * count(i, "spines_per_su_per_group", 1)
    group = fabric.super_spine(
        spines, count(i, "uplinks_per_spine", low=1), count(i, "radix", low=2), even_links=i.flag("even_links", True)
    )
    return {
        "super_spine_per_group": lambda: group.switches,
        "super_spine": lambda: group.switches * groups,
        "spine": lambda: spines * groups,
        "spine_super_spine_links": lambda: group.links * groups,
    }


def basepod(i: Inputs) -> Answer:
    nodes, rails, radix = count(i, "nodes"), count(i, "rails", low=1), count(i, "radix", low=2)
    bill = fabric.basepod(nodes, rails, radix, count(i, "mgmt_servers", fabric.BASEPOD_SERVERS))
    return {
        "switches": lambda: bill.switches,
        "isl_links": lambda: bill.switch_links,
        "isl_cables": lambda: bill.switch_cables,
        "node_transceivers": lambda: bill.node_optics,
        "switch_transceivers": lambda: bill.switch_optics,
        "fibre_cables": lambda: bill.links,
        "inband_node_cables": lambda: bill.in_band_cables,
        "mgmt_cables": lambda: bill.management_cables,
        "oob_cables": lambda: bill.oob_cables,
        "oob_switches": lambda: bill.oob_switches,
        "oob_uplink_cables": lambda: bill.oob_uplinks,
    }


def optics(i: Inputs) -> Answer:
    nodes, rails = count(i, "nodes"), count(i, "rails", low=1) * count(i, "planes", 1, 1)
    leaf, spine, core = count(i, "leaf"), count(i, "spine", 0), count(i, "core", 0)
    radix, per_optic = count(i, "radix", 64, 2), count(i, "links_per_optic", fabric.TWIN_PORT, 1)
    ufm = count(i, one_of(i, "ufm_links", "ufm"), 0)
    switches = leaf + spine + core
    node_side, switch_side = fabric.twin_port_optics(nodes, rails, switches, radix, per_optic, direct=spine == 0)
    between = (leaf * (radix // 2) if spine else 0) + (spine * (radix // 2) if core else 0)
    return {
        "node_transceivers": lambda: node_side,
        "switch_transceivers": lambda: switch_side,
        "transceivers": lambda: node_side + switch_side,
        "fabric_switches": lambda: switches,
        "cables": lambda: nodes * rails + ufm + between,
    }


def storage_ib(i: Inputs) -> Answer:
    bill = fabric.storage_fabric(
        count(i, "nodes"),
        count(i, "storage_links"),
        count(i, "ports_per_node", 2),
        count(i, "leaf_down", 32, 1),
        count(i, "leaf_up", 24),
        count(i, one_of(i, "ufm_links", "ufm"), 0),
        count(i, "radix", 64, 2),
    )
    return {
        "cables_400g": lambda: bill.cables,
        "cables": lambda: bill.cables,
        "node_transceivers": lambda: bill.node_optics,
        "switch_transceivers": lambda: bill.switch_optics,
        "node_leaves": lambda: bill.node_leaves,
        "min_switches": lambda: bill.fewest_switches,
    }


def out_of_band(i: Inputs) -> Answer:
    devices, each = i["device_ports"], i.get("ports_per_device", {})
    if isinstance(devices, list):
        devices = {str(place): number for place, number in enumerate(devices, 1)}
    for name, table in (("device_ports", devices), ("ports_per_device", each)):
        if not isinstance(table, dict):
            raise InputError(Problem(("inputs", name), "bad_format", table))
    for name in each.keys() - devices.keys():
        raise InputError(Problem(("inputs", "ports_per_device", str(name)), "unknown_field", each[name]))
    ports = sum(
        int(whole(str(name), number, unit="port")) * int(whole(str(name), each.get(name, 1), unit="port"))
        for name, number in devices.items()
    )
    switches, uplinks = fabric.out_of_band(
        ports,
        count(i, "usable_ports", fabric.OOB_PORTS, 1),
        count(i, "uplinks_per_switch", fabric.OOB_UPLINKS),
    )
    return {
        "oob_ports": lambda: ports,
        "oob_switches": lambda: switches,
        "oob_uplink_cables": lambda: uplinks,
        "oob_cables": lambda: ports + uplinks,
    }


def pair_max(i: Inputs) -> Answer:
    links, radix = count(i, one_of(i, "links_per_node", "rails"), low=1), count(i, "radix", low=2)
    extra = count(i, "extra_links", 0)
    return {"max_nodes": lambda: fabric.pair_limit(links, radix, extra)}


def capacity(i: Inputs) -> Answer:
    radix, ratio = count(i, "radix", low=2), oversubscription(i)
    return {
        "max_two_tier": lambda: fabric.two_tier_limit(radix, ratio),
        "max_three_tier": lambda: fabric.three_tier_limit(radix, ratio),
        "max_nodes": lambda: fabric.two_tier_limit(radix, ratio) // count(i, "rails", low=1),
    }


def hpn(i: Inputs) -> Answer:
    gpus, segments = count(i, "gpus"), count(i, "segments", 1)
    segment = fabric.dual_tor_segment(gpus, count(i, "rails", low=1), count(i, "planes", low=1))
    return {
        "tor": lambda: segment.tor,
        "down_ports_per_tor": lambda: segment.down_ports,
        "total_tor": lambda: segment.tor * segments,
        "gpus_per_pod": lambda: gpus * segments,
    }


def product(i: Inputs) -> Answer:
    factors = numbers(i, "factors")
    return {"value": lambda: math.prod(factors)}


SOLVERS: dict[str, Solver] = {
    "fat_tree": fat_tree,
    "rail_only": rail_only,
    "super_spine": super_spine,
    "basepod": basepod,
    "optics": optics,
    "storage_ib": storage_ib,
    "oob": out_of_band,
    "pair_max": pair_max,
    "capacity": capacity,
    "hpn": hpn,
    "product": product,
}

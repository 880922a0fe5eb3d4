"""Nodes → switches, links, optics of a training fabric.

Rules: the facility reference, sections 1.2 to 1.5, reproducing the rows of tests/reference/fabric_cases.json.
Counts are whole numbers. A node has `rails` ports on this fabric; `radix` is a switch's ports at the speed of those;
a link joins two ports. Impossible input raises InputError (a ValueError) naming field, value, bound and unit.
`tree` holds rail-optimised fat trees, `topologies` the other fabrics and the choice, `networks` those beside it,
`optics` cables, optics and power.
"""

from planner.engine.fabric.networks import (
    BASEPOD_SERVERS,
    OOB_PORTS,
    OOB_UPLINKS,
    BasePod,
    StorageFabric,
    basepod,
    in_band,
    out_of_band,
    storage_fabric,
)
from planner.engine.fabric.optics import (
    CABLE_KG_PER_M,
    MEDIA,
    PLANNED_M,
    TWIN_PORT,
    Medium,
    cable_kg,
    fabric_kw,
    medium_for,
    optic_watts,
    twin_port_optics,
)
from planner.engine.fabric.topologies import (
    Segment,
    SuperSpine,
    Wiring,
    dual_tor_segment,
    pair_limit,
    rail_only,
    rails_per_leaf,
    spineless_pair,
    super_spine,
    wire,
)
from planner.engine.fabric.tree import (
    FatTree,
    TreeLayout,
    even_divisor,
    fat_tree,
    leaf_ports,
    three_tier_limit,
    tree_layout,
    two_tier_limit,
)

__all__ = [
    "BASEPOD_SERVERS",
    "CABLE_KG_PER_M",
    "MEDIA",
    "OOB_PORTS",
    "OOB_UPLINKS",
    "PLANNED_M",
    "TWIN_PORT",
    "BasePod",
    "FatTree",
    "Medium",
    "Segment",
    "StorageFabric",
    "SuperSpine",
    "TreeLayout",
    "Wiring",
    "basepod",
    "cable_kg",
    "dual_tor_segment",
    "even_divisor",
    "fabric_kw",
    "fat_tree",
    "in_band",
    "leaf_ports",
    "medium_for",
    "optic_watts",
    "out_of_band",
    "pair_limit",
    "rail_only",
    "rails_per_leaf",
    "spineless_pair",
    "storage_fabric",
    "super_spine",
    "three_tier_limit",
    "tree_layout",
    "twin_port_optics",
    "two_tier_limit",
    "wire",
]

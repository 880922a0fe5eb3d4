"""Published fabrics through the validation path, variants worked by hand, and the page's steps written out again."""

import json
import math
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from planner.engine.quantities import InputError
from planner.engine.validation import check

CASES = json.loads((Path(__file__).parents[1] / "reference" / "fabric_cases.json").read_text(encoding="utf-8"))
# The source contradicts itself: 9,216 GPUs beside 10,368 cables; one fibre per twin-port optic; tiers not rounded up.
DECLARED = {
    ("b300-xdr-18su", "gpus"): 10_368,
    ("basepod-4node", "fibre_cables"): 32,
    ("railonly-13107nodes", "switches"): 8656,
}


@pytest.mark.parametrize("case", CASES, ids=lambda case: case["id"])
def test_published_fabric(case):
    for found in check(case):
        if (found.case, found.field) in DECLARED:
            assert (found.status, found.got) == ("declared", DECLARED[found.case, found.field])
            assert found.note
        else:
            assert (found.field, found.got, found.status) == (found.field, found.expected, "ok")


def test_the_faults_of_the_sources_are_those_they_declare():
    assert {(case["id"], name) for case in CASES for name in case.get("known_mismatch", {})} == set(DECLARED)


VARIANTS = {
    # 5 units: 40 leaves × 32 up on 64 ports are 20 spines; 32 divides by 32 next
    "five-units": (
        "fat_tree",
        {"nodes": 160, "rails": 8, "radix": 64, "su_nodes": 32},
        {"gpus": 1280, "leaf": 40, "spine": 32, "core": 0, "leaf_spine_cables": 1280, "tiers": 2},
    ),
    # 3:1: 48 down, 16 up; 2 leaves a rail; 256 links up on 64 ports
    "oversubscribed": (
        "fat_tree",
        {"nodes": 96, "rails": 8, "radix": 64, "oversubscription": 3},
        {"leaf_down": 48, "leaf_up": 16, "leaf": 16, "spine": 4, "leaf_spine_links": 256},
    ),
    # two units of 64 a plane: 16 leaves × 64 on 128 ports are 8 spines; both planes, two links a cable
    "two-planes": (
        "fat_tree",
        {"nodes": 100, "rails": 8, "radix": 128, "su_nodes": 64, "planes": 2, "links_per_cable": 2},
        {
            "gpus": 800,
            "leaf": 32,
            "spine": 16,
            "node_leaf_links": 1600,
            "node_leaf_cables": 800,
            "leaf_spine_cables": 1024,
        },
    ),
    # 143 nodes and half a position of managers: two units of 72; 16 × 72 on 144 ports are 8 spines
    "xdr-with-managers": (
        "fat_tree",
        {"nodes": 143, "rails": 8, "radix": 144, "su_nodes": 72, "ufm_links": 4},
        {"leaf": 16, "spine": 8, "node_leaf_and_ufm_cables": 1148, "leaf_spine_cables": 1152},
    ),
    # 144 nodes and the managers need a third unit: 24 leaves, 12 spines
    "xdr-managers-need-a-unit": (
        "fat_tree",
        {"nodes": 144, "rails": 8, "radix": 144, "su_nodes": 72, "ufm_links": 4},
        {"leaf": 24, "spine": 12, "core": 0},
    ),
    # one pod of 10 leaves a rail: 10 spines' worth, 16 by the rule, 20 links up; 8 groups of ceil(40/8) cores
    "three-tiers": (
        "fat_tree",
        {"nodes": 300, "rails": 8, "radix": 64},
        {
            "tiers": 3,
            "pods": 1,
            "leaf": 80,
            "spine": 128,
            "core": 40,
            "core_groups": 8,
            "core_per_group": 5,
            "spine_core_links": 2560,
            "minimum_switches": 200,
        },
    ),
    # facility reference 1.2: 512 cores by the rule, 384 carry the load; 94 leaves a rail
    "even-links": ("fat_tree", {"nodes": 3000, "rails": 8, "radix": 64}, {"leaf": 752, "core": 512}),
    "minimum": ("fat_tree", {"nodes": 3000, "rails": 8, "radix": 64, "even_links": False}, {"leaf": 752, "core": 384}),
    # GB200, 4 units: 16 pods of 8 leaves with 18 up, 6 spines of 24 up; 6 groups of 16·24/64
    "gb200-4su": (
        "fat_tree",
        {"nodes": 576, "rails": 4, "radix": 64, "su_nodes": 144, "leaf_down": 18, "force_tiers": 3, "pod_leaves": 8},
        {"gpus": 2304, "leaf": 128, "spine": 96, "core": 36, "core_groups": 6, "core_per_group": 6},
    ),
    # three racks: 2 leaves a rail and plane with 36 up; 288 links on 128 ports are 3 spines
    "gb300-3-racks": (
        "fat_tree",
        {"nodes": 54, "rails": 4, "radix": 128, "planes": 2, "leaf_down": 36},
        {"gpus": 216, "switches": 22, "node_leaf_links": 432},
    ),
    "super-spine-4su": (
        "super_spine",
        {"sus": 4, "groups": 2, "uplinks_per_spine": 28, "radix": 64},
        {"super_spine_per_group": 2, "super_spine": 4, "spine": 8, "spine_super_spine_links": 224},
    ),
    # 12·28/64 = 5.25: 6 would do, 28 divides by 7
    "super-spine-12su": (
        "super_spine",
        {"sus": 12, "groups": 3, "uplinks_per_spine": 28, "radix": 64},
        {"super_spine_per_group": 7, "super_spine": 21, "spine": 36},
    ),
    # facility cases: 8 nodes have two SN2201
    "basepod-8": (
        "basepod",
        {"nodes": 8, "rails": 8, "radix": 64},
        {
            "switches": 2,
            "isl_cables": 16,
            "node_transceivers": 32,
            "switch_transceivers": 32,
            "inband_node_cables": 16,
            "mgmt_cables": 10,
            "oob_cables": 45,
            "oob_switches": 2,
            "oob_uplink_cables": 4,
            "fibre_cables": 64,
        },
    ),
    "optics-2su": (
        "optics",
        {"nodes": 63, "rails": 8, "leaf": 16, "spine": 8},
        {"node_transceivers": 252, "switch_transceivers": 768, "fabric_switches": 24, "cables": 1016},
    ),
    "optics-two-planes": (
        "optics",
        {"nodes": 64, "rails": 8, "planes": 2, "leaf": 16, "spine": 8, "radix": 128},
        {"node_transceivers": 512, "switch_transceivers": 1536},
    ),
    "optics-pair": (
        "optics",
        {"nodes": 8, "rails": 8, "leaf": 2},
        {"node_transceivers": 32, "switch_transceivers": 32},
    ),
    "optics-single-cages": (
        "optics",
        {"nodes": 72, "rails": 8, "leaf": 8, "spine": 4, "radix": 144, "links_per_optic": 1},
        {"node_transceivers": 576, "switch_transceivers": 1728},
    ),
    # 126 ends on 4 leaves of 24 up, 24 to storage: 120 up; 4 + 1 + 2 switches
    "storage-2su": (
        "storage_ib",
        {"nodes": 63, "ports_per_node": 2, "leaf_down": 32, "leaf_up": 24, "storage_links": 24, "ufm_links": 2},
        {"cables_400g": 246, "node_transceivers": 126, "switch_transceivers": 185, "min_switches": 7},
    ),
    # facility reference 1.4: 8 node leaves, 2 storage leaves and 4 spines are the fewest for H100 4 SU
    "storage-fewest": ("storage_ib", {"nodes": 127, "storage_links": 48}, {"min_switches": 14}),
    "oob-two-racks": (
        "oob",
        {"device_ports": {"trays": 108, "switches": 12}},
        {"oob_ports": 120, "oob_switches": 3, "oob_uplink_cables": 6},
    ),
    "oob-full-switch": (
        "oob",
        {"device_ports": {"all": 90}, "usable_ports": 48, "uplinks_per_switch": 4},
        {"oob_switches": 2, "oob_uplink_cables": 8},
    ),
    "pair-of-four": ("pair_max", {"links_per_node": 4, "radix": 64}, {"max_nodes": 16}),
    "pair-collapsed": ("pair_max", {"links_per_node": 8, "radix": 64, "extra_links": 8}, {"max_nodes": 7}),
    # one node more than ports: 3 leaves, 96 links up on 64 ports, 2 spines: 5 for each of 8 rails
    "rail-only-65": ("rail_only", {"nodes": 65, "rails": 8, "radix": 64}, {"switches": 40, "spine": 16}),
    "rail-only-4-rails": ("rail_only", {"nodes": 48, "rails": 4, "radix": 64}, {"switches": 4}),
    "rail-only-planes": ("rail_only", {"nodes": 65, "rails": 8, "radix": 64, "planes": 2}, {"switches": 80}),
    "capacity-hdr": ("capacity", {"radix": 40}, {"max_two_tier": 800, "max_three_tier": 16_000}),
    # 48 ends a leaf: 64 leaves in two tiers, 64 pods of 32 in three
    "capacity-3-to-1": (
        "capacity",
        {"radix": 64, "oversubscription": 3},
        {"max_two_tier": 3072, "max_three_tier": 98_304},
    ),
    "hpn-half": ("hpn", {"gpus": 512, "rails": 8, "planes": 2}, {"tor": 16, "down_ports_per_tor": 64}),
    # facility reference 1.3: 15 segments are 15,360 GPUs
    "hpn-pod": (
        "hpn",
        {"gpus": 1024, "rails": 8, "planes": 2, "segments": 15},
        {"gpus_per_pod": 15_360, "total_tor": 240},
    ),
    "product": ("product", {"factors": [8, 16, 3]}, {"value": 384}),
}


@pytest.mark.parametrize("name", VARIANTS)
def test_a_variant_worked_by_hand(name):
    kind, inputs, expected = VARIANTS[name]
    answer = check({"id": name, "kind": kind, "inputs": inputs, "expected": expected})
    assert {found.field: found.got for found in answer} == expected
    assert {found.status for found in answer} == {"ok"}


TREE = {"nodes": 64, "rails": 8, "radix": 64, "su_nodes": 32}


@pytest.mark.parametrize(
    ("kind", "inputs", "named"),
    [
        ("fat_tree", {**TREE, "latency": 1}, "inputs/latency: unknown_field"),
        ("fat_tree", {**TREE, "nodes": 2.5}, "inputs/nodes: not_whole"),
        ("fat_tree", {**TREE, "nodes": "64"}, "inputs/nodes: not_a_number"),
        ("fat_tree", {**TREE, "su_nodes": 0}, "inputs/su_nodes: out_of_bounds"),
        ("fat_tree", {**TREE, "radix": 1}, "inputs/radix: out_of_bounds"),
        ("fat_tree", {**TREE, "leaf_down": 64}, "inputs/leaf_down: out_of_bounds"),
        ("fat_tree", {**TREE, "radix": 10**9}, "inputs/radix: out_of_bounds"),
        ("fat_tree", {**TREE, "nodes": 1e30}, "inputs/nodes: out_of_bounds"),
        ("fat_tree", {**TREE, "planes": 0}, "inputs/planes: out_of_bounds"),
        ("fat_tree", {**TREE, "oversubscription": 0}, "inputs/oversubscription: out_of_bounds"),
        ("fat_tree", {**TREE, "nodes": 300, "force_tiers": 2}, "inputs/nodes: out_of_bounds"),
        ("fat_tree", {**TREE, "nodes": 9000}, "inputs/nodes: out_of_bounds"),
        ("fat_tree", {**TREE, "force_tiers": 4}, "inputs/force_tiers: not_a_choice"),
        ("fat_tree", {**TREE, "ufm": 4, "ufm_links": 4}, "inputs/ufm: conflict"),
        ("fat_tree", {"nodes": 64, "rails": 8}, "inputs/radix: missing"),
        ("rail_only", {"nodes": 64, "rails": 8, "radix": 64, "nvlink": 1}, "inputs/nvlink: unknown_field"),
        ("super_spine", {"sus": 65, "uplinks_per_spine": 28, "radix": 64}, "inputs/sus: out_of_bounds"),
        ("basepod", {"nodes": 9, "rails": 8, "radix": 64}, "inputs/nodes: out_of_bounds"),
        ("oob", {"device_ports": 54}, "inputs/device_ports: bad_format"),
        ("oob", {"device_ports": {"bmc": -1}}, "inputs/bmc: out_of_bounds"),
        ("product", {"factors": 3}, "inputs/factors: bad_format"),
    ],
)
def test_an_input_that_is_unknown_missing_or_impossible_is_refused_by_name(kind, inputs, named):
    expected = {"switches": 1, "value": 1, "oob_switches": 1, "super_spine": 1}
    with pytest.raises(InputError) as error:
        check({"id": "bad", "kind": kind, "inputs": inputs, "expected": expected})
    assert str(error.value).startswith(named)


# ── the steps of the facility reference 1.2, written out once more ──


def least_divisor(n, m):
    return next((k for k in range(max(1, m), n + 1) if n % k == 0), None)


def page(N, K, r, S=None, d=None, o=1.0, ufm=0, p=1):
    down = math.floor(r * o / (1 + o) + 1e-9) if d is None else d
    u = min(r - down, math.ceil(down / o - 1e-9))
    positions = N + math.ceil(ufm / K)
    per_rail = math.ceil(positions / down) if S is None else math.ceil(positions / S) * math.ceil(S / down)
    leaf = K * per_rail
    spine = least_divisor(u, math.ceil(leaf * u / r))
    if spine is not None and leaf * u / spine <= r:
        return [p * n for n in (leaf, spine, 0, N * K, leaf * u, 0)]
    pods = math.ceil(per_rail / min(r // 2, per_rail))
    a = math.ceil(per_rail / pods)
    s = least_divisor(u, math.ceil(a * u / (r // 2)))
    v = a * u // s
    choices = []
    for G in range(1, s + 1):
        if s % G == 0 and (c := least_divisor(v, math.ceil(K * pods * (s // G) * v / r))) is not None:
            choices.append((G * c, -G))
    if not choices:
        return None
    return [p * n for n in (leaf, K * pods * s, min(choices)[0], N * K, leaf * u, K * pods * s * v)]


FIELDS = ("leaf", "spine", "core", "node_leaf_links", "leaf_spine_links", "spine_core_links")


@settings(max_examples=300, deadline=None)
@given(
    nodes=st.integers(1, 3000),
    rails=st.sampled_from([1, 2, 4, 8]),
    radix=st.sampled_from([32, 40, 64, 128, 144]),
    unit=st.sampled_from([None, 4, 20, 32, 64, 72]),
    down=st.sampled_from([None, 12, 18]),
    ratio=st.sampled_from([0.5, 1, 1.5, 2, 3, 7]),
    ufm=st.sampled_from([0, 4]),
    planes=st.integers(1, 4),
)
def test_any_fat_tree_follows_the_steps_of_the_reference(nodes, rails, radix, unit, down, ratio, ufm, planes):
    given = {"su_nodes": unit, "leaf_down": down}
    inputs = {
        "nodes": nodes,
        "rails": rails,
        "radix": radix,
        "oversubscription": ratio,
        "ufm_links": ufm,
        "planes": planes,
        **{name: value for name, value in given.items() if value is not None},
    }
    counts = page(nodes, rails, radix, unit, down, ratio, ufm, planes)
    case = {"id": "any", "kind": "fat_tree", "inputs": inputs, "expected": dict.fromkeys(FIELDS, 0)}
    if counts is None:
        with pytest.raises(InputError, match="nodes"):
            check(case)
    else:
        assert [found.got for found in check(case)] == counts

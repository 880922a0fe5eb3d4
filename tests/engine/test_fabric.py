"""Fabrics worked by hand, the limits of a switch, and batches against singles."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

from planner.engine import fabric as f
from planner.engine.quantities import InputError

SUPERPOD = np.array([  # NVIDIA DGX SuperPOD RA for DGX B200: nodes leaf spine core node_leaf leaf_spine spine_core
    [64, 16, 8, 0, 512, 512, 0],
    [256, 64, 32, 0, 2048, 2048, 0],
    [512, 128, 128, 64, 4096, 4096, 4096],
    [2048, 512, 512, 256, 16384, 16384, 16384]])


def test_fat_tree_reproduces_the_superpod_counts():
    counts = f.fat_tree(nodes=SUPERPOD[:, 0], rails=8, radix=64)  # all rows in one call
    assert_array_equal(np.column_stack(counts), SUPERPOD[:, 1:])


def test_uplinks_divide_evenly_over_the_spines():
    # DGX B300 XDR, 288 nodes on 144 ports: 32 leaves with 72 links up are 16 spines' worth, 72 divides by 18
    assert f.fat_tree(288, 8, 144).spine == 18
    assert f.fat_tree(288, 8, 144, even_links=False).spine == 16
    assert [f.even_divisor(72, least) for least in (1, 16, 18, 72, 73)] == [1, 18, 18, 72, None]


def test_what_the_divisor_rule_over_buys_is_shown():
    # facility reference 1.2: 3,000 H100 nodes take 512 cores by the rule, 384 would carry the load
    assert f.fat_tree(3000, 8, 64).core == 512
    assert f.fat_tree(3000, 8, 64, even_links=False).core == 384


def test_dgx_a100_as_predicted_by_the_reference():
    # facility reference 1.2: 7 SU of 20, 40 ports: 56 leaf, 80 spine, 28 core in 2 groups of 14, 1,120 links a tier
    assert f.fat_tree(140, 8, 40, su_nodes=20) == (56, 80, 28, 1120, 1120, 1120)
    plan = f.tree_layout(140, 8, 40, 20)
    assert (plan.core_groups, plan.core_per_group) == (2, 14)


def test_limits_of_a_radix():
    # facility reference 1.1
    assert [f.two_tier_limit(radix) for radix in (40, 64, 128, 144)] == [800, 2048, 8192, 10_368]
    assert [f.three_tier_limit(radix) for radix in (40, 64, 128, 144)] == [16_000, 65_536, 524_288, 746_496]
    assert f.fat_tree(256, 8, 64).core == 0
    assert f.fat_tree(257, 8, 64).core > 0
    assert f.fat_tree(8192, 8, 64).core == 1024  # full: 65,536 ends, r²/4 cores
    with pytest.raises(InputError):
        f.fat_tree(8193, 8, 64)


def test_oversubscription_by_hand():
    assert f.leaf_ports(64) == (32, 32)
    assert f.leaf_ports(64, 3) == (48, 16)
    assert f.leaf_ports(64, 5 / 3) == (40, 24)
    assert f.leaf_ports(64, 1, leaf_down=18) == (18, 18)
    # 96 nodes, 3:1: 2 leaves a rail, 16 leaves, 256 links up on 64 ports: 4 spines
    assert f.fat_tree(96, 8, 64, oversubscription=3) == (16, 4, 0, 768, 256, 0)


def test_a_batch_of_fabrics_equals_single_ones():
    nodes = np.array([[0, 1, 9, 32], [33, 257, 1000, 2048]])
    many = f.fat_tree(nodes, 8, 64, planes=2)
    for place in np.ndindex(nodes.shape):
        one = f.fat_tree(int(nodes[place]), 8, 64, planes=2)
        assert all(isinstance(count, int) for count in one)
        assert tuple(count[place] for count in many) == one
    assert_array_equal(f.rail_only([0, 64, 256], 8, 64).leaf, [0, 8, 64])


def test_a_pair_while_a_switch_could_take_all_ends():
    assert f.spineless_pair(8, 8, 64) == (2, 32)
    assert f.spineless_pair(9, 8, 64) is None
    assert f.spineless_pair(1, 3, 64) == (2, 2)
    assert f.spineless_pair(0, 8, 64) == (0, 0)
    assert f.pair_limit(8, 64) == 8


def test_wiring_of_small_and_larger_clusters():
    def look(nodes, **more):
        wired = f.wire(nodes, 8, 64, **more)
        return wired.topology, wired.leaf, wired.spine, wired.core, wired.endpoint_links, wired.switch_links

    assert look(0) == ("none", 0, 0, 0, 0, 0)
    assert look(4) == ("pair", 2, 0, 0, 32, 16)
    assert look(8) == ("pair", 2, 0, 0, 64, 32)
    assert look(9) == ("two_tier", 8, 4, 0, 72, 256)  # one leaf a rail, as many spines as the whole unit of 32
    assert look(32) == ("two_tier", 8, 4, 0, 256, 256)
    assert look(33) == look(33, su_nodes=32) == ("two_tier", 16, 8, 0, 264, 512)
    assert look(33, su_nodes=128) == ("two_tier", 32, 16, 0, 264, 1024)  # wired for 128 at once
    assert look(512) == ("three_tier", 128, 128, 64, 4096, 8192)
    assert look(4, planes=2) == ("pair", 4, 0, 0, 64, 32)


def test_wiring_with_rails_apart():
    # 64 servers: a switch a rail; 65: three leaves and two spines each; a handful too has its eight switches
    assert [f.wire(nodes, 8, 64, rails_apart=True).switches for nodes in (4, 64, 65)] == [8, 8, 40]
    assert f.wire(64, 8, 64, rails_apart=True).topology == "rail_only"
    assert f.wire(64, 8, 64, rails_apart=True).links == 512
    with pytest.raises(InputError, match="ufm"):
        f.wire(64, 8, 64, rails_apart=True, ufm=4)


def test_optics_of_a_full_fabric_fill_every_cage():
    # 4 SU of H100: 128 nodes and 48 switches of 32 twin cages: 512 + 1,536
    assert f.wire(128, 8, 64).optics == sum(f.twin_port_optics(128, 8, 48, 64)) == 2048
    # BasePOD of 4: 16 + 16; links between the two are copper
    assert f.wire(4, 8, 64).optics == 32


def test_cables_and_power():
    # facility reference 1.5 and section 6 of the facility cases
    assert f.cable_kg(256, 3, f.CABLE_KG_PER_M["copper"]) == pytest.approx(34.56)
    assert f.cable_kg(256, 30, f.CABLE_KG_PER_M["optical"]) == pytest.approx(69.12)
    # SN5610: 0.9 kW typical, 2.08 kW with 64 optics of 18.4 W
    assert f.fabric_kw(900, 1, 64, 18.4) == pytest.approx(2.08, abs=64 * 0.0001)


def test_rails_of_a_small_cluster_share_a_leaf():
    # facility reference 1.3: floor(d/N): 4 nodes leave room for all 8 rails, 9 for 3, 17 for one
    assert [f.rails_per_leaf(nodes, 8, 64) for nodes in (4, 9, 16, 17, 40)] == [8, 3, 2, 1, 1]


def test_the_medium_follows_the_distance():
    # facility reference 1.5: copper to 2 m, 3 m as a splitter, active to 5, multimode to 50, single mode beyond
    names = [f.medium_for(metres).name for metres in (2, 2.5, 5, 30, 50, 51, 2000)]
    assert names == ["dac", "active_copper", "active_copper", "multimode", "multimode", "single_mode", "single_mode"]
    assert f.medium_for(3, splitter=True).name == "dac"
    assert f.medium_for(f.PLANNED_M["spine"]).name == "multimode"
    assert [f.medium_for(metres, "XDR").name for metres in (1, 10)] == ["active_copper", "single_mode"]  # nothing else
    assert f.medium_for(20, "HDR").name == "aoc"


@settings(max_examples=150, deadline=None)
@given(
    nodes=st.integers(1, 4000), rails=st.integers(1, 8), radix=st.sampled_from([32, 40, 64, 128, 144]),
    even=st.booleans(), ratio=st.sampled_from([1.0, 1.5, 2.0, 3.0]))
def test_no_switch_has_more_links_than_ports(nodes, rails, radix, even, ratio):
    try:
        plan = f.tree_layout(nodes, rails, radix, oversubscription=ratio, even_links=even)
    except InputError:
        assert nodes * rails > f.two_tier_limit(radix, ratio)
        return
    assert plan.leaf * plan.leaf_down >= nodes * rails
    assert plan.leaf_down + plan.leaf_up <= radix
    assert plan.leaf_spine == plan.leaf * plan.leaf_up
    if plan.tiers == 2:
        assert plan.leaf_spine <= plan.spine * radix
        assert plan.spine <= plan.leaf_up  # each leaf reaches each spine
    else:
        assert plan.leaf_spine + plan.spine_core <= plan.spine * radix
        assert plan.spine_core <= plan.core * radix
        assert plan.spine_core >= plan.leaf_spine  # no further oversubscription above the leaves


@settings(max_examples=60, deadline=None)
@given(nodes=st.integers(0, 2000))
def test_more_nodes_never_take_fewer_leaves_or_links(nodes):
    less, more = (f.wire(n, 8, 64) for n in (nodes, nodes + 1))
    assert more.leaf >= less.leaf
    assert more.endpoint_links == less.endpoint_links + 8


@pytest.mark.parametrize(("call", "field"), [
    (lambda: f.fat_tree(-1, 8, 64), "nodes"),
    (lambda: f.fat_tree(2.5, 8, 64), "nodes"),
    (lambda: f.fat_tree([1, 10**9], 8, 64), "nodes"),
    (lambda: f.fat_tree(257, 8, 64, tiers=2), "nodes"),
    (lambda: f.fat_tree(4, 0, 64), "rails"),
    (lambda: f.fat_tree(4, 8, 1), "radix"),
    (lambda: f.fat_tree(4, 8, 64, leaf_down=64), "leaf_down"),
    (lambda: f.fat_tree(4, 8, 64, oversubscription=0.01), "oversubscription"),
    (lambda: f.fat_tree(4, 8, 64, su_nodes=0), "su_nodes"),
    (lambda: f.fat_tree(4, 8, 64, ufm=-1), "ufm"),
    (lambda: f.fat_tree(4, 8, 64, tiers=4), "tiers"),
    (lambda: f.fat_tree(400, 8, 64, pod_leaves=33), "pod_leaves"),
    (lambda: f.spineless_pair(4, 8, 0), "radix"),
    (lambda: f.super_spine(200, 28, 64), "spines_per_group"),
    (lambda: f.wire(4, 8, 64, links_per_optic=0), "links_per_optic"),
    (lambda: f.medium_for(31, "HDR"), "metres"),
    (lambda: f.medium_for(1, "EDR"), "speed"),
    (lambda: f.pair_limit(8, 64, 65), "extra_links"),
])
def test_impossible_input_is_refused_by_name(call, field):
    with pytest.raises(InputError) as caught:
        call()
    assert caught.value.problems[0].path == (field,)

"""The networks of a cluster as fields of a plan: what each adds to lines, power, rack units and dates."""

import pytest

from planner.engine.inputs import Fabric
from planner.engine.quantities import InputError
from planner.engine.wiring import items_asked, rows_asked
from tests.engine.sample import book, build, cost, evaluated, plan, pool, price


def device(slug, ports, gbps, kw, usd, units=1, kind="switch"):
    return {"slug": slug, "name": slug, "kind": kind, "ports": ports, "port_gbps": gbps, "rack_units": units,
            "typical_kw": kw, "price": None if usd is None else price(usd)}  # fmt: skip


ITEMS = {
    "qm9700": device("qm9700", 64, 400, 1.0, 25_000.0),
    "sn4600c": device("sn4600c", 64, 100, 0.5, 20_000.0, units=2),
    "sn2201": device("sn2201", 48, 1, 0.1, 4000.0),
    "eth-48x10g": device("eth-48x10g", 48, 10, 0.2, 4000.0),
    "ufm-enterprise-ndr": device("ufm-enterprise-ndr", None, None, 0.7, 30_000.0, kind="mgmt"),
}
ROWS = {
    slug: cost(slug, usd, "link", "USD")
    for slug, usd in (
        ("cable-1g-link", 5), ("cable-25g-link", 60), ("cable-100g-link", 250), ("cable-400g-dac", 200),
        ("cable-400g-active", 1000), ("cable-400g-single-mode", 1500), ("cable-200g-link", 650), ("nic-400g", 1900),
    )
}  # fmt: skip


def prices(items=ITEMS, **more):
    ports = {"fabric_ports": 8, "fabric_port_gbps": 400.0, **more}
    costs = book().model_dump(mode="json")["costs"]
    return book(builds={"box": build("box", 8, 8, 240_000.0, **ports)}, items=items, costs=costs | ROWS)


def cluster(servers=4, prices_of=None, **fabric):
    asked = {"when": "always", **fabric}
    joined = plan(start={"build": "box", "quantity": servers}, fabric=asked)
    return evaluated(joined, work=pool(4.0), months=1, prices=prices_of or prices()).plans[0]


def pieces(result):
    return {
        line.code + ":" + line.item: line.quantity[0, 0] for line in result.lines if line.category == "capex.fabric"
    }


def test_a_pair_of_switches_is_all_there_is_unless_asked():
    assert pieces(cluster()) == {"switch:qm9700": 2, "link:cable-400g-link": 48, "link_labour:cabling-labour-link": 48}


def test_planes_double_switches_and_links_of_half_the_speed():
    # 32 ports of 400G as 2 × 32 of 200G, each plane on a pair of 128 ports, half as many links between the two
    found = pieces(cluster(planes=2))
    assert (found["switch:qm9700"], found["link:cable-400g-link"]) == (4, 2 * 48)


def test_fabric_managers_need_spines():
    # 4 servers and 4 ports of managers: a leaf a rail, 32 up each, 4 spines; 32 + 4 links down, 256 up
    found = pieces(cluster(ufm=True))
    assert (found["switch:qm9700"], found["manager:ufm-enterprise-ndr"]) == (12, 2)
    assert found["link:cable-400g-link"] == 36 + 256


def test_rails_apart_and_fabric_managers_contradict_each_other():
    with pytest.raises(InputError) as caught:
        cluster(ufm=True, topology="rail_only")
    assert caught.value.problems[0].code == "conflict"


@pytest.mark.parametrize(
    ("servers", "switches", "links"),
    [(4, 2, 9), (63, 2, 127), (127, 8, 302)],  # NVIDIA's bill for 127 DGX H100: 8 switches, 304 cables
)
def test_the_in_band_network_has_a_port_of_each_server_on_two_switches(servers, switches, links):
    found = pieces(cluster(servers, in_band=True))
    assert (found["in_band_switch:sn4600c"], found["in_band_link:cable-100g-link"]) == (switches, links)


def test_the_out_of_band_network_reaches_servers_switches_and_strips():
    # 4 servers, 2 switches of the fabric, 2 in band, 2 strips: 10 ports on one switch with two links up
    found = pieces(cluster(in_band=True, out_of_band=True))
    assert (found["oob_switch:sn2201"], found["oob_link:cable-1g-link"]) == (1, 10)
    assert found["oob_link:cable-100g-link"] == 2


def test_the_storage_network_is_a_pair_until_its_ports_are_used_up():
    # two ports a server and two links to the storage: 10 ends, 5 between the switches
    found = pieces(cluster(storage_network=True))
    assert (found["storage_switch:qm9700"], found["storage_link:cable-400g-link"]) == (2, 15)
    # 32 servers: 64 ends and 2 links exceed 64 ports: 2 leaves of 32 down and 24 up, one for storage, one spine
    more = pieces(cluster(32, storage_network=True))
    assert (more["storage_switch:qm9700"], more["storage_link:cable-400g-link"]) == (4, 64 + 48 + 2)


def test_links_are_priced_by_their_length():
    found = pieces(cluster(cabling="by_distance", leaf_m=2.0, spine_m=60.0))
    assert found["link:cable-400g-dac"] == 32
    assert found["link:cable-400g-single-mode"] == 16
    assert found["link_labour:cabling-labour-link"] == 48


def test_optics_draw_power_in_the_switches_and_copper_none():
    known = ITEMS | {"qm9700": {**ITEMS["qm9700"], "max_kw": 3.0}}
    copper, optics = (
        cluster(prices_of=prices(known), cabling="by_distance", leaf_m=metres, spine_m=2.0).network.kw_typical[0, 0]
        for metres in (2.0, 30.0)
    )
    assert copper == 2.0
    assert optics == pytest.approx(2.0 + 32 * 0.008)  # 8 W an end, multimode


def test_a_length_that_no_cable_of_that_speed_reaches_is_told():
    result = cluster(prices_of=prices(fabric_port_gbps=200.0), cabling="by_distance", leaf_m=50.0)
    assert [reason.code for reason in result.infeasible] == ["no_cable"]
    assert not result.priced


def test_every_device_takes_its_power_and_its_rack_units():
    network = cluster(in_band=True, out_of_band=True).network
    # 2 × 1.0 + 2 × 0.5 + 0.1 kW; 2 × 1 + 2 × 2 + 1 U
    assert network.kw_typical[0, 0] == pytest.approx(3.1)
    assert (network.devices[0, 0], network.switches[0, 0]) == (5, 7)


def test_plain_ethernet_has_one_switch_and_a_link_a_server():
    found = pieces(cluster(network="10gbe"))
    assert found == {"switch:eth-48x10g": 1, "link:cable-25g-link": 4, "link_labour:cabling-labour-link": 4}


def test_servers_without_ports_of_that_speed_take_network_cards():
    found = pieces(cluster(prices_of=prices(fabric_ports=0, fabric_port_gbps=0.0), network="8x400g_rdma"))
    assert found["nic:nic-400g"] == 32
    assert "nic:nic-400g" not in pieces(cluster(network="8x400g_rdma"))


def test_what_nobody_quoted_leaves_the_plan_without_a_total():
    unquoted = ITEMS | {"ufm-enterprise-ndr": {**ITEMS["ufm-enterprise-ndr"], "price": None}}
    result = cluster(prices_of=prices(unquoted), ufm=True)
    assert [(reason.code, reason.facts["item"]) for reason in result.infeasible] == [("no_quote", "ufm-enterprise-ndr")]


def test_a_faster_port_of_a_switch_splits():
    # 16 servers × 8 ports of 200G on 400G switches: 128 ports each, so a pair still joins them
    assert pieces(cluster(16, prices(fabric_port_gbps=200.0)))["switch:qm9700"] == 2


def test_every_network_is_ordered_as_goods_with_the_servers():
    orders = cluster(in_band=True).orders
    kinds = {order.kind for order in orders}
    assert {"switch", "link", "in_band_switch", "in_band_link"} <= kinds
    assert "link_labour" not in kinds


def test_commissioning_of_the_fabric_is_added_to_the_lead_time_of_its_servers():
    def lead(**fabric):
        grows = {"kind": "servers"}
        joined = plan(start={"build": "box"}, follow_up=grows, fabric={"when": "always", **fabric}, lead_months=None)
        return evaluated(joined, work=pool(4.0), months=12, prices=prices()).plans[0].fleet.follow_lead

    assert (lead(), lead(commissioning_days=45.0)) == (0, 2)  # 45 ÷ 30.4375 days


def test_skills_and_acceptance_of_a_fabric_can_be_stated():
    stated = {"fabric_fte_per_64_servers": 2.0, "fabric_acceptance_share": 0.1}
    joined = plan(start={"build": "box", "quantity": 4}, fabric={"when": "always"})
    result = evaluated(joined, work=pool(4.0), months=1, prices=prices(), operations=stated).plans[0]
    lines = {line.category + ":" + line.code: line for line in result.lines}
    assert lines["opex.staff:fabric_skills"].quantity[0, 0] == pytest.approx(2.0 * 4 / 64)
    assert lines["capex.installation:fabric_commissioning"].unit_price[0, 0] == 0.1
    assert lines["capex.installation:fabric_commissioning"].source.basis == "own"


def test_a_price_book_is_asked_for_what_is_switched_on_alone():
    assert (items_asked(Fabric()), rows_asked(Fabric())) == ({"qm9700"}, set())
    asked = Fabric(network="10gbe", ufm=True, out_of_band=True, storage_network=True)
    assert items_asked(asked) == {"eth-48x10g", "ufm-enterprise-ndr", "sn2201", "sn4600c"}
    assert rows_asked(asked) == {"cable-25g-link", "cable-1g-link", "cable-100g-link"}

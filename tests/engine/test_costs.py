"""Cost lines worked by hand, at the prices of the sample: box 240 000, chassis with 2 cards 100 000, card 30 000."""

import pytest

from planner.engine.finance import annuity, residual_share
from planner.engine.inputs import ResidualCurves
from tests.engine.sample import FLAT, amounts, book, build, evaluated, lines, offer, only, plan, pool, price

CLOUD = {"accelerator": "gpu"}
SITE = {"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}
JOINED = {"box": build("box", 8, 8, 240_000.0, fabric_ports=8, fabric_port_gbps=400.0)}


def one(*plans, **changes):
    return evaluated(*plans, **changes).plans[0]


def boxes(quantity, **more):
    return plan(start={"build": "box", "quantity": quantity}, **more)


def table(*values):
    return pool(1.0) | {"growth": {"kind": "table", "values": list(values)}}


# ── machines ──


def test_a_host_costs_the_build_without_its_cards():
    # 100 000 − 2 × 30 000 = 40 000 and a single card
    result = one(plan(start={"build": "chassis", "cards": 1}), work=pool(1.0), months=1)
    assert {code: line.total() for code, line in lines(result, "capex.accelerators_and_servers").items()} == {
        "chassis": 40_000.0,
        "card": 30_000.0,
    }


def test_cards_beyond_the_build_bring_their_memory_and_nic():
    extra = {**book().addons["chassis"].model_dump(mode="json"), "extra_price": price(500.0)}
    result = one(plan(start={"build": "chassis", "cards": 5}), months=1, prices=book(addons={"chassis": extra}))
    assert {code: line.total() for code, line in lines(result, "capex.accelerators_and_servers").items()} == {
        "server": 100_000.0,
        "card": 90_000.0,
        "card_extra": 1500.0,
    }


def test_each_share_of_a_build_follows_its_own_path():
    # shares 0.75, 0.10 and 0.15; a year later −50 %, +20 % and +0 %
    market = {
        "accelerator": {"rate_per_year": -0.5},
        "memory_flash": {"rate_per_year": 0.2},
        "rest": {"rate_per_year": 0.0},
    }
    late = plan(start=None, follow_up={"kind": "servers", "build": "box"})
    result = one(late, work=table(*[0] * 12, 8), months=13, market={**FLAT, **market})
    assert amounts(result, "capex.accelerators_and_servers")[12] == 240_000 * (0.375 + 0.12 + 0.15)


def test_cards_added_later_are_paid_at_that_month_s_price():
    market = {**FLAT, "accelerator": {"rate_per_year": -0.1}}
    growing = plan(start={"build": "chassis"}, follow_up={"kind": "cards"})
    result = one(growing, work=table(*[2] * 12, 3), months=13, market=market)
    assert amounts(result, "capex.accelerators_and_servers")[12] == 27_000.0


def test_the_parts_of_a_node_sum_to_the_node_and_a_card_leaves_the_host_s_price_alone():  # U016
    def parts(cards):
        result = one(
            plan(start={"build": "chassis", "cards": cards}), months=1, lines=only("capex.accelerators_and_servers")
        )
        found = lines(result, "capex.accelerators_and_servers")
        return {code: line.unit_price[0, 0] for code, line in found.items()}, result.nominal_total

    assert parts(1) == ({"chassis": 40_000.0, "card": 30_000.0}, 70_000.0)
    assert parts(2) == ({"server": 100_000.0}, 100_000.0)
    assert parts(3) == ({"server": 100_000.0, "card": 30_000.0}, 130_000.0)


def test_installation_is_hours_times_the_rate_per_server_and_per_added_card():
    growing = plan(start={"build": "chassis"}, follow_up={"kind": "cards"})
    result = one(growing, work=table(2, 4), months=2)
    assert amounts(result, "capex.installation") == [8 * 200.0, 2 * 200.0]


def test_freight_and_duty_are_shares_of_the_price():
    result = one(months=1, operations={"region": "UK"})
    assert {code: line.total() for code, line in lines(result, "capex.freight_and_duty").items()} == {
        "freight": 2400.0,
        "duty": 12_000.0,
    }


def test_recoverable_tax_is_no_cost_and_the_rest_is():
    assert amounts(one(months=1, operations={"tax_region": "tax"}), "capex.sales_tax_or_vat") == [0.0]
    half = {"tax_region": "tax", "recoverable_tax_share": 0.5}
    assert amounts(one(months=1, operations=half), "capex.sales_tax_or_vat") == [24_000.0]


def test_spares_begin_with_the_fourth_server():
    assert amounts(one(boxes(3), months=1), "capex.spares") == [0.0]
    assert amounts(one(boxes(4), months=1), "capex.spares") == [28_800.0]  # 3 % of 960 000


def test_renewing_two_servers_does_not_make_them_four():
    result = one(boxes(2, end_of_life={"life_months": 12, "then": "renew"}), months=24)
    assert amounts(result, "capex.spares") == [0.0] * 24


def test_a_server_that_leaves_is_disposed_of_in_its_last_month():
    result = one(boxes(2, end_of_life={"life_months": 12, "then": "let_go"}), months=14)
    assert amounts(result, "capex.decommissioning") == [0.0] * 12 + [600.0, 0.0]


def test_racks_bring_two_power_strips_each():
    # 5 boxes of 8 U, 40 usable: one rack; a sixth asks for another
    result = one(boxes(5, follow_up={"kind": "servers"}), work=table(40, 48), months=2)
    assert amounts(result, "capex.racks_and_power") == [2000.0 + 2 * 1500.0] * 2


def test_colocation_brings_its_own_racks():
    hall = [{**SITE, "kind": "colocation", "colocation": {"price_per_kw_month": 100.0}}]
    assert amounts(one(sites=hall, months=1), "capex.racks_and_power") == [0.0]


def test_storage_is_bought_once():
    assert amounts(one(months=2, operations={"storage_tb": 50.0}), "capex.storage") == [50_000.0, 0.0]


def test_storage_that_nobody_states_is_bought_as_the_work_asks():
    # 4 then 6 GPUs of a pool, 0.25 TB each, at 1,000 a TB
    work = pool(4.0) | {"growth": {"kind": "steps", "steps": [{"month": 2, "value": 6.0}]}}
    bought = one(months=4, work=work, operations={"storage_tb": None})
    assert amounts(bought, "capex.storage") == [1_000.0, 0.0, 500.0, 0.0]
    rented = one({"slug": "cloud", "overflow": {"accelerator": "gpu"}}, work=work, operations={"storage_tb": None})
    assert amounts(rented, "capex.storage") == [0.0] * 12


def test_independent_servers_of_one_service_need_a_load_balancer_with_the_second():
    service = {
        "kind": "serving",
        "slug": "service",
        "accelerator": "gpu",
        "measured_requests_per_s_per_gpu": 1.0,
        "requests_per_day": 86_400.0,
        "growth": {"kind": "constant"},
    }
    growing = boxes(1, follow_up={"kind": "schedule", "waves": [{"month": 1, "quantity": 1}]})
    result = one(growing, work=service, months=3)
    assert amounts(result, "capex.accelerators_and_servers", "load_balancer") == [0.0, 6000.0, 0.0]
    assert amounts(one(boxes(2), months=1), "capex.accelerators_and_servers", "load_balancer") == [0.0]


# ── running costs ──


def test_energy_is_idle_and_busy_and_the_overhead_is_the_pue_s():
    # half busy: 2 + 0.5 × 6 = 5 kW, 744 h, 0.10; overhead half of it
    result = one(months=1, work=pool(4.0))
    assert amounts(result, "opex.energy_it") == [372.0]
    assert amounts(result, "opex.energy_overhead") == [186.0]


def test_an_idle_fleet_still_draws():
    assert amounts(one(months=1, work=pool(0.0)), "opex.energy_it") == [148.8]


def test_a_chassis_draws_by_the_cards_in_it():
    # host: 2.4 − 2 × 0.8 = 0.8 kW; 5 cards of 0.8: 4.8 kW all busy
    result = one(plan(start={"build": "chassis", "cards": 5}), work=pool(5.0), months=1)
    assert result.housing.draw[0, 0] == pytest.approx(4.8)
    assert result.housing.draw_max[0, 0] == pytest.approx(1.0 + 5 * 1.0)


def test_the_tariff_grows_by_the_month():
    result = one(months=13, market={**FLAT, "electricity": {"rate_per_year": 0.1}})
    january = amounts(result, "opex.energy_it")
    assert january[12] == pytest.approx(january[0] * 1.1)


def test_support_begins_in_the_month_after_the_warranty():
    covered = book(builds={"box": build("box", 8, 8, 240_000.0, warranty_months=3, support_share_per_year=0.06)})
    # 6 % of 240 000 a year are 1200 a month
    assert amounts(one(months=6, prices=covered), "opex.support") == [0.0, 0.0, 0.0, 1200.0, 1200.0, 1200.0]


def test_support_follows_each_wave_s_own_warranty_and_price():
    covered = book(builds={"box": build("box", 8, 8, 240_000.0, warranty_months=2, support_share_per_year=0.05)})
    growing = plan(follow_up={"kind": "servers"}, lead_months=1)
    result = one(growing, work=table(8, 16, 16, 16, 16), months=5, prices=covered)
    assert amounts(result, "opex.support") == [0.0, 0.0, 1000.0, 2000.0, 2000.0]


def test_support_ends_with_its_server():
    covered = book(builds={"box": build("box", 8, 8, 240_000.0, warranty_months=10, support_share_per_year=0.05)})
    result = one(boxes(1, end_of_life={"life_months": 12, "then": "let_go"}), months=14, prices=covered)
    assert amounts(result, "opex.support") == [0.0] * 10 + [1000.0, 1000.0, 0.0, 0.0]


@pytest.mark.parametrize(
    ("servers", "fte"), [(1, 0.10), (2, 0.10), (3, 0.25), (5, 0.25), (6, 0.5), (10, 0.5), (11, 0.55), (40, 2.0)]
)
def test_staff_goes_by_steps_and_then_by_servers(servers, fte):
    # 240 000 a year are 20 000 a month
    assert amounts(one(boxes(servers), months=1), "opex.staff", "servers") == [fte * 20_000.0]


def test_a_cloud_plan_needs_a_tenth_of_a_person():
    assert amounts(one({"slug": "cloud", "overflow": CLOUD}, months=1), "opex.staff", "cloud") == [2000.0]


def test_a_hybrid_does_not_pay_for_the_cloud_s_share_twice():
    result = one(plan(overflow=CLOUD), work=pool(10.0), months=1)
    assert amounts(result, "opex.staff") == [2000.0]


@pytest.mark.parametrize(("servers", "fte"), [(2, 0.25), (32, 0.25), (64, 0.5)])
def test_a_fabric_needs_skills_at_least_a_quarter_of_a_person(servers, fte):
    result = one(boxes(servers, fabric={"when": "always"}), months=1, prices=book(builds=JOINED))
    assert amounts(result, "opex.staff", "fabric_skills") == [fte * 20_000.0]


def test_insurance_and_property_tax_are_off_and_shares_of_the_price_when_on():
    assert "opex.insurance" not in {line.category for line in one(months=1).lines}
    result = one(months=1, lines={"opex.insurance": True, "opex.property_tax": True})
    assert amounts(result, "opex.insurance") == [120.0]  # 0.6 % of 240 000 a year
    assert amounts(result, "opex.property_tax") == [240.0]


def test_a_demand_charge_is_off_and_goes_by_the_peak_not_the_mean():
    result = one(months=1, work=pool(1.0), lines={"opex.demand_charge": True})
    assert amounts(result, "opex.demand_charge") == [10.0 * 1.5 * 10.0]
    assert "opex.demand_charge" not in {line.category for line in one(months=1).lines}


def test_one_uplink_a_site_that_stands():
    assert amounts(one(months=1), "opex.network_transit") == [600.0]
    hall = [{**SITE, "kind": "colocation"}]
    assert amounts(one(sites=hall, months=1), "opex.network_transit") == [250.0 + 1000 * 0.25]
    assert amounts(one({"slug": "cloud", "overflow": CLOUD}, months=1), "opex.network_transit") == [0.0]


# ── colocation ──


def hall(**terms):
    return [{**SITE, "kind": "colocation", "colocation": terms}]


@pytest.mark.parametrize(
    ("terms", "kw"),
    [
        ({"usable_share": 1.0}, 10.0),
        ({"usable_share": 0.8}, 13.0),  # 12.5, in steps of 1
        ({"usable_share": 0.8, "step_kw": 5.0}, 15.0),
        ({"usable_share": 0.8, "step_kw": 0.5}, 12.5),
        ({"usable_share": 1.0, "committed_kw": 40.0}, 40.0),
    ],
)
def test_colocation_is_billed_for_maximum_draw_over_the_usable_share_in_steps(terms, kw):
    result = one(sites=hall(price_per_kw_month=100.0, **terms), months=1)
    assert amounts(result, "opex.colocation") == [kw * 100.0]


def test_contracted_power_is_never_given_back():
    result = one(
        boxes(2, end_of_life={"life_months": 12, "then": "let_go"}, follow_up={"kind": "schedule"}),
        months=14,
        sites=hall(price_per_kw_month=100.0, usable_share=1.0),
    )
    assert amounts(result, "opex.colocation") == [2000.0] * 14


def test_under_100_kw_a_wholesale_market_is_priced_as_retail():
    assert amounts(one(boxes(9), months=1, sites=hall(market="hall", usable_share=1.0)), "opex.colocation") == [
        90 * 300.0
    ]


def test_from_100_kw_the_wholesale_rate_holds():
    assert amounts(one(boxes(10), months=1, sites=hall(market="hall", usable_share=1.0)), "opex.colocation") == [
        100 * 200.0
    ]


def test_power_included_is_not_metered_again():
    result = one(sites=hall(price_per_kw_month=100.0, power_included=True), months=1)
    assert amounts(result, "opex.energy_it") == [0.0]
    assert amounts(result, "opex.energy_overhead") == [0.0]


def test_where_power_is_included_no_tariff_is_needed():
    site = [
        {**hall(price_per_kw_month=100.0, power_included=True)[0], "electricity_price_per_kwh": None, "region": "XX"}
    ]
    assert one(sites=site, months=1).priced


def test_the_colocation_price_grows_by_its_own_path():
    market = {**FLAT, "colocation": {"rate_per_year": 0.03}}
    bill = amounts(
        one(sites=hall(price_per_kw_month=100.0, usable_share=1.0), months=13, market=market), "opex.colocation"
    )
    assert bill[12] == 1030.0


def test_a_market_without_a_price_is_no_quote():
    result = one(sites=hall(market="nowhere"), months=1)
    assert [reason.code for reason in result.infeasible] == ["no_quote"]


# ── cloud ──


def test_used_hours_are_paid_at_the_path_of_the_cloud():
    result = one(
        {"slug": "cloud", "overflow": CLOUD}, months=13, market={**FLAT, "accelerator": {"rate_per_year": -0.15}}
    )
    bill = amounts(result, "opex.cloud_usage")
    assert bill[0] == 4 * 744 * 2.0
    assert bill[12] == round(4 * 744 * 2.0 * 0.85, 2)


def test_the_spread_moves_the_cloud_alone():
    market = {**FLAT, "accelerator": {"rate_per_year": -0.15}, "cloud_spread": 0.15}
    bill = amounts(one({"slug": "cloud", "overflow": CLOUD}, months=13, market=market), "opex.cloud_usage")
    assert bill[12] == bill[0]


def test_a_commitment_is_owed_every_hour_whatever_is_used():
    # half of 4 GPUs reserved at 30 % off; from month 6 on nothing is used
    cloud = {"slug": "cloud", "overflow": {**CLOUD, "reserved_share": 0.5}}
    result = one(cloud, work=table(*[4] * 6, *[0] * 6))
    hours = [744, 672, 744, 720, 744, 720, 744, 744, 720, 744, 720, 744]
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([2 * h * 1.4 for h in hours])
    assert amounts(result, "opex.cloud_usage") == pytest.approx([2 * h * 2.0 for h in hours[:6]] + [0.0] * 6)


def test_a_commitment_is_renewed_for_what_runs_then_at_the_price_of_that_month():
    cloud = {"slug": "cloud", "overflow": {**CLOUD, "reserved_share": 0.5}}
    result = one(cloud, work=table(*[4] * 12, 8), months=13, market={**FLAT, "accelerator": {"rate_per_year": -0.1}})
    commitment = amounts(result, "opex.cloud_commitment")
    assert commitment[0] == pytest.approx(2 * 744 * 1.4)
    assert commitment[11] == pytest.approx(2 * 744 * 1.4)  # locked for its term
    assert commitment[12] == pytest.approx(4 * 744 * 1.4 * 0.9)


def test_a_reservation_of_instances_is_of_whole_ones():
    eight = book(offers={"eight": offer("eight", 16.0, count=8, billing_unit="instance")})
    cloud = {"slug": "cloud", "overflow": {**CLOUD, "reserved_share": 0.5}}
    result = one(cloud, work=pool(17.0), months=1, prices=eight)
    # 3 instances run; half of them is 1.5: one is reserved, two are paid as used
    assert amounts(result, "opex.cloud_commitment") == pytest.approx([744 * 16.0 * 0.7])
    assert amounts(result, "opex.cloud_usage") == [2 * 744 * 16.0]


def test_data_out_of_a_large_cloud_is_off_and_a_share_of_its_bill_when_on():
    cloud = {"slug": "cloud", "overflow": {**CLOUD, "provider_class": "large_provider"}}
    assert amounts(one(cloud, months=1), "opex.cloud_data") == [0.0]
    assert amounts(one(cloud, months=1, lines={"opex.cloud_data": True}), "opex.cloud_data") == [
        round(4 * 744 * 6.0 * 0.1, 2)
    ]
    specialist = {"slug": "cloud", "overflow": CLOUD}
    assert amounts(one(specialist, months=1, lines={"opex.cloud_data": True}), "opex.cloud_data") == [0.0]


# ── fabric ──


def fabric(quantity, **more):
    return one(
        boxes(quantity, fabric={"when": "always"}, **more), prices=book(builds=JOINED), months=more.pop("months", 1)
    )


@pytest.mark.parametrize(("servers", "switches"), [(1, 2), (4, 2), (8, 2), (9, 12), (32, 12)])
def test_up_to_64_ports_take_a_pair_and_more_a_tree(servers, switches):
    assert lines(fabric(servers), "capex.fabric")["switch"].quantity[0, 0] == switches


@pytest.mark.parametrize(
    ("servers", "asked", "switches"),
    [
        (96, {}, 40),  # 24 leaves × 32 up on 64 ports are 12 spines; 32 divides by 16
        (96, {"spread": "fewest"}, 36),
        (96, {"oversubscription": 3.0}, 20),  # 48 down, 16 up: 16 leaves, 4 spines
        (64, {}, 24),
        (64, {"topology": "rail_only"}, 8),  # a switch a rail
    ],
)
def test_the_topology_that_is_asked_for_is_bought(servers, asked, switches):
    result = one(boxes(servers, fabric={"when": "always", **asked}), prices=book(builds=JOINED), months=1)
    assert lines(result, "capex.fabric")["switch"].quantity[0, 0] == switches


def test_a_pair_is_charged_with_its_links_and_their_labour():
    # 4 boxes of 8 ports: 32 links to the machines and half as many between the two switches
    assert {code: line.total() for code, line in lines(fabric(4), "capex.fabric").items()} == {
        "switch": 2 * 25_000.0,
        "link": 48 * 1000.0,
        "link_labour": 48 * 50.0,
    }


def test_the_fabric_grows_by_what_is_missing():
    growing = boxes(
        4, fabric={"when": "always"}, follow_up={"kind": "schedule", "waves": [{"month": 1, "quantity": 28}]}
    )
    result = one(growing, prices=book(builds=JOINED), months=2)
    assert lines(result, "capex.fabric")["switch"].quantity[0].tolist() == [2, 10]


def test_wiring_for_the_final_size_is_paid_at_the_start():
    growing = boxes(
        4,
        fabric={"when": "always", "final_nodes": 32},
        follow_up={"kind": "schedule", "waves": [{"month": 1, "quantity": 28}]},
    )
    result = one(growing, prices=book(builds=JOINED), months=2)
    assert lines(result, "capex.fabric")["switch"].quantity[0].tolist() == [12, 0]


@pytest.mark.parametrize("then", ["renew", "let_go"])
def test_a_server_that_replaces_another_takes_its_ports(then):
    growing = boxes(
        8,
        fabric={"when": "always"},
        follow_up={"kind": "servers"},
        lead_months=2,
        end_of_life={"life_months": 12, "then": then},
    )
    result = one(growing, prices=book(builds=JOINED), work=pool(64.0), months=24)
    assert lines(result, "capex.fabric")["switch"].quantity[0].tolist() == [2] + [0] * 23


def test_switches_draw_power_day_and_night():
    result = fabric(4)
    assert result.housing.draw[0, 0] == pytest.approx(4 * 2.0 + (4 / 32) * 4 * 6.0 + 2.0)


def test_the_fabric_s_freight_duty_and_tax_stand_apart_and_leave_its_labour_out():
    # 2 switches and 48 links: 98 000; 1 % freight, 5 % duty, half of 20 % tax; no value is in the 2400 of labour
    result = one(
        boxes(4, fabric={"when": "always"}),
        prices=book(builds=JOINED),
        months=1,
        operations={"region": "UK", "tax_region": "tax", "recoverable_tax_share": 0.5},
    )
    assert amounts(result, "capex.freight_and_duty", "fabric_freight") == [980.0]
    assert amounts(result, "capex.freight_and_duty", "fabric_duty") == [4900.0]
    assert amounts(result, "capex.sales_tax_or_vat", "fabric_tax") == [9800.0]


def test_a_fabric_is_supported_from_its_second_year_and_valued_without_its_labour():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    result = one(boxes(4, fabric={"when": "always"}), prices=book(builds=JOINED), months=24, finance=finance)
    # 6 % of 98 000 a year; 98 000 × 0.35 × 0.85
    assert amounts(result, "opex.support", "fabric") == [0.0] * 12 + [490.0] * 12
    assert amounts(result, "credit.residual_at_horizon", "fabric")[23] == -29_155.0


def test_a_cluster_differs_by_its_fabric_alone_where_duty_and_tax_are_due():
    def keys(when):
        result = one(
            boxes(4, fabric={"when": when}),
            prices=book(builds=JOINED),
            months=24,
            operations={"region": "UK", "tax_region": "tax", "recoverable_tax_share": 0.0},
        )
        return {(line.category, line.code): line.minor.tolist() for line in result.lines}

    apart, joined = keys("never"), keys("always")
    differing = {key for key in apart.keys() | joined.keys() if apart.get(key) != joined.get(key)}
    assert {code for category, code in differing if category != "capex.fabric"} == {
        "fabric",
        "fabric_freight",
        "fabric_duty",
        "fabric_tax",
        "fabric_commissioning",
        "fabric_skills",
    }


def test_independent_servers_have_no_fabric():
    result = one(boxes(4, fabric={"when": "never"}), months=1)
    assert "capex.fabric" not in {line.category for line in result.lines}


# ── what comes back ──


@pytest.mark.parametrize(
    ("age", "share"),
    [
        (0, 1.0),
        (6, 0.86),
        (12, 0.72),
        (24, 0.55),
        (36, 0.42),
        (48, 0.30),
        (54, 0.25),
        (60, 0.20),
        (78, 0.125),
        (96, 0.05),
        (200, 0.03),
    ],
)
def test_a_system_keeps_the_share_of_the_published_curve(age, share):  # data/defaults.csv
    assert residual_share(ResidualCurves().system, age) == pytest.approx(share)
    assert residual_share(ResidualCurves().card, age) == pytest.approx(share)


@pytest.mark.parametrize(("age", "share"), [(12, 0.60), (30, 0.35), (60, 0.10), (96, 0.03), (120, 0.03)])
def test_a_host_keeps_less(age, share):
    assert residual_share(ResidualCurves().host, age) == pytest.approx(share)


@pytest.mark.parametrize(("age", "share"), [(12, 0.55), (42, 0.18), (96, 0.02)])
def test_a_network_keeps_least(age, share):
    assert residual_share(ResidualCurves().network, age) == pytest.approx(share)


def test_the_value_at_the_horizon_is_the_resale_of_that_age_in_the_last_month():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    result = one(months=24, finance=finance)
    # 240 000 × 0.55 × 0.85
    assert amounts(result, "credit.residual_at_horizon") == [0.0] * 23 + [-112_200.0]


def test_later_cards_are_younger_at_the_horizon():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    growing = plan(start={"build": "chassis"}, follow_up={"kind": "cards"})
    result = one(growing, work=table(*[2] * 12, *[3] * 12), months=24, finance=finance)
    found = {code: line.total() for code, line in lines(result, "credit.residual_at_horizon").items()}
    # host 40 000 × 0.42; cards 60 000 × 0.55 and 30 000 × 0.72; 15 % commission
    assert found == {"hosts": -14_280.0, "cards": -46_410.0}


def test_value_at_the_horizon_can_be_switched_off():
    assert amounts(one(months=24), "credit.residual_at_horizon") == [0.0] * 24


def test_what_leaves_within_the_horizon_is_sold_once():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    result = one(boxes(1, end_of_life={"life_months": 12, "then": "let_go"}), months=24, finance=finance)
    assert amounts(result, "credit.resale") == [0.0] * 12 + [-146_880.0] + [0.0] * 11  # 240 000 × 0.72 × 0.85
    assert amounts(result, "credit.residual_at_horizon") == [0.0] * 24


def test_a_renewed_server_is_sold_and_its_successor_valued():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    result = one(boxes(1, end_of_life={"life_months": 12, "then": "renew"}), months=18, finance=finance)
    assert amounts(result, "credit.resale")[12] == -146_880.0
    assert amounts(result, "credit.residual_at_horizon")[17] == -175_440.0  # 240 000 × 0.86 × 0.85


def test_commission_and_condition_scale_the_resale():
    finance = {"discount_rate": 0.0, "residual_at_horizon": True}
    market = {**FLAT, "resale_commission": 0.5, "resale_factor": 0.5}
    assert amounts(one(months=12, finance=finance, market=market), "credit.residual_at_horizon")[11] == -43_200.0


# ── finance ──


def test_an_annuity_of_8_percent_over_5_years_is_a_quarter():  # cost_method, section 3: 0.250, 0.233, 0.216, 0.199
    assert [round(annuity(1.0, 0.08, 5, share), 3) for share in (0.0, 0.1, 0.2, 0.3)] == [0.250, 0.233, 0.216, 0.199]


def test_running_costs_may_be_discounted_from_mid_month():
    def value(mid):
        finance = {"discount_rate": 0.21, "running_costs_mid_month": mid, "residual_at_horizon": False}
        return one(months=1, finance=finance, lines=only("capex.accelerators_and_servers", "opex.energy_it"))

    # 372 a month over 1.21^(1/24)
    assert value(False).present_value == 240_372.0
    assert value(True).present_value == 240_000 + round(372 / 1.21 ** (1 / 24), 2)

"""Published cost cases within their own tolerance, and others of the same kinds worked apart from the engine."""

import json
import math
from pathlib import Path

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import check

COSTS = json.loads((Path(__file__).parents[1] / "reference" / "tco_cases.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("case", COSTS, ids=lambda case: case["id"])
def test_published_cost_case(case):
    checks = {found.field: found for found in check(case)}
    assert checks.keys() == case["expected"].keys()
    for name, entry in case["expected"].items():
        assert checks[name].status == "ok", (name, checks[name].got)
        assert abs(checks[name].got - entry["value"]) <= entry["tolerance_rel"] * abs(entry["value"]) * (1 + 1e-9)


@pytest.mark.parametrize("case", COSTS, ids=lambda case: case["id"])
def test_published_cost_case_as_its_author_recomputed_it(case):
    """A formula has one answer; the tolerance of a case is for what the source rounds or leaves out."""
    for found in check(case):
        assert found.got == pytest.approx(case["recomputed"]["outputs"][found.field]["value"], rel=1e-9)


# ── others of these kinds ──

FLEET = {
    "demand_mtok_per_min": 3,
    "utilisation_target": 0.5,
    "tok_per_s_per_gpu": 1000,
    "gpus_per_node": 4,
    "reference_active_params_b": 10,
    "reference_bytes_per_param": 2,
    "speed_clamp_low": 0.5,
    "speed_clamp_high": 2,
    "model_active_params_b": 5,
    "model_bytes_per_param": 1,
}
DAY = {
    "average_nodes": 10,
    "gpus_per_node": 8,
    "usd_per_gpu_hour": 1.5,
    "input_tokens": 50e9,
    "input_tokens_cache_hit": 20e9,
    "output_tokens": 4e9,
    "usd_per_mtok_cache_hit": 0.05,
    "usd_per_mtok_cache_miss": 0.2,
    "usd_per_mtok_output": 1.0,
}
BUY = {"capex_usd": 100_000, "upkeep_usd_per_hour": 2, "power_usd_per_hour": 3}
PARTS = [
    {"name": "servers", "quantity": 4, "unit_usd": 250_000},
    {"name": "switches", "quantity": 6, "unit_usd": 20_000},
    {"name": "optics", "quantity": 80, "unit_usd": 1_000},
]
SITE = {
    "critical_load_kw": 1000,
    "facility_capex_usd": 12_000_000,
    "servers_capex_usd": 3_600_000,
    "storage_capex_usd": 480_000,
    "pue": 1.5,
    "average_load_fraction": 0.5,
    "electricity_usd_per_kwh": 0.1,
    "cost_of_money_per_year": 0.0,
    "facility_life_months": 120,
    "server_life_months": 36,
    "storage_life_months": 48,
    "power_cooling_share_of_facility": 0.8,
    "people_usd_per_month": 20_250,
}
YEAR = {
    "servers_capex_usd": 1_000_000,
    "facility_capex_usd": 300_000,
    "it_life_years": 4,
    "facility_life_years": 10,
    "cost_of_capital_per_year": 0.0,
    "it_residual_fraction": 0.2,
    "it_capacity_kw": 100,
    "pue": 1.2,
    "power_utilisation": 0.5,
    "electricity_usd_per_kwh": 0.1,
    "staff_usd_per_year": 60_000,
}

WORKED = {
    "nodes round up after use and speed": (
        # 50,000 token/s; weights a quarter of the reference: 4 times as fast, held to 2: 8,000 a node, half of it
        "fleet_sizing_and_tco", FLEET, {"nodes": 13, "gpus": 52},
    ),
    "five years of a fleet": (
        # 13 × 100,000 + 200,000 = 1.5 M; a year 13 × 5 kW × 1.2 × 8760 h × 0.1 = 68,328; 13 × 5 × 150 × 12 = 117,000;
        # 5 % of 1.5 M = 75,000; 2 × 90,000; together 440,328
        "fleet_sizing_and_tco",
        {**FLEET, "years": 5, "node_usd": 100_000, "network_storage_usd": 200_000, "node_kw": 5, "pue": 1.2,
         "electricity_usd_per_kwh": 0.1, "colocation_usd_per_kw_month": 150, "maintenance_rate_per_year": 0.05,
         "staff_fte": 2, "usd_per_fte_year": 90_000, "spares_usd": 50_000},
        {"capex_usd": 1_500_000, "opex_usd_per_year": 440_328, "onprem_5y_total_usd": 3_751_640,
         "onprem_total_usd": 3_751_640},
    ),
    "a fleet for users": (
        # 100,000 × 6 a day × 4 ÷ 86,400 s = 27.78/s × 900 token = 25,000/s ÷ (8,000 × 0.5): 7
        "fleet_sizing_and_tco",
        {**{name: value for name, value in FLEET.items() if name != "demand_mtok_per_min"}, "daily_users": 100_000,
         "requests_per_user_day": 6, "tokens_per_request": 900, "peak_factor": 4},
        {"demand_from_users_mtok_per_min": 1.5, "nodes": 7},
    ),
    "the margin of a provider": (
        # 80 GPUs × 24 h × 1.5 = 2,880; 20,000 × 0.05 + 30,000 × 0.2 + 4,000 × 1 = 11,000
        "inference_service_margin", DAY,
        {"cost_usd_per_day": 2880, "revenue_usd_per_day": 11_000, "cost_profit_margin": 11_000 / 2880 - 1,
         "gross_margin": 1 - 2880 / 11_000, "cache_hit_fraction": 0.4},
    ),
    "an owner pays for the peak": (
        "inference_service_margin", {**DAY, "peak_nodes": 12},
        {"cost_at_peak_usd_per_day": 3456, "cost_profit_margin_at_peak": 11_000 / 3456 - 1, "peak_to_average": 1.2},
    ),
    "several terms of one cloud": (
        # 100,000 ÷ (25 − 5) and ÷ (10 − 5); a price at or under the running cost never pays
        "buy_vs_rent_breakeven",
        {**BUY, "cloud_on_demand_usd_per_hour": 25, "cloud_reserved_usd_per_hour": 10, "cloud_spot_usd_per_hour": 5},
        {"onprem_opex_usd_per_hour": 5, "breakeven_hours_on_demand": 5000, "breakeven_hours_reserved": 20_000,
         "breakeven_months_on_demand": 5000 / 730, "breakeven_hours_spot": "never", "breakeven_months_spot": "never"},
    ),
    "totals of five years": (
        # 43,800 h: 100,000 + 219,000 against 876,000 and 438,000
        "buy_vs_rent_breakeven",
        {"capex_usd": 100_000, "onprem_opex_usd_per_hour": 5, "years": 5, "cloud_on_demand_usd_per_hour": 20,
         "cloud_reserved_usd_per_hour": 10},
        {"onprem_total_usd": 319_000, "cloud_total_on_demand_usd": 876_000, "savings_on_demand_usd": 557_000,
         "savings_reserved_share": 119_000 / 438_000},
    ),
    "one price without a name": (
        "buy_vs_rent_breakeven", {"capex_usd": 90, "onprem_opex_usd_per_hour": 1, "cloud_usd_per_hour": 10},
        {"breakeven_hours": 10},
    ),
    "hours a day, idle hours charged and free": (
        # 3 y are 26,280 h over 1,095 d: (80,000 + 26,280) ÷ (5 × 1,095) and 80,000 ÷ (4 × 1,095)
        "breakeven_utilisation",
        {"capex_usd": 80_000, "onprem_opex_usd_per_hour": 1, "cloud_usd_per_hour": 5, "years": 3},
        {"onprem_total_usd": 106_280, "threshold_hours_per_day": 106_280 / 5475,
         "threshold_hours_per_day_idle_free": 80_000 / 4380},
    ),
    "running cost of one server and its life": (
        # 87,600 × 10 % ÷ 8760 = 1; 10 kW × 0.1 × 1.5 = 1.5; 730 ÷ 730 = 1; 87,600 + 3.5 × 17,520
        "opex_build_up",
        {"capex_usd": 87_600, "maintenance_rate_per_year": 0.1, "server_kw": 10, "electricity_usd_per_kwh": 0.1,
         "pue": 1.5, "colocation_usd_per_month": 730, "years": 2},
        {"maintenance_usd_per_hour": 1.0, "power_cooling_usd_per_hour": 1.5, "colocation_usd_per_hour": 1.0,
         "opex_usd_per_hour": 3.5, "total_usd": 148_920},
    ),
    "an annuity in the price of a token": (
        # straight line of 87,600 over 87,600 h + 1 = 2/h; 1e6 token an hour at half use 0.5e6: 4 a million
        "cost_per_million_tokens",
        {"capex_usd": 87_600, "onprem_opex_usd_per_hour": 1, "years": 10, "output_tokens_per_s": 1e6 / 3600,
         "utilisation": 0.5, "cloud_usd_per_hour": 8, "api_usd_per_mtok": 6},
        {"onprem_amortised_usd_per_hour": 2, "onprem_usd_per_mtok": 4, "cloud_usd_per_mtok": 8,
         "cloud_to_onprem_ratio": 2, "api_to_onprem_ratio": 1.5},
    ),
    "a data centre at no interest": (
        # 100,000 servers, 10,000 storage, 80,000 + 20,000 facility; 1000 × 0.5 × 1.5 × 730 × 0.1 = 54,750; people
        "datacenter_monthly_tco", SITE,
        {"servers_usd_per_month": 100_000, "storage_usd_per_month": 10_000, "power_cooling_infra_usd_per_month": 80_000,
         "other_infra_usd_per_month": 20_000, "power_usd_per_month": 54_750, "people_usd_per_month": 20_250,
         "total_usd_per_month": 285_000, "fully_burdened_power_usd_per_month": 134_750,
         "servers_share": 100_000 / 285_000, "total_usd_per_year": 3_420_000},
    ),
    "five years of a data centre": (
        "datacenter_monthly_tco", {**SITE, "years": 5}, {"total_usd": 17_100_000},
    ),
    "a data centre by year": (
        # 800,000 ÷ 4, 300,000 ÷ 10, 100 × 1.2 × 0.5 × 8760 × 0.1 = 52,560, staff
        "datacenter_annual_tco", YEAR,
        {"capex_total_usd": 1_300_000, "servers_usd_per_year": 200_000, "facility_usd_per_year": 30_000,
         "capex_annualised_usd_per_year": 230_000, "energy_usd_per_year": 52_560, "opex_usd_per_year": 112_560,
         "total_usd_per_year": 342_560, "total_usd_per_year_it_life_8y": 242_560, "server_share": 200_000 / 342_560},
    ),
    "a data centre by year at interest": (
        # 1 M at 10 % over 2 years, a fifth left: (1 − 0.2/1.21) × 0.1 ÷ (1 − 1/1.21) = 0.48095 of it
        "datacenter_annual_tco",
        {"servers_capex_musd": 1000, "it_life_years": 2, "cost_of_capital_per_year": 0.1, "it_residual_fraction": 0.2},
        {"servers_musd_per_year": 1010 / 2.1},
    ),
    "a run at a price per hour": (
        "training_run_cost", {"gpus": 8, "days": 10, "usd_per_gpu_hour": 2.5, "usd_per_gpu": 30_000},
        {"gpu_hours": 1920, "rental_usd": 4800, "purchase_usd": 240_000, "purchase_to_rental_ratio": 50},
    ),
    "hardware that has not yet lost value": (
        # bought and started the same day: 10,000 × 0.14 ln 10 ÷ 8766 an hour, twice that with a half network
        "training_run_cost",
        {"price_per_chip_usd": 10_000, "price_date": "2024-01-01", "chip_release_date": "2023-01-01",
         "release_to_acquisition_days": 0, "training_start": "2024-01-01", "chips": 100, "chip_hours": 8766,
         "price_performance_ooms_per_year": 0.14, "interconnect_fraction_of_cluster": 0.5, "server_kw_per_chip": 1,
         "average_power_fraction": 0.5, "pue": 2, "electricity_usd_per_kwh": 0.1},
        {"amortised_hardware_usd": 2800 * math.log(10), "energy_usd": 876.6, "acquisition_usd": 2_000_000},
    ),
    "hot spares": (
        # (max(0.2, 0.25) + 0.25) × 100 = 50 GPU-hours and 8 × 5 = 40 for the one server: 90 of 9,000
        "reliability_goodput",
        {"job_gpus": 100, "checkpoint_interval_h": 0.5, "gold_mtbf_gpu_h": 9000, "gold_detect_h": 0.2,
         "gold_init_h": 0.25, "gold_repair_h": 5, "gold_blast_gpus": 8, "gold_spare_fraction": 0.05,
         "gold_usd_per_gpu_hour": 1.881},
        {"goodput_loss_gold": 0.01, "goodput_gold": 0.9405, "gold_usd_per_useful_gpu_hour": 2.0},
    ),
    "a job that goes on": (
        # (0.1 + 0.1) × 100 + 8 × 5 = 60 of 6,000
        "reliability_goodput",
        {"job_gpus": 100, "mtbf_gpu_h": 6000, "detect_h": 0.1, "failover_h": 0.1, "repair_h": 5, "blast_gpus": 8},
        {"goodput_loss": 0.01},
    ),
    "time to failure of larger jobs": (
        # 6.5 a thousand node-days: 128 nodes 28.85 h (RSC-1), 16 times the nodes a sixteenth
        "mttf_projection",
        {"failures_per_1000_node_days": 6.5, "gpus_per_node": 8, "job_gpus": [1024, 16_384]},
        {"mttf_h_1024_gpus": 24_000 / 832, "mttf_16384_gpus_h": 1500 / 832, "mttf_h": [24_000 / 832, 1500 / 832]},
    ),
    "time to failure of one job": (
        "reliability_goodput", {"failures_per_node_day": 0.01, "gpus_per_node": 4, "job_gpus": 40},
        {"mttf_h": 240, "mtbf_hours": 240},
    ),
    "a bill of materials": (
        "bill_of_materials", {"items": PARTS, "gpus": 32},
        {"servers_usd": 1_000_000, "total_usd": 1_200_000, "switches_share": 0.1, "usd_per_gpu": 37_500},
    ),
    "a bill of materials in pairs": (
        "bill_of_materials", {"nic_quantity": 8, "nic_unit_usd": 1200, "cable_quantity": 16, "cable_unit_usd": 50},
        {"nic_usd": 9600, "cable_usd": 800, "total_usd": 10_400},
    ),
    "the hour of a GPU": (
        # 262,800 ÷ (8 × 3 × 8760 × 0.5); 0.1 + 0.03, + 0.02
        "unit_cost",
        {"server_usd": 262_800, "gpus": 8, "life_years": 3, "utilisation": 0.5, "server_electricity_usd_per_kwh": 0.1,
         "cooling_multiple_of_server_electricity": 0.3, "power_equipment_usd_per_kwh": 0.02},
        {"hardware_usd_per_gpu_hour": 2.5, "electricity_and_cooling_usd_per_kwh": 0.13, "all_power_usd_per_kwh": 0.15},
    ),
    "tokens of an API by class": (
        "api_cost",
        {"input_tokens_per_request": 1000, "cached_tokens_per_request": 500, "output_tokens_per_request": 100,
         "requests_per_day": 1000, "usd_per_m_input": 2, "usd_per_m_cached": 0.5, "usd_per_m_output": 8, "years": 2},
        {"cached_usd_per_year": 91.25, "total_usd_per_year": 1113.25, "total_usd": 2226.5},
    ),
    "electricity of a cluster": (
        # 800 GPUs × 1.25 kW = 1 MW × 0.5 × 1.2 × 8760 = 5,256 MWh
        "energy_and_pue",
        {"gpus": 800, "gpus_per_server": 8, "superpod_w_per_server": 10_000, "server_w": 9000, "power_utilisation": 0.5,
         "pue": 1.2, "electricity_usd_per_kwh": 0.1, "kg_co2e_per_kwh": 0.4},
        {"critical_it_mw": 1.0, "energy_mwh_per_year": 5256, "electricity_usd_per_year": 525_600,
         "tco2e_per_year": 2102.4},
    ),
    "seven years half a year late": (
        # 2/7 ÷ 2 = 1/7; (6/7) × 2/7 = 12/49; basis 98,000
        "depreciation_schedule",
        {"basis_usd": 98_000, "recovery_years": 7, "declining_balance_factor": 2, "tax_rate": 0.25},
        {"year_1_usd": 14_000, "year_2_usd": 24_000, "total_usd": 98_000, "tax_shield_year_1_usd": 3500,
         "tax_shield_total_usd": 24_500, "book_value_year_2_usd": 60_000},
    ),
    "a straight line with a residual": (
        # 950 a year; its tax of 237.5 at 25 % worth 237.5/1.25 + 237.5/1.5625 = 342
        "depreciation_schedule",
        {"basis_usd": 2000, "life_years": 2, "residual_fraction": 0.05, "method": "straight_line", "tax_rate": 0.25,
         "discount_rate_per_year": 0.25},
        {"year_1_usd": 950, "book_value_year_2_usd": 100, "tax_shield_present_value_usd": 342},
    ),
    "rates that are several or none": (
        "finance_primitives",
        {"irr_cashflows_1": [-100, 230, -132], "irr_cashflows_2": [5, 5], "irr_cashflows": [-1, 2]},
        {"irr_1": "multiple", "irr_2": "none", "irr": 1.0},
    ),
    "payback, plain and discounted": (
        # 50 + 50; at 25 % 40 + 32, then 28 of 51.2
        "finance_primitives", {"npv_rate": 0.25, "npv_cashflows": [-100, 50, 50, 100]},
        {"npv": 23.2, "payback_periods": 2, "discounted_payback_periods": 2 + 28 / 51.2},
    ),
    "interest of two years": (
        # 2 payments: 1,000 at 1 % a month: 10 and (1000 − 497.512...) × 0.01
        "finance_primitives", {"ipmt_rate_per_year": 0.12, "ipmt_principal": 1000, "ipmt_months": 2},
        {"total_interest": -(10 + (1000 - (1000 * 0.01 / (1 - 1.01**-2) - 10)) * 0.01)},
    ),
}  # fmt: skip


@pytest.mark.parametrize(("kind", "inputs", "expected"), WORKED.values(), ids=WORKED)
def test_other_case(kind, inputs, expected):
    for found in check({"id": "other", "kind": kind, "inputs": inputs, "expected": expected}):
        assert found.status == "ok", (found.field, found.expected, found.got)


@pytest.mark.parametrize(
    ("kind", "inputs", "expected"),
    [
        ("buy_vs_rent_breakeven", {**BUY, "cloud_usd_per_hour": 25, "moon_phase": 1}, "moon_phase"),
        ("datacenter_monthly_tco", {**SITE, "server_life_months": 0}, "server_life_months"),
        ("bill_of_materials", {"items": [{"name": "rack", "quantity": 2}]}, "items/0"),
        ("depreciation_schedule", {"basis_usd": 1, "recovery_years": 2.5, "tax_rate": 0.2}, "recovery_years"),
        ("finance_primitives", {"npv_rate": -1.5, "npv_cashflows": [1, 2]}, "rate"),
    ],
)
def test_inputs_that_mean_nothing_are_refused_by_name(kind, inputs, expected):
    fields = {
        "buy_vs_rent_breakeven": "breakeven_hours",
        "datacenter_monthly_tco": "servers_usd_per_month",
        "bill_of_materials": "total_usd",
        "depreciation_schedule": "year_1_usd",
        "finance_primitives": "npv",
    }
    with pytest.raises(InputError, match=expected):
        check({"id": "bad", "kind": kind, "inputs": inputs, "expected": {fields[kind]: 1.0}})


@pytest.mark.parametrize("name", [name for name, (_kind, _inputs, expected) in WORKED.items() if expected])
def test_a_wrong_figure_is_off(name):
    kind, inputs, expected = WORKED[name]
    for field, value in expected.items():
        if isinstance(value, (int, float)):
            wrong = {"id": "wrong", "kind": kind, "inputs": inputs, "expected": {field: value * 1.00001 + 0.001}}
            assert [found.status for found in check(wrong)] == ["off"], field

"""The shipped catalog, against figures read by hand in the published pages the rows cite."""

import csv
import subprocess
import sys
import time
from datetime import date
from decimal import Decimal
from pathlib import Path

import pytest

from catalog.importers.files import FABRIC_KINDS, FACILITY_KINDS
from catalog.importers.shipped import DATA, shipped
from catalog.records import Provenance

ROOT = Path(__file__).resolve().parents[2]
TODAY = date(2026, 11, 30)


def rows(file):
    with (DATA / file).open(encoding="utf-8-sig", newline="") as stream:
        return list(csv.DictReader(stream))


def test_every_row_of_the_shipped_files_is_there():
    counts = shipped().counts()
    for kind, file in {
        **{"accelerator": "accelerators.csv", "build": "builds.csv", "addon": "builds_addons.csv"},
        **{"server": "servers.csv", "offer": "cloud_offers.csv", "cost": "other_costs.csv"},
        **{"model": "presets_models.csv", "default": "defaults.csv"},
    }.items():
        assert counts[kind] == len(rows(file)), kind
    parts = sum(counts[kind] for kind in (*FABRIC_KINDS, *FACILITY_KINDS))
    assert parts == len(rows("fabric_items.csv")) + len(rows("facility_items.csv"))


def test_every_price_of_the_shipped_files_is_a_quote():
    every = ("price_quotes.csv", "cloud_offers.csv", "electricity.csv", "colocation.csv", "fx_rates.csv")
    some = ("builds.csv", "builds_addons.csv", "fabric_items.csv", "facility_items.csv")
    expected = sum(len(rows(file)) for file in every) + sum(bool(row["price"]) for f in some for row in rows(f))
    assert shipped().counts()["quotes"] == expected


def test_dgx_h100_as_in_its_user_guide():
    """docs.nvidia.com, DGX H100 guide: 8 U, 10.2 kW maximum, 130.45 kg, inlet to 30 °C, six supplies of 3.3 kW."""
    spec = shipped().item("server", "nvidia-dgx-h100").spec
    assert (spec.rack_units, spec.max_power_w, spec.inlet_temp_max_c) == (8, 10200, 30)
    assert (spec.psu_count, spec.psu_w, spec.psu_redundancy) == (6, 3300, "4+2")
    assert spec.weight_kg == pytest.approx(130.45, abs=0.1)


def test_h100_sxm_is_dense_and_700_w():
    """NVIDIA H100 data sheet prints 1,979 TFLOPS BF16 with sparsity: 989 dense; 80 GB at 3.35 TB/s."""
    spec = shipped().item("accelerator", "h100-sxm").spec
    assert (spec.bf16_tflops_dense, spec.memory_gb, spec.memory_bw_gbps, spec.tdp_w) == (989, 80, 3350, 700)


def test_an_empty_cell_is_unknown_not_zero():
    assert shipped().item("server", "nvidia-dgx-2").spec.typical_power_w is None
    assert shipped().item("accelerator", "rubin").spec.tdp_w is None


def test_a_build_holds_slots_power_lead_time_and_its_price_as_a_quote():
    catalog = shipped()
    spec = catalog.item("build", "srv-4x-l40s").spec
    assert (spec.accelerator_slug, spec.accelerator_count, spec.chassis_slots, spec.expandable) == ("l40s", 4, 8, True)
    assert "price" not in type(spec).model_fields
    [quote] = catalog.quotes_of("srv-8x-l40s")
    assert (quote.unit_price, quote.currency, quote.unit, quote.kind) == (Decimal(100_000), "USD", "each", "estimate")
    assert quote.quoted_on == date(2026, 7, 21)


def test_an_addon_is_a_card_price_and_what_must_come_with_it():
    catalog = shipped()
    [addon] = catalog.addons_of("srv-4x-h200-nvl")
    assert (addon.spec.pack, addon.spec.adds_memory_gb) == (4, 256)
    assert (addon.spec.extra_price, addon.spec.extra_price_currency) == (4800, "USD")
    assert catalog.quotes_of(addon.slug)[0].unit_price == 35_600


def test_an_offer_is_billed_per_instance_or_per_gpu():
    catalog = shipped()
    whole = "aws-p3.8xlarge-v100-16-sxm2-4-us-east-1-on-demand-2026-03"
    share = "aws-p3.2xlarge-v100-16-sxm2-1-us-east-1-on-demand-2026-03"
    assert [(q.unit_price, q.unit) for q in catalog.quotes_of(whole)] == [(Decimal("12.24"), "instance-hour")]
    assert [(q.unit_price, q.unit) for q in catalog.quotes_of(share)] == [(Decimal("3.06"), "gpu-hour")]


def test_a_date_of_month_only_is_its_first_day():
    quote = shipped().exchange_rate("USD", "CNY", TODAY)
    assert (quote.unit_price, quote.quoted_on, quote.date_precision) == (Decimal("6.7758"), date(2026, 6, 1), "month")


def test_the_rate_of_a_day_is_the_latest_on_or_before_it():
    assert shipped().exchange_rate("USD", "CNY", date(2026, 5, 31)).unit_price == Decimal("6.7996")


def test_a_quarter_is_its_first_day():
    quote = shipped().latest("us-va-industrial", TODAY, "tariff")
    assert (quote.unit_price, quote.unit, quote.currency) == (Decimal("0.0986"), "kWh", "USD")
    assert (quote.quoted_on, quote.date_precision) == (date(2026, 4, 1), "quarter")


def test_a_region_keeps_its_two_currencies_and_its_two_periods():
    quotes = shipped().quotes_of("cn-industrial")
    assert sorted((q.currency, q.unit_price, q.status) for q in quotes) == [
        ("CNY", Decimal("0.63"), "unverified"),
        ("USD", Decimal("0.088"), "market"),
    ]
    assert len({q.quoted_on for q in shipped().quotes_of("us-oh-industrial")}) == 2


def test_a_price_of_something_without_data_sheet_stays_as_a_bare_item():
    catalog = shipped()
    [item] = catalog.find("hgx-h100-8gpu")
    assert (item.kind, item.spec.item_kind) == ("other", "server")
    assert len(catalog.quotes_of("hgx-h100-8gpu")) == 6


def test_a_switch_without_price_has_no_quote_and_so_no_zero():
    catalog = shipped()
    assert catalog.latest("qm9790", TODAY) is None
    assert catalog.effective("qm9790", TODAY) == []


def test_a_share_has_no_currency():
    [quote] = shipped().quotes_of("spares-pct")
    assert (quote.unit_price, quote.currency, quote.unit) == (2, "", "percent-of-purchase")


def test_an_undated_price_is_never_effective_and_always_stale():
    undated = [q for q in shipped().all_quotes() if q.quoted_on is None]
    assert len(undated) == 13
    assert not any(q.effective_on(TODAY) for q in undated)
    assert all(q.stale_on(TODAY) for q in undated)


def test_stale_is_older_than_180_days():
    [quote] = shipped().quotes_of("srv-8x-l40s")  # of 21 July 2026
    assert not quote.stale_on(date(2027, 1, 17))  # 180 days
    assert quote.stale_on(date(2027, 1, 18))


def test_every_build_and_addon_names_items_that_exist():
    catalog = shipped()
    assert all(b.spec.accelerator_slug in catalog.of_kind("accelerator") for b in catalog.of_kind("build").values())
    assert all(a.spec.build_slug in catalog.of_kind("build") for a in catalog.of_kind("addon").values())


def test_external_ids_are_unique_and_stable():
    ids = [q.external_id for q in shipped().all_quotes()]
    assert len(set(ids)) == len(ids)
    again = shipped.__wrapped__()
    assert {q.external_id for q in again.all_quotes()} == set(ids)


@pytest.mark.parametrize(
    ("slug", "cell", "status"),
    [
        ("srv-8x-l40s", "chassis_slots", "sourced"),
        ("srv-8x-l40s", "psu_count", "estimate"),
        ("srv-8x-l40s", "noise_db", "estimate"),
        ("srv-8x-l40s", "price", "estimate"),
    ],
)
def test_a_build_says_cell_by_cell_what_is_sourced(slug, cell, status):
    assert shipped().item("build", slug).status_of(cell) == status


@pytest.mark.parametrize(
    ("slug", "cell", "status"),
    [
        ("l40s", "bf16_tflops_dense", "sourced"),
        ("l40s", "idle_w", "estimate"),
        ("l40s", "fp64_tflops", "estimate"),
        ("t4", "int8_tops_dense", "unverified"),
        ("rtx-3090", "bf16_tflops_dense", "estimate"),
        ("rtx-3090", "int8_tops_dense", "sourced"),
        ("rubin", "bf16_tflops_dense", "estimate"),
        ("ascend-910b", "fp16_tflops_dense", "estimate"),
        ("mi455x", "memory_gb", "estimate"),
        ("tpu-v6e", "memory_type", "unverified"),
        ("gh200-96", "tdp_w", "unverified"),
        ("mi325x", "idle_w", "sourced"),
    ],
)
def test_weak_cells_of_accelerators_are_told_from_data_sheet_figures(slug, cell, status):
    assert shipped().item("accelerator", slug).status_of(cell) == status


def test_the_rule_and_the_page_go_with_the_cell():
    found = shipped().item("build", "srv-8x-l40s").provenance
    assert found["typical_power_w"] == Provenance(
        "estimate",
        "0.76 x maximum (training average, https://arxiv.org/abs/2506.14551)",
        "https://arxiv.org/abs/2506.14551",
    )


def test_a_dealer_quote_is_sourced_and_a_level_of_the_market_is_not():
    catalog = shipped()
    assert catalog.quotes_of("srv-8x-h100-dgx")[0].status == "sourced"
    assert catalog.quotes_of("srv-8x-l40s")[0].status == "estimate"
    assert catalog.quotes_of("used-16x-v100-dgx2")[0].status == "market"


def test_reading_needs_no_django_and_little_time():
    code = """
import sys, time
from catalog.importers import shipped as module
best = 9
for _ in range(3):
    begun = time.perf_counter()
    module.shipped.__wrapped__()
    best = min(best, time.perf_counter() - begun)
print(best, any(name.split(".")[0] in ("django", "pandas", "planner") for name in sys.modules))
"""
    seconds, heavy = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    ).stdout.split()
    assert heavy == "False"
    assert float(seconds) < 0.6  # about 0.1 s on a quiet machine; the limit leaves room for a busy one


def test_the_second_call_reads_nothing():
    shipped()
    begun = time.perf_counter()
    assert shipped() is shipped()
    assert time.perf_counter() - begun < 0.001

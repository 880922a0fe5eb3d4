"""Money in whole minor units: each cell rounded once, every total a sum of the cells shown."""

import csv
import io
import json
from decimal import ROUND_HALF_UP, Decimal

import numpy as np
import pytest

from planner.engine.export import as_csv
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES, Ledger, minor_unit, round_half_up, switched_on
from planner.engine.prices import Source
from tests.engine.sample import FLAT, book, build, document, evaluate, evaluated, plan, pool


def cents(*amounts, decimals=2):
    return round_half_up(np.array(amounts, dtype=float), decimals).tolist()


def test_a_half_is_rounded_up():
    # 0.125 is exact in binary; 2.675 and 1.005 lie a hair below their half
    assert cents(0.125, 2.675, 1.005, 0.005, 0.015, 0.025) == [13, 268, 101, 1, 2, 3]


def test_less_than_a_half_is_rounded_down():
    assert cents(0.124999, 2.6749, 1.0049999, 0.0) == [12, 267, 100, 0]


def test_a_negative_amount_is_rounded_as_its_positive_twin():
    assert cents(-0.125, -2.675, -0.124, -1.005) == [-13, -268, -12, -101]


def test_nothing_is_not_minus_nothing():
    assert str(cents(-0.001)[0]) == "0.0"


def test_large_amounts_keep_their_cents():
    assert cents(123_456_789.125, 9_999_999_999.995) == [12_345_678_913, 1_000_000_000_000]


@pytest.mark.parametrize("seed", range(3))
def test_rounding_is_that_of_decimal(seed):
    draws = np.random.default_rng(seed).integers(-(10**9), 10**9, 500)
    amounts = [Decimal(int(draw)) / 1000 for draw in draws]  # thousandths: every tenth is a tie
    expected = [int((amount * 100).quantize(Decimal(1), ROUND_HALF_UP)) for amount in amounts]
    assert cents(*map(float, amounts)) == expected


def test_a_yen_has_no_cents():
    assert minor_unit("JPY") == 0
    assert cents(0.5, 1.49, 2.5, decimals=0) == [1, 1, 3]


def ledger(*cells, decimals=2):
    book_of = Ledger((1, len(cells)), frozenset(CATEGORIES), decimals)
    book_of.add("opex.staff", "a", np.array([cells]), "FTE", 1.0, Source(), "staff")
    return book_of.lines[0]


def test_a_total_is_the_sum_of_its_rounded_months():  # U020
    # three times 0.005 are 0.015, but three cells of 0.01 are 0.03
    assert ledger(0.005, 0.005, 0.005).total() == 0.03


def test_a_present_value_discounts_the_cells_and_is_rounded_once():
    # 0.01 + 0.01 × 0.75 = 0.0175
    assert ledger(0.005, 0.005).present_value(np.array([1.0, 0.75])) == 0.02


def test_a_credit_is_negative():
    book_of = Ledger((1, 1), frozenset(CATEGORIES), 2)
    book_of.add("credit.resale", "a", 1.0, "money", 2.5, Source(), "resale", credit=True)
    assert book_of.lines[0].total() == -2.5


def test_a_line_that_is_off_is_not_made():
    book_of = Ledger((1, 1), frozenset(), 2)
    book_of.add("opex.staff", "a", 1.0, "FTE", 1.0, Source(), "staff")
    assert book_of.lines == []


def test_the_lines_on_by_default_are_those_of_the_table():  # data/defaults.csv
    off = {
        "opex.demand_charge", "opex.water", "opex.software", "opex.insurance", "opex.property_tax", "opex.cloud_data",
        "opex.lease", "opex.loan_interest_and_principal", "credit.tax_shield", "opex.compliance",
    }  # fmt: skip
    assert switched_on({}) == set(CATEGORIES) - off


def test_what_is_not_computed_is_left_out_whatever_is_asked():
    plain = evaluated(plan(), lines={"opex.software": True, "opex.water": True}).as_dict()
    assert "opex.software" in plain["left_out"]
    assert "opex.water" not in plain["left_out"]


# ── every total is the sum of what is shown (U018) ──

ODD = {
    "box": build(
        "box",
        8,
        8,
        240_000.33,
        fabric_ports=8,
        fabric_port_gbps=400.0,
        warranty_months=5,
        support_share_per_year=0.0777,
    )
}
MARKET = {
    **FLAT,
    "accelerator": {"rate_per_year": -0.1234},
    "electricity": {"rate_per_year": 0.0321},
    "wages": {"rate_per_year": 0.035},
}


def everything():
    """Owned, joined, hot, growing, half rented, taxed, insured: many lines with awkward cents."""
    return evaluated(
        plan("joined", follow_up={"kind": "servers"}, fabric={"when": "always"}, lead_months=2,
             end_of_life={"life_months": 24, "then": "renew"}, overflow={"accelerator": "gpu"}),
        plan("cards", start={"build": "chassis"}, follow_up={"kind": "cards"}),
        {"slug": "cloud", "overflow": {"accelerator": "gpu", "reserved_share": 0.37}},
        prices=book(builds={**{slug: row.model_dump(mode="json") for slug, row in book().builds.items()}, **ODD}),
        months=40, work=pool(5.37, 0.03, target_utilisation=0.77), market=MARKET,
        operations={"tax_region": "tax", "recoverable_tax_share": 0.31, "storage_tb": 3.3},
        finance={"discount_rate": 0.0777, "residual_at_horizon": True},
        lines={"opex.insurance": True, "opex.property_tax": True, "opex.water": True, "opex.demand_charge": True,
               "opex.cloud_data": True},
    )  # fmt: skip


@pytest.fixture(scope="module")
def plain():
    return everything().as_dict()


def minor(amounts):
    return sum(round(amount * 100) for amount in amounts)


def test_nominal_totals_are_the_sum_of_their_lines_to_the_cent(plain):  # U018
    for shown in plain["plans"]:
        for name, kind in (("capex", "capex."), ("opex", "opex."), ("credits", "credit.")):
            assert minor([shown[name]]) == minor(l["total"] for l in shown["lines"] if l["category"].startswith(kind))  # noqa: E741
        assert minor([shown["nominal_total"]]) == minor([shown["capex"], shown["opex"], shown["credits"]])


def test_a_line_s_total_is_the_sum_of_its_months_to_the_cent(plain):  # U018
    for shown in plain["plans"]:
        for line in shown["lines"]:
            assert minor([line["total"]]) == minor(line["monthly"])


def test_monthly_sums_are_the_sum_of_their_lines_to_the_cent(plain):  # U018
    for shown in plain["plans"]:
        for name, kind in (("capex", "capex."), ("opex", "opex."), ("credits", "credit.")):
            rows = [line["monthly"] for line in shown["lines"] if line["category"].startswith(kind)]
            for m in range(plain["months"]):
                assert minor([shown["monthly"][name][m]]) == minor(row[m] for row in rows)


def test_the_present_value_is_the_sum_of_its_lines_to_the_cent(plain):  # U018
    for shown in plain["plans"]:
        assert minor([shown["present_value"]]) == minor(line["present_value"] for line in shown["lines"])


def test_every_cell_is_quantity_times_unit_price_rounded_once(plain):  # U020
    for shown in plain["plans"]:
        for line in shown["lines"]:
            sign = -1 if line["category"].startswith("credit.") else 1
            for m in range(plain["months"]):
                amount = Decimal(repr(line["quantity"][m])) * Decimal(repr(line["unit_prices"][m])) * sign
                assert abs(amount - Decimal(repr(line["monthly"][m]))) <= Decimal("0.0051"), (line["code"], m)


def test_every_line_names_its_category_its_source_and_its_units(plain):
    for shown in plain["plans"]:
        for line in shown["lines"]:
            assert line["category"] in CATEGORIES
            assert line["source"]["basis"]
            assert line["quantity_unit"]
            assert line["currency"] == "USD"


def test_each_line_is_named_once_in_its_plan():
    for result in everything().plans:
        keys = [line.key for line in result.lines]
        assert sorted(keys) == sorted(set(keys))


def test_lines_of_two_rooms_and_two_steps_of_a_ladder_are_told_apart():
    steps = [{"slug": slug, "item": "split-ac", "adds_cooling_kw": 1.0} for slug in ("one", "two")]
    terms = {"price_per_kw_month": 100.0}
    sites = [
        {"slug": "office", "kind": "office", "cooling_kw": 6.2, "electricity_price_per_kwh": 0.1, "upgrades": steps},
        {"slug": "near", "from_month": 4, "kind": "colocation", "colocation": terms, "electricity_price_per_kwh": 0.1},
        {"slug": "far", "from_month": 8, "kind": "colocation", "colocation": terms, "electricity_price_per_kwh": 0.1},
    ]
    result = evaluated(plan(), work=pool(8.0), sites=sites).plans[0]
    keys = [line.key for line in result.lines]
    assert sorted(keys) == sorted(set(keys))
    assert len([key for key in keys if key.startswith("capex.cooling")]) == 2
    assert len([key for key in keys if key.startswith("opex.colocation")]) == 2


def test_each_line_carries_the_source_of_its_own_price():
    hall = [{"slug": "hall", "kind": "colocation", "electricity_price_per_kwh": 0.1}]
    rows = {slug: row.model_dump(mode="json") for slug, row in book().costs.items()}
    for slug, row in rows.items():
        row["source"] = {"basis": "sourced", "item": slug}
    result = evaluated(plan(), sites=hall, prices=book(costs=rows), months=1).plans[0]
    checked = [line for line in result.lines if line.item in rows]
    assert {"cross-connect", "ip-transit-mbps", "remote-hands-hour"} <= {line.item for line in checked}
    assert [(line.item, line.source.item) for line in checked if line.item != line.source.item] == []


def test_the_orders_charge_what_their_lines_charge(plain):
    for shown in plain["plans"]:
        charged = sum(
            line["total"]
            for line in shown["lines"]
            if line["category"] in ("capex.accelerators_and_servers", "capex.fabric") and line["code"] != "link_labour"
        )
        assert sum(order["quantity"] * order["unit_price"] for order in shown["orders"]) == pytest.approx(
            charged, abs=0.5
        )


def test_the_csv_holds_the_same_cells(plain):
    rows = as_csv(plain).splitlines()[1:]
    amounts = [Decimal(row.split(",")[8]) for row in rows]
    assert sum(amounts) == sum(
        Decimal(repr(cell)) for p in plain["plans"] for line in p["lines"] for cell in line["monthly"]
    )


def test_the_result_is_json_without_infinities_or_nan(plain):
    json.dumps(plain, allow_nan=False)


def test_text_that_a_spreadsheet_would_run_is_disarmed_and_numbers_stay_numbers():
    shown = evaluated(plan("plan", name="=1+1"), months=1).as_dict()
    shown["plans"][0]["lines"][0]["item"] = "=cmd"
    text = as_csv(shown)
    assert ",'=cmd," in text
    assert "'-" not in text


def test_the_same_document_gives_the_same_bytes():
    scenario = Scenario.read(document(plan()))
    texts = {json.dumps(evaluate(scenario, book()).as_dict(), sort_keys=True) for _ in range(2)}
    assert len(texts) == 1


def test_u039_the_ledger_has_count_and_hours_apart():
    cloud = plan(start=None, overflow={"accelerator": "gpu"})
    rows = list(csv.DictReader(io.StringIO(as_csv(evaluated(cloud, work=pool(2.0)).as_dict()))))
    january = next(row for row in rows if row["category"] == "opex.cloud_usage")
    assert (january["quantity"], january["count"], january["hours"]) == ("1488.0", "2.0", "744.0")
    assert {row["count"] for row in rows if row["quantity_unit"] == "FTE"} == {""}

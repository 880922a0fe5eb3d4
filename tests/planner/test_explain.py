"""Why a figure is what it is: trees whose parts add up, down to months, assumptions and quotes."""

import pytest
from django.utils.translation import override

from planner.engine import ENGINE_VERSION
from planner.engine.prices import Source, Terms
from planner.services import explain
from tests.planner.sample import bare, book, evaluated

PLANS = ("scale-out", "server", "cluster", "cloud")
MONEY = ("present_value", "nominal_total", "capex", "opex", "credits", "margin", "orders")


@pytest.fixture(scope="module")
def sample():
    return evaluated()


def total(nodes):
    """Sum of money as whole cents."""
    return sum(round(node["value"] * 100) for node in nodes)


def unequal(tree):
    """Money nodes whose children, or whose months, do not add up to them to the cent."""
    return [
        node["key"]
        for node in explain.walk(tree)
        if node["unit"] == "USD" and node["combine"] == "sum"
        for parts in (node["children"], node["months"])
        if parts and total(parts) != round(node["value"] * 100)
    ]


def child(node, key):
    return next(each for each in node["children"] if each["key"] == key)


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("kpi", MONEY)
def test_U018_children_of_money_sum_to_it_to_the_cent(sample, plan, kpi):
    assert unequal(explain.tree(*sample, plan, kpi)) == []


@pytest.mark.parametrize("plan", PLANS)
@pytest.mark.parametrize("kpi", explain.KPIS)
def test_every_figure_of_every_plan_opens(sample, plan, kpi):
    tree = explain.tree(*sample, plan, kpi)
    assert tree["engine_version"] == ENGINE_VERSION
    assert tree["label"]
    assert tree["value_text"]


@pytest.mark.parametrize("plan", PLANS)
def test_the_root_is_the_figure_of_the_table(sample, plan):
    result = sample[0].plan(plan)
    assert explain.tree(*sample, plan, "present_value")["value"] == result.present_value
    assert explain.tree(*sample, plan, "capex")["value"] == result.total("capex")
    assert explain.tree(*sample, plan, "peak_kw")["value"] == result.peak_kw
    assert explain.tree(*sample, plan, "served_share")["value"] == result.served_share


def test_U016_the_parts_of_a_server_sum_to_it_with_and_without_cards(sample):
    servers = child(explain.tree(*sample, "scale-out", "capex"), "capex.accelerators_and_servers")
    parts = {node["key"].split(":")[1]: node["value"] for node in servers["children"]}
    assert set(parts) == {"server", "card", "card_extra"}
    assert parts["server"] == 176_000.0  # the cards added later leave the price of the server alone
    assert total(servers["children"]) == round(servers["value"] * 100)


def test_U020_months_of_a_line_multiply_to_amounts_that_sum_to_it(sample):
    for line in (node for node in explain.walk(explain.tree(*sample, "scale-out", "opex")) if node["months"]):
        for cell in line["months"]:
            assert abs(cell["quantity"] * cell["unit_price"] - abs(cell["amount"])) < 0.00501
        assert sum(round(cell["amount"] * 100) for cell in line["months"]) == round(line["value"] * 100)


def test_a_present_value_lists_discount_and_share_of_each_month(sample):
    transit = child(
        child(explain.tree(*sample, "server", "present_value"), "opex.network_transit"),
        "opex.network_transit:fibre_1g:office-fibre-1g:office",
    )
    first, later = transit["months"][0], transit["months"][12]
    assert (first["amount"], first["value"]) == (600.0, 600.0)
    assert later["discount"] == pytest.approx(1 / 1.08)
    assert later["value"] == pytest.approx(
        555.56, abs=0.011
    )  # 600 ÷ 1.08; the hair of rounding lies in one of the months


def test_the_cloud_bill_opens_into_hours_and_price():
    with override("en"):
        line = child(explain.tree(*bare(), "cloud", "present_value"), "opex.cloud_usage")["children"][0]
    assert [(cell["quantity"], cell["unit_price"], cell["value"]) for cell in line["months"][:3]] == [
        (744.0, 3.0, 2232.0),
        (744.0, 3.0, 2232.0),
        (672.0, 3.0, 2016.0),
    ]
    assert (len(line["months"]), line["value"]) == (12, 26_280.0)


def test_u039_hours_of_several_gpus_stand_apart_from_their_number():
    demand = {
        "workloads": [
            {
                "kind": "pool",
                "slug": "pool",
                "accelerator": "h200-nvl",
                "gpus": 2,
                "target_utilisation": 1.0,
                "growth": {"kind": "constant"},
            }
        ]
    }
    with override("en"):
        line = child(explain.tree(*bare(demand=demand), "cloud", "present_value"), "opex.cloud_usage")["children"][0]
    quantity = line["months"][0]["quantity_text"].replace("\u00a0", " ")
    formula = line["formula_text"].replace("\u00a0", " ")
    assert quantity == "2 GPUs × 744 h"
    assert "2 GPUs × 744 h × $3.00 = $4,464.00 (Dec 2026)" in formula
    assert "1,488" not in quantity + formula


def test_u007_a_line_opens_to_supplier_number_date_validity_currency_link_and_record(sample):
    with override("en"):
        server = child(
            child(explain.tree(*sample, "server", "capex"), "capex.accelerators_and_servers"),
            "capex.accelerators_and_servers:server:srv-8x",
        )
    source = server["source"]
    assert source["text"] == "Example Systems · no. Q-1042 · 2 Nov 2026 · valid until 31 Jan 2027"
    assert (source["url"], source["record"]) == ("https://example.org/quote/q-1042", "srv-8x")
    assert (source["price"]["amount"], source["price"]["currency"]) == (328_000.0, "USD")


def test_u005_a_line_names_the_volume_break_and_the_tax_inside_its_quote():
    from tests.planner.sample import book

    prices = book()
    terms = {"breaks": [{"min_quantity": 2, "amount": 340_000.0}]}
    asked = prices.builds["srv-8x"].price.model_copy(update={"terms": Terms.read(terms), "tax_included": 0.25})
    builds = {**prices.builds, "srv-8x": prices.builds["srv-8x"].model_copy(update={"price": asked})}
    given = evaluated(prices.model_copy(update={"builds": builds}))
    with override("en"):
        server = child(
            child(explain.tree(*given, "cluster", "capex"), "capex.accelerators_and_servers"),
            "capex.accelerators_and_servers:server:srv-8x",
        )
    assert server["source"]["quoted"].replace("\u00a0", " ") == "$340,000.00, tax of 25 % included, from 2 pieces"
    assert (server["months"][0]["unit_price"], server["inputs"]["volume_break"]) == (272_000.0, 2.0)


def test_a_line_leads_to_the_quote_and_the_assumptions(sample):
    with override("en"):
        card = child(
            child(explain.tree(*sample, "scale-out", "capex"), "capex.accelerators_and_servers"),
            "capex.accelerators_and_servers:card:add-1x",
        )
    assert card["source"]["text"] == "Karten GmbH · 2 Nov 2026"
    assert card["source"]["quoted"] == "€31,000.00"
    assert card["source"]["rate"] == "exchange rate 1.1 · 27 Nov 2026 · ECB"
    assert {
        "path": "market/accelerator/rate_per_year",
        "label": "GPU price change",
        "value_text": "−10\u00a0% / yr",
    } in card["drivers"]


def test_the_hourly_cost_divides_cost_by_discounted_useful_hours():
    tree = explain.tree(*bare(), "cloud", "cost_per_useful_gpu_hour")
    cost, hours = tree["children"]
    assert (cost["value"], hours["value"], tree["value"]) == (26_280.0, 8760.0, 3.0)


def test_U083_the_hourly_cost_of_no_work_is_undefined():
    evaluation, comparison = bare(
        demand={"workloads": [{"kind": "pool", "slug": "pool", "accelerator": "h200-nvl", "gpus": 0}]}
    )
    with override("en"):
        tree = explain.tree(evaluation, comparison, "server", "cost_per_useful_gpu_hour")
    assert (tree["value"], tree["value_text"]) == (None, "undefined")


def test_the_margin_adds_up_by_category_and_by_side():
    tree = explain.tree(*bare(), "server", "margin")
    assert tree["value"] == 18_280.0  # 26,280 of cloud less a server of 8,000
    assert {node["key"]: node["value"] for node in tree["children"]} == {
        "capex.accelerators_and_servers": -8000.0,
        "opex.cloud_usage": 26_280.0,
    }


def test_the_margin_of_another_plan_is_against_the_winner():
    assert explain.tree(*bare(), "cloud", "margin")["value"] == -18_280.0


def test_break_even_shows_both_costs_in_the_month_of_crossing():
    tree = explain.tree(*bare(), "server", "break_even")
    assert tree["value"] == 3.0
    assert [node["value"] for node in child(tree, "cloud")["children"]] == [8000.0, 8712.0]


def test_peak_power_is_machines_and_fabric():
    tree = explain.tree(*evaluated(), "cluster", "peak_kw")
    assert sum(node["value"] for node in tree["children"]) == pytest.approx(tree["value"])
    assert child(tree, "fabric")["value"] == pytest.approx(1.6)  # two switches of 0.8 kW


def test_peak_power_of_a_throttled_room_says_what_it_cuts():
    site = {"slug": "room", "cooling_kw": 2.0}
    plan = {"slug": "server", "start": {"build": "srv-8x"}, "upgrades": "show"}
    evaluation, comparison = evaluated(sites=[site], plans=[plan])
    tree = explain.tree(evaluation, comparison, "server", "peak_kw")
    assert tree["value"] == pytest.approx(2.0)
    assert child(tree, "throttling")["value"] < 0
    assert sum(node["value"] for node in tree["children"]) == pytest.approx(2.0)


def test_gpus_needed_name_each_factor_once(sample):
    pool = explain.tree(*sample, "server", "capacity")["children"][0]
    keys = [node["key"] for node in pool["children"]]
    assert keys == ["mean", "peak_to_mean", "target_utilisation"]
    assert pool["value"] == pytest.approx(2.5 * 1.04**35 / 0.8)


def test_the_busiest_month_has_the_most_work_of_those_that_need_most(sample):
    work = {
        "kind": "training",
        "slug": "run",
        "accelerator": "h200-nvl",
        "tokens_b": 920,
        "deadline_days": 45,
        "measured_tokens_per_s_per_gpu": 9000,
        "runs_per_month": 0.2,
        "growth": {"kind": "linear", "per_month": 0.001},
    }
    with override("en"):
        tree = explain.tree(*bare(demand={"workloads": [work]}), "server", "capacity")
        assert not tree["formula_text"].startswith("in Dec 2026")  # one run decides in every month; work grows
        texts = {node["key"]: node["value_text"].replace("\u00a0", " ") for node in tree["children"][0]["children"]}
    assert texts["tokens"] == "920 billion tokens"
    assert texts["deadline_days"] == "45 days"
    assert texts["measured_rate"] == "9,000 tokens / s / GPU"
    assert tree["children"][0]["children"][0]["formula_text"]  # the mean


def test_power_figures_cite_their_own_source_or_none():
    from tests.planner.sample import book

    prices = book()
    origin = Source(basis="sourced", supplier="Data sheet")
    cited = prices.builds["srv-8x"].model_copy(update={"power_source": origin})
    given = bare(prices=prices.model_copy(update={"builds": {**prices.builds, "srv-8x": cited}}))
    assert child(explain.tree(*given, "server", "peak_kw"), "srv-8x")["source"]["text"] == "Data sheet"
    assert child(explain.tree(*bare(), "server", "peak_kw"), "srv-8x")["source"] is None


def test_work_undone_is_priced_beside_the_totals():
    plan = {"slug": "small", "start": {"build": "srv-4x", "cards": 1}}
    evaluation, comparison = bare(
        plans=[plan],
        demand={
            "workloads": [
                {
                    "kind": "pool",
                    "slug": "pool",
                    "accelerator": "h200-nvl",
                    "gpus": 2,
                    "growth": {"kind": "constant"},
                    "target_utilisation": 1,
                }
            ]
        },
    )
    tree = explain.tree(evaluation, comparison, "small", "unmet_cost")
    assert child(tree, "hours")["value"] == 8760.0  # one GPU short for a year
    assert tree["value"] == 32_850.0  # × 3.00 × 1.25
    assert explain.tree(evaluation, comparison, "small", "served_share")["value"] == pytest.approx(0.5)


def test_orders_sum_to_the_goods_bought():
    tree = explain.tree(*bare(), "server", "orders")
    assert [node["value"] for node in tree["children"]] == [8000.0]


def test_a_plan_without_a_quote_shows_no_total():
    from tests.planner.sample import book

    prices = book()
    unquoted = {**prices.builds, "srv-8x": prices.builds["srv-8x"].model_copy(update={"price": None})}
    evaluation, comparison = evaluated(prices.model_copy(update={"builds": unquoted}))
    with override("en"):
        for kpi in explain.KPIS:
            explain.tree(evaluation, comparison, "server", kpi)
        assert explain.tree(evaluation, comparison, "server", "present_value")["value_text"] == "not known"


@pytest.mark.parametrize(("plan", "kpi"), [("nobody", "capex"), ("server", "luck")])
def test_an_unknown_plan_or_figure_is_a_key_error(sample, plan, kpi):
    with pytest.raises(KeyError):
        explain.tree(*sample, plan, kpi)


def test_u030_a_power_limit_is_an_assumption_with_its_source_behind_gpus_and_draw():
    card = book().accelerators["h200-nvl"].model_copy(update={"tdp_w": 600.0})
    sample = evaluated(book(accelerators={"h200-nvl": card}), operations={"gpu_power_limit_w": 300.0})
    nodes = list(explain.walk(explain.tree(*sample, "server", "capacity")))
    share, kept = (next(node for node in nodes if node["key"] == key) for key in ("power_share", "power_limit"))
    assert (share["value"], kept["value"]) == (0.5, pytest.approx(1 / 1.30))
    assert kept["source"]["url"].startswith("https://github.com/voipmonitor/rtx6kpro/")
    for node in (share, kept, *explain.tree(*sample, "server", "peak_kw")["children"]):
        assert [driver["path"] for driver in node["drivers"]] == ["operations/gpu_power_limit_w"]

"""The templates show what they are there to show.

Figures are the shipped catalog's; what is asserted follows from the template's own numbers, or is a direction.
"""

import copy
import json
import math

import pytest
from django.utils.translation import override

from planner import tables, wording
from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.services import documents, gallery

FABRIC_CODES = {
    "capex.fabric:switch",
    "capex.fabric:link",
    "capex.fabric:link_labour",
    "capex.freight_and_duty:fabric_freight",
    "capex.installation:fabric_commissioning",
    "opex.energy_it:fabric",
    "opex.energy_overhead:fabric",
    "opex.colocation:fabric_power",
    "opex.support:fabric",
    "opex.staff:fabric_skills",
    "credit.residual_at_horizon:fabric",
}


def document(name, **changes):
    """A template's document; `changes` replace values at paths such as plans__0__start__quantity."""
    data = copy.deepcopy(gallery.document(name))
    for path, value in changes.items():
        *steps, last = path.split("__")
        node = data
        for step in steps:
            node = node[int(step)] if step.isdigit() else node.setdefault(step, {})
        node[int(last) if last.isdigit() else last] = value
    return data


def run(name, **changes):
    return evaluate(*documents.resolve(document(name, **changes)))


def codes(findings):
    return [finding.code for finding in findings]


def warning(result, code):
    return next(finding for finding in result.warnings if finding.code == code)


# ── all of them ──


@pytest.mark.parametrize("name", gallery.templates())
def test_every_plan_serves_the_same_demand(name):
    evaluation = run(name)
    first = evaluation.plans[0].demand.tolist()
    assert all(result.demand.tolist() == first for result in evaluation.plans)
    for result in evaluation.plans:
        if result.feasible:
            assert result.served_share == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("name", gallery.templates())
def test_every_plan_that_can_be_bought_has_all_its_prices(name):
    assert all(result.priced for result in run(name).plans)


@pytest.mark.parametrize("name", gallery.templates())
def test_growth_always_has_a_ceiling(name):  # model 2
    for work in gallery.document(name)["demand"]["workloads"]:
        assert work["growth"]["kind"] == "constant" or work["growth"]["ceiling"]


@pytest.mark.parametrize("name", gallery.templates())
def test_every_follow_up_rests_on_the_same_overflow(name):
    """All plans of a template that may overflow use one offer, so that they differ in what they own."""
    offers = {result.offer.slug for result in run(name).plans if result.offer}
    assert len(offers) == 1


@pytest.mark.parametrize("name", gallery.templates())
def test_the_verdict_is_shown_for_a_specialist_and_a_large_provider(name):
    by_class = compare(run(name)).by_class
    assert set(by_class) == {"specialist", "large_provider"}
    assert by_class["specialist"] is not None


# ── small team ──


def small(**changes):
    return run("small-team", **changes)


def value(evaluation, slug):
    return evaluation.plan(slug).present_value


def test_small_team_starts_at_2_5_gpus_and_grows_4_percent_a_month_to_16():
    demand = small().plans[0].demand[0]
    assert demand[0] == 2.5
    assert demand[1] == pytest.approx(2.6)
    assert demand[-1] == 16.0


def test_small_team_the_cloud_that_is_compared_decides():
    comparison = compare(small())
    specialist, large = comparison.by_class["specialist"], comparison.by_class["large_provider"]
    assert specialist.plan == "cloud"
    assert large.plan != "cloud"
    plain = small().as_dict()["verdict"]["by_provider_class"]
    assert (plain["specialist"]["plan"], plain["large_provider"]["plan"]) == (specialist.plan, large.plan)


def test_small_team_all_four_strategies_are_compared():
    assert [result.plan.strategy for result in small().plans] == ["scale_out", "server_now", "cluster_now", "cloud"]


def test_small_team_more_growth_costs_every_plan_more():
    calm, wild = (small(demand__workloads__0__growth__rate_per_month=rate) for rate in (0.02, 0.05))
    for slug in ("scale-out", "server-now", "cluster-now", "cloud"):
        assert value(wild, slug) > value(calm, slug), slug


def test_small_team_growth_hurts_the_cloud_more_than_the_owner():
    calm, wild = (small(demand__workloads__0__growth__rate_per_month=rate) for rate in (0.02, 0.05))
    assert value(wild, "cloud") - value(calm, "cloud") > value(wild, "cluster-now") - value(calm, "cluster-now")


def test_small_team_falling_accelerator_prices_help_who_buys_late():
    flat, falling = (small(market__accelerator={"rate_per_year": rate}) for rate in (0.0, -0.3))
    saved = {slug: value(flat, slug) - value(falling, slug) for slug in ("scale-out", "server-now", "cloud")}
    assert all(saving > 0 for saving in saved.values())
    # what is bought in month 0 does not get cheaper
    first = [e.plan("server-now").monthly("capex")[0] for e in (flat, falling)]
    assert first[0] == first[1]


def test_small_team_a_dearer_cloud_costs_the_cloud_plan_in_proportion_and_moves_the_verdict():
    offer = small().plan("cloud").offer
    price = offer.price.amount
    dear = small(market__own_prices={offer.slug: price * 2})
    bills = [
        sum(line.amount.sum() for line in e.plan("cloud").lines if line.category.startswith("opex.cloud_"))
        for e in (small(), dear)
    ]
    assert bills[1] == pytest.approx(2 * bills[0])
    assert compare(small()).verdict.plan == "cloud"
    assert compare(dear).verdict.plan != "cloud"


def test_small_team_a_longer_horizon_costs_more_and_before_resale_favours_the_owner():
    short, long = (small(months=months, finance={"residual_at_horizon": False}) for months in (24, 60))
    for slug in ("scale-out", "server-now", "cluster-now", "cloud"):
        assert value(long, slug) > value(short, slug), slug
    gap = [value(e, "server-now") / value(e, "cloud") for e in (short, long)]
    assert gap[1] < gap[0]


def test_small_team_moves_from_the_office_to_a_hall():
    result = small().plan("server-now")
    assert {site.slug for site in result.housing.site_of} == {"office", "colocation"}
    bill = [line for line in result.lines if line.category == "opex.colocation"]
    assert bill[0].amount[0, :18].tolist() == [0.0] * 18
    assert bill[0].amount[0, 18] > 0


# ── image-generation start-up ──


def images(**changes):
    return run("image-startup", **changes)


def servers(evaluation, slug="servers-now"):
    need = evaluation.plan(slug).requirements["srv-8x-a100-sxm"]["images"]
    return need.required[0] / 8


def test_image_startup_three_servers_are_computed():
    # 130 000 images a day are 1.5046 a second; × 2 × 1.5 at the peak = 4.51; a GPU gives 0.5 × 0.9 × 0.8 = 0.36:
    # 12.54 GPUs, two servers, and one spare
    per_gpu = 0.5 * 0.9 * 0.8
    active = math.ceil(130_000 / 86_400 * 2.0 * 1.5 / per_gpu / 8)
    assert (active, active + 1) == (2, 3)
    assert servers(images())[0] == 3


def test_image_startup_without_n_plus_1_two_do():
    assert servers(images(demand__workloads__0__spare_servers=0))[0] == 2


def test_image_startup_a_peak_1_6_times_higher_asks_for_more():
    assert servers(images(demand__workloads__0__diurnal_peak=3.2))[0] > 3


def test_image_startup_three_servers_are_what_the_plan_starts_with():
    assert gallery.document("image-startup")["plans"][0]["start"]["quantity"] == 3


def lines(result):
    out = {}
    for line in result.lines:
        key = f"{line.category}:{line.code}"
        out[key] = [a + b for a, b in zip(out.get(key, [0.0] * 60), line.minor.tolist(), strict=True)]
    return out


def test_image_startup_the_cluster_costs_exactly_its_fabric_and_skills_more():
    evaluation = images()
    apart, joined = lines(evaluation.plan("servers-now")), lines(evaluation.plan("cluster-now"))
    assert {key for key in apart.keys() | joined.keys() if apart.get(key) != joined.get(key)} == FABRIC_CODES
    assert FABRIC_CODES.isdisjoint(apart)
    more = evaluation.plan("cluster-now").present_value - evaluation.plan("servers-now").present_value
    parts = sum(
        line.present_value(evaluation.plan("cluster-now").discount)
        for line in evaluation.plan("cluster-now").lines
        if f"{line.category}:{line.code}" in FABRIC_CODES
    )
    assert more == pytest.approx(parts, abs=0.005)
    assert more > 0


def test_image_startup_the_cluster_is_not_chosen_because_no_gang_exceeds_a_server():
    verdict = compare(images()).verdict
    assert verdict.plan != "cluster-now"
    assert "no_gang_exceeds_server" in codes(verdict.reasons)


BUSIER = {"kind": "compound", "rate_per_month": 0.05, "ceiling": 400_000}


@pytest.mark.parametrize("slug", ["servers-now", "cluster-now", "scale-out"])
@pytest.mark.parametrize("growth", [gallery.document("image-startup")["demand"]["workloads"][0]["growth"], BUSIER])
def test_image_startup_losing_any_one_server_still_meets_the_peak(slug, growth):
    result = images(demand__workloads__0__growth=growth).plan(slug)
    holding = result.fleet.holdings[0]
    need = result.requirements[holding.machine.slug]["images"]
    months = 0
    for m in range(result.calendar.months):
        hosts, cards = holding.hosts[0, m], holding.cards[0, m]
        # every chassis holds what it came with, and what was added fills one after the other
        added = cards - hosts * holding.machine.base_cards
        fullest = min(holding.machine.slots, holding.machine.base_cards + added)
        if result.allocation.owned_share["images"][0, m] == 1.0:
            assert cards - fullest >= need.peak[0, m] - 1e-9, (m, hosts, cards)
            months += 1
    assert months > 12


# ── driving lab ──


def lab(**changes):
    return run("driving-lab", **changes)


def wanted(evaluation):
    """Servers of eight that one run needs to meet its deadline."""
    need = evaluation.plan("cluster-now").requirements["srv-8x-h200-sxm"]["training"]
    return math.ceil(need.gang / 8)


def test_driving_lab_32_servers_follow_from_tokens_and_deadline():
    evaluation = lab()
    assert wanted(evaluation) == 32
    # by hand: 6 × 52e9 + attention 6 × 64 × 8192 × 8192 a token, 920e9 tokens, 989 TFLOP/s at 0.38 × 0.85, 45 days
    flop = (6 * 52e9 + 6 * 64 * 8192 * 8192) * 920e9
    hours = flop / (989e12 * 0.38 * 0.85 * 3600)
    assert math.ceil(math.ceil(hours / (24 * 45)) / 8) == 32
    assert evaluation.plan("cluster-now").fleet.holdings[0].hosts[0].tolist() == [32.0] * 60


def test_driving_lab_twice_the_deadline_about_halves_them():
    assert 15 <= wanted(lab(demand__workloads__0__deadline_days=90)) <= 17


def test_driving_lab_twice_the_tokens_about_doubles_them():
    assert 62 <= wanted(lab(demand__workloads__0__tokens_b=1840)) <= 64


def test_driving_lab_80_gb_servers_without_a_fabric_fail_by_memory():
    reasons = lab().plan("servers-80gb").infeasible
    assert [(reason.code, reason.facts["workload"], reason.facts["server_gpus"]) for reason in reasons] == [
        ("memory", "training", 8)
    ]
    # 18 bytes a parameter: 936 GB of states alone; 8 × (0.9 × 80 − 3) = 552 GB
    assert reasons[0].facts["needed_gpus"] > 8


def test_driving_lab_servers_of_larger_memory_fail_by_the_deadline():
    # 8 × (0.9 × 180 − 3) = 1272 GB hold the states
    reasons = lab().plan("servers-180gb").infeasible
    assert [(reason.code, reason.facts["server_gpus"]) for reason in reasons] == [("deadline", 8)]
    assert reasons[0].facts["needed_gpus"] > 8


def test_driving_lab_32_nodes_take_8_leaf_and_4_spine():
    final = lab().plan("cluster-now").network.final
    assert (final.leaf, final.spine) == (8, 4)


def test_driving_lab_4_nodes_take_2_switches():
    network = lab(plans__0__start__quantity=4, plans__0__follow_up={"kind": "none"}).plan("cluster-now").network
    assert (network.final.switches, network.final.spine) == (2, 0)
    assert next(part for part in network.parts if part.code == "switch").bought[0, 0] == 2


def test_driving_lab_the_cluster_meets_every_month():
    result = lab().plan("cluster-now")
    assert result.feasible
    assert result.allocation.met.all()


# ── office server ──


def office(**changes):
    return run("office-server", **changes)


def test_office_server_the_month_heat_passes_the_cooling_is_found():
    result = office().plan("as-is")
    month = warning(result, "cooling_short").month
    busy = result.housing.draw_busy[0]
    assert busy[month] > 5.0
    assert (busy[:month] <= 5.0).all()
    assert month > 0


def test_office_server_the_work_that_heat_costs_is_counted():
    facts = warning(office().plan("as-is"), "cooling_short").facts
    assert facts["lost_gpu_hours"] > 0
    assert (facts["limit"], facts["site"]) == (5.0, "office")


def test_office_server_the_remedy_is_priced_with_its_lead_time():
    facts = warning(office().plan("as-is"), "cooling_short").facts
    assert (facts["remedy"], facts["remedy_lead_weeks"], facts["adds_cooling_kw"]) == (
        "split-ac-24k-installed",
        4.0,
        7.0,
    )
    assert facts["remedy_price"] > 0


def test_office_server_the_cooled_plan_orders_it_a_month_before():
    evaluation = office()
    month = warning(evaluation.plan("as-is"), "cooling_short").month
    cooled = evaluation.plan("cooled")
    assert "cooling_short" not in codes(cooled.warnings)
    assert [(order.ordered, order.in_service) for order in cooled.housing.upgrades] == [(month - 1, month)]
    assert [order.month for order in cooled.orders if order.kind == "upgrade"] == [month - 1]
    assert [order.in_service for order in cooled.orders if order.kind == "upgrade"] == [month]


def test_office_server_4_kw_of_cooling_more_removes_the_warning():
    assert "cooling_short" in codes(office().plan("as-is").warnings)
    assert "cooling_short" not in codes(office(sites__0__cooling_kw=9.0).plan("as-is").warnings)


def test_office_server_a_hot_room_pays_for_the_lost_work_in_the_cloud():
    evaluation = office()
    bills = [
        sum(line.total() for line in evaluation.plan(slug).lines if line.category == "opex.cloud_usage")
        for slug in ("as-is", "cooled")
    ]
    assert bills[0] > bills[1]


# ── the document survives ──


@pytest.mark.parametrize("name", gallery.templates())
def test_a_template_survives_being_written_and_read(name):
    scenario, prices = documents.resolve(document(name))
    again = documents.resolve(json.loads(json.dumps(documents.bundle(scenario, prices))))
    assert again == (scenario, prices)


# ── what the verdict must not hide ──


def test_the_verdict_of_the_office_begins_with_what_speaks_against_its_winner():
    evaluation = office()
    comparison = compare(evaluation)
    best = evaluation.plan(comparison.verdict.plan)
    assert any(found.code == "office_server" for found in best.warnings)
    with override("en"):
        said = wording.verdict(evaluation, comparison)
    assert said["title"].startswith("Do not order the cheapest plan as it is: ")
    assert "for this room as it is." in said["text"].split("present value")[0]
    assert said["chips"][0]["tone"] == "bad"
    assert said["chips"][0]["text"].startswith("do not order as it is: ")
    assert said["chips"][:1] == said["blocking"]
    assert len({chip["text"] for chip in said["chips"]}) == len(said["chips"])


def test_the_list_of_scenarios_warns_of_a_winner_that_is_not_to_be_ordered():
    document_now = gallery.document("office-server")
    plan = document_now["plans"][0]["slug"]
    known = {"code": "single", "plan": plan, "present_value": 1.0, "currency": "USD", "margin_share": None}
    with override("en"):
        assert tables.last_verdict(document_now, known)["tone"] == "good"  # saved before this was kept
        told = tables.last_verdict(document_now, {**known, "blocked": True})
    assert (told["tone"], told["text"].endswith(": do not order as it is")) == ("bad", True)


# ── budget first ──


def test_budget_first_each_plan_stays_within_two_million_yuan():
    evaluation = run("budget-first")
    bought = {result.slug: result.total("capex") for result in evaluation.plans if result.plan.start}
    assert evaluation.scenario.currency == "CNY"
    assert all(0 < amount <= 2_000_000 for amount in bought.values())


def test_budget_first_leads_from_workstations_over_one_server_to_a_cluster():
    """No server more of any of them would be paid: as many as the money takes."""
    evaluation = run("budget-first")
    strategies = [result.plan.strategy for result in evaluation.plans]
    assert strategies == ["servers_now", "server_now", "cluster_now", "cloud"]
    for place, result in enumerate(evaluation.plans[:3]):
        more = run("budget-first", **{f"plans__{place}__start__quantity": result.plan.start.quantity + 1})
        assert more.plan(result.slug).total("capex") > 2_000_000, result.slug


def test_budget_first_each_of_them_carries_what_is_asked():
    """An H200 has 4,800 GB/s: 8 H20 of 4,000 do as much as 6.67 of them, 12 A100 of 2,039 as 5.1, and 4.6 are busy."""
    evaluation = run("budget-first")
    for slug in ("workstations", "server-now", "cluster-now"):
        assert not evaluation.plan(slug).allocation.useful_rented.any(), slug


def test_budget_first_shows_what_two_million_buys_on_the_page_of_that_name():
    """The plans that own something are configurations that the budget page offers for the same room and day."""
    from catalog.importers.shipped import shipped
    from planner.services import budget

    evaluation = run("budget-first")
    base, asked = budget.around(evaluation.scenario.model_dump(mode="json"), shipped(), None)
    answer = budget.answer(
        type(evaluation.scenario).read(base), budget.Budget.read({**asked, "amount": 2_000_000.0}), shipped()
    )
    offered = {found.slug for found in answer.bought}
    assert {"ws-4x-rtx-5090.x10", "srv-8x-h20-cn.x1", "srv-4x-a100-sxm.x3.fabric"} <= offered

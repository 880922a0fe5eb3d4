"""What a workload needs of every accelerator of the shipped catalog, and the scenario made of it."""

import datetime as dt
import math

import pytest

from catalog.importers.shipped import shipped
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario, set_at
from planner.engine.quantities import InputError
from planner.services import pricebook, sizing

DAY = dt.date(2026, 11, 30)
SERVICE = {"requests_per_day": 1_000_000.0, "growth": {"kind": "constant"}}


def answered(kind, **fields):
    document = sizing.blank(kind, shipped(), DAY)
    for name, value in fields.items():
        document = set_at(document, f"demand/workloads/{sizing.SLUG}/{name}", value)
    return sizing.answer(Scenario.read(document), shipped())


@pytest.mark.parametrize("kind", sizing.KINDS)
def test_every_kind_of_work_has_a_first_answer(kind):
    answer = answered(kind)
    assert answer.work.kind == kind
    assert {need.slug for need in answer.needs} == set(shipped().of_kind("accelerator"))
    for need in answer.needs:
        if need.fits:
            assert need.gpus >= 1
            assert need.tier in ("one_gpu", "one_server", "independent_servers", "cluster")
            assert need.bought is None or need.bought.servers * need.server_gpus >= need.gpus


@pytest.mark.parametrize("kind", sizing.KINDS)
def test_what_is_said_to_fit_fits_the_memory_of_the_card(kind):
    for need in answered(kind).needs:
        if need.fits and need.footprint is not None:
            assert need.footprint.fit != "none", need.slug
            assert need.footprint.free >= -1e-6 * need.footprint.nameplate, need.slug


def test_a_pool_of_6_gpus_at_80_per_cent_needs_8_and_their_server():
    need = answered("pool", gpus=6.0, growth={"kind": "constant"}).of("h200-sxm")
    assert (need.gpus, need.gpus_last, need.tier) == (8, 8, "one_server")  # 6 / 0.8 = 7.5
    build = shipped().item("build", "srv-8x-h200-sxm").spec
    assert need.bought.max_kw == pytest.approx(build.max_power_w / 1000)
    assert need.bought.servers == 1


def test_growth_shows_in_the_last_month_only():
    need = answered("pool", gpus=6.0, growth={"kind": "linear", "per_month": 1.0}).of("h200-sxm")
    assert (need.gpus, need.gpus_last) == (8, math.ceil((6 + 59) / 0.8))
    assert need.bought.servers_last == 11  # 82 GPUs in servers of 8


def test_half_the_rate_of_the_reference_needs_twice_the_gpus():
    answer = answered("pool", gpus=6.4, accelerator="h200-sxm", bound="memory_bandwidth", growth={"kind": "constant"})
    bandwidth = {slug: answer.book.accelerators[slug].memory_bw_gbps for slug in ("h200-sxm", "a100-80-sxm")}
    need = answer.of("a100-80-sxm")
    assert need.ratio == pytest.approx(bandwidth["a100-80-sxm"] / bandwidth["h200-sxm"])
    assert need.gpus == math.ceil(8 / need.ratio)


@pytest.mark.parametrize(("slug", "copy"), [("h200-sxm", 2), ("a100-80-sxm", 4)])
def test_offline_work_is_needed_and_rented_in_whole_copies(slug, copy):
    fields = {"precision": "bf16", "items_m_per_month": 30.0, "growth": {"kind": "constant"}}
    need = answered("batch", **fields).of(slug)  # 140 GB of weights
    load = need.requirement.mean[0, 0] / 0.95
    assert need.requirement.replica == copy
    assert need.gpus == copy * math.ceil(load / copy) > math.ceil(load)
    assert need.rented.per_hour == pytest.approx(need.gpus * need.rented.per_gpu_hour)


def test_a_rate_that_was_measured_is_called_so():
    by_formula, measured = (
        answered("serving", **SERVICE),
        answered("serving", **SERVICE, measured_requests_per_s_per_gpu=2.0),
    )
    assert by_formula.of("h200-sxm").rate[1:] == ("request/s", False)
    assert measured.of("h200-sxm").rate == (2.0, "request/s", True)


def test_a_measured_rate_of_work_that_waits_or_simulates_is_told_too():
    assert answered("batch", measured_rate_per_gpu=2.0).of("h200-sxm").rate == (2.0, "item/s", True)
    in_tokens = answered("batch", measured_rate_per_gpu=2.0, tokens_b_per_month=1.0)
    assert in_tokens.of("h200-sxm").rate == (2.0, "token/s", True)
    assert answered("hpc", measured_tflops_per_gpu=5.0).of("h200-sxm").rate == (5.0, "TFLOP/s", True)
    both = {"measured_prefill_tokens_per_s_per_gpu": 1e4, "measured_decode_tokens_per_s_per_gpu": 2e3}
    document = sizing.blank("serving", shipped(), DAY)
    work = document["demand"]["workloads"][0] | both
    split = sizing.answer(Scenario.read({**document, "demand": {"workloads": [work]}}), shipped())
    assert split.of("h200-sxm").rate[1:] == ("request/s", True)


def test_u030_a_limit_lowers_draw_and_rate_of_what_is_bought():
    full = answered("training").of("h200-sxm")
    document = set_at(sizing.blank("training", shipped(), DAY), "operations/gpu_power_limit_w", 350.0)
    limited = sizing.answer(Scenario.read(document), shipped()).of("h200-sxm")
    assert limited.limited == pytest.approx((0.5, 1 / 1.30))  # of 700 W
    assert limited.rate[0] == pytest.approx(full.rate[0] / 1.30, rel=2e-3)  # more GPUs lose a little more by spreading
    each = limited.bought.max_kw / limited.bought.servers
    assert each == pytest.approx(full.bought.max_kw / full.bought.servers - 8 * 0.35)
    assert limited.bought.unlimited_kw / limited.bought.servers == pytest.approx(each + 8 * 0.35)


def test_the_band_of_published_runs_brackets_the_gpus():
    need = answered("training", tokens_b=920.0, deadline_days=45.0).of("h200-sxm")
    few, many = need.band
    assert few < need.gpus < many
    assert answered("training", mfu=0.4).of("h200-sxm").band is None
    assert answered("training", measured_tokens_per_s_per_gpu=1000.0).of("h200-sxm").band is None


def test_a_model_that_grows_meets_its_cliff_in_a_month():
    # 70 GB in 8 bit, twice as much in month 12, ten times in month 24: one H200 has 123.9 usable, a server 991
    steps = {"kind": "steps", "steps": [{"month": 12, "value": 2.0}, {"month": 24, "value": 15.0}]}
    answer = answered("serving", driver="model_size", growth=steps)
    assert answer.of("h200-sxm").outgrown == (24, None)
    assert answer.of("t4").outgrown[1] is not None  # 64 cards of 16 GB hold 730 GB
    assert answered("serving").of("h200-sxm").outgrown == (None, None)


def test_a_scheduler_saves_a_pool_that_is_stated_in_hours():
    # 0.45 of the GPUs are allocated without one, 0.65 with quotas: sizing reference 9
    flat = {"gpu_hours_per_month": 10_000.0, "growth": {"kind": "constant"}}
    quotas, none = (answered("pool", **flat, scheduler=kind).of("h200-sxm").saving for kind in ("quotas", "none"))
    assert quotas.saved == pytest.approx(quotas.gpus * (0.65 / 0.45 - 1))
    assert none.saved == pytest.approx(none.gpus - quotas.gpus)
    assert answered("pool").of("h200-sxm").saving is None


def test_nothing_without_a_rate_is_offered():
    answer = answered("serving")
    lacking = {slug for slug, card in answer.book.accelerators.items() if not card.memory_bw_gbps}
    assert lacking == {"ascend-910b"}
    assert answer.of("ascend-910b").state == "rate"
    assert not answer.of("ascend-910b").fits


def test_a_model_larger_than_sixty_four_cards_does_not_fit():
    need = answered("serving", preset="deepseek-v3", precision="bf16").of("t4")  # 1,342 GB; 64 × 16 GB
    assert (need.state, need.bought, need.gpus) == ("memory", None, 0)
    assert need.footprint.gpus == 64


def test_a_run_larger_than_a_server_calls_for_a_cluster_and_names_the_deadline():
    need = answered("training", tokens_b=920.0, deadline_days=45.0).of("h200-sxm")
    assert need.tier == "cluster"
    assert need.requirement.limit == "deadline"
    assert need.gpus % 8 == 0


def test_a_gpu_without_a_server_in_the_catalog_has_no_price():
    need = answered("pool").of("h100-pcie")
    assert need.bought is None
    assert need.amount is None
    assert need.kw == pytest.approx(need.gpus * shipped().item("accelerator", "h100-pcie").spec.tdp_w / 1000)


# ── a scenario of it ──


def made(answer, slug):
    proposal = sizing.propose(answer, slug, "Test")
    scenario = Scenario.read(proposal.document)
    return proposal, scenario, evaluate(scenario, pricebook.build(shipped(), scenario))


def test_a_scenario_begins_with_few_cards_the_servers_and_the_cloud():
    proposal, scenario, evaluation = made(answered("pool", gpus=2.5), "h100-nvl")
    assert [plan.strategy for plan in scenario.plans] == ["scale_out", "server_now", "cloud"]
    assert scenario.plans[0].follow_up.kind == "cards"
    assert scenario.start == "2027-03"  # twelve weeks and a week after the pricing date
    assert proposal.missing == []
    assert all(plan.present_value > 0 for plan in evaluation.plans)


def test_a_scenario_of_a_gang_begins_with_its_cluster():
    answer = answered("training", tokens_b=920.0, deadline_days=45.0)
    proposal, scenario, evaluation = made(answer, "h200-sxm")
    assert [plan.slug for plan in scenario.plans] == ["cluster-now", "cloud"]
    assert scenario.plans[0].start.quantity == answer.of("h200-sxm").bought.servers
    assert proposal.missing == ["no_small_start"]
    assert any(line.category == "capex.fabric" for line in evaluation.plans[0].lines)


def test_what_cannot_be_bought_is_rented_and_said():
    proposal, scenario, _evaluation = made(answered("pool"), "h100-pcie")
    assert [plan.slug for plan in scenario.plans] == ["cloud"]
    assert proposal.missing == ["no_server"]


def test_what_can_be_neither_bought_nor_rented_is_refused():
    with pytest.raises(InputError) as refused:
        sizing.propose(answered("pool"), "tpu-v5p", "Test")
    assert refused.value.problems[0].code == "no_quote"
    with pytest.raises(InputError):
        sizing.propose(answered("serving"), "ascend-910b", "Test")


@pytest.mark.parametrize("kind", sizing.KINDS)
def test_every_accelerator_that_fits_makes_a_scenario_or_says_why_not(kind):
    answer = answered(kind)
    priced = [need for need in answer.needs if need.fits and need.amount is not None]
    assert len(priced) > 10
    for need in priced:
        if need.tier == "cluster" and need.rented is None and not need.bought.build.fabric_ports:
            with pytest.raises(InputError, match="no_fabric_ports"):
                made(answer, need.slug)
        else:
            assert made(answer, need.slug)[2].plans


@pytest.mark.parametrize("gpus", [3, 5, 6, 7])
def test_a_copy_over_a_number_that_does_not_divide_the_heads_fits_nowhere(gpus):
    need = answered("serving", replica_gpus=gpus).of("h200-sxm")
    assert (need.state, need.fits) == ("copy", False)
    assert 8 in need.requirement.sizes
    assert gpus not in need.requirement.sizes

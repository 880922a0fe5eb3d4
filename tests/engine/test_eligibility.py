"""Software stacks and export rules: what may not be used is refused, what needs a licence is warned of."""

import pytest

from tests.engine.sample import book, evaluated, offer, plan, pool
from tests.engine.test_needs import EIGHT, card, work

RULE = {"country": "CN", "verdict": "licence", "effective": "2026-01-15", "url": "https://example.org/rule"}
CLOUD = {"accelerator": "gpu"}


def answer(hardware, *, needs="cuda", start=None, region="US-VA", **more):
    site = {"slug": "room", "region": region, "electricity_price_per_kwh": 0.1}
    if region != "US-VA":
        site["kind"] = "data_hall"
    work = pool(2.0, framework=needs)
    return evaluated(plan(**more), work=work, months=1, sites=[site], prices=card(**hardware)).plans[0]


def codes(result):
    return [found.code for found in result.infeasible]


def test_programs_for_one_stack_do_not_run_on_another():
    result = answer({"software_stack": "ROCm"})
    assert codes(result) == ["wrong_software"]
    assert result.infeasible[0].facts["software_stack"] == "ROCm"
    assert codes(answer({"software_stack": "CUDA"})) == []
    assert codes(answer({"software_stack": "oneAPI-Gaudi"}, needs="oneapi")) == []


@pytest.mark.parametrize("hardware", [{"software_stack": ""}, {}])
def test_an_unknown_stack_is_not_held_against_the_hardware(hardware):
    assert codes(answer(hardware)) == []


def test_work_that_says_nothing_runs_anywhere():
    assert codes(answer({"software_stack": "CANN"}, needs=None)) == []


def test_a_cloud_of_another_stack_is_no_way_out():
    result = answer({"software_stack": "XLA"}, start=None, overflow=CLOUD)
    assert "wrong_software" in codes(result)
    assert result.offer is None


def test_work_that_is_rented_because_of_another_stack_is_said():
    known = card(software_stack="ROCm").model_dump(mode="json")["accelerators"]
    prices = book(accelerators=known, offers={"big": offer("big", 2.0, accelerator="big")})
    rents = plan(overflow={"accelerator": "big"})
    result = evaluated(rents, work=pool(2.0, framework="cuda"), months=1, prices=prices).plans[0]
    assert codes(result) == []
    assert [found.code for found in result.warnings] == ["wrong_software"]


def test_partly_supported_hardware_is_warned_of():
    result = answer({"software_stack": "CANN", "pytorch": "partial"}, needs="cann")
    assert [found.code for found in result.warnings] == ["software_partial"]


@pytest.mark.parametrize(("verdict", "code"), [("licence", "export_licence"), ("prohibited", "export_prohibited")])
def test_a_restricted_part_is_told_by_the_country_of_the_room(verdict, code):
    hardware = {"export_rules": [{**RULE, "verdict": verdict}]}
    there, here = answer(hardware, needs=None, region="CN-BJ"), answer(hardware, needs=None)
    assert [found.code for found in there.warnings if found.code.startswith("export")] == [code]
    assert there.feasible
    assert codes(here) == [] == [found.code for found in here.warnings]


def test_an_allowed_part_is_not_spoken_of():
    result = answer({"export_rules": [{**RULE, "verdict": "allowed"}]}, needs=None, region="CN")
    assert (codes(result), result.warnings) == ([], [])


# ── Precisions that the hardware lacks ──


@pytest.mark.parametrize(
    ("precision", "hardware", "computed"),
    [
        ("fp8", {}, "bf16"),
        ("fp8", {"fp8_tflops": 800}, None),
        ("fp4", {"fp8_tflops": 800}, "bf16"),  # the weights are widened to 16 bit
        ("fp4", {"sixteen_bit": "fp16"}, "fp16"),
        ("bf16", {"sixteen_bit": "fp16"}, "fp16"),
        ("bf16", {}, None),
    ],
)
def test_a_service_computes_in_what_the_card_has_and_the_plan_says_so(precision, hardware, computed):
    service = work("serving", model=EIGHT, precision=precision)
    result = evaluated(plan(), work=service, months=1, prices=card(**hardware)).plans[0]
    found = [found.facts["computed"] for found in result.warnings if found.code == "computed_in"]
    assert found == ([computed] if computed else [])


def test_a_run_in_bf16_on_a_card_without_it_is_told_of_fp16():
    run = work("training", model=EIGHT, tokens_b=0.1, runs_per_month=1.0)
    result = evaluated(plan(), work=run, months=1, prices=card(sixteen_bit="fp16", memory_gb=640)).plans[0]
    (facts,) = [found.facts for found in result.warnings if found.code == "computed_in"]
    assert (facts["precision"], facts["computed"]) == ("bf16", "fp16")


def test_narrower_weights_change_no_arithmetic_of_a_card_without_their_rate():
    # 2 × 8e9 FLOP a token at 400e12 × 0.65, of weights of 2 and of 1 byte alike: prompts take the same time
    wide, narrow = (
        evaluated(plan(), work=work("serving", model=EIGHT, precision=kind), months=1, prices=card()).plans[0]
        for kind in ("bf16", "fp8")
    )
    times = [each.requirements["box"]["work"].factors["prefill_s"] for each in (wide, narrow)]
    assert times[0] == pytest.approx(times[1])


def test_a_measured_rate_says_nothing_of_a_precision():
    service = work("serving", precision="fp8", measured_requests_per_s_per_gpu=1.0)
    result = evaluated(plan(), work=service, months=1, prices=card()).plans[0]
    assert "computed_in" not in [found.code for found in result.warnings]

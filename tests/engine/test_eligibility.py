"""Software stacks and export rules: what may not be used is refused, what needs a licence is warned of."""

import pytest

from tests.engine.sample import book, evaluated, offer, plan, pool
from tests.engine.test_needs import card

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

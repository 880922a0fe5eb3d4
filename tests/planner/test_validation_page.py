"""Published cases on their page and in its files: what agrees, what does not, and what is not answered."""

import csv
import io
import json

import pytest
from django.conf import settings

from planner.services import validation
from planner.services.validation import CaseFileError, families, read
from planner.wording.validation import WEAKNESSES, case_error, case_input, case_value, tolerance

PAGE = "/validation/"


def ours(tmp_path, *cases):
    (tmp_path / "odd_cases.json").write_text(json.dumps(cases), encoding="utf-8")
    return families(tmp_path)


HOURS = {
    "id": "two_hours",
    "kind": "training_run_cost",
    "source_url": "https://example.org/run",
    "inputs": {"first_gpu_hours": 1.5, "second_gpu_hours": 0.5},
    "expected": {"total_gpu_hours": {"value": 2, "tolerance_rel": 0.01}},
}


def test_every_file_of_cases_is_a_family_and_every_case_is_on_the_page(signed):
    found = families()
    assert {each.code for each in found} == {
        path.name.removesuffix("_cases.json") for path in validation.FOLDER.glob("*.json")
    }
    page = signed.get(PAGE).content.decode()
    for family in found:
        assert f'id="family-{family.code}"' in page
        for case in family.cases:
            assert f">{case.id}<" in page, case.id


def test_no_shipped_case_is_off_and_none_of_sizing_and_cost_is_left_out():
    for family in families():
        assert family.counts["off"] == 0, family.code
        assert family.counts["refused"] == 0, family.code
    sizing = next(each for each in families() if each.code == "sizing")
    assert sizing.counts == {"ok": 89}
    costs = next(each for each in families() if each.code == "tco")
    assert costs.counts == {"ok": 134}
    assert 0 < sizing.largest_error < 0.2


def test_a_case_says_what_it_expected_what_we_found_and_how_near_it_had_to_come(tmp_path):
    [family] = ours(tmp_path, HOURS, {**HOURS, "id": "three", "expected": {"total_gpu_hours": {"value": 3}}})
    agrees, off = family.cases
    assert (agrees.status, off.status) == ("ok", "off")
    assert agrees.fields[0].check.got == pytest.approx(2.0)
    assert (agrees.fields[0].tolerance.amount, agrees.fields[0].tolerance.relative) == (0.01, True)
    assert off.fields[0].check.error == pytest.approx(1 / 3)
    assert family.counts == {"ok": 1, "off": 1}


def test_a_fault_of_the_source_keeps_its_reason(tmp_path):
    wrong = {**HOURS, "expected": {"total_gpu_hours": 3}, "known_mismatch": {"total_gpu_hours": "printed 3 for 2"}}
    [family] = ours(tmp_path, wrong)
    assert family.cases[0].status == "declared"
    assert family.cases[0].fields[0].check.note == "printed 3 for 2"


def test_what_is_unknown_or_refused_is_never_called_ok(tmp_path):
    odd = {"id": "odd", "kind": "astrology", "inputs": {}, "expected": {"luck": 7}}
    lacking = {**HOURS, "inputs": {"first_gpu_hours": "many"}}
    [family] = ours(tmp_path, odd, lacking)
    assert [case.status for case in family.cases] == ["unsupported", "refused"]
    assert family.counts == {"unsupported": 1, "refused": 1}


def test_a_changed_file_is_computed_again_and_an_unchanged_one_is_not(tmp_path):
    first = ours(tmp_path, HOURS)
    assert families(tmp_path) is first
    assert len(ours(tmp_path, HOURS, {**HOURS, "id": "again"})[0].cases) == 2


def test_without_the_files_the_page_says_so(signed, monkeypatch, tmp_path):
    monkeypatch.setattr(validation.families, "__defaults__", (tmp_path,))
    page = signed.get(PAGE)
    assert page.status_code == 200
    assert "not part of this installation" in page.content.decode()


@pytest.mark.parametrize("text", ["no json", '{"cases": 1}', "[]"])
def test_a_file_without_cases_is_refused(tmp_path, text):
    path = tmp_path / "x_cases.json"
    path.write_text(text)
    with pytest.raises(CaseFileError):
        read(path)


def test_family_and_outcome_narrow_the_list(signed):
    page = signed.get(PAGE, {"family": "tco", "status": "ok"}).content.decode()
    assert 'id="family-tco"' in page
    assert 'id="family-sizing"' not in page
    body = page.split('id="family-tco"')[1]
    assert '<span class="chip ">not answered</span>' not in body
    assert '<span class="chip good">agrees</span>' in body
    everything = signed.get(PAGE, {"family": "nope", "status": "nope"}).content.decode()
    assert 'id="family-sizing"' in everything


def test_the_files_hold_every_figure(signed):
    figures = sum(len(case.fields) for family in families() for case in family.cases)
    answer = signed.get("/validation/cases.csv")
    rows = list(csv.DictReader(io.StringIO(answer.content.decode("utf-8-sig"), newline="")))
    assert len(rows) == figures
    row = next(each for each in rows if each["case"] == "llama1_65b_days")
    assert (row["family"], row["field"], row["expected"], row["status"]) == ("sizing", "wall_days", "21", "ok")
    assert float(row["got"]) == pytest.approx(20.82, abs=0.005)
    assert (row["tolerance"], row["tolerance_is"]) == ("0.03", "relative")
    data = json.loads(signed.get("/validation/cases.json").content)
    assert len(data["fields"]) == figures
    assert data["engine_version"]


def test_the_weaknesses_stand_on_the_page_in_both_languages(signed):
    english = signed.get(PAGE).content.decode()
    signed.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    chinese = signed.get(PAGE).content.decode()
    for words in ("Serving a mixture of experts", "Serving on AMD", "Failures of small jobs"):
        assert words in english
        assert words not in chinese
    for words in ("混合专家模型的推理", "AMD 上的推理", "小型作业的故障", "模型有多接近"):
        assert words in chinese
    assert english.count("<dt>") == len(WEAKNESSES)


def test_figures_of_a_case_are_written_short():
    assert case_value([1, 2, 3, 4]) == "1; 2; 3; … 4 entries"
    assert case_value({"gpus": 1024}) == "gpus 1,024"
    assert case_value(True) == "yes"
    assert [case_value(4.3e23), case_value(-1.5e12), case_value(999_999_999_999)] == [
        "4.3 × 10²³",
        "−1.5 × 10¹²",
        "999,999,999,999",
    ]
    assert case_error(0.0) == "0\xa0%"
    assert case_error(5e-5) == "< 0.01\xa0%"
    assert case_error(float("inf")) == "–"
    assert (tolerance(0.03, True), tolerance(0.05, False), tolerance(1e-6, True)) == ("± 3\xa0%", "± 0.05", "exact")


def test_a_case_shows_its_inputs_with_the_units_that_it_states(signed):
    assert case_input({"value": 141e9, "unit": "byte"}) == "141,000,000,000\xa0byte"
    assert [case_input({"value": 0.9, "unit": "1"}), case_input(8), case_input([1, 2])] == ["0.9", "8", "1; 2"]
    page = signed.get(PAGE, {"family": "variant"}).content.decode()
    assert '<code lang="en">largest_layer_params</code>' in page

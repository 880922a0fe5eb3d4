"""The sizing page as it is asked for: its address, its rows, what it refuses, who may make a scenario of it."""

import re

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone
from django.utils.html import escape

from catalog.importers.shipped import shipped
from planner.forms import Draft
from planner.models import Scenario
from planner.services import sizing
from planner.views.sizing import VIEW

HTMX = {"HX-Request": "true"}
PAGE = "/sizing/"
RATE = "measured_requests_per_s_per_gpu"


def draft(kind, **given):
    return Draft(sizing.blank(kind, shipped(), timezone.localdate()), given, shipped())


@pytest.mark.parametrize("kind", sizing.KINDS)
def test_the_rows_are_the_fields_that_are_declared_and_no_name_is_taken_twice(kind):
    often, seldom, around = draft(kind).rows()
    names = [draft(kind).name(row.path) for row in [*often, *seldom, *around]]
    assert len(set(names)) == len(names)
    assert not set(names) & {*VIEW, "kind", "like", "shape", "workload", "scenario"}
    declared = set(sizing.KINDS[kind].model_fields) - {"slug", "kind", "model"}
    assert declared <= {name.partition("/")[0] for name in names}
    for row in often:
        assert row.label
        assert row.help


def test_the_address_holds_what_differs_and_gives_it_back():
    typed = draft("serving", requests_per_day="5,000", output_tokens="300", **{"growth/kind": "constant"})
    assert typed.query() == "kind=serving&growth%2Fkind=constant&requests_per_day=5%2C000"
    again = draft("serving", requests_per_day="5,000", **{"growth/kind": "constant"})
    assert again.scenario == typed.scenario


def test_a_model_by_hand_begins_with_the_one_before_and_is_kept_in_the_address():
    typed = draft("serving", preset="", like="llama-3.1-8b", **{"model/params_b": "9"})
    work = typed.scenario.demand.workloads[0]
    assert (work.preset, work.model.params_b, work.model.layers) == (None, 9.0, 32)
    assert "like=llama-3.1-8b" in typed.query()
    assert "model%2Fparams_b=9" in typed.query()
    assert "model%2Flayers" not in typed.query()


def test_layers_that_see_everything_follow_the_layers_of_a_model_by_hand():
    typed = draft("serving", preset="", like="llama-3.1-70b", **{"model/layers": "32"})
    model = typed.scenario.demand.workloads[0].model
    assert (model.layers, model.full_attention_layers) == (32, None)
    windowed = draft("serving", preset="", like="llama-4-scout", **{"model/layers": "24"})
    assert windowed.scenario.demand.workloads[0].model.full_attention_layers == 12


def test_layers_of_a_stored_model_take_those_that_see_everything_along():
    typed = draft("serving", preset="", like="llama-3.1-70b", **{"model/full_attention_layers": "80"})
    stored = typed.scenario.model_dump(mode="json")
    again = Draft(stored, {"model/layers": "32"}, shipped(), stored=True)
    assert again.scenario.demand.workloads[0].model.full_attention_layers is None


def test_more_layers_that_see_everything_than_there_are_are_refused_by_their_name(signed):
    typed = {"kind": "serving", "preset": "", "like": "llama-3.1-70b", "model/full_attention_layers": "81"}
    shown = signed.get(PAGE, typed).content.decode()
    assert "Full-attention layers must lie in 0–80; got 81." in shown


@pytest.mark.parametrize("precision", ["bf16", "fp8", "fp4"])
def test_a_card_that_lacks_a_precision_says_in_what_it_computes(signed, precision):
    typed = {"kind": "serving", "preset": "llama-3.1-8b", "precision": precision, "pick": "v100-32-sxm2"}
    shown = signed.get(PAGE, typed).content.decode()
    assert f"The catalog has no {precision.upper()} rate of this accelerator: it computes in FP16" in shown
    assert "computes in FP16</span>" in shown  # in the list too


def test_a_power_limit_under_half_the_nameplate_is_warned_of(signed):
    asked = {"kind": "training", "pick": "h200-sxm"}
    low, half = (signed.get(PAGE, asked | {"operations/gpu_power_limit_w": w}).content.decode() for w in ("50", "350"))
    assert "A limit of 50 W is under half of the 700 W of this card" in low.replace("\u00a0", " ")
    assert "is under half of" not in half


@pytest.mark.parametrize("typed", [{"kind": "pool", "gpus": "0"}, {"kind": "serving", "requests_per_day": "0"}])
def test_no_work_asks_for_nothing_and_is_no_answer_of_no_gpus(signed, typed):
    shown = plain(signed.get(PAGE, typed).content.decode())
    assert "No work is stated, so nothing is needed." in shown
    assert not re.search(r"(?<![\d.,])0 × \w*(NVIDIA|H200)", shown)
    assert "Make it a scenario" not in shown


def test_work_that_begins_later_needs_nothing_yet(signed):
    typed = {"kind": "pool", "gpus": "0", "growth/kind": "linear", "growth/per_month": "1", "pick": "h200-sxm"}
    shown = plain(signed.get(PAGE, typed).content.decode())
    assert ": nothing is needed yet" in shown
    assert "No work is stated for today" in shown
    assert not re.search(r"(?<![\d.,])0 × \w*(NVIDIA|H200)", shown)


def test_a_model_that_outgrows_every_number_says_so_in_a_sentence(signed):
    typed = {"kind": "serving", "driver": "model_size", "growth/kind": "compound", "growth/rate_per_month": "8"}
    shown = plain(signed.get(PAGE, typed | {"pick": "t4", "preset": "llama-3.1-8b"}).content.decode())
    assert "by the last month no number of GPUs suffices" in shown
    assert "at most no number" not in shown


def test_a_refused_size_of_a_copy_draws_no_memory_of_another_size(signed):
    typed = {"kind": "serving", "replica_gpus": "3", "pick": "h200-sxm", "show": "all"}
    shown = signed.get(PAGE, typed).content.decode()
    assert "A copy of that size does not divide the attention heads" in plain(shown)
    assert "memory-full" not in shown


def test_a_model_of_the_catalog_takes_the_place_of_one_by_hand():
    work = draft("serving", preset="qwen3-8b", **{"model/params_b": "9"}).scenario.demand.workloads[0]
    assert (work.preset, work.model) == ("qwen3-8b", None)


def test_a_curve_of_another_kind_brings_its_own_fields():
    typed = draft("pool", **{"growth/kind": "linear", "growth/per_month": "3"})
    growth = typed.scenario.demand.workloads[0].growth
    assert (growth.kind, growth.per_month) == ("linear", 3.0)
    assert typed.query() == "kind=pool&growth%2Fkind=linear&growth%2Fper_month=3"


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("requests_per_day", "abc", "Requests per day must be a number in 0–1,000,000,000,000\xa0requests / day"),
        ("target_utilisation", "120", "Target utilisation must lie in 0–100\xa0%; got 120"),
        ("preset", "nope", "Model: nope is not in the catalog."),
        ("currency", "XXX", "Currency: XXX is not in the catalog."),
    ],
)
def test_what_is_refused_stands_beside_its_field(signed, name, text, said):
    answer = signed.get(PAGE, {"kind": "serving", name: text})
    assert answer.status_code == 422
    page = answer.content.decode()
    assert said.replace("\xa0", "&nbsp;") in page or said in page
    assert "Make it a scenario" not in page
    if name not in ("preset", "currency"):
        assert f'value="{text}"' in page


def test_a_curve_that_is_none_is_refused_for_the_whole(signed):
    answer = signed.get(PAGE, {"kind": "pool", "growth/kind": "wild"})
    assert answer.status_code == 422
    assert "Growth curve must be one of" in answer.content.decode()


def test_the_page_shows_gpus_tier_power_price_and_source_of_each(signed):
    page = signed.get(PAGE, {"kind": "pool", "gpus": "6", "growth/kind": "constant"}).content.decode()
    row = re.search(r'<tr id="need-h200-sxm".*?</tr>', page, re.S)[0]
    for words in ("8\xa0GPUs", "1\xa0server", "One server", "throughput decides", "10.2\xa0kW", "$340k"):
        assert words in row or words.replace("\xa0", "&nbsp;") in row, words
    assert row.count('class="badge') == 4  # of the card, power, price and rent
    unpriced = re.search(r'<tr id="need-h100-pcie".*?</tr>', page, re.S)[0]
    assert "no quote" in unpriced


def test_sorting_filtering_and_picking_change_the_list_and_nothing_else(signed):
    page = signed.get(PAGE, {"kind": "pool", "sort": "gpus", "vendor": "AMD"}).content.decode()
    slugs = re.findall(r'<tr id="need-([^"]+)"', page)
    assert slugs
    assert {shipped().item("accelerator", slug).vendor for slug in slugs} == {"AMD"}
    gpus = [int(found) for found in re.findall(r"<strong>(\d+)(?:&nbsp;|\xa0)GPU", page)]
    assert gpus == sorted(gpus)
    everything = signed.get(PAGE, {"kind": "serving", "show": "all"}).content.decode()
    assert everything.count('<tr id="need-') == len(shipped().of_kind("accelerator"))
    assert "no rate known" in everything
    picked = signed.get(PAGE, {"kind": "pool", "pick": "b200-sxm"}).content.decode()
    assert re.search(r'id="pick-title">\d+ × B200', picked)


def test_an_edit_answers_with_its_part_and_the_address(signed):
    shape = draft("pool").shape()
    answer = signed.get(PAGE, {"kind": "pool", "gpus": "6", "shape": shape}, headers=HTMX)
    page = answer.content.decode()
    assert answer.headers["HX-Replace-Url"] == "/sizing/?kind=pool&gpus=6"
    assert "<html" not in page
    assert 'id="sizing-answer"' in page
    assert "<form id=" not in page  # the boxes stay under the hands of whoever types
    other = signed.get(PAGE, {"kind": "pool", "growth/kind": "linear", "shape": shape}, headers=HTMX).content.decode()
    assert '<form id="sizing-form"' in other


def test_a_refused_edit_leaves_the_answer_on_the_page(signed):
    answer = signed.get(PAGE, {"kind": "pool", "gpus": "many", "shape": draft("pool").shape()}, headers=HTMX)
    assert answer.headers["HX-Reswap"] == "none"
    assert "must be a number" in answer.content.decode()
    assert 'id="sizing-answer"' not in answer.content.decode()


def test_it_begins_with_a_workload_of_a_scenario(signed, row):
    page = signed.get(f"/s/{row.pk}/sizing/").content.decode()
    assert 'name="gpus"' in page
    assert 'value="16"' in page  # the ceiling of the template
    assert signed.get(PAGE, {"scenario": row.pk, "workload": "pool"}).status_code == 200
    assert signed.get(PAGE, {"scenario": row.pk, "workload": "none"}).status_code == 404
    assert signed.get(PAGE, {"scenario": "987654"}).status_code == 404
    row.refresh_from_db()
    assert row.head.number == 1


def make(client, query, pick):
    return client.post(reverse("planner:sizing_make"), {"query": query, "pick": pick})


def test_an_answer_becomes_a_scenario_with_the_usual_plans(signed):
    answer = make(signed, "kind=pool&gpus=2.5&growth%2Fkind=constant", "h100-nvl")
    made = Scenario.objects.get()
    assert answer.headers["Location"] == f"/s/{made.pk}/"
    document = made.head.document
    assert [plan["slug"] for plan in document["plans"]] == ["scale-out", "servers-now", "cloud"]
    assert document["demand"]["workloads"][0]["gpus"] == 2.5
    assert signed.get(answer.headers["Location"]).status_code == 200


def test_a_scenario_made_here_is_named_in_the_language_of_its_reader(signed):
    make(signed, "kind=serving", "h200-sxm")
    made = Scenario.objects.get()
    assert made.name == ""
    english, chinese = (
        [signed.get(url, headers={"accept-language": language}).content.decode() for url in (f"/s/{made.pk}/", "/")]
        for language in ("en", "zh-hans")
    )
    assert all(">online service<" in page for page in english)
    assert all(">在线服务<" in page for page in chinese)


def test_what_the_scenario_lacks_is_said(signed):
    answer = signed.post(
        reverse("planner:sizing_make"), {"query": "kind=pool", "pick": "h100-pcie"}, follow=True
    ).content.decode()
    assert "No purchase: the catalog has no server with this GPU" in answer


def test_where_nothing_can_be_compared_nothing_is_saved(signed):
    answer = make(signed, "kind=pool", "tpu-v5p")
    assert answer.status_code == 422
    assert "Nothing was saved." in answer.content.decode()
    assert make(signed, "kind=pool", "nope").status_code == 404
    assert make(signed, "kind=pool&gpus=many", "h100-nvl").status_code == 302  # back to the page that says why
    assert not Scenario.objects.exists()


def test_a_viewer_reads_and_makes_nothing(client, viewer):
    client.force_login(viewer)
    page = client.get(PAGE).content.decode()
    assert "Make it a scenario" not in page
    assert "read only" in page
    assert make(client, "kind=pool", "h100-nvl").status_code == 403
    assert not Scenario.objects.exists()


@pytest.mark.parametrize("kind", sizing.KINDS)
def test_every_kind_speaks_chinese(signed, kind):
    signed.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    page = signed.get(PAGE, {"kind": kind, "show": "all"}).content.decode()
    for words in ("我需要什么", "并列比较", "单张 GPU 的显存", "不予推荐" if kind == "serving" else "服务器"):
        assert words in page


def test_of_work_stated_in_gpus_those_gpus_are_told_in_full_and_smaller_ones_with_a_doubt(signed):
    page = signed.get(PAGE, {"kind": "pool"}).content.decode()
    assert re.search(r'id="pick-title">\d+ × H200 141GB SXM5', page)
    assert "whether its jobs fit" not in page
    smaller = signed.get(PAGE, {"kind": "pool", "pick": "rtx-5090"}).content.decode()
    assert "whether its jobs fit" in smaller


def plain(page):
    """The text of a page in one line, its spaces ordinary."""
    text = re.sub(r"<[^>]+>", " ", page).replace("&nbsp;", " ").replace("\xa0", " ")
    return re.sub(r"\s+", " ", text)


def memory_of(page, name):
    """{part: figure} of an accelerator in the table of memory."""
    table = re.search(r'<details class="memory-data">.*?</table>', page, re.S)[0]
    heads = [plain(cell).strip() for cell in re.findall(r"<th scope=\"col\".*?</th>", table, re.S)]
    row = next(row for row in re.findall(r"<tr>.*?</tr>", table, re.S) if f">{name}</th>" in row)
    return dict(zip(heads[1:], (plain(cell).strip() for cell in re.findall(r"<td.*?</td>", row, re.S)), strict=True))


def test_u027_the_cache_of_a_token_of_a_published_model_counts_grouped_heads(signed):
    # huggingface.co/blog/llama31: Llama 3.1 8B keeps 131,072 bytes a token in 16 bit, 8 heads of 32
    page = signed.get(PAGE, {"kind": "serving", "preset": "llama-3.1-8b", "precision": "bf16"}).content.decode()
    assert "The cache of one token takes 131,072 bytes." in plain(page)


PARTS = {
    "training": {"Weights", "Gradients", "Optimiser states", "Activations", "Layer at work"},
    "tuning": {"Weights", "Adapters with their optimiser", "Activations"},
    "serving": {"Weights", "KV cache"},
    "batch": {"Weights", "KV cache"},
}
LONGER = {
    "training": {"sequence": "4608"},
    "tuning": {"sequence": "2304"},
    "serving": {"input_tokens": "4000"},
    "batch": {"input_tokens": "4000"},
}


@pytest.mark.parametrize("kind", PARTS)
def test_u028_memory_is_told_part_by_part_and_a_longer_context_moves_cache_and_activations_only(signed, kind):
    given = {"kind": kind, "preset": "llama-3.1-70b", "accelerator": "h200-sxm", "pick": "b200-sxm"}
    page = signed.get(PAGE, given).content.decode()
    found = memory_of(page, "B200 180GB SXM (HGX/DGX)")
    kept = {"Framework", "Communication buffers", "Kept free for fragmentation"}
    assert set(found) == PARTS[kind] | kept | {"GPUs of one job", "Free", "Usable", "Memory", "Fit"}
    assert found["Fit"] in ("fits", "tight")
    assert 'class="fit-' in re.search(r'<tr id="need-b200-sxm".*?</tr>', page, re.S)[0]
    longer = memory_of(signed.get(PAGE, given | LONGER[kind]).content.decode(), "B200 180GB SXM (HGX/DGX)")
    assert longer["GPUs of one job"] == found["GPUs of one job"]
    moved = {name for name in found if found[name] != longer[name]} - {"Free", "Fit"}
    assert moved <= {"KV cache", "Activations"}


@pytest.mark.parametrize("method", ["full", "lora", "qlora8", "qlora4"])
def test_u028_every_way_of_tuning_has_its_memory(signed, method):
    page = signed.get(PAGE, {"kind": "tuning", "method": method, "pick": "b200-sxm"}).content.decode()
    assert "memory-full" in page
    assert ("Gradients" if method == "full" else "Adapters with their optimiser") in plain(page)


def test_u030_a_power_limit_changes_draw_and_speed_and_says_by_what(signed):
    given = {"kind": "training", "pick": "h200-sxm"}
    full, limited = (
        plain(signed.get(PAGE, given | more).content.decode()) for more in ({}, {"operations/gpu_power_limit_w": "350"})
    )
    assert "Power limit 350 W of 700 W; 76.9 % of the speed" in limited
    assert (
        "hardware/gpu-configs.md" in signed.get(PAGE, given | {"operations/gpu_power_limit_w": "350"}).content.decode()
    )

    def rate(text):
        return float(re.search(r"Rate of one GPU ([\d,.]+)", text)[1].replace(",", ""))

    assert rate(limited) == pytest.approx(rate(full) / 1.30, rel=0.01)
    few = plain(
        signed.get(
            PAGE,
            {"kind": "serving", "requests_per_day": "1000", "pick": "h200-sxm"}
            | {"operations/gpu_power_limit_w": "350"},
        ).content.decode()
    )
    assert "350 W of 700 W; 96.2 % of the speed with" in few


@pytest.mark.parametrize(
    ("kind", "field", "said"),
    [
        ("batch", "measured_rate_per_gpu", "2 items / s"),
        ("hpc", "measured_tflops_per_gpu", "2 TFLOP/s"),
        ("serving", "measured_requests_per_s_per_gpu", "2 requests / s"),
        ("training", "measured_tokens_per_s_per_gpu", "2 tokens / s"),
    ],
)
def test_a_measured_rate_replaces_the_formula_and_is_labelled(signed, kind, field, said):
    given = {"kind": kind, "pick": "h200-sxm", "goodput": "100"}
    if kind not in ("training", "tuning"):
        del given["goodput"]
    measured = plain(signed.get(PAGE, given | {field: "2"}).content.decode())
    assert re.search(rf"Rate of one GPU {re.escape(said)} ✎ measured", measured)
    assert "by formula" in plain(signed.get(PAGE, given).content.decode())


def test_work_without_a_model_needs_a_measured_rate_and_then_has_no_memory(signed):
    none = {"kind": "batch", "preset": "", "model": "off"}
    refused = signed.get(PAGE, none)
    assert refused.status_code == 422
    assert "Give a model, a preset or a measured rate." in plain(refused.content.decode())
    search = signed.get(PAGE, none | {"measured_rate_per_gpu": "500", "items_m_per_month": "5000"})
    assert search.status_code == 200
    assert "not stated for this work" in plain(search.content.decode())
    again = Draft(
        sizing.blank("batch", shipped(), timezone.localdate()), none | {"measured_rate_per_gpu": "500"}, shipped()
    )
    assert "model=off" in again.query()
    assert again.scenario.demand.workloads[0].model is None
    back = draft("batch", preset="", model="on", measured_rate_per_gpu="500").scenario.demand.workloads[0]
    assert back.model is not None
    assert back.measured_rate_per_gpu == 500.0


BAD = ["-99", "1e99", "", "NaN", "inf", "x" * 10_000, "<script>alert(1)</script>"]


@pytest.mark.parametrize("kind", sizing.KINDS)
@pytest.mark.parametrize("text", BAD, ids=[text[:8] or "empty" for text in BAD])
def test_hostile_entries_are_refused_beside_their_field_and_kept(signed, kind, text):
    asked = draft(kind)
    rows = [row for rows in asked.rows() for row in rows if row.kind in ("number", "list", "points")]
    # what is optional may be empty
    refused = [row for row in rows if not (text == "" and (row.optional or row.kind == "points"))]
    answer = signed.get(PAGE, {"kind": kind} | {asked.name(row.path): text for row in refused})
    page = answer.content.decode()
    assert answer.status_code == 422
    assert "<script>alert" not in page
    for row in refused:
        shown = re.search(rf'<div class="arow[^"]*" id="{re.escape(row.id)}">.*?</div></div>', page, re.S)[0]
        assert 'class="error"' in shown, row.path
        if text and len(text) < 100:
            assert escape(text) in shown, row.path


def test_a_scenario_keeps_every_input_of_the_answer(signed):
    query = "kind=serving&requests_per_day=5000&concurrency_p99_to_mean=9&disaggregated=on&currency=EUR&months=48"
    make(signed, query + "&operations%2Fgpu_power_limit_w=500", "h200-sxm")
    document = Scenario.objects.get().head.document
    work = document["demand"]["workloads"][0]
    assert (work["requests_per_day"], work["concurrency_p99_to_mean"], work["disaggregated"]) == (5000.0, 9.0, True)
    assert (document["currency"], document["months"]) == ("EUR", 48)
    assert document["operations"]["gpu_power_limit_w"] == 500.0


def test_a_scenario_made_of_a_scenario_keeps_its_room_and_market(signed, row):
    answer = signed.post(reverse("planner:sizing_make"), {"query": "", "pick": "h100-nvl", "scenario": str(row.pk)})
    made = Scenario.objects.exclude(pk=row.pk).get()
    assert answer.headers["Location"] == f"/s/{made.pk}/"
    for part in ("sites", "market", "operations", "finance"):
        assert made.head.document[part] == row.head.document[part], part


def test_what_runs_other_software_is_not_offered_and_says_what_it_runs(signed):
    page = signed.get(PAGE, {"kind": "pool", "framework": "cuda", "show": "all", "pick": "mi300x"}).content.decode()
    row = plain(re.search(r'<tr id="need-mi300x".*?</tr>', page, re.S)[0])
    assert "other software" in row
    assert "not offered" in row
    assert "It runs ROCm; this work needs CUDA." in plain(page)
    assert "GPU" in plain(re.search(r'<tr id="need-h200-sxm".*?</tr>', page, re.S)[0])


def test_what_decides_is_told_with_the_gpus_it_asks_for(signed):
    given = {"kind": "pool", "gpus": "6", "growth/kind": "constant", "pick": "h200-sxm", "gang_gpus": "2"}
    assert "7.5 GPUs by throughput; the largest job alone would need 2 GPUs" in plain(
        signed.get(PAGE, given).content.decode()
    )

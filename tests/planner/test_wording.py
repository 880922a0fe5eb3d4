"""Words: every code, field and unit has some in both languages; money and numbers read as they should."""

import ast
import datetime as dt
import re
from pathlib import Path
from typing import get_args

import pytest
from django.utils.translation import override

from planner import wording
from planner.engine.calendar import Calendar
from planner.engine.compare import BreakEven
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES
from planner.engine.prices import Source
from planner.engine.quantities import InputError, quantity_of
from planner.engine.result import Finding
from planner.wording import fields, findings, lines, numbers
from tests.planner.sample import bare, book, document, evaluated

ENGINE = Path(wording.__file__).resolve().parents[1] / "engine"
HAN = re.compile("[\u4e00-\u9fff]")
CALENDAR = Calendar("2026-12", 60)
# Words of the field that are the same in both languages.
SAME = {"PUE", "GPU", "MHA", "GQA", "MQA", "MLA", "BF16", "FP8", "FP4", "1", "GPUs"} | {
    *("LoRA", "CUDA", "ROCm", "CANN", "XLA", "Neuron", "oneAPI"),
    *("100G RDMA", "400G RDMA", "8 × 200G RDMA", "8 × 400G RDMA", "8 × 800G RDMA"),
}


def documents():
    """Every class of the scenario document."""
    found, stack = [], [Scenario]
    while stack:
        owner = stack.pop()
        if owner not in found:
            found.append(owner)
            for field in owner.model_fields.values():
                stack += fields.paths.documents_inside(field.annotation)[0]
    return found


FIELDS = [(owner, name) for owner in documents() for name in owner.model_fields]
CHOICES = sorted(
    {
        (name, value)
        for owner, name in FIELDS
        for part in (owner.model_fields[name].annotation, *get_args(owner.model_fields[name].annotation))
        if "Literal" in str(part)
        for value in get_args(part)
        if isinstance(value, (str, int))
    },
    key=str,
)


def calls(*names):
    """Calls of these functions in the engine."""
    for file in sorted(ENGINE.rglob("*.py")):
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call):
                called = getattr(node.func, "attr", None) or getattr(node.func, "id", None)
                if called in names:
                    yield node


def said(node, position):
    """The literal strings of an argument."""
    if len(node.args) <= position:
        return []
    argument = node.args[position]
    return [part.value for part in ast.walk(argument) if isinstance(part, ast.Constant) and isinstance(part.value, str)]


# ── Everything has words ──


@pytest.mark.parametrize(("owner", "name"), FIELDS, ids=[f"{owner.__name__}.{name}" for owner, name in FIELDS])
def test_a_field_has_label_and_help_in_both_languages(owner, name):
    words = fields.words_of(owner, name)
    assert words is not None
    with override("en"):
        label, help_text = str(words.label), str(words.help)
    assert label
    assert help_text.endswith(".")
    with override("zh-hans"):
        assert HAN.search(str(words.help))
        assert HAN.search(str(words.label)) or label in SAME


@pytest.mark.parametrize("code", ["en", "zh-hans"])
def test_a_field_that_may_be_empty_says_what_then_holds(code):
    with override(code):
        mute = [
            f"{owner.__name__}.{name}"
            for owner, name in FIELDS
            if type(None) in get_args(owner.model_fields[name].annotation)
            and not str(fields.words_of(owner, name).empty)
        ]
    assert mute == []


@pytest.mark.parametrize(("name", "value"), CHOICES)
def test_a_choice_has_words_in_both_languages(name, value):
    words = fields.CHOICES[name, value]
    with override("zh-hans"):
        assert HAN.search(str(words)) or str(words) in SAME


def test_every_unit_of_a_quantity_has_words():
    units = {
        quantity_of(owner.model_fields[name]).unit for owner, name in FIELDS if quantity_of(owner.model_fields[name])
    }
    assert units - set(numbers.UNITS) - set(numbers.MONEY_UNITS) == set()


def test_every_category_has_words_in_both_languages():
    assert set(lines.CATEGORY_WORDS) == set(CATEGORIES)
    with override("zh-hans"):
        assert [name for name in CATEGORIES if not HAN.search(wording.category(name))] == []


def test_every_formula_of_the_engine_has_words():
    used = {text for call in calls("add") for text in said(call, 6)}
    assert "energy_it" in used
    assert used - set(lines.FORMULAS) - set(CATEGORIES) == set()  # a category may choose the formula


def test_every_line_of_the_engine_has_a_name():
    named = {code for _category, code in lines.LINE_WORDS}
    used = {text for call in calls("add") if len(call.args) > 6 for text in said(call, 1)}
    used |= {
        "rack",
        "pdu",
        "freight",
        "fabric_freight",
        "machines",
        "fabric",
        "contracted_power",
        "fabric_power",
        "hosts",
        "cards",
    }
    assert used - named == set()


def test_every_planning_default_behind_a_line_has_a_name():
    from planner.engine.costs import COST_ROWS

    assert COST_ROWS - set(lines.ITEM_WORDS) == set()


def test_every_finding_of_the_engine_has_words():
    computed = {f"room_{resource}" for resource in findings.RESOURCES} | {"memory", "deadline"}
    # limits by which machines run or stand have findings of their own
    computed |= {f"limit_{resource}" for resource in set(findings.RESOURCE_UNITS) - set(findings.RESOURCES) - {"noise"}}
    raised = {
        "no_quote",
        "no_rate",
        "not_in_catalog",
        "no_fabric_ports",
        "missing_rate",
        "out_of_bounds",
        "unknown_power",
        "power_not_rising",
    }
    beginnings = {"room_", "limit_"}
    used = {text for call in calls("Finding") for text in said(call, 0)} - beginnings | computed | raised
    assert "cooling_short" in used
    assert used - set(findings.FINDINGS) == set()


def test_every_problem_of_the_engine_has_a_sentence_of_its_own():
    used = {text for call in calls("Problem") for text in said(call, 1)}
    used |= {
        "out_of_bounds",
        "not_a_number",
        "missing",
        "unknown_field",
        "not_a_choice",
        "too_long",
        "bad_format",
        "conflict",
    }
    general = re.compile("cannot be used")
    assert "no_quote" in used
    with override("en"):
        mute = [code for code in used if general.search(wording.problem({"field": "months", "code": code, "value": 1}))]
    assert mute == []


FACTS = {
    "fiscal_year": "2027",
    "spent": 720_000.0,
    "allowed": 500_000.0,
    "covers": "capex",
    "limit_w": 300.0,
    "threshold": 200_000.0,
    "weeks": 8.0,
    "next_site": "office",
    "condition": "used",
    "age_months": 36,
    "service_months": 24,
    "warranty_months": 0,
    "paid": 9000.0,
    "book_months": 60,
    "year": "2027",
    "rules": "cn",
    "nameplate_w": 700.0,
    "provider_class": "large_provider",
    "days": 180,
    "needed": 6.8,
    "limit": 5.0,
    "site": "office",
    "months": 3,
    "resource": "cooling",
    "remedy": "split-ac-24k-installed",
    "remedy_price": 4500.0,
    "remedy_lead_weeks": 6.0,
    "lost_gpu_hours": 1234.0,
    "in_service": 4,
    "item": "srv-8x",
    "gpus": 16,
    "needed_gpus": 16,
    "left_gpus": 1,
    "server_gpus": 8,
    "stranded_gpus": 24,
    "framework": "cuda",
    "software_stack": "ROCm",
    "precision": "fp8",
    "computed": "fp16",
    "country": "CN",
    "stranded_servers": 3,
    "workload": "pool",
    "model": "llama-3.1-70b",
    "spares": 1,
    "served": 0.75,
    "target": 1.0,
    "demand_gpu": 4.0,
    "capacity_gpu": 3.0,
    "dated": "2026-01-05",
    "order_by": "2026-09-01",
    "noise_db": 80.0,
    "gpu_hours": 100.0,
    "cost": 375.0,
    "lead_months": 4,
    "heat_kw": 10.2,
    "cooling_kw": 5.0,
    "max_kw": 9.0,
    "slots": 3,
    "most_gpus": 7,
    "height": 4.0,
    "length_mm": 313.0,
    "length_max_mm": 300.0,
    "category": "opex.staff",
    "amount": 1000.0,
    "plan": "cluster",
    "share": 0.77,
    "servers": 2,
    "network": "10gbe",
    "sizes": [1, 2, 4, 8],
    "region": "CN-BJ",
    "here": "US-VA",
    "zone": "America/New_York",
    "supplier": "Example Systems",
    "number": "Q-1042",
    "ordered": 3.0,
    "least": 4,
    "pack": 4,
    "packs": 1,
    "offered": 4,
    "value_ordered": 100.0,
    "sold_until": 4,
    "currency": "USD",
    "schedule": "es-6-1td",
}


@pytest.fixture(scope="module")
def sample():
    return evaluated()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize("code", sorted(findings.FINDINGS))
def test_a_finding_leaves_no_gap_in_its_sentence(sample, code, language):
    facts = FACTS | ({"limit": "noise"} if code in ("infeasible", "rival_infeasible") else {})
    with override(language):
        for text in (
            wording.finding(Finding(code, 2, facts), sample[0]),
            wording.brief(Finding(code, 2, facts), sample[0]),
        ):
            assert "–" not in text
            assert "{" not in text
            assert bool(HAN.search(text)) == (language == "zh-hans")


# ── Money and numbers ──


@pytest.mark.parametrize(
    ("amount", "currency", "english", "chinese"),
    [
        (1_920_331.55, "USD", "$1.92M", "$192万"),
        (1_920_331.55, "CNY", "¥1.92M", "¥192万"),
        (13_660_000, "CNY", "¥13.7M", "¥1,370万"),
        (18_400, "USD", "$18.4k", "$1.84万"),
        (6_700, "USD", "$6,700", "$6,700"),
        (-226_000, "USD", "−$226k", "−$22.6万"),
        (1_250_000_000, "EUR", "€1.25B", "€12.5亿"),
        (999_950, "USD", "$1.00M", "$100万"),
        (2.61, "USD", "$2.61", "$2.61"),
        (0, "USD", "$0", "$0"),
    ],
)
def test_compact_money_steps_by_language(amount, currency, english, chinese):
    with override("en"):
        assert wording.money(amount, currency, compact=True) == english
    with override("zh-hans"):
        assert wording.money(amount, currency, compact=True) == chinese


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_exact_money_is_grouped_to_its_minor_unit(language):
    with override(language):
        assert wording.money(1_920_331.55, "USD") == "$1,920,331.55"
        assert wording.money(-1_000, "CNY") == "−¥1,000.00"
        assert wording.money(1234.5, "JPY") == "JP¥1,235"
        assert wording.money(1234.5, "CHF") == "CHF\u00a01,234.50"
        assert wording.money(-0.001, "USD") == "$0.00"


def test_U020_a_unit_price_keeps_six_decimals():
    assert wording.unit_price(0.1234567, "USD") == "$0.123457"
    assert wording.unit_price(0.118, "USD") == "$0.118"
    assert wording.unit_price(30_400, "USD") == "$30,400.00"


def test_a_share_is_shown_as_per_cent():
    with override("en"):
        assert wording.percent(0.0825) == "8.25\u00a0%"
        assert wording.percent(0.14, plus=True) == "+14\u00a0%"
        assert wording.percent(-0.12) == "−12\u00a0%"
    with override("zh-hans"):
        assert wording.percent(0.14) == "14%"


def test_a_number_whose_thousands_no_one_counts_is_a_power_of_ten():
    assert [wording.number(value) for value in (1e99, -1.5e30, 1e20)] == ["1e99", "−1.5e30", "100" + 6 * ",000"]
    assert wording.percent(1e99) == "1e101\u00a0%"
    assert wording.money(2.5e40, "USD") == "$2.5e40"


def test_a_number_keeps_four_digits_and_its_real_minus():
    assert [wording.number(value) for value in (5161.3, 0.118, -3.5, 12, float("nan"))] == [
        "5,161",
        "0.118",
        "−3.5",
        "12",
        "–",
    ]


def test_a_month_and_a_day_read_as_in_the_language():
    with override("en"):
        assert wording.month_label(CALENDAR, 14) == "Feb 2028"
        assert wording.date(dt.date(2026, 11, 30)) == "30 Nov 2026"
    with override("zh-hans"):
        assert wording.month_label(CALENDAR, 14) == "2028年2月"
        assert wording.date("2026-11-30") == "2026年11月30日"


def test_U014_a_price_field_shows_currency_and_period():
    with override("en"):
        assert wording.unit("money/kWh", "USD") == "USD / kWh"
        assert wording.unit("money/kW/month", "EUR") == "EUR / kW / mo"
        assert wording.unit("money/FTE/year", "USD") == "USD / FTE / yr"


def test_the_unit_of_a_driver_follows_its_workload():
    with override("en"):
        assert wording.unit("driver", workload={"kind": "pool"}) == "GPU"
        assert wording.unit("driver", workload={"kind": "pool", "gpu_hours_per_month": 100.0}) == "GPU-hours / mo"
        assert wording.unit("driver", workload={"kind": "serving"}) == "requests / day"
        assert wording.unit("driver", workload={"kind": "training", "driver": "runs"}) == "runs / mo"


@pytest.mark.parametrize(
    ("work", "unit"),
    [
        ({"kind": "tuning"}, "runs / mo"),
        ({"kind": "training", "driver": "model_size"}, "×"),
        ({"kind": "serving", "driver": "model_size"}, "×"),
        ({"kind": "batch"}, "million items / mo"),
        ({"kind": "batch", "tokens_b_per_month": 5.0}, "billion tokens / mo"),
        ({"kind": "hpc"}, "EFLOP / mo"),
    ],
)
def test_the_driver_of_every_kind_of_work_has_its_unit(work, unit):
    with override("en"):
        assert wording.unit("driver", "USD", work) == unit


def test_U086_growth_is_typed_and_read_in_per_cent():
    with override("en"):
        assert wording.unit("share/month") == "% / mo"
        assert wording.value_text("demand/workloads/pool/growth/rate_per_month", 0.05) == "5\u00a0% / mo"
    with override("zh-hans"):
        assert wording.unit("share/month") == "% / 月"


# ── Fields by path ──


@pytest.mark.parametrize(
    ("path", "label"),
    [
        ("demand/workloads/pool/growth/rate_per_month", "Growth"),
        ("market/accelerator/rate_per_year", "GPU price change"),
        ("market/wages/rate_per_year", "Wage growth"),
        ("plans/scale-out/overflow/reserved_share", "Reserved share"),
        ("sites/office/upgrades/split/price", "Price"),
        ("lines/opex.staff", "Staff"),
        ("market/residual/card/2/share", "Share of the price"),
        ("market/own_prices/srv-8x", "Own price of srv-8x"),
        ("plans/scale-out", "Plan scale-out"),
        ("demand/workloads/pool", "Workload pool"),
    ],
)
def test_a_path_leads_to_its_label(path, label):
    with override("en"):
        assert wording.label(path) == label


def test_a_document_tells_variants_of_a_field_apart():
    data = document()
    data["demand"]["workloads"][0]["growth"] = {"kind": "linear", "per_month": 2.0}
    assert fields.locate("demand/workloads/pool/growth/kind", data).owner.__name__ == "LinearGrowth"
    assert fields.locate("demand/workloads/pool/growth/kind").owner.__name__ == "ConstantGrowth"
    with override("en"):
        assert wording.label("demand/workloads/pool", data) == "Team pool"


def test_a_path_that_leads_nowhere_is_named_by_its_last_step():
    assert wording.label("demand/nothing/here") == "here"


def test_an_empty_field_says_what_holds_and_a_choice_speaks():
    with override("en"):
        assert wording.value_text("sites/office/electricity_price_per_kwh", None) == "the region's tariff"
        assert wording.value_text("sites/office/cooling_method", "office_air") == "office air conditioning"
        assert wording.value_text("finance/residual_at_horizon", False) == "no"


# ── Names ──


def test_plans_are_named_by_their_settings():
    scenario = Scenario.read(document())
    with override("en"):
        assert list(wording.plan_names(scenario, book()).values()) == [
            "Start with 4, scale out",
            "8-GPU server now",
            "2 servers with fabric now",
            "Cloud",
        ]
    with override("zh-hans"):
        assert wording.plan_name(scenario.plans[0]) == "先买 4 张，逐步扩容"


def test_a_plan_keeps_the_name_it_was_given():
    data = document()
    data["plans"][0]["name"] = "Ada's plan"
    assert wording.plan_name(Scenario.read(data).plans[0]) == "Ada's plan"


def test_two_plans_of_one_name_are_told_apart():
    data = document()
    data["plans"] = [data["plans"][3], {**data["plans"][3], "slug": "cloud-2"}]
    assert wording.plan_names(Scenario.read(data), book()) == {"cloud": "Cloud", "cloud-2": "Cloud (2)"}


@pytest.mark.parametrize("slug", ["small-team", "image-startup", "driving-lab", "office-server"])
def test_a_template_has_title_and_text_in_both_languages(slug):
    with override("zh-hans"):
        assert HAN.search(wording.template_title(slug))
        assert HAN.search(wording.template_text(slug))


def test_a_product_name_says_its_plain_words_in_chinese():
    with override("zh-hans"):
        assert wording.item("srv-8x", book()) == "PowerEdge XE7745 配 8x H200 NVL"
    with override("en"):
        assert wording.item("srv-8x", book()) == "PowerEdge XE7745 with 8x H200 NVL"


# ── Sentences ──


def test_short_cooling_names_month_power_loss_and_remedy(sample):
    facts = {
        "needed": 6.8,
        "limit": 5.0,
        "site": "office",
        "months": 3,
        "resource": "cooling",
        "remedy": "split-ac-24k-installed",
        "remedy_price": 18_400.0,
        "remedy_lead_weeks": 6.0,
        "lost_gpu_hours": 1234.4,
    }
    with override("en"):
        assert wording.finding(Finding("cooling_short", 14, facts), sample[0]) == (
            "From Feb 2028 the machines give off 6.8 kW, and the office carries away 5 kW: they slow down for "
            "3 months and lose 1,234 GPU-hours of work. Remedy: Split air conditioner, 7 kW, installed for $18.4k, "
            "6\u00a0weeks from order."
        )


def test_a_rival_falls_out_for_its_first_limit(sample):
    facts = {
        "needed": 3.0,
        "limit": "room_racks",
        "site": "office",
        "months": 9,
        "resource": "racks",
        "remedy": None,
        "plan": "cluster",
    }
    with override("en"):
        assert wording.finding(Finding("rival_infeasible", 14, facts), sample[0]) == (
            "2 servers with fabric now is not ranked: room full from Feb 2028."
        )


def test_memory_that_never_suffices_is_said_so(sample):
    facts = {"workload": "pool", "item": "srv-8x", "needed_gpus": None, "server_gpus": 8}
    with override("en"):
        assert wording.finding(Finding("memory", 0, facts), sample[0]) == (
            "Team pool does not fit into the memory of PowerEdge XE7745 with 8x H200 NVL, whatever the number of GPUs."
        )


def test_the_verdict_says_cost_margin_service_and_capital():
    with override("en"):
        said = wording.verdict(*bare())
    assert said["title"] == "Buy the 8-GPU server now."
    assert said["text"].replace("\u00a0", " ") == (
        "$8,000 in present value over 12 months, $18.3k (69.6 %) under “Cloud”. It meets demand every month. "
        "It ties up $8,000 at the start."
    )
    assert {"text": "meets demand every month", "tone": "good"} in said["chips"]
    assert {"text": "order-by date 1 Sep 2026 has passed", "tone": "warn"} in said["chips"]
    assert [part["text"] for part in said["parts"] if part["strong"]] == ["$8,000", "$18.3k (69.6\u00a0%)", "$8,000"]
    assert "".join(part["text"] for part in said["parts"]) == said["text"]


def test_the_verdict_in_chinese_holds_no_english():
    with override("zh-hans"):
        said = wording.verdict(*evaluated())
    for text in (said["title"], said["text"], said["by_class"], *(chip["text"] for chip in said["chips"])):
        assert not re.search("[a-z]{3}", text), text


def test_the_verdict_without_a_possible_plan_names_each_limit():
    evaluation, comparison = bare(sites=[{"slug": "room", "racks": 0}], plans=document()["plans"][1:2])
    with override("en"):
        said = wording.verdict(evaluation, comparison)
    assert said["title"] == "No plan meets the demand."
    assert said["chips"] == [{"text": "8-GPU server now: room full from Dec 2026", "tone": "bad"}]


def test_the_verdict_says_whether_the_kind_of_cloud_decides():
    prices = book()
    dear = prices.offers["large-h200"].price.model_copy(update={"amount": 0.1})
    offers = {**prices.offers, "large-h200": prices.offers["large-h200"].model_copy(update={"price": dear})}
    with override("en"):
        assert wording.verdict(*bare())["by_class"] == (
            "“8-GPU server now” is cheapest with the cloud prices of a specialist and of a large provider alike."
        )
        assert wording.verdict(*bare(prices.model_copy(update={"offers": offers})))["by_class"] == (
            "It depends on the cloud: with a specialist's prices “8-GPU server now” is cheapest, with a large "
            "provider's “Cloud”."
        )


def test_break_even_is_a_month_or_none():
    with override("en"):
        assert wording.break_even(BreakEven("always"), CALENDAR) == "always cheaper"
        assert wording.break_even(BreakEven("never"), CALENDAR) == "never cheaper"
        assert wording.break_even(BreakEven("crossings", (52,), True), CALENDAR) == "cheaper from month 52 (Apr 2031)"
        assert (
            wording.break_even(BreakEven("crossings", (3, 9), True), CALENDAR)
            == "changes in month 3 (Mar 2027), month 9 (Sep 2027)"
        )


def test_a_formula_has_the_numbers_of_its_month_put_in():
    evaluation, _comparison = bare()
    cloud = evaluation.plan("cloud").lines[0]
    with override("en"):
        assert wording.formula(cloud, "USD", evaluation.calendar).replace("\u00a0", " ") == (
            "hours used × today's price × cloud price path: 1 GPU × 744 h × $3.00 = $2,232.00 (Dec 2026)"
        )


def test_the_overhead_opens_into_machine_hours_and_pue():
    evaluation, _comparison = evaluated()
    overhead = next(
        line
        for line in evaluation.plan("cluster").lines
        if line.category == "opex.energy_overhead" and line.code == "fabric"
    )
    with override("en"):  # two switches of 0.8 kW over the 744 hours of December 2026
        assert wording.formula(overhead, "USD", evaluation.calendar).replace("\u00a0", " ") == (
            "kWh × tariff × (PUE − 1): 1,190.4 kWh × $0.12 × 0.45 = $64.28 (Dec 2026)"
        )


def test_a_credit_reads_price_age_commission_and_condition():
    evaluation, _comparison = evaluated()
    credit = next(line for line in evaluation.plan("server").lines if line.category == "credit.residual_at_horizon")
    with override("en"):
        text = wording.formula(credit, "USD", evaluation.calendar)
        words, numbers_put_in = text.split(": ")
        assert words == "price paid × share by age × (1 − commission) × condition × speed of sale, in the last month"
        terms, amount = numbers_put_in.split(" (")[0].split(" = ")
        paid, *shares = terms.split(" × ")
        assert {paid[0], amount[0]} == {numbers.MINUS}
        assert [share[-1] for share in shares] == ["%", "%", "1", "1"]


def test_the_printed_numbers_of_a_formula_multiply_to_its_amount():
    def value(text):
        figure = float(re.search(r"[\d,.]+", text)[0].replace(",", ""))
        return (
            figure
            / (100 if "%" in text else 1)
            / (1 if "÷" not in text else float(text.split("÷")[1].replace(",", "")))
        )

    evaluation, _comparison = evaluated()
    with override("en"):
        for line in (line for plan in evaluation.plans for line in plan.lines):
            terms, amount = wording.formula(line, "USD").rpartition(": ")[2].split(" = ")
            product = 1.0
            for term in terms.split(" × "):
                product *= value(term)
            assert product == pytest.approx(value(amount), rel=2e-6, abs=0.02), wording.formula(line, "USD")


# ── Sources and refusals ──


def test_a_quote_names_supplier_number_date_validity_and_rate():
    quote = Source(
        basis="quoted",
        supplier="Karten GmbH",
        number="Q-7",
        dated=dt.date(2026, 11, 2),
        valid_until=dt.date(2027, 1, 31),
        rate=1.1,
        rate_dated=dt.date(2026, 11, 27),
        rate_source="ECB",
        url="https://example.org/q7",
    )
    with override("en"):
        said = wording.source(quote, dt.date(2026, 11, 30))
    assert (said["badge"], said["url"]) == ("quoted", "https://example.org/q7")
    assert said["text"] == "Karten GmbH · no. Q-7 · 2 Nov 2026 · valid until 31 Jan 2027"
    assert said["rate"] == "exchange rate 1.1 · 27 Nov 2026 · ECB"


def test_an_old_price_is_badged_stale_and_an_own_one_never():
    old = dt.date(2026, 5, 1)
    assert wording.source(Source(basis="list", dated=old), dt.date(2026, 11, 30))["badge"] == "stale"
    assert wording.source(Source(basis="own", dated=old), dt.date(2026, 11, 30))["badge"] == "own"


def test_a_note_of_the_catalog_is_marked_as_english_on_a_chinese_page():
    with override("zh-hans"):
        assert wording.source(Source(basis="estimate", note="general knowledge"))["lang"] == "en"
    with override("en"):
        assert wording.source(Source(basis="estimate", note="general knowledge"))["lang"] == ""


def refusal(path, value):
    data = document()
    node = data["demand"]["workloads"][0]
    *steps, last = path
    for step in steps:
        node = node[step]
    node[last] = value
    with pytest.raises(InputError) as refused:
        Scenario.read(data)
    return refused.value


def test_U084_a_refusal_names_field_value_bound_and_unit():
    with override("en"):
        assert wording.say(refusal(("growth", "rate_per_month"), 9.0)).replace("\u00a0", " ") == (
            "Growth must lie in −20–50 % a month; got 900."
        )
        assert wording.say(refusal(("growth", "rate_per_month"), "fast")).replace("\u00a0", " ") == (
            "Growth must be a number in −20–50 % a month; got “fast”."
        )
        assert wording.say(refusal(("scheduler",), "magic")) == (
            "Scheduling must be one of: first come, first served, quotas, quotas and preemption; got “magic”."
        )
    with override("zh-hans"):
        assert wording.say(refusal(("growth", "rate_per_month"), 9.0)) == "增长须在 −20–50% / 月 之间；输入值为 900。"

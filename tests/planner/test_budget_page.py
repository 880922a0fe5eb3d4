"""Configurations by budget: what is typed, what the page says, what is downloaded, what a scenario is made of."""

import csv
import io
import re

import pytest
from django.urls import reverse
from django.utils import timezone

from catalog.importers.shipped import shipped
from catalog.records import Catalog
from planner.engine.inputs import Scenario as Document
from planner.models import Scenario
from planner.services import budget, evaluation

YUAN = {"amount": "¥200万", "region": "CN"}


def page(client, **query):
    answer = client.get(reverse("planner:budget"), query)
    return answer.status_code, answer.content.decode()


def text(html):
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", html))


def rung(html, code):
    """The configurations that a rung of the ladder shows, in their order."""
    body = re.search(rf'<tbody id="rung-{code}">(.*?)</tbody>', html, re.S)
    return re.findall(r'<tr id="c-([^"]+)"', body[1]) if body else None


def test_two_million_yuan_as_it_is_written_in_chinese(signed):
    status, html = page(signed, **YUAN)
    assert status == 200
    assert "Best value for ¥2.00M" in html
    assert re.search(r'name="amount"[^>]*value="2,000,000"', html)
    assert re.search(r'<option value="CNY" selected>', html)
    links = re.findall(r'href="(/budget/[^"]*\?[^"]*)"', html)
    assert len(links) > 20
    assert all("currency=CNY" in link for link in links)


def test_the_page_leads_from_a_workstation_to_a_cluster(signed):
    _status, html = page(signed, **YUAN)
    places = [html.index(f'id="rung-{code}"') for code in ("workstation", "server", "servers", "cluster")]
    assert places == sorted(places)
    assert all(slug.endswith(".x1") for code in ("workstation", "server") for slug in rung(html, code))
    assert all(slug.endswith(".fabric") for slug in rung(html, "cluster"))


def test_one_rung_is_shown_whole_and_sorted_as_asked(signed):
    _status, html = page(signed, **YUAN, group="servers", sort="hours")
    slugs = rung(html, "servers")
    assert rung(html, "cluster") is None
    assert len(slugs) > 3
    answer = answered()
    hours = [answer.of(slug).useful_hours for slug in slugs]
    assert hours == sorted(hours, reverse=True)


def answered():
    base, asked = budget.blank(shipped(), timezone.localdate(), "zh")
    return budget.answer(Document.read(base), budget.Budget.read(asked), shipped())


def test_what_costs_too_much_and_what_has_no_price_are_told_apart_and_never_0(signed):
    _status, html = page(signed, **YUAN)
    assert "Costs more than there is" in html
    assert "too much" in html
    assert "Cannot be priced" in html
    assert not re.search(r">¥0(\.00)?<", html)


def test_rates_are_shown_with_their_day(signed):
    _status, html = page(signed, **YUAN)
    assert re.search(r"USD → CNY 6\.7758 · 1 Jun 2026", html)


def without_rates():
    """The shipped catalog without exchange rates."""
    full = shipped()
    kept = {slug: rows for slug, rows in full.quotes.items() if not any(row.item_kind == "fx" for row in rows)}
    return Catalog({kind: rows for kind, rows in full.items.items() if kind != "fx"}, kept, full.sources)


def test_u026_a_rate_that_all_of_them_need_stops_the_answer_and_is_named(signed, monkeypatch):
    bare = without_rates()
    monkeypatch.setattr(evaluation, "catalog", lambda: bare)
    answer = signed.get(reverse("planner:budget"), headers={"accept-language": "zh-hans"})
    html = answer.content.decode()
    assert "定价日或之前没有从 USD 到 CNY 的已知汇率。" in html
    assert 'id="rung-server"' not in html


def test_u026_what_alone_lacks_a_rate_has_no_price_and_is_counted(signed, monkeypatch):
    """H20 and Ascend are quoted in yuan: without a rate they have no price in dollars, and the others do."""
    bare = without_rates()
    monkeypatch.setattr(evaluation, "catalog", lambda: bare)
    _status, html = page(signed, amount="300000", region="US-VA")
    assert re.search(r"No exchange rate from CNY to USD .* configurations? cannot be priced", html)
    assert "srv-8x-mi300x.x1" in html
    assert "no exchange rate from CNY to USD" in re.search(r'<tr id="c-srv-8x-h20-cn\.x1">(.*?)</tr>', html, re.S)[1]


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ({"amount": "plenty"}, "I have must be a number"),
        ({"amount": ""}, "I have is missing"),
        ({"amount": "-5"}, "I have must be a number"),
        ({"amount": "5000000 billion"}, "I have must lie in"),
        ({"utilisation": "140"}, "Target utilisation must lie in 0–100 %; got 140"),
        ({"months": "0"}, "must lie in 1–120"),
        ({"currency": "XXX"}, "not in the catalog"),
        ({"model": "nobody"}, "not in the catalog"),
        ({"use": "mining"}, "must be one of"),
        ({"amount": "$300k", "currency": "???"}, "not in the catalog"),
    ],
)
def test_what_cannot_be_is_refused_by_field_value_and_bound(signed, query, message):
    status, html = page(signed, **query)
    assert status == 422
    assert message in text(html)
    assert 'id="rung-server"' not in html


def test_a_model_that_must_fit_rules_out_what_does_not_hold_it(signed):
    _status, html = page(signed, **YUAN, use="training", model="llama-3.1-70b")
    shown = [slug for code in ("workstation", "server", "servers", "cluster") for slug in rung(html, code) or []]
    assert "srv-8x-mi300x.x1" in shown
    assert not any(slug.startswith("ws-") for slug in shown)
    assert "Llama 3.1 70B: too little memory" in html


def test_every_figure_of_a_row_opens_to_its_lines(signed):
    _status, html = page(signed, **YUAN)
    row = re.search(r'<tr id="c-srv-8x-h20-cn\.x1">(.*?)</tr>', html, re.S)[1]
    links = {link.replace("&amp;", "&") for link in re.findall(r'href="(/budget/why/[^"]+)"', row)}
    assert {link.split("/")[4] for link in links} == {"hours_per_capex", "capex", "opex", "peak_kw"}
    for link in links:
        answer = signed.get(link)
        assert answer.status_code == 200, link
        assert "H20" in answer.content.decode()
    opened = text(signed.get(next(link for link in links if "/capex/" in link)).content.decode())
    assert "Freight and duty" in opened or "Installation" in opened


@pytest.mark.parametrize("rest", ["nobody/capex/", "ws-2x-rtx-5090.x1/luck/", "srv-8x-ascend-910b-cn.x1/capex/"])
def test_a_figure_that_is_not_there_is_not_found(signed, rest):
    assert signed.get(f"/budget/why/{rest}", YUAN).status_code == 404


def test_a_scenario_holds_the_configuration_and_the_two_beside_it(signed, editor):
    _status, html = page(signed, **YUAN)
    query = re.search(r'name="query" value="([^"]+)"', html)[1].replace("&amp;", "&")
    answer = signed.post(reverse("planner:budget_make"), {"query": query, "pick": "srv-8x-h20-cn.x1"})
    row = Scenario.objects.latest("pk")
    assert answer.headers["Location"] == reverse("planner:workspace", args=[row.pk])
    document = row.head.document
    starts = [(plan["start"]["build"], plan["start"]["quantity"]) for plan in document["plans"]]
    assert len(starts) == 3
    assert starts[0] == ("srv-8x-h20-cn", 1)
    assert (document["currency"], document["sites"][0]["region"]) == ("CNY", "CN")
    result, _comparison = evaluation.evaluated(row.head)
    chosen = next(plan for plan in result.plans if plan.plan.start.build == "srv-8x-h20-cn")
    assert chosen.feasible
    assert chosen.total("capex") <= 2_000_000
    assert document["demand"]["workloads"][0]["gpus"] == pytest.approx(8 * 0.7 * 4000 / 4800, abs=1e-3)


def test_what_cannot_be_bought_makes_no_scenario(signed, row):
    count = Scenario.objects.count()
    for pick in ("srv-8x-h200-sxm.x1", "nobody"):
        answer = signed.post(
            reverse("planner:budget_make"), {"query": "amount=100000&region=CN&currency=CNY", "pick": pick}
        )
        assert answer.status_code == 404
    assert Scenario.objects.count() == count


def test_the_file_has_a_row_for_each_configuration_with_plain_numbers(signed):
    answer = signed.get(reverse("planner:budget_csv"), {**YUAN, "plain": "1", "headers": "codes"})
    assert answer.headers["Content-Disposition"] == 'attachment; filename="configurations.csv"'
    rows = list(csv.DictReader(io.StringIO(answer.content.decode())))
    server = next(row for row in rows if row["build"] == "srv-8x-h20-cn" and row["servers"] == "1")
    assert (server["state"], server["group"], server["gpus"], server["memory_gb"]) == ("fits", "server", "8", "768")
    assert float(server["useful_gpu_hours"]) / float(server["capex"]) == pytest.approx(
        float(server["gpu_hours_per_money"]), rel=1e-6
    )
    unpriced = [row for row in rows if row["state"] == "unpriced"]
    assert unpriced
    assert all(row["capex"] == row["rank"] == "" for row in unpriced)
    ranks = [int(row["rank"]) for row in rows if row["rank"]]
    assert ranks == list(range(1, len(ranks) + 1))


def test_the_file_for_excel_speaks_the_language_and_says_so_by_its_mark(signed):
    answer = signed.get(reverse("planner:budget_csv"), YUAN, headers={"accept-language": "zh-hans"})
    assert answer.content.startswith("\ufeff".encode())
    assert "购置" in answer.content.decode()


def test_of_a_scenario_the_money_is_that_of_its_best_plan_and_the_rooms_are_its_own(signed, row):
    html = signed.get(reverse("planner:budget_of", args=[row.pk])).content.decode()
    assert 'name="region"' not in html
    assert 'name="currency"' not in html
    result, comparison = evaluation.evaluated(row.head)
    first = next(slug for slug in comparison.ranking if result.plan(slug).monthly("capex")[0] > 0)
    spent = result.plan(first).monthly("capex")[0]
    typed = float(re.search(r'name="amount"[^>]*value="([\d,]+)"', html)[1].replace(",", ""))
    assert spent <= typed < spent + 1000


def test_of_a_scenario_another_currency_is_refused_and_not_converted(signed, row):
    answer = signed.get(reverse("planner:budget_of", args=[row.pk]), {"amount": "¥200万"})
    assert answer.status_code == 422
    assert "must be one of: USD; got “CNY”" in text(answer.content.decode())


def test_home_sizing_and_workspace_lead_there(signed, row):
    for address, target in (
        (reverse("planner:home"), "planner:budget"),
        (reverse("planner:sizing"), "planner:budget"),
    ):
        assert f'href="{reverse(target)}"' in signed.get(address).content.decode()
    workspace = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert f'href="{reverse("planner:budget_of", args=[row.pk])}"' in workspace


def test_in_chinese_nothing_is_left_in_english(signed):
    answer = signed.get(reverse("planner:budget"), headers={"accept-language": "zh-hans"})
    html = answer.content.decode()
    assert "从入门到集群" in html
    assert "¥200万" in html
    for words in ("Purchase", "GPU-hours", "budget", "Several", "workstation", "Start a scenario"):
        assert words not in text(html[html.index("<main") :]), words

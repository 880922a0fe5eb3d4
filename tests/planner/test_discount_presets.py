"""Discount rates to choose from: what each fills in, who says so, and what follows inflation."""

import pytest
from django.utils.translation import override

from catalog.discount_rates import discount_rates
from planner.engine.inputs import Scenario
from planner.forms import presets
from planner.services import gallery, scenarios
from tests.planner.sample import document

PATH = "finance/discount_rate"


def with_finance(**finance):
    return Scenario.read({**document(), "finance": finance})


def rate(slug):
    return next(each for each in discount_rates() if each.slug == slug)


@pytest.mark.parametrize(
    ("slug", "inflation", "nominal"),
    [
        ("uk-green-book", 0.025, 0.0609),  # 1.035 × 1.025 − 1 = 0.060875
        ("us-federal", 0.02, 0.0404),  # 1.02² − 1
        ("cn-social", 0.025, 0.08),
        ("us-services", 0.10, 0.0723),
    ],
)
def test_a_real_rate_is_filled_in_with_inflation_and_others_as_they_are(slug, inflation, nominal):
    assert rate(slug).nominal(inflation) == nominal


def test_every_rate_says_who_says_so():
    assert len(discount_rates()) >= 6
    for each in discount_rates():
        assert each.note
        assert each.source_url.startswith("https://") == (each.status == "sourced")


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_choices_read_back_as_the_rate_they_name(language):
    with override(language):
        options = presets.presets(with_finance(inflation_per_year=0.02))
        assert len({each.words for each in options}) == len(options)
    typed = {each.slug: option.text for option in options for each in option.rates}
    assert set(typed) == {each.slug for each in discount_rates()}
    assert (typed["us-federal"], typed["uk-green-book"], typed["startup"]) == ("4.04", "5.57", "17")


def test_equal_rates_are_one_choice_that_names_them_all():
    with override("en"):
        (option,) = [each for each in presets.presets(with_finance(discount_rate=0.08)) if each.chosen]
        assert option.words == "8 %: enterprise, estimate; 8 %: China, social discount rate".replace("8 %", "8\u00a0%")
        assert "enterprise" in option.names
        assert "China" in option.names


def test_a_rate_of_one_s_own_is_none_of_them():
    assert presets.chosen(with_finance(discount_rate=0.0777)) is None
    (found,) = presets.chosen(with_finance(discount_rate=0.0404, inflation_per_year=0.02)).rates
    assert found.slug == "us-federal"


def test_choosing_one_fills_the_field_and_shows_its_source(signed, row):
    number = scenarios.newest(row).number
    answer = signed.post(
        f"/s/{row.pk}/edit/", {"path": PATH, "value": "9.38", "base": number, "chosen": "1"}, HTTP_HX_REQUEST="true"
    )
    assert Scenario.read(scenarios.newest(row).document).finance.discount_rate == 0.0938
    page = answer.content.decode()
    assert 'id="a-finance--discount_rate"' in page  # the whole row comes back, with the figure in its box
    assert 'value="9.38"' in page
    assert "Damodaran, cost of capital by industry (US), January 2026: Auto &amp; Truck" in page


def test_a_rate_typed_into_the_field_leaves_no_other_one_chosen(signed, row):
    number = scenarios.newest(row).number
    answer = signed.post(f"/s/{row.pk}/edit/", {"path": PATH, "value": "7.77", "base": number}, HTTP_HX_REQUEST="true")
    choice = answer.content.decode().partition('id="a-finance--discount_rate-c"')[2].partition("</select>")[0]
    assert "<option" in choice
    assert "selected" not in choice


def test_the_choice_stands_on_the_page_for_who_may_edit(signed, row):
    page = signed.get(f"/s/{row.pk}/").content.decode()
    assert 'id="a-finance--discount_rate-p"' in page
    assert "UK public sector (Green Book), 3.5 % real" in page.replace("\u00a0", " ").replace("\u202f", " ")


def test_the_templates_begin_with_the_estimate_of_an_enterprise():
    for slug in gallery.templates():
        assert presets.chosen(Scenario.read(gallery.document(slug))).rates[0].slug == "enterprise"

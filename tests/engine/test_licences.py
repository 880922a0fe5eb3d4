"""Optional licences and assessments: off until named, priced by GPU, server or assessment. Figures worked by hand."""

import pytest

from tests.engine.sample import amounts, book, cost, evaluated, lines, only, plan, pool

CLOUD = {"slug": "cloud", "overflow": {"accelerator": "gpu", "offer": "cheap"}}


def prices():
    known = book().model_dump(mode="json")["costs"]
    rows = (
        cost("suite", 1200, "GPU-year", "USD"),
        cost("support", 600, "node-year", "USD"),
        cost("level-3", 80_000, "assessment", "CNY") | {"rate": 0.125},
    )
    return book(costs=known | {row["slug"]: row for row in rows})


def named(*subscriptions, plans=(), **more):
    """The first plan of the sample, with subscriptions and no line on but what they bring."""
    operations = {"subscriptions": [{"slug": f"s{n}", **each} for n, each in enumerate(subscriptions)]}
    lines_on = only("opex.software", "opex.compliance")
    found = evaluated(*plans, prices=prices(), operations=operations, lines=lines_on, **more)
    return found, found.plans[0]


def test_nothing_is_counted_until_it_is_named():
    found = evaluated(prices=prices())
    assert {"opex.software", "opex.compliance"} <= set(found.left_out)
    assert amounts(found.plans[0], "opex.software") == [0.0] * 12


def test_a_licence_by_gpu_and_year_is_owed_for_every_gpu_in_service():
    wave = {"kind": "schedule", "waves": [{"month": 3, "quantity": 1}]}
    found, result = named({"item": "suite"}, plans=[plan(follow_up=wave)])
    # 1,200 a year are 100 a month: 8 GPUs, 16 from month 3
    assert amounts(result, "opex.software") == [800.0] * 3 + [1600.0] * 9
    assert "opex.software" not in found.left_out
    assert "opex.compliance" in found.left_out


def test_a_licence_by_server_begins_in_its_month():
    _found, result = named({"item": "support", "from_month": 10})
    assert amounts(result, "opex.software") == [0.0] * 10 + [50.0] * 2


@pytest.mark.parametrize(("rented", "monthly"), [(False, 0.0), (True, 400.0)])
def test_rented_gpus_need_a_licence_only_where_that_is_said(rented, monthly):
    _found, result = named({"item": "suite", "rented": rented}, plans=[CLOUD], work=pool(4.0))
    assert amounts(result, "opex.software") == [monthly] * 12


def test_an_assessment_is_paid_whenever_it_falls_due_at_the_dated_rate():
    _found, result = named({"item": "level-3", "from_month": 2, "every_months": 12}, months=30)
    # 80,000 yuan at 0.125
    assert amounts(result, "opex.compliance") == [10_000.0 if m in (2, 14, 26) else 0.0 for m in range(30)]
    assert lines(result, "opex.compliance")["assessment"].source.item == ""


def test_a_price_of_ones_own_goes_before_the_catalogs():
    _found, result = named({"item": "suite", "price": 600.0}, {"per": "server", "price": 120.0})
    assert amounts(result, "opex.software") == [400.0 + 10.0] * 12


def test_a_row_says_what_its_price_covers_whatever_else_is_said():
    _found, result = named({"item": "suite", "per": "assessment"})
    assert amounts(result, "opex.software") == [800.0] * 12


@pytest.mark.parametrize("terms", [{"name": "mine"}, {"item": "mine"}])
def test_without_a_price_there_is_no_total(terms):
    _found, result = named(terms)
    assert not result.priced
    assert [(each.code, each.facts["item"]) for each in result.infeasible] == [("no_quote", "mine")]

"""Where an item is used: scenarios the reader may see, templates, other items. Of the rest a reader learns nothing."""

import re

import pytest
from django.test import Client

from catalog.models import Item
from planner.models import Membership, PinnedPrices, User, Workspace
from planner.services import scenarios, uses
from tests.planner.conftest import member

BUILD = "/catalog/builds/srv-8x-h200-nvl/"


@pytest.fixture
def facts(db):
    from catalog import services
    from catalog.importers.shipped import shipped

    services.load(shipped())


@pytest.fixture
def row(facts, workspace, editor):
    """A scenario of the workspace that uses a build with 8 H200 NVL."""
    made = scenarios.create_from_template(workspace, editor, "small-team")
    scenarios.edit(made, 1, "name", "Secret plan of the lab", editor)
    made.refresh_from_db()
    assert "srv-8x-h200-nvl" in made.head.prices.book["builds"]
    return made


def used(user, address):
    """The part of an item's page that says where it is used."""
    client = Client()
    client.force_login(user)
    body = client.get(address).content.decode()
    assert "Secret plan" not in body.partition('id="uses"')[0]
    return body.partition('id="uses"')[2].partition("</section>")[0]


def test_members_see_the_scenario_as_a_link(row, editor, viewer):
    for user in (editor, viewer):
        assert f'<a href="/s/{row.pk}/">Secret plan of the lab</a>' in used(user, BUILD)


def test_others_learn_nothing_not_even_that_there_is_one(row):
    elsewhere = Workspace.objects.create(name="Elsewhere")
    others = (
        User.objects.create_user("eve"),
        member(elsewhere, "oz", Membership.Role.OWNER),
        User.objects.create_superuser("root"),
    )
    with_it = [used(user, BUILD) for user in others]
    scenarios.delete(row)
    without = [used(user, BUILD) for user in others]
    assert with_it == without
    assert not any("Secret" in part or "/s/" in part for part in with_it)


def test_a_scenario_that_no_longer_uses_an_item_is_not_named(row, editor):
    assert row in uses.scenarios(editor, Item.objects.get(kind="build", slug="srv-8x-h200-nvl"))
    assert row not in uses.scenarios(editor, Item.objects.get(kind="build", slug="srv-8x-b300"))


@pytest.mark.parametrize(
    ("kind", "slug", "expected"),
    [
        ("accelerator", "h200-nvl", True),
        ("accelerator", "b300-sxm", False),
        ("other", "hgx-h200-8gpu", False),
        ("server", "nvidia-dgx-h100", False),
    ],
)
def test_a_scenario_uses_what_its_prices_hold(row, editor, kind, slug, expected):
    item = Item.objects.get(kind=kind, slug=slug)
    assert (row in uses.scenarios(editor, item)) is expected


def test_a_tariff_is_used_where_its_region_is(row, editor):
    [key] = [key for key in row.head.prices.book["tariffs"] if key.endswith("/commercial")]
    region, customer = key.split("/")
    item = Item.objects.get(kind="tariff", spec__region_code=region, spec__customer_class=customer)
    assert row in uses.scenarios(editor, item)
    other = Item.objects.filter(kind="tariff").exclude(spec__region_code=region).first()
    assert row not in uses.scenarios(editor, other)


@pytest.mark.parametrize(
    ("home", "foreign", "expected"),
    [("USD", "CNY", {"usd-cny"}), ("EUR", "CNY", {"usd-cny", "usd-eur"}), ("USD", "USD", set())],
)
def test_an_exchange_rate_is_used_where_a_price_is_converted_by_it(row, editor, home, foreign, expected):
    book = {"currency": home, "builds": {"x": {"price": {"amount": 1.0, "currency": foreign}}}}
    PinnedPrices.objects.filter(pk=row.head.prices_id).update(book=book)
    rates = Item.objects.filter(kind="fx", slug__in=["usd-cny", "usd-eur", "usd-inr"])
    assert len(rates) == 3
    assert {rate.slug for rate in rates if row in uses.scenarios(editor, rate)} == expected


def test_templates_that_would_use_it_lead_to_the_start_page(row, editor):
    part = used(editor, BUILD)
    assert re.search(r'<a href="/#template-small-team">[^<]+</a>', part)
    client = Client()
    client.force_login(editor)
    assert 'id="template-small-team"' in client.get("/").content.decode()


def test_other_items_are_links_and_too_many_of_them_one_link_to_their_list(facts, viewer):
    part = used(viewer, "/catalog/accelerators/h100-sxm/")
    assert '<a href="/catalog/builds/srv-8x-h100-dgx/">' in part
    assert '<a href="/catalog/accelerators/a100-80-sxm/">' in part  # which it succeeds
    offers = Item.objects.filter(kind="offer", spec__accelerator_slug="h100-sxm").count()
    assert f'<a href="/catalog/cloud/?accelerator_slug=h100-sxm">all {offers}</a>' in part
    assert "/catalog/cloud/aws" not in part


def test_more_scenarios_than_fit_are_counted(row, editor):
    for _each in range(13):
        scenarios.duplicate(row, editor, "Copy")
    part = used(editor, BUILD)
    assert part.count('<a href="/s/') == 12
    assert '<a href="/#mine">2 more</a>' in part


def test_an_item_that_nothing_uses_says_so(facts, viewer):
    assert "No scenario of yours" in used(viewer, "/catalog/prices/hgx-h200-8gpu/")

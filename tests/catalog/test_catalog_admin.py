"""What a steward may and may not save."""

import json
import re
from datetime import timedelta

import pytest
from django.conf import settings
from django.utils import timezone

from catalog import services
from catalog.models import ImportBatch, Item, Quote

pytestmark = pytest.mark.django_db


def quote_data(quote=None, **changes):
    item = quote.item_id if quote else ""
    data = {"item": item, "unit_price": "65600", "currency": "USD", "unit": "each", "kind": "quote", "condition": "new"}
    data |= {"supplier": "Dealer", "number": "Q-1", "source_url": "", "basis": ""}
    data |= {"quoted_on": "2026-11-30", "date_precision": "day", "valid_until": "2026-12-31"}
    return data | changes


def item_data(item, **changes):
    spec = changes.pop("spec", item.spec)
    formset = {"quotes-TOTAL_FORMS": "0", "quotes-INITIAL_FORMS": "0"}
    data = {"kind": item.kind, "slug": item.slug, "name": item.name, "vendor": item.vendor}
    documents = {"spec": json.dumps(spec), "provenance": json.dumps(changes.pop("provenance", item.provenance))}
    return formset | data | documents | changes


def errors_of(response):
    assert response.status_code == 200, "the form was accepted"
    lists = re.findall(r'<ul class="errorlist[^>]*>(.*?)</ul>', response.content.decode(), re.S)
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", " ".join(lists))).replace("&#x27;", "'").strip()


@pytest.fixture
def quote(facts):
    return Quote.objects.get(item__slug="srv-4x-l40s")


@pytest.fixture
def build(facts):
    return Item.objects.get(kind="build", slug="srv-4x-l40s")


def test_a_new_price_is_what_the_planner_gets(steward, quote):
    address = f"/admin/catalog/quote/{quote.pk}/change/"
    assert steward.post(address, quote_data(quote, unit_price="64000.5")).status_code == 302
    [stored] = services.stored(slugs=["srv-4x-l40s"]).quotes_of("srv-4x-l40s")
    assert (str(stored.unit_price), stored.supplier, stored.status) == ("64000.5", "Dealer", "sourced")
    assert Quote.objects.get(pk=quote.pk).edited_by_hand


@pytest.mark.parametrize(
    ("changes", "error"),
    [
        ({"unit": ""}, "This field is required."),
        ({"unit": "  "}, "This field is required."),
        ({"currency": ""}, "A price needs a currency; only a share or a count has none."),
        ({"currency": "XYZ"}, "Currency must be a three-letter code of ISO 4217; got “XYZ”."),
        ({"unit_price": "-1"}, "greater than or equal to 0"),
        ({"unit_price": "NaN"}, "Enter a number."),
        ({"unit_price": "1e400"}, "no more than 15 digits in total"),
        ({"unit_price": "9999999999"}, "no more than 9 digits before the decimal point"),
        ({"valid_until": "2026-01-01"}, "Valid until 2026-01-01 lies before the day of the quote, 2026-11-30."),
        ({"source_url": "javascript:alert(1)"}, "Enter a valid URL."),
    ],
)
def test_a_price_without_unit_currency_or_sense_is_not_saved(steward, quote, changes, error):
    """U014: saving without a unit is rejected."""
    response = steward.post(f"/admin/catalog/quote/{quote.pk}/change/", quote_data(quote, **changes))
    assert error in errors_of(response)
    assert Quote.objects.get(pk=quote.pk).unit_price == 65_600


def test_a_share_needs_no_currency(steward, quote):
    data = quote_data(quote, currency="", unit="percent-of-purchase", unit_price="7")
    assert steward.post("/admin/catalog/quote/add/", data).status_code == 302
    assert Quote.objects.get(unit="percent-of-purchase", item=quote.item).external_id.startswith("hand-")


def test_the_unit_stands_beside_the_price(steward, quote):
    """U014: every price field shows unit and period beside the input."""
    page = steward.get(f"/admin/catalog/quote/{quote.pk}/change/").content.decode()
    line = page.partition('class="form-row field-unit_price field-currency field-unit"')[2]
    assert 'name="unit_price"' in line[:3000]
    assert 'name="currency"' in line[:3000]
    assert 'name="unit"' in line[:3000]
    assert "in USD per each" in page
    inline = steward.get(f"/admin/catalog/item/{quote.item_id}/change/").content.decode()
    assert "in USD per each" in inline


def test_lists_show_price_with_currency_and_unit(steward, facts):
    assert "65,600 USD / each" in steward.get("/admin/catalog/quote/?q=srv-4x-l40s").content.decode()
    page = steward.get("/admin/catalog/item/?q=qm9790").content.decode()
    assert "no quote" in page


def test_lists_can_be_filtered(steward, facts):
    for query in ("kind=tariff", "vendor=Dell", "edited_by_hand__exact=0"):
        assert steward.get(f"/admin/catalog/item/?{query}").status_code == 200
    stale = steward.get("/admin/catalog/quote/?stale=yes").context["cl"].result_count
    fresh = steward.get("/admin/catalog/quote/?stale=no").context["cl"].result_count
    assert stale + fresh == Quote.objects.count()


def test_the_list_of_quotes_says_how_fresh_each_is(steward, facts):
    Quote.objects.filter(item__slug="srv-8x-l40s").update(valid_until=timezone.localdate() - timedelta(days=1))
    page = steward.get("/admin/catalog/quote/?q=srv-8x-l40s").content.decode()
    assert '<td class="field-stale">expired</td>' in page


def test_a_data_sheet_is_checked_by_its_kind(steward, build):
    spec = build.spec | {"max_power_w": -5, "chassis_slots": "many", "colour": "red"}
    errors = errors_of(steward.post(f"/admin/catalog/item/{build.pk}/change/", item_data(build, spec=spec)))
    assert "Maximum power (max_power_w): must lie in 0 to 500,000 W; got “-5”" in errors
    assert "Chassis slots (chassis_slots): must be a whole number slots; got “many”" in errors
    assert "(colour): is not a field of this kind; got “red”" in errors
    assert Item.objects.get(pk=build.pk).spec == build.spec


def test_not_a_number_is_refused(steward, build):
    text = json.dumps(build.spec | {"max_power_w": float("nan")})
    response = steward.post(f"/admin/catalog/item/{build.pk}/change/", item_data(build) | {"spec": text})
    assert "Maximum power (max_power_w): must be a finite number W" in errors_of(response)


def test_fewer_slots_than_cards_is_refused(steward, build):
    response = steward.post(
        f"/admin/catalog/item/{build.pk}/change/", item_data(build, spec=build.spec | {"chassis_slots": 2})
    )
    assert "Chassis slots (chassis_slots): must be at least accelerator_count; got “2”" in errors_of(response)


@pytest.mark.parametrize(
    ("name", "label", "above"),
    [("typical_power_w", "Typical power", "max_power_w"), ("idle_power_w", "Idle power", "typical_power_w")],
)
def test_power_that_does_not_rise_from_idle_to_maximum_is_refused(steward, build, name, label, above):
    watts = build.spec[above] + 1
    response = steward.post(
        f"/admin/catalog/item/{build.pk}/change/", item_data(build, spec=build.spec | {name: watts})
    )
    assert f"{label} ({name}): must not exceed the typical or maximum power" in errors_of(response)
    assert Item.objects.get(pk=build.pk).spec == build.spec


def test_provenance_is_checked(steward, build):
    wrong = [{"status": "certain", "cells": ["max_power_w"]}]
    response = steward.post(f"/admin/catalog/item/{build.pk}/change/", item_data(build, provenance=wrong))
    assert "status must be one of sourced, market, estimate, unverified; got 'certain'" in errors_of(response)


def test_a_data_sheet_edited_by_hand_is_stored_and_kept(steward, build):
    spec = build.spec | {"max_power_w": 2900, "noise_db": None}
    assert steward.post(f"/admin/catalog/item/{build.pk}/change/", item_data(build, spec=spec)).status_code == 302
    stored = services.stored(slugs=["srv-4x-l40s"]).item("build", "srv-4x-l40s")
    assert (stored.spec.max_power_w, stored.spec.noise_db) == (2900, None)
    assert Item.objects.get(pk=build.pk).edited_by_hand


def test_imports_are_to_read(steward, facts):
    batch = ImportBatch.objects.get()
    assert b"builds.csv" in steward.get(f"/admin/catalog/importbatch/{batch.pk}/change/").content
    assert steward.get("/admin/catalog/importbatch/add/").status_code == 403


def test_the_admin_speaks_chinese(steward, build):
    steward.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    spec = build.spec | {"max_power_w": -5}
    errors = errors_of(steward.post(f"/admin/catalog/item/{build.pk}/change/", item_data(build, spec=spec)))
    assert "最大功率（max_power_w）：必须在 0 到 500,000 W 之间；收到“-5”" in errors

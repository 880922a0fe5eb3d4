"""What people type, and what the rows show."""

from dataclasses import replace

import pytest

from catalog.importers.shipped import shipped
from planner import forms, wording
from planner.engine.facility import redundant_kw
from planner.engine.housing import feed_kw
from planner.engine.inputs import Scenario, get_at, set_at
from planner.engine.quantities import InputError
from planner.forms.typed import write_number
from planner.services import evaluation, gallery, scenarios
from tests.planner.conftest import GROWTH

UTILISATION = "demand/workloads/pool/target_utilisation"


@pytest.fixture(scope="module")
def document():
    return Scenario.read(gallery.document("small-team"))


def typed(document, path, text):
    return forms.read(forms.declared(document, path), text)


def row_of(version, path, first=None):
    document = scenarios.read(version.document)
    result, _comparison = evaluation.evaluated(version)
    page = forms.Page(document, result, evaluation.book_of(version.prices_id), shipped(), (first or version).document)
    return page.rows()[path]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 0.05),
        ("5 %", 0.05),
        ("５％", 0.05),
        ("4.1", 0.041),
        ("0", 0.0),
        ("-3", -0.03),
        ("−3", -0.03),
        (" 1 . 5 ", 0.015),
        ("+2", 0.02),
    ],
)
def test_u086_five_means_five_per_cent(document, text, value):
    assert typed(document, GROWTH, text) == value


def test_u086_a_share_shows_the_sign_and_comes_back_as_typed(row):
    shown = row_of(row.head, GROWTH)
    assert (shown.text, shown.unit) == ("4", "% / mo")
    assert row_of(row.head, UTILISATION).unit == "%"


def test_u086_zero_per_cent_is_valid_everywhere_and_the_page_opens(signed, row):
    for path in (GROWTH, "finance/discount_rate", "market/accelerator/rate_per_year", UTILISATION):
        answer = signed.post(f"/s/{row.pk}/edit/", {"path": path, "value": "0", "base": scenarios.newest(row).number})
        assert answer.status_code == 302, path
    assert signed.get(f"/s/{row.pk}/").status_code == 200


def test_u083_no_utilisation_at_all_reads_undefined_not_as_if_it_were_full(signed, row):
    """Work that nobody does costs nothing per useful hour: the figure is undefined, none is computed at 100 %."""
    signed.post(f"/s/{row.pk}/edit/", {"path": "demand/workloads/pool/gpus", "value": "0", "base": 1})
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    assert all(plan.cost_per_useful_gpu_hour is None for plan in result.plans)
    page = signed.get(f"/s/{row.pk}/").content.decode()
    assert "undefined" in page


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("eighty", "not_a_number"),
        ("80x", "not_a_number"),
        ("-1", "out_of_bounds"),
        ("101", "out_of_bounds"),
        ("", "missing"),
        ("NaN", "not_a_number"),
        ("inf", "not_a_number"),
        ("1e9", "out_of_bounds"),
        ("8" * 10_000, "too_long"),
        ("8,0", "not_a_number"),
    ],
)
def test_u084_a_bad_share_is_refused_by_its_name(document, text, code):
    with pytest.raises(InputError) as caught:
        typed(document, UTILISATION, text)
    problem = caught.value.problems[0]
    assert problem.code == code
    assert "/".join(problem.path) == UTILISATION


def test_u084_the_message_stands_beside_the_field_and_the_old_figures_are_marked(signed, row):
    answer = signed.post(f"/s/{row.pk}/edit/", {"path": UTILISATION, "value": "140", "base": 1})
    page = answer.content.decode().replace("\xa0", " ")
    assert answer.status_code == 422
    assert "Target utilisation must lie in 0–100 %; got 140." in page
    assert "the figures below are those of the last valid entries" in page


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,000", 1000),
        ("１，０００", 1000),
        ("1 000", 1000),
        ("1\u202f000", 1000),
        ("1000.50", 1000.5),
        ("1,234,567.5", 1234567.5),
        ("1e3", 1000),
    ],
)
def test_numbers_in_any_hand(document, text, value):
    assert typed(document, "demand/workloads/pool/growth/ceiling", text) == value


def test_a_whole_number_stays_whole(document):
    assert typed(document, "plans/scale-out/start/quantity", "2.0") == 2
    with pytest.raises(InputError) as caught:
        typed(document, "plans/scale-out/start/quantity", "2.5")
    assert caught.value.problems[0].code == "not_whole"


def test_an_empty_optional_field_means_automatic(document):
    assert typed(document, "sites/office/electricity_price_per_kwh", "") is None


def test_an_automatic_field_shows_what_holds_and_whose_it_is(row, editor):
    path = "sites/office/electricity_price_per_kwh"
    shown = row_of(row.head, path)
    assert (shown.text, shown.unit, shown.badge["badge"]) == ("0.1033", "USD / kWh", "market")
    began = row.head
    own = row_of(scenarios.edit(row, 1, path, 0.2, editor), path, began)
    assert (own.text, own.badge["badge"]) == ("0.2", "own")


def test_a_figure_of_the_template_is_nobodys_own_until_it_is_changed(row, editor):
    path = next(each.path for each in forms.walk(scenarios.read(row.head.document)) if each.name == "gpus")
    began = row.head
    assert row_of(began, path).badge["badge"] == "template"
    changed = scenarios.edit(row, 1, path, 7.5, editor)
    assert row_of(changed, path, began).badge["badge"] == "own"


def test_each_path_of_prices_is_named_and_a_month_is_chosen_by_its_name(row):
    document = scenarios.read(row.head.document)
    result, _comparison = evaluation.evaluated(row.head)
    rows = forms.Page(document, result, evaluation.book_of(row.head.prices_id), shipped(), row.head.document).rows()
    named = [each.label for path, each in rows.items() if path.endswith("/by_year")]
    assert len(named) == len(set(named)) == 8
    month = rows["finance/fiscal_year_start_month"]
    assert (month.kind, month.text, month.options[3]) == ("choice", "1", ("4", "April"))


def test_u014_every_price_names_unit_and_period(row):
    result, _comparison = evaluation.evaluated(row.head)
    document = scenarios.read(row.head.document)
    page = forms.Page(document, result, evaluation.book_of(row.head.prices_id), shipped(), row.head.document)
    units = {
        each.path: page.row(each).unit
        for each in page.declared()
        if each.quantity and each.quantity.unit.startswith("money")
    }
    assert all("USD" in unit for unit in units.values())
    assert units["sites/office/electricity_price_per_kwh"] == "USD / kWh"
    prices = {path: unit for path, unit in units.items() if path.startswith("market/own_prices/")}
    assert set(prices.values()) == {"USD / server", "USD / card", "USD / GPU-hour", "USD / piece", "USD / link"}


def test_a_price_per_gpu_hour_is_stored_for_the_instance(row, editor):
    result, _comparison = evaluation.evaluated(row.head)
    document = scenarios.read(row.head.document)
    page = forms.Page(document, result, evaluation.book_of(row.head.prices_id), shipped(), row.head.document)
    for each in page.declared():
        if each.unit == "money/GPU-hour":
            offer = result.book.offers[each.name]
            assert forms.read(each, "2.5") == pytest.approx(2.5 * offer.count)


def test_every_row_can_be_written_back_as_it_is_shown(row):
    """What stands in a box, typed again, is the value it stands for."""
    for slug in gallery.templates():
        document = Scenario.read(gallery.document(slug))
        plain = document.model_dump(mode="json")
        for each in forms.walk(document):
            if each.kind in ("part", "switch") or each.value is None:
                continue
            again = forms.read(each, forms.write(each, each.value))
            assert Scenario.read(set_at(plain, each.path, again)) == document, each.path


EXACT = (1234567.891, 99999.99999, 1e-9, 1e-12, 0.1 + 0.2, 0.07, 130_000.0, 1234567.8912345678, 8.25, 1e12)


@pytest.mark.parametrize("slug", gallery.templates())
def test_every_number_and_list_reads_back_exactly_as_written(slug):
    """No digit is lost between the box and the document, no thousands separator taken for the end of a value."""
    document = Scenario.read(gallery.document(slug))
    plain = document.model_dump(mode="json")
    growth = plain["demand"]["workloads"][0]["slug"]
    for made in (
        {"kind": "table", "values": list(EXACT)},
        {"kind": "steps", "steps": [{"month": n, "value": value} for n, value in enumerate(EXACT)]},
    ):
        document = Scenario.read(set_at(plain, f"demand/workloads/{growth}/growth", made))
        for each in forms.walk(document):
            if each.kind == "number":
                for value in EXACT:
                    low, high = each.quantity.low, each.quantity.high
                    if not each.whole and low <= value <= high:
                        assert forms.read(each, forms.write(each, value)) == value, (each.path, value)
            elif each.kind in ("list", "points") and each.value:
                stored = get_at(document.model_dump(mode="json"), each.path)
                assert forms.read(each, forms.write(each, each.value)) == stored, each.path


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("130,000, 140,000", [130_000, 140_000]),
        ("1,000; 2,000", [1_000, 2_000]),
        ("130000; 140000", [130_000, 140_000]),
        ("130,000\n140,000", [130_000, 140_000]),
        ("10,20,30", [10, 20, 30]),
        ("1\t2\n3", [1, 2, 3]),
        ("10，20；30", None),
        ("１０；２０", [10, 20]),
        ("1 000; 2 000", [1_000, 2_000]),
        ("1,000", [1_000]),
        ("100,200,300", None),
        ("100,200", None),
        ("950, 1,000", None),
        ("1,5; 2,5", None),
        ("10 20 30", None),
    ],
)
def test_a_list_is_read_as_it_is_meant_or_refused(document, text, values):
    path = "demand/workloads/pool/growth"
    table = Scenario.read(set_at(document.model_dump(mode="json"), path, {"kind": "table", "values": [1]}))
    if values is not None:
        assert typed(table, f"{path}/values", text) == values
        return
    with pytest.raises(InputError) as caught:
        typed(table, f"{path}/values", text)
    problem = caught.value.problems[0]
    assert problem.code == "unclear_list"
    assert "semicolons" in wording.problem(problem.as_dict(), "USD", table)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (1234567.891, "1,234,567.891"),
        (99999.99999, "99,999.99999"),
        (1e-9, "0.000000001"),
        (1e-12, "1e−12"),
        (-0.07, "−0.07"),
        (0.0, "0"),
    ],
)
def test_a_number_shows_every_digit_it_has(value, text):
    assert write_number(value) == text


def test_a_price_per_gpu_is_refused_in_the_unit_it_is_typed_in(row):
    result, _comparison = evaluation.evaluated(row.head)
    document = scenarios.read(row.head.document)
    rented = next(each for each in forms.fields.own_prices(document, result) if each.unit == "money/GPU-hour")
    rented = replace(rented, times=8.0)
    with pytest.raises(InputError) as caught:
        forms.read(rented, "-5")
    problem = caught.value.problems[0]
    assert (problem.value, problem.low, problem.high) == (-5, 0, 1e9 / 8)
    assert "must lie in 0–125,000,000 USD / GPU-hour; got −5" in wording.say(caught.value, "USD").replace("\u00a0", " ")


@pytest.mark.parametrize(
    ("kind", "made", "text"),
    [
        (
            "steps",
            {"steps": [{"month": 500, "value": 5}]},
            "Steps, entry 1: Month of the step must lie in 0–120 months; got 500.",
        ),
        ("table", {"values": [5, -1]}, "Monthly table, entry 2 must lie in 0–1,000,000,000,000; got −1."),
        ("table", {"values": [1] * 200}, "Monthly table may have at most 120 entries; got 200."),
    ],
)
def test_a_bad_entry_of_a_list_is_named_with_its_bounds(document, kind, made, text):
    plain = set_at(document.model_dump(mode="json"), "demand/workloads/pool/growth", {"kind": kind, **made})
    with pytest.raises(InputError) as caught:
        Scenario.read(plain)
    assert wording.say(caught.value, "USD", document).replace("\u00a0", " ") == text


def with_every_setting(document):
    """Every plan leased, the after-tax view with a one-off deduction, tenders counted: their fields say something."""
    plain = document.model_dump(mode="json")
    plain["procurement"] |= {"counted": True}
    plain["finance"] |= {"after_tax": True, "tax_depreciation": "china_one_off"}
    for each in plain["plans"]:
        each["financing"] |= {"kind": "lease"}
        each["condition"] |= {"kind": "used", "age_months": 12}
    return type(document).read(plain)


def test_fields_of_a_contract_and_of_the_after_tax_view_show_where_they_say_something(document):
    def shown(document):
        paths = [each.path for each in forms.walk(document)]
        terms = [path.rpartition("/")[2] for path in paths if path.startswith("plans/cloud/financing/")]
        return terms, {path for path in paths if path.startswith("finance/")}

    terms, finance = shown(document)
    assert terms == ["kind"]
    assert {"finance/after_tax", "finance/inflation_per_year"} <= finance
    assert not finance & {"finance/buyer", "finance/profit_tax_rate", "finance/one_off_cap"}
    terms, finance = shown(with_every_setting(document))
    assert {"buy_out_share", "rate_per_year"} <= set(terms)
    assert "repayment" not in terms  # of a loan
    assert {"finance/buyer", "finance/profit_tax_rate", "finance/one_off_cap"} <= finance


def test_the_rows_cover_every_quantity_of_the_document(document):
    """Adding a parameter to the document adds its row: nothing is left without one but what rows of their own show."""
    document = with_every_setting(document)
    paths = {each.path for each in forms.walk(document)}

    def leaves(node, path=""):
        if isinstance(node, dict):
            for key, value in node.items():
                yield from leaves(value, f"{path}/{key}" if path else key)
        elif isinstance(node, list) and node and isinstance(node[0], dict) and "slug" in node[0]:
            for each in node:
                yield from leaves(each, f"{path}/{each['slug']}")
        else:
            yield path

    silent = ("slug", "name", "schema_version", "template", "kind", "strategy", "sourcing", "item", "link", "repayment")
    unused = ("follow_up", "own_prices", "lines", "upgrades", "generations", "contracts", "subscriptions")
    missing = [
        path
        for path in leaves(document.model_dump(mode="json"))
        if path not in paths
        and path.rpartition("/")[2] not in silent
        and not any(part in path.split("/") for part in unused)
    ]
    assert [path for path in missing if get_at(document.model_dump(mode="json"), path) is not None] == []


def test_lists_and_points(document):
    path = "market/residual/system"
    assert typed(document, path, "0: 100, 12: 60") == [{"month": 0, "share": 1.0}, {"month": 12, "share": 0.6}]
    assert typed(document, "market/accelerator/by_year", "-10, −5; 0") == [-0.1, -0.05, 0.0]
    with pytest.raises(InputError):
        typed(document, path, "0 100")


@pytest.mark.parametrize("path", ["name", "plans/cloud/name"])
def test_names_are_text(document, path):
    assert typed(document, path, " GPU ") == "GPU"


@pytest.mark.parametrize(
    "path", ["", "nowhere", "plans/none/name", "demand/workloads/pool/slug", "template", "plans/cloud/strategy"]
)
def test_what_has_no_row_cannot_be_edited(document, path):
    with pytest.raises(InputError) as caught:
        forms.declared(document, path)
    assert caught.value.problems[0].code == "unknown_field"


@pytest.mark.parametrize(
    ("region", "kind", "rating", "usable_kw"),
    [
        ("US-VA", "office", (120.0, 15.0, "single", 1), 1.44),  # 120 × 15 × 80 %
        ("CA-ON", "office", (120.0, 15.0, "single", 1), 1.44),
        ("US-VA", "colocation", (208.0, 60.0, "three", 2), 16.428),  # √3 × 208 × 60 × 80 % × 0.95, the other feed spare
        ("CA-QC", "data_hall", (208.0, 60.0, "three", 2), 16.428),
        ("DE", "office", (400.0, 32.0, "three", 2), 21.062),  # √3 × 400 × 32 × 0.95
        ("CN-GD", "data_hall", (400.0, 32.0, "three", 2), 21.062),
    ],
)
def test_the_feeds_of_a_rack_begin_as_is_usual_for_the_region_and_the_kind_of_room(
    document, region, kind, rating, usable_kw
):
    data = document.model_dump(mode="json")
    data["sites"] = [{"slug": "room", "kind": kind, "region": region}]
    before = Scenario.read(data)
    ((where, wanted),) = forms.changes(before, forms.declared(before, "sites/room/circuit"), True, {}, shipped())
    (site,) = Scenario.read(set_at(data, where, wanted)).sites
    assert (site.circuit.volts, site.circuit.amps, site.circuit.phases, site.circuit.feeds) == rating
    feed = feed_kw(site.circuit)
    assert redundant_kw(feed, site.circuit.feeds, site.circuit.redundancy) == pytest.approx(usable_kw, abs=0.001)


def test_the_feeds_that_an_upgrade_of_an_office_brings_begin_as_those_of_a_data_hall():
    data = gallery.document("small-team")
    (step,) = [step for step in data["sites"][0]["upgrades"] if "circuit" in step]
    del step["circuit"]
    before, path = Scenario.read(data), f"sites/office/upgrades/{step['slug']}/circuit"
    ((where, wanted),) = forms.changes(before, forms.declared(before, path), True, {}, shipped())
    assert where == path
    assert (wanted["volts"], wanted["amps"], wanted["phases"]) == (208.0, 60.0, "three")


def test_the_feeds_of_a_rack_are_switched_on_and_off(document):
    path = next(each.path for each in forms.walk(document) if each.path.endswith("/circuit"))
    feeds = forms.declared(document, path)
    assert feeds.value is False
    ((where, wanted),) = forms.changes(document, feeds, True, {}, shipped())
    room = Scenario.read(set_at(document.model_dump(mode="json"), where, wanted))
    assert forms.declared(room, f"{path}/volts").value == 120.0  # an office in Virginia
    assert forms.changes(room, forms.declared(room, path), False, {}, shipped()) == [(path, None)]


def test_a_group_younger_than_the_document_began_with_its_defaults(row, editor):
    finance = {name: value for name, value in row.head.document["finance"].items() if name != "budget"}
    first = row.head.document | {"finance": finance}
    edited = first | {"finance": finance | {"budget": {"per_year": [300_000.0]}}}
    result, _comparison = evaluation.evaluated(row.head)
    page = forms.Page(scenarios.read(edited), result, evaluation.book_of(row.head.prices_id), shipped(), first)
    changed = {each.path for each in page.declared() if page.row(each).changed}
    assert changed == {"finance/budget/per_year"}

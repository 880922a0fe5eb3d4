"""New generations and support contracts among the assumptions: added, edited, removed, undone."""

import pytest
from django.urls import reverse

from planner import forms, tables, wording
from planner.engine.quantities import InputError
from planner.services import evaluation, scenarios

pytestmark = pytest.mark.django_db


def post(signed, row, name="parts", **data):
    head = scenarios.newest(row)
    return signed.post(reverse(f"planner:{name}", args=[row.pk]), {"base": head.number, **data})


def document(row):
    return scenarios.read(scenarios.newest(row).document)


def test_a_contract_is_added_and_costs_from_its_renewal_month(row, signed):
    assert post(signed, row, action="add", list="contracts").status_code == 302
    [contract] = document(row).operations.contracts
    assert (contract.slug, contract.name, contract.renewal_month) == ("contract", "Warranty extension", 36)
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    line = next(line for line in result.plan("server-now").lines if line.code == "contract")
    assert not line.minor[:36].any()
    assert line.minor[36:].any()


def test_u009_two_contracts_stand_side_by_side_and_one_may_go(row, signed):
    post(signed, row, action="add", list="contracts")
    post(signed, row, action="add", list="contracts")
    assert [each.slug for each in document(row).operations.contracts] == ["contract", "contract-2"]
    post(signed, row, action="remove", list="contracts", slug="contract")
    assert [each.slug for each in document(row).operations.contracts] == ["contract-2"]


def test_a_field_of_a_contract_is_edited_like_any_other(row, signed):
    post(signed, row, action="add", list="contracts")
    path = "operations/contracts/contract/renewal_month"
    assert post(signed, row, "edit", path=path, value="12").status_code == 302
    assert document(row).operations.contracts[0].renewal_month == 12
    refused = post(signed, row, "edit", path=path, value="999")
    assert refused.status_code == 422
    assert "Renewal month must lie in" in refused.content.decode()


def test_a_generation_is_added_for_the_build_in_use_and_priced_with_it(row, signed):
    assert post(signed, row, action="add", list="generations").status_code == 302
    [coming] = document(row).market.generations
    assert (coming.slug, coming.like) == ("generation", "srv-4x-h200-nvl")
    assert "generation" in evaluation.evaluated(scenarios.newest(row))[0].book.builds
    assert "generation" not in evaluation.book_of(scenarios.newest(row).prices_id).builds


def test_adding_is_undone_in_one_step(row, signed, editor):
    post(signed, row, action="add", list="generations")
    scenarios.undo(row, scenarios.newest(row).number, editor)
    assert document(row).market.generations == ()


def test_the_page_shows_each_part_with_its_buttons(row, signed):
    post(signed, row, action="add", list="generations")
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert 'aria-label="Remove Next generation"' in page
    assert "Add a support contract" in page


@pytest.mark.parametrize(
    "data",
    [
        {"action": "remove", "list": "contracts", "slug": "nobody"},
        {"action": "remove", "list": "plans", "slug": "cloud"},
        {"action": "rename", "list": "contracts", "slug": "contract"},
    ],
)
def test_what_is_no_part_is_not_found(row, signed, data):
    assert post(signed, row, **data).status_code == 404


def test_an_unknown_list_is_refused(row):
    with pytest.raises(InputError) as error:
        forms.new_part(document(row), "wishes", evaluation.catalog())
    assert error.value.problems[0].code == "not_a_choice"


def test_a_licence_is_added_with_the_catalogs_price_and_its_source(row, signed):
    assert post(signed, row, action="add", list="subscriptions").status_code == 302
    [licence] = document(row).operations.subscriptions
    assert (licence.slug, licence.item) == ("yearly", "nvidia-ai-enterprise")
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    plan = result.plan("server-now")
    line = next(line for line in plan.lines if line.code == "licence")
    # 3,600 dollars a GPU and year
    assert line.minor[0] == 100 * 300 * plan.fleet.capacity()[0, 0]
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "Licence or assessment: NVIDIA AI Enterprise" in page
    box = page[page.index('id="a-operations--subscriptions--yearly--price"') :][:4000]
    assert 'value="3,600"' in box
    assert "fundalyst.xyz" in box


def test_an_assessment_nobody_has_quoted_leaves_no_total_and_says_where_to_enter_its_price(row, signed):
    post(signed, row, action="add", list="subscriptions")
    path = "operations/subscriptions/yearly"
    assert post(signed, row, "edit", path=f"{path}/item", value="mlps-3-assessment").status_code == 302
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    assert not result.plan("server-now").priced
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "Classified protection (MLPS), level 3 has no quote" in page
    post(signed, row, "edit", path=f"{path}/price", value="12000")
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    line = next(line for line in result.plan("server-now").lines if line.code == "assessment")
    assert line.minor.sum() == 5 * 12_000 * 100  # once a year over 60 months


def test_a_room_to_move_to_is_added_and_taken_away_again_but_never_the_first(row, signed):
    before = [site.slug for site in document(row).sites]
    assert post(signed, row, action="add", list="rooms").status_code == 302
    added = document(row).sites[-1]
    assert (added.slug, added.kind, added.from_month) == ("colocation-2", "colocation", 36)
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert page.count('name="list" value="rooms"') == 1 + 2  # the button that adds, and two rooms that may go
    post(signed, row, action="remove", list="rooms", slug="colocation-2")
    assert [site.slug for site in document(row).sites] == before
    assert post(signed, row, action="remove", list="rooms", slug=before[0]).status_code == 404


def test_a_plan_that_moves_says_what_it_strands_and_one_that_stays_does_not(row, signed):
    post(signed, row, "edit", path="plans/server-now/move_month", value="12")
    post(signed, row, "edit", path="plans/cluster-now/moves", value="")
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    rooms = {plan.slug: [site.slug for site in plan.housing.site_of] for plan in result.plans}
    assert rooms["server-now"] == ["office"] * 12 + ["colocation"] * 48
    assert set(rooms["cluster-now"]) == {"office"}
    url = reverse("planner:statements", args=[row.pk])
    assert "Stranded in a room left, in no sum" in signed.get(url, {"plan": "server-now"}).content.decode()
    assert "Stranded in a room left" not in signed.get(url, {"plan": "cluster-now"}).content.decode()
    said = [wording.finding(each, result) for each in result.plan("server-now").warnings if each.code == "left_room"]
    assert len(said) == 1
    assert "the machines leave the office for" in said[0]
    found = next(each for each in result.plan("server-now").warnings if each.code == "left_room")
    assert tables.remedy_path(found, result.plan("server-now")) == "plans/server-now/move_month"


def test_a_plan_of_used_machines_has_no_total_until_a_price_is_stated(row, signed):
    base = "plans/server-now/condition"
    assert post(signed, row, "edit", path=f"{base}/kind", value="used").status_code == 302
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    assert not result.plan("server-now").priced
    assert result.plan("cloud").priced
    post(signed, row, "edit", path=f"{base}/price_share", value="60")
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    first = evaluation.evaluated(row.versions.get(number=1))[0]

    def server(found):
        return next(line for line in found.plan("server-now").lines if line.code == "server")

    assert server(result).minor[0] == pytest.approx(0.6 * server(first).minor[0], abs=1)
    assert wording.line(server(result), result.book).endswith(", used")
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "is bought used, 36 months old: it serves 24 months more" in page
    assert "Warranty of the seller" in page

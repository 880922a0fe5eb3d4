"""Versions: edits, conflicts, undo and redo."""

import pytest

from planner.engine.inputs import get_at
from planner.engine.quantities import InputError
from planner.models import Scenario, ScenarioVersion
from planner.services import evaluation, scenarios
from planner.services.scenarios import Conflict, NothingTo
from tests.planner.conftest import GROWTH


def figures(version):
    result, comparison = evaluation.evaluated(version)
    return {
        plan.slug: [line.minor.tolist() for line in plan.lines] for plan in result.plans
    }, comparison.verdict.as_dict()


def test_an_edit_writes_a_version_with_its_patch(row, editor):
    version = scenarios.edit(row, 1, GROWTH, 0.08, editor)
    assert (version.number, version.parent.number, version.author) == (2, 1, editor)
    assert version.patch == [[GROWTH, 0.04, 0.08]]
    assert get_at(version.document, GROWTH) == 0.08
    fresh = Scenario.objects.get(pk=row.pk)
    assert fresh.head == version
    assert fresh.last_verdict["present_value"] > 0


def test_an_edit_that_changes_nothing_writes_nothing(row, editor):
    assert scenarios.edit(row, 1, GROWTH, 0.04, editor).number == 1
    assert ScenarioVersion.objects.count() == 1


def test_undo_restores_the_exact_former_figures_and_redo_brings_them_back(row, editor):
    before = figures(row.head)
    grown = scenarios.edit(row, 1, GROWTH, 0.08, editor)
    after = figures(grown)
    assert after != before
    undone = scenarios.undo(row, 2, editor)
    assert (undone.kind, undone.reverses, undone.number) == ("undo", grown, 3)
    assert undone.document == row.versions.get(number=1).document
    assert undone.prices_id == row.versions.get(number=1).prices_id
    assert figures(undone) == before
    redone = scenarios.redo(row, 3, editor)
    assert redone.kind == "redo"
    assert figures(redone) == after


def test_undo_restores_the_prices_of_another_item(row, editor):
    path = "plans/scale-out/start/build"
    first = row.head
    other = scenarios.edit(row, 1, path, "srv-8x-h200-sxm", editor)
    assert other.prices_id != first.prices_id
    assert scenarios.undo(row, 2, editor).prices_id == first.prices_id


def test_a_number_keeps_the_pinned_prices(row, editor):
    assert scenarios.edit(row, 1, GROWTH, 0.08, editor).prices_id == row.versions.get(number=1).prices_id


def test_a_power_limit_reprices_nothing(row, editor):
    before = evaluation.book_of(row.head.prices_id)
    limited = scenarios.edit(row, 1, "operations/gpu_power_limit_w", 300.0, editor)
    after = evaluation.book_of(limited.prices_id)
    assert all(card.tdp_w for card in after.accelerators.values())
    assert (after.builds, after.addons, after.offers) == (before.builds, before.addons, before.offers)


def test_undo_takes_back_only_ones_own_edits(row, editor, colleague):
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    scenarios.edit(row, 2, "finance/discount_rate", 0.1, colleague)
    undone = scenarios.undo(row, 3, editor)
    assert get_at(undone.document, GROWTH) == 0.04
    assert get_at(undone.document, "finance/discount_rate") == 0.1
    with pytest.raises(NothingTo):
        scenarios.undo(row, 4, editor)


def test_undo_conflicts_where_the_value_has_changed_since(row, editor, colleague):
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    scenarios.edit(row, 2, GROWTH, 0.06, colleague)
    with pytest.raises(Conflict) as caught:
        scenarios.undo(row, 3, editor)
    assert caught.value.clashes[0].theirs == 0.06
    assert scenarios.newest(row).number == 3


def test_a_stale_edit_is_refused_with_both_values_and_writes_nothing(row, editor, colleague):
    scenarios.edit(row, 1, GROWTH, 0.08, colleague)
    with pytest.raises(Conflict) as caught:
        scenarios.edit(row, 1, GROWTH, 0.02, editor)
    clash = caught.value.clashes[0]
    assert (clash.base, clash.theirs, clash.mine) == (0.04, 0.08, 0.02)
    assert caught.value.head.author == colleague
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08


def test_a_stale_edit_of_another_field_is_a_conflict_too(row, editor, colleague):
    scenarios.edit(row, 1, GROWTH, 0.08, colleague)
    with pytest.raises(Conflict):
        scenarios.edit(row, 1, "finance/discount_rate", 0.1, editor)
    assert scenarios.newest(row).number == 2


def test_a_save_that_lost_the_race_is_a_conflict(row, editor, colleague, monkeypatch):
    """Another version appears between reading the head and writing: compare-and-set notices."""
    answer = evaluation.answer

    def slow(*args):
        monkeypatch.setattr(evaluation, "answer", answer)
        scenarios.edit(row, 1, "finance/discount_rate", 0.1, colleague)
        return answer(*args)

    monkeypatch.setattr(evaluation, "answer", slow)
    with pytest.raises(Conflict):
        scenarios.edit(row, 1, GROWTH, 0.08, editor)
    head = scenarios.newest(row)
    assert (head.number, head.author) == (2, colleague)


@pytest.mark.parametrize(
    ("path", "value", "code"),
    [
        (GROWTH, 9.0, "out_of_bounds"),
        (GROWTH, "x", "not_a_number"),
        (GROWTH, float("nan"), "not_a_number"),
        ("demand/workloads/pool/nonsense", 1, "unknown_field"),
        ("nowhere", 1, "unknown_field"),
    ],
)
def test_a_refused_value_keeps_the_version(row, editor, path, value, code):
    with pytest.raises(InputError) as caught:
        scenarios.edit(row, 1, path, value, editor)
    assert caught.value.problems[0].code == code
    assert scenarios.newest(row).number == 1


def test_plans_are_added_removed_and_put_back_in_their_place(row, editor):
    slugs = [plan["slug"] for plan in row.head.document["plans"]]
    scenarios.edit(row, 1, f"plans/{slugs[1]}", None, editor)
    removed = scenarios.newest(row)
    assert [plan["slug"] for plan in removed.document["plans"]] == [slugs[0], *slugs[2:]]
    undone = scenarios.undo(row, 2, editor)
    assert undone.document == row.versions.get(number=1).document


def test_seed_makes_one_scenario_for_the_local_owner(db):
    scenarios.seed()
    scenarios.seed()
    assert [row.template for row in Scenario.objects.all()] == ["small-team"]


def test_deleting_a_scenario_removes_its_versions(row, editor):
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    scenarios.undo(row, 2, editor)
    scenarios.delete(row)
    assert not Scenario.objects.exists()
    assert not ScenarioVersion.objects.exists()


def test_u021_another_currency_alters_no_quote_and_going_back_restores_every_figure(row, editor):
    """Changing the currency must not rewrite prices that were quoted or typed in another."""
    item = "market/own_prices/srv-4x-h200-nvl"
    typed = scenarios.edit(row, 1, item, 171_234.56, editor)
    before = figures(typed)
    from catalog.importers.shipped import shipped
    from planner import forms

    def to(currency):
        head = scenarios.newest(row)
        document = scenarios.read(head.document)
        field = forms.declared(document, "currency")
        wanted = forms.changes(document, field, currency, scenarios.first(row).document, shipped())
        return scenarios.change(row, head.number, wanted, editor)

    yuan = to("CNY")
    quote = yuan.prices.book["builds"]["srv-4x-h200-nvl"]["price"]
    assert quote["currency"] == typed.prices.book["builds"]["srv-4x-h200-nvl"]["price"]["currency"] == "USD"
    assert quote["amount"] == typed.prices.book["builds"]["srv-4x-h200-nvl"]["price"]["amount"]
    assert get_at(yuan.document, item) == pytest.approx(171_234.56 * quote["rate"])
    back = to("USD")
    assert back.document == typed.document
    assert figures(back) == before


def test_u024_a_currency_without_a_rate_stops_with_its_name(row, editor):
    with pytest.raises(InputError) as caught:
        scenarios.edit(row, 1, "currency", "XOF", editor)
    problem = caught.value.problems[0]
    assert (problem.code, problem.unit) == ("missing_rate", "XOF")
    assert scenarios.newest(row).document["currency"] == "USD"


def test_a_part_given_without_its_defaults_can_be_undone(row, editor):
    scenarios.edit(row, 1, "plans/cloud/start", {"build": "srv-8x-h200-nvl"}, editor)
    undone = scenarios.undo(row, 2, editor)
    assert undone.document == row.versions.get(number=1).document
    redone = scenarios.redo(row, 3, editor)
    assert redone.document == row.versions.get(number=2).document


def test_an_item_that_the_catalog_does_not_hold_is_refused_by_name(row, editor):
    with pytest.raises(InputError) as refused:
        scenarios.edit(row, 1, "plans/scale-out/start/build", "abc", editor)
    assert [(problem.path, problem.code, problem.value) for problem in refused.value.problems] == [
        (("plans", "scale-out", "start", "build"), "not_in_catalog", "abc")
    ]
    assert scenarios.newest(row).number == 1


def test_an_edit_sent_again_after_its_answer_was_lost_is_no_conflict(row, editor):
    path = "demand/workloads/pool/growth/rate_per_month"
    saved = scenarios.edit(row, 1, path, 0.08, editor)
    assert scenarios.edit(row, 1, path, 0.08, editor).pk == saved.pk

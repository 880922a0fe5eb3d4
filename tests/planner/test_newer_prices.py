"""The catalog moves on: what a scenario pins stays; what moved is listed with its effect, and adopted when asked."""

import dataclasses
import html
import re
from decimal import Decimal

import pytest
from django.utils.timezone import now

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Quote
from planner.engine.quantities import InputError
from planner.services import evaluation, newer_prices, pricebook, scenarios
from planner.services.scenarios import Conflict
from tests.planner.conftest import GROWTH

CHASSIS, SERVER, OTHER = "srv-4x-h200-nvl", "srv-8x-h200-nvl", "srv-8x-h200-sxm"
START = "plans/server-now/start/build"


@pytest.fixture
def market(monkeypatch):
    """Today's catalog: the shipped one, with what `market` says of an item (a factor on its prices, or its quotes)."""
    said = {}

    def catalog():
        return dataclasses.replace(shipped(), quotes={**shipped().quotes, **said})

    def say(slug, change):
        quotes = shipped().quotes[slug]
        said[slug] = (
            [dataclasses.replace(quote, unit_price=quote.unit_price * Decimal(str(change))) for quote in quotes]
            if isinstance(change, (int, float))
            else [change(quote) for quote in quotes]
        )

    say.nothing_of = lambda slug: said.update({slug: []})
    monkeypatch.setattr(evaluation, "catalog", catalog)
    return say


def lines(version, plan):
    """Every cent of a plan's cost lines."""
    result, _comparison = evaluation.evaluated(version)
    return [(line.code, line.item, line.minor.tolist()) for line in result.plan(plan).lines]


def prices(version):
    return evaluation.book_of(version.prices_id)


def offer(version):
    document = scenarios.read(version.document)
    return newer_prices.offered(document, prices(version), evaluation.catalog())


def adopt(row, user, base=None):
    head = scenarios.newest(row)
    return newer_prices.adopt(row, base or head.number, offer(head).book.sha256(), user)


# ── What stays ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_another_item_is_priced_today_and_nothing_else_moves(row, editor, market):
    slugs = [plan["slug"] for plan in row.head.document["plans"]]
    before = {slug: lines(row.head, slug) for slug in slugs}
    market(CHASSIS, 1.5)
    market(OTHER, 2)
    chosen = scenarios.edit(row, 1, START, OTHER, editor)
    held = prices(row.versions.get(number=1))
    assert prices(chosen).builds[CHASSIS] == held.builds[CHASSIS]
    fresh = pricebook.build(shipped(), scenarios.read(chosen.document)).builds[OTHER].price
    assert prices(chosen).builds[OTHER].price.amount == 2 * fresh.amount
    for slug in slugs:
        assert (lines(chosen, slug) == before[slug]) == (slug != "server-now")


def test_the_parts_of_a_pinned_server_stay_with_it(row, editor, market):
    """Its card, the shares of its price that follow their own paths, the offers for its GPU, retail colocation."""
    held = prices(row.head)
    card, rented = held.addons[CHASSIS].slug, next(iter(held.offers))
    for slug in (CHASSIS, card, rented, pricebook.RETAIL_ROW):
        market(slug, 1.3)
    chosen = prices(scenarios.edit(row, 1, START, OTHER, editor))
    for part in ("addons", "offers", "colocation", "costs", "tariffs", "items"):
        assert getattr(chosen, part) == getattr(held, part), part
        assert getattr(held, part)
    assert chosen.builds[CHASSIS] == held.builds[CHASSIS]
    assert "retail" in chosen.colocation


def test_an_offer_that_is_new_to_the_market_does_not_move_the_median_of_a_pinned_one(row, editor, market):
    held = prices(row.head)
    gone = next(slug for slug, each in held.offers.items() if each.price is not None)
    without = held.model_copy(update={"offers": {slug: each for slug, each in held.offers.items() if slug != gone}})
    first = scenarios.reprice(row, 1, without, editor)
    assert gone not in prices(scenarios.edit(row, first.number, START, OTHER, editor)).offers


def test_an_item_newly_named_is_converted_at_the_rate_the_scenario_has(row, editor, market):
    """One currency has one rate in a scenario, also when the catalog corrects it."""
    rate = prices(row.head).costs["staff-de-gpu-engineer-loaded"].rate
    market("usd-eur", 2)
    market(OTHER, lambda quote: dataclasses.replace(quote, currency="EUR"))
    chosen = prices(scenarios.edit(row, 1, START, OTHER, editor))
    assert chosen.builds[OTHER].price.rate == chosen.costs["staff-de-gpu-engineer-loaded"].rate == rate


def test_another_currency_converts_the_pinned_amounts_anew_and_prices_nothing_else(row, editor, market):
    market(CHASSIS, 1.5)
    held = prices(row.head)
    yuan = scenarios.edit(row, 1, "currency", "CNY", editor)
    price = prices(yuan).builds[CHASSIS].price
    assert (price.amount, price.currency) == (held.builds[CHASSIS].price.amount, "USD")
    assert price.rate == pricebook.exchange_rate(shipped(), "USD", "CNY", held.pricing_date)
    back = scenarios.edit(row, 2, "currency", "USD", editor)
    assert back.prices_id == row.versions.get(number=1).prices_id


def test_another_pricing_date_is_the_wish_to_be_priced_anew(row, editor, market):
    market(CHASSIS, 1.5)
    old = prices(row.head).builds[CHASSIS].price.amount
    moved = scenarios.edit(row, 1, "pricing_date", "2026-11-29", editor)
    assert prices(moved).builds[CHASSIS].price.amount == 1.5 * old
    assert scenarios.undo(row, 2, editor).prices_id == row.versions.get(number=1).prices_id


def test_undoing_a_number_keeps_the_prices_a_colleague_adopted_since(row, editor, colleague, market):
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    market(CHASSIS, 1.5)
    adopted = adopt(row, colleague)
    assert scenarios.undo(row, 3, editor).prices_id == adopted.prices_id


def test_undoing_a_pricing_date_keeps_what_a_colleague_chose_since(row, editor, colleague, market):
    scenarios.edit(row, 1, "pricing_date", "2026-11-29", editor)
    market(CHASSIS, 1.5)
    scenarios.edit(row, 2, START, OTHER, colleague)
    undone = prices(scenarios.undo(row, 3, editor))
    assert str(undone.pricing_date) == "2026-11-30"
    assert undone.builds[CHASSIS] == prices(row.versions.get(number=1)).builds[CHASSIS]
    assert undone.builds[OTHER].price is not None


def test_undoing_a_choice_keeps_the_pricing_date_a_colleague_set_since(row, editor, colleague, market):
    scenarios.edit(row, 1, START, OTHER, editor)
    market(SERVER, 1.5)
    scenarios.edit(row, 2, "pricing_date", "2026-11-29", colleague)
    undone = prices(scenarios.undo(row, 3, editor))
    assert str(undone.pricing_date) == "2026-11-29"
    assert OTHER not in undone.builds
    assert undone.builds[SERVER].price.amount == 1.5 * prices(row.versions.get(number=1)).builds[SERVER].price.amount


def test_undoing_a_choice_brings_the_former_item_back_at_its_former_price(row, editor, colleague, market):
    plan = "plans/scale-out/start/build"
    scenarios.edit(row, 1, plan, OTHER, editor)
    market(CHASSIS, 1.5)
    scenarios.edit(row, 2, "plans/cluster-now/start/build", "srv-8x-b200", colleague)
    undone = prices(scenarios.undo(row, 3, editor))
    assert undone.builds[CHASSIS] == prices(row.versions.get(number=1)).builds[CHASSIS]
    assert undone.addons[CHASSIS] == prices(row.versions.get(number=1)).addons[CHASSIS]


# ── What moved ───────────────────────────────────────────────────────────────────────────────────────────────────────


def test_nothing_is_listed_where_nothing_moved(row, market):
    assert offer(row.head).moved == ()
    assert offer(row.head).book == prices(row.head)


def test_a_reworded_remark_is_no_other_price(row, market):
    market(CHASSIS, lambda quote: dataclasses.replace(quote, basis="said otherwise", source_url="https://x.org/new"))
    assert offer(row.head).moved == ()


def test_a_moved_price_is_listed_with_both_prices_and_its_change(row, market):
    market(CHASSIS, 1.5)
    old = prices(row.head).builds[CHASSIS].price
    [found] = offer(row.head).moved
    assert (found.kind, found.slug, found.old.amount, found.new.amount) == (
        "server",
        CHASSIS,
        old.amount,
        1.5 * old.amount,
    )
    assert found.change == pytest.approx(0.5)
    assert found.new.source.dated == old.source.dated


def test_a_new_quote_of_the_same_amount_is_listed_for_its_number_and_date(row, market):
    market(CHASSIS, lambda quote: dataclasses.replace(quote, number="Q-2", supplier="Example Systems"))
    [found] = offer(row.head).moved
    assert (found.new.source.number, found.change) == ("Q-2", 0.0)


def test_a_price_withdrawn_is_no_quote_and_one_that_comes_back_is_listed_too(row, editor, market):
    market.nothing_of(CHASSIS)
    [gone] = offer(row.head).moved
    assert (gone.slug, gone.new, gone.change) == (CHASSIS, None, None)
    adopt(row, editor)
    assert prices(scenarios.newest(row)).builds[CHASSIS].price is None
    market(CHASSIS, 1)
    [back] = offer(scenarios.newest(row)).moved
    assert (back.old, back.new.amount) == (None, prices(row.versions.get(number=1)).builds[CHASSIS].price.amount)


def test_an_exchange_rate_moves_every_price_in_that_currency(row, market):
    foreign = {slug for slug, cost in prices(row.head).costs.items() if cost.currency == "CNY"}
    market("usd-cny", 2)
    found = offer(row.head).moved
    assert {each.key for each in found if each.part == "costs"} == foreign != set()
    assert all(each.old.amount == each.new.amount and each.old.rate != each.new.rate for each in found)


def test_what_the_document_no_longer_names_is_not_listed(row, editor, market):
    version = scenarios.edit(row, 1, "plans/scale-out", None, editor)
    market(CHASSIS, 1.5)
    assert CHASSIS in prices(version).builds
    assert offer(version).moved == ()


# ── Adopting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_u010_open_scenarios_list_which_prices_moved_and_ask_before_adopting(row, editor, market):
    first = row.head
    before = lines(first, "scale-out")
    card = prices(first).addons[CHASSIS].slug
    market(CHASSIS, 1.25)
    market(card, 1.25)
    grown = scenarios.edit(row, 1, GROWTH, 0.05, editor)  # nothing is adopted by the way
    assert grown.prices_id == first.prices_id
    scenarios.undo(row, 2, editor)
    assert lines(scenarios.newest(row), "scale-out") == before
    assert {each.slug for each in offer(scenarios.newest(row)).moved} == {CHASSIS, card}
    adopted = adopt(row, editor)
    assert (adopted.number, adopted.document) == (4, first.document)
    assert lines(adopted, "scale-out") != before
    assert offer(adopted).moved == ()
    undone = scenarios.undo(row, 4, editor)
    assert undone.prices_id == first.prices_id
    assert lines(undone, "scale-out") == before
    assert scenarios.redo(row, 5, editor).prices_id == adopted.prices_id


def test_the_adopted_book_is_that_of_a_scenario_priced_today(row, editor, market):
    """Shares of a server's price follow its price and its card's: none is left behind."""
    card, rented = prices(row.head).addons[CHASSIS].slug, next(iter(prices(row.head).offers))
    for slug in (CHASSIS, card, rented, "qm9700"):
        market(slug, 1.25)
    market.nothing_of(SERVER)
    adopted = adopt(row, editor)
    assert prices(adopted) == pricebook.build(evaluation.catalog(), scenarios.read(adopted.document))


def test_prices_that_moved_again_since_they_were_shown_are_not_adopted(row, editor, market):
    market(CHASSIS, 1.5)
    shown = offer(row.head).book.sha256()
    market(CHASSIS, 1.7)
    with pytest.raises(newer_prices.MovedAgain):
        newer_prices.adopt(row, 1, shown, editor)
    assert scenarios.newest(row).number == 1


def test_adopting_on_top_of_an_edit_that_was_not_seen_is_a_conflict(row, editor, colleague, market):
    market(CHASSIS, 1.5)
    shown = offer(row.head).book.sha256()
    scenarios.edit(row, 1, GROWTH, 0.08, colleague)
    with pytest.raises(Conflict) as caught:
        newer_prices.adopt(row, 1, shown, editor)
    assert (caught.value.head.author, caught.value.changes) == (colleague, [[GROWTH, 0.04, 0.08]])
    assert scenarios.newest(row).number == 2


def test_adopting_again_after_the_answer_was_lost_writes_nothing(row, editor, market):
    market(CHASSIS, 1.5)
    shown = offer(row.head).book.sha256()
    adopted = newer_prices.adopt(row, 1, shown, editor)
    assert newer_prices.adopt(row, 1, shown, editor) == adopted
    assert row.versions.count() == 2


def test_undoing_an_adoption_leaves_an_item_that_a_colleague_chose_since(row, editor, colleague, market):
    market(CHASSIS, 1.5)
    adopt(row, editor)
    chosen = scenarios.edit(row, 2, START, OTHER, colleague)
    undone = scenarios.undo(row, 3, editor)
    assert prices(undone).builds[CHASSIS] == prices(row.versions.get(number=1)).builds[CHASSIS]
    assert prices(undone).builds[OTHER] == prices(chosen).builds[OTHER]
    assert undone.document == chosen.document


def test_undoing_an_adoption_conflicts_where_a_colleague_adopted_newer_ones_since(row, editor, colleague, market):
    market(CHASSIS, 1.5)
    adopt(row, editor)
    market(CHASSIS, 1.7)
    newer = adopt(row, colleague)
    with pytest.raises(Conflict):
        scenarios.undo(row, 3, editor)
    assert scenarios.newest(row) == newer


def test_the_effect_is_the_answer_with_and_without_them(row, market):
    market(CHASSIS, 2)
    found = offer(row.head)
    now, then = (newer_prices.answer(row.head, book) for book in (prices(row.head), found.book))
    assert now.result.plan("cloud").present_value == then.result.plan("cloud").present_value
    assert now.result.plan("scale-out").present_value < then.result.plan("scale-out").present_value
    assert row.versions.count() == 1


def test_what_cannot_be_computed_with_the_newer_prices_is_not_adopted(row, editor, monkeypatch):
    """A planning default that every plan needs is gone from the catalog."""
    costs = {slug: item for slug, item in shipped().items["cost"].items() if slug != "commissioning-days"}
    catalog = dataclasses.replace(shipped(), items={**shipped().items, "cost": costs})
    monkeypatch.setattr(evaluation, "catalog", lambda: catalog)
    found = offer(row.head)
    assert [(each.slug, each.new) for each in found.moved] == [("commissioning-days", None)]
    assert newer_prices.answer(row.head, found.book).problem is not None
    with pytest.raises(InputError):
        adopt(row, editor)
    assert scenarios.newest(row).number == 1


# ── The page ─────────────────────────────────────────────────────────────────────────────────────────────────────────

NOTICE = "changed in the catalog since this version was priced"


def text(answer):
    """The words of a page, without its tags."""
    return " ".join(html.unescape(re.sub(r"<[^>]*>", " ", answer.content.decode())).split())


def shown_prices(answer):
    return re.search(r'name="prices" value="(\w+)"', answer.content.decode())[1]


def test_the_workspace_says_how_many_prices_moved_and_nothing_where_none_did(signed, row, market):
    assert NOTICE not in text(signed.get(f"/s/{row.pk}/"))
    market(CHASSIS, 1.5)
    assert "1 price has " + NOTICE in text(signed.get(f"/s/{row.pk}/"))
    market(SERVER, 1.5)
    page = signed.get(f"/s/{row.pk}/")
    assert "2 prices have " + NOTICE in text(page)
    assert f'href="/s/{row.pk}/prices/"' in page.content.decode()


def test_the_page_shows_old_and_new_price_the_effect_on_each_plan_and_the_verdict(signed, row, market):
    """The chassis with 4 cards costs 173,600 here and 260,400 in the catalog; the cloud does not ask what it costs."""
    market(CHASSIS, 1.5)
    found = text(signed.get(f"/s/{row.pk}/prices/"))
    assert "1 price has moved" in found
    for part in ("$173,600.00 / server estimate", "$260,400.00 / server estimate", "+50 %"):
        assert part in found
    effects = re.search(r'id="effects".*?</table>', signed.get(f"/s/{row.pk}/prices/").content.decode(), re.S)[0]
    rows = [" ".join(re.sub(r"<[^>]*>", " ", each).split()) for each in effects.split("<tr")[2:]]
    assert len(rows) == 4
    assert [each.endswith("unchanged") for each in rows if "loud" in each] == [True]
    assert sum(each.endswith("unchanged") for each in rows) == 3


def test_a_verdict_that_would_change_is_said(signed, row, market):
    assert evaluation.evaluated(row.head)[1].verdict.plan == "cloud"
    market(CHASSIS, 1.0001)
    assert "The verdict would change" not in text(signed.get(f"/s/{row.pk}/prices/"))
    for slug in (CHASSIS, prices(row.head).addons[CHASSIS].slug):
        market(slug, 0.05)
    assert "The verdict would change from “" in text(signed.get(f"/s/{row.pk}/prices/"))


def test_adopting_leads_back_to_a_workspace_without_the_notice_and_undo_brings_it_back(signed, row, market):
    market(CHASSIS, 1.5)
    page = signed.get(f"/s/{row.pk}/prices/")
    answer = signed.post(f"/s/{row.pk}/prices/adopt/", {"base": "1", "prices": shown_prices(page)}, follow=True)
    assert answer.redirect_chain == [(f"/s/{row.pk}/", 302)]
    assert "The newer prices are adopted" in text(answer)
    assert NOTICE not in text(answer)
    assert "nothing to adopt" in text(signed.get(f"/s/{row.pk}/prices/"))
    assert NOTICE in text(signed.post(f"/s/{row.pk}/undo/", {"base": "2"}, follow=True))


def test_the_notice_comes_and_goes_with_an_edit_in_place(signed, row, market):
    market(CHASSIS, 1.5)
    edit = {"path": "pricing_date", "value": "2026-11-29", "base": "1"}
    body = signed.post(f"/s/{row.pk}/edit/", edit, headers={"HX-Request": "true"}).content.decode()
    assert '<div id="newer-prices" hx-swap-oob="true"></div>' in body


def test_a_page_that_is_behind_the_catalog_or_the_scenario_adopts_nothing(signed, row, colleague, market):
    market(CHASSIS, 1.5)
    stale = {"base": "1", "prices": shown_prices(signed.get(f"/s/{row.pk}/prices/"))}
    market(CHASSIS, 1.7)
    answer = signed.post(f"/s/{row.pk}/prices/adopt/", stale)
    assert answer.status_code == 409
    assert "prices have moved again" in text(answer)
    assert "$295,120.00" in text(answer)  # 173,600 × 1.7
    adopt(row, colleague)
    answer = signed.post(f"/s/{row.pk}/prices/adopt/", stale)
    assert answer.status_code == 409
    assert "somebody changed this scenario in between" in text(answer)
    assert "Changed in between: Prices from the catalog from" in text(answer)
    assert scenarios.newest(row).number == 2


def test_a_viewer_reads_the_page_but_is_offered_nothing(client, row, viewer, market):
    market(CHASSIS, 1.5)
    client.force_login(viewer)
    page = client.get(f"/s/{row.pk}/prices/")
    assert "1 price has moved" in text(page)
    assert "prices/adopt/" not in page.content.decode()


def test_an_own_price_is_said_to_stand(signed, row, editor, market):
    scenarios.edit(row, 1, f"market/own_prices/{CHASSIS}", 30_000.0, editor)
    market(CHASSIS, 1.5)
    found = text(signed.get(f"/s/{row.pk}/prices/"))
    assert "your own price is used" in found
    assert found.count("unchanged") == 4


def test_a_price_edited_in_the_stored_catalog_is_offered(signed, workspace, editor):
    catalog_services.load(shipped())
    row = scenarios.create_from_template(workspace, editor, "small-team")
    Quote.objects.filter(item__slug=CHASSIS, item__kind="build").update(unit_price=Decimal(40_000), updated_at=now())
    assert "1 price has " + NOTICE in text(signed.get(f"/s/{row.pk}/"))
    assert "$40,000.00 / server" in text(signed.get(f"/s/{row.pk}/prices/"))

"""Records into rows and back: all or nothing, once per content, and the same objects come out."""

import dataclasses
import time
from datetime import date
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError

from catalog import services
from catalog.importers import read
from catalog.importers.shipped import DATA, shipped
from catalog.models import ImportBatch, Item, Quote, Source

pytestmark = pytest.mark.django_db

QUOTES = "item_slug,item_kind,description,price,currency,unit,condition,quote_date,source_type,source_url,note\n"


def quotes(*rows):
    lines = [
        f"{slug},nic,An adapter,{price},USD,each,new,2026-01-01,list,https://example.com/a," for slug, price in rows
    ]
    return read({"price_quotes.csv": (QUOTES + "\n".join(lines) + "\n").encode()})


def everything():
    """How many items and quotes are shipped."""
    return sum(shipped().counts().values())


def test_the_first_load_saves_everything_and_the_second_nothing():
    seconds = []
    for _ in range(4):
        begun = time.perf_counter()
        changes = services.load(shipped())
        seconds.append(time.perf_counter() - begun)
        if len(seconds) == 1:
            assert (changes.added, changes.changed, changes.unchanged) == (everything(), 0, 0)
    assert (changes.added, changes.changed, changes.unchanged, changes.already) == (0, 0, everything(), True)
    assert ImportBatch.objects.count() == 1
    assert seconds[0] < 3
    assert min(seconds[1:]) < 0.2


def test_what_is_stored_are_the_very_records_of_the_files():
    services.load(shipped())
    stored = services.stored()
    assert stored.items == shipped().items
    assert stored.quotes == shipped().quotes


def test_a_part_of_the_catalog_by_kind_and_slug():
    services.load(shipped())
    part = services.stored(kinds=["build", "addon"], slugs=["srv-4x-l40s", "add-1x-l40s-to-srv-4x-l40s"])
    assert part.counts() == {"build": 1, "addon": 1, "quotes": 2}


def test_a_price_edited_in_a_row_is_what_is_stored():
    services.load(shipped())
    Quote.objects.filter(item__slug="srv-8x-l40s").update(unit_price="99000.5")
    assert services.stored(slugs=["srv-8x-l40s"]).quotes_of("srv-8x-l40s")[0].unit_price == Decimal("99000.5")


def test_comparing_again_finds_no_change():
    services.load(shipped())
    again = services.load(shipped(), again=True)
    assert (again.added, again.changed, again.unchanged, again.already) == (0, 0, everything(), False)


def test_a_corrected_price_changes_one_quote_and_adds_none():
    services.load(quotes(("a", 1), ("b", 2)))
    changes = services.load(quotes(("a", 1), ("b", 3)))
    assert changes.quotes.counts() == {"added": 0, "changed": 1, "kept": 0, "unchanged": 1}
    assert services.stored().quotes_of("b")[0].unit_price == 3


def test_rows_edited_by_hand_are_kept_and_named():
    services.load(quotes(("a", 1)))
    Quote.objects.update(unit_price=5, edited_by_hand=True)
    Item.objects.update(name="Ours", edited_by_hand=True)
    changes = services.load(quotes(("a", 2)))
    assert changes.items.kept == ["other a"]
    assert changes.quotes.kept[0].startswith("other a ")
    assert (changes.kept, changes.changed) == (2, 0)
    assert (Quote.objects.get().unit_price, Item.objects.get().name) == (5, "Ours")


def test_a_preview_saves_nothing():
    services.load(quotes(("a", 1)))
    assert services.preview(quotes(("a", 2), ("b", 1))).quotes.counts() == {
        "added": 1,
        "changed": 1,
        "kept": 0,
        "unchanged": 0,
    }
    assert Quote.objects.count() == 1


def test_a_load_that_fails_half_way_leaves_nothing(monkeypatch):
    """U127: an import is taken over whole or not at all."""

    def breaks(*args, **kwargs):
        raise IntegrityError("the disk is full")

    monkeypatch.setattr(Quote.objects, "bulk_create", breaks)
    with pytest.raises(IntegrityError):
        services.load(quotes(("a", 1)))
    assert (Item.objects.count(), ImportBatch.objects.count(), Source.objects.count()) == (0, 0, 0)


def test_a_quote_of_an_item_that_does_not_exist_is_refused_whole():
    orphan = dataclasses.replace(quotes(("a", 1)), items={})
    with pytest.raises(ValueError, match="other 'a', which is not in the catalog"):
        services.load(orphan)
    assert ImportBatch.objects.count() == 0


def test_files_are_recorded_with_their_hash():
    services.load(shipped())
    assert ImportBatch.objects.get().counts["items"]["added"] == Item.objects.count()
    assert Source.objects.get(name="builds.csv").rows == 37
    assert len(Source.objects.get(name="builds.csv").sha256) == 64


def test_effective_on_is_issued_and_not_expired():
    services.load(quotes(("a", 1)))
    Quote.objects.update(valid_until=date(2026, 6, 30))
    assert Quote.objects.effective_on(date(2025, 12, 31)).count() == 0
    assert Quote.objects.effective_on(date(2026, 1, 1)).count() == 1
    assert Quote.objects.effective_on(date(2026, 6, 30)).count() == 1
    assert Quote.objects.effective_on(date(2026, 7, 1)).count() == 0


def test_search_wants_every_word_somewhere():
    services.load(shipped())
    assert {i.slug for i in Item.objects.of_kind("build").search("8x h200 sxm")} == {"srv-8x-h200-sxm"}
    assert Item.objects.of_kind("accelerator").search("hopper nvidia").count() == 9


def test_the_command_loads_the_shipped_files():
    out = StringIO()
    call_command("load_catalog", stdout=out)
    assert out.getvalue().startswith(f"{everything()} added, 0 changed")
    assert Item.objects.of_kind("build").count() == 37


def test_the_command_lists_every_bad_cell_and_saves_nothing(tmp_path):
    """U127, and J5: the steward sees all that is wrong at once."""
    for file in DATA.glob("*.csv"):
        (tmp_path / file.name).write_bytes(file.read_bytes())
    builds = (tmp_path / "builds.csv").read_text().replace(",100000,USD,2026-07-21,", ",-5,US$,soon,", 1)
    (tmp_path / "builds.csv").write_text(builds)
    errors = StringIO()
    with pytest.raises(CommandError, match="3 bad cells; nothing was saved"):
        call_command("load_catalog", str(tmp_path), stderr=errors)
    places = "builds.csv: line 12, column "
    assert errors.getvalue().splitlines() == [
        places + "price: must lie in 0 to 999,999,999 each; got '-5'",
        places + "price_date: must be a date: 2026-11-30, 2026-11, 2026-Q4, 2026-H2 or 2026; got 'soon'",
        places + "price_currency: must be a three-letter currency code (ISO 4217); got 'US$'",
    ]
    assert Item.objects.count() == 0


def test_the_command_takes_quotes_alone_for_items_it_knows(tmp_path):
    services.load(shipped())
    row = "qm9790,switch,A switch,41000,USD,each,new,2026-11-01,reseller,https://example.com/q,\n"
    (tmp_path / "price_quotes.csv").write_text(QUOTES + row)
    call_command("load_catalog", str(tmp_path), stdout=StringIO())
    assert services.stored(slugs=["qm9790"]).latest("qm9790", date(2026, 11, 30), "switch").unit_price == 41_000


def test_a_dry_run_saves_nothing():
    out = StringIO()
    call_command("load_catalog", "--dry-run", stdout=out)
    assert "nothing was saved" in out.getvalue()
    assert Item.objects.count() == 0


def test_a_folder_without_files_is_an_error(tmp_path):
    with pytest.raises(CommandError, match=r"holds no \.csv file"):
        call_command("load_catalog", str(tmp_path))

"""From a harvest into the database: counted, compared, confirmed, then all of it or nothing."""

import dataclasses
import datetime as dt
from decimal import Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, connection, transaction

from catalog import comparing, import_words, imports, services
from catalog.comparing import Comparison, Outdated, Plan
from catalog.importers import confined, formats
from catalog.importers.harvest import Harvest
from catalog.importers.table import Refused
from catalog.models import Change, ImportBatch, Item, Quote, SupplierMapping
from tests.catalog import import_files as files
from tests.catalog.test_import_readers import xlsx

pytestmark = pytest.mark.django_db

FX = "base,quote,rate,date,source\n"
DAY = "2026-05-20"


@pytest.fixture
def here(monkeypatch):
    """Read files in this process: the child has tests of its own."""

    def read(given, options, look=lambda: None):
        harvest = Harvest()
        for _ in formats.read(given, options, harvest):
            look()
        yield harvest.portion() | {"end": True}

    monkeypatch.setattr(confined, "read", read)


def plan_of(content, name="file.csv", save=True, **options):
    """What an import of one file would do; and what it does, where it may."""
    content = content.encode() if isinstance(content, str) else content
    asked = {"format": formats.format_of(name, content), **options}
    with imports.comparison_for(asked) as comparison:
        plan = imports.compare(comparison, [(name, content)], asked)
        if save:
            with transaction.atomic():
                imports.save(comparison, imports.source_rows([(name, content)]), asked, None)
    return plan


def cloud(content=files.SKYPILOT, **more):
    return plan_of(content, "vms.csv", provider="lambda", as_of=DAY, **more)


def counts():
    return Item.objects.count(), Quote.objects.count(), Change.objects.count(), ImportBatch.objects.count()


def test_the_preview_counts_what_the_import_then_does(here):
    plan = cloud(save=False)
    assert counts() == (0, 0, 0, 0)
    cloud()
    assert (plan.items["create"], plan.quotes["create"]) == counts()[:2] == (5, 5)


def test_u121_the_same_file_again_changes_nothing(here):
    cloud()
    before = counts()
    again = cloud()
    assert (again.changes, again.items["unchanged"], again.quotes["unchanged"]) == (0, 5, 5)
    assert counts() == before


def test_a_later_day_adds_prices_and_leaves_the_old_ones(here):
    cloud()
    plan = plan_of(files.SKYPILOT, "vms.csv", provider="lambda", as_of="2026-06-20")
    assert (plan.items["unchanged"], plan.quotes["create"], Quote.objects.count()) == (5, 5, 10)


def test_a_corrected_price_is_a_change_with_old_and_new(here):
    plan_of(FX + "USD,CNY,7.1,2026-01,x\n")
    plan = plan_of(FX + "USD,CNY,7.2,2026-01,x\n")
    [change] = Change.objects.all()
    assert plan.quotes["update"] == 1
    assert (change.field, change.old, change.new) == ("unit_price", "7.1", "7.2")
    assert change.quote.batch == change.batch == ImportBatch.objects.first()


def test_what_is_stored_is_what_the_readers_of_shipped_files_store(here):
    text = FX + "USD,CNY,7.1,2026-01,央行\n"
    plan_of(text)
    imported = services.stored()
    Item.objects.all().delete()
    from catalog.importers import read

    services.load(read({"fx_rates.csv": text.encode()}))
    assert (services.stored().items, services.stored().quotes) == (imported.items, imported.quotes)


def test_rows_edited_by_hand_are_kept(here):
    plan_of(FX + "USD,CNY,7.1,2026-01,x\n")
    Quote.objects.update(edited_by_hand=True)
    plan = plan_of(FX + "USD,CNY,7.2,2026-01,x\n")
    assert (plan.quotes["kept"], plan.changes) == (1, 0)
    assert Quote.objects.get().unit_price == Decimal("7.1")


def test_a_file_of_others_adds_to_an_item_and_takes_nothing_away(here, facts):
    rack = Item.objects.get(slug="apc-ar3300")
    assert rack.spec == {"model": "NetShelter SX AR3300", "rack_units": 42.0}
    plan_of(files.RACK.replace("test-ar3300", "apc-ar3300"), "AR3300.yaml")
    rack.refresh_from_db()
    assert (rack.spec["model"], rack.spec["weight_kg"]) == ("NetShelter SX AR3300", 134.09)
    assert rack.name == "NetShelter SX AR3300"
    assert rack.record().provenance["rack_units"].text.startswith("600 x 1200 mm")


def test_no_estimate_replaces_what_a_source_says(here, facts):
    before = Item.objects.get(slug="apc-ap8868").spec["capacity_kw"]
    text = files.PDU.replace("test-ap8868", "apc-ap8868").replace("10.0kW", "3.0kW")
    plan_of(text, "AP8868.yaml")
    after = Item.objects.get(slug="apc-ap8868").spec
    assert (after["capacity_kw"], after["weight_kg"]) == (before, 4.536)


def test_u127_an_error_while_saving_leaves_nothing_behind(here, monkeypatch):
    def fails(*_given):
        raise IntegrityError("the disk is full")

    monkeypatch.setattr(comparing, "_write_quotes", fails)
    with pytest.raises(IntegrityError):
        cloud()
    assert counts() == (0, 0, 0, 0)
    monkeypatch.undo()


def test_a_catalog_that_changed_meanwhile_is_not_written_to(here):
    asked = {"format": "own"}
    with Comparison() as comparison:
        imports.compare(comparison, [("fx.csv", (FX + "USD,CNY,7.1,2026-01,x\n").encode())], asked)
        Item.objects.create(kind="fx", slug="usd-cny", name="USD/CNY", spec={"base": "USD", "quote": "CNY"})
        with pytest.raises(Outdated), transaction.atomic():
            imports.save(comparison, [], asked, None)
    assert Quote.objects.count() == 0


def test_a_price_ten_times_off_the_last_one_is_doubted(here):
    plan_of(FX + "USD,CNY,7.1,2026-01,x\n")
    plan = plan_of(FX + "USD,CNY,71,2026-02,x\nUSD,CNY,65,2026-03,x\n", save=False)
    assert [(doubt.code, doubt.facts["times"]) for doubt in plan.doubts] == [("price_far_off", 10.0)]


def test_the_price_of_a_month_after_one_of_an_hour_is_doubted(here):
    plan_of(files.OFFERS + files.offer(price="24"))
    plan = plan_of(files.OFFERS + files.offer(price="17520", day="2026-04"), save=False)
    assert plan.doubt_counts == {"dear_hour": 1, "month_as_hour": 1}


def test_every_doubt_has_a_sentence_and_a_title(here):
    assert set(import_words.DOUBTS) == set(import_words.TITLES)
    [doubt] = plan_of(files.DGX_A100, "DGC-A100.yaml", save=False).doubts
    assert import_words.doubt(doubt) == (
        "DGC-A100.yaml: line 1: NVIDIA DGX A100 640GB: "
        "2,142 W is less than its 8 accelerators alone take, 2,200 W or more"
    )


def test_a_plan_survives_being_stored_as_json(here):
    plan = cloud(files.SKYPILOT + "x,H100,y,1,1,1,r,,\n", save=False)
    assert dataclasses.asdict(Plan.from_plain(plan.as_plain())).keys() == dataclasses.asdict(plan).keys()
    assert Plan.from_plain(plan.as_plain()) == plan


def test_the_columns_of_a_supplier_are_remembered(here):
    imports.remember_mapping({"supplier": "Acme", "mapping": {"price": "Netto", "part_number": "Gone"}})
    sheet = {"header": ["Part", "Netto", "Preis"], "guessed": {"price": "Preis", "part_number": "Part"}}
    assert imports.mapping_of("Acme", sheet) == {"price": "Netto", "part_number": "Part"}
    assert imports.mapping_of("Other", sheet) == {"price": "Preis", "part_number": "Part"}


def test_what_was_said_of_a_file_is_remembered_with_its_content(here):
    cloud()
    said = imports.remembered([("another name.csv", files.SKYPILOT.encode())])
    assert said == {"format": "skypilot", "provider": "lambda", "as_of": DAY}


# ── The child ────────────────────────────────────────────────────────────────────────────────────────────────────────


def portions(content, name="file.csv", **options):
    return list(confined.read([(name, content)], {"format": "own", **options}))


def test_the_child_sends_what_it_reads():
    [portion] = portions((FX + "USD,CNY,7.1,2026-01,x\n").encode())
    assert ([key[1] for key in portion["item_keys"]], portion["rows"], portion["end"]) == (["usd-cny"], 1, True)


def test_a_child_that_takes_too_long_is_killed_and_named(monkeypatch):
    monkeypatch.setattr(confined, "READ_SECONDS", 0.0)
    with pytest.raises(Refused) as caught:
        portions(b"x", "slow.csv")
    [cell] = caught.value.bad_cells
    assert (cell.file, cell.code, cell.high) == ("slow.csv", "too_much_time", 0.0)


def test_a_child_that_takes_too_much_memory_is_named(monkeypatch):
    narrow = confined.COMMAND.replace("import main; main()", "import main; from catalog.importers import child; ")
    monkeypatch.setattr(confined, "COMMAND", narrow + "child.MEMORY_BYTES = 120_000_000; main()")
    with pytest.raises(Refused) as caught:
        portions((FX + "USD,CNY,7.1,2026-01,x\n" * 2_000_000).encode()[:45_000_000], "big.csv")
    [cell] = caught.value.bad_cells
    assert (cell.file, cell.code) == ("big.csv", "too_much_memory")


def test_an_error_of_the_reader_is_named_and_nothing_else_is_lost(monkeypatch):
    monkeypatch.setattr(confined, "COMMAND", "import sys; sys.stdin.buffer.read(); 1 / 0")
    with pytest.raises(Refused) as caught:
        portions(b"x", "odd.csv")
    assert caught.value.bad_cells[0].code == "reader_died"


def test_whoever_does_not_wait_any_more_ends_the_child(monkeypatch):
    def stop():
        raise KeyboardInterrupt

    monkeypatch.setattr(confined, "COMMAND", "import sys, time; sys.stdin.buffer.read(); time.sleep(60)")
    begun = dt.datetime.now()
    with pytest.raises(KeyboardInterrupt):
        list(confined.read([("a.csv", b"x")], {"format": "own"}, stop))
    assert (dt.datetime.now() - begun).total_seconds() < 30


# ── The command ──────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "lambda").mkdir()
    return tmp_path


def run(*given, **more):
    out = StringIO()
    call_command("import_catalog", *map(str, given), stdout=out, stderr=out, **more)
    return out.getvalue()


def test_the_command_shows_counts_and_stops_at_a_doubt(folder):
    file = folder / "lambda" / "vms.csv"
    file.write_text(files.SKYPILOT)
    with pytest.raises(CommandError, match="Warnings: 2; nothing was saved"):
        run(file, as_of=DAY)
    assert Item.objects.count() == 0
    said = run(file, as_of=DAY, accept_warnings=True)
    assert "Items: 5 new, 0 changed, 0 unchanged, 0 kept as edited by hand." in said
    assert "Left out: 1 (machines without an accelerator)." in said
    assert Item.objects.filter(vendor="lambda").count() == 5  # the name of the folder
    assert "There was nothing to save." in run(file, accept_warnings=True)  # its day is remembered


def test_u126_the_command_names_every_bad_cell_and_saves_nothing_unless_told_to_skip(folder, capsys):
    file = folder / "rates.csv"
    file.write_text(FX + "USD,CNY,x,2026-01,y\nUSD,EUR,0.9,2026-01,y\nUSD,JPY,155,2026-13,y\n")
    with pytest.raises(CommandError, match="Bad cells: 2; nothing was saved"):
        run(file)
    assert Item.objects.count() == 0
    said = run(file, skip_bad=True)
    assert "rates.csv: line 2, column rate: must be a plain number USD, without thousands separators; got 'x'" in said
    assert "rates.csv: line 4, column date: must be a date" in said
    assert list(Item.objects.values_list("slug", flat=True)) == ["usd-eur"]


def test_the_command_imports_a_quote_and_remembers_its_columns(folder):
    file = folder / "quote.csv"
    file.write_text(files.QUOTE, "utf-8")
    with pytest.raises(CommandError, match="--supplier"):
        run(file)
    run(file, supplier="Acme", number="117", as_of=DAY, accept_warnings=True)
    assert Quote.objects.filter(supplier="Acme", number="117", quoted_on=dt.date(2026, 5, 20)).count() == 2
    assert SupplierMapping.objects.get(supplier="Acme").mapping["price"] == "Unit price"
    assert "There was nothing to save." in run(file, accept_warnings=True)


def test_a_dry_run_saves_nothing(folder):
    file = folder / "rates.csv"
    file.write_text(FX + "USD,EUR,0.9,2026-01,y\n")
    assert "Nothing was saved." in run(file, dry_run=True)
    assert Item.objects.count() == 0


def test_a_file_that_cannot_be_read_is_named(folder):
    with pytest.raises(CommandError, match=r"gone\.csv cannot be read"):
        run(folder / "gone.csv")


def test_the_connection_is_as_before_after_an_import(here):
    cloud()
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            cursor.execute("PRAGMA cache_size")
            assert cursor.fetchone() == (-2000,)


def test_u113_a_workbook_keeps_part_numbers_and_chinese_and_changes_nothing_twice(here):
    columns = "item_slug,item_kind,description,price,currency,unit,condition,quote_date,source_type,source_url,note"
    content = xlsx(
        [*columns.split(","), "part_number"],
        ["a", "nic", "网卡", 41500.5, "CNY", "each", "new", "2026-01-01", "list", "", "", "00367901234567890323"],
        ["b", "nic", "密封垫", "90.750", "CNY", "each", "new", "2026-01-01", "list", "", "", "90.750"],
        title="price_quotes",
    )
    plan_of(content, "prices.xlsx")
    stored = {item.slug: (item.name, item.spec["part_number"]) for item in Item.objects.all()}
    assert stored == {"a": ("网卡", "00367901234567890323"), "b": ("密封垫", "90.750")}
    assert sorted(Quote.objects.values_list("unit_price", flat=True)) == [Decimal("90.75"), Decimal("41500.5")]
    assert plan_of(content, "prices.xlsx").changes == 0

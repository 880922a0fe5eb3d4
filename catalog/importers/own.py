"""The catalog's own files, as CSV or as sheets of a workbook: which form a sheet has, and its rows in portions."""

from collections.abc import Collection, Iterator, Mapping

from catalog.importers.doubts import machine
from catalog.importers.files import FORMS, Reading
from catalog.importers.harvest import Harvest
from catalog.importers.offers import Offers
from catalog.importers.sheet import Sheet
from catalog.importers.table import Row, columns_fit, sound_rows
from catalog.records import ItemRecord

OFFERS = "cloud_offers.csv"


def form_of(name: str, header: Collection[str]) -> str | None:
    """The form of a sheet: by its name, or else by its columns; None where neither is known.

    A sheet that has most columns of one form is of that form: what is missing is then said.
    """
    plain = name.rpartition("/")[2].lower()
    if plain in FORMS:
        return plain
    if f"{plain}.csv" in FORMS:
        return f"{plain}.csv"
    fits = {form: _share(header, form) for form in FORMS}
    best = max(fits, key=lambda form: fits[form])
    return best if fits[best] > 0.6 else None


def _share(header: Collection[str], form: str) -> float:
    required = FORMS[form].required
    known = {*required, *FORMS[form].optional}
    return sum(name in header for name in required) / len(required) - sum(n not in known for n in header) / 10


def read(
    sheets: Mapping[str, Sheet], known: Collection[tuple[str, str]], cards_w: Mapping[str, float | None],
    harvest: Harvest,
) -> Iterator[None]:  # fmt: skip
    """The sheets by form; what is named by others comes before them. `known`: (kind, slug) of stored items."""
    reading = Reading(frozenset(known))
    reading.bad = harvest.bad
    for name, form in FORMS.items():
        if name not in sheets:
            continue
        powers = {
            **cards_w,
            **{slug: one.spec.tdp_w for (kind, slug), one in reading.items.items() if kind == "accelerator"},
        }
        for row in _rows(name, sheets[name], harvest):
            if row is not None:
                items = len(reading.items)
                if reading.take(form, row) and len(reading.items) > items:
                    _doubt(next(reversed(reading.items.values())), row.file, row.line, powers, harvest)
            yield
    for item in reading.items.values():
        harvest.add(item)
        yield
    for quote in reading.quotes:
        harvest.add(None, quote)
        yield


def _rows(name: str, sheet: Sheet, harvest: Harvest) -> Iterator[Row | None]:
    """The rows that are still to be taken over, counted."""
    form = FORMS[name]
    if not columns_fit(sheet, form.required, form.optional, harvest.bad):
        return
    if name == OFFERS:
        yield from Offers().rows(sheet, harvest)
        return
    for row in sound_rows(sheet, harvest.bad):
        harvest.rows += 1
        yield row


def _doubt(item: ItemRecord, file: str, line: int, powers: Mapping[str, float | None], harvest: Harvest) -> None:
    if hasattr(item.spec, "max_power_w"):
        spec = {name: getattr(item.spec, name, None) for name in ("max_power_w", "typical_power_w")}
        spec |= {name: getattr(item.spec, name, None) for name in ("accelerator_slug", "accelerator_count")}
        harvest.doubts += machine(file, line, item.name, spec, powers)

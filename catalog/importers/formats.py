"""Which format a file has, and who reads it. Works on the files of one import together."""

from collections.abc import Iterator, Mapping
from typing import Any

from catalog.importers import netbox, own, skypilot, supplier, workbook
from catalog.importers.harvest import Harvest
from catalog.importers.sheet import Sheet, Unreadable, delimited
from catalog.importers.table import BadCell, unreadable

FORMATS = ("own", "skypilot", "netbox", "supplier")
OLD_WORKBOOK = bytes.fromhex("d0cf11e0a1b11ae1")
YAML_ENDINGS = (".yaml", ".yml")
File = tuple[str, bytes]


def inspected(files: list[File], wanted: str) -> dict[str, Any]:
    """Format of the files, and of a supplier's table its header and first rows; raises Unreadable naming the file."""
    name, content = files[0]
    try:
        found = wanted or format_of(name, content)
        shown: dict[str, Any] = {"format": found}
        if found == "supplier":
            header, rows = supplier.first_rows(_first_sheet(name, content))
            shown |= {"header": header, "rows": rows, "guessed": supplier.guessed(header)}
    except Unreadable as error:
        return {"refused": [unreadable(name, error)]}
    return shown


def format_of(name: str, content: bytes) -> str:
    if name.lower().endswith(YAML_ENDINGS):
        return "netbox"
    headers = [(title, sheet.header) for title, sheet in _sheets(name, content)]
    if any(skypilot.is_form(header) for _title, header in headers):
        return "skypilot"
    if any(own.form_of(title, header) for title, header in headers):
        return "own"
    return "supplier"


def read(files: list[File], options: Mapping[str, Any], harvest: Harvest) -> Iterator[None]:
    """Everything of the files into the harvest; what is wrong with one as a whole is a bad cell of it."""
    format_ = options["format"]
    cards: dict[str, float | None] = options.get("cards", {})
    if format_ == "own":
        yield from _own(files, options, cards, harvest)
        return
    if format_ == "netbox":
        devices = netbox.Reader(cards, options.get("kind", ""))
    elif format_ == "skypilot":
        prices = skypilot.Reader(options["provider"], options["as_of"], cards)
    else:
        terms = supplier.Terms(**options["terms"])
        quote = supplier.Reader(terms, {name: tuple(part) for name, part in options.get("parts", {}).items()})
    for name, content in files:
        try:
            if format_ == "netbox":
                yield from devices.read(name, content, harvest)
            elif format_ == "skypilot":
                yield from prices.read(_first_sheet(name, content), harvest)
            else:
                yield from quote.read(_first_sheet(name, content), harvest)
        except Unreadable as error:
            harvest.bad.append(unreadable(name, error))


def _own(
    files: list[File], options: Mapping[str, Any], cards: Mapping[str, float | None], harvest: Harvest
) -> Iterator[None]:
    forms: dict[str, Sheet] = {}
    for name, content in files:
        try:
            for title, sheet in _sheets(name, content):
                form = own.form_of(title, sheet.header)
                if form is None:
                    harvest.bad.append(BadCell(sheet.file, 0, "", "", "unknown_file", detail=", ".join(own.FORMS)))
                elif form in forms:
                    harvest.bad.append(BadCell(sheet.file, 0, "", forms[form].file, "form_twice", detail=form))
                else:
                    forms[form] = sheet
        except Unreadable as error:
            harvest.bad.append(unreadable(name, error))
    known = {(kind, slug) for kind, slug in options.get("known", ())}
    try:
        yield from own.read(forms, known, cards, harvest)
    except Unreadable as error:
        harvest.bad.append(unreadable(" + ".join(sheet.file for sheet in forms.values()), error))


def _sheets(name: str, content: bytes) -> Iterator[tuple[str, Sheet]]:
    if content.startswith(OLD_WORKBOOK):
        raise Unreadable("old_workbook")
    if workbook.is_workbook(content):
        yield from workbook.sheets(name, content)
    else:
        yield name, delimited(name, content)


def _first_sheet(name: str, content: bytes) -> Sheet:
    for _title, sheet in _sheets(name, content):
        return sheet
    raise Unreadable("no_header")

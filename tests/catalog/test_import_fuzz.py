"""Two thousand files that mean no good: each ends in an answer, and nothing of any is left half saved."""

import io
import random
import zipfile

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.db import transaction
from openpyxl import Workbook

from catalog import imports
from catalog.comparing import Comparison
from catalog.importers import child, confined
from catalog.importers.shipped import DATA
from catalog.importers.table import REASONS, BadCell, Refused
from catalog.models import ImportBatch, Item, Quote
from tests.catalog import import_files as files

pytestmark = [pytest.mark.slow, pytest.mark.django_db]

MANY, BY_THE_WIZARD = 2_000, 60
TERMS = {"supplier": "Acme", "mapping": files.MAPPING, "quoted_on": "2026-11-30"}
CELLS = (
    *("", " ", "nan", "-inf", "1e400", "-1", "1,5", "1.234,5", "1,234.5", "９", "00367901234567890323", "90.750"),
    *("'", '"', '""', ";", ",", "\t", "\r\n", "\n\n", "\x00", "\x1b[2J", "\u202e", "𝟙", "中文", "é" * 400),
    *("2026-02-30", "9999-12-31", "https://", "javascript:alert(1)", "<script>", "{{ 7*7 }}", "../../etc/passwd"),
    *("y", "n", "USD", "XXX", "kWh", "0", "1" * 400, "True", "null", "*a", "&a", "!!python/object:os.system"),
    *("[", "{", "- ", "%s%n", "=1+1", "x" * 6_000),
)


def shipped_lines(rng):
    """A few lines of a file of ours."""
    name = rng.choice(sorted(path.name for path in DATA.glob("*.csv")))
    lines = (DATA / name).read_text("utf-8-sig").splitlines()
    return name, "\n".join([lines[0], *rng.sample(lines[1:], min(6, len(lines) - 1))]) + "\n"


def source(rng):
    return rng.choice(
        (
            lambda: shipped_lines(rng),
            lambda: ("vms.csv", files.SKYPILOT),
            lambda: ("quote.csv", files.QUOTE),
            lambda: ("device.yaml", rng.choice((files.DGX_A100, files.RACK, files.PDU))),
        )
    )()


def spoiled(rng, text):
    """A text with a few things changed in it."""
    for _ in range(rng.randint(1, 6)):
        at, to = sorted(rng.randint(0, len(text)) for _ in range(2))
        text = rng.choice(
            (
                lambda a=at, t=text: t[:a] + rng.choice(CELLS) + t[a:],
                lambda a=at, b=to, t=text: t[:a] + t[min(b, a + rng.randint(1, 40)) :],
                lambda t=text: t.replace(
                    rng.choice(",;\n:"), rng.choice((";", ",", "\t", "\r", "")), rng.randint(1, 4)
                ),
                lambda a=at, b=to, t=text: t + t[a:b],
                lambda t=text: ",".join(rng.choice(CELLS) for _ in range(rng.randint(1, 40))) + "\n" + t,
            )
        )()
    return text


def bytes_of(rng, name, text):
    """As UTF-8, or in another dress: other encodings, a workbook, an archive cut off or full of something else."""
    dress = rng.randint(0, 9)
    if dress == 0:
        return name, text.encode(rng.choice(("utf-16", "utf-16-le", "utf-32", "gb18030", "latin-1")), "replace")
    if dress == 1:
        whole = bytearray(text.encode("utf-8", "replace"))
        for _ in range(rng.randint(1, 20)):
            whole[rng.randrange(len(whole))] = rng.randrange(256)
        return name, bytes(whole)
    if dress == 2 and not name.endswith("yaml"):
        return name.replace(".csv", ".xlsx"), workbook(rng, text)
    return name, text.encode("utf-8", "replace")


def workbook(rng, text):
    book = Workbook()
    page = book.active
    for line in text.splitlines()[:40]:
        page.append(["".join(c for c in cell if c.isprintable())[:200] for cell in line.split(",")][:60])
    if rng.random() < 0.3:
        page["A2"] = "=HYPERLINK(1)"
    if rng.random() < 0.3:
        page.merge_cells("B1:C3")
    out = io.BytesIO()
    book.save(out)
    whole = out.getvalue()
    if rng.random() < 0.5:
        return whole
    changed = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(whole)) as source, zipfile.ZipFile(changed, "w") as archive:
        for part in source.namelist():
            content = source.read(part).decode("utf-8", "replace")
            archive.writestr(part, spoiled(rng, content) if rng.random() < 0.4 else content)
    whole = changed.getvalue()
    return whole[: rng.randint(10, len(whole))] if rng.random() < 0.3 else whole


def hostile(number):
    rng = random.Random(number)
    name, text = source(rng)
    return bytes_of(rng, name, spoiled(rng, text))


def options_of(name):
    if name.endswith(".yaml"):
        return {"format": "netbox"}
    if name.startswith("vms"):
        return {"format": "skypilot", "provider": "x", "as_of": "2026-01-01"}
    return {"format": "supplier", "terms": TERMS} if name.startswith("quote") else {"format": "own"}


def here(given, options, look=lambda: None):
    """What the child would send, in this process: two thousand children would take a quarter of an hour."""
    for portion in child.portions("read", options, given):
        if "refused" in portion:
            raise Refused([BadCell(*bad) for bad in portion["refused"]])
        yield portion


def rows():
    return Item.objects.count(), Quote.objects.count(), ImportBatch.objects.count()


def test_two_thousand_hostile_files_leave_nothing_half_saved(monkeypatch):
    monkeypatch.setattr(confined, "read", here)
    saved = refused = 0
    for number in range(MANY):
        name, content = hostile(number)
        options, before = options_of(name), rows()
        with transaction.atomic(), Comparison(adds_only=options["format"] != "own") as comparison:
            plan = imports.compare(comparison, [(name, content)], options)
            assert all(str(cell) and cell.code in REASONS for cell in plan.bad), number
            if plan.whole_file_refused:
                refused += 1
            else:
                imports.save(comparison, imports.source_rows([(name, content)]), options, None)
                created = plan.items["create"], plan.quotes["create"], bool(plan.changes)
                assert rows() == tuple(map(sum, zip(before, created, strict=True))), number
                saved += bool(plan.changes)
            transaction.set_rollback(True)
        assert rows() == before, number
    assert saved > MANY / 20  # the files are hostile, not hopeless
    assert refused > MANY / 20


def test_hostile_files_in_the_wizard_are_no_error_of_the_server(steward):
    steward.raise_request_exception = True
    for number in range(BY_THE_WIZARD):
        name, content = hostile(MANY + number)
        response = steward.post("/catalog/import/", {"files": SimpleUploadedFile(name, content)})
        assert response.status_code in (302, 400), number
        if response.status_code == 302:
            assert steward.get(response.url).status_code == 200, number
    assert rows() == (0, 0, 0)

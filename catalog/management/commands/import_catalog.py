from datetime import date
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError
from django.db import transaction

from catalog import import_words, imports
from catalog.comparing import Outdated
from catalog.importers import MAX_BYTES, Refused
from catalog.importers.formats import FORMATS
from catalog.importers.netbox import KINDS
from catalog.importers.supplier import FIELDS


class Command(BaseCommand):
    help = (
        "Imports files into the catalog: its own CSV or XLSX, cloud prices of the SkyPilot catalog, device and rack "
        "types of the NetBox library, quotes of suppliers. Shows what would change, then saves all of it or nothing."
    )

    def add_arguments(self, parser):
        parser.add_argument("files", nargs="+", metavar="FILE", type=Path)
        parser.add_argument("--format", choices=FORMATS, help="by default what the files look like")
        parser.add_argument(
            "--supplier", default="", help="whose prices these are; of cloud prices by default the name of the folder"
        )
        parser.add_argument("--as-of", type=day, metavar="DAY", help="day of the prices; by default today")
        parser.add_argument("--number", default="", help="number of the quote")
        parser.add_argument("--currency", default="", help="of prices whose line names none")
        parser.add_argument("--valid-until", type=day, metavar="DAY", help="last day of the quote")
        parser.add_argument(
            "--map", action="append", default=[], metavar="FIELD=COLUMN", help=f"column of {', '.join(FIELDS)}"
        )
        parser.add_argument("--kind", default="", choices=("", *KINDS), help="what the device types are")
        parser.add_argument("--dry-run", action="store_true", help="show what would change and save nothing")
        parser.add_argument("--skip-bad", action="store_true", help="leave bad rows out and save the others")
        parser.add_argument("--accept-warnings", action="store_true", help="save in spite of what is hard to believe")

    def handle(self, *, dry_run, skip_bad, accept_warnings, **options):
        files = [(path.name, self.content(path)) for path in options["files"]]
        try:
            asked = self.asked(files, options)
            for _ in range(imports.TRIES):
                with imports.comparison_for(asked) as comparison:
                    plan = imports.compare(comparison, files, asked)
                    self.show(plan)
                    self.judge(plan, skip_bad, accept_warnings)
                    if dry_run:
                        self.stdout.write("Nothing was saved.")
                        return
                    try:
                        with transaction.atomic():
                            batch = imports.save(comparison, imports.source_rows(files), asked, None)
                    except Outdated:
                        continue
                self.stdout.write(f"Saved as import {batch.pk}." if batch else "There was nothing to save.")
                if asked.get("terms"):
                    imports.remember_mapping(asked["terms"])
                return
        except Refused as error:
            for bad in error.bad_cells:
                self.stderr.write(str(bad))
            raise CommandError("Nothing was saved.") from None
        raise CommandError(f"Others changed the catalog each of {imports.TRIES} times; nothing was saved.")

    def content(self, path):
        try:
            with path.open("rb") as stream:
                return stream.read(MAX_BYTES + 1)
        except OSError as error:
            raise CommandError(f"{path} cannot be read: {error.strerror}.") from None

    def asked(self, files, options):
        """How to read the files: as said here, else as they were read before, else as they look."""
        sheet = imports.inspected(files, options["format"] or "")
        before = imports.remembered(files)
        asked = {"format": sheet["format"]}
        as_of = options["as_of"] or before.get("as_of")
        if sheet["format"] == "skypilot":
            folder = options["files"][0].resolve().parent.name
            provider = (options["supplier"] or before.get("provider") or folder).lower()
            asked |= {"provider": provider, "as_of": as_of or date.today().isoformat()}
        elif sheet["format"] == "netbox":
            asked["kind"] = options["kind"]
        elif sheet["format"] == "supplier":
            asked["terms"] = self.terms(sheet, options, as_of, before.get("terms") or {})
        return asked

    def terms(self, sheet, options, as_of, before):
        supplier = options["supplier"] or before.get("supplier", "")
        if not supplier:
            raise CommandError("A quote needs --supplier: whose prices these are.")
        mapping = imports.mapping_of(supplier, sheet) | (before.get("mapping") or {})
        for pair in options["map"]:
            name, _, column = pair.partition("=")
            if name not in FIELDS or column not in sheet["header"]:
                known = f"fields are {', '.join(FIELDS)}; columns are {', '.join(sheet['header'])}"
                raise CommandError(f"--map {pair}: must be FIELD=COLUMN; {known}.")
            mapping[name] = column
        said = {name: options[name] or before.get(name) or "" for name in ("number", "currency", "valid_until")}
        day = as_of or before.get("quoted_on") or date.today().isoformat()
        return {"supplier": supplier, "mapping": mapping, "quoted_on": day, **said}

    def show(self, plan):
        self.stdout.write(f"{plan.rows:,} rows read, {import_words.bad_rows(plan.bad_rows)}.")
        self.stdout.write(f"Items: {import_words.line(plan.items)}.")
        self.stdout.write(f"Prices: {import_words.line(plan.quotes)}.")
        for count, why in import_words.left_out(plan):
            self.stdout.write(f"Left out: {count:,} ({why}).")
        for bad in plan.bad:
            self.stderr.write(str(bad))
        if plan.bad_count > len(plan.bad):
            self.stderr.write(f"… and {plan.bad_count - len(plan.bad):,} more bad cells.")
        for doubt in plan.doubts:
            self.stdout.write(f"Warning: {import_words.doubt(doubt)}.")

    def judge(self, plan, skip_bad, accept_warnings):
        """Refuse what must not be saved as it is."""
        if plan.whole_file_refused:
            raise CommandError("Nothing was saved.")
        if plan.bad_count and not skip_bad:
            raise CommandError(f"Bad cells: {plan.bad_count:,}; nothing was saved. --skip-bad leaves their rows out.")
        if plan.doubts and not accept_warnings:
            raise CommandError(
                f"Warnings: {plan.doubt_counts.total():,}; nothing was saved. --accept-warnings saves all the same."
            )


def day(text):
    """A day as ISO has it."""
    return date.fromisoformat(text).isoformat()

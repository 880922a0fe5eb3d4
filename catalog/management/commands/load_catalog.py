from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from catalog import services
from catalog.importers import FORMS, MAX_BYTES, Refused, read
from catalog.importers.shipped import DATA, shipped


class Command(BaseCommand):
    help = "Loads the CSV files of a folder, by default the shipped ones: all of them or, if one cell is bad, nothing."

    def add_arguments(self, parser):
        parser.add_argument("directory", nargs="?", metavar="DIR", type=Path, help=f"a folder with {', '.join(FORMS)}")
        parser.add_argument("--dry-run", action="store_true", help="say what would change and save nothing")

    def handle(self, *, directory, dry_run, **options):
        try:
            catalog = shipped() if directory is None else read(self.files(directory), services.known_items())
        except Refused as error:
            for bad in error.bad_cells:
                self.stderr.write(str(bad))
            raise CommandError(f"{len(error.bad_cells)} bad cells; nothing was saved.") from None
        changes = services.preview(catalog) if dry_run else services.load(catalog)
        if changes.already:
            self.stdout.write(f"This very content was loaded before: {changes}.")
        else:
            self.stdout.write(f"{changes}{'; nothing was saved' if dry_run else ''}.")
            for name in [*changes.items.kept, *changes.quotes.kept]:
                self.stdout.write(f"kept as edited by hand: {name}")

    def files(self, directory):
        if not directory.is_dir():
            raise CommandError(f"{directory} is not a folder (the shipped files are in {DATA}).")
        found = sorted(directory.glob("*.csv"))
        if not found:
            raise CommandError(f"{directory} holds no .csv file; known are {', '.join(FORMS)}.")
        contents = {}
        for file in found:
            try:
                with file.open("rb") as stream:
                    contents[file.name] = stream.read(MAX_BYTES + 1)
            except OSError as error:
                raise CommandError(f"{file} cannot be read: {error.strerror}.") from None
        return contents

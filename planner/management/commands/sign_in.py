from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from planner.management.commands.start import open_browser
from planner.project import local

OPENING_SECONDS = 20  # a browser that is started and not asked for a window stays in the foreground


class Command(BaseCommand):
    help = "Lets a browser in to the program that `start` runs: makes a page that signs in once, and opens it."
    requires_system_checks = ()

    def add_arguments(self, parser):
        parser.add_argument("--no-browser", action="store_true", help="as does OUTLAY_NO_BROWSER=1")
        parser.add_argument(
            "--code", action="store_true", help="only print a code, to paste it at the address; for another computer"
        )

    def handle(self, *, no_browser, code, **options):
        from planner.services import codes

        addresses = local.running()
        if not addresses:
            raise CommandError(
                f"nothing serves the data folder {settings.DATA_DIR} now: python3 manage.py start does, and signs in."
            )
        if code:
            self.stdout.write(codes.create())
            return
        file = codes.write_file(addresses[0])
        self.stdout.write(f"To sign in at {addresses[0]}, open {file}")
        self.stdout.write("It works once, within 10 minutes.")
        if not no_browser and not settings.NO_BROWSER and (opening := open_browser(file.as_uri())):
            opening.join(OPENING_SECONDS)

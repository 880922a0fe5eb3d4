from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from planner.services import reports


class Command(BaseCommand):
    help = (
        "Check the frozen data of a report (report.json) against the checksum printed on the report, and compute its "
        "figures anew, to one cent a cell. Exit code 1 where either differs."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("file", help="the report's frozen data, as downloaded")
        parser.add_argument("--sha256", required=True, help="the checksum printed on the report")

    def handle(self, *args, file, sha256, **options):
        try:
            data = Path(file).read_bytes()
        except OSError as error:
            raise CommandError(f"{file}: {error.strerror}", returncode=2) from None
        answer = reports.verify(data, sha256)
        self.stdout.write(f"sha256   {answer.sha256}")
        self.stdout.write(
            "bytes    " + ("the very bytes of the report" if answer.genuine else "NOT those of the report")
        )
        if answer.problem:
            self.stdout.write(f"figures  could not be computed: {answer.problem}")
        else:
            made = "this engine" if answer.same_engine else f"engine {answer.engine_version}, recomputed with another"
            verdict = "all as frozen" if answer.reproduced else f"{answer.differing} DIFFER"
            self.stdout.write(f"figures  {answer.cells} cells, {verdict} (made with {made})")
            for place, frozen, now in answer.differences:
                self.stdout.write(f"  {place}: frozen {frozen}, now {now}")
        if not (answer.genuine and answer.reproduced):
            raise CommandError("The report does not verify.", returncode=1)

import sys

from django.core.management.base import BaseCommand, CommandError

from planner.engine.evaluate import evaluate
from planner.engine.export import WRITERS
from planner.engine.quantities import InputError
from planner.services import documents


class Command(BaseCommand):
    help = "Evaluate a template, a stored scenario, or a scenario file, and print the comparison."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument(
            "scenario",
            help="small-team, image-startup, driving-lab, office-server, budget-first, a name or number, or "
            "FILE.yaml|json",
        )
        parser.add_argument("--format", choices=sorted(WRITERS), default="table")

    def handle(self, *args, scenario, **options):
        try:
            plain = evaluate(*documents.load(scenario)).as_dict()
        except InputError as error:
            raise CommandError(
                "\n".join(str(InputError(problem)) for problem in error.problems), returncode=2
            ) from None
        sys.stdout.write(WRITERS[options["format"]](plain) + "\n")

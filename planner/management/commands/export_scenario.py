import json
import sys
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from planner.engine.quantities import InputError
from planner.services import documents


class Command(BaseCommand):
    help = "Write a scenario with its pinned prices, as one document that `evaluate` reads back to identical results."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("name", help="a template, or the name or number of a stored scenario")
        parser.add_argument("--output", help="file to write; standard output otherwise")

    def handle(self, *args, name, output, **options):
        try:
            text = json.dumps(documents.bundle(*documents.load(name)), ensure_ascii=False, indent=1) + "\n"
        except InputError as error:
            raise CommandError(
                "\n".join(str(InputError(problem)) for problem in error.problems), returncode=2
            ) from None
        if output:
            try:
                Path(output).write_text(text, encoding="utf-8")
            except OSError as error:
                raise CommandError(f"{output} cannot be written: {error.strerror}.", returncode=2) from None
        else:
            sys.stdout.write(text)

import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone, translation

from planner.engine.evaluate import evaluate
from planner.engine.quantities import InputError
from planner.exports.orders import orders_csv
from planner.project import translations
from planner.services import documents
from planner.services.purchasing import purchase


class Command(BaseCommand):
    help = "Write the orders of a plan, and the capex that is no order, as CSV for purchasing."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("scenario", help="a template, the name or number of a stored scenario, or FILE.yaml|json")
        parser.add_argument("--plan", required=True, metavar="SLUG")
        parser.add_argument("--plain", action="store_true", help="without the mark by which Excel knows UTF-8")
        parser.add_argument("--headers", choices=("words", "codes"), default="words")
        parser.add_argument("--language", choices=[code for code, _name in settings.LANGUAGES], default="en")
        parser.add_argument("--output", help="file to write; standard output otherwise")

    def handle(self, *args, scenario, plan, plain, headers, language, output, **options):
        try:
            document, book = documents.load(scenario)
            slugs = [each.slug for each in document.plans]
            if plan not in slugs:
                raise CommandError(f"no plan {plan!r}; one of {', '.join(slugs)}", returncode=2)
            bought = purchase(
                evaluate(document, book), plan, *documents.reference(scenario), today=timezone.localdate()
            )
        except InputError as error:
            raise CommandError(
                "\n".join(str(InputError(problem)) for problem in error.problems), returncode=2
            ) from None
        if not bought.possible:
            reasons = ", ".join(reason.code for reason in bought.plan.infeasible)
            raise CommandError(f"it is not known what {plan} would have to buy: {reasons}", returncode=2)
        if language != "en":
            translations.compile_all(settings.DATA_DIR)
        with translation.override(language):
            data = orders_csv(bought, book, bom=not plain, codes=headers == "codes")
        if output:
            Path(output).write_bytes(data)
        else:  # bytes, since the end of a line is a part of the format
            sys.stdout.flush()
            sys.stdout.buffer.write(data)
            sys.stdout.buffer.flush()

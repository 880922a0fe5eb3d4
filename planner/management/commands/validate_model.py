import json
import sys
from pathlib import Path

from django.conf import settings
from django.core.management.base import BaseCommand, CommandError

from planner.engine.quantities import InputError
from planner.engine.validation import check

SHIPPED = settings.BASE_DIR / "tests" / "reference"


class Command(BaseCommand):
    help = "Compute worked and published cases with our model; one line a field, exit 1 if any is off."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument(
            "files", nargs="*", type=Path, help="files of cases; the project's hand-worked ones otherwise"
        )

    def handle(self, *args, files, **options):
        off = 0
        for path in files or [SHIPPED / "hand_cases.json"]:
            for case in _cases(path):
                try:
                    answer = check(case)
                except InputError as error:
                    raise CommandError(f"{path}: {case.get('id', '')}: {error}", returncode=2) from None
                for found in answer:
                    off += found.status == "off"
                    apart = "—" if found.error is None else f"{found.error * 100:.7f}%"
                    expected, got = _short(found.expected), _short(found.got)
                    cells = (found.case, found.kind, found.field, expected, got, apart, found.status)
                    sys.stdout.write("  ".join(cells) + "\n")
        if off:
            raise CommandError(f"{off} off", returncode=1)


def _cases(path):
    try:
        data = json.loads(path.read_text(encoding="utf-8-sig"))
    except (OSError, ValueError, RecursionError) as error:
        raise CommandError(f"{path}: {error}", returncode=2) from None
    cases = data.get("cases") if isinstance(data, dict) else data
    if not isinstance(cases, list) or not all(isinstance(case, dict) for case in cases):
        raise CommandError(f"{path}: a list of cases is expected", returncode=2)
    return cases


def _short(value):
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= 40 else text[:37] + "…"

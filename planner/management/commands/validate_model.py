import json
import sys
from collections import Counter
from pathlib import Path

from django.core.management.base import BaseCommand, CommandError

from planner.engine.quantities import InputError
from planner.engine.validation import check
from planner.services.validation import FOLDER, CaseFileError, read

# Status → what it means for whoever reads the last line.
FAILURES = {"off": "off", "unsupported": "of a kind or field that the model does not answer (unsupported)"}


class Command(BaseCommand):
    help = "Compute worked and published cases with our model; one line a field, exit 1 if any is off or unsupported."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument("files", nargs="*", type=Path, help="files of cases; all that the project ships otherwise")

    def handle(self, *args, files, **options):
        counts, refused = Counter(), 0
        for path in files or sorted(FOLDER.glob("*_cases.json")):
            try:
                cases = read(path)
            except CaseFileError as error:
                self.stderr.write(f"{path}: {error}")
                refused += 1
                continue
            for case in cases:
                try:
                    answer = check(case)
                except InputError as error:
                    self.stderr.write(f"{path}: {case['id']}: {error}")
                    refused += 1
                    continue
                for found in answer:
                    counts[found.status] += 1
                    sys.stdout.write("  ".join(_cells(found)) + "\n")
        sys.stdout.flush()
        summary = ", ".join(f"{counts[status]} {status}" for status in ("ok", "off", "declared", "unsupported"))
        self.stderr.write(summary + (f", {refused} refused" if refused else ""), lambda text: text)
        if counts["off"] or counts["unsupported"]:  # what nobody answers was not validated
            wrong = [f"{counts[status]} {word}" for status, word in FAILURES.items() if counts[status]]
            raise CommandError(", ".join(wrong), returncode=1)
        if refused:
            raise CommandError(f"{refused} refused", returncode=2)


def _cells(found):
    """id, kind, field, expected, got, relative error, status; the source's word where it declares its own fault."""
    apart = "—" if found.error is None else f"{found.error * 100:.7f}%"
    status = f"{found.status}: {found.note}" if found.note else found.status
    return found.case, found.kind, found.field, _short(found.expected), _short(found.got), apart, status


def _short(value):
    """A value in one cell: numbers to ten digits; of a long list its beginning and its length."""
    if isinstance(value, float):
        return f"{value:.10g}"
    if isinstance(value, str):
        return value
    if isinstance(value, dict):
        return "{" + ", ".join(f"{name} {_short(part)}" for name, part in value.items()) + "}"
    if isinstance(value, (list, tuple)):
        shown = ", ".join(_short(part) for part in value[:3])
        return f"[{shown}]" if len(value) <= 3 else f"[{shown}, … {len(value)} entries]"
    return "—" if value is None else json.dumps(value)

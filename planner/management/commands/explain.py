import json
import sys

from django.core.management.base import BaseCommand, CommandError
from django.utils import timezone, translation

from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.quantities import InputError
from planner.services import documents, explain


class Command(BaseCommand):
    help = "Say why each figure of a plan is what it is, down to months, parameters and quotes."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser):
        parser.add_argument(
            "scenario",
            help="small-team, image-startup, driving-lab, office-server, budget-first, a name or number, or "
            "FILE.yaml|json",
        )
        parser.add_argument("--plan", action="append", help="short name of a plan; may be repeated (default: all)")
        parser.add_argument(
            "--figure", action="append", choices=explain.KPIS, help="may be repeated (default: every figure)"
        )
        parser.add_argument("--format", choices=("json", "text"), default="text")
        parser.add_argument("--language", choices=("en", "zh-hans"), default="en")

    def handle(self, *args, scenario, plan, figure, language, **options):
        try:
            evaluation = evaluate(*documents.load(scenario))
        except InputError as error:
            raise CommandError(
                "\n".join(str(InputError(problem)) for problem in error.problems), returncode=2
            ) from None
        known = [each.slug for each in evaluation.plans]
        if unknown := set(plan or ()) - set(known):
            raise CommandError(f"no plan {', '.join(sorted(unknown))}; the plans are {', '.join(known)}", returncode=2)
        comparison, today = compare(evaluation), timezone.localdate()
        with translation.override(language):
            trees = [
                explain.tree(evaluation, comparison, slug, kpi, today)
                for slug in plan or known
                for kpi in figure or explain.KPIS
            ]
        if options["format"] == "json":
            sys.stdout.write(json.dumps(trees, ensure_ascii=False, indent=1) + "\n")
        else:
            sys.stdout.write("\n".join(line for tree in trees for line in _lines(tree)) + "\n")


def _lines(tree):
    yield f"{tree['plan']} · {tree['kpi']} · engine {tree['engine_version']} · prices {tree['prices_sha256'][:12]}"
    yield from _node(tree, 1)


def _node(node, depth):
    margin = "  " * depth
    yield f"{margin}{node['label']}: {node['value_text']}"
    if node["formula_text"]:
        yield f"{margin}  = {node['formula_text']}"
    if node["source"]:
        said = node["source"]
        facts = (said["word"], said["text"], said.get("quoted", ""), said["rate"], said["record"], said["url"])
        yield f"{margin}  ← {' · '.join(fact for fact in facts if fact)}"
    for driver in node["drivers"]:
        yield f"{margin}  ↳ {driver['label']}: {driver['value_text']}  [{driver['path']}]"
    for child in (*node["children"], *node["related"]):
        yield from _node(child, depth + 1)

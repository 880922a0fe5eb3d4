"""What the pages of one plan begin with: the scenario evaluated, a plan chosen, or a sentence why there is none."""

from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.shortcuts import render
from django.views.decorators.http import require_safe

from planner import purchase_tables, tables, wording
from planner.services import access, evaluation, scenarios
from planner.services.scenarios import InputError
from planner.views.guard import signed_in


@dataclass
class PlanPage:
    """A scenario's newest version with its answer, and what every page of a plan shows of it."""

    row: Any
    document: Any
    result: Any
    comparison: Any
    context: dict[str, Any]

    def of(self, slug):
        """The heading of one plan, and the others to choose from."""
        return {
            "plan": slug,
            "plan_name": tables.names(self.result)[slug],
            "plans": purchase_tables.choices(self.result, self.comparison, slug),
            "colour": tables.colour(self.result, slug),
        }


def plan_page(template):
    """Hand a view the evaluated scenario; one that cannot be evaluated is answered here, in the same template."""

    def decorate(view):
        @require_safe
        @signed_in
        @wraps(view)
        def page(request, pk):
            row = access.scenario(request.user, pk)
            document = scenarios.read(row.head.document)
            context = {
                "row": row,
                "version": row.head,
                "name": wording.scenario_name(document),
                "engine_version": evaluation.ENGINE_VERSION,
            }
            try:
                result, comparison = evaluation.evaluated(row.head)
            except InputError as error:
                problem = wording.say(error, document.currency, document)
                return render(request, template, {**context, "problem": problem})
            return view(request, PlanPage(row, document, result, comparison, context))

        return page

    return decorate

"""Why a figure is what it is: the lines that sum to it, down to the quote."""

from django.http import Http404
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.http import require_safe

from planner import tables, wording
from planner.services import access, evaluation, explain, scenarios
from planner.services.scenarios import InputError
from planner.views.guard import signed_in


@require_safe
@signed_in
def why(request, pk, plan, kpi):
    row = access.scenario(request.user, pk)
    kpi, _dot, provider = kpi.partition(".")
    try:
        result, comparison = (
            evaluation.evaluated(row.head) if not provider else evaluation.with_provider(row.head, provider)
        )
    except (InputError, KeyError):
        raise Http404 from None
    if plan not in {each.slug for each in result.plans}:
        raise Http404
    try:
        tree = explain.tree(result, comparison, plan, kpi, timezone.localdate(), **_part(request.GET))
    except (KeyError, ValueError):
        raise Http404 from None
    document = scenarios.read(row.head.document)
    context = {
        "row": row,
        "version": row.head,
        "name": wording.scenario_name(document),
        "tree": tree,
        "plan": tables.names(result)[plan],
        "provider": wording.choice("provider_class", provider) if provider else "",
        "colour": tables.colour(result, plan),
        "pricing_date": wording.date(document.pricing_date),
        "engine_version": evaluation.ENGINE_VERSION,
    }
    return render(request, "planner/_why.html" if request.htmx else "planner/why.html", context)


def _part(asked):
    """Which part of a figure is asked for: `against` a plan, of a `category`, from the `first` to the `last` month."""
    months = (int(asked["first"]), int(asked["last"])) if "first" in asked and "last" in asked else None
    return {"against": asked.get("against", ""), "category": asked.get("category", ""), "months": months}

"""One server, several or a cluster for the same work: a page, and the part of a page that loads it when it is seen."""

from django.http import Http404
from django.shortcuts import render
from django.views.decorators.http import require_safe

from planner import ways_table, wording
from planner.services import access, evaluation, scenarios, ways
from planner.services.scenarios import InputError
from planner.views.guard import signed_in
from planner.views.sizing import Asked


def _shown(request, context, find, currency, document):
    try:
        found = find()
    except InputError as error:
        context["problem"] = wording.say(error, currency, document)
    else:
        context["ways"] = ways_table.ways(found) if found is not None else None
    return render(request, "planner/_ways.html" if request.htmx else "planner/ways.html", context)


@require_safe
@signed_in
def of_scenario(request, pk):
    """For all the work of a scenario."""
    row = access.scenario(request.user, pk)
    document = scenarios.read(row.head.document)
    context = {"row": row, "name": wording.scenario_name(document)}
    return _shown(request, context, lambda: ways.of_version(row.head), document.currency, document)


@require_safe
@signed_in
def of_sizing(request):
    """For what Sizing was asked, on the accelerator that is picked."""
    return _of_sizing(request)


@require_safe
@signed_in
def of_sizing_of(request, pk):
    return _of_sizing(request, access.scenario(request.user, pk))


def _of_sizing(request, row=None):
    asked = Asked(request.user, request.GET, row)
    pick = request.GET.get("pick", "")
    need = asked.answer.of(pick) if asked.answer is not None else None
    if need is None or not need.fits:
        raise Http404
    scenario = asked.draft.scenario
    context = {"row": row, "name": wording.scenario_name(asked.stored) if row else "", "back": asked.url()}
    catalog = evaluation.catalog()
    return _shown(request, context, lambda: ways.of_answer(asked.answer, pick, catalog), scenario.currency, scenario)

"""Facility: a plan in its room, month by month."""

from django.http import Http404
from django.shortcuts import render
from django.urls import reverse
from django.views.decorators.http import require_safe

from planner import facility_page, forms, purchase_tables, tables, wording
from planner.services import access, evaluation, scenarios
from planner.services.facility import facility, first_choice, read_month
from planner.services.scenarios import InputError
from planner.views.guard import signed_in

UNREADABLE = 422


@require_safe
@signed_in
def room(request, pk):
    """A month of one plan: the best one that owns machines unless another is asked for. htmx gets the room alone."""
    row = access.scenario(request.user, pk)
    document = scenarios.read(row.head.document)
    context = {
        "row": row,
        "version": row.head,
        "name": wording.scenario_name(document),
        "engine_version": evaluation.ENGINE_VERSION,
        "address": reverse("planner:facility", args=[row.pk]),
    }
    try:
        result, comparison = evaluation.evaluated(row.head)
    except InputError as error:
        problem = wording.say(error, document.currency, document)
        return render(request, "planner/facility.html", {**context, "problem": problem})
    slug = request.GET.get("plan") or first_choice(tables.ordered(result, comparison))
    status = 200
    try:
        month = read_month(request.GET.get("month", ""), result)
    except InputError as error:
        month, status = None, UNREADABLE
        context["refused"] = wording.say(error)
    try:
        found = facility(result, slug, month, request.GET.get("lost", ""))
    except KeyError:
        raise Http404 from None
    first = scenarios.first(row).document
    rows = forms.Page(document, result, result.book, evaluation.catalog(), first)
    context |= {
        "plan": slug,
        "plan_name": tables.names(result)[slug],
        "plans": purchase_tables.choices(result, comparison, slug),
        "colour": tables.colour(result, slug),
        **facility_page.page(found, result, rows.row_at),
    }
    part = request.htmx and not request.htmx.history_restore_request
    return render(
        request, "planner/_facility.html" if part else "planner/facility.html", {**context, "part": part}, status=status
    )

"""Facility: a plan in its room, month by month."""

from django.http import Http404
from django.shortcuts import render
from django.urls import reverse

from planner import facility_page, forms, tables, wording
from planner.services import evaluation, scenarios
from planner.services.facility import facility, first_choice, read_month
from planner.services.scenarios import InputError
from planner.views.plan_page import plan_page

UNREADABLE = 422


@plan_page("planner/facility.html")
def room(request, opened):
    """A month of one plan: the best one that owns machines unless another is asked for. htmx gets the room alone."""
    result, context, status = opened.result, opened.context, 200
    slug = request.GET.get("plan") or first_choice(tables.ordered(result, opened.comparison))
    try:
        month = read_month(request.GET.get("month", ""), result)
    except InputError as error:
        month, status = None, UNREADABLE
        context["refused"] = wording.say(error)
    try:
        found = facility(result, slug, month, request.GET.get("lost", ""))
    except KeyError:
        raise Http404 from None
    rows = forms.Page(opened.document, result, result.book, evaluation.catalog(), scenarios.first(opened.row).document)
    part = request.htmx and not request.htmx.history_restore_request
    context |= {
        "address": reverse("planner:facility", args=[opened.row.pk]),
        "part": part,
        **opened.of(slug),
        **facility_page.page(found, result, rows.row_at),
    }
    return render(request, "planner/_facility.html" if part else "planner/facility.html", context, status=status)

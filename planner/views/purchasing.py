"""Purchasing: a plan's orders with what they lack, and as a file."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils import timezone
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from catalog.pages import PAGE_OF_KIND
from planner import purchase_tables, wording
from planner.exports import orders
from planner.services import access, evaluation
from planner.services.purchasing import purchase
from planner.services.scenarios import InputError
from planner.views.guard import signed_in
from planner.views.plan_page import plan_page


@plan_page("planner/purchasing.html")
def purchasing(request, opened):
    """The orders of one plan, the best one unless another is asked for."""
    result = opened.result
    slug = request.GET.get("plan") or purchase_tables.first_choice(result, opened.comparison)
    context = opened.context | {
        "pricing_date": wording.date(opened.document.pricing_date),
        **purchase_tables.page(_purchase(opened.row, result, slug), result),
        **opened.of(slug),
    }
    for doubt in context["doubts"]:
        doubt["catalog"] = "" if doubt["path"] else _in_catalog(doubt["item"])
    return render(request, "planner/purchasing.html", context)


@require_safe
@signed_in
def orders_csv(request, pk):
    """The orders as CSV: for Excel, or plain=1; headers=codes gives names that no language changes."""
    return _download(request, pk, orders.orders_csv, "csv", "text/csv; charset=utf-8")


@require_safe
@signed_in
def orders_zip(request, pk):
    """The same rows, one CSV a supplier."""
    return _download(request, pk, orders.orders_zip, "zip", "application/zip")


def _download(request, pk, write, ending, content_type):
    row = access.scenario(request.user, pk)
    try:
        result, _comparison = evaluation.evaluated(row.head)
    except InputError:
        raise Http404 from None
    slug = request.GET.get("plan", "")
    bought = _purchase(row, result, slug)
    if not bought.possible:
        raise Http404
    plain, codes = request.GET.get("plain") == "1", request.GET.get("headers") == "codes"
    response = HttpResponse(write(bought, result.book, bom=not plain, codes=codes), content_type=content_type)
    name = f"orders-{slug}-v{row.head.number}{'-plain' if plain else ''}.{ending}"
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def _in_catalog(slug):
    """The catalog's page of an item whose price no assumption holds; "" where there is none."""
    kind = next((item.kind for item in evaluation.catalog().find(slug) if item.kind in PAGE_OF_KIND), "")
    return reverse("catalog:detail", args=[PAGE_OF_KIND[kind].path, slug]) if kind else ""


def _purchase(row, result, slug):
    try:
        return purchase(result, slug, f"S{row.pk}", row.head.number, timezone.localdate())
    except KeyError:
        raise Http404 from None

"""Newer prices: what the catalog gives otherwise by now, what that would do, and taking it over."""

from django.contrib import messages
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from catalog.pages import PAGE_OF_KIND
from planner import price_tables, wording
from planner.services import access, evaluation, newer_prices, scenarios
from planner.services.newer_prices import MovedAgain
from planner.services.scenarios import Conflict, InputError
from planner.views import workspace
from planner.views.guard import signed_in


@require_safe
@signed_in
def prices(request, pk):
    """The prices that moved since the newest version was priced."""
    return _page(request, access.scenario(request.user, pk))


@require_POST
@signed_in
def adopt(request, pk):
    """Take all of them over, if they still are those that were on the page."""
    row = access.scenario_to_edit(request.user, pk)
    try:
        newer_prices.adopt(row, workspace.base_of(request), request.POST.get("prices", ""), request.user)
    except MovedAgain:
        refusal = _("Nothing was adopted: prices have moved again since this page was opened. These are the newest.")
        return _page(request, row, workspace.CONFLICT, refusal=refusal)
    except InputError:
        return _page(request, row, workspace.INVALID)
    except Conflict as conflict:
        return workspace.conflicting(request, workspace.Shown(row, row.head, request.user, editable=True), conflict)
    messages.success(request, _("The newer prices are adopted. Undo brings the former ones back."))
    return redirect("planner:workspace", pk)


def _page(request, row, status=200, **more):
    version, document = row.head, scenarios.read(row.head.document)
    catalog, pinned = evaluation.catalog(), evaluation.book_of(row.head.prices_id)
    offered = newer_prices.offered(document, pinned, catalog)
    context = {
        "row": row,
        "version": version,
        "name": wording.scenario_name(document),
        "editable": access.may_edit(request.user, row),
        "pricing_date": wording.date(document.pricing_date),
        "moved": price_tables.moved(offered.moved, document, offered.book, catalog),
        **more,
    }
    for each in context["moved"]:
        each["url"] = _in_catalog(catalog, each["slug"])
    if offered.moved:
        now, then = newer_prices.answer(version, pinned), newer_prices.answer(version, offered.book)
        context |= {
            "prices": offered.book.sha256(),
            "currency": document.currency,
            "effects": price_tables.effects(now, then),
            "verdict": price_tables.verdict(now, then),
            "problem_now": price_tables.problem(now, document),
            "problem": price_tables.problem(then, document),
        }
    return render(request, "planner/prices.html", context, status=status)


def _in_catalog(catalog, slug):
    """The catalog's page of an item; "" where it has none."""
    kind = next((item.kind for item in catalog.find(slug) if item.kind in PAGE_OF_KIND), "")
    return reverse("catalog:detail", args=[PAGE_OF_KIND[kind].path, slug]) if kind else ""

"""The catalog to read: lists with search and filters, each item with its prices and sources. No JavaScript."""

import csv
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from django.contrib.auth.decorators import login_required
from django.core.paginator import Paginator
from django.db.models import Count
from django.http import Http404, HttpResponse
from django.shortcuts import get_object_or_404, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from django.views.decorators.http import require_safe

from catalog import history, import_words, imports, neighbour, pages, wording
from catalog.models import ImportBatch, Item
from catalog.neighbour import Use, Uses
from catalog.pages import PAGES

ROWS = 25
LISTED = 12  # items of a kind that use another; of more there is a link to their list
LATEST = 20  # changes by imports
OPEN_DATA = 5  # prices; so many or fewer need no click to be seen


# Kind of item → the kinds of items that name it, and in which cell.
NAMED_BY = {
    "accelerator": (
        ("build", "accelerator_slug"),
        ("server", "accelerator_slug"),
        ("offer", "accelerator_slug"),
        ("accelerator", "successor_slug"),
    ),
    "server": (("build", "server_slug"),),
}
TITLES = {"successor_slug": _("Accelerators it succeeds")}


@dataclass(frozen=True)
class Filter:
    """One choice above a list."""

    name: str
    label: str
    choices: list[tuple[str, str]]
    chosen: str


def page_of(path):
    try:
        return PAGES[path]
    except KeyError:
        raise Http404(path) from None


def asked(request, page):
    """What the address asks for: the words, the filters, the order."""

    def said(name):
        return request.GET.get(name, "").replace("\0", "")[:200]

    return said("q"), {name: said(name) for name in page.choosable}, said("sort")


@login_required
@require_safe
def overview(request):
    counts = dict(Item.objects.order_by().values_list("kind").annotate(Count("pk")))
    sections = [(page, sum(counts.get(kind, 0) for kind in page.kinds)) for page in PAGES.values()]
    context = {"sections": sections, "batch": ImportBatch.objects.first(), "pages": PAGES.values()}
    context["freshness_rule"] = wording.freshness_rule()
    return render(request, "catalog/overview.html", context)


@login_required
@require_safe
def item_list(request, path):
    page, today = page_of(path), timezone.localdate()
    words, chosen, sort = asked(request, page)
    items = pages.found(page, words, chosen, sort, today)
    shown = Paginator(items, ROWS).get_page(request.GET.get("page"))
    names = pages.named_by(item.record() for item in shown)
    filters = [Filter(name, wording.field(name), pages.choices(page, name), chosen[name]) for name in page.choosable]
    context = {
        "page": page,
        "pages": PAGES.values(),
        "words": words,
        "filters": filters,
        "filtered": bool(words) or any(chosen.values()),
        "columns": columns(page, sort),
        "rows": [row_of(page, item, names, today) for item in shown],
        "shown": shown,
        "sort": sort,
        "freshness_rule": wording.freshness_rule(),
    }
    return render(request, "catalog/list.html", context)


@login_required
@require_safe
def item_detail(request, path, slug):
    page, today = page_of(path), timezone.localdate()
    item = get_object_or_404(Item.objects.of_kind(*page.kinds).with_quotes(), slug=slug)
    record, quotes = item.record(), list(item.quotes.all())
    current = pages.current(quotes, today)
    cards = list(addons(item))
    names = pages.named_by([record, *(addon.record() for addon in cards)])
    added = [addon_of(addon, names, today) for addon in cards]
    changes = item.changes.select_related("batch__by").order_by("-pk")[:LATEST]
    own = pages.groups(record, names, item.edited_by_hand)
    sheets, notes = pages.footnotes([own, *(each["groups"] for each in added)])
    for each, sheet in zip(added, sheets[1:], strict=True):
        each["groups"] = sheet
    context = {
        "page": page,
        "pages": PAGES.values(),
        "item": item,
        "kind": wording.kind(item.kind),
        "groups": sheets[0],
        "notes": notes,
        "current": current and pages.price(current.record(), today, current.edited_by_hand),
        "freshness": pages.freshness(quotes, today),
        "freshness_rule": wording.freshness_rule(),
        "charts": charts(quotes, today),
        "prices": prices(request.user, quotes, today),
        "open_data": len(quotes) <= OPEN_DATA,
        "addons": added,
        "changes": [(one, import_words.field(one.field)) for one in changes],
        "uses": [*neighbour.ask().uses(request.user, item), *related(item)],
    }
    return render(request, "catalog/detail.html", context)


@login_required
@require_safe
def item_csv(request, path):
    """The filtered list as a file; every header of a figure names its unit, every price its currency, unit and date."""
    page, today = page_of(path), timezone.localdate()
    items = list(pages.found(page, *asked(request, page), today))
    response = HttpResponse("\ufeff", content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{page.path}-{today.isoformat()}.csv"'
    out = csv.writer(response)
    current = [pages.current(item.quotes.all(), today) for item in items]
    units = {(quote.currency, quote.unit) for quote in current if quote}
    out.writerow(pages.export_header(page, units))
    for item, quote in zip(items, current, strict=True):
        out.writerow(pages.export_row(page, item, quote))
    return response


def columns(page, sort):
    """(name, label, whether of numbers, the sort a click asks for, the present direction) of each column."""
    # the price stands before the data sheet: the last columns of a wide table lie outside a small window
    names = ["name", *(["vendor"] if page.vendor else []), *(["price"] if page.price else []), *page.columns]
    titles = {"name": wording.FIELDS["model"] if page.vendor else _("Name"), "price": page.price}
    result = []
    for name in names:
        label = titles.get(name) or pages.heading(page, name)
        numeric = name == "price" or pages.is_number(page, name)
        ascending, descending = sort == name, sort == f"-{name}"
        direction = "ascending" if ascending else "descending" if descending else ""
        result.append((name, label, numeric, f"-{name}" if ascending else name, direction))
    return result


def row_of(page, item, names, today):
    record = item.record()
    quote = pages.current(item.quotes.all(), today)
    return {
        "item": item,
        "name": item.name,
        "address": pages.address_of(item),
        "cells": [pages.cell(record, name, names, item.edited_by_hand) for name in page.columns],
        "price": quote and pages.price(quote.record(), today, quote.edited_by_hand),
        "freshness": pages.freshness(item.quotes.all(), today),
    }


def prices(user, quotes, today):
    """Every price, with the supplier's file where the user may fetch it."""
    files = imports.quote_files(user, (quote.batch_id for quote in quotes))
    shown = []
    for quote in quotes:
        price = pages.price(quote.record(), today, quote.edited_by_hand)
        kept = files.get(quote.batch_id)
        shown.append(replace(price, file=reverse("catalog:import_file", args=[kept.token])) if kept else price)
    return shown


def charts(quotes, today):
    """Each series of prices with its drawing."""
    return [
        {"name": f"history-{place}", "series": series, "drawn": neighbour.ask().price_history(series, today)}
        for place, series in enumerate(history.series([quote.record() for quote in quotes], today), 1)
    ]


def addons(item):
    if item.kind != "build":
        return Item.objects.none()
    return Item.objects.of_kind("addon").filter(spec__build_slug=item.slug).with_quotes()


def addon_of(item, names, today):
    quote = pages.current(item.quotes.all(), today)
    return {
        "item": item,
        "groups": pages.groups(item.record(), names, item.edited_by_hand, split=False),
        "price": quote and pages.price(quote.record(), today, quote.edited_by_hand),
        "freshness": pages.freshness(item.quotes.all(), today),
    }


def related(item):
    """The other items that name this one, by kind."""
    groups = []
    for kind, field in NAMED_BY.get(item.kind, ()):
        page = pages.PAGE_OF_KIND[kind]
        found = Item.objects.of_kind(kind).filter(**{f"spec__{field}": item.slug})
        links = [Use(one.name, pages.address_of(one)) for one in found[: LISTED + 1]]
        listing = f"{page.address}?{urlencode({field: item.slug})}"
        if len(links) > LISTED:  # hundreds of offers say less than their list, which can be filtered
            groups.append(Uses(page.title, [], found.count(), listing))
        elif links:
            groups.append(Uses(TITLES.get(field, page.title), links))
    return groups

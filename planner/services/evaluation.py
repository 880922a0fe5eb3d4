"""Documents and price books → results, kept by content: the same question is computed once."""

from __future__ import annotations

import copy
import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

from django.db.models import Count, Max

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Item, Quote
from catalog.records import Catalog
from planner.engine import ENGINE_VERSION
from planner.engine.compare import Comparison, by_lead_time, compare
from planner.engine.evaluate import Evaluation, evaluate
from planner.engine.inputs import Scenario
from planner.engine.prices import PROVIDER_CLASSES, PriceBook, content_hash
from planner.models import PinnedPrices, ScenarioVersion

__all__ = [
    "ENGINE_VERSION",
    "Recent",
    "answer",
    "book_of",
    "by_lead_time",
    "catalog",
    "evaluated",
    "pin",
    "with_provider",
]


class Recent:
    """The last results by key; safe among threads. Two threads may compute the same one, both get the same."""

    def __init__(self, size: int) -> None:
        self.size, self.kept, self.lock = size, OrderedDict[Hashable, Any](), threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self.lock:
            if key in self.kept:
                self.kept.move_to_end(key)
                return self.kept[key]
        made = make()
        with self.lock:
            self.kept[key] = made
            while len(self.kept) > self.size:
                self.kept.popitem(last=False)
        return made


_results, _books, _catalogs = Recent(48), Recent(24), Recent(1)


def evaluated(version: ScenarioVersion) -> tuple[Evaluation, Comparison]:
    """The answer of a version with the prices it pins; raises InputError where it cannot be computed."""
    return answer(version.document, book_of(version.prices_id), version.prices_id)


def with_provider(version: ScenarioVersion, provider_class: str) -> tuple[Evaluation, Comparison]:
    """The answer with the cloud offers of another class; raises KeyError for an unknown class."""
    if provider_class not in PROVIDER_CLASSES:
        raise KeyError(provider_class)
    document = copy.deepcopy(version.document)
    document["market"]["provider_class"] = provider_class
    for plan in document["plans"]:
        if plan["overflow"] is not None:
            plan["overflow"]["provider_class"] = provider_class
    return answer(document, book_of(version.prices_id), version.prices_id)


def answer(document: dict[str, Any], book: PriceBook, prices_sha256: str) -> tuple[Evaluation, Comparison]:
    """The answer to a document."""

    def make() -> tuple[Evaluation, Comparison]:
        evaluation = evaluate(Scenario.read(document), book)
        return evaluation, compare(evaluation)

    return _results.get((content_hash(document), prices_sha256, ENGINE_VERSION), make)


def book_of(sha256: str) -> PriceBook:
    """The frozen price book of that content."""
    return _books.get(sha256, lambda: PriceBook.read(PinnedPrices.objects.get(pk=sha256).book))


def pin(book: PriceBook) -> str:
    """Store a price book once per content; returns its SHA-256."""
    prices, _created = PinnedPrices.objects.get_or_create(
        sha256=book.sha256(), defaults={"book": book.model_dump(mode="json")}
    )
    return prices.pk


def catalog() -> Catalog:
    """The catalog of the database, read again when a row of it has changed; the shipped one where none is loaded."""
    items = Item.objects.aggregate(n=Count("pk"), last=Max("updated_at"))
    quotes = Quote.objects.aggregate(n=Count("pk"), last=Max("updated_at"))
    if not items["n"]:
        return shipped()
    return _catalogs.get((*items.values(), *quotes.values()), catalog_services.stored)

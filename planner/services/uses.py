"""What uses an item of the catalog: a scenario by the prices it pins, a template by those it would pin today."""

from collections.abc import Iterator
from typing import Any

from django.db.models import QuerySet

from catalog.models import Item
from planner.engine.inputs import Scenario as Document
from planner.models import PinnedPrices, Scenario, User
from planner.services import access, evaluation, gallery, pricebook

# Kind of item → its part of a price book.
PARTS = {
    "accelerator": "accelerators",
    "build": "builds",
    "offer": "offers",
    "switch": "items",
    "cost": "costs",
    "tariff": "tariffs",
    "colocation": "colocation",
    "model": "models",
}


def scenarios(user: User, item: Item) -> QuerySet[Scenario]:
    """Those the user may see whose newest version is computed with the item, last edited first."""
    mine = access.visible_scenarios(user).order_by("-updated_at")
    if item.kind in PARTS:
        return mine.filter(**{f"head__prices__book__{PARTS[item.kind]}__has_key": _key(item)})
    if item.kind == "fx":
        books = PinnedPrices.objects.filter(pk__in=mine.order_by().values("head__prices")).values_list("pk", "book")
        return mine.filter(head__prices__in=[pk for pk, book in books.iterator() if _uses(book, item)])
    return mine.none()


def templates(item: Item) -> list[str]:
    """Slugs of the templates that would be computed with the item."""
    if item.kind not in PARTS and item.kind != "fx":
        return []
    catalog = evaluation.catalog()
    documents = {slug: Document.read(gallery.document(slug)) for slug in gallery.templates()}
    books = {slug: pricebook.build(catalog, document) for slug, document in documents.items()}
    return [slug for slug, book in books.items() if _uses(book.model_dump(mode="json"), item)]


def _key(item: Item) -> str:
    """The name of the item in its part of a price book."""
    return f"{item.spec['region_code']}/{item.spec['customer_class']}" if item.kind == "tariff" else item.slug


def _uses(book: dict[str, Any], item: Item) -> bool:
    if item.kind == "fx":
        return {item.spec["base"], item.spec["quote"]} in _converted(book)
    return _key(item) in book[PARTS[item.kind]]


def _converted(book: dict[str, Any]) -> list[set[str]]:
    """The pairs of currencies that a price book converts; one without a rate of its own may go over the dollar."""
    home = book["currency"]
    foreign = set(_currencies(book)) - {home}
    pairs = [{currency, home} for currency in foreign]
    if home != "USD" and foreign - {"USD"}:
        pairs += [{currency, "USD"} for currency in (*foreign, home) if currency != "USD"]
    return pairs


def _currencies(node: Any) -> Iterator[str]:
    """Every currency named in a document."""
    if isinstance(node, dict):
        if isinstance(node.get("currency"), str) and node["currency"]:
            yield node["currency"]
        for value in node.values():
            yield from _currencies(value)

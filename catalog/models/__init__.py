"""Rows of the catalog: items, the prices asked for them, and the imports they came by."""

from catalog.models.imports import ImportBatch, Source
from catalog.models.items import Item
from catalog.models.quotes import Quote

__all__ = ["ImportBatch", "Item", "Quote", "Source"]

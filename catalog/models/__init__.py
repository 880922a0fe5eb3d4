"""Rows of the catalog: items, the prices asked for them, and the imports they came by."""

from catalog.models.imports import Change, ImportBatch, ImportJob, Source, SupplierMapping, Upload
from catalog.models.items import Item
from catalog.models.quotes import Quote

__all__ = ["Change", "ImportBatch", "ImportJob", "Item", "Quote", "Source", "SupplierMapping", "Upload"]

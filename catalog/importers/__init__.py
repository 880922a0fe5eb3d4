"""Bytes → a Catalog, or the list of every bad cell. Pure: no database, no request, no clock."""

from catalog.importers.files import FORMS, read
from catalog.importers.sheet import MAX_BYTES
from catalog.importers.table import MAX_ROWS, BadCell, Refused

__all__ = ["FORMS", "MAX_BYTES", "MAX_ROWS", "BadCell", "Refused", "read"]

"""What a reader finds in a file, in portions, so that a file of any length needs the memory of one portion."""

import marshal
from collections import Counter
from dataclasses import astuple, dataclass, field
from typing import Any

from catalog.importers.table import WHOLE_FILE, BadCell
from catalog.importers.wire import EXTERNAL_ID, ItemRow, QuoteRow, item_row, quote_row
from catalog.records import ItemRecord, QuoteRecord

MOST_LISTED = 1_000  # of bad cells and of doubts; the others are counted


@dataclass(frozen=True)
class Doubt:
    """Something that is hard to believe, for a person to confirm. `code` and the rest are for wording."""

    code: str
    file: str
    line: int
    subject: str  # the item, by name
    facts: dict[str, Any] = field(default_factory=dict)  # numbers and words of the sentence


@dataclass
class Harvest:
    """Rows for the database, and what could not be used: bad cells, and rows left out with their reason."""

    items: list[ItemRow] = field(default_factory=list)
    quotes: list[QuoteRow] = field(default_factory=list)
    bad: list[BadCell] = field(default_factory=list)
    doubts: list[Doubt] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    rows: int = 0  # since the beginning, as `bad_rows`
    bad_rows: int = 0

    def add(self, item: ItemRecord | None, *quotes: QuoteRecord) -> None:
        if item is not None:
            self.items.append(item_row(item))
        self.quotes += map(quote_row, quotes)

    @property
    def size(self) -> int:
        return len(self.items) + len(self.quotes) + len(self.bad) + len(self.doubts)

    def portion(self) -> dict[str, Any]:
        """All that came since the last portion, as plain values; the lists are emptied.

        The rows are packed: most of them are new to the catalog, and are written as they are without being looked at.
        """
        self.bad_rows += len({(cell.file, cell.line) for cell in self.bad if cell.code not in WHOLE_FILE})
        found = {
            "rows": self.rows,
            "bad_rows": self.bad_rows,
            "items": marshal.dumps(self.items),
            "quotes": marshal.dumps(self.quotes),
            "item_keys": [row[:2] for row in self.items],
            "quote_keys": [(*row[:2], row[EXTERNAL_ID]) for row in self.quotes],
            "bad": [astuple(cell) for cell in self.bad[:MOST_LISTED]],
            "bad_count": len(self.bad),
            "doubts": [astuple(doubt) for doubt in self.doubts],
            "left_out": dict(self.left_out),
        }
        self.items, self.quotes = [], []
        self.bad.clear()  # the same list stays: rows note their bad cells in it
        self.doubts.clear()
        self.left_out.clear()
        return found

"""What an import would do to the catalog, and then doing exactly that.

Portion by portion the rows of a file are compared with what is stored. What must be written waits in a temporary file:
neither memory nor the database is held meanwhile. Writing it all takes one short transaction.
"""

import hashlib
import json
import marshal
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import asdict, dataclass, field
from decimal import Decimal
from typing import Any

from django.db import connection, transaction
from django.db.models import Count, Max
from django.utils import timezone

from catalog.importers.harvest import MOST_LISTED, Doubt
from catalog.importers.table import WHOLE_FILE, BadCell
from catalog.importers.wire import EXTERNAL_ID, ITEM_COLUMNS, QUOTE_COLUMNS, ItemRow, QuoteRow
from catalog.models import Change, ImportBatch, Item, Quote, Source
from catalog.records import read_provenance, words_of, write_provenance
from catalog.services import wait_for_other_loads

ITEM_FIELDS = ITEM_COLUMNS[2:]
QUOTE_FIELDS = QUOTE_COLUMNS[2:]
NOTHING = marshal.dumps([])
JSON_FIELDS = {"spec", "provenance", "breaks", "discounts"}
AMOUNTS = {"unit_price", "min_order_value", "tax_included_percent"}
DATES = {"quoted_on", "valid_until"}
NOT_SHOWN = {"words", "provenance"}  # where something else differs too
FAR_OFF = Decimal(10)  # times the last price, up or down
HOURS_OF_A_MONTH = (Decimal(300), Decimal(1500))  # 730, give or take a discount of half or a price twice as high
MONTHLY = {"gpu-hour": "gpu-month", "instance-hour": "instance-month"}
MOST_SHOWN = 20  # examples of what changes
KEYS_AT_ONCE = 5_000  # of one query
CACHE_KB = 65_536  # of SQLite while it writes: with the usual 2 MB the indexes of 100,000 rows take twice the time


class Outdated(Exception):
    """The catalog has changed since the rows were compared with it."""


@dataclass
class Plan:
    """What is to be written, counted; and what stands against it."""

    rows: int = 0
    bad_rows: int = 0
    bad_count: int = 0
    bad: list[BadCell] = field(default_factory=list)  # the first MOST_LISTED
    doubts: list[Doubt] = field(default_factory=list)  # as many
    doubt_counts: Counter[str] = field(default_factory=Counter)
    left_out: Counter[str] = field(default_factory=Counter)
    items: Counter[str] = field(default_factory=Counter)  # create, update, unchanged, kept
    quotes: Counter[str] = field(default_factory=Counter)
    examples: list[dict[str, Any]] = field(default_factory=list)
    digest: str = ""

    @property
    def whole_file_refused(self) -> bool:
        return any(cell.code in WHOLE_FILE for cell in self.bad)

    @property
    def changes(self) -> int:
        return sum(counts[what] for counts in (self.items, self.quotes) for what in ("create", "update"))

    def as_plain(self) -> dict[str, Any]:
        """As JSON has it."""
        plain = {name: getattr(self, name) for name in self.__dataclass_fields__}
        listed = {name: [asdict(one) for one in plain[name]] for name in ("bad", "doubts")}
        return json.loads(json.dumps(plain | listed))

    @classmethod
    def from_plain(cls, plain: Mapping[str, Any]) -> "Plan":
        kept = dict(plain)
        kept["bad"] = [BadCell(**cell) for cell in kept["bad"]]
        kept["doubts"] = [Doubt(**doubt) for doubt in kept["doubts"]]
        for name in ("doubt_counts", "left_out", "items", "quotes"):
            kept[name] = Counter(kept[name])
        return cls(**kept)


class Comparison:
    """Takes the portions of a harvest and makes a plan of them. Use it as a context: it holds a temporary file.

    adds_only : files of others know a part of an item: what they do not say stays, and no estimate replaces a source.
    """

    def __init__(self, adds_only: bool = False) -> None:
        self.plan = Plan()
        self._adds_only = adds_only
        self._spool = tempfile.TemporaryFile(prefix="outlay-import-")  # noqa: SIM115
        self._digest = hashlib.sha256()
        self._revision = revision()
        self._old: set[tuple[str, ...]] = set()  # kind and slug of those rows that are stored already
        self._kinds = dict(Item.objects.order_by().values_list("kind").annotate(Count("pk")))

    def __enter__(self) -> "Comparison":
        return self

    def __exit__(self, *_exception: object) -> None:
        self._spool.close()

    def take(self, portion: Mapping[str, Any]) -> None:
        plan = self.plan
        plan.rows, plan.bad_rows = portion["rows"], portion["bad_rows"]
        plan.bad_count += portion["bad_count"]
        plan.bad += [BadCell(*cell) for cell in portion["bad"][: MOST_LISTED - len(plan.bad)]]
        self._doubt(Doubt(*doubt) for doubt in portion["doubts"])
        plan.left_out.update(portion["left_out"])
        self._compare_items(portion["item_keys"], portion["items"])
        self._compare_quotes(portion["quote_keys"], portion["quotes"])
        plan.digest = self._digest.hexdigest()

    def _doubt(self, doubts: Iterable[Doubt]) -> None:
        for doubt in doubts:
            self.plan.doubt_counts[doubt.code] += 1
            if len(self.plan.doubts) < MOST_LISTED:
                self.plan.doubts.append(doubt)

    def _compare_items(self, keys: list[tuple[str, str]], packed: bytes) -> None:
        create, update = [], []
        stored = self._stored_items(keys)
        if not stored and len(self.plan.examples) >= MOST_SHOWN:
            self.plan.items["create"] += len(keys)
            self._keep("items", packed, [])
            return
        for row in marshal.loads(packed):
            found = stored.get(row[:2])
            if found is None:
                create.append(row)
                continue
            pk, by_hand, values = found[0], found[1], found[2:]
            if self._adds_only:
                row = _added_to(values, row)
            changed = _differences(ITEM_FIELDS, values, row[2:])
            if not changed:
                self.plan.items["unchanged"] += 1
            elif by_hand:
                self.plan.items["kept"] += 1
            else:
                update.append((pk, row, changed))
                self._example("update", f"{row[0]} {row[1]}", row[2], changed)
        self.plan.items["create"] += len(create)
        self.plan.items["update"] += len(update)
        for row in create[: MOST_SHOWN - len(self.plan.examples)]:
            self._example("create", f"{row[0]} {row[1]}", row[2], [])
        self._keep("items", marshal.dumps(create), update)

    def _compare_quotes(self, keys: list[tuple[str, str, str]], packed: bytes) -> None:
        create, update = [], []
        stored = self._stored_quotes(keys)
        history = self._history([key for key in keys if key[2] not in stored])
        if not stored and not history:
            self.plan.quotes["create"] += len(keys)
            self._keep("quotes", packed, [])
            return
        for row in marshal.loads(packed):
            found = stored.get(row[EXTERNAL_ID])
            if found is None:
                create.append(row)
                self._weigh(row, history)
                continue
            pk, by_hand, values = found[0], found[1], found[2:]
            changed = _differences(QUOTE_FIELDS, values, row[2:])
            if not changed:
                self.plan.quotes["unchanged"] += 1
            elif by_hand:
                self.plan.quotes["kept"] += 1
            else:
                update.append((pk, row, changed))
                self._weigh(row, {_place(row): Decimal(str(values[0]))})
                self._example("update", f"{row[0]} {row[1]}", _price(row), changed)
        self.plan.quotes["create"] += len(create)
        self.plan.quotes["update"] += len(update)
        self._keep("quotes", marshal.dumps(create), update)

    def _stored_items(self, keys: list[tuple[str, str]]) -> dict[tuple[str, ...], tuple[Any, ...]]:
        found: dict[tuple[str, ...], tuple[Any, ...]] = {}
        for kind, slugs in self._by_kind(keys).items():
            chosen = "SELECT slug, id, edited_by_hand, {fields} FROM {item} WHERE kind = %s AND slug IN ({slugs})"
            for row in _select(chosen, [kind], slugs, fields=ITEM_FIELDS):
                found[kind, row[0]] = row[1:]
        self._old.update(found)
        return found

    def _stored_quotes(self, keys: list[tuple[str, str, str]]) -> dict[str, tuple[Any, ...]]:
        if not any(self._kinds.get(key[0]) for key in keys):
            return {}
        chosen = "SELECT external_id, id, edited_by_hand, {fields} FROM {quote} WHERE external_id IN ({slugs})"
        ids = [key[2] for key in keys]
        return {row[0]: row[1:] for row in _select(chosen, [], ids, fields=QUOTE_FIELDS)}

    def _history(self, keys: list[tuple[str, str, str]]) -> dict[tuple[str, ...], Decimal]:
        """The newest stored price of each item by currency, unit and condition."""
        found: dict[tuple[str, ...], Decimal] = {}
        for kind, slugs in self._by_kind([key for key in keys if key[:2] in self._old]).items():
            chosen = (
                "SELECT i.slug, q.currency, q.unit, q.condition, q.unit_price FROM {quote} q JOIN {item} i"
                " ON i.id = q.item_id WHERE i.kind = %s AND i.slug IN ({slugs}) ORDER BY q.quoted_on, q.id"
            )
            for slug, currency, unit, condition, price in _select(chosen, [kind], slugs):
                found[kind, slug, currency, unit, condition] = Decimal(str(price))
        return found

    def _by_kind(self, keys: list[Any]) -> dict[str, list[str]]:
        """The slugs of rows by kind, of kinds of which anything is stored."""
        found: dict[str, list[str]] = {}
        for kind, slug in dict.fromkeys(key[:2] for key in keys):
            if self._kinds.get(kind):
                found.setdefault(kind, []).append(slug)
        return found

    def _weigh(self, row: QuoteRow, history: Mapping[tuple[str, ...], Decimal]) -> None:
        """A price ten times off the last one, or that of a month given as one of an hour."""
        place, price = _place(row), Decimal(row[2])
        last, monthly = history.get(place), MONTHLY.get(row[5])
        facts = {"price": row[2], "currency": row[3], "unit": row[5]}
        if last is None and monthly is not None:
            of_a_month = history.get((*place[:3], monthly, place[4]))
            if of_a_month and Decimal("0.5") < price / of_a_month < 2:
                facts |= {"last": str(of_a_month.normalize()), "last_unit": monthly}
                self._doubt([Doubt("month_as_hour", "", 0, row[1], facts)])
        if not last or not price:
            return
        times = price / last
        facts |= {"last": f"{last.normalize():f}", "last_unit": row[5]}
        if row[5].endswith("-hour") and HOURS_OF_A_MONTH[0] <= times <= HOURS_OF_A_MONTH[1]:
            self._doubt([Doubt("month_as_hour", "", 0, row[1], facts)])
        elif times >= FAR_OFF or times <= 1 / FAR_OFF:
            self._doubt([Doubt("price_far_off", "", 0, row[1], facts | {"times": float(f"{times:.3g}")})])

    def _example(self, what: str, place: str, name: str, changed: list[tuple[str, str, str]]) -> None:
        if len(self.plan.examples) < MOST_SHOWN:
            short = [[field, old[:60], new[:60]] for field, old, new in changed]
            self.plan.examples.append({"what": what, "place": place, "name": name, "changed": short})

    def _keep(self, table: str, create: bytes, update: list[Any]) -> None:
        if create != NOTHING or update:
            written = marshal.dumps((table, create, update))
            self._digest.update(written)
            self._spool.write(len(written).to_bytes(8, "big") + written)

    # ── Writing ──────────────────────────────────────────────────────────────────────────────────────────────────────

    def save(self, sources: Iterable[Mapping[str, Any]], options: dict[str, Any], by: Any = None) -> ImportBatch | None:
        """Write the plan in the transaction at hand, all of it or nothing; None where there is nothing to write.

        Raises Outdated if the catalog is not what the rows were compared with.
        """
        if not connection.in_atomic_block:
            raise transaction.TransactionManagementError("an import is saved inside a transaction")
        wait_for_other_loads()
        if revision() != self._revision:
            raise Outdated
        if not self.plan.changes:
            return None
        counts = {
            name: {word: getattr(self.plan, name)[what] for word, what in WORD_OF.items()}
            for name in ("items", "quotes")
        }
        batch = ImportBatch.objects.create(content_sha256=self.plan.digest, by=by, counts=counts, options=options)
        Source.objects.bulk_create(Source(batch=batch, **source) for source in sources)
        with _wide_cache():
            for table, create, update in self._kept():
                (_write_items if table == "items" else _write_quotes)(batch, create, update)
        return batch

    def _kept(self) -> Iterator[tuple[str, list[Any], list[Any]]]:
        self._spool.seek(0)
        while length := self._spool.read(8):
            table, create, update = marshal.loads(self._spool.read(int.from_bytes(length, "big")))
            yield table, marshal.loads(create), update


WORD_OF = {"added": "create", "changed": "update", "kept": "kept", "unchanged": "unchanged"}


def revision() -> tuple[Any, ...]:
    """What tells one state of the catalog from another."""
    of = {"count": Count("pk"), "last": Max("updated_at"), "top": Max("pk")}
    return (*Item.objects.aggregate(**of).values(), *Quote.objects.aggregate(**of).values())


def _place(row: QuoteRow) -> tuple[str, ...]:
    return (row[0], row[1], row[3], row[5], row[11])


def _price(row: QuoteRow) -> str:
    return f"{row[2]} {row[3]} / {row[5]}"


def _differences(names: Iterable[str], before: tuple[Any, ...], after: tuple[Any, ...]) -> list[tuple[str, str, str]]:
    """(field, old, new) of each field that differs, as text."""
    if before == after:
        return []
    found = []
    for name, old, new in zip(names, before, after, strict=True):
        if name in JSON_FIELDS:
            if old != new:  # as text; PostgreSQL writes the same document in another way
                found += _in_document(name, json.loads(old), json.loads(new))
        elif name in AMOUNTS:
            if (old is None) != (new is None) or (old is not None and Decimal(str(old)) != Decimal(new)):
                found.append((name, "" if old is None else f"{Decimal(str(old)).normalize():f}", new or ""))
        elif old != new:
            found.append((name, "" if old is None else str(old), "" if new is None else str(new)))
    shown = [change for change in found if change[0] not in NOT_SHOWN]
    return shown or found


def _in_document(name: str, old: Any, new: Any) -> list[tuple[str, str, str]]:
    if old == new:
        return []
    if name != "spec" or not isinstance(old, dict):
        return [(name, json.dumps(old, ensure_ascii=False), json.dumps(new, ensure_ascii=False))]
    cells = [cell for cell in {**old, **new} if old.get(cell) != new.get(cell)]
    return [(cell, _text(old.get(cell)), _text(new.get(cell))) for cell in cells]


def _text(value: Any) -> str:
    return "" if value is None else str(value)


def _added_to(stored: tuple[Any, ...], row: ItemRow) -> ItemRow:
    """The stored item with the cells that the row has and it has not, or has on no better word."""
    old, new = dict(zip(ITEM_FIELDS, stored, strict=True)), dict(zip(ITEM_COLUMNS, row, strict=True))
    spec, said = json.loads(old["spec"]), read_provenance(json.loads(old["provenance"]))
    found, says = json.loads(new["spec"]), read_provenance(json.loads(new["provenance"]))
    for cell, value in found.items():
        known = spec.get(cell)
        weaker = cell in says and says[cell].status == "estimate" and cell in said and said[cell].status == "sourced"
        if known == value or cell == "model" or (known is not None and weaker):
            continue
        spec[cell] = value
        said.pop(cell, None)
        if cell in says:
            said[cell] = says[cell]
    if spec == json.loads(old["spec"]):
        return (*row[:2], *stored)
    return (
        *(new["kind"], new["slug"], old["name"], old["vendor"]),
        *(json.dumps(spec), json.dumps(write_provenance(said)), words_of(spec)),
    )


class _wide_cache:
    """SQLite's cache, wider for a while."""

    def __enter__(self) -> None:
        self._set(-CACHE_KB)

    def __exit__(self, *_exception: object) -> None:
        self._set(-2_000)

    @staticmethod
    def _set(size: int) -> None:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                cursor.execute(f"PRAGMA cache_size={size}")


def _write_items(batch: ImportBatch, create: list[ItemRow], update: list[tuple[int, ItemRow, Any]]) -> None:
    now = _now()
    columns = (*ITEM_COLUMNS, "edited_by_hand", "updated_at")
    _insert(Item, columns, ["%s"] * len(columns), ((*row, False, now) for row in create))
    _update(Item, (*ITEM_FIELDS, "updated_at"), ((*row[2:], now, pk) for pk, row, _changed in update))
    Change.objects.bulk_create(
        Change(batch=batch, item_id=pk, field=name, old=old, new=new)
        for pk, _row, changed in update
        for name, old, new in changed
    )


def _write_quotes(batch: ImportBatch, create: list[QuoteRow], update: list[tuple[int, QuoteRow, Any]]) -> None:
    now = _now()
    item = f"(SELECT id FROM {Item._meta.db_table} WHERE kind = %s AND slug = %s)"
    columns = ("item_id", *QUOTE_FIELDS, "edited_by_hand", "batch_id", "updated_at")
    values = [item, *["%s"] * (len(columns) - 1)]
    _insert(Quote, columns, values, ((*row, False, batch.pk, now) for row in create))
    _update(Quote, (*QUOTE_FIELDS, "batch_id", "updated_at"), ((*row[2:], batch.pk, now, pk) for pk, row, _c in update))
    owners = dict(Quote.objects.filter(pk__in=[pk for pk, *_rest in update]).values_list("pk", "item_id"))
    Change.objects.bulk_create(
        Change(batch=batch, item_id=owners[pk], quote_id=pk, field=name, old=old, new=new)
        for pk, _row, changed in update
        for name, old, new in changed
    )


def _insert(model: Any, columns: Iterable[str], values: list[str], rows: Iterable[tuple[Any, ...]]) -> None:
    """Without the model: for 100,000 rows that takes a fifth of the time."""
    names = ", ".join(map(connection.ops.quote_name, columns))
    _many(f"INSERT INTO {model._meta.db_table} ({names}) VALUES ({', '.join(values)})", rows)


def _update(model: Any, columns: Iterable[str], rows: Iterable[tuple[Any, ...]]) -> None:
    names = ", ".join(f"{connection.ops.quote_name(name)} = %s" for name in columns)
    _many(f"UPDATE {model._meta.db_table} SET {names} WHERE id = %s", rows)


def _select(statement: str, given: list[str], keys: list[str], fields: Iterable[str] = ()) -> list[tuple[Any, ...]]:
    """Rows of raw columns, JSON as text: for 100,000 rows the models take ten times as long."""
    found: list[tuple[Any, ...]] = []
    names = {"item": Item._meta.db_table, "quote": Quote._meta.db_table, "fields": ", ".join(map(_as_text, fields))}
    with connection.cursor() as cursor:
        for start in range(0, len(keys), KEYS_AT_ONCE):
            part = keys[start : start + KEYS_AT_ONCE]
            cursor.execute(statement.format(slugs=", ".join(["%s"] * len(part)), **names), [*given, *part])
            found += cursor.fetchall()
    return found


def _as_text(column: str) -> str:
    return f"CAST({column} AS TEXT)" if column in JSON_FIELDS | AMOUNTS | DATES else column


def _many(statement: str, rows: Iterable[tuple[Any, ...]]) -> None:
    listed = list(rows)
    if listed:
        with connection.cursor() as cursor:
            cursor.executemany(statement, listed)


def _now() -> str:
    return timezone.now().replace(tzinfo=None).isoformat(" ")  # UTC, as every connection has it

"""Cloud offers by the hundred thousand: what rows share is worked out once; what is unusual goes the long way.

The long way is `files._offer`; a test holds the two to the same rows.
"""

import json
import math
import re
from collections.abc import Iterator
from hashlib import sha256
from json.encoder import encode_basestring_ascii as quoted
from operator import itemgetter
from typing import NamedTuple

from pydantic import ValidationError

from catalog.importers import notes
from catalog.importers.doubts import DEAR_HOUR, dear_hour
from catalog.importers.files import DIGEST, SEPARATOR, offer_kind
from catalog.importers.harvest import Harvest
from catalog.importers.sheet import Sheet, Unreadable
from catalog.importers.table import CURRENCIES, LENGTHS, MAX_ROWS, URL, URL_LENGTH, Row, parse_day, sound_row
from catalog.importers.wire import ItemRow, QuoteRow
from catalog.records import Provenance, write_provenance
from catalog.specs import CloudOffer

SHARED = (
    *("provider", "accelerator_slug", "provider_class", "billing_unit", "accelerator_count", "pricing_model"),
    *("currency", "price_date", "source_url", "note"),
)
SLUG = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,119}", re.ASCII)
PRICE = re.compile(r"(?:0|[1-9]\d{0,8})(?:\.\d{1,6})?", re.ASCII)
COUNT = re.compile(r"[1-9]\d{0,3}", re.ASCII)
NAME = re.compile(r"(?:[!-~](?:[ -~]{0,98}[!-~])?)?")  # up to 100 characters of ASCII, no blank at either end
OWN = ("slug", "instance_type", "region", "price_per_hour")
SIGN_OF_LIFE = 1_000  # rows
CELLS = tuple(CloudOffer.model_fields)
LONGEST_NOTE = 1_000
MOST_KEPT = 20_000  # of what was worked out: a file in which everything differs gains nothing by keeping it


class Common(NamedTuple):
    """What offers of one provider, machine, terms, day and source have in common, ready to be put around the rest."""

    provider: str
    cards: str  # "8× h100-sxm"
    before: str  # of the data sheet, up to the type of the instance
    middle: str  # up to the region
    after: str
    codes: str
    pricing: str
    said: dict[tuple[bool, bool], str]  # provenance, by whether instance and region are known
    dear: float  # an hour above it is hard to believe
    money: tuple[str, str, str, str, str, None, str, str, str, str, str]  # of a quote, from the currency to the remark
    identity: str  # what follows an item's slug in the identity of its quote


class Offers:
    """Makes rows of offers, and remembers what they have in common."""

    def __init__(self) -> None:
        self._common: dict[tuple[str, ...], Common | None] = {}
        self._first: dict[str, int] = {}  # slug → line
        self._names: set[str] = set()  # of instances and regions that are as they should be

    def rows(self, sheet: Sheet, harvest: Harvest) -> Iterator[Row | None]:
        """Take the usual rows over. Others are given back for the long way; None now and then, as a sign of life."""
        places = [sheet.header.index(name) for name in (*SHARED, *OWN)]
        shared, own = itemgetter(*places[: len(SHARED)]), itemgetter(*places[len(SHARED) :])
        width, common, items, quotes = len(sheet.header), self._common, harvest.items, harvest.quotes
        first, fine_slug, fine_price, fine = self._first, SLUG.fullmatch, PRICE.fullmatch, self._fine
        before = count = harvest.rows
        for count, (line, values) in enumerate(sheet.lines, before + 1):
            if not count % SIGN_OF_LIFE:
                if count - before > MAX_ROWS:
                    raise Unreadable("too_many_rows", line, high=MAX_ROWS)
                harvest.rows = count
                yield None
                items, quotes = harvest.items, harvest.quotes  # emptied meanwhile
            if len(values) == width and not sheet.comma:
                key, (slug, instance, region, price) = shared(values), own(values)
                known = common[key] if key in common else self._remember(key)
                usual = fine_slug(slug) and fine_price(price) and fine(instance) and fine(region)
                if usual and known is not None and slug not in first:
                    first[slug] = line
                    items.append(item(known, slug, instance, region))
                    quotes.append(quote(known, slug, price))
                    if float(price) > known.dear:
                        doubt = dear_hour(sheet.file, line, items[-1][2], price, known.money[0], known.dear)
                        harvest.doubts.append(doubt)
                    continue
            harvest.rows = count
            yield self._unusual(sheet, line, values, harvest)
        harvest.rows = count

    def _fine(self, name: str) -> bool:
        """Whether the name of an instance or a region can be taken as it stands."""
        if name in self._names:
            return True
        if len(self._names) < MOST_KEPT and NAME.fullmatch(name):
            self._names.add(name)
            return True
        return NAME.fullmatch(name) is not None

    def _unusual(self, sheet: Sheet, line: int, values: list[str], harvest: Harvest) -> Row | None:
        row = sound_row(sheet, line, values, harvest.bad)
        if row is None:
            return None
        first = self._first.setdefault(row.cells["slug"], line)
        if first == line:
            return row
        row.refuse("slug", "duplicate", detail=str(first))
        return None

    def _remember(self, key: tuple[str, ...]) -> Common | None:
        if len(self._common) > MOST_KEPT:
            self._common.clear()
        provider, card, class_, billing, count, pricing, currency, day, url, note = key
        found, address = parse_day(day), URL.match(url)
        usable = (address or not url) and currency in CURRENCIES and len(note) <= LONGEST_NOTE and note.isprintable()
        usable = usable and note == note.strip()
        made = None
        if found and usable and COUNT.fullmatch(count) and (not address or len(address[0]) <= URL_LENGTH):
            made = common_of(
                provider, card, class_, billing, int(count), pricing, currency=currency, day=found[0].isoformat(),
                precision=found[1], url=address[0] if address else "", note=note,
            )  # fmt: skip
        self._common[key] = made
        return made


def common_of(
    provider: str, card: str, class_: str, billing: str, count: int, pricing: str, *, currency: str, day: str,
    precision: str, url: str, note: str, guess: str = "",
) -> Common | None:  # fmt: skip
    """None where it is no valid data sheet. `guess`: what was assumed of the accelerator; `day`: ISO."""
    if len(provider) > LENGTHS["provider"]:
        return None
    given = dict(zip(CELLS, (provider, "x", card, class_, billing, count, "x", pricing), strict=True))
    try:
        spec = CloudOffer.model_validate(given).model_dump(mode="json")
    except ValidationError:
        return None
    unit, kind = "gpu-hour" if billing == "gpu" else "instance-hour", offer_kind(class_, note)
    return Common(
        provider=provider,
        cards=f"{count}× {card}",
        before=json.dumps({"provider": provider})[:-1],
        middle=json.dumps({name: spec[name] for name in CELLS[2:6]})[1:-1],
        after=json.dumps({"pricing_model": pricing})[1:],
        codes=f"{card} {class_} {billing}",
        pricing=pricing,
        said={(i, r): _said(note, url, guess, i, r) for i in (False, True) for r in (False, True)},
        dear=DEAR_HOUR.get(currency, math.inf) * (1 if billing == "gpu" else count),
        money=(currency, kind, unit, day, precision, None, provider, "", "new", url, note),
        identity=SEPARATOR.join(("", kind, unit, provider, "", "new", currency, day, precision, url)),
    )


def item(common: Common, slug: str, instance: str, region: str) -> ItemRow:
    provider, cards, before, middle, after, codes, pricing, said, *_rest = common
    if instance and region:
        spec = f'{before}, "instance_type": {quoted(instance)}, {middle}, "region": {quoted(region)}, {after}'
        words = f"{provider} {instance} {codes} {region} {pricing}"
        return ("offer", slug, f"{provider} {instance} {cards}", provider, spec, said[True, True], words)
    of_instance = f', "instance_type": {quoted(instance)}' if instance else ""
    of_region = f', "region": {quoted(region)}' if region else ""
    words = " ".join(filter(None, (provider, instance, codes, region, pricing)))
    name = " ".join(filter(None, (provider, instance, cards)))
    spec = f"{before}{of_instance}, {middle}{of_region}, {after}"
    return ("offer", slug, name, provider, spec, said[bool(instance), bool(region)], words)


def quote(common: Common, slug: str, price: str) -> QuoteRow:
    """`price`: digits with a decimal point."""
    amount = price.rstrip("0").rstrip(".") if "." in price else price
    digest = sha256(f"offer{SEPARATOR}{slug}{common.identity}".encode()).hexdigest()[:DIGEST]
    return ("offer", slug, amount, *common.money, f"{digest}-1", "[]", "[]", None, None, None, None)


def _said(note: str, url: str, guess: str, instance: bool, region: bool) -> str:
    absent = {"instance_type": not instance, "region": not region}
    whole = Provenance(notes.row_status(note, url), note, url)
    cells = dict.fromkeys((cell for cell in CELLS if not absent.get(cell)), whole)
    if guess:
        cells["accelerator_slug"] = Provenance("estimate", guess, url)
    return json.dumps(write_provenance(cells))

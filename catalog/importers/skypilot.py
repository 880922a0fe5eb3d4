"""Cloud prices in the form of the SkyPilot service catalog: instances by region, dollars per instance-hour.

The form is the same for all providers, with a column more or less. A file says neither whose prices nor of which day
they are: whoever imports it does. Of the zones of a region, and of one machine on a marketplace, the cheapest counts.
Google's accelerators and the machines around them stand in rows of their own, and are put together.
"""

import re
import zlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from typing import Any, NamedTuple

from catalog.importers.card_names import Named, card
from catalog.importers.doubts import dear_hour
from catalog.importers.files import slugify
from catalog.importers.harvest import Doubt, Harvest
from catalog.importers.offers import Common, common_of, item, quote
from catalog.importers.sheet import Sheet
from catalog.importers.table import LENGTHS, BadCell, Row, columns_fit, sound_rows
from catalog.records import PRICE_DECIMALS, PRICE_LIMIT, plain

REQUIRED = ("InstanceType", "AcceleratorName", "AcceleratorCount", "Price", "Region")
ADDRESS = "https://github.com/skypilot-org/skypilot-catalog"
NOTE = "as listed in the SkyPilot service catalog"
ALONE = f"{NOTE}; the accelerators alone, without the machine around them"
JOINED = f"{NOTE}; the prices of the machine and of its accelerators added up"
# Accelerator and number → the machine it comes in: Google Cloud's accelerator-optimised machine types. Of those for one
# L4, the smallest.
HOSTS = {
    **{("A100", n): f"a2-highgpu-{n}g" for n in (1, 2, 4, 8)},
    **{("A100-80GB", n): f"a2-ultragpu-{n}g" for n in (1, 2, 4, 8)},
    **{("H100", n): f"a3-highgpu-{n}g" for n in (1, 2, 4, 8)},
    **{("L4", 1): "g2-standard-4", ("L4", 2): "g2-standard-24", ("L4", 4): "g2-standard-48"},
    **{("L4", 8): "g2-standard-96", ("A100", 16): "a2-megagpu-16g", ("H100-MEGA", 8): "a3-megagpu-8g"},
    **{("H200", 8): "a3-ultragpu-8g", ("B200", 8): "a4-highgpu-8g"},
}
HOST_NAMES = frozenset(HOSTS.values())
HYPERSCALERS = {"aws", "azure", "gcp", "oci", "oracle", "ibm", "alibaba-cloud", "tencent-cloud", "huawei-cloud"}
MARKETPLACES = {"vast", "salad", "shadeform", "primeintellect"}
TOTAL_MEMORY = re.compile(r"'TotalGpuMemoryInMiB':\s*(\d{1,9})", re.ASCII)
TPU_SLICE = re.compile(r"tpu-(v[2-9]\w*)-(\d{1,6})", re.ASCII)
TWO_CORES = {"v2", "v3", "v4", "v5p"}  # of TPUs whose slices are named by cores, two of which are a chip (Google Cloud)
LEAST = Decimal(1).scaleb(-PRICE_DECIMALS)
MOST_CARDS = 1024
FINE_SLUG = re.compile(r"[A-Za-z0-9._ ,-]*", re.ASCII)


def provider_class(provider: str) -> str:
    return "hyperscaler" if provider in HYPERSCALERS else "marketplace" if provider in MARKETPLACES else "neocloud"


def is_form(header: list[str]) -> bool:
    return set(REQUIRED) <= set(header)


class Machine(NamedTuple):
    instance: str
    name: str  # of its accelerator in the file
    named: Named | None
    cards: int
    region: str
    pricing: str
    note: str


@dataclass
class Cheapest:
    price: Decimal
    line: int


class Bare(NamedTuple):
    """Accelerators whose machine has a row and a price of its own, as Google Cloud lists them."""

    machine: Machine
    zone: str
    price: Decimal
    line: int


@dataclass
class Reader:
    """Reads the files of one provider.

    cards : the accelerators of the catalog: slug → power [W].
    as_of : the day of the prices, ISO.
    """

    provider: str
    as_of: str
    cards: Mapping[str, float | None]
    offers: dict[Machine, Cheapest] = field(default_factory=dict)
    names: dict[tuple[str, str, float], Named | None] = field(default_factory=dict)
    hosts: dict[tuple[str, str, str], Decimal] = field(default_factory=dict)  # machine, zone, pricing → its price
    bare: list[Bare] = field(default_factory=list)

    def read(self, sheet: Sheet, harvest: Harvest) -> Iterator[None]:
        if not columns_fit(sheet, REQUIRED, sheet.header, harvest.bad):
            return
        for row in sound_rows(sheet, harvest.bad):
            harvest.rows += 1
            self._take(row, harvest)
            yield
        self._join(harvest)
        yield from self._deliver(sheet.file, harvest)

    def _take(self, row: Row, harvest: Harvest) -> None:
        cells = row.cells
        name, written = cells["AcceleratorName"], cells["AcceleratorCount"]
        if not name or written in ("", "0", "0.0"):
            self._host(row, harvest)
            return
        try:
            count = Decimal(written)
        except InvalidOperation:
            row.refuse("AcceleratorCount", "not_a_number", unit="accelerators")
            return
        if not (count.is_finite() and 0 < count <= MOST_CARDS):
            row.refuse("AcceleratorCount", "out_of_bounds", low=1, high=MOST_CARDS, unit="accelerators")
            return
        if count != count.to_integral_value():
            harvest.left_out["part_of_an_accelerator"] += 1
            return
        instance, region = row.text("InstanceType"), cells["Region"].strip(" ,")
        if tpu := TPU_SLICE.fullmatch(name):  # one row is a whole slice, its machines and all
            instance, name, count = instance or name, f"TPU {tpu[1]}", _chips(tpu[1], int(tpu[2])) * count
            if count > MOST_CARDS:
                harvest.left_out["slice_too_large"] += 1
                return
        prices = {"on_demand": _price(row, "Price"), "spot": _price(row, "SpotPrice")}
        for column, text, most in (
            ("InstanceType", instance, LENGTHS["instance_type"]),
            ("Region", region, LENGTHS["region"]),
            ("AcceleratorName", name, 60),
        ):
            if len(text) > most:
                row.refuse(column, "too_long", high=most)
                return
        if not any(prices.values()):
            harvest.left_out["no_price"] += 1
            return
        named = self._card(name, instance, cells.get("GpuInfo", ""), int(count))
        for pricing, price in prices.items():
            if not price:
                continue
            note = NOTE if instance else ALONE
            machine = Machine(instance, name, named, int(count), region, pricing, note)
            if not instance and (name, int(count)) in HOSTS:
                self.bare.append(Bare(machine, cells.get("AvailabilityZone", ""), price, row.line))
            else:
                self._note(machine, price, row.line, harvest)

    def _host(self, row: Row, harvest: Harvest) -> None:
        """A machine without an accelerator is of no use here, unless accelerators of another row belong into it."""
        instance = row.cells["InstanceType"]
        if instance not in HOST_NAMES:
            harvest.left_out["no_accelerator"] += 1
            return
        for pricing, column in (("on_demand", "Price"), ("spot", "SpotPrice")):
            price = _price(row, column)
            if price:
                self.hosts[instance, row.cells.get("AvailabilityZone", ""), pricing] = price

    def _join(self, harvest: Harvest) -> None:
        """Put accelerators into their machines, zone by zone; those whose machine has no price there stay alone."""
        for machine, zone, price, line in self.bare:
            host = HOSTS[machine.name, machine.cards]
            of_host = self.hosts.get((host, zone, machine.pricing))
            if of_host is None:
                self._note(machine, price, line, harvest)
            else:
                named = self._card(machine.name, host, "", machine.cards)
                whole = machine._replace(instance=host, named=named, note=JOINED)
                self._note(whole, price + of_host, line, harvest)
        self.bare, self.hosts = [], {}

    def _note(self, machine: Machine, price: Decimal, line: int, harvest: Harvest) -> None:
        found = self.offers.get(machine)
        if found is None:
            self.offers[machine] = Cheapest(price, line)
            return
        if price == found.price:
            harvest.left_out["same_price_in_region"] += 1
            return
        harvest.left_out["dearer_in_region"] += 1
        if price < found.price:
            self.offers[machine] = Cheapest(price, line)

    def _card(self, name: str, instance: str, info: str, count: int) -> Named | None:
        total = TOTAL_MEMORY.search(info)
        each = int(total[1]) / 1024 / count if total else 0.0
        key = (name, instance, each)
        if key not in self.names:
            self.names[key] = card(name, instance, each, self.cards)
        return self.names[key]

    def _deliver(self, file: str, harvest: Harvest) -> Iterator[None]:
        alone, known = 0, self._common_of_all()
        unknown: dict[str, list[int]] = {}
        for machine, cheapest in self.offers.items():
            common = known[_terms(machine)]
            if common is None:
                harvest.bad.append(BadCell(file, cheapest.line, "AcceleratorName", machine.name, "not_a_slug"))
                continue
            if machine.named is None:
                unknown.setdefault(machine.name, [cheapest.line, 0])[1] += 1
            alone += not machine.instance
            slug, price = self.slug(machine), str(cheapest.price)
            harvest.items.append(item(common, slug, machine.instance, machine.region))
            harvest.quotes.append(quote(common, slug, price))
            if cheapest.price > common.dear:
                harvest.doubts.append(dear_hour(file, cheapest.line, harvest.items[-1][2], price, "USD", common.dear))
            yield
        for name, (line, times) in unknown.items():
            harvest.doubts.append(Doubt("unknown_accelerator", file, line, name, {"offers": times}))
        if alone:
            harvest.doubts.append(Doubt("accelerators_alone", file, 1, self.provider, {"offers": alone}))
        self.offers = {}

    def _common_of_all(self) -> dict[tuple[Any, ...], Common | None]:
        class_ = provider_class(self.provider)
        found: dict[tuple[Any, ...], Common | None] = {}
        for terms in {_terms(machine) for machine in self.offers}:
            name, named, cards, pricing, note = terms
            billing = "gpu" if cards == 1 else "instance"
            found[terms] = common_of(
                self.provider, _slug_of(name, named), class_, billing, cards, pricing, currency="USD", day=self.as_of,
                precision="day", url=ADDRESS, note=note,
                guess=named.guess if named else "",
            )  # fmt: skip
        return found

    def slug(self, machine: Machine) -> str:
        """Stable: the same machine in the same region under the same terms has the same slug in every file."""
        card_slug = _slug_of(machine.name, machine.named)
        of_machine = (self.provider, machine.instance or "accelerators", card_slug, str(machine.cards))
        parts = (*of_machine, machine.region, machine.pricing.replace("_", "-"))
        whole, slug = " ".join(parts), slugify(*parts)
        if len(slug) > 120 or not FINE_SLUG.fullmatch(whole.replace("_", "-")):
            slug = f"{slug[:111].rstrip('-.')}-{zlib.crc32(whole.encode()):08x}"
        return slug


def _terms(machine: Machine) -> tuple[str, Named | None, int, str, str]:
    """What an offer shares with others: accelerator, number, terms, remark."""
    return machine.name, machine.named, machine.cards, machine.pricing, machine.note


def _slug_of(name: str, named: Named | None) -> str:
    """That of the catalog, or one made of the name."""
    return named.slug if named else slugify(name) or "unknown"


def _chips(generation: str, size: int) -> int:
    return max(size // 2, 1) if generation in TWO_CORES else size


def _price(row: Row, column: str) -> Decimal | None:
    """An amount to the sixth decimal; None where there is none: marketplaces write 0."""
    written = row.cells.get(column, "")
    if not written:
        return None
    try:
        amount = Decimal(written)
    except InvalidOperation:
        row.refuse(column, "not_a_number", unit="USD")
        return None
    if not amount.is_finite():
        row.refuse(column, "not_finite", unit="USD")
        return None
    if not 0 <= amount < PRICE_LIMIT:
        row.refuse(column, "out_of_bounds", low=0, high=float(PRICE_LIMIT - 1), unit="USD")
        return None
    return plain(amount.quantize(LEAST, ROUND_HALF_UP))

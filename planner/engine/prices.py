"""The price book: every item a scenario touches, with its physical data and its price, frozen.

The engine sees nothing else of the catalog. A price keeps its own currency; `rate` converts it to the book's currency,
and a missing rate stops the result instead of becoming 1. An item without a price has `price=None`: no quote, never 0.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import statistics
from collections.abc import Iterable
from typing import Annotated, Any, ClassVar, Literal, Self, TypeVar

import numpy as np
from pydantic import Field, model_validator

from planner.engine.calendar import Array
from planner.engine.energy.terms import DemandCharge, Period
from planner.engine.facility import check_power_chain
from planner.engine.quantities import Document, Grown, InputError, Problem

Basis = Literal["quoted", "list", "market", "estimate", "own", "sourced", "unverified", "default"]
Verdict = Literal["allowed", "licence", "prohibited"]
Positive = Annotated[float, Field(ge=0.0, le=1e15)]
_Row = TypeVar("_Row", Period, DemandCharge)


class NoQuote(InputError):
    """An item is needed whose price nobody has quoted."""

    def __init__(self, item: str) -> None:
        super().__init__(Problem(("prices", item), "no_quote", item))


class MissingRate(InputError):
    """A price is in a currency for which no exchange rate on or before the pricing date is known."""

    def __init__(self, currency: str, wanted: str) -> None:
        super().__init__(Problem(("rates", f"{currency}/{wanted}"), "missing_rate", currency, unit=wanted))


class Source(Document):
    """Who says so, since when."""

    basis: Basis = "default"
    item: str = ""
    supplier: str = ""
    number: str = ""
    dated: dt.date | None = None
    valid_until: dt.date | None = None
    url: str = ""
    note: str = ""
    quote_id: str = ""
    rate: float | None = None
    rate_dated: dt.date | None = None
    rate_source: str = ""


class Break(Document):
    """The price of one from so many pieces on, in the quote's currency."""

    min_quantity: int
    amount: Positive


class Discount(Document):
    """One discount of a quote: a share of every order, or an amount once, in the quote's currency."""

    name: str
    share: float | None = None
    amount: Positive | None = None


class Terms(Document):
    """What a quote asks of its buyer besides the price; breaks with the smallest quantity first."""

    breaks: tuple[Break, ...] = ()
    discounts: tuple[Discount, ...] = ()
    min_quantity: int | None = None
    min_order_value: Positive | None = None
    pack: int | None = None


class Price(Grown):
    """A unit price in its own currency; `rate` is units of the book's currency per unit of `currency`.

    tax_included : rate of the tax inside the amount, a share; lines hold prices before tax.
    """

    LATER: ClassVar[tuple[str, ...]] = ("tax_included", "terms")

    amount: Positive
    currency: str
    rate: float | None = 1.0
    source: Source = Source()
    tax_included: Annotated[float, Field(ge=0.0, le=1.0)] = 0.0
    terms: Terms | None = None

    def value(self, currency: str, quantity: float = 1.0) -> float:
        """The price of one of so many in the book's currency, before tax; raises MissingRate, never assumes 1."""
        return self.quoted(quantity) * self.to_book(currency)

    def values(self, currency: str, quantities: Array) -> Array:
        """The price of one, at the break that each quantity reaches, in the book's currency, before tax."""
        amounts = np.full(quantities.shape, self.amount)
        for each in self.breaks:
            amounts[quantities >= each.min_quantity - 1e-9] = each.amount
        return np.asarray(amounts * self.to_book(currency))

    def to_book(self, currency: str) -> float:
        """What one unit of the quoted amount is in the book's currency, before tax."""
        if self.rate is None:
            raise MissingRate(self.currency, currency)
        return self.rate / (1.0 + self.tax_included)

    def quoted(self, quantity: float) -> float:
        """The amount as quoted for one of so many: the highest break that the quantity reaches."""
        reached = self.reached(quantity)
        return self.amount if reached is None else reached.amount

    def reached(self, quantity: float) -> Break | None:
        """The break that a quantity reaches; None below the first."""
        return next((each for each in reversed(self.breaks) if quantity >= each.min_quantity - 1e-9), None)

    @property
    def breaks(self) -> tuple[Break, ...]:
        return self.terms.breaks if self.terms is not None else ()


class ExportRule(Document):
    """Whether a part may be sold into a country, since when, by whose word."""

    country: str
    buyer_class: str = "any"
    verdict: Verdict
    effective: dt.date
    url: str = ""
    note: str = ""


class Accelerator(Document):
    slug: str
    name: str
    architecture: str = ""
    memory_gb: Positive | None = None
    memory_bw_gbps: Positive | None = None
    tdp_w: Positive | None = None  # nameplate power of the card
    bf16_tflops: Positive | None = None  # its rate in 16 bit, in the format of `sixteen_bit`
    sixteen_bit: Literal["bf16", "fp16"] = "bf16"
    fp8_tflops: Positive | None = None
    fp4_tflops: Positive | None = None
    fp64_tflops: Positive | None = None
    form_factor: str = ""
    successor: str = ""
    slot_width: int | None = None  # slots a card takes; None: unknown, or no card
    card_length_mm: Positive | None = None
    software_stack: str = ""  # "CUDA", "ROCm", …; empty: unknown
    pytorch: Literal["", "y", "n", "partial"] = ""
    export_rules: tuple[ExportRule, ...] = ()
    source: Source = Source()


class Build(Grown):
    """A complete purchasable server. Power is at the socket, in kW."""

    LATER: ClassVar[tuple[str, ...]] = ("nic_share", "refurbished_price", "used_price")

    slug: str
    name: str
    accelerator: str
    accelerator_count: int
    chassis_slots: int
    rack_units: Positive = 0.0
    in_rack: bool = True  # a tower or open frame stands on a shelf
    weight_kg: Positive | None = None
    max_kw: Positive
    typical_kw: Positive
    idle_kw: Positive
    psus: int = Field(default=0, ge=0)  # supplies, each with its cord; 0 is unknown
    psus_needed: int | None = Field(default=None, ge=0)  # that carry the maximum draw
    psu_kw: Positive | None = None  # rating of one
    inlet_max_c: float | None = None  # warmest air it may breathe
    card_slot_width: int | None = None  # slots of each place for a card; None: unknown
    card_length_max_mm: Positive | None = None
    airflow_cfm: Positive | None = None
    noise_db: Positive | None = None
    cooling: str = "air"
    fabric_ports: int = 0
    fabric_port_gbps: float = 0.0
    one_domain: bool = True  # all its GPUs share one NVLink-class domain
    host_memory_gb: Positive | None = None
    local_tb: Positive | None = None  # fast local storage
    warranty_months: int = 0
    support_share_per_year: Positive = 0.0
    lead_weeks: tuple[float, float, float] = (0.0, 0.0, 0.0)  # low, likely, high
    embodied_kgco2e: Positive | None = None
    embodied_gpu_kgco2e: Positive | None = None  # the part of it that each GPU has
    embodied_source: Source = Source()
    workstation: bool = False
    residual_class: Literal["system", "card"] = "system"
    # Shares of the price that follow their own paths; the rest follows `rest`.
    accelerator_share: Annotated[float, Field(ge=0, le=1)] = 0.75
    memory_share: Annotated[float, Field(ge=0, le=1)] = 0.10
    nic_share: Annotated[float, Field(ge=0, le=1)] = 0.0
    share_basis: Basis = "estimate"
    price: Price | None = None
    refurbished_price: Price | None = None  # quotes of that condition
    used_price: Price | None = None
    source: Source = Source()
    power_source: Source = Source()
    card_source: Source = Source()  # who says how much room its cards have


class AddOn(Grown):
    """One more card in a part-filled chassis."""

    LATER: ClassVar[tuple[str, ...]] = ("extra_nic_share",)

    slug: str
    build: str
    accelerator: str
    cards: int = 1
    pack: int = 1
    max_kw: Positive
    typical_kw: Positive
    idle_kw: Positive
    weight_kg: Positive = 0.0
    labour_hours: Positive = 0.0
    part_number: str = ""
    price: Price | None = None
    extra_price: Price | None = None  # memory and NIC that come with a card added later
    extra_nic_share: Annotated[float, Field(ge=0, le=1)] = 0.0  # the rest of it is memory


class CloudOffer(Document):
    slug: str
    provider: str
    provider_class: str
    instance_type: str = ""
    accelerator: str
    count: int = 1
    billing_unit: Literal["gpu", "instance"] = "gpu"
    region: str = ""
    pricing_model: str = "on_demand"
    price: Price | None = None  # per hour of the whole instance


class Item(Document):
    """A switch, cable, rack or PDU."""

    slug: str
    name: str
    kind: str
    ports: int | None = None
    port_gbps: float | None = None
    rack_units: Positive | None = None
    max_kw: Positive | None = None
    typical_kw: Positive | None = None
    weight_kg: Positive | None = None
    capacity_kw: Positive | None = None
    price: Price | None = None
    source: Source = Source()


class Cost(Document):
    """A planning default with its range; `currency` is empty where the figure is a percentage or a count."""

    slug: str
    low: float
    likely: float
    high: float
    unit: str
    currency: str = ""
    rate: float | None = 1.0
    source: Source = Source()

    def value(self, currency: str) -> float:
        """The likely figure, in the book's currency where it is money."""
        if not self.currency:
            return self.likely
        if self.rate is None:
            raise MissingRate(self.currency, currency)
        return self.likely * self.rate

    @property
    def price(self) -> Price | None:
        """The likely figure as a price; None where it is no money."""
        if not self.currency:
            return None
        return Price(amount=self.likely, currency=self.currency, rate=self.rate, source=self.source)


class Tariff(Document):
    region: str
    customer_class: str
    price: Price | None = None  # per kWh, all-in average
    grid_kgco2e_per_kwh: Positive | None = None
    grid_source: Source = Source()


class TariffSchedule(Grown):
    """A published tariff: its hours with their prices, or multiples of the base price, and its charges on demand.

    Money is in the tariff's own currency, "" where it names none; `rate` converts it to the book's.
    """

    LATER: ClassVar[tuple[str, ...]] = ("demand", "fixed_per_month", "currency", "rate")

    slug: str
    name: str
    region: str
    periods: tuple[Period, ...]
    demand: tuple[DemandCharge, ...] = ()
    fixed_per_month: Positive = 0.0
    currency: str = ""
    rate: float | None = None
    source: Source = Source()

    def in_book(self, currency: str) -> TariffSchedule:
        """The same with its money in the book's currency; raises MissingRate."""
        if not self.currency or self.currency == currency:
            return self
        if self.rate is None:
            raise MissingRate(self.currency, currency)
        rate = self.rate
        return self.model_copy(
            update={
                "periods": tuple(_times_money(row, rate, "price_per_kwh", "adds_per_kwh") for row in self.periods),
                "demand": tuple(_times_money(row, rate, "price_per_kw") for row in self.demand),
                "fixed_per_month": self.fixed_per_month * rate,
                "currency": currency,
            }
        )


def _times_money(row: _Row, rate: float, *names: str) -> _Row:
    """A row with its amounts of money multiplied."""
    amounts = {name: getattr(row, name) for name in names}
    return row.model_copy(update={name: given * rate for name, given in amounts.items() if given is not None})


class ColocationRate(Document):
    market: str
    price: Price | None = None  # per kW and month
    power_included: bool = False
    size_band: str = ""


class ModelPreset(Document):
    slug: str
    name: str
    params_b: Positive
    active_params_b: Positive | None = None
    layers: int
    hidden: int
    heads: int
    kv_heads: int | None = None
    head_dim: int | None = None
    attention: str = "MHA"
    kv_lora_rank: int | None = None
    rope_head_dim: int | None = None
    sliding_window: int | None = None
    full_attention_layers: int | None = None
    moe: bool = False
    source: Source = Source()


class PriceBook(Document):
    """What the engine knows of the world, in one reporting currency, on one pricing date."""

    currency: str
    pricing_date: dt.date
    accelerators: dict[str, Accelerator] = {}
    builds: dict[str, Build] = {}
    addons: dict[str, AddOn] = {}  # by build
    offers: dict[str, CloudOffer] = {}
    items: dict[str, Item] = {}
    costs: dict[str, Cost] = {}
    tariffs: dict[str, Tariff] = {}  # by "region/class"
    schedules: dict[str, TariffSchedule] = {}
    colocation: dict[str, ColocationRate] = {}
    models: dict[str, ModelPreset] = {}

    @model_validator(mode="after")
    def _count_cards(self) -> PriceBook:
        for build in self.builds.values():
            if build.accelerator not in self.accelerators:
                raise ValueError(f"accelerator {build.accelerator} of {build.slug} is missing")
        return self

    @classmethod
    def read(cls, data: Any) -> Self:
        """Validate plain data; raises InputError naming every bad field, a power chain that does not rise included."""
        book = super().read(data)
        for kind, parts in (("builds", book.builds), ("addons", book.addons)):
            for slug, part in parts.items():
                check_power_chain(part.idle_kw, part.typical_kw, part.max_kw, (kind, slug))
        return book

    def sha256(self) -> str:
        """Hash of the canonical JSON: the same book, the same hash."""
        return content_hash(self.model_dump(mode="json"))

    def quoted(self, item: str, code: str = "") -> Price | None:
        """The price behind a cost line of that item and code, in its own currency; None where nobody quoted one."""
        if item in self.builds:
            return self.builds[item].price
        if item in self.offers:
            return self.offers[item].price
        if item in self.items:
            return self.items[item].price
        for addon in self.addons.values():
            if addon.slug == item:
                return addon.extra_price if code == "card_extra" else addon.price
        return None

    def behind(self, item: str, code: str = "", source: Source | None = None) -> Price | None:
        """The price behind a line, rates of sites and planning defaults in money included; None where there is none.

        source : of the line, which tells the quote of a used server from that of a new one.
        """
        build = self.builds.get(item)
        others = (build.refurbished_price, build.used_price) if build is not None else ()
        other = next((price for price in others if price is not None and price.source == source), None)
        if other is not None:
            return other
        found = self.quoted(item, code)
        if found is not None:
            return found
        if item in self.costs:
            return self.costs[item].price
        rates: list[Tariff | ColocationRate] = [*self.tariffs.values(), *self.colocation.values()]
        return next((rate.price for rate in rates if rate.price is not None and rate.price.source.item == item), None)

    def cost(self, slug: str) -> Cost:
        """A planning default; raises InputError where the catalog has no such row."""
        try:
            return self.costs[slug]
        except KeyError:
            raise NoQuote(slug) from None


def content_hash(data: object) -> str:
    """SHA-256 of canonical JSON (sorted keys, no spaces)."""
    return hashlib.sha256(
        json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()
    ).hexdigest()


PROVIDER_CLASSES = {"specialist": ("neocloud",), "large_provider": ("hyperscaler",), "marketplace": ("marketplace",)}


def comparable_offers(
    offers: Iterable[CloudOffer],
    accelerator: str,
    provider_class: str,
    region: str,
    pricing_date: dt.date,
    stale_after_days: int,
    *,
    only_there: bool = False,
) -> list[CloudOffer]:
    """Offers that may stand for the class: same accelerator, on demand, no index, priced, not stale, here or anywhere.

    Regions are matched only where the provider sells in the site's own; otherwise any region counts.
    only_there : the region is asked for, and no other will do.
    """
    classes = PROVIDER_CLASSES[provider_class]
    oldest = pricing_date - dt.timedelta(days=stale_after_days)
    found = [
        offer
        for offer in offers
        if offer.accelerator == accelerator
        and offer.pricing_model == "on_demand"
        and offer.provider_class in classes
        and offer.price is not None
        and offer.price.source.dated is not None
        and oldest <= offer.price.source.dated <= pricing_date
    ]
    here = [offer for offer in found if region and offer.region.lower() == region.lower()]
    return here if only_there else here or found


def median_offer(offers: Iterable[CloudOffer], currency: str) -> CloudOffer | None:
    """The offer whose price per GPU-hour is the (lower) median; ties go to the first slug. None without offers."""
    ranked = sorted(
        ((offer.price.value(currency) / offer.count, offer.slug, offer) for offer in offers if offer.price is not None),
        key=lambda entry: entry[:2],
    )
    if not ranked:
        return None
    middle = statistics.median_low([entry[0] for entry in ranked])
    return next(offer for price, _slug, offer in ranked if price == middle)

"""What is rented: the lines of a plan's overflow offer, as used, on spot, reserved, or in blocks paid ahead."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.books import EGRESS, OBJECT_STORAGE, OTHER_EGRESS, Books
from planner.engine.inputs import Overflow, Plan
from planner.engine.lines import Ledger
from planner.engine.prices import CloudOffer, NoQuote, Source

GB_PER_TB = 1000.0


@dataclass
class Bill:
    """The offer a plan rents, in the unit in which it is billed: whole instances, or GPUs."""

    plan: Plan
    terms: Overflow
    books: Books
    offer: CloudOffer
    ledger: Ledger

    @property
    def whole(self) -> bool:
        return self.offer.billing_unit == "instance"

    @property
    def unit(self) -> str:
        return "instance-hour" if self.whole else "GPU-hour"

    def hourly(self, offer: CloudOffer) -> tuple[float, Source]:
        """Today's price of an hour of one billed unit, at another offer of the same GPU too."""
        price, source = self.books.price(offer.slug, offer.price)
        return price / offer.count * (self.offer.count if self.whole else 1), source

    def units(self, gpus: Array) -> Array:
        """GPUs as billed units: whole instances are rounded up."""
        return np.ceil(gpus / self.offer.count - 1e-9) if self.whole else gpus

    def drivers(self, *names: str, item: str = "") -> tuple[str, ...]:
        paths = tuple(f"plans/{self.plan.slug}/overflow/{name}" for name in names)
        return (*paths, "market/own_prices/" + (item or self.offer.slug))

    def near(self, pricing_model: str) -> CloudOffer:
        """The nearest offer of a pricing model; raises NoQuote."""
        found = self.books.nearest(self.offer, pricing_model)
        if found is None:
            raise NoQuote(f"{self.offer.accelerator} {pricing_model}")
        return found


def write_cloud(
    plan: Plan,
    books: Books,
    rented: dict[str, Array],
    offer: CloudOffer,
    ledger: Ledger,
    storage_tb: Array,
) -> None:
    """Lines of the overflow offer: what is reserved is owed every hour of its term, the rest is billed as used.

    rented : by workload, GPUs held on average, (S, M).
    storage_tb : shared storage that its work asks for and nobody owns, (S, M); in an object store, by the month.
    Whole-instance offers bill ceil(GPUs / n) instances, others fractions. Blocks paid ahead serve first, then what is
    reserved; of the rest a share may run on spot, whose interrupted hours are done again.
    """
    assert plan.overflow is not None
    bill = Bill(plan, plan.overflow, books, offer, ledger)
    gpus = np.zeros(ledger.shape) + sum(rented.values())
    rents = np.where(gpus > 0, 1.0, 0.0)
    if not gpus.any() and not bill.terms.blocks:
        return
    gpus = np.clip(gpus - _blocks(bill), 0.0, None)
    today, source = bill.hourly(offer)
    hourly, hours = today * books.paths["cloud"], books.calendar.hours
    units = bill.units(gpus)
    reserved = _reserved(bill, units, today)
    used = np.clip(units - reserved, 0.0, None)
    spent = used * (1.0 - bill.terms.spot_share) * hours
    ledger.add(
        "opex.cloud_usage",
        "on_demand",
        spent,
        bill.unit,
        hourly,
        source,
        "cloud_usage",
        item=offer.slug,
        factors={"price_today": today},
        drivers=(
            "market/cloud_spread",
            "market/cloud_level",
            "market/accelerator/rate_per_year",
            "market/own_prices/" + offer.slug,
        ),
    )
    if bill.terms.spot_share > 0:
        _spot(bill, used * bill.terms.spot_share * hours)
    if ledger.on("opex.cloud_data"):
        _data(bill, used * hours * hourly, rents)
    _storage(bill, rents * storage_tb)


def _blocks(bill: Bill) -> Array:
    """Write the blocks booked ahead, paid in full in their month; returns the GPUs they hold on average, (M,)."""
    calendar, terms = bill.books.calendar, bill.terms
    held, bought = np.zeros(calendar.months), np.zeros(calendar.months)
    for block in terms.blocks:
        left = terms.block_days * 24.0
        bought[block.month : block.month + 1] += block.gpus * left
        for m in range(block.month, calendar.months):
            share = min(1.0, left / calendar.hours[m])
            held[m] += block.gpus * share
            left -= share * calendar.hours[m]
            if left <= 0:
                break
    if bought.any():
        offer = bill.near("capacity_block")
        price, source = bill.books.price(offer.slug, offer.price)
        bill.ledger.add(
            "opex.cloud_commitment",
            "capacity_block",
            bought,
            "GPU-hour",
            price / offer.count * bill.books.paths["cloud"],
            source,
            "capacity_block",
            item=offer.slug,
            factors={"price_today": price / offer.count, "block_days": terms.block_days},
            drivers=bill.drivers("block_days", item=offer.slug),
        )
    return held


def _commitment(bill: Bill, today: float) -> tuple[float, float, Source, str]:
    """(price of today, discount on demand, source, item) of what is reserved: one's own discount, else the provider's
    own reserved price where the catalog has it, else the usual discount."""
    terms, years = bill.terms, bill.terms.reserved_term_months // 12
    _price, source = bill.books.price(bill.offer.slug, bill.offer.price)
    if terms.commit_discount is not None:
        return today * (1.0 - terms.commit_discount), terms.commit_discount, source, bill.offer.slug
    found = bill.books.nearest(bill.offer, f"reserved_{years}y", same_provider=True)
    if found is not None:
        price, source = bill.hourly(found)
        return price, 1.0 - price / today if today else 0.0, source, found.slug
    discount, _source = bill.books.percent(f"cloud-commit-discount-{years}y")
    return today * (1.0 - discount), discount, source, bill.offer.slug


def _reserved(bill: Bill, units: Array, today: float) -> Array:
    """Write what is reserved, owed for every hour of its term; returns the units reserved in each month, (S, M)."""
    reserved, locked = np.zeros(units.shape), np.zeros(units.shape)
    terms = bill.terms
    if terms.reserved_share <= 0:
        return reserved
    price, discount, source, item = _commitment(bill, today)
    for begin in range(0, units.shape[1], terms.reserved_term_months):
        term = slice(begin, begin + terms.reserved_term_months)
        base = units[:, begin] * terms.reserved_share
        if bill.whole:
            base = np.floor(base + 1e-9)
        reserved[:, term] = base[:, None]
        locked[:, term] = price * bill.books.paths["cloud"][begin]
    bill.ledger.add(
        "opex.cloud_commitment",
        "reserved",
        reserved * bill.books.calendar.hours,
        bill.unit,
        locked,
        source,
        "cloud_commitment",
        item=item,
        factors={"discount": discount, "term_months": float(terms.reserved_term_months)},
        drivers=bill.drivers("reserved_share", "commit_discount", item=item),
    )
    return reserved


def _spot(bill: Bill, needed: Array) -> None:
    """Hours on spot: those needed, and those that interruptions take and that are done again."""
    lost = bill.terms.spot_interruption_share
    offer = bill.near("spot")
    price, source = bill.hourly(offer)
    bill.ledger.add(
        "opex.cloud_usage",
        "spot",
        needed / (1.0 - lost),
        bill.unit,
        price * bill.books.paths["cloud"],
        source,
        "cloud_spot",
        item=offer.slug,
        factors={"price_today": price, "interrupted": lost},
        drivers=bill.drivers("spot_share", "spot_interruption_share", item=offer.slug),
    )


def _data(bill: Bill, spent: Array, rents: Array) -> None:
    """Data that leaves or lies in the cloud as stated, in the months in which GPUs are rented.

    Where nothing is stated and the line is asked for, a large provider's data is a share of its bill.
    """
    terms, class_of = bill.terms, bill.offer.provider_class
    if terms.states_data:
        for code, terabytes, slug, field in (
            ("data_out", terms.egress_tb_per_month, EGRESS.get(class_of, OTHER_EGRESS), "egress_tb_per_month"),
            ("data_stored", terms.stored_tb, OBJECT_STORAGE, "stored_tb"),
        ):
            if terabytes:
                price, source = bill.books.cost(slug)
                bill.ledger.add(
                    "opex.cloud_data",
                    code,
                    rents * terabytes * GB_PER_TB,
                    "GB",
                    price,
                    source,
                    "cloud_data",
                    item=slug,
                    factors={"price_today": price},
                    drivers=bill.drivers(field, item=slug),
                )
    elif class_of == "hyperscaler" and bill.books.scenario.lines.get("opex.cloud_data"):
        share, source = bill.books.percent("egress-uplift")
        bill.ledger.add(
            "opex.cloud_data",
            "egress",
            spent,
            "money",
            share,
            source,
            "share_of_cloud",
            item="egress-uplift",
            factors={"share": share},
        )


def _storage(bill: Bill, terabytes: Array) -> None:
    """The storage that the work asks for, in an object store, where the plan's own terms state none."""
    if not bill.books.scenario.operations.rented_storage or bill.terms.stored_tb or not terabytes.any():
        return
    price, source = bill.books.cost(OBJECT_STORAGE)
    bill.ledger.add(
        "opex.cloud_usage",
        "object_storage",
        terabytes * GB_PER_TB,
        "GB",
        price,
        source,
        "transit",
        item=OBJECT_STORAGE,
        drivers=("operations/rented_storage", "operations/storage_tb"),
    )

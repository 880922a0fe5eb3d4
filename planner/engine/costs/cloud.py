"""What is rented: the lines of a plan's overflow offer."""

from __future__ import annotations

import numpy as np

from planner.engine.calendar import Array
from planner.engine.costs.books import OBJECT_STORAGE, Books
from planner.engine.inputs import Plan
from planner.engine.lines import Ledger
from planner.engine.prices import CloudOffer


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
    Whole-instance offers bill ceil(GPUs / n) instances, others fractions.
    """
    assert plan.overflow is not None
    terms = plan.overflow
    gpus = np.zeros(ledger.shape) + sum(rented.values())
    if not gpus.any():
        return
    price, source = books.price(offer.slug, offer.price)
    units = np.ceil(gpus / offer.count - 1e-9) if offer.billing_unit == "instance" else gpus / offer.count
    unit = "instance-hour" if offer.billing_unit == "instance" else "GPU-hour"
    hourly = price * books.paths["cloud"]
    hours = books.calendar.hours
    if offer.billing_unit == "gpu":
        units, hourly = gpus, hourly / offer.count
    reserved = np.zeros(ledger.shape)
    locked = np.zeros(ledger.shape)
    if terms.reserved_share > 0:
        discount, _source = books.percent(f"cloud-commit-discount-{terms.reserved_term_months // 12}y")
        for begin in range(0, ledger.shape[1], terms.reserved_term_months):
            term = slice(begin, begin + terms.reserved_term_months)
            base = units[:, begin] * terms.reserved_share
            if offer.billing_unit == "instance":
                base = np.floor(base + 1e-9)
            reserved[:, term] = base[:, None]
            locked[:, term] = hourly[begin] * (1.0 - discount)
        ledger.add(
            "opex.cloud_commitment",
            "reserved",
            reserved * hours,
            unit,
            locked,
            source,
            "cloud_commitment",
            item=offer.slug,
            factors={"discount": discount, "term_months": float(terms.reserved_term_months)},
            drivers=(f"plans/{plan.slug}/overflow/reserved_share", "market/own_prices/" + offer.slug),
        )
    used = np.clip(units - reserved, 0.0, None)
    ledger.add(
        "opex.cloud_usage",
        "on_demand",
        used * hours,
        unit,
        hourly,
        source,
        "cloud_usage",
        item=offer.slug,
        factors={"price_today": price / (offer.count if offer.billing_unit == "gpu" else 1)},
        drivers=("market/cloud_spread", "market/accelerator/rate_per_year", "market/own_prices/" + offer.slug),
    )
    if ledger.on("opex.cloud_data") and offer.provider_class == "hyperscaler":
        share, source = books.percent("egress-uplift")
        ledger.add(
            "opex.cloud_data",
            "egress",
            used * hours * hourly,
            "money",
            share,
            source,
            "share_of_cloud",
            item="egress-uplift",
            factors={"share": share},
        )
    held = np.where(gpus > 0, storage_tb, 0.0)
    if books.scenario.operations.rented_storage and held.any():
        per_gb, source = books.cost(OBJECT_STORAGE)
        ledger.add(
            "opex.cloud_usage",
            "object_storage",
            held * 1000.0,
            "GB",
            per_gb,
            source,
            "transit",
            item=OBJECT_STORAGE,
            drivers=("operations/rented_storage", "operations/storage_tb"),
        )

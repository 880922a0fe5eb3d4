"""Words for energy, colocation and cloud contracts: their fields and choices, and what carbon leaves out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.inputs import Colocation
from planner.engine.prices import CloudOffer, PriceBook
from planner.wording.lines import item
from planner.wording.words import Words

_CATALOG = _("the catalog's figure")
FIELD_WORDS: dict[str, Words] = {
    "Site.grid_kgco2e_per_kwh": Words(
        _("Grid carbon"),
        _("Greenhouse gas of a kilowatt-hour from the grid, of a contract or of the region."),
        _("the region's grid"),
    ),
    "Site.water_l_per_kwh": Words(
        _("Water use"), _("Litres for each kWh of the machines (WUE); 0 where cooling is dry or closed."), _CATALOG
    ),
    "Site.water_price_per_m3": Words(_("Price of water"), _("Of a cubic metre, sewage included."), _CATALOG),
    "Market.grid_carbon": Words(_("Grid carbon"), _("How the carbon of a kilowatt-hour moves over the years.")),
    "GridPath.rate_per_year": Words(
        _("Grid carbon change"), _("Change of the carbon of a kilowatt-hour per year; minus means cleaner.")
    ),
}

_NOT_QUOTED = _("not quoted")
_MONTHS = _("Months, as in “6-9, 12”; all of them where empty.")
_DAYS = _("Weekdays, weekends, or every day.")
_HOURS = _("Hours of the site's clock, as in “10-12, 14-19” or “22-6”; half-hours as in “8:30”.")
FIELD_WORDS |= {
    "Site.tariff": Words(
        _("Tariff by hours and demand"),
        _("A contract with prices by season and hour, tiers or a demand charge; off: one price for every hour."),
        _("one price for every hour"),
    ),
    "TariffTerms.basis": Words(
        _("The price holds"),
        _("An all-in average and a landlord's price hold every charge; beside an energy price, demand is charged."),
    ),
    "TariffTerms.schedule": Words(
        _("Published tariff"),
        _(
            "Its hours have prices of their own, multiples of the price above, or amounts on top of it; its charges on "
            "demand are owed too. Check them with your bill."
        ),
        _("the table below"),
    ),
    "TariffTerms.periods": Words(
        _("Prices by hour"),
        _(
            "One line each: name; months; days; hours; price, ×1.7 for a multiple of the price above, or +0.05 for "
            "what is paid on top of it. A later line replaces an earlier one; hours in no line have the price above. "
            "Paste from a spreadsheet too."
        ),
        _("peak; 6-9; weekdays; 14-20; 0.32"),
    ),
    "TariffTerms.time_zone": Words(
        _("Time zone"), _("Of the clock that the hours follow, as in “America/New_York”."), _("that of the region")
    ),
    "TariffTerms.load_profile": Words(
        _("Load over the day"), _("24 values, one an hour, of any size; empty: the same load at every hour.")
    ),
    "TariffTerms.tiers": Words(
        _("Tiers"), _("What a kilowatt-hour costs more from so many of a month on, as in “1000: 0.02; 5000: 0.05”.")
    ),
    "TariffTerms.demand": Words(
        _("Demand charges"),
        _("One line each: name; months; days; hours; charge per kW of the month's highest draw within these hours."),
        _("demand; 1-12; every day; 0-24; 12"),
    ),
    "TariffTerms.peak_share": Words(
        _("Peak against nameplates"), _("Share of the machines' maximum draw that the month's metered peak reaches.")
    ),
    "TariffTerms.ratchet_share": Words(
        _("Ratchet"), _("Share of the highest past peak that is billed at least; 0: each month for itself.")
    ),
    "TariffTerms.ratchet_months": Words(_("Ratchet looks back"), _("Months before this one whose peaks count.")),
    "TariffTerms.capacity_kw": Words(
        _("Contracted capacity"), _("Capacity for which a charge is owed every month, drawn or not.")
    ),
    "TariffTerms.capacity_price_per_kw": Words(_("Capacity charge"), _("For each contracted kilowatt and month.")),
    "TariffTerms.fixed_per_month": Words(_("Fixed fee"), _("Owed every month, whatever is drawn.")),
    "Colocation.billing": Words(
        _("Billed by"), _("Whether power or whole cabinets are rented; a cabinet is priced by the amps of its circuit.")
    ),
    "Colocation.bands": Words(
        _("Price by size"),
        _("Price of a kW from each size of contract on, as in “0: 275; 100: 195”; in place of the one price."),
    ),
    "Colocation.overage_price_per_kw": Words(
        _("Price above the commitment"),
        _("Of a kilowatt drawn above the committed power in a month."),
        _("contracted like the rest"),
    ),
    "Colocation.cabinets": Words(
        _("Cabinets by amps"),
        _("Monthly rent of a cabinet by the amps of its circuit, as in “20: 1200; 30: 1600”; the cheapest is taken."),
    ),
    "Colocation.cabinet_volts": Words(_("Voltage of a cabinet"), _("Of the circuit of a cabinet.")),
    "Colocation.cabinet_phases": Words(_("Phases of a cabinet"), _("One phase or three.")),
    "Colocation.setup_fee": Words(_("Set-up fee"), _("Paid once, with the first machine."), _NOT_QUOTED),
    "Colocation.redundant_feed_per_month": Words(
        _("Redundant feed"), _("Monthly fee for the second feed."), _NOT_QUOTED
    ),
    "Colocation.cross_connects": Words(_("Cross-connects"), _("Cables to carriers or clouds that are rented.")),
    "Colocation.cross_connect_price": Words(
        _("Price of a cross-connect"), _("Of one cable and month."), _("the catalog's figure")
    ),
    "Colocation.remote_hands_hours": Words(
        _("Remote hands"), _("Hours a month in which the hall's technicians work for you.")
    ),
    "Colocation.remote_hands_price": Words(
        _("Price of remote hands"), _("Of a technician's hour."), _("the catalog's figure")
    ),
    "Colocation.term_months": Words(
        _("Term"),
        _("Months for which the contract is owed and its price locked; renewed at the market's price."),
        _("no term"),
    ),
    "Colocation.escalator_per_year": Words(
        _("Escalator"), _("Rise of the contract's prices on each anniversary."), _("follows the market")
    ),
    "Band.from_kw": Words(_("From"), _("Size of contract from which this price holds.")),
    "Band.price_per_kw_month": Words(_("Price per kW"), _("Price of a contracted kilowatt and month.")),
    "Cabinet.amps": Words(_("Current"), _("Rating of the cabinet's circuit.")),
    "Cabinet.price_per_month": Words(_("Rent"), _("Of one cabinet and month.")),
    "Overflow.region": Words(
        _("Region of the cloud"), _("Only offers sold in this region are compared."), _("the site's, else any")
    ),
    "Overflow.commit_discount": Words(
        _("Discount of the reservation"),
        _("Below the price on demand; empty: the provider's own reserved price, else the usual discount for the term."),
        _("as the offers say"),
    ),
    "Overflow.spot_share": Words(
        _("Share on spot"), _("Share of what is not reserved that runs on machines which may be taken away any time.")
    ),
    "Overflow.spot_interruption_share": Words(
        _("Lost to interruptions"), _("Share of the hours on spot whose work is lost and done again.")
    ),
    "Overflow.blocks": Words(
        _("Capacity blocks"), _("GPUs booked and paid ahead, by the month in which the block begins, as in “6: 64”.")
    ),
    "Overflow.block_days": Words(_("Length of a block"), _("Days for which a block is booked, used or not.")),
    "Overflow.egress_tb_per_month": Words(
        _("Data out"), _("Data that leaves the cloud in a month, charged by the amount."), _("not stated")
    ),
    "Overflow.stored_tb": Words(_("Storage in the cloud"), _("Data kept in the cloud."), _("not stated")),
    "CapacityBlock.month": Words(_("Month of the block"), _("Month, counted from 0, in which the block begins.")),
    "CapacityBlock.gpus": Words(_("GPUs"), _("GPUs of the block.")),
    "Period.name": Words(_("Name"), _("What the contract calls these hours.")),
    "Period.months": Words(_("Months"), _MONTHS),
    "Period.days": Words(_("Days"), _DAYS),
    "Period.hours": Words(_("Hours"), _HOURS),
    "Period.price_per_kwh": Words(_("Price"), _("Of a kilowatt-hour in these hours."), _("a multiple")),
    "Period.times": Words(_("Multiple"), _("Of the price that holds in other hours."), _("a price of its own")),
    "Period.adds_per_kwh": Words(
        _("Adds"),
        _("Paid on top of the price that holds in other hours: what a network asks."),
        _("a price of its own"),
    ),
    "Tier.from_kwh": Words(_("From"), _("Energy of the month from which this holds.")),
    "Tier.adds_per_kwh": Words(_("Adds"), _("To the price of each kilowatt-hour beyond; minus means cheaper.")),
    "DemandCharge.name": Words(_("Name"), _("What the contract calls this charge.")),
    "DemandCharge.months": Words(_("Months"), _MONTHS),
    "DemandCharge.days": Words(_("Days"), _DAYS),
    "DemandCharge.hours": Words(_("Hours"), _HOURS),
    "DemandCharge.price_per_kw": Words(_("Charge"), _("For each kilowatt of the month's highest draw.")),
}

CHOICE_WORDS: dict[tuple[str, Any], Any] = {
    ("basis", "all_in"): _("all charges (average)"),
    ("basis", "energy_only"): _("energy only"),
    ("basis", "resale"): _("a landlord's price"),
    ("reserved_term_months", 60): _("5 years"),
    ("billing", "kw"): _("contracted power"),
    ("billing", "cabinet"): _("cabinets"),
    ("cabinet_phases", "single"): _("one phase"),
    ("cabinet_phases", "three"): _("three phases"),
    ("days", "all"): _("every day"),
    ("days", "weekdays"): _("weekdays"),
    ("days", "weekends"): _("weekends"),
}

# Class and field of a document → what contradicts what.
CONFLICT_WORDS: dict[str, Any] = {
    "Period.price_per_kwh": _("give either a price or a multiple, as “×1.7”."),
    **dict.fromkeys(
        ("TariffTerms.demand", "TariffTerms.capacity_kw"),
        _("only an energy price is charged demand or capacity beside it; set “The price holds” to energy only."),
    ),
    "TariffTerms.load_profile": _("give 24 values, one for each hour of the day, not all 0."),
    "TariffTerms.tiers": _("each tier must begin above the one before it."),
    "TariffTerms.time_zone": _("this region has several clocks: name the time zone, as in “America/Chicago”."),
    "Colocation.bands": _("the first size is 0, and each is larger than the one before."),
    "Colocation.cabinets": _("name what a cabinet costs, each of more amps than the one before."),
    "Site.electricity_price_per_kwh": _(
        "the catalog's price is an average that holds every charge; enter the price of the contract first."
    ),
}

# Fees that a colocation contract may have and nobody has quoted.
_FEES = ("setup_fee", "redundant_feed_per_month")


def not_quoted(terms: Colocation) -> str:
    """ "not quoted, and not counted: set-up fee": what a hall may charge besides; "" where all is quoted."""
    names = [str(FIELD_WORDS[f"Colocation.{name}"].label) for name in _FEES if getattr(terms, name) is None]
    if not names:
        return ""
    return gettext("not quoted, and not counted: {what}").format(what=gettext(", ").join(names))


def offer_named(offer: CloudOffer, book: PriceBook) -> str:
    """An offer by provider, machine and region."""
    return " · ".join(part for part in (item(offer.slug, book), offer.region) if part)


_UNKNOWN = {
    "grid": _("the grid where the machines stand"),
    "switches": _("switches and their cables"),
    "rented": _("rented GPUs"),
}


def carbon_unknown(names: Iterable[str], book: PriceBook) -> str:
    """What nobody states the carbon of: "not known, and not counted: rented GPUs"."""
    listed = gettext(", ").join(str(_UNKNOWN.get(name) or item(name, book)) for name in names)
    return gettext("not known, and not counted: {what}").format(what=listed)

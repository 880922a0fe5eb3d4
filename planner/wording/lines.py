"""Words for cost lines: categories, lines, items, and each formula with the numbers put in."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any

import numpy as np
from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.calendar import Calendar
from planner.engine.lines import Line
from planner.engine.prices import PriceBook
from planner.wording import networks, numbers, subscriptions, upkeep
from planner.wording.numbers import MINUS, chinese, exact_percent, money, month_label, number, unit_price
from planner.wording.places import electricity
from planner.wording.rates import rate_name
from planner.wording.sources import provider

if TYPE_CHECKING:
    from planner.engine.result import Order

CATEGORY_WORDS = {
    "capex.accelerators_and_servers": _("GPUs and servers"),
    "capex.storage": _("Storage"),
    "capex.fabric": _("Fabric"),
    "capex.racks_and_power": _("Racks and power strips"),
    "capex.cooling": _("Cooling"),
    "capex.facility": _("Room works"),
    "capex.installation": _("Installation"),
    "capex.freight_and_duty": _("Freight and duty"),
    "capex.sales_tax_or_vat": _("Sales tax or VAT"),
    "capex.spares": _("Spares"),
    "capex.decommissioning": _("Decommissioning"),
    "opex.energy_it": _("Energy, machines"),
    "opex.energy_overhead": _("Energy, cooling and losses"),
    "opex.demand_charge": _("Demand charge"),
    "opex.colocation": _("Colocation"),
    "opex.water": _("Water"),
    "opex.support": _("Support"),
    "opex.software": _("Software"),
    "opex.compliance": _("Compliance"),
    "opex.staff": _("Staff"),
    "opex.network_transit": _("Network access"),
    "opex.insurance": _("Insurance"),
    "opex.property_tax": _("Property tax"),
    "opex.cloud_usage": _("Cloud, as used"),
    "opex.cloud_commitment": _("Cloud, committed"),
    "opex.cloud_data": _("Cloud data charges"),
    "opex.lease": _("Lease"),
    "opex.loan_interest_and_principal": _("Loan"),
    "credit.resale": _("Resale"),
    "credit.residual_at_horizon": _("Value at the horizon"),
    "credit.tax_shield": _("Tax shield"),
}
KINDS = {"capex": _("Capex"), "opex": _("Opex"), "credit": _("Credits"), "failures": _("Failures and repairs")}

# (category or "", code of the line) → its name.
LINE_WORDS: dict[tuple[str, str], Any] = {
    ("", "server"): _("{gpus}-GPU server"),
    ("", "chassis"): _("Chassis without cards"),
    ("", "card"): _("Added GPU card"),
    ("", "card_extra"): _("Memory and network card of an added GPU"),
    ("", "load_balancer"): _("Load balancer"),
    ("", "shared_flash"): _("Shared flash storage"),
    ("", "switch"): _("Fabric switch"),
    ("", "link"): _("Fabric link"),
    ("", "link_labour"): _("Cabling labour"),
    ("", "rack"): _("Rack"),
    ("", "pdu"): _("Power strip"),
    ("", "shelf"): _("Shelf"),
    ("", "upgrade"): _("Upgrade of the room"),
    ("", "moving"): _("Move to another room"),
    ("", "labour"): _("Installation labour"),
    ("", "fabric_commissioning"): _("Burn-in and acceptance of the cluster"),
    ("", "freight"): _("Freight"),
    ("", "fabric_freight"): _("Freight of the fabric"),
    ("", "duty"): _("Import duty"),
    ("", "fabric_power"): _("Contracted power of the fabric"),
    ("", "tax"): _("Tax that is not recovered"),
    ("", "fabric_duty"): _("Import duty on the fabric"),
    ("", "fabric_tax"): _("Tax on the fabric that is not recovered"),
    ("", "spares"): _("Spare parts"),
    ("", "disposal"): _("Disposal"),
    ("opex.energy_it", "machines"): _("Machines"),
    ("opex.energy_it", "fabric"): _("Switches"),
    ("opex.energy_overhead", "machines"): _("Cooling and losses of the machines"),
    ("opex.energy_overhead", "overhead"): _("Cooling and losses of the machines"),
    ("opex.energy_overhead", "fabric"): _("Cooling and losses of the switches"),
    ("", "peak"): _("Highest draw"),
    ("", "tier"): _("Beyond a tier"),
    ("", "fixed"): _("Fixed fee"),
    ("", "demand"): _("Highest draw"),
    ("", "capacity"): _("Contracted capacity"),
    ("opex.water", "cooling"): _("Cooling water"),
    ("", "contracted_power"): _("Contracted power"),
    ("", "overage"): _("Power above the commitment"),
    ("", "cabinets"): _("Cabinets"),
    ("", "term_owed"): _("Rest of the term"),
    ("", "redundant_feed"): _("Redundant feed"),
    ("", "remote_hands"): _("Remote hands"),
    ("", "colocation_setup"): _("Set-up of the hall"),
    ("opex.support", "machines"): _("Support of the machines"),
    ("opex.support", "fabric"): _("Support of the fabric"),
    ("opex.staff", "servers"): _("Staff for the servers"),
    ("opex.staff", "cloud"): _("Staff for the cloud"),
    ("opex.staff", "fabric_skills"): _("Skills for the fabric"),
    ("", "cross_connect"): _("Cross-connect"),
    ("", "commit_1g"): _("IP transit, 1 Gbit/s committed"),
    ("", "fibre_1g"): _("Fibre line, 1 Gbit/s"),
    ("opex.insurance", "machines"): _("Insurance of the machines"),
    ("opex.property_tax", "machines"): _("Property tax on the machines"),
    ("", "hosts"): _("Servers and chassis"),
    ("", "cards"): _("GPU cards"),
    ("", "fabric"): _("Fabric"),
    ("", "reserved"): _("Reserved GPUs"),
    ("", "on_demand"): _("GPUs on demand"),
    ("", "spot"): _("GPUs on spot"),
    ("", "capacity_block"): _("Capacity blocks"),
    ("", "data_out"): _("Data out"),
    ("", "data_stored"): _("Storage in the cloud"),
    ("", "egress"): _("Data out"),
    ("", "discount"): _("Discount “{name}”"),
    ("opex.support", "contract"): _("Contract “{name}”"),
    ("opex.software", "licence"): _("Licence “{name}”"),
    ("opex.compliance", "assessment"): _("Assessment “{name}”"),
    ("capex.accelerators_and_servers", "lender"): _("Machines, paid by lender or lessor"),
    ("capex.fabric", "lender"): _("Fabric, paid by lender or lessor"),
    ("", "payment_terms"): _("Moved by payment terms"),
    ("", "interest"): _("Interest"),
    ("", "principal"): _("Repayment"),
    ("", "balance"): _("Loan still owed at the horizon"),
    ("", "rent"): _("Rent"),
    ("", "buy_out"): _("Buy-out"),
    ("", "settlement"): _("Rent still owed at the horizon"),
    ("", "early_buy_out"): _("Buy-out at the horizon"),
    ("", "running_costs"): _("Tax saved by running costs"),
    ("", "depreciation"): _("Tax saved by depreciation"),
    ("", "sale_gain"): _("Tax on what sales bring"),
    ("", "residual_gain"): _("Tax on the value at the horizon"),
    ("", "losses"): _("Tax saved by losses of earlier years"),
    **networks.LINES,
} | upkeep.LINES

NAMED_BY_ITEM = frozenset({"rack", "pdu", "shelf", "link", "link_labour", "load_balancer"})  # the item says it all

NAMED_BY_PART = frozenset({"discount", "contract", "licence", "assessment"})  # by what a quote or the planner calls it

# The tariff or market behind these lines is named by their source.
UNNAMED = frozenset({"opex.energy_it", "opex.energy_overhead", "opex.colocation"})

ITEM_WORDS = {
    "rack-42u": _("42U rack"),
    "rack-office-24u": _("24U office rack"),
    "rack-shelf": _("Shelf"),
    "rack-42u-cn": _("42U rack"),
    "pdu-basic-30a": _("30 A power strip"),
    "pdu-metered-17kw": _("Metered power strip, 17 kW"),
    "remote-hands-hour": _("Technician's hour"),
    "install-hours-8gpu": _("Hours to install a server"),
    "install-hours-workstation": _("Hours to install a workstation"),
    "commissioning-pct": _("Cluster acceptance"),
    "commissioning-days": _("Burn-in days"),
    "freight-domestic": _("Insured freight"),
    "spares-stock": _("Stock of spares"),
    "duty-us-base": _("Duty, United States"),
    "duty-eu": _("Duty, European Union"),
    "duty-uk": _("Duty, United Kingdom"),
    "duty-cn": _("Duty, China"),
    "duty-in": _("Duty, India"),
    "decommission-server": _("Disposal of a server"),
    "staff-us-gpu-engineer-loaded": _("GPU engineer, United States"),
    "staff-de-gpu-engineer-loaded": _("GPU engineer, Germany"),
    "staff-uk-loaded": _("Engineer, United Kingdom"),
    "staff-cn-hpc-loaded": _("HPC engineer, China"),
    "staff-in-loaded": _("Engineer, India"),
    "staff-nodes-per-fte-small": _("Servers per engineer"),
    "staff-fabric-skill-fte": _("Fabric skills per 64 servers"),
    "demand-charge": _("Demand charge"),
    "water-use-wue": _("Water per kWh"),
    "water-us-m3": _("Cooling water"),
    "cross-connect": _("Cross-connect"),
    "ip-transit-mbps": _("IP transit"),
    "office-fibre-1g": _("Business fibre, 1 Gbit/s"),
    "insurance-property": _("Property insurance"),
    "property-tax-default": _("Equipment property tax"),
    "net-maintenance": _("Network maintenance"),
    "egress-uplift": _("Data charges of a large cloud"),
    "cloud-commit-discount-1y": _("Discount of a one-year commitment"),
    "cloud-commit-discount-3y": _("Discount of a three-year commitment"),
    "cloud-commit-discount-5y": _("Discount of a five-year commitment"),
    "egress-aws": _("Data out of a large cloud"),
    "egress-neocloud": _("Data out of a specialist cloud"),
    "object-storage-cloud-gb": _("Object storage in the cloud"),
    "cable-400g-link": _("400G link, both ends"),
    "cable-800g-link": _("800G link, both ends"),
    "cabling-labour-link": _("Labour per link"),
    "flash-file-usable-tb": _("All-flash file system, usable"),
    "load-balancer-pair": _("Pair of load balancers"),
    "loan-rate": _("Rate of an equipment loan"),
    "corporate-tax-us": _("Profit tax, United States"),
    "corporate-tax-de": _("Profit tax, Germany"),
    "corporate-tax-uk": _("Profit tax, United Kingdom"),
    "corporate-tax-cn": _("Profit tax, China"),
    "corporate-tax-in": _("Profit tax, India"),
    # steps of a room's ladder
    "portable-ac-14k": _("Portable air conditioner, 2.5 kW"),
    "split-ac-24k-unit": _("Split air conditioner, 7 kW, unit only"),
    "split-ac-24k-installed": _("Split air conditioner, 7 kW, installed"),
    "split-ac-48k-installed": _("Split air conditioner, 14 kW, installed"),
    "split-ac-cn-12kw": _("Split air conditioner, 12 kW, installed"),
    "server-room-ac-10kw": _("Precision cooling unit, 10 kW, installed"),
    "acoustic-rack": _("Sound-proof rack"),
    "crac-dx": _("Perimeter cooling unit"),
    "inrow": _("In-row cooler"),
    "rdhx-active": _("Active rear-door cooler"),
    "rdhx-active-door": _("Active rear door, 35–60 kW"),
    "rdhx-passive-door": _("Passive rear door, 35 kW"),
    "cdu-inrow": _("Liquid cooling unit in the row"),
    "cdu-inrack": _("Liquid cooling unit in the rack, 100 kW"),
    "chiller-plant": _("Chiller plant"),
    "circuit-dedicated-20-50a": _("Dedicated circuit, 20–50 A"),
    "circuit-208-240v-30a-office": _("208/240 V circuit, 30 A"),
    "circuit-208v-60a-3ph-office": _("Three-phase circuit, 208 V 60 A"),
    "circuit-eu-400v-32a": _("Three-phase circuit, 400 V 32 A"),
    "circuit-cn-220v-32a": _("220 V circuit, 32 A"),
    "circuit-cn-380v-63a": _("Three-phase circuit, 380 V 63 A"),
    "panel-upgrade": _("New distribution panel"),
    "commercial-electrical-job": _("Electrical job"),
    "service-transformer-100kva": _("New 100 kVA service"),
    "server-room-build": _("Small server room"),
    "ups-office-6kva": _("Rack UPS, 6 kVA"),
    "ups-modular": _("Modular UPS"),
    "generator": _("Diesel generator"),
    **networks.ITEMS,
    **subscriptions.ITEMS,
}

FORMULAS = {
    "price_path": _("servers × today's price × price path"),
    "host_price": _("chassis × (price of the server − price of its cards), each on its own price path"),
    "card_price": _("cards × today's price × price path"),
    "card_extra": _("cards × today's price of the memory and network card that come along × price path"),
    "load_balancer": _("one pair × today's price × price path, with the second server"),
    "storage": _("TB × price per TB × price path"),
    "racks": _("pieces × today's price × price path"),
    "upgrade": _("pieces × price × price path"),
    "moving": _("one move × its cost"),
    "installation": _("hours × hourly rate × wage path"),
    "share_of_hardware": _("hardware paid in the month × share"),
    "tax": _("hardware paid in the month × tax rate × (1 − recoverable share)"),
    "decommissioning": _("servers retired × disposal cost × wage path"),
    "energy_it": _("kWh × tariff"),
    "energy_overhead": _("kWh × tariff × (PUE − 1)"),
    "demand_charge": _("highest draw × PUE × charge per kW and month"),
    "demand_of_contract": _(
        "highest draw of the month × PUE, or the ratchet's share of a past one where that is more, × charge per kW"
    ),
    "capacity_of_contract": _("contracted kW × charge per kW and month"),
    "energy_tier": _("kWh beyond the tier × what it adds"),
    "fixed_fee": _("one month × fee"),
    "water": _("kWh × litres per kWh ÷ 1,000 × price per m³"),
    "colocation": _(
        "contracted kW × price per kW and month × price path; contracted = highest draw ÷ usable share, in steps"
    ),
    "colocation_overage": _("kW drawn above the commitment × price per kW and month × price path"),
    "colocation_cabinets": _(
        "cabinets × monthly rent × price path; as many as racks and circuits need, of the amps that come cheapest"
    ),
    "colocation_term": _("rent of the last month, owed until the term ends"),
    "colocation_setup": _("once × fee × price path"),
    "remote_hands": _("hours a month × hourly rate × price path"),
    "support": _("price paid for machines out of warranty × yearly share ÷ 12"),
    "staff": _("FTE × yearly cost ÷ 12 × wage path"),
    "staff_fabric": _("FTE for the fabric × yearly cost ÷ 12 × wage path"),
    "transit": _("quantity × monthly fee"),
    "share_per_year": _("price paid for machines in service × yearly share ÷ 12"),
    "resale": _("price paid × share by age × (1 − commission) × condition × speed of sale"),
    "residual": _("price paid × share by age × (1 − commission) × condition × speed of sale, in the last month"),
    "cloud_commitment": _("reserved hours × price on the day of commitment × (1 − discount)"),
    "cloud_usage": _("hours used × today's price × cloud price path"),
    "cloud_spot": _("hours needed ÷ (1 − share lost to interruptions) × today's price × cloud price path"),
    "capacity_block": _("GPUs × hours of the block × price on the day of booking"),
    "cloud_data": _("GB × price per GB and month"),
    "share_of_cloud": _("cloud bill × share"),
    "fabric_switches": _("switches × today's price × price path"),
    "fabric_links": _("links × price × price path"),
    "contract_share": _("price paid for machines under the contract × yearly share ÷ 12, from its renewal month"),
    "contract_fee": _("servers under the contract × yearly fee ÷ 12, from its renewal month"),
    "licence": _("GPUs or servers that need the licence × yearly price ÷ 12"),
    "assessment": _("assessments that fall due in the month × price"),
    "discount_share": _("ordered in the month × share of the discount, taken off once"),
    "discount_amount": _("amount of the discount, taken off the first order"),
    "financed": _("price in the month × financed share, paid by another"),
    "payment_terms": _("paid under the terms of the supplier − price of what is ordered in the month"),
    "loan_interest": _("what is still owed × monthly rate"),
    "loan_principal": _("repayment of the month, from the plan of the loan"),
    "loan_balance": _("what is still owed, in the last month"),
    "lease_rent": _("price of what is leased × monthly rent share"),
    "lease_buy_out": _("price × buy-out share, at the end of the term"),
    "lease_settlement": _("rents to come, discounted at the rate of the contract, in the last month"),
    "lease_early_buy_out": _("buy-out to come, discounted at the rate of the contract, in the last month"),
    "tax_shield": _("deducted in the month × tax rate × share that income covers"),
    "tax_gain": _("(what is left of the price for tax − what the sale brings) × tax rate; minus: tax is due"),
    "tax_losses": _("losses of earlier years used × tax rate, in the last month of the tax year"),
    **networks.FORMULAS,
} | upkeep.FORMULAS


def category(name: str) -> str:
    """A cost category in words; "capex", "opex" and "credit" are their sums, "failures" is what may be left out."""
    return str(CATEGORY_WORDS.get(name) or KINDS.get(name) or name)


def kind(name: str) -> str:
    """Capex, opex or credits."""
    return str(KINDS.get(name, name))


def gpus_of(slug: str, book: PriceBook | None = None) -> int | None:
    """GPUs of a build: of the price book, else of its slug ("srv-8x-h200-sxm"); None where neither says."""
    if book is not None and slug in book.builds:
        return book.builds[slug].accelerator_count
    found = re.search(r"(?:^|-)(\d+)x(?:-|$)", slug)
    return int(found[1]) if found else None


def item(slug: str, book: PriceBook | None = None) -> str:
    """An item's name: a product's as its maker writes it, a service's or planning default's in the reader's
    language."""
    if slug in ITEM_WORDS:
        return str(ITEM_WORDS[slug])
    if book is not None:
        if slug in book.builds:
            return product(book.builds[slug].name)
        if slug in book.items:
            return book.items[slug].name
        if slug in book.accelerators:
            return book.accelerators[slug].name
        if slug in book.offers:
            offer = book.offers[slug]
            return " ".join(part for part in (provider(offer.provider), offer.instance_type) if part)
        for addon in book.addons.values():
            if addon.slug == slug and addon.accelerator in book.accelerators:
                return book.accelerators[addon.accelerator].name
    if slug.startswith("vat-"):
        return gettext("VAT, {region}").format(region=slug[4:].upper())
    if slug.startswith("sales-tax-"):
        return gettext("Sales tax, {region}").format(region=slug[10:].upper())
    return electricity(slug) or slug


# Plain English words in the names under which the catalog lists products; the makers' own words stay.
PRODUCT_WORDS = {
    "with": _("with"),
    "refurbished": _("refurbished"),
    "used cards": _("used cards"),
    "used": _("used"),
    "China": _("China"),
    "air": _("air-cooled"),
    "workstation": _("workstation"),
    "rig": _("open frame"),
    "or equal": _("or equal"),
    "server": _("server unit"),
    "class": _("class"),
    "rack": _("full rack"),
}
_PRODUCT_WORD = re.compile(rf"\b({'|'.join(PRODUCT_WORDS)})\b")


def product(name: str) -> str:
    """A product's name, its plain English words said in the reader's language."""
    return _PRODUCT_WORD.sub(lambda word: str(PRODUCT_WORDS[word[1]]), name) if chinese() else name


def _name(category_code: str, code: str, slug: str, book: PriceBook | None) -> str:
    words = LINE_WORDS.get((category_code, code)) or LINE_WORDS.get(("", code))
    if words is None:
        return code
    if code == "server":
        gpus = gpus_of(slug, book)
        return str(words).format(gpus=gpus) if gpus else gettext("Server")
    return str(words)


def line(cost_line: Line | Order, book: PriceBook | None = None) -> str:
    """A cost line, or a position of an order, by name and product: "8-GPU server, Supermicro SYS-821GE"."""
    if isinstance(cost_line, Line):
        category_code, code = cost_line.category, cost_line.code
    else:
        category_code, code = "", cost_line.kind
    name = _name(category_code, code, cost_line.item, book)
    if isinstance(cost_line, Line) and cost_line.part in CONDITIONS:
        return _comma().join((name, item(cost_line.item, book), condition(cost_line.part)))
    if isinstance(cost_line, Line) and category_code in BY_PERIOD and cost_line.part:
        return f"{name} · {_part(cost_line)}"
    if code in NAMED_BY_PART and isinstance(cost_line, Line):
        name = name.format(name=cost_line.part or item(cost_line.item, book))
        if code in ("licence", "assessment"):
            return name
    if code == "moving" or category_code in UNNAMED:
        return name
    if cost_line.item in ITEM_WORDS:
        if code in NAMED_BY_ITEM:
            return item(cost_line.item, book)
        named = code == "upgrade" or code.endswith("_link")  # a network has links of several kinds
        return f"{name}{_comma()}{item(cost_line.item, book)}" if named else name
    return f"{name}{_comma()}{item(cost_line.item, book)}" if cost_line.item else name


# Machines that are not bought new are told apart from those that are.
CONDITIONS = {"refurbished": _("refurbished"), "used": _("used")}


def condition(code: str) -> str:
    return str(CONDITIONS[code])


# Lines that have one for each period of a tariff.
BY_PERIOD = frozenset({"opex.energy_it", "opex.energy_overhead", "opex.demand_charge"})


def _part(cost_line: Line) -> str:
    """The period of a tariff, or the tier by the amount from which it holds."""
    if cost_line.code == "tier":
        return numbers.counted(float(cost_line.part), "kWh")
    return rate_name(cost_line.part)


def _comma() -> str:
    return gettext(", ")


def formula_words(cost_line: Line) -> str:
    """The formula of a line in words."""
    return str(FORMULAS.get(cost_line.formula, cost_line.formula))


def formula(
    cost_line: Line,
    currency: str,
    calendar: Calendar | None = None,
    month: int | None = None,
    **factors: float,
) -> str:
    """The formula in words with the numbers of a month put in (the first one in which the line is not zero).

    "kWh × tariff × (PUE − 1): 5,161 kWh × $0.118 × 0.45 = $274.05 (Dec 2026)"
    factors : what is known of that month and replaces the line's own, such as the PUE of the room in which the
    machines then stand.
    """
    if month is None:
        paid = np.flatnonzero(cost_line.quantity[0])
        month = int(paid[0]) if paid.size else 0
    amount = float(cost_line.minor[month]) / 10.0**cost_line.decimals
    minus = MINUS if cost_line.sign < 0 else ""
    when = "" if calendar is None else ("（{}）" if chinese() else " ({})").format(month_label(calendar, month))
    hours = None if calendar is None else float(calendar.hours[month])
    terms = _terms(cost_line, currency, month, {**cost_line.factors, **factors}, hours)
    return (
        gettext("{words}: {numbers} = {amount}").format(
            words=formula_words(cost_line),
            numbers=minus + " × ".join(text for _number, text in terms),
            amount=money(amount, currency),
        )
        + when
    )


def numbers_of(cost_line: Line, currency: str, calendar: Calendar, month: int) -> list[float]:
    """The numbers that the formula of a month multiplies: their product is quantity × unit price."""
    terms = _terms(cost_line, currency, month, cost_line.factors, float(calendar.hours[month]))
    return [number for number, _text in terms]


# Units that multiply a count by hours → the unit of what is counted.
HOURLY = {"GPU-hour": "GPU", "instance-hour": "instance"}


def counted(amount: float, code: str, currency: str, hours: float | None = None) -> str:
    """A quantity of a line with its unit: money as money, hours of several as "2 GPUs × 730 h".

    hours : of the month, where it is one month's.
    """
    if hours and code in HOURLY:
        return f"{numbers.counted(amount / hours, HOURLY[code])} × {numbers.counted(hours, 'h')}"
    return money(amount, currency) if code == "money" else numbers.counted(amount, code)


def priced(cost_line: Line, amount: float, currency: str) -> str:
    """The unit price of a line; a share where the quantity is money."""
    return exact_percent(amount) if cost_line.quantity_unit == "money" else unit_price(amount, currency)


Terms = list[tuple[float, str]]


def _terms(cost_line: Line, currency: str, month: int, facts: dict[str, float], hours: float | None) -> Terms:
    """quantity × unit price, opened into the factors that the line knows; every split multiplies back to the amount.

    Each as a number and as text, with as many digits as it takes to come out at the printed amount, for somebody with
    a calculator.
    """
    quantity, price = float(cost_line.quantity[0, month]), float(cost_line.unit_price[0, month])
    code, digits = cost_line.quantity_unit, _digits(float(cost_line.minor[month]))

    def units(amount: float, unit_code: str = code) -> Terms:
        if unit_code == "money":
            return [(amount, money(amount, currency))]
        if hours and unit_code in HOURLY:
            each = numbers.counted(amount / hours, HOURLY[unit_code], digits=digits)
            return [(amount / hours, each), (hours, numbers.counted(hours, "h"))]
        return [(amount, numbers.counted(amount, unit_code, digits=digits))]

    def share(value: float) -> tuple[float, str]:
        return value, exact_percent(value)

    def plain(value: float) -> tuple[float, str]:
        return value, number(value)

    def each(value: float) -> tuple[float, str]:
        return value, unit_price(value, currency)

    terms = [*units(quantity), (price, priced(cost_line, price, currency))]
    match cost_line.formula:
        case "energy_overhead" if (more := facts.get("pue", 1.0) - 1.0) > 0:
            terms = [*units(quantity / more), each(price), plain(more)]
        case "tax" if facts.get("rate"):
            terms = [*units(quantity), share(facts["rate"]), share(1.0 - facts.get("recoverable", 0.0))]
        case "resale" | "residual" if (kept := _kept(facts)) > 0:
            # the share by age is that of the month: the line knows the first one's only
            terms = [*units(quantity), share(price / kept), share(1.0 - facts.get("commission", 0.0))]
            terms += [plain(facts[name]) for name in ("factor", "speed") if name in facts]
        case "contract_fee" | "licence" if facts.get("fee_per_year"):
            fee = facts["fee_per_year"]
            terms = [*units(quantity), (fee / 12.0, unit_price(fee, currency) + " ÷ 12")]
        case "support" | "share_per_year" | "contract_share" if facts.get("share_per_year"):
            yearly = facts["share_per_year"]
            terms = [*units(quantity), (yearly / 12.0, exact_percent(yearly) + " ÷ 12")]
        case "cloud_commitment" if 0 < (kept := 1.0 - facts.get("discount", 0.0)) < 1:
            terms = [*units(quantity), each(price / kept), share(kept)]
        case "staff" | "staff_fabric" if facts.get("loaded_per_year"):
            monthly = facts["loaded_per_year"] / 12.0
            words = unit_price(facts["loaded_per_year"], currency) + " ÷ 12"
            terms = [*units(quantity), (monthly, words), *_path(price / monthly, digits)]
        case "water" if facts.get("wue"):
            litres = facts["wue"] / 1000.0
            terms = [*units(quantity / litres, "kWh"), (litres, number(facts["wue"]) + " ÷ 1,000"), each(price)]
        case _ if code == "money" and price == 1.0:
            terms = units(quantity)
        case _ if facts.get("price_today") and code != "money":
            terms = [*units(quantity), each(facts["price_today"]), *_path(price / facts["price_today"], digits)]
    return terms


def _kept(facts: dict[str, float]) -> float:
    """What is kept of a resale price after commission, condition and speed of sale."""
    return (1.0 - facts.get("commission", 0.0)) * facts.get("factor", 1.0) * facts.get("speed", 1.0)


def _digits(minor: float) -> int:
    """Significant digits a factor needs to come out at an amount of so many minor units."""
    return min(9, max(6, math.ceil(math.log10(max(1.0, abs(minor))))))


def _path(factor: float, digits: int) -> Terms:
    """The price path as a factor; unwritten where it is 1."""
    return [] if abs(factor - 1.0) < 1e-12 else [(factor, number(factor, digits=digits))]


def factor_name(code: str) -> str:
    """A factor of a requirement or of a line in words."""
    return str(FACTORS.get(code, code))


FACTORS = {
    "convert": _("GPUs of this kind per reference GPU"),
    "peak_to_mean": _("Peak to mean"),
    "target_utilisation": _("Target utilisation"),
    "allocation": _("Allocation share of the scheduler"),
    "available": _("Allocation × (1 − maintenance)"),
    "gpu_hours_per_run": _("GPU-hours per run"),
    "deadline_days": _("Deadline per run"),
    "gang": _("GPUs of one job"),
    "tokens": _("Tokens per run"),
    "active_params": _("Active parameters"),
    "peak_flops": _("Peak rate of the GPU"),
    "mfu": _("Model FLOPS utilisation"),
    "goodput": _("Goodput"),
    "attention_flop": _("Attention work per token"),
    "flop_per_param": _("Operations per parameter and token"),
    "band_low": _("Utilisation × goodput of published runs, low"),
    "band_high": _("Utilisation × goodput of published runs, high"),
    "fp64_flops": _("FP64 peak rate of the GPU"),
    "efficiency": _("Share of the peak"),
    "batch_rate": _("Amount a second per GPU"),
    "prefill_rate": _("Prompt tokens a second per GPU, measured"),
    "decode_rate": _("Answer tokens a second per GPU, measured"),
    "measured_rate": _("Measured rate"),
    "rate_per_gpu": _("Requests a second per GPU"),
    "derate": _("Load within the latency class"),
    "diurnal": _("Daily peak"),
    "burst": _("Burst factor"),
    "spare_servers": _("Spare servers"),
    "server_gpus": _("GPUs per server"),
    "servers_active": _("Servers at the peak"),
    "replica_gpus": _("GPUs of one replica"),
    "replica_rate": _("Requests a second of one replica"),
    "step_s": _("Time per token step"),
    "prefill_s": _("Time per prompt"),
    "batch": _("Requests answered at a time"),
    "requests_at_once": _("Requests under way in 99 of 100 moments"),
    "under_way": _("Requests under way on a replica at the peak"),
    "power_share": _("Power limit over the card's power"),
    "power_limit": _("Speed left by the power limit"),
    "price_today": _("Today's price"),
    "accelerator_share": _("Share of GPUs in the price"),
    "memory_share": _("Share of memory in the price"),
    "nic_share": _("Share of network adapters in the price"),
    "speed": _("Factor for the speed of sale"),
    "lead_weeks": _("Lead time"),
    "share": _("Share applied"),
    "price_share": _("Price against new"),
    "rate": _("Tax rate"),
    "recoverable": _("Recoverable share"),
    "tariff_today": _("Tariff today"),
    "pue": _("PUE"),
    "base_price": _("Base price"),
    "times": _("Multiple of the base price"),
    "adds": _("What the network adds"),
    "ratchet_share": _("Share of a past peak that is billed at least"),
    "wue": _("Litres per kWh"),
    "usable_share": _("Usable share"),
    "usable_price": _("Today's price of a usable kW"),
    "usable_kw": _("Usable power of a cabinet"),
    "amps": _("Current of a cabinet"),
    "share_per_year": _("Share per year"),
    "rate_per_year": _("Rate of the contract"),
    "warranty_months": _("Warranty in months"),
    "renewal_month": _("Renewal month"),
    "every_months": _("Repeated every"),
    "fee_per_year": _("Fee per server and year"),
    "loaded_per_year": _("Yearly cost of an engineer"),
    "share_by_age": _("Share by age"),
    "commission": _("Commission"),
    "factor": _("Condition factor"),
    "discount": _("Discount"),
    "term_months": _("Term in months"),
    "interrupted": _("Lost to interruptions"),
    "block_days": _("Days of a block"),
    "nodes": _("Servers joined"),
    "rails": _("Ports per server"),
    "ports": _("Ports per switch"),
    "leaf": _("Leaf switches"),
    "spine": _("Spine switches"),
    "software": _("Work left after software speed-up"),
    "mean": _("Mean"),
    "volume_break": _("Volume break from"),
    **networks.FACTORS,
} | upkeep.FACTORS

"""A small scenario and a price book of round literals, for tests that work figures out by hand."""

import datetime as dt

from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES
from planner.engine.prices import PriceBook

PRICED_ON = dt.date(2026, 12, 31)


def price(amount, currency="USD", *, dated="2026-12-01", **more):
    return {"amount": amount, "currency": currency, "source": {"basis": "list", "dated": dated}, **more}


def cost(slug, likely, unit, currency=""):
    return {"slug": slug, "low": likely, "likely": likely, "high": likely, "unit": unit, "currency": currency}


def build(slug, cards, slots, usd, **more):
    """10 kW at most, 8 kW typically, 2 kW idle; 8 U, 100 kg; no lead time, no warranty, no support, unless said."""
    return {
        "slug": slug,
        "name": slug,
        "accelerator": "gpu",
        "accelerator_count": cards,
        "chassis_slots": slots,
        "rack_units": 8,
        "weight_kg": 100.0,
        "max_kw": 10.0,
        "typical_kw": 8.0,
        "idle_kw": 2.0,
        "price": None if usd is None else price(usd),
        "source": {"basis": "sourced", "item": slug},
        **more,
    }


def offer(slug, per_hour, *, dated="2026-12-01", provider_class="neocloud", currency="USD", rate=1.0, **more):
    quoted = None if per_hour is None else price(per_hour, currency, dated=dated, rate=rate)
    return {
        "slug": slug,
        "provider": slug,
        "provider_class": provider_class,
        "accelerator": "gpu",
        "price": quoted,
        **more,
    }


COSTS = [
    ("commissioning-days", 0, "days", ""),
    ("rack-42u", 2000, "each", "USD"),
    ("rack-office-24u", 900, "each", "USD"),
    ("rack-shelf", 150, "each", "USD"),
    ("load-balancer-pair", 6000, "each", "USD"),
    ("pdu-basic-30a", 600, "each", "USD"),
    ("pdu-metered-17kw", 1500, "each", "USD"),
    ("remote-hands-hour", 200, "hour", "USD"),
    ("install-hours-8gpu", 8, "hours per server", ""),
    ("install-hours-workstation", 2, "hours per server", ""),
    ("commissioning-pct", 2, "percent", ""),
    ("freight-domestic", 1, "percent", ""),
    ("duty-us-base", 0, "percent", ""),
    ("duty-uk", 5, "percent", ""),
    ("spares-stock", 3, "percent", ""),
    ("decommission-server", 300, "server", "USD"),
    ("staff-us-gpu-engineer-loaded", 240_000, "FTE-year", "USD"),
    ("staff-nodes-per-fte-small", 20, "servers per FTE", ""),
    ("staff-uk-loaded", 120_000, "FTE-year", "USD"),
    ("staff-fabric-skill-fte", 0.5, "FTE per 64 nodes", ""),
    ("office-fibre-1g", 600, "month", "USD"),
    ("cross-connect", 250, "month", "USD"),
    ("ip-transit-mbps", 0.25, "Mbps", "USD"),
    ("insurance-property", 0.6, "percent per year", ""),
    ("property-tax-default", 1.2, "percent per year", ""),
    ("net-maintenance", 6, "percent per year", ""),
    ("cable-400g-link", 1000, "link", "USD"),
    ("cabling-labour-link", 50, "link", "USD"),
    ("cloud-commit-discount-1y", 30, "percent", ""),
    ("cloud-commit-discount-3y", 50, "percent", ""),
    ("egress-uplift", 10, "percent", ""),
    ("split-ac", 4000, "each", "USD"),
    ("circuit", 10_000, "each", "USD"),
    ("flash-file-usable-tb", 1000, "TB", "USD"),
    ("tax", 20, "percent", ""),
    ("demand-charge", 10, "kW-month", "USD"),
    ("water-use-wue", 1.0, "litre per kWh", ""),
    ("water-us-m3", 2.0, "m3", "USD"),
]

CARD = {
    "slug": "card",
    "build": "chassis",
    "accelerator": "gpu",
    "max_kw": 1.0,
    "typical_kw": 0.8,
    "idle_kw": 0.1,
    "weight_kg": 2.0,
    "labour_hours": 1.0,
    "price": price(30_000.0),
}


def book(**changes):
    """`gpu` in a closed box of 8 and in a chassis of 8 slots that comes with 2 cards; `big` is twice as fast."""
    accelerators = {
        "gpu": {
            "slug": "gpu",
            "name": "GPU",
            "memory_gb": 80,
            "memory_bw_gbps": 2000,
            "bf16_tflops": 400,
            "architecture": "Hopper",
        },
        "big": {
            "slug": "big",
            "name": "Big",
            "memory_gb": 180,
            "memory_bw_gbps": 4000,
            "bf16_tflops": 800,
            "architecture": "Hopper",
        },
    }
    builds = {
        "box": build("box", 8, 8, 240_000.0),
        "chassis": build("chassis", 2, 8, 100_000.0, max_kw=3.0, typical_kw=2.4, idle_kw=0.4),
        "twin": build("twin", 8, 8, 400_000.0, accelerator="big"),
        "single": build("single", 1, 1, 30_000.0),
    }
    parts = {
        "currency": "USD",
        "pricing_date": PRICED_ON,
        "accelerators": accelerators,
        "builds": builds,
        "addons": {"chassis": CARD},
        "offers": {"cheap": offer("cheap", 2.0), "large": offer("large", 6.0, provider_class="hyperscaler")},
        "items": {
            "qm9700": {
                "slug": "qm9700",
                "name": "QM9700",
                "kind": "switch",
                "ports": 64,
                "port_gbps": 400,
                "rack_units": 1,
                "max_kw": 1.5,
                "typical_kw": 1.0,
                "price": price(25_000.0),
            }
        },
        "costs": {slug: cost(slug, likely, unit, currency) for slug, likely, unit, currency in COSTS},
        "tariffs": {"US-VA/commercial": {"region": "US-VA", "customer_class": "commercial", "price": price(0.10)}},
        "colocation": {
            "retail": {"market": "retail", "size_band": "retail", "price": price(300.0)},
            "hall": {"market": "hall", "size_band": "wholesale", "price": price(200.0)},
        },
    }
    return PriceBook.read({**parts, **changes})


FLAT = {
    name: {"rate_per_year": 0.0}
    for name in ("accelerator", "memory_flash", "rest", "electricity", "colocation", "wages")
}


def only(*names):
    """Switches of the lines: those named are on, all others off."""
    return {name: name in names for name in CATEGORIES}


def pool(gpus, growth=0.0, **more):
    curve = {"kind": "compound", "rate_per_month": growth} if growth else {"kind": "constant"}
    return {
        "kind": "pool",
        "slug": "pool",
        "accelerator": "gpu",
        "gpus": gpus,
        "target_utilisation": 1.0,
        "growth": curve,
        **more,
    }


def plan(slug="plan", **more):
    """One box, bought at once and kept, unless said."""
    return {"slug": slug, "start": {"build": "box"}, "end_of_life": {"life_months": 240}, "lead_months": 0, **more}


def document(*plans, work=None, months=12, **changes):
    """The scenario as plain data: all prices flat, no discounting, no residual; `changes` replace top-level keys."""
    data = {
        "start": "2027-01",
        "months": months,
        "currency": "USD",
        "pricing_date": PRICED_ON.isoformat(),
        "demand": {"workloads": work if isinstance(work, list) else [work or pool(4.0)]},
        "plans": list(plans) or [plan()],
        "sites": [{"slug": "room", "pue": 1.5, "electricity_price_per_kwh": 0.10}],
        "market": FLAT,
        "finance": {"discount_rate": 0.0, "residual_at_horizon": False},
    }
    return {**data, **changes}


def evaluated(*plans, prices=None, **changes):
    """The evaluation of the sample with changes."""
    return evaluate(Scenario.read(document(*plans, **changes)), prices or book())


def compared(*plans, prices=None, **changes):
    return compare(evaluated(*plans, prices=prices, **changes))


def lines(result, category):
    """{code: line} of one category."""
    return {line.code: line for line in result.lines if line.category == category}


def amounts(result, category, code=None):
    """[money of each month] of one category, or of one of its lines."""
    found = [line.minor for line in result.lines if line.category == category and code in (None, line.code)]
    months = result.calendar.months
    return [round(float(sum(cells[m] for cells in found)) / 100.0, 2) for m in range(months)]

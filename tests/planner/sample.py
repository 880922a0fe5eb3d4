"""A small scenario and a price book of literals: what the tests of words, charts and explanations speak about.

2.5 H200 NVL in use today, growing 4 % a month towards 16; four plans over 36 months; an office room with 5 kW
of cooling.
Prices are round numbers, so that a reader can check a figure in the head.
"""

import datetime as dt

from planner.engine.compare import compare
from planner.engine.evaluate import evaluate
from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES
from planner.engine.prices import (
    Accelerator,
    AddOn,
    Build,
    CloudOffer,
    ColocationRate,
    Cost,
    Item,
    Price,
    PriceBook,
    Source,
    Tariff,
)

PRICED_ON = dt.date(2026, 11, 30)


def price(amount, currency="USD", *, basis="list", dated="2026-11-02", rate=1.0, **more):
    source = Source(basis=basis, dated=dt.date.fromisoformat(dated), rate=rate, **more)
    return Price(amount=amount, currency=currency, rate=rate, source=source)


def cost(slug, likely, unit, currency=""):
    note = "general knowledge, unverified"
    return Cost(
        slug=slug,
        low=likely / 2,
        likely=likely,
        high=likely * 2,
        unit=unit,
        currency=currency,
        source=Source(basis="estimate", item=slug, dated=dt.date(2026, 11, 1), note=note),
    )


COSTS = [
    ("rack-42u", 1700, "each", "USD"),
    ("rack-office-24u", 900, "each", "USD"),
    ("rack-shelf", 150, "each", "USD"),
    ("pdu-basic-30a", 600, "each", "USD"),
    ("pdu-metered-17kw", 1700, "each", "USD"),
    ("remote-hands-hour", 200, "hour", "USD"),
    ("install-hours-8gpu", 8, "hours per server", ""),
    ("install-hours-workstation", 2, "hours per server", ""),
    ("commissioning-pct", 2, "percent of hardware", ""),
    ("commissioning-days", 7, "days", ""),
    ("freight-domestic", 0.7, "percent of hardware", ""),
    ("duty-us-base", 0, "percent of customs value", ""),
    ("spares-stock", 3, "percent of purchase", ""),
    ("decommission-server", 300, "server", "USD"),
    ("staff-us-gpu-engineer-loaded", 240_000, "FTE-year", "USD"),
    ("staff-nodes-per-fte-small", 20, "servers per FTE", ""),
    ("staff-fabric-skill-fte", 0.5, "FTE per 64 nodes", ""),
    ("office-fibre-1g", 600, "month", "USD"),
    ("cross-connect", 250, "month", "USD"),
    ("ip-transit-mbps", 0.17, "Mbps-month", "USD"),
    ("insurance-property", 0.35, "percent of insured value per year", ""),
    ("property-tax-default", 0.6, "percent of cost per year", ""),
    ("net-maintenance", 6, "percent of price per year", ""),
    ("cable-400g-link", 1230, "link", "USD"),
    ("cabling-labour-link", 45, "link", "USD"),
    ("demand-charge", 12, "kW-month", "USD"),
    ("water-use-wue", 0.36, "litre per kWh", ""),
    ("water-us-m3", 1.02, "m3", "USD"),
    ("egress-uplift", 7.5, "percent of cloud bill", ""),
    ("cloud-commit-discount-1y", 31, "percent", ""),
    ("cloud-commit-discount-3y", 55, "percent", ""),
    ("split-ac-24k-installed", 4500, "each", "USD"),
    ("flash-file-usable-tb", 1500, "TB", "USD"),
    ("sales-tax-us-va", 6, "percent of price", ""),
]


def build(slug, name, cards, slots, kw, weeks=(8.0, 12.0, 30.0), **more):
    quote = price(
        more.pop("usd"),
        basis="quoted",
        supplier="Example Systems",
        number="Q-1042",
        dated="2026-11-02",
        valid_until=dt.date(2027, 1, 31),
        item=slug,
        url="https://example.org/quote/q-1042",
    )
    return Build(
        slug=slug,
        name=name,
        accelerator="h200-nvl",
        accelerator_count=cards,
        chassis_slots=slots,
        rack_units=4,
        weight_kg=62,
        max_kw=kw[0],
        typical_kw=kw[1],
        idle_kw=kw[2],
        noise_db=80,
        fabric_ports=8,
        fabric_port_gbps=400,
        warranty_months=36,
        support_share_per_year=0.07,
        lead_weeks=weeks,
        price=quote,
        residual_class="card",
        source=Source(basis="sourced", item=slug, url="https://example.org/datasheet"),
        **more,
    )


def offer(slug, provider, provider_class, per_gpu_hour, dated="2026-11-20"):
    return CloudOffer(
        slug=slug,
        provider=provider,
        provider_class=provider_class,
        accelerator="h200-nvl",
        region="us-east",
        price=price(per_gpu_hour, basis="market", supplier=provider, dated=dated, item=slug),
    )


def book(**changes):
    parts = {
        "currency": "USD",
        "pricing_date": PRICED_ON,
        "accelerators": {
            "h200-nvl": Accelerator(
                slug="h200-nvl", name="H200 NVL", memory_gb=141, memory_bw_gbps=4800, bf16_tflops=835, fp8_tflops=1671
            )
        },
        "builds": {
            "srv-4x": build("srv-4x", "PowerEdge XE7745 with 4x H200 NVL", 4, 8, (4.1, 3.1, 0.9), usd=176_000.0),
            "srv-8x": build("srv-8x", "PowerEdge XE7745 with 8x H200 NVL", 8, 8, (7.0, 5.3, 1.2), usd=328_000.0),
        },
        "addons": {
            "srv-4x": AddOn(
                slug="add-1x",
                build="srv-4x",
                accelerator="h200-nvl",
                max_kw=0.7,
                typical_kw=0.55,
                idle_kw=0.07,
                weight_kg=1.5,
                labour_hours=1,
                price=price(
                    31_000.0,
                    "EUR",
                    supplier="Karten GmbH",
                    item="add-1x",
                    rate=1.1,
                    rate_dated=dt.date(2026, 11, 27),
                    rate_source="ECB",
                ),
                extra_price=price(3_000.0),
            )
        },
        "offers": {
            "nimbus-h200": offer("nimbus-h200", "Nimbus", "neocloud", 3.0),
            "large-h200": offer("large-h200", "Large Cloud", "hyperscaler", 8.0),
        },
        "items": {
            "qm9700": Item(
                slug="qm9700",
                name="QM9700",
                kind="switch",
                ports=64,
                port_gbps=400,
                rack_units=1,
                max_kw=1.7,
                typical_kw=0.8,
                price=price(25_000.0, item="qm9700"),
            )
        },
        "costs": {slug: cost(slug, likely, unit, currency) for slug, likely, unit, currency in COSTS},
        "tariffs": {
            "US-VA/commercial": Tariff(
                region="US-VA",
                customer_class="commercial",
                price=price(0.12, basis="sourced", supplier="EIA", item="US-VA"),
            )
        },
        "colocation": {
            "retail": ColocationRate(market="retail", size_band="retail", price=price(275.0, basis="market")),
            "nova": ColocationRate(market="nova", size_band="wholesale", price=price(195.0, basis="market")),
        },
    }
    return PriceBook.read({**parts, **changes})


def document(**changes):
    """The scenario as plain data; `changes` replace top-level keys."""
    overflow = {"accelerator": "h200-nvl"}
    data = {
        "start": "2026-12",
        "months": 36,
        "currency": "USD",
        "pricing_date": "2026-11-30",
        "template": "small-team",
        "demand": {
            "workloads": [
                {
                    "kind": "pool",
                    "slug": "pool",
                    "name": "Team pool",
                    "accelerator": "h200-nvl",
                    "gpus": 2.5,
                    "growth": {"kind": "compound", "rate_per_month": 0.04, "ceiling": 16},
                }
            ]
        },
        "plans": [
            {
                "slug": "scale-out",
                "strategy": "scale_out",
                "start": {"build": "srv-4x", "cards": 4},
                "follow_up": {"kind": "cards", "batch": 1},
                "overflow": overflow,
            },
            {
                "slug": "server",
                "strategy": "server_now",
                "start": {"build": "srv-8x"},
                "follow_up": {"kind": "servers", "batch": 1},
                "overflow": overflow,
            },
            {
                "slug": "cluster",
                "strategy": "cluster_now",
                "start": {"build": "srv-8x", "quantity": 2},
                "follow_up": {"kind": "servers", "batch": 1},
                "overflow": overflow,
                "fabric": {"when": "always"},
            },
            {"slug": "cloud", "strategy": "cloud", "overflow": {**overflow, "reserved_share": 0.5}},
        ],
        "sites": [
            {
                "slug": "office",
                "kind": "office",
                "cooling_method": "office_air",
                "cooling_kw": 5.0,
                "racks": 2,
                "noise_limit_db": 60,
                "upgrades": [
                    {"slug": "split", "item": "split-ac-24k-installed", "adds_cooling_kw": 7.0, "lead_weeks": 6},
                    {"slug": "split-2", "item": "split-ac-24k-installed", "adds_cooling_kw": 7.0, "lead_weeks": 6},
                ],
            }
        ],
    }
    return {**data, **changes}


def evaluated(prices=None, **changes):
    """(evaluation, comparison) of the sample, with changes."""
    evaluation = evaluate(Scenario.read(document(**changes)), prices or book())
    return evaluation, compare(evaluation)


def bare(prices=None, **changes):
    """(evaluation, comparison) where only purchases and the cloud cost anything: flat prices, no discount, no resale.

    One GPU is busy from the first month to the twelfth. The server costs 8,000, the cloud 3.00 an hour. From December
    2026 on the cloud costs 2,232, 2,232, 2,016 and 2,232 a month, so that it passes 8,000 in the month of index 3.
    """
    overflow = {"accelerator": "h200-nvl"}
    flat = {"rate_per_year": 0.0}
    data = {
        "months": 12,
        "demand": {
            "workloads": [
                {
                    "kind": "pool",
                    "slug": "pool",
                    "accelerator": "h200-nvl",
                    "gpus": 1,
                    "target_utilisation": 1.0,
                    "growth": {"kind": "constant"},
                }
            ]
        },
        "plans": [
            {"slug": "server", "strategy": "server_now", "start": {"build": "srv-8x"}, "overflow": overflow},
            {"slug": "cloud", "strategy": "cloud", "overflow": overflow},
        ],
        "sites": [{"slug": "room"}],
        "market": {"accelerator": flat, "own_prices": {"srv-8x": 8000.0}},
        "finance": {"discount_rate": 0.0, "residual_at_horizon": False},
        "lines": {name: name in ("capex.accelerators_and_servers", "opex.cloud_usage") for name in CATEGORIES},
    }
    return evaluated(prices, **{**data, **changes})

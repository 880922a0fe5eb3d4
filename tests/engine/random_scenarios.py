"""Random valid scenarios on the sample's book: work, plans, contracts, sites, tariffs and money of many kinds."""

from hypothesis import strategies as st

from planner.engine.inputs import Scenario
from planner.engine.lines import CATEGORIES
from tests.engine.sample import PRICED_ON, book, build, offer, price

MODEL = {"params_b": 8.0, "layers": 32, "hidden": 4096, "heads": 32, "kv_heads": 8, "attention": "GQA"}
DISCOUNTED = {
    "breaks": [{"min_quantity": 2, "amount": 220_000.0}],
    "discounts": [{"name": "education", "share": 0.05}, {"name": "once", "amount": 1_000.0}],
}


BUILDS = {
    "box": {**build("box", 8, 8, 240_000.0), "price": price(240_000.0, terms=DISCOUNTED), "warranty_months": 12},
    "chassis": build("chassis", 2, 8, 100_000.0, max_kw=3.0, typical_kw=2.4, idle_kw=0.4),
    "twin": build("twin", 8, 8, 400_000.0, accelerator="big"),
    "single": build("single", 1, 1, 30_000.0),
}
# The sample's book, with a quote that has breaks and discounts.
PRICES = book(builds=BUILDS)


def shares(low=0.0, high=1.0):
    return st.floats(low, high).map(lambda x: round(x, 4))


def amounts(low, high):
    return st.floats(low, high).map(lambda x: round(x, 2))


GROWTH = st.one_of(
    st.just({"kind": "constant"}),
    st.fixed_dictionaries(
        {"kind": st.just("compound"), "rate_per_month": shares(-0.05, 0.08)},
        optional={"ceiling": amounts(5, 50), "fade_per_year": shares()},
    ),
    st.fixed_dictionaries({"kind": st.just("linear"), "per_month": amounts(-0.2, 1)}),
    st.fixed_dictionaries(
        {"kind": st.just("logistic"), "rate_per_month": shares(0.02, 0.3), "ceiling": amounts(5, 30)}
    ),
    st.fixed_dictionaries(
        {
            "kind": st.just("steps"),
            "steps": st.lists(
                st.fixed_dictionaries({"month": st.integers(0, 40), "value": amounts(0, 20)}),
                max_size=3,
                unique_by=lambda step: step["month"],
            ).map(lambda steps: sorted(steps, key=lambda step: step["month"])),
        }
    ),
    st.fixed_dictionaries({"kind": st.just("table"), "values": st.lists(amounts(0, 20), min_size=1, max_size=6)}),
)
COMMON = {"accelerator": st.sampled_from(["gpu", "big"]), "growth": GROWTH, "target_utilisation": shares(0.3)}
WORK = st.one_of(
    st.fixed_dictionaries({"kind": st.just("pool"), "gpus": amounts(0, 20), **COMMON}),
    st.fixed_dictionaries({"kind": st.just("pool"), "gpu_hours_per_month": amounts(0, 9000), **COMMON}),
    st.fixed_dictionaries(
        {"kind": st.just("training"), "model": st.just(MODEL), "tokens_b": amounts(1, 200), "driver": st.just("runs"),
         "runs_per_month": amounts(0.1, 1), **COMMON}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("tuning"), "model": st.just(MODEL), "runs_per_month": amounts(1, 40), **COMMON}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("serving"), "measured_requests_per_s_per_gpu": amounts(0.5, 5),
         "requests_per_day": amounts(0, 200_000), **COMMON}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("batch"), "items_m_per_month": amounts(0, 30), "measured_rate_per_gpu": amounts(1, 5),
         **COMMON}
    ),
    st.fixed_dictionaries(
        {"kind": st.just("hpc"), "exaflop_per_month": amounts(0, 500), "measured_tflops_per_gpu": amounts(1, 60),
         **COMMON}
    ),
)  # fmt: skip

FOLLOW_UP = st.one_of(
    st.just({"kind": "none"}),
    st.fixed_dictionaries({"kind": st.sampled_from(["cards", "servers"]), "batch": st.integers(1, 2)}),
    st.fixed_dictionaries(
        {
            "kind": st.just("schedule"),
            "waves": st.lists(
                st.fixed_dictionaries({"month": st.integers(0, 30), "quantity": st.integers(1, 2)}), max_size=3
            ),
        }
    ),
)
OVERFLOW = st.fixed_dictionaries(
    {"accelerator": st.sampled_from(["gpu"])},
    optional={
        "reserved_share": shares(),
        "reserved_term_months": st.sampled_from([12, 36]),
        "commit_discount": shares(0, 0.5),
        "spot_interruption_share": shares(0, 0.3),
        "egress_tb_per_month": amounts(0, 5),
    },
)
FINANCING = st.one_of(
    st.just({"kind": "cash"}),
    st.fixed_dictionaries(
        {
            "kind": st.sampled_from(["loan", "lease"]),
            "share": shares(0.2),
            "rate_per_year": shares(0, 0.15),
            "rate_is": st.sampled_from(["effective", "nominal"]),
            "term_months": st.integers(1, 24),
            "repayment": st.sampled_from(["annuity", "bullet"]),
            "payment": st.sampled_from(["advance", "arrears"]),
            "buy_out_share": shares(0, 0.5),
            "at_end": st.sampled_from(["buy_out", "extend"]),
        }
    ),
)
OWNING = st.fixed_dictionaries(
    {
        "start": st.fixed_dictionaries(
            {"build": st.sampled_from(["box", "chassis", "single"]), "quantity": st.integers(1, 3)}
        ),
        "follow_up": FOLLOW_UP,
        "financing": FINANCING,
        "end_of_life": st.fixed_dictionaries(
            {"life_months": st.integers(24, 60), "then": st.sampled_from(["renew", "let_go"])}
        ),
        "lead_months": st.integers(0, 4),
        "fabric": st.fixed_dictionaries({"when": st.sampled_from(["never", "when_needed"])}),
    },
    optional={"overflow": OVERFLOW},
)
RENTING = st.fixed_dictionaries({"overflow": OVERFLOW})

PERIODS = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["peak", "valley", "critical_peak"]),
            "months": st.sampled_from(["1-12", "6-9", "11-2"]),
            "days": st.sampled_from(["all", "weekdays", "weekends"]),
            "hours": st.sampled_from(["0-24", "8-20", "22-6", "10-12, 14:30-19"]),
        }
    ).flatmap(
        lambda when: st.sampled_from(["price_per_kwh", "times", "adds_per_kwh"]).flatmap(
            lambda name: amounts(0.01, 0.9).map(lambda amount: {**when, name: amount})
        )
    ),
    max_size=3,
)
TARIFF = st.one_of(
    st.just(None),
    st.fixed_dictionaries(
        {
            "basis": st.sampled_from(["all_in", "resale"]),
            "periods": PERIODS,
            "fixed_per_month": amounts(0, 200),
            "tiers": st.lists(amounts(-0.02, 0.05), max_size=1).map(
                lambda adds: [{"from_kwh": 2000.0, "adds_per_kwh": each} for each in adds]
            ),
        }
    ),
    st.fixed_dictionaries(
        {
            "basis": st.just("energy_only"),
            "periods": PERIODS,
            "demand": st.lists(
                amounts(0, 20).map(lambda charge: {"name": "demand", "price_per_kw": charge}), min_size=1, max_size=1
            ),
            "ratchet_share": shares(),
            "capacity_kw": amounts(0, 30),
            "capacity_price_per_kw": amounts(0, 10),
        }
    ),
)
PLACE = {"pue": amounts(1.0, 2.0), "electricity_price_per_kwh": amounts(0.02, 0.4), "tariff": TARIFF}
ROOM = st.fixed_dictionaries({"kind": st.sampled_from(["office", "server_room", "data_hall"]), **PLACE})
HALL = st.fixed_dictionaries(
    {
        "kind": st.just("colocation"),
        "colocation": st.fixed_dictionaries(
            {
                "price_per_kw_month": amounts(50, 400),
                "power_included": st.booleans(),
                "usable_share": shares(0.5),
                "committed_kw": amounts(0, 20),
            },
            optional={
                "term_months": st.integers(6, 36),
                "setup_fee": amounts(0, 3000),
                "escalator_per_year": shares(0, 0.1),
            },
        ),
        **PLACE,
    }
)  # fmt: skip
SITES = st.one_of(
    st.tuples(st.one_of(ROOM, HALL)),
    st.tuples(ROOM, HALL, st.integers(1, 20)).map(
        lambda parts: (parts[0], {**parts[1], "from_month": parts[2], "moving_cost": 5000.0})
    ),
)

FINANCE = st.fixed_dictionaries(
    {
        "discount_rate": shares(0, 0.3),
        "running_costs_mid_month": st.booleans(),
        "residual_at_horizon": st.booleans(),
        "fiscal_year_start_month": st.integers(1, 12),
    },
    optional={
        "payment": st.fixed_dictionaries(
            {"on_order": shares(0, 0.5), "on_delivery": shares(0, 0.4), "retention": shares(0, 0.1)}
        ),
    },
)
TAXES = st.fixed_dictionaries(
    {
        "after_tax": st.just(True),
        "profit_tax_rate": shares(0, 0.4),
        "buyer": st.sampled_from(["company", "university"]),
        "tax_depreciation": st.sampled_from(["straight_line", "declining_balance", "macrs_5", "at_once", "none"]),
        "tax_life_months": st.integers(12, 80),
    }
)
PATHS = {name: {"rate_per_year": st.just(0.0) | shares(-0.3, 0.2)} for name in ("accelerator", "rest", "nic")}
MARKET = st.fixed_dictionaries(
    {
        **{name: st.fixed_dictionaries(path) for name, path in PATHS.items()},
        "provider_class": st.sampled_from(["specialist", "large_provider"]),
        "cloud_spread": shares(-0.2, 0.2),
        "resale_factor": shares(0.3, 1.2),
    }
)
SWITCHES = st.dictionaries(
    st.sampled_from([name for name in CATEGORIES if name not in ("opex.software",)]), st.booleans(), max_size=6
)
CONTRACTS = st.lists(
    st.fixed_dictionaries(
        {"slug": st.just("support"), "share_per_year": shares(0, 0.2), "renewal_month": st.integers(0, 24)}
    ),
    max_size=1,
)  # fmt: skip


@st.composite
def scenarios(draw, *, taxed=False, rate=None):
    """(Scenario, PriceBook); `rate` pins the discount rate, `taxed` lets a company or a university see it after tax."""
    work = [{"slug": f"w{n}", **each} for n, each in enumerate(draw(st.lists(WORK, min_size=1, max_size=3)))]
    plans = [
        {"slug": f"p{n}", **each} for n, each in enumerate(draw(st.lists(OWNING | RENTING, min_size=1, max_size=3)))
    ]
    sites = [{"slug": f"s{n}", **each} for n, each in enumerate(draw(SITES))]
    finance = draw(FINANCE) | ({} if rate is None else {"discount_rate": rate})
    if taxed:
        finance |= draw(st.just({}) | TAXES)
    document = {
        "start": draw(st.sampled_from(["2027-01", "2027-07", "2028-02"])),
        "months": draw(st.integers(1, 40)),
        "pricing_date": PRICED_ON.isoformat(),
        "demand": {"workloads": work, "software_speedup_per_year": draw(shares(0, 0.2))},
        "plans": plans,
        "sites": sites,
        "market": draw(MARKET),
        "operations": {"contracts": draw(CONTRACTS)},
        "finance": finance,
        "lines": draw(SWITCHES),
    }
    return Scenario.read(document), PRICES


@st.composite
def rivals(draw):
    """(Scenario, PriceBook) of a box that is owned and as many hours rented at about what the box costs."""
    scenario, _book = draw(scenarios())
    gpus, months = draw(amounts(2, 8)), draw(st.integers(2, 40))
    even = 240_000.0 / (gpus * 730.0 * months)  # what an hour would cost without running costs and resale
    document = scenario.model_dump(mode="json") | {
        "months": months,
        "demand": {"workloads": [{"kind": "pool", "slug": "pool", "accelerator": "gpu", "gpus": gpus,
                                  "target_utilisation": 1.0, "growth": {"kind": "constant"}}]},
        "plans": [
            {"slug": "own", "start": {"build": "box"}, "lead_months": 0, "financing": draw(FINANCING)},
            {"slug": "rent", "overflow": {"accelerator": "gpu", "offer": "near"}},
        ],
        "sites": [{"slug": "room", "pue": 1.3, "electricity_price_per_kwh": 0.1}],
        "lines": {"opex.staff": False, "opex.network_transit": False},
    }  # fmt: skip
    near = offer("near", round(even * draw(st.floats(0.6, 2.0)), 4))
    return Scenario.read(document), book(builds=BUILDS, offers={"near": near})

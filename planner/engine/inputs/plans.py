"""How GPUs come to be there: purchases, follow-ups, cloud, fabric, financing."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, StringConstraints, model_validator

from planner.engine.inputs.base import COSTS, MAX_MONTHS, AcceleratorSlug, BuildSlug, Name, OfferSlug, Slug
from planner.engine.quantities import Choice, Document, Quantity, conflict

# Set on every GPU that is owned (nvidia-smi -pl): it draws less and does less, by a curve that depends on how many
# requests are under way. None: the card's own power.
PowerLimit = Annotated[
    float | None,
    Quantity(
        "W",
        50.0,
        5000.0,
        None,
        None,
        "choice",
        "https://github.com/voipmonitor/rtx6kpro/blob/main/hardware/gpu-configs.md#power-limit-scaling-minimax-m25-nvfp4-4x-cards",
    ),
]


class Start(Document):
    """The first wave: in service and paid in month 0."""

    build: BuildSlug
    quantity: Annotated[int, Quantity("server", 1, 10_000)] = 1
    cards: Annotated[int | None, Quantity("GPU", 1, 100_000)] = (
        None  # GPUs in all; None: the build's own, times quantity
    )


class Wave(Document):
    month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)]
    quantity: Annotated[int, Quantity("1", 1, 10_000)]


class FollowUp(Document):
    """What is bought when demand outgrows the fleet: cards into free slots, whole servers, or waves at fixed months."""

    kind: Literal["none", "cards", "servers", "schedule"] = "none"
    batch: Annotated[int, Quantity("1", 1, 1000)] = 1
    build: BuildSlug | None = None  # None: the build of the start
    generation: Literal["same", "newest"] = "same"  # whether later purchases take what succeeds the build
    waves: tuple[Wave, ...] = Field(default=(), max_length=MAX_MONTHS)
    min_service_months: Annotated[int | None, Quantity("month", 0, MAX_MONTHS)] = None  # None: 18 with overflow, else 0


class CapacityBlock(Document):
    """GPUs booked and paid ahead for some days from the start of a month."""

    month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)]
    gpus: Annotated[float, Quantity("GPU", 0.0, 100_000.0)]


class Overflow(Document):
    """A cloud offer that takes what the owned fleet cannot serve."""

    accelerator: AcceleratorSlug
    offer: OfferSlug | None = None  # None: the median of the comparable offers, named
    provider_class: Literal["specialist", "large_provider", "marketplace"] | None = None  # None: the market's
    # None: the site's region where the provider sells there, else any.
    region: Annotated[str | None, Choice("cloud_region"), StringConstraints(max_length=80)] = None
    reserved_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    reserved_term_months: Literal[12, 36, 60] = 12
    # None: an offer's, else the usual.
    commit_discount: Annotated[float | None, Quantity("share", 0.0, 0.95, 0.14, 0.5, "estimate", COSTS)] = None
    spot_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0  # of what is not reserved
    spot_interruption_share: Annotated[float, Quantity("share", 0.0, 0.9, None, None, "estimate")] = 0.05
    blocks: tuple[CapacityBlock, ...] = Field(default=(), max_length=MAX_MONTHS)
    block_days: Annotated[float, Quantity("day", 1.0, 366.0)] = 14.0
    egress_tb_per_month: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = None  # None: not stated
    stored_tb: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = None

    @property
    def states_data(self) -> bool:
        """Whether data leaving or lying in the cloud is stated, and so charged."""
        return self.egress_tb_per_month is not None or self.stored_tb is not None

    @property
    def pricing_models(self) -> frozenset[str]:
        """Ways of pricing that this plan asks the catalog for, besides on demand."""
        years = self.reserved_term_months // 12
        asked = {
            f"reserved_{years}y": self.reserved_share > 0 and self.commit_discount is None,
            "spot": self.spot_share > 0,
            "capacity_block": bool(self.blocks),
        }
        return frozenset(name for name, wanted in asked.items() if wanted)


class Fabric(Document):
    """The network between servers that lets one job span them."""

    when: Literal["never", "when_needed", "always"] = "when_needed"
    final_nodes: Annotated[int | None, Quantity("server", 1, 10_000)] = None  # wire for this size now
    switch: Annotated[Slug | None, Choice("switch")] = None
    topology: Literal["rail_optimised", "rail_only"] = "rail_optimised"
    oversubscription: Annotated[float, Quantity("1", 1.0, 8.0)] = 1.0  # leaf ports down to up
    spread: Literal["even", "fewest"] = "even"  # links spread evenly, as published, or as few switches as carry them
    # What joins the servers: the ports they come with, or another network of that class.
    network: Literal[
        "ports",
        "1gbe",
        "10gbe",
        "25gbe",
        "25g_roce",
        "100gbe",
        "100g_rdma",
        "400g_rdma",
        "8x200g_rdma",
        "8x400g_rdma",
        "8x800g_rdma",
    ] = "ports"
    planes: Annotated[int, Quantity("1", 1, 4)] = 1  # separate fabrics over which each port is split
    ufm: bool = False  # fabric managers, a pair
    cabling: Literal["per_link", "by_distance"] = "per_link"  # one price for every link, or what its length asks for
    leaf_m: Annotated[float, Quantity("m", 0.5, 2000.0, None, None, "estimate")] = 30.0  # server to leaf
    spine_m: Annotated[float, Quantity("m", 0.5, 2000.0, None, None, "estimate")] = 50.0  # between switches
    storage_network: bool = False
    in_band: bool = False
    out_of_band: bool = False
    commissioning_days: Annotated[float, Quantity("day", 0.0, 365.0)] = 0.0  # on top of the servers' burn-in

    @model_validator(mode="after")
    def _has_a_place_for_managers(self) -> Fabric:
        if self.ufm and self.topology == "rail_only":
            raise conflict("ufm", "rails apart have no place for fabric managers")
        return self


class EndOfLife(Document):
    life_months: Annotated[
        int, Quantity("month", 12, 240, 36, 72, "estimate", "https://wiresift.com/ai-server-depreciation")
    ] = 60
    then: Literal["renew", "let_go"] = "renew"


class Financing(Document):
    """How machines and fabric are paid for: in cash, with a loan, or by a lessor who owns them."""

    kind: Literal["cash", "loan", "lease"] = "cash"
    share: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0  # of the price, lent or leased
    # None: the catalog's rate of an equipment loan.
    rate_per_year: Annotated[float | None, Quantity("share/year", 0.0, 1.0, 0.05, 0.12, "estimate", COSTS)] = None
    rate_is: Literal["effective", "nominal"] = "effective"  # a nominal one is divided by 12
    term_months: Annotated[int, Quantity("month", 1, MAX_MONTHS)] = 36
    repayment: Literal["annuity", "bullet"] = "annuity"
    payment: Literal["advance", "arrears"] = "advance"
    buy_out_share: Annotated[float, Quantity("share", 0.0, 1.0, 0.1, 0.3, "estimate", COSTS)] = 0.2
    at_end: Literal["buy_out", "extend"] = "buy_out"  # of a lease: the machine is bought, or the rent goes on
    # What a lessor asks; None: what the rate and the buy-out make of it.
    rent_share_per_month: Annotated[float | None, Quantity("share/month", 0.0, 1.0, 0.02, 0.04, "estimate")] = None


class Condition(Document):
    """In which condition machines are bought, and what that changes; networks and racks are bought new."""

    kind: Literal["new", "refurbished", "used"] = "new"
    # Of the price of a new one; None: a quote of that condition, and without one there is no total.
    price_share: Annotated[float | None, Quantity("share", 0.0, 1.0)] = None
    age_months: Annotated[int, Quantity("month", 0, 239, None, None, "estimate")] = 36  # when bought
    warranty_months: Annotated[int, Quantity("month", 0, 120, None, None, "estimate")] = 0

    @property
    def age(self) -> int:
        """Months of service behind a machine when it is bought."""
        return 0 if self.kind == "new" else self.age_months


class Plan(Document):
    slug: Slug
    name: Name = ""
    strategy: Literal[
        "scale_out",
        "server_now",
        "servers_now",
        "cluster_now",
        "cloud",
        "hybrid",
        "fixed",
        "server_as_is",
        "server_cooled",
        "other",
    ] = "other"
    start: Start | None = None
    follow_up: FollowUp = FollowUp()
    overflow: Overflow | None = None
    fabric: Fabric = Fabric()
    end_of_life: EndOfLife = EndOfLife()
    financing: Financing = Financing()
    condition: Condition = Condition()
    sourcing: Literal["buy"] = "buy"
    lead_months: Annotated[int | None, Quantity("month", 0, 60)] = (
        None  # None: lead time of the build and commissioning
    )
    gpu_power_limit_w: PowerLimit = None  # None: the scenario's
    moves: bool = True  # into the later rooms; off: it stays in the first one
    # Of the move into the second room; None: the month which that room names.
    move_month: Annotated[int | None, Quantity("month", 1, MAX_MONTHS - 1)] = None
    upgrades: Literal["buy", "show"] = "buy"  # whether the room's upgrades are ordered, or only priced as the remedy

    @model_validator(mode="after")
    def _follows_something(self) -> Plan:
        if self.follow_up.kind != "none" and self.start is None and self.follow_up.build is None:
            raise conflict("follow_up/build", "a follow-up needs a build")
        leased = self.financing.kind == "lease"
        if self.service_months < 1:
            raise conflict("condition/age_months", "the service life is over when it is bought")
        if leased and self.financing.term_months > self.service_months:
            raise conflict("financing/term_months", "a lease ends within the service life")
        return self

    @property
    def service_months(self) -> int:
        """Months that a machine serves in this plan: what is left of its life when it is bought."""
        return self.end_of_life.life_months - self.condition.age

"""Prices over time: paths, generations, resale, own prices."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.engine.inputs.base import COSTS, DEFAULTS, MAX_MONTHS, BuildSlug, Name, Share, Slug
from planner.engine.quantities import Document, Quantity, conflict


class PricePath(Document):
    """Yearly nominal change of a price, signed; years after the listed ones take the general rate."""

    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0)] = 0.0
    by_year: tuple[Annotated[float, Quantity("share/year", -0.9, 2.0)], ...] = Field(default=(), max_length=10)


class AcceleratorPath(PricePath):
    rate_per_year: Annotated[
        float, Quantity("share/year", -0.9, 2.0, -0.20, 0.10, "estimate", "catalog/data/price_quotes.csv")
    ] = -0.10


class MemoryPath(PricePath):
    rate_per_year: Annotated[
        float, Quantity("share/year", -0.9, 2.0, -0.20, 0.50, "estimate", "catalog/data/price_quotes.csv")
    ] = 0.0


class RestPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.05, 0.05, "estimate", DEFAULTS)] = 0.0


class NicPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.10, 0.05, "estimate", DEFAULTS)] = 0.0


class ElectricityPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.02, 0.06, "estimate", DEFAULTS)] = 0.02


class ColocationPath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, 0.0, 0.06, "estimate", DEFAULTS)] = 0.03


class WagePath(PricePath):
    rate_per_year: Annotated[float, Quantity("share/year", -0.9, 2.0, 0.02, 0.05, "estimate", COSTS)] = 0.035


class GridPath(PricePath):
    """Yearly change of the grid's carbon per kWh, signed."""


class Generation(Document):
    """A server that is not sold yet: like one of the catalog, with a price, a speed and a power of its own."""

    slug: Slug
    name: Name = ""
    like: BuildSlug
    from_month: Annotated[int, Quantity("month", 0, MAX_MONTHS)] = 18  # of its launch
    until_month: Annotated[int | None, Quantity("month", 1, MAX_MONTHS)] = None  # of its last sale; None: sold on
    price: Annotated[float | None, Quantity("money/server", 0.0, 1e9)] = None  # at its launch; None: as its like then
    # Rates and memory bandwidth of its GPUs against those of the server it is like; H100 to B200 in dense BF16: 2.3.
    performance: Annotated[
        float, Quantity("times", 0.1, 100.0, 1.5, 3.0, "estimate", "catalog/data/accelerators.csv")
    ] = 2.0
    power: Annotated[float, Quantity("times", 0.1, 10.0, 1.0, 1.6, "estimate", "catalog/data/builds.csv")] = 1.3
    old_sold_months: Annotated[int | None, Quantity("month", 0, MAX_MONTHS)] = None  # after the launch; None: sold on

    @model_validator(mode="after")
    def _ends_after_it_begins(self) -> Generation:
        if self.until_month is not None and self.until_month <= self.from_month:
            raise conflict("until_month", "it ends before it begins")
        return self


class SupportContract(Document):
    """A warranty extension or support contract: owed from its renewal month on. Several on one machine add up."""

    slug: Slug
    name: Name = ""
    build: BuildSlug | None = None  # None: every machine
    counted_from: Literal["service", "start"] = "service"  # of each machine, or of the comparison
    renewal_month: Annotated[int, Quantity("month", 0, 240)] = 36
    term_months: Annotated[int | None, Quantity("month", 1, 240)] = None  # None: as long as the machine serves
    share_per_year: Annotated[float, Quantity("share/year", 0.0, 1.0, 0.05, 0.12, "estimate", COSTS)] = 0.08
    fee_per_server_year: Annotated[float | None, Quantity("money/server/year", 0.0, 1e9)] = None  # replaces the share
    replaces_catalog: bool = False  # the support that the catalog adds after the warranty


class CurvePoint(Document):
    month: Annotated[int, Quantity("month", 0, 600)]
    share: Share


Curve = Annotated[tuple[CurvePoint, ...], Field(min_length=2, max_length=40)]


def _curve(*points: tuple[int, float]) -> tuple[CurvePoint, ...]:
    return tuple(CurvePoint(month=month, share=share) for month, share in points)


class ResidualCurves(Document):
    """Resale as a share of the price paid, by age in months; linear between points, the last one is the floor."""

    system: Curve = _curve(
        (0, 1.0), (12, 0.72), (24, 0.55), (36, 0.42), (48, 0.30), (60, 0.20), (96, 0.05), (120, 0.03)
    )
    card: Curve = _curve((0, 1.0), (12, 0.72), (24, 0.55), (36, 0.42), (48, 0.30), (60, 0.20), (96, 0.05), (120, 0.03))
    host: Curve = _curve((0, 1.0), (12, 0.60), (24, 0.42), (36, 0.28), (48, 0.18), (60, 0.10), (96, 0.03))
    network: Curve = _curve((0, 1.0), (12, 0.55), (24, 0.35), (36, 0.22), (48, 0.14), (60, 0.08), (96, 0.02))


# What is paid against what is listed today: quotes, contracts and offers still to be agreed.
Level = Annotated[float, Quantity("times", 0.05, 20.0, 0.8, 1.2, "estimate")]


class Market(Document):
    """How prices move, and which cloud is compared."""

    accelerator: AcceleratorPath = AcceleratorPath()
    memory_flash: MemoryPath = MemoryPath()
    rest: RestPath = RestPath()
    nic: NicPath = NicPath()
    generations: tuple[Generation, ...] = Field(default=(), max_length=10)
    cloud_spread: Annotated[float, Quantity("share/year", -0.9, 2.0, -0.15, 0.15, "estimate", DEFAULTS)] = 0.0
    electricity: ElectricityPath = ElectricityPath()
    colocation: ColocationPath = ColocationPath()
    # Every price of a cloud, of a meter, of a hall times this.
    cloud_level: Level = 1.0
    electricity_level: Level = 1.0
    colocation_level: Level = 1.0
    wages: WagePath = WagePath()
    grid_carbon: GridPath = GridPath()
    provider_class: Literal["specialist", "large_provider", "marketplace"] = "specialist"
    stale_after_days: Annotated[int, Quantity("day", 1, 3650)] = 180
    residual: ResidualCurves = ResidualCurves()
    resale_commission: Annotated[float, Quantity("share", 0.0, 1.0, 0.10, 0.25, "estimate", COSTS)] = 0.15
    resale_factor: Annotated[
        float, Quantity("share", 0.0, 1.5, 0.65, 1.1, "estimate", "https://spotwire.ai/data/valuator_data.json")
    ] = 1.0
    sale_speed_factor: Annotated[
        float, Quantity("share", 0.0, 1.5, 0.8, 1.0, "estimate", "https://spotwire.ai/data/valuator_data.json")
    ] = 1.0
    unmet_penalty_factor: Annotated[float, Quantity("1", 0.0, 100.0, None, None, "estimate", DEFAULTS)] = 1.25
    # The user's own prices by item slug, in the scenario's currency, in place of the catalog's. Cloud offers: per hour.
    own_prices: dict[Slug, Annotated[float, Quantity("money", 0.0, 1e9)]] = Field(default={}, max_length=200)

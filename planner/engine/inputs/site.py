"""Rooms: circuits, cooling, floor, upgrades, colocation contracts."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.engine.energy.clock import zone_of
from planner.engine.energy.terms import TariffTerms
from planner.engine.inputs.base import COSTS, DEFAULTS, MAX_MONTHS, Name, Slug
from planner.engine.quantities import Choice, Document, Quantity, conflict


class Band(Document):
    """The price per kW of contracts from a size on."""

    from_kw: Annotated[float, Quantity("kW", 0.0, 1e6)]
    price_per_kw_month: Annotated[float, Quantity("money/kW/month", 0.0, 1e5)]


class Cabinet(Document):
    """The rent of a cabinet with a circuit of so many amps."""

    amps: Annotated[float, Quantity("A", 1.0, 1000.0)]
    price_per_month: Annotated[float, Quantity("money/month", 0.0, 1e6)]


class Colocation(Document):
    """Terms of a colocation contract, per contracted kW or per cabinet. A fee of None is not quoted, and not 0."""

    market: Annotated[Slug | None, Choice("colocation")] = None
    price_per_kw_month: Annotated[float | None, Quantity("money/kW/month", 0.0, 1e5)] = None  # None: the market's price
    power_included: bool | None = None  # None: what the market's row says
    usable_share: Annotated[
        float, Quantity("share", 0.1, 1.0, 0.7, 1.0, "estimate", "https://deft.com/blog/hidden-costs-colocation/")
    ] = 0.8
    step_kw: Annotated[float, Quantity("kW", 0.1, 1000.0)] = 1.0
    committed_kw: Annotated[float, Quantity("kW", 0.0, 1e6)] = 0.0
    billing: Literal["kw", "cabinet"] = "kw"
    bands: tuple[Band, ...] = Field(default=(), max_length=20)  # in place of the one price
    overage_price_per_kw: Annotated[float | None, Quantity("money/kW/month", 0.0, 1e5)] = None  # None: contracted
    cabinets: tuple[Cabinet, ...] = Field(default=(), max_length=20)
    cabinet_volts: Annotated[float, Quantity("V", 48.0, 1000.0)] = 208.0
    cabinet_phases: Literal["single", "three"] = "single"
    setup_fee: Annotated[float | None, Quantity("money", 0.0, 1e8)] = None
    redundant_feed_per_month: Annotated[float | None, Quantity("money/month", 0.0, 1e7)] = None
    cross_connects: Annotated[int, Quantity("link", 0, 1000)] = 1
    cross_connect_price: Annotated[float | None, Quantity("money/month", 0.0, 1e5)] = None  # None: the catalog's
    remote_hands_hours: Annotated[float, Quantity("hour/month", 0.0, 1e4)] = 0.0
    remote_hands_price: Annotated[float | None, Quantity("money/hour", 0.0, 1e4)] = None  # None: the catalog's
    term_months: Annotated[int | None, Quantity("month", 1, 240)] = None
    # None: the market's path.
    escalator_per_year: Annotated[float | None, Quantity("share/year", -0.5, 0.5, 0.0, 0.06, "estimate", DEFAULTS)] = (
        None
    )

    @model_validator(mode="after")
    def _prices_rise_in_size(self) -> Colocation:
        for name, sizes in (
            ("bands", [band.from_kw for band in self.bands]),
            ("cabinets", [cabinet.amps for cabinet in self.cabinets]),
        ):
            if sizes != sorted(set(sizes)):
                raise conflict(name, "each size is larger than the one before")
        if self.bands and self.bands[0].from_kw > 0:
            raise conflict("bands", "the first band begins at 0 kW")
        if self.billing == "cabinet" and not self.cabinets:
            raise conflict("cabinets", "a contract by cabinet names what a cabinet costs")
        return self


class Circuit(Document):
    """The feeds that reach one rack, all of one rating; cords of a machine are spread evenly over them."""

    volts: Annotated[float, Quantity("V", 48.0, 1000.0)] = 400.0  # between lines where there are three phases
    amps: Annotated[float, Quantity("A", 1.0, 2000.0)] = 32.0
    phases: Literal["single", "three"] = "three"
    derating: Annotated[float, Quantity("share", 0.1, 1.0)] = 1.0  # North American breakers carry 80 %, IEC cords all
    power_factor: Annotated[float, Quantity("1", 0.5, 1.0)] = 0.95  # reproduces NVIDIA's B200 slide
    feeds: Annotated[int, Quantity("feed", 1, 16)] = 2
    redundancy: Literal["N", "N+1", "2N"] = "2N"
    outlets: Annotated[int | None, Quantity("outlet", 1, 100)] = None  # of each feed; None: enough


class Ups(Document):
    """Equal modules of an uninterruptible supply between the circuits and the machines."""

    module_kw: Annotated[float, Quantity("kW", 0.1, 1e5)] = 10.0
    modules: Annotated[int, Quantity("1", 1, 100)] = 2
    spare: Annotated[int, Quantity("1", 0, 99)] = 1  # that may fail while the others carry the load
    battery_minutes: Annotated[float, Quantity("minute", 0.0, 600.0, None, None, "estimate")] = 5.0

    @model_validator(mode="after")
    def _carries_something(self) -> Ups:
        if self.spare >= self.modules:
            raise conflict("spare", "all modules may fail")
        return self


class Upgrade(Document):
    """A step of the room's ladder: what it adds, what it costs, how long it takes."""

    slug: Slug
    item: Annotated[Slug, Choice("other_cost")]
    quantity: Annotated[int, Quantity("1", 1, 1000)] = 1
    adds_cooling_kw: Annotated[float, Quantity("kW", 0.0, 1e5)] = 0.0
    adds_power_kw: Annotated[float, Quantity("kW", 0.0, 1e5)] = 0.0
    adds_racks: Annotated[int, Quantity("rack", 0, 10_000)] = 0
    lead_weeks: Annotated[float, Quantity("week", 0.0, 200.0, 2.0, 12.0, "estimate", COSTS)] = 4.0
    price: Annotated[float | None, Quantity("money", 0.0, 1e9)] = None  # None: the catalog's likely price
    circuit: Circuit | None = None  # feeds the racks from then on, in place of the circuit that the room names


class Site(Document):
    """A room and what it can carry. None means no limit is known."""

    slug: Slug
    name: Name = ""
    kind: Literal["office", "server_room", "data_hall", "colocation"] = "server_room"
    from_month: Annotated[int, Quantity("month", 0, MAX_MONTHS - 1)] = 0
    region: Annotated[Slug, Choice("tariff")] = "US-VA"
    customer_class: Literal["industrial", "commercial", "residential"] = "commercial"
    electricity_price_per_kwh: Annotated[float | None, Quantity("money/kWh", 0.0, 10.0)] = (
        None  # None: the region's tariff
    )
    cooling_method: Literal[
        "office_air", "perimeter", "contained", "high_flow", "rear_door", "rear_door_active", "liquid", "immersion"
    ] = "perimeter"
    pue: Annotated[float | None, Quantity("1", 1.0, 3.0, 1.2, 1.7, "estimate", DEFAULTS)] = (
        None  # None: by cooling method
    )
    cooling_kw: Annotated[float | None, Quantity("kW", 0.0, 1e6)] = None
    power_kw: Annotated[float | None, Quantity("kW", 0.0, 1e6)] = None
    racks: Annotated[int | None, Quantity("rack", 0, 100_000)] = None
    rack_units: Annotated[int, Quantity("U", 4, 60)] = 42
    rack_kw: Annotated[float | None, Quantity("kW", 0.1, 500.0)] = None
    rack_kg: Annotated[float | None, Quantity("kg", 10.0, 5000.0)] = 1300.0
    reserved_units: Annotated[int, Quantity("U", 0, 20)] = 2
    rack_cfm: Annotated[float | None, Quantity("CFM", 1.0, 1e5)] = None
    circuit: Circuit | None = None
    cooling_units: Annotated[int | None, Quantity("unit", 1, 1000)] = None
    noise_limit_db: Annotated[float | None, Quantity("dB(A)", 20.0, 120.0)] = None
    # Power the owner wants to stay under, by the nameplates; a hard budget rules plans out, a soft one only marks them.
    power_budget_kw: Annotated[float | None, Quantity("kW", 0.01, 1e6)] = None
    power_budget: Literal["hard", "soft"] = "hard"
    # What the building bears and the cooling delivers, checked month by month where it is named.
    rack_heat_kw: Annotated[float | None, Quantity("kW", 0.1, 500.0)] = None  # None: assumed by cooling method
    floor_kg_m2: Annotated[float | None, Quantity("kg/m2", 50.0, 10_000.0)] = None  # None: 70 lb/ft² in an office
    floor_foot_kg: Annotated[float | None, Quantity("kg", 10.0, 10_000.0)] = None  # on each of a rack's four feet
    supply_c: Annotated[float | None, Quantity("°C", 5.0, 45.0)] = None  # air that machines breathe in
    air_cfm: Annotated[float | None, Quantity("CFM", 1.0, 1e8)] = None
    liquid_l_per_min: Annotated[float | None, Quantity("L/min", 0.1, 1e6)] = None
    spare_cooling_units: Annotated[int, Quantity("unit", 0, 100)] = 0  # that may fail: 1 is N+1
    ups: Ups | None = None
    # Supplies of a machine that may fail; as built is what its maker says.
    supplies: Literal["as_built", "N", "N+1", "N+N"] = "as_built"
    transient_ratio: Annotated[
        float, Quantity("1", 1.0, 3.0, None, None, "estimate", "https://ai-infrastructure.net/datacentre-physical/")
    ] = 1.4
    colocation: Colocation | None = None
    moving_cost: Annotated[float, Quantity("money", 0.0, 1e9)] = 0.0
    downtime_days: Annotated[float, Quantity("day", 0.0, 365.0)] = 0.0  # of the machines that move here
    grid_kgco2e_per_kwh: Annotated[float | None, Quantity("kg CO2e/kWh", 0.0, 3.0)] = None  # None: the region's grid
    water_l_per_kwh: Annotated[float | None, Quantity("L/kWh", 0.0, 20.0)] = None  # WUE; None: the catalog's
    water_price_per_m3: Annotated[float | None, Quantity("money/m3", 0.0, 1000.0)] = None  # None: the catalog's
    tariff: TariffTerms | None = None  # None: one price for every kilowatt-hour
    upgrades: tuple[Upgrade, ...] = Field(default=(), max_length=20)

    @model_validator(mode="after")
    def _knows_its_clock_and_price(self) -> Site:
        if self.tariff is not None and self.tariff.by_the_clock and self.zone is None:
            raise conflict("tariff/time_zone", "the region has several clocks: name the time zone")
        if self.tariff is not None and self.tariff.basis != "all_in" and self.electricity_price_per_kwh is None:
            raise conflict("electricity_price_per_kwh", "the catalog's price is an average that holds every charge")
        return self

    @property
    def zone(self) -> str | None:
        """Time zone of the clock on the wall; None where neither contract nor region tell."""
        named = self.tariff.time_zone if self.tariff is not None else None
        return named or zone_of(self.region)

"""A tariff as its contract has it: periods by month, kind of day and hour, tiers, demand, capacity and fixed charges.

Months and hours are texts such as "6-9, 12" and "10-12, 14-19" or "22-6"; hours are of the site's own clock, in steps
of half an hour. The names people use in China are read too: 每天, 工作日, 周末, 尖峰, 峰, 平, 谷, 深谷.
"""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BeforeValidator, Field, StringConstraints, model_validator
from pydantic_core import PydanticCustomError

from planner.engine.energy.clock import known_zone
from planner.engine.quantities import Choice, Document, Grown, Quantity, conflict

SLOTS = 48  # half-hours of a day
_SEPARATOR = re.compile(r"\s*,\s*")
_HOUR = re.compile(r"(\d{1,2})(?::?(00|30))?")

DAYS = {
    "": "all",
    "daily": "all",
    "every day": "all",
    "每天": "all",
    "全部": "all",
    "weekday": "weekdays",
    "工作日": "weekdays",
    "weekend": "weekends",
    "周末": "weekends",
}
NAMES = {
    "尖": "critical_peak",
    "尖峰": "critical_peak",
    "critical": "critical_peak",
    "critical peak": "critical_peak",
    "峰": "peak",
    "高峰": "peak",
    "on-peak": "peak",
    "平": "flat",
    "平段": "flat",
    "谷": "valley",
    "低谷": "valley",
    "非峰": "off_peak",
    "off-peak": "off_peak",
    "off peak": "off_peak",
    "深谷": "deep_valley",
    "deep valley": "deep_valley",
}


def _plain(value: Any) -> str:
    """Text as people type it: full-width digits and dashes become plain ones."""
    text = unicodedata.normalize("NFKC", str(value)).strip()
    return re.sub("[\u2010-\u2015\u2212~至]", "-", text).replace("、", ",")


@lru_cache(maxsize=1024)
def months_of(text: str) -> frozenset[int]:
    """ "11-2, 7" → {11, 12, 1, 2, 7}; raises ValueError with what is not understood."""
    found: set[int] = set()
    for part in _parts(text):
        first, last = _pair(part, r"(\d{1,2})")
        one, other = int(first), int(last)
        if not (1 <= one <= 12 and 1 <= other <= 12):
            raise ValueError(part)
        found |= {(one - 1 + step) % 12 + 1 for step in range((other - one) % 12 + 1)}
    return frozenset(found)


@lru_cache(maxsize=1024)
def slots_of(text: str) -> frozenset[int]:
    """ "22-6" → the half-hours 44 … 47 and 0 … 11 of a day; raises ValueError with what is not understood."""
    found: set[int] = set()
    for part in _parts(text):
        begin, _dash, end = part.partition("-")
        one, other = _half_hour(begin, part), _half_hour(end, part)
        if one in (other, SLOTS):
            raise ValueError(part)
        found |= set(range(one, other)) if one < other else {*range(one, SLOTS), *range(other)}
    return frozenset(found)


def _parts(text: str) -> list[str]:
    parts = [part for part in _SEPARATOR.split(text.strip()) if part]
    if not parts:
        raise ValueError(text)
    return [part.replace(" ", "") for part in parts]


def _pair(part: str, pattern: str) -> tuple[str, str]:
    found = re.fullmatch(f"{pattern}(?:-{pattern})?", part)
    if found is None:
        raise ValueError(part)
    return found[1], found[2] or found[1]


def _half_hour(text: str, part: str) -> int:
    found = _HOUR.fullmatch(text)
    if found is None:
        raise ValueError(part)
    half = int(found[1]) * 2 + (1 if found[2] == "30" else 0)
    if half > SLOTS:
        raise ValueError(part)
    return half


def _months(value: Any) -> str:
    text = _plain(value) or "1-12"
    try:
        months_of(text)
    except ValueError:
        raise PydanticCustomError("bad_format", "no months") from None
    return text


def _hours(value: Any) -> str:
    text = _plain(value) or "0-24"
    try:
        slots_of(text)
    except ValueError:
        raise PydanticCustomError("bad_format", "no hours") from None
    return text


def _days(value: Any) -> str:
    text = _plain(value).lower()
    return DAYS.get(text, text)


def _name(value: Any) -> str:
    text = unicodedata.normalize("NFKC", str(value)).strip()
    return NAMES.get(text.lower(), text)


def _zone(value: Any) -> Any:
    text = str(value).strip()
    if not known_zone(text):
        raise PydanticCustomError("bad_format", "no time zone")
    return text


PeriodName = Annotated[
    str, BeforeValidator(_name), StringConstraints(pattern=r"^[^\x00-\x1f\x7f:;|]+$", min_length=1, max_length=40)
]
Months = Annotated[str, BeforeValidator(_months), StringConstraints(max_length=60)]
Days = Annotated[Literal["all", "weekdays", "weekends"], BeforeValidator(_days)]
Hours = Annotated[str, BeforeValidator(_hours), StringConstraints(max_length=120)]
TimeZone = Annotated[str, BeforeValidator(_zone), StringConstraints(max_length=60)]


class Period(Grown):
    """Hours that have a price of their own, a multiple of the base price, or an amount on top of it."""

    LATER: ClassVar[tuple[str, ...]] = ("adds_per_kwh",)

    name: PeriodName
    months: Months = "1-12"
    days: Days = "all"
    hours: Hours = "0-24"
    price_per_kwh: Annotated[float | None, Quantity("money/kWh", 0.0, 1000.0)] = None
    times: Annotated[float | None, Quantity("times", 0.0, 20.0)] = None  # of the base price
    # What a network asks besides the price of the energy, which is the base price.
    adds_per_kwh: Annotated[float | None, Quantity("money/kWh", 0.0, 1000.0)] = None

    @model_validator(mode="after")
    def _has_one_price(self) -> Period:
        if [self.price_per_kwh, self.times, self.adds_per_kwh].count(None) != 2:
            raise conflict("price_per_kwh", "one of a price, a multiple of the base price, and what adds to it")
        return self


class Tier(Document):
    """What a kilowatt-hour costs more, or less, from an amount of the month on."""

    from_kwh: Annotated[float, Quantity("kWh", 0.0, 1e12)]
    adds_per_kwh: Annotated[float, Quantity("money/kWh", -1000.0, 1000.0)]


class DemandCharge(Document):
    """A charge on the month's highest draw within its hours."""

    name: PeriodName
    months: Months = "1-12"
    days: Days = "all"
    hours: Hours = "0-24"
    price_per_kw: Annotated[float, Quantity("money/kW/month", 0.0, 1e5)]


class TariffTerms(Document):
    """How electricity is billed at a site. A later period replaces an earlier one where both hold.

    basis: "all_in" is an average that already holds every charge, "energy_only" one beside which demand and capacity
    are charged, "resale" what a landlord asks for a kilowatt-hour.
    """

    basis: Literal["all_in", "energy_only", "resale"] = "all_in"
    schedule: Annotated[str | None, Choice("tariff_schedule"), StringConstraints(max_length=160)] = None
    periods: tuple[Period, ...] = Field(default=(), max_length=60)  # in place of those of the schedule
    time_zone: TimeZone | None = None  # None: of the region
    load_profile: tuple[Annotated[float, Quantity("1", 0.0, 1e6)], ...] = Field(default=(), max_length=24)
    tiers: tuple[Tier, ...] = Field(default=(), max_length=20)
    demand: tuple[DemandCharge, ...] = Field(default=(), max_length=20)
    peak_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0  # of the maximum draw that the month's peak reaches
    ratchet_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    ratchet_months: Annotated[int, Quantity("month", 1, 36)] = 11
    capacity_kw: Annotated[float, Quantity("kW", 0.0, 1e6)] = 0.0
    capacity_price_per_kw: Annotated[float, Quantity("money/kW/month", 0.0, 1e5)] = 0.0
    fixed_per_month: Annotated[float, Quantity("money/month", 0.0, 1e8)] = 0.0

    @model_validator(mode="after")
    def _charges_demand_beside_energy_only(self) -> TariffTerms:
        if self.basis == "energy_only":
            return self
        for name in ("demand", "capacity_kw"):
            if getattr(self, name):
                raise conflict(name, "an all-in price holds its demand charge already")
        return self

    @model_validator(mode="after")
    def _profile_is_a_day(self) -> TariffTerms:
        if self.load_profile and (len(self.load_profile) != 24 or not any(self.load_profile)):
            raise conflict("load_profile", "24 values, one an hour, not all 0")
        return self

    @model_validator(mode="after")
    def _tiers_rise(self) -> TariffTerms:
        starts = [tier.from_kwh for tier in self.tiers]
        if starts != sorted(set(starts)):
            raise conflict("tiers", "each tier begins above the one before")
        return self

    @property
    def by_the_clock(self) -> bool:
        """Whether the hour of the day changes what is paid."""
        return bool(self.schedule or self.periods or self.load_profile)

    @property
    def charges_demand(self) -> bool:
        """Whether the contract itself names a demand or capacity charge."""
        return bool(self.demand or self.capacity_kw)

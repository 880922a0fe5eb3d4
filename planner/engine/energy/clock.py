"""The clock on the wall of a site: how many hours of each half-hour of the day a month really has.

A day on which the clock goes forward has 23 hours, one on which it goes back 25; the repeated hour counts twice.
"""

from __future__ import annotations

import datetime as dt
from functools import lru_cache
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import numpy as np

from planner.engine.calendar import Array

HALF_HOUR = dt.timedelta(minutes=30)
WEEKDAYS, WEEKENDS = 0, 1  # rows of `local_hours`

_US = {
    **dict.fromkeys(["VA", "GA", "IN", "NC", "NJ", "NY", "OH", "PA", "SC", "FL", "MA", "MD", "MI"], "America/New_York"),
    **dict.fromkeys(["TX", "IA", "IL", "ND", "OK", "TN"], "America/Chicago"),
    **dict.fromkeys(["UT", "WY", "CO"], "America/Denver"),
    **dict.fromkeys(["CA", "NV", "OR", "WA"], "America/Los_Angeles"),
    "AZ": "America/Phoenix",
}
# Region of a tariff → time zone of its grid; countries of several zones are named by the state or not at all.
ZONES = {
    **{f"US-{state}": zone for state, zone in _US.items()},
    "AE": "Asia/Dubai",
    "CA-ON": "America/Toronto",
    "CA-QC": "America/Toronto",
    "AU": "Australia/Sydney",
    "BR": "America/Sao_Paulo",
    "CH": "Europe/Zurich",
    "CN": "Asia/Shanghai",
    "CY": "Asia/Nicosia",
    "DE": "Europe/Berlin",
    "DK": "Europe/Copenhagen",
    "ES": "Europe/Madrid",
    "FI": "Europe/Helsinki",
    "FR": "Europe/Paris",
    "GB": "Europe/London",
    "HK": "Asia/Hong_Kong",
    "ID": "Asia/Jakarta",
    "IE": "Europe/Dublin",
    "IN": "Asia/Kolkata",
    "IS": "Atlantic/Reykjavik",
    "IT": "Europe/Rome",
    "JP": "Asia/Tokyo",
    "KR": "Asia/Seoul",
    "MY": "Asia/Kuala_Lumpur",
    "NL": "Europe/Amsterdam",
    "NO": "Europe/Oslo",
    "PL": "Europe/Warsaw",
    "QA": "Asia/Qatar",
    "SA": "Asia/Riyadh",
    "SE": "Europe/Stockholm",
    "SG": "Asia/Singapore",
    "TW": "Asia/Taipei",
}


@lru_cache(maxsize=256)
def known_zone(name: str) -> bool:
    """Whether this computer knows a time zone, "America/New_York"."""
    try:
        ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        return False
    return True


def zone_of(region: str) -> str | None:
    """The time zone of a region; a province of China takes that of China. None where a region has several.

    Nor where this computer has no table of time zones.
    """
    name = ZONES.get(region) or (ZONES["CN"] if region.startswith("CN-") else "")
    return name if name and known_zone(name) else None


@lru_cache(maxsize=4096)
def local_hours(zone: str, year: int, month: int) -> Array:
    """(2, 48): hours of a month that the clock shows each half-hour of the day, on weekdays and on weekends. [h]"""
    place, utc = ZoneInfo(zone), dt.UTC
    hours = np.zeros((2, 48))
    day, last = dt.date(year, month, 1), dt.date(year + month // 12, month % 12 + 1, 1)
    while day < last:
        kind = WEEKENDS if day.weekday() >= 5 else WEEKDAYS
        following = day + dt.timedelta(days=1)
        begin, end = (dt.datetime.combine(each, dt.time(), place).astimezone(utc) for each in (day, following))
        if end - begin == dt.timedelta(days=1):
            hours[kind] += 0.5
        else:
            while begin < end:
                shown = begin.astimezone(place)
                hours[kind, shown.hour * 2 + shown.minute // 30] += 0.5
                begin += HALF_HOUR
        day = following
    hours.setflags(write=False)
    return hours

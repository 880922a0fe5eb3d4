"""Numbers, money, dates and units as each language writes them.

Our own, since Django's zh-hans groups no thousands. A fraction becomes per cent here and nowhere else.
"""

from __future__ import annotations

import datetime as dt
import math
from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal
from typing import Any

from django.utils.translation import get_language, gettext, ngettext
from django.utils.translation import gettext_lazy as _

from planner.engine.calendar import Calendar
from planner.engine.lines import minor_unit
from planner.engine.quantities import SHARE_UNITS

MINUS, SPACE = "−", "\u00a0"
UNCOUNTED = 1e21

# A currency without a sign of its own is written with its ISO code.
SYMBOLS = {
    "USD": "$",
    "EUR": "€",
    "GBP": "£",
    "CNY": "¥",
    "JPY": "JP¥",
    "KRW": "₩",
    "INR": "₹",
    "HKD": "HK$",
    "TWD": "NT$",
    "SGD": "S$",
    "AUD": "A$",
    "CAD": "C$",
    "NZD": "NZ$",
    "BRL": "R$",
    "ILS": "₪",
    "VND": "₫",
}
MONTHS = (
    _("Jan"),
    _("Feb"),
    _("Mar"),
    _("Apr"),
    _("May"),
    _("Jun"),
    _("Jul"),
    _("Aug"),
    _("Sep"),
    _("Oct"),
    _("Nov"),
    _("Dec"),
)

UNITS = {
    "share": "%",
    "share/month": _("% / mo"),
    "share/year": _("% / yr"),
    "1": "",
    "month": _("months"),
    "day": _("days"),
    "year": _("years"),
    "week": _("weeks"),
    "hour": _("hours"),
    "hour/month": _("hours a month"),
    "GPU": "GPU",
    "GPU-hour": _("GPU-hours"),
    "GPU-hour/month": _("GPU-hours / mo"),
    "instance-hour": _("instance-hours"),
    "1e9 param": _("billion parameters"),
    "1e9 token": _("billion tokens"),
    "1e6 token": _("million tokens"),
    "1e9 token/month": _("billion tokens / mo"),
    "1e6 item/month": _("million items / mo"),
    "1e18 FLOP/month": _("EFLOP / mo"),
    "amount/s/GPU": _("a second per GPU"),
    "item/s": _("items / s"),
    "byte": _("bytes"),
    "token": _("tokens"),
    "token/s": _("tokens / s"),
    "token/s/GPU": _("tokens / s / GPU"),
    "request": _("requests"),
    "request/day": _("requests / day"),
    "request/s/GPU": _("requests / s / GPU"),
    "request/s": _("requests / s"),
    "TFLOP/s": "TFLOP/s",
    "GFLOP/token": _("GFLOP / token"),
    "ms": "ms",
    "server": _("servers"),
    "chassis": _("chassis"),
    "1/month": _("runs / mo"),
    "run/month": _("runs / mo"),
    "times": "×",
    "W": "W",
    "kW": "kW",
    "kWh": "kWh",
    "rack": _("racks"),
    "U": "U",
    "kg": "kg",
    "V": "V",
    "A": "A",
    "CFM": "CFM",
    "°C": "°C",
    "mm": "mm",
    "supply": _("supplies"),
    "slot": _("slots"),
    "m3/h": "m³/h",
    "L/min": "L/min",
    "L/kWh": "L / kWh",
    "kg/m2": "kg/m²",
    "BTU/h": "BTU/h",
    "ton": _("tons of refrigeration"),
    "cord": _("cords"),
    "feed": _("feeds"),
    "outlet": _("outlets"),
    "unit": _("units"),
    "dB(A)": "dB(A)",
    "TB": "TB",
    "GB": "GB",
    "GB/s/TB": "GB/s / TB",
    "m": "m",
    "TB/GPU": "TB / GPU",
    "GB/s": "GB/s",
    "1/1000 server-day": _("per 1,000 server-days"),
    "repair": _("repairs"),
    "minute": _("minutes"),
    "second": _("seconds"),
    "FTE": "FTE",
    "server/FTE": _("servers / FTE"),
    "each": _("pieces"),
    "m3": "m³",
    "Mbit/s": "Mbit/s",
    "switch": _("switches"),
    "link": _("links"),
    "driver": "",
    "driver/month": _("per month"),
    "kg CO2e": "kg CO₂e",
    "kg CO2e/kWh": "kg CO₂e / kWh",
    "t CO2e": "t CO₂e",
}
# What money is paid for and how often stands beside every price: nobody should have to guess hour from month.
MONEY_UNITS = {
    "money": "{currency}",
    "money/kWh": "{currency} / kWh",
    "money/kW/month": _("{currency} / kW / mo"),
    "money/FTE/year": _("{currency} / FTE / yr"),
    "money/GPU-hour": _("{currency} / GPU-hour"),
    "money/instance-hour": _("{currency} / hour, whole instance"),
    "money/server": _("{currency} / server"),
    "money/server/year": _("{currency} / server / yr"),
    "money/card": _("{currency} / card"),
    "money/each": _("{currency} / piece"),
    "money/month": _("{currency} / mo"),
    "money/year": _("{currency} / yr"),
    "money/hour": _("{currency} / hour"),
    "money/TB": "{currency} / TB",
    "money/GB": "{currency} / GB",
    "money/rack": _("{currency} / rack"),
    "money/switch": _("{currency} / switch"),
    "money/link": _("{currency} / link"),
    "money/chassis": _("{currency} / chassis"),
    "money/m3": "{currency} / m³",
    "money/kW": "{currency} / kW",
    "money/FTE/month": _("{currency} / FTE / mo"),
    "money/Mbit/s": _("{currency} / Mbit/s / mo"),
    "money/GPU": "{currency} / GPU",
}
# Units whose form depends on the count before them.
COUNTED: dict[str, Callable[[float], str]] = {
    "GPU": lambda n: ngettext("GPU", "GPUs", n),
    "server": lambda n: ngettext("server", "servers", n),
    "rack": lambda n: ngettext("rack", "racks", n),
    "each": lambda n: ngettext("piece", "pieces", n),
    "ton": lambda n: ngettext("ton of refrigeration", "tons of refrigeration", n),
    "feed": lambda n: ngettext("feed", "feeds", n),
    "cord": lambda n: ngettext("cord", "cords", n),
    "slot": lambda n: ngettext("slot", "slots", n),
    "supply": lambda n: ngettext("supply", "supplies", n),
    "switch": lambda n: ngettext("switch", "switches", n),
    "link": lambda n: ngettext("link", "links", n),
    "month": lambda n: ngettext("month", "months", n),
    "hour": lambda n: ngettext("hour", "hours", n),
    "day": lambda n: ngettext("day", "days", n),
    "year": lambda n: ngettext("year", "years", n),
    "week": lambda n: ngettext("week", "weeks", n),
    "spare server": lambda n: ngettext("spare server", "spare servers", n),
    "repair": lambda n: ngettext("repair", "repairs", n),
    "GPU-hour": lambda n: ngettext("GPU-hour", "GPU-hours", n),
    "instance-hour": lambda n: ngettext("instance-hour", "instance-hours", n),
    "instance": lambda n: ngettext("instance", "instances", n),
}
# Chinese counts in 亿, a tenth of a billion.
BILLIONS = {"1e9 param": "亿参数", "1e9 token": "亿 token"}
SPOKEN_SHARES = {"share": "%", "share/month": _("% a month"), "share/year": _("% a year")}


def chinese() -> bool:
    """True where the reader's language counts in 万."""
    return (get_language() or "en").startswith("zh")


def _grouped(value: float, decimals: int) -> str:
    """|value| with thousands separated, rounded half up; as a power of ten where no one counts the thousands."""
    if abs(value) >= UNCOUNTED:
        return f"{abs(value):.6g}".replace("e+", "e")
    exact = Decimal(repr(abs(float(value)))).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP)
    return f"{exact:,.{decimals}f}"


def _signed(value: float, text: str, plus: bool = False) -> str:
    if not any(digit in text for digit in "123456789"):
        return text  # what rounds to zero has no sign
    return (MINUS if value < 0 else "+" if plus else "") + text


def _significant(value: float, digits: int, most: int = 9) -> int:
    """Decimals that show so many significant digits."""
    return 0 if value == 0 else min(most, max(0, digits - 1 - math.floor(math.log10(abs(value)))))


def _trimmed(text: str, least: int = 0) -> str:
    whole, point, rest = text.partition(".")
    if "e" in rest:
        return text
    rest = rest.rstrip("0").ljust(least, "0")
    return whole + (point + rest if rest else "")


def number(value: float, decimals: int | None = None, digits: int = 4) -> str:
    """A number with its thousands grouped; without `decimals`, so many significant digits and no trailing zeros."""
    if not math.isfinite(value):
        return "–" if math.isnan(value) else _signed(value, "∞") if value > 0 else MINUS + "∞"
    text = _grouped(value, _significant(value, digits) if decimals is None else decimals)
    return _signed(value, _trimmed(text) if decimals is None else text)


def percent(share: float, *, plus: bool = False, sign: bool = True) -> str:
    """A fraction as per cent, three significant digits: 0.0825 → "8.25 %" ("8.25%" in Chinese)."""
    value = round(share * 100.0, 9)
    text = _trimmed(_grouped(value, _significant(value, 3, 4)))
    return _signed(value, text, plus) + (("" if chinese() else SPACE) + "%" if sign else "")


def exact_percent(share: float) -> str:
    """A fraction as per cent for a formula: as many of four decimals as it has."""
    return _signed(share, _trimmed(_grouped(round(share * 100.0, 9), 4))) + ("" if chinese() else SPACE) + "%"


def money(amount: float, currency: str, compact: bool = False) -> str:
    """Money to the minor unit, "$1,920,331.55"; compact, three significant digits: "$1.92M", "¥192万"."""
    digits, scale = _compact(abs(amount)) if compact else (_grouped(amount, minor_unit(currency)), "")
    if compact and not scale and abs(amount) < 100 and abs(amount - round(amount)) > 1e-9:
        digits = _grouped(amount, minor_unit(currency))
    return _priced(amount, digits + scale, currency)


def money_change(amount: float, currency: str, compact: bool = False) -> str:
    """Money as a difference is written: with its sign."""
    text = money(amount, currency, compact)
    return "+" + text if amount > 0 else text


def unit_price(amount: float, currency: str) -> str:
    """A price per unit: as many of six decimals as it has, at least those of the minor unit."""
    return _priced(amount, _trimmed(_grouped(amount, 6), minor_unit(currency)), currency)


def exact_price(amount: Decimal, currency: str) -> str:
    """A price per unit with every decimal it has: what multiplies to its total must be shown whole."""
    return _priced(float(amount), f"{abs(amount):,f}", currency)


def _priced(amount: float, digits: str, currency: str) -> str:
    return _signed(amount, SYMBOLS.get(currency, currency + SPACE) + digits)


def _compact(value: float) -> tuple[str, str]:
    """(digits, scale) of an amount in the steps of the language."""
    steps = ((1e8, "亿"), (1e4, "万")) if chinese() else ((1e9, "B"), (1e6, "M"), (1e4, "k"))
    rounded = float(f"{value:.3g}") if value >= 1e4 else value  # 999,950 is 1.00M, not 1,000k
    for step, name in steps:
        if rounded >= step:
            divisor = 1e3 if name == "k" else step
            shown = rounded / divisor
            return _grouped(shown, _significant(shown if shown < 999.5 else 1000.0, 3)), name
    return _grouped(value, 0), ""


def month_label(calendar: Calendar, m: int) -> str:
    """ "Feb 2028", "2028年2月"; `m` may be the month after the last."""
    day = calendar.firsts[max(0, min(int(m), calendar.months))]
    return f"{day.year}年{day.month}月" if chinese() else f"{MONTHS[day.month - 1]} {day.year}"


def date(day: dt.date | str) -> str:
    """ "30 Nov 2026", "2026年11月30日"."""
    day = dt.date.fromisoformat(day) if isinstance(day, str) else day
    return f"{day.year}年{day.month}月{day.day}日" if chinese() else f"{day.day} {MONTHS[day.month - 1]} {day.year}"


def counted(amount: float, code: str, workload: Any = None, digits: int = 4) -> str:
    """A number with its unit in the right form: "1 server", "2.5 kWh", "9,200 亿 token" in Chinese."""
    if chinese() and code in BILLIONS:
        return number(amount * 10.0, digits=digits) + SPACE + BILLIONS[code]
    if chinese() and code in ("1/month", "run/month"):
        return f"每月{SPACE}{number(amount, digits=digits)}{SPACE}次"
    plural = COUNTED.get(code)
    name = plural(1 if amount == 1 else 2) if plural else unit(code, workload=workload)
    if name == "×":
        return "×" + number(amount, digits=digits)
    return number(amount, digits=digits) + (SPACE + name if name else "")


def unit(code: str, currency: str = "", workload: Any = None) -> str:
    """The unit of a Quantity or of a cost line, as it stands beside a field. A driver's unit depends on its
    workload."""
    if code in ("driver", "driver/month") and workload is not None:
        driven = unit(driver_code(workload))
        return gettext("{unit}, added each month").format(unit=driven) if code == "driver/month" else driven
    if code.startswith("money"):
        return str(MONEY_UNITS.get(code, "{currency}")).format(currency=currency)
    return str(UNITS.get(code, code))


def driver_code(workload: Any) -> str:
    """Code of the unit in which a workload's driver is counted; a document or plain data."""

    def given(name: str) -> Any:
        return workload.get(name) if isinstance(workload, dict) else getattr(workload, name, None)

    if given("driver") in ("tokens", "model_size"):
        return "times"
    match given("kind"):
        case "serving":
            return "request/day"
        case "training" | "tuning":
            return "run/month"
        case "batch":
            return "1e6 item/month" if given("tokens_b_per_month") is None else "1e9 token/month"
        case "hpc":
            return "1e18 FLOP/month"
    return "GPU-hour/month" if given("gpu_hours_per_month") is not None else "GPU"


def quantity(value: Any, code: str, currency: str = "", workload: Any = None) -> str:
    """A value with its unit: "4 % / mo", "$0.118 / kWh", "5 kW"."""
    if isinstance(value, bool) or not isinstance(value, (int, float)):
        return str(value)
    if code in SHARE_UNITS:
        tail = unit(code).replace("%", "", 1)
        return percent(value) + tail
    if code.startswith("money"):
        return unit_price(value, currency) + unit(code, "").replace(currency, "", 1)
    return counted(value, code, workload)


def bounds(low: float | None, high: float | None, code: str, currency: str = "") -> str:
    """ "−20–50 % a month", "at least 1", "at most 3 kW"."""
    if code in SHARE_UNITS:

        def figure(value: float) -> str:
            return percent(value, sign=False)

        name = str(SPOKEN_SHARES[code])
    else:
        figure, name = number, unit(code, currency)
    tail = name if name.startswith("%") and chinese() else SPACE + name if name else ""
    if low is None and high is None:
        return name
    if high is None or math.isinf(high):
        return gettext("at least {value}").format(value=figure(low or 0.0) + tail)
    if low is None or math.isinf(low):
        return gettext("at most {value}").format(value=figure(high) + tail)
    return f"{figure(low)}–{figure(high)}{tail}"

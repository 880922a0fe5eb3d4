"""Published costs of data centres: every capital item as a level payment over its own life, energy, people."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from planner.engine import finance
from planner.engine.facility import power_bill
from planner.engine.validation.base import Answer, Inputs, Solver
from planner.engine.validation.tco.names import HOURS_PER_MONTH, HOURS_PER_YEAR, first_of, stems


def datacenter_monthly_tco(i: Inputs) -> Answer:
    """By month: annuities at a twelfth of the yearly cost of money, those of the facility split in two; energy, people.

    Fully burdened power is the bill plus the payment for power and cooling.
    """

    def monthly(asset: str) -> float:
        price = i.number(f"{asset}_capex_usd") if asset != "server" else _servers(i)
        rate = finance.periodic_rate(i.number("cost_of_money_per_year"), nominal=True)
        return float(finance.annuity(price, rate, i.positive(f"{asset}_life_months")))

    def of_facility(cooling: bool) -> float:
        share = i.number("power_cooling_share_of_facility")
        return monthly("facility") * (share if cooling else 1.0 - share)

    def power() -> float:
        kwh = i.number("critical_load_kw") * i.number("average_load_fraction") * i.number("pue") * HOURS_PER_MONTH
        return float(power_bill(kwh, i.number("electricity_usd_per_kwh")))

    lines: dict[str, Callable[[], float]] = {"servers": partial(monthly, "server")}
    lines |= {name: partial(monthly, name) for name in stems(i, "_capex_usd") if name not in ("facility", "servers")}
    lines |= {
        "power_cooling_infra": partial(of_facility, True),
        "other_infra": partial(of_facility, False),
        "power": power,
    }
    lines |= {name: partial(i.number, f"{name}_usd_per_month") for name in stems(i, "_usd_per_month")}

    def total() -> float:
        return sum(line() for line in lines.values())

    def share(name: str) -> float:
        return lines[name]() / total() if total() else 0.0

    return {
        **{f"{name}_usd_per_month": line for name, line in lines.items()},
        **{f"{name}_share": partial(share, name) for name in lines},
        "fully_burdened_power_usd_per_month": lambda: power() + of_facility(True),
        "total_usd_per_month": total,
        "total_usd_per_year": lambda: total() * 12.0,
        "total_usd": lambda: total() * 12.0 * i.number("years"),
    }


def _servers(i: Inputs) -> float:
    return (
        i.number("servers_capex_usd") if "servers_capex_usd" in i else i.number("servers") * i.number("usd_per_server")
    )


IT = frozenset({"servers", "network", "storage"})


def datacenter_annual_tco(i: Inputs) -> Answer:
    """By year: annuities of IT with what it is worth at its end, and of the building; energy; other running costs."""
    unit, scale = ("musd", 1e6) if any(stems(i, "_capex_musd")) else ("usd", 1.0)
    assets = list(stems(i, f"_capex_{unit}"))

    def capex(asset: str) -> float:
        return i.number(f"{asset}_capex_{unit}")

    def yearly(asset: str, it_life: float | None = None) -> float:
        """The charge as stated, else the level payment over the life of its group."""
        stated = f"{asset}_{unit}_per_year"
        if stated in i:
            return i.number(stated)
        group = "it" if asset in IT else "facility"
        own = (f"{asset}_life_years", f"{group}_life_years")
        life = it_life if it_life is not None and asset in IT else first_of(i, own)
        left = i.number("it_residual_fraction", 0.0) if asset in IT else 0.0
        return float(finance.annuity(capex(asset), i.number("cost_of_capital_per_year"), life, left))

    def capital(it_life: float | None = None) -> float:
        return sum(yearly(asset, it_life) for asset in assets)

    def energy() -> float:
        kwh = i.number("it_capacity_kw") * i.number("pue") * i.number("power_utilisation") * HOURS_PER_YEAR
        return float(power_bill(kwh, i.number("electricity_usd_per_kwh"))) / scale

    def opex() -> float:
        named = {f"{asset}_{unit}_per_year" for asset in assets}
        return energy() + sum(
            i.number(f"{name}_{unit}_per_year")
            for name in stems(i, f"_{unit}_per_year")
            if f"{name}_{unit}_per_year" not in named
        )

    def total(it_life: float | None = None) -> float:
        return capital(it_life) + opex()

    def share(asset: str) -> float:
        return yearly(asset) / total() if total() else 0.0

    return {
        f"capex_total_{unit}": lambda: sum(map(capex, assets)),
        f"energy_{unit}_per_year": energy,
        **{f"{asset}_{unit}_per_year": partial(yearly, asset) for asset in assets},
        f"capex_annualised_{unit}_per_year": capital,
        f"opex_{unit}_per_year": opex,
        f"total_{unit}_per_year": total,
        f"total_{unit}": lambda: total() * i.number("years"),
        **{f"{asset}_share": partial(share, asset) for asset in assets},
        "server_share": partial(share, "servers"),
        "energy_share": lambda: energy() / total() if total() else 0.0,
        **{f"total_{unit}_per_year_it_life_{life}y": partial(total, float(life)) for life in range(1, 16)},
    }


SOLVERS: dict[str, Solver] = {
    "datacenter_monthly_tco": datacenter_monthly_tco,
    "datacenter_annual_tco": datacenter_annual_tco,
}

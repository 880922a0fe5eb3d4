"""Greenhouse gas: energy × the grid's factor month by month, and the making of machines, GPUs apart."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine.carbon import Carbon, Making, carbon_of, grid_factor
from planner.services.explain.nodes import Node, Subject

TONNE = 1000.0  # kg


def carbon(subject: Subject) -> Node:
    found = carbon_of(subject.plan, subject.scenario, subject.book)
    return subject.figure(
        "carbon",
        gettext("Carbon"),
        _tonnes(found.total_kg),
        "t CO2e",
        combine="sum",
        children=[_use(subject, found), _embodied(subject, found)],
        formula=gettext("carbon of the energy + carbon of the making of the machines") + _left_out(subject, found),
    )


def carbon_use(subject: Subject) -> Node:
    return _use(subject, carbon_of(subject.plan, subject.scenario, subject.book))


def carbon_embodied(subject: Subject) -> Node:
    return _embodied(subject, carbon_of(subject.plan, subject.scenario, subject.book))


def _tonnes(kg: float | None) -> float | None:
    return None if kg is None else kg / TONNE


def _left_out(subject: Subject, found: Carbon, *names: str) -> str:
    """What the figure does not hold, in words: it is then the least it can be."""
    missing = [name for name in found.unknown if not names or name in names]
    return gettext("; ") + wording.carbon_unknown(missing, subject.book) if missing else ""


def _use(subject: Subject, found: Carbon) -> Node:
    """Energy of the facility × grid factor; where the fleet moves, site by site."""
    housed = subject.plan.housing.site_of
    here = {site.slug: np.array([where.slug == site.slug for where in housed]) for site in subject.scenario.sites}
    children = []
    for site in subject.scenario.sites:
        kwh = np.where(here[site.slug], found.energy_kwh, 0.0)
        if not kwh.any():
            continue
        factor, source = grid_factor(site, subject.book)
        kg = np.nan_to_num(kwh * found.grid)
        children.append(
            subject.figure(
                site.slug,
                wording.site_name(site),
                None if factor is None else float(kg.sum()) / TONNE,
                "t CO2e",
                combine="sum" if factor is not None else "",
                months=_months(subject, kwh, found.grid) if factor is not None else (),
                formula=gettext("kWh of the month, machines with their GPUs, cooling and losses × the grid's factor"),
                source=None if factor is None else subject.source(source),
                drivers=subject.drivers(
                    [
                        f"sites/{site.slug}/grid_kgco2e_per_kwh",
                        "market/grid_carbon/rate_per_year",
                        f"sites/{site.slug}/pue",
                    ]
                ),
                related=[
                    subject.figure("kwh", gettext("Energy"), float(kwh.sum()), "kWh"),
                    subject.figure("grid", gettext("Grid carbon today"), factor, "kg CO2e/kWh"),
                ],
            )
        )
    return subject.figure(
        "carbon_use",
        gettext("Carbon of the energy"),
        _tonnes(found.use_kg),
        "t CO2e",
        combine="sum",
        children=children,
        formula=gettext("sum over the months: kWh × the grid's factor") + _left_out(subject, found, "grid", "rented"),
    )


def _months(subject: Subject, kwh: Any, grid: Any) -> Iterator[dict[str, Any]]:
    for m in np.flatnonzero(kwh).tolist():
        tonnes = float(kwh[m] * grid[m]) / TONNE
        yield {
            "month": m,
            "label": subject.month(m),
            "quantity": float(kwh[m]),
            "unit_price": float(grid[m]) / TONNE,
            "amount": tonnes,
            "value": tonnes,
            "quantity_text": subject.counted(float(kwh[m]), "kWh"),
            "unit_price_text": subject.counted(float(grid[m]), "kg CO2e/kWh"),
            "amount_text": subject.counted(tonnes, "t CO2e"),
        }


def _embodied(subject: Subject, found: Carbon) -> Node:
    known = {making.machine.slug for making in found.makings if making.kg is not None}
    unknown = [name for name in found.unknown if name not in ("grid", "rented") and name not in known]
    formula = gettext("sum over what is bought, in the month of its order")
    return subject.figure(
        "carbon_embodied",
        gettext("Carbon of the making"),
        _tonnes(found.embodied_kg),
        "t CO2e",
        combine="sum",
        children=[_made(subject, making) for making in found.makings],
        formula=formula + _left_out(subject, found, *unknown) if unknown else formula,
    )


def _made(subject: Subject, making: Making) -> Node:
    """Servers and their GPUs; the whole where the parts are not stated, "not known" where nothing is."""
    slug, build = making.machine.slug, making.machine.build
    hosts, cards = float(making.hosts.sum()), float(making.cards.sum())
    children, formula = [], ""
    if making.host_kg is not None and making.gpu_kg is not None:
        children = [
            _part(subject, "host", gettext("Servers without their GPUs"), hosts, "server", making.host_kg),
            _part(subject, "gpu", gettext("GPUs"), cards, "GPU", making.gpu_kg),
        ]
    elif making.kg is not None:
        formula = gettext("{servers} × {kg}").format(
            servers=subject.counted(hosts, "server"), kg=subject.counted(build.embodied_kgco2e or 0.0, "kg CO2e")
        )
    else:
        formula = gettext("nobody states the carbon of making this machine: not known, and in no sum")
    return subject.figure(
        slug,
        wording.item(slug, subject.book),
        None if making.kg is None else float(making.kg.sum()) / TONNE,
        "t CO2e",
        combine="sum" if children else "",
        children=children,
        formula=formula,
        source=subject.source(build.embodied_source) if making.kg is not None else None,
    )


def _part(subject: Subject, key: str, label: str, count: float, unit: str, kg: float) -> Node:
    formula = gettext("{servers} × {kg}").format(
        servers=subject.counted(count, unit), kg=subject.counted(kg, "kg CO2e")
    )
    return subject.figure(key, label, count * kg / TONNE, "t CO2e", formula=formula)

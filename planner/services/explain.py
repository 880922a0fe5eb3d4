"""Why a figure is what it is: a tree from the figure down to cost lines, months, assumptions and quotes.

A node is a plain dict: {"key", "label", "value", "value_text", "unit", "formula_text", "combine", "children",
"related", "months", "source", "drivers"}. `combine` says how the children make the value: "sum" (to the cent where
it is money), "quotient", or "" (they are its parts in words). `months` are the cells of a line, zero ones left out;
they too add up to the value. `related` stands beside the value and makes no part of it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from django.utils.translation import gettext

from planner import wording
from planner.engine import ENGINE_VERSION
from planner.engine.calendar import Array
from planner.engine.compare import Comparison, category_gap
from planner.engine.demand import Requirement
from planner.engine.inputs import get_at
from planner.engine.lines import CATEGORIES, Line, round_half_up
from planner.engine.prices import Price
from planner.engine.result import Evaluation, PlanResult

Node = dict[str, Any]

KPIS = (
    "present_value",
    "nominal_total",
    "capex",
    "opex",
    "credits",
    "cost_per_useful_gpu_hour",
    "peak_kw",
    "racks",
    "break_even",
    "served_share",
    "margin",
    "unmet_cost",
    "capacity",
    "orders",
)


def tree(evaluation: Evaluation, comparison: Comparison, plan_slug: str, kpi: str) -> Node:
    """The tree of one figure of one plan; raises KeyError where either is unknown."""
    if plan_slug not in {plan.slug for plan in evaluation.plans}:
        raise KeyError(plan_slug)
    root = _BUILDERS[kpi](_Explainer(evaluation, comparison, evaluation.plan(plan_slug)))
    return {**root, "engine_version": ENGINE_VERSION, "plan": plan_slug, "kpi": kpi}


def walk(node: Node) -> Iterator[Node]:
    """A node and all below it, related ones included."""
    yield node
    for child in (*node["children"], *node["related"]):
        yield from walk(child)


def _node(
    key: str,
    label: str,
    value: float | None,
    text: str,
    *,
    unit: str = "",
    formula: str = "",
    combine: str = "",
    children: Iterable[Node] = (),
    related: Iterable[Node] = (),
    months: Iterable[dict[str, Any]] = (),
    source: Any = None,
    drivers: Iterable[dict[str, str]] = (),
) -> Node:
    return {
        "key": key,
        "label": label,
        "value": value,
        "value_text": text,
        "unit": unit,
        "formula_text": formula,
        "combine": combine,
        "children": list(children),
        "related": list(related),
        "months": list(months),
        "source": source,
        "drivers": list(drivers),
    }


@dataclass
class _Explainer:
    """Builds the nodes of one plan."""

    evaluation: Evaluation
    comparison: Comparison
    plan: PlanResult

    def __post_init__(self) -> None:
        self.scenario, self.book, self.calendar = (
            self.evaluation.scenario,
            self.evaluation.book,
            self.evaluation.calendar,
        )
        self.currency = self.scenario.currency
        self.document = self.scenario.model_dump(mode="json")
        self.names = wording.plan_names(self.scenario, self.book)

    # ── leaves ──

    def money(self, key: str, label: str, value: float | None, **more: Any) -> Node:
        text = gettext("not known") if value is None else wording.money(value, self.currency)
        return _node(key, label, value, text, unit=self.currency, **more)

    def figure(self, key: str, label: str, value: float | None, unit: str = "1", **more: Any) -> Node:
        text = gettext("not known") if value is None else wording.quantity(float(value), unit, self.currency)
        return _node(key, label, value, text, unit=wording.unit(unit, self.currency), **more)

    def drivers(self, paths: Iterable[str]) -> list[dict[str, str]]:
        """The assumptions behind a figure, each a link to its field."""
        found = []
        for path in dict.fromkeys(paths):
            if wording.locate(path, self.document) is None:
                continue
            value = get_at(self.document, path)
            found.append(
                {
                    "path": path,
                    "label": self._driver_label(path),
                    "value_text": wording.value_text(path, value, self.currency, self.document),
                }
            )
        return found

    def _driver_label(self, path: str) -> str:
        head, _slash, slug = path.rpartition("/")
        if head == "market/own_prices":
            return gettext("Own price of {item}").format(item=wording.item(slug, self.book))
        return wording.label(path, self.document)

    def month(self, m: int) -> str:
        return wording.month_label(self.calendar, m)

    # ── money: category → line → month ──

    def lines_by_category(self, kind: str | None = None) -> dict[str, list[Line]]:
        groups: dict[str, list[Line]] = {name: [] for name in CATEGORIES}
        for line in self.plan.lines:
            if kind is None or line.kind == kind:
                groups[line.category].append(line)
        return {name: lines for name, lines in groups.items() if lines}

    def categories(
        self, value: Callable[[Line], float], *, discounted: bool, kind: str | None = None, sign: int = 1
    ) -> list[Node]:
        return [
            self.category(name, lines, value, discounted, sign) for name, lines in self.lines_by_category(kind).items()
        ]

    def discounted(self, line: Line) -> float:
        return line.present_value(self.plan.discount_of(line))

    def category(
        self, name: str, lines: list[Line], value: Callable[[Line], float], discounted: bool, sign: int = 1
    ) -> Node:
        total = sign * self.plan.money(value(line) for line in lines)
        return self.money(
            name,
            wording.category(name),
            total,
            formula=gettext("sum of its lines"),
            combine="sum",
            children=[self.line(line, value(line), discounted, sign) for line in lines],
        )

    def line(self, line: Line, value: float, discounted: bool, sign: int = 1) -> Node:
        first = int(np.flatnonzero(line.quantity[0])[0])
        text = wording.formula(line, self.currency, self.calendar, first)
        if discounted:
            text += " · " + self._discounting(line)
        return self.money(
            line.key,
            self.named(line),
            sign * value,
            formula=text,
            combine="sum",
            months=self.cells(line, value, discounted, sign),
            source=self.source(line),
            drivers=self.drivers(line.drivers),
            children=(),
            related=self.parameters(line),
        )

    def named(self, line: Line) -> str:
        """The line's name, with its room where a fleet moves from one to another."""
        name = wording.line(line, self.book)
        if not line.place or len(self.scenario.sites) == 1:
            return name
        return f"{name} · {wording.site_name(next(site for site in self.scenario.sites if site.slug == line.place))}"

    def _discounting(self, line: Line) -> str:
        rate = wording.percent(self.scenario.finance.discount_rate)
        if line.kind == "opex" and self.scenario.finance.running_costs_mid_month:
            return gettext("each month × (1 + {rate})^(−(m + ½)/12)").format(rate=rate)
        return gettext("each month × (1 + {rate})^(−m/12)").format(rate=rate)

    def cells(self, line: Line, value: float, discounted: bool, sign: int) -> list[dict[str, Any]]:
        """The months in which something is owed; their values add up to the line's, the last takes the hair of
        rounding."""
        scale = 10.0**line.decimals
        factors = self.plan.discount_of(line)
        shares = line.minor if not discounted else _whole_shares(line.minor * factors, round(value * scale))
        cells = []
        for m in np.flatnonzero((line.quantity[0] != 0) | (line.minor != 0)).tolist():
            quantity, price, amount = (
                float(line.quantity[0, m]),
                float(line.unit_price[0, m]),
                float(line.minor[m]) / scale,
            )
            cell: dict[str, Any] = {
                "month": m,
                "label": self.month(m),
                "quantity": quantity,
                "unit_price": price,
                "amount": amount,
                "quantity_text": wording.counted(quantity, line.quantity_unit, self.currency),
                "unit_price_text": wording.priced(line, price, self.currency),
                "amount_text": wording.money(amount, self.currency),
                "value": sign * float(shares[m]) / scale,
            }
            if discounted:
                cell["discount"] = float(factors[m])
                cell["value_text"] = wording.money(cell["value"], self.currency)
            cells.append(cell)
        return cells

    def parameters(self, line: Line) -> list[Node]:
        """The numbers that went into a line, by name."""
        return [
            self.figure(name, wording.factor_name(name), value, self._unit_of(name, line))
            for name, value in line.factors.items()
        ]

    @staticmethod
    def _unit_of(name: str, line: Line) -> str:
        if name == "price_today":
            return "money"
        if name == "tariff_today":
            return "money/kWh"
        if name == "loaded_per_year":
            return "money/FTE/year"
        shares = {
            "share",
            "rate",
            "recoverable",
            "usable_share",
            "commission",
            "discount",
            "accelerator_share",
            "memory_share",
        }
        units = {
            "share_per_year": "share/year",
            "warranty_months": "month",
            "term_months": "month",
            "lead_weeks": "week",
        }
        return "share" if name in shares else units.get(name, "1")

    def source(self, line: Line) -> dict[str, Any]:
        """The quote behind a line, with the price in its own currency where that is another."""
        found = wording.source(line.source, self.book.pricing_date, self.scenario.market.stale_after_days)
        if line.category in wording.lines.UNNAMED and line.item:  # the tariff or market, which the label leaves out
            found["text"] = " · ".join(part for part in (line.item, found["text"]) if part)
        price = self._quoted(line)
        if price is not None and price.currency != self.currency and line.source.basis != "own":
            found["quoted"] = wording.unit_price(price.amount, price.currency)
            found["rate"] = found["rate"] or gettext("exchange rate {rate}").format(
                rate=wording.number(price.rate or 0.0)
            )
        return found

    def _quoted(self, line: Line) -> Price | None:
        book, slug = self.book, line.item
        if slug in book.builds:
            return book.builds[slug].price
        if slug in book.offers:
            return book.offers[slug].price
        if slug in book.items:
            return book.items[slug].price
        for addon in book.addons.values():
            if addon.slug == slug:
                return addon.extra_price if line.code == "card_extra" else addon.price
        return None

    def _pue(self, month: int) -> float:
        draw = float(self.plan.housing.draw[0, month])
        return float(self.plan.facility_kw[month]) / draw if draw else 1.0

    # ── figures ──

    def present_value(self) -> Node:
        value = self.plan.present_value if self.plan.priced else None
        return self.money(
            "present_value",
            gettext("Present value"),
            value,
            combine="sum",
            formula=gettext("sum over all months of amount × discount factor; month 0 is not discounted"),
            children=self.categories(self.discounted, discounted=True) if self.plan.priced else (),
            drivers=self.drivers(("finance/discount_rate", "months", "finance/residual_at_horizon")),
        )

    def _nominal(self, key: str, label: str, kind: str | None) -> Node:
        if not self.plan.priced:
            return self.money(key, label, None)
        value = self.plan.nominal_total if kind is None else self.plan.total(kind)
        return self.money(
            key,
            label,
            value,
            combine="sum",
            formula=gettext("sum over all months, not discounted"),
            children=self.categories(Line.total, discounted=False, kind=kind),
        )

    def nominal_total(self) -> Node:
        return self._nominal("nominal_total", gettext("Nominal total"), None)

    def capex(self) -> Node:
        return self._nominal("capex", wording.kind("capex"), "capex")

    def opex(self) -> Node:
        return self._nominal("opex", wording.kind("opex"), "opex")

    def credits(self) -> Node:
        return self._nominal("credits", wording.kind("credit"), "credit")

    def cost_per_useful_gpu_hour(self) -> Node:
        label = gettext("Cost per useful GPU-hour")
        value = self.plan.cost_per_useful_gpu_hour if self.plan.priced else None
        formula = gettext("present value ÷ discounted useful GPU-hours")
        parts = [self.present_value(), self._useful()]
        if value is None:
            return _node(
                "cost_per_useful_gpu_hour",
                label,
                None,
                gettext("undefined"),
                unit=wording.unit("money/GPU-hour", self.currency),
                formula=formula,
                combine="quotient",
                children=parts,
            )
        return _node(
            "cost_per_useful_gpu_hour",
            label,
            value,
            wording.money(value, self.currency),
            formula=formula,
            combine="quotient",
            unit=wording.unit("money/GPU-hour", self.currency),
            children=parts,
        )

    def _useful(self) -> Node:
        """Useful GPU-hours, discounted like the money they are divided into."""
        allocation, hours, discount = self.plan.allocation, self.calendar.hours, self.plan.running_discount
        parts = []
        for key, label, gpus in (
            ("owned", gettext("On owned GPUs"), allocation.useful_owned[0]),
            ("rented", gettext("On rented GPUs"), allocation.useful_rented[0]),
        ):
            cells = [
                {
                    "month": int(m),
                    "label": self.month(int(m)),
                    "quantity": float(gpus[m]),
                    "unit_price": float(hours[m]),
                    "amount": float(gpus[m] * hours[m]),
                    "quantity_text": wording.counted(float(gpus[m]), "GPU", self.currency),
                    "unit_price_text": wording.counted(float(hours[m]), "hour", self.currency),
                    "amount_text": wording.number(float(gpus[m] * hours[m])),
                    "discount": float(discount[m]),
                    "value": float(gpus[m] * hours[m] * discount[m]),
                    "value_text": wording.number(float(gpus[m] * hours[m] * discount[m])),
                }
                for m in np.flatnonzero(gpus)
            ]
            if cells:
                parts.append(
                    self.figure(
                        key,
                        label,
                        float((gpus * hours * discount).sum()),
                        "GPU-hour",
                        combine="sum",
                        months=cells,
                        formula=gettext("GPUs busy × hours of the month × discount factor"),
                    )
                )
        total = float((self.plan.useful_hours * discount).sum())
        return self.figure(
            "useful_hours",
            gettext("Useful GPU-hours, discounted"),
            total,
            "GPU-hour",
            combine="sum",
            children=parts,
            drivers=self.drivers(self._demand_paths()),
        )

    def _demand_paths(self) -> list[str]:
        paths = []
        for work in self.scenario.demand.workloads:
            base = f"demand/workloads/{work.slug}"
            fields = {
                "pool": ("gpus", "gpu_hours_per_month"),
                "training": ("tokens_b", "runs_per_month"),
                "serving": ("requests_per_day",),
            }
            paths += [f"{base}/{name}" for name in fields[work.kind] if getattr(work, name) is not None]
            paths += [f"{base}/growth/{name}" for name in ("rate_per_month", "ceiling") if hasattr(work.growth, name)]
        return paths

    def peak_kw(self) -> Node:
        housing = self.plan.housing
        m = int(np.argmax(housing.draw[0]))
        children = self._draws(m)
        pue = self._pue(m)
        site = housing.site_of[m] if housing.site_of else None
        related = [
            self.figure(
                "facility_kw",
                gettext("With cooling and losses"),
                float(self.plan.facility_kw[m]),
                "kW",
                formula=gettext("{it} kW × PUE {pue}").format(
                    it=wording.number(housing.draw[0, m]), pue=wording.number(pue)
                ),
                drivers=self.drivers([f"sites/{site.slug}/pue", f"sites/{site.slug}/cooling_method"] if site else []),
            ),
            self.figure(
                "max_kw",
                gettext("Highest draw by the nameplates"),
                float(housing.draw_max[0].max(initial=0.0)),
                "kW",
                formula=gettext("circuits are sized for it"),
            ),
        ]
        return self.figure(
            "peak_kw",
            gettext("Peak power"),
            self.plan.peak_kw,
            "kW",
            combine="sum",
            children=children,
            related=related,
            formula=gettext("highest measured draw of the machines, in {month}").format(month=self.month(m)),
        )

    def _draws(self, m: int) -> list[Node]:
        """What draws power in a month: each kind of machine, the fabric, less what throttling takes."""
        housing, parts, total = self.plan.housing, [], 0.0
        for holding in self.plan.fleet.holdings:
            hosts, cards = float(holding.hosts[0, m]), float(holding.cards[0, m])
            if not hosts and not cards:
                continue
            machine = holding.machine
            (_host_max, host_typical, host_idle), (_card_max, card_typical, card_idle) = (
                machine.host_kw,
                machine.card_kw,
            )
            busy = float(np.clip(self.plan.allocation.used[machine.slug][0, m] / cards, 0.0, 1.0)) if cards else 0.0
            idle, typical = hosts * host_idle + cards * card_idle, hosts * host_typical + cards * card_typical
            kw = idle + busy * (typical - idle)
            total += kw
            parts.append(
                self.figure(
                    machine.slug,
                    wording.item(machine.slug, self.book),
                    kw,
                    "kW",
                    formula=gettext(
                        "{servers} with {gpus} GPUs: idle {idle} kW + busy share {busy} × ({typical} − {idle}) kW"
                    ).format(
                        servers=wording.counted(hosts, "server", self.currency),
                        gpus=wording.number(cards),
                        idle=wording.number(idle),
                        busy=wording.percent(busy),
                        typical=wording.number(typical),
                    ),
                    source=wording.source(machine.build.source, self.book.pricing_date),
                )
            )
        fabric = float(self.plan.network.kw_typical[0, m]) if self.plan.network is not None else 0.0
        unthrottled = float(housing.draw_busy[0, m])
        if (
            parts and abs(unthrottled - fabric - total) > 1e-6
        ):  # the work was moved when the room throttled: one sum for all machines
            parts = [
                self.figure(
                    "machines",
                    gettext("Machines"),
                    unthrottled - fabric,
                    "kW",
                    formula=gettext("idle + busy share × (typical − idle), before throttling"),
                )
            ]
        if fabric:
            network = self.plan.network
            assert network is not None
            switches = float(network.switches[0, m])
            parts.append(
                self.figure(
                    "fabric",
                    wording.category("capex.fabric"),
                    fabric,
                    "kW",
                    formula=gettext("{switches} × {kw} kW").format(
                        switches=wording.counted(switches, "switch", self.currency),
                        kw=wording.number(fabric / switches if switches else 0.0),
                    ),
                )
            )
        cut = float(housing.draw[0, m]) - unthrottled
        if abs(cut) > 1e-9:
            parts.append(self.figure("throttling", gettext("Cut by the limits of the room"), cut, "kW"))
        return parts

    def racks(self) -> Node:
        racks = self.plan.housing.racks[0]
        m = int(np.argmax(racks))
        parts = []
        for holding in self.plan.fleet.holdings:
            hosts = float(holding.hosts[0, m])
            if hosts:
                build = holding.machine.build
                parts.append(
                    self.figure(
                        build.slug,
                        wording.item(build.slug, self.book),
                        hosts,
                        "server",
                        formula=gettext("{height} U, {kw} kW and {kg} kg each").format(
                            height=wording.number(build.rack_units),
                            kw=wording.number(build.max_kw),
                            kg=wording.number(build.weight_kg or 0.0),
                        ),
                        source=wording.source(build.source, self.book.pricing_date),
                    )
                )
        if self.plan.network is not None and self.plan.network.switches[0, m]:
            parts.append(
                self.figure("switches", gettext("Switches"), float(self.plan.network.switches[0, m]), "switch")
            )
        site = self.plan.housing.site_of[m]
        paths = [
            f"sites/{site.slug}/{name}" for name in ("rack_units", "reserved_units", "rack_kw", "rack_kg", "racks")
        ]
        return self.figure(
            "racks",
            gettext("Racks"),
            float(racks.max(initial=0.0)),
            "rack",
            children=parts,
            drivers=self.drivers(paths),
            formula=gettext(
                "packed in {month}, the largest draw first, within height, power and weight of a rack"
            ).format(month=self.month(m)),
        )

    def break_even(self) -> Node:
        mine, parts = self.plan, []
        for other in self.evaluation.plans:
            if other.slug == mine.slug or not (other.priced and mine.priced):
                continue
            state = self.comparison.break_even[mine.slug][other.slug]
            months = state.months or (self.calendar.months - 1,)
            values = []
            for m in months:
                values += [
                    self.money(
                        f"{plan.slug}:{m}",
                        gettext("{plan}, to {month}").format(plan=self.names[plan.slug], month=self.month(m)),
                        _cents(float(plan.cumulative_without_residual[m]), plan.decimals),
                    )
                    for plan in (mine, other)
                ]
            parts.append(
                _node(
                    other.slug,
                    gettext("against “{plan}”").format(plan=self.names[other.slug]),
                    float(state.months[0]) if state.months else None,
                    wording.break_even(state, self.calendar),
                    unit=wording.unit("month"),
                    children=values,
                    formula=gettext("cumulative present value of both, before the value at the horizon"),
                )
            )
        known = [part["value"] for part in parts if part["value"] is not None]
        text = gettext("; ").join(f"{part['label']}{gettext(': ')}{part['value_text']}" for part in parts) or gettext(
            "not known"
        )
        return _node(
            "break_even",
            gettext("Break-even"),
            min(known) if known else None,
            text,
            unit=wording.unit("month"),
            children=parts,
            formula=gettext("the month in which the cumulative present values of two plans cross"),
        )

    def served_share(self) -> Node:
        hours, allocation = self.calendar.hours, self.plan.allocation
        asked = float((self.plan.demand[0] * hours).sum())
        parts = [
            self.figure(key, label, float((gpus[0] * hours).sum()), "GPU-hour")
            for key, label, gpus in (
                ("owned", gettext("On owned GPUs"), allocation.useful_owned),
                ("rented", gettext("On rented GPUs"), allocation.useful_rented),
                ("unmet", gettext("Undone"), allocation.unmet),
            )
        ]
        demanded = self.figure(
            "demand",
            gettext("Demanded"),
            asked,
            "GPU-hour",
            combine="sum",
            children=parts,
            drivers=self.drivers(self._demand_paths()),
        )
        return self.figure(
            "served_share",
            gettext("Demand met"),
            self.plan.served_share,
            "share",
            children=[demanded],
            formula=gettext("1 − GPU-hours undone ÷ GPU-hours demanded"),
        )

    def margin(self) -> Node:
        """Present value against the best other plan (the winner's) or against the winner (any other plan's),
        by category."""
        rival = self._rival()
        if rival is None:
            return self.money("margin", gettext("Margin"), None, formula=gettext("no other plan is ranked"))
        label = gettext("Margin: “{other}” less “{plan}”").format(
            other=self.names[rival.slug], plan=self.names[self.plan.slug]
        )
        gap = category_gap(self.plan, rival)
        theirs, ours = _Explainer(self.evaluation, self.comparison, rival), self
        parts = []
        for name, amount in gap.items():
            sides = []
            for side, sign in ((theirs, 1), (ours, -1)):
                lines = side.lines_by_category().get(name)
                if lines:
                    node = side.category(name, lines, side.discounted, True, sign)
                    sides.append({**node, "label": self.names[side.plan.slug]})
            parts.append(
                self.money(
                    name,
                    wording.category(name),
                    amount,
                    combine="sum",
                    children=sides,
                    formula=gettext("“{other}” less “{plan}”").format(
                        other=self.names[rival.slug], plan=self.names[self.plan.slug]
                    ),
                )
            )
        return self.money(
            "margin",
            label,
            self.plan.money(gap.values()),
            combine="sum",
            children=parts,
            formula=gettext("difference of the present values, category by category"),
        )

    def _rival(self) -> PlanResult | None:
        decided = self.comparison.verdict
        slug = decided.runner_up if decided.plan == self.plan.slug else decided.plan
        return self.evaluation.plan(slug) if slug and self.plan.priced else None

    def unmet_cost(self) -> Node:
        label, hours = gettext("Price of unmet work"), self.plan.allocation.unmet[0] * self.calendar.hours
        total = float(hours.sum())
        if not total:
            return self.money("unmet_cost", label, 0.0, formula=gettext("all demand is met"))
        factor = self.scenario.market.unmet_penalty_factor
        cells = [
            {
                "month": int(m),
                "label": self.month(int(m)),
                "quantity": float(hours[m]),
                "value": float(hours[m]),
                "quantity_text": wording.counted(float(hours[m]), "GPU-hour", self.currency),
            }
            for m in np.flatnonzero(hours)
        ]
        parts = [self.figure("hours", gettext("GPU-hours undone"), total, "GPU-hour", months=cells, combine="sum")]
        cost = self.plan.unmet_cost
        if cost is not None and factor:
            parts.append(self.money("hourly", gettext("Cloud price per GPU-hour, on average"), cost / total / factor))
            parts[-1]["value_text"] = wording.unit_price(cost / total / factor, self.currency)
        return self.money(
            "unmet_cost",
            label,
            cost,
            children=parts,
            formula=gettext("GPU-hours undone × cloud price of the month × {factor}; in no total").format(
                factor=wording.number(factor)
            ),
            drivers=self.drivers(("market/unmet_penalty_factor", "market/provider_class")),
        )

    def capacity(self) -> Node:
        """GPUs that planning asks for in the busiest month, each factor once, by name."""
        needed = np.where(np.isfinite(self.plan.needed[0]), self.plan.needed[0], 0.0)
        m = int(np.argmax(needed))
        start = self.plan.plan.start.build if self.plan.plan.start else next(iter(self.plan.requirements), None)
        needs = self.plan.requirements.get(start or "", {})
        parts = [self._requirement(slug, need, m) for slug, need in needs.items()]
        there = float(self.plan.capacity[m])
        return self.figure(
            "capacity",
            gettext("GPUs needed"),
            float(self.plan.needed[0, m]),
            "GPU",
            combine="sum",
            children=parts,
            formula=gettext("in {month}, the busiest month; {there} GPUs are owned then").format(
                month=self.month(m), there=wording.number(there)
            ),
        )

    def _requirement(self, slug: str, need: Requirement, m: int) -> Node:
        """One workload's GPUs: its mean, then every factor by name."""
        mean, required = float(need.mean[0, m]), float(need.required[0, m])
        work = next(work for work in self.scenario.demand.workloads if work.slug == slug)
        base = f"demand/workloads/{slug}"
        shares = {"target_utilisation", "allocation", "available", "mfu", "goodput", "derate"}
        # a factor of 1 that stands for "does not apply" is left out
        silent = {"pcie", "allocation", "available", "convert"}
        factors = [
            self.figure(
                name,
                wording.factor_name(name),
                value,
                "share" if name in shares else "1",
                drivers=self.drivers([path for path in (f"{base}/{name}",) if hasattr(work, name)]),
            )
            for name, value in need.factors.items()
            if not (name in silent and abs(value - 1.0) < 1e-12)
        ]
        formula = {
            "pool": gettext("mean × peak to mean ÷ target utilisation (÷ available share where work is in GPU-hours)"),
            "training": gettext("the larger of mean work and one run's GPUs ÷ target utilisation"),
            "serving": gettext(
                "mean × daily peak × burst factor ÷ target utilisation, up to whole servers, + spare servers"
            ),
        }[work.kind]
        limit = {
            "memory": gettext("memory decides"),
            "deadline": gettext("the deadline decides"),
            "throughput": gettext("throughput decides"),
            "redundancy": gettext("redundancy decides"),
        }.get(need.limit, need.limit)
        children = [
            self.figure("mean", wording.factor_name("mean"), mean, "GPU", drivers=self.drivers(self._paths_of(base))),
            *factors,
        ]
        if need.reserve[0, m]:
            children.append(self.figure("reserve", gettext("GPUs in spare servers"), float(need.reserve[0, m]), "GPU"))
        return self.figure(
            slug,
            wording.workload_named(self.scenario, slug),
            required,
            "GPU",
            children=children,
            formula=f"{formula} · {limit}",
        )

    def _paths_of(self, base: str) -> list[str]:
        return [path for path in self._demand_paths() if path.startswith(base + "/")]

    def orders(self) -> Node:
        """What is ordered, when, at which price."""
        parts = []
        for position, order in enumerate(self.plan.orders):
            amount = _cents(order.quantity * order.unit_price, self.plan.decimals)
            parts.append(
                self.money(
                    f"{position}:{order.item}",
                    wording.line(order, self.book),
                    amount,
                    formula=gettext("{quantity} × {price}; order by {order_by}, in service {month}").format(
                        quantity=wording.number(order.quantity),
                        price=wording.unit_price(order.unit_price, self.currency),
                        order_by=wording.date(order.order_by),
                        month=self.month(order.in_service),
                    ),
                    source=wording.source(order.source, self.book.pricing_date, self.scenario.market.stale_after_days),
                )
            )
        return self.money(
            "orders",
            gettext("Orders"),
            self.plan.money(part["value"] for part in parts),
            combine="sum",
            children=parts,
            formula=gettext("sum of the orders"),
        )


def _cents(value: float, decimals: int) -> float:
    return float(round_half_up(np.asarray(value), decimals)) / 10.0**decimals


def _whole_shares(parts: Array, total: int) -> Array:
    """Parts as whole numbers that add up to `total`: each is the step of the rounded running sum."""
    shares = np.diff(np.floor(np.cumsum(parts) + 0.5), prepend=0.0)
    filled = np.flatnonzero(parts)
    if filled.size:
        shares[filled[-1]] += total - shares.sum()
    return shares


_BUILDERS: dict[str, Callable[[_Explainer], Node]] = {name: getattr(_Explainer, name) for name in KPIS}

"""What figures share: names, colours, traces and notes; those of one evaluation have its months and plans besides."""

from collections.abc import Sequence
from typing import Any

from django.utils.translation import gettext

from planner import wording
from planner.charts.axes import Axis, firsts
from planner.charts.layout import layout
from planner.charts.text import escaped, short, wrapped
from planner.charts.theme import LIGHT, MARKERS, PATTERNS, plan_role, plan_style
from planner.engine.calendar import Array
from planner.engine.compare import Comparison
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.result import Evaluation, PlanResult

Figure = dict[str, Any]


class Canvas:
    """A figure while it is drawn."""

    def __init__(self, scenario: Scenario, book: PriceBook) -> None:
        self.scenario, self.currency = scenario, scenario.currency
        self.names = wording.plan_names(scenario, book)
        self.drawn = {slug: escaped(name) for slug, name in self.names.items()}  # Plotly reads HTML in a trace's name
        self.index = {plan.slug: index for index, plan in enumerate(scenario.plans)}
        self.traces: list[dict[str, Any]] = []
        self.annotations: list[dict[str, Any]] = []
        self.shapes: list[dict[str, Any]] = []

    # ── traces and notes ──

    def add(self, trace: dict[str, Any], **roles: str) -> None:
        """Add a trace; `roles` name the colours of its line and marker."""
        for part, role in roles.items():
            trace.setdefault(part, {})["color"] = LIGHT[role]
        self.traces.append(trace)

    def note(self, text: str, role: str, **place: Any) -> None:
        self.annotations.append({"text": text, "showarrow": False, "font": {"size": 11, "color": LIGHT[role]}, **place})

    # ── words ──

    def money(self, value: float) -> str:
        return wording.money(value, self.currency)

    def listed(self, amounts: dict[str, float]) -> str:
        """Plans by slug, each with its amount, in one row of words."""
        return gettext("; ").join(  # names of plans hold commas
            f"{self.names[slug]} {wording.money(amount, self.currency, compact=True)}"
            for slug, amount in amounts.items()
        )

    # ── the whole ──

    def empty(self, title: str, text: str) -> Figure:
        """A figure that has nothing to draw: the sentence that says why, in the middle, and no axes."""
        self.note(
            "<br>".join(escaped(line) for line in wrapped(text, 48)), "ink2", x=0.5, y=0.5, xref="paper", yref="paper"
        )
        self.annotations[-1]["font"]["size"] = 14
        hidden = {"visible": False, "range": [0, 1]}
        drawn = self.done(title, text, [], [], axes={"xaxis": hidden, "yaxis": hidden}, legend=False, height=200)
        drawn["layout"]["meta"]["narrow"] = {}  # which would take the sentence away
        return drawn

    def unpriced(self, title: str) -> Figure:
        """The figure of money where no plan has any."""
        return self.empty(
            title, gettext("No plan can be priced, so there is nothing to draw; the notes on the plans say why.")
        )

    def done(
        self,
        title: str,
        summary: str,
        head: Sequence[str],
        rows: list[list[str]],
        *,
        axes: dict[str, Axis],
        legend: bool = True,
        right: int = 40,
        **more: Any,
    ) -> Figure:
        """The figure; `head` and `rows` say in a table what it draws, `more` overrides the layout."""
        notes = {"annotations": self.annotations, "shapes": self.shapes}
        return {
            "title": title,
            "summary": summary,
            "table": {"head": list(head), "rows": rows},
            "data": self.traces,
            "layout": layout(axes, legend=legend, right=right, **notes, **more),
        }


class Chart(Canvas):
    """A figure of one evaluation."""

    def __init__(self, evaluation: Evaluation, comparison: Comparison) -> None:
        super().__init__(evaluation.scenario, evaluation.book)
        self.evaluation, self.comparison, self.calendar = evaluation, comparison, evaluation.calendar
        self.priced = [plan for plan in evaluation.plans if plan.priced]
        self.firsts = firsts(self.calendar)

    # ── how a plan looks ──

    def role(self, plan: PlanResult) -> str:
        return plan_role(self.index[plan.slug])

    def dash(self, plan: PlanResult) -> str:
        return plan_style(self.index[plan.slug])["dash"]

    def marker(self, plan: PlanResult) -> str:
        return MARKERS[self.index[plan.slug] % 6]

    def pattern(self, plan: PlanResult) -> str:
        return PATTERNS[self.index[plan.slug] % 6]

    # ── traces and notes ──

    def add_of(self, plan: PlanResult, trace: dict[str, Any], *parts: str) -> None:
        """Add a trace of a plan: in its name and group, and `parts` (line, marker) in its colour."""
        named = {"name": self.drawn[plan.slug], "legendgroup": plan.slug, **trace}
        self.add(named, **dict.fromkeys(parts, self.role(plan)))

    def steps(self, plan: PlanResult, values: Array, *, hover: str, axis: str = "y", legend: bool = True) -> None:
        """A plan's curve in its colour and dash. The last value is held to the end of the last month."""
        trace = {
            "type": "scatter",
            "mode": "lines",
            "showlegend": legend,
            "x": self.firsts,
            "y": [*(short(value) for value in values), short(float(values[-1]))],
            "yaxis": axis,
            "line": {"width": 2, "shape": "hv", "dash": self.dash(plan)},
            "hovertemplate": hover,
        }
        self.add_of(plan, trace, "line")

    def end_labels(self, ends: list[tuple[PlanResult, float]], low: float, high: float, axis: str = "y") -> None:
        """Names at the ends of the lines, moved apart where they would overlap."""
        gap = (high - low) * 0.055 or 1.0
        placed: list[float] = []
        for plan, value in sorted(ends, key=lambda end: end[1]):
            y = max(value, placed[-1] + gap) if placed else value
            placed.append(y)
            self.note(
                self.drawn[plan.slug],
                self.role(plan),
                x=self.firsts[-1],
                y=short(y),
                yref=axis,
                xanchor="left",
                yanchor="middle",
                xshift=6,
                align="left",
            )

    def month(self, m: int) -> str:
        return wording.month_label(self.calendar, m)

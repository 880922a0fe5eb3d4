"""A sensitivity sweep as the words, tables and drawings of its page, in the language that is active."""

from __future__ import annotations

from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import charts, wording
from planner.charts import svg, tornado
from planner.charts import sweep as drawn
from planner.charts.chart import Figure
from planner.charts.sweep import SweepChart
from planner.engine.inputs import Scenario
from planner.engine.prices import PriceBook
from planner.engine.sensitivity import Curve, Flip, Sweep

WIDE, NARROW, SMALL = 860, 350, (372, 220)  # [px]
EMPTY_HEIGHT = 200


def page(sweep: Sweep, scenario: Scenario, book: PriceBook, *, of: str = "") -> dict[str, Any]:
    """Everything the result says. `of` is the plan whose tornado is drawn; "" or an unknown one: the lead of the best.

    Where the best plan has no rival there is no lead; its own tornado stands instead.
    """
    said = _Said(sweep, scenario, book)
    of = of if of in said.chart.names else ""
    if not of and tornado.lead_now(sweep) is None:
        of = sweep.cheapest or next((slug for slug, value in said.base if value is not None), "")
    return {
        "verdict": said.verdict(),
        "choices": said.choices(of),
        "tornado": _tornado(tornado.tornado(said.chart.fresh(), of or None)),
        "keys": said.keys(),
        "head": [{"name": name, "colour": said.colour(slug)} for slug, name in said.chart.names.items()],
        "rows": [said.row(curve) for curve in said.along],
        "curves": [_small(drawn.curve(said.chart.fresh(), curve), said, curve) for curve in said.along],
        "notes": said.notes(),
    }


def _tornado(figure: Figure) -> dict[str, Any]:
    layout = figure["layout"]
    low = layout["meta"]["narrow"].get("height", EMPTY_HEIGHT)
    return {
        **figure,
        "wide": mark_safe(svg.draw(figure, WIDE, layout.get("height", EMPTY_HEIGHT))),
        "narrow": mark_safe(svg.draw(figure, NARROW, low, narrow=True)),
    }


def _small(figure: Figure, said: _Said, curve: Curve) -> dict[str, Any]:
    return {
        **figure,
        "path": curve.path,
        "apart": said.is_apart(curve),
        "svg": mark_safe(svg.draw(figure, *SMALL)),
    }


def _then(flip: Flip, side: str) -> str | None:
    """The plan that is the cheapest beyond a flip, seen from the value that holds now."""
    return flip.before if side == "below" else flip.after


class _Said:
    """The words of one sweep."""

    def __init__(self, sweep: Sweep, scenario: Scenario, book: PriceBook) -> None:
        self.sweep, self.chart = sweep, SweepChart(sweep, scenario, book)
        self.base = self.chart.by_plan(sweep.base)
        self.along = [*sweep.curves, *([] if sweep.horizon is None else [sweep.horizon])]

    def is_apart(self, curve: Curve) -> bool:
        """The horizon: not ranked with the others."""
        return curve is self.sweep.horizon

    def colour(self, slug: str) -> str:
        place = self.chart.index[slug]
        return f"{place % 6 + 1}{' again' if place >= 6 else ''}"

    # ── the answer ──

    def verdict(self) -> dict[str, str]:
        """A sentence, and what it means."""
        curves, best = self.sweep.curves, self.sweep.cheapest
        if best is None:
            title = _("As things stand no plan is possible.")
            opened = sum(any(plan is not None for plan in curve.cheapest) for curve in curves)
            text = ngettext(
                "{count} assumption makes one possible within its range.",
                "{count} assumptions make one possible within their ranges.",
                opened,
            ).format(count=opened)
            return {"title": title, "text": text}
        if not curves:
            return {
                "title": _("Nothing within the ranges changes the costs."),
                "text": _("No assumption with a range matters to the plans of this scenario."),
            }
        steady = sum(not curve.flips for curve in curves)
        name = self.chart.plan(best)
        if steady == len(curves):
            title = _("“{plan}” stays the cheapest, whichever assumption moves within its range.")
        elif steady == 0:
            title = _("“{plan}” loses its place within the range of every assumption that matters.")
        else:
            title = _("“{plan}” stays the cheapest over the whole range of {steady} of {count} assumptions.")
        return {"title": title.format(plan=name, steady=steady, count=len(curves)), "text": self._nearest()}

    def _nearest(self) -> str:
        """The change of the cheapest plan that is the least way off, as a share of its range; of the horizon, last."""
        found = [
            ((self.is_apart(curve), abs(flip.x - curve.holds) / (curve.high - curve.low)), curve, flip, side)
            for curve in self.along
            for flip, side in self._flips(curve)
            if curve.holds is not None
        ]
        if not found:
            return _("Each was moved alone from its P10 to its P90; together they may still change the answer.")
        _way, curve, flip, side = min(found, key=lambda each: each[0])
        then = _then(flip, side)
        pattern = (
            _("Nearest change: {assumption} {where} (now {now}) leaves no plan that is possible.")
            if then is None
            else _("Nearest change: {assumption} {where} (now {now}) makes “{plan}” the cheapest.")
        )
        return pattern.format(
            assumption=self.chart.label(curve),
            where=self._where(curve, flip, side),
            now=self.chart.value(curve, curve.holds or 0.0),
            plan=self.chart.plan(then),
        )

    def _flips(self, curve: Curve) -> list[tuple[Flip, str]]:
        """The changes next to the value that holds now, each with its side."""
        below, above = curve.around(self.sweep.cheapest)
        return [(flip, side) for flip, side in ((below, "below"), (above, "above")) if flip is not None]

    def _where(self, curve: Curve, flip: Flip, side: str) -> str:
        """Where the plan beyond a flip is the cheapest: to the end of the range, or as far as the next flip."""
        beyond = curve.flips.index(flip) + (-1 if side == "below" else 1)
        if 0 <= beyond < len(curve.flips):
            low, high = sorted((flip.x, curve.flips[beyond].x))
            high -= curve.whole  # of whole numbers a flip is the first beyond
            if low == high:
                return _("at {value}").format(value=self.chart.value(curve, low))
            ends = wording.assumed_range(low, high, curve.unit, self.chart.currency)
            return _("from {range}").format(range=ends)
        pattern = _("below {value}") if side == "below" else _("from {value} on") if curve.whole else _("above {value}")
        return pattern.format(value=self.chart.value(curve, flip.x))

    # ── the figures ──

    def choices(self, of: str) -> list[dict[str, Any]]:
        """What the tornado can be drawn of."""
        found = []
        if tornado.lead_now(self.sweep) is not None:
            found.append({"of": "", "name": _("Lead over the next plan"), "colour": "", "chosen": not of})
        for slug, value in self.base:
            if value is not None:
                name = self.chart.names[slug]
                found.append({"of": slug, "name": name, "colour": self.colour(slug), "chosen": of == slug})
        return found

    def keys(self) -> list[dict[str, Any]]:
        """The legend of the small figures, for all of them."""
        return [
            {"name": name, "svg": mark_safe(svg.key(charts.plan_style(self.chart.index[slug])))}
            for slug, name in self.chart.names.items()
        ]

    def row(self, curve: Curve) -> dict[str, Any]:
        """An assumption in the table: range, value now, each plan at both ends, where the cheapest one changes."""
        return {
            "path": curve.path,
            "name": self.chart.label(curve),
            "range": wording.assumed_range(curve.low, curve.high, curve.unit, self.chart.currency),
            "widened": curve.widened,
            "now": "–" if curve.holds is None else self.chart.value(curve, curve.holds),
            "cells": [
                {
                    "low": self._cell(values[0], reasons[0]),
                    "high": self._cell(values[-1], reasons[-1]),
                    "nowhere": not any(value is not None for value in values),
                }
                for (_slug, values), (_same, reasons) in zip(
                    self.chart.by_plan(curve.values), self.chart.by_plan(curve.reasons), strict=True
                )
            ],
            "flips": [
                _("{where}: {plan}").format(
                    where=self._where(curve, flip, side), plan=self.chart.quoted(_then(flip, side))
                )
                for flip, side in self._flips(curve)
            ],
            "apart": self.is_apart(curve),
        }

    def _cell(self, value: float | None, reason: str) -> dict[str, str]:
        if value is None:
            return {"text": "–", "exact": _("not possible: {reason}").format(reason=wording.plan_failure(reason))}
        return {"text": self.chart.compact(value), "exact": self.chart.money(value)}

    def notes(self) -> list[str]:
        """How it was done, and what is not in the figures."""
        count = len(self.sweep.curves) + len(self.sweep.rest)
        notes = [
            ngettext(
                "Of the {count} assumption with a declared range, the {shown} that moves the present value most is "
                "drawn, each moved alone, all others as they are.",
                "Of the {count} assumptions with a declared range, the {shown} that move the present value most are "
                "drawn, each moved alone, all others as they are.",
                count,
            ).format(count=count, shown=len(self.sweep.curves))
        ]
        fail = [self.chart.quoted(slug) for slug, value in self.base if value is None]
        if fail and self.sweep.cheapest is not None:
            notes.append(_("Not possible as things stand: {names}.").format(names=_(", ").join(fail)))
        if self.sweep.rest:
            names = _(", ").join(self.chart.called[path] for path in self.sweep.rest)
            notes.append(_("Of less weight or none: {names}.").format(names=names))
        if self.sweep.horizon is not None:
            notes.append(
                _(
                    "The horizon stands apart: a longer one asks a longer question, so that its amounts say nothing "
                    "beside the others; which plan is the cheapest at each length does."
                )
            )
        widened = [self.chart.label(curve) for curve in self.along if curve.widened]
        if widened:
            notes.append(
                _("The value now lies outside the declared range, which was widened to take it in: {names}.").format(
                    names=_(", ").join(widened)
                )
            )
        return notes

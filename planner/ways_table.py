"""One server, several or a cluster for the same work, as a table of words."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import wording
from planner.engine.shapes import Shape, Shapes


def ways(found: Shapes) -> dict[str, Any]:
    """A column for each way and a row for each question: what it can do first, then what it costs and takes."""
    said = _Said(found)
    answers: list[tuple[str, Any]] = [
        (_("Does the work"), said.does),
        (_("Servers and GPUs"), said.size),
        (_("Largest job"), said.job),
        (_("Lost with one server"), said.lost),
        (_("Speed kept"), said.kept),
        (_("Purchase"), said.purchase),
        (_("Present value"), said.present_value),
        (_("of which network between servers"), said.fabric),
        (_("Power and cooling"), said.power),
        (_("From order to service"), said.weeks),
        (_("People"), said.people),
    ]
    return {
        "build": wording.item(found.build.slug, found.evaluation.book),
        "slug": found.build.slug,
        "head": [said.name(way) for way in found.ways],
        "rows": [{"label": label, "cells": [answer(way) for way in found.ways]} for label, answer in answers],
        "no_cluster": "" if len(found.ways) > 2 else _("Of this server no cluster can be built: it has no ports."),
    }


class _Said:
    def __init__(self, found: Shapes) -> None:
        self.found, self.evaluation = found, found.evaluation
        self.currency = found.evaluation.scenario.currency

    def name(self, way: Shape) -> str:
        gpus = wording.amount(self.found.build.accelerator_count, "GPU")
        servers = wording.number(way.servers)
        match way.way:
            case "one_server":
                return _("One server of {gpus}").format(gpus=gpus)
            case "independent_servers":
                return _("{servers} servers, each for itself").format(servers=servers)
        return _("Cluster of {servers} with a fabric").format(servers=servers)

    def does(self, way: Shape) -> dict[str, str]:
        if way.does_it:
            return {"text": _("yes, in every month"), "tone": "good"}
        first = way.reasons[0]
        note = wording.finding(first, self.evaluation)
        return {"text": wording.brief(first, self.evaluation), "tone": "bad", "note": note}

    def size(self, way: Shape) -> dict[str, str]:
        gpus = way.servers * self.found.build.accelerator_count
        return {"text": wording.amount(way.servers, "server"), "note": wording.amount(gpus, "GPU")}

    def job(self, way: Shape) -> dict[str, str]:
        each = self.found.build.accelerator_count
        return {"text": wording.amount(each * way.servers if way.way == "cluster" else each, "GPU")}

    def lost(self, way: Shape) -> dict[str, str]:
        if way.servers == 1:
            return {"text": _("everything"), "tone": "bad"}
        return {"text": wording.percent(way.lost_with_one)}

    def kept(self, way: Shape) -> dict[str, str]:
        return {"text": "–" if way.kept is None else wording.percent(way.kept)}

    def purchase(self, way: Shape) -> dict[str, str]:
        return self._money(way, way.result.total("capex"))

    def present_value(self, way: Shape) -> dict[str, str]:
        return self._money(way, way.result.present_value)

    def _money(self, way: Shape, amount: float) -> dict[str, str]:
        if not way.result.priced:
            return {"text": _("no quote"), "tone": "bad"}
        return {
            "text": wording.money(amount, self.currency, compact=True),
            "exact": wording.money(amount, self.currency),
        }

    def fabric(self, way: Shape) -> dict[str, str]:
        if way.way != "cluster" or not way.result.priced:
            return {"text": "–"}
        return {"text": wording.percent(round(way.fabric, 3))}

    def power(self, way: Shape) -> dict[str, str]:
        if not way.result.peak_kw:
            return {"text": "–"}
        note = _("{kw} with cooling and losses").format(
            kw=wording.amount(float(way.result.facility_kw.max()), "kW", digits=3)
        )
        return {"text": wording.amount(way.result.peak_kw, "kW", digits=3), "note": note}

    def weeks(self, way: Shape) -> dict[str, str]:
        weeks = round(way.weeks)
        return {"text": ngettext("{count} week", "{count} weeks", weeks).format(count=weeks) if weeks else "–"}

    def people(self, way: Shape) -> dict[str, str]:
        return {"text": wording.quantity(round(float(way.result.fte[0, -1]), 2), "FTE")}

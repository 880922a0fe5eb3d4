"""The horizon: limits that are passed, what the next wave changes, the strip over the slider."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import tables, wording
from planner.engine.housing import UpgradeOrder, on_one_circuit, rack_load_field
from planner.engine.limits import Passed
from planner.engine.room import Standing
from planner.engine.rounding import SLACK
from planner.facility_page.said import Said
from planner.services.facility import price_of
from planner.wording.findings import RESOURCE_UNITS
from planner.wording.numbers import counted


class Months(Said):
    """The whole horizon, and the wave that comes next."""

    def parts(self) -> dict[str, Any]:
        return {
            "blocking": [
                {
                    "text": wording.finding(warning, self.evaluation),
                    "at": warning.month,
                    "month": self.when(warning.month or 0),
                    "title": self.month_title(warning.month or 0),
                }
                for warning in self.plan.warnings
                if warning.facts.get("blocking")
            ],
            "passed": [self.passed(each) for each in self.found.passed],
            "next": self.next(),
            "timeline": self.timeline(),
        }

    def passed(self, each: Passed) -> dict[str, Any]:
        """One limit that is passed: when, by what, and what is done about it."""
        unit = RESOURCE_UNITS[each.resource]
        text = str(self.sentences()[each.resource]).format(
            needed=counted(each.needed, unit),
            limit=counted(each.limit, unit),
            site=wording.site_named(self.scenario, each.site),
            item=wording.item(each.item, self.book) if each.item else "",
        )
        path = self.limit_path(each)
        return {
            "month": self.when(each.month),
            "title": self.month_title(each.month),
            "at": each.month,
            "text": text,
            "tone": "bad" if each.months else "good",
            "state": ngettext("holds for {count} month", "holds for {count} months", each.months).format(
                count=each.months
            )
            if each.months
            else _("lifted in time"),
            "path": path,
            "field": wording.label(path, self.scenario),
            "remedies": [self.remedy(order, bought=True) for order in each.bought]
            + ([self.remedy(each.remedy, bought=False)] if each.remedy is not None else []),
            "none": not each.bought and each.remedy is None and each.resource in ("cooling", "power", "racks"),
        }

    def limit_path(self, each: Passed) -> str:
        site = next(site for site in self.scenario.sites if site.slug == each.site)
        one_circuit = each.resource == "power" and on_one_circuit(site)
        by_feeds = each.resource == "kw" and site.circuit is not None and each.limit != site.rack_kw
        if each.resource == "kg":
            return f"sites/{each.site}/{rack_load_field(site)}"
        name = "circuit/amps" if one_circuit or by_feeds else tables.LIMIT_FIELDS[each.resource]
        return f"sites/{each.site}/{name}"

    @staticmethod
    def sentences() -> dict[str, str]:
        return {
            "cooling": _("The machines give off {needed}; {site} carries away {limit}."),
            "power": _("The machines draw up to {needed}; the circuits of {site} carry {limit}."),
            "racks": _("{needed} are needed; {site} has room for {limit}."),
            "units": _("A machine of {needed} is higher than a rack of {site}, {limit}."),
            "kw": _("A machine draws {needed}; a rack of {site} may draw {limit}."),
            "kg": _("A machine weighs {needed}; a rack of {site} holds {limit}."),
            "cords": _("A machine has {needed}; a rack of {site} takes {limit}."),
            "cfm": _("A machine needs {needed} of air; a rack of {site} gets {limit}."),
            "method": _(
                "A busy rack gives off {needed}; the cooling of {site} is taken to carry {limit} from one rack."
            ),
            "budget": _("The machines draw up to {needed} by the nameplates; the power budget of {site} is {limit}."),
            "ups": _("The machines draw up to {needed}; the UPS of {site} carries {limit} without its spare modules."),
            "floor": _("The fullest rack loads the floor with {needed}; that of {site} bears {limit}."),
            "foot": _("Each foot of the fullest rack carries {needed}; the floor of {site} bears {limit} there."),
            "psus": _("With one feed of {site} lost, {item} keeps {limit} and needs {needed}."),
            "inlet": _("{site} supplies air of {needed}; {item} may breathe {limit} at most."),
            "sustained": _(
                "{item} draws up to {needed} in {site}; its supplies carry {limit} without those that may fail."
            ),
            "transient": _("For an instant {item} may draw {needed} in {site}; its supplies are rated for {limit}."),
            "air": _("The machines need {needed} of air; the cooling of {site} delivers {limit}."),
            "liquid": _("The liquid loops need {needed}; {site} delivers {limit}."),
            "spare_cooling": _("The machines give off {needed}; {site} carries away {limit} without its spare units."),
            "feeds": _("A rack draws {needed}; with one feed of {site} lost the others carry {limit}."),
            "noise": _("A machine makes {needed}; {site} tolerates {limit}."),
        }

    def remedy(self, order: UpgradeOrder, *, bought: bool) -> dict[str, Any]:
        """An upgrade: what it adds, costs and takes, and when it is ordered."""
        upgrade = order.upgrade
        price, source = price_of(order, self.scenario, self.book)
        gains = [
            "+" + wording.quantity(amount, unit)
            for amount, unit in (
                (upgrade.adds_power_kw, "kW"),
                (upgrade.adds_cooling_kw, "kW"),
                (float(upgrade.adds_racks), "rack"),
            )
            if amount
        ]
        if upgrade.circuit is not None:
            feeds = _("feeds of {volts}, {amps}")
            volts, amps = wording.quantity(upgrade.circuit.volts, "V"), wording.quantity(upgrade.circuit.amps, "A")
            gains.append(feeds.format(volts=volts, amps=amps))
        when = (
            _("ordered {ordered}, in service {there}").format(
                ordered=self.when(order.ordered), there=self.when(order.in_service)
            )
            if bought
            else _("not bought by this plan; it would have to be ordered {ordered}").format(
                ordered=self.when(order.ordered)
            )
        )
        return {
            "name": wording.item(upgrade.item, self.book),
            "path": f"sites/{order.site}/upgrades/{upgrade.slug}/lead_weeks",
            "text": _("{gains}, {price}, {weeks} from order; {when}").format(
                gains=_(", ").join(gains),
                price=wording.money(price, self.scenario.currency, compact=True),
                weeks=counted(upgrade.lead_weeks, "week"),
                when=when,
            ),
            "badge": wording.source(source, self.book.pricing_date, self.scenario.market.stale_after_days),
            "tone": "good" if bought else "warn",
        }

    def next(self) -> dict[str, Any] | None:
        """What the next wave changes, before and after."""
        coming, then = self.found.coming, self.found.standing_then
        if coming is None or then is None:
            return None
        now, notes = self.found.standing, []
        if coming.site.slug != self.site.slug:
            notes.append(_("The machines move: {site}.").format(site=wording.site_name(coming.site)))
        for order in self.housing.upgrades:
            if order.in_service == coming.month:
                name = wording.item(order.upgrade.item, self.book)
                notes.append(_("{item} comes into service.").format(item=name))
        return {
            "month": self.when(coming.month),
            "rows": [row for row in (self.change(each, now, then) for each in COMPARED) if row is not None],
            "notes": notes,
            "now": self.when(self.month),
        }

    def change(self, code: str, now: Standing, then: Standing) -> dict[str, Any] | None:
        before, after = float(getattr(now, code)), float(getattr(then, code))
        if not before and not after:
            return None
        unit = COMPARED[code]
        step = after - before
        return {
            "name": self.compared(code),
            "before": counted(before, unit),
            "after": counted(after, unit),
            "change": "–" if abs(step) < SLACK else ("+" if step > 0 else "") + counted(step, unit, digits=3),
            "same": abs(step) < SLACK,
        }

    @staticmethod
    def compared(code: str) -> str:
        words = {
            "servers": _("Servers"),
            "gpus": _("GPUs"),
            "racks": _("Racks"),
            "units": _("Rack units"),
            "kg": _("Weight in racks"),
            "max_kw": _("Highest draw by the nameplates"),
            "heat_kw": _("Heat"),
            "airflow_cfm": _("Air through the machines"),
            "contracted_kw": _("Contracted power"),
        }
        return words[code]

    def timeline(self) -> dict[str, Any]:
        """Highest draw month by month, for the strip over the slider."""
        draw, limit = self.housing.draw_max[0], self.housing.limits["power"]
        finite = [float(value) for value in limit if math.isfinite(value)]
        top = max([float(draw.max(initial=0.0)), *finite]) or 1.0
        waves = set(self.found.waves)
        return {
            "months": self.calendar.months,
            "bars": [
                {
                    "x": month + 0.1,
                    "y": 40.0 - 40.0 * float(value) / top,
                    "height": 40.0 * float(value) / top,
                    "wave": month in waves,
                }
                for month, value in enumerate(draw)
            ],
            "limits": [
                {"x": month, "y": 40.0 - 40.0 * float(value) / top}
                for month, value in enumerate(limit)
                if math.isfinite(value)
            ],
            "text": _("Highest draw by month, at most {kw}; the line is what the circuits carry.").format(
                kw=wording.quantity(float(draw.max(initial=0.0)), "kW")
            )
            if finite
            else _("Highest draw by month, at most {kw}.").format(
                kw=wording.quantity(float(draw.max(initial=0.0)), "kW")
            ),
        }


# Figures of a month that the next wave may change, with their units.
COMPARED = {
    "servers": "server",
    "gpus": "GPU",
    "racks": "rack",
    "units": "U",
    "kg": "kg",
    "max_kw": "kW",
    "heat_kw": "kW",
    "airflow_cfm": "CFM",
    "contracted_kw": "kW",
}

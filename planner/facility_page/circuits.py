"""The feeds of the racks and the supplies of the machines."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _

from planner import wording
from planner.engine.facility import battery_kwh, circuit_kva, ups_load
from planner.engine.housing import supply_check
from planner.engine.inputs import Circuit
from planner.engine.layout import Rack, Stack
from planner.engine.room import RackWithout, Supplies, without_feed
from planner.engine.rounding import SLACK
from planner.facility_page.said import ESTIMATE, Said
from planner.services.facility import feeds
from planner.wording.numbers import counted


class Circuits(Said):
    """Feeds rack by rack, supplies machine by machine."""

    def parts(self) -> dict[str, Any]:
        return {
            "circuit": self.circuit(),
            "supplies": self.supplies(),
            "supplies_spare": wording.choice("supplies", self.site.supplies),
            "supplies_ratio": wording.number(self.site.transient_ratio),
            "supplies_path": f"{self.base}/supplies",
            "feed": self.feed,
            "ups": self.ups(),
        }

    @property
    def feed(self) -> str:
        """The feed that is looked at: the lost one, or the first, which carries the most cords."""
        known = feeds(self.now)
        return (self.found.lost if self.found.lost in known else known[0]) if known else ""

    def circuit(self) -> dict[str, Any]:
        """The feeds of the racks, group by group, with all of them and one lost."""
        circuit, base = self.now.circuit, self.feeds_path
        if circuit is None:
            replaced = self.site.circuit is not None
            return {
                "path": base,
                "missing": _(
                    "An upgrade has added a circuit of which only its kW are known: its feeds are not simulated."
                )
                if replaced
                else _("No circuit is named for this room, so that the loss of a feed cannot be simulated."),
                "rows": [],
            }
        lost = self.found.without is not None
        return {
            "path": f"{base}/amps",
            "missing": "",
            "rating": self.rating(circuit),
            "badge": self.badge(f"{base}/amps"),
            "redundancy": wording.choice("redundancy", circuit.redundancy),
            "rows": [self.feeds_of(rack, circuit, lost) for rack in self.now.racks],
        }

    def rating(self, circuit: Circuit) -> str:
        """The power of one feed as its formula."""
        phases = 1 if circuit.phases == "single" else 3
        each = float(circuit_kva(circuit.volts, circuit.amps, phases, circuit.derating)) * circuit.power_factor
        return _("{feeds} of {volts} × {amps}{phases} × {share} × power factor {factor} = {kw} each").format(
            feeds=counted(circuit.feeds, "feed"),
            volts=wording.quantity(circuit.volts, "V"),
            amps=wording.quantity(circuit.amps, "A"),
            phases=" × √3" if phases == 3 else "",
            share=wording.percent(circuit.derating),
            factor=wording.number(circuit.power_factor),
            kw=wording.quantity(each, "kW"),
        )

    def feeds_of(self, rack: Rack, circuit: Circuit, lost: bool) -> dict[str, Any]:
        check = rack.feeds
        assert check is not None
        left = circuit.feeds - 1
        share = check.share_one_lost if lost else check.share_each
        fits = check.fits_one_lost if lost else check.fits
        last = rack.first + rack.count - 1
        return {
            "racks": str(rack.first) if rack.count == 1 else f"{rack.first}–{last}",
            "load": wording.quantity(rack.kw, "kW"),
            "usable": wording.quantity(check.left_kw if lost else check.usable_kw, "kW"),
            "share": wording.percent(round(share, 4)) if math.isfinite(share) else "∞",
            "other": wording.percent(round(check.share_one_lost, 4)) if left else _("none left"),
            "over": not fits,
            "fragile": not check.fits_one_lost,
            "width": min(100.0, 100.0 * share) if math.isfinite(share) else 100.0,
            "state": _("overloaded: trips") if not fits else _("carries it"),
        }

    def supplies(self) -> list[dict[str, Any]]:
        """Supplies of each kind of machine whose number is known: one that fails, and the lost feed."""
        circuit, rows = self.now.circuit, dict[str, dict[str, Any]]()
        without = {each.item: each for group in self.found.without or () for each in group.supplies}
        if circuit is not None and not without and self.now.racks:
            without = {each.item: each for group in self.worst() for each in group.supplies}
        for rack in self.now.racks:
            for stack in rack.stacks:
                if stack.cords and stack.item not in rows:
                    rows[stack.item] = self.supply(stack, without.get(stack.item))
        return list(rows.values())

    def worst(self) -> tuple[RackWithout, ...]:
        return without_feed(self.now, 0)

    def supply(self, stack: Stack, fed: Supplies | None) -> dict[str, Any]:
        build, needed = self.build(stack.item), stack.psus_needed
        source = build.power_source if build is not None else ESTIMATE

        def said(left: int) -> dict[str, Any]:
            keeps = left >= (needed or 1)
            text = _("{left} left") if needed is None else _("{left} left of {needed} needed")
            return {"text": text.format(left=left, needed=needed), "tone": "good" if keeps else "bad"}

        check = supply_check(self.site, build, stack.kw) if build is not None else None
        rating = build.psu_kw if build is not None else None
        return {
            "name": self.name(stack.item),
            "psus": wording.number(stack.cords),
            "rating": wording.quantity(rating, "kW") if rating else _("not known"),
            "needed": wording.number(needed) if needed is not None else _("not known"),
            "failed": said(stack.cords - 1),
            "feed": said(fed.left) if fed is not None else None,
            "sustained": None if check is None else self.room_left(check.usable_kw, stack.kw),
            "transient": None
            if check is None or rating is None
            else self.room_left(stack.cords * rating, stack.kw * self.site.transient_ratio),
            "badge": wording.source(source, self.book.pricing_date),
        }

    @staticmethod
    def room_left(usable: float, draw: float) -> dict[str, str]:
        """What supplies carry against what is drawn of them: "9.9 of 10.2 kW", and whether it is enough."""
        fits = draw <= usable + SLACK
        text = _("{draw} of {usable}").format(draw=wording.quantity(draw, "kW"), usable=wording.quantity(usable, "kW"))
        return {"text": text, "tone": "good" if fits else "bad"}

    def ups(self) -> list[dict[str, Any]]:
        """Modules of the UPS, how full they are with all of them and without the spare ones, and the battery."""
        ups = self.site.ups
        if ups is None:
            return []
        most = float(self.housing.draw_max[0, self.month])
        load = ups_load(most, ups.module_kw, ups.modules, ups.spare)
        badge = self.badge(f"{self.base}/ups/module_kw")
        return [
            {
                "name": _("UPS"),
                "text": _("{count} modules of {kw}, {spare} of them spare").format(
                    count=wording.number(ups.modules),
                    kw=wording.quantity(ups.module_kw, "kW"),
                    spare=wording.number(ups.spare),
                ),
                "note": _("{each} of their rating used, {failed} once the spare ones have failed").format(
                    each=wording.percent(round(float(load.each), 4)),
                    failed=wording.percent(round(float(load.on_failure), 4)),
                ),
                "badge": badge,
            },
            {
                "name": _("Battery"),
                "text": counted(float(battery_kwh(most, ups.battery_minutes)), "kWh", digits=3),
                "note": _("carries the highest draw for {minutes} minutes, without losses").format(
                    minutes=wording.number(ups.battery_minutes)
                ),
                "badge": self.badge(f"{self.base}/ups/battery_minutes"),
            },
        ]

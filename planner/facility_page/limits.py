"""What is used of each limit of a room."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import wording
from planner.engine.facility import rack_floor_kg_m2, rack_foot_kg
from planner.engine.housing import noise_limit, on_one_circuit, rack_heat_limit, rack_load_field
from planner.engine.layout import cooling_units_in_service
from planner.engine.prices import Source
from planner.engine.room import floor_limit_kg_m2, liquid, loudest
from planner.engine.rounding import SLACK
from planner.facility_page.said import ESTIMATE, Said
from planner.wording.numbers import counted

FLOOR_URL = "https://www.ibm.com/support/knowledgecenter/en/POWER8/p8ebe/p8ebe_floorconstruction.htm"
METHOD_URL = "https://www.yobitel.com/knowledge-base/rear-door-heat-exchanger"


class Limits(Said):
    """The bars, and the verdict over them."""

    def parts(self) -> dict[str, Any]:
        bars = self.bars()
        return {"verdict": self.verdict(bars), "bars": bars}

    def verdict(self, bars: list[dict[str, Any]]) -> dict[str, str]:
        over = [bar["name"] for bar in bars if bar["over"]]
        if not self.now.fits:
            return {"tone": "bad", "text": _("A machine fits in no rack of this room.")}
        if not over:
            return {"tone": "good", "text": _("Everything fits.")}
        text = ngettext("{count} limit passed: {names}", "{count} limits passed: {names}", len(over))
        return {"tone": "bad", "text": text.format(count=len(over), names=_(", ").join(over))}

    def bars(self) -> list[dict[str, Any]]:
        """What is used of each limit: of the room first, then of its fullest rack, then of its people and its floor."""
        known = {bar.resource: bar for bar in self.now.bars}
        power, cooling = known["power"], known["cooling"]
        bars = [
            self.bar(
                _("Power of the room"),
                power.used,
                "kW",
                power.limit,
                self.power_path(),
                note=self.headroom(power.used, power.limit),
                expected=cooling.used,
            ),
            self.bar(
                _("Heat"),
                cooling.used,
                "kW",
                cooling.limit,
                f"{self.base}/cooling_kw",
                note=self.heat(cooling.used),
            ),
            self.bar(_("Racks"), known["racks"].used, "rack", known["racks"].limit, f"{self.base}/racks"),
        ]
        bars += self.named_bars(power.used, cooling.used)
        if self.now.racks:
            bars += self.rack_bars(known)
        return bars + self.people_bars()

    def named_bars(self, most: float, heat: float) -> list[dict[str, Any]]:
        """Limits of the room that only some rooms name: the owner's budget, the UPS, spare cooling, air, liquid."""
        site, base, bars = self.site, self.base, list[dict[str, Any]]()
        if site.power_budget_kw is not None:
            note = _("by the nameplates; {kind}").format(kind=wording.choice("power_budget", site.power_budget))
            bars.append(
                self.bar(_("Power budget"), most, "kW", site.power_budget_kw, f"{base}/power_budget_kw", note=note)
            )
        if site.ups is not None:
            left = (site.ups.modules - site.ups.spare) * site.ups.module_kw
            note = _("without its spare modules; by the nameplates")
            bars.append(self.bar(_("UPS"), most, "kW", left, f"{base}/ups/modules", note=note))
        units = sorted(cooling_units_in_service(self.plan, site, self.month), reverse=True)
        if units and site.spare_cooling_units:
            left = math.fsum(units[site.spare_cooling_units :])
            note = _("while the spare units are down; mean draw of the month")
            path = f"{base}/spare_cooling_units"
            bars.append(self.bar(_("Heat without spare cooling"), heat, "kW", left, path, note=note))
        if site.air_cfm is not None:
            bars.append(self.bar(_("Air of the room"), self.air_cfm(), "CFM", site.air_cfm, f"{base}/air_cfm"))
        loops = liquid(self.plan, self.month)
        if loops is not None and site.liquid_l_per_min is not None:
            path = f"{base}/liquid_l_per_min"
            bars.append(self.bar(_("Liquid flow"), loops.l_per_min[1], "L/min", site.liquid_l_per_min, path))
        return bars

    def rack_bars(self, known: dict[str, Any]) -> list[dict[str, Any]]:
        base, fullest = self.base, _("of the fullest rack")
        hottest = max(rack.typical_kw for rack in self.now.racks)
        bars = [
            self.bar(
                _("Rack units"), known["units"].used, "U", known["units"].limit, f"{base}/rack_units", note=fullest
            ),
            self.bar(_("Power per rack"), known["kw"].used, "kW", known["kw"].limit, self.rack_kw_path(), note=fullest),
            self.feed_bar(),
            self.bar(
                _("Heat of one rack"),
                hottest,
                "kW",
                rack_heat_limit(self.site),
                f"{base}/rack_heat_kw",
                note=_("expected with all machines of the fullest rack busy")
                if self.site.rack_heat_kw is not None or rack_heat_limit(self.site) is None
                else _("expected with all machines of the fullest rack busy; the limit is assumed for {method}").format(
                    method=wording.choice("cooling_method", self.site.cooling_method)
                ),
                source=Source(basis="estimate", url=METHOD_URL) if self.site.rack_heat_kw is None else None,
            ),
            self.bar(
                _("Weight per rack"),
                known["kg"].used,
                "kg",
                known["kg"].limit,
                f"{base}/{rack_load_field(self.site)}",
                note=fullest,
            ),
            self.bar(
                _("Floor load"),
                rack_floor_kg_m2(max(rack.kg for rack in self.now.racks)),
                "kg/m2",
                floor_limit_kg_m2(self.site),
                f"{base}/floor_kg_m2",
                note=_("rack and half of its aisles counted; an ordinary building carries 70 lb/ft²"),
                source=Source(basis="sourced", url=FLOOR_URL) if self.site.floor_kg_m2 is None else None,
            ),
            self.bar(
                _("Load of a foot"),
                rack_foot_kg(max(rack.kg for rack in self.now.racks)),
                "kg",
                self.site.floor_foot_kg,
                f"{base}/floor_foot_kg",
                note=_("of the four of the fullest rack"),
            ),
        ]
        for resource, name, unit, path in (
            ("cords", _("Power cords per rack"), "cord", "circuit/outlets" if self.site.circuit else "circuit"),
            ("cfm", _("Air per rack"), "CFM", "rack_cfm"),
        ):
            bars.append(
                self.bar(name, known[resource].used, unit, known[resource].limit, f"{base}/{path}", note=fullest)
            )
        return [bar for bar in bars if bar is not None]

    def feed_bar(self) -> dict[str, Any] | None:
        circuit = self.now.circuit
        if circuit is None:
            return None
        each, left = max(self.now.racks, key=lambda rack: rack.kw), circuit.feeds - (1 if self.found.without else 0)
        assert each.feeds is not None
        load = each.kw / left if left else 0.0
        note = _("of the fullest rack, carried by {feeds}").format(feeds=counted(left, "feed"))
        limit = each.feeds.usable_kw / circuit.feeds
        return self.bar(_("Load of one feed"), load, "kW", limit, f"{self.feeds_path}/amps", note=note)

    def people_bars(self) -> list[dict[str, Any]]:
        noise, most = loudest(self.plan, self.month), noise_limit(self.site)
        if noise is None or most is None:
            return []
        source = ESTIMATE if self.site.noise_limit_db is None else None
        note = _("the loudest machine")
        return [self.bar(_("Noise"), noise, "dB(A)", most, f"{self.base}/noise_limit_db", note=note, source=source)]

    def power_path(self) -> str:
        return f"{self.base}/circuit/amps" if on_one_circuit(self.site) else f"{self.base}/power_kw"

    def rack_kw_path(self) -> str:
        limit = next(bar.limit for bar in self.now.bars if bar.resource == "kw")
        by_feeds = self.site.circuit is not None and limit is not None and limit != self.site.rack_kw
        return f"{self.feeds_path}/amps" if by_feeds else f"{self.base}/rack_kw"

    def headroom(self, most: float, limit: float | None) -> str:
        """What is left by the nameplates, which decide, and by the draw that is expected."""
        expected = float(self.housing.draw_busy[0, self.month])
        if limit is None:
            return _("by the nameplates; {expected} expected").format(expected=wording.quantity(expected, "kW"))
        return _("by the nameplates, which decide; {expected} expected would leave {left}").format(
            expected=wording.quantity(expected, "kW"), left=wording.quantity(limit - expected, "kW")
        )

    def bar(
        self,
        name: str,
        used: float,
        unit: str,
        limit: float | None,
        path: str,
        *,
        note: str = "",
        source: Source | None = None,
        expected: float | None = None,
    ) -> dict[str, Any]:
        """One row: how much of a limit is used. `expected` is drawn inside of what is used."""
        scale = max(used, limit or 0.0) or 1.0
        over = limit is not None and used > limit + SLACK
        return {
            "name": name,
            "used": counted(used, unit),
            "limit": counted(limit, unit) if limit is not None else "",
            "left": "" if limit is None else counted(limit - used, unit),
            "share": wording.percent(round(used / limit, 4)) if limit else "",
            "over": over,
            "width": 100.0 * used / scale,
            "inner": 0.0 if expected is None else 100.0 * min(expected, used) / scale,
            "at": 0.0 if limit is None else 100.0 * limit / scale,
            "note": note,
            "path": path,
            "badge": None if limit is None else wording.source(source) if source is not None else self.badge(path),
        }

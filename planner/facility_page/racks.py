"""Racks drawn to scale, and as a table."""

from __future__ import annotations

import math
from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _

from planner import wording
from planner.charts import racks as drawn
from planner.engine.layout import Rack, Stack
from planner.engine.room import RackWithout
from planner.facility_page.said import Said
from planner.services.facility import COOLING
from planner.wording.numbers import counted

GROUPS = 12  # groups of racks that are drawn; the table holds them all


class Racks(Said):
    """Racks unit by unit, and what stands beside them."""

    def parts(self) -> dict[str, Any]:
        return {
            "racks": [self.rack(rack) for rack in self.now.racks[:GROUPS]],
            "more_groups": max(len(self.now.racks) - GROUPS, 0),
            "machines": self.machines(),
            "beside": [
                _("{count} × {item}").format(count=wording.number(number), item=self.name(slug))
                for slug, number in self.now.beside
            ],
            "deciding": self.deciding(),
        }

    def deciding(self) -> str:
        words = {
            "units": _("the height of the racks"),
            "kw": _("the power of a rack"),
            "kg": _("the weight a rack holds"),
            "cords": _("the outlets of a rack"),
            "cfm": _("the air of a rack"),
        }
        return words.get(self.now.limit_by or "", "")

    def rack(self, rack: Rack) -> dict[str, Any]:
        last = rack.first + rack.count - 1
        name = _("Rack {number}") if rack.count == 1 else _("Racks {number}–{last}")
        free = self.site.rack_units - self.site.reserved_units - rack.units
        limits = {bar.resource: bar.limit for bar in self.now.bars}
        facts = [
            (counted(rack.units, "U"), limits["units"], "U"),
            (wording.quantity(rack.kw, "kW"), limits["kw"], "kW"),
            (wording.quantity(rack.kg, "kg"), limits["kg"], "kg"),
        ]
        name = name.format(number=rack.first, last=last)
        without = next((each for each in self.found.without or () if each.rack == rack), None)
        heard = [f"{name}: {counted(self.site.rack_units, 'U')}"]
        heard += [f"{self.place(stack)} {self.stack_words(stack)}" for stack in rack.stacks]
        heard.append(_("{units} U free").format(units=wording.number(free)))
        return {
            "name": name,
            "alike": _("{count} alike").format(count=rack.count) if rack.count > 1 else "",
            "svg": mark_safe(
                drawn.draw(
                    [self.box(stack, rack, without) for stack in rack.stacks],
                    self.site.rack_units,
                    self.site.reserved_units,
                    _("; ").join(heard),
                    _("{units} U free").format(units=wording.number(free)),
                    _("kept free"),
                )
            ),
            "facts": [
                _("{used} of {limit}").format(used=text, limit=counted(limit, unit)) if limit else text
                for text, limit, unit in facts
            ],
            "limit": self.stops(rack, limits),
            "above": _("above what {method} is assumed to carry").format(
                method=wording.choice("cooling_method", self.site.cooling_method)
            )
            if rack.above_method
            else "",
        }

    def stops(self, rack: Rack, limits: dict[str, float | None]) -> str:
        """The limit of which a rack has least left: what would stop one more machine first."""
        used = {"units": rack.units, "kw": rack.kw, "kg": rack.kg, "cords": rack.cords, "cfm": rack.cfm}
        shares = {name: value / limit for name, value in used.items() if (limit := limits[name])}
        if not shares:
            return _("no limit known")
        name = max(shares, key=lambda each: shares[each])
        return _("tightest limit: {limit}, {share} used").format(
            limit=self.resource(name), share=wording.percent(round(shares[name], 4))
        )

    def resource(self, code: str) -> str:
        words = {
            "units": _("height"),
            "kw": _("power"),
            "kg": _("weight"),
            "cords": _("outlets"),
            "cfm": _("air"),
        }
        return words[code]

    def box(self, stack: Stack, rack: Rack, without: RackWithout | None) -> drawn.Box:
        return drawn.Box(
            bottom=stack.bottom,
            units=stack.units,
            count=stack.count,
            lines=(self.name(stack.item), self.each(stack)),
            all_lines=(_("{count} × {item}").format(count=stack.count, item=self.name(stack.item)), self.each(stack)),
            state=self.state(stack, without),
        )

    def state(self, stack: Stack, without: RackWithout | None) -> str:
        if self.build(stack.item) is None:
            return "off" if without is not None and without.over else "switch"
        if without is not None:
            supplies = next((each for each in without.supplies if each.item == stack.item), None)
            unfed = supplies is not None and supplies.left == 0
            weak = supplies is not None and not supplies.keeps
            return "off" if without.over or unfed else "short" if weak else ""
        if self.found.lost == COOLING and self.now.cooling_loss is not None:
            kept = self.now.cooling_loss.kept
            return "off" if kept <= 0.0 else "short" if kept < 1.0 else ""
        return ""

    def each(self, stack: Stack) -> str:
        """Height, draw and weight of each machine."""
        return " · ".join(
            [counted(stack.units, "U"), wording.quantity(stack.kw, "kW"), wording.quantity(stack.kg, "kg")]
        )

    def stack_words(self, stack: Stack) -> str:
        named = _("{count} × {item}").format(count=stack.count, item=self.name(stack.item))
        return f"{named}{_(', ')}{self.each(stack)}"

    def place(self, stack: Stack) -> str:
        top = stack.bottom + stack.count * stack.units - 1
        low, high = wording.number(math.floor(stack.bottom)), wording.number(math.ceil(top))
        return f"U{low}" if low == high else f"U{low}–U{high}"

    def machines(self) -> list[dict[str, Any]]:
        """The racks as a table."""
        rows = []
        for rack in self.now.racks:
            last = rack.first + rack.count - 1
            for stack in rack.stacks:
                build = self.build(stack.item)
                source = build.power_source if build is not None else self.book.items[stack.item].source
                rows.append(
                    {
                        "racks": str(rack.first) if rack.count == 1 else f"{rack.first}–{last}",
                        "place": self.place(stack),
                        "name": self.name(stack.item),
                        "count": wording.number(stack.count),
                        "units": counted(stack.units, "U"),
                        "kw": wording.quantity(stack.kw, "kW") if stack.kw else "–",
                        "kg": wording.quantity(stack.kg, "kg"),
                        "air": wording.quantity(stack.cfm, "CFM") if stack.cfm else "–",
                        "cords": wording.number(stack.cords) if stack.cords else "–",
                        "badge": wording.source(source, self.book.pricing_date),
                    }
                )
        return rows

"""What the page says of the machines themselves: cards in their chassis, GPUs on one outlet."""

from __future__ import annotations

import math
from typing import Any

from django.utils.translation import gettext as _

from planner import wording
from planner.engine.cards import CardRoom, card_room
from planner.engine.prices import Source
from planner.engine.room import Limited, on_outlet
from planner.engine.rounding import SLACK
from planner.facility_page.said import Said
from planner.wording.numbers import counted

RATE_URL = (
    "https://github.com/voipmonitor/rtx6kpro/blob/117ba44bf3ce1e490587b7c7b01479123a4546b2/hardware/gpu-configs.md"
)


class Machines(Said):
    """Cards and outlets."""

    def parts(self) -> dict[str, Any]:
        return {"cards": self.cards(), "outlet": self.outlet()}

    def cards(self) -> list[dict[str, Any]]:
        """Whether the cards of each kind of machine go into it, the fullest one of the month."""
        rows = []
        for holding in self.plan.fleet.holdings:
            hosts, machine = float(holding.hosts[0, self.month]), holding.machine
            each = math.ceil(float(holding.cards[0, self.month]) / hosts - SLACK) if hosts else 0
            room = card_room(machine.build, machine.accelerator, each)
            if room is None or not each:
                continue
            rows.append(
                {
                    "name": self.name(machine.slug),
                    "cards": counted(each, "GPU"),
                    "width": self.slots(room.slot_width),
                    "place": self.slots(room.place_width),
                    "most": counted(room.most, "GPU") if room.most is not None else _("not known"),
                    "length": self.mm(room.length_mm),
                    "longest": self.mm(room.length_max_mm),
                    "state": self.card_state(room),
                    "badge": wording.source(machine.build.card_source, self.book.pricing_date)
                    if room.place_width is not None
                    else None,
                }
            )
        return rows

    @staticmethod
    def slots(width: int | None) -> str:
        return counted(width, "slot") if width is not None else _("not known")

    @staticmethod
    def mm(length: float | None) -> str:
        return wording.quantity(length, "mm") if length is not None else _("not known")

    @staticmethod
    def card_state(room: CardRoom) -> dict[str, str]:
        if room.too_wide:
            return {"tone": "bad", "text": _("too wide")}
        if room.too_long:
            return {"tone": "bad", "text": _("too long")}
        if room.unknown or room.slot_width is None or room.most is None:
            return {"tone": "warn", "text": _("not known: ask the seller")}
        if room.place_width is None:
            return {"tone": "warn", "text": _("the rack is wide enough; the chassis names no width")}
        if room.length_mm is None or room.length_max_mm is None:
            return {"tone": "good", "text": _("wide enough; the length is not known")}
        return {"tone": "good", "text": _("goes in")}

    def outlet(self) -> dict[str, Any] | None:
        """The most GPUs that the office's only circuit carries, by power limit."""
        holding = next(iter(self.plan.fleet.holdings), None)
        rows = on_outlet(self.site, holding.machine) if holding is not None else ()
        if holding is None or not rows:
            return None
        best = max(rows, key=lambda row: row.work)
        return {
            "machine": self.name(holding.machine.slug),
            "rows": [self.limited(row, best) for row in rows],
            "badge": wording.source(Source(basis="sourced", url=RATE_URL)),
        }

    @staticmethod
    def limited(row: Limited, best: Limited) -> dict[str, Any]:
        return {
            "limit": _("{watts} ({share})").format(
                watts=wording.quantity(row.gpu_w, "W"), share=wording.percent(row.share)
            ),
            "gpus": counted(row.gpus, "GPU"),
            "kw": wording.quantity(row.kw, "kW"),
            "lost": wording.percent(round(1.0 - row.rate, 4)),
            "work": wording.number(row.work, digits=3),
            "best": row is best and row.gpus > 0,
        }

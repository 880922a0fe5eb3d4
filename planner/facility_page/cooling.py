"""How the heat leaves, and what it does where it does not."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _

from planner import wording
from planner.engine.facility import (
    CAPTURE_RATIO,
    M3_H_PER_CFM,
    PLANNED_CFM_PER_KW,
    airflow_rise_c,
    inlet_verdict,
)
from planner.engine.prices import Source
from planner.engine.room import LOOP_RISE_C, liquid
from planner.engine.rounding import SLACK
from planner.facility_page.said import ESTIMATE, Said
from planner.wording.numbers import counted

AIR_URL = "https://docs.nvidia.com/dgx-pdf/nvidia-dgx-superpod-data-center-best-practices-with-dgx-b200.pdf"


class Cooling(Said):
    """Air and liquid of a month, and what heat takes."""

    def parts(self) -> dict[str, Any]:
        return {"air": self.air(), "throttle": self.throttle()}

    def air(self) -> list[dict[str, Any]]:
        """How the heat leaves: air, and liquid where machines have loops of their own."""
        cfm, heat = self.air_cfm(), float(self.housing.draw_busy[0, self.month])
        planned = Source(basis="sourced", url=AIR_URL)
        rows = [
            self.figure(
                _("Air through the machines"),
                self.both_airs(cfm),
                _("the makers' figures; {cfm} CFM a kW at most draw where they give none").format(
                    cfm=wording.number(PLANNED_CFM_PER_KW)
                ),
                planned,
            ),
            self.figure(
                _("Heat"),
                f"{wording.quantity(heat, 'kW')} · {self.heat(heat)}",
                _("all electrical power becomes heat; mean draw of the month"),
                None,
            ),
        ]
        rows += self.temperatures(cfm, heat)
        loops = liquid(self.plan, self.month)
        if loops is not None:
            low, high = loops.l_per_min
            rows.append(
                self.figure(
                    _("Water through the loops"),
                    _("{low} to {high}").format(
                        low=wording.number(low, digits=3), high=counted(high, "L/min", digits=3)
                    ),
                    _("{low}–{high} of the heat to the liquid, warmed by {rise} °C").format(
                        low=wording.percent(CAPTURE_RATIO[0], sign=False),
                        high=wording.percent(CAPTURE_RATIO[1]),
                        rise=wording.number(LOOP_RISE_C),
                    ),
                    ESTIMATE,
                )
            )
            rows.append(
                self.figure(
                    _("Heat left to the air"),
                    _("{low} to {high}").format(
                        low=wording.number(loops.kw_to_air[1], digits=3),
                        high=counted(loops.kw_to_air[0], "kW", digits=3),
                    ),
                    _("what the loops do not catch, at maximum draw"),
                    ESTIMATE,
                )
            )
        return rows

    def temperatures(self, cfm: float, heat: float) -> list[dict[str, Any]]:
        """How warm the air comes and leaves."""
        if cfm <= 0.0:
            return []
        rise, supply = float(airflow_rise_c(heat, cfm)), self.site.supply_c
        warmer = _("{rise} warmer: 1.756 × W ÷ CFM, at sea level").format(rise=counted(rise, "°C", digits=3))
        if supply is None:
            note = _("what all machines give off, in all their air; name the supply air to see how warm it leaves")
            return [self.figure(_("Air warms by"), counted(rise, "°C", digits=3), note, None)]
        words = {
            "recommended": _("within what ASHRAE recommends for servers (A2, 18–27 °C)"),
            "allowable": _("ASHRAE allows it for servers (A2, 10–35 °C) and recommends 18–27 °C"),
            "outside": _("outside what ASHRAE allows for servers (A2, 10–35 °C)"),
        }
        path, verdict = f"{self.base}/supply_c", words[inlet_verdict(supply, "A2")]
        return [
            self.figure(_("Supply air"), counted(supply, "°C"), verdict, None) | {"badge": self.badge(path)},
            self.figure(_("Air that leaves"), counted(supply + rise, "°C", digits=3), warmer, None),
        ]

    def both_airs(self, cfm: float) -> str:
        return f"{wording.quantity(cfm, 'CFM')} · {counted(cfm * M3_H_PER_CFM, 'm3/h')}"

    def throttle(self) -> dict[str, str]:
        """What heat and missing power take from the machines in this month."""
        slowed, held = float(self.housing.slowed[0, self.month]), float(self.housing.held[0, self.month])
        lost = self.housing.lost_gpu_hours
        hours = float(lost[0, self.month]) if lost.shape[1] > self.month else 0.0
        gone = counted(hours, "GPU-hour")
        if not (self.now.fits or self.now.racks or self.now.beside):
            return {
                "tone": "bad",
                "text": _("No machine fits in a rack of this room: nothing is placed in this month."),
            }
        if held < 1.0 - SLACK:
            text = _("Only {share} of the machines have power and a place; the others stand still.")
            return {"tone": "bad", "text": text.format(share=wording.percent(round(held, 4)))}
        if slowed <= 0.0:
            text = _(
                "So little of the heat leaves that the machines switch themselves off: {hours} of work are lost this "
                "month."
            )
            return {"tone": "bad", "text": text.format(hours=gone)}
        if slowed < 1.0 - SLACK:
            text = (
                _(
                    "The heat slows the machines down to {share} of their rate, the root of cooling ÷ heat: {hours} of "
                    "work are lost this month."
                )
                if hours
                else _(
                    "The heat slows the machines down to {share} of their rate, the root of cooling ÷ heat; what is "
                    "left still does all the work, 0 GPU-hours are lost."
                )
            )
            return {
                "tone": "bad" if hours else "warn",
                "text": text.format(share=wording.percent(round(slowed, 4)), hours=gone),
            }
        return {"tone": "good", "text": _("No throttling: 0 GPU-hours of work are lost to heat this month.")}

"""What the loss of a feed or of a cooling unit does."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import wording
from planner.facility_page.said import Said
from planner.services.facility import COOLING, losses


class Losses(Said):
    """What can be lost, and what the chosen loss does."""

    def parts(self) -> dict[str, Any]:
        return {"losses": self.losses(), "loss": self.loss()}

    def losses(self) -> list[dict[str, Any]]:
        choices = [("", _("nothing lost"))]
        choices += [
            (code, _("a cooling unit") if code == COOLING else _("feed {letter}").format(letter=code))
            for code in losses(self.now)
        ]
        return [{"code": code, "name": name, "chosen": code == self.found.lost} for code, name in choices]

    def loss(self) -> dict[str, str] | None:
        """What the chosen loss does, in a sentence."""
        if self.found.lost == COOLING and self.now.cooling_loss is not None:
            return self.cooling_loss()
        if self.found.without is None:
            return None
        over = sum(each.rack.count for each in self.found.without if each.over)
        off = sum(each.rack.count * each.off for each in self.found.without)
        short = sum(each.rack.count * each.short for each in self.found.without)
        head = _("Feed {letter} lost.").format(letter=self.found.lost)
        said = []
        if over:
            text = ngettext(
                "{count} rack overloads its remaining feeds.", "{count} racks overload their remaining feeds.", over
            )
            said.append(text.format(count=wording.number(over)))
        if off:
            said.append(
                ngettext("{count} machine goes down.", "{count} machines go down.", off).format(
                    count=wording.number(off)
                )
            )
        if short:
            text = ngettext(
                "{count} machine has too few supplies left for full power.",
                "{count} machines have too few supplies left for full power.",
                short,
            )
            said.append(text.format(count=wording.number(short)))
        if not said:
            said.append(_("Every rack runs on: the other feeds carry it."))
        gap = "" if wording.chinese() else " "
        return {"tone": "bad" if over or off else "warn" if short else "good", "text": gap.join([head, *said])}

    def cooling_loss(self) -> dict[str, str]:
        loss = self.now.cooling_loss
        assert loss is not None
        facts = {
            "left": wording.quantity(loss.cooling_kw, "kW"),
            "heat": wording.quantity(loss.heat_kw, "kW"),
            "kept": wording.percent(round(loss.kept, 4)),
        }
        if loss.survives:
            return {
                "tone": "good",
                "text": _("A cooling unit lost. The others carry {left}, the heat is {heat}.").format(**facts),
            }
        if loss.kept <= 0.0:
            text = _("A cooling unit lost. {left} are left for {heat} of heat: the machines switch themselves off.")
            return {"tone": "bad", "text": text.format(**facts)}
        text = _(
            "A cooling unit lost. {left} are left for {heat} of heat: the machines slow down to {kept} of their rate."
        )
        return {"tone": "warn", "text": text.format(**facts)}

"""A room in one month as the words, tables and drawings of its page, in the language that is active."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import tables, wording
from planner.charts import racks as drawn
from planner.engine.facility import (
    CAPTURE_RATIO,
    M3_H_PER_CFM,
    METHOD_RACK_KW,
    PLANNED_CFM_PER_KW,
    btu_per_hour,
    circuit_kva,
    tons,
)
from planner.engine.housing import UpgradeOrder, noise_limit, on_one_circuit
from planner.engine.inputs import Circuit
from planner.engine.layout import Rack, Stack
from planner.engine.prices import Build, Source
from planner.engine.result import Evaluation
from planner.engine.room import (
    LOOP_RISE_C,
    Passed,
    RackWithout,
    Standing,
    Supplies,
    floor_limit_kg_m2,
    floor_load_kg_m2,
    liquid,
    loudest,
    without_feed,
)
from planner.engine.rounding import SLACK
from planner.services.facility import COOLING, Facility, feeds, losses, price_of
from planner.wording.numbers import counted

GROUPS = 12  # groups of racks that are drawn; the table holds them all
AIR_URL = "https://docs.nvidia.com/dgx-pdf/nvidia-dgx-superpod-data-center-best-practices-with-dgx-b200.pdf"
FLOOR_URL = "https://www.ibm.com/support/knowledgecenter/en/POWER8/p8ebe/p8ebe_floorconstruction.htm"
METHOD_URL = "https://www.yobitel.com/knowledge-base/rear-door-heat-exchanger"
ESTIMATE = Source(basis="estimate")


def page(found: Facility, evaluation: Evaluation, row_at: Callable[[str], Any]) -> dict[str, Any]:
    """Everything the page says of one month. `row_at` gives the row of an assumption, or None."""
    return _Said(found, evaluation, row_at).page()


class _Said:
    """The words of one month of one plan."""

    def __init__(self, found: Facility, evaluation: Evaluation, row_at: Callable[[str], Any]) -> None:
        self.found, self.evaluation, self.row_at = found, evaluation, row_at
        self.plan, self.now, self.month = found.plan, found.now, found.month
        self.scenario, self.book, self.calendar = evaluation.scenario, evaluation.book, evaluation.calendar
        self.site, self.base = found.now.site, f"sites/{found.now.site.slug}"
        self.housing = found.plan.housing

    def page(self) -> dict[str, Any]:
        bars = self.bars()
        return {
            "owns": self.found.owns,
            "refusals": [wording.finding(reason, self.evaluation) for reason in self.plan.infeasible],
            "month": self.month,
            "month_text": self.code(self.month),
            "last": self.calendar.months - 1,
            "labels": [self.code(month) for month in range(self.calendar.months)],
            "before": self.wave(self.found.before),
            "after": self.wave(self.found.after),
            "losses": self.losses(),
            "room": wording.site_name(self.site),
            "verdict": self.verdict(bars),
            "bars": bars,
            "racks": [self.rack(rack) for rack in self.now.racks[:GROUPS]],
            "more_groups": max(len(self.now.racks) - GROUPS, 0),
            "machines": self.machines(),
            "beside": [
                _("{count} × {item}").format(count=wording.number(number), item=wording.item(slug, self.book))
                for slug, number in self.now.beside
            ],
            "deciding": self.deciding(),
            "loss": self.loss(),
            "circuit": self.circuit(),
            "supplies": self.supplies(),
            "feed": self.feed,
            "air": self.air(),
            "throttle": self.throttle(),
            "blocking": [
                {
                    "text": wording.finding(warning, self.evaluation),
                    "at": warning.month,
                    "month": self.code(warning.month or 0),
                }
                for warning in self.plan.warnings
                if warning.facts.get("blocking")
            ],
            "passed": [self.passed(each) for each in self.found.passed],
            "next": self.next(),
            "timeline": self.timeline(),
        }

    # ── words ──

    def code(self, month: int) -> str:
        """A month both ways: "2028-03 · m15"; it may be the one after the last."""
        day = self.calendar.firsts[min(month, self.calendar.months)]
        return f"{day:%Y-%m} · m{month}"

    def wave(self, month: int | None) -> dict[str, Any] | None:
        return None if month is None else {"month": month, "text": self.code(month)}

    def badge(self, path: str) -> dict[str, Any] | None:
        """The badge of the assumption at a path; nothing where the row has none."""
        row = self.row_at(path)
        return row.badge if row is not None else None

    def build(self, slug: str) -> Build | None:
        return self.book.builds.get(slug)

    def losses(self) -> list[dict[str, Any]]:
        choices = [("", _("nothing lost"))]
        choices += [
            (code, _("a cooling unit") if code == COOLING else _("feed {letter}").format(letter=code))
            for code in losses(self.now)
        ]
        return [{"code": code, "name": name, "chosen": code == self.found.lost} for code, name in choices]

    # ── limits ──

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
        if self.now.racks:
            bars += self.rack_bars(known)
        return bars + self.people_bars()

    def rack_bars(self, known: dict[str, Any]) -> list[dict[str, Any]]:
        base, fullest = self.base, _("of the fullest rack")
        hottest = max(rack.kw for rack in self.now.racks)
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
                METHOD_RACK_KW[self.site.cooling_method],
                f"{base}/cooling_method",
                note=_("of the fullest rack; the limit is assumed for {method}").format(
                    method=wording.choice("cooling_method", self.site.cooling_method)
                ),
                source=Source(basis="estimate", url=METHOD_URL),
            ),
            self.bar(_("Weight per rack"), known["kg"].used, "kg", known["kg"].limit, f"{base}/rack_kg", note=fullest),
            self.bar(
                _("Floor load"),
                floor_load_kg_m2(max(rack.kg for rack in self.now.racks)),
                "kg/m2",
                floor_limit_kg_m2(self.site),
                "",
                note=_("rack and half of its aisles counted; an ordinary building carries 70 lb/ft²"),
                source=Source(basis="sourced", url=FLOOR_URL),
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
        return self.bar(_("Load of one feed"), load, "kW", limit, f"{self.base}/circuit/amps", note=note)

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
        return f"{self.base}/circuit/amps" if by_feeds else f"{self.base}/rack_kw"

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

    def deciding(self) -> str:
        words = {
            "units": _("the height of the racks"),
            "kw": _("the power of a rack"),
            "kg": _("the weight a rack holds"),
            "cords": _("the outlets of a rack"),
            "cfm": _("the air of a rack"),
        }
        return words.get(self.now.limit_by or "", "")

    # ── racks ──

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

    def name(self, slug: str) -> str:
        return wording.item(slug, self.book)

    def each(self, stack: Stack) -> str:
        """Height, draw and weight of each machine; of switches the fabric as a whole knows the draw."""
        facts = [counted(stack.units, "U")]
        if stack.kw:
            facts.append(wording.quantity(stack.kw, "kW"))
        return " · ".join([*facts, wording.quantity(stack.kg, "kg")])

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

    # ── losses ──

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

    @property
    def feed(self) -> str:
        """The feed that is looked at: the lost one, or the first, which carries the most cords."""
        known = feeds(self.now)
        return (self.found.lost if self.found.lost in known else known[0]) if known else ""

    def circuit(self) -> dict[str, Any]:
        """The feeds of the racks, group by group, with all of them and one lost."""
        circuit, base = self.now.circuit, f"{self.base}/circuit"
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

        return {
            "name": self.name(stack.item),
            "psus": wording.number(stack.cords),
            "needed": wording.number(needed) if needed is not None else _("not known"),
            "failed": said(stack.cords - 1),
            "feed": said(fed.left) if fed is not None else None,
            "badge": wording.source(source, self.book.pricing_date),
        }

    # ── heat ──

    def air(self) -> list[dict[str, Any]]:
        """How the heat leaves: air, and liquid where machines have loops of their own."""
        cfm, heat = self.now.airflow_cfm, float(self.housing.draw_busy[0, self.month])
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

    @staticmethod
    def heat(kw: float) -> str:
        """Heat in the units in which air conditioners are sold."""
        return f"{counted(float(btu_per_hour(kw)), 'BTU/h', digits=5)} · {counted(float(tons(kw)), 'ton', digits=3)}"

    def both_airs(self, cfm: float) -> str:
        return f"{wording.quantity(cfm, 'CFM')} · {counted(cfm * M3_H_PER_CFM, 'm3/h')}"

    @staticmethod
    def figure(name: str, text: str, note: str, source: Source | None) -> dict[str, Any]:
        return {"name": name, "text": text, "note": note, "badge": None if source is None else wording.source(source)}

    def throttle(self) -> dict[str, str]:
        """What heat and missing power take from the machines in this month."""
        slowed, held = float(self.housing.slowed[0, self.month]), float(self.housing.held[0, self.month])
        lost = self.housing.lost_gpu_hours
        hours = float(lost[0, self.month]) if lost.shape[1] > self.month else 0.0
        gone = counted(hours, "GPU-hour")
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

    # ── the horizon ──

    def passed(self, each: Passed) -> dict[str, Any]:
        """One limit that is passed: when, by what, and what is done about it."""
        unit = UNITS[each.resource]
        text = str(self.sentences()[each.resource]).format(
            needed=counted(each.needed, unit),
            limit=counted(each.limit, unit),
            site=wording.site_named(self.scenario, each.site),
        )
        path = self.limit_path(each)
        return {
            "month": self.code(each.month),
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
        name = "circuit/amps" if one_circuit or by_feeds else FIELDS[each.resource]
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
            "method": _("A rack draws {needed}; the cooling of {site} is assumed to carry {limit} from one rack."),
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
        when = (
            _("ordered {ordered}, in service {there}").format(
                ordered=self.code(order.ordered), there=self.code(order.in_service)
            )
            if bought
            else _("not bought by this plan; it would have to be ordered {ordered}").format(
                ordered=self.code(order.ordered)
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
            "month": self.code(coming.month),
            "rows": [row for row in (self.change(each, now, then) for each in COMPARED) if row is not None],
            "notes": notes,
            "now": self.code(self.month),
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


UNITS = {
    "cooling": "kW",
    "power": "kW",
    "racks": "rack",
    "units": "U",
    "kw": "kW",
    "kg": "kg",
    "cords": "cord",
    "cfm": "CFM",
    "method": "kW",
    "feeds": "kW",
    "noise": "dB(A)",
}
# The assumption that holds each limit, in its site.
FIELDS = {
    **tables.LIMIT_FIELDS,
    "method": "cooling_method",
    "feeds": "circuit/feeds",
    "noise": "noise_limit_db",
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

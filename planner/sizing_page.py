"""The answer to "what do I need?" as the words, tables and drawings of its page, in the language that is active."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

from django.utils.safestring import mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import wording
from planner.charts import memory
from planner.engine import workload as formulas
from planner.engine.eligibility import computes_in
from planner.engine.footprint import PARTS, Footprint
from planner.engine.prices import Source
from planner.services.explain.work import FACTOR_UNITS, MEASURED, SILENT
from planner.services.sizing import Answer, Need

GB = 1e9
SHOWN = ("fits", "all")
UNKNOWN = math.inf
SORTS: dict[str, Callable[[Need], Any]] = {
    "price": lambda need: UNKNOWN if need.amount is None else need.amount,
    "rent": lambda need: UNKNOWN if need.rented is None else need.rented.per_hour,
    "gpus": lambda need: need.gpus,
    "kw": lambda need: UNKNOWN if need.kw is None else need.kw,
    "rate": lambda need: -(need.ratio or 0.0),
    "name": lambda need: need.accelerator.name.lower(),
}


def page(answer: Answer, *, pick: str = "", sort: str = "", show: str = "", vendor: str = "") -> dict[str, Any]:
    """Everything the answer says.

    pick   : the accelerator told in full; "" or an unknown one: the first in the list that fits.
    sort   : a key of SORTS; show: one of SHOWN; vendor: "" for all. What is not known counts as the first of each.
    """
    said = _Said(answer)
    sort = sort if sort in SORTS else "price"
    show = show if show in SHOWN else SHOWN[0]
    vendors = sorted({need.item.vendor for need in answer.needs if need.item.vendor})
    vendor = vendor if vendor in vendors else ""
    of_vendor = [need for need in answer.needs if not vendor or need.item.vendor == vendor]
    fitting = [need for need in of_vendor if need.fits]
    listed = sorted(
        fitting if show == "fits" else of_vendor, key=lambda need: (not need.fits, SORTS[sort](need), need.slug)
    )
    picked = answer.of(pick) or _first(answer, listed)
    held = [need for need in listed if need.footprint is not None]
    return {
        "rows": [said.row(need, picked) for need in listed],
        "picked": said.detail(picked) if picked is not None else None,
        "pick": pick if answer.of(pick) else "",
        "sort": sort,
        "show": show,
        "vendor": vendor,
        "vendors": vendors,
        "heads": [
            {"code": code, "words": words, "num": code not in ("name", ""), "sorted": code == sort}
            for code, words in _heads()
        ],
        "count": said.count(len(fitting), len(of_vendor)),
        "left_out": len(of_vendor) - len(fitting),
        "parts": [(code, wording.memory_part(code)) for code in said.codes(held)],
        "memory": [said.memory_row(need, said.codes(held)) for need in held],
        "growing": any(need.gpus_last != need.gpus for need in fitting),
        "last": said.last,
    }


def _first(answer: Answer, listed: list[Need]) -> Need | None:
    """The accelerator told in full unasked: the first of the list; of work stated in GPUs, those GPUs themselves."""
    fitting = [need for need in listed if need.fits]
    stated = next((need for need in fitting if need.slug == answer.work.accelerator), None)
    if answer.shape is None and stated is not None:
        return stated
    return min(fitting, key=_is_doubtful, default=None)


def _is_doubtful(need: Need) -> bool:
    """Whether an accelerator is not what one would begin with: not on sale new, or without a price."""
    used = need.bought is not None and need.bought.build.slug.startswith("used-")
    return used or need.amount is None or need.item.spec.status not in (None, "shipping")


def _heads() -> list[tuple[str, str]]:
    """The columns, with what the list can be sorted by."""
    name, gpus, *rest = (wording.sorting(code) for code in ("name", "gpus", "rate", "kw", "price", "rent"))
    apart = [("", _("Class of installation")), ("", _("Memory of one GPU"))]
    return [("name", name), ("gpus", gpus), *apart, *zip(("rate", "kw", "price", "rent"), rest, strict=True)]


def _gigabytes(amount: float) -> str:
    return wording.amount(amount / GB, "GB", digits=3)


class _Said:
    """The words of one answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.currency = answer, answer.scenario.currency
        self.reference = answer.book.accelerators.get(answer.work.accelerator)
        self.last = wording.month_label(answer.calendar, answer.scenario.months - 1)

    def count(self, fitting: int, of: int) -> str:
        return ngettext("{fitting} of {count} accelerator fits", "{fitting} of {count} accelerators fit", of).format(
            fitting=wording.number(fitting), count=wording.number(of)
        )

    # ── a row of the table ──

    def row(self, need: Need, picked: Need | None) -> dict[str, Any]:
        card = need.accelerator
        return {
            "slug": need.slug,
            "name": card.name,
            "vendor": need.item.vendor,
            "memory_gb": wording.amount(card.memory_gb, "GB") if card.memory_gb else "",
            "status": wording.status(need.item.spec.status),
            "source": wording.source(card.source),
            "fits": need.fits,
            "picked": picked is not None and need.slug == picked.slug,
            "refusal": "" if need.fits else wording.unsized(need.state),
            "bar": self.bar(need.footprint),
            "held": self.held(need.footprint),
            "fit": need.footprint.fit if need.footprint is not None else "",
            "fit_words": wording.memory_fit(need.footprint.fit) if need.footprint is not None else "",
            **(self.facts(need) if need.fits else {}),
        }

    def facts(self, need: Need) -> dict[str, Any]:
        """The figures of an accelerator that fits, each with its unit and source."""
        found, requirement = need, need.requirement
        assert requirement is not None
        return {
            "gpus": wording.amount(found.gpus, "GPU"),
            "gpus_last": wording.amount(found.gpus_last, "GPU") if found.gpus_last not in (found.gpus, 0) else "",
            "outgrown": self.outgrown(need),
            "servers": self.servers(need),
            "tier": wording.tier(need.tier),
            "tier_code": need.tier,
            "limit": wording.limit(requirement.limit),
            "runner_up": wording.limit(requirement.runner_up) if requirement.runner_up else "",
            "limits": self.limits(need),
            "rate": self.rate(need),
            "power": self.power(need),
            "price": self.price(need),
            "rent": self.rent(need),
        }

    def servers(self, need: Need) -> dict[str, str]:
        if need.bought is None:
            count = -(-need.gpus // need.server_gpus)
            return {
                "text": wording.amount(count, "server"),
                "name": _("{gpus} each, assumed").format(gpus=wording.amount(need.server_gpus, "GPU")),
                "slug": "",
            }
        build = need.bought.build
        return {
            "text": wording.amount(need.bought.servers, "server"),
            "name": wording.product(build.name),
            "slug": build.slug,
            "last": wording.amount(need.bought.servers_last, "server"),
        }

    def limits(self, need: Need) -> str:
        """ "63 GPUs by the deadline; memory alone would need 24 GPUs", where each asks most."""
        assert need.requirement is not None
        said = wording.limits(need.requirement)
        if math.isinf(need.requirement.ranked[0][1]):  # a model that outgrows every number of them
            return _("by the last month {limits}").format(limits=said)
        return said if need.gpus == need.gpus_last else _("over all months at most {limits}").format(limits=said)

    def outgrown(self, need: Need) -> str:
        """When a model that grows no longer fits: a server, or any number of GPUs."""
        server, everything = need.outgrown
        if everything is not None:
            return _("fits no number of them from {month}").format(month=self.month(everything))
        return "" if server is None else _("outgrows a server in {month}").format(month=self.month(server))

    def month(self, m: int) -> str:
        return wording.month_label(self.answer.calendar, m)

    def rate(self, need: Need) -> dict[str, Any]:
        """What one GPU does, whether by formula or measured, and beside the reference."""
        found: dict[str, Any] = {"text": "", "basis": "", "computed": "", "ratio": "", "source": None}
        if need.rate is not None:
            amount, unit, measured = need.rate
            found["text"] = wording.amount(amount, unit, digits=3)
            found["basis"] = _("measured") if measured else _("by formula")
            found["source"] = wording.source(Source(basis="own") if measured else need.accelerator.source)
        if computed := computes_in(self.answer.work, need.accelerator):
            found["computed"] = _("computes in {precision}").format(precision=wording.choice("precision", computed))
        if need.ratio is not None and self.reference is not None and need.slug != self.reference.slug:
            times = wording.number(need.ratio, digits=3)
            found["ratio"] = _("{times} × the reference").format(times=times)
        elif self.reference is not None and need.slug == self.reference.slug:
            found["ratio"] = _("the reference")
        return found

    def power(self, need: Need) -> dict[str, Any]:
        if need.bought is not None:
            build, kw = need.bought.build, wording.amount(need.bought.max_kw, "kW", digits=3)
            typical = wording.amount(need.bought.typical_kw, "kW", digits=3)
            return {
                "text": kw,
                "note": _("typically {kw}").format(kw=typical),
                "source": wording.source(build.power_source),
            }
        if need.cards_kw is None:
            return {"text": "", "note": _("not known"), "source": None}
        return {
            "text": wording.amount(need.cards_kw, "kW", digits=3),
            "note": _("GPUs alone"),
            "source": wording.source(need.accelerator.source),
        }

    def price(self, need: Need) -> dict[str, Any]:
        bought = need.bought
        if bought is None or bought.price is None:
            return {"text": "", "exact": "", "note": _("no quote"), "source": None}
        source = wording.source(
            bought.price.source, self.answer.book.pricing_date, self.answer.scenario.market.stale_after_days
        )
        if bought.amount is None:
            note = _("no exchange rate for {currency}").format(currency=bought.missing_rate)
            return {"text": "", "exact": "", "note": note, "source": source}
        dated = bought.price.source.dated
        return {
            "text": wording.money(bought.amount, self.currency, compact=True),
            "exact": wording.money(bought.amount, self.currency),
            "note": wording.date(dated) if dated else "",
            "source": source,
        }

    def rent(self, need: Need) -> dict[str, Any]:
        rented = need.rented
        if rented is None or rented.offer.price is None:
            return {"text": "", "note": _("no quote"), "source": None}
        dated = rented.offer.price.source.dated
        return {
            "text": _("{price} / hour").format(price=wording.unit_price(round(rented.per_hour, 2), self.currency)),
            "note": wording.date(dated) if dated else "",
            "name": wording.provider(rented.offer.provider),
            "of": wording.choice("provider_class", rented.provider_class),
            "source": wording.source(
                rented.offer.price.source, self.answer.book.pricing_date, self.answer.scenario.market.stale_after_days
            ),
        }

    # ── memory ──

    def codes(self, needs: list[Need]) -> list[str]:
        """The parts that occur, in the order in which they are drawn."""
        there = {code for need in needs if need.footprint is not None for code in need.footprint.parts}
        return [code for code in PARTS if code in there]

    def bar(self, held: Footprint | None) -> str:
        if held is None:
            return ""
        parts = [(wording.memory_part(code), _gigabytes(size)) for code, size in held.parts.items()]
        sentence = wording.memory_sentence(parts, _gigabytes(held.nameplate), held.gpus)
        return mark_safe(memory.bar(held, sentence))

    def held(self, held: Footprint | None) -> str:
        """ "107 of 124 GB usable"."""
        if held is None:
            return ""
        filled = wording.number(held.filled / GB, digits=3)
        return _("{filled} of {usable} usable").format(filled=filled, usable=_gigabytes(held.usable))

    def part(self, code: str, held: Footprint) -> str:
        """A part by name; the cache with the requests it holds."""
        if code == "kv_cache" and held.sequences:
            count = math.floor(held.sequences)
            return ngettext("KV cache of {count} request", "KV cache of {count} requests", count).format(
                count=wording.number(count)
            )
        return wording.memory_part(code)

    def memory_row(self, need: Need, codes: list[str]) -> dict[str, Any]:
        held = need.footprint
        assert held is not None
        return {
            "name": need.accelerator.name,
            "gpus": wording.number(held.gpus),
            "cells": [_gigabytes(held.parts[code]) if code in held.parts else "–" for code in codes],
            "free": _gigabytes(held.free),
            "usable": _gigabytes(held.usable),
            "all": _gigabytes(held.nameplate),
            "fit": wording.memory_fit(held.fit),
            "fit_code": held.fit,
            "source": wording.source(need.accelerator.source),
        }

    # ── one accelerator in full ──

    def detail(self, need: Need) -> dict[str, Any]:
        row, held = self.row(need, need), need.footprint
        codes = self.codes([need])
        return {
            **row,
            "title": self.title(need),
            "reason": self.reason(need),
            "legend": [] if held is None else self.legend(held, codes),
            "spread": "" if held is None else wording.amount(held.gpus, "GPU"),
            "usable": "" if held is None else _gigabytes(held.usable),
            "nameplate": "" if held is None else _gigabytes(held.nameplate),
            "kv_token": self.kv_token(held),
            "band": self.band(need),
            "limit_of": self.power_limit(need),
            "saving": self.saving(need),
            "factors": self.factors(need),
            "doubts": self.doubts(need),
        }

    def title(self, need: Need) -> str:
        if not need.fits:
            return _("{gpu}: {reason}").format(gpu=need.accelerator.name, reason=wording.unsized(need.state))
        if not need.gpus:
            return _("{gpu}: nothing is needed yet").format(gpu=need.accelerator.name)
        return _("{count} × {gpu}: {tier}").format(
            count=wording.number(need.gpus), gpu=need.accelerator.name, tier=wording.tier(need.tier)
        )

    def reason(self, need: Need) -> str:
        if need.fits and not need.gpus:
            return _("No work is stated for today; the figures below are those of today.")
        if need.fits:
            servers = need.bought.servers if need.bought else -(-need.gpus // need.server_gpus)
            return wording.tier_reason(
                need.tier, need.gang, need.gpus, need.server_gpus, servers, serving=self.answer.work.kind == "serving"
            )
        if need.state == "memory" and need.footprint is not None:
            held = need.footprint
            return wording.memory_refusal(_gigabytes(held.used), _gigabytes(held.nameplate), held.gpus)
        if need.state == "software":
            return _("It runs {stack}; this work needs {framework}.").format(
                stack=need.accelerator.software_stack,
                framework=wording.choice("framework", self.answer.work.framework),
            )
        if need.state == "target":
            return _("With a target utilisation of 0 no number of GPUs suffices.")
        if need.state == "copy" and need.requirement is not None:
            text = _(
                "A copy of that size does not divide the attention heads, or does not fit. Sizes that work: {sizes}."
            )
            sizes = _(", ").join(wording.number(size) for size in need.requirement.sizes or ())
            return text.format(sizes=sizes or _("none"))
        return _("The catalog lacks a figure from which its rate for this work would follow, so it is not offered.")

    def legend(self, held: Footprint, codes: list[str]) -> list[dict[str, str]]:
        found = [{"code": code, "name": self.part(code, held), "text": _gigabytes(held.parts[code])} for code in codes]
        name = wording.memory_part("free") if held.free >= 0 else _("Too much by")
        return [*found, {"code": "free", "name": name, "text": _gigabytes(abs(held.free))}]

    def kv_token(self, held: Footprint | None) -> str:
        """ "131,072 byte": what a token of a request takes in the cache of all GPUs."""
        if held is None or not held.kv_token:
            return ""
        return wording.amount(held.kv_token, "byte", digits=9)

    def band(self, need: Need) -> str:
        """ "48–128 GPUs over what published runs reached"."""
        if need.band is None or need.band[0] == need.band[1]:
            return ""
        few, many = need.band
        return _("{few}–{many} over what published runs reached").format(
            few=wording.number(few), many=wording.amount(many, "GPU")
        )

    def power_limit(self, need: Need) -> dict[str, Any] | None:
        """What a power limit leaves of draw and speed, with the requests under way and the source of the curve."""
        found, requirement = need.limited, need.requirement
        limit = self.answer.scenario.operations.gpu_power_limit_w
        if limit is None or requirement is None:
            return None
        if found is None or need.accelerator.tdp_w is None:
            known = need.accelerator.tdp_w
            note = _("the card's power is not known") if not known else _("no more than the card draws anyway")
            return {"text": _("without effect"), "note": note, "url": ""}
        share, kept = found
        note = _("of {watts}; {kept} of the speed").format(
            watts=wording.amount(need.accelerator.tdp_w, "W"), kept=wording.percent(kept)
        )
        if "under_way" in requirement.factors:
            way = wording.number(requirement.factors["under_way"], digits=2)
            note = _("{note} with {requests} requests under way").format(note=note, requests=way)
        if need.bought is not None:
            without = wording.amount(need.bought.unlimited_kw, "kW", digits=3)
            note = _("{note}; the same servers would draw {kw} without it").format(note=note, kw=without)
        declared = wording.declaration("operations/gpu_power_limit_w", self.answer.scenario)
        watts = wording.amount(share * need.accelerator.tdp_w, "W")
        return {"text": watts, "note": note, "url": declared.source if declared is not None else ""}

    def saving(self, need: Need) -> dict[str, str] | None:
        """GPUs that a scheduler saves a pool, and their price where there is one."""
        if need.saving is None:
            return None
        said = wording.scheduler_saving(need.saving.kind)
        worth = ""
        if need.amount is not None and need.bought is not None and need.bought.servers:
            each = need.amount / (need.bought.servers * need.server_gpus)
            worth = wording.money(need.saving.saved * each, self.currency, compact=True)
        return {"text": wording.amount(need.saving.saved, "GPU", digits=3), "worth": worth, "note": said}

    def factors(self, need: Need) -> list[tuple[str, str]]:
        """Each factor of the requirement once, by name; then the GPUs that each limit asks for."""
        requirement, work = need.requirement, self.answer.work
        if requirement is None or not need.fits:
            return []
        found = [(wording.factor_name("mean"), wording.amount(float(requirement.mean[0, 0]), "GPU"))]
        for name, value in requirement.factors.items():
            if (name in SILENT and abs(value - 1.0) < 1e-12) or (name == "attention_flop" and not value):
                continue
            if name == "gang":
                value = float(requirement.gang_today)
            measured = MEASURED.get(work.kind, ("1", 1.0, ""))[:2]
            unit, scale = measured if name == "measured_rate" else FACTOR_UNITS.get(name, ("1", 1.0))
            found.append((wording.factor_name(name), wording.quantity(value / scale, unit)))
        grows = requirement.memory_by_month
        if requirement.gang_deadline > 1 and grows is None:
            found.append((_("GPUs to meet the deadline"), wording.amount(requirement.gang_deadline, "GPU")))
        if need.footprint is not None:
            memory = requirement.gang_memory if grows is None else int(grows[0])
            found.append((_("GPUs for the memory of one job"), wording.amount(memory, "GPU")))
        if requirement.reserve[0, 0]:
            found.append((_("GPUs in spare servers"), wording.amount(float(requirement.reserve[0, 0]), "GPU")))
        return found

    def cliff(self, need: Need) -> str:
        """The fit cliff: the month, and what it means for what was bought."""
        server, everything = need.outgrown
        found = []
        if server is not None and server != everything:
            found.append(wording.sizing_doubt("outgrows_server", month=self.month(server)))
        if everything is not None:
            found.append(wording.sizing_doubt("outgrows_all", month=self.month(everything)))
        return " ".join(found)

    def doubts(self, need: Need) -> list[str]:
        """Reservations that hold for this answer."""
        if not need.fits:
            return []
        work, card, found = self.answer.work, need.accelerator, list[str]()
        shape, by_formula = self.answer.shape, need.rate is not None and not need.rate[2]
        if by_formula and shape is not None and work.kind == "serving":
            if shape.moe:
                found.append(wording.sizing_doubt("moe_serving"))
            if card.architecture.lower().startswith("cdna"):
                found.append(wording.sizing_doubt("amd_serving"))
        if need.outgrown != (None, None):
            found.append(self.cliff(need))
        if by_formula and shape is not None and work.kind in ("training", "tuning") and work.mfu is None:
            band = formulas.training_band(card.architecture, work.precision, shape.moe, need.gang <= need.server_gpus)
            if not band.published:
                found.append(wording.sizing_doubt("unpublished_band"))
        if work.kind == "serving" and work.apart:
            found.append(wording.sizing_doubt("apart"))
        if need.limited is not None and not formulas.limit_measured(need.limited[0]):
            limit = wording.amount(self.answer.scenario.operations.gpu_power_limit_w or 0.0, "W")
            words = {"limit": limit, "nameplate": wording.amount(card.tdp_w or 0.0, "W")}
            found.append(wording.sizing_doubt("power_limit_low", **words))
        if computed := computes_in(work, card):
            wanted = getattr(work, "precision", "")
            code = "computed_in_fp16" if wanted == "bf16" else "computed_in"
            words = {"precision": wanted, "computed": computed}
            said = {name: wording.choice("precision", value) for name, value in words.items()}
            found.append(wording.sizing_doubt(code, **said))
        if work.framework is not None and card.pytorch == "partial":
            found.append(wording.sizing_doubt("software_partial"))
        rule = self.answer.export_rule(need)
        if rule is not None:
            code = "export_prohibited" if rule.verdict == "prohibited" else "export_licence"
            found.append(wording.sizing_doubt(code, country=rule.country, dated=wording.date(rule.effective)))
        here, there = card.memory_gb, self.reference.memory_gb if self.reference is not None else None
        if need.footprint is None and here and there and here < there:
            texts = {"here": wording.amount(here, "GB"), "there": wording.amount(there, "GB")}
            found.append(wording.sizing_doubt("memory_unknown", **texts))
        if need.bought is None:
            found.append(wording.sizing_doubt("assumed_server", gpus=wording.amount(need.server_gpus, "GPU")))
        elif need.tier == "cluster" and not need.bought.build.fabric_ports:
            found.append(wording.sizing_doubt("no_ports"))
        if need.bought is not None:
            whole = need.bought.servers * need.server_gpus
            if whole > need.gpus:
                idle, of_all = wording.amount(whole - need.gpus, "GPU"), wording.amount(whole, "GPU")
                found.append(wording.sizing_doubt("idle_gpus", idle=idle, all=of_all))
        return found

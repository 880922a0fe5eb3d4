"""What a budget buys as the words and tables of its page, in the language that is active."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from planner import wording
from planner.engine.abilities import USES, Ability
from planner.engine.calendar import calendar_for
from planner.engine.prices import Price
from planner.engine.result import Finding
from planner.services.budget import GROUPS, Answer, Configuration
from planner.wording import budget as words
from planner.wording.findings.configurations import against

UNRANKED = ("fails", "over", "unpriced")
FIRST = 3  # of each rung of the ladder, unless one rung is asked for
SORTS: dict[str, Callable[[Configuration], Any]] = {
    "value": lambda found: -(found.hours_per_money or 0.0),
    "hours": lambda found: -found.useful_hours,
    "gpus": lambda found: -found.gpus,
    "memory": lambda found: -(found.memory_gb or 0.0),
    "cost": lambda found: found.result.total("capex") if found.result else 0.0,
    "kw": lambda found: found.result.peak_kw if found.result else 0.0,
}
FEW = 6  # that are shown although they are not ranked
THOUSAND = 1000.0


def page(answer: Answer, *, group: str = "", sort: str = "") -> dict[str, Any]:
    """Everything the answer says.

    group : a rung of the ladder that is shown whole; "" for the best of each.
    sort  : a key of SORTS.
    """
    said = _Said(answer)
    sort = sort if sort in SORTS else "value"
    bought = sorted(answer.bought, key=lambda found: (SORTS[sort](found), found.slug))
    counts = {name: sum(found.group == name for found in bought) for name in GROUPS}
    group = group if counts.get(group) else ""
    rungs = []
    for name in GROUPS:
        of_it = [found for found in bought if found.group == name]
        shown = of_it if name == group else [] if group else of_it[:FIRST]
        if shown or not group:
            left = len(of_it) - len(shown)
            rungs.append(
                {
                    "code": name,
                    "title": words.group(name),
                    "rows": [said.row(found) for found in shown],
                    "left": left,
                    "more": said.more(left),
                    "why_none": "" if of_it else said.why_none(name),
                }
            )
    return {
        "headline": said.headline(),
        "picks": said.picks(),
        "rungs": rungs,
        "group": group,
        "sort": sort,
        "groups": [(name, words.group(name, short=True), counts[name]) for name in GROUPS if counts[name]],
        "heads": [{"code": code, "words": said.head(code), "sorted": code == sort} for code in SORTS],
        "others": [said.others(state) for state in UNRANKED if any(found.state == state for found in answer.found)],
        "count": words.counted_configurations(len(bought)),
        "rates": said.rates(),
        "missing": said.missing(),
        "reference": said.reference,
        "priced_on": wording.date(answer.scenario.pricing_date),
        "until": wording.month_label(said.calendar, answer.scenario.months),
    }


def named(found: Configuration) -> str:
    """A configuration with its GPU."""
    return f"{words.configuration_name(found)} · {found.card.name}"


class _Said:
    """The words of one answer."""

    def __init__(self, answer: Answer) -> None:
        self.answer, self.scenario, self.book = answer, answer.scenario, answer.book
        self.currency = answer.scenario.currency
        reference = answer.book.accelerators.get(answer.scenario.demand.workloads[0].accelerator)
        self.reference = reference.name if reference is not None else ""
        self.calendar = calendar_for(answer.scenario.start, answer.scenario.months)

    # ── above the table ──

    def headline(self) -> str:
        """What there is, and how much of it can be bought."""
        amount = wording.money(self.answer.budget.amount, self.currency, compact=True)
        best = next(iter(self.answer.bought), None)
        if best is None:
            return _("{amount} buys none of the catalog's machines there.").format(amount=amount)
        if self.answer.budget.covers == "purchase":
            pattern = _("Best value for {amount}: {configuration}")
        else:
            pattern = _("Best value for {amount} until the horizon: {configuration}")
        return pattern.format(amount=amount, configuration=named(best))

    def picks(self) -> list[dict[str, str]]:
        """The best of all in three respects, each with its configuration."""
        bought = self.answer.bought
        if not bought:
            return []
        value, hours = bought[0], max(bought, key=lambda found: found.useful_hours)
        use = self.answer.budget.use if self.answer.budget.use in USES else "serving"
        able = [found for found in bought if found.abilities[use].model is not None]
        found = [
            (_("Most for the money"), self.value(value), value),
            (_("Most work in all"), wording.amount(hours.useful_hours, "GPU-hour", digits=3), hours),
        ]
        if able:
            largest = max(able, key=lambda each: (_size(each.abilities[use]), each.hours_per_money or 0.0))
            model = largest.abilities[use].model
            assert model is not None
            title = {
                "serving": _("Largest model to serve"),
                "tuning": _("Largest model to tune"),
                "training": _("Largest model to train"),
            }[use]
            found.append((title, model.name, largest))
        return [{"title": title, "text": text, "note": named(each)} for title, text, each in found]

    def value(self, found: Configuration) -> str:
        """ "245 GPU-hours for ¥1,000"."""
        if found.hours_per_money is None:
            return "–"
        hours = wording.number(found.hours_per_money * THOUSAND, digits=3)
        return _("{hours} GPU-hours for {money}").format(hours=hours, money=self.thousand())

    def thousand(self) -> str:
        return wording.money(THOUSAND, self.currency, compact=True)

    def head(self, code: str) -> str:
        if code == "value":
            return _("GPU-hours for {money}").format(money=self.thousand())
        return words.sorting(code)

    def more(self, left: int) -> str:
        return ngettext("{count} more", "{count} more", left).format(count=wording.number(left)) if left else ""

    def why_none(self, group: str) -> str:
        """Why a rung of the ladder is empty: what its cheapest configuration costs, or what speaks against it."""
        of_it = [found for found in self.answer.found if found.group == group]
        over = [found.cost for found in of_it if found.state == "over" and found.cost is not None]
        if over:
            least = wording.money(min(over), self.currency, compact=True)
            return _("None: the cheapest costs {amount}.").format(amount=least)
        if any(found.state == "fails" for found in of_it):
            return _("None: something is against each of them, see below.")
        return _("None in the catalog, or none larger than the one above.")

    def rates(self) -> list[str]:
        """Each exchange rate that the prices were converted at, with its day."""
        entries: Iterable[Any] = (*self.book.builds.values(), *self.book.items.values(), *self.book.costs.values())
        found = {}
        for entry in entries:
            price: Price | None = entry.price
            if price is None or price.currency == self.currency or price.rate is None:
                continue
            said = price.source
            rate = _("{one} → {other} {rate}").format(
                one=price.currency, other=self.currency, rate=wording.number(price.rate, digits=5)
            )
            found[price.currency] = f"{rate} · {wording.date(said.rate_dated)}" if said.rate_dated else rate
        return sorted(found.values())

    def missing(self) -> str:
        """The exchange rates that lack, and how many configurations they leave without a price."""
        lacking = [found.missing for found in self.answer.found if found.missing]
        if not lacking:
            return ""
        names = _(", ").join(sorted(set(lacking)))
        return ngettext(
            "No exchange rate from {currencies} to {wanted} is known on or before the pricing date: {count} "
            "configuration cannot be priced.",
            "No exchange rate from {currencies} to {wanted} is known on or before the pricing date: {count} "
            "configurations cannot be priced.",
            len(lacking),
        ).format(currencies=names, wanted=self.currency, count=len(lacking))

    # ── a row ──

    def row(self, found: Configuration) -> dict[str, Any]:
        result = found.result
        price = found.build.price
        row = {
            "slug": found.slug,
            "state": found.state,
            "build": found.build.slug,
            "name": words.configuration_name(found),
            "card": found.card.name,
            "source": wording.source(price.source, self.book.pricing_date, self.scenario.market.stale_after_days)
            if price is not None
            else None,
            "gpus": wording.number(found.gpus),
            "memory": wording.amount(found.memory_gb, "GB") if found.memory_gb else "–",
            "together": self.together(found),
            "abilities": [self.able(use, found.abilities[use]) for use in USES],
            "weeks": wording.amount(round(found.weeks), "week") if found.weeks else "–",
            "stops": words.stops(found.stops),
            "export": "" if found.state == "fails" else words.export_notice(found, brief=True),
            "export_help": words.export_notice(found),
            "reasons": [self.reason(found, reason) for reason in found.reasons],
            "missing": words.unpriced_for_rate(found.missing, self.currency) if found.missing else "",
        }
        if result is None:
            return row
        bought, run = result.total("capex"), result.total("opex")
        each = found.cost / found.useful_hours if found.cost and found.useful_hours else None
        return row | {
            "hours": wording.number(found.useful_hours, digits=3),
            "hours_exact": wording.amount(found.useful_hours, "GPU-hour", digits=9),
            "value": wording.number((found.hours_per_money or 0.0) * THOUSAND, digits=3),
            "each": "" if each is None else _("{price} each").format(price=wording.money(each, self.currency)),
            "why_value": "hours_per_capex" if found.covers == "purchase" else "hours_per_payment",
            "cost": wording.money(bought, self.currency, compact=True),
            "cost_exact": wording.money(bought, self.currency),
            "run": wording.money(run, self.currency, compact=True),
            "run_exact": wording.money(run, self.currency),
            "share": self.share(found),
            "over": self.over(found),
            "kw": wording.amount(result.peak_kw, "kW", digits=3),
            "like": self.like(found),
        }

    def share(self, found: Configuration) -> str:
        """What of the budget it takes."""
        if found.cost is None or found.state not in ("fits", "fails") or not self.answer.budget.amount:
            return ""
        share = found.cost / self.answer.budget.amount
        return _("{share} of budget").format(share=wording.percent(round(share, 2 if share >= 0.01 else 3)))

    def over(self, found: Configuration) -> str:
        """What is lacking to buy it."""
        if found.state != "over" or found.cost is None:
            return ""
        lacking = found.cost - self.answer.budget.amount
        return _("{amount} too much").format(amount=wording.money(lacking, self.currency, compact=True))

    def like(self, found: Configuration) -> str:
        """ "as 29 H200": how many GPUs of the reference would do the same work."""
        return _("as {count} {gpu}").format(count=wording.number(found.same_as, digits=3), gpu=self.reference)

    def together(self, found: Configuration) -> str:
        """GPUs and memory that one job can use."""
        if found.together == found.gpus or not found.card.memory_gb:
            return ""
        memory = wording.amount(found.card.memory_gb * found.together, "GB")
        return _("{memory} in one server").format(memory=memory)

    def able(self, use: str, ability: Ability) -> dict[str, str]:
        """The largest model for a use, with the GPUs it takes."""
        if ability.model is None:
            return {"use": words.ability(use), "model": _("none"), "help": ""}
        size = wording.quantity(ability.model.params_b, "1e9 param")
        spread = _("{size}, over {gpus}").format(size=size, gpus=wording.amount(ability.gpus, "GPU"))
        return {"use": words.ability(use), "model": ability.model.name, "help": spread}

    def reason(self, found: Configuration, reason: Finding) -> dict[str, str]:
        """What speaks against it, in few words and in a sentence."""
        text, sentence = against(found, reason)
        return {"text": text, "help": sentence if sentence != text else ""}

    def others(self, state: str) -> dict[str, Any]:
        found = [each for each in self.answer.found if each.state == state]
        return {
            "code": state,
            "title": words.state(state),
            "count": words.counted_configurations(len(found)),
            "open": state == "fails" and len(found) <= FEW,
            "rows": [self.row(each) for each in found],
        }


def _size(ability: Ability) -> float:
    return ability.model.params_b if ability.model is not None else 0.0

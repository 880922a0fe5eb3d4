"""Sentences for orders that a quote does not allow as they stand, and words for what a volume break says."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

from planner.engine.result import Finding
from planner.wording.numbers import number, unit_price

# code → (sentence, a few words for a chip, tone), as in `findings`.
TERM_FINDINGS: dict[str, tuple[Any, Any, str]] = {
    "below_moq": (
        _(
            "{quote} sells {item} from {least} pieces on (MOQ {least}); the order of {month} is for {ordered}, and is "
            "left as it is."
        ),
        _("below the minimum quantity of {least}: {item}"),
        "warn",
    ),
    "broken_pack": (
        _(
            "{quote} sells {item} in packs of {pack}; the order of {month} is for {ordered}, and is left as it is. "
            "Whole packs: {packs} × {pack} = {offered}."
        ),
        _("not whole packs of {pack}: {item}"),
        "warn",
    ),
    "end_of_sale": (
        _("In {month} the plan orders {item}, no longer sold from {sold_until} on: let it take the newest."),
        _("no longer sold from {sold_until}: {item}"),
        "bad",
    ),
    "below_order_value": (
        _("{quote} takes orders of {item} from {least_value} on, and the one of {month} is worth {ordered_value}."),
        _("order too small: {item}"),
        "warn",
    ),
}


def term_texts(found: Finding) -> dict[str, str]:
    """Texts of the placeholders of such a sentence."""
    facts = found.facts
    quote = gettext("The quote {number} of {supplier}").format(number=facts["number"], supplier=facts["supplier"])
    if not facts["supplier"]:
        quote = gettext("The quote")
    elif not facts["number"]:
        quote = gettext("The quote of {supplier}").format(supplier=facts["supplier"])
    texts = {"quote": quote}
    for name in ("least", "ordered", "pack", "offered"):
        if name in facts:
            texts[name] = number(facts[name])
    if "packs" in facts:
        texts["packs"] = number(facts["packs"])
    if "value_ordered" in facts:
        texts["least_value"] = unit_price(facts["least"], facts["currency"])
        texts["ordered_value"] = unit_price(facts["value_ordered"], facts["currency"])
    return texts

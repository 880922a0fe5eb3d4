"""Whether the cards of a machine go into its chassis: slots they take, and their length. Unknown stays unknown."""

from __future__ import annotations

import math
from dataclasses import dataclass

from planner.engine.prices import Accelerator, Build
from planner.engine.rounding import SLACK

# Cards that stand in slots; the others are a part of their board.
SLOT_FORMS = ("PCIe", "consumer")
# A rack opens 450.85 mm (EIA-310) and a slot is 20.32 mm wide (PCI CEM): 22 side by side, in the 4U that a card of full
# height takes with its power cable. A higher chassis has as many more as it is higher, on risers. [slot], [U] Estimate.
ROW_SLOTS, ROW_UNITS = 22, 4.0
# Cards so wide are sold for open cases; no server is taken to have room for them unless its maker says so. [slot]
WIDE = 3


@dataclass(frozen=True)
class CardRoom:
    """Cards of one kind in one chassis."""

    cards: int
    slot_width: int | None  # that a card takes; None where unknown
    place_width: int | None  # of each place in the chassis; None where unknown
    most: int | None  # cards that go in; None where nothing is known
    length_mm: float | None
    length_max_mm: float | None
    wide: bool  # known to be wide: a chassis that names no width is not taken to have the room

    @property
    def too_wide(self) -> bool:
        return self.most is not None and self.cards > self.most

    @property
    def too_long(self) -> bool:
        if self.length_mm is None or self.length_max_mm is None:
            return False
        return self.length_mm > self.length_max_mm + SLACK

    @property
    def unknown(self) -> bool:
        """Whether wide cards stand in a chassis that does not say what room it has."""
        return not self.too_wide and self.wide and self.place_width is None


def card_room(build: Build, card: Accelerator, cards: int) -> CardRoom | None:
    """Return whether so many cards go into a chassis; None where they are no cards that stand in slots.

    A card wider than a place takes the next one too. Where the chassis names no width, the width of the rack bounds it.
    """
    if card.form_factor not in SLOT_FORMS:
        return None
    width, place, most = card.slot_width, build.card_slot_width, []
    if width is not None and place is not None:
        most.append(build.chassis_slots // math.ceil(width / place))
    if width is not None and build.in_rack and build.rack_units > 0.0:
        most.append(math.floor(ROW_SLOTS * build.rack_units / ROW_UNITS / width + SLACK))
    return CardRoom(
        cards,
        width,
        place,
        min(build.chassis_slots, *most) if most else None,
        card.card_length_mm,
        build.card_length_max_mm,
        width is not None and width >= WIDE,
    )

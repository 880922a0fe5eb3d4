"""How the answer moves when one assumption moves over its declared P10-P90 range, all others staying as they are.

Screening evaluates each such assumption at both ends of its range and ranks them by what hangs on them; the most
influential ones are then swept point by point, and every value at which the cheapest plan changes is narrowed down.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Generator, Iterator
from dataclasses import dataclass, field
from typing import Any, get_args

from pydantic.fields import FieldInfo

from planner.engine.costs.books import LOAN_RATE, profit_tax_row
from planner.engine.evaluate import evaluate
from planner.engine.housing import pue_of
from planner.engine.inputs import Colocation, Finance, Financing, Overflow, Scenario, Site, set_at
from planner.engine.prices import PriceBook
from planner.engine.quantities import Document, InputError, Quantity, quantity_of
from planner.engine.upkeep import Reliability

COUNT, POINTS = 12, 41
TOLERANCE = 1e-4  # a flip is known to this share of the assumption's range
HORIZON = "months"


# ── What is uncertain ────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Ranged:
    """An assumption with a declared P10-P90 range.

    paths : the fields that move: one, or the same field of several plans that have one value now. Readers take "life
        of the hardware" for one assumption; plans that already differ in it are moved apart.
    now   : what the document says; None where the field is empty.
    holds : the value the engine uses now; it differs from `now` where an empty field has a stand-in.
    low, high : P10 and P90 within the bounds, in the unit of the declaration, widened to take in `holds`.
    """

    paths: tuple[str, ...]
    declared: Quantity
    whole: bool
    now: float | None
    holds: float | None
    low: float
    high: float
    widened: bool

    @property
    def path(self) -> str:
        """The first of the paths: under it the assumption is known."""
        return self.paths[0]

    def points(self, count: int) -> tuple[float, ...]:
        """`count` values from low to high, evenly spaced; of whole numbers each once, so there may be fewer."""
        width = self.high - self.low
        even = [self.low + width * step / (count - 1) for step in range(count)]
        if self.whole:
            return tuple(dict.fromkeys(float(round(x)) for x in even))
        return tuple(dict.fromkeys([self.low, *(_short(x) for x in even[1:-1]), self.high]))


def _short(x: float) -> float:
    """Without the digits that arithmetic leaves behind."""
    return float(f"{x:.12g}")


def ranged(scenario: Scenario, book: PriceBook | None = None) -> list[Ranged]:
    """Every assumption of a scenario with a range, in the order of the document.

    book : tells what stands in for an empty field of money matters: a loan's rate, the country's profit tax.
    """
    groups: dict[tuple[str, Any], list[tuple[str, _Leaf]]] = {}
    for path, leaf in _leaves(scenario, ""):
        shared = path.startswith("plans/")
        key = (path.split("/", 2)[2], leaf.value) if shared else (path, None)
        groups.setdefault(key, []).append((path, leaf))
    rows: dict[Any, str] = {Financing: LOAN_RATE, Finance: profit_tax_row(scenario)}
    return [
        _ranged(tuple(path for path, _leaf in group), group[0][1], _stand_in(group[0][1].owner, rows, book))
        for group in groups.values()
    ]


def _stand_in(owner: Document, rows: dict[Any, str], book: PriceBook | None) -> float | None:
    """What holds where a field of such a part is empty."""
    if isinstance(owner, Site):
        return pue_of(owner)
    row = None if book is None else book.costs.get(rows.get(type(owner), ""))
    return None if row is None else row.likely / 100.0


@dataclass(frozen=True)
class _Leaf:
    declared: Quantity
    whole: bool
    value: float | None
    owner: Document


def _leaves(document: Document, path: str) -> Iterator[tuple[str, _Leaf]]:
    """(path, leaf) of each field with a range; elements of lists are told by their slug."""
    for name, info in type(document).model_fields.items():
        value, where = getattr(document, name), f"{path}{name}"
        declared = quantity_of(info)
        if declared is not None and declared.p10 is not None and name not in _idle(document):
            yield where, _Leaf(declared, _is_whole(info), value, document)
        elif isinstance(value, Reliability) and not value.counted:
            continue  # nothing hangs on it
        elif isinstance(value, Document):
            yield from _leaves(value, where + "/")
        elif isinstance(value, tuple):
            for element in value:
                if isinstance(element, Document) and hasattr(element, "slug"):
                    yield from _leaves(element, f"{where}/{element.slug}/")


def _idle(document: Document) -> frozenset[str]:
    """Fields with a range on which nothing hangs as the document stands: terms of what nobody has agreed."""
    idle: set[str] = set()
    if isinstance(document, Finance) and not (document.after_tax and document.buyer == "company"):
        idle = {"profit_tax_rate", "tax_life_months"}
    elif isinstance(document, Financing):
        stated = document.rent_share_per_month is not None
        idle |= set() if document.kind == "lease" else {"buy_out_share", "rent_share_per_month"}
        idle |= set() if stated else {"rent_share_per_month"}
        idle |= {"rate_per_year"} if document.kind == "cash" or (document.kind == "lease" and stated) else set()
    elif isinstance(document, Colocation) and document.escalator_per_year is None:
        idle = {"escalator_per_year"}
    elif isinstance(document, Overflow) and (document.commit_discount is None or not document.reserved_share):
        idle = {"commit_discount"}
    return frozenset(idle)


def _is_whole(info: FieldInfo) -> bool:
    kinds = get_args(info.annotation) or (info.annotation,)
    return int in kinds and float not in kinds


def _ranged(paths: tuple[str, ...], leaf: _Leaf, stand_in: float | None) -> Ranged:
    declared = leaf.declared
    p10, p90 = declared.p10, declared.p90
    assert p10 is not None
    assert p90 is not None
    low, high = max(p10, declared.low), min(p90, declared.high)
    holds = stand_in if leaf.value is None else leaf.value
    widened = holds is not None and not low <= holds <= high
    if holds is not None:
        low, high = min(low, holds), max(high, holds)
    return Ranged(paths, declared, leaf.whole, leaf.value, holds, float(low), float(high), widened)


# ── What comes of it ─────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class Progress:
    """How far a sweep is. `total` falls once screening has shown what does not matter; done ÷ total never falls."""

    done: int
    total: int
    stage: str  # base · screening · sweeping · refining


class Flip(Document):
    """The cheapest plan changes from `before` to `after` as the assumption rises; None: no plan is feasible.

    x : middle of an interval of at most TOLERANCE of the range; of whole numbers the first with `after` cheapest.
    """

    x: float
    before: str | None
    after: str | None


class Curve(Document):
    """The answer along one assumption. By plan, in the order of `x`: present value [money], None where the plan is
    infeasible or unpriced or the engine refuses the value; then `reasons` has the code of the first reason, else ""."""

    path: str
    paths: tuple[str, ...]
    unit: str
    whole: bool
    low: float
    high: float
    now: float | None
    holds: float | None
    widened: bool
    influence: float  # what hangs on it at the ends of its range; 0 for the horizon [money]
    x: tuple[float, ...]
    values: dict[str, tuple[float | None, ...]]
    reasons: dict[str, tuple[str, ...]]
    cheapest: tuple[str | None, ...]
    flips: tuple[Flip, ...]

    def spans(self) -> list[tuple[float, float, str | None]]:
        """(from, to, cheapest plan) along the range, end to end."""
        edges = [self.low, *(flip.x for flip in self.flips), self.high]
        plans = [self.cheapest[0], *(flip.after for flip in self.flips)]
        return [(low, high, plan) for (low, high), plan in zip(itertools.pairwise(edges), plans, strict=True)]

    def around(self, plan: str | None) -> tuple[Flip | None, Flip | None]:
        """The flips next below and next above the value that holds now, `plan` being cheapest there; None: no flip."""
        holds = self.holds
        spans = [(low, high, place) for place, (low, high, best) in enumerate(self.spans()) if best == plan]
        if holds is None or not spans:
            return None, None
        _low, _high, place = min(spans, key=lambda span: max(span[0] - holds, holds - span[1], 0.0))
        below = self.flips[place - 1] if place > 0 else None
        return below, self.flips[place] if place < len(self.flips) else None


class Sweep(Document):
    """The answers of a whole sweep; plain data and back without loss.

    base   : present value of each plan as the scenario stands, None where infeasible or unpriced. [money]
    curves : of the most influential assumptions, those on which most hangs first.
    horizon : along the number of months. It stands apart: more months are a longer question, not a dearer answer, so
        that its swing says nothing beside the others; which plan is cheapest at each length is as good a question.
    rest   : paths of the assumptions that were screened and not swept, the more influential first.
    """

    base: dict[str, float | None]
    cheapest: str | None
    curves: tuple[Curve, ...]
    horizon: Curve | None
    rest: tuple[str, ...]


def as_plain(sweep: Sweep) -> dict[str, Any]:
    """A sweep as data for JSON."""
    return sweep.model_dump(mode="json")


def from_plain(data: Any) -> Sweep:
    """The sweep that `as_plain` wrote; raises InputError where it is none."""
    return Sweep.read(data)


# ── Asking ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Answer:
    """One evaluation: what each plan costs (None: unpriced), why it fails ("": it does not), and the cheapest."""

    priced: dict[str, float | None]
    reasons: dict[str, str]
    cheapest: str | None

    def value(self, slug: str) -> float | None:
        return None if self.reasons[slug] else self.priced[slug]


def _answer(scenario: Scenario, book: PriceBook) -> _Answer:
    plans = evaluate(scenario, book).plans
    feasible = [(plan.present_value, plan.slug) for plan in plans if plan.feasible]
    return _Answer(
        {plan.slug: plan.present_value if plan.priced else None for plan in plans},
        {plan.slug: plan.infeasible[0].code if plan.infeasible else "" for plan in plans},
        min(feasible)[1] if feasible else None,
    )


@dataclass(eq=False)
class _Line:
    """The answers along one assumption, each computed once."""

    document: dict[str, Any]
    book: PriceBook
    ranged: Ranged
    base: _Answer
    known: dict[float, _Answer] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if self.ranged.holds is not None:
            self.known[float(self.ranged.holds)] = self.base

    def at(self, x: float) -> _Answer:
        if x not in self.known:
            self.known[x] = self._computed(x)
        return self.known[x]

    def _computed(self, x: float) -> _Answer:
        document = self.document
        for path in self.ranged.paths:
            document = set_at(document, path, int(x) if self.ranged.whole else x)
        try:
            return _answer(Scenario.read(document), self.book)
        except InputError as error:
            code = error.problems[0].code
            return _Answer(dict.fromkeys(self.base.priced), dict.fromkeys(self.base.priced, code), None)

    @property
    def matters(self) -> bool:
        """Whether any of the answers known so far differs from the base."""
        return any(answer != self.base for answer in self.known.values())

    @property
    def influence(self) -> float:
        """The largest swing of present value over the plans feasible at the base: what hangs on the assumption. [money]

        A plan that fails at an end swings by what it would have cost there. Where no plan is feasible at the base, all
        count.
        """
        feasible = [slug for slug, reason in self.base.reasons.items() if not reason] or list(self.base.reasons)
        swings = [0.0]
        for slug in feasible:
            priced = [answer.priced[slug] for answer in (self.base, *self.known.values())]
            values = [value for value in priced if value is not None]
            swings.append(max(values, default=0.0) - min(values, default=0.0))
        return max(swings)


def sweep(
    scenario: Scenario, book: PriceBook, *, count: int = COUNT, points: int = POINTS
) -> Generator[Progress, None, Sweep]:
    """Yield the progress after every evaluation of all plans; return the Sweep when done.

    count  : assumptions to sweep, at most; those that change nothing at either end are left out.
    points : evaluations along each, 2 or more.
    Evaluations that narrow flips down beyond what the total sets aside for them do not advance `done`.
    Raises InputError where the scenario itself cannot be computed.
    """
    if points < 2:
        raise ValueError("a sweep needs both ends of the range")
    found = ranged(scenario, book)
    document = scenario.model_dump(mode="json")
    moved = [each for each in found if each.path != HORIZON]
    aside = _halvings(points)
    done, total = 1, 1 + 2 * len(moved) + (min(count, len(moved)) + len(found) - len(moved)) * (points + aside)
    base = _answer(scenario, book)
    yield Progress(done, total, "base")
    lines = [_Line(document, book, each, base) for each in moved]
    for line in lines:
        for end in (line.ranged.low, line.ranged.high):
            line.at(end)
            done += 1
            yield Progress(done, total, "screening")
    lines.sort(key=lambda line: (-line.influence, line.ranged.path))
    chosen = [line for line in lines if line.matters][:count]
    apart = [_Line(document, book, each, base) for each in found if each.path == HORIZON]
    shares = [len(line.ranged.points(points)) + aside for line in [*chosen, *apart]]
    total = done + sum(shares)
    yield Progress(done, total, "screening")
    curves = []
    for line, share in zip([*chosen, *apart], shares, strict=True):
        curves.append((yield from _curve(line, points, done, done + share, total)))
        done += share
        yield Progress(done, total, "sweeping")
    return Sweep(
        base={slug: base.value(slug) for slug in base.priced},
        cheapest=base.cheapest,
        curves=tuple(curves[: len(chosen)]),
        horizon=curves[-1] if apart else None,
        rest=tuple(line.ranged.path for line in lines if line not in chosen),
    )


def _halvings(points: int) -> int:
    """Evaluations that narrow the step between two of so many points down to the tolerance."""
    return max(0, math.ceil(math.log2(1.0 / ((points - 1) * TOLERANCE))))


def _curve(line: _Line, points: int, done: int, until: int, total: int) -> Generator[Progress, None, Curve]:
    """Sweep one assumption; the progress stays within `done` and `until`."""
    moved, influence = line.ranged, line.influence
    xs = moved.points(points)
    for x in xs:
        line.at(x)
        done += 1
        yield Progress(done, total, "sweeping")
    flips: list[Flip] = []
    for left, right in itertools.pairwise(xs):
        for _evaluated in _narrowed(line, left, right, flips):
            done = min(done + 1, until)
            yield Progress(done, total, "refining")
    answers = [line.at(x) for x in xs]
    slugs = list(line.base.priced)
    return Curve(
        path=moved.path,
        paths=moved.paths,
        unit=moved.declared.unit,
        whole=moved.whole,
        low=moved.low,
        high=moved.high,
        now=moved.now,
        holds=moved.holds,
        widened=moved.widened,
        influence=influence,
        x=xs,
        values={slug: tuple(answer.value(slug) for answer in answers) for slug in slugs},
        reasons={slug: tuple(answer.reasons[slug] for answer in answers) for slug in slugs},
        cheapest=tuple(answer.cheapest for answer in answers),
        flips=tuple(flips),
    )


def _narrowed(line: _Line, left: float, right: float, flips: list[Flip]) -> Iterator[None]:
    """Append the changes of the cheapest plan between two neighbouring points, by bisection; pause at each evaluation.

    Where a third plan is cheapest in between, what is right of the first change is searched again, as often as there
    are plans; a plan that is cheapest on less than half a step may be passed over.
    """
    moved = line.ranged
    width = 1.0 if moved.whole else TOLERANCE * (moved.high - moved.low)
    for _plan in line.base.priced:
        before, last = line.at(left).cheapest, line.at(right).cheapest
        if before == last:
            return
        below, above = left, right
        while above - below > width:
            middle = float((below + above) // 2) if moved.whole else (below + above) / 2
            if line.at(middle).cheapest == before:
                below = middle
            else:
                above = middle
            yield None
        at = above if moved.whole else _short((below + above) / 2)
        flips.append(Flip(x=at, before=before, after=line.at(above).cheapest))
        left = above

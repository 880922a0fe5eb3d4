"""What the present value rests on, part by part, down to the lines of each."""

from planner import wording
from planner.engine.lines import Line
from planner.engine.trust import PARTS, parts_of, percents
from planner.services.explain.lines import line_node
from planner.services.explain.nodes import Node, Subject


def trust(subject: Subject) -> Node:
    """All lines at their size, by what their prices rest on."""
    if not subject.plan.priced:
        return subject.money("trust", wording.trust_title(), None)
    parts = [part(subject, code) for code in PARTS]
    return subject.money(
        "trust",
        wording.trust_title(),
        subject.plan.money(node["value"] for node in parts),
        combine="sum",
        children=[node for node in parts if node["children"]],
        formula=wording.trust_note(),
    )


def part(subject: Subject, code: str) -> Node:
    """The lines whose prices rest on one kind of source, the largest first."""
    found = parts_of(subject.plan, subject.day) if subject.plan.priced else {}
    lines = [_at_its_size(subject, line) for line in found.get(code, [])]
    shown = percents(subject.plan, subject.day) if subject.plan.priced else {}
    value = subject.plan.money(node["value"] for node in lines)
    node = subject.money(
        f"trust_{code}",
        wording.trust_name(code),
        value,
        combine="sum",
        children=sorted(lines, key=lambda line: -line["value"]),
        formula=wording.trust_help(code, subject.day),
    )
    share = wording.trust_percent(shown[code]) if code in shown else ""
    return {**node, "value_text": " · ".join(text for text in (share, node["value_text"]) if text)}


def _at_its_size(subject: Subject, line: Line) -> Node:
    sign = -1 if line.present_value(subject.plan.discount_of(line)) < 0 else 1
    return line_node(subject, line, discounted=True, sign=sign)

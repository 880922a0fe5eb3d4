"""Codes and numbers of the engine → sentences in English and Chinese. No arithmetic beyond formatting."""

from planner.wording.fields import choice, declaration, empty_text, help_text, label, locate, section, value_text
from planner.wording.findings import (
    break_even,
    brief,
    finding,
    left_out,
    problem,
    say,
    tone,
    verdict,
)
from planner.wording.lines import (
    category,
    counted,
    factor_name,
    formula,
    formula_words,
    gpus_of,
    item,
    kind,
    line,
    priced,
)
from planner.wording.numbers import (
    bounds,
    chinese,
    date,
    money,
    month_label,
    number,
    percent,
    quantity,
    unit,
    unit_price,
)
from planner.wording.plans import (
    advice,
    plan_name,
    plan_names,
    scenario_name,
    site_name,
    template_text,
    template_title,
    workload_named,
)
from planner.wording.sources import badge, source

__all__ = [
    "advice", "badge", "bounds", "break_even", "brief", "category", "chinese", "choice", "counted", "date", "declaration", "empty_text",
    "factor_name", "finding", "formula", "formula_words", "gpus_of", "help_text", "item", "kind", "label", "left_out", "line",
    "locate", "money", "month_label", "number", "percent", "plan_name", "plan_names", "priced", "problem", "quantity", "say",
    "scenario_name", "section", "site_name", "source", "template_text", "template_title", "tone", "unit", "unit_price", "value_text", "verdict",
    "workload_named",
]

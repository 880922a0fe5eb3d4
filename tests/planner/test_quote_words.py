"""What a planner reads where an order does not keep the terms of its quote."""

import pytest
from django.utils.translation import override

from planner import tables, wording
from planner.engine.result import Finding
from tests.planner.sample import evaluated

SAID = {"item": "srv-8x", "supplier": "Example Systems", "number": "Q-1042"}


@pytest.mark.parametrize(
    ("language", "sentence"),
    [
        (
            "en",
            "The quote Q-1042 of Example Systems sells PowerEdge XE7745 with 8x H200 NVL from 4 pieces on (MOQ 4); the "
            "order of Dec 2026 is for 1, and is left as it is.",
        ),
        (
            "zh-hans",
            "Example Systems的报价 Q-1042 规定 PowerEdge XE7745 配 8x H200 NVL 至少 4 件起订（MOQ 4），而2026年12月"
            "只订 1 件；数量未作改动。",
        ),
    ],
)
def test_u006_the_message_names_the_moq(language, sentence):
    found = Finding("below_moq", 0, {**SAID, "ordered": 1.0, "least": 4})
    with override(language):
        assert wording.finding(found, evaluated()[0]) == sentence


def test_packs_are_offered_whole():
    found = Finding("broken_pack", 0, {**SAID, "ordered": 6.0, "pack": 4, "packs": 2, "offered": 8})
    with override("en"):
        assert wording.finding(found, evaluated()[0]).endswith("Whole packs: 2 × 4 = 8.")


def test_a_quote_without_a_number_is_named_by_its_supplier():
    facts = {**SAID, "number": "", "value_ordered": 328_000.0, "least": 500_000.0, "currency": "USD"}
    with override("en"):
        assert wording.finding(Finding("below_order_value", 0, facts), evaluated()[0]) == (
            "The quote of Example Systems takes orders of PowerEdge XE7745 with 8x H200 NVL from $500,000.00 on, and "
            "the one of Dec 2026 is worth $328,000.00."
        )


@pytest.mark.parametrize(("month", "path"), [(0, "start/quantity"), (7, "follow_up/batch")])
def test_the_message_leads_to_the_quantity(month, path):
    plan = evaluated()[0].plan("server")
    found = Finding("below_moq", month, {**SAID, "ordered": 1.0, "least": 4})
    assert tables.remedy_path(found, plan) == f"plans/server/{path}"

"""An amount of money as people write it in either language."""

import re

import pytest

from planner.forms.money import read_money


@pytest.mark.parametrize(
    ("text", "given", "expected"),
    [
        ("¥200万", "USD", (2_000_000.0, "CNY")),
        ("￥２，０００，０００", "USD", (2_000_000.0, "CNY")),
        ("200万元", "USD", (2_000_000.0, "CNY")),
        ("人民币200万", "USD", (2_000_000.0, "CNY")),
        ("1.5亿", "CNY", (150_000_000.0, "CNY")),
        ("两百", "CNY", None),
        ("2 million", "EUR", (2_000_000.0, "EUR")),
        ("$300k", "CNY", (300_000.0, "USD")),
        ("HK$ 2m", "USD", (2_000_000.0, "HKD")),
        ("$2m", "HKD", (2_000_000.0, "HKD")),  # a dollar of theirs
        ("¥3000万", "JPY", (30_000_000.0, "JPY")),
        ("EUR 1,500,000", "USD", (1_500_000.0, "EUR")),
        ("300 000 usd", "EUR", (300_000.0, "USD")),
        ("0.5", "USD", (0.5, "USD")),
        ("1,00", "USD", None),
        ("$5€", "USD", None),
        ("-3", "USD", None),
        ("a lot", "USD", None),
        ("", "USD", None),
    ],
)
def test_an_amount_with_its_sign_and_scale(text, given, expected):
    if expected is None:
        with pytest.raises(ValueError, match=f"^{re.escape(text)}$"):
            read_money(text, given)
    else:
        assert read_money(text, given) == expected

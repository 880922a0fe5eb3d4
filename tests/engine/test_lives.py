"""Cost per useful GPU-hour by service life."""

import pytest

from planner.engine.compare import LIVES, by_life
from tests.engine.sample import FLAT, evaluated, only, plan, pool

HOURS = 8 * 1826 * 24  # eight GPUs from January 2027 to December 2031, 1826 days
LINES = only("capex.accelerators_and_servers", "credit.residual_at_horizon")
BUYING = plan(end_of_life={"life_months": 60, "then": "renew"})


def test_u049_each_life_writes_the_machine_off_over_its_years():
    # a box of 240,000 for 60 months: 60/36, 60/48, 60/60 and 60/72 of its price, the renewed one included; no interest
    found = by_life(evaluated(BUYING, work=pool(8.0), months=60, lines=LINES, finance={"discount_rate": 0.0}))
    assert LIVES == (36, 48, 60, 72)
    assert [found[months]["plan"] for months in LIVES] == pytest.approx(
        [400_000 / HOURS, 300_000 / HOURS, 240_000 / HOURS, 200_000 / HOURS]
    )


def test_interest_is_charged_over_the_life():
    # 60 payments in advance repay 240,000 at 8 % over 60 months: in present value the price itself; over 72 months
    # they are (1 − 1.08^−5) ÷ (1 − 1.08^−6) of it
    found = by_life(evaluated(BUYING, work=pool(8.0), months=60, lines=LINES, finance={"discount_rate": 0.08}))
    ratio = found[72]["plan"] / found[60]["plan"]
    assert ratio == pytest.approx((1 - 1.08**-5) / (1 - 1.08**-6))


def test_the_cloud_has_no_life():
    renting = plan(start=None, overflow={"accelerator": "gpu"})
    found = by_life(evaluated(renting, work=pool(8.0), market=FLAT, lines=only("opex.cloud_usage")))
    assert [found[months]["plan"] for months in LIVES] == [2.0] * 4

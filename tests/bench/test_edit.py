"""How long an edit takes, from sending to the swapped verdict, in Chromium."""

import statistics

import pytest

from tests.browser.conftest import make, opened, people, show, signed_page  # noqa: F401

pytestmark = [pytest.mark.bench, pytest.mark.browser]
EDITS = 40
GOAL_MS = 250

WATCH = """() => {
  window.spent = [];
  let begun = 0;
  document.body.addEventListener("htmx:beforeSend", () => { begun = performance.now(); });
  document.body.addEventListener("htmx:oobAfterSwap", (event) => {
    if (event.detail.target.id === "verdict") window.spent.push(performance.now() - begun);
  });
}"""


def test_edit_to_verdict(opened, capsys):  # noqa: F811
    page, _row = opened
    page.evaluate(WATCH)
    box = page.get_by_label("Growth", exact=True)
    for n in range(EDITS + 3):
        box.fill(f"{4 + n / 50:.2f}")
        page.wait_for_function("n => window.spent.length > n", arg=n)
    spent = sorted(page.evaluate("() => window.spent")[3:])  # the first ones load templates
    p95 = spent[int(len(spent) * 0.95) - 1]
    with capsys.disabled():
        median = statistics.median(spent)
        print(f"\nedit to verdict: median {median:.0f} ms, p95 {p95:.0f} ms (goal {GOAL_MS} ms, {EDITS} edits)")
    assert p95 < 4 * GOAL_MS  # a gross slip; the goal itself is judged on a quiet machine

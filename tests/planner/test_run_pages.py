"""The pages of runs: asked for, watched, cancelled, read; in both languages."""

import re

import pytest
from django.conf import settings
from django.urls import reverse
from django.utils import timezone, translation

from planner import wording
from planner.models import Run
from planner.services import runs, scenarios
from tests.planner.conftest import GROWTH
from tests.planner.test_access import swept

State = Run.State


@pytest.fixture
def run(row, editor):
    return runs.sweep(row.head, editor)


def test_asking_from_the_workspace_shows_the_run(signed, row):
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert reverse("planner:run_ask", args=[row.pk]) in page
    answer = signed.post(reverse("planner:run_ask", args=[row.pk]), {"version": "1"}, follow=True)
    assert "Waiting for a worker" in answer.content.decode()
    assert Run.objects.get().version.number == 1


@pytest.mark.parametrize("version", ["", "9", "x", "-1", "²", "9" * 30, "9" * 5000])
def test_a_version_that_is_not_there_is_not_found(signed, row, version):
    assert signed.post(reverse("planner:run_ask", args=[row.pk]), {"version": version}).status_code == 404
    assert not Run.objects.exists()


def test_the_page_says_how_far_it_is_and_how_long_it_takes(signed, run):
    began = timezone.now() - timezone.timedelta(seconds=10)
    Run.objects.update(state=State.RUNNING, attempt=2, started_at=began, heartbeat_at=began, done=169, total=676)
    page = signed.get(reverse("planner:run_progress", args=[run.pk])).content.decode()
    said = re.search(
        r"25 % · (\d+) s so far · about (\d+) s left · 169 of 676 evaluations · attempt 2", " ".join(page.split())
    )
    passed, left = map(int, said.groups())
    assert 10 <= passed < 60  # it was asked a little later
    assert left == pytest.approx(3 * passed, abs=3)
    assert '<progress max="100" value="25"' in page


def test_the_share_is_written_as_each_language_does(signed, run):
    began = timezone.now() - timezone.timedelta(seconds=10)
    Run.objects.update(state=State.RUNNING, attempt=1, started_at=began, heartbeat_at=began, done=9, total=100)
    address = reverse("planner:run_progress", args=[run.pk])
    assert ">9\xa0%</progress>" in signed.get(address).content.decode()
    signed.cookies[settings.LANGUAGE_COOKIE_NAME] = "zh-hans"
    page = signed.get(address).content.decode()
    assert ">9%</progress>" in page
    assert '<p class="muted" id="progress-text">9% ·' in page


def test_a_waiting_run_says_after_a_while_that_no_worker_has_come(signed, run):
    address = reverse("planner:run_progress", args=[run.pk])
    assert "as soon as a worker is free" in signed.get(address).content.decode()
    Run.objects.update(queued_at=timezone.now() - timezone.timedelta(seconds=60))
    assert "No worker has taken it up yet" in signed.get(address).content.decode()


def test_once_ended_the_whole_page_is_asked_for(signed, run):
    runs.cancel(run)
    assert signed.get(reverse("planner:run_progress", args=[run.pk])).headers["HX-Refresh"] == "true"


def test_without_script_the_page_comes_again_by_itself_until_it_has_ended(signed, run):
    address = reverse("planner:run", args=[run.pk])
    assert b'<noscript><meta http-equiv="refresh"' in signed.get(address).content
    runs.cancel(run)
    assert b'http-equiv="refresh"' not in signed.get(address).content


def test_cancelled_it_offers_to_run_again(signed, row, run):
    answer = signed.post(reverse("planner:run_cancel", args=[run.pk]), follow=True).content.decode()
    assert "nothing was kept" in answer
    assert "Run again" in answer
    again = signed.post(reverse("planner:run_ask", args=[row.pk]), {"version": "1"})
    assert again.headers["Location"] == reverse("planner:run", args=[Run.objects.first().pk])
    assert Run.objects.count() == 2


@pytest.mark.parametrize(
    ("failure", "english", "chinese"),
    [
        ({"code": "lost", "attempts": 3}, "ended 3 times before it was done", "3"),
        ({"code": "no_worker"}, "No worker took it up within an hour.", "小时"),
        ({"code": "too_long", "minutes": 15}, "longer than 15 minutes", "15"),
        ({"code": "error", "error": "MemoryError"}, "MemoryError", "MemoryError"),
        (
            {
                "code": "input",
                "problems": [
                    {
                        "field": "finance/discount_rate",
                        "code": "out_of_bounds",
                        "value": 7.0,
                        "low": 0.0,
                        "high": 1.0,
                        "unit": "share/year",
                    }
                ],
            },
            "Discount rate must lie in",
            "折现率",
        ),
    ],
)
def test_a_failed_run_says_why_in_both_languages(signed, run, failure, english, chinese):
    Run.objects.update(state=State.FAILED, failure=failure, finished_at=timezone.now())
    address = reverse("planner:run", args=[run.pk])
    assert english in signed.get(address).content.decode()
    signed.post(reverse("set_language"), {"language": "zh-hans"})
    page = signed.get(address).content.decode()
    assert chinese in page
    assert "失败" in page


def test_the_result_is_on_the_page_and_in_the_file(signed, row):
    run = swept(row.head)
    assert Run.objects.get().state == State.DONE
    page = signed.get(reverse("planner:run", args=[run.pk])).content.decode()
    assert "Growth" in page
    answer = signed.get(reverse("planner:run_csv", args=[run.pk]))
    assert answer.headers["Content-Type"] == "text/csv; charset=utf-8"
    assert answer.content.startswith(b"\xef\xbb\xbf")


def test_a_file_of_what_has_not_ended_is_not_there(signed, run):
    assert signed.get(reverse("planner:run_csv", args=[run.pk])).status_code == 404


def test_after_an_edit_the_page_says_that_it_is_about_an_earlier_version(signed, row, editor):
    run = swept(row.head)
    address = reverse("planner:run", args=[run.pk])
    assert "by now" not in signed.get(address).content.decode()
    scenarios.edit(row, 1, GROWTH, 0.08, editor)
    assert "The scenario is at version 2 by now" in signed.get(address).content.decode()


def test_the_list_shows_the_newest_first_with_its_state(signed, row, editor, run):
    runs.cancel(run)
    runs.sweep(row.head, editor)
    page = signed.get(reverse("planner:runs", args=[row.pk])).content.decode()
    assert page.index(">waiting<") < page.index(">cancelled<")


@pytest.mark.parametrize(
    ("seconds", "english", "chinese"),
    [(0.2, "1 s", "1 秒"), (59.6, "1 min", "1 分钟"), (125, "2 min 5 s", "2 分 5 秒")],
)
def test_a_duration_in_words(seconds, english, chinese):
    assert wording.duration(seconds) == english
    with translation.override("zh-hans"):
        assert wording.duration(seconds) == chinese

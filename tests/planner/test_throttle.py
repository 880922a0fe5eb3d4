"""Guesses are slowed, not forbidden: five are free, then the waits double, and an hour later all is forgotten."""

import datetime as dt

import pytest
from django.test import RequestFactory
from django.utils import timezone

from planner.models import Attempts
from planner.services import throttle

pytestmark = pytest.mark.django_db


def wait_is_over(seconds=0):
    """As if the wait had ended so many seconds ago."""
    Attempts.objects.update(free_at=timezone.now() - dt.timedelta(seconds=seconds))


def test_five_are_free_then_the_waits_double_up_to_a_quarter_of_an_hour():
    assert [throttle.admit("s", "c") for _ in range(5)] == [0] * 5
    waits = []
    for _ in range(12):
        waits.append(throttle.admit("s", "c"))
        wait_is_over()
        assert throttle.admit("s", "c") == 0
    assert waits == [2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]


def test_waiting_is_not_made_longer_by_asking_again():
    for _ in range(5):
        throttle.admit("s", "c")
    assert {throttle.admit("s", "c") for _ in range(50)} <= {1, 2}


def test_another_client_and_another_scope_are_not_slowed():
    for _ in range(6):
        throttle.admit("s", "c")
    assert throttle.admit("s", "d") == throttle.admit("t", "c") == 0


def test_an_hour_after_the_last_wait_it_is_forgotten_and_the_row_is_gone():
    for _ in range(6):
        throttle.admit("s", "c")
    wait_is_over(seconds=3599)
    throttle.admit("s", "other")
    assert Attempts.objects.count() == 2
    wait_is_over(seconds=3601)
    assert [throttle.admit("s", "c") for _ in range(6)] == [0, 0, 0, 0, 0, 2]
    assert Attempts.objects.count() == 1


def test_a_success_takes_back_itself_and_no_earlier_failure():
    for _ in range(4):
        throttle.admit("s", "c")
    for _ in range(10):  # an account of one's own buys no further guess
        assert throttle.admit("s", "c") == 0
        throttle.succeeded("s", "c")
    assert [throttle.admit("s", "c") for _ in range(2)] == [0, 2]


def test_a_rule_may_have_more_free_guesses_and_shorter_waits():
    rule = throttle.Rule(free=7, longest=5)
    assert [throttle.admit("s", "c", rule) for _ in range(8)] == [0] * 7 + [2]
    assert rule.waits() == [2, 4, 5]


def test_neither_address_nor_account_is_stored():
    throttle.admit("s", "192.0.2.7")
    assert "192.0.2.7" not in str(Attempts.objects.values().get())


@pytest.mark.parametrize(
    ("production", "headers", "client"),
    [
        (False, {"REMOTE_ADDR": "192.0.2.7"}, "192.0.2.7"),
        (False, {"REMOTE_ADDR": "192.0.2.7", "HTTP_X_FORWARDED_FOR": "198.51.100.1"}, "192.0.2.7"),
        (True, {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "198.51.100.1"}, "198.51.100.1"),
        (True, {"REMOTE_ADDR": "10.0.0.1", "HTTP_X_FORWARDED_FOR": "forged, 1.1.1.1,198.51.100.1"}, "198.51.100.1"),
        (True, {"REMOTE_ADDR": "10.0.0.1"}, "10.0.0.1"),
        (True, {"REMOTE_ADDR": ""}, ""),
        (False, {"REMOTE_ADDR": "2001:db8:1:2:3::4"}, "2001:db8:1:2::/64"),
        (False, {"REMOTE_ADDR": "::ffff:192.0.2.7"}, "192.0.2.7"),
    ],
)
def test_the_client_is_whom_the_proxy_saw_in_production_and_the_peer_elsewhere(settings, production, headers, client):
    settings.PRODUCTION = production
    assert throttle.client_of(RequestFactory().get("/", **headers)) == client

"""The program in a real browser."""

import pytest

from planner.services.accounts import local_owner

pytestmark = pytest.mark.browser


def test_the_admin_works_under_our_security_policy(page, sign_in):
    sign_in(page, local_owner())
    page.goto("/admin/")
    assert page.title().startswith("Site administration")
    assert page.problems == []

"""A signed-in page with one scenario on it."""

import re
import time

import pytest

from planner.models import Membership, User, Workspace
from planner.services import scenarios

GROWTH = "demand/workloads/pool/growth/rate_per_month"
# plotly carries a map's style sheet that the policy refuses; nothing we draw needs it.
ALLOWED_NOISE = re.compile(r"Applying inline style violates.*plotly\.min\.js", re.S)


@pytest.fixture
def people(transactional_db):
    workspace = Workspace.objects.create(name="Lab")
    made = {}
    for name, role in (("ada", Membership.Role.EDITOR), ("bo", Membership.Role.EDITOR)):
        made[name] = User.objects.create_user(name)
        Membership.objects.create(user=made[name], workspace=workspace, role=role)
    return workspace, made


@pytest.fixture
def make(people):
    """Make a scenario from a template: make("small-team")."""
    workspace, users = people
    return lambda slug="small-team": scenarios.create_from_template(workspace, users["ada"], slug)


@pytest.fixture
def signed_page(page, sign_in, people):
    sign_in(page, people[1]["ada"])
    return page


@pytest.fixture
def opened(signed_page, make):
    """(page, scenario): the workspace of the small team with its chart drawn."""
    row = make()
    show(signed_page, row)
    return signed_page, row


def holds(page, expression):
    from playwright.sync_api import (
        Error,
    )  # not above: a machine without playwright collects these tests, and skips them

    try:
        return page.evaluate(expression)
    except Error as error:
        if "navigation" not in str(error):
            raise
        return False  # the page is just being replaced by another


def expect(locator):
    """Playwright's assertions, which wait until they hold."""
    from playwright.sync_api import expect as assertions

    return assertions(locator)


def until(page, expression, seconds=30):
    """Wait for a JavaScript expression to hold. Playwright's own wait would evaluate text in the page: its policy."""
    deadline = time.monotonic() + seconds
    while not holds(page, expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)


def follow(what, selector=None):
    """Click what leads to another page, a locator or a page's selector, and wait for that page."""
    link = what.locator(selector).first if selector else what
    with link.page.expect_navigation():
        link.click()


def settle(page):
    """Wait until no answer is under way or being put in its place, and no chart is being drawn."""
    until(
        page,
        "() => document.readyState === 'complete' && !document.querySelector("
        "'.htmx-request, .htmx-swapping, .htmx-settling, .htmx-added, #plot[aria-busy]')",
    )


def show(page, row, query=""):
    page.goto(f"/s/{row.pk}/{query}")
    page.wait_for_selector("#plot .main-svg")
    settle(page)


def noise(page):
    """What went wrong in the page, without what plotly does to itself."""
    return [problem for problem in page.problems if not ALLOWED_NOISE.search(problem)]


def type_into(page, label, text):
    """Type into a row as a person does, and wait until the answer is on the page."""
    box = page.get_by_label(label, exact=True)
    with page.expect_response(lambda response: "/edit/" in response.url) as answer:
        box.fill(text)
    answer.value.finished()
    settle(page)
    return box

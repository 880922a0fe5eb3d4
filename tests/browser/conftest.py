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


def until(page, expression, seconds=15):
    """Wait for a JavaScript expression to hold. Playwright's own wait would evaluate text in the page: its policy."""
    deadline = time.monotonic() + seconds
    while not page.evaluate(expression):
        assert time.monotonic() < deadline, expression
        page.wait_for_timeout(50)


def show(page, row, query=""):
    page.goto(f"/s/{row.pk}/{query}")
    page.wait_for_selector("#plot .main-svg")


def noise(page):
    """What went wrong in the page, without what plotly does to itself."""
    return [problem for problem in page.problems if not ALLOWED_NOISE.search(problem)]


def type_into(page, label, text):
    """Type into a row as a person does, and wait until the answer is on the page."""
    box = page.get_by_label(label, exact=True)
    with page.expect_response(lambda response: "/edit/" in response.url) as answer:
        box.fill(text)
    answer.value.finished()
    page.wait_for_function("() => !document.querySelector('.htmx-request')")
    page.wait_for_timeout(80)  # the swap, and what settles after it
    return box

"""Every address × everyone who may come: a stranger learns nothing, not even that something is there."""

import re

import pytest
from django.conf import settings
from django.shortcuts import resolve_url
from django.test import Client
from django.urls import URLPattern, resolve, reverse

from planner import urls
from planner.models import Membership, Report, Run, Scenario, ShareLink, User, Workspace
from planner.services import reports, runs, sharing
from tests.planner.conftest import member

NOBODY, STRANGER, OTHER, VIEWER, EDITOR = "nobody", "stranger", "other", "viewer", "editor"
# What each may do with an address; nobody is sent to the sign-in.
READ = {STRANGER: 404, OTHER: 404, VIEWER: 200, EDITOR: 200}
READ_AND_GO = {**READ, VIEWER: 302, EDITOR: 302}
CHANGE = {STRANGER: 404, OTHER: 404, VIEWER: 403, EDITOR: 302}
OWN = {STRANGER: 200, OTHER: 200, VIEWER: 200, EDITOR: 200}
OPEN = {NOBODY: 200, **OWN}

# name → (method, arguments, data, expected)
TABLE = {
    "home": ("get", (), {}, OWN),
    "create": ("post", (), {"template": "small-team"}, {STRANGER: 403, OTHER: 302, VIEWER: 403, EDITOR: 302}),
    "theme": ("post", (), {"theme": "dark"}, {NOBODY: 302, STRANGER: 302, OTHER: 302, VIEWER: 302, EDITOR: 302}),
    "sizing": ("get", (), {}, OWN),
    "sizing_make": (
        "post",
        (),
        {"query": "kind=pool", "pick": "h100-nvl"},
        {STRANGER: 403, OTHER: 302, VIEWER: 403, EDITOR: 302},
    ),
    "sizing_of": ("get", ("row",), {}, READ),
    "sizing_ways": ("get", (), {"kind": "pool", "pick": "h200-sxm"}, OWN),
    "sizing_ways_of": ("get", ("row",), {"pick": "h200-sxm"}, READ),
    "ways": ("get", ("row",), {}, READ),
    "budget": ("get", (), {}, OWN),
    "budget_csv": ("get", (), {}, OWN),
    "budget_why": ("get", ("ws-2x-rtx-5090.x1", "capex"), {}, OWN),
    "budget_make": (
        "post",
        (),
        {"query": "amount=300000", "pick": "ws-2x-rtx-5090.x1"},
        {STRANGER: 403, OTHER: 302, VIEWER: 403, EDITOR: 302},
    ),
    "budget_of": ("get", ("row",), {}, READ),
    "budget_csv_of": ("get", ("row",), {}, READ),
    "budget_why_of": ("get", ("row", "ws-2x-rtx-5090.x1", "capex"), {}, READ),
    "validation": ("get", (), {}, OWN),
    "validation_csv": ("get", (), {}, OWN),
    "validation_json": ("get", (), {}, OWN),
    "workspace": ("get", ("row",), {}, READ),
    "edit": ("post", ("row",), {"path": "finance/discount_rate", "value": "9", "base": "1"}, CHANGE),
    "undo": ("post", ("row",), {"base": "1"}, CHANGE),
    "redo": ("post", ("row",), {"base": "1"}, CHANGE),
    "plans": ("post", ("row",), {"action": "copy", "plan": "cloud", "base": "1"}, CHANGE),
    "parts": ("post", ("row",), {"action": "add", "list": "contracts", "base": "1"}, CHANGE),
    "workloads": ("post", ("row",), {"action": "add", "kind": "batch", "base": "1"}, CHANGE),
    "copy": ("post", ("row",), {}, CHANGE),
    "delete": ("post", ("row",), {}, {**CHANGE, EDITOR: 200}),
    "chart": ("get", ("row", "cash"), {}, READ_AND_GO),
    "chart_csv": ("get", ("row", "cash"), {}, READ),
    "prices": ("get", ("row",), {}, READ),
    "adopt_prices": ("post", ("row",), {"base": "1"}, {**CHANGE, EDITOR: 409}),
    "why": ("get", ("row", "cloud", "present_value"), {}, READ),
    "facility": ("get", ("row",), {}, READ),
    "purchasing": ("get", ("row",), {}, READ),
    "orders_csv": ("get", ("row",), {"plan": "scale-out"}, READ),
    "statements": ("get", ("row",), {}, READ),
    "statement_csv": ("get", ("row",), {"plan": "scale-out"}, READ),
    "statement_xlsx": ("get", ("row",), {"plan": "scale-out"}, READ),
    "orders_zip": ("get", ("row",), {"plan": "scale-out"}, READ),
    "runs": ("get", ("row",), {}, READ),
    "run_ask": ("post", ("row",), {"version": "1"}, CHANGE),
    "run": ("get", ("run",), {}, READ),
    "run_progress": ("get", ("run",), {}, READ),
    "run_cancel": ("post", ("run",), {}, CHANGE),
    "run_csv": ("get", ("finished",), {}, READ),
    "reports_of": ("get", ("row",), {}, READ),
    "freeze": ("post", ("row",), {"version": "1"}, CHANGE),
    "reports": ("get", (), {}, OWN),
    "report": ("get", ("report",), {}, READ),
    "report_figures": ("get", ("report",), {}, READ),
    "report_sealed": ("get", ("report",), {}, READ),
    "report_html": ("get", ("report",), {}, READ),
    "report_delete": ("post", ("report",), {}, {**CHANGE, EDITOR: 200}),
    "link_create": ("post", ("report",), {"expires": "7"}, {**CHANGE, EDITOR: 200}),
    "links_revoke": ("post", ("report",), {}, CHANGE),
    "link_revoke": ("post", ("link",), {}, CHANGE),
    "shared": ("get", ("token",), {}, OPEN),
    "shared_figures": ("get", ("token",), {}, OPEN),
}


@pytest.fixture
def things(workspace, row, editor, viewer):
    """(arguments of addresses, clients by role)."""
    elsewhere = Workspace.objects.create(name="Elsewhere")
    report = reports.freeze(row.head, editor)
    link, token = sharing.create(report, editor)
    users = {
        STRANGER: User.objects.create_user("eve"),
        OTHER: member(elsewhere, "oz", Membership.Role.OWNER),
        VIEWER: viewer,
        EDITOR: editor,
    }
    clients = {NOBODY: Client()}
    for role, user in users.items():
        clients[role] = Client()
        clients[role].force_login(user)
    waiting, finished = runs.sweep(row.head, editor), swept(row.head)
    keys = {"row": row, "report": report, "link": link, "run": waiting, "finished": finished}
    return {name: each.pk for name, each in keys.items()} | {"token": token}, clients


def swept(version):
    """A run that is done, of a sweep of few points."""
    parameters = {"count": 1, "points": 2}
    run = Run.objects.create(scenario_id=version.scenario_id, version=version, key="short", parameters=parameters)
    runs.work(run.pk)
    return run


def test_every_named_address_is_in_the_table():
    names = {each.name for each in urls.urlpatterns if isinstance(each, URLPattern) and each.name}
    assert names == set(TABLE)


@pytest.mark.parametrize("name", TABLE)
def test_an_address_answers_each_role_as_the_table_says(things, name):
    keys, clients = things
    method, arguments, data, expected = TABLE[name]
    address = reverse(f"planner:{name}", args=[keys.get(each, each) for each in arguments])
    for role in (NOBODY, STRANGER, OTHER, VIEWER, EDITOR):  # those who may not, first
        answer = getattr(clients[role], method)(address, data)
        if role == NOBODY and NOBODY not in expected:
            assert answer.status_code == 302
            assert answer.headers["Location"].startswith(f"{resolve_url(settings.LOGIN_URL)}?next=")
            continue
        assert answer.status_code == expected[role], role
        if answer.status_code in (403, 404):
            assert Report.objects.count() == 1
            assert ShareLink.objects.get().revoked_at is None
            assert Scenario.objects.get(pk=keys["row"]).head.number == 1
            assert Run.objects.get(pk=keys["run"]).state == Run.State.QUEUED


def test_what_is_not_theirs_answers_as_what_is_not_there(things):
    keys, clients = things
    nowhere = dict.fromkeys(keys, 987654)
    for name, (method, arguments, data, _expected) in TABLE.items():
        if not set(arguments) & set(keys) or arguments[0] == "token":
            continue
        for role in (STRANGER, OTHER):
            answers = []
            for known in (keys, nowhere):
                address = reverse(f"planner:{name}", args=[known.get(each, each) for each in arguments])
                answer = getattr(clients[role], method)(address, data)
                body = _without_what_varies(answer.content.decode(), address)
                answers.append((answer.status_code, body, sorted(answer.headers)))
            assert answers[0] == answers[1], (name, role)
            assert answers[0][0] == 404


def _without_what_varies(page, address):
    return re.sub(r'name="csrfmiddlewaretoken" value="\w+"', "", page).replace(address, "")


def test_a_list_shows_only_ones_own(things):
    _keys, clients = things
    for role, count in ((STRANGER, 0), (OTHER, 0), (VIEWER, 1), (EDITOR, 1)):
        assert clients[role].get(reverse("planner:reports")).content.decode().count('id="report-') == count * 2


def test_a_viewer_sees_links_but_no_button(things):
    keys, clients = things
    page = clients[VIEWER].get(reverse("planner:reports_of", args=[keys["row"]])).content.decode()
    assert "Link made" in page
    assert "read only" in page
    for words in (">Revoke<", "Create link", "Freeze version", "Delete report"):
        assert words not in page


def offered(page):
    """Names of the addresses to which a page offers a button."""
    forms = re.findall(r'<form[^>]*method="post"[^>]*action="([^"]+)"[^>]*>(.*?)</form>', page, re.S)
    outside = {target for name in re.findall(r'<button[^>]*form="(\w+)"', page) for target in _forms(page, name)}
    inside = {address for address, body in forms if "<button" in body}
    return {resolve(address.split("?")[0]).view_name for address in inside | outside}


def _forms(page, name):
    return re.findall(rf'<form id="{name}"[^>]*action="([^"]+)"', page)


@pytest.mark.parametrize("name", [name for name, (method, *_rest, what) in TABLE.items() if what[VIEWER] == 200])
def test_no_page_offers_a_viewer_a_button_that_is_refused(things, name):
    keys, clients = things
    method, arguments, data, _expected = TABLE[name]
    answer = getattr(clients[VIEWER], method)(
        reverse(f"planner:{name}", args=[keys.get(each, each) for each in arguments]), data
    )
    if answer.streaming or "html" not in answer.headers["Content-Type"] or "attachment" in str(answer.headers):
        return
    refused = {f"planner:{each}" for each, (*_rest, who) in TABLE.items() if who.get(VIEWER) == 403}
    assert not offered(answer.content.decode()) & refused


def test_an_editor_is_offered_what_a_viewer_is_not(things):
    _keys, clients = things
    buttons = {role: offered(clients[role].get(reverse("planner:home")).content.decode()) for role in (VIEWER, EDITOR)}
    assert buttons[EDITOR] - buttons[VIEWER] == {"planner:create", "planner:copy", "planner:delete"}

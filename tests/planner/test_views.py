"""Pages over HTTP: access, forms without scripts, parts for htmx."""

import csv
import io
import re

import pytest
from django.template.loader import render_to_string
from django.urls import reverse

from planner import forms, tables
from planner.engine.inputs import get_at
from planner.models import Scenario
from planner.services import gallery, scenarios
from tests.planner.conftest import GROWTH

HTMX = {"HX-Request": "true"}


def post_edit(client, row, value, *, path=GROWTH, base=None, htmx=False, **more):
    number = scenarios.newest(row).number if base is None else base
    data = {"path": path, "value": value, "base": number, **more}
    return client.post(reverse("planner:edit", args=[row.pk]), data, headers=HTMX if htmx else {})


def test_home_asks_for_a_sign_in(client, db):
    assert client.get("/").status_code == 302


def test_home_shows_templates_and_an_empty_state(signed):
    page = signed.get("/").content.decode()
    assert "Small team" in page
    assert "Nothing here yet" in page


@pytest.mark.parametrize("slug", gallery.templates())
def test_every_template_makes_a_workspace_that_opens(signed, workspace, slug):
    made = signed.post(reverse("planner:create"), {"template": slug}, follow=True)
    assert made.status_code == 200
    assert made.context["verdict"]["title"] in made.content.decode()
    assert "Nothing here yet" not in signed.get("/").content.decode()


def test_a_scenario_of_another_workspace_does_not_exist(client, row, django_user_model):
    client.force_login(django_user_model.objects.create_user("eve"))
    assert client.get(reverse("planner:workspace", args=[row.pk])).status_code == 404
    assert post_edit(client, row, "8").status_code == 404


def test_a_viewer_reads_but_does_not_edit(client, row, viewer):
    client.force_login(viewer)
    page = client.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "read only" in page
    refused = post_edit(client, row, "8")
    assert refused.status_code == 403
    assert "your role in this workspace is viewer" in refused.content.decode()
    assert scenarios.newest(row).number == 1


def test_a_viewer_makes_no_scenario(client, viewer):
    client.force_login(viewer)
    assert client.post(reverse("planner:create"), {"template": "small-team"}).status_code == 403


def test_an_edit_without_scripts_saves_and_comes_back_to_its_row(signed, row):
    answer = post_edit(signed, row, "8")
    assert answer.status_code == 302
    assert answer["Location"].endswith("#a-demand--workloads--pool--growth--rate_per_month")
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08


def test_a_refused_entry_without_scripts_stands_beside_its_message(signed, row):
    answer = post_edit(signed, row, "900")
    page = answer.content.decode().replace("\xa0", " ")
    assert answer.status_code == 422
    assert 'value="900"' in page
    assert re.search(r'class="error"[^>]*>Growth must lie in −20–50 % a month', page)
    assert scenarios.newest(row).number == 1


def test_undo_and_redo_without_scripts(signed, row):
    post_edit(signed, row, "8")
    signed.post(reverse("planner:undo", args=[row.pk]), {"base": 2})
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.04
    signed.post(reverse("planner:redo", args=[row.pk]), {"base": 3})
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08


def test_an_htmx_edit_brings_the_changed_parts_only(signed, row):
    answer = post_edit(signed, row, "8", htmx=True, chart="capacity")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert "<html" not in page
    for part in ("state", "verdict", "kpis", "chart-data", "details", "announce"):
        assert f'id="{part}"' in page
    row_id = "a-demand--workloads--pool--growth--rate_per_month"
    assert f'id="{row_id}-i"' not in page  # what is being typed is left alone
    assert f'id="{row_id}-t"' in page
    assert "PV +" in page
    assert 'id="a-finance--discount_rate"' not in page


def test_an_htmx_edit_that_changes_other_rows_brings_them(signed, row):
    page = post_edit(signed, row, "DE", path="sites/office/region", htmx=True).content.decode()
    assert 'id="a-sites--office--electricity_price_per_kwh"' in page


def test_another_growth_curve_brings_its_own_fields(signed, row):
    page = post_edit(signed, row, "linear", path="demand/workloads/pool/growth/kind", htmx=True).content.decode()
    assert 'id="rows-demand"' in page
    assert "Added each month" in page
    assert get_at(scenarios.newest(row).document, "demand/workloads/pool/growth")["ceiling"] == 16.0


@pytest.mark.parametrize("kind", ["constant", "compound", "linear", "logistic", "steps", "table"])
def test_every_growth_curve_can_be_chosen(signed, row, kind):
    assert post_edit(signed, row, kind, path="demand/workloads/pool/growth/kind").status_code == 302
    assert signed.get(reverse("planner:workspace", args=[row.pk])).status_code == 200


def test_a_stale_edit_shows_both_values_and_overwrites_nothing(signed, row, colleague):
    scenarios.edit(row, 1, GROWTH, 0.08, colleague)
    answer = post_edit(signed, row, "2", base=1)
    page = answer.content.decode()
    assert answer.status_code == 409
    assert "Nothing was saved" in page
    assert "it was 4 % / mo, now it is 8 % / mo; you asked for 2 % / mo" in page.replace("\xa0", " ")
    assert "bo" in page
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.08


def test_a_stale_edit_can_be_applied_on_top(signed, row, colleague):
    scenarios.edit(row, 1, "finance/discount_rate", 0.1, colleague)
    page = post_edit(signed, row, "2", base=1, htmx=True).content.decode()
    assert "Apply my change on top of the newest" in page
    post_edit(signed, row, "2", base=2)
    document = scenarios.newest(row).document
    assert get_at(document, GROWTH) == 0.02
    assert get_at(document, "finance/discount_rate") == 0.1


def test_reset_brings_the_first_value_back(signed, row):
    post_edit(signed, row, "8")
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "Reset Growth to 4" in page
    signed.post(reverse("planner:edit", args=[row.pk]), {"reset": GROWTH, "base": 2})
    assert get_at(scenarios.newest(row).document, GROWTH) == 0.04


def test_plans_are_added_copied_renamed_and_removed(signed, row):
    url = reverse("planner:plans", args=[row.pk])
    for strategy in ("scale_out", "server_now", "cluster_now", "cloud", "hybrid"):
        number = scenarios.newest(row).number
        assert signed.post(url, {"action": "add", "strategy": strategy, "base": number}).status_code == 302
    signed.post(url, {"action": "copy", "plan": "cloud", "base": scenarios.newest(row).number})
    signed.post(url, {"action": "rename", "plan": "cloud", "name": "Rent", "base": scenarios.newest(row).number})
    signed.post(url, {"action": "remove", "plan": "scale-out", "base": scenarios.newest(row).number})
    plans = {plan["slug"]: plan["name"] for plan in scenarios.newest(row).document["plans"]}
    assert plans["cloud"] == "Rent"
    assert "scale-out" not in plans
    assert len(plans) == 4 + 5 + 1 - 1
    assert signed.get(reverse("planner:workspace", args=[row.pk])).status_code == 200


def test_the_last_plan_stays(signed, row):
    url = reverse("planner:plans", args=[row.pk])
    for plan in scenarios.newest(row).document["plans"]:
        answer = signed.post(url, {"action": "remove", "plan": plan["slug"], "base": scenarios.newest(row).number})
    assert answer.status_code == 422
    assert len(scenarios.newest(row).document["plans"]) == 1


def test_workloads_of_every_kind_are_added_copied_and_removed(signed, row):
    url = reverse("planner:workloads", args=[row.pk])
    for kind in ("training", "tuning", "serving", "batch", "hpc", "pool"):
        answer = signed.post(url, {"action": "add", "kind": kind, "base": scenarios.newest(row).number})
        assert answer.status_code == 302
    signed.post(url, {"action": "copy", "workload": "batch", "base": scenarios.newest(row).number})
    signed.post(url, {"action": "remove", "workload": "batch", "base": scenarios.newest(row).number})
    slugs = [work["slug"] for work in scenarios.newest(row).document["demand"]["workloads"]]
    assert slugs == ["pool", "training", "tuning", "serving", "hpc", "pool-2", "batch-2"]
    page = signed.get(reverse("planner:workspace", args=[row.pk]))
    assert page.status_code == 200
    assert "offline batch work (copy)" in page.content.decode()


def test_the_last_workload_stays_and_an_unknown_kind_is_refused(signed, row):
    url = reverse("planner:workloads", args=[row.pk])
    assert signed.post(url, {"action": "remove", "workload": "pool", "base": 1}).status_code == 422
    assert signed.post(url, {"action": "add", "kind": "mining", "base": 1}).status_code == 422
    assert scenarios.newest(row).number == 1


def test_a_model_by_hand_begins_as_the_chosen_one(signed, row):
    url = reverse("planner:workloads", args=[row.pk])
    signed.post(url, {"action": "add", "kind": "batch", "base": 1})
    edit = reverse("planner:edit", args=[row.pk])
    signed.post(edit, {"path": "demand/workloads/batch/model", "value": "on", "base": 2})
    (_pool, batch) = scenarios.newest(row).document["demand"]["workloads"]
    assert (batch["model"]["params_b"], batch["model"]["layers"]) == (8.03, 32)  # Llama 3.1 8B
    signed.post(edit, {"path": "demand/workloads/batch/model/full_attention_layers", "value": "32", "base": 3})
    signed.post(edit, {"path": "demand/workloads/batch/model/layers", "value": "16", "base": 4})
    model = scenarios.newest(row).document["demand"]["workloads"][1]["model"]
    assert (model["layers"], model["full_attention_layers"]) == (16, None)  # all of them, as before
    signed.post(edit, {"path": "demand/workloads/batch/model", "value": "", "base": 5})
    assert scenarios.newest(row).document["demand"]["workloads"][1]["model"] is None


def test_copy_and_delete_a_scenario(signed, row):
    signed.post(reverse("planner:copy", args=[row.pk]))
    assert Scenario.objects.count() == 2
    asked = signed.post(reverse("planner:delete", args=[row.pk]))
    assert asked.status_code == 200
    assert Scenario.objects.count() == 2
    signed.post(reverse("planner:delete", args=[row.pk]), {"sure": "yes"})
    assert Scenario.objects.count() == 1


def test_charts_as_part_and_as_csv(signed, row):
    part = signed.get(reverse("planner:chart", args=[row.pk, "cash"]), headers=HTMX).content.decode()
    assert 'id="figure"' in part
    table = signed.get(reverse("planner:chart_csv", args=[row.pk, "cash"]))
    assert table["Content-Type"].startswith("text/csv")
    assert len(table.content.decode("utf-8-sig").splitlines()) > 4


def test_why_is_a_page_and_a_part(signed, row):
    url = reverse("planner:why", args=[row.pk, "cloud", "present_value"])
    page = signed.get(url).content.decode()
    part = signed.get(url, headers=HTMX).content.decode()
    assert "<html" in page
    assert "<html" not in part
    assert "Present value" in part
    assert signed.get(reverse("planner:why", args=[row.pk, "cloud", "nonsense"])).status_code == 404
    assert signed.get(reverse("planner:why", args=[row.pk, "nonsense", "capex"])).status_code == 404


@pytest.mark.parametrize("slug", gallery.templates())
def test_every_figure_of_a_plan_opens_its_why(signed, workspace, slug):
    """Follow each link of home and workspace; what it opens says the same figure and has parts behind it."""
    made = signed.post(reverse("planner:create"), {"template": slug})
    page = signed.get(made["Location"]).content.decode()
    links = set(re.findall(r'href="(/s/\d+/why/[^"]+)"', page))
    assert len(links) > 20
    for link in links:
        answer = signed.get(link)
        assert answer.status_code == 200, link
        tree = answer.context["tree"]
        assert tree["children"] or tree["months"] or tree["value"] in (0, None), link


def test_a_price_is_shown_with_unit_and_period_u014(signed, row):
    page = signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    own = re.findall(r'id="a-market--own_prices--[^"]+-u" title="([^"]+)"', page)
    assert {"USD / server", "USD / card", "USD / GPU-hour"} <= set(own)


def test_a_theme_is_kept_in_a_cookie(signed):
    answer = signed.post(reverse("planner:theme"), {"theme": "dark", "next": "/"})
    assert answer.cookies["theme"].value == "dark"
    assert 'data-theme="dark"' in signed.get("/").content.decode()
    assert (
        signed.post(reverse("planner:theme"), {"theme": "dark", "next": "https://elsewhere.example/"})["Location"]
        == "/"
    )


def test_a_document_of_another_version_is_said_not_to_be_read(signed, row):
    version = row.head
    version.document = {
        **version.document,
        "novel": 1,
        "plans": [{**plan, "novel": 1} for plan in version.document["plans"]],
    }
    version.save()
    assert signed.get("/").status_code == 200
    answer = signed.get(reverse("planner:workspace", args=[row.pk]))
    assert answer.status_code == 500
    assert "does not read" in answer.content.decode()


@pytest.mark.parametrize("slug", ["small-team", "driving-lab"])
def test_every_choice_is_answered_and_can_be_undone(signed, workspace, editor, slug):
    """No choice, switch or part of a plan breaks the page: computed, or refused with a reason; undo restores it."""
    row = scenarios.create_from_template(workspace, editor, slug)
    start = row.head.document
    others = ("lines/", *(f"plans/{plan['slug']}/" for plan in start["plans"][1:]))
    for each in forms.walk(scenarios.read(start)):
        wanted = [str(value) for value in each.choices] if each.kind == "choice" else ["true", "false"]
        if each.kind not in ("choice", "switch", "part") or each.path.startswith(others):
            continue
        for value in wanted:
            before = scenarios.newest(row)
            assert post_edit(signed, row, value, path=each.path, htmx=True).status_code == 200, (each.path, value)
            if (after := scenarios.newest(row)).number != before.number:
                assert scenarios.undo(row, after.number, editor).document == start, (each.path, value)


def test_head_is_answered_wherever_get_is(signed, row):
    for address in ("/", f"/s/{row.pk}/", f"/s/{row.pk}/chart/cash.csv"):
        assert signed.head(address).status_code == 200


def test_a_chart_as_csv_holds_plain_numbers_with_the_currency_in_the_head(signed, row):
    text = signed.get(f"/s/{row.pk}/chart/cumulative.csv").content.decode("utf-8-sig")
    head, first = list(csv.reader(io.StringIO(text)))[:2]
    assert all(cell.endswith(", USD") for cell in head[1:])
    assert all(float(cell) >= 0 for cell in first[1:])


def test_a_scenario_is_renamed_in_the_header(signed, row):
    asked = {"path": "name", "value": "Ours", "base": 1, "in_header": "1"}
    answer = signed.post(f"/s/{row.pk}/edit/", asked, headers={"HX-Request": "true"}).content.decode()
    assert '<h1 id="name" hx-swap-oob="true">Ours</h1>' in answer
    assert 'id="a-name" hx-swap-oob="true"' in answer


@pytest.mark.parametrize(
    ("url", "kept"),
    [
        ("https://example.org/a?b=1", True),
        ("HTTP://example.org", True),
        ("javascript:alert(1)", False),
        ("javascript://example.org/%0aalert(1)", False),
        (" javascript:alert(1)", False),
        ("data:text/html,x", False),
        ("//example.org", False),
        ("http://[", False),
        ("", False),
        (None, False),
    ],
)
def test_only_web_addresses_become_links(url, kept):
    page = render_to_string("planner/_message.html", {"each": {"id": "a", "badge": {"url": url, "word": "market"}}})
    assert ("href" in page) is kept
    page = render_to_string("planner/_node_facts.html", {"node": {"source": {"url": url, "word": "", "text": "Shop"}}})
    assert ("href" in page) is kept
    assert "Shop" in page


@pytest.mark.parametrize("name", ["=1+1", "+1", "-1+1", "@SUM(A1)", "\t=1", "\r=1"])
def test_a_name_never_runs_as_a_formula_in_a_spreadsheet(name):
    table = {"head": ["Month", name], "rows": [[name, "−1,234.5"], ["Feb", name]]}
    head, first, second = csv.reader(io.StringIO(tables.plain_csv(table, "USD"), newline=""))
    assert head[1] == first[0] == second[1] == f"'{name}"
    assert first[1] == "-1234.5"

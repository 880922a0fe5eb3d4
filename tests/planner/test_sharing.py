"""Share links: who opens them, who sees them, what they tell, and that they stop."""

import datetime as dt
import json
import logging
import re

import pytest
from django.contrib.auth import get_user_model
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from catalog import services as catalog_services
from catalog.importers.shipped import shipped
from catalog.models import Quote
from planner.engine.inputs import set_at
from planner.models import Report, ShareLink
from planner.project.logs import WithoutTokens
from planner.services import reports, scenarios, sharing

CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}


@pytest.fixture
def report(row, editor):
    return reports.freeze(row.head, editor)


@pytest.fixture
def link(report, editor):
    return sharing.create(report, editor)


def shared(token, name="shared"):
    return reverse(f"planner:{name}", args=[token])


# ── Tokens ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_is_long_random_and_stored_only_as_a_hash(report, editor):
    (one, token), (other, second) = (sharing.create(report, editor) for _ in range(2))
    assert token != second
    assert len(token) * 6 >= 128
    stored = json.dumps(list(ShareLink.objects.values()), default=str) + json.dumps(
        list(Report.objects.values()), default=str
    )
    assert token not in stored
    assert one.token_sha256 != other.token_sha256
    assert len(one.token_sha256) == 64


def test_u097_a_new_link_after_revoking_is_another_and_the_old_one_stays_dead(link, report, editor):
    first, token = link
    sharing.revoke(first)
    _second, fresh = sharing.create(report, editor)
    assert fresh != token
    assert sharing.find(token) is None
    assert sharing.find(fresh).report == report


def test_u096_a_link_stops_when_it_expires_and_never_while_it_has_no_end(report, editor):
    link, token = sharing.create(report, editor, days=1)
    endless, other = sharing.create(report, editor, days=None)
    assert link.expires_at - link.created_at == dt.timedelta(days=1)
    assert sharing.find(token).report == report
    ShareLink.objects.update(expires_at=timezone.now())
    ShareLink.objects.filter(pk=endless.pk).update(expires_at=None)
    assert sharing.find(token) is None
    assert sharing.find(other).report == report
    link.refresh_from_db()
    assert link.state == "expired"


def test_revoking_twice_keeps_the_first_moment(link):
    first, _token = link
    sharing.revoke(first)
    first.refresh_from_db()
    moment = first.revoked_at
    sharing.revoke(first)
    first.refresh_from_db()
    assert first.revoked_at == moment


# ── What a reader gets ───────────────────────────────────────────────────────────────────────────────────────────────


def without_sources(page):
    """The page without its links to where a price was published, which tell that place nothing of the page, and
    those to places of its own."""
    return re.sub(r'<a href="https?://[^"]*" rel="noreferrer noopener">|(?<=<a )href="#[^"]*"', "<a>", page)


def test_a_link_opens_without_a_session_and_sets_no_cookie(client, link, django_assert_max_num_queries):
    with django_assert_max_num_queries(2):
        answer = client.get(shared(link[1]))
    assert answer.status_code == 200
    assert not answer.cookies
    page = answer.content.decode()
    assert "/s/" not in page
    assert "csrf" not in page
    assert "<script" not in page
    assert set(re.findall(r'(?:href|src|action)="([^"]*)"', without_sources(page))) == {
        "/static/planner/mark.svg",
        "/static/planner/report.css",
        "/static/planner/drawn.css",
        "?lang=en",
        "?lang=zh-hans",
    }


def test_u101_no_search_no_cache_no_referrer(client, link):
    for address in (shared(link[1]), shared(link[1], "shared_figures"), shared("unknown")):
        headers = client.get(address).headers
        assert headers["X-Robots-Tag"] == "noindex, nofollow"
        assert headers["Cache-Control"] == "no-store"
        assert headers["Referrer-Policy"] == "no-referrer"
        assert "default-src 'none'" in headers["Content-Security-Policy"]
    page = without_sources(client.get(shared(link[1])).content.decode())
    assert not re.search(r"""(?:href|src|srcset|action|content)=["'][^"']*https?://|url\(""", page)


def test_u099_a_revoked_link_is_gone_on_a_plain_refresh(client, link):
    assert client.get(shared(link[1])).status_code == 200
    sharing.revoke(link[0])
    assert client.get(shared(link[1])).status_code == 404
    assert client.get(shared(link[1], "shared_figures")).status_code == 404


@pytest.mark.parametrize("language", [{}, CHINESE])
def test_unknown_expired_and_revoked_answer_the_very_same(client, report, editor, language):
    tokens = [sharing.create(report, editor)[1] for _ in range(2)]
    first, second = ShareLink.objects.order_by("pk")
    sharing.revoke(first)
    ShareLink.objects.filter(pk=second.pk).update(expires_at=timezone.now())
    tokens += ["unknown", "x" * 5000, "%F0%9F%98%80", "..;"]
    answers = []
    for token in tokens:
        for ending in ("/", "", "/figures.json", "/anything/else"):
            answer = client.get(f"/r/{token}{ending}", **language)
            answers.append((answer.status_code, answer.content, tuple(sorted(answer.headers.items()))))
    assert answers[0][0] == 404
    assert len(set(answers)) == 1


def test_what_is_sent_to_an_open_link_changes_nothing(link):
    strict = Client(enforce_csrf_checks=True)
    before = ShareLink.objects.values().get()
    assert strict.post(shared(link[1])).headers["Location"] == shared(link[1])
    assert strict.post(shared("unknown")).status_code == 404
    assert strict.post(shared(link[1], "shared_figures")).status_code == 405
    assert strict.put(shared(link[1])).status_code == 405
    assert ShareLink.objects.values().get() == before


def test_every_opening_is_counted_for_its_owner(client, link):
    first, token = link
    for _ in range(3):
        client.get(shared(token))
    client.get(shared(token, "shared_figures"))
    client.head(shared(token))
    first.refresh_from_db()
    assert first.opened == 3
    assert timezone.now() - first.last_opened_at < dt.timedelta(minutes=1)


def test_the_reader_chooses_the_language_and_the_browser_the_first(client, link):
    address = shared(link[1])
    assert '<html lang="en">' in client.get(address).content.decode()
    chinese = client.get(address, **CHINESE)
    assert '<html lang="zh-hans">' in chinese.content.decode()
    assert chinese.headers["Content-Language"] == "zh-hans"
    assert client.get(address, {"lang": "zh-hans"}).content == chinese.content
    assert '<html lang="en">' in client.get(address, {"lang": "en"}, **CHINESE).content.decode()
    assert '<html lang="en">' in client.get(address, {"lang": "<script>"}).content.decode()


def test_figures_are_an_allow_list(client, link, report):
    figures = client.get(shared(link[1], "shared_figures"))
    assert figures.headers["Content-Type"].startswith("application/json")
    data = json.loads(figures.content)
    assert set(data) == {
        *("engine_version", "currency", "months", "start", "pricing_date", "created_at", "report_sha256", "version"),
        *("verdict", "plans", "left_out", "trust"),
    }
    assert set(data["plans"][0]) == set(reports.PLAN)
    text = figures.content.decode()
    for secret in ("supplier", "quote_id", "unit_price", "https:", "source", "orders", "ada", "stray"):
        assert secret not in text, secret
    assert data["report_sha256"] == report.sha256


def test_the_page_names_no_quote_number_and_no_person(client, link):
    page = client.get(shared(link[1])).content.decode()
    assert "ada" not in re.findall(r">([^<]*)<", page)
    assert "quote_id" not in page


# ── The workspace ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_freeze_share_see_revoke_by_forms(signed, row, client):
    """Edit → freeze → share → opened → revoked, without a script."""
    place = reverse("planner:reports_of", args=[row.pk])
    assert place in signed.get(reverse("planner:workspace", args=[row.pk])).content.decode()
    assert "No report yet" in signed.get(place).content.decode()
    done = signed.post(reverse("planner:freeze", args=[row.pk]), {"version": 1}, follow=True).content.decode()
    report = Report.objects.get()
    assert f"Version 1 is frozen as report {report.sha256[:12]}" in done
    made = signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "7"})
    address = re.search(r'value="http://testserver(/r/[^"]+)"', made.content.decode())[1]
    assert "no-store" in made.headers["Cache-Control"]
    assert address not in signed.get(place).content.decode()  # shown once
    assert Client().get(address).status_code == 200
    signed.post(reverse("planner:link_revoke", args=[ShareLink.objects.get().pk]))
    assert Client().get(address).status_code == 404
    assert "revoked" in signed.get(place).content.decode()


def test_u106_every_link_is_listed_with_its_story(signed, report, link, editor, row):
    sharing.take_view(link[0])
    old, _token = sharing.create(report, editor, days=None)
    sharing.revoke(old)
    page = signed.get(reverse("planner:reports_of", args=[row.pk])).content.decode()
    for words in ("Link made", "Expires", "Opened", "Last opened", "just now · ada", "revoked"):
        assert words in page, words
    assert re.findall(r"<dt>Opened</dt><dd>([^<]*)<", page) == ["0 times", "1 time"]
    assert page.count(">Revoke</button>") == 1
    assert link[1] not in page


def test_all_links_are_revoked_at_once(signed, report, editor):
    tokens = [sharing.create(report, editor)[1] for _ in range(3)]
    done = signed.post(reverse("planner:links_revoke", args=[report.pk]), follow=True).content.decode()
    assert "3 links are revoked." in done
    assert [sharing.find(token) for token in tokens] == [None] * 3


def test_only_listed_expiries_are_taken(signed, report):
    assert signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "5000"}).status_code == 400
    assert not ShareLink.objects.exists()


def test_the_version_on_the_page_is_frozen_not_a_newer_one(signed, row, editor):
    scenarios.edit(row, 1, "finance/discount_rate", 0.1, editor)
    signed.post(reverse("planner:freeze", args=[row.pk]), {"version": "1"})
    assert Report.objects.get().version_number == 1
    for version in ("99", "9" * 30, "9" * 5000, "²", "-1", ""):
        assert signed.post(reverse("planner:freeze", args=[row.pk]), {"version": version}).status_code == 404


def test_a_report_of_a_deleted_scenario_is_still_listed_and_can_be_shared(signed, row, report):
    scenarios.delete(row)
    page = signed.get(reverse("planner:reports")).content.decode()
    assert "its scenario is deleted" in page
    assert "Small team: 4 GPUs or 8?" in page
    made = signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "never"})
    assert made.status_code == 200
    assert "/r/" in made.content.decode()


def test_embedded_says_that_a_link_opens_here_only(signed, row, report, settings):
    place = reverse("planner:reports_of", args=[row.pk])
    assert "on this computer only" not in signed.get(place).content.decode()
    settings.EMBEDDED = True
    assert "on this computer only" in signed.get(place).content.decode()


@pytest.mark.parametrize(("language", "name"), [("en", "report-"), ("zh-hans", "%E6%8A%A5%E5%91%8A-")])
def test_the_html_file_needs_nothing_else(signed, report, language, name):
    answer = signed.get(reverse("planner:report_html", args=[report.pk]), {"lang": language})
    assert f"filename*=UTF-8''{name}{report.sha256[:12]}.html" in answer.headers["Content-Disposition"]
    page = answer.content.decode()
    assert f'<html lang="{language}">' in page
    assert re.findall(r'(?:href|src)="([^"]*)"', without_sources(page)) == ["data:,"]
    assert "url(" not in page
    assert "@import" not in page
    assert page.count("<svg") >= 6
    assert report.sha256 in page


def test_the_sealed_file_is_the_very_content(signed, report):
    answer = signed.get(reverse("planner:report_sealed", args=[report.pk]))
    assert answer.content.decode() == report.content
    assert reports.verify(answer.content, report.sha256).genuine


# ── Text stays text ──────────────────────────────────────────────────────────────────────────────────────────────────

NASTY = '"><script>alert(1)</script><img src=x onerror=alert(2)>'


def test_u107_html_and_javascript_in_names_stay_text_everywhere(signed, workspace, editor, client):
    row = scenarios.create_from_template(workspace, editor, "small-team")
    document = set_at(row.head.document, "name", NASTY)
    for path, name in (("plans/cloud/name", NASTY), ("demand/workloads/pool/name", "javascript:alert(3)")):
        document = set_at(document, path, name)
    nasty = scenarios.create(workspace, editor, document)
    report = reports.freeze(nasty.head, editor)
    _link, token = sharing.create(report, editor)
    pages = [
        signed.get(reverse("planner:reports_of", args=[nasty.pk])),
        signed.get(reverse("planner:report_html", args=[report.pk])),
        *(client.get(shared(token), {"lang": language}) for language in ("en", "zh-hans")),
    ]
    for page in pages:
        text = page.content.decode()
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert 'href="javascript' not in text


def test_u107_html_and_javascript_in_quotes_stay_text_everywhere(signed, workspace, editor, client):
    catalog_services.load(shipped())
    Quote.objects.update(supplier=NASTY, number=NASTY, basis=NASTY, source_url="javascript:alert(4)")
    Quote.objects.first().save()  # the catalog is read again
    row = scenarios.create_from_template(workspace, editor, "small-team")
    report = reports.freeze(row.head, editor)
    _link, token = sharing.create(report, editor)
    texts = [
        signed.get(reverse(f"planner:{name}", args=[row.pk, *more])).content.decode()
        for name, *more in (("workspace",), ("purchasing",), ("why", "scale-out", "present_value"))
    ]
    texts.append(signed.get(reverse("planner:report_html", args=[report.pk])).content.decode())
    texts += [client.get(shared(token), {"lang": language}).content.decode() for language in ("en", "zh-hans")]
    for text in texts:
        assert "alert(1)" in text
        assert "<script>alert" not in text
        assert "<img" not in text
        assert 'href="javascript' not in text


# ── Logs ─────────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_token_reaches_no_log_even_when_the_page_breaks(link, monkeypatch, settings):
    from planner.views import paper

    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(self.format(record))

    def broken(*args, **more):
        raise RuntimeError(f"no page for /r/{link[1]}/")

    handler = Kept()
    handler.setFormatter(WithoutTokens("{levelname} {name}: {message}", style="{"))
    root = logging.getLogger()
    root.addHandler(handler)
    monkeypatch.setattr(paper, "page", broken)
    try:
        answer = Client(raise_request_exception=False).get(shared(link[1]))
        Client(raise_request_exception=False).get(f"/r/{link[1]}/?next=/r/{link[1]}")
    finally:
        root.removeHandler(handler)
    assert answer.status_code == 500
    assert link[1] not in answer.content.decode()
    assert any("/r/[token]/" in line for line in lines)
    assert not any(link[1] in line for line in lines)


def test_every_configured_handler_formats_without_tokens(settings):
    from django.utils.log import DEFAULT_LOGGING

    classes = {each["class"] for each in settings.LOGGING["formatters"].values()}
    assert classes == {"planner.project.logs.WithoutTokens"}
    used = {name for each in settings.LOGGING["loggers"].values() for name in each.get("handlers", [])}
    assert used <= set(settings.LOGGING["handlers"])
    assert set(DEFAULT_LOGGING["loggers"]) <= set(settings.LOGGING["loggers"])  # none keeps Django's own handlers


def test_a_user_who_leaves_leaves_the_reports(link, editor, client):
    get_user_model().objects.filter(pk=editor.pk).delete()
    assert client.get(shared(link[1])).status_code == 200

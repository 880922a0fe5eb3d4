"""What a share link may be given: a limit of views, a passphrase, a language, no unit prices; and its address."""

import datetime as dt
import json
import logging
import re

import pytest
from django.contrib.auth.hashers import identify_hasher
from django.core.checks import run_checks
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from planner.engine.inputs import set_at
from planner.models import Attempts, Report, ShareLink
from planner.project import env
from planner.project.logs import WithoutTokens
from planner.services import gallery, reports, scenarios, sharing

SECRET = "Correct horse 马"
CHINESE = {"HTTP_ACCEPT_LANGUAGE": "zh-CN"}


@pytest.fixture
def report(row, editor):
    return reports.freeze(row.head, editor)


@pytest.fixture
def share(report, editor):
    """Share the report: share(views=2) → (link, address)."""

    def share(**options):
        link, token = sharing.create(report, editor, **options)
        return link, reverse("planner:shared", args=[token])

    return share


def enter(client, address, passphrase="", **more):
    return client.post(address, {"passphrase": passphrase}, **more)


# ── A limit of views ─────────────────────────────────────────────────────────────────────────────────────────────────


def test_u096_a_link_opens_so_many_times_and_then_as_if_it_had_never_been(share):
    link, address = share(views=2)
    for left in ("2 more times", "1 more time."):
        reader = Client()
        assert left in reader.get(address).content.decode()
        assert enter(reader, address).status_code == 303
        assert reader.get(address).status_code == 200
    late = [Client().get(address), enter(Client(), address), Client().get("/r/unknown/")]
    assert {(answer.status_code, answer.content, tuple(sorted(answer.headers.items()))) for answer in late} == {
        (404, late[2].content, tuple(sorted(late[2].headers.items())))
    }
    link.refresh_from_db()
    assert (link.opened, link.state) == (2, "spent")


def test_u096_neither_fetching_nor_reading_on_takes_a_view(share, client):
    link, address = share(views=1)
    for _ in range(3):  # a mail scanner, a preview
        assert "A report was shared with you" in client.get(address).content.decode()
        client.head(address)
    enter(client, address)
    for query in ({}, {"lang": "zh-hans"}, {"lang": "en"}):
        assert client.get(address, query).status_code == 200
    assert client.get(address + "figures.json").status_code == 200
    assert enter(client, address).headers["Location"] == address  # the button pressed twice
    link.refresh_from_db()
    assert link.opened == 1


def test_a_visit_ends_after_an_hour(share, client, monkeypatch):
    _link, address = share(views=1)
    enter(client, address)
    later = timezone.now().timestamp() + 3601
    monkeypatch.setattr("django.core.signing.time.time", lambda: later)
    assert client.get(address).status_code == 404


def test_u099_a_visit_ends_when_the_link_is_revoked_or_expires(share, client):
    for change in ({"revoked_at": timezone.now()}, {"expires_at": timezone.now()}):
        link, address = share(views=5)
        enter(client, address)
        assert client.get(address).status_code == 200
        ShareLink.objects.filter(pk=link.pk).update(**change)
        assert client.get(address).status_code == 404
        assert client.get(address + "figures.json").status_code == 404


def test_a_visit_to_one_link_opens_no_other(share, client):
    _one, first = share(views=5)
    _other, second = share(views=5)
    cookie = enter(client, first).cookies["visit"].value
    for value in (cookie, cookie[:-1] + "x", "", "x" * 5000):
        client.cookies["visit"] = value
        assert "A report was shared with you" in client.get(second).content.decode()


# ── A passphrase ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_u098_before_the_passphrase_nothing_is_told(share, client, report, workspace):
    _link, address = share(passphrase=SECRET)
    said = reports.page(report, "en")
    for language in ("en", "zh-hans"):
        door = client.get(address, {"lang": language})
        text = door.content.decode()
        for secret in (said["name"], said["verdict"]["title"], workspace.name, report.sha256[:9], "ada", "Outlay", "$"):
            assert secret not in text, secret
        assert door.headers["Cache-Control"] == "no-store"
        assert not door.cookies
    assert client.get(address + "figures.json").status_code == 404


def test_u098_the_passphrase_opens_and_is_kept_as_an_argon2_hash_only(share, client, settings):
    settings.PASSWORD_HASHERS = ["django.contrib.auth.hashers.Argon2PasswordHasher"]  # as in the program's settings
    link, address = share(passphrase=SECRET)
    assert identify_hasher(link.passphrase).algorithm == "argon2"
    assert SECRET not in json.dumps(list(ShareLink.objects.values()), default=str)
    answer = enter(client, address + "?lang=zh-hans", f" {SECRET}\n")
    assert (answer.status_code, answer.headers["Location"]) == (303, address + "?lang=zh-hans")
    assert client.get(answer.headers["Location"]).content.decode().count('<html lang="zh-hans">') == 1


def test_the_cookie_of_a_visit_is_of_the_link_alone(share, client, settings):
    settings.PRODUCTION = True
    _link, address = share(passphrase=SECRET)
    answer = enter(client, address, SECRET)
    assert list(answer.cookies) == ["visit"]
    cookie = answer.cookies["visit"]
    assert (cookie["path"], cookie["samesite"], cookie["max-age"]) == (address.rstrip("/"), "Strict", 3600)
    assert cookie["httponly"]
    assert cookie["secure"]
    assert SECRET not in str(answer.headers) + str(cookie)


def test_u103_wrong_guesses_are_slowed_for_the_guesser_alone_and_pass_by_themselves(share, report):
    link, address = share(passphrase=SECRET)
    guesser, reader = Client(REMOTE_ADDR="192.0.2.7"), Client(REMOTE_ADDR="192.0.2.8")
    answers = [enter(guesser, address, f"wrong {n}") for n in range(8)]
    assert [answer.status_code for answer in answers] == [403] * 5 + [429] * 3
    assert "That is not the passphrase." in answers[0].content.decode()
    assert "Too many wrong attempts: wait 2 seconds" in answers[-1].content.decode()
    assert answers[-1].headers["Retry-After"] == "2"
    assert enter(guesser, address, SECRET).status_code == 429  # the right one has to wait as well
    assert enter(reader, address, SECRET).status_code == 303
    link.refresh_from_db()
    assert (link.wrong_attempts, link.opened, link.state) == (5, 1, "open")
    Attempts.objects.update(free_at=timezone.now() - dt.timedelta(seconds=1))  # two seconds later
    assert enter(guesser, address, SECRET).status_code == 303


def test_u103_the_owner_sees_the_wrong_attempts(share, signed, row):
    _link, address = share(passphrase=SECRET)
    for _ in range(3):
        enter(Client(), address, "wrong")
    page = signed.get(reverse("planner:reports_of", args=[row.pk])).content.decode()
    assert re.search(r'<dt>Wrong passphrases</dt><dd class="warn">3</dd>', page)


def test_a_wrong_passphrase_takes_no_view_and_the_right_one_takes_one(share, client):
    link, address = share(passphrase=SECRET, views=1)
    enter(client, address, "wrong")
    enter(client, address, "x" * 100_000)
    link.refresh_from_db()
    assert (link.opened, link.wrong_attempts) == (0, 2)
    assert enter(client, address, SECRET).status_code == 303
    assert enter(Client(), address, SECRET).status_code == 404


def test_a_passphrase_is_the_same_however_it_is_composed():
    assert sharing.plain("Ｃａｆé 12 ") == sharing.plain("Cafe\u0301 12")


def test_a_passphrase_in_an_address_opens_nothing(share, client):
    _link, address = share(passphrase=SECRET)
    assert "A report was shared with you" in client.get(address, {"passphrase": SECRET}).content.decode()


def test_a_passphrase_reaches_no_log(share, monkeypatch):
    _link, address = share(passphrase=SECRET)
    lines = []

    class Kept(logging.Handler):
        def emit(self, record):
            lines.append(self.format(record))

    def broken(*args):
        raise RuntimeError("no database")

    handler = Kept()
    handler.setFormatter(WithoutTokens("{levelname} {name}: {message}", style="{"))
    logging.getLogger().addHandler(handler)
    monkeypatch.setattr(sharing, "take_view", broken)
    try:
        answer = enter(Client(raise_request_exception=False), address, SECRET)
    finally:
        logging.getLogger().removeHandler(handler)
    assert answer.status_code == 500
    assert lines
    assert not any(secret in line for line in lines for secret in (SECRET, address.split("/")[2]))


# ── Language ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_a_link_opens_in_its_own_language_and_the_reader_may_switch(share, client):
    _link, address = share(language="zh-hans")
    assert '<html lang="zh-hans">' in client.get(address).content.decode()
    assert '<html lang="en">' in client.get(address, {"lang": "en"}).content.decode()
    _link, guarded = share(language="en", views=1)
    assert '<html lang="en">' in client.get(guarded, **CHINESE).content.decode()


# ── Without unit prices ──────────────────────────────────────────────────────────────────────────────────────────────


def amounts(thing):
    """Every price of a price book, as given and in the currency of the book."""
    if isinstance(thing, dict):
        for name in ("amount", "low", "likely", "high"):
            if thing.get("currency") and isinstance(thing.get(name), (int, float)) and thing[name]:
                yield thing[name]
                yield thing[name] * (thing.get("rate") or 1.0)
        thing = list(thing.values())
    if isinstance(thing, list):
        for each in thing:
            yield from amounts(each)


def digits(amount):
    """The digits of an amount as a page may write them, without separators."""
    return {f"{amount:.{places}f}" for places in range(7) if round(amount, places) == round(amount, 9)}


def numbers_of(text):
    """Amounts of money, and numbers of four digits and more: what may be a price, not "4 GPUs" or "$1320万"."""
    text = re.sub(r"(?<=\d),(?=\d{3})", "", text)
    exact = r"(\d+(?:\.\d+)?)(?![\d.kM万亿])"
    return {*re.findall(r"\$" + exact, text), *(each for each in re.findall(exact, text) if len(each) > 4)}


def told(html):
    """What a page says: exact amounts in place of rounded ones, without the coordinates of its drawings."""
    html = re.sub(r"<svg.*?</svg>|<style>.*?</style>|<code>.*?</code>", "", html, flags=re.S)
    return re.sub(r'(title="[^"]+">)[^<]*<', r"\1<", html)


@pytest.mark.parametrize("slug", gallery.templates())
def test_no_unit_price_of_the_price_book_is_on_a_link_without_them(workspace, editor, client, signed, slug):
    report = reports.freeze(scenarios.create_from_template(workspace, editor, slug).head, editor)
    prices = {text for amount in amounts(json.loads(report.content)["prices"]) for text in digits(amount)}
    assert len(prices) > 50
    _link, token = sharing.create(report, editor, hides_prices=True)
    address = reverse("planner:shared", args=[token])
    file = reverse("planner:report_html", args=[report.pk])
    full = signed.get(file, {"lang": "en"}).content.decode()
    assert len(prices & numbers_of(told(full))) > 3
    for language in ("en", "zh-hans"):
        for page in (client.get(address, {"lang": language}), signed.get(file, {"lang": language, "prices": "hidden"})):
            assert prices & numbers_of(told(page.content.decode())) == set(), language
            assert " USD / " not in told(page.content.decode()).replace("\u00a0", " ")
    figures = client.get(address + "figures.json").content.decode()
    assert prices & numbers_of(figures) == set()


def test_own_prices_suppliers_and_quotes_are_left_out_and_the_totals_stay(workspace, editor, client):
    document = gallery.document("small-team")
    for path, value in (
        ("market/own_prices", {"srv-8x-h200-nvl": 312345.67}),
        ("sites/office/electricity_price_per_kwh", 0.1873),
        ("operations/loaded_cost_per_fte_year", 187654.0),
    ):
        document = set_at(document, path, value)
    report = reports.freeze(scenarios.create(workspace, editor, document).head, editor)
    _link, token = sharing.create(report, editor, hides_prices=True)
    page = client.get(reverse("planner:shared", args=[token])).content.decode()
    for secret in ("312,345", "0.1873", "187,654", "Verda", "Oracle Cloud", "Unit prices", "GPUs and servers"):
        assert secret in report.pages
        assert secret not in page.replace("Unit prices and quotes are left out", ""), secret
    said = reports.page(report, "en")
    for tile in said["tiles"]:
        assert f'title="{tile["exact"]}"' in page
    for kept in ("Unit prices and quotes are left out of this copy.", "Discount rate", "Growth", "PUE", said["rates"]):
        assert kept in page
    assert page.count('class="drawn"') == 6


@pytest.mark.parametrize("slug", gallery.templates())
def test_without_prices_a_chart_of_money_tells_a_point_a_year_and_no_order(workspace, editor, slug):
    report = reports.freeze(scenarios.create_from_template(workspace, editor, slug).head, editor)
    results = json.loads(report.content)["results"]
    full, less = (reports.page(report, "en", prices=prices) for prices in (True, False))
    begins = full["charts"]["cumulative"]["layout"]["xaxis"]["range"][0]
    ends = {*range(11, results["months"] - 1, 12), results["months"] - 1}
    lines = less["charts"]["cumulative"]["data"]
    assert {line["mode"] for line in lines} == {"lines"}
    assert len(lines) == sum(trace["mode"] == "lines" for trace in full["charts"]["cumulative"]["data"]) > 0
    for line in lines:
        since = [(int(at[:4]) - int(begins[:4])) * 12 + int(at[5:]) - int(begins[5:]) for at in line["x"]]
        assert (line["x"][0], line["y"][0]) == (begins, 0)
        assert set(since[1:]) == ends
    for shape in less["charts"]["cumulative"]["layout"]["shapes"]:
        assert shape["y1"] == less["charts"]["cumulative"]["layout"]["yaxis"]["range"][1]
    bars = [trace for trace in less["charts"]["cash"]["data"] if "offsetgroup" in trace]
    assert len(bars) == len(less["cash"]["groups"]) > 0
    drawn = sorted([value or 0 for value in bar["y"]] for bar in bars)
    tabled = sorted(
        [money(cell["exact"]) for cell in group["rows"][0]["cells"][:-1]] for group in less["cash"]["groups"]
    )
    for one, other in zip(drawn, tabled, strict=True):
        assert one == pytest.approx(other, rel=1e-3, abs=1)
    assert "customdata" not in reports.canonical(less["charts"]["cash"])


def money(exact):
    return float(re.sub(r"[$¥,]", "", exact.replace("\u2212", "-")))


def test_without_prices_a_note_on_the_room_keeps_its_remedy(workspace, editor):
    report = reports.freeze(scenarios.create_from_template(workspace, editor, "small-team").head, editor)
    full, less = (
        reports.canonical(reports.page(report, "en", prices=prices)["facility"]["notes"]).replace("\u00a0", " ")
        for prices in (True, False)
    )
    assert "Remedy: Three-phase circuit, 208 V 60 A for $6,700, 4 weeks from order." in full
    assert "Remedy: Three-phase circuit, 208 V 60 A, 4 weeks from order." in less
    assert "in service in May 2027, included in the plan." in less
    assert "$" not in less


def test_a_report_of_an_earlier_version_shows_less_without_prices_never_more(report):
    pages = json.loads(report.pages)
    for said in pages.values():
        for section in said["assumptions"]:
            for group in section["groups"]:
                for line in group["rows"]:
                    del line["without_money"]
        for note in said["facility"]["notes"]:
            del note["unpriced"]
    report.pages = reports.canonical(pages)
    said = reports.page(report, "en", prices=False)
    assert said["assumptions"] == []
    assert said["facility"]["notes"] == []


def test_figures_without_prices_hold_no_money_by_month_or_category(share, client, report):
    _link, address = share(hides_prices=True)
    data = json.loads(client.get(address + "figures.json").content)
    assert "gap_by_category" not in data["verdict"]
    for plan in data["plans"]:
        assert set(plan) == set(reports.PLAN)
        assert set(plan["monthly"]) == set(reports.MONTHLY_WITHOUT_MONEY)
    full = json.loads(reports.figures(report))
    for name in ("present_value", "capex", "opex", "cost_per_useful_gpu_hour"):
        assert [plan[name] for plan in data["plans"]] == [plan[name] for plan in full["plans"]]


# ── The form, the address ────────────────────────────────────────────────────────────────────────────────────────────


def test_the_form_makes_the_link_it_says(signed, report):
    given = {"expires": "90", "views": "3", "language": "zh-hans", "passphrase": SECRET, "hide_prices": "on"}
    made = signed.post(reverse("planner:link_create", args=[report.pk]), given).content.decode()
    assert "Send its passphrase by another way than the link." in made
    link = ShareLink.objects.get()
    assert (link.max_views, link.language, link.hides_prices) == (3, "zh-hans", True)
    assert link.expires_at - link.created_at == dt.timedelta(days=90)
    assert sharing.knows(link, SECRET)
    for words in ("0 of 3 times", '<dd lang="zh-hans">中文</dd>', "passphrase", "without unit prices"):
        assert words in made
    assert SECRET not in made


@pytest.mark.parametrize(
    ("field", "typed", "words"),
    [
        ("views", "0", "“Opens at most” takes a whole number of times from 1 to 1,000, or nothing; got “0”."),
        ("views", "1001", "from 1 to 1,000, or nothing; got “1001”."),
        ("views", "-1", "got “-1”."),
        ("views", "2.5", "got “2.5”."),
        ("views", "٣", "got “٣”."),
        ("passphrase", "   ", "A passphrase has 8 to 128 characters; this one has 0."),
        ("passphrase", "\u3000" * 9, "A passphrase has 8 to 128 characters; this one has 0."),
        ("passphrase", "short", "A passphrase has 8 to 128 characters; this one has 5."),
        ("passphrase", "x" * 129, "A passphrase has 8 to 128 characters; this one has 129."),
        ("language", "fr", "fr"),
    ],
)
def test_a_bad_option_is_named_and_makes_no_link(signed, report, field, typed, words):
    answer = signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "7", field: typed})
    assert answer.status_code == 400
    assert words in answer.content.decode()
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize(
    "sent",
    [
        {"data": {}},
        {"data": {"views": "", "passphrase": ""}},
        {"data": {"expires": ""}},
        {"data": {"expires": "7"}, "content_type": "application/json"},
    ],
)
def test_without_an_expiry_no_link_is_made(signed, report, sent):
    answer = signed.post(reverse("planner:link_create", args=[report.pk]), **sent)
    assert answer.status_code == 400
    assert "“Expires” is missing" in answer.content.decode()
    assert not ShareLink.objects.exists()


@pytest.mark.parametrize("typed", ["１２", " 12 ", "１２ "])
def test_a_limit_may_be_typed_in_full_width_digits(signed, report, typed):
    signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "7", "views": typed})
    assert ShareLink.objects.get().max_views == 12


def test_in_production_addresses_begin_with_the_public_address_whatever_host_is_asked(signed, report, settings):
    settings.PRODUCTION, settings.PUBLIC_ADDRESS = True, "https://outlay.example.org"
    settings.ALLOWED_HOSTS = ["*"]
    made = signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "7"}, HTTP_HOST="evil.example")
    assert re.search(r'value="https://outlay\.example\.org/r/[\w-]{32}/"', made.content.decode())
    assert "evil.example" not in made.content.decode()


def test_in_production_without_a_public_address_no_link_is_made_and_the_page_says_what_to_set(signed, report, settings):
    settings.PRODUCTION = True
    done = signed.post(reverse("planner:link_create", args=[report.pk]), {"expires": "7"}, follow=True)
    assert not ShareLink.objects.exists()
    assert "OUTLAY_PUBLIC_ADDRESS" in done.content.decode()
    assert "Create link" not in done.content.decode()


def test_check_deploy_warns_of_a_missing_public_address_and_of_a_broker_that_is_not_shared(settings):
    def warned():
        return sorted(each.id for each in run_checks(include_deployment_checks=True) if "planner." in each.id)

    assert warned() == []
    settings.PRODUCTION = True
    assert warned() == ["planner.W001", "planner.W002"]
    settings.PUBLIC_ADDRESS = "https://outlay.example.org"
    assert warned() == ["planner.W002"]
    settings.CELERY_BROKER_URL = "redis://broker:6379/0"
    assert warned() == []


@pytest.mark.parametrize(
    ("value", "expected"),
    [("", ""), ("https://outlay.example.org/", "https://outlay.example.org"), ("https://o.example:8443", None)],
)
def test_a_public_address_is_https_and_a_host(monkeypatch, value, expected):
    monkeypatch.setenv("OUTLAY_PUBLIC_ADDRESS", value)
    assert env.origin("OUTLAY_PUBLIC_ADDRESS") == (value if expected is None else expected)


@pytest.mark.parametrize("value", ["http://a.example", "a.example", "https://", "https://a.example/x", "https://a?b"])
def test_another_public_address_is_refused_at_start(monkeypatch, value):
    monkeypatch.setenv("OUTLAY_PUBLIC_ADDRESS", value)
    with pytest.raises(SystemExit, match="OUTLAY_PUBLIC_ADDRESS must be https"):
        env.origin("OUTLAY_PUBLIC_ADDRESS")


# ── Deleting ─────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_deleting_a_report_asks_first_and_its_links_are_gone_at_once(signed, share, report, row):
    _link, address = share()
    place = reverse("planner:report_delete", args=[report.pk])
    asked = signed.post(place).content.decode()
    assert "Its one link opens nothing from that moment on." in asked
    assert Client().get(address).status_code == 200
    done = signed.post(place, {"sure": "yes"}, follow=True)
    assert "The report is deleted" in done.content.decode()
    assert not Report.objects.exists()
    assert Client().get(address).status_code == 404
    assert row.versions.count() == 1


# ── Errors ───────────────────────────────────────────────────────────────────────────────────────────────────────────


def test_u101_an_error_page_of_a_link_is_as_closed_as_the_link(share, monkeypatch):
    from planner.views import paper

    def broken(*args, **more):
        raise RuntimeError("broken")

    _link, address = share()
    monkeypatch.setattr(paper, "page", broken)
    reader = Client(raise_request_exception=False)
    for answer in (reader.get(address), reader.put(address), reader.get(address, HTTP_HOST="evil.example")):
        assert answer.status_code in (500, 405, 400)
        assert answer.headers["Referrer-Policy"] == "no-referrer"
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Robots-Tag"] == "noindex, nofollow"
        assert address.split("/")[2] not in answer.content.decode()

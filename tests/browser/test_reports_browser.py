"""Sharing in a real browser: edit, freeze, share, open privately, revoke; phone, dark, paper, a file on a disk."""

import re

import pytest
from django.conf import settings

from planner.models import Report
from planner.services import gallery, reports, scenarios, sharing
from planner.wording.sources import PROVIDERS
from tests.browser.conftest import follow, noise, type_into
from tests.browser.test_workspace import LATIN, english, open_all

pytestmark = pytest.mark.browser


@pytest.fixture
def private(browser, live):
    """A window of somebody who has never been here, and every request it makes."""
    context = browser.new_context(base_url=live, locale="en-GB", viewport={"width": 390, "height": 844})
    page = context.new_page()
    page.asked, page.problems = [], []
    page.on("request", lambda request: page.asked.append(request.url))
    page.on("console", lambda message: page.problems.append(message.text) if message.type == "error" else None)
    yield page
    context.close()


@pytest.fixture
def frozen(make, people):
    """Freeze a template and share it: frozen("office-server") → (report, token)."""

    def frozen(slug="office-server"):
        report = reports.freeze(make(slug).head, people[1]["ada"])
        return report, sharing.create(report, people[1]["ada"])[1]

    return frozen


def tiles(page):
    return page.eval_on_selector_all(".tiles dd", "all => all.map(each => each.title)")


def test_edit_freeze_share_open_privately_revoke(opened, axe, private, live):
    page, row = opened
    type_into(page, "Growth", "3")
    follow(page, "text=Share report")
    follow(page, "text=Freeze version 2")
    page.get_by_label("Expires").select_option("7")
    follow(page, "text=Create link")
    address = page.input_value("#fresh-link")
    assert address.startswith(live + "/r/")
    assert axe(page) == []
    assert noise(page) == []

    assert private.goto(address).status == 200
    english_tiles = tiles(private)
    assert len(english_tiles) == 4
    assert private.locator("nav:not(.languages)").count() == 0
    follow(private, "text=中文")
    assert private.evaluate("() => document.documentElement.lang") == "zh-hans"
    assert tiles(private) == english_tiles  # the exact amounts do not depend on the language
    assert private.context.cookies() == []
    assert {url.split("/")[2] for url in private.asked} == {live.split("/")[2]}
    assert not [url for url in private.asked if "/r/" in url and not url.startswith(address)]
    figures = private.request.get(address + "figures.json")
    assert figures.json()["report_sha256"] == Report.objects.get().sha256

    page.goto(f"/s/{row.pk}/reports/")
    assert page.locator(".links dd").nth(2).inner_text() == "2 times"
    follow(page, "text=Revoke")
    private.goto(address)
    assert private.reload().status == 404
    assert "There is no such page" in private.inner_text("h1")
    assert private.request.get(address + "figures.json").status == 404


JOURNEY = {
    "en": {
        "labels": ("Expires", "Opens at most", "Passphrase", "Leave out unit prices and quotes"),
        "buttons": ("Share report", "Freeze version 2", "Create link", "Open the report", "Revoke"),
        "wrong": "That is not the passphrase.",
        "facts": ["1 of 1 times", "1"],
        "gone": "There is no such page",
    },
    "zh-hans": {
        "labels": ("失效时间", "最多打开", "口令", "隐去单价和报价"),
        "buttons": ("分享报告", "冻结版本 2", "创建链接", "打开报告", "撤销"),
        "wrong": "口令不正确。",
        "facts": ["1 / 1 次", "1"],
        "gone": "没有这个页面",
    },
}


@pytest.mark.parametrize("width", [390, 1440])
@pytest.mark.parametrize("language", JOURNEY)
def test_j4_edit_freeze_share_with_passphrase_and_limit_open_privately_revoke(
    signed_page, make, private, axe, live, language, width
):
    words, page = JOURNEY[language], signed_page
    expires, views, passphrase, hide = words["labels"]
    share, freeze, create, enter, revoke = words["buttons"]
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    row = make()
    scenarios.edit(row, 1, "finance/discount_rate", 0.07, None)
    for each in (page, private):
        each.set_viewport_size({"width": width, "height": 900})

    def fits(each):
        return each.evaluate("() => document.documentElement.scrollWidth") <= width and axe(each) == []

    page.goto(f"/s/{row.pk}/")
    follow(page, f"text={share}")
    follow(page, f"text={freeze}")
    page.get_by_label(expires).select_option("1")
    page.get_by_label(views).fill("1")
    page.get_by_label(passphrase, exact=True).fill("korrekt 马 pferd")
    page.get_by_label(hide).check()
    follow(page, f"text={create}")
    address = page.input_value("#fresh-link")
    assert fits(page)

    assert private.goto(f"{address}?lang={language}").status == 200
    name = reports.page(Report.objects.get(), language)["name"]
    assert name not in private.content()
    assert fits(private)
    private.get_by_label(passphrase).fill("falsch falsch")
    follow(private, f"text={enter}")
    assert words["wrong"] in private.inner_text("[role=alert]")
    assert fits(private)
    private.get_by_label(passphrase).fill("korrekt 马 pferd")
    follow(private, f"text={enter}")
    assert private.inner_text(".name") == name
    assert fits(private)
    assert len(tiles(private)) == 4
    assert "korrekt" not in "".join(private.asked)
    (cookie,) = private.context.cookies()
    assert (cookie["path"], cookie["httpOnly"], cookie["sameSite"]) == (address[len(live) : -1], True, "Strict")
    follow(private, f"text={'English' if language == 'zh-hans' else '中文'}")
    assert private.reload().status == 200  # the one view is this whole visit

    page.goto("/reports/")
    assert page.locator(".links dd").nth(2).inner_text() == words["facts"][0]
    assert page.locator(".links dd.warn").inner_text() == words["facts"][1]
    assert fits(page)
    follow(page.get_by_role("button", name=revoke, exact=True))
    assert private.reload().status == 404
    private.goto(f"{address}?lang={language}")
    assert words["gone"] in private.inner_text("h1")
    assert fits(private)
    assert private.problems == [problem for problem in private.problems if "403" in problem or "404" in problem]


def test_an_owner_deletes_a_report_after_being_asked(signed_page, private, frozen, axe):
    _report, token = frozen()
    signed_page.goto("/reports/")
    follow(signed_page, "text=Delete report")
    assert axe(signed_page) == []
    assert private.goto(f"/r/{token}/").status == 200
    follow(signed_page.get_by_role("button", name="Delete", exact=True))
    assert "The report is deleted" in signed_page.inner_text("[role=status]")
    assert private.reload().status == 404


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [390, 1440])
def test_a_report_is_axe_clean_and_never_scrolls_sideways(private, axe, frozen, scheme, width):
    _report, token = frozen()
    private.emulate_media(color_scheme=scheme)
    private.set_viewport_size({"width": width, "height": 900})
    for language in ("en", "zh-hans"):
        private.goto(f"/r/{token}/?lang={language}")
        open_all(private)
        assert axe(private) == []
        assert private.evaluate("() => document.documentElement.scrollWidth") <= width
        drawn = private.locator(".drawn:visible")
        assert drawn.count() == 3
        for each in drawn.all():
            box = each.bounding_box()
            assert box["width"] <= min(width, 800)
            assert box["height"] > 150
    assert private.problems == []


def test_another_currency_fits_a_phone_and_shows_its_rate(private, people):
    workspace, users = people
    document = {**gallery.document("office-server"), "currency": "CNY", "name": "北京实验室：8 卡还是 4 卡？"}
    row = scenarios.create(workspace, users["ada"], document)
    report = reports.freeze(row.head, users["ada"])
    token = sharing.create(report, users["ada"])[1]
    for language in ("en", "zh-hans"):
        private.goto(f"/r/{token}/?lang={language}")
        open_all(private)
        assert private.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert "USD/CNY" in private.inner_text("#assumptions + p")
        assert private.inner_text(".tiles dd >> nth=0").startswith("¥")


@pytest.mark.parametrize("slug", gallery.templates())
def test_u129_a_chinese_report_holds_no_english_sentence(private, frozen, slug):
    _report, token = frozen(slug)
    private.goto(f"/r/{token}/?lang=zh-hans")
    open_all(private)
    # names: who says so where nothing but a host is known, suppliers; and the checksum
    names = re.compile(r"^[\w-]+(\.[\w-]+)+$|^[0-9a-f]{64}$|" + "|".join(map(re.escape, map(str, PROVIDERS.values()))))
    assert [text for text in english(private) if re.search(r"[A-Za-z]{3,}", LATIN.sub(" ", names.sub("", text)))] == []
    assert not re.search(r"[A-Za-z]{3,}", LATIN.sub(" ", private.title()))
    private.goto("/r/unknown/?lang=zh-hans")
    assert english(private) == []


def test_the_list_of_reports_in_chinese_and_on_a_phone(signed_page, axe, make, people, live):
    page, row = signed_page, make()
    report = reports.freeze(row.head, people[1]["ada"])
    sharing.revoke(sharing.create(report, people[1]["ada"])[0])
    sharing.create(report, people[1]["ada"])
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": "zh-hans", "url": live}])
    page.set_viewport_size({"width": 390, "height": 844})
    for path in (f"/s/{row.pk}/reports/", "/reports/"):
        page.goto(path)
        known = re.compile(r"ada|HTML|JSON|^[0-9a-f]{64}$")  # who made it, names of files, its checksum
        assert [text for text in english(page) if not known.search(text)] == []
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 390
        assert axe(page) == []


def test_the_file_opens_from_a_disk_and_asks_for_nothing(private, signed_page, frozen, tmp_path):
    report, _token = frozen()
    answer = signed_page.request.get(f"/reports/{report.pk}/report.html?lang=zh-hans")
    file = tmp_path / "报告.html"
    file.write_bytes(answer.body())
    private.goto(file.as_uri())
    assert [url for url in private.asked if not url.startswith(("file:", "data:"))] == []
    assert private.problems == []
    assert private.locator(".drawn:visible").count() == 3
    colour = "() => getComputedStyle(document.querySelector('.drawn .s-plan1')).stroke"
    assert private.evaluate(colour) == "rgb(0, 114, 178)"
    assert len(tiles(private)) == 4


def test_u124_paper_holds_every_row_and_cuts_no_chart(private, frozen):
    """On A4 and Letter: no table wider than the paper, no chart or short table cut, every row there."""
    _report, token = frozen()
    private.goto(f"/r/{token}/")
    rows = private.locator("section > .scroll-x tbody tr, .assumed tbody tr").count()
    private.emulate_media(media="print")
    for paper, width in (("A4", 680), ("Letter", 702)):
        private.set_viewport_size({"width": width, "height": 900})
        shown = private.locator("section > .scroll-x tbody tr:visible, .assumed tbody tr:visible").count()
        assert shown == rows
        assert (
            private.evaluate(
                "width => [...document.querySelectorAll('table, svg')]"
                ".filter(each => each.getBoundingClientRect().right > width + 1).length",
                width,
            )
            == 0
        ), paper
        assert private.locator("figure details:visible, .languages:visible").count() == 0
        breaks = (
            "() => [...document.querySelectorAll('figure, tr, .tiles')].map(each => getComputedStyle(each).breakInside)"
        )
        assert set(private.evaluate(breaks)) == {"avoid"}
        assert private.evaluate("() => getComputedStyle(document.querySelector('.key')).breakBefore") == "avoid"
        printed = private.pdf(format=paper, prefer_css_page_size=paper == "A4")
        assert 3 <= len(re.findall(rb"/Type\s*/Page\b", printed)) <= 12

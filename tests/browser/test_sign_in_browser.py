"""The sign-in in a real browser, which opens a file as a person does; the program is a real `start`."""

import signal
import subprocess
import sys

import pytest

from tests.browser.conftest import expect, follow, noise
from tests.running import ROOT, Running

pytestmark = pytest.mark.browser


@pytest.fixture
def program(environment, tmp_path):
    environment |= {"OUTLAY_DATA": str(tmp_path / "资 料"), "OUTLAY_BOOTSTRAP": "0", "OUTLAY_NO_BROWSER": "1"}
    running = Running(environment)
    yield running.wait_for_address()
    running.end(signal.SIGTERM)
    running.process.stdout.close()


@pytest.fixture
def another_code(program, environment):
    """Run `sign_in --code`."""

    def another_code():
        command = [sys.executable, str(ROOT / "manage.py"), "sign_in", "--code"]
        return subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60).stdout

    return another_code


def test_the_file_signs_in_by_itself_once_and_pasting_works_too(page, program, another_code, browser):
    kept = program.file().with_name("kept.html")
    kept.write_bytes(program.file().read_bytes())
    page.goto(program.file().as_uri())
    page.wait_for_url(program.address)
    assert page.locator("h1, h2").first.is_visible()
    assert noise(page) == []
    assert not program.file().exists()
    page.reload()
    assert page.url == program.address
    assert page.evaluate("document.cookie").startswith("outlay_csrf_")  # a script sees no session

    other = browser.new_context(locale="zh-CN").new_page()
    other.goto(kept.as_uri())
    other.wait_for_url("**/sign-in/code/")
    assert "登录码无效" in other.locator("[role=alert]").inner_text()
    other.goto(f"{program.address}catalog/")
    other.get_by_label("或粘贴该页面上显示的登录码").fill(another_code())
    other.get_by_role("button", name="登录").click()
    other.wait_for_url("**/catalog/")
    other.context.close()


def test_without_scripts_the_file_has_a_button(program, browser):
    page = browser.new_context(java_script_enabled=False).new_page()
    page.goto(program.file().as_uri())
    follow(page.get_by_role("button", name="Sign in"))
    assert page.url == program.address
    page.context.close()


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "zh-hans"])
@pytest.mark.parametrize(("embedded", "box", "refused"), [(False, "password", 200), (True, "code", 403)])
def test_both_pages_say_what_is_wrong_to_everybody(
    page, live, axe, settings, transactional_db, embedded, box, refused, scheme, language
):
    settings.EMBEDDED = embedded
    page.emulate_media(color_scheme=scheme)
    page.set_viewport_size({"width": 390, "height": 844})
    page.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    page.goto("/sign-in/")
    for status in [refused] * 5 + [429]:
        for field in page.locator("form.card input:visible").all():
            field.fill("wrong")
        with page.expect_response(lambda response: "/sign-in/" in response.url) as answer:
            page.locator(f"form.card [name={box}]").press("Enter")
        assert answer.value.status == status
        expect(page.get_by_role("alert")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth") == 390
    assert page.locator("html").get_attribute("lang") == language
    assert axe(page) == []

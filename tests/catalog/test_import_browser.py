"""The import wizard in a browser, with and without scripts: clean by axe, on a phone, in Chinese too."""

import pytest
from django.conf import settings

from catalog.models import Item, Quote
from tests.browser.conftest import follow, noise
from tests.catalog import import_files as files

pytestmark = [pytest.mark.browser, pytest.mark.django_db(transaction=True)]


@pytest.fixture
def signed_in(page, sign_in, django_user_model, facts):
    sign_in(page, django_user_model.objects.create_superuser("steward", password="x"))
    return page


def choose(page, name, content):
    page.set_input_files("#import-files", [{"name": name, "mimeType": "text/plain", "buffer": content.encode()}])
    follow(page, ".import-form button.primary")


def test_a_quote_from_upload_to_catalog(signed_in, axe):
    signed_in.goto("/catalog/")
    follow(signed_in.get_by_role("link", name="Import", exact=True))
    assert axe(signed_in, exclude=["header.top"]) == []
    choose(signed_in, "quote.csv", files.QUOTE)
    signed_in.get_by_label("Supplier").fill("Acme")
    follow(signed_in, ".import-form button.primary")
    assert axe(signed_in, exclude=["header.top"]) == []
    signed_in.get_by_label("Quote number").fill("117")
    follow(signed_in, ".import-form button.primary")
    assert axe(signed_in, exclude=["header.top"]) == []
    follow(signed_in, "#save-import")
    assert signed_in.locator(".notice.bad").inner_text().startswith("To be confirmed first")
    signed_in.locator("input[name=accept]").check()
    follow(signed_in, "#save-import")
    assert signed_in.locator("#changes").is_visible()
    assert axe(signed_in, exclude=["header.top"]) == []
    assert Quote.objects.filter(supplier="Acme", number="117").count() == 2
    assert [problem for problem in noise(signed_in) if "status of 400" not in problem] == []


def test_without_scripts_the_wizard_works_as_well(browser, live, sign_in, django_user_model, facts):
    context = browser.new_context(base_url=live, java_script_enabled=False)
    page = context.new_page()
    sign_in(page, django_user_model.objects.create_superuser("steward", password="x"))
    page.goto("/catalog/import/")
    choose(page, "vms.csv", files.SKYPILOT)
    page.get_by_label("Provider").fill("lambda")
    follow(page, ".import-form button.primary")
    page.locator("input[name=accept]").check()
    follow(page, "#save-import")
    assert page.locator("h2").first.inner_text() == "What was saved"
    context.close()
    assert Item.objects.filter(slug="lambda-gpu-8x-h100-sxm5-h100-sxm-8-here-1-spot").exists()


@pytest.mark.parametrize("language", ["en", "zh-hans"])
def test_a_phone_never_scrolls_sideways(signed_in, live, language):
    signed_in.context.add_cookies([{"name": settings.LANGUAGE_COOKIE_NAME, "value": language, "url": live}])
    signed_in.set_viewport_size({"width": 390, "height": 844})
    signed_in.goto("/catalog/import/")
    for step in range(4):
        assert signed_in.evaluate("document.documentElement.scrollWidth") <= 390, step
        if step == 0:
            choose(signed_in, "quote.csv", files.QUOTE.replace("20,00", "much"))
        elif step == 1:
            signed_in.locator("#id_supplier").fill("Acme")
            follow(signed_in, ".import-form button.primary")
        elif step == 2:
            follow(signed_in, ".import-form button.primary")

"""What the extractor finds, and what counts as translated."""

import polib
import pytest

from planner.project import translations
from planner.project.translations import Message

PYTHON = """
_("one"); gettext("two " "parts"); ngettext("%(n)s rack", "%(n)s racks", n); pgettext_lazy("cable", "run")
other.gettext_lazy("three", 1); gettext(variable); say("not this")
"""
TEMPLATE = """{% load i18n %}{% translate "Buy" %} {% translate "Open" context "file" %} {{ _("Inline") }} it's "plain"
{% blocktranslate count n=k trimmed %}
  {{ n }} switch
{% plural %}
  {{ n }} switches
{% endblocktranslate %}{% blocktranslate %}Say "{{ x }}" at 5%{% endblocktranslate %}"""


def test_messages_of_python():
    assert {message for message, _line in translations.in_python(PYTHON)} == {
        Message("one"),
        Message("two parts"),
        Message("three"),
        Message("%(n)s rack", "%(n)s racks"),
        Message("run", context="cable"),
    }


def test_messages_of_templates():
    assert {message for message, _line in translations.in_template(TEMPLATE)} == {
        Message("Buy"),
        Message("Open", context="file"),
        Message("Inline"),
        Message("%(n)s switch", "%(n)s switches"),
        Message('Say "%(x)s" at 5%%'),
    }


@pytest.fixture
def checkout(tmp_path):
    (tmp_path / "planner").mkdir()
    (tmp_path / "catalog").mkdir()
    (tmp_path / "templates" / "catalog").mkdir(parents=True)
    (tmp_path / "planner" / "say.py").write_text('_("Hello {name}")\n_("Bye")\n')
    (tmp_path / "templates" / "catalog" / "list.html").write_text('{% load i18n %}{% translate "Items" %}')
    return tmp_path


def translate(checkout, app, **texts):
    file = translations.po_file(app, "zh_Hans", checkout)
    po = polib.pofile(str(file))
    for entry in po:
        entry.msgstr = texts.get(entry.msgid.split()[0], entry.msgstr)
    po.save()


def test_new_messages_are_added_and_lost_ones_set_aside(checkout):
    assert translations.update(checkout) == (3, 0)
    assert translations.update(checkout) == (0, 0)
    (checkout / "planner" / "say.py").write_text('_("Hello {name}")\n_("Good-bye")\n')
    assert translations.update(checkout) == (1, 1)
    (checkout / "planner" / "say.py").write_text('_("Hello {name}")\n_("Bye")\n')
    assert translations.update(checkout) == (0, 1)  # "Bye" comes back


def test_missing_empty_and_damaged_translations_are_reported(checkout):
    assert len(translations.missing(checkout)) == 3
    translations.update(checkout)
    translate(checkout, "planner", Hello="你好", Bye="再见")
    translate(checkout, "catalog", Items="条目")
    assert translations.missing(checkout) == [
        "planner zh_Hans: 'Hello {name}' does not keep the placeholders (planner/say.py:1)"
    ]
    translate(checkout, "planner", Hello="{name}，你好")
    assert translations.missing(checkout) == []


def test_a_fuzzy_translation_does_not_count(checkout):
    translations.update(checkout)
    translate(checkout, "planner", Hello="{name}，你好", Bye="再见")
    translate(checkout, "catalog", Items="条目")
    file = translations.po_file("catalog", "zh_Hans", checkout)
    po = polib.pofile(str(file))
    po[0].flags.append("fuzzy")
    po.save()
    assert [line.split(" (")[0] for line in translations.missing(checkout)] == ["catalog zh_Hans: 'Items' is fuzzy"]


def test_compiling_happens_once(checkout, tmp_path):
    translations.update(checkout)
    assert translations.compile_all(tmp_path / "data", checkout) == 2
    assert translations.compile_all(tmp_path / "data", checkout) == 0
    assert translations.po_file("planner", "zh_Hans", checkout).with_suffix(".mo").exists()


def test_a_read_only_checkout_is_compiled_into_the_data_folder(checkout, tmp_path, monkeypatch):
    translations.update(checkout)
    monkeypatch.setattr(translations.os, "access", lambda *_: False)
    data = tmp_path / "data"
    assert translations.compile_all(data, checkout) == 2
    assert translations.extra_folders(data, checkout) == [data / "locale" / "planner", data / "locale" / "catalog"]
    assert (data / "locale" / "planner" / "zh_Hans" / "LC_MESSAGES" / "django.mo").exists()

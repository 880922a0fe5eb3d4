"""A frozen report as a page: without the program's navigation, without a session, the same for whoever reads it."""

from pathlib import Path

from django.contrib.staticfiles import finders
from django.http import HttpResponse
from django.template.loader import render_to_string
from django.utils import translation
from django.utils.safestring import mark_safe

from planner import wording
from planner.charts import svg
from planner.services import reports

STYLES = ("report", "drawn")
WIDE, NARROW = (680, 300), (350, 320)  # [px]
# What a link leads to is for its reader alone: not kept, not found by a search, not told to the next page.
SEALED = {
    "Cache-Control": "no-store",
    "X-Robots-Tag": "noindex, nofollow",
    "Referrer-Policy": "no-referrer",
}


def language_of(request, default=""):
    """The language asked for in the address, else the default, else the reader's."""
    asked = request.GET.get("lang", "") or default or translation.get_language() or ""
    return asked if asked in reports.LANGUAGES else "en"


def page(report, language, *, prices=True, file=False, back=""):
    """The HTML of a report, with or without unit prices. As a file it brings its style sheet along."""
    said = reports.page(report, language, prices=prices)
    drawn = {
        code: {
            "title": figure["title"],
            "summary": figure["summary"],
            "table": figure["table"],
            "wide": mark_safe(svg.draw(figure, *WIDE)),
            "narrow": mark_safe(svg.draw(figure, *NARROW, narrow=True)),
        }
        for code, figure in said["charts"].items()
    }
    with translation.override(language):
        context = {
            **said,
            "charts": drawn,
            "prices": prices,
            "language": language,
            "languages": [] if file else list(reports.LANGUAGES.items()),
            "version": report.version_number,
            "engine_version": report.engine_version,
            "sha256": report.sha256,
            "as_of": wording.date(report.created_at.date()),
            "css": mark_safe(_style()) if file else "",
            "back": back,
        }
        return render_to_string("planner/report.html", context)


def _style():
    return "".join(Path(finders.find(f"planner/{name}.css")).read_text(encoding="utf-8") for name in STYLES)


def answer(text, language="", *, status=200, location="", content_type="text/html; charset=utf-8"):
    response = HttpResponse(text, status=status, content_type=content_type, headers=SEALED)
    if language:
        response.headers["Content-Language"] = language
    if location:
        response.headers["Location"] = location
    return response


def json_answer(text):
    return answer(text, content_type="application/json; charset=utf-8")

"""What a share link opens. Nobody is signed in here; a link that opens nothing always answers the same."""

from django.template.loader import render_to_string
from django.utils import translation
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_safe

from planner.services import reports, sharing
from planner.views import paper


@csrf_exempt  # nothing is changed here, whatever is sent: the answer to a POST is that there is none
@require_safe
def page(request, token):
    report = sharing.open_report(token, count=request.method == "GET")
    if report is None:
        return nothing(request)
    language = paper.language_of(request)
    return paper.answer(paper.page(report, language), language)


@csrf_exempt
@require_safe
def figures(request, token):
    report = sharing.open_report(token, count=False)
    return nothing(request) if report is None else paper.json_answer(reports.figures(report))


@csrf_exempt
@require_safe
def nothing(request, **_anything):
    """Unknown, expired, revoked: one answer."""
    language = paper.language_of(request)
    with translation.override(language):
        return paper.answer(render_to_string("planner/gone.html", {"language": language}), language, status=404)

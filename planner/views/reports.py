"""Reports in the workspace: freeze one, hand it on, see whether it was opened, take the link back."""

from urllib.parse import quote

from django.conf import settings
from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET, require_POST

from planner import wording
from planner.services import access, reports, scenarios, sharing
from planner.services.scenarios import InputError
from planner.views import paper
from planner.views.guard import signed_in

SHOWN = 100


def _name(thing):
    return thing.title or wording.template_title(thing.template) or _("Scenario")


def _expiries():
    words = {1: _("tomorrow"), None: _("never, until revoked")}
    return [
        {
            "value": "" if days is None else days,
            "words": words.get(days) or ngettext("in {count} day", "in {count} days", days).format(count=days),
            "chosen": days == sharing.DEFAULT_EXPIRY,
        }
        for days in sharing.EXPIRIES
    ]


def _list(request, row, *, fresh=None, report=None):
    """The reports of a scenario, or of all; `fresh` is the address of the link of `report` that was made just now."""
    found = access.visible_reports(request.user).defer("content", "pages").select_related("created_by", "scenario")
    if row is not None:
        found = found.filter(scenario=row)
    listed = [
        {
            "row": each,
            "name": _name(each),
            "links": sharing.links(each),
            "editable": access.may_edit(request.user, each),
            "fresh": fresh if report is not None and each.pk == report.pk else "",
        }
        for each in found[:SHOWN]
    ]
    for each in listed:
        each["open"] = sum(link.state == "open" for link in each["links"])
    context = {
        "row": row,
        "version": row.head if row is not None else None,
        "name": wording.scenario_name(scenarios.read(row.head.document)) if row is not None else "",
        "editable": row is not None and access.may_edit(request.user, row),
        "reports": listed,
        "expiries": _expiries(),
        "languages": paper.LANGUAGES.items(),
        "this_computer_only": settings.EMBEDDED,
    }
    return render(request, "planner/reports.html", context)


@never_cache
@require_GET
@signed_in
def everything(request):
    """Every report of the user's workspaces, those of deleted scenarios included."""
    return _list(request, None)


@never_cache
@require_GET
@signed_in
def of_scenario(request, pk):
    return _list(request, access.scenario(request.user, pk))


@require_POST
@signed_in
def freeze(request, pk):
    """Freeze the version that was on the page."""
    row = access.scenario_to_edit(request.user, pk)
    number = request.POST.get("version", "")
    version = row.versions.filter(number=int(number) if number.isascii() and number.isdigit() else 0).first()
    if version is None:
        raise Http404
    try:
        report = reports.freeze(version, request.user)
    except InputError as error:
        messages.error(request, wording.say(error))
    else:
        messages.success(
            request,
            _("Version {number} is frozen as report {checksum}.").format(
                number=version.number, checksum=report.sha256[:12]
            ),
        )
    return redirect("planner:reports_of", pk)


@require_GET
@signed_in
def page(request, pk):
    """A report as its reader sees it."""
    report = access.report(request.user, pk)
    language = paper.language_of(request)
    return paper.answer(paper.page(report, language, back=_place(report)), language)


@require_GET
@signed_in
def figures(request, pk):
    return paper.json_answer(reports.figures(access.report(request.user, pk)))


@require_GET
@signed_in
def sealed(request, pk):
    """The frozen content itself, whose checksum is printed on the report."""
    report = access.report(request.user, pk)
    return _file(paper.json_answer(report.content), report, "json")


@require_GET
@signed_in
def html_file(request, pk):
    """The report as one file that opens from a disk."""
    report = access.report(request.user, pk)
    language = paper.language_of(request)
    return _file(paper.answer(paper.page(report, language, file=True), language), report, "html", language)


def _file(response, report, ending, language="en"):
    name = {"en": "report", "zh-hans": "报告"}[language] + f"-{report.sha256[:12]}.{ending}"
    quoted = name if name.isascii() else f"report-{report.sha256[:12]}.{ending}"
    response.headers["Content-Disposition"] = f"attachment; filename=\"{quoted}\"; filename*=UTF-8''{quote(name)}"
    return response


def _place(report):
    if report.scenario_id is None:
        return reverse("planner:reports")
    return reverse("planner:reports_of", args=[report.scenario_id])


# ── Links ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@never_cache
@require_POST
@signed_in
def create_link(request, pk):
    """A new link; its address stands on the answer and nowhere else, for only its hash is kept."""
    report = access.report_to_share(request.user, pk)
    days = {str(days or ""): days for days in sharing.EXPIRIES}
    wanted = request.POST.get("expires", str(sharing.DEFAULT_EXPIRY))
    if wanted not in days:
        raise Http404
    _link, token = sharing.create(report, request.user, days[wanted])
    address = request.build_absolute_uri(reverse("planner:shared", args=[token]))
    row = access.scenario(request.user, report.scenario_id) if report.scenario_id is not None else None
    return _list(request, row, fresh=address, report=report)


@require_POST
@signed_in
def revoke_link(request, pk):
    link = access.link_to_revoke(request.user, pk)
    sharing.revoke(link)
    messages.success(request, _("The link is revoked: it opens nothing any more."))
    return redirect(_place(link.report))


@require_POST
@signed_in
def revoke_links(request, pk):
    report = access.report_to_share(request.user, pk)
    count = sharing.revoke_all(report)
    messages.success(
        request, ngettext("{count} link is revoked.", "{count} links are revoked.", count).format(count=count)
    )
    return redirect(_place(report))

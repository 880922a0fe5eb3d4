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
from django.views.decorators.debug import sensitive_post_parameters
from django.views.decorators.http import require_GET, require_POST

from planner import wording
from planner.forms.sharing import LinkForm
from planner.services import access, reports, scenarios, sharing
from planner.services.scenarios import InputError
from planner.views import paper
from planner.views.given import whole
from planner.views.guard import signed_in

SHOWN = 100


def _name(thing):
    return thing.title or wording.template_title(thing.template) or _("Scenario")


def _list(request, report=None, *, row=None, fresh="", form=None):
    """The reports of a scenario, or of all.

    Of one of them, `report`: `fresh` is the address of the link that was made just now, or `form` what was wrong.
    """
    if report is not None and report.scenario_id is not None:
        row = access.scenario(request.user, report.scenario_id)
    found = access.visible_reports(request.user).defer("content", "pages").select_related("created_by", "scenario")
    if row is not None:
        found = found.filter(scenario=row)
    listed = [
        {
            "row": each,
            "name": _name(each),
            "links": sharing.links(each),
            "editable": access.may_edit(request.user, each),
            "fresh": fresh if each == report else "",
            "form": form if form is not None and each == report else _form(each),
        }
        for each in found[:SHOWN]
    ]
    for each in listed:
        each["open"] = sum(link.state in ("open", "spent") for link in each["links"])
    context = {
        "row": row,
        "version": row.head if row is not None else None,
        "name": wording.scenario_name(scenarios.read(row.head.document)) if row is not None else "",
        "editable": row is not None and access.may_edit(request.user, row),
        "reports": listed,
        "languages": reports.LANGUAGES,
        "this_computer_only": settings.EMBEDDED,
        "no_address": _public_address(request) is None,
        "most_views": sharing.MOST_VIEWS,
        "shortest": sharing.SHORTEST_PASSPHRASE,
    }
    if report is not None:
        context["here"] = _place(report)
    return render(request, "planner/reports.html", context, status=400 if form is not None else 200)


@never_cache
@require_GET
@signed_in
def everything(request):
    """Every report of the user's workspaces, those of deleted scenarios included."""
    return _list(request)


@never_cache
@require_GET
@signed_in
def of_scenario(request, pk):
    return _list(request, row=access.scenario(request.user, pk))


@require_POST
@signed_in
def freeze(request, pk):
    """Freeze the version that was on the page."""
    row = access.scenario_to_edit(request.user, pk)
    version = row.versions.filter(number=whole(request.POST.get("version", ""))).first()
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
    prices = request.GET.get("prices") != "hidden"
    return _file(
        paper.answer(paper.page(report, language, prices=prices, file=True), language), report, "html", language
    )


@require_POST
@signed_in
def delete(request, pk):
    report = access.report_to_delete(request.user, pk)
    back = _place(report)
    if request.POST.get("sure") != "yes":
        context = {"report": report, "name": _name(report), "links": report.links.count(), "back": back, "here": back}
        return render(request, "planner/report_delete.html", context)
    reports.delete(report)
    messages.success(request, _("The report is deleted; its links open nothing any more."))
    return redirect(back)


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
@sensitive_post_parameters("passphrase")
@require_POST
@signed_in
def create_link(request, pk):
    """A new link; its address stands on the answer and nowhere else, for only its hash is kept."""
    report = access.report_to_share(request.user, pk)
    begins = _public_address(request)
    if begins is None:  # the page says why
        return redirect(_place(report))
    form = _form(report, request.POST)
    if not form.is_valid():
        return _list(request, report, form=form)
    _link, token = sharing.create(report, request.user, **form.options)
    return _list(request, report, fresh=begins + reverse("planner:shared", args=[token]))


def _form(report, data=None):
    return LinkForm(data, auto_id=f"link-{report.pk}-%s", initial={"expires": sharing.DEFAULT_EXPIRY})


def _public_address(request):
    """What the addresses of links begin with; None in production while it is not set: a Host header may be forged."""
    if settings.PUBLIC_ADDRESS or settings.PRODUCTION:
        return settings.PUBLIC_ADDRESS or None
    return f"{request.scheme}://{request.get_host()}"


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

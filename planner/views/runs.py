"""Long work of a scenario: ask for it, watch it, cancel it, read what it found."""

from django.contrib import messages
from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST, require_safe
from django_htmx.http import HttpResponseClientRefresh

from planner import sweep_page, wording
from planner.exports.sweep import sweep_csv
from planner.models import Run
from planner.services import access, evaluation, runs, scenarios
from planner.views.given import whole
from planner.views.guard import signed_in

SHOWN = 20
TONES = {Run.State.DONE: "good", Run.State.FAILED: "bad", Run.State.CANCELLED: "", Run.State.RUNNING: "info"}


def _head(row, user):
    document = scenarios.read(row.head.document)
    return {
        "row": row,
        "version": row.head,
        "name": wording.scenario_name(document),
        "editable": access.may_edit(user, row),
    }


def _state(run):
    """How a run stands, in the words of the page."""
    found = runs.progress(run)
    percent = int(found.share * 100)
    return {
        "run": run,
        "tone": TONES.get(run.state, ""),
        "percent": percent,
        "far": wording.percent(percent / 100),
        "elapsed": "" if found.elapsed is None else wording.duration(found.elapsed),
        "remaining": "" if found.remaining is None else wording.duration(found.remaining),
        "unattended": found.unattended,
        "took": wording.duration(runs.took(run)) if run.state == Run.State.DONE else "",
        "failure": wording.failure(run.failure, scenarios.read(run.version.document)) if run.failure else "",
    }


@never_cache
@require_safe
@signed_in
def of_scenario(request, pk):
    """The sensitivity of a scenario: how to ask for it, and what was asked before."""
    row = access.scenario(request.user, pk)
    found = row.runs.defer("result").select_related("version", "created_by", "scenario")[:SHOWN]
    return render(request, "planner/runs.html", {**_head(row, request.user), "runs": [_state(run) for run in found]})


@require_POST
@signed_in
def ask(request, pk):
    """Queue the sweep of the version on the page; one that is under way or done is shown instead."""
    row = access.scenario_to_edit(request.user, pk)
    version = row.versions.filter(number=whole(request.POST.get("version", ""))).first()
    if version is None:
        raise Http404
    return redirect("planner:run", runs.sweep(version, request.user).pk)


@never_cache
@require_safe
@signed_in
def page(request, pk):
    """A run: its progress, its result, or why there is none."""
    run = access.run(request.user, pk)
    context = {**_head(run.scenario, request.user), **_state(run)}
    context["behind"] = run.version_id != run.scenario.head_id
    if run.state == Run.State.DONE:
        context["sweep"] = sweep_page.page(*_found(run), of=request.GET.get("of", ""))
        context["csv_url"] = reverse("planner:run_csv", args=[run.pk])
    return render(request, "planner/run.html", context)


@never_cache
@require_safe
@signed_in
def progress(request, pk):
    """The part of the page that moves; once the run has ended, the whole page is asked for again."""
    run = access.run(request.user, pk)
    if not run.active:
        return HttpResponseClientRefresh()
    editable = access.may_edit(request.user, run.scenario)
    return render(request, "planner/_progress.html", {**_state(run), "editable": editable})


@require_POST
@signed_in
def cancel(request, pk):
    run = access.run_to_cancel(request.user, pk)
    runs.cancel(run)
    if not run.active:
        messages.info(request, _("The run had ended already."))
    return redirect("planner:run", run.pk)


@require_safe
@signed_in
def result_csv(request, pk):
    """Every point of the sweep, for a spreadsheet."""
    run = access.run(request.user, pk)
    if run.state != Run.State.DONE:
        raise Http404
    plain, codes = request.GET.get("plain") == "1", request.GET.get("headers") == "codes"
    written = sweep_csv(*_found(run), bom=not plain, codes=codes)
    response = HttpResponse(written, content_type="text/csv; charset=utf-8")
    name = f"sensitivity-v{run.version.number}{'-plain' if plain else ''}.csv"
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


def _found(run):
    """(result, document, price book) of a finished run."""
    return runs.found(run), scenarios.read(run.version.document), evaluation.book_of(run.version.prices_id)

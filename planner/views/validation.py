"""Our model against published cases: for reading, and as files."""

from urllib.parse import urlencode

from django.http import HttpResponse
from django.shortcuts import render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_safe

from planner import validation_page
from planner.exports.validation import cases_csv as written_csv
from planner.exports.validation import cases_json as written_json
from planner.services import evaluation, validation
from planner.views.guard import signed_in


@require_safe
@signed_in
def page(request):
    """Every case, or those of a family and a status."""
    wanted = {name: request.GET.get(name, "") for name in ("family", "status")}
    context = validation_page.page(validation.families(), **wanted)
    for total in context["totals"]:
        chosen = context["status"] == total["code"]
        total |= {"chosen": chosen, "url": _url(context, status="" if chosen else total["code"])}
    names = [{"code": "", "name": _("All families")}, *context["choices"]]
    context["choices"] = [
        {**each, "url": _url(context, family=each["code"]), "chosen": each["code"] == context["family"]}
        for each in names
    ]
    return render(request, "planner/validation.html", {**context, "engine_version": evaluation.ENGINE_VERSION})


def _url(context, **more):
    wanted = {name: context[name] for name in ("family", "status")} | more
    query = urlencode({name: value for name, value in wanted.items() if value})
    return reverse("planner:validation") + (f"?{query}" if query else "")


@require_safe
@signed_in
def cases_csv(request):
    return _file(written_csv(validation.families()), "text/csv; charset=utf-8", "validation.csv")


@require_safe
@signed_in
def cases_json(request):
    return _file(written_json(validation.families()), "application/json", "validation.json")


def _file(content, kind, name):
    response = HttpResponse(content, content_type=kind)
    response["Content-Disposition"] = f'attachment; filename="{name}"'
    return response

"""A plan's statements, as a page and as files."""

from django.http import Http404, HttpResponse
from django.shortcuts import render
from django.utils.http import content_disposition_header
from django.views.decorators.http import require_safe

from planner import statement_page, tables, wording
from planner.exports.statements import gap_csv, statements_csv
from planner.exports.workbook import workbook
from planner.services import access, evaluation, scenarios
from planner.services.scenarios import InputError
from planner.services.statements import statements
from planner.views.guard import signed_in

XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


@require_safe
@signed_in
def page(request, pk):
    """The annual table and the cash flow of one plan, the best one unless another is asked for."""
    row = access.scenario(request.user, pk)
    document = scenarios.read(row.head.document)
    context = {
        "row": row,
        "version": row.head,
        "name": wording.scenario_name(document),
        "engine_version": evaluation.ENGINE_VERSION,
        "pricing_date": wording.date(document.pricing_date),
        "currency": document.currency,
    }
    try:
        result, comparison = evaluation.evaluated(row.head)
    except InputError as error:
        problem = wording.say(error, document.currency, document)
        return render(request, "planner/statements.html", {**context, "problem": problem})
    plans = statement_page.choices(result, comparison, request.GET.get("plan", ""))
    slug = request.GET.get("plan") or (plans[0]["slug"] if plans else "")
    if not plans:
        return render(request, "planner/statements.html", {**context, "plans": plans})
    context |= {
        "plan": slug,
        "plans": statement_page.choices(result, comparison, slug),
        **statement_page.page(_found(result, slug, request), result, slug),
    }
    try:
        other = statement_page.against(result, comparison, slug, request.GET.get("against", ""))
    except KeyError:
        raise Http404 from None
    if other:
        context |= {"gap": statement_page.gap(result, comparison, slug, other)}
    context |= {"rates": wording.exchange_rates(result.book)}
    context |= {"plan_name": tables.names(result)[slug], "colour": tables.colour(result, slug)}
    return render(request, "planner/statements.html", context)


@require_safe
@signed_in
def csv_file(request, pk):
    """The statements as CSV: by=year, by=month, or by=gap with the plan `against`; for Excel, or plain=1.

    headers=codes gives names in no language.
    """
    row = access.scenario(request.user, pk)
    try:
        result, _comparison = evaluation.evaluated(row.head)
    except InputError:
        raise Http404 from None
    slug, by = request.GET.get("plan", ""), request.GET.get("by", "year")
    if by not in ("year", "month", "gap"):
        raise Http404
    style = {"bom": request.GET.get("plain") != "1", "codes": request.GET.get("headers") == "codes"}
    if by == "gap":
        one, other = _priced(result, slug), _priced(result, request.GET.get("against", ""))
        called = tables.names(result)
        data = gap_csv(one, other, (called[one.slug], called[other.slug]), **style)
    else:
        data = statements_csv(_found(result, slug, request), monthly=by == "month", **style)
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    name = f"statement-{slug}-{by}-v{row.head.number}.csv"
    response["Content-Disposition"] = content_disposition_header(True, name)
    return response


@require_safe
@signed_in
def xlsx_file(request, pk):
    """A plan as a workbook whose formulas compute its present value again."""
    row = access.scenario(request.user, pk)
    try:
        result, _comparison = evaluation.evaluated(row.head)
    except InputError:
        raise Http404 from None
    plan = _priced(result, request.GET.get("plan", ""))
    response = HttpResponse(workbook(result, plan), content_type=XLSX)
    response["Content-Disposition"] = content_disposition_header(True, f"plan-{plan.slug}-v{row.head.number}.xlsx")
    return response


def _priced(result, slug):
    plan = next((plan for plan in result.plans if plan.slug == slug and plan.priced), None)
    if plan is None:
        raise Http404
    return plan


def _found(result, slug, request):
    try:
        return statements(result, slug, real=request.GET.get("money") == "real")
    except KeyError:
        raise Http404 from None

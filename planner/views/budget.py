"""What a budget buys, from one workstation to a cluster. The address holds all that was typed."""

from django.http import Http404, HttpResponse, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone, translation
from django.utils.http import content_disposition_header
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planner import budget_page, forms, wording
from planner.exports.budget import budget_csv
from planner.services import access, budget, evaluation, explain, scenarios
from planner.services.scenarios import InputError
from planner.views.given import whole
from planner.views.guard import signed_in

INVALID = 422
VIEW = ("group", "sort")  # what is looked at, apart from what is asked


class Asked:
    """One question: the form, where its page is, and the answer or why there is none."""

    def __init__(self, user, given, row=None):
        self.user, self.given, self.row = user, given, row
        catalog = evaluation.catalog()
        if row is None:
            base = budget.blank(catalog, timezone.localdate(), translation.get_language() or "en")
        else:
            base = budget.around(row.head.document, catalog, self._answered())
        self.form = forms.BudgetForm(base, given.dict(), catalog, stored=row is not None)
        self.answer, self.problem = None, self.form.refusal()
        if self.form.valid:
            try:
                self.answer = budget.answer(self.form.scenario, self.form.budget, catalog)
            except InputError as error:
                self.problem = wording.say(error, self.form.scenario.currency, self.form.scenario)

    def _answered(self):
        try:
            return evaluation.evaluated(self.row.head)
        except InputError:
            return None

    def address(self, name, *args):
        """The address of a page of this question."""
        return (
            reverse(f"planner:{name}_of", args=[self.row.pk, *args])
            if self.row
            else reverse(f"planner:{name}", args=args)
        )

    def url(self, name="budget", *args, **more):
        """The same with the question, and something of it looked at."""
        query = self.form.query(**more)
        return self.address(name, *args) + (f"?{query}" if query else "")

    def context(self):
        often, seldom = self.form.rows
        context = {
            "row": self.row,
            "name": wording.scenario_name(scenarios.read(self.row.head.document)) if self.row else "",
            "address": self.address("budget"),
            "query": self.form.query(),
            "often": often,
            "seldom": seldom,
            "open_seldom": any(name in self.given for name in self.form.seldom_names),
            "names": self.form.names,
            "problem": self.problem,
            "may_make": access.may_make_scenarios(self.user),
            "editable": True,
        }
        if self.answer is None:
            return context
        page = budget_page.page(self.answer, **{name: self.given.get(name, "") for name in VIEW})
        return {**context, **page, **self._links(page)}

    def _links(self, page):
        seen = {name: page[name] for name in VIEW} | {"sort": page["sort"] if page["sort"] != "value" else ""}
        for head in page["heads"]:
            head["url"] = self.url(**(seen | {"sort": head["code"] if head["code"] != "value" else ""}))
        for rung in page["rungs"]:
            rung["url"] = self.url(**(seen | {"group": rung["code"]}))
            for each in rung["rows"]:
                self._whys(each)
        for other in page["others"]:
            for each in other["rows"]:
                self._whys(each)
        shows = [(_("From entry to cluster"), self.url(**(seen | {"group": ""})), not page["group"])]
        shows += [
            (
                _("{rung} · {count}").format(rung=title, count=count),
                self.url(**(seen | {"group": code})),
                code == page["group"],
            )
            for code, title, count in page["groups"]
        ]
        return {"shows": shows, "csv": self.url("budget_csv")}

    def _whys(self, each):
        """Addresses under which the figures of a row open."""
        codes = {"value": each.get("why_value", ""), "cost": "capex", "run": "opex", "kw": "peak_kw"}
        each["why"] = {name: self.url("budget_why", each["slug"], code) for name, code in codes.items() if code}


def _page(request, row=None):
    asked = Asked(request.user, request.GET, row)
    return render(request, "planner/budget.html", asked.context(), status=200 if asked.form.valid else INVALID)


def _csv(request, row=None):
    asked = Asked(request.user, request.GET, row)
    if asked.answer is None:
        raise Http404
    plain, codes = request.GET.get("plain") == "1", request.GET.get("headers") == "codes"
    data = budget_csv(asked.answer, bom=not plain, codes=codes)
    response = HttpResponse(data, content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = content_disposition_header(True, "configurations.csv")
    return response


def _why(request, slug, kpi, row=None):
    asked = Asked(request.user, request.GET, row)
    found = asked.answer.of(slug) if asked.answer is not None else None
    if found is None:
        raise Http404
    try:
        result, comparison = budget.evaluated(found)
        tree = explain.tree(result, comparison, slug, kpi, timezone.localdate())
    except KeyError:
        raise Http404 from None
    context = {
        "tree": tree,
        "plan": budget_page.named(found),
        "back": asked.url(),
        "pricing_date": wording.date(asked.form.scenario.pricing_date),
        "engine_version": evaluation.ENGINE_VERSION,
    }
    return render(request, "planner/budget_why.html", context)


@require_safe
@signed_in
def page(request):
    """A budget of one's own."""
    return _page(request)


@require_safe
@signed_in
def of_scenario(request, pk):
    """A budget with the rooms, prices and people of a scenario; what is changed here is not saved there."""
    return _page(request, access.scenario(request.user, pk))


@require_safe
@signed_in
def csv_file(request):
    """All configurations as CSV; for Excel, or plain=1; headers=codes for names in no language."""
    return _csv(request)


@require_safe
@signed_in
def csv_file_of(request, pk):
    return _csv(request, access.scenario(request.user, pk))


@require_safe
@signed_in
def why(request, slug, kpi):
    """The lines under a figure of a configuration."""
    return _why(request, slug, kpi)


@require_safe
@signed_in
def why_of(request, pk, slug, kpi):
    return _why(request, slug, kpi, access.scenario(request.user, pk))


@require_POST
@signed_in
def make(request):
    """A scenario whose plans are a configuration and the two beside it."""
    workspace = access.workspace_to_edit(request.user)
    wanted = whole(request.POST.get("scenario", ""))
    row = access.scenario(request.user, wanted) if wanted else None
    asked = Asked(request.user, QueryDict(request.POST.get("query", "")), row)
    if asked.answer is None:
        return redirect(asked.url())
    try:
        document = budget.propose(asked.answer, request.POST.get("pick", ""))
        made = scenarios.create(workspace, request.user, document, template=document["template"])
    except KeyError:
        raise Http404 from None
    except InputError as error:
        said = wording.say(error, asked.form.scenario.currency, asked.form.scenario)
        return render(request, "planner/budget.html", {**asked.context(), "refused": said}, status=INVALID)
    return redirect("planner:workspace", made.pk)

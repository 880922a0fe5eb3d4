"""The workspace: assumptions on the left, results on the right. An edit answers with the parts that changed."""

from django.http import Http404, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planner import charts, finance_tables, forms, tables, trust_meter, wording
from planner.services import access, evaluation, newer_prices, scenarios
from planner.services.scenarios import Conflict, InputError, NothingTo
from planner.views.given import whole
from planner.views.guard import signed_in

INVALID, CONFLICT = 422, 409


class Shown:
    """A version with its answer, in the words of the page."""

    def __init__(self, row, version, user, *, editable):
        self.row, self.version, self.user, self.editable = row, version, user, editable
        self.document = scenarios.read(version.document)
        self.book = evaluation.book_of(version.prices_id)
        self.problem = ""
        try:
            self.result, self.comparison = evaluation.evaluated(version)
        except InputError as error:
            self.result = self.comparison = None
            self.problem = wording.say(error, self.document.currency, self.document)
        self.catalog = evaluation.catalog()
        self.page = forms.Page(self.document, self.result, self.book, self.catalog, scenarios.first(row).document)

    @property
    def name(self):
        return wording.scenario_name(self.document)

    def head(self):
        """What the header and every answer need."""
        done, undone = scenarios.undoable(self.row, self.user) if self.editable else (None, None)
        return {
            "edit_url": reverse("planner:edit", args=[self.row.pk]),
            "row": self.row,
            "version": self.version,
            "name": self.name,
            "editable": self.editable,
            "undoable": done,
            "undone": undone,
            "several_workloads": len(self.document.demand.workloads) > 1,
            "kinds_of_work": [(kind, wording.choice("kind", kind)) for kind in forms.KINDS],
            "strategies": [(name, wording.choice("strategy", name)) for name in forms.STRATEGIES],
        }

    def results(self, before=None):
        """Verdict, tables and warnings."""
        newer = len(newer_prices.moved(self.document, self.book, self.catalog))
        if self.result is None:
            return {"problem": self.problem, "newer_prices": newer}
        result, comparison = self.result, self.comparison
        leads = evaluation.by_lead_time(result)
        others = finance_tables.verdicts(result, comparison, leads)
        return {
            "verdict": tables.verdict(result, comparison, leads),
            "trust": trust_meter.meter(result, comparison, timezone.localdate()),
            "kpis": tables.kpis(result, comparison, before),
            "cluster": tables.cluster(result, comparison),
            "advice": tables.advice(result),
            "gap": tables.gap(result, comparison),
            "providers": tables.providers(result, comparison),
            "carbon": tables.carbon(result, comparison),
            "use": tables.use(result, comparison),
            "investment": finance_tables.investment(result, comparison),
            "units": finance_tables.unit_costs(result, comparison),
            "other_verdicts": others,
            "agreement": finance_tables.agreement(others),
            "rate_flip": finance_tables.rate_flip(result),
            "warnings": tables.findings(result, comparison),
            "left_out": [wording.category(name) for name in result.left_out],
            "engine_version": evaluation.ENGINE_VERSION,
            "pricing_date": wording.date(self.document.pricing_date),
            "prices": self.version.prices_id[:12],
            "currency": self.document.currency,
            "rates": wording.exchange_rates(self.book),
            "newer_prices": newer,
        }

    def chart(self, code):
        """One chart with its table, and the tabs of all."""
        code = code if code in charts.FIGURES else charts.FIGURES[0]
        if self.result is None:
            return {"chart_code": code}
        figure = charts.figure(code, self.result, self.comparison)
        return {
            "chart": figure,
            "chart_code": code,
            "chart_json": {"data": figure["data"], "layout": figure["layout"]},
            "chart_plain": tables.plain_csv(figure["table"], self.document.currency),
        }

    def sections(self):
        """The assumptions by section; each plan with its head."""
        sections = self.page.sections()
        heads = {f"plans/{head['slug']}": head for head in self.plans()}
        for section in sections:
            for group in section.groups:
                slug = group.path.partition("/")[2]
                group.head = heads.get(group.path) or {"slug": slug, "name": group.title, "colour": "1", "bars": []}
        return sections

    def plans(self):
        return tables.plan_heads(self.result) if self.result is not None else []


def _shown(request, pk, *, to_edit=False):
    row = (access.scenario_to_edit if to_edit else access.scenario)(request.user, pk)
    return Shown(row, row.head, request.user, editable=to_edit or access.may_edit(request.user, row))


def _whole(request, shown, status=200, **more):
    """The whole page; `more` may hold a refused entry or a conflict."""
    sections = shown.sections()
    refused = more.pop("refused", None)
    if refused is not None:
        for section in sections:
            for group in section.groups:
                group.rows = [refused if row.path == refused.path else row for row in group.rows]
    code = request.GET.get("chart") or request.POST.get("chart") or ""
    context = {
        **shown.head(),
        **shown.results(more.pop("before", None)),
        **shown.chart(code),
        "sections": sections,
        **more,
    }
    if request.method == "POST":
        context["here"] = reverse("planner:workspace", args=[shown.row.pk])
    return render(request, "planner/workspace.html", context, status=status)


@require_safe
@signed_in
def workspace(request, pk):
    return _whole(request, _shown(request, pk))


# ── Edits ────────────────────────────────────────────────────────────────────────────────────────────────────────────


@require_POST
@signed_in
def edit(request, pk):
    """One assumption: path, value (or reset=path) and the version that was on the page."""
    shown = _shown(request, pk, to_edit=True)
    reset = request.POST.get("reset", "")
    path = reset or request.POST.get("path", "")
    typed = request.POST.get("value", "")
    try:
        field = forms.declared(shown.document, path, shown.result)
        first = scenarios.first(shown.row).document
        value = forms.first_value(field, first) if reset else forms.read(field, typed)
        wanted = forms.changes(shown.document, field, value, first, evaluation.catalog())
        version = scenarios.change(shown.row, base_of(request), wanted, request.user)
    except InputError as error:
        return _refused(request, shown, path, typed, error)
    except Conflict as conflict:
        return conflicting(request, shown, conflict, path=path, typed=typed)
    # what is typed in the header or chosen beside a field: its row among the assumptions is one of those that changed
    elsewhere = reset or request.POST.get("in_header") or request.POST.get("chosen")
    return _changed(request, shown, version, edited="" if elsewhere else path)


@require_POST
@signed_in
def undo(request, pk):
    return _step(request, pk, scenarios.undo)


@require_POST
@signed_in
def redo(request, pk):
    return _step(request, pk, scenarios.redo)


def _step(request, pk, act):
    shown = _shown(request, pk, to_edit=True)
    try:
        version = act(shown.row, base_of(request), request.user)
    except NothingTo:
        version = shown.version
    except InputError as error:
        return _refused(request, shown, "", "", error)
    except Conflict as conflict:
        return conflicting(request, shown, conflict)
    return _changed(request, shown, version)


@require_POST
@signed_in
def plans(request, pk):
    """Add a plan of a strategy, copy, rename or remove one."""
    shown = _shown(request, pk, to_edit=True)
    action, slug = request.POST.get("action", ""), request.POST.get("plan", "")
    plan = next((plan for plan in shown.document.plans if plan.slug == slug), None)
    try:
        if action == "add":
            fresh = forms.new_plan(shown.document, request.POST.get("strategy", ""), evaluation.catalog())
            wanted = [(f"plans/{fresh['slug']}", fresh)]
        elif plan is None:
            raise Http404
        elif action == "copy":
            fresh = forms.copied_plan(shown.document, plan)
            wanted = [(f"plans/{fresh['slug']}", fresh)]
        elif action == "rename":
            wanted = [(f"plans/{slug}/name", request.POST.get("name", "").strip())]
        elif action == "remove":
            wanted = [(f"plans/{slug}", None)]
        else:
            raise Http404
        scenarios.change(shown.row, base_of(request), wanted, request.user)
    except InputError as error:
        return _refused(request, shown, "", "", error)
    except Conflict as conflict:
        return conflicting(request, shown, conflict)
    return redirect("planner:workspace", pk)


@require_POST
@signed_in
def workloads(request, pk):
    """Add a workload of a kind, copy or remove one."""
    shown = _shown(request, pk, to_edit=True)
    action, slug = request.POST.get("action", ""), request.POST.get("workload", "")
    work = next((work for work in shown.document.demand.workloads if work.slug == slug), None)
    try:
        if action == "add":
            fresh = forms.new_work(shown.document, request.POST.get("kind", ""), evaluation.catalog())
        elif work is None or action not in ("copy", "remove"):
            raise Http404
        else:
            fresh = forms.copied_work(shown.document, work) if action == "copy" else None
        place = f"demand/workloads/{fresh['slug'] if fresh else slug}"
        scenarios.change(shown.row, base_of(request), [(place, fresh)], request.user)
    except InputError as error:
        return _refused(request, shown, "", "", error)
    except Conflict as conflict:
        return conflicting(request, shown, conflict)
    return _back(request, shown, place if fresh else "")


@require_POST
@signed_in
def parts(request, pk):
    """Add a new generation or a support contract, or remove one."""
    shown = _shown(request, pk, to_edit=True)
    action, listed, slug = (request.POST.get(name, "") for name in ("action", "list", "slug"))
    try:
        if action == "add":
            fresh = forms.new_part(shown.document, listed, evaluation.catalog())
        elif action != "remove" or listed not in forms.LISTS or slug not in forms.parts_of(shown.document, listed):
            raise Http404
        else:
            fresh = None
        place = f"{forms.LISTS[listed]}/{fresh['slug'] if fresh else slug}"
        scenarios.change(shown.row, base_of(request), [(place, fresh)], request.user)
    except InputError as error:
        return _refused(request, shown, "", "", error)
    except Conflict as conflict:
        return conflicting(request, shown, conflict)
    return _back(request, shown, place if fresh else "")


def base_of(request):
    """Number of the version that was on the page; 0 where none is named."""
    return whole(request.POST.get("base", ""))


def _back(request, shown, path=""):
    target = redirect("planner:workspace", shown.row.pk)
    chart = request.POST.get("chart", "")
    if chart in charts.FIGURES:
        target["Location"] += f"?chart={chart}"
    if path:
        target["Location"] += "#" + forms.anchor(path)
    return target


def _changed(request, before, version, edited=""):
    """After an edit: only the parts that changed, or the page again for a browser without scripts."""
    if not request.htmx:
        return _back(request, before, edited)
    before.row.head = version
    after = Shown(before.row, version, request.user, editable=True)
    old, new = before.page.facts(), after.page.facts()
    rebuilt = {forms.section_of(path) for path in old.keys() ^ new.keys()}
    moved = [path for path in new if path in old and old[path] != new[path] and path != edited]
    moved = [path for path in moved if forms.section_of(path) not in rebuilt]
    sections = [section for section in after.sections() if section.code in rebuilt] if rebuilt else []
    context = {
        **after.head(),
        **after.results(before.result),
        **after.chart(request.POST.get("chart", "")),
        "oob": True,
        "rows": [after.page.row_at(path) for path in moved],
        "edited": after.page.row_at(edited) if edited else None,
        "rebuilt": sections,
        "plan_heads": after.plans(),
        "sums": [(code, after.page.summary(code)) for code in forms.SECTIONS if code not in rebuilt],
    }
    return render(request, "planner/_changed.html", context)


def _refused(request, shown, path, typed, error):
    """The entry stands beside its message; the figures of the last good version stay, greyed."""
    texts = [wording.problem(problem.as_dict(), shown.document.currency, shown.document) for problem in error.problems]
    row = shown.page.row_at(path, typed[: forms.MAX_TYPED], " ".join(texts)) if path else None
    if request.htmx and row is not None:
        return render(request, "planner/_refused.html", {"edited": row, "row": shown.row})
    if request.htmx:
        return render(request, "planner/_conflict.html", {"oob": True, "refusal": " ".join(texts)})
    return _whole(request, shown, INVALID, refused=row, refusal="" if row else " ".join(texts))


def conflicting(request, shown, conflict, path="", typed=""):
    """Somebody saved in between: both values, who and when; nothing is overwritten."""
    latest = Shown(shown.row, conflict.head, request.user, editable=True)
    clashes = []
    for clash in conflict.clashes:
        words = latest.page.value_text
        clashes.append(
            {
                "label": wording.label(clash.path, latest.document),
                "path": clash.path,
                "base": words(clash.path, clash.base),
                "theirs": words(clash.path, clash.theirs),
                "mine": words(clash.path, clash.mine),
                "same": clash.base == clash.theirs,
            }
        )
    others = [
        {
            "label": wording.label(path, latest.document),
            "path": path,
            "old": latest.page.value_text(path, old),
            "new": latest.page.value_text(path, new),
        }
        if path != scenarios.PRICES
        else {"label": _("Prices from the catalog"), "old": old[:12], "new": new[:12]}
        for path, old, new in conflict.changes
    ]
    context = {
        "row": shown.row,
        "conflict": conflict,
        "clashes": clashes,
        "others": others,
        "head": conflict.head,
        "path": path,
        "typed": typed,
        "chosen_chart": request.POST.get("chart", ""),
    }
    if request.htmx:
        said = _("Not saved: see the notice beside it.")
        edited = shown.page.row_at(path, typed, said) if path else None
        return render(request, "planner/_conflict.html", {**context, "edited": edited, "oob": True})
    return _whole(request, latest, CONFLICT, **context)


# ── Charts ───────────────────────────────────────────────────────────────────────────────────────────────────────────


@require_safe
@signed_in
def chart(request, pk, code):
    """One chart, as a part of the page, or the page with it."""
    if code not in charts.FIGURES:
        raise Http404
    if not request.htmx:
        access.scenario(request.user, pk)
        response = redirect("planner:workspace", pk)
        response["Location"] += f"?chart={code}"
        return response
    shown = _shown(request, pk)
    return render(request, "planner/_chart.html", {**shown.head(), **shown.chart(code)})


@require_safe
@signed_in
def chart_csv(request, pk, code):
    """The numbers of a chart."""
    if code not in charts.FIGURES:
        raise Http404
    shown = _shown(request, pk)
    if shown.result is None:
        raise Http404
    table = charts.figure(code, shown.result, shown.comparison)["table"]
    response = HttpResponse(content_type="text/csv; charset=utf-8")
    response["Content-Disposition"] = f'attachment; filename="{code}-v{shown.version.number}.csv"'
    response.write("\ufeff")  # spreadsheets take it for UTF-8
    response.write(tables.plain_csv(table, shown.document.currency))
    return response

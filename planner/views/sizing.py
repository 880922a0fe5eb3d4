"""What do I need: a workload on the left, every accelerator on the right. The address holds all that was typed."""

from django.contrib import messages
from django.http import Http404, QueryDict
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planner import forms, sizing_page, wording
from planner.services import access, evaluation, scenarios, sizing
from planner.services.scenarios import InputError
from planner.views.given import whole
from planner.views.guard import signed_in

INVALID = 422
VIEW = ("pick", "sort", "show", "vendor")  # what is looked at, apart from what is asked


class Asked:
    """One question: the draft, where its page is, and what of the answer is looked at."""

    def __init__(self, user, given, row=None):
        self.user, self.given, self.row = user, given, row
        self.catalog = evaluation.catalog()
        self.stored = scenarios.read(row.head.document) if row is not None else None
        self.draft = forms.Draft(self._base(), given.dict(), self.catalog, stored=row is not None)
        self.answer, self.problem = None, self.draft.refusal()
        if self.draft.valid:
            try:
                self.answer = sizing.answer(self.draft.scenario, self.catalog)
            except InputError as error:
                self.problem = wording.say(error, self.draft.scenario.currency, self.draft.scenario)
        if self.answer is not None and self.answer.nothing:
            self.answer, self.problem = None, _("No work is stated, so nothing is needed. State how much there is.")

    def _base(self):
        kind = self.given.get("kind", "")
        kept = {name: self.given[name] for name in ("accelerator", "preset") if self.given.get(name)}
        if self.row is None:
            kind = kind if kind in sizing.KINDS else next(iter(sizing.KINDS))
            return sizing.blank(kind, self.catalog, timezone.localdate(), **kept)
        try:
            base = sizing.around(self.row.head.document, self.given.get("workload", ""))
        except KeyError:
            raise Http404 from None
        if kind not in sizing.KINDS or kind == base["demand"]["workloads"][0]["kind"]:
            return base
        return {**base, "demand": {**base["demand"], "workloads": [sizing.fresh(kind, self.catalog, **kept)]}}

    @property
    def address(self):
        """The page without what was typed."""
        return reverse("planner:sizing_of", args=[self.row.pk]) if self.row else reverse("planner:sizing")

    def url(self, **more):
        """The address that shows this, or the same with something else looked at."""
        seen = {name: self.given.get(name, "") for name in VIEW} | {"workload": self.given.get("workload", "")} | more
        return f"{self.address}?{self.draft.query(**seen)}"

    def kinds(self):
        """Every kind of work, with an address that keeps hardware and model."""
        texts = self.draft.texts()
        kept = {name: texts[name] for name in ("accelerator", "preset") if texts.get(name)}
        kept["workload"] = self.given.get("workload", "")
        for kind in sizing.KINDS:
            query = QueryDict(mutable=True)
            query.update({"kind": kind, **{name: value for name, value in kept.items() if value}})
            yield {
                "url": f"{self.address}?{query.urlencode()}",
                "name": wording.choice("kind", kind),
                "chosen": kind == self.draft.kind,
            }

    def context(self):
        often, seldom, around = self.draft.rows()
        context = {
            "row": self.row,
            "name": wording.scenario_name(self.stored) if self.stored else "",
            "address": self.address,
            "url": self.url(),
            "query": self.draft.query(pick=self.given.get("pick", ""), workload=self.given.get("workload", "")),
            "kinds": list(self.kinds()),
            "kind": self.draft.kind,
            "often": often,
            "seldom": seldom,
            "around": around,
            "like": self.draft.model_now(),
            "shape": self.draft.shape(),
            "problem": self.problem,
            "works": self._works(),
            "rows_of_form": [*often, *seldom, *around],
            "names": {row.path: self.draft.name(row.path) for row in [*often, *seldom, *around]},
            "may_make": access.may_make_scenarios(self.user),
            "editable": True,
        }
        if self.answer is not None:
            page = sizing_page.page(self.answer, **{name: self.given.get(name, "") for name in VIEW})
            context |= {**page, **self._links(page), "ways_url": self._ways(page)}
        return context

    def _links(self, page):
        """Addresses of the same answer sorted, filtered or with another accelerator in full."""
        for each in page["rows"]:
            each["url"] = self.url(pick=each["slug"])
        for head in page["heads"]:
            head["url"] = self.url(sort=head["code"]) if head["code"] else ""
        return {
            "shows": [
                (_("Only those that fit"), self.url(show=""), page["show"] == "fits"),
                (_("All"), self.url(show="all"), page["show"] == "all"),
            ],
            "vendor_links": [
                (_("Every vendor"), self.url(vendor=""), not page["vendor"]),
                *((vendor, self.url(vendor=vendor), vendor == page["vendor"]) for vendor in page["vendors"]),
            ],
        }

    def _ways(self, page):
        """Where the picked accelerator is told as one server, several and a cluster; "" where it does not do."""
        if page["picked"] is None or not page["picked"]["fits"] or not page["picked"]["servers"]["slug"]:
            return ""
        here = reverse("planner:sizing_ways_of", args=[self.row.pk]) if self.row else reverse("planner:sizing_ways")
        workload = self.given.get("workload", "")
        return f"{here}?{self.draft.query(pick=page['picked']['slug'], workload=workload)}"

    def _works(self):
        """The workloads of the scenario to choose from."""
        works = self.stored.demand.workloads if self.stored else ()
        now = self.given.get("workload", "") or (works[0].slug if works else "")
        return [
            {
                "url": f"{self.address}?workload={work.slug}",
                "name": wording.workload_named(self.stored, work.slug),
                "chosen": work.slug == now,
            }
            for work in works
        ]


def _shown(request, row=None):
    asked = Asked(request.user, request.GET, row)
    context = asked.context()
    if not request.htmx or request.htmx.history_restore_request:
        return render(request, "planner/sizing.html", context, status=200 if asked.draft.valid else INVALID)
    # The boxes stay as they are under the hands of whoever types; only other fields need another form.
    context |= {"oob": True, "whole": request.GET.get("shape", context["shape"]) != context["shape"]}
    if asked.draft.valid:
        response = render(request, "planner/_sizing_answer.html", context)
    else:  # what was answered last stays, greyed
        response = render(request, "planner/_sizing_marks.html", context)
        response["HX-Reswap"] = "none"
    response["HX-Replace-Url"] = asked.url()
    return response


@require_safe
@signed_in
def page(request):
    """A workload of one's own; `?scenario=` leads to one of a scenario."""
    wanted = request.GET.get("scenario", "")
    if wanted:
        return _shown(request, access.scenario(request.user, whole(wanted)))
    return _shown(request)


@require_safe
@signed_in
def of_scenario(request, pk):
    """A workload of a scenario; what is changed here is not saved there."""
    return _shown(request, access.scenario(request.user, pk))


@require_POST
@signed_in
def make(request):
    """A scenario of the workload on the chosen accelerator, or the page with the reason why there is none."""
    workspace = access.workspace_to_edit(request.user)
    given = QueryDict(request.POST.get("query", ""))
    wanted = request.POST.get("scenario", "")
    asked = Asked(request.user, given, access.scenario(request.user, whole(wanted)) if whole(wanted) else None)
    if asked.answer is None:
        return redirect(asked.url())
    try:
        proposal = sizing.propose(asked.answer, request.POST.get("pick", ""), asked.answer.work.name)
        row = scenarios.create(workspace, request.user, proposal.document, template=proposal.document["template"])
    except KeyError:
        raise Http404 from None
    except InputError as error:
        said = wording.say(error, asked.draft.scenario.currency, asked.draft.scenario)
        context = {**asked.context(), "refused": said}
        return render(request, "planner/sizing.html", context, status=INVALID)
    for code in proposal.missing:
        messages.info(request, wording.missing(code))
    return redirect("planner:workspace", row.pk)

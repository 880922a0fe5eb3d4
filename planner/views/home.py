"""Home: the situations to start from, and what one has made of them."""

from django.contrib import messages
from django.http import Http404
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils.translation import gettext as _
from django.views.decorators.http import require_POST, require_safe

from planner import tables, wording
from planner.services import access, gallery, scenarios
from planner.views.guard import signed_in

SHOWN = 200


@require_safe
@signed_in
def home(request):
    rows = access.visible_scenarios(request.user).select_related("head", "workspace").order_by("-updated_at")[:SHOWN]
    mine_to_edit = access.workspaces_to_edit(request.user)
    mine = [
        {
            "row": row,
            "editable": row.workspace_id in mine_to_edit,
            "name": row.name or wording.template_title(row.template) or _("Scenario"),
            "verdict": tables.last_verdict(row.head.document, row.last_verdict),
        }
        for row in rows
    ]
    templates = [
        {"slug": slug, "title": wording.template_title(slug), "text": wording.template_text(slug)}
        for slug in gallery.templates()
    ]
    context = {
        "mine": mine,
        "templates": templates,
        "member": access.is_member(request.user),
        "may_make": bool(mine_to_edit),
    }
    return render(request, "planner/home.html", context)


@require_POST
@signed_in
def create(request):
    slug = request.POST.get("template", "")
    if slug not in gallery.templates():
        raise Http404
    row = scenarios.create_from_template(access.workspace_to_edit(request.user), request.user, slug)
    return redirect("planner:workspace", row.pk)


@require_POST
@signed_in
def copy(request, pk):
    row = access.scenario_to_edit(request.user, pk)
    name = row.name or wording.template_title(row.template)
    fresh = scenarios.duplicate(row, request.user, _("{name} (copy)").format(name=name))
    return redirect("planner:workspace", fresh.pk)


@require_POST
@signed_in
def delete(request, pk):
    row = access.scenario_to_edit(request.user, pk)
    name = row.name or wording.template_title(row.template)
    if request.POST.get("sure") != "yes":
        return render(request, "planner/delete.html", {"row": row, "name": name, "here": reverse("planner:home")})
    scenarios.delete(row)
    messages.success(request, _("“{name}” is deleted.").format(name=name))
    return redirect("planner:home")

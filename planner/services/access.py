"""Who may see and change what: the one place that decides."""

from django.core.exceptions import PermissionDenied
from django.http import Http404
from django.utils.translation import gettext as _

from planner.models import Membership, Report, Run, Scenario, ShareLink, Workspace

EDITING = (Membership.Role.OWNER, Membership.Role.EDITOR)


def visible_scenarios(user):
    """The scenarios of the user's workspaces."""
    return Scenario.objects.filter(workspace__membership__user=user, head__isnull=False)


def scenario(user, pk) -> Scenario:
    """A scenario the user may see; to others it does not exist."""
    found = visible_scenarios(user).filter(pk=pk).select_related("workspace", "head__author").first()
    if found is None:
        raise Http404
    return found


def may_edit(user, found: Scenario | Report) -> bool:
    return Membership.objects.filter(user=user, workspace_id=found.workspace_id, role__in=EDITING).exists()


def scenario_to_edit(user, pk) -> Scenario:
    """A scenario the user may change; a viewer is told why not."""
    found = scenario(user, pk)
    if not may_edit(user, found):
        raise PermissionDenied(
            _("You may read this scenario, but not change it: your role in this workspace is viewer.")
        )
    return found


def colleagues(user, other) -> bool:
    """Whether the two are in one workspace."""
    return Membership.objects.filter(user=user, workspace__membership__user=other).exists()


def is_member(user) -> bool:
    """Whether the user is in any workspace."""
    return Membership.objects.filter(user=user).exists()


def _to_edit(user):
    return Workspace.objects.filter(membership__user=user, membership__role__in=EDITING).order_by("pk")


def may_make_scenarios(user) -> bool:
    return _to_edit(user).exists()


def workspaces_to_edit(user) -> set[int]:
    """The keys of the workspaces whose scenarios the user may change."""
    return set(_to_edit(user).values_list("pk", flat=True))


def workspace_to_edit(user) -> Workspace:
    """The workspace in which a new scenario of this user is put: the first in which they may."""
    found = _to_edit(user).first()
    if found is None:
        raise PermissionDenied(_("You are in no workspace in which you may make scenarios."))
    return found


def run(user, pk) -> Run:
    """A run of a scenario the user may see; to others it does not exist."""
    found = (
        Run.objects.filter(pk=pk, scenario__in=visible_scenarios(user))
        .select_related("scenario__head", "version", "created_by")
        .first()
    )
    if found is None:
        raise Http404
    return found


def run_to_cancel(user, pk) -> Run:
    """A run the user may cancel: whoever may change its scenario."""
    found = run(user, pk)
    scenario_to_edit(user, found.scenario_id)
    return found


def visible_reports(user):
    """The reports of the user's workspaces."""
    return Report.objects.filter(workspace__membership__user=user)


def report(user, pk) -> Report:
    """A report the user may see; to others it does not exist."""
    found = visible_reports(user).filter(pk=pk).first()
    if found is None:
        raise Http404
    return found


def report_to_share(user, pk) -> Report:
    """A report whose links the user may make and revoke."""
    found = report(user, pk)
    _must_share(user, found)
    return found


def report_to_delete(user, pk) -> Report:
    """A report the user may delete; a viewer is told why not."""
    found = report(user, pk)
    if not may_edit(user, found):
        raise PermissionDenied(_("You may read this report, but not delete it: your role in this workspace is viewer."))
    return found


def link_to_revoke(user, pk) -> ShareLink:
    """A link the user may revoke; of a report they cannot see it does not exist."""
    found = ShareLink.objects.filter(pk=pk, report__in=visible_reports(user)).select_related("report").first()
    if found is None:
        raise Http404
    _must_share(user, found.report)
    return found


def _must_share(user, found: Report) -> None:
    if not may_edit(user, found):
        raise PermissionDenied(_("You may read this report, but not share it: your role in this workspace is viewer."))

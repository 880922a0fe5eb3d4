"""Users and the workspaces they own."""

from django.db import transaction

from planner.models import Membership, User, Workspace

LOCAL_OWNER = "owner"


def local_owner() -> User:
    """Return the one user of a program that runs on one's own computer, with a workspace; made when first asked for.

    It has no usable password: should the database move to a server, nobody can sign in by this name.
    """
    found = User.objects.filter(username=LOCAL_OWNER, membership__role=Membership.Role.OWNER).first()
    return found or _make_local_owner()


@transaction.atomic
def _make_local_owner() -> User:
    user = User.objects.filter(username=LOCAL_OWNER).first()
    if user is None:
        user = User(username=LOCAL_OWNER, is_staff=True, is_superuser=True)
        user.set_unusable_password()
        user.save()
    workspace = Workspace.objects.create(name="Outlay")
    Membership.objects.create(user=user, workspace=workspace, role=Membership.Role.OWNER)
    return user

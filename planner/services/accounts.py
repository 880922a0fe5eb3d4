"""Users and the workspaces they own; and how often a password may be guessed."""

from __future__ import annotations

import secrets

from django.core import signing
from django.db import transaction

from planner.models import Membership, User, Workspace
from planner.services import throttle

LOCAL_OWNER = "owner"
MARK = "planner.known-browser"
#: Of one account, from all addresses together. More and shorter than of one address: strangers may slow the owner's
#: first sign-in at a new browser by a minute, not shut the owner out.
ACCOUNT = throttle.Rule(free=20, longest=60)


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


def signed_in(user: User) -> None:
    """Give a superuser who is in no workspace the oldest one, as an owner of it; made if there is none.

    So the first account of a server can work at once. Anybody else is added to a workspace in the administration.
    """
    if not user.is_superuser or Membership.objects.filter(user=user).exists():
        return
    with transaction.atomic():
        workspace = Workspace.objects.order_by("pk").first() or Workspace.objects.create(name="Outlay")
        Membership.objects.get_or_create(user=user, workspace=workspace, defaults={"role": Membership.Role.OWNER})


def admit_password(username: str, client: str, mark: str) -> int:
    """Whether a password may be tried now: 0, or the seconds to wait. [s]

    Counted per client, and per account whatever the client. A browser that has signed in to this account before bears
    its mark and has a count of its own: what strangers do to the account does not slow it.
    """
    if known := _known(username, mark):
        return throttle.admit("browser", known)
    if wait := throttle.admit("sign-in", client):
        return wait
    if wait := throttle.admit("account", username, ACCOUNT):
        throttle.succeeded("sign-in", client)  # no password was tried
        return wait
    return 0


def password_was_right(username: str, client: str, mark: str) -> None:
    """Take back what `admit_password` has counted."""
    if known := _known(username, mark):
        throttle.succeeded("browser", known)
    else:
        throttle.succeeded("sign-in", client)
        throttle.succeeded("account", username)


def mark_of(username: str) -> str:
    """A text by which a browser shows that it has signed in to this account; it opens nothing."""
    return signing.dumps([username, secrets.token_urlsafe(12)], salt=MARK)


def _known(username: str, mark: str) -> str:
    """The browser's own name, if its mark is of this account; else nothing."""
    try:
        marked, name = signing.loads(mark, salt=MARK)
    except (signing.BadSignature, ValueError, TypeError):
        return ""
    return name if marked == username else ""

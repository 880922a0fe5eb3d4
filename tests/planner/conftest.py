"""A workspace with its people and one scenario."""

import pytest

from planner.models import Membership, User, Workspace
from planner.services import scenarios

GROWTH = "demand/workloads/pool/growth/rate_per_month"


@pytest.fixture
def workspace(db):
    return Workspace.objects.create(name="Lab")


def member(workspace, name, role):
    user = User.objects.create_user(name, password=None)
    Membership.objects.create(user=user, workspace=workspace, role=role)
    return user


@pytest.fixture
def editor(workspace):
    return member(workspace, "ada", Membership.Role.EDITOR)


@pytest.fixture
def colleague(workspace):
    return member(workspace, "bo", Membership.Role.EDITOR)


@pytest.fixture
def viewer(workspace):
    return member(workspace, "vi", Membership.Role.VIEWER)


@pytest.fixture
def row(workspace, editor):
    return scenarios.create_from_template(workspace, editor, "small-team")


@pytest.fixture
def signed(client, editor):
    client.force_login(editor)
    return client

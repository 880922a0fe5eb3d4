"""Users, the workspaces they share, and their roles there."""

from django.contrib.auth.models import AbstractUser
from django.db import models
from django.utils.translation import gettext_lazy as _


class User(AbstractUser):
    """Our own user model from the first migration, so that later fields need no swap."""

    language = models.CharField(
        _("language"), max_length=10, blank=True, choices=[("en", "English"), ("zh-hans", "简体中文")]
    )


class Workspace(models.Model):
    """What a group of people shares; every scenario belongs to exactly one."""

    name = models.CharField(_("name"), max_length=120)
    members = models.ManyToManyField(User, through="Membership", related_name="workspaces")
    created_at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return self.name


class Membership(models.Model):
    """A user's role in a workspace."""

    class Role(models.TextChoices):
        OWNER = "owner", _("owner")
        EDITOR = "editor", _("editor")
        VIEWER = "viewer", _("viewer")

    user = models.ForeignKey(User, on_delete=models.CASCADE)
    workspace = models.ForeignKey(Workspace, on_delete=models.CASCADE)
    role = models.CharField(_("role"), max_length=10, choices=Role.choices, default=Role.EDITOR)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "workspace"], name="one_membership_each")]

    def __str__(self) -> str:
        return f"{self.user} · {self.workspace} · {self.role}"


class SignInCode(models.Model):
    """A way in for the owner of a program on their own computer; spending it deletes the row."""

    code_sha256 = models.CharField(max_length=64, unique=True)
    expires_at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.expires_at:%Y-%m-%d %H:%M}"

"""The administrator's view of people, workspaces and scenarios. Versions are history: they are read, never changed."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from planner.models import Membership, PinnedPrices, Scenario, ScenarioVersion, User, Workspace


class ReadOnly(admin.ModelAdmin):
    def has_add_permission(self, request):
        return False

    def has_change_permission(self, request, obj=None):
        return False

    def has_delete_permission(self, request, obj=None):
        return False


class MembershipInline(admin.TabularInline):
    model = Membership
    extra = 0


@admin.register(User)
class Users(UserAdmin):
    fieldsets = (*(UserAdmin.fieldsets or ()), (None, {"fields": ("language",)}))
    inlines = (MembershipInline,)


@admin.register(Workspace)
class Workspaces(admin.ModelAdmin):
    list_display = ("name", "created_at")
    inlines = (MembershipInline,)


@admin.register(Scenario)
class Scenarios(ReadOnly):
    list_display = ("__str__", "workspace", "template", "head", "updated_at")
    list_filter = ("workspace", "template")
    search_fields = ("name",)


@admin.register(ScenarioVersion)
class Versions(ReadOnly):
    list_display = ("scenario", "number", "kind", "author", "created_at", "patch")
    list_filter = ("kind",)
    list_select_related = ("scenario", "author")


@admin.register(PinnedPrices)
class Prices(ReadOnly):
    list_display = ("sha256", "created_at")

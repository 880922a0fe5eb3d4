"""The administrator's view of people, workspaces, scenarios, reports. Versions and reports are history: only read."""

from django.contrib import admin
from django.contrib.auth.admin import UserAdmin

from planner.models import Membership, PinnedPrices, Report, Scenario, ScenarioVersion, ShareLink, User, Workspace


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


@admin.register(Report)
class Reports(ReadOnly):
    list_display = ("__str__", "workspace", "version_number", "engine_version", "created_by", "created_at")
    list_filter = ("workspace",)
    exclude = ("content", "pages")


@admin.register(ShareLink)
class ShareLinks(ReadOnly):
    list_display = ("report", "created_by", "created_at", "expires_at", "revoked_at", "opened", "last_opened_at")
    exclude = ("token_sha256", "passphrase")

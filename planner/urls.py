from django.urls import path

from planner.views import facility, home, purchasing, reports, runs, shared, why, workspace
from planner.views.theme import theme

app_name = "planner"
urlpatterns = [
    path("", home.home, name="home"),
    path("new/", home.create, name="create"),
    path("theme/", theme, name="theme"),
    path("s/<int:pk>/", workspace.workspace, name="workspace"),
    path("s/<int:pk>/edit/", workspace.edit, name="edit"),
    path("s/<int:pk>/undo/", workspace.undo, name="undo"),
    path("s/<int:pk>/redo/", workspace.redo, name="redo"),
    path("s/<int:pk>/plans/", workspace.plans, name="plans"),
    path("s/<int:pk>/copy/", home.copy, name="copy"),
    path("s/<int:pk>/delete/", home.delete, name="delete"),
    path("s/<int:pk>/chart/<slug:code>/", workspace.chart, name="chart"),
    path("s/<int:pk>/chart/<slug:code>.csv", workspace.chart_csv, name="chart_csv"),
    path("s/<int:pk>/facility/", facility.room, name="facility"),
    path("s/<int:pk>/purchasing/", purchasing.purchasing, name="purchasing"),
    path("s/<int:pk>/purchasing/orders.csv", purchasing.orders_csv, name="orders_csv"),
    path("s/<int:pk>/purchasing/orders.zip", purchasing.orders_zip, name="orders_zip"),
    path("s/<int:pk>/why/<str:plan>/<str:kpi>/", why.why, name="why"),
    path("s/<int:pk>/sensitivity/", runs.of_scenario, name="runs"),
    path("s/<int:pk>/sensitivity/run/", runs.ask, name="run_ask"),
    path("runs/<int:pk>/", runs.page, name="run"),
    path("runs/<int:pk>/progress/", runs.progress, name="run_progress"),
    path("runs/<int:pk>/cancel/", runs.cancel, name="run_cancel"),
    path("runs/<int:pk>/result.csv", runs.result_csv, name="run_csv"),
    path("s/<int:pk>/reports/", reports.of_scenario, name="reports_of"),
    path("s/<int:pk>/reports/freeze/", reports.freeze, name="freeze"),
    path("reports/", reports.everything, name="reports"),
    path("reports/<int:pk>/", reports.page, name="report"),
    path("reports/<int:pk>/figures.json", reports.figures, name="report_figures"),
    path("reports/<int:pk>/report.json", reports.sealed, name="report_sealed"),
    path("reports/<int:pk>/report.html", reports.html_file, name="report_html"),
    path("reports/<int:pk>/delete/", reports.delete, name="report_delete"),
    path("reports/<int:pk>/links/", reports.create_link, name="link_create"),
    path("reports/<int:pk>/links/revoke/", reports.revoke_links, name="links_revoke"),
    path("links/<int:pk>/revoke/", reports.revoke_link, name="link_revoke"),
    # Without a redirect for a missing slash: a browser would keep it.
    path("r/<str:token>", shared.page),
    path("r/<str:token>/", shared.page, name="shared"),
    path("r/<str:token>/figures.json", shared.figures, name="shared_figures"),
    path("r/<str:token>/<path:rest>", shared.nothing),
]

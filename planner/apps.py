from django.apps import AppConfig


class PlannerConfig(AppConfig):
    name = "planner"
    default_auto_field = "django.db.models.BigAutoField"

    def ready(self):
        from planner import checks  # noqa: F401  registers them
        from planner.project import celery  # noqa: F401  the application that this process sends tasks to

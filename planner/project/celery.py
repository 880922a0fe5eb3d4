"""The Celery application; its settings are Django's that begin with CELERY_."""

import os

from celery import Celery

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "planner.project.settings")

app = Celery("outlay")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["planner", "catalog"])

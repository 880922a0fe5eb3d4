"""A database that several processes share, once on SQLite and once on PostgreSQL."""

import os
import subprocess
import sys

import pytest
from django.conf import settings


@pytest.fixture(params=["sqlite", "postgresql"])
def shared(request, environment, tmp_path):
    """The environment of processes that share one database, which is made anew."""
    environment |= {
        "OUTLAY_DATA": str(tmp_path),
        "OUTLAY_BOOTSTRAP": "0",
        "DJANGO_SETTINGS_MODULE": "planner.project.settings",
    }
    if request.param == "postgresql":
        environment["DATABASE_URL"] = request.getfixturevalue("postgres")
    migrate = [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), "migrate", "--verbosity=0"]
    subprocess.run(migrate, env=environment, check=True, timeout=120)
    return environment

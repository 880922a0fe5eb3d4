"""What SQLite lets pass and PostgreSQL may not."""

import os
import subprocess
import sys

import pytest
from django.conf import settings

pytestmark = pytest.mark.services


def test_all_migrations_run_on_postgresql_and_say_what_the_models_say(postgres, environment, tmp_path):
    environment |= {"DATABASE_URL": postgres, "OUTLAY_DATA": str(tmp_path), "OUTLAY_BOOTSTRAP": "0"}
    for command in (["migrate", "--verbosity=0"], ["migrate", "--check"], ["makemigrations", "--check", "--dry-run"]):
        done = subprocess.run(
            [sys.executable, os.fspath(settings.BASE_DIR / "manage.py"), *command],
            env=environment,
            capture_output=True,
            text=True,
        )
        assert done.returncode == 0, done.stdout + done.stderr

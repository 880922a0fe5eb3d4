import os
import subprocess
import sys

from django.conf import settings
from django.core.management.base import BaseCommand

ALL = ["-n", "auto", "--maxprocesses=4"]  # more would start too many browsers and database servers at once


class Command(BaseCommand):
    help = "Runs the tests with pytest; arguments are pytest's own."

    def run_from_argv(self, argv):
        # A process of its own: within this one, the settings that are loaded already would be those of the tests.
        os.environ.pop("DJANGO_SETTINGS_MODULE", None)
        os.chdir(settings.BASE_DIR)
        sys.stdout.flush()
        sys.stderr.flush()
        command = [sys.executable, "-m", "pytest", *(argv[2:] or ALL)]
        if os.name == "nt":
            sys.exit(subprocess.call(command))
        os.execv(sys.executable, command)

"""The program's own settings, apart from what a test must not touch: the user's data and a slow password hash."""

import os
import tempfile

OURS = ("OUTLAY_CHROMIUM", "OUTLAY_KILLS")  # meant for the tests
for _name in [name for name in os.environ if name.startswith("OUTLAY_") and name not in OURS]:
    del os.environ[_name]
_folder = tempfile.TemporaryDirectory(prefix="outlay-test-")  # removed when the tests end
os.environ["OUTLAY_DATA"] = _folder.name

from planner.project.settings import *  # noqa: E402, F403
from planner.project.settings import DATA_DIR  # noqa: E402

STATIC_ROOT = DATA_DIR / "static"
STATIC_ROOT.mkdir(exist_ok=True)
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]

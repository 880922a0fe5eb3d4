"""Single-use codes by which the program on one's own computer knows its owner.

`start` and `sign_in` put one into a file that only the owner can read, and open it in a browser: the page sends the
code by itself. So a code stands in no command line and in no address, where others on the computer, or a log, would
see it.
"""

from __future__ import annotations

import contextlib
import datetime as dt
import hashlib
import os
import secrets
import time
from pathlib import Path

from django.conf import settings
from django.template.loader import render_to_string
from django.utils import timezone

from planner.models import SignInCode, User
from planner.services.accounts import local_owner

CODE_BYTES = 16  # 128 bits
VALID_FOR = dt.timedelta(minutes=10)
LONGEST_CODE = 200
FILES = "sign-in-*.html"


def create() -> str:
    """A new code. Only its hash is stored: it cannot be shown again."""
    now, code = timezone.now(), secrets.token_hex(CODE_BYTES)
    SignInCode.objects.filter(expires_at__lte=now).delete()
    SignInCode.objects.create(code_sha256=_hash(code), expires_at=now + VALID_FOR)
    return code


def spend(code: str) -> User | None:
    """The owner, if the code is valid, which it then is no more; of two who come at once one gets in."""
    code = code.strip()
    if not code or len(code) > LONGEST_CODE:
        return None
    found = SignInCode.objects.filter(code_sha256=_hash(code))
    spent, _rows = found.filter(expires_at__gt=timezone.now()).delete()  # one DELETE: whoever deletes the row has it
    if not spent:
        return None
    _remove_files(lambda file: code in file.read_text("utf-8"))
    return local_owner()


def file_for(address: str) -> Path:
    return settings.DATA_DIR / FILES.replace("*", address.rstrip("/").rpartition(":")[2])


def write_file(address: str) -> Path:
    """A page in the data folder, for its owner alone, that sends a new code to the program at that address."""
    file = file_for(address)
    page = render_to_string("planner/sign_in_file.html", {"address": address, "code": create()})
    fresh = file.with_name(f".{file.name}.{os.getpid()}")
    fresh.unlink(missing_ok=True)
    with os.fdopen(os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as out:
        out.write(page)
    fresh.replace(file)
    return file


def remove_expired_files() -> None:
    """Take away the pages whose codes nobody has used in time."""
    oldest = time.time() - VALID_FOR.total_seconds()
    _remove_files(lambda file: file.stat().st_mtime < oldest)


def _remove_files(unwanted) -> None:
    for file in settings.DATA_DIR.glob(FILES):
        with contextlib.suppress(OSError):  # another process was quicker
            if unwanted(file):
                file.unlink()


def _hash(code: str) -> str:
    return hashlib.sha256(code.encode("utf-8", "surrogatepass")).hexdigest()

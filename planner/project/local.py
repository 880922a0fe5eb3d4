"""The program on one's own computer: it answers this computer only, and knows where it is being served."""

import contextlib
import os
from ipaddress import ip_address
from urllib.parse import quote

from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import MiddlewareNotUsed, PermissionDenied
from django.utils import timezone
from django.utils.translation import gettext as _

from planner.project import env

try:
    import fcntl
except ImportError:  # Windows: no locks
    fcntl = None  # type: ignore[assignment]

FORWARDED = (
    "HTTP_FORWARDED",
    "HTTP_X_FORWARDED_FOR",
    "HTTP_X_FORWARDED_HOST",
    "HTTP_X_FORWARDED_PROTO",
    "HTTP_X_REAL_IP",
)


class LocalOnly:
    """Refuses whoever does not come from this computer; a request passed on by a proxy comes from elsewhere."""

    def __init__(self, get_response):
        if not settings.EMBEDDED:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request):
        forwarded = any(name in request.META for name in FORWARDED)
        if forwarded or not is_loopback(request.META.get("REMOTE_ADDR", "")):
            raise PermissionDenied(
                _(
                    "Outlay was started for one person on this computer: it takes no request from elsewhere or through "
                    "a proxy. To serve others, see “On a server” in the README."
                )
            )
        return self.get_response(request)


class KeepSignedIn:
    """A session lasts from the last day it was used, not from the sign-in; it is written once a day for that."""

    def __init__(self, get_response):
        self.get_response = get_response

    def __call__(self, request):
        response = self.get_response(request)
        if request.session.accessed and SESSION_KEY in request.session:
            today = timezone.now().date().isoformat()
            if request.session.get("used_on") != today:
                request.session["used_on"] = today
        return response


def is_loopback(address):
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False


@contextlib.contextmanager
def announced(address):
    """Leave word in the data folder of where `start` serves it, for as long as it does.

    The lock says so, not the file: after a kill -9 the port may be another program's, which must be sent no code.
    """
    folder = env.private_folder(settings.DATA_DIR / "running")
    file = folder / quote(address, safe="")
    with open(file, "w") as handle:
        if fcntl:
            with contextlib.suppress(OSError):  # a network file system without locks
                fcntl.flock(handle, fcntl.LOCK_EX)
        handle.write(address)
        handle.flush()
        try:
            yield
        finally:
            file.unlink(missing_ok=True)


def running():
    """The addresses at which this data folder is being served, the latest first."""
    if fcntl is None:
        return []
    found = []
    for file in (settings.DATA_DIR / "running").glob("*"):
        with contextlib.suppress(OSError), open(file) as handle:
            try:
                fcntl.flock(handle, fcntl.LOCK_SH | fcntl.LOCK_NB)
            except BlockingIOError:
                found.append((os.fstat(handle.fileno()).st_mtime, handle.read()))
    return [address for _time, address in sorted(found, reverse=True)]

"""Who is here when the program runs on one's own computer: its owner, without a sign-in."""

from ipaddress import ip_address

from django.conf import settings
from django.core.exceptions import MiddlewareNotUsed
from django.utils.functional import SimpleLazyObject

from planner.services.accounts import local_owner

FORWARDED = ("HTTP_FORWARDED", "HTTP_X_FORWARDED_FOR", "HTTP_X_FORWARDED_HOST", "HTTP_X_REAL_IP")


class LocalOwner:
    """Makes everyone who comes from this computer the owner; a request passed on by a proxy comes from elsewhere."""

    def __init__(self, get_response):
        if not settings.EMBEDDED:
            raise MiddlewareNotUsed
        self.get_response = get_response

    def __call__(self, request):
        forwarded = any(name in request.META for name in FORWARDED)
        if not forwarded and is_loopback(request.META.get("REMOTE_ADDR", "")):
            request.user = SimpleLazyObject(local_owner)
        return self.get_response(request)


def is_loopback(address):
    try:
        return ip_address(address).is_loopback
    except ValueError:
        return False

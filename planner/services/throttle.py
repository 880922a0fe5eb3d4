"""Slows down whoever guesses: a few free failures, then growing waits, and nobody is locked out for good.

The count is kept in the database, so that it holds across processes. An attempt is counted before the secret is looked
at, in one UPDATE whose condition is that the wait is over: however many come at once, no more get in than may. A wait
does not grow by attempts that were refused, and everything is forgotten an hour after the last wait.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from ipaddress import IPv6Address, ip_address, ip_network

from django.conf import settings
from django.db.models import Case, F, Value, When
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import salted_hmac

from planner.models import Attempts

FORGOTTEN_AFTER = dt.timedelta(hours=1)
FIRST_WAIT_SECONDS = 2


@dataclass(frozen=True)
class Rule:
    """How many failures are free, and how long a wait becomes, doubling from `FIRST_WAIT_SECONDS`. [s]"""

    free: int = 5
    longest: int = 15 * 60

    def waits(self) -> list[int]:
        """The waits after the last free failure and each further one; the last of them holds from then on. [s]"""
        doublings = math.ceil(math.log2(self.longest / FIRST_WAIT_SECONDS))
        return [*(FIRST_WAIT_SECONDS * 2**step for step in range(doublings)), self.longest]


GUESSER = Rule()


def admit(scope: str, client: str, rule: Rule = GUESSER) -> int:
    """Count an attempt and return 0; or, if it comes too early, how many seconds are to be waited. [s]

    To be called before the secret is looked at, and outside of a transaction: a rollback would forget the attempt.
    """
    now, key = timezone.now(), _key(scope, client)
    Attempts.objects.filter(free_at__lt=now - FORGOTTEN_AFTER).delete()
    Attempts.objects.bulk_create([Attempts(**key, free_at=now)], ignore_conflicts=True)
    if Attempts.objects.filter(**key, free_at__lte=now).update(failures=F("failures") + 1, free_at=_next(rule, now)):
        return 0
    free_at = Attempts.objects.filter(**key).values_list("free_at", flat=True).first()
    # No row: another process has just forgotten it.
    return 1 if free_at is None else max(1, math.ceil((free_at - now).total_seconds()))


def succeeded(scope: str, client: str) -> None:
    """Take back the one attempt that was right. Earlier failures stay: else an own account would buy free guesses."""
    own = Attempts.objects.filter(**_key(scope, client), failures__gt=0)
    own.update(failures=F("failures") - 1, free_at=timezone.now())


def client_of(request: HttpRequest) -> str:
    """The address a request comes from; of an IPv6 address the /64, all of which one client has.

    In production a proxy stands before the program and appends whom it saw to X-Forwarded-For: the last entry is the
    proxy's own word, those before it are the client's. Elsewhere the header is anybody's word and not read.
    """
    seen = request.META.get("REMOTE_ADDR", "")
    if settings.PRODUCTION:
        seen = request.META.get("HTTP_X_FORWARDED_FOR", "").rpartition(",")[2].strip() or seen
    try:
        address = ip_address(seen)
    except ValueError:  # a socket file, or a proxy with words of its own
        return seen
    if isinstance(address, IPv6Address):
        return str(address.ipv4_mapped or ip_network((address, 64), strict=False))
    return str(address)


def _key(scope: str, client: str) -> dict[str, str]:
    return {
        "scope": scope,
        "client_sha256": salted_hmac("planner.throttle", f"{scope}\0{client}", algorithm="sha256").hexdigest(),
    }


def _next(rule: Rule, now: dt.datetime) -> Case:
    """When the attempt after this one is admitted, by the failures there were before it."""
    *growing, longest = [now + dt.timedelta(seconds=wait) for wait in rule.waits()]
    steps = [When(failures=rule.free - 1 + step, then=Value(moment)) for step, moment in enumerate(growing)]
    return Case(When(failures__lt=rule.free - 1, then=Value(now)), *steps, default=Value(longest))

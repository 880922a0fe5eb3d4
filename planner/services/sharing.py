"""Share links: whoever holds one reads one report, until it expires or is revoked."""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets

from django.utils import timezone

from planner.models import Report, ShareLink, User

TOKEN_BYTES = 24  # 192 bits: nobody guesses it
LONGEST_TOKEN = 200
#: Days after which a link may expire; None: it stays until revoked.
EXPIRIES: tuple[int | None, ...] = (1, 7, 30, 90, None)
DEFAULT_EXPIRY = 30


def create(report: Report, user: User | None, days: int | None = DEFAULT_EXPIRY) -> tuple[ShareLink, str]:
    """A new link and its token, which is not stored and cannot be shown again."""
    token, now = secrets.token_urlsafe(TOKEN_BYTES), timezone.now()
    link = ShareLink.objects.create(
        report=report,
        token_sha256=_hash(token),
        created_by=user,
        created_at=now,
        expires_at=None if days is None else now + dt.timedelta(days=days),
    )
    return link, token


def links(report: Report) -> list[ShareLink]:
    """Every link ever made for a report, the newest first."""
    return list(report.links.select_related("created_by"))


def revoke(link: ShareLink) -> None:
    """From now on the link opens nothing; revoking again keeps the first moment."""
    ShareLink.objects.filter(pk=link.pk, revoked_at=None).update(revoked_at=timezone.now())


def revoke_all(report: Report) -> int:
    """Revoke every link of a report that still opens; returns how many did."""
    now = timezone.now()
    return ShareLink.objects.filter(report=report).opening(now).update(revoked_at=now)


def open_report(token: str, *, count: bool = True) -> Report | None:
    """The report a token opens, or nothing: unknown, expired and revoked are told apart by nobody."""
    if len(token) > LONGEST_TOKEN:
        return None
    now = timezone.now()
    found = ShareLink.objects.opening(now).filter(token_sha256=_hash(token)).select_related("report").first()
    if found is None:
        return None
    if count:
        ShareLink.objects.filter(pk=found.pk).count_opened(now)
    return found.report


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()

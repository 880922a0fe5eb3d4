"""Share links: whoever holds one reads one report, until it expires, is spent, or is revoked.

A link with a passphrase or a limit of views is guarded: its reader enters by a button, and that is what counts as one
view. So neither a mail scanner nor a preview that merely fetches the address takes a view, and for the hour of the
visit that follows, pages, languages and files of that link cost none. An open link counts each loading of its page.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import secrets
import unicodedata

from django.contrib.auth.hashers import check_password, make_password
from django.core import signing
from django.utils import timezone

from planner.models import Report, ShareLink, User

TOKEN_BYTES = 24  # 192 bits: nobody guesses it
LONGEST_TOKEN = 200
#: Days after which a link may expire; None: it stays until revoked.
EXPIRIES: tuple[int | None, ...] = (1, 7, 30, 90, None)
DEFAULT_EXPIRY = 30
MOST_VIEWS = 1000
SHORTEST_PASSPHRASE, LONGEST_PASSPHRASE = 8, 128  # [characters]
VISIT = dt.timedelta(hours=1)  # long enough for a meeting
_signer = signing.TimestampSigner(salt="planner.visit")


def create(
    report: Report,
    user: User | None,
    days: int | None = DEFAULT_EXPIRY,
    *,
    views: int | None = None,
    passphrase: str = "",
    language: str = "",
    hides_prices: bool = False,
) -> tuple[ShareLink, str]:
    """A new link and its token, which is not stored and cannot be shown again."""
    token, now = secrets.token_urlsafe(TOKEN_BYTES), timezone.now()
    link = ShareLink.objects.create(
        report=report,
        token_sha256=_hash(token),
        created_by=user,
        created_at=now,
        expires_at=None if days is None else now + dt.timedelta(days=days),
        max_views=views,
        passphrase=make_password(plain(passphrase)) if passphrase else "",
        language=language,
        hides_prices=hides_prices,
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


# ── Opening ──────────────────────────────────────────────────────────────────────────────────────────────────────────


def find(token: str) -> ShareLink | None:
    """The link of a token, or nothing: unknown, expired and revoked are told apart by nobody."""
    if len(token) > LONGEST_TOKEN:
        return None
    found = ShareLink.objects.opening(timezone.now()).filter(token_sha256=_hash(token))
    return found.select_related("report").first()


def take_view(link: ShareLink) -> bool:
    """Count one view; False where there is none left, or the link has just ended."""
    return ShareLink.objects.filter(pk=link.pk).count_opened(timezone.now()) == 1


def knows(link: ShareLink, guess: str) -> bool:
    """Whether this is the passphrase of the link; a wrong one is counted for its owner to see."""
    if len(guess) <= LONGEST_PASSPHRASE * 4 and check_password(plain(guess), link.passphrase):
        return True
    ShareLink.objects.filter(pk=link.pk).count_wrong_attempt()
    return False


def plain(passphrase: str) -> str:
    """A passphrase as it is compared: however a keyboard composes it, and without what copying adds at its ends."""
    return unicodedata.normalize("NFKC", passphrase).strip()


def visit(link: ShareLink) -> str:
    """What a reader who has been let in shows for an hour."""
    return _signer.sign(link.token_sha256)


def visiting(link: ShareLink, shown: str) -> bool:
    try:
        return secrets.compare_digest(_signer.unsign(shown, max_age=VISIT), link.token_sha256)
    except signing.BadSignature:
        return False


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()

"""Whose discount rate a rate is."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

NAMES: dict[str, Any] = {
    "us-services": _("companies in the US, services (Damodaran)"),
    "us-automobile": _("companies in the US, cars and trucks (Damodaran)"),
    "enterprise": _("enterprise, estimate"),
    "startup": _("start-up, estimate"),
    "public": _("public body, estimate"),
    "us-federal": _("US federal programmes (OMB Circular A-94)"),
    "uk-green-book": _("UK public sector (Green Book)"),
    "cn-social": _("China, social discount rate"),
}


def discount_rate(slug: str) -> str:
    return str(NAMES[slug])

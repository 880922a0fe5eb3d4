"""Regions and customers of an electricity tariff by name."""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext
from django.utils.translation import gettext_lazy as _

CUSTOMERS: dict[str, Any] = {
    "industrial": _("industrial"),
    "commercial": _("commercial"),
    "residential": _("residential"),
}
# Regions whose code alone tells a reader little; the states of the US and others are told by their code.
REGIONS: dict[str, Any] = {
    "CN": _("China"),
    "CN-BJ": _("Beijing"),
    "CN-GD": _("Guangdong"),
    "CN-GS": _("Gansu"),
    "CN-GZ": _("Guizhou"),
    "CN-HE": _("Hebei"),
    "CN-NM": _("Inner Mongolia"),
    "CN-NX": _("Ningxia"),
    "CN-SC": _("Sichuan"),
    "CN-SH": _("Shanghai"),
    "CN-ZJ": _("Zhejiang"),
    "AE": _("United Arab Emirates"),
    "DE": _("Germany"),
    "FR": _("France"),
    "GB": _("United Kingdom"),
    "HK": _("Hong Kong"),
    "IN": _("India"),
    "JP": _("Japan"),
    "KR": _("South Korea"),
    "SG": _("Singapore"),
    "TW": _("Taiwan"),
    "US": _("United States"),
    "US-CA": _("California"),
    "US-NY": _("New York"),
    "US-TX": _("Texas"),
    "US-VA": _("Virginia"),
}


def region(code: str) -> str:
    """A tariff's region: "Beijing (CN-BJ)", or its code alone where that is all we have."""
    name = REGIONS.get(code)
    return code if name is None else gettext("{region} ({code})").format(region=name, code=code)


def electricity(item: str) -> str:
    """The electricity of "CN-BJ/commercial" in words; empty where the item is another."""
    place, _slash, customers = item.partition("/")
    if customers not in CUSTOMERS:
        return ""
    return gettext("Electricity in {region}, {customers}").format(region=region(place), customers=CUSTOMERS[customers])

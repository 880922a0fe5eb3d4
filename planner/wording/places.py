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
    "CN-AH": _("Anhui"),
    "CN-BJ": _("Beijing"),
    "CN-FJ": _("Fujian"),
    "CN-GD": _("Guangdong"),
    "CN-GS": _("Gansu"),
    "CN-GZ": _("Guizhou"),
    "CN-HE": _("Hebei"),
    "CN-HI": _("Hainan"),
    "CN-HL": _("Heilongjiang"),
    "CN-HN": _("Hunan"),
    "CN-JL": _("Jilin"),
    "CN-JS": _("Jiangsu"),
    "CN-JX": _("Jiangxi"),
    "CN-NM": _("Inner Mongolia"),
    "CN-NX": _("Ningxia"),
    "CN-QH": _("Qinghai"),
    "CN-SC": _("Sichuan"),
    "CN-SD": _("Shandong"),
    "CN-SH": _("Shanghai"),
    "CN-SN": _("Shaanxi"),
    "CN-SX": _("Shanxi"),
    "CN-TJ": _("Tianjin"),
    "CN-XJ": _("Xinjiang"),
    "CN-YN": _("Yunnan"),
    "CN-ZJ": _("Zhejiang"),
    "AE": _("United Arab Emirates"),
    "DE": _("Germany"),
    "ES": _("Spain"),
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


def tariff(code: str, name: str) -> str:
    """A published tariff: a province has one, elsewhere each has the name its supplier gives it."""
    return region(code) if code.startswith("CN-") and code in REGIONS else f"{code} · {name}"


def electricity(item: str) -> str:
    """The electricity of "CN-BJ/commercial" in words; empty where the item is another."""
    place, _slash, customers = item.partition("/")
    if customers not in CUSTOMERS:
        return ""
    return gettext("Electricity in {region}, {customers}").format(region=region(place), customers=CUSTOMERS[customers])

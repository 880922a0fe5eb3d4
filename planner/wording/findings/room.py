"""What a room cannot take, and what is done about it: code → (sentence, a few words for a chip, tone).

Placeholders are filled by `sentences`.
"""

from __future__ import annotations

from typing import Any

from django.utils.translation import gettext_lazy as _

ROOM: dict[str, tuple[Any, Any, str]] = {
    "cooling_short": (
        _(
            "From {month} the machines give off {needed} kW, and {site} carries away {limit} kW: they slow down for "
            "{months} and lose {lost}. {remedy}"
        ),
        _("cooling short from {month}: {needed} kW over {limit} kW"),
        "bad",
    ),
    "cooling_stopped": (
        _(
            "From {month} the machines give off {needed} kW, and {site} carries away {limit} kW: within {months} they "
            "get so hot that they stop, and lose {lost}. {remedy}"
        ),
        _("machines stop in the heat from {month}: {needed} kW over {limit} kW"),
        "bad",
    ),
    "room_power": (
        _("From {month} the plan draws up to {needed} kW, and the circuits of {site} carry {limit} kW. {remedy}"),
        _("too little power from {month}"),
        "bad",
    ),
    "room_racks": (
        _("From {month} the plan needs {needed} racks, and {site} has room for {limit}. {remedy}"),
        _("room full from {month}"),
        "bad",
    ),
    "room_cooling": (
        _("From {month} the machines give off {needed} kW, and {site} carries away {limit} kW. {remedy}"),
        _("cooling short from {month}"),
        "bad",
    ),
    "room_units": (
        _("A machine of {needed} U fits in no rack of {site}, which has {limit} U to use. {remedy}"),
        _("machine too high for the racks"),
        "bad",
    ),
    "room_kw": (
        _("A machine that draws {needed} kW fits in no rack of {site}, where a rack may draw {limit} kW. {remedy}"),
        _("too much power for a rack"),
        "bad",
    ),
    "room_kg": (
        _("A machine of {needed} kg fits in no rack of {site}, where a rack holds {limit} kg. {remedy}"),
        _("too heavy for a rack"),
        "bad",
    ),
    "room_cords": (
        _("A machine needs {needed} power cords, and a rack of {site} feeds {limit}. {remedy}"),
        _("too few outlets in a rack"),
        "bad",
    ),
    "room_cfm": (
        _("A machine needs {needed} CFM of air, and a rack of {site} gets {limit} CFM. {remedy}"),
        _("too little air for a rack"),
        "bad",
    ),
    "room_short": (
        _(
            "{site} is too small for {months} from {month}: {resource} {needed} against {limit}, "
            "until the upgrade is there. {remedy}"
        ),
        _("room short from {month}"),
        "warn",
    ),
    "upgrade_included": (
        _("{remedy_name} for {site}: ordered in {month}, in service in {in_service}, {price} included in the plan."),
        _("{price} upgrade of {site} included"),
        "warn",
    ),
    "upgrade_included_unpriced": (
        _("{remedy_name} for {site}: ordered in {month}, in service in {in_service}, included in the plan."),
        _("upgrade of {site} included"),
        "warn",
    ),
    "noise": (
        _("{item} makes {noise_db} dB(A), and {site} tolerates {limit} dB(A): people cannot work beside it."),
        _("too loud for {site}"),
        "warn",
    ),
    "office_server": (
        _(
            "{item} ({gpus} GPUs) gives off up to {heat_kw} kW of heat and makes {noise_db} dB(A); {site} carries "
            "away {cooling_kw} kW and tolerates {limit} dB(A). Such a server belongs in a data hall: do not order it "
            "for this room as it is."
        ),
        _("8-GPU server in an office: too loud and too hot"),
        "bad",
    ),
    "office_server_loud": (
        _(
            "{item} ({gpus} GPUs) makes {noise_db} dB(A), and {site} tolerates {limit} dB(A): people cannot work "
            "beside it, even though its {heat_kw} kW of heat are carried away. Do not order it for this room as it is."
        ),
        _("8-GPU server in an office: too loud"),
        "bad",
    ),
    "office_server_hot": (
        _(
            "{item} ({gpus} GPUs) gives off up to {heat_kw} kW of heat, and {site} carries away {cooling_kw} kW. Do "
            "not order it for this room as it is."
        ),
        _("8-GPU server in an office: too hot"),
        "bad",
    ),
}
RESOURCES = {
    "cooling": _("cooling"),
    "power": _("power"),
    "racks": _("racks"),
    "units": _("rack units"),
    "kw": _("power per rack"),
    "kg": _("weight"),
    "cords": _("power cords"),
    "cfm": _("air"),
}

RESOURCE_UNITS = {
    "cooling": "kW",
    "power": "kW",
    "racks": "rack",
    "units": "U",
    "kw": "kW",
    "kg": "kg",
    "cords": "outlet",
    "cfm": "CFM",
}

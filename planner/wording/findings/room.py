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
    "left_room": (
        _(
            "In {month} the machines leave {site} for {next}. Of {paid} spent on that room, {amount} are not written "
            "off over a book life of {book_life}, and stranded. They were paid before and are in no total twice."
        ),
        _("stranded in {site}: {amount}"),
        "warn",
    ),
    "move_downtime": (
        _("The move from {site} to {next} in {month} takes {days}: {hours} GPU-hours of the machines are lost."),
        _("move of {days} in {month}"),
        "warn",
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
    "limit_budget": (
        _(
            "From {month} the machines and their network draw up to {needed} by the nameplates, over the power budget "
            "of {limit} for {site}: for {months}. The budget is a wish, so the plan is ranked after those that keep it."
        ),
        _("over the power budget from {month}: {needed} over {limit}"),
        "warn",
    ),
    "limit_budget_hard": (
        _(
            "From {month} the machines and their network draw up to {needed} by the nameplates, and the power budget "
            "of {site} allows {limit}."
        ),
        _("over the power budget from {month}: {needed} over {limit}"),
        "bad",
    ),
    "limit_ups": (
        _(
            "From {month} the machines draw up to {needed}, and the UPS of {site} carries {limit} once its spare "
            "modules have failed."
        ),
        _("UPS too small from {month}"),
        "bad",
    ),
    "limit_method": (
        _(
            "From {month} a busy rack gives off {needed} by the expected draw; the cooling of {site} is taken to carry "
            "{limit} from one rack. Spread the machines, or cool the racks otherwise."
        ),
        _("rack too dense for its cooling: {needed}"),
        "warn",
    ),
    "limit_floor": (
        _(
            "From {month} the fullest rack loads the floor of {site} with {needed}, and the floor bears {limit}: ask "
            "whoever owns the building."
        ),
        _("floor load {needed} over {limit}"),
        "warn",
    ),
    "limit_foot": (
        _("From {month} each foot of the fullest rack carries {needed}, and the floor of {site} bears {limit} there."),
        _("floor load under a foot: {needed}"),
        "warn",
    ),
    "limit_feeds": (
        _("From {month} a rack of {site} draws {needed}; with one feed lost the others carry {limit}."),
        _("one lost feed overloads the others"),
        "warn",
    ),
    "limit_psus": (
        _(
            "{item} keeps {limit} once one feed of {site} is lost and needs {needed}: it loses power although the "
            "other feeds could carry it. Spread its cords over other feeds."
        ),
        _("a lost feed leaves too few supplies"),
        "bad",
    ),
    "limit_inlet": (
        _("{site} supplies air of {needed}, and {item} may breathe {limit} at most."),
        _("air of {needed} is too warm"),
        "bad",
    ),
    "limit_sustained": (
        _(
            "{item} draws up to {needed} for long in {site}, and its supplies carry {limit} without those that may "
            "fail: if they fail it loses power."
        ),
        _("supplies too small without the spare ones"),
        "bad",
    ),
    "limit_transient": (
        _(
            "For an instant {item} may draw {needed} in {site}, and its supplies are rated for {limit}: spikes may "
            "switch it off although its long draw fits. Take larger supplies or limit the power of the GPUs."
        ),
        _("power spikes over the supplies"),
        "warn",
    ),
    "limit_air": (
        _("From {month} the machines need {needed} of air, and the cooling of {site} delivers {limit}."),
        _("too little air from {month}"),
        "bad",
    ),
    "limit_liquid": (
        _("From {month} the liquid loops need {needed}, and {site} delivers {limit}."),
        _("too little liquid from {month}"),
        "bad",
    ),
    "limit_spare_cooling": (
        _(
            "From {month} the machines give off {needed}, and {site} carries away {limit} while its spare cooling "
            "units are down: the redundancy that is promised is not there."
        ),
        _("no spare cooling from {month}"),
        "bad",
    ),
    "cards_too_wide": (
        _(
            "{gpus} cards of {slots} slots each do not go into {item} of {height} U: {most_gpus} do. Take a higher "
            "chassis or fewer cards."
        ),
        _("cards too wide for the chassis"),
        "bad",
    ),
    "cards_too_long": (
        _("The cards of {item} are {length_mm} long, and it takes cards of {length_max_mm}."),
        _("cards too long for the chassis"),
        "bad",
    ),
    "cards_unknown": (
        _(
            "Whether the {gpus} cards of {slots} slots go into {item} is not known: the catalog has no width for its "
            "places. Ask the seller before you order."
        ),
        _("room for the cards not known"),
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
            "{item} ({gpus} GPUs) makes {noise_db} dB(A), and {site} tolerates {limit} dB(A); the room's heat reaches "
            "{heat_kw} kW by the expected draw (nameplates: {max_kw} kW), and {cooling_kw} kW are carried away. Such a "
            "server belongs in a data hall: do not order it for this room as it is."
        ),
        _("8-GPU server too loud and too hot for an office"),
        "bad",
    ),
    "office_server_loud": (
        _(
            "{item} ({gpus} GPUs) makes {noise_db} dB(A), and {site} tolerates {limit} dB(A): people cannot work "
            "beside it, even though the expected {heat_kw} kW of heat (nameplates: {max_kw} kW) are carried away. Do "
            "not order it for this room as it is."
        ),
        _("8-GPU server too loud for an office"),
        "bad",
    ),
    "office_server_hot": (
        _(
            "With {item} ({gpus} GPUs) the room's heat reaches {heat_kw} kW by the expected draw (nameplates: {max_kw} "
            "kW), and {site} carries away {cooling_kw} kW. Do not order it for this room as it is."
        ),
        _("8-GPU server too hot for an office"),
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
    "noise": "dB(A)",
    "cooling": "kW",
    "power": "kW",
    "racks": "rack",
    "units": "U",
    "kw": "kW",
    "kg": "kg",
    "cords": "cord",
    "cfm": "CFM",
    "method": "kW",
    "floor": "kg/m2",
    "foot": "kg",
    "feeds": "kW",
    "psus": "supply",
    "inlet": "°C",
    "sustained": "kW",
    "transient": "kW",
    "air": "CFM",
    "liquid": "L/min",
    "budget": "kW",
    "ups": "kW",
    "spare_cooling": "kW",
}

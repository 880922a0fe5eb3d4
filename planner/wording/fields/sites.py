"""Words for the fields of a site."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from planner.wording.words import Words

FIELDS: dict[str, Words] = {
    "Site.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Site.name": Words(_("Name"), _("What people call this room."), _("its kind")),
    "Site.kind": Words(_("Kind of room"), _("Where the machines stand; it sets racks, network and usual limits.")),
    "Site.from_month": Words(_("From month"), _("Month, counted from 0, from which the machines stand here.")),
    "Site.region": Words(_("Region"), _("Region of the electricity tariff and of cloud offers.")),
    "Site.customer_class": Words(_("Tariff class"), _("Class of customer in the electricity tariff.")),
    "Site.electricity_price_per_kwh": Words(
        _("Electricity"), _("Price of a kilowatt-hour, all charges included."), _("the region's tariff")
    ),
    "Site.cooling_method": Words(_("Cooling"), _("How heat leaves the room; it sets the PUE where none is given.")),
    "Site.pue": Words(_("PUE"), _("Energy of the whole facility ÷ energy of the machines."), _("by cooling method")),
    "Site.cooling_kw": Words(
        _("Cooling"), _("Heat the room can carry away; above it machines slow down or stop."), _("no limit known")
    ),
    "Site.power_kw": Words(
        _("Power"), _("Power the room's circuits can carry, set against the maximum draw."), _("no limit known")
    ),
    "Site.racks": Words(_("Racks"), _("Rack positions the room has."), _("no limit known")),
    "Site.rack_units": Words(_("Rack height"), _("Height of a rack.")),
    "Site.rack_kw": Words(_("Power per rack"), _("Power one rack may draw."), _("no limit known")),
    "Site.rack_kg": Words(_("Load per rack"), _("Weight one rack may hold."), _("no limit known")),
    "Site.reserved_units": Words(_("Reserved height"), _("Rack units kept free for switches and panels.")),
    "Site.rack_cfm": Words(
        _("Air per rack"), _("Air that floor tiles or containment deliver to one rack."), _("no limit known")
    ),
    "Site.circuit": Words(
        _("Feeds of a rack"), _("Electric circuits that reach each rack, all of one rating."), _("not checked")
    ),
    "Site.cooling_units": Words(
        _("Cooling units"), _("Equal units that share the cooling, to see what the loss of one does."), _("not checked")
    ),
    "Circuit.volts": Words(_("Voltage"), _("Between two lines where the circuit has three phases.")),
    "Circuit.amps": Words(_("Current"), _("Rating of the breaker or cord.")),
    "Circuit.phases": Words(_("Phases"), _("One phase or three.")),
    "Circuit.derating": Words(
        _("Continuous share"),
        _("Share of the rating that may flow all the time: 80 % on North American breakers, all of it on IEC cords."),
    ),
    "Circuit.power_factor": Words(_("Power factor"), _("Real power ÷ apparent power of the machines.")),
    "Circuit.feeds": Words(
        _("Feeds"), _("Circuits that reach each rack; the cords of a machine are spread over them.")
    ),
    "Circuit.redundancy": Words(_("Redundancy"), _("How much of the feeds may fail while the rack keeps running.")),
    "Circuit.outlets": Words(_("Outlets per feed"), _("Cords that one feed can take in each rack."), _("enough")),
    "Site.noise_limit_db": Words(_("Noise limit"), _("Loudest machine the room tolerates."), _("no limit")),
    "Site.power_budget_kw": Words(
        _("Power budget"),
        _("Power of machines and network, by the nameplates and without cooling, to stay under in every month."),
        _("none"),
    ),
    "Site.power_budget": Words(
        _("The budget is"), _("A hard budget rules plans out; a soft one ranks them after those that keep it.")
    ),
    "Site.rack_heat_kw": Words(
        _("Heat per rack"), _("Heat the cooling carries from one rack."), _("assumed by cooling method")
    ),
    "Site.floor_kg_m2": Words(
        _("Floor load"),
        _("Load the floor bears under a rack and half of its aisles; racks are filled no heavier."),
        _("70 lb/ft² in an office, else not checked"),
    ),
    "Site.floor_foot_kg": Words(
        _("Load per foot"), _("Load the floor or its panel bears under one of a rack's four feet."), _("not checked")
    ),
    "Site.supply_c": Words(
        _("Supply air"), _("Temperature of the air that the machines breathe in."), _("not checked")
    ),
    "Site.air_cfm": Words(_("Air of the room"), _("Air that the cooling delivers to all racks."), _("not checked")),
    "Site.liquid_l_per_min": Words(
        _("Liquid flow"), _("Liquid that the loops of the room deliver to all machines."), _("not checked")
    ),
    "Site.spare_cooling_units": Words(
        _("Spare cooling units"), _("Units that may fail while the others carry the heat: 1 is N+1.")
    ),
    "Site.ups": Words(_("UPS"), _("Uninterruptible supply between the circuits and the machines."), _("none")),
    "Site.supplies": Words(
        _("Power supplies that may fail"),
        _("How many supplies of a machine may fail at its maximum draw: N+N leaves half of their watts."),
    ),
    "Site.transient_ratio": Words(
        _("Power spikes"), _("Draw of a machine for milliseconds, over its maximum for long.")
    ),
    "Ups.module_kw": Words(_("UPS module"), _("Rating of one module of the UPS.")),
    "Ups.modules": Words(_("UPS modules"), _("Modules that are installed.")),
    "Ups.spare": Words(_("Spare UPS modules"), _("Modules that may fail while the others carry the load.")),
    "Ups.battery_minutes": Words(
        _("UPS battery"), _("How long the batteries carry the load: 5 minutes with a generator, 15 without.")
    ),
    "Site.colocation": Words(_("Colocation contract"), _("Terms of the hall's contract."), _("a room of one's own")),
    "Site.moving_cost": Words(_("Moving cost"), _("Paid once, in the month the machines move here.")),
    "Site.downtime_days": Words(
        _("Days of the move"), _("Days that machines which move here stand still; their work is lost or rented.")
    ),
    "Site.upgrades": Words(
        _("Possible upgrades"), _("What can be added to the room, in the order in which it would be bought.")
    ),
    "Colocation.market": Words(_("Market"), _("Colocation market whose price is taken."), _("own price")),
    "Colocation.price_per_kw_month": Words(
        _("Price per kW"), _("Price of a contracted kilowatt and month."), _("the market's price")
    ),
    "Colocation.power_included": Words(
        _("Power included"), _("Whether the price covers the electricity."), _("as the market's price list says")
    ),
    "Colocation.usable_share": Words(_("Usable share"), _("Share of the contracted power that machines may draw.")),
    "Colocation.step_kw": Words(_("Contract step"), _("Steps in which power is contracted.")),
    "Colocation.committed_kw": Words(_("Committed power"), _("Least power that is paid, drawn or not.")),
    "Upgrade.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Upgrade.item": Words(_("Upgrade"), _("What is bought.")),
    "Upgrade.quantity": Words(_("Pieces"), _("How many pieces this step buys.")),
    "Upgrade.adds_cooling_kw": Words(_("Adds cooling"), _("Cooling this step adds.")),
    "Upgrade.adds_power_kw": Words(_("Adds power"), _("Circuit power this step adds.")),
    "Upgrade.adds_racks": Words(_("Adds racks"), _("Rack positions this step adds.")),
    "Upgrade.lead_weeks": Words(_("Lead time"), _("Weeks from order until it works.")),
    "Upgrade.price": Words(_("Price"), _("Price of one piece, installed."), _("the catalog's likely price")),
    "Upgrade.circuit": Words(
        _("Brings feeds"),
        _("Circuit that feeds each rack once this step is in service, in place of the one that the room names."),
        _("no other feeds"),
    ),
}

"""Words for the fields of prices: paths, generations, support contracts."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from planner.wording.words import Words

_RATE = _("Nominal price change per year; minus means cheaper.")
_BY_YEAR = Words(
    _("Change year by year"), _("Price change of the first, second … year; later years take the general rate.")
)

FIELDS: dict[str, Words] = {
    "PricePath.by_year": _BY_YEAR,
    "PricePath.rate_per_year": Words(_("Price change"), _RATE),
    "AcceleratorPath.rate_per_year": Words(
        _("GPU price change"),
        _("Nominal change of GPU and server prices per year; minus means cheaper. Cloud prices follow it."),
    ),
    "MemoryPath.rate_per_year": Words(_("Memory and flash price change"), _RATE),
    "RestPath.rate_per_year": Words(_("Other hardware price change"), _RATE),
    "ElectricityPath.rate_per_year": Words(_("Electricity price change"), _RATE),
    "ColocationPath.rate_per_year": Words(_("Colocation price change"), _RATE),
    "WagePath.rate_per_year": Words(_("Wage growth"), _("Nominal growth of wages per year.")),
    "Market.accelerator": Words(_("GPU prices"), _("How the prices of GPUs and servers move.")),
    "Market.memory_flash": Words(_("Memory and flash prices"), _("How the prices of memory and flash move.")),
    "Market.rest": Words(_("Other hardware prices"), _("How the prices of all other hardware move.")),
    "Market.cloud_spread": Words(
        _("Cloud price spread"), _("Added to the yearly change of GPU prices to get that of cloud prices.")
    ),
    "Market.electricity": Words(_("Electricity prices"), _("How the price of electricity moves.")),
    "Market.colocation": Words(_("Colocation prices"), _("How the price of colocation moves.")),
    "Market.cloud_level": Words(
        _("Level of cloud prices"), _("What is paid for the cloud against the prices listed today: 0.9 is 10 % less.")
    ),
    "Market.electricity_level": Words(
        _("Level of electricity prices"),
        _("What is paid on the electricity bill against the tariff of today, demand and fees included."),
    ),
    "Market.colocation_level": Words(
        _("Level of colocation prices"),
        _("What is paid to the hall against the prices of today, all of its fees alike."),
    ),
    "Market.wages": Words(_("Wages"), _("How wages move.")),
    "Market.provider_class": Words(
        _("Cloud compared"),
        _("Kind of provider whose median offer stands for the cloud; it often decides the verdict."),
    ),
    "Market.stale_after_days": Words(
        _("Prices go stale after"), _("Older prices are badged stale; older cloud offers are not compared.")
    ),
    "Market.residual": Words(_("Resale value"), _("Share of the price paid that a sale brings, by age.")),
    "Market.resale_commission": Words(_("Resale commission"), _("Share of a sale that the broker keeps.")),
    "Market.resale_factor": Words(
        _("Condition factor"), _("Share of the price that machines in their condition bring: below 1 for worn ones.")
    ),
    "Market.unmet_penalty_factor": Words(
        _("Price of unmet work"), _("Unmet work is shown at this multiple of the cloud price; it enters no total.")
    ),
    "Market.own_prices": Words(
        _("Own prices"),
        _("Your own price of an item, in the scenario's currency, in place of the catalog's."),
        _("the catalog's price"),
    ),
    "CurvePoint.month": Words(_("Age"), _("Age of the machine in months.")),
    "CurvePoint.share": Words(_("Share of the price"), _("Share of the price paid that a sale brings at this age.")),
    "ResidualCurves.system": Words(_("Whole systems"), _("Resale of servers with built-in GPUs, by age.")),
    "ResidualCurves.card": Words(_("GPU cards"), _("Resale of cards, by age.")),
    "ResidualCurves.host": Words(_("Chassis"), _("Resale of chassis without their cards, by age.")),
    "ResidualCurves.network": Words(_("Switches and links"), _("Resale of the fabric, by age.")),
    # paths, generations and contracts
    "NicPath.rate_per_year": Words(_("Network adapter price change"), _RATE),
    "Market.nic": Words(_("Network adapter prices"), _("How the prices of network adapters in servers move.")),
    "Market.sale_speed_factor": Words(
        _("Speed factor"), _("Share of the price that a sale in a hurry still brings; 1 where there is time.")
    ),
    "Market.generations": Words(_("New generations"), _("Servers that are not sold yet, and what is known of them.")),
    "Generation.slug": Words(
        _("Short name"), _("Short name used in paths and exports; it stays when the title changes.")
    ),
    "Generation.name": Words(_("Name"), _("What people call this generation."), _("its short name")),
    "Generation.like": Words(
        _("Succeeds"), _("Server of today that it is like in all else, and that it takes the place of.")
    ),
    "Generation.from_month": Words(_("Sold from month"), _("Month of its launch, counted from 0.")),
    "Generation.until_month": Words(
        _("Sold until month"), _("Month, counted from 0, from which it is no longer sold."), _("sold on")
    ),
    "Generation.price": Words(
        _("Price at launch"),
        _("Price of one server on the day of its launch; from there it follows the price changes."),
        _("that of the server it succeeds"),
    ),
    "Generation.performance": Words(
        _("Speed of its GPUs"), _("Rates and memory bandwidth against those of the server it succeeds.")
    ),
    "Generation.power": Words(_("Power"), _("Draw of the server against that of the server it succeeds.")),
    "Generation.old_sold_months": Words(
        _("Old one sold for"),
        _("Months after the launch in which the server it succeeds is still sold."),
        _("sold on"),
    ),
    "FollowUp.generation": Words(
        _("Later purchases take"), _("Whether later purchases and renewals take the newest generation that is sold.")
    ),
    "Operations.contracts": Words(
        _("Support contracts"), _("Warranty extensions and support contracts with renewal months of their own.")
    ),
    "SupportContract.slug": Words(
        _("Short name"), _("Short name used in paths and exports; it stays when the title changes.")
    ),
    "SupportContract.name": Words(_("Name"), _("What the contract is called."), _("its short name")),
    "SupportContract.build": Words(_("Covers"), _("Kind of server that it covers."), _("every server")),
    "SupportContract.counted_from": Words(
        _("Months counted from"), _("Whether each machine renews by its own age, or all on one day.")
    ),
    "SupportContract.renewal_month": Words(
        _("Renewal month"), _("Month from which it is owed; before it, it costs nothing.")
    ),
    "SupportContract.term_months": Words(
        _("Term"), _("Months for which it is owed."), _("as long as the machine serves")
    ),
    "SupportContract.share_per_year": Words(
        _("Yearly share"), _("Share of the price paid for the machines that is owed each year.")
    ),
    "SupportContract.fee_per_server_year": Words(
        _("Yearly fee"), _("Fee for each server and year; it replaces the share."), _("by share")
    ),
    "SupportContract.replaces_catalog": Words(
        _("Instead of the usual support"), _("Whether it stands in place of the support that follows the warranty.")
    ),
}

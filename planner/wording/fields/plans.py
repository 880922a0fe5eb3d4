"""Words for the fields of a plan."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from planner.wording.words import Words

POWER_LIMIT = _(
    "Power that every owned GPU may draw. Speed falls by a measured curve: at half the power 4 % with few requests at "
    "once, 23 % with many, as for training; rates you measured count as measured without a limit. Rented GPUs keep "
    "theirs."
)

FIELDS: dict[str, Words] = {
    "Plan.slug": Words(_("Short name"), _("Short name used in paths and exports; it stays when the title changes.")),
    "Plan.name": Words(_("Name"), _("What people call this plan."), _("named by its settings")),
    "Plan.strategy": Words(_("Strategy"), _("The way of buying that this plan follows; its settings say the rest.")),
    "Plan.start": Words(
        _("First purchase"), _("What is in service and paid in the first month."), _("nothing is bought at the start")
    ),
    "Plan.follow_up": Words(_("Follow-up"), _("What is bought when demand outgrows the fleet.")),
    "Plan.overflow": Words(
        _("Cloud overflow"), _("A cloud offer that takes what the owned GPUs cannot serve."), _("no cloud")
    ),
    "Plan.fabric": Words(_("Fabric"), _("The network that lets one job span servers.")),
    "Plan.end_of_life": Words(_("End of life"), _("What happens to machines that have served their time.")),
    "Plan.sourcing": Words(_("Sourcing"), _("How the machines are paid for.")),
    "Plan.lead_months": Words(
        _("Lead time"),
        _("Months from order to service of a follow-up."),
        _("lead time of the server and commissioning"),
    ),
    "Plan.gpu_power_limit_w": Words(_("Power limit of a GPU"), POWER_LIMIT, _("that of the scenario")),
    "Plan.condition": Words(_("Condition"), _("Whether machines are bought new, refurbished or used.")),
    "Condition.kind": Words(
        _("Condition"), _("Whether machines are bought new, refurbished or used; networks and racks are bought new.")
    ),
    "Condition.price_share": Words(
        _("Price against new"),
        _("Share of the price of a new machine. Empty: a quote of that condition; without one there is no total."),
        _("a quote of that condition"),
    ),
    "Condition.age_months": Words(
        _("Age when bought"), _("Months of service behind it: it serves so much shorter, and sells as one of its age.")
    ),
    "Condition.warranty_months": Words(
        _("Warranty of the seller"), _("Months in which the seller repairs for nothing; then repairs are paid.")
    ),
    "Plan.moves": Words(
        _("Moves to the later rooms"), _("Whether its machines move when a later room is there, or stay in the first.")
    ),
    "Plan.move_month": Words(
        _("Month of the move"),
        _("Month, counted from 0, in which it moves to the second room; colocation is paid from then on."),
        _("as the room says"),
    ),
    "Plan.upgrades": Words(
        _("Room upgrades"),
        _("Whether upgrades of the room are ordered with this plan, or only shown as the remedy with their price."),
    ),
    "Start.build": Words(_("Server"), _("The server that is bought first.")),
    "Start.quantity": Words(_("Servers"), _("How many of them are bought at the start.")),
    "Start.cards": Words(
        _("GPUs"), _("GPUs in all at the start; free slots can be filled later."), _("as the servers come")
    ),
    "Wave.month": Words(_("Month of order"), _("Month, counted from 0, in which this wave is ordered.")),
    "Wave.quantity": Words(_("Quantity"), _("Servers of this wave.")),
    "FollowUp.kind": Words(_("Rule"), _("Whether demand triggers cards or whole servers, or fixed months do.")),
    "FollowUp.batch": Words(_("Batch"), _("Cards or servers bought at a time.")),
    "FollowUp.build": Words(_("Follow-up server"), _("The server that follow-ups buy."), _("the first server's kind")),
    "FollowUp.waves": Words(_("Waves"), _("Purchases in fixed months.")),
    "FollowUp.min_service_months": Words(
        _("Least service"),
        _("Nothing is ordered that would serve fewer months before the horizon."),
        _("18 with cloud overflow, else 0"),
    ),
    "Overflow.accelerator": Words(_("Rented GPU"), _("The kind of GPU that is rented.")),
    "Overflow.offer": Words(
        _("Cloud offer"), _("One offer of the catalog, pinned."), _("the median of comparable offers")
    ),
    "Overflow.provider_class": Words(
        _("Kind of provider"), _("Providers among which the median is taken."), _("as under Market")
    ),
    "Overflow.reserved_share": Words(
        _("Reserved share"), _("Share of the rented GPUs that is committed to for a term, used or not, at a discount.")
    ),
    "Overflow.reserved_term_months": Words(_("Term of the reservation"), _("Months for which a reservation is owed.")),
    "Fabric.when": Words(
        _("Build a fabric"), _("Whether a fabric is built: when a job exceeds one server, always, or never.")
    ),
    "Fabric.final_nodes": Words(
        _("Wire for"), _("Servers for which the fabric is wired from the start."), _("grown wave by wave")
    ),
    "Fabric.switch": Words(_("Switch"), _("Switch of the fabric."), _("the usual one of the network")),
    "Fabric.topology": Words(
        _("Topology"),
        _(
            "Whether spines join all rails, or each rail keeps to itself: fewer switches, and fewer libraries tuned "
            "for it."
        ),
    ),
    "Fabric.oversubscription": Words(
        _("Oversubscription"), _("Ports of a leaf towards servers for each port towards the spines; 1 never blocks.")
    ),
    "Fabric.spread": Words(
        _("Spread of links"),
        _("As published designs do, the same number of links to each switch, or as few switches as carry them."),
    ),
    "EndOfLife.life_months": Words(_("Service life"), _("Months a machine serves before it is sold or replaced.")),
    "EndOfLife.then": Words(_("After that"), _("Whether the same is bought again at that month's price, or let go.")),
}

"""Words for the fields of operations, finance and the scenario itself."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

from planner.wording.fields.plans import POWER_LIMIT
from planner.wording.words import Words

FIELDS: dict[str, Words] = {
    "Operations.region": Words(_("Country"), _("Country of staff cost and import duty.")),
    "Operations.loaded_cost_per_fte_year": Words(
        _("Cost per engineer"),
        _("Yearly cost of one full-time engineer, all charges included."),
        _("the country's figure"),
    ),
    "Operations.servers_per_fte": Words(
        _("Servers per engineer"), _("Servers one full-time engineer looks after."), _("in steps by fleet size")
    ),
    "Operations.commissioning_days": Words(
        _("Commissioning"), _("Days of burn-in between delivery and service."), _("the catalog's figure")
    ),
    "Operations.storage_tb": Words(
        _("Shared storage"),
        _("Fast shared storage bought at the start; left empty, as much as the work asks for is bought as it grows."),
        _("as the work asks"),
    ),
    "Operations.gpu_power_limit_w": Words(_("Power limit of a GPU"), POWER_LIMIT, _("the card's own power")),
    "Operations.host_memory_factor": Words(
        _("Host memory against GPU memory"),
        _("Rule for the advice: jobs stage checkpoints in so many times the GPU memory, services in half of it."),
    ),
    "Operations.local_flash_tb_per_gpu": Words(
        _("Local storage per GPU"), _("Rule for the advice: fast storage inside a server for each of its GPUs.")
    ),
    "Operations.shared_tb_per_job_gpu": Words(
        _("Shared storage per training GPU"), _("Rule for the advice: data on shared storage for each GPU of jobs.")
    ),
    "Operations.shared_tb_per_service_gpu": Words(
        _("Shared storage per serving GPU"),
        _("Rule for the advice: data on shared storage for each GPU of services, pools and batch work."),
    ),
    "Operations.checkpoint_minutes": Words(
        _("Time between checkpoints"),
        _("Rule for the advice: saving may stall a run for 1 % of this time, which sets the speed of shared storage."),
    ),
    "Operations.checkpoints_kept": Words(
        _("Checkpoints kept"), _("Rule for the advice: so many checkpoints of a training lie on shared storage.")
    ),
    "Operations.model_load_s": Words(
        _("Time to load a model"), _("Rule for the advice: a server must read its model from shared storage in this.")
    ),
    "Operations.tax_region": Words(
        _("Sales tax or VAT"), _("Tax row of the catalog that applies to purchases."), _("no tax line")
    ),
    "Operations.recoverable_tax_share": Words(
        _("Recoverable tax"), _("Share of the tax that is paid back; a registered business recovers all VAT.")
    ),
    "Finance.discount_rate": Words(
        _("Discount rate"),
        _("Yearly rate, inflation included, at which later money counts less; usual ones to choose from stand below."),
    ),
    "Finance.fiscal_year_start_month": Words(
        _("Fiscal year starts in"), _("Calendar month in which the fiscal year begins.")
    ),
    "Finance.running_costs_mid_month": Words(
        _("Running costs mid-month"), _("Discount running costs from the middle of their month instead of its start.")
    ),
    "Finance.residual_at_horizon": Words(
        _("Count resale at the end"), _("Whether machines still in service at the horizon count at their resale value.")
    ),
    "Finance.inflation_per_year": Words(
        _("Inflation"), _("Yearly rise of prices in general, for tables in money of the start; it changes no verdict.")
    ),
    "Finance.payment": Words(_("Payment terms"), _("When suppliers of machines are paid.")),
    "PaymentTerms.covers": Words(
        _("Payment terms for"),
        _("Whether only machines are paid by these terms, or networks, spares, storage, racks and room works too."),
    ),
    "PaymentTerms.on_order": Words(
        _("Paid with the order"), _("Share of the price of machines; lower it before you raise the others.")
    ),
    "PaymentTerms.on_delivery": Words(
        _("Paid on delivery"), _("Share paid in the month in which machines go into service.")
    ),
    "PaymentTerms.retention": Words(
        _("Retention"), _("Share kept back for defects; what all shares leave is paid on acceptance.")
    ),
    "PaymentTerms.acceptance_months": Words(_("Acceptance after"), _("Months from service to acceptance.")),
    "PaymentTerms.retention_months": Words(_("Retention paid after"), _("Months from service to the last payment.")),
    "PaymentTerms.bill_months": Words(
        _("Bank acceptance"), _("Term of the bills by which suppliers are paid: it defers every payment.")
    ),
    "Finance.budget": Words(_("Budget"), _("Money there is for each fiscal year.")),
    "YearlyBudget.per_year": Words(
        _("Budget by fiscal year"),
        _(
            "Money there is in the first, second … fiscal year of the horizon, as in “500000; 200000”; the last amount "
            "holds for later years, and nothing carries over."
        ),
        _("no budget"),
    ),
    "YearlyBudget.covers": Words(
        _("The budget covers"), _("What the budget must pay: purchases alone, or all spending.")
    ),
    "YearlyBudget.rule": Words(
        _("The budget is"),
        _("A hard budget rules plans out; a soft one ranks them after those that keep it."),
    ),
    "Finance.book_life_months": Words(
        _("Book life"), _("Months over which the books write off a purchase, in a straight line by the day.")
    ),
    "Finance.after_tax": Words(
        _("After-tax view"),
        _("Count what costs and depreciation save in profit tax. The discount rate must then be one after tax."),
    ),
    "Finance.buyer": Words(
        _("Buyer"),
        _(
            "Who buys: a university and a state-funded body pay no profit tax and save none. Where tenders are "
            "counted, the buyer decides whose threshold holds."
        ),
    ),
    "Finance.profit_tax_rate": Words(
        _("Profit tax"), _("Tax on profit, federal and local together."), _("the country's rate")
    ),
    "Finance.tax_depreciation": Words(
        _("Tax depreciation"),
        _("How the tax office lets purchases be written off; what is left at a sale goes with it."),
    ),
    "Finance.tax_life_months": Words(
        _("Tax life"), _("Months of the straight line and of the declining balance; MACRS has its own five years.")
    ),
    "Finance.one_off_cap": Words(
        _("One-off deduction up to"),
        _("Dearest machine that may be deducted at once; 5 million yuan in China. Dearer ones: straight line."),
    ),
    "Finance.one_off_until": Words(
        _("One-off deduction until"),
        _("Last day on which a purchase may be deducted at once; in China the end of 2027."),
    ),
    "Finance.other_income_per_year": Words(
        _("Other taxable income"),
        _("Yearly profit from which these costs are deducted; what exceeds it waits as a loss. 0: a loss-maker."),
        _("always enough"),
    ),
    "Finance.losses_kept_years": Words(
        _("Losses are kept for"), _("Tax years that a loss may wait for income."), _("without end")
    ),
    "Plan.financing": Words(_("Financing"), _("How machines and fabric are paid for.")),
    "Financing.kind": Words(
        _("Paid with"), _("In cash, with a loan, or by a lessor who owns the machines; it replaces their capex.")
    ),
    "Financing.share": Words(_("Financed share"), _("Share of the price that is lent or leased; the rest is cash.")),
    "Financing.rate_per_year": Words(
        _("Rate of the contract"),
        _("Yearly interest of the loan, or what the lessor reckons with."),
        _("the catalog's"),
    ),
    "Financing.rate_is": Words(
        _("The rate is"), _("Effective: (1 + r)^(1/12) − 1 a month. Nominal, as many contracts state it: r ÷ 12.")
    ),
    "Financing.term_months": Words(
        _("Term"), _("Months of the contract; what it still owes at the horizon is settled.")
    ),
    "Financing.repayment": Words(_("Repayment"), _("Equal payments, or interest only and all at the end.")),
    "Financing.payment": Words(_("Rent is paid"), _("At the start of each month, or at its end.")),
    "Financing.buy_out_share": Words(
        _("Buy-out"),
        _("Share of the price that the lessor counts on at the end of the term, and asks for the machine."),
    ),
    "Financing.at_end": Words(
        _("After the term"),
        _("Whether the machine is bought, or the rent goes on while it serves and nothing is left."),
    ),
    "Financing.rent_share_per_month": Words(
        _("Rent asked"), _("Monthly rent as a share of the price."), _("from rate, term and buy-out")
    ),
    # scenario
    "Scenario.schema_version": Words(_("Schema version"), _("Version of the document's form.")),
    "Scenario.name": Words(_("Name"), _("What people call this scenario."), _("named by its template")),
    "Scenario.template": Words(_("Template"), _("The template this scenario began as."), _("none")),
    "Scenario.start": Words(_("Start"), _("First month of the comparison.")),
    "Scenario.months": Words(_("Horizon"), _("Months over which the plans are compared.")),
    "Scenario.currency": Words(_("Currency"), _("Currency of all results; quotes keep their own.")),
    "Scenario.pricing_date": Words(_("Pricing date"), _("Day on which prices and exchange rates are taken.")),
    "Scenario.demand": Words(_("Demand"), _("The work to be done, and how it grows.")),
    "Scenario.plans": Words(_("Plans"), _("The ways of buying that are compared.")),
    "Scenario.sites": Words(_("Site"), _("Where the machines stand, one room after the other.")),
    "Scenario.market": Words(_("Prices"), _("How prices move, and which cloud is compared.")),
    "Scenario.operations": Words(_("Operations"), _("People and upkeep.")),
    "Scenario.finance": Words(_("Finance"), _("Discounting, fiscal year and residual value.")),
    "Scenario.lines": Words(
        _("Cost lines"), _("Which lines are counted; those switched off are listed as left out."), _("as usual")
    ),
}

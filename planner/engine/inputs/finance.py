"""Operations and finance: who runs the machines, who pays for them and when."""

from __future__ import annotations

import datetime as dt
from typing import Annotated, Literal

from pydantic import Field, model_validator

from planner.engine.inputs.base import COSTS, Day, Slug
from planner.engine.inputs.market import SupportContract
from planner.engine.inputs.plans import PowerLimit
from planner.engine.quantities import Document, Quantity, conflict
from planner.engine.subscriptions import Subscription


class Operations(Document):
    """People and upkeep. None takes the catalog's figure for the region."""

    region: Literal["US", "DE", "UK", "CN", "IN"] = "US"
    loaded_cost_per_fte_year: Annotated[float | None, Quantity("money/FTE/year", 0.0, 1e7)] = None
    servers_per_fte: Annotated[float | None, Quantity("server/FTE", 0.1, 10_000.0)] = None
    commissioning_days: Annotated[float | None, Quantity("day", 0.0, 365.0)] = None
    storage_tb: Annotated[float | None, Quantity("TB", 0.0, 1e6)] = 0.0  # None: what the rules below ask for
    gpu_power_limit_w: PowerLimit = None  # of all plans that name none of their own
    # Whether what the rules below ask for in each server, beyond what it comes with, is bought along.
    host_memory: Literal["as_built", "as_advised"] = "as_built"
    local_flash: Literal["as_built", "as_advised"] = "as_built"
    load_balancer: Literal["bought", "rented", "none"] = "bought"
    rented_storage: bool = False  # an object store beside rented GPUs, where no storage is owned
    fabric_fte_per_64_servers: Annotated[float | None, Quantity("FTE", 0.0, 100.0)] = None
    fabric_acceptance_share: Annotated[float | None, Quantity("share", 0.0, 0.5)] = None  # of what it costs
    # Rules by which memory and storage are advised, to be edited; sizing reference 2.6 and 7.2, the rest estimates.
    host_memory_factor: Annotated[float, Quantity("times", 0.0, 10.0, None, None, "estimate")] = 2.0
    local_flash_tb_per_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate")] = 1.0
    shared_tb_per_job_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate", COSTS)] = 2.0
    shared_tb_per_service_gpu: Annotated[float, Quantity("TB/GPU", 0.0, 100.0, None, None, "estimate", COSTS)] = 0.25
    checkpoint_minutes: Annotated[float, Quantity("minute", 1.0, 1440.0, None, None, "estimate")] = 60.0
    checkpoints_kept: Annotated[int, Quantity("1", 1, 100, None, None, "estimate")] = 5
    model_load_s: Annotated[float, Quantity("second", 1.0, 3600.0, None, None, "estimate")] = 60.0
    # Writing speed that a terabyte of an all-flash system brings: 65 GB/s at 250–500 TB (DDN AI400X2, general
    # knowledge, unverified).
    shared_gb_s_per_tb: Annotated[float, Quantity("GB/s/TB", 0.001, 100.0, None, None, "estimate")] = 0.15
    tax_region: Slug | None = None  # sales tax or VAT row; None: no tax line
    recoverable_tax_share: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    contracts: tuple[SupportContract, ...] = Field(default=(), max_length=20)
    subscriptions: tuple[Subscription, ...] = Field(default=(), max_length=20)


class PaymentTerms(Document):
    """When suppliers are paid; what the shares leave is due on acceptance. By default all at the order."""

    # Besides machines: spares, networks, storage, racks and works of the room; freight, labour and tax are no orders.
    covers: Literal["machines", "all_orders"] = "machines"
    on_order: Annotated[float, Quantity("share", 0.0, 1.0)] = 1.0
    on_delivery: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    retention: Annotated[float, Quantity("share", 0.0, 1.0)] = 0.0
    acceptance_months: Annotated[int, Quantity("month", 0, 24)] = 1  # after service begins
    retention_months: Annotated[int, Quantity("month", 0, 60)] = 12
    bill_months: Annotated[int, Quantity("month", 0, 12)] = 0  # a bank acceptance defers every payment by its term

    @model_validator(mode="after")
    def _is_the_price(self) -> PaymentTerms:
        if self.on_order + self.on_delivery + self.retention > 1.0 + 1e-9:
            raise conflict("retention", "more than the price")
        return self


class YearlyBudget(Document):
    """Money there is for each fiscal year of the horizon; what is left of one does not carry over to the next."""

    # First, second … fiscal year; the last amount holds for the years after. Empty: no budget.
    per_year: tuple[Annotated[float, Quantity("money/year", 0.0, 1e13)], ...] = Field(default=(), max_length=11)
    covers: Literal["capex", "all"] = "capex"
    rule: Literal["hard", "soft"] = "hard"


class Finance(Document):
    discount_rate: Annotated[float, Quantity("share/year", 0.0, 1.0, 0.06, 0.12, "estimate", COSTS)] = 0.08
    fiscal_year_start_month: Annotated[int, Quantity("month", 1, 12)] = 1
    running_costs_mid_month: bool = False
    residual_at_horizon: bool = True
    inflation_per_year: Annotated[float, Quantity("share/year", -0.05, 0.5, None, None, "estimate")] = 0.025
    payment: PaymentTerms = PaymentTerms()
    budget: YearlyBudget = YearlyBudget()
    book_life_months: Annotated[int, Quantity("month", 12, 240, None, None, "estimate")] = 60
    # After-tax view: the discount rate then is one after tax.
    after_tax: bool = False
    buyer: Literal["company", "university", "state_funded"] = "company"  # only a company pays profit tax
    # None: the country's rate in the catalog.
    profit_tax_rate: Annotated[float | None, Quantity("share", 0.0, 0.9, 0.15, 0.30, "estimate", COSTS)] = None
    tax_depreciation: Literal[
        "straight_line", "declining_balance", "macrs_5", "at_once", "china_straight_line", "china_one_off", "none"
    ] = "straight_line"
    tax_life_months: Annotated[int, Quantity("month", 12, 240, 36, 84, "estimate")] = 60
    # The one-off deduction is for machines up to this price, bought up to this day: Chinese tax authorities,
    # announcement 2023 no. 37, 5 million yuan until the end of 2027.
    one_off_cap: Annotated[float, Quantity("money", 0.0, 1e12)] = 5_000_000.0
    one_off_until: Day = dt.date(2027, 12, 31)
    other_income_per_year: Annotated[float | None, Quantity("money/year", 0.0, 1e13)] = None  # None: always enough
    losses_kept_years: Annotated[int | None, Quantity("year", 0, 50)] = None  # None: for good

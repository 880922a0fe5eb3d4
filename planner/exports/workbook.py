"""A plan as a workbook that computes again: its cells by line and month as numbers, everything else as formulas.

A spreadsheet gives the same present value to the cent, since each line is rounded once there as well.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import Any

import xlsxwriter
from django.utils.translation import gettext as _
from xlsxwriter.utility import xl_col_to_name, xl_rowcol_to_cell

from planner import wording
from planner.engine.lines import CATEGORIES
from planner.engine.result import Evaluation, PlanResult
from planner.engine.statements import Period, years

# Rows of the sheet of lines, and where its months and lines begin.
CATEGORY, NAME, KIND, VALUE, TOTAL, HEAD, FIRST = 0, 1, 2, 3, 4, 6, 7
LINES = 5
KINDS = ("capex", "opex", "credit")
# Names of cells and columns that the formulas read.
RATE, SHIFT = "discount_rate", "running_costs_later"


def workbook(evaluation: Evaluation, plan: PlanResult) -> bytes:
    """The workbook of one plan that has totals."""
    out = io.BytesIO()
    # a text that looks like a formula stays a text; the same plan gives the same bytes
    book = xlsxwriter.Workbook(out, {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False})
    book.set_properties({"created": evaluation.scenario.pricing_date, "title": plan.slug})
    written = _Workbook(book, evaluation, plan)
    written.summary()
    written.annual()
    written.lines()
    book.close()
    return out.getvalue()


class _Workbook:
    def __init__(self, book: Any, evaluation: Evaluation, plan: PlanResult) -> None:
        self.book, self.evaluation, self.plan = book, evaluation, plan
        self.scenario, self.months = evaluation.scenario, plan.calendar.months
        self.sheets = {code: book.add_worksheet(code) for code in ("Summary", "Annual", "Lines")}
        cents = "0" if plan.decimals == 0 else "0." + "0" * plan.decimals
        self.money = book.add_format({"num_format": f"#,##{cents};-#,##{cents};-"})
        self.strong = book.add_format({"num_format": f"#,##{cents};-#,##{cents};-", "bold": True})
        self.bold = book.add_format({"bold": True})
        self.percent = book.add_format({"num_format": "0.00%", "bg_color": "#FFF8E1"})
        self.factor = book.add_format({"num_format": "0.000000"})
        self.last, self.width = FIRST + self.months - 1, LINES + max(len(plan.lines), 1) - 1

    def _block(self, top: int, bottom: int, left: int = LINES, right: int | None = None) -> str:
        """An absolute range of the sheet of lines."""
        right = self.width if right is None else right
        return f"Lines!{xl_rowcol_to_cell(top, left, True, True)}:{xl_rowcol_to_cell(bottom, right, True, True)}"

    # ── the sheets ──

    def summary(self) -> None:
        """The discount rate, which may be changed, and the totals."""
        sheet, plan = self.sheets["Summary"], self.plan
        sheet.set_column(0, 0, 44)
        sheet.set_column(1, 1, 20)
        sheet.write(0, 0, wording.plan_names(self.scenario, self.evaluation.book)[plan.slug], self.bold)
        facts = [
            (_("Currency"), plan.currency),
            (_("Start"), self.scenario.start),
            (_("Horizon"), wording.counted(self.months, "month", plan.currency)),
        ]
        for row, (label, text) in enumerate(facts, 1):
            sheet.write(row, 0, label)
            sheet.write(row, 1, text)
        sheet.write(5, 0, _("Discount rate"))
        sheet.write_number(5, 1, self.scenario.finance.discount_rate, self.percent)
        sheet.write(6, 0, _("Running costs later by, months"))
        sheet.write_number(6, 1, 0.5 if self.scenario.finance.running_costs_mid_month else 0.0)
        self.book.define_name(RATE, "=Summary!$B$6")
        self.book.define_name(SHIFT, "=Summary!$B$7")
        sheet.write(8, 0, _("Present value"), self.bold)
        sheet.write_formula(8, 1, f"=SUM({self._block(VALUE, VALUE)})", self.strong, plan.present_value)
        sheet.write(9, 0, _("Nominal total"), self.bold)
        sheet.write_formula(9, 1, f"=SUM({self._block(TOTAL, TOTAL)})", self.strong, plan.nominal_total)
        for row, kind in enumerate(KINDS, 10):
            sheet.write(row, 0, wording.kind(kind))
            formula = f'=SUMIF({self._block(KIND, KIND)},"{kind}",{self._block(TOTAL, TOTAL)})'
            sheet.write_formula(row, 1, formula, self.money, plan.total(kind))

    def annual(self) -> None:
        """By category and fiscal year: sums over the sheet of lines."""
        sheet, periods = self.sheets["Annual"], years(self.evaluation)
        sheet.set_column(0, 0, 40)
        sheet.set_column(1, len(periods) + 1, 18)
        sheet.write(0, 0, _("Category"), self.bold)
        for column, period in enumerate(periods, 1):
            sheet.write(0, column, period.label, self.bold)
        sheet.write(0, len(periods) + 1, _("Total"), self.bold)
        used = [name for name in CATEGORIES if any(line.category == name for line in self.plan.lines)]
        for row, name in enumerate(used, 1):
            sheet.write(row, 0, wording.category(name))
            for column in range(1, len(periods) + 1):
                year = xl_rowcol_to_cell(0, column, row_abs=True)
                formula = (
                    f"=SUMPRODUCT(({self._block(FIRST, self.last, 2, 2)}={year})"
                    f'*({self._block(CATEGORY, CATEGORY)}="{name}")*{self._block(FIRST, self.last)})'
                )
                sheet.write_formula(row, column, formula, self.money, self._sum([name], [periods[column - 1]]))
            cells = f"{xl_rowcol_to_cell(row, 1)}:{xl_rowcol_to_cell(row, len(periods))}"
            sheet.write_formula(row, len(periods) + 1, f"=SUM({cells})", self.money, self._sum([name], periods))
        bottom = len(used) + 1
        sheet.write(bottom, 0, _("Net"), self.bold)
        for column, part in enumerate([*([period] for period in periods), periods], 1):
            above = f"{xl_rowcol_to_cell(1, column)}:{xl_rowcol_to_cell(bottom - 1, column)}"
            sheet.write_formula(bottom, column, f"=SUM({above})", self.strong, self._sum(used, part))

    def _sum(self, names: Sequence[str], periods: Sequence[Period]) -> float:
        """What the formulas of the annual sheet give, for programs that show a file without computing it."""
        lines = [line.minor for line in self.plan.lines if line.category in names]
        return float(sum(cells[each.months].sum() for cells in lines for each in periods)) / 10.0**self.plan.decimals

    def lines(self) -> None:
        """Every cell of every line; discount factors and present values are formulas on the rate of the summary."""
        sheet, calendar, plan = self.sheets["Lines"], self.plan.calendar, self.plan
        sheet.set_column(0, 4, 14)
        sheet.set_column(LINES, max(LINES, self.width), 18)
        sheet.freeze_panes(FIRST, LINES)
        labels = ((CATEGORY, _("Category")), (NAME, _("Line")), (KIND, _("Kind")), (VALUE, _("Present value")))
        for row, text in (*labels, (TOTAL, _("Total"))):
            sheet.write(row, 0, text, self.bold)
        heads = ("m", _("Month"), _("Fiscal year"), _("Factor, purchases"), _("Factor, running costs"))
        for column, text in enumerate(heads):
            sheet.write(HEAD, column, text, self.bold)
        fiscal = {m: period.label for period in years(self.evaluation) for m in range(self.months)[period.months]}
        for m in range(self.months):
            row = FIRST + m
            sheet.write_number(row, 0, m)
            sheet.write(row, 1, calendar.labels[m])
            sheet.write(row, 2, fiscal[m])
            sheet.write_formula(row, 3, f"=(1+{RATE})^(-$A{row + 1}/12)", self.factor, float(plan.discount[m]))
            running = f"=(1+{RATE})^(-($A{row + 1}+{SHIFT})/12)"
            sheet.write_formula(row, 4, running, self.factor, float(plan.running_discount[m]))
        for column, line in enumerate(plan.lines, LINES):
            sheet.write(CATEGORY, column, line.category)
            sheet.write(NAME, column, wording.line(line, self.evaluation.book))
            sheet.write(KIND, column, line.kind)
            letter, factors = xl_col_to_name(column), "$E" if line.kind == "opex" else "$D"
            cells = f"{letter}${FIRST + 1}:{letter}${self.last + 1}"
            of = f"{factors}${FIRST + 1}:{factors}${self.last + 1}"
            value = f"=ROUND(SUMPRODUCT({cells},{of}),{plan.decimals})"
            sheet.write_formula(VALUE, column, value, self.money, line.present_value(plan.discount_of(line)))
            sheet.write_formula(TOTAL, column, f"=SUM({cells})", self.money, line.total())
            for m in range(self.months):
                sheet.write_number(FIRST + m, column, float(line.minor[m]) / 10.0**plan.decimals, self.money)

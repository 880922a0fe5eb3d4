"""The workbook: LibreOffice computes the plan's present value from it, and another one at another rate."""

import csv
import io
import re
import subprocess
import zipfile

import pytest
from django.urls import reverse
from django.utils import translation

from planner.exports.workbook import workbook
from planner.services import evaluation, scenarios

# Spreadsheet files of other programs keep their stored values unless this is set to 0: compute always.
RECALCULATE = """<?xml version="1.0" encoding="UTF-8"?>
<oor:items xmlns:oor="http://openoffice.org/2001/registry">
<item oor:path="/org.openoffice.Office.Calc/Formula/Load">
<prop oor:name="OOXMLRecalcMode" oor:op="fuse"><value>0</value></prop></item>
</oor:items>
"""
CSV_OF_ALL_SHEETS = "csv:Text - txt - csv (StarCalc):44,34,76,1,,0,false,true,false,false,false,-1"


@pytest.fixture
def office(tmp_path, soffice):
    """Opens a workbook headless and gives its sheets, computed: {name: rows of texts}."""
    profile = tmp_path / "profile" / "user"
    profile.mkdir(parents=True)
    (profile / "registrymodifications.xcu").write_text(RECALCULATE, "utf-8")

    def computed(data):
        (tmp_path / "plan.xlsx").write_bytes(data)
        home = f"-env:UserInstallation={profile.parent.as_uri()}"
        asked = [soffice, home, "--headless", "--convert-to", CSV_OF_ALL_SHEETS, "--outdir", str(tmp_path)]
        subprocess.run([*asked, str(tmp_path / "plan.xlsx")], check=True, capture_output=True, timeout=300)
        files = {path.stem.removeprefix("plan-"): path for path in tmp_path.glob("plan-*.csv")}
        return {name: list(csv.reader(io.StringIO(path.read_text("utf-8")))) for name, path in files.items()}

    return computed


@pytest.fixture
def plan(row, editor):
    """Cards bought as they are needed, on a loan, after tax: lines of every kind."""
    edits = [("plans/scale-out/financing/kind", "loan"), ("finance/after_tax", True)]
    scenarios.change(row, scenarios.newest(row).number, edits, editor)
    result, _comparison = evaluation.evaluated(scenarios.newest(row))
    return result, result.plan("scale-out")


def number(text):
    return float(text.replace(",", "")) if text.strip() not in ("", "-") else 0.0


def labelled(rows):
    return {cells[0]: cells[1] for cells in rows if len(cells) > 1}


def with_rate(data, rate):
    """The same workbook with another discount rate typed into its cell, all stored results taken out."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(data)) as old, zipfile.ZipFile(out, "w") as new:
        for name in old.namelist():
            text = old.read(name)
            if name.startswith("xl/worksheets/"):
                xml = re.sub(r"(</f>)<v>[^<]*</v>", r"\1", text.decode())
                text = re.sub(r'(<c r="B6"[^>]*>)<v>0\.08</v>', rf"\g<1><v>{rate}</v>", xml).encode()
            new.writestr(name, text)
    return out.getvalue()


def test_libreoffice_computes_our_present_value_to_the_cent_and_another_at_another_rate(plan, office):
    result, ours = plan
    with translation.override("en"):
        data = workbook(result, ours)
    sheets = office(with_rate(data, 0.08))
    summary = labelled(sheets["Summary"])
    assert number(summary["Present value"]) == ours.present_value
    assert number(summary["Nominal total"]) == ours.nominal_total
    assert number(summary["Capex"]) == ours.total("capex")
    net = sheets["Annual"][-1]
    assert [cells[0] for cells in sheets["Annual"]][-1] == "Net"
    assert number(net[-1]) == ours.nominal_total
    dearer = labelled(office(with_rate(data, 0.13))["Summary"])
    v = [1.13 ** (-m / 12) for m in range(ours.calendar.months)]
    expected = sum(round(sum(float(c) * f for c, f in zip(line.minor, v, strict=True))) for line in ours.lines) / 100
    assert number(dearer["Present value"]) == pytest.approx(expected, abs=0.011)


def test_the_file_holds_our_own_results_for_programs_that_do_not_compute(plan, signed, row):
    page = signed.get(reverse("planner:statement_xlsx", args=[row.pk]), {"plan": "scale-out"})
    assert page["Content-Disposition"] == 'attachment; filename="plan-scale-out-v2.xlsx"'
    with zipfile.ZipFile(io.BytesIO(page.content)) as file:
        summary = file.read("xl/worksheets/sheet1.xml").decode()
    assert f"<v>{plan[1].present_value}</v>" in summary


def test_an_unknown_plan_has_no_workbook(signed, row):
    assert signed.get(reverse("planner:statement_xlsx", args=[row.pk]), {"plan": "nobody"}).status_code == 404

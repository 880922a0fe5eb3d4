"""Files of others, row by row: what becomes of them, and what is refused with file, line, column, value and reason."""

import io
import json
import zipfile

import pytest
from openpyxl import Workbook

from catalog.importers import formats, own, workbook
from catalog.importers.files import FORMS
from catalog.importers.harvest import Harvest
from catalog.importers.sheet import MAX_BYTES, MAX_COLUMNS, delimited
from catalog.importers.shipped import DATA, shipped
from catalog.importers.supplier import SYNONYMS, amount, guessed
from catalog.importers.wire import QUOTE_COLUMNS, item_row, quote_row
from tests.catalog import import_files as files

CARDS = {slug: item.spec.tdp_w for slug, item in shipped().of_kind("accelerator").items()}
TERMS = {"supplier": "Acme", "mapping": files.MAPPING, "quoted_on": "2026-11-30", "number": "117"}
FX = "base,quote,rate,date,source\n"


def read(content, name="file.csv", **options):
    """The harvest of one file; without a format, that which the file looks like."""
    content = content.encode() if isinstance(content, str) else content
    shown = {"format": options.get("format") or formats.format_of(name, content), "cards": CARDS, **options}
    harvest = Harvest()
    for _ in formats.read([(name, content)], shown, harvest):
        pass
    return harvest


def bad(harvest):
    return [(cell.line, cell.column, cell.value, cell.code) for cell in harvest.bad]


def specs(harvest):
    return {row[1]: json.loads(row[4]) for row in harvest.items}


def prices(harvest):
    """Slug → (unit price, currency, unit)."""
    return {row[1]: (row[2], row[3], row[5]) for row in harvest.quotes}


def cloud(content=files.SKYPILOT, provider="lambda"):
    return read(content, provider=provider, as_of="2026-05-20")


def said_of(harvest, slug):
    """Cell → (status, text) of an item's provenance."""
    [row] = [row for row in harvest.items if row[1] == slug]
    return {cell: (one["status"], one["text"]) for one in json.loads(row[5]) for cell in one["cells"]}


def xlsx(*rows, title="Sheet", merge=""):
    book = Workbook()
    page = book.active
    page.title = title
    for row in rows:
        page.append(row)
    if merge:
        page.merge_cells(merge)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def zipped(**parts):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in parts.items():
            archive.writestr(name.replace("__", "/").replace("_xml", ".xml"), content)
    return out.getvalue()


# ── Cloud prices ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_an_instance_in_a_region_is_an_offer_on_demand_and_where_it_has_one_a_spot_offer():
    assert prices(cloud()) == {
        "lambda-gpu-1x-h100-pcie-h100-pcie-1-here-1-on-demand": ("2.5", "USD", "gpu-hour"),
        "lambda-gpu-8x-h100-sxm5-h100-sxm-8-here-1-on-demand": ("24", "USD", "instance-hour"),
        "lambda-gpu-8x-h100-sxm5-h100-sxm-8-here-1-spot": ("9.5", "USD", "instance-hour"),
        "lambda-gpu-8x-h100-sxm5-h100-sxm-8-there-2-on-demand": ("24", "USD", "instance-hour"),
        "lambda-gpu-1x-q6000-rtx6000-1-here-1-on-demand": ("0.5", "USD", "gpu-hour"),
    }


def test_what_the_cloud_file_has_and_the_catalog_does_not_take_is_counted():
    rows = "p4.x,A100,0.5,4,16,1,here,,\np4.y,A100,8,4,16,,here,,0.00\n"
    assert dict(cloud(files.SKYPILOT + rows).left_out) == {
        "no_accelerator": 1,
        "part_of_an_accelerator": 1,
        "no_price": 1,
    }


def test_of_the_zones_of_a_region_the_cheapest_price_counts():
    header = "InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region,AvailabilityZone\n"
    zones = "p5,H100,8,60,30.5,east,east-a\np5,H100,8,60,20.25,east,east-b\np5,H100,8,60,25,east,east-c\n"
    harvest = cloud(header + zones, "aws")
    assert [row[2] for row in harvest.quotes] == ["60", "20.25"]
    assert dict(harvest.left_out) == {"same_price_in_region": 2, "dearer_in_region": 2}


def test_an_accelerator_nobody_knows_keeps_its_name_and_is_doubted():
    [doubt] = cloud().doubts
    assert (doubt.code, doubt.line, doubt.subject, doubt.facts) == ("unknown_accelerator", 6, "RTX6000", {"offers": 1})


def test_accelerators_without_a_machine_are_doubted():
    header = "InstanceType,vCPUs,AcceleratorName,AcceleratorCount,Region,AvailabilityZone,Price,SpotPrice\n"
    harvest = cloud(header + ",,H100,8,west,west-a,70.4,20.1\n", "gcp")
    assert [(doubt.code, doubt.facts) for doubt in harvest.doubts] == [("accelerators_alone", {"offers": 2})]
    assert all("instance_type" not in spec for spec in specs(harvest).values())


@pytest.mark.parametrize(
    ("name", "machine", "info", "slug", "assumed"),
    [
        ("A100", "p4d.24xlarge", "", "a100-40-sxm", False),
        ("A100-80GB", "gpu_8x_a100_80gb_sxm4", "", "a100-80-sxm", False),
        ("A100", "2x-A100_PCIE-32", "{'TotalGpuMemoryInMiB': 163840}", "a100-80-pcie", False),
        ("H100", "1x-H100_NVL-32", "{'TotalGpuMemoryInMiB': 191660}", "h100-nvl", False),
        ("V100-32GB", "p3dn.24xlarge", "", "v100-32-sxm2", False),
        ("H100", "anything", "", "h100-sxm", True),
    ],
)
def test_an_accelerator_by_name_machine_and_memory(name, machine, info, slug, assumed):
    header = "InstanceType,AcceleratorName,AcceleratorCount,Price,Region,GpuInfo\n"
    harvest = cloud(f'{header}{machine},{name},2,3,here,"{info}"\n')
    [(found, spec)] = specs(harvest).items()
    assert spec["accelerator_slug"] == slug
    assert (said_of(harvest, found)["accelerator_slug"][0] == "estimate") == assumed


def test_bad_cells_of_a_cloud_file():
    header = "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n"
    rows = "a,H100,x,1,r\nb,H100,8,-1,r\nc,H100,8,nan,r\nd,H100,9999,1,r\n"
    assert bad(cloud(header + rows)) == [
        (2, "AcceleratorCount", "x", "not_a_number"),
        (3, "Price", "-1", "out_of_bounds"),
        (4, "Price", "nan", "not_finite"),
        (5, "AcceleratorCount", "9999", "out_of_bounds"),
    ]


def test_the_price_of_a_month_given_as_one_of_an_hour_is_doubted():
    harvest = read(files.OFFERS + files.offer(price="17520"))
    assert [(doubt.code, doubt.facts["limit"]) for doubt in harvest.doubts] == [("dear_hour", 480.0)]


# ── Device types ─────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_power_nonsense_of_the_dgx_a100_is_doubted():
    harvest = read(files.DGX_A100, "DGC-A100.yaml")
    [doubt] = harvest.doubts
    assert (doubt.code, doubt.facts["maximum"], doubt.facts["count"]) == ("less_than_its_cards", 2142.0, 8)
    spec = specs(harvest)["nvidia-dgx-a100-640gb"]
    assert (spec["accelerator_slug"], spec["accelerator_count"], spec["psu_count"]) == ("a100-80-sxm", 8, 2)
    assert said_of(harvest, "nvidia-dgx-a100-640gb")["max_power_w"] == (
        "estimate",
        "Sum of maximum_draw over 2 power ports: an upper bound, since supplies back each other up.",
    )


def test_eight_cards_at_two_kilowatts_are_doubted_whatever_cards_they_are():
    text = files.DGX_A100.replace("8 NVIDIA A100 GPUs", "8 NVIDIA B300 GPUs")
    assert [doubt.code for doubt in read(text, "x.yaml", cards={}).doubts] == ["less_than_its_cards"]


def test_a_typical_power_above_the_maximum_is_doubted():
    text = files.DGX_A100.replace("maximum_draw: 1071", "maximum_draw: 4000").replace("586", "4500")
    [doubt] = read(text, "x.yaml").doubts
    assert (doubt.code, doubt.facts) == ("typical_over_maximum", {"typical": 9000.0, "maximum": 8000.0})


def test_a_rack_has_its_measures_and_its_part_number_digit_by_digit():
    assert specs(read(files.RACK, "AR3300.yaml"))["test-ar3300"] == {
        "model": "AR3300",
        "rack_units": 42.0,
        "weight_kg": 134.09,
        "part_number": "00367901234567890323",
        "depth_mm": 1200.0,
        "height_mm": 1991.0,
        "max_load_kg": 1701.0,
    }


def test_a_pdu_by_its_outlets_with_what_its_comment_says():
    harvest = read(files.PDU, "AP8868.yaml")
    spec = specs(harvest)["test-ap8868"]
    assert harvest.items[0][0] == "pdu"
    assert (spec["capacity_kw"], spec["volts"], spec["phases"]) == (10.0, 208.0, 3)
    assert spec["weight_kg"] == 4.536  # 10 lb
    assert said_of(harvest, "test-ap8868")["capacity_kw"] == ("estimate", "Read out of the comments: “10.0kW”.")


@pytest.mark.parametrize(
    ("model", "more", "kind"),
    [
        ("Smart-UPS 3000", "power-outlets:\n  - name: a\n", "ups"),
        ("SMT1500RM2UC", "power-outlets:\n  - name: a\n", "ups"),
        ("QM8700", "".join(f"  - name: IB1/{n}\n    type: 200gbase-x-qsfp56\n" for n in range(40)), "switch"),
        ("S3900", "".join(f"  - name: e{n}\n    type: 1000base-t\n" for n in range(48)), "mgmt"),
        ("PowerEdge R760", "", "server"),
        ("In-rack Coolant Distribution Unit", "", "cdu"),
        ("Patch panel", "", "other"),
    ],
)
def test_the_kind_of_a_device_is_read_between_the_lines(model, more, kind):
    more = f"interfaces:\n{more}" if more.startswith("  - name: ") else more
    harvest = read(f"manufacturer: A\nmodel: {model}\n{more}", "a.yaml")
    assert [row[0] for row in harvest.items] == [kind]
    assert [doubt.code for doubt in harvest.doubts] == (["kind_unknown"] if kind == "other" else [])


def test_the_kind_that_the_importer_says_goes_before_what_the_file_looks_like():
    assert read(files.PDU, "a.yaml", kind="ups").items[0][0] == "ups"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("model: X\n", "not_a_device"),
        ("- a\n- b\n", "not_a_device"),
        ("manufacturer: &m A\nmodel: *m\n", "yaml_alias"),
        ("manufacturer: [A\n", "broken_yaml"),
        ("a: " * 3 + "\n", "broken_yaml"),
        ("manufacturer: A\nmodel: B\nx: " + "[" * 5_000 + "]" * 5_000, "too_deep"),
        ("manufacturer: A\nmodel: B\nx: [" + "1," * 120_000 + "]", "too_many_nodes"),
        ("manufacturer: A\nmodel: PowerEdge\nu_height: 900\n", "out_of_bounds"),
        ("manufacturer: A\nmodel: PowerEdge\nweight: heavy\n", "not_a_number"),
        ("manufacturer: A\nmodel: B\nslug: a b\n", "not_a_slug"),
    ],
)
def test_yaml_that_is_refused(text, code):
    assert [cell.code for cell in read(text, "a.yaml").bad] == [code]


def test_a_tag_of_python_builds_nothing():
    harvest = read("manufacturer: A\nmodel: !!python/object/apply:os.system ['true']\n", "a.yaml")
    assert [cell.code for cell in harvest.bad] == ["not_a_device"]
    assert harvest.items == []


# ── Quotes of suppliers ──────────────────────────────────────────────────────────────────────────────────────────────


def test_u005_rows_of_one_part_with_quantities_are_one_price_with_breaks():
    [gasket, _board] = read(files.QUOTE, terms=TERMS).quotes
    of = dict(zip(QUOTE_COLUMNS, gasket, strict=True))
    assert (of["unit_price"], of["currency"], of["unit"]) == ("1234.5", "EUR", "each")
    assert json.loads(of["breaks"]) == [[10, "1100"]]
    assert (of["supplier"], of["number"], of["kind"], of["quoted_on"]) == ("Acme", "117", "quote", "2026-11-30")


def test_u113_part_numbers_stay_text_with_all_their_zeros():
    found = {spec["part_number"] for spec in specs(read(files.QUOTE, terms=TERMS)).values()}
    assert found == {"90.750", "00367901234567890323"}


def test_a_line_finds_its_item_by_part_number_name_or_slug():
    parts = {"90.750": ("nic", "a-card"), "board": ("switch", "a-board")}
    harvest = read(files.QUOTE, terms=TERMS, parts=parts)
    assert [row[:2] for row in harvest.quotes] == [("nic", "a-card"), ("switch", "a-board")]
    assert (harvest.items, harvest.doubts) == ([], [])


def test_a_line_of_an_unknown_part_is_kept_and_doubted():
    [doubt] = read(files.QUOTE, terms=TERMS).doubts
    assert (doubt.code, doubt.facts["parts"]) == ("parts_unknown", 2)


def test_the_columns_of_a_supplier_are_found_by_their_names_in_either_language():
    assert guessed(["料号", "品名", "单价", "币种", "起订量", "合计"]) == {
        "part_number": "料号",
        "description": "品名",
        "price": "单价",
        "currency": "币种",
        "quantity": "起订量",
    }
    assert guessed(["P/N", "Product", "Unit Price", "Qty"])["price"] == "Unit Price"
    assert all(word == word.lower() for words in SYNONYMS.values() for word in words)


@pytest.mark.parametrize(
    ("written", "plain"),
    [
        ("¥ 41,500.00", "41500.00"),
        ("￥１２", "12"),
        ("(200.00)", "-200.00"),
        ("−5", "-5"),
        ("1234.5 元", "1234.5"),
        ("abc", "abc"),
    ],
)
def test_a_price_as_suppliers_print_it(written, plain):
    assert amount(written, comma=False) == plain


def test_a_negative_amount_is_named_as_such_and_its_row_refused():
    text = "Part,Price,Curr\nA-1,(200.00),USD\n"
    terms = TERMS | {"mapping": {"part_number": "Part", "price": "Price", "currency": "Curr"}}
    assert bad(read(text, terms=terms, format="supplier")) == [(2, "price", "-200.00", "out_of_bounds")]


def test_a_column_that_is_gone_is_named():
    terms = TERMS | {"mapping": files.MAPPING | {"price": "Net"}}
    assert bad(read(files.QUOTE, terms=terms)) == [(3, "Net", "", "missing_column")]


def test_formulas_in_columns_nobody_uses_harm_nobody():
    content = xlsx(["Part", "Price", "Curr", "Total"], ["A-1", 5, "USD", "=B2*2"])
    terms = TERMS | {"mapping": {"part_number": "Part", "price": "Price", "currency": "Curr"}}
    assert bad(read(content, "q.xlsx", terms=terms, format="supplier")) == []


# ── Our own files ────────────────────────────────────────────────────────────────────────────────────────────────────


def test_the_quick_way_of_offers_and_the_long_way_give_the_same_rows():
    harvest = Harvest()
    for _ in own.read({name: delimited(name, (DATA / name).read_bytes()) for name in FORMS}, (), {}, harvest):
        pass
    assert {row[:2]: row for row in harvest.items} == {(i.kind, i.slug): item_row(i) for i in shipped().all_items()}
    assert set(harvest.quotes) == set(map(quote_row, shipped().all_quotes()))


def test_nothing_of_the_shipped_catalog_is_doubted():
    harvest = Harvest()
    for _ in own.read({name: delimited(name, (DATA / name).read_bytes()) for name in FORMS}, (), {}, harvest):
        pass
    assert harvest.doubts == []


def test_a_row_with_a_bad_cell_is_left_out_whole():
    harvest = read(files.OFFERS + files.offer("good") + files.offer("bad", count="0") + files.offer("dear", price="x"))
    assert [row[1] for row in harvest.items] == ["good"]
    assert [row[1] for row in harvest.quotes] == ["good"]
    assert bad(harvest) == [(3, "accelerator_count", "0", "out_of_bounds"), (4, "price_per_hour", "x", "not_a_number")]


def test_an_offer_that_stands_twice_names_the_first_line():
    [cell] = read(files.OFFERS + files.offer() + files.offer()).bad
    assert (cell.line, cell.code, cell.detail) == (3, "duplicate", "2")


@pytest.mark.parametrize("bom", [b"", b"\xef\xbb\xbf"])
def test_u109_both_variants_of_the_byte_order_mark(bom):
    harvest = read(bom + (FX + "USD,CNY,7.1,2026-01,x\n").encode(), "anything.csv")
    assert prices(harvest) == {"usd-cny": ("7.1", "CNY", "USD")}


def test_semicolons_with_decimal_commas():
    harvest = read("base;quote;rate;date;source\r\nUSD;CNY;7,1;2026-01;x\r\nEUR;CNY;1.234,5;2026-01;x\r\n")
    assert [price for price, *_ in prices(harvest).values()] == ["7.1", "1234.5"]


def test_a_point_among_decimal_commas_that_may_divide_thousands_is_refused():
    text = "base;quote;rate;date;source\nUSD;CNY;7,1;2026-01;x\nEUR;CNY;1.234;2026-01;x\n"
    assert bad(read(text)) == [(3, "rate", "1.234", "ambiguous_number")]


def test_semicolons_with_decimal_points():
    assert prices(read("base;quote;rate;date;source\nUSD;CNY;7.1;2026-01;x\n")) == {"usd-cny": ("7.1", "CNY", "USD")}


def test_the_line_by_which_excel_is_told_the_delimiter():
    harvest = read("sep=;\r\nbase;quote;rate;date;source\r\nUSD;CNY;x;2026-01;y\r\n")
    assert bad(harvest) == [(3, "rate", "x", "not_a_number")]


def test_a_workbook_reads_as_the_csv_does():
    content = xlsx(FX.strip().split(","), ["USD", "CNY", 7.1, "2026-01", "央行"], title="fx_rates")
    assert prices(read(content, "rates.xlsx")) == {"usd-cny": ("7.1", "CNY", "USD")}


# ── Files that mean no good ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("content", "code"),
    [
        ("a,b\n".encode("utf-16"), "utf_16"),
        ("a,b\n".encode("utf-16-le"), "utf_16"),
        ("料号,单价\n".encode("gbk"), "not_utf8"),
        (b"", "no_header"),
        (b"\n\n\n", "no_header"),
        (b"," * 100_000 + b"\n", "no_header"),
        (",".join(f"c{n}" for n in range(100_000)).encode(), "too_many_columns"),
        (b'base,quote,rate,date,source\n"USD', "broken_csv"),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "old_workbook"),
        (b"PK\x03\x04garbage", "broken_workbook"),
        (zipped(**{"word__document_xml": "<x/>"}), "not_a_workbook"),
        (zipped(**{"xl__workbook_xml": "<x/>"}), "broken_workbook"),
        (zipped(**{f"xl__{n}": "" for n in range(2_100)}), "too_many_parts"),
    ],
)
def test_a_file_that_is_no_table(content, code):
    assert [cell.code for cell in read(content, format="own").bad] == [code]


def test_too_large_a_file_names_limit_and_size():
    [cell] = read(b"x" * (MAX_BYTES + 1), format="own").bad
    assert (cell.code, cell.high, cell.value) == ("too_large", MAX_BYTES, f"{MAX_BYTES + 1:,}")


def test_a_zip_bomb_is_refused_by_its_table_of_contents():
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
        for n in range(4):
            archive.writestr(f"xl/worksheets/sheet{n}.xml", b"0" * 45_000_000)
    [cell] = read(out.getvalue(), "bomb.xlsx", format="own").bad
    assert (cell.file, cell.code, cell.high, cell.value) == (
        *("bomb.xlsx", "expands_too_far", workbook.MAX_EXPANDED, "180,000,000"),
    )


def test_entities_in_a_workbook_are_refused():
    good = xlsx(FX.strip().split(","), ["USD", "CNY", 7.1, "2026-01", "x"], title="fx_rates")
    laughs = '<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]>'
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(good)) as source, zipfile.ZipFile(out, "w") as archive:
        for part in source.namelist():
            content = source.read(part).decode()
            if part.endswith("sheet1.xml"):
                content = laughs + content[content.index("?>") + 2 :] if "?>" in content else laughs + content
            archive.writestr(part, content)
    [cell] = read(out.getvalue(), "laughs.xlsx", format="own").bad
    assert cell.code == "broken_workbook"


@pytest.mark.parametrize(
    ("value", "code"),
    [("=1+1", "formula"), ("#REF!", "error_cell"), (12345678901234567890, "digits_lost")],
)
def test_a_cell_of_a_workbook_that_is_no_value(value, code):
    content = xlsx(FX.strip().split(","), ["USD", "CNY", value, "2026-01", "x"], title="fx_rates")
    assert [(cell.line, cell.column, cell.code) for cell in read(content, "a.xlsx").bad] == [(2, "rate", code)]


def test_merged_cells_are_refused_with_their_line():
    content = xlsx(FX.strip().split(","), ["USD", "CNY", 7.1, "2026-01", "x"], title="fx_rates", merge="A2:B2")
    found = {(cell.line, cell.code) for cell in read(content, "a.xlsx").bad}
    assert found == {(2, "merged_cells")}


def test_a_merged_title_above_the_table_harms_nobody():
    content = xlsx(["Quote of Acme"], ["Part", "Price", "Curr"], ["A-1", 5, "USD"], merge="A1:C1")
    terms = TERMS | {"mapping": {"part_number": "Part", "price": "Price", "currency": "Curr"}}
    harvest = read(content, "q.xlsx", terms=terms, format="supplier")
    assert (bad(harvest), len(harvest.quotes)) == ([], 1)


def test_a_workbook_too_wide_names_the_limit():
    content = xlsx([f"c{n}" for n in range(MAX_COLUMNS + 1)])
    assert [(cell.code, cell.high) for cell in read(content, "wide.xlsx", format="own").bad] == [
        ("too_many_columns", MAX_COLUMNS)
    ]


def test_a_slice_of_tpus_is_so_many_chips():
    header = "InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n"
    slices = ",tpu-v6e-8,1,21.6,west\n,tpu-v5p-8,1,16.8,west\n,tpu-v5p-12288,1,25804.8,west\n"
    harvest = cloud(header + slices, "gcp")
    found = [(spec["accelerator_slug"], spec["accelerator_count"]) for spec in specs(harvest).values()]
    assert found == [("tpu-v6e", 8), ("tpu-v5p", 4)]
    assert (dict(harvest.left_out), harvest.doubts) == ({"slice_too_large": 1}, [])


def test_accelerators_and_their_machine_in_rows_of_their_own_are_one_offer():
    header = "InstanceType,AcceleratorName,AcceleratorCount,Region,AvailabilityZone,Price,SpotPrice\n"
    rows = (
        "a2-highgpu-8g,,,west,west-a,5.9,2.9\na2-highgpu-8g,,,west,west-b,5.9,2.5\nn1-highmem-8,,,west,west-a,0.5,0.1\n"
    )
    cards = ",A100,8,west,west-a,23.5,9\n,A100,8,west,west-b,23.5,9\n,A100,8,east,east-a,24,9\n"
    harvest = cloud(header + rows + cards, "gcp")
    assert prices(harvest) == {
        "gcp-a2-highgpu-8g-a100-40-sxm-8-west-on-demand": ("29.4", "USD", "instance-hour"),
        "gcp-a2-highgpu-8g-a100-40-sxm-8-west-spot": ("11.5", "USD", "instance-hour"),  # the cheaper zone
        "gcp-accelerators-a100-40-sxm-8-east-on-demand": ("24", "USD", "instance-hour"),
        "gcp-accelerators-a100-40-sxm-8-east-spot": ("9", "USD", "instance-hour"),
    }
    assert [(doubt.code, doubt.facts) for doubt in harvest.doubts] == [("accelerators_alone", {"offers": 2})]
    assert harvest.left_out["no_accelerator"] == 1


def test_more_offers_than_we_take_are_refused(monkeypatch):
    monkeypatch.setattr("catalog.importers.offers.MAX_ROWS", 1_500)
    rows = "".join(files.offer(f"x-{n}") for n in range(2_001))
    assert [cell.code for cell in read(files.OFFERS + rows).bad] == ["too_many_rows"]

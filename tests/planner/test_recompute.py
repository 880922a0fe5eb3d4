"""A script that has nothing but the JSON of a tree recomputes each figure: nothing of the program is used for that."""

import ast
import copy
import itertools
import json
import math
from decimal import ROUND_HALF_UP, Decimal
from io import StringIO

import pytest
from django.core.management import CommandError, call_command

from planner.services import documents, explain, gallery

NEAR = 1e-9


def trees(capsys, scenario, *plans, figures=()):
    """What `manage.py explain` prints, as data."""
    chosen = [f"--plan={plan}" for plan in plans] + [f"--figure={figure}" for figure in figures]
    call_command("explain", scenario, *chosen, "--format=json", stdout=StringIO())
    return json.loads(capsys.readouterr().out)


# ── The script ───────────────────────────────────────────────────────────────────────────────────────────────────────


def half_up(amount, decimals):
    amount = round(amount, 8)  # a half that binary fractions put a hair below is still a half
    return float(Decimal(repr(amount)).quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP))


def arithmetic(expression, names):
    """+ − × ÷, max, ceil: all that an expression may hold."""
    allowed = (
        ast.Expression,
        ast.BinOp,
        ast.Add,
        ast.Sub,
        ast.Mult,
        ast.Div,
        ast.Constant,
        ast.Name,
        ast.Load,
        ast.Call,
    )
    tree = ast.parse(expression, mode="eval")
    assert all(isinstance(node, allowed) for node in ast.walk(tree)), expression
    functions = {"max": max, "ceil": lambda value: math.ceil(value - NEAR)}
    return eval(compile(tree, "", "eval"), {"__builtins__": {}}, {**functions, **names})


class Script:
    """Recomputes a tree from its leaves; `failures` names what came out otherwise, `checked` counts the rest."""

    def __init__(self, tree):
        self.currency, self.decimals = tree["currency"], tree["decimals"]
        self.failures, self.checked = [], 0
        self.root = self.node(tree)

    def node(self, node):
        """The value of a node from what stands below it; of a leaf, its own."""
        parts = [self.node(child) for child in node["children"]]
        below = {child["key"]: part for child, part in zip(node["children"], parts, strict=True)}
        for beside in node["related"]:
            self.node(beside)
        if node["source"] and node["source"].get("price"):
            self.price(node)
        if node["value"] is None:
            return None
        made = []
        if node["combine"] == "sum" and parts:
            made.append(sum(parts))
        if node["combine"] == "quotient":
            made.append(parts[0] / parts[1])
        if node["combine"] == "least":
            made.append(min(part for part in parts if part is not None))
        if node["combine"] in ("rate", "payback"):
            [series] = node["children"]
            made.append((self.rate if node["combine"] == "rate" else self.payback)(series["months"], node["value"]))
        if node["expression"]:
            made.append(arithmetic(node["expression"], {**below, **node["inputs"]}))
        if node["months"]:
            made.append(self.months(node))
        for value in made:
            self.check(node["key"], value, node["value"], node["unit"] == self.currency)
        return node["value"]

    def months(self, node):
        money = node["unit"] == self.currency
        total = 0.0
        for cell in node["months"]:
            if "terms" not in cell:
                total += cell["value"]
                continue
            amount = math.prod(cell["terms"])
            self.check(f"{node['key']} {cell['label']}: terms", amount, cell["quantity"] * cell["unit_price"], False)
            if money:
                amount = node["inputs"]["sign"] * half_up(amount, self.decimals)
                self.check(f"{node['key']} {cell['label']}: amount", abs(amount), abs(cell["amount"]), True)
            total += amount * cell.get("discount", 1.0)
        return total

    def rate(self, cells, told):
        """The yearly rate at which the amounts are worth 0, by halving; of several the one that is told."""

        def worth(rate):
            return sum(cell["amount"] * (1 + rate) ** (-cell["month"] / 12) for cell in cells)

        grid = [math.expm1(step / 50) for step in range(-1000, 400)]
        roots = []
        for low, high in itertools.pairwise(grid):
            if worth(low) * worth(high) < 0:
                for _ in range(80):
                    middle = (low + high) / 2
                    low, high = (middle, high) if worth(low) * worth(middle) > 0 else (low, middle)
                roots.append((low + high) / 2)
        return min(roots, key=lambda root: abs(root - told))

    def payback(self, cells, _told):
        """The month from which the running sum of the values stays above 0."""
        total, back = 0.0, 0.0
        for cell in cells:
            before, total = total, total + cell["value"]
            if before < 0 <= total:
                back = cell["month"] - 1 - before / cell["value"]
        return back if total >= 0 else None

    def price(self, node):
        """Today's price of one from the price as quoted, its exchange rate and the tax inside it."""
        quoted = node["source"]["price"]
        today = node["inputs"].get("price_today", node["inputs"].get("tariff_today"))
        assert quoted["record"], node["key"]
        if today is not None and node["key"].split(":")[1] not in ("card_extra",):
            made = quoted["amount"] * quoted["rate"] / (1 + quoted["tax_included"])
            per_gpu = round(made / today) if today and "cloud" in node["key"] else 1  # an instance of several GPUs
            self.check(f"{node['key']}: price", made, today * per_gpu, False)

    def check(self, what, made, told, money):
        near = math.isclose(made, told, rel_tol=NEAR, abs_tol=10.0**-self.decimals * 1.0001 if money else NEAR)
        self.checked += 1
        if not near:
            self.failures.append((what, made, told))


# ── Its runs ─────────────────────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("template", gallery.templates())
def test_u011_each_figure_of_every_plan_is_recomputed_from_the_json_alone(template, capsys):
    found = trees(capsys, template)
    assert {tree["kpi"] for tree in found} == set(explain.KPIS)
    for tree in found:
        script = Script(tree)
        assert script.failures == [], (tree["plan"], tree["kpi"])
    assert sum(Script(tree).checked for tree in found) > 500


PEAK = {"name": "peak", "hours": "8-20", "price_per_kwh": 0.3}
BILLED = {
    "basis": "energy_only",
    "periods": [PEAK],
    "demand": [{"name": "peak", "price_per_kw": 12.0}],
    "tiers": [{"from_kwh": 1000, "adds_per_kwh": 0.02}],
    "fixed_per_month": 50.0,
    "capacity_kw": 20,
    "capacity_price_per_kw": 3.0,
}
HALL = {
    "price_per_kw_month": 180.0,
    "power_included": False,
    "setup_fee": 1000.0,
    "redundant_feed_per_month": 200.0,
    "remote_hands_hours": 3.0,
    "committed_kw": 30.0,
}
DATA = {"reserved_share": 0.5, "spot_share": 0.3, "egress_tb_per_month": 5.0, "stored_tb": 20.0}
CARE = [{"slug": "care", "name": "Care", "renewal_month": 12}, {"slug": "fee", "fee_per_server_year": 900.0}]
YEARLY = [{"slug": "suite", "item": "nvidia-ai-enterprise"}, {"slug": "level", "item": "mlps-2-assessment"}]
NETWORKS = {"when": "always", "storage_network": True, "in_band": True, "out_of_band": True, "ufm": True}
PAID_LATER = {"on_order": 0.3, "on_delivery": 0.5, "retention": 0.1, "covers": "all_orders"}
# What a scenario may agree on, in whichever parts of it → codes of lines that it brings.
AGREED = {
    "loan": (
        {"financing": {"kind": "loan", "share": 0.8}},
        {"finance": {"payment": PAID_LATER}},
        {"interest", "payment_terms"},
    ),
    "lease": ({"financing": {"kind": "lease", "term_months": 24}}, {"finance": {"after_tax": True}}, {"rent"}),
    "own repairs": (
        {},
        {"reliability": {"after_warranty": "own_repair", "warranty_years": 1}},
        {"repair_gpus", "repair_servers", "repair_labour"},
    ),
    "tariff": ({}, {"site": {"tariff": BILLED, "electricity_price_per_kwh": 0.12}}, {"tier", "capacity"}),
    "hall": ({}, {"site": {"kind": "colocation", "colocation": HALL}}, {"colocation_setup", "redundant_feed"}),
    "networks": (
        {"fabric": NETWORKS},
        {"market": {"own_prices": {"ufm-enterprise-ndr": 25_000.0}}},
        {"manager", "storage_switch", "oob_link"},
    ),
    "cloud": ({"overflow": {"accelerator": "h200-sxm", **DATA}}, {}, {"reserved", "spot"}),
    "contracts": ({}, {"operations": {"contracts": CARE}}, {"contract"}),
    "licences": ({}, {"operations": {"subscriptions": YEARLY}}, {"licence", "assessment"}),
}


def agreed(plans, more):
    """The template of a small team, or of a lab with a cluster, agreeing on something in every plan that has such a
    part, and in its first room."""
    document = copy.deepcopy(documents.named("driving-lab" if "fabric" in plans else "small-team"))
    document["plans"] = [
        {**plan, **{part: terms for part, terms in plans.items() if part in plan or part == "financing"}}
        for plan in document["plans"]
    ]
    document["sites"][0] |= more.get("site", {})
    for part in more.keys() - {"site"}:
        document[part] = {**document.get(part, {}), **more[part]}
    return document


@pytest.mark.parametrize("name", AGREED)
def test_u011_what_contracts_add_is_recomputed_too(name, capsys, tmp_path):
    plans, more, codes = AGREED[name]
    path = tmp_path / "scenario.json"
    path.write_text(json.dumps(agreed(plans, more), default=str))
    found = trees(capsys, str(path), figures=["present_value", "capex", "opex", "cost_per_useful_gpu_hour"])
    there = {node["key"].split(":")[1] for tree in found for node in explain.walk(tree) if ":" in node["key"]}
    assert codes <= there
    for tree in found:
        assert Script(tree).failures == [], (tree["plan"], tree["kpi"])


def by_month(node, amounts):
    """Adds the nominal cells of all lines below a node to a list, by month."""
    for each in explain.walk(node):
        if each["inputs"].get("sign") is not None:
            for cell in each["months"]:
                amounts[cell["month"]] += cell["value"]


def test_what_a_dearer_start_earns_rests_on_the_lines_of_both_plans_month_by_month(capsys):
    for tree in trees(capsys, "small-team", figures=["irr"]):
        [series] = tree["children"]
        amounts = [0.0] * 60
        for side in series["children"]:
            by_month(side, amounts)
        assert amounts == pytest.approx([cell["amount"] for cell in series["months"]], abs=0.001)
        assert tree["combine"] == ("" if tree["value"] is None else "rate")


def test_a_changed_cash_flow_is_noticed(capsys):
    found = trees(capsys, "small-team", "server-now", figures=["irr", "payback", "discounted_payback"])
    assert [Script(tree).failures for tree in found] == [[], [], []]
    for tree in found:
        for cell in tree["children"][0]["months"]:
            cell["amount"] -= 1000.0
            cell["value"] -= 1000.0
        assert tree["value"] is None or Script(tree).failures


def test_a_changed_price_is_noticed(capsys):
    [tree] = trees(capsys, "small-team", "scale-out", figures=["capex"])
    line = next(node for node in explain.walk(tree) if node["months"])
    line["months"][0]["terms"][-1] *= 1.001
    assert Script(tree).failures


def test_u011_a_tree_says_record_rate_with_its_day_and_engine(capsys):
    found = trees(capsys, "small-team", "scale-out", figures=["present_value"])[0]
    assert found["engine_version"]
    assert found["prices_sha256"]
    line = next(node for node in explain.walk(found) if node["key"].startswith("capex.accelerators_and_servers:server"))
    price = line["source"]["price"]
    assert {"record", "amount", "currency", "rate", "rate_dated", "dated", "valid_until", "number", "url"} <= set(price)
    assert price["record"]
    assert line["inputs"]["price_today"] == price["amount"] * price["rate"]


def test_the_text_names_formula_source_and_assumption(capsys):
    call_command("explain", "small-team", "--plan=scale-out", "--figure=capex", stdout=StringIO())
    text = capsys.readouterr().out.replace("\u00a0", " ")
    assert "= servers × today's price × price path: 1 server × $173,600.00" in text
    assert "[plans/scale-out/start/build]" in text


def test_an_unknown_plan_is_refused_with_those_there_are():
    with pytest.raises(CommandError, match="no plan nobody; the plans are scale-out, server-now, cluster-now, cloud"):
        call_command("explain", "small-team", "--plan=nobody")

"""How a case is read and compared, whatever its family: tolerances, declared faults, inputs that nobody reads."""

import pytest

from planner.engine.quantities import InputError
from planner.engine.validation import FAMILIES
from planner.engine.validation import SOLVERS as SOLVERS_OF_ALL
from planner.engine.validation.base import Leading, compare

SOLVERS = {
    "box": lambda i: {
        "area": lambda: i.number("width") * i.number("height"),
        "volume": lambda: i.number("width") * i.number("height") * i.number("depth"),
        "sides": lambda: Leading([i.number("width"), i.number("height")]),
    }
}


def answer(expected, inputs=None, **case):
    inputs = {"width": 3, "height": {"value": 4, "unit": "m"}} if inputs is None else inputs
    return compare({"id": "a", "kind": "box", "inputs": inputs, "expected": expected, **case}, SOLVERS)


def status(expected, **case):
    return [found.status for found in answer(expected, **case)]


@pytest.mark.parametrize(
    ("entry", "expected"),
    [
        ({"value": 12.6, "tolerance_rel": 0.05}, "ok"),
        ({"value": 12.7, "tolerance_rel": 0.05}, "off"),
        ({"value": 12, "tolerance_rel": 0}, "ok"),
        ({"value": 12.00001, "tolerance_rel": 0}, "off"),
        ({"value": 12.00001}, "ok"),
        ({"value": 12.0001}, "off"),
        (12, "ok"),
        (12.004, "off"),  # no half cent outside the hand-worked cases
        ("12", "off"),
        ([12], "off"),
    ],
)
def test_a_relative_tolerance_is_of_the_expected_value(entry, expected):
    assert status({"area": entry}) == [expected]


@pytest.mark.parametrize(("value", "expected"), [(12.1, "ok"), (11.9, "ok"), (12.11, "off")])
def test_a_tolerance_beside_the_fields_is_absolute(value, expected):
    assert status({"area": value}, tol={"area": 0.1}) == [expected]


def test_a_fault_that_the_source_declares_is_named_and_only_where_we_differ():
    found = answer({"area": 13}, known_mismatch={"area": "the table adds one"})[0]
    assert (found.status, found.note, found.got) == ("declared", "the table adds one", 12)
    assert status({"area": 12}, known_mismatch={"area": "the table adds one"}) == ["ok"]
    assert status({"area": 13}, known_mismatch={"volume": "another"}) == ["off"]


def test_a_series_may_be_printed_in_part():
    assert status({"sides": [3]}) == ["ok"]
    assert status({"sides": [4]}) == ["off"]


def test_a_field_or_a_kind_that_nobody_knows_is_unsupported():
    assert status({"weight": 1, "area": 12}) == ["unsupported", "ok"]
    found = compare({"id": "a", "kind": "ball", "inputs": {}, "expected": {"x": {"value": 2, "unit": "m"}}}, SOLVERS)
    assert [(one.status, one.expected, one.got) for one in found] == [("unsupported", 2, None)]


def refusal(expected, **case):
    with pytest.raises(InputError) as error:
        answer(expected, **case)
    return [("/".join(problem.path), problem.code) for problem in error.value.problems]


def test_an_input_that_only_another_field_needs_may_be_absent():
    assert refusal({"volume": 24}) == [("inputs/depth", "missing")]


def test_an_input_that_nobody_reads_is_refused_by_name():
    inputs = {"width": 3, "height": 4, "colour": "red", "depht": 2}
    assert refusal({"area": 12}, inputs=inputs) == [
        ("inputs/colour", "unknown_field"),
        ("inputs/depht", "unknown_field"),
    ]


@pytest.mark.parametrize("value", ["3", None, True, float("nan"), [3], {"value": "3"}])
def test_a_number_must_be_one(value):
    assert refusal({"area": 12}, inputs={"width": value, "height": 4}) == [("inputs/width", "not_a_number")]


@pytest.mark.parametrize("tolerance", [-1, "5%", float("inf")])
def test_a_tolerance_must_be_a_number(tolerance):
    assert refusal({"area": {"value": 12, "tolerance_rel": tolerance}}) == [("tolerance_rel", "not_a_number")]
    assert refusal({"area": 12}, tol={"area": tolerance}) == [("tol", "not_a_number")]


def test_a_tolerance_that_everything_meets_is_refused():
    assert status({"area": {"value": 24, "tolerance_rel": 1.0}}) == ["ok"]
    for more in ({"area": {"value": 1, "tolerance_rel": 1e99}}, {"area": {"value": 1, "tolerance_rel": 1.01}}):
        assert refusal(more) == [("tolerance_rel", "out_of_bounds")]
    assert refusal({"area": 12}, tolerance_rel=2) == [("tolerance_rel", "out_of_bounds")]


READ = {"read": lambda i: {name: lambda name=name: i[name] for name in i.names()}}


def read_input(name, value, unit):
    case = {"id": "a", "kind": "read", "inputs": {name: {"value": value, "unit": unit}}, "expected": {name: value}}
    return compare(case, READ)[0].got


@pytest.mark.parametrize(
    ("name", "value", "unit", "expected"),
    [
        ("volts", 0.12, "kV", 120.0),
        ("supply_v", 120, "V", 120),
        ("loads_kw", [500, 1500], "W", [0.5, 1.5]),
        ("tokens", 15, "Mtoken", 15e6),
        ("capex_usd", 2, "MUSD", 2e6),
        ("capex_usd", 2, "USD (Dec 2024)", 2),
        ("rack_kg", 100, "lb", 45.359237),
        ("gpu_hours", 7, "A100-h", 7),
        ("server_kw_per_chip", 1.2, "kW", 1.2),
        ("gpus", 8, "A100", 8),
    ],
)
def test_a_stated_unit_is_converted_to_that_of_the_name(name, value, unit, expected):
    assert read_input(name, value, unit) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("name", "unit"),
    [
        ("volts", "kW"),
        ("volts", "kv"),
        ("watts", "horse"),
        ("gpus", "kV"),
        ("shine", "kV"),
        ("input_tokens", "Mtoken"),
        ("share", "%"),
        ("kw", "kWh"),
        ("capex_usd", "EUR"),
    ],
)
def test_a_stated_unit_that_does_not_fit_is_refused_by_name(name, unit):
    with pytest.raises(InputError, match=f"inputs/{name}: not_a_choice"):
        read_input(name, 120, unit)


def test_no_two_families_claim_a_kind():
    kinds = [kind for family in FAMILIES for kind in family.SOLVERS]
    assert len(kinds) == len(set(kinds))
    assert set(kinds) <= set(SOLVERS_OF_ALL)


@pytest.mark.parametrize(
    ("entry", "more", "expected"),
    [
        ({"value": 12.4, "tolerance_abs": 0.5}, {}, "ok"),
        ({"value": 12.6, "tolerance_abs": 0.5}, {}, "off"),
        (12.5, {"tolerance_rel": 0.05}, "ok"),
        ({"value": 12.5, "tolerance_rel": 0.01}, {"tolerance_rel": 0.05}, "off"),  # the field's own counts
        ({"value": 12.1}, {"tol": {"area": 0.1}}, "ok"),
    ],
)
def test_a_tolerance_is_of_the_field_else_of_the_case(entry, more, expected):
    assert status({"area": entry}, **more) == [expected]


@pytest.mark.parametrize("value", [float("nan"), float("inf"), {"value": float("nan")}, [1.0, float("nan")]])
def test_what_a_case_expects_must_be_a_number(value):
    with pytest.raises(InputError, match="expected/area: not_a_number"):
        answer({"area": value})


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"expected": None}, "expected: missing"),
        ({"expected": {}}, "expected: missing"),
        ({"expected": [1]}, "expected: bad_format"),
        ({"kind": None}, "kind: missing"),
        ({"kind": ["box"]}, "kind: bad_format"),
        ({"inputs": [1]}, "inputs: missing"),
        ({"tol": [1]}, "tol: bad_format"),
    ],
)
def test_a_case_without_its_parts_is_refused(change, named):
    case = {"id": "a", "kind": "box", "inputs": {"width": 3, "height": 4}, "expected": {"area": 12}}
    with pytest.raises(InputError) as error:
        compare({**case, **change}, SOLVERS)
    assert str(error.value).startswith(named)


def test_a_refused_number_is_named_with_value_bound_and_unit():
    case = {"id": "a", "kind": "box", "inputs": {"width": -3, "height": 4}, "expected": {"area": 12}}
    with pytest.raises(InputError, match=r"inputs/width: out_of_bounds, got -3 \(bounds 0.0–1e\+30\)"):
        compare(case, SOLVERS, signed=False)
    assert compare({**case, "expected": {"area": -12}}, SOLVERS)[0].status == "ok"


def test_a_division_by_zero_names_the_input_that_is_zero():
    solvers = {"share": lambda i: {"each": lambda: i.number("all") / i.number("heads")}}
    case = {"id": "a", "kind": "share", "inputs": {"all": 3, "heads": 0}, "expected": {"each": 1}}
    with pytest.raises(InputError, match="inputs/heads: not_positive, got 0"):
        compare(case, solvers)


def test_a_field_that_is_not_asked_for_may_be_impossible():
    solvers = {"share": lambda i: {"all": lambda: i.number("all"), "each": lambda: i.number("all") / i.number("heads")}}
    case = {"id": "a", "kind": "share", "inputs": {"all": 3, "heads": 0}, "expected": {"all": 3}}
    assert compare(case, solvers)[0].status == "ok"

"""Arithmetic a node may carry: + − × ÷ over names and numbers, max, min and ceil. Nothing else is computed."""

import ast
import math
import operator
from collections.abc import Callable, Iterable, Mapping

OPERATORS: dict[type, Callable[[float, float], float]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: operator.mul,
    ast.Div: operator.truediv,
}
SLACK = 1e-9  # under a whole number that a sum of binary fractions has missed by a hair
FUNCTIONS: dict[str, Callable[..., float]] = {
    "max": max,
    "min": min,
    "ceil": lambda value: float(math.ceil(value - SLACK)),
}


def compute(expression: str, inputs: Mapping[str, float]) -> float:
    """The value of an expression; raises KeyError for an unknown name, ValueError for anything but arithmetic."""

    def value(node: ast.AST) -> float:
        match node:
            case ast.Expression(body=body):
                return value(body)
            case ast.Constant(value=int() | float() as number) if not isinstance(number, bool):
                return float(number)
            case ast.Name(id=name):
                return float(inputs[name])
            case ast.BinOp(left=left, op=op, right=right) if type(op) in OPERATORS:
                return OPERATORS[type(op)](value(left), value(right))
            case ast.Call(func=ast.Name(id=name), args=args, keywords=[]) if name in FUNCTIONS:
                return float(FUNCTIONS[name](*(value(each) for each in args)))
        raise ValueError(f"no arithmetic: {ast.unparse(node)}")

    return value(ast.parse(expression, mode="eval"))


def reproducing(rules: Iterable[str], inputs: Mapping[str, float], wanted: float) -> str:
    """The first rule that gives a figure; "" where none does, as with a model that grows."""
    for rule in rules:
        try:
            if math.isclose(compute(rule, inputs), wanted, rel_tol=SLACK, abs_tol=SLACK):
                return rule
        except (KeyError, ZeroDivisionError, OverflowError):  # a factor that this work does not have, or infinite GPUs
            continue
    return ""

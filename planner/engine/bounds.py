"""Refusing impossible numbers: a formula's error names field, value, bound and unit, as a document's does."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from planner.engine.quantities import InputError, Problem

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]

#: What a broadcasting function returns: a number where every argument was one, else an array.
Values = Any


def refusal(field: str, value: float, low: float, high: float = math.inf, unit: str = "1") -> InputError:
    """The error for one value outside its bounds, or none at all."""
    if not math.isfinite(value):
        return InputError(Problem((field,), "not_a_number", value, low, high if math.isfinite(high) else None, unit))
    return InputError(Problem((field,), "out_of_bounds", value, low, high if math.isfinite(high) else None, unit))


def not_a_choice(field: str, value: Any, choices: tuple[str, ...]) -> InputError:
    """The error for a code that is none of the known ones."""
    return InputError(Problem((field,), "not_a_choice", value, choices=choices))


def within(field: str, value: npt.ArrayLike, low: float, high: float = math.inf, unit: str = "1") -> FloatArray:
    """Return `value` as a float64 array of its own shape; raise InputError on NaN, infinity or a value outside."""
    array = np.asarray(value, dtype=np.float64)
    bad = ~((array >= low) & (array <= high) & np.isfinite(array))
    if bad.any():
        raise refusal(field, float(array[bad].flat[0]), low, high, unit)
    return array


def above(field: str, value: npt.ArrayLike, high: float = math.inf, unit: str = "1") -> FloatArray:
    """Like `within`, for what divides: zero and less are refused."""
    array = within(field, value, 0.0, high, unit)
    if not array.all():
        raise InputError(Problem((field,), "not_positive", 0.0, unit=unit))
    return array


def whole(field: str, value: npt.ArrayLike, low: int = 0, high: float = math.inf, unit: str = "1") -> IntArray:
    """Like `within`, for counts: a fraction is refused too, never rounded."""
    array = within(field, value, low, high, unit)
    fraction = array != np.floor(array)
    if fraction.any():
        raise InputError(Problem((field,), "not_whole", float(array[fraction].flat[0]), unit=unit))
    return array.astype(np.int64)


def unboxed(array: Any) -> Values:
    """A 0-d array as the Python number, truth value or string it holds; any other array as it is."""
    array = np.asarray(array)
    return array.item() if array.ndim == 0 else array

"""Checks on arguments: each returns the value in its clean form, or raises ``ValueError``.

A message names the argument, the value that was given and what is allowed.
"""

import difflib
import math
from collections.abc import Collection, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

FloatArray = npt.NDArray[np.float64]


def integer(name: str, value: Any, *, at_least: int) -> int:
    """Return ``value`` as an int that is at least ``at_least``."""
    if isinstance(value, (bool, np.bool_)) or not isinstance(value, (int, np.integer)):
        raise ValueError(f"{name}={value!r}: must be an integer of at least {at_least}")
    if value < at_least:
        raise ValueError(f"{name}={value}: must be at least {at_least}")
    return int(value)


def boolean(name: str, value: Any) -> bool:
    """Return ``value`` if it is True or False, not merely something that counts as one of them."""
    if isinstance(value, (bool, np.bool_)):
        return bool(value)
    raise ValueError(f"{name}={value!r}: must be True or False")


def number(
    name: str, value: Any, *, above: float | None = None, at_least: float | None = None
) -> float:
    """Return ``value`` as a finite float, above or at least the given bound."""
    allowed = "a finite number"
    if above is not None:
        allowed += f" above {above:g}"
    if at_least is not None:
        allowed += f" of at least {at_least:g}"
    real = isinstance(value, (int, float, np.integer, np.floating))
    try:
        finite = real and not isinstance(value, bool) and math.isfinite(value)
    except OverflowError:  # an integer beyond every float
        finite = False
    if not finite:
        raise ValueError(f"{name}={value!r}: must be {allowed}")
    too_small = (above is not None and value <= above) or (
        at_least is not None and value < at_least
    )
    if too_small:
        raise ValueError(f"{name}={value}: must be {allowed}")
    return float(value)


def even_dim(dim: Any, *, name: str = "dim") -> int:
    """Return ``dim`` as an even int of at least 2: dimensions come in pairs."""
    width = integer(name, dim, at_least=2)
    if width % 2:
        raise ValueError(
            f"{name}={width}: must be even, since dimensions come in pairs; "
            f"use {width - 1} or {width + 1}"
        )
    return width


def choice(name: str, value: Any, known: Collection[str]) -> str:
    """Return ``value`` if it is one of the known names."""
    if isinstance(value, str) and value in known:
        return value
    raise ValueError(f"{name}={value!r}: must be one of {', '.join(map(repr, known))}")


def nearest(key: str, known: Collection[str]) -> str | None:
    """Return the known name that is spelled most like ``key``, if any is close."""
    matches = difflib.get_close_matches(key, known, n=1)
    return matches[0] if matches else None


def entry(mapping: Mapping[str, Any], key: str, *, name: str) -> Any:
    """Return ``mapping[key]``, or say that ``name`` lacks it and what it holds."""
    if key in mapping:
        return mapping[key]
    held = ", ".join(map(repr, mapping)) or "nothing"
    raise ValueError(f"{name} has no {key!r}: add it (it holds {held})")


def full_array(name: str, value: Any) -> npt.NDArray[Any]:
    """Return ``value`` as an array of any dtype; its rows must be equally long."""
    try:
        return np.asarray(value)
    except ValueError:
        raise ValueError(f"{name}={value!r}: rows differ in length; give a full array") from None


def real_array(name: str, value: Any, *, finite: bool = True) -> FloatArray:
    """Return ``value`` as a float64 array of real numbers of any shape, finite unless allowed."""
    array = full_array(name, value)
    if array.dtype.kind not in "iuf":
        raise ValueError(f"{name} has dtype {array.dtype}: must hold real numbers")
    array = array.astype(np.float64, copy=False)
    if finite and not np.isfinite(array).all():
        bad = array[~np.isfinite(array)].flat[0]
        raise ValueError(f"{name} holds {bad}: every entry must be finite")
    return array


def factors(name: str, value: Any) -> FloatArray:
    """Return ``value`` as real numbers that can divide: all above 0."""
    array = real_array(name, value)
    if (array <= 0).any():
        raise ValueError(f"{name} holds {array.min():g}: every factor must be above 0")
    return array


def broadcasts(name: str, value: npt.NDArray[Any], scores: npt.NDArray[Any]) -> None:
    """Raise unless ``value`` can stand beside ``scores``, whose last two axes are m and n."""
    try:
        np.broadcast_shapes(value.shape, scores.shape)
    except ValueError:
        raise ValueError(
            f"{name} has shape {value.shape}: must fit the scores, {scores.shape}, which are "
            "(..., m, n)"
        ) from None


def leading_axes(**arrays: npt.NDArray[Any]) -> None:
    """Raise unless the axes before the last two of the arrays fit each other."""
    try:
        np.broadcast_shapes(*(array.shape[:-2] for array in arrays.values()))
    except ValueError:
        shapes = ", ".join(f"{name} {array.shape}" for name, array in arrays.items())
        raise ValueError(f"{shapes}: axes before the last two must be equal, or 1") from None


def positions(value: Any, *, name: str = "positions") -> FloatArray:
    """Return positions in float64, whatever integer or float type they came in."""
    return real_array(name, value)


def float_dtype(dtype: Any) -> np.dtype[Any]:
    """Return ``dtype`` if it is a real floating type: a phase never fits an integer."""
    try:
        result: np.dtype[Any] = np.dtype(dtype)
    except TypeError:
        raise ValueError(
            f"dtype={dtype!r}: must be a floating type such as numpy.float32"
        ) from None
    if result.kind != "f":
        raise ValueError(f"dtype={result}: must be a floating type such as numpy.float32")
    return result


def frequencies(value: Any, *, name: str = "inv_freq") -> FloatArray:
    """Return the frequencies of at least one pair: one axis, none negative (0 does not turn)."""
    array = real_array(name, value)
    if array.ndim != 1 or not array.size:
        raise ValueError(f"{name} has shape {array.shape}: must be (dim/2,), one number a pair")
    if (array < 0).any():
        raise ValueError(
            f"{name} holds {array.min()}: must be at least 0; negate the positions to turn back"
        )
    return array


def whole_numbers(name: str, value: Any) -> npt.NDArray[np.int64]:
    """Return ``value`` as int64: integers, or floats that hold whole numbers."""
    array = real_array(name, value)
    bad = array[(array != np.rint(array)) | (np.abs(array) > 2.0**53)]
    if bad.size:
        raise ValueError(f"{name} holds {bad[0]}: every entry must be a whole number within 2^53")
    return array.astype(np.int64)


def table(name: str, value: Any) -> npt.NDArray[Any]:
    """Return ``value`` as rows of numbers in its own floating type (integers become float64)."""
    array = real_array(name, value)
    if array.ndim != 2 or not array.size:
        raise ValueError(
            f"{name} has shape {array.shape}: must be (rows, width), neither of them 0"
        )
    own = np.asarray(value)
    return own if own.dtype.kind == "f" else array

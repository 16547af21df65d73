"""Rotary encoding: every pair of a query or key is turned by the angle of its position."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.frequencies import FloatArray

__all__ = ["apply_rope", "rope_cos_sin", "rotation_matrix", "to_half", "to_interleaved"]

Layout = Literal["half", "interleaved"]
LAYOUTS = ("half", "interleaved")


def rope_cos_sin(
    positions: npt.ArrayLike,
    inv_freq: npt.ArrayLike,
    *,
    attention_factor: float = 1.0,
    dtype: npt.DTypeLike = np.float32,
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the cosine and sine of every pair's angle at every position."""
    dtype = validate.float_dtype(dtype)
    factor = validate.number("attention_factor", attention_factor, above=0)
    phase = validate.positions(positions)[..., None] * validate.frequencies(inv_freq)
    return (factor * np.cos(phase)).astype(dtype), (factor * np.sin(phase)).astype(dtype)


def apply_rope(
    x: npt.ArrayLike, cos: npt.ArrayLike, sin: npt.ArrayLike, *, layout: Layout
) -> npt.NDArray[Any]:
    """Return queries or keys with every pair turned by its position's angle."""
    validate.choice("layout", layout, LAYOUTS)
    x, cos, sin = np.asarray(x), np.asarray(cos), np.asarray(sin)
    cos, sin = _aligned(x, cos, sin)
    if x.dtype.kind != "f":
        x = x.astype(cos.dtype)
    work = np.result_type(x, cos, sin, np.float32)
    half = cos.shape[-1]
    first, second = (
        (slice(0, half), slice(half, 2 * half))
        if layout == "half"
        else (slice(0, 2 * half, 2), slice(1, 2 * half, 2))
    )
    a, b = x[..., first].astype(work), x[..., second].astype(work)
    result = x.copy()
    result[..., first] = a * cos - b * sin
    result[..., second] = a * sin + b * cos
    return result


def _aligned(
    x: npt.NDArray[Any], cos: npt.NDArray[Any], sin: npt.NDArray[Any]
) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Return the tables with the axes of x that they do not have, just before the positions."""
    if cos.shape != sin.shape:
        raise ValueError(f"cos has shape {cos.shape}, sin {sin.shape}: must be equal")
    if x.ndim < 1 or cos.ndim < 1 or cos.shape[-1] * 2 > x.shape[-1]:
        raise ValueError(
            f"cos has shape {cos.shape} and x {x.shape}: tables have half the width of what they "
            "turn, at most half of x's last axis"
        )
    if cos.shape[-2:-1] != x.shape[-2:-1]:
        raise ValueError(
            f"cos has shape {cos.shape} and x {x.shape}: axis -2 of both must be the positions; "
            "move x's positions next to the last axis, for example with numpy.swapaxes(x, -3, -2)"
        )
    lead = cos.shape[:-2]
    if len(lead) > x.ndim - 2 or any(t not in (1, a) for t, a in zip(lead, x.shape, strict=False)):
        raise ValueError(
            f"cos has shape {cos.shape} and x {x.shape}: the leading axes of the tables must be "
            "those that x begins with, or 1"
        )
    new = (*lead, *(1,) * (x.ndim - cos.ndim), *cos.shape[-2:])
    return cos.reshape(new), sin.reshape(new)


def rotation_matrix(
    position: npt.ArrayLike, inv_freq: npt.ArrayLike, *, layout: Layout
) -> FloatArray:
    """Return the rotation of one position as a block-diagonal matrix."""
    validate.choice("layout", layout, LAYOUTS)
    frequencies = validate.frequencies(inv_freq)
    phase = validate.positions(position, name="position")[..., None] * frequencies
    half = frequencies.size
    i = np.arange(half)
    a, b = (i, i + half) if layout == "half" else (2 * i, 2 * i + 1)
    matrix = np.zeros((*phase.shape[:-1], 2 * half, 2 * half))
    matrix[..., a, a] = matrix[..., b, b] = np.cos(phase)
    matrix[..., a, b] = -np.sin(phase)
    matrix[..., b, a] = np.sin(phase)
    return matrix


def to_half(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the last axis reordered from interleaved pairs to halves."""
    x = np.asarray(x)
    return np.concatenate([x[..., 0::2], x[..., 1::2]], axis=-1)


def to_interleaved(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the last axis reordered from halves to interleaved pairs."""
    x = np.asarray(x)
    half = x.shape[-1] // 2
    return np.stack([x[..., :half], x[..., half:]], axis=-1).reshape(x.shape)

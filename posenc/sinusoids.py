"""Sinusoidal encoding: the hands of all clocks, added to the input."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.frequencies import FloatArray, inv_freq

__all__ = ["shift_matrix", "sinusoidal"]

Layout = Literal["interleaved", "concat"]


def sinusoidal(
    positions: npt.ArrayLike,
    dim: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    dtype: npt.DTypeLike = np.float32,
) -> npt.NDArray[Any]:
    """Return the sinusoidal encoding of every position."""
    validate.choice("layout", layout, ("interleaved", "concat"))
    dtype = validate.float_dtype(dtype)
    phase = validate.positions(positions)[..., None] * inv_freq(dim, base=base)
    result = np.empty((*phase.shape[:-1], dim), dtype)
    sines, cosines = (
        (slice(0, None, 2), slice(1, None, 2))
        if layout == "interleaved"
        else (slice(0, dim // 2), slice(dim // 2, None))
    )
    result[..., sines] = np.sin(phase)
    result[..., cosines] = np.cos(phase)
    return result


def shift_matrix(
    offset: npt.ArrayLike, inv_freq: npt.ArrayLike, *, layout: Layout = "interleaved"
) -> FloatArray:
    """Return the matrix that moves every sinusoidal code by an offset."""
    validate.choice("layout", layout, ("interleaved", "concat"))
    frequencies = validate.frequencies(inv_freq)
    phase = validate.positions(offset, name="offset")[..., None] * frequencies
    half = frequencies.size
    i = np.arange(half)
    s, c = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + half)
    matrix = np.zeros((*phase.shape[:-1], 2 * half, 2 * half))
    matrix[..., s, s] = matrix[..., c, c] = np.cos(phase)
    matrix[..., s, c] = np.sin(phase)
    matrix[..., c, s] = -np.sin(phase)
    return matrix

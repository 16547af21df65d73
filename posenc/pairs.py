"""A pair of dimensions as one point of a circle: r e^(i w p).

Whole turns change nothing, so only the fraction of a turn is kept, from a product that carries
what rounding cuts off: the result is exact to rounding at any position up to 2^53. Runs of
consecutive positions then need few sines: e^(i w (p+k)) = e^(i w p) e^(i w k) makes every block of
rows from its first row and one table of offsets.
"""

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc.validate import FloatArray

ComplexArray = npt.NDArray[np.complex128]

# 1 / (2 pi) and what float64 cuts off it.
TURNS_PER_RADIAN = (0.15915494309189535, -9.839338337591243e-18)

# Complex numbers in a block: two blocks stay in the processor's cache.
BLOCK = 2**15


def members(layout: str, pairs: int) -> tuple[slice, slice]:
    """Return where the first and the second numbers of all pairs stand in the last axis."""
    if layout == "interleaved":
        return slice(0, 2 * pairs, 2), slice(1, 2 * pairs, 2)
    return slice(0, pairs), slice(pairs, 2 * pairs)


def points(
    positions: FloatArray, frequencies: FloatArray, *, rest: Any = 0.0, radius: complex = 1.0
) -> ComplexArray:
    """Return r e^(i w p), shape ``(..., pairs)``; ``rest`` is what float64 cuts off w."""
    per_position, cut = _product(frequencies, np.float64(TURNS_PER_RADIAN[0]))
    cut += frequencies * TURNS_PER_RADIAN[1] + rest * TURNS_PER_RADIAN[0]
    positions = positions[..., None]
    turns, fraction = _product(positions, per_position)
    fraction += positions * cut
    fraction += turns - np.rint(turns)
    fraction *= 2 * np.pi
    result = np.empty(fraction.shape, np.complex128)
    np.cos(fraction, out=result.real)
    np.sin(fraction, out=result.imag)
    return np.multiply(result, radius, out=result)


def point_blocks(
    positions: FloatArray, frequencies: FloatArray, *, rest: Any = 0.0, radius: complex = 1.0
) -> Iterator[tuple[slice, ComplexArray]]:
    """Yield the points in blocks of the flattened positions; a block lives until the next."""
    positions = positions.ravel()
    size = max(1, min(math.isqrt(positions.size), BLOCK // frequencies.size))
    first = np.arange(0, positions.size, size)
    offset = np.arange(size, dtype=np.float64)
    run = (positions[first, None] + offset).ravel()[: positions.size]
    # Between whole numbers within 2^53 the sum is exact; others would be rounded.
    whole = (positions[first] % 1 == 0) & (np.abs(positions[first]) <= 2.0**53 - size)
    consecutive = np.logical_and.reduceat(positions == run, first) & whole
    starts = iter(points(positions[first[consecutive]], frequencies, rest=rest, radius=radius))
    offsets = points(offset, frequencies, rest=rest)
    block = np.empty_like(offsets)
    for start, by_addition in zip(first.tolist(), consecutive, strict=True):
        rows = slice(start, min(start + size, positions.size))
        if by_addition:
            length = rows.stop - start
            yield rows, np.multiply(offsets[:length], next(starts), out=block[:length])
        else:
            yield rows, points(positions[rows], frequencies, rest=rest, radius=radius)


def rotation(turn: ComplexArray, layout: str) -> FloatArray:
    """Return the block-diagonal matrix that multiplies every pair, a + i b, by its ``turn``."""
    pairs = turn.shape[-1]
    a, b = (np.arange(2 * pairs)[where] for where in members(layout, pairs))
    matrix = np.zeros((*turn.shape[:-1], 2 * pairs, 2 * pairs))
    matrix[..., a, a] = matrix[..., b, b] = turn.real
    matrix[..., a, b] = -turn.imag
    matrix[..., b, a] = turn.imag
    return matrix


def _product(a: Any, b: Any) -> tuple[Any, Any]:
    """Return a b in float64 and what rounding cut off (Dekker 1971)."""
    product = a * b
    a_high, b_high = _upper_half(a), _upper_half(b)
    a_low, b_low = a - a_high, b - b_high
    return product, (a_high * b_high - product) + a_high * b_low + a_low * b_high + a_low * b_low


def _upper_half(a: Any) -> Any:
    """Return ``a`` with the lower 27 of its 53 bits cut off, so that products are exact."""
    return (a.view(np.int64) & -(2**27)).view(np.float64)

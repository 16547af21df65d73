"""Sinusoidal encoding: where the hands of all clocks stand, added to the input."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.frequencies import inv_freq, rounding
from posenc.pairs import point_blocks, points, rotation
from posenc.validate import FloatArray

__all__ = ["shift_matrix", "sinusoidal"]

Layout = Literal["interleaved", "concat"]
LAYOUTS = ("interleaved", "concat")


def sinusoidal(
    positions: npt.ArrayLike,
    dim: int,
    *,
    base: float = 10000.0,
    layout: Layout = "interleaved",
    dtype: npt.DTypeLike = np.float32,
) -> npt.NDArray[Any]:
    """Return the sinusoidal code of every position.

    ::

        PE(p)[2i]   = sin(w_i p)
        PE(p)[2i+1] = cos(w_i p),   w_i = base^(-2i/d)

    ``positions`` of shape ``(..., n)``, integer or float, negative too, give shape ``(..., n, d)``.
    ``layout="concat"`` moves the same columns: all sines, then all cosines. The code is computed
    in float64 and rounded once, to ``dtype``; the dtype of the positions does not matter. Runs of
    consecutive positions are made by angle addition, which is faster than a sine for each entry.

    Raises ``ValueError`` if ``dim`` is odd or below 2, ``base`` is not a finite number above 1,
    a position is not finite, ``layout`` is unknown, or ``dtype`` is not a floating type.

    >>> sinusoidal([3, 4], 4).round(2).tolist() == [
    ...     [np.float32(v) for v in row]
    ...     for row in [[0.14, -0.99, 0.03, 1.0], [-0.76, -0.65, 0.04, 1.0]]
    ... ]
    True

    Source: Vaswani et al. 2017, section 3.5.
    """
    validate.choice("layout", layout, LAYOUTS)
    result_dtype = validate.float_dtype(dtype)
    p = validate.positions(positions)
    w = inv_freq(dim, base=base)
    codes = np.empty((p.size, 2 * w.size), result_dtype)
    # i e^(-i a) = sin a + i cos a: in memory, complex numbers are interleaved pairs.
    for rows, point in point_blocks(p, -w, rest=-rounding(w, base), radius=1j):
        if layout == "interleaved":
            codes[rows] = point.view(np.float64)
        else:
            codes[rows, : w.size], codes[rows, w.size :] = point.real, point.imag
    return codes.reshape(*p.shape, 2 * w.size)


def shift_matrix(
    offset: npt.ArrayLike, inv_freq: npt.ArrayLike, *, layout: Layout = "interleaved"
) -> FloatArray:
    """Return the matrix that shifts every sinusoidal code by the same offset.

    ::

        PE(p + k) = R(k) PE(p),   R(k) has on each pair (sin, cos) the block

            [  cos(w_i k)  sin(w_i k) ]
            [ -sin(w_i k)  cos(w_i k) ]

    ``offset`` k in positions, of any shape ``(...)``, gives float64 of shape ``(..., d, d)`` with
    d twice the number of frequencies. Raises ``ValueError`` if an offset is not finite, a frequency
    is negative or not finite, or ``layout`` is unknown.

    >>> three, seven = sinusoidal([3, 7], 4, dtype=np.float64)
    >>> bool(np.allclose(shift_matrix(4, inv_freq(4)) @ three, seven, rtol=0, atol=1e-15))
    True

    Source: Vaswani et al. 2017, section 3.5 (stated); the block follows from the addition theorem.
    """
    validate.choice("layout", layout, LAYOUTS)
    k = validate.positions(offset, name="offset")
    return rotation(points(k, validate.frequencies(inv_freq)).conj(), layout)

"""Learned encoding: a table with one row a position, and an end."""

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.relative import IntArray
from posenc.validate import FloatArray

__all__ = ["lookup", "positions_from_mask", "resize"]

METHODS = ("linear", "repeat", "hierarchical")

# The weight of the coarse digit in the hierarchical decomposition, as Su's article suggests.
ALPHA = 0.4


def lookup(table: npt.ArrayLike, positions: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the row of every position.

    ::

        PE(p) = table[p],   p = 0 .. rows - 1

    ``table`` has shape ``(rows, d)``; positions of shape ``(..., n)`` give ``(..., n, d)`` in the
    table's dtype. Raises ``IndexError`` if a position is outside the table (a negative one does not
    count from the end), ``ValueError`` if one is not a whole number or the table has another shape.

    >>> lookup([[0.0, 0.5], [1.0, 1.5]], [1, 0]).tolist()
    [[1.0, 1.5], [0.0, 0.5]]

    Source: Gehring et al. 2017, section 3.1.
    """
    rows = validate.table("table", table)
    p = validate.whole_numbers("positions", positions)
    outside = p[(p < 0) | (p >= len(rows))]
    if outside.size:
        raise IndexError(
            f"position {outside[0]}: the table has {len(rows)} rows, for positions 0 to "
            f"{len(rows) - 1}; shorten the text or make rows with resize"
        )
    return np.take(rows, p, axis=0)


def resize(
    table: npt.ArrayLike,
    length: int,
    *,
    method: Literal["linear", "repeat", "hierarchical"] = "linear",
) -> npt.NDArray[Any]:
    """Return a table of another length, made from the rows of the given one.

    ::

        linear         new[p] = (1 - f) table[i] + f table[i + 1]
                       i + f  = p (rows - 1) / (length - 1)
        repeat         new[p] = table[p mod rows]
        hierarchical   new[p] = a u[p // rows] + (1 - a) u[p mod rows],   a = 0.4
                       u[i]   = (table[i] - a table[0]) / (1 - a)

    ``linear`` stretches the table over the new length: its first and last row stay at the ends, and
    the rows between move. ``repeat`` and ``hierarchical`` leave every row where it is.
    ``hierarchical`` reads a position as a number of two digits in base ``rows`` and gives each
    digit a vector of one family ``u``, chosen so that the first ``rows`` positions come out
    unchanged. It reaches ``rows^2`` positions. The two weights must differ: with ``a = 1/2`` the
    positions of digits ``(i, j)`` and ``(j, i)`` would be the same.

    Shape ``(length, d)``, in the table's dtype; computed in float64. The new rows are a start for
    tuning, not a trained table. Raises ``ValueError`` if ``length`` is below 1 (above ``rows^2`` if
    hierarchical), ``method`` is unknown or the table has another shape.

    >>> resize([[0.0], [2.0]], 3).tolist()
    [[0.0], [1.0], [2.0]]
    >>> resize([[0.0], [2.0]], 3, method="repeat").tolist()
    [[0.0], [2.0], [0.0]]

    Source: linear, Dosovitskiy et al. 2021, section 3.2 (in two dimensions); repeat, Beltagy et al.
    2020 (Longformer), section 5; hierarchical, Su 2020 (kexue.fm/archives/7947).
    """
    rows = validate.table("table", table)
    length = validate.integer("length", length, at_least=1)
    validate.choice("method", method, METHODS)
    exact = rows.astype(np.float64)
    p = np.arange(length)
    new: FloatArray
    if method == "linear":
        place = p * (len(rows) - 1) / max(length - 1, 1)
        i = np.minimum(place.astype(np.int64), max(len(rows) - 2, 0))
        f = (place - i)[:, None]
        new = (1 - f) * exact[i] + f * exact[np.minimum(i + 1, len(rows) - 1)]
    elif method == "repeat":
        new = exact[p % len(rows)]
    else:
        if length > len(rows) ** 2:
            raise ValueError(
                f"length={length}: two digits in base {len(rows)} reach {len(rows) ** 2} positions"
            )
        u = (exact - ALPHA * exact[0]) / (1 - ALPHA)
        new = ALPHA * u[p // len(rows)] + (1 - ALPHA) * u[p % len(rows)]
    return new.astype(rows.dtype)


def positions_from_mask(mask: npt.ArrayLike, *, padding_idx: int | None = None) -> IntArray:
    """Return the position of every token, counted over real tokens alone.

    ::

        p_t = max(c_t mask_t - 1, 0),         c_t = mask_0 + .. + mask_t
        p_t = padding_idx + c_t mask_t        if padding_idx is given

    ``mask`` is 1 (or True) for a real token and 0 for padding, shape ``(..., n)``, and so is the
    result. Padding gets position 0, and the first real token too, on whichever side the padding
    stands. With ``padding_idx`` positions are those of fairseq's and RoBERTa's tables: padding gets
    the row ``padding_idx``, real tokens the rows after it, so a table for n tokens needs
    ``n + padding_idx + 1`` rows. Raises ``ValueError`` if the mask holds anything but 0 and 1, or
    ``padding_idx`` is negative.

    >>> positions_from_mask([0, 0, 1, 1, 1]).tolist()
    [0, 0, 0, 1, 2]
    >>> positions_from_mask([1, 1, 0, 0], padding_idx=1).tolist()
    [2, 3, 1, 1]

    Source: ``make_positions`` of fairseq for the second form.
    """
    real = np.asarray(mask)
    if real.dtype != np.bool_:
        real = validate.whole_numbers("mask", real)
        bad = real[(real != 0) & (real != 1)]
        if bad.size:
            raise ValueError(f"mask holds {bad[0]}: must be 1 for a real token and 0 for padding")
    if real.ndim == 0:
        raise ValueError("mask is a single number: must be (..., n), one entry a token")
    counted: IntArray = np.cumsum(real, axis=-1, dtype=np.int64) * real
    if padding_idx is None:
        return np.maximum(counted - 1, 0)
    return counted + validate.integer("padding_idx", padding_idx, at_least=0)

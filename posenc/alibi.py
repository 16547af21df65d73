"""ALiBi: attention with linear biases, a penalty that grows with distance."""

from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.relative import diagonal_offsets, diagonal_view
from posenc.validate import FloatArray

__all__ = ["alibi_bias", "alibi_slopes"]


def alibi_slopes(num_heads: int) -> FloatArray:
    """Return the slope of every head, per position of distance.

    ::

        m_h = 2^(-8h/n),   h = 1 .. n            n = num_heads, a power of two

    For another number of heads, the slopes of the largest power of two ``p`` below it come first,
    then the 1st, 3rd, 5th, .. slope of ``2p`` heads. That is what the authors' code does and what
    models are trained with; the paper's text applies the formula to every ``n`` and disagrees
    (40 heads: largest slope 0.917004 in the code, 0.870551 by the formula). We follow the code.

    Shape ``(num_heads,)``, float64. Raises ``ValueError`` if ``num_heads`` is below 1.

    >>> alibi_slopes(4).tolist()
    [0.25, 0.0625, 0.015625, 0.00390625]
    >>> alibi_slopes(3).tolist()
    [0.0625, 0.00390625, 0.25]

    Source: Press et al. 2022, section 3, and ``get_slopes`` of their code.
    """
    n = validate.integer("num_heads", num_heads, at_least=1)
    p = 1 << (n.bit_length() - 1)
    first = np.exp2(-8 * np.arange(1, p + 1) / p)
    between = np.exp2(-8 * np.arange(1, 2 * p, 2) / (2 * p))
    return np.concatenate([first, between[: n - p]])


def alibi_bias(
    num_heads: int, q_len: int, k_len: int, *, dtype: npt.DTypeLike = np.float32
) -> npt.NDArray[Any]:
    """Return the ALiBi bias of every head, query and key.

    ::

        bias[head, i, j] = -slope_head |n - m|

    It is added to the scores after their division by sqrt(d). The queries are the last ``q_len`` of
    ``k_len`` positions. The distance is symmetric: without a causal mask, a key before the query
    and one as far after it get the same bias.

    Shape ``(num_heads, q_len, k_len)``, in units of the score; a read-only view of
    ``q_len + k_len - 1`` numbers a head, computed in float64 and rounded once to ``dtype``. Raises
    ``ValueError`` if a number is below 1, ``k_len`` is below ``q_len`` or ``dtype`` is not a
    floating type.

    >>> alibi_bias(2, 2, 3)[0].tolist()
    [[-0.0625, 0.0, -0.0625], [-0.125, -0.0625, 0.0]]

    Source: Press et al. 2022, section 3.
    """
    dtype = validate.float_dtype(dtype)
    nearness = 0.0 - np.abs(diagonal_offsets(q_len, k_len))  # 0.0, not -0.0, at distance 0
    slopes = alibi_slopes(num_heads)[:, None]
    bias = np.empty((slopes.size, nearness.size), dtype)
    np.multiply(slopes, nearness, out=bias, casting="same_kind")  # each product rounded once
    return diagonal_view(bias, q_len, k_len)

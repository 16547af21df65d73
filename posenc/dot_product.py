"""Scaled dot-product attention, the one operation of a transformer that mixes tokens."""

from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate

__all__ = ["attention", "attention_weights", "causal_mask", "softmax"]

FloatArray = npt.NDArray[np.float64]


def softmax(x: npt.ArrayLike, *, axis: int = -1) -> FloatArray:
    """Return positive numbers that sum to 1 along an axis, in the proportions ``exp(x)``.

    ::

        softmax(x)_j = exp(x_j) / sum_l exp(x_l)

    Any shape ``(..., n)``; the result is float64 of the same shape. Minus infinity gets the
    weight 0. Raises ``ValueError`` if an entry is not a number or plus infinity, or if every entry
    of a row is minus infinity.

    >>> softmax([0.0, 0.0, -np.inf]).tolist()
    [0.5, 0.5, 0.0]

    Source: Vaswani et al. 2017, equation 1.
    """
    x = validate.real_array("x", x, finite=False)
    if not x.size:
        raise ValueError(f"x has shape {x.shape}: a softmax needs at least one entry")
    largest = x.max(axis=axis, keepdims=True)
    if not np.isfinite(largest).all():
        bad = largest[~np.isfinite(largest)].flat[0]
        raise ValueError(f"x has a row whose largest entry is {bad}: it must be finite")
    e = np.exp(x - largest)  # the same proportions, and nothing overflows
    return np.asarray(e / e.sum(axis=axis, keepdims=True))


def causal_mask(q_len: int, k_len: int | None = None) -> npt.NDArray[np.bool_]:
    """Return which keys each query may see: those at its own position and before.

    ::

        mask[i, j] = (j <= i + k_len - q_len)

    Shape ``(q_len, k_len)``; True means visible; ``k_len`` is ``q_len`` unless given. The queries
    are the last ``q_len`` of the ``k_len`` positions. Raises ``ValueError`` if a length is below 1
    or ``k_len`` is below ``q_len``.

    >>> causal_mask(2, 3).tolist()
    [[True, True, False], [True, True, True]]

    Source: Vaswani et al. 2017, section 3.2.3.
    """
    q_len = validate.integer("q_len", q_len, at_least=1)
    k_len = q_len if k_len is None else validate.integer("k_len", k_len, at_least=q_len)
    return np.tri(q_len, k_len, k_len - q_len, dtype=np.bool_)


def attention_weights(
    q: npt.ArrayLike, k: npt.ArrayLike, *, mask: Any = None, bias: Any = None
) -> FloatArray:
    """Return how much of each key's value each query takes.

    ::

        A = softmax(q k^T / sqrt(d) + bias),   0 where mask is False

    Shapes: ``q`` ``(..., m, d)``, ``k`` ``(..., n, d)``, result ``(..., m, n)``, float64. ``mask``
    (boolean, True means visible) and ``bias`` (added after the division) are anything that
    broadcasts to the result; a bias of minus infinity hides a key as the mask does. Raises
    ``ValueError`` if shapes do not fit or a query sees no key.

    >>> attention_weights([[1.0, 0.0]], [[0.0, 1.0], [0.0, -1.0]]).tolist()
    [[0.5, 0.5]]

    Source: Vaswani et al. 2017, equation 1.
    """
    q, k = validate.real_array("q", q), validate.real_array("k", k)
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1] or not (q.size and k.size):
        raise ValueError(
            f"q {q.shape} and k {k.shape}: must be (..., m, d) and (..., n, d) with the same d, "
            "none of them 0"
        )
    validate.leading_axes(q=q, k=k)
    with np.errstate(over="ignore", invalid="ignore"):
        scores = q @ k.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    if not np.isfinite(scores).all():
        raise ValueError("q and k: their products are too large for float64; scale them down")
    if bias is not None:
        bias = validate.real_array("bias", bias, finite=False)
        if not (bias < np.inf).all():
            bad = bias[~(bias < np.inf)].flat[0]
            raise ValueError(f"bias holds {bad}: every entry must be finite or minus infinity")
        validate.broadcasts("bias", bias, scores)
        scores = scores + bias
    if mask is not None:
        mask = np.asarray(mask)
        if mask.dtype != np.bool_:
            raise ValueError(f"mask has dtype {mask.dtype}: must be boolean, True for visible")
        validate.broadcasts("mask", mask, scores)
        scores = np.where(mask, scores, -np.inf)
    if np.isneginf(scores.max(axis=-1)).any():
        raise ValueError("mask and bias hide every key from some query: leave it at least one")
    return softmax(scores)


def attention(
    q: npt.ArrayLike, k: npt.ArrayLike, v: npt.ArrayLike, *, mask: Any = None, bias: Any = None
) -> FloatArray:
    """Return scaled dot-product attention: for each query, a weighted mean of the values.

    ::

        Attn(q, k, v) = softmax(q k^T / sqrt(d) + bias) v

    Shapes: ``q`` ``(..., m, d)``, ``k`` ``(..., n, d)``, ``v`` ``(..., n, e)``, result
    ``(..., m, e)``, float64. ``mask`` and ``bias`` as in ``attention_weights``. Raises
    ``ValueError`` if shapes do not fit or a query sees no key.

    >>> attention([[0.0]], [[1.0], [2.0]], [[10.0], [20.0]]).tolist()
    [[15.0]]

    Source: Vaswani et al. 2017, equation 1.
    """
    weights = attention_weights(q, k, mask=mask, bias=bias)
    v = validate.real_array("v", v)
    if v.ndim < 2 or v.shape[-2] != weights.shape[-1]:
        raise ValueError(
            f"v {v.shape}: must be (..., {weights.shape[-1]}, e), one value for each key"
        )
    validate.leading_axes(weights=weights, v=v)
    return np.asarray(weights @ v)

"""Schemes: the three doors by which position can enter a score.

One head compares the contents of two tokens, ``x`` of the query's and ``y`` of the key's, vectors
of width d at positions m and n. A scheme is three functions, one a door::

    embed(x, positions)                 the input: what the token's vector becomes
    rotate(q, positions)                the query or key: what enters the dot product
    bias(q, q_positions, k_positions)   the score: what is added after the division by sqrt(d)

and the score is ::

    q = rotate(embed(x, m), m)
    k = rotate(M embed(y, n), n)
    score = q . k / sqrt(d) + bias(q, m, n)

In a model, projections stand between the first two doors, q = W_q embed(x) and k = W_k embed(y).
Only their product ``M = W_q^T W_k`` matters to an unrotated score, so one side carries all of it.
It is the identity unless given; then the queries and keys handed to ``scores`` are the contents
themselves. A door that a scheme does not use is the identity, or a bias of zero. ``bias`` sees the
query as it enters the dot product, since Shaw's bias depends on it; the others ignore it.

Shapes: contents ``(..., n, d)``; positions ``(n,)``, or with leading axes, which are those that the
contents begin with (a batch). A scheme with several heads (ALiBi, T5) takes axis -3 for the heads:
its bias has shape ``(heads, m, n)``, and so have the scores of contents without such an axis. A
batch then has shape ``(batch, 1, n, d)``, or ``(batch, heads, n, d)``.
Everything is float64. A new scheme is one function that returns a ``Scheme``.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.alibi import alibi_slopes
from posenc.frequencies import inv_freq
from posenc.learned import lookup
from posenc.relative import shaw_index, t5_bucket, t5_table
from posenc.rope import Layout, apply_rope, rope_cos_sin
from posenc.sinusoids import sinusoidal
from posenc.validate import FloatArray

__all__ = [
    "Scheme",
    "alibi_scheme",
    "learned_scheme",
    "none",
    "rope_scheme",
    "scores",
    "shaw_scheme",
    "sinusoidal_scheme",
    "t5_scheme",
]

Array = npt.NDArray[Any]


def unchanged(x: Array, positions: Array) -> Array:
    """Return x: the door is shut."""
    return x


def no_bias(q: Array, q_positions: Array, k_positions: Array) -> Array:
    """Return a bias of zero for every query and key."""
    return np.zeros((np.shape(q_positions)[-1], np.shape(k_positions)[-1]))


@dataclass(frozen=True)
class Scheme:
    """A scheme: its name and what it does at each of the three doors.

    ``embed(x, positions)`` and ``rotate(x, positions)`` take and return ``(..., n, d)``;
    ``bias(q, q_positions, k_positions)`` takes ``(..., m, d)`` and returns what broadcasts to
    ``(..., m, n)``. A door left out is shut.

    >>> no_past = Scheme("step", bias=lambda q, m, n: 1.0 * (n[..., None, :] > m[..., :, None]))
    >>> scores(no_past, [[0.0]], [[0.0], [0.0]], [0], [0, 1]).tolist()
    [[0.0, 1.0]]
    """

    name: str
    embed: Callable[[Array, Array], Array] = unchanged
    rotate: Callable[[Array, Array], Array] = unchanged
    bias: Callable[[Array, Array, Array], Array] = no_bias


def none() -> Scheme:
    """Return the scheme without positions: all three doors shut.

    >>> scores(none(), [[1.0]], [[2.0]], [0], [5]).tolist()
    [[2.0]]

    Source: Haviv et al. 2022, where it is called NoPos; Kazemnejad et al. 2023 (NoPE).
    """
    return Scheme("none")


def sinusoidal_scheme(dim: int, *, base: float = 10000.0) -> Scheme:
    """Return the scheme that adds the sinusoidal encoding to the input.

    ::

        embed(x, p) = x + PE(p)

    ``dim`` is the width d of the contents. Raises ``ValueError`` if it is odd or below 2.

    >>> sinusoidal_scheme(4).embed(np.zeros((1, 4)), [0]).tolist()
    [[0.0, 1.0, 0.0, 1.0]]

    Source: Vaswani et al. 2017, section 3.5.
    """
    inv_freq(dim, base=base)  # a bad width is refused now, not when the scheme is used

    def embed(x: Array, positions: Array) -> Array:
        return _add(x, sinusoidal(positions, dim, base=base, dtype=np.float64))

    return Scheme("sinusoidal", embed=embed)


def learned_scheme(table: npt.ArrayLike) -> Scheme:
    """Return the scheme that adds a row of a table to the input.

    ::

        embed(x, p) = x + table[p]

    ``table`` has shape ``(rows, d)``. Raises ``ValueError`` if it has not; the scheme's ``embed``
    raises ``IndexError`` for a position outside the table.

    >>> learned_scheme([[1.0, 2.0]]).embed(np.zeros((1, 2)), [0]).tolist()
    [[1.0, 2.0]]

    Source: Gehring et al. 2017, section 3.1.
    """
    rows = validate.table("table", table).astype(np.float64)
    return Scheme("learned", embed=lambda x, positions: _add(x, lookup(rows, positions)))


def rope_scheme(dim: int, *, base: float = 10000.0, layout: Layout = "half") -> Scheme:
    """Return the scheme that rotates query and key.

    ::

        rotate(q, p) = R(p) q

    ``dim`` is the rotated width, at most the width d of the contents. Queries and keys are rotated
    alike here, so no layouts can be mixed; which dimensions make a pair still decides what a given
    query scores. Raises ``ValueError`` if ``dim`` is odd or below 2 or ``layout`` is unknown.

    >>> rope_scheme(2).rotate(np.array([[1.0, 0.0]]), [0.5]).round(4).tolist()
    [[0.8776, 0.4794]]

    Source: Su et al. 2021, equation 34.
    """
    frequencies = inv_freq(dim, base=base)
    validate.choice("layout", layout, ("half", "interleaved"))

    def rotate(x: Array, positions: Array) -> Array:
        cos, sin = rope_cos_sin(positions, frequencies, dtype=np.float64)
        return apply_rope(x, cos, sin, layout=layout)

    return Scheme("rope", rotate=rotate)


def alibi_scheme(heads: int) -> Scheme:
    """Return the scheme that subtracts a slope times the distance, one slope a head.

    ::

        bias[head] = -slope_head |n - m|

    Raises ``ValueError`` if ``heads`` is below 1.

    >>> scores(alibi_scheme(2), [[0.0]], [[0.0]], [3], [0]).tolist()
    [[[-0.1875]], [[-0.01171875]]]

    Source: Press et al. 2022, section 3.
    """
    slopes = alibi_slopes(validate.integer("heads", heads, at_least=1))[:, None, None]
    return Scheme("alibi", bias=lambda q, m, n: -slopes * np.abs(_relative(m, n, len(slopes))))


def t5_scheme(
    table: npt.ArrayLike, *, bidirectional: bool = True, max_distance: int = 128
) -> Scheme:
    """Return the scheme that adds a learned number for each bucket of relative positions.

    ::

        bias[head] = table[bucket(n - m), head]

    ``table`` has shape ``(num_buckets, heads)``. T5 itself does not divide its scores by sqrt(d);
    ``scores`` does, for all schemes alike. Raises ``ValueError`` as ``t5_bias`` does.

    >>> scores(t5_scheme([[0.0], [1.0], [2.0], [3.0]]), [[0.0]], [[0.0]], [3], [0]).tolist()
    [[[1.0]]]

    Source: Raffel et al. 2020, section 2.1.
    """
    rows = t5_table(table, bidirectional).astype(np.float64)
    heads = np.arange(rows.shape[1])[:, None, None]

    def bias(q: Array, q_positions: Array, k_positions: Array) -> Array:
        bucket = t5_bucket(
            _relative(q_positions, k_positions, len(heads)),
            bidirectional=bidirectional,
            num_buckets=len(rows),
            max_distance=max_distance,
        )
        return rows[bucket, heads]

    bias(np.zeros((1, 1)), np.zeros(1), np.zeros(1))  # a bad table is refused now, not when used
    return Scheme("t5", bias=bias)


def shaw_scheme(table: npt.ArrayLike) -> Scheme:
    """Return the scheme that adds the query's product with a vector for each clipped offset.

    ::

        bias = q . a[clip(n - m, -k, k) + k] / sqrt(d)

    ``table`` holds the vectors a, shape ``(2k + 1, d)``, one table for all heads. Of Shaw's two
    terms this is the one in the score; the other, added to the values, does not pass these doors.
    Raises ``ValueError`` if the number of rows is even or below 3; the scheme's ``bias`` raises it
    for a query of another width.

    >>> scores(shaw_scheme([[5.0], [0.0], [7.0]]), [[2.0]], [[0.0], [0.0]], [4], [0, 9]).tolist()
    [[10.0, 14.0]]

    Source: Shaw et al. 2018, equation 4.
    """
    rows = validate.table("table", table).astype(np.float64)
    if len(rows) < 3 or len(rows) % 2 == 0:
        raise ValueError(
            f"table has {len(rows)} rows: must be 2k + 1, one for each offset from -k to k, k >= 1"
        )

    def bias(q: Array, q_positions: Array, k_positions: Array) -> Array:
        _same_width("q", q, rows)
        index = shaw_index(_relative(q_positions, k_positions), len(rows) // 2)
        products = q @ rows.T
        axes = max(products.ndim, index.ndim)
        products = products.reshape((1,) * (axes - products.ndim) + products.shape)
        index = index.reshape((1,) * (axes - index.ndim) + index.shape)
        return np.divide(np.take_along_axis(products, index, axis=-1), np.sqrt(q.shape[-1]))

    return Scheme("shaw", bias=bias)


def scores(
    scheme: Scheme,
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    q_positions: npt.ArrayLike,
    k_positions: npt.ArrayLike,
    *,
    weights: npt.ArrayLike | None = None,
) -> FloatArray:
    """Return the scores of contents at given positions under a scheme, before any softmax.

    ::

        score = rotate(embed(q, m), m) . rotate(M embed(k, n), n) / sqrt(d) + bias(q', m, n)

    where q' is the query as it enters the product, and ``M`` is ``weights``, shape ``(d, d)``, or
    the identity. ``q`` has shape ``(..., m, d)`` and ``k`` ``(..., n, d)``; the result has shape
    ``(..., m, n)``, with an axis for the heads before these two if the scheme has heads; float64.
    A batch of contents leaves that axis free: ``(batch, 1, n, d)``. Raises ``ValueError`` if shapes
    do not fit or a position is not finite, and what the scheme raises (``IndexError`` past the end
    of a table).

    >>> scores(rope_scheme(2), [[1.0, 0.0]], [[1.0, 0.0]], [8], [7]).round(4).tolist()
    [[0.3821]]

    Source: Vaswani et al. 2017, equation 1, before its softmax.
    """
    if not isinstance(scheme, Scheme):
        raise ValueError(f"scheme={scheme!r}: must be a Scheme, as rope_scheme(64) makes one")
    q, k = validate.real_array("q", q), validate.real_array("k", k)
    if q.ndim < 2 or k.ndim < 2 or q.shape[-1] != k.shape[-1]:
        raise ValueError(
            f"q has shape {q.shape}, k {k.shape}: must be (..., m, d) and (..., n, d), the same d"
        )
    validate.leading_axes(q=q, k=k)
    m, n = _beside(q, "q", q_positions), _beside(k, "k", k_positions)
    query, key = scheme.embed(q, m), scheme.embed(k, n)
    if weights is not None:
        matrix = validate.real_array("weights", weights)
        if matrix.shape != 2 * q.shape[-1:]:
            raise ValueError(f"weights has shape {matrix.shape}: must be {2 * q.shape[-1:]}")
        key = key @ matrix.T
    query, key = scheme.rotate(query, m), scheme.rotate(key, n)
    product = query @ key.swapaxes(-1, -2) / np.sqrt(q.shape[-1])
    bias = np.asarray(scheme.bias(query, m, n))
    if bias.ndim > 2:
        _leaves_heads(product.shape, bias.shape[-3])
    return np.asarray(product + bias, dtype=np.float64)


def _relative(q_positions: Array, k_positions: Array, heads: int = 1) -> FloatArray:
    """Return key minus query for every query and key, with axis -3 left to heads if there are."""
    m = validate.positions(q_positions, name="q_positions")
    n = validate.positions(k_positions, name="k_positions")
    relative = np.subtract(n[..., None, :], m[..., :, None])
    if heads > 1:
        _leaves_heads(relative.shape, heads)
    return relative


def _leaves_heads(shape: tuple[int, ...], heads: int) -> None:
    """Raise unless axis -3 is free for the heads or holds them."""
    if len(shape) > 2 and heads > 1 and shape[-3] not in (1, heads):
        raise ValueError(
            f"contents have {shape[-3]} entries along axis -3, the scheme has {heads} heads: "
            "give a batch of contents as (batch, 1, n, d)"
        )


def _same_width(name: str, x: Array, code: Array) -> None:
    """Raise unless x is as wide as the scheme's vectors."""
    if np.shape(x)[-1:] != code.shape[-1:]:
        raise ValueError(
            f"{name} has shape {np.shape(x)}: the scheme's vectors have width {code.shape[-1]}"
        )


def _add(x: Array, code: Array) -> Array:
    """Return x plus the code of its positions."""
    _same_width("x", x, code)
    return np.asarray(x + code)


def _beside(x: FloatArray, name: str, positions: npt.ArrayLike) -> FloatArray:
    """Return positions with the leading axes of x that they lack, just before the last."""
    p = validate.positions(positions, name=f"{name}_positions")
    lead = p.shape[:-1]
    if (
        p.shape[-1:] != x.shape[-2:-1]
        or p.ndim > x.ndim - 1
        or any(a not in (1, b) for a, b in zip(lead, x.shape, strict=False))
    ):
        raise ValueError(
            f"{name}_positions has shape {p.shape}, {name} {x.shape}: must be ({x.shape[-2]},), or "
            f"have leading axes that {name} begins with"
        )
    return p.reshape(*lead, *(1,) * (x.ndim - 1 - p.ndim), p.shape[-1])

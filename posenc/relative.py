"""Relative position: a bias that depends on key minus query, and so on one diagonal only."""

import bisect
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate

__all__ = [
    "diagonal_offsets",
    "diagonal_view",
    "relative_positions",
    "shaw_index",
    "t5_bias",
    "t5_bucket",
    "t5_first_distances",
]

IntArray = npt.NDArray[np.int64]


def diagonal_offsets(q_len: int, k_len: int) -> IntArray:
    """Return every relative position that occurs between the queries and the keys.

    ::

        -(k_len - 1), .. , q_len - 1

    Shape ``(q_len + k_len - 1,)``, in positions: ``diagonal_view`` takes one number for each. The
    queries are the last ``q_len`` of ``k_len`` positions. Raises ``ValueError`` if a length is
    below 1 or ``k_len`` is below ``q_len``.

    >>> diagonal_offsets(2, 3).tolist()
    [-2, -1, 0, 1]
    """
    q_len = validate.integer("q_len", q_len, at_least=1)
    k_len = validate.integer("k_len", k_len, at_least=q_len)
    return np.arange(1 - k_len, q_len, dtype=np.int64)


def diagonal_view(values: npt.ArrayLike, q_len: int, k_len: int) -> npt.NDArray[Any]:
    """Return the matrix whose entry depends on key minus query alone, without filling it.

    ::

        matrix[..., i, j] = values[..., (j - i) + q_len - 1]

    ``values`` has shape ``(..., q_len + k_len - 1)``, one number for each of ``diagonal_offsets``.
    The result has shape ``(..., q_len, k_len)`` and is a read-only view: every row sees the same
    numbers, one step further along. Raises ``ValueError`` if a length is below 1, ``k_len`` is
    below ``q_len`` or ``values`` has another length.

    >>> diagonal_view(np.abs(diagonal_offsets(2, 3)), 2, 3).tolist()
    [[1, 0, 1], [2, 1, 0]]
    """
    offsets = diagonal_offsets(q_len, k_len)
    values = validate.full_array("values", values)
    if values.shape[-1:] != offsets.shape:
        raise ValueError(
            f"values has shape {values.shape}: its last axis must hold q_len + k_len - 1 = "
            f"{offsets.size} numbers"
        )
    return np.lib.stride_tricks.sliding_window_view(values, k_len, axis=-1)[..., ::-1, :]


def relative_positions(q_len: int, k_len: int) -> IntArray:
    """Return the relative position, key minus query, of every query and key.

    ::

        r[i, j] = n - m,   m = i + k_len - q_len,   n = j

    Shape ``(q_len, k_len)``, in positions; a read-only view of one diagonal. The queries are the
    last ``q_len`` of ``k_len`` positions, as when earlier keys come from a cache. Raises
    ``ValueError`` if a length is below 1 or ``k_len`` is below ``q_len``.

    >>> relative_positions(2, 3).tolist()
    [[-1, 0, 1], [-2, -1, 0]]

    Source: Shaw et al. 2018, section 3.2.
    """
    return diagonal_view(diagonal_offsets(q_len, k_len), q_len, k_len)


def shaw_index(relative: npt.ArrayLike, max_distance: int) -> IntArray:
    """Return the row of a Shaw table for every relative position.

    ::

        index = clip(n - m, -k, k) + k,   k = max_distance

    Any shape; rows 0 to ``2k``, so the table has ``2k + 1`` rows. Everything beyond ``k`` positions
    shares the outermost row of its side. Raises ``ValueError`` if ``max_distance`` is below 1 or a
    relative position is not a whole number.

    >>> shaw_index([-3, -1, 0, 2], 2).tolist()
    [0, 1, 2, 4]

    Source: Shaw et al. 2018, section 3.2.
    """
    k = validate.integer("max_distance", max_distance, at_least=1)
    return np.clip(validate.whole_numbers("relative", relative), -k, k) + k


def t5_first_distances(
    *, bidirectional: bool = True, num_buckets: int = 32, max_distance: int = 128
) -> IntArray:
    """Return the smallest distance that falls into each bucket of one direction.

    ::

        0, 1, .. h - 1,   then the smallest t with   t^N >= D^j h^(N-j),   j = 0 .. N - 1

    B buckets serve one direction (``num_buckets``, or half of them if ``bidirectional``): one for
    each distance below ``h = B // 2``, and ``N = B - h`` that grow geometrically from ``h`` towards
    ``D = max_distance``. The inequality is ``floor(log(t/h) / log(D/h) * N) >= j`` without its
    logarithms, and is decided in whole numbers: in floating point the answer at a boundary, such as
    distance 16 of 32 buckets to 128, hangs on the last bit of a logarithm.

    Shape ``(B,)``, in positions; a bucket whose distance the next bucket shares stays empty. Raises
    ``ValueError`` if ``num_buckets`` is below 2 (below 4 or odd if ``bidirectional``) or
    ``max_distance`` is not above ``h``.

    >>> t5_first_distances().tolist()
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]

    Source: Raffel et al. 2020, section 2.1, and the code they released.
    """
    both = validate.boolean("bidirectional", bidirectional)
    buckets = validate.integer("num_buckets", num_buckets, at_least=4 if both else 2)
    if both:
        if buckets % 2:
            raise ValueError(
                f"num_buckets={buckets}: must be even if bidirectional, half for each direction; "
                f"use {buckets - 1} or {buckets + 1}"
            )
        buckets //= 2
    h = buckets // 2
    n = buckets - h
    d = validate.integer("max_distance", max_distance, at_least=h + 1)
    grown = [
        h + bisect.bisect_left(range(h, d), d**j * h ** (n - j), key=lambda t: t**n)
        for j in range(n)
    ]
    return np.array([*range(h), *grown], dtype=np.int64)


def t5_bucket(
    relative: npt.ArrayLike,
    *,
    bidirectional: bool = True,
    num_buckets: int = 32,
    max_distance: int = 128,
) -> IntArray:
    """Return the T5 bucket of every relative position.

    ::

        bucket(t) = t                                           if t < h
                    min(h + floor(log(t/h) / log(D/h) * N), B - 1)   otherwise

    with ``h``, ``N``, ``B`` and ``D`` as in ``t5_first_distances``, where the floor is decided
    exactly. If ``bidirectional``, ``t = |n - m|`` and a key after the query uses the second half of
    the buckets; otherwise ``t = max(m - n, 0)``, and every later key shares bucket 0.

    Any shape; buckets 0 to ``num_buckets - 1``. Raises ``ValueError`` if a relative position is not
    a whole number, and as ``t5_first_distances`` does.

    >>> t5_bucket([-128, -8, -1, 0, 1, 8]).tolist()
    [15, 8, 1, 0, 17, 24]
    >>> t5_bucket([-4, -3, -2, -1, 0, 1], bidirectional=False).tolist()
    [4, 3, 2, 1, 0, 0]

    Source: Raffel et al. 2020, section 2.1, and the code they released.
    """
    first = t5_first_distances(
        bidirectional=bidirectional, num_buckets=num_buckets, max_distance=max_distance
    )
    r = validate.whole_numbers("relative", relative)
    distance = np.abs(r) if bidirectional else np.maximum(-r, 0)
    bucket = np.searchsorted(first, distance, side="right") - 1
    return bucket + first.size * (r > 0) if bidirectional else bucket


def t5_table(table: npt.ArrayLike, bidirectional: bool) -> npt.NDArray[Any]:
    """Return a table with a row for each bucket, or say how many rows there must be."""
    rows = validate.table("table", table)
    both = validate.boolean("bidirectional", bidirectional)
    if len(rows) < 2 + 2 * both or (both and len(rows) % 2):
        allowed = "even and at least 4 if bidirectional" if both else "at least 2"
        raise ValueError(f"table has {len(rows)} rows, one a bucket: must be {allowed}")
    return rows


def t5_bias(
    table: npt.ArrayLike,
    q_len: int,
    k_len: int,
    *,
    bidirectional: bool = True,
    max_distance: int = 128,
) -> npt.NDArray[Any]:
    """Return the T5 bias of every head, query and key, looked up by bucket.

    ::

        bias[head, i, j] = table[bucket(n - m), head]

    ``table`` has shape ``(num_buckets, heads)``, one row a bucket, as T5 models store it; one table
    serves all layers of an encoder or decoder. The queries are the last ``q_len`` of ``k_len``
    positions.

    Shape ``(heads, q_len, k_len)``, in units of the score; the table's dtype; a read-only view of
    ``q_len + k_len - 1`` numbers a head. Raises ``ValueError`` if the table is not such an array, a
    length is below 1 or ``k_len`` is below ``q_len``, and as ``t5_bucket`` does.

    >>> t5_bias([[0.0], [10.0], [20.0], [30.0]], 2, 2).tolist()
    [[[0.0, 30.0], [10.0, 0.0]]]

    Source: Raffel et al. 2020, section 2.1.
    """
    rows = t5_table(table, bidirectional)
    bucket = t5_bucket(
        diagonal_offsets(q_len, k_len),
        bidirectional=bidirectional,
        num_buckets=rows.shape[0],
        max_distance=max_distance,
    )
    return diagonal_view(np.ascontiguousarray(rows.T)[:, bucket], q_len, k_len)

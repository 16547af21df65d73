"""Rotary encoding: every pair of a query or key turns by the angle of its position."""

import math
from collections.abc import Iterator
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.pairs import BLOCK, members, point_blocks, points, rotation
from posenc.validate import FloatArray

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
    """Return cosine and sine of the angle of every pair at every position.

    ::

        cos(w_i p),  sin(w_i p),   both times the attention factor

    ``positions`` of shape ``(..., n)``, integer or float, negative too, give two tables of half the
    rotated width, ``(..., n, d/2)``. They are computed in float64 and rounded once, to ``dtype``;
    the dtype of the positions does not matter. Runs of consecutive positions are made by angle
    addition. ``attention_factor`` scales queries and keys alike, and so every score by its square.

    Raises ``ValueError`` if a position is not finite, a frequency is negative or not finite,
    ``attention_factor`` is not a finite number above 0, or ``dtype`` is not a floating type.

    >>> cos, sin = rope_cos_sin([0, 1], [1.0, 0.01], dtype=np.float64)
    >>> cos.round(5).tolist()
    [[1.0, 1.0], [0.5403, 0.99995]]
    >>> sin.round(5).tolist()
    [[0.0, 0.0], [0.84147, 0.01]]

    Source: Su et al. 2021 (RoFormer), section 3.2; the factor: Peng et al. 2023 (YaRN), section
    3.4.
    """
    result_dtype = validate.float_dtype(dtype)
    factor = validate.number("attention_factor", attention_factor, above=0)
    p = validate.positions(positions)
    w = validate.frequencies(inv_freq)
    cos = np.empty((p.size, w.size), result_dtype)
    sin = np.empty_like(cos)
    for rows, turn in point_blocks(p, w, radius=factor):
        cos[rows], sin[rows] = turn.real, turn.imag
    return cos.reshape(*p.shape, w.size), sin.reshape(*p.shape, w.size)


def apply_rope(
    x: npt.ArrayLike, cos: npt.ArrayLike, sin: npt.ArrayLike, *, layout: Layout
) -> npt.NDArray[Any]:
    """Return queries or keys with every pair turned by the angle of its position.

    ::

        (a, b)  ->  (a cos - b sin,  a sin + b cos),   that is  (a + ib) e^(i w p)

    ``x`` of shape ``(..., n, head_dim)`` and tables of shape ``(n, d/2)`` or ``(..., n, d/2)``, as
    ``rope_cos_sin`` makes them, give the shape of ``x``. The first d dimensions turn, paired
    ``(i, i + d/2)`` in layout ``"half"`` and ``(2i, 2i+1)`` in ``"interleaved"``; the rest stays.

    The leading axes of the tables are those that ``x`` begins with: tables ``(batch, n, d/2)``
    serve all heads of ``x`` ``(batch, heads, n, head_dim)``. A leading axis of size 1 serves all;
    one table a head is ``cos[None]``.

    A floating ``x`` keeps its dtype; an integer ``x`` takes that of the tables. The arithmetic runs
    in the widest dtype given, and in float32 for float16.

    Raises ``ValueError`` if ``layout`` is unknown, ``head_dim`` is odd, the tables differ in shape,
    are wider than half of ``head_dim``, or do not fit the positions or leading axes of ``x``.

    >>> tables = rope_cos_sin([1], [1.0, 0.01])
    >>> apply_rope([[1, 2, 3, 4]], *tables, layout="half").round(4).astype(float).round(4).tolist()
    [[-1.9841, 1.9599, 2.4624, 4.0198]]

    Source: Su et al. 2021 (RoFormer), equation 34.
    """
    validate.choice("layout", layout, LAYOUTS)
    x, cos, sin = (_numbers(name, v) for name, v in (("x", x), ("cos", cos), ("sin", sin)))
    turn = _turns(x, cos, sin)
    if x.dtype.kind != "f":
        x = x.astype(np.result_type(cos, sin, np.float16))
    turn = turn.astype(np.result_type(x, turn), copy=False)
    width = 2 * turn.shape[-1]
    result = np.empty(x.shape, x.dtype)
    result[..., width:] = x[..., width:]
    if layout == "interleaved" and x.dtype == turn.real.dtype and x.strides[-1] == x.itemsize:
        # The pairs lie in memory as complex numbers do.
        pairs, turned = (array[..., :width].view(turn.dtype) for array in (x, result))
        np.multiply(pairs, turn, out=turned)
        return result
    first, second = members(layout, turn.shape[-1])
    turn = np.broadcast_to(turn, (*x.shape[:-1], turn.shape[-1]))
    rows = max(1, BLOCK // turn.shape[-1])
    scratch = np.empty((rows, turn.shape[-1]), turn.dtype)
    for block in _blocks(x.shape[:-1], rows):
        here, there, by = x[block], result[block], turn[block]
        pairs = scratch[: math.prod(by.shape[:-1])].reshape(by.shape)
        pairs.real, pairs.imag = here[..., first], here[..., second]
        pairs *= by
        there[..., first], there[..., second] = pairs.real, pairs.imag
    return result


def rotation_matrix(
    position: npt.ArrayLike, inv_freq: npt.ArrayLike, *, layout: Layout
) -> FloatArray:
    """Return the rotation of a position as a block-diagonal matrix.

    ::

        R(p) has on each pair (a, b) the block

            [ cos(w_i p)  -sin(w_i p) ]
            [ sin(w_i p)   cos(w_i p) ]

    ``position`` of any shape ``(...)`` gives float64 of shape ``(..., d, d)`` with d twice the
    number of frequencies. In layout ``"half"`` the pairs are ``(i, i + d/2)``, in ``"interleaved"``
    ``(2i, 2i+1)``. ``apply_rope`` computes the same product without the zeros.

    Raises ``ValueError`` if a position is not finite, a frequency is negative or not finite, or
    ``layout`` is unknown.

    >>> rotation_matrix(1, [1.0], layout="half").round(4).tolist()
    [[0.5403, -0.8415], [0.8415, 0.5403]]

    Source: Su et al. 2021 (RoFormer), equation 15.
    """
    validate.choice("layout", layout, LAYOUTS)
    p = validate.positions(position, name="position")
    return rotation(points(p, validate.frequencies(inv_freq)), layout)


def to_half(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the last axis reordered from interleaved pairs to half-split pairs.

    ::

        x_0 x_1 x_2 x_3 ... x_{d-1}  ->  x_0 x_2 ... x_{d-2}  x_1 x_3 ... x_{d-1}

    Shape ``(..., d)`` is kept, any dtype. The output axis of a projection is reordered head by
    head: reshape ``(heads * d, width)`` to ``(heads, d, width)`` with the number of heads of that
    projection, swap the last two axes, reorder, and go back. Raises ``ValueError`` if d is odd
    or 0.

    >>> to_half([0, 1, 2, 3, 4, 5]).tolist()
    [0, 2, 4, 1, 3, 5]

    Source: the weight conversion of Hugging Face transformers, ``convert_llama_weights_to_hf.py``.
    """
    return _reordered(x, "half", "interleaved")


def to_interleaved(x: npt.ArrayLike) -> npt.NDArray[Any]:
    """Return the last axis reordered from half-split pairs to interleaved pairs.

    ::

        x_0 ... x_{d/2-1}  x_{d/2} ... x_{d-1}  ->  x_0 x_{d/2} x_1 x_{d/2+1} ... x_{d/2-1} x_{d-1}

    The inverse of ``to_half``. Shape ``(..., d)`` is kept, any dtype. Raises ``ValueError`` if d is
    odd or 0.

    >>> to_interleaved([0, 1, 2, 3, 4, 5]).tolist()
    [0, 3, 1, 4, 2, 5]

    Source: the weight conversion of Hugging Face transformers, ``convert_llama_weights_to_hf.py``.
    """
    return _reordered(x, "interleaved", "half")


def _reordered(x: npt.ArrayLike, to: Layout, since: Layout) -> npt.NDArray[Any]:
    x = validate.full_array("x", x)
    width = validate.even_dim(x.shape[-1] if x.ndim else 0, name="x.shape[-1]")
    result = np.empty_like(x)
    for there, here in zip(members(to, width // 2), members(since, width // 2), strict=True):
        result[..., there] = x[..., here]
    return result


def _numbers(name: str, value: npt.ArrayLike) -> npt.NDArray[Any]:
    array = validate.full_array(name, value)
    if array.dtype.kind not in "iuf" or not array.ndim:
        raise ValueError(
            f"{name} has shape {array.shape} and dtype {array.dtype}: must hold real numbers "
            "along at least one axis"
        )
    return array


def _turns(x: npt.NDArray[Any], cos: npt.NDArray[Any], sin: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Return cos + i sin, with axes of size 1 where x has axes that the tables do not have."""
    if cos.shape != sin.shape:
        raise ValueError(f"cos has shape {cos.shape} and sin {sin.shape}: must be equal")
    width = validate.even_dim(x.shape[-1], name="x.shape[-1]")
    shapes = f"cos and sin have shape {cos.shape} and x {x.shape}"
    if not 2 <= 2 * cos.shape[-1] <= width:
        raise ValueError(
            f"{shapes}: the tables have one column a pair, so 1 to {width // 2} here; "
            "of full-width tables give the half that does not repeat"
        )
    if cos.shape[-2:-1] != x.shape[-2:-1]:
        raise ValueError(
            f"{shapes}: axis -2 of both must be the positions; "
            "if another axis of x is, move it, as numpy.swapaxes(x, -3, -2) does"
        )
    lead = cos.shape[:-2]
    if cos.ndim > x.ndim or any(t not in (1, n) for t, n in zip(lead, x.shape, strict=False)):
        raise ValueError(
            f"{shapes}: the leading axes of the tables must be those that x begins with, or 1; "
            "where they belong to later axes of x, insert axes, as cos[None] and sin[None] do"
        )
    turn = np.empty(
        (*lead, *(1,) * (x.ndim - cos.ndim), *cos.shape[-2:]),
        np.result_type(cos, sin, np.complex64),
    )
    turn.real, turn.imag = cos.reshape(turn.shape), sin.reshape(turn.shape)
    return turn


def _blocks(shape: tuple[int, ...], limit: int) -> Iterator[tuple[slice, ...]]:
    """Yield indices that cut an array of ``shape`` into blocks of at most ``limit`` rows."""
    if math.prod(shape) <= limit:
        yield ()
        return
    step = max(1, limit // max(1, math.prod(shape[1:])))
    for start in range(0, shape[0], step):
        here = slice(start, min(start + step, shape[0]))
        for rest in _blocks(shape[1:], limit) if step == 1 else [()]:
            yield (here, *rest)

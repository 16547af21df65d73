"""Measuring what a scheme does: terms of a score, relativity, and the scoreboard.

Every number here is computed from a definition that its function states; nothing is judged. Where a
sample is drawn, the caller draws it.
"""

import bisect
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.pairs import rotation
from posenc.schemes import Scheme, none, scores
from posenc.validate import FloatArray

__all__ = [
    "AnchorSpread",
    "Relativity",
    "Requirements",
    "ScoreTerms",
    "anchor_spread",
    "commuting_weights",
    "relativity",
    "requirements",
    "score_terms",
    "scoreboard",
    "text_table",
]

# Below this a difference is rounding: two scores are tied, two positions look alike.
ROUNDING = 1e-9

# Queries, spread evenly over the text, that the share of nearer keys is averaged over. One alone
# measures its own place: from 256 binary digits look like a coin toss. An odd number keeps the
# places off the multiples of a power of two.
QUERIES = 15

# Lengths up to this one are tried before an encoding counts as defined at any length.
LONGEST = 2**20


class ScoreTerms(NamedTuple):
    """The four terms of a score whose tokens carry an added code, each ``(..., n, n)``."""

    content: FloatArray
    """``x_i^T M x_j``"""

    content_position: FloatArray
    """``x_i^T M PE(j)``"""

    position_content: FloatArray
    """``PE(i)^T M x_j``"""

    position: FloatArray
    """``PE(i)^T M PE(j)``"""

    @property
    def total(self) -> FloatArray:
        """The score: the sum of the four terms."""
        return np.asarray(
            self.content + self.content_position + self.position_content + self.position
        )


def score_terms(
    x: npt.ArrayLike, code: npt.ArrayLike, *, weights: npt.ArrayLike | None = None
) -> ScoreTerms:
    """Return the four terms of every score between tokens with an added position code.

    ::

        (x_i + PE(i))^T M (x_j + PE(j))
            = x_i^T M x_j  +  x_i^T M PE(j)  +  PE(i)^T M x_j  +  PE(i)^T M PE(j)

    in this order: ``content``, ``content_position``, ``position_content``, ``position``. ``x`` and
    ``code`` have shape ``(..., n, d)``, row i for position i; ``M`` is ``weights``, shape
    ``(d, d)``, or the identity. Nothing is divided by sqrt(d). Raises ``ValueError`` if shapes do
    not fit.

    >>> terms = score_terms([[1.0, 0.0], [1.0, 0.0]], [[0.0, 1.0], [1.0, 1.0]])
    >>> terms.content_position.tolist(), terms.total.tolist()
    ([[0.0, 1.0], [0.0, 1.0]], [[2.0, 3.0], [3.0, 5.0]])

    Source: Dai et al. 2019 (Transformer-XL), section 3.3.
    """
    x, code = validate.real_array("x", x), validate.real_array("code", code)
    if x.ndim < 2 or code.shape[-2:] != x.shape[-2:]:
        raise ValueError(
            f"x has shape {x.shape}, code {code.shape}: must be (..., n, d), the same n and d"
        )
    validate.leading_axes(x=x, code=code)
    matrix = _square("weights", weights, x.shape[-1])
    left = (x @ matrix, code @ matrix)
    return ScoreTerms(*(a @ b.swapaxes(-1, -2) for a in left for b in (x, code)))


class AnchorSpread(NamedTuple):
    """How a score moves with the offset, and with the anchor at the same offset."""

    curves: FloatArray
    """The scores, ``(..., anchors, offsets)``."""

    score_range: FloatArray
    """The highest score less the lowest, ``(...)``."""

    spread: FloatArray
    """The largest difference between anchors at one offset, ``(...)``."""

    norm_ratio: FloatArray
    """The length of the query after its code or rotation over that before, ``(...)``."""


def anchor_spread(
    scheme: Scheme,
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    anchors: Sequence[int] = (0, 8, 24),
    offsets: Sequence[int] = range(32),
) -> AnchorSpread:
    """Return the scores of one query and one key along offsets, from several anchors.

    ::

        curves[a, o] = score(q at a, k at a + o)
        score_range  = max curves - min curves
        spread       = max over o of (max over a of curves[a, o] - min over a of curves[a, o])
        norm_ratio   = mean over a of |rotate(embed(q, a), a)| / |q|

    A relative scheme has a spread of zero. ``q`` and ``k`` are contents, shape ``(d,)``; leading
    axes are draws or heads, and a scheme with heads adds its own, as in ``scores``. Scores are
    divided by sqrt(d). Raises ``ValueError`` if shapes do not fit or q is zero, and what the scheme
    raises.

    >>> from posenc.schemes import rope_scheme, sinusoidal_scheme
    >>> q, k = np.random.default_rng(0).normal(size=(2, 64))
    >>> anchor_spread(sinusoidal_scheme(64), q, k).spread.round(2).item()
    2.21
    >>> bool(anchor_spread(rope_scheme(64), q, k).spread < 1e-12)
    True
    """
    curves = _curves(scheme, q, k, anchors, offsets, None)
    x = validate.real_array("q", q)[..., None, :]
    norm = np.linalg.norm(x, axis=-1)[..., 0]
    if not norm.all():
        raise ValueError("q is zero: a ratio of norms needs a query that is not")
    after = [
        np.linalg.norm(scheme.rotate(scheme.embed(x, at), at), axis=-1)[..., 0]
        for at in (np.array([anchor]) for anchor in anchors)
    ]
    return AnchorSpread(
        curves=curves,
        score_range=np.ptp(curves, axis=(-2, -1)),
        spread=np.ptp(curves, axis=-2).max(axis=-1),
        norm_ratio=np.mean(after, axis=0) / norm,
    )


class Relativity(NamedTuple):
    """Shares of the variance of a score: they sum to 1, or are all 0 if nothing varies."""

    offset: FloatArray
    """The share that the offset explains."""

    anchor: FloatArray
    """The share that the anchor alone explains."""

    interaction: FloatArray
    """The share that only anchor and offset together explain."""

    @property
    def absolute(self) -> FloatArray:
        """The share that the offset leaves: what absolute position explains."""
        return np.asarray(self.anchor + self.interaction)[()]


def relativity(
    scheme: Scheme,
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    *,
    anchors: Sequence[int] = range(64),
    offsets: Sequence[int] = range(32),
    weights: npt.ArrayLike | None = None,
) -> Relativity:
    """Return how much of a score's variance the offset explains, and how much the anchor.

    ::

        s[a, o]     = score(q at a, k at a + o)
        offset      = mean of (s[., o] - s[., .])^2 / v        a dot stands for a mean
        anchor      = mean of (s[a, .] - s[., .])^2 / v
        interaction = mean of (s[a, o] - s[a, .] - s[., o] + s[., .])^2 / v
        v           = mean of (s[a, o] - s[., .])^2

    The two-way layout of an analysis of variance, without error: the shares sum to 1. In a relative
    scheme ``offset`` is 1. ``absolute = anchor + interaction`` is the share that cannot be known
    from the offset. ``q`` and ``k`` are contents, shape ``(d,)`` or with leading axes for draws or
    heads; ``weights`` is M, as in ``scores``. If the score does not vary, all shares are 0. Raises
    ``ValueError`` if shapes do not fit, and what the scheme raises.

    >>> from posenc.schemes import sinusoidal_scheme
    >>> q, k = np.random.default_rng(0).normal(size=(2, 64))
    >>> share = relativity(sinusoidal_scheme(64), q, k)
    >>> share.offset.round(2).item(), share.absolute.round(2).item()
    (0.36, 0.64)

    Source: the decomposition is Fisher's (1925); its use on scores is ours.
    """
    s = _curves(scheme, q, k, anchors, offsets, weights)
    mean = s.mean(axis=(-2, -1), keepdims=True)
    by_offset = s.mean(axis=-2, keepdims=True) - mean
    by_anchor = s.mean(axis=-1, keepdims=True) - mean
    rest = s - mean - by_offset - by_anchor
    parts = [np.mean(part**2, axis=(-2, -1)) for part in (by_offset, by_anchor, rest)]
    total = np.asarray(sum(parts))
    varies = total > (1e-12 * np.abs(s).max(axis=(-2, -1))) ** 2
    return Relativity(
        *(np.divide(part, total, out=np.zeros(total.shape), where=varies)[()] for part in parts)
    )


def commuting_weights(
    a: npt.ArrayLike, b: npt.ArrayLike, *, layout: Literal["interleaved", "half"] = "interleaved"
) -> FloatArray:
    """Return the weights that commute with every rotation of the pairs.

    ::

        M has on pair i the block a_i I + b_i J,   J = [ 0  -1 ]
                                                       [ 1   0 ]

    ``a`` and ``b`` hold one number a pair; the result is ``(d, d)`` with d twice as many. These are
    the only weights under which ``PE(i)^T M PE(j)`` depends on ``i - j`` alone. Raises
    ``ValueError`` if ``a`` and ``b`` are not of one shape ``(d/2,)`` or ``layout`` is unknown.

    >>> commuting_weights([2.0], [3.0]).tolist()
    [[2.0, -3.0], [3.0, 2.0]]
    """
    validate.choice("layout", layout, ("interleaved", "half"))
    a, b = validate.real_array("a", a), validate.real_array("b", b)
    if a.ndim != 1 or a.shape != b.shape:
        raise ValueError(f"a has shape {a.shape}, b {b.shape}: must both be (d/2,)")
    return rotation(a + 1j * b, layout)


@dataclass(frozen=True)
class Requirements:
    """One line of the scoreboard: four requirements on an encoding, each measured.

    Distinguishes positions:

    - ``gap``, the smallest difference between two of the ``length`` positions;
    - ``told_apart``, how many positions differ from all before them.

    Defined at any length:

    - ``defined_to``, the first position that is refused (2^20 if none below that is);
    - ``drift``, the largest change of any position when the text grows to twice its length.

    Bounded:

    - ``size``, the largest difference that position makes to a token, seen from the last position;
    - ``growth``, the size at eight times the length over the size.

    Favours the near:

    - ``near``, the share of pairs of keys, at different distances from a query, in which the nearer
      key has the higher score; a tie counts half. The mean over queries throughout the text.

    What needs a position that is refused is ``nan``. ``requirements`` says what a difference is.
    """

    name: str
    length: int
    told_apart: int
    gap: float
    defined_to: int
    drift: float
    size: float
    growth: float
    near: float

    def __str__(self) -> str:
        return scoreboard([self])


Encoding = Callable[[npt.NDArray[np.int64]], npt.ArrayLike]


def requirements(
    subject: Scheme | Encoding,
    *,
    dim: int = 64,
    length: int = 512,
    query: int | None = None,
    name: str | None = None,
) -> Requirements:
    """Return four requirements on an encoding, each measured: one line of the scoreboard.

    ``subject`` is a scheme, or a function that takes n integer positions and returns their codes,
    shape ``(n, d)``, to be added to the input. In a text of ``length`` positions the same token
    stands everywhere, a vector of ``dim`` ones (as many as codes are wide). To a query vector u at
    position m, the key at position n is worth the score ::

        s(u, m, n) = u . rotate(embed(1, n), n) / sqrt(d) + bias(u, m, n)

    and the difference of two positions is the root mean square of their scores' difference over
    ``u ~ N(0, I)`` and over the heads, in closed form. For an added code that is the distance of
    two codes over sqrt(d). The query stands at m = ``query``, the last position unless given.

    For ``near`` the query is the token itself, in the middle of each of 15 equal parts of the text,
    and the score is the mean of the one for this token and the one for its negative: that cancels
    the cross terms of content and position. Without positions ``near`` is 1/2.

    Raises ``ValueError`` if ``length`` is below 2, ``query`` is not a position of the text or codes
    have another shape, and what the scheme raises within the text.

    >>> found = requirements(none(), length=16)
    >>> found.told_apart, found.near
    (1, 0.5)
    >>> requirements(lambda p: p[:, None] / 10, length=100).size
    9.9
    """
    if not (isinstance(subject, Scheme) or callable(subject)):
        raise ValueError(f"subject={subject!r}: must be a Scheme, or a function of positions")
    length = validate.integer("length", length, at_least=2)
    query = length - 1 if query is None else validate.integer("query", query, at_least=0)
    if query >= length:
        raise ValueError(f"query={query}: must be a position of the text, 0 to {length - 1}")
    if isinstance(subject, Scheme):
        scheme, dim = subject, validate.integer("dim", dim, at_least=1)
    else:
        scheme, dim = _adding(subject, length)
    meaning = _meaning(scheme, dim, length, query)
    told_apart, gap = _separation(meaning)
    size = _size(scheme, dim, length)
    return Requirements(
        name=name or str(getattr(subject, "name", getattr(subject, "__name__", "encoding"))),
        length=length,
        told_apart=told_apart,
        gap=gap,
        defined_to=bisect.bisect_left(
            range(LONGEST), True, key=lambda p: not _is_defined(scheme, dim, p)
        ),
        drift=_or_nan(
            lambda: _largest_norm(_meaning(scheme, dim, 2 * length, query)[:length] - meaning)
        ),
        size=size,
        growth=_or_nan(lambda: _size(scheme, dim, 8 * length) / size) if size > ROUNDING else 1.0,
        near=_nearness(scheme, dim, length),
    )


def scoreboard(rows: Iterable[Requirements]) -> str:
    """Return the requirements of several encodings as an aligned table in plain text.

    One line an encoding, in the given order; see ``requirements`` for the columns and
    ``text_table`` for the form of the numbers.

    >>> print(scoreboard([requirements(none(), length=64)]))
          distinguishes  positions  any length           bounded          the near
             told apart        gap  defined to    drift     size  growth     first
    ----  -------------  ---------  ----------  -------  -------  ------  --------
    none        1 of 64    < 1e-12    1048576+  < 1e-12  < 1e-12       1       0.5
    """
    header = (
        "",
        "distinguishes\ntold apart",
        "positions\ngap",
        "any length\ndefined to",
        "\ndrift",
        "bounded\nsize",
        "\ngrowth",
        "the near\nfirst",
    )
    return text_table(
        header,
        [
            (
                r.name,
                f"{r.told_apart} of {r.length}",
                r.gap,
                f"{r.defined_to}{'+' * (r.defined_to == LONGEST)}",
                r.drift,
                r.size,
                r.growth,
                r.near,
            )
            for r in rows
        ],
    )


def text_table(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Return rows as an aligned table in plain text, the same on every machine.

    The first column stands left, the others right; a heading may have several lines. Numbers that
    are not whole get four significant digits; what is below 1e-12 in size is rounding and becomes
    ``< 1e-12``, what is not a number ``undefined``. Raises ``ValueError`` if a row has another
    number of cells than the header.

    >>> print(text_table(("scheme", "spread"), [("sinusoidal", 1.86), ("rope", 2.9e-15)]))
    scheme       spread
    ----------  -------
    sinusoidal     1.86
    rope        < 1e-12
    """
    headings = [heading.split("\n") for heading in header]
    depth = max(map(len, headings))
    padded = [[""] * (depth - len(heading)) + heading for heading in headings]
    top = [list(line) for line in zip(*padded, strict=True)]
    body = [[_cell(value) for value in row] for row in rows]
    for row in body:
        if len(row) != len(header):
            raise ValueError(f"row {row} has {len(row)} cells: the header has {len(header)}")
    widths = [max(map(len, column)) for column in zip(*top, *body, strict=True)]
    lines = [*top, ["-" * width for width in widths], *body]
    return "\n".join(
        "  ".join([line[0].ljust(widths[0]), *map(str.rjust, line[1:], widths[1:])]).rstrip()
        for line in lines
    )


def _cell(value: Any) -> str:
    """Return a number as text that no last bit can change; anything else as it prints."""
    if not isinstance(value, (float, np.floating)):
        return str(value)
    number = float(value)
    if math.isnan(number):
        return "undefined"
    return "< 1e-12" if abs(number) < 1e-12 else f"{number:.4g}"


def _square(name: str, weights: npt.ArrayLike | None, dim: int) -> FloatArray:
    """Return weights as a (dim, dim) matrix, the identity if there are none."""
    matrix = np.eye(dim) if weights is None else validate.real_array(name, weights)
    if matrix.shape != (dim, dim):
        raise ValueError(f"{name} has shape {matrix.shape}: must be {(dim, dim)}")
    return matrix


def _curves(
    scheme: Scheme,
    q: npt.ArrayLike,
    k: npt.ArrayLike,
    anchors: Sequence[int],
    offsets: Sequence[int],
    weights: npt.ArrayLike | None,
) -> FloatArray:
    """Return the score of q at every anchor and k at every offset from it."""
    x, y = validate.real_array("q", q), validate.real_array("k", k)
    if not (x.ndim and y.ndim and len(anchors) and len(offsets)):
        raise ValueError(
            f"q has shape {x.shape}, k {y.shape}, with {len(anchors)} anchors and {len(offsets)} "
            "offsets: contents must be (..., d), and there must be one of each"
        )
    keys = np.broadcast_to(y[..., None, :], (*y.shape[:-1], len(offsets), y.shape[-1]))
    rows = [
        scores(scheme, x[..., None, :], keys, [a], a + np.asarray(offsets), weights=weights)
        for a in anchors
    ]
    return np.concatenate(rows, axis=-2)


def _adding(encoding: Encoding, length: int) -> tuple[Scheme, int]:
    """Return the scheme that adds the encoding's codes, and their width."""

    def embed(x: npt.NDArray[Any], positions: npt.NDArray[Any]) -> npt.NDArray[Any]:
        p = validate.whole_numbers("positions", positions)
        code = validate.real_array("codes", encoding(p))
        if code.ndim != 2 or len(code) != len(p):
            raise ValueError(
                f"the encoding gave codes of shape {code.shape} for {len(p)} positions: must be "
                f"({len(p)}, d)"
            )
        return np.asarray(x + code)

    return Scheme("added", embed=embed), embed(np.zeros(1), np.arange(length)).shape[-1]


def _meaning(scheme: Scheme, dim: int, length: int, query: int) -> FloatArray:
    """Return a row for each key position, as far from another row as the two positions differ.

    A score is affine in the query, s(u, n) = c_n + u . g_n, so over u ~ N(0, I) the mean square of
    a difference is that of c plus the squared length of that of g.
    """
    n = np.arange(length)
    keys = scheme.rotate(scheme.embed(np.ones((length, dim)), n), n)
    probes = np.concatenate([np.zeros((1, dim)), np.eye(dim)])
    bias = scheme.bias(probes, np.full(dim + 1, query), n)
    s = np.reshape(probes @ keys.T / np.sqrt(dim) + bias, (-1, dim + 1, length))
    s[:, 1:] -= s[:, :1]
    return np.asarray(s.reshape(-1, length).T / np.sqrt(len(s)))


def _separation(meaning: FloatArray) -> tuple[int, float]:
    """Return how many rows differ from all rows before them, and the smallest difference."""
    new = np.ones(len(meaning), dtype=bool)
    gap = math.inf
    for lag in range(1, len(meaning)):
        difference = np.linalg.norm(meaning[lag:] - meaning[:-lag], axis=-1)
        new[lag:] &= difference > ROUNDING
        gap = min(gap, float(difference.min()))
    return int(new.sum()), gap


def _size(scheme: Scheme, dim: int, length: int) -> float:
    """Return the largest difference that position makes to a token, from the last position."""
    meaning = _meaning(scheme, dim, length, length - 1)
    heads = meaning.shape[-1] // (dim + 1)
    bare = np.tile(_meaning(none(), dim, 1, 0), heads) / np.sqrt(heads)  # alike in every head
    return _largest_norm(meaning - bare)


def _largest_norm(rows: FloatArray) -> float:
    return float(np.linalg.norm(rows, axis=-1).max())


def _is_defined(scheme: Scheme, dim: int, position: int) -> bool:
    """Return whether a token at this position gets a finite score."""
    token = np.ones((1, dim))
    try:
        return bool(np.isfinite(scores(scheme, token, token, [position], [0])).all())
    except (ValueError, IndexError):
        return False


def _or_nan(number: Callable[[], float]) -> float:
    """Return the number, or nan if it needs a position that the scheme refuses."""
    try:
        return number()
    except (ValueError, IndexError):
        return math.nan


def _nearness(scheme: Scheme, dim: int, length: int) -> float:
    """Return the share of pairs of keys in which the nearer one has the higher score."""
    n = np.arange(length)
    queries = (2 * np.arange(QUERIES) + 1) * length // (2 * QUERIES)
    s: Any = 0.0
    for token in (np.ones((length, dim)), -np.ones((length, dim))):
        keys = scheme.rotate(scheme.embed(token, n), n)
        bias = scheme.bias(keys[queries], queries, n)
        s = s + (keys[queries] @ keys.T / np.sqrt(dim) + bias) / 2
    shares = []
    for query, at in enumerate(queries):
        near, far = np.nonzero(np.abs(n - at)[:, None] < np.abs(n - at))
        lead = s[..., query, near] - s[..., query, far]
        shares.append(np.mean((lead > ROUNDING) + 0.5 * (np.abs(lead) <= ROUNDING)))
    return float(np.mean(shares))

"""A judge for a reader's own encoding: which properties hold, and which known scheme it is."""

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.recognition import (
    FloatArray,
    Found,
    IntArray,
    Match,
    Predict,
    recognise_bias,
    recognise_rotation,
    recognise_table,
)

__all__ = ["CheckReport", "Property", "check"]

Array = npt.NDArray[Any]
Kind = Literal["table", "rotation", "bias"]

FAR = 131071  # the last position of a context of 128 Ki tokens
LENGTH = 2048  # rows that are compared with each other


@dataclass(frozen=True)
class Property:
    """One property: whether it holds, and the measurement or the smallest counterexample."""

    name: str
    holds: bool
    message: str


@dataclass(frozen=True)
class CheckReport:
    """What ``check`` found: ``properties`` in order, and the ``match`` if a scheme is known.

    ``ok`` says that every property holds; ``holds(name)`` asks for one. ``str(report)`` is made to
    be read.
    """

    kind: str
    properties: tuple[Property, ...]
    match: Match | None

    @property
    def ok(self) -> bool:
        """Whether every property holds."""
        return all(p.holds for p in self.properties)

    def holds(self, name: str) -> bool:
        """Return whether the property of that name holds; a property not reached does not."""
        validate.choice("name", name, PROPERTIES[self.kind])
        return any(p.holds for p in self.properties if p.name == name)

    def _rows(self) -> list[tuple[str, str, str]]:
        rows = [(p.name, "yes" if p.holds else "NO", p.message) for p in self.properties]
        known = str(self.match) if self.match else "no known scheme"
        return [*rows, ("match", "", known)]

    def __str__(self) -> str:
        lines = [f"{name:<9} {holds:<3} {message}" for name, holds, message in self._rows()]
        return "\n".join([f"check of a {self.kind}", *lines])

    def _repr_html_(self) -> str:
        import html  # its table of entities would cost every import of the package

        rows = "".join(
            "<tr>" + "".join(f"<td>{html.escape(cell)}</td>" for cell in row) + "</tr>"
            for row in self._rows()
        )
        heads = "property", "holds", "measured, or the smallest counterexample"
        head = "".join(f"<th>{text}</th>" for text in heads)
        caption = f"<caption>check of a {self.kind}</caption>"
        return f"<table>{caption}<tr>{head}</tr>{rows}</table>"


class _FaultError(Exception):
    """A counterexample to a property, or a call that raised or returned the wrong form."""


def check(fn: Callable[..., Any], *, kind: Kind, dim: int = 64, num_heads: int = 8) -> CheckReport:
    """Return which properties a function of your own has, and which known scheme it is.

    ``kind`` says what the function is, and so how it is called:

    ``"table"``
        ``fn(positions)`` or ``fn(positions, dim)`` returns codes of shape ``(n, d)``. Properties:
        ``runs``, ``positions`` (a row depends on its own position alone), ``length`` (defined up
        to 131071), ``bounded``, ``distinct`` (no two of 2048 rows are equal), ``norm`` (the same
        everywhere), ``shift`` (``PE(p).PE(p+k)`` depends on ``k`` alone), ``dtype`` (floating,
        for integer positions too), ``phase`` (far positions are as exact as near ones).
    ``"rotation"``
        ``fn(x, positions)`` returns the shape of ``x``, which is ``(..., n, dim)``. Properties:
        ``runs``, ``positions``, ``length``, ``distinct`` (no two of 128 positions turn alike),
        ``norm`` (lengths of vectors are kept), ``shift`` (``R(m)q.R(n)k`` depends on ``n - m``
        alone), ``batch`` (every item and head is turned alike, along axis -2), ``dtype`` (that of
        ``x``), ``phase``.
    ``"bias"``
        ``fn(q_positions, k_positions)``, ``fn(q_len, k_len)`` or ``fn(num_heads, q_len, k_len)``
        returns ``(..., q, k)``. Properties: ``runs``, ``shift`` (depends on key minus query
        alone), ``cache`` (the queries are the last of the keys), ``length`` (to 2047),
        ``distinct`` (some distances differ), ``near`` (never rises with the distance to earlier
        keys), ``dtype``.

    Not every scheme has every property: a learned table has an end, and a T5 bias need not favour
    the near. A property that fails shows the smallest counterexample that was met and the usual
    cause. A function that raises is reported with the call that did it; nothing is raised for it.
    Raises ``ValueError`` if ``kind`` is unknown, ``dim`` is odd or below 2, or ``num_heads`` is
    below 1.

    >>> from posenc import sinusoidal
    >>> report = check(lambda positions: 2 * sinusoidal(positions, 8, base=500.0), kind="table")
    >>> report.ok, str(report.match)
    (True, "sinusoidal, layout='interleaved', base=500; every entry is multiplied by 2")
    """
    validate.choice("kind", kind, tuple(PROPERTIES))
    dim = validate.even_dim(dim)
    num_heads = validate.integer("num_heads", num_heads, at_least=1)
    if not callable(fn):
        raise ValueError(f"fn={fn!r}: must be a function")
    subject = _SUBJECTS[kind](fn, dim, num_heads)
    found: list[Property] = []
    for name in PROPERTIES[kind]:
        try:
            with np.errstate(all="ignore"):
                found.append(Property(name, True, getattr(subject, name)()))
        except _FaultError as fault:
            found.append(Property(name, False, str(fault)))
            if name == "runs":
                break
    return CheckReport(kind, tuple(found), subject.match)


def _shown(value: Any) -> str:
    """Return a short text of an argument: small arrays by entries, others by shape."""
    if isinstance(value, np.ndarray):
        if value.ndim == 1 and value.dtype.kind in "iu":
            if value.size > 1 and np.array_equal(value, np.arange(value.size)):
                return f"np.arange({value.size})"
            if value.size <= 6:
                return f"np.array({value.tolist()})"
        return f"array of shape {value.shape}, {value.dtype}"
    return repr(value)


def _numbers(result: Any, called: str, *, masked: bool = False) -> Array:
    """Return the result as an array of finite real numbers (or -inf, if masked), or say why not."""
    try:
        array = np.asarray(result)
    except ValueError:
        raise _FaultError(f"{called} returned rows of different lengths") from None
    if array.dtype.kind not in "fiu":
        raise _FaultError(f"{called} returned {_type(result, array)}, not an array of real numbers")
    wrong = ~np.isfinite(array) & ~(masked & np.isneginf(array))
    if wrong.any():
        where = tuple(np.argwhere(wrong)[0].tolist())
        raise _FaultError(f"{called} returned {array[where]} at index {where}")
    return array


def _type(result: Any, array: Array) -> str:
    if isinstance(result, np.ndarray):
        return f"dtype {array.dtype}"
    return type(result).__name__ + (" (is a return missing?)" if result is None else "")


def _call(fn: Callable[..., Any], *arguments: Any) -> tuple[Any, str]:
    """Return the function's result and a text of the call; copies keep the arguments safe."""
    called = f"fn({', '.join(_shown(a) for a in arguments)})"
    try:
        return fn(*(np.copy(a) if isinstance(a, np.ndarray) else a for a in arguments)), called
    except Exception as error:
        raise _FaultError(f"{called} raised {type(error).__name__}: {error}") from None


def _required(fn: Callable[..., Any]) -> int | None:
    """Return how many arguments the function must be given, if that can be known."""
    try:
        parameters = inspect.signature(fn).parameters.values()
    except (TypeError, ValueError):
        return None
    positional = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)
    return sum(p.kind in positional and p.default is p.empty for p in parameters)


def _end(defined: Callable[[int], Any], far: int) -> tuple[int, str]:
    """Return the last position up to ``far`` that is defined, and what happens after it."""
    low, high, why = 0, far + 1, ""
    middle = far
    while high - low > 1:
        try:
            defined(middle)
            low = middle
        except _FaultError as fault:
            high, why = middle, str(fault)
        middle = (low + high) // 2
    return low, why


def _eps(dtype: np.dtype[Any]) -> float:
    return float(np.finfo(dtype if dtype.kind == "f" else np.float64).eps)


PRECISION = "compute positions * inv_freq in float64 and cast cos and sin last"
FEW_DIGITS = 1e-4  # a relative error that rounding to float32 explains
SHORTER = "the values have fewer digits than their type, as if rounded to a shorter one before"
REMEMBERS = (
    "a call repeated after one with a far position gives another result: the function keeps "
    "something of earlier calls, or draws at random"
)


class _Subject:
    """What the kinds share: calls, the end of the domain, the scheme."""

    far = FAR
    end: int  # the last position that is defined
    why: str  # what the next one raised
    match: Match | None = None
    predict: Predict | None = None

    def __init__(self, fn: Callable[..., Any], dim: int, num_heads: int) -> None:
        self.fn = fn
        self.dim = dim
        self.num_heads = num_heads

    def _recognise(self, recognise: Callable[..., Found], source: Any, dim: int) -> None:
        """Keep the scheme, if it is known; near positions must do where far ones go wrong."""
        for reach in (2048, 64):
            found = recognise(source, dim, min(reach, self.end))
            if found is not None:
                self.match, self.predict = found
                return

    def length(self) -> str:
        """Judge whether the function is defined up to the far position."""
        if self.end == self.far:
            return f"defined at every position tried, up to {self.far}"
        raise _FaultError(
            f"position {self.end + 1} is the first that fails: {self.why}. A table that is looked "
            "up ends with its last row; a formula has no end"
        )

    def _far(self) -> IntArray:
        powers = 2 ** np.arange(8, 18) - 1
        return np.asarray(powers[powers <= self.end])


class _Table(_Subject):
    """``fn(positions)`` or ``fn(positions, dim)``."""

    width: int | None = None

    def rows(self, positions: npt.ArrayLike) -> Array:
        """Return the codes of positions, checked for their form."""
        p = np.asarray(positions)
        arguments = (p, self.dim) if _required(self.fn) == 2 else (p,)
        result, called = _call(self.fn, *arguments)
        array = _numbers(result, called)
        width = array.shape[-1:] if self.width is None else (self.width,)
        if array.shape != (len(p), *width) or 0 in width:
            raise _FaultError(
                f"{called} returned shape {array.shape}; expected ({len(p)}, {self.width or 'd'}): "
                "a row for every position"
            )
        return array

    def runs(self) -> str:
        """Judge whether the function returns a finite row for every position."""
        try:
            near = self.rows(np.arange(4))
        except _FaultError as fault:
            raise _FaultError(f"{fault}{self._takes_a_length()}") from None
        self.width = near.shape[1]
        self.end, self.why = _end(lambda p: self.rows(np.array([p])), self.far)
        self.remembers = not np.array_equal(near, self.rows(np.arange(4)))
        self.table = self.rows(np.arange(min(LENGTH, self.end + 1)))
        self.exact = self.table.astype(np.float64)
        self.tolerance = 1e-9 + 16 * _eps(self.table.dtype)
        if not self._by_company():
            self._recognise(recognise_table, self._float_rows, self.width)
        return f"4 positions give shape {near.shape}"

    def _takes_a_length(self) -> str:
        try:
            rows = _numbers(*_call(self.fn, 4))
        except _FaultError:
            return ""
        if rows.shape[:1] != (4,):
            return ""
        return ". It takes a length; give it positions, or no offset can be meant"

    def _float_rows(self, positions: IntArray) -> FloatArray:
        return self.rows(positions).astype(np.float64)

    def _by_company(self) -> str:
        """Return what is wrong if a row depends on more than its own position."""
        if self.remembers:
            return REMEMBERS
        for some in ([0], [1], [2, 3], [5, 6, 7], [7, 2], [3, self.end]):
            if some[0] >= len(self.exact) or max(some) > self.end:
                continue
            known = [p for p in some if p < len(self.exact)]
            rows = self._float_rows(np.array(some))[: len(known)]
            expected = self.exact[known]
            off = np.abs(rows - expected).max(axis=1)
            differ = off > self.tolerance * (1 + np.abs(expected).max())
            if differ.any():
                at = some[int(differ.argmax())]
                same = np.allclose(rows, self.exact[: len(known)], atol=self.tolerance)
                cause = (
                    f"it is the code of positions 0..{len(some) - 1}: the function counts rows and "
                    "ignores the positions it is given, so that an offset (a cache) is lost"
                    if same
                    else "it depends on the other positions of the call, for example through their "
                    "number or their largest"
                )
                return (
                    f"position {at} in fn(np.array({some})) has another code than in "
                    f"fn(np.arange({len(self.exact)})): {cause}"
                )
        return ""

    def positions(self) -> str:
        """Judge whether a row depends on its own position alone."""
        wrong = self._by_company()
        if wrong:
            raise _FaultError(wrong)
        return "a row depends on its own position alone"

    def _tried(self) -> tuple[IntArray, FloatArray]:
        """Return the near positions and some far ones, and their rows."""
        near, far = np.arange(len(self.exact)), self._far()
        if not far.size:
            return near, self.exact
        return np.concatenate([near, far]), np.concatenate([self.exact, self._float_rows(far)])

    def bounded(self) -> str:
        """Judge whether entries do not grow with the position."""
        limit = 1.5 * max(1.0, float(np.abs(self.exact[:64]).max()))
        at, rows = self._tried()
        size = np.abs(rows).max(axis=1)
        if (size > limit).any():
            first = int((size > limit).argmax())
            raise _FaultError(
                f"an entry of position {at[first]} is {size[first]:.4g} in size, against "
                f"{np.abs(self.exact[:64]).max():.4g} among the first 64 positions: the code grows "
                "and drowns the content"
            )
        return f"no entry is larger than {size.max():.4g} in size"

    def distinct(self) -> str:
        """Judge whether no two rows are equal."""
        _, first, inverse = np.unique(self.table, axis=0, return_index=True, return_inverse=True)
        earlier = first[inverse.reshape(-1)]
        repeated = np.flatnonzero(earlier != np.arange(len(self.table)))
        if repeated.size:
            b = int(repeated[0])
            raise _FaultError(
                f"positions {earlier[b]} and {b} have the same code, one of {repeated.size} "
                f"repeats among {len(self.table)}: the code has a period, or its precision ends "
                f"({PRECISION})"
            )
        return f"{len(self.table)} rows, no two equal"

    def norm(self) -> str:
        """Judge whether every row has the same length."""
        norms = np.linalg.norm(self.exact, axis=1)
        off = np.abs(norms - norms[0]) > self.tolerance * max(1.0, norms[0])
        if off.any():
            p = int(off.argmax())
            apart = float(np.abs(norms - norms[0]).max())
            if apart < FEW_DIGITS * norms[0]:
                raise _FaultError(f"norms differ by up to {apart:.1e}: {SHORTER}")
            raise _FaultError(
                f"the code of position {p} has norm {norms[p]:.6g}, that of position 0 has "
                f"{norms[0]:.6g}: sin^2 + cos^2 = 1 needs both of a pair at the same frequency"
            )
        return f"every row has norm {norms[0]:.6g}"

    def shift(self) -> str:
        """Judge whether scores of codes depend on the offset alone."""
        last = min(256, len(self.exact))
        scores = self.exact[:last] @ self.exact[:last].T
        tolerance = self.tolerance * max(1.0, float(np.abs(scores).max()))
        worst = 0.0
        for k in range(1, last):
            diagonal = np.diagonal(scores, k)
            off = np.abs(diagonal - diagonal[0])
            worst = max(worst, float(off.max()))
            if worst > tolerance:
                p = int((off > tolerance).argmax())
                if worst < FEW_DIGITS * np.abs(scores).max():
                    raise _FaultError(
                        f"PE({p}).PE({p + k}) and PE(0).PE({k}), the same offset {k}, differ by "
                        f"{off[p]:.1e}: {SHORTER}"
                    )
                raise _FaultError(
                    f"PE({p}).PE({p + k}) = {diagonal[p]:.6g}, but PE(0).PE({k}) = "
                    f"{diagonal[0]:.6g}, the same offset {k}: each pair must be a sine and a "
                    "cosine of one angle"
                )
        return f"PE(p).PE(p+k) depends on k alone, to {worst:.1e}"

    def dtype(self) -> str:
        """Judge whether integer and float positions give the same floating table."""
        whole = self.rows(np.arange(4))
        if whole.dtype.kind != "f":
            raise _FaultError(
                f"integer positions give {whole.dtype}: at position 1 the row begins "
                f"{whole[1, :4].tolist()}. The positions' type became the result's; convert them "
                "to float64 first"
            )
        try:
            real = self.rows(np.arange(4.0))
        except _FaultError:  # a table that is looked up takes integers alone
            return f"{whole.dtype} for integer positions, the only ones it takes"
        if not np.allclose(whole, real, atol=16 * _eps(whole.dtype)):
            p = int(np.abs(whole - real).max(axis=1).argmax())
            raise _FaultError(
                f"position {p} as an integer gives {whole[p, :4].round(4).tolist()}, as a float "
                f"{real[p, :4].round(4).tolist()}: convert positions to float64 first"
            )
        if self.predict is not None and self._cuts_fractions():
            raise _FaultError(
                "position 0.5 gets the code of position 0: fractions are cut off, so interpolated "
                "positions would move in steps"
            )
        return f"{whole.dtype} for integer and for float positions"

    def _cuts_fractions(self) -> bool:
        try:
            whole, half, after = self.rows(np.array([0.0, 0.5, 1.0]))
        except _FaultError:
            return False
        return np.array_equal(whole, half) and not np.array_equal(whole, after)

    def phase(self) -> str:
        """Judge whether far positions are as exact as near ones."""
        if self.predict is None:
            return self._neighbours()
        worst = 0.0
        at, rows = self._tried()
        errors = np.abs(rows - self.predict(at)).max(axis=1)
        for p, error in zip(at.tolist(), errors.tolist(), strict=True):
            # Speeds fitted to 2048 positions are known to one rounding in 2048.
            allowed = 3e-4 + 2 * _eps(self.table.dtype) * (1 + p / LENGTH)
            worst = max(worst, _allow(error, allowed, f"at position {p}"))
        return f"exact to {worst:.1e} at {len(at)} positions, up to {self.end}"

    def _neighbours(self) -> str:
        for p in self._far()[self._far() < self.end]:
            here, after = self.rows(np.array([p, p + 1]))
            if np.array_equal(here, after):
                raise _FaultError(f"positions {p} and {p + 1} have the same code: {PRECISION}")
        return f"neighbours differ, up to position {self.end}"


def _allow(error: float, allowed: float, where: str) -> float:
    if error > allowed:
        cause = "the angle lost digits, or a table wrapped around"
        raise _FaultError(f"{where} an entry is off by {error:.2g}: {cause}; {PRECISION}")
    return error


class _Rotation(_Subject):
    """``fn(x, positions)``."""

    def _vectors(self, *lead: int) -> FloatArray:
        """Return vectors of ordinary size, the same at every run."""
        return np.random.default_rng(0).normal(size=(*lead, self.dim))

    def turn(self, x: Array, positions: npt.ArrayLike) -> Array:
        """Return x turned, checked for its form."""
        result, called = _call(self.fn, x, np.asarray(positions))
        array = _numbers(result, called)
        if array.shape != x.shape:
            raise _FaultError(
                f"{called} returned shape {array.shape}; expected that of x, {x.shape}"
            )
        return array

    def rows(self, x: Array, positions: npt.ArrayLike) -> Array:
        """Return ``x`` of shape (n, dim) turned, with the axes that the function needs."""
        return self.turn(x[self.around], positions).reshape(x.shape)

    def runs(self) -> str:
        """Judge whether the function returns the shape of x."""
        x = self._vectors(5)
        # The last form, (batch, n, heads, dim), has the positions on the wrong axis.
        faults = []
        self.around: tuple[Any, ...]
        for self.around in ((...,), (None, None), (None, slice(None), None)):
            try:
                near = self.rows(x, np.arange(5))
                break
            except _FaultError as fault:
                faults.append(fault)
        else:
            raise faults[0]
        self.end, self.why = _end(lambda p: self.rows(x[:1], np.array([p])), self.far)
        self.remembers = not np.array_equal(near, self.rows(x, np.arange(5)))
        if not self._by_company():
            self._recognise(recognise_rotation, self.maps, self.dim)
        elif self._ignores():
            self.match = Match("rope", note="the positions that are given are ignored")
        return f"x of shape {x[self.around].shape} keeps its shape"

    def maps(self, positions: IntArray) -> FloatArray:
        """Return the matrix of every position, one column a basis vector."""
        basis = np.tile(np.eye(self.dim), (len(positions), 1))
        columns = self.rows(basis, np.repeat(positions, self.dim))
        return columns.reshape(-1, self.dim, self.dim).transpose(0, 2, 1)

    def _ignores(self) -> bool:
        x = self._vectors(3)
        return bool(np.allclose(self.rows(x, np.arange(3)), self.rows(x, np.arange(5, 8))))

    def _by_company(self) -> str:
        if self.remembers:
            return REMEMBERS
        x = self._vectors(9)
        at = np.minimum([*range(8), self.end], self.end)
        together = self.rows(x, at)
        for some in ([1], [2, 3], [5, 6, 7], [7, 2]):
            alone = self.rows(x[some], at[some])
            off = np.abs(alone - together[some]).max(axis=1) > 1e-3
            if off.any():
                p = some[int(off.argmax())]
                cause = (
                    "the function counts rows and ignores the positions it is given, so that an "
                    "offset (a cache) is lost"
                    if self._ignores()
                    else "the turn depends on the other positions of the call"
                )
                return f"a vector at position {p} turns otherwise alone than among others: {cause}"
        return ""

    def positions(self) -> str:
        """Judge whether a turn depends on the vector's own position alone."""
        wrong = self._by_company()
        if wrong:
            raise _FaultError(wrong)
        return "a turn depends on the vector's own position alone"

    def norm(self) -> str:
        """Judge whether lengths of vectors are kept."""
        at = np.arange(min(64, self.end + 1))
        x = self._vectors(len(at))
        before, after = np.linalg.norm(x, axis=1), np.linalg.norm(self.rows(x, at), axis=1)
        off = np.abs(after / before - 1)
        if (off > 1e-5).any():
            p = int((off > 1e-5).argmax())
            scale = float((after / before).mean())
            if np.ptp(after / before) < 1e-5 * scale:
                raise _FaultError(
                    f"every vector is multiplied by {scale:.6g}: an attention factor does that; "
                    "without one, a factor has crept in"
                )
            raise _FaultError(
                f"at position {p} a vector of norm {before[p]:.6g} comes out with {after[p]:.6g}: "
                "a pair must become (a cos - b sin, a sin + b cos), both with one angle"
            )
        return f"norms are kept, to {off.max():.1e}"

    def shift(self) -> str:
        """Judge whether scores depend on the offset alone."""
        q, k = self._vectors(2)
        last = min(128, self.end)
        at = np.arange(last + 1)
        queries = self.rows(np.tile(q, (len(at), 1)), at).astype(np.float64)
        keys = self.rows(np.tile(k, (len(at), 1)), at).astype(np.float64)
        scores = queries @ keys.T
        worst = 0.0
        for offset in range(last + 1):
            diagonal = np.diagonal(scores, offset)
            off = np.abs(diagonal - diagonal[0])
            worst = max(worst, float(off.max()))
            if worst > 1e-4 * self.dim:
                m = int((off > 1e-4 * self.dim).argmax())
                raise _FaultError(
                    f"the score of query {m} and key {m + offset} is {diagonal[m]:.6g}, that of "
                    f"query 0 and key {offset} is {diagonal[0]:.6g}, the same offset {offset}: "
                    "positions do not enter as a rotation of pairs"
                )
        return f"scores depend on key minus query alone, to {worst:.1e}"

    def distinct(self) -> str:
        """Judge whether no two positions turn a vector alike."""
        at = np.arange(min(128, self.end + 1))
        turned = self.rows(np.tile(self._vectors(1), (len(at), 1)), at)
        apart = np.abs(turned[:, None] - turned).max(axis=-1) > 1e-12
        a, b = np.nonzero(np.triu(~apart, 1))
        if a.size:
            first = int(b.argmin())
            raise _FaultError(
                f"positions {a[first]} and {b[first]} turn a vector alike: what is computed from "
                "the positions must reach the result"
            )
        return f"{len(at)} positions turn a vector to {len(at)} places"

    def batch(self) -> str:
        """Judge whether every item and head is turned alike, along axis -2."""
        if len(self.around) == 3:
            raise _FaultError(
                "positions run along axis -3: with x of shape (batch, heads, n, dim) heads are "
                "turned instead of tokens. Give positions to axis -2"
            )
        x = self._vectors(2, 3, 5)
        at = np.minimum(np.arange(5) + 4, self.end)
        turned = self.turn(x, at)
        for item, head in np.ndindex(2, 3):
            if not np.allclose(turned[item, head], self.rows(x[item, head], at), atol=1e-4):
                raise _FaultError(
                    f"with x of shape {x.shape}, item {item}, head {head} is turned otherwise than "
                    "alone: positions must run along axis -2, whatever axes stand before"
                )
        return f"x of shape {x.shape}: every item and head is turned as it is alone"

    def dtype(self) -> str:
        """Judge whether the result has the type of x."""
        for name in ("float64", "float32", "float16"):
            got = self.rows(self._vectors(3).astype(name), np.arange(3)).dtype
            if got != name:
                raise _FaultError(
                    f"x of {name} comes back as {got}: cast cos and sin, computed in float64, to "
                    "the type of x"
                )
        return "the type of x: float64, float32 and float16 alike"

    def phase(self) -> str:
        """Judge whether far positions are as exact as near ones, in every type."""
        x = np.clip(self._vectors(1), -1, 1)
        worst = self._near_error()
        for p in self._far():
            at = np.array([p])
            exact = self.rows(x, at) if self.predict is None else x @ self.predict(at)[0].T
            for name, allowed in (("float64", 3e-4), ("float16", 1e-2)):
                turned = self.rows(x.astype(name), at).astype(np.float64)
                error = float(np.abs(turned - exact).max())
                _allow(error, allowed, f"x of {name}: at position {p}")
                worst = max(worst, error * (name == "float64"))
        return f"exact to {worst:.1e} at the positions tried, up to {self.end}"

    def _near_error(self) -> float:
        """Return the largest error of the first positions, if the scheme is known."""
        if self.predict is None:
            return 0.0
        worst = 0.0
        at = np.arange(min(512, self.end + 1))
        x = np.clip(self._vectors(len(at)), -1, 1)
        turned = self.rows(x, at)
        for p in at:  # one by one: a matrix each
            error = float(np.abs(turned[p] - self.predict(at[p : p + 1])[0] @ x[p]).max())
            worst = max(worst, _allow(error, 3e-4, f"at position {p}"))
        return worst


class _Bias(_Subject):
    """``fn(q_positions, k_positions)``, ``fn(q_len, k_len)`` or ``fn(num_heads, q_len, k_len)``."""

    far = 2047  # a plain function fills the whole square, whatever rows it returns

    def bias(self, queries: IntArray, keys: IntArray) -> Array:
        """Return the bias, checked for its form; a length stands for the last positions."""
        shape = (len(queries), len(keys))
        arguments: tuple[Any, ...] = (queries, keys) if self.by_positions else shape
        if _required(self.fn) == 3:
            arguments = (self.num_heads, *arguments)
        result, called = _call(self.fn, *arguments)
        array = _numbers(result, called, masked=True)
        if array.shape[-2:] != shape or array.size == 0:
            raise _FaultError(
                f"{called} returned shape {array.shape}; expected (..., {shape[0]}, {shape[1]}): a "
                "row for every query, a column for every key"
            )
        return array

    def heads(self, queries: IntArray, keys: IntArray) -> FloatArray:
        """Return the bias in float64 with one axis for all that stands before the queries."""
        array = self.bias(queries, keys).astype(np.float64)
        return array.reshape(-1, *array.shape[-2:])

    def runs(self) -> str:
        """Judge whether the function returns a row for every query, a column for every key."""
        at = np.arange(9)
        faults = []
        for self.by_positions in (True, False):
            try:
                shape = self.bias(at[4:], at).shape
                break
            except _FaultError as fault:
                faults.append(str(fault))
        else:
            raise _FaultError("; and ".join(faults))
        self.end, self.why = _end(lambda p: self.bias(np.array([p]), np.arange(p + 1)), self.far)
        some = np.arange(min(300, self.end + 1))
        square = self.heads(some, some)
        twelve = np.arange(12)
        self.whole, self.part = self.heads(twelve, twelve), self.heads(twelve[-2:], twelve)
        self.counts_from_the_end = np.allclose(self.part, self.whole[:, -2:], atol=1e-6)
        self.last_row = square[:, -1]
        if self.counts_from_the_end:
            self.last_row = self.heads(np.array([self.end]), np.arange(self.end + 1))[:, 0]
        self.match = recognise_bias(square, self.last_row)
        return f"5 queries and 9 keys give shape {shape}"

    def shift(self) -> str:
        """Judge whether the bias depends on key minus query alone."""
        bias = self.heads(np.arange(40), np.arange(40))
        for offset in sorted(range(-39, 40), key=abs):
            diagonal = np.diagonal(bias, offset, 1, 2)
            same = np.isclose(diagonal, diagonal[:, :1], rtol=1e-3, atol=1e-6).all(axis=0)
            if not same.all():
                i = int((~same).argmax())
                m, first = i + max(0, -offset), max(0, -offset)
                head = int((~np.isclose(diagonal[:, i], diagonal[:, 0], rtol=1e-3)).argmax())
                raise _FaultError(
                    f"query {m}, key {m + offset} has bias {diagonal[head, i]:.4g}, query {first}, "
                    f"key {first + offset} has {diagonal[head, 0]:.4g}, the same offset {offset}: "
                    "use key minus query and nothing else"
                )
        near, far = bias[:, -1, ::-1], self.last_row[:, ::-1]
        off = ~np.isclose(near, far[:, :40], rtol=1e-3, atol=1e-6)
        if off.any():
            head, distance = np.argwhere(off)[0]
            raise _FaultError(
                f"query 39 gives {near[head, distance]:.4g} to the key at distance {distance}, "
                f"query {far.shape[1] - 1} gives {far[head, distance]:.4g}: use key minus query "
                "and nothing else"
            )
        return "depends on key minus query alone"

    def cache(self) -> str:
        """Judge whether the last queries with all keys get the last rows of the square."""
        whole, part = self.whole, self.part
        if not self.counts_from_the_end:
            same = np.allclose(part, whole[:, :2])
            cause = (
                "they are counted from 0" if same else "their rows differ from those of the square"
            )
            raise _FaultError(
                f"2 queries with 12 keys are positions 10 and 11, yet {cause}: bias of the last "
                f"query to the last key {part[0, -1, -1]:.4g}, expected {whole[0, -1, -1]:.4g}. "
                "Add k_len - q_len to the query's index"
            )
        return "2 queries with 12 keys get the last 2 rows of the square"

    def distinct(self) -> str:
        """Judge whether some distance gets another bias than the query's own position."""
        last_row = self.heads(np.array([63]), np.arange(64))[:, 0]
        flat = (last_row == last_row[:, -1:]).all(axis=1)
        if flat.any():
            head = int(flat.argmax())
            raise _FaultError(
                f"head {head} gives {last_row[head, 0]:.4g} to all of 64 keys: a softmax ignores it"
            )
        return "every head tells some distances apart"

    def near(self) -> str:
        """Judge whether the bias never rises with the distance to earlier keys."""
        by_distance = self.last_row[:, ::-1]
        rises = np.diff(by_distance, axis=1) > 1e-6
        if rises.any():
            distance = 1 + int(rises.any(axis=0).argmax())
            head = int(rises[:, distance - 1].argmax())
            far, closer = by_distance[head, distance], by_distance[head, distance - 1]
            raise _FaultError(
                f"head {head}: distance {distance} has bias {far:.4g}, distance {distance - 1} has "
                f"{closer:.4g}: a far key is rewarded. A linear bias is -slope * |key - query|"
            )
        return f"a farther key never gets more, up to distance {self.last_row.shape[1] - 1}"

    def dtype(self) -> str:
        """Judge whether the bias has a floating type."""
        got = self.bias(np.arange(4), np.arange(4)).dtype
        if got.kind != "f":
            raise _FaultError(f"the bias is {got}: slopes below 1 are lost; return a floating type")
        return f"{got}"


_SUBJECTS: dict[str, type[Any]] = {"table": _Table, "rotation": _Rotation, "bias": _Bias}
PROPERTIES = {
    "table": (
        *("runs", "positions", "length", "bounded", "distinct"),
        *("norm", "shift", "dtype", "phase"),
    ),
    "rotation": (
        *("runs", "positions", "length", "distinct"),
        *("norm", "shift", "batch", "dtype", "phase"),
    ),
    "bias": ("runs", "shift", "cache", "length", "distinct", "near", "dtype"),
}

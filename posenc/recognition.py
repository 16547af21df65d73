"""Which known scheme a table, a rotation or a bias is: fit its frequencies, then read them.

No base is looked up in a list. Angles are followed over doubling distances, which gives every
frequency to many digits; a base counts as found when its formula reproduces the angles.
"""

import itertools
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from posenc.alibi import alibi_slopes
from posenc.pairs import members
from posenc.relative import t5_bucket

__all__ = ["Match"]

FloatArray = npt.NDArray[np.float64]
ComplexArray = npt.NDArray[np.complex128]
IntArray = npt.NDArray[np.int64]
Predict = Callable[[IntArray], FloatArray]


@dataclass(frozen=True)
class Match:
    """A known scheme; ``note`` is empty if it is exactly the published one.

    ``rotated`` counts the dimensions that turn if the others stay (partial rotation).
    """

    scheme: str
    layout: str | None = None
    base: float | None = None
    rotated: int | None = None
    note: str = ""

    def __str__(self) -> str:
        text = self.scheme
        if self.layout is not None:
            text += f", layout={self.layout!r}"
        if self.base is not None:
            text += f", base={self.base:.10g}"
        if self.rotated is not None:
            text += f", first {self.rotated} dimensions"
        return f"{text}; {self.note}" if self.note else text


Found = tuple[Match, Predict] | None


def _steps(reach: int) -> IntArray:
    """Return 1, 2, 4, ... up to ``reach``."""
    return np.int64(2) ** np.arange(max(1, reach).bit_length())


# Frequencies: from angles to a base


def _speeds(turned: ComplexArray) -> FloatArray:
    """Return radians per position from the unit numbers reached after 1, 2, 4, ... positions.

    An angle is known up to whole turns; the speed found so far says how many were made.
    """
    speed = np.angle(turned[0])
    for doubling, angle in enumerate(np.angle(turned[1:]), start=1):
        whole = np.round((speed * 2**doubling - angle) / (2 * np.pi))
        speed = (angle + 2 * np.pi * whole) / 2**doubling
    return np.asarray(speed)


def _reached(speeds: FloatArray, count: int) -> ComplexArray:
    """Return the unit numbers that the speeds reach after 1, 2, 4, ... positions."""
    return np.asarray(np.exp(1j * speeds * 2.0 ** np.arange(count)[:, None]))


def _error(speeds: FloatArray, turned: ComplexArray) -> float:
    return float(np.abs(_reached(speeds, len(turned)) - turned).max())


@dataclass(frozen=True)
class _Progression:
    base: float | None
    note: str
    speeds: FloatArray


def _progression(turned: ComplexArray, whole_width: int) -> _Progression:
    """Return the geometric progression that reproduces the angles, or the fitted speeds.

    Several readings of the exponent can give the same speeds under different bases. The plainest
    base wins: 10000 under any reading, then one digit, two, three, then whatever was fitted.
    """
    fitted = _speeds(turned)
    if (fitted <= 0).any():
        return _Progression(None, "the frequencies are no geometric progression", fitted)
    pairs = fitted.size
    factor = 1 / float(fitted[0])
    if pairs == 1:  # one pair turns base^0 = 1 radian: it does not tell the base
        return _Progression(None, _divided(factor), fitted)
    i, width = np.arange(pairs), 2 * pairs
    exponents = [
        (2 * i / width, ""),
        (
            i / (pairs - 1),
            "exponent i/(d/2 - 1), the convention of tensor2tensor; the paper's is 2i/d",
        ),
        (2 * (i + 1) / width, "pairs counted from 1: the fastest turns base^(-2/d), not 1 radian"),
    ]
    if whole_width != width:
        note = (
            f"the exponent divides by the whole width {whole_width}; in a partial rotation it "
            f"divides by the rotated width {width}"
        )
        exponents.append((2 * i / whole_width, note))
    unsure = 2 * _error(fitted, turned) / 2 ** (len(turned) - 1)
    # Speeds are known to float32's rounding; failing that, the function may round to 16 bits.
    for rounding, remark in ((2e-7, ""), (4e-3, "the frequencies are rounded to few digits")):
        for digits in (None, 1, 2, 3, 17):
            for exponent, note in exponents:
                # Fast pairs are known best, so they count most.
                weight = fitted**2 * exponent
                fit = np.exp(-(weight @ np.log(fitted)) / (weight @ exponent))
                base = 10000.0 if digits is None else float(f"{fit:.{digits}g}")
                speeds = base**-exponent
                if base > 1 and (abs(speeds - fitted) <= rounding * fitted + unsure).all():
                    notes = note or _HINTS.get(base, ""), remark
                    return _Progression(base, "; ".join(filter(None, notes)), speeds)
    if _divided(factor):
        undivided = _progression(_reached(fitted * factor, len(turned)), width)
        if undivided.base is not None and not undivided.note:
            return _Progression(undivided.base, _divided(factor), undivided.speeds / factor)
    return _Progression(None, "the frequencies are no geometric progression", fitted)


_HINTS = {
    100.0: "if the base was to be 10000, the exponent is i/d and lacks the 2 of 2i/d",
    1e8: "if the base was to be 10000, the exponent is 4i/d, twice the paper's 2i/d",
}


def _divided(factor: float) -> str:
    if abs(factor - 1) < 1e-4:
        return ""
    if factor > 1:
        return f"every frequency is divided by {factor:.6g}, as position interpolation does"
    return f"every frequency is multiplied by {1 / factor:.6g}"


# Tables

TABLE_LAYOUTS = ("interleaved", "concat")


def recognise_table(rows: Callable[[IntArray], FloatArray], dim: int, reach: int) -> Found:
    """Return the scheme of a table and a function that predicts its rows, if it is known."""
    at = np.concatenate([[0], _steps(reach)])
    table = rows(at)
    if not table.any():
        return Match("none"), lambda p: np.zeros((len(p), dim))
    if dim % 2 or reach < 1:
        return None
    for layout in TABLE_LAYOUTS:
        found = _sinusoids(table, layout)
        if found is not None:
            return found
    return _column_exponent(table, at)


def _sinusoids(table: FloatArray, layout: str) -> Found:
    """Read each pair of columns as one complex number that should move on a circle."""
    dim = table.shape[1]
    sine, cosine = members(layout, dim // 2)
    z = table[:, cosine] + 1j * table[:, sine]
    radius = float(np.abs(z).mean())
    if radius == 0 or np.abs(np.abs(z) - radius).max() > 0.01 * radius:
        return None
    z = z / radius
    start, turned = np.angle(z[0]), z[1:] / z[0]
    fitted = _speeds(turned)
    if not fitted.any() or _error(fitted, turned) > 0.01:
        return None
    notes, sign = [], 1.0
    if np.abs(z[0] - 1j).max() < 0.01 and (fitted < 0).all():
        # Read with the roles exchanged, exp(i w p) becomes i exp(-i w p).
        sign = -1.0
        notes.append("cosine stands where the paper has sine")
    elif (fitted < 0).all():
        sign = -1.0
        notes.append("the sines have the opposite sign")
    if abs(radius - 1) > 0.01:
        notes.append(f"every entry is multiplied by {radius:.4g}")
    progression = _progression(turned if sign > 0 else turned.conj(), dim)
    if np.abs(z[0] - 1).max() > 0.01 and np.abs(z[0] - 1j).max() > 0.01:
        first = float(start[-1] / (sign * progression.speeds[-1]))
        if np.abs(np.exp(1j * sign * progression.speeds * first) - z[0]).max() > 0.01:
            return None
        notes.append(f"position 0 gets the code of position {first:.4g}")
    notes += [progression.note] if progression.note else []
    offset = z[0]

    def predict(p: IntArray) -> FloatArray:
        result = np.empty((len(p), dim))
        angles = radius * offset * np.exp(1j * sign * progression.speeds * p[:, None])
        result[:, sine], result[:, cosine] = angles.imag, angles.real
        return result

    return Match("sinusoidal", layout, progression.base, note="; ".join(notes)), predict


def _column_exponent(table: FloatArray, at: IntArray) -> Found:
    """Recognise the exponent that counts columns where the paper counts pairs."""
    dim = table.shape[1]
    column = np.arange(dim)
    second = float(np.arccos(np.clip(table[1, 1], -1, 1)))
    if not 0 < second < 1:
        return None
    for digits in (None, 1, 2, 3):
        for per_column, shown in ((2.0, "2j/d"), (1.0, "j/d")):
            fit = second ** (-dim / per_column)
            base = 10000.0 if digits is None else float(f"{fit:.{digits}g}")
            speeds = base ** (-per_column * column / dim)

            def predict(p: IntArray, speeds: FloatArray = speeds) -> FloatArray:
                angles = p[:, None] * speeds
                return np.asarray(np.where(column % 2, np.cos(angles), np.sin(angles)))

            if np.abs(predict(at) - table).max() < 0.01:
                note = (
                    f"the exponent uses the column number j ({shown}) where the paper has 2i/d "
                    "with the pair number i: sine and cosine of a pair turn at different speeds"
                )
                return Match("sinusoidal", "interleaved", base, note=note), predict
    return None


# Rotations

ROTATION_LAYOUTS = ("half", "interleaved")


def _pairs(layout: str, width: int) -> tuple[IntArray, IntArray]:
    first, second = members(layout, width // 2)
    return np.arange(width)[first], np.arange(width)[second]


def recognise_rotation(matrices: Callable[[IntArray], FloatArray], dim: int, reach: int) -> Found:
    """Return the scheme of a rotation and a function that predicts its matrices, if known.

    ``matrices(p)`` has shape ``(n, dim, dim)``: the linear map of every position.
    """
    at = _steps(reach)
    maps = matrices(at)
    identity = np.eye(dim)
    moved = np.abs(maps - identity).max(axis=(0, 2)) > 1e-12
    width = int(moved.sum())
    if width == 0:
        return Match("none"), lambda p: np.broadcast_to(identity, (len(p), dim, dim))
    if width % 2 or not moved[:width].all():
        return None
    for layout in ROTATION_LAYOUTS:
        found = _turns(maps[:, :width, :width], layout, dim)
        if found is not None:
            return found
    return None


def _turns(maps: FloatArray, layout: str, dim: int) -> Found:
    """Read every row as one turn: cosine on the diagonal, sine at its partner."""
    width = maps.shape[-1]
    a, b = _pairs(layout, width)
    off_pairs = maps.copy()
    for row, column in ((a, a), (b, b), (a, b), (b, a)):
        off_pairs[:, row, column] = 0
    if np.abs(off_pairs).max() > 0.01:
        return None
    rows: ComplexArray = np.empty((len(maps), width), np.complex128)
    rows[:, a] = maps[:, a, a] - 1j * maps[:, a, b]
    rows[:, b] = maps[:, b, b] + 1j * maps[:, b, a]
    radius = float(np.abs(rows).mean())
    if radius == 0 or np.abs(np.abs(rows) - radius).max() > 0.01 * radius:
        return None
    rows = rows / radius
    speeds = _speeds(rows)
    if not speeds.any() or _error(speeds, rows) > 0.01:
        return None
    notes, sign = [], 1.0
    if abs(radius - 1) > 1e-3:
        notes.append(f"lengths are multiplied by {radius:.6g}, as an attention factor does")
    other = "interleaved" if layout == "half" else "half"
    if np.abs(rows[:, a] - rows[:, b]).max() < 0.01:
        if (speeds < 0).all():
            sign = -1.0
            notes.append(
                "turns the other way: the published rotation is (a cos - b sin, a sin + b cos)"
            )
        turned = rows[:, a]
    elif np.abs(rows[:, a] - rows[:, b].conj()).max() < 0.01:
        notes.append("both sines have the same sign: a rotation is (a cos - b sin, a sin + b cos)")
        turned = rows[:, b] if (speeds[b] > 0).all() else rows[:, a]
    else:
        first, second = _pairs(other, width)
        if np.abs(rows[:, first] - rows[:, second]).max() > 0.01:
            return None
        notes.append(
            f"cos and sin are laid out for layout={other!r}, but the pairs that turn are those of "
            f"layout={layout!r}: the two entries of a pair turn by different angles"
        )
        turned = rows[:, first]
    progression = _progression(turned if sign > 0 else turned.conj(), dim)
    notes += [progression.note] if progression.note else []
    if np.abs(rows[:, a] - rows[:, b]).max() < 0.01:
        speeds[a] = speeds[b] = sign * progression.speeds

    def predict(p: IntArray) -> FloatArray:
        angles = radius * np.exp(1j * speeds * p[:, None])
        result = np.zeros((len(p), dim, dim))
        rest = np.arange(width, dim)
        result[:, rest, rest] = 1
        result[:, a, a], result[:, a, b] = angles.real[:, a], -angles.imag[:, a]
        result[:, b, b], result[:, b, a] = angles.real[:, b], angles.imag[:, b]
        return result

    rotated = width if width < dim else None
    return Match("rope", layout, progression.base, rotated, "; ".join(notes)), predict


# Biases

ONE_ROW = "one row for all queries: right only under a causal mask, where softmax removes the shift"
MASKED = -6e4  # float16 ends at -65504, which stands for minus infinity there


def recognise_bias(bias: FloatArray, far: FloatArray) -> Match | None:
    """Return the scheme of a bias of shape ``(heads, n, n)``, if it is known.

    ``far`` is the last row of a longer text, ``(heads, length)``: there the scheme must go on.
    """
    match = _near_scheme(bias)
    near, far = bias[:, -1, ::-1], far[:, ::-1]
    if match and match.note == ONE_ROW:  # known up to a constant
        near, far = near - near[:, :1], far - far[:, :1]
    return match if match and _goes_on(near, far) else None


def _goes_on(near: FloatArray, far: FloatArray) -> bool:
    """Whether a bias by distance goes on as it began: in a line, or with its last number."""
    line = near[:, :1] + (near[:, 1:2] - near[:, :1]) * np.arange(far.shape[1])
    level = np.concatenate([near, np.repeat(near[:, -1:], far.shape[1], axis=1)], axis=1)
    ends = (line, level[:, : far.shape[1]])
    return any(np.allclose(far, goes, rtol=1e-2, atol=1e-6) for goes in ends)


def _near_scheme(bias: FloatArray) -> Match | None:
    heads, n, _ = bias.shape
    offsets = np.arange(1 - n, n)
    rows = np.maximum(-offsets, 0)
    by_offset = bias[:, rows, rows + offsets]
    if not np.allclose(bias, by_offset[:, (np.arange(n) - np.arange(n)[:, None]) + n - 1]):
        return _one_row(bias)
    past = by_offset[:, : n - 1][:, ::-1]  # offsets -1, -2, ...
    future = by_offset[:, n:]
    now = by_offset[:, n - 1]
    if not by_offset.any():
        return Match("none")
    if not now.any() and np.allclose(past, past[:, :1] * np.arange(1, n), rtol=1e-2):
        return _slopes(-past[:, 0], past, future, heads)
    return _bucketed(by_offset, offsets)


def _slopes(slopes: FloatArray, past: FloatArray, future: FloatArray, heads: int) -> Match | None:
    notes = []
    if np.allclose(future, -past, rtol=1e-2):
        notes.append(
            "no absolute value: keys of the future are rewarded, so only a causal mask saves it"
        )
    elif (future < MASKED).all():
        notes.append("the causal mask is part of it")
    elif not future.any():
        notes.append("keys of the future get 0: right only under a causal mask")
    elif not np.allclose(future, past, rtol=1e-2):
        return None
    if (slopes < 0).all():
        slopes = -slopes
        notes.append("the sign is wrong: far keys are rewarded")
    head = np.arange(heads)
    if np.allclose(slopes, alibi_slopes(heads), rtol=5e-3):
        pass
    elif np.allclose(slopes, 2 ** (-8 * (head + 1) / heads), rtol=5e-3):
        notes.append(
            f"the formula 2^(-8h/n) at {heads} heads; the released code, which models use, "
            "differs where the count is no power of two"
        )
    elif heads > 1 and np.allclose(slopes, 2 ** (-8 * head / heads), rtol=5e-3):
        notes.append("heads are counted from 0, so the first slope is 1; the paper counts from 1")
    else:
        shown = ", ".join(f"{slope:.4g}" for slope in slopes[:4])
        notes.append(f"the slopes are its own: {shown}{', ...' if heads > 4 else ''}")
    return Match("alibi", note="; ".join(notes))


def _one_row(bias: FloatArray) -> Match | None:
    """Recognise ALiBi cut down to the key's position: rows that differ by a constant."""
    centred = bias - bias[:, :, :1]
    step = centred[:, 0, 1]
    if not np.allclose(centred, step[:, None, None] * np.arange(bias.shape[2]), rtol=1e-2):
        return None
    if not step.any():
        return None
    return Match("alibi", note=ONE_ROW)


def _bucketed(by_offset: FloatArray, offsets: IntArray) -> Match | None:
    """Recognise a bias that is constant within T5's buckets, or beyond a clipping distance."""
    last = int(offsets[-1])
    if np.isfinite(by_offset).all():
        changes = by_offset[:, 1:] != by_offset[:, :-1]
        changes = changes.any(axis=0)
        for buckets, both, distance in itertools.product(
            (32, 16), (True, False), (128, 32, 64, 256)
        ):
            bucket = t5_bucket(
                offsets, bidirectional=both, num_buckets=buckets, max_distance=distance
            )
            if last > distance and np.array_equal(changes, np.diff(bucket) != 0):
                side = "bidirectional" if both else "causal"
                return Match("t5", note=f"{side}, {buckets} buckets, max_distance {distance}")
        between = np.abs(offsets[1:] - 0.5)
        edge = int(between[changes].max(initial=0) + 0.5)
        # Every offset within the clip has a number of its own.
        if 0 < edge < last and np.array_equal(changes, between < edge):
            return Match("shaw", note=f"offsets clipped at {edge}")
    return None

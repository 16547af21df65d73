"""The checker against right functions of every kind, and against mistakes that people make."""

import numpy as np
import pytest

import posenc
from posenc.checker import CheckReport, check

FREQUENCIES = 10000.0 ** (-np.arange(0, 64, 2) / 64)
TABLE = np.random.default_rng(0).normal(size=(512, 64))


# Right functions


def rope(layout, base=10000.0, width=None):
    def turn(x, positions):
        frequencies = posenc.inv_freq(width or x.shape[-1], base=base)
        cos, sin = posenc.rope_cos_sin(positions, frequencies, dtype=x.dtype)
        return posenc.apply_rope(x, cos, sin, layout=layout)

    return turn


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("layout", ["interleaved", "concat"])
@pytest.mark.parametrize("base", [10, 37.5, 10000, 20221, 500000, 1e7])
@pytest.mark.parametrize("dim", [4, 6, 64])
def test_a_sinusoidal_table_is_read_with_its_base(dim, base, layout, dtype):
    report = check(
        lambda positions: posenc.sinusoidal(positions, dim, base=base, layout=layout, dtype=dtype),
        kind="table",
    )
    assert report.ok, report
    assert report.match.scheme == "sinusoidal"
    assert report.match.layout == layout
    assert report.match.base == pytest.approx(base, rel=3e-3 if dtype == np.float16 else 1e-6)
    assert report.match.note == ""


@pytest.mark.parametrize("layout", ["half", "interleaved"])
@pytest.mark.parametrize("base", [50, 10000, 500000, 1e6])
@pytest.mark.parametrize("dim", [4, 64, 128])
def test_a_rotation_is_read_with_its_base(dim, base, layout):
    report = check(rope(layout, base), kind="rotation", dim=dim)
    assert report.ok, report
    assert str(report.match) == f"rope, layout='{layout}', base={base:.10g}"


def test_a_partial_rotation_says_how_much_turns():
    match = check(rope("half", width=16), kind="rotation").match
    assert str(match) == "rope, layout='half', base=10000, first 16 dimensions"
    assert match.note == ""


@pytest.mark.parametrize("num_heads", [1, 3, 8, 12, 40])
def test_alibi_is_known_by_its_slopes(num_heads):
    report = check(posenc.alibi_bias, kind="bias", num_heads=num_heads)
    assert report.ok, report
    assert str(report.match) == "alibi"


@pytest.mark.parametrize("bidirectional", [True, False])
def test_t5_is_known_by_its_buckets(bidirectional):
    table = np.random.default_rng(1).normal(size=(32, 4))

    def bias(q_len, k_len):
        return posenc.t5_bias(table, q_len, k_len, bidirectional=bidirectional)

    report = check(bias, kind="bias")
    side = "bidirectional" if bidirectional else "causal"
    assert str(report.match) == f"t5; {side}, 32 buckets, max_distance 128"
    assert [p.name for p in report.properties if not p.holds] == ["near"]


def test_a_learned_table_ends_and_is_not_a_scheme():
    report = check(lambda positions: TABLE[positions], kind="table")
    assert [p.name for p in report.properties if not p.holds] == ["length", "norm", "shift"]
    assert report.match is None
    assert "position 512 is the first that fails" in str(report)


def test_one_pair_does_not_tell_the_base():
    match = check(lambda p: posenc.sinusoidal(p, 2), kind="table").match
    assert str(match) == "sinusoidal, layout='interleaved'"
    assert str(check(rope("half"), kind="rotation", dim=2).match) == "rope, layout='half'"


def test_a_table_of_a_few_rows_can_be_judged():
    report = check(lambda positions: TABLE[:5, :2][positions], kind="table")
    assert "position 5 is the first that fails" in str(report)
    assert report.holds("distinct")
    assert report.holds("positions")


def test_a_report_is_a_table_in_a_notebook():
    page = check(lambda p: p < 3, kind="table")._repr_html_()
    assert page.startswith("<table><caption>check of a table</caption><tr><th>property</th>")
    assert "<td>runs</td><td>NO</td><td>fn(np.arange(4)) returned dtype bool" in page
    raised = check(lambda p: p[None, "<b>"], kind="table")._repr_html_()
    assert "<b>" not in raised


def test_arguments_survive_a_function_that_writes_into_them():
    def in_place(x, positions):
        x *= 2
        positions += 1
        return x

    report = check(in_place, kind="rotation")
    assert "multiplied by 2" in next(p.message for p in report.properties if p.name == "norm")


def test_a_property_is_asked_for_by_its_name():
    report = check(lambda p: posenc.sinusoidal(p, 8), kind="table")
    assert report.holds("shift")
    with pytest.raises(ValueError, match="name='batch': must be one of 'runs', 'positions'"):
        report.holds("batch")


def test_a_scheme_of_nothing_is_named():
    assert str(check(lambda p: np.zeros((len(p), 8)), kind="table").match) == "none"
    assert str(check(lambda x, p: x, kind="rotation").match) == "none"
    assert str(check(lambda q, k: np.zeros((q, k)), kind="bias").match) == "none"


# Mistakes: the function, the properties that fail, a piece of their message, a piece of the match


def angles(positions, frequencies=FREQUENCIES):
    return np.asarray(positions, np.float64)[:, None] * frequencies


def interleaved(angle):
    return np.stack([np.sin(angle), np.cos(angle)], axis=-1).reshape(len(angle), -1)


def column_number(positions, step=2):
    column = np.arange(64)
    angle = np.outer(positions, 10000.0 ** (-step * column / 64))
    return np.where(column % 2, np.cos(angle), np.sin(angle))


def tensor2tensor(positions):
    angle = angles(positions, 10000.0 ** (-np.arange(32) / 31))
    return np.concatenate([np.sin(angle), np.cos(angle)], axis=1)


def half_precision_phase(positions):
    phase = positions.astype(np.float16)[:, None] * FREQUENCIES.astype(np.float16)
    return interleaved(phase)


def binary(positions):
    return (np.asarray(positions)[:, None] >> np.arange(20)) & 1


def no_return(positions):
    np.sin(angles(positions))


TABLES = {
    "column number as exponent": (
        column_number,
        {
            "norm": "sin^2 + cos^2 = 1 needs both of a pair at the same frequency",
            "shift": "the same offset 1",
        },
        "base=10000; the exponent uses the column number j (2j/d)",
    ),
    "column number without the 2": (
        lambda p: column_number(p, 1),
        {"norm": "position 1 has norm", "shift": "PE(0).PE(1)"},
        "base=10000; the exponent uses the column number j (j/d)",
    ),
    "cosine first": (
        lambda p: interleaved(angles(p))[:, np.arange(64) ^ 1],
        {},
        "layout='interleaved', base=10000; cosine stands where the paper has sine",
    ),
    "tensor2tensor": (tensor2tensor, {}, "exponent i/(d/2 - 1), the convention of tensor2tensor"),
    "exponent i/d": (
        lambda p: interleaved(angles(p, 10000.0 ** (-np.arange(32) / 64))),
        {},
        "base=100; if the base was to be 10000, the exponent is i/d and lacks the 2 of 2i/d",
    ),
    "pairs from 1": (
        lambda p: interleaved(angles(p, 10000.0 ** (-np.arange(1, 33) / 32))),
        {},
        "base=10000; pairs counted from 1",
    ),
    "positions from 1": (
        lambda p: interleaved(angles(p + 1)),
        {},
        "position 0 gets the code of position 1",
    ),
    "minus sine": (
        lambda p: interleaved(angles(-p)),
        {},
        "base=10000; the sines have the opposite sign",
    ),
    "positions ignored": (
        lambda p: interleaved(angles(np.arange(len(p)))),
        {
            "positions": "position 1 in fn(np.array([1])) has another code than in "
            "fn(np.arange(2048)): it is the code of positions 0..0",
        },
        "no known scheme",
    ),
    "divided by the length": (
        lambda p: np.stack([p / len(p), 1 - p / len(p)], axis=1),
        {
            "positions": "it depends on the other positions of the call",
            "bounded": "position 255",
            "norm": "",
            "shift": "",
        },
        "no known scheme",
    ),
    "raw index": (
        lambda p: np.asarray(p, float)[:, None],
        {
            "bounded": "an entry of position 95 is 95 in size, against 63 among the first 64",
            "norm": "position 1 has norm 1, that of position 0 has 0",
            "shift": "PE(1).PE(2) = 2, but PE(0).PE(1) = 0",
        },
        "no known scheme",
    ),
    "binary digits": (
        binary,
        {"dtype": "integer positions give int64", "norm": "", "shift": ""},
        "no known scheme",
    ),
    "sine alone": (
        lambda p: np.sin(angles(p)),
        {"norm": "position 1", "shift": "each pair must be a sine and a cosine of one angle"},
        "no known scheme",
    ),
    "a period": (
        lambda p: interleaved(angles(p % 10)),
        {"distinct": "positions 0 and 10 have the same code", "shift": "the same offset 1"},
        "no known scheme",
    ),
    "cast to the positions' type": (
        lambda p: interleaved(angles(p)).astype(np.asarray(p).dtype),
        {
            "dtype": "The positions' type became the result's",
            "distinct": "positions 1 and 2 have the same code",
            "norm": "",
            "phase": "",
        },
        "no known scheme",
    ),
    "half precision": (
        half_precision_phase,
        {"length": "returned nan", "phase": "in float64 and cast cos and sin last"},
        "base=10000; the frequencies are rounded to few digits",
    ),
    "a length, not positions": (
        lambda n: interleaved(angles(np.arange(n))),
        {"runs": "It takes a length; give it positions, or no offset can be meant"},
        "no known scheme",
    ),
    "a number": (
        lambda n: np.ones(3),
        {"runs": "returned shape (3,); expected (4, d)"},
        "no known",
    ),
    "a builtin": (max, {"runs": "fn(np.arange(4)) returned shape ()"}, "no known scheme"),
    "a function of numpy": (np.sin, {"runs": "fn(np.arange(4)) returned shape (4,)"}, "no known"),
    "truth values": (lambda p: p[:, None] > 2, {"runs": "returned dtype bool"}, "no known scheme"),
    "other values for integers": (
        lambda p: interleaved(angles(p)) / (1 + (p.dtype.kind == "i")),
        {"dtype": "position 0 as an integer gives [0.0, 0.5, 0.0, 0.5], as a float"},
        "every entry is multiplied by 0.5",
    ),
    "twice as fast": (
        lambda p: interleaved(angles(2 * p)),
        {},
        "base=10000; every frequency is multiplied by 2",
    ),
    "learned frequencies": (
        lambda p: interleaved(angles(p, np.random.default_rng(1).uniform(0.01, 1, 8))),
        {},
        "layout='interleaved'; the frequencies are no geometric progression",
    ),
    "a pair that stands still": (
        lambda p: interleaved(angles(p, np.array([1.0, 0.1, 0.01, 0.0]))),
        {},
        "layout='interleaved'; the frequencies are no geometric progression",
    ),
    "phases of its own": (
        lambda p: interleaved(angles(p) + np.arange(32)),
        {},
        "no known scheme",
    ),
    "one column more": (
        lambda p: np.pad(interleaved(angles(p)), ((0, 0), (0, 1)), constant_values=1),
        {},
        "no known scheme",
    ),
    "transposed": (
        lambda p: interleaved(angles(p)).T,
        {"runs": "returned shape (64, 4); expected (4, d): a row for every position"},
        "no known scheme",
    ),
    "no return": (no_return, {"runs": "returned NoneType (is a return missing?)"}, "no known"),
    "as wide as the call": (
        lambda p: np.eye(len(p)),
        {"runs": "returned shape (1, 1); expected (1, 4)"},
        "no known scheme",
    ),
    "ragged": (lambda p: [[1.0, 2.0], [3.0]], {"runs": "rows of different lengths"}, "no known"),
    "a constant": (
        lambda p: np.ones((len(p), 4)),
        {"distinct": "positions 0 and 1 have the same code", "phase": ""},
        "no known scheme",
    ),
    "nan": (
        lambda p: np.log(np.asarray(p, float)[:, None] - 1),
        {"runs": "fn(np.arange(4)) returned nan at index (0, 0)"},
        "no known scheme",
    ),
}


def dynamic_base(positions):
    """Return the base of dynamic NTK scaling at twice 4096, which grows with the longest."""
    return posenc.dynamic_ntk_base(10_000, 64, 2, int(max(positions)) + 1, 4096)


def that_remembers(fn):
    """Return fn with positions divided by the longest text so far, in texts of 4096."""
    longest = 4096

    def remembering(*arguments):
        nonlocal longest
        *rest, positions = arguments
        longest = max(longest, int(max(positions)))
        return fn(*rest, np.asarray(positions) * 4096 / longest)

    return remembering


def half_off(positions, first, last):
    """Return positions that are half a step off in one stretch."""
    p = np.asarray(positions, np.float64)
    return p + 0.5 * ((p >= first) & (p <= last))


def of_a_hundred(positions):
    if max(positions) >= 100:
        raise IndexError("the table has 100 rows")
    return interleaved(angles(positions))


TABLES |= {
    "a stub": (
        lambda p: np.zeros((len(p), 8)),
        {"distinct": "positions 0 and 1 have the same code"},
        "none",
    ),
    "float32 in disguise": (
        lambda p: interleaved(angles(p)).astype(np.float32).astype(np.float64),
        {
            "norm": "the values have fewer digits than their type, as if rounded to a shorter one",
            "shift": "the same offset 1, differ by",
        },
        "base=10000",
    ),
    "ends early, and asks for the largest": (
        of_a_hundred,
        {"length": "position 100 is the first that fails"},
        "base=10000",
    ),
    "fractions cut off": (
        lambda p: interleaved(angles(np.asarray(p).astype(int))),
        {"dtype": "position 0.5 gets the code of position 0: fractions are cut off"},
        "base=10000",
    ),
    "wrong in the middle": (
        lambda p: interleaved(angles(half_off(p, 300, 399))),
        {"phase": "at position 300 an entry is off"},
        "base=10000",
    ),
    "dynamic base": (
        lambda p: interleaved(angles(p, posenc.inv_freq(64, base=dynamic_base(p)))),
        {
            "positions": "position 3 in fn(np.array([3, 131071])) has another code than in",
        },
        "no known scheme",
    ),
    "remembers": (
        that_remembers(lambda p: interleaved(angles(p))),
        {"positions": "the function keeps something of earlier calls"},
        "no known scheme",
    ),
}


def tables(x, positions, repeat):
    angle = np.multiply.outer(positions, FREQUENCIES[: x.shape[-1] // 2])
    wide = np.repeat(angle, 2, axis=-1) if repeat else np.concatenate([angle, angle], axis=-1)
    return np.cos(wide).astype(x.dtype), np.sin(wide).astype(x.dtype)


def rotate_half(x):
    first, second = np.split(x, 2, axis=-1)
    return np.concatenate([-second, first], axis=-1)


def rotate_pairs(x):
    return np.stack([-x[..., 1::2], x[..., 0::2]], axis=-1).reshape(x.shape)


def mixed(x, positions):
    cos, sin = tables(x, positions, repeat=True)
    return x * cos + rotate_half(x) * sin


def mixed_the_other_way(x, positions):
    cos, sin = tables(x, positions, repeat=False)
    return x * cos + rotate_pairs(x) * sin


def both_plus(x, positions):
    cos, sin = tables(x, positions, repeat=False)
    return x * cos + np.roll(x, 32, axis=-1) * sin


def head_axis(x, positions):
    """Expect (batch, n, heads, dim), as some attention kernels do."""
    cos, sin = tables(x, positions, repeat=False)
    return x * cos[:, None] + rotate_half(x) * sin[:, None]


def heads_as_tokens(x, positions):
    cos, sin = tables(x, positions, repeat=False)
    if x.ndim == 4:
        cos, sin = cos[: x.shape[1], None], sin[: x.shape[1], None]
    return x * cos + rotate_half(x) * sin


def wide_result(x, positions):
    cos, sin = tables(x.astype(np.float64), positions, repeat=False)
    return x * cos + rotate_half(x) * sin


def half_precision_angles(x, positions):
    angle = np.multiply.outer(positions.astype(x.dtype), FREQUENCIES.astype(x.dtype))
    cos, sin = (np.concatenate([f(angle)] * 2, axis=-1) for f in (np.cos, np.sin))
    return x * cos + rotate_half(x) * sin


def single_precision_angles(x, positions):
    angle = np.multiply.outer(positions.astype(np.float32), FREQUENCIES.astype(np.float32))
    cos, sin = (np.concatenate([f(angle)] * 2, axis=-1).astype(x.dtype) for f in (np.cos, np.sin))
    return x * cos + rotate_half(x) * sin


def whole_width_exponent(x, positions):
    cos, sin = posenc.rope_cos_sin(positions, posenc.inv_freq(64)[:8], dtype=x.dtype)
    return posenc.apply_rope(x, cos, sin, layout="half")


def wraps(x, positions):
    return rope("half")(x, positions % 512)


def one_axis_too_many(x, positions):
    return rope("half")(x, positions)[None]


ROTATIONS = {
    "tables interleaved, pairs half": (
        mixed,
        {"norm": "both with one angle", "shift": "positions do not enter as a rotation"},
        "layout='half', base=10000; cos and sin are laid out for layout='interleaved'",
    ),
    "tables half, pairs interleaved": (
        mixed_the_other_way,
        {"norm": "at position 1", "shift": "the same offset"},
        "layout='interleaved', base=10000; cos and sin are laid out for layout='half'",
    ),
    "the other way": (
        lambda x, p: rope("half")(x, -p),
        {},
        "base=10000; turns the other way: the published rotation is",
    ),
    "both signs plus": (
        both_plus,
        {"norm": "(a cos - b sin, a sin + b cos)", "shift": "score of query"},
        "both sines have the same sign",
    ),
    "positions ignored": (
        lambda x, p: rope("half")(x, np.arange(len(p))),
        {"positions": "ignores the positions it is given, so that an offset (a cache) is lost"},
        "the positions that are given are ignored",
    ),
    "positions on axis -3": (
        head_axis,
        {"batch": "positions run along axis -3"},
        "rope, layout='half', base=10000",
    ),
    "heads turned as tokens": (
        heads_as_tokens,
        {"batch": "item 0, head 0 is turned otherwise than alone"},
        "rope, layout='half', base=10000",
    ),
    "float64 comes back": (
        wide_result,
        {"dtype": "x of float32 comes back as float64"},
        "rope, layout='half', base=10000",
    ),
    "angles in the type of x": (
        half_precision_angles,
        {"phase": "x of float16: at position 255"},
        "rope, layout='half', base=10000",
    ),
    "angles in float32": (
        single_precision_angles,
        {"phase": "compute positions * inv_freq in float64"},
        "rope, layout='half', base=10000",
    ),
    "whole width in the exponent": (
        whole_width_exponent,
        {},
        "base=10000, first 16 dimensions; the exponent divides by the whole width 64; in a partial "
        "rotation it divides by the rotated width 16",
    ),
    "every other pair": (
        lambda x, p: np.where(np.arange(64) % 4 < 2, rope("interleaved")(x, p), x),
        {},
        "no known scheme",
    ),
    "three speeds": (
        lambda x, p: np.concatenate(
            [rope("half")(x[..., :32], p), rope("half", 50.0)(x[..., 32:], p)], axis=-1
        ),
        {},
        "no known scheme",
    ),
    "one pair at different speeds": (
        lambda x, p: (
            x * np.cos(np.multiply.outer(p, np.linspace(0.1, 1, 64))).astype(x.dtype)
            + rotate_half(x) * np.sin(np.multiply.outer(p, np.linspace(0.1, 1, 64))).astype(x.dtype)
        ),
        {"norm": "", "shift": ""},
        "no known scheme",
    ),
    "interpolated": (
        lambda x, p: rope("half")(x, p / 8),
        {},
        "base=10000; every frequency is divided by 8",
    ),
    "scaled": (
        lambda x, p: x.dtype.type(1.25) * rope("half")(x, p),
        {"norm": "every vector is multiplied by 1.25: an attention factor does that"},
        "lengths are multiplied by 1.25, as an attention factor does",
    ),
    "wraps at its end": (wraps, {"phase": "at position 1023"}, "rope, layout='half', base=10000"),
    "a stub": (
        lambda x, p: x,
        {"distinct": "positions 0 and 1 turn a vector alike"},
        "none",
    ),
    "nothing left": (
        lambda x, p: 0 * x,
        {"distinct": "", "norm": "comes out with 0"},
        "no known scheme",
    ),
    "an axis more": (
        one_axis_too_many,
        {"runs": "returned shape (1, 5, 64); expected that of x, (5, 64)"},
        "no known scheme",
    ),
    "raises": (
        lambda x, p: x @ p,
        {"runs": "fn(array of shape (5, 64), float64, np.arange(5)) raised"},
        "no known scheme",
    ),
}


ROTATIONS |= {
    "wrong in the middle": (
        lambda x, p: rope("half")(x, half_off(p, 130, 249)),
        {"phase": "at position 130 an entry is off"},
        "rope, layout='half', base=10000",
    ),
    "dynamic base": (
        lambda x, p: posenc.rope_scheme(64, base=dynamic_base(p)).rotate(x, p).astype(x.dtype),
        {"positions": "a vector at position 1 turns otherwise alone than among others"},
        "no known scheme",
    ),
    "remembers": (
        that_remembers(rope("half")),
        {"positions": "the function keeps something of earlier calls"},
        "no known scheme",
    ),
}


def distances(q_len, k_len):
    return np.arange(k_len) - np.arange(k_len - q_len, k_len)[:, None]


def slopes(num_heads, first=1):
    return 2.0 ** (-8 * np.arange(first, num_heads + first) / num_heads)[:, None, None]


BIASES = {
    "sign": (
        lambda h, q, k: slopes(h) * abs(distances(q, k)),
        {"near": "head 0: distance 1 has bias 0.5, distance 0 has 0: a far key is rewarded"},
        "alibi; the sign is wrong: far keys are rewarded",
    ),
    "no absolute value": (
        lambda h, q, k: slopes(h) * distances(q, k),
        {},
        "no absolute value: keys of the future are rewarded",
    ),
    "cache offset ignored": (
        lambda h, q, k: -slopes(h) * abs(np.arange(k) - np.arange(q)[:, None]),
        {"cache": "they are counted from 0"},
        "alibi",
    ),
    "one row": (
        lambda h, q, k: slopes(h) * np.arange(1 - k, 1) * np.ones((q, 1)),
        {"shift": "the same offset 0: use key minus query and nothing else"},
        "alibi; one row for all queries: right only under a causal mask",
    ),
    "one row, counted from the first key": (
        lambda h, q, k: slopes(h) * np.arange(k) * np.ones((q, 1)),
        {"shift": "the same offset 0: use key minus query and nothing else"},
        "alibi; one row for all queries: right only under a causal mask",
    ),
    "heads from 0": (
        lambda h, q, k: -slopes(h, 0) * abs(distances(q, k)),
        {},
        "heads are counted from 0, so the first slope is 1",
    ),
    "formula at 12 heads": (
        lambda h, q, k: -slopes(12) * abs(distances(q, k)),
        {},
        "the formula 2^(-8h/n) at 12 heads; the released code",
    ),
    "own slope": (lambda q, k: -0.3 * abs(k - q[:, None]), {}, "the slopes are its own: 0.3"),
    "integers": (
        lambda q, k: -abs(k - q[:, None]),
        {"dtype": "the bias is int64: slopes below 1 are lost"},
        "alibi; the slopes are its own: 1",
    ),
    "mask inside": (
        lambda q, k: np.where(k > q[:, None], -np.inf, -0.5 * abs(k - q[:, None])),
        {},
        "the causal mask is part of it",
    ),
    "future at half price": (
        lambda q, k: np.where(k > q[:, None], 0.5, 1) * -0.5 * abs(k - q[:, None]),
        {},
        "no known scheme",
    ),
    "square": (lambda q, k: -0.01 * (k - q[:, None]) ** 2, {}, "no known scheme"),
    "of the query alone": (
        lambda q, k: -0.5 * q[:, None] + 0.0 * k,
        {"shift": "query 1, key 1 has bias -0.5, query 0, key 0 has 0", "distinct": "gives -31.5"},
        "no known scheme",
    ),
    "future for nothing": (
        lambda q, k: -0.5 * np.maximum(q[:, None] - k, 0),
        {},
        "keys of the future get 0: right only under a causal mask",
    ),
    "absolute": (
        lambda q, k: np.sin(q[:, None] + 0.1 * k),
        {"shift": "has bias", "near": "distance"},
        "no known scheme",
    ),
    "keys first": (
        lambda q, k: -0.5 * abs(k[:, None] - q),
        {"runs": "returned shape (9, 5); expected (..., 5, 9): a row for every query"},
        "no known scheme",
    ),
    "a stub": (
        lambda q_len, k_len: np.zeros((q_len, k_len)),
        {"distinct": "head 0 gives 0 to all of 64 keys"},
        "none",
    ),
    "no heads": (
        lambda h, q, k: np.zeros((0, q, k)),
        {"runs": "returned shape (0, 5, 9)"},
        "no known scheme",
    ),
    "window": (
        lambda q, k: np.where(abs(k - q[:, None]) > 3, -np.inf, 0.0),
        {},
        "no known scheme",
    ),
    "clipped": (
        lambda q, k: np.clip(k - q[:, None], -16, 16) / 7,
        {},
        "shaw; offsets clipped at 16",
    ),
}


def learned_buckets(buckets, distance):
    table = -np.arange(buckets, dtype=float)[:, None]
    return lambda q, k: posenc.t5_bias(table, q, k, bidirectional=False, max_distance=distance)


def numbers_for(distances):
    table = -0.5 * np.arange(distances)
    return lambda q, k: table[abs(k - q[:, None])]


BIASES |= {
    "a table that ends": (
        numbers_for(128),
        {"length": "position 128 is the first that fails"},
        "alibi; the slopes are its own: 0.5",
    ),
    "wraps after 512": (
        lambda q, k: -0.5 * (abs(k - q[:, None]) % 512),
        {"near": "distance 512 has bias -0, distance 511 has -255.5"},
        "no known scheme",
    ),
    "clipped beyond the first look": (
        lambda q, k: -0.5 * np.minimum(abs(k - q[:, None]), 400),
        {},
        "no known scheme",
    ),
    "straight, then clipped": (
        lambda q, k: -0.5 * np.minimum(abs(k - q[:, None]), 100),
        {},
        "shaw; offsets clipped at 100",
    ),
    "divided by the length": (
        lambda q, k: -0.5 * abs(distances(q, k)) / max(1, k / 64),
        {"shift": "use key minus query and nothing else"},
        "no known scheme",
    ),
    "16 buckets": (learned_buckets(16, 32), {}, "t5; causal, 16 buckets, max_distance 32"),
    "buckets of its own": (
        lambda q, k: -np.floor(np.sqrt(np.minimum(abs(k - q[:, None]), 100))),
        {},
        "no known scheme",
    ),
    "a mask of float16": (
        lambda q, k: np.where(k > q[:, None], -65504.0, -0.5 * abs(k - q[:, None])),
        {},
        "alibi; the causal mask is part of it",
    ),
}


def sweep(cases):
    return pytest.mark.parametrize(("fn", "faults", "match"), cases.values(), ids=cases.keys())


def judge(report, faults, match):
    assert isinstance(report, CheckReport)
    text = str(report)
    found = {p.name: p.message for p in report.properties if not p.holds}
    assert set(found) == set(faults), text
    for name, message in faults.items():
        assert message in found[name], text
        assert not report.holds(name)
    assert report.ok == (not faults)
    assert match in text.splitlines()[-1], text


@sweep(TABLES)
def test_mistakes_of_tables(fn, faults, match):
    judge(check(fn, kind="table"), faults, match)


@sweep(ROTATIONS)
def test_mistakes_of_rotations(fn, faults, match):
    judge(check(fn, kind="rotation"), faults, match)


@sweep(BIASES)
def test_mistakes_of_biases(fn, faults, match):
    judge(check(fn, kind="bias"), faults, match)

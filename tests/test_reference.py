"""Every function against tests/golden/reference.json, made at 50 digits and apart from posenc.

Bounds: a float64 result is within 1e-12 of the largest entry. A float32 table is the float64 result
rounded once: within half a unit in the last place (2^-24 of the exact entry) and the same 1e-12.
A float32 rotation rounds three times on the way to each output (table, product, sum).
"""

import json
from pathlib import Path

import numpy as np
import pytest

import posenc
from tests.reference import generate

REFERENCE = json.loads((Path(__file__).parent / "golden" / "reference.json").read_text())
POSITIONS = np.array(REFERENCE["positions"])
ROUNDING = 2.0**-24


def cases(section):
    return pytest.mark.parametrize("case", REFERENCE[section], ids=str_of)


def str_of(case):
    arguments = without(case, "expected").items()
    return " ".join(f"{k}={v}" for k, v in arguments if not isinstance(v, list)) or "given"


def without(case, *names):
    return {key: value for key, value in case.items() if key not in names}


def assert_close(got, expected):
    expected = np.asarray(expected, float)
    got = np.asarray(got)
    assert got.shape == expected.shape
    assert got.dtype == np.float64
    assert np.abs(got - expected).max() <= 1e-12 * np.abs(expected).max()


def assert_rounded_once(got, expected):
    expected = np.asarray(expected, float)
    assert got.dtype == np.float32
    excess = np.abs(got - expected) - ROUNDING * np.abs(expected)
    assert excess.max() <= 1e-12


def test_a_fresh_reference_equals_the_file():
    assert generate.text() == generate.PATH.read_text()


@cases("inv_freq")
def test_inv_freq(case):
    got = posenc.inv_freq(case["dim"], base=case["base"])
    np.testing.assert_allclose(got, case["expected"], rtol=1e-14, atol=0)


def columns(case):
    """Return the column of the sine and of the cosine of every sampled pair, by layout."""
    pairs = np.array(case["pairs"])
    half = case["dim"] // 2
    return {"interleaved": (2 * pairs, 2 * pairs + 1), "concat": (pairs, pairs + half)}


@cases("tables")
@pytest.mark.parametrize("layout", ["interleaved", "concat"])
def test_sinusoidal(case, layout):
    sines, cosines = columns(case)[layout]
    for dtype, check in ((np.float64, assert_close), (np.float32, assert_rounded_once)):
        table = posenc.sinusoidal(
            POSITIONS, case["dim"], base=case["base"], layout=layout, dtype=dtype
        )
        check(table[:, sines], case["sin"])
        check(table[:, cosines], case["cos"])


@cases("tables")
@pytest.mark.parametrize("start", [-5000, 0, 9_996_000])
def test_sinusoidal_over_a_stretch_of_consecutive_positions(case, start):
    """Consecutive positions are built by blocks of angle addition: the rows must not differ."""
    inside = (start <= POSITIONS) & (start + 5000 >= POSITIONS) & (POSITIONS % 1 == 0)
    rows = POSITIONS[inside].astype(int) - start
    sines, cosines = columns(case)["interleaved"]
    for dtype, check in ((np.float64, assert_close), (np.float32, assert_rounded_once)):
        stretch = np.arange(start, start + 5001)
        table = posenc.sinusoidal(stretch, case["dim"], base=case["base"], dtype=dtype)[rows]
        check(table[:, sines], np.array(case["sin"])[inside])
        check(table[:, cosines], np.array(case["cos"])[inside])


@cases("cos_sin")
def test_rope_cos_sin_takes_its_frequencies_as_exact(case):
    for dtype, check in ((np.float64, assert_close), (np.float32, assert_rounded_once)):
        cos, sin = posenc.rope_cos_sin(POSITIONS, case["inv_freq"], dtype=dtype)
        check(cos, case["cos"])
        check(sin, case["sin"])


@cases("cos_sin")
def test_rope_cos_sin_over_a_stretch_of_consecutive_positions(case):
    start = 9_996_000
    inside = start <= POSITIONS
    rows = POSITIONS[inside].astype(int) - start
    stretch = np.arange(start, start + 4001)
    for dtype, check in ((np.float64, assert_close), (np.float32, assert_rounded_once)):
        cos, sin = posenc.rope_cos_sin(stretch, case["inv_freq"], dtype=dtype)
        check(cos[rows], np.array(case["cos"])[inside])
        check(sin[rows], np.array(case["sin"])[inside])


@cases("rotations")
def test_apply_rope(case):
    tables = posenc.rope_cos_sin(case["positions"], case["inv_freq"], dtype=np.float64)
    got = posenc.apply_rope(np.array(case["x"]), *tables, layout=case["layout"])
    assert_close(got, case["expected"])


@cases("rotations")
def test_apply_rope_in_float32(case):
    tables = posenc.rope_cos_sin(case["positions"], case["inv_freq"])
    x = np.array(case["x"], np.float32)
    got = posenc.apply_rope(x, *tables, layout=case["layout"])
    assert got.dtype == np.float32
    # |a cos| + |b sin| <= |a| + |b| <= twice the largest entry of the row.
    bound = 3 * ROUNDING * 2 * np.abs(x).max(axis=-1, keepdims=True)
    assert (np.abs(got - np.array(case["expected"])) <= bound).all()


@cases("rotations")
def test_rotation_matrix(case):
    width = 2 * len(case["inv_freq"])
    for position, x, expected in zip(case["positions"], case["x"], case["expected"], strict=True):
        matrix = posenc.rotation_matrix(position, case["inv_freq"], layout=case["layout"])
        assert_close(matrix @ np.array(x)[:width], expected[:width])


@cases("alibi_slopes")
def test_alibi_slopes(case):
    assert_close(posenc.alibi_slopes(case["num_heads"]), case["expected"])


@cases("alibi_bias")
def test_alibi_bias(case):
    assert_rounded_once(posenc.alibi_bias(**without(case, "expected")), case["expected"])


@cases("t5_bucket")
def test_t5_bucket(case):
    got = posenc.t5_bucket(np.array(REFERENCE["relative"]), **without(case, "expected"))
    assert got.tolist() == case["expected"]


@cases("ntk_base")
def test_ntk_base(case):
    got = posenc.ntk_base(**without(case, "expected"))
    assert got == pytest.approx(case["expected"], rel=1e-12)


@cases("dynamic_ntk_base")
def test_dynamic_ntk_base(case):
    got = posenc.dynamic_ntk_base(**without(case, "expected"))
    assert got == pytest.approx(case["expected"], rel=1e-12)


@cases("yarn")
def test_yarn(case):
    np.testing.assert_allclose(
        posenc.yarn(**without(case, "expected")), case["expected"], rtol=1e-12, atol=0
    )


@cases("yarn_attention_factor")
def test_yarn_attention_factor(case):
    got = posenc.yarn_attention_factor(**without(case, "expected"))
    assert got == pytest.approx(case["expected"], rel=1e-12)


@cases("llama3")
def test_llama3(case):
    plain = posenc.inv_freq(case["dim"], base=case["base"])
    got = posenc.llama3(plain, **without(case, "dim", "base", "expected"))
    np.testing.assert_allclose(got, case["expected"], rtol=1e-12, atol=0)


@cases("longrope_attention_factor")
def test_longrope_attention_factor(case):
    got = posenc.longrope_attention_factor(**without(case, "expected"))
    assert got == pytest.approx(case["expected"], rel=1e-12)

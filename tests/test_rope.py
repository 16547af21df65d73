"""Rotations against peers, against their identities, and against reports of faults elsewhere."""

import json
import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc import (
    apply_rope,
    inv_freq,
    rope_cos_sin,
    rotation_matrix,
    to_half,
    to_interleaved,
)

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())
APPLIED = PEERS["rope_applied"]
LAYOUTS = ("half", "interleaved")
ROW = np.array([[1.0, 2.0, 3.0, 4.0]])

layouts = st.sampled_from(LAYOUTS)
seeds = st.integers(0, 2**32 - 1)
positions = st.integers(-(10**7), 10**7)
pair_counts = st.integers(1, 8)


def tables(positions, dim, *, base=10000.0, dtype=np.float64):
    return rope_cos_sin(positions, inv_freq(dim, base=base), dtype=dtype)


def rotated(x, positions, layout):
    x = np.asarray(x)
    return apply_rope(x, *tables(positions, x.shape[-1]), layout=layout)


def normal(seed, *shape):
    return np.random.default_rng(seed).standard_normal(shape)


# Peers


@pytest.mark.parametrize("case", APPLIED["cases"].values(), ids=APPLIED["cases"])
@pytest.mark.parametrize("name", ["q", "k"])
def test_rotated_queries_and_keys_agree_with_peers(case, name):
    x = np.array(APPLIED[name], np.float32)
    cos, sin = tables(case["positions"], APPLIED["head_dim"], base=APPLIED["base"], dtype="f4")
    # The peers' phase is float32.
    close = {"rtol": 0, "atol": 1e-5 + 1e-7 * max(case["positions"])}
    np.testing.assert_allclose(cos, case["cos_half"], **close)
    np.testing.assert_allclose(sin, case["sin_half"], **close)
    for layout, column in (("half", "half_split"), ("interleaved", "interleaved")):
        got = apply_rope(x, cos, sin, layout=layout)
        assert got.dtype == np.float32
        np.testing.assert_allclose(got, case[f"{name}_{column}"], **close)


@pytest.mark.parametrize("case", APPLIED["cases"].values(), ids=APPLIED["cases"])
def test_interleaved_weights_and_partial_rotation_agree_with_peers(case):
    q = np.array(APPLIED["q"])
    close = {"rtol": 0, "atol": 1e-5 + 1e-7 * max(case["positions"])}
    # DeepSeek's code brings interleaved pairs to halves, then turns halves.
    np.testing.assert_allclose(
        rotated(to_half(q), case["positions"], "half"),
        case["q_deepseek_interleaved_in_half_out"],
        **close,
    )
    partial = apply_rope(q, *tables(case["positions"], 4), layout="half")
    np.testing.assert_allclose(partial, case["q_partial_rotary_dim4_half_split"], **close)
    np.testing.assert_array_equal(partial[..., 4:], q[..., 4:])


def test_rows_of_a_projection_agree_with_the_llama_conversion():
    case = PEERS["llama_permute_rows"]
    rows = np.arange(case["n_heads"] * case["head_dim"]).reshape(case["n_heads"], -1)
    assert to_half(rows).ravel().tolist() == case["row_order_after_permute"]


# Identities


@given(a=positions, b=positions, pairs=pair_counts, layout=layouts)
def test_turns_add_up(a, b, pairs, layout):
    def turn(position):
        return rotation_matrix(position, inv_freq(2 * pairs), layout=layout)

    np.testing.assert_allclose(turn(a) @ turn(b), turn(a + b), rtol=0, atol=1e-14)


@given(seed=seeds, p=positions, pairs=pair_counts, layout=layouts)
def test_the_norm_is_kept(seed, p, pairs, layout):
    x = normal(seed, 1, 2 * pairs)
    got = rotated(x, [p], layout)
    assert np.linalg.norm(got) == pytest.approx(np.linalg.norm(x), rel=1e-14)


@given(seed=seeds, m=positions, n=positions, shift=positions, pairs=pair_counts, layout=layouts)
def test_a_common_shift_changes_no_score(seed, m, n, shift, pairs, layout):
    q, k = normal(seed, 2, 1, 2 * pairs)
    here = rotated(q, [m], layout) @ rotated(k, [n], layout).T
    there = rotated(q, [m + shift], layout) @ rotated(k, [n + shift], layout).T
    np.testing.assert_allclose(here, there, rtol=0, atol=1e-12)
    alone = q @ rotated(k, [n - m], layout).T
    np.testing.assert_allclose(here, alone, rtol=0, atol=1e-12)


@given(seed=seeds, p=positions, pairs=pair_counts, layout=layouts)
def test_the_matrix_and_the_rotation_are_the_same(seed, p, pairs, layout):
    x = normal(seed, 1, 2 * pairs)
    matrix = rotation_matrix(p, inv_freq(2 * pairs), layout=layout)
    np.testing.assert_allclose(x @ matrix.T, rotated(x, [p], layout), rtol=0, atol=1e-14)


@given(seed=seeds, pairs=pair_counts, lead=st.lists(st.integers(0, 3), max_size=2))
def test_there_and_back(seed, pairs, lead):
    x = normal(seed, *lead, 2 * pairs)
    np.testing.assert_array_equal(to_half(to_interleaved(x)), x)
    np.testing.assert_array_equal(to_interleaved(to_half(x)), x)


@given(seed=seeds, start=positions, pairs=st.integers(2, 8))
def test_layouts_are_one_rotation_under_a_permutation(seed, start, pairs):
    x = normal(seed, 3, 2 * pairs)
    p = start + np.arange(3)
    expected = rotated(to_half(x), p, "half")
    np.testing.assert_allclose(to_half(rotated(x, p, "interleaved")), expected, atol=1e-14)


@given(seed=seeds, layout=layouts)
def test_five_tokens_at_once_are_three_then_two(seed, layout):
    """tiny-llm 46: with a cache, positions go on where it ends."""
    x = normal(seed, 2, 5, 8)
    parts = [rotated(x[:, :3], [0, 1, 2], layout), rotated(x[:, 3:], [3, 4], layout)]
    np.testing.assert_allclose(
        np.concatenate(parts, axis=1), rotated(x, np.arange(5), layout), rtol=0, atol=1e-14
    )


# Layout


def test_two_layouts_of_one_row():
    """transformers 25199: both are right, for different weights."""
    half = [[-1.984111, 1.959901, 2.462378, 4.019800]]
    interleaved = [[-1.142640, 1.922076, 2.959851, 4.029800]]
    np.testing.assert_allclose(rotated(ROW, [1], "half"), half, atol=5e-7)
    np.testing.assert_allclose(rotated(ROW, [1], "interleaved"), interleaved, atol=5e-7)


def test_full_width_tables_cannot_be_mixed_in():
    """how-to-train-your-gpt 6: interleaved tables in a half-split rotation gave norm 5.863."""
    cos, sin = tables([1], 4)
    with pytest.raises(ValueError, match=r"shape \(1, 4\) and x \(1, 4\).*one column a pair"):
        apply_rope(ROW, np.repeat(cos, 2, axis=-1), np.repeat(sin, 2, axis=-1), layout="half")
    for layout in LAYOUTS:
        assert np.linalg.norm(rotated(ROW, [1], layout)) == pytest.approx(math.sqrt(30))


def head_by_head(weight, heads, reorder):
    split = weight.reshape(heads, -1, weight.shape[-1])
    return reorder(split.swapaxes(-1, -2)).swapaxes(-1, -2).reshape(weight.shape)


def grouped_scores(x, wq, wk, q_heads, k_heads, layout):
    """Scores (q_heads, n, n) where groups of query heads share a key head."""
    p = np.arange(len(x))
    q = rotated((x @ wq.T).reshape(len(x), q_heads, -1).swapaxes(0, 1), p, layout)
    k = rotated((x @ wk.T).reshape(len(x), k_heads, -1).swapaxes(0, 1), p, layout)
    return q @ np.repeat(k, q_heads // k_heads, axis=0).swapaxes(-1, -2)


@given(seed=seeds)
def test_projections_convert_with_their_own_number_of_heads(seed):
    """transformers 31788: fewer key heads than query heads; TinyLlama 24: all but token 0 wrong."""
    x = normal(seed, 6, 16)
    wq, wk = normal(seed + 1, 2 * 4, 16), normal(seed + 2, 1 * 4, 16)
    expected = grouped_scores(x, wq, wk, 2, 1, "interleaved")
    hq, hk = head_by_head(wq, 2, to_half), head_by_head(wk, 1, to_half)
    both = grouped_scores(x, hq, hk, 2, 1, "half")
    np.testing.assert_allclose(both, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        grouped_scores(x, head_by_head(hq, 2, to_interleaved), wk, 2, 1, "interleaved"), expected
    )
    for wrong_q, wrong_k in ((hq, wk), (wq, hk), (to_half(wq.T).T, hk)):
        assert np.abs(grouped_scores(x, wrong_q, wrong_k, 2, 1, "half") - expected).max() > 0.01
    unconverted = grouped_scores(x, wq, wk, 2, 1, "half")
    np.testing.assert_allclose(unconverted[:, 0, 0], expected[:, 0, 0])
    assert np.abs(unconverted[:, 1:, 0] - expected[:, 1:, 0]).max() > 0.01


def test_partial_rotation():
    """coreai-models 66: head 8, rotated 4: pairs (0, 2) and (1, 3), frequencies 1 and 0.01."""
    x = np.arange(1.0, 9.0)[None]
    got = apply_rope(x, *tables([3], 4), layout="half")[0]
    z = (x[0, :2] + 1j * x[0, 2:4]) * np.exp(3j * np.array([1, 0.01]))
    np.testing.assert_allclose(got, [*z.real, *z.imag, 5, 6, 7, 8], rtol=1e-14)
    # The same four dimensions in the other layout, from a view that is not contiguous.
    wide = np.repeat(x, 2, axis=0).T[::2].T
    got = apply_rope(wide[:1], *tables([3], 2), layout="interleaved")[0]
    z = (1 + 3j) * np.exp(3j)
    np.testing.assert_allclose(got, [z.real, z.imag, 5, 7], rtol=1e-14)


# Axes


def test_position_zero_turns_nothing():
    """open_lm 4: rotated along the head axis, one token of two heads changed at position 0."""
    x = normal(0, 1, 2, 1, 8)
    for layout in LAYOUTS:
        np.testing.assert_array_equal(rotated(x, [0], layout), x)


def test_heads_in_the_place_of_positions_raise():
    """open_lm 4: (batch, seq, heads, head_dim)."""
    x = normal(0, 2, 5, 3, 8)
    with pytest.raises(ValueError, match=r"\(5, 4\) and x \(2, 5, 3, 8\).*swapaxes\(x, -3, -2\)"):
        rotated(x, np.arange(5), "half")
    assert rotated(np.swapaxes(x, -3, -2), np.arange(5), "half").shape == (2, 3, 5, 8)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize(
    ("lead", "table_lead"),
    [
        ((), ()),
        ((3,), ()),
        ((2, 3), ()),
        ((2, 3), (2,)),
        ((2, 3), (1,)),
        ((2, 3), (2, 3)),
        ((2, 3), (1, 3)),
        ((2, 3), (2, 1)),
        ((2, 2), (2,)),
        ((0, 3), ()),
    ],
)
@pytest.mark.parametrize("length", [0, 1, 4])
def test_tables_lead_with_the_axes_of_x(layout, lead, table_lead, length):
    x = normal(1, *lead, length, 6)
    p = np.random.default_rng(2).integers(-99, 99, (*table_lead, length))
    got = rotated(x, p, layout)
    assert got.shape == x.shape
    per_row = np.broadcast_to(
        p.reshape(*table_lead, *(1,) * (len(lead) - len(table_lead)), length), (*lead, length)
    )
    for index in np.ndindex(*lead, length):
        expected = rotation_matrix(per_row[index], inv_freq(6), layout=layout) @ x[index]
        np.testing.assert_allclose(got[index], expected, atol=1e-14)


def test_one_vector_at_one_position():
    got = rotated(ROW[0], 1, "half")
    np.testing.assert_array_equal(got, rotated(ROW, [1], "half")[0])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("shape", [(5, 700, 130), (3, 2, 300, 130), (2000, 3, 2, 66), (1, 1, 9, 8)])
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_large_arrays_are_cut_into_blocks(layout, shape, dtype):
    x = normal(3, *shape).astype(dtype)
    width = shape[-1] // 4 * 2
    cos, sin = tables(np.arange(shape[-2]) - 7, width, dtype=dtype)
    got = apply_rope(x, cos, sin, layout=layout)
    a, b = (
        (x[..., : width // 2], x[..., width // 2 : width])
        if layout == "half"
        else (x[..., 0:width:2], x[..., 1:width:2])
    )
    turned = [a * cos - b * sin, a * sin + b * cos]
    expected = np.concatenate([*turned, x[..., width:]], axis=-1)
    if layout == "interleaved":
        expected[..., :width] = to_interleaved(expected[..., :width])
    np.testing.assert_allclose(got, expected, rtol=0, atol=8 * np.finfo(dtype).eps)


def test_any_memory_order():
    x = normal(4, 2, 7, 3, 8)
    plain = np.ascontiguousarray(x.swapaxes(1, 2))
    backwards = np.ascontiguousarray(plain[..., ::-1])[..., ::-1]
    columns = np.asfortranarray(plain)
    for layout in LAYOUTS:
        expected = rotated(plain, np.arange(7), layout)
        for other in (x.swapaxes(1, 2), backwards, columns):
            np.testing.assert_allclose(
                rotated(other, np.arange(7), layout), expected, rtol=0, atol=1e-15
            )


def test_the_input_is_left_alone():
    x = normal(5, 3, 8)
    before = x.copy()
    cos, sin = tables(np.arange(3), 4)
    for layout in LAYOUTS:
        assert not np.shares_memory(apply_rope(x, cos, sin, layout=layout), x)
        np.testing.assert_array_equal(x, before)


# Offsets, precision, base


def test_an_answer_does_not_depend_on_earlier_calls():
    """rotary-embedding-torch 11: a cache keyed without the offset."""
    first = tables(np.arange(5) + 3, 8)
    tables(np.arange(5), 8)
    np.testing.assert_array_equal(first, tables(np.arange(5) + 3, 8))
    np.testing.assert_array_equal(np.array(first)[:, 0], np.array(tables([3], 8))[:, 0])


@pytest.mark.parametrize("p", [-3, 2**20, 10**7])
def test_no_position_is_beyond_a_table(p):
    """pegainfer 220: positions beyond a table read garbage."""
    cos, sin = tables([p], 2)
    assert [cos[0, 0], sin[0, 0]] == pytest.approx([math.cos(p), math.sin(p)], abs=1e-15)


@pytest.mark.parametrize("dtype", [np.float16, np.float32, np.float64])
def test_only_the_result_is_rounded(dtype):
    """transformers 29285: half-precision positions made 8190 and 8191 both 8192."""
    for p in (256, 8190, 10**7):
        (near, far), _ = tables([p, p + 1], 64, dtype=dtype)
        assert near.dtype == dtype
        assert (near != far).any()


def test_far_positions_keep_their_phase():
    """sglang-jax 1472: frequencies rounded to bfloat16 first: error 1.68; float32 phase: 1.9e-3."""
    w = inv_freq(128, base=500000.0)
    cos, sin = rope_cos_sin([131071], w)
    phase = np.remainder(131071 * w.astype(np.longdouble), 2 * np.pi)
    assert np.abs(cos - np.cos(phase)).max() < 3.1e-8
    assert np.abs(sin - np.sin(phase)).max() < 3.1e-8


@pytest.mark.parametrize("kind", [np.int8, np.int64, np.float16, np.float64])
def test_dtype_of_positions_does_not_matter(kind):
    got = rope_cos_sin(np.arange(100, dtype=kind), inv_freq(8))
    assert [t.dtype for t in got] == [np.float32] * 2
    np.testing.assert_array_equal(got, rope_cos_sin(np.arange(100.0), inv_freq(8)))


@pytest.mark.parametrize("shape", [(), (5,), (2, 3), (2, 1, 400), (0,), (3, 0)])
def test_any_shape_of_positions(shape):
    p = np.arange(math.prod(shape)).reshape(shape) - 2
    for table in tables(p, 6):
        assert table.shape == (*shape, 3)
        assert table.flags.c_contiguous
    np.testing.assert_allclose(
        np.array(tables(p, 6)).reshape(2, -1, 3), tables(p.ravel(), 6), atol=1e-15
    )


def test_the_attention_factor_scales_scores_by_its_square():
    plain = rope_cos_sin([3, 9, 1], [1.0, 0.1], dtype=np.float64)
    scaled = rope_cos_sin([3, 9, 1], [1.0, 0.1], attention_factor=1.5, dtype=np.float64)
    np.testing.assert_allclose(scaled, 1.5 * np.array(plain), rtol=1e-15)
    q, k = (apply_rope(normal(i, 3, 4), *scaled, layout="half") for i in (1, 2))
    q1, k1 = (apply_rope(normal(i, 3, 4), *plain, layout="half") for i in (1, 2))
    np.testing.assert_allclose(q @ k.T, 2.25 * (q1 @ k1.T), rtol=1e-13)


def test_a_frequency_of_zero_does_not_turn():
    x = normal(6, 4, 4)
    got = apply_rope(x, *rope_cos_sin(np.arange(4), [1.0, 0.0]), layout="half")
    np.testing.assert_array_equal(got[:, [1, 3]], x[:, [1, 3]])


# Types


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("table", [np.float16, np.float32, np.float64])
@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64])
def test_x_keeps_its_dtype(layout, table, kind):
    x = normal(7, 2, 40, 8).astype(kind)
    cos, sin = tables(np.arange(40), 8, dtype=table)
    got = apply_rope(x, cos, sin, layout=layout)
    assert got.dtype == kind
    exact = apply_rope(x.astype(float), cos.astype(float), sin.astype(float), layout=layout)
    # Half precision is rounded once, after the arithmetic.
    work = np.finfo(np.result_type(kind, table, np.float32)).eps
    bound = 3 * work * 8 + np.finfo(kind).eps / 2 * np.abs(exact)
    assert (np.abs(got - exact) <= bound).all()


@pytest.mark.parametrize("layout", LAYOUTS)
def test_integers_take_the_dtype_of_the_tables(layout):
    for dtype in (np.float16, np.float32, np.float64):
        got = apply_rope([[1, 2, 3, 4]], *tables([1], 4, dtype=dtype), layout=layout)
        assert got.dtype == dtype
        np.testing.assert_allclose(got, rotated(ROW, [1], layout), rtol=2e-3)


@pytest.mark.parametrize("shape", [(2, 3), (2, 0), ()])
def test_reordering_needs_pairs(shape):
    for reorder in (to_half, to_interleaved):
        with pytest.raises(ValueError, match=r"x.shape\[-1\]=\d: must be (even|at least 2)"):
            reorder(np.zeros(shape))


def test_reordering_keeps_any_dtype():
    assert to_half(np.array([[True, False]])).dtype == bool
    assert to_interleaved(np.arange(4, dtype=np.int8)).dtype == np.int8


ONE = np.ones((3, 2))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: apply_rope(np.ones((3, 4)), ONE, ONE, layout="neox"), r"'half', 'interleaved'"),
        (
            lambda: apply_rope(np.ones((3, 4)), ONE, ONE[:2], layout="half"),
            r"\(3, 2\) and sin \(2,",
        ),
        # transformers 48101: an odd head width was accepted, then crashed.
        (
            lambda: apply_rope(np.ones((3, 5)), ONE, ONE, layout="half"),
            r"x.shape\[-1\]=5: must be e",
        ),
        (
            lambda: apply_rope(np.ones((3, 2)), ONE, ONE, layout="half"),
            r"one column a pair, so 1 to 1",
        ),
        (lambda: apply_rope(np.ones((1, 4)), ONE, ONE, layout="half"), r"\(3, 2\) and x \(1, 4\)"),
        (lambda: apply_rope(np.ones((3, 4)), ONE[:1], ONE[:1], layout="half"), r"axis -2 of both"),
        (lambda: apply_rope(np.ones((3, 4)), ONE[0], ONE[0], layout="half"), r"axis -2 of both"),
        (
            lambda: apply_rope(
                np.ones((2, 8, 3, 4)), np.ones((8, 3, 2)), np.ones((8, 3, 2)), layout="half"
            ),
            r"leading axes of the tables.*cos\[None\]",
        ),
        (
            lambda: apply_rope(np.ones((3, 4)), ONE[None], ONE[None], layout="half"),
            r"leading axes of the tables",
        ),
        (
            lambda: apply_rope([["a", "b"]], ONE, ONE, layout="half"),
            r"x has shape \(1, 2\) and dtype",
        ),
        (lambda: apply_rope(np.ones((3, 4)), 1.0, 0.0, layout="half"), r"cos has shape \(\)"),
        (lambda: apply_rope(np.ones((3, 4)), ONE * 1j, ONE, layout="half"), r"cos.*real numbers"),
        (lambda: rope_cos_sin([math.inf], [1.0]), r"positions holds inf"),
        (lambda: rope_cos_sin([1], []), r"inv_freq has shape \(0,\)"),
        (lambda: rope_cos_sin([1], [-1.0]), r"inv_freq holds -1.0.*negate the positions"),
        (lambda: rope_cos_sin([1], [1.0], attention_factor=0), r"attention_factor=0.*above 0"),
        (lambda: rope_cos_sin([1], [1.0], dtype=int), r"dtype=int64: must be a floating type"),
        (lambda: rotation_matrix([math.nan], [1.0], layout="half"), r"position holds nan"),
        (lambda: rotation_matrix(1, [1.0], layout="concat"), r"layout='concat'"),
    ],
)
def test_bad_input_names_argument_value_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()


def test_the_layout_has_no_default():
    with pytest.raises(TypeError, match="layout"):
        apply_rope(np.ones((3, 4)), ONE, ONE)

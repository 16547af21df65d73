"""Properties that hold across modules: what one function promises, another one uses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import posenc

dims = st.integers(1, 64).map(lambda pairs: 2 * pairs)
bases = st.floats(1.5, 1e8)
layouts = st.sampled_from(["half", "interleaved"])
positions = st.integers(-(10**7), 10**7)


def vectors(dim, count):
    return np.random.default_rng(dim).normal(size=(count, dim))


def turned(x, positions, frequencies, layout):
    cos, sin = posenc.rope_cos_sin(positions, frequencies, dtype=np.float64)
    return posenc.apply_rope(x, cos, sin, layout=layout)


@given(dims, bases, positions, positions, layouts)
def test_rotated_scores_know_the_offset_alone(dim, base, m, n, layout):
    q, k = vectors(dim, 2)
    w = posenc.inv_freq(dim, base=base)
    both = turned(np.stack([q, k]), [m, n], w, layout)
    key = turned(k[None], [n - m], w, layout)[0]
    assert both[0] @ both[1] == pytest.approx(q @ key, abs=1e-13 * dim)


@given(dims, bases, positions, layouts)
def test_three_ways_to_rotate_agree(dim, base, position, layout):
    x, w = vectors(dim, 1), posenc.inv_freq(dim, base=base)
    expected = posenc.rotation_matrix(position, w, layout=layout) @ x[0]
    np.testing.assert_allclose(turned(x, [position], w, layout)[0], expected, atol=1e-13)
    scheme = posenc.rope_scheme(dim, base=base, layout=layout)
    np.testing.assert_allclose(scheme.rotate(x, np.array([position]))[0], expected, atol=1e-13)


@given(dims, bases, positions)
def test_layouts_differ_by_a_permutation_alone(dim, base, position):
    x, w = vectors(dim, 1), posenc.inv_freq(dim, base=base)
    by_half = posenc.to_interleaved(turned(posenc.to_half(x), [position], w, "half"))
    interleaved = turned(x, [position], w, "interleaved")
    np.testing.assert_allclose(by_half, interleaved, rtol=0, atol=1e-14)


@given(dims, bases, st.integers(1, 10**7))
def test_a_sinusoidal_code_is_a_rotation_of_the_code_of_position_0(dim, base, position):
    """Chapter 2's theorem and chapter 5's rotation are the same: (cos, sin) = R (1, 0)."""
    start, code = posenc.sinusoidal([0, position], dim, base=base, layout="concat", dtype=float)
    sine_last = np.roll([start, code], dim // 2, axis=1)
    w = posenc.inv_freq(dim, base=base)
    rotated = turned(sine_last[:1], [position], w, "half")
    # The rotation takes frequencies rounded to float64, the table's are exact.
    np.testing.assert_allclose(rotated, sine_last[1:], atol=2e-16 * position + 1e-14)


@given(dims, bases, st.lists(positions, min_size=1, max_size=8))
def test_the_type_of_positions_never_matters(dim, base, some):
    def tables(p):
        cos, sin = posenc.rope_cos_sin(p, posenc.inv_freq(dim, base=base))
        return np.concatenate([posenc.sinusoidal(p, dim, base=base), cos, sin], axis=1)

    expected = tables(some)
    assert expected.dtype == np.float32
    for dtype in (np.int32, np.int64, np.float32, np.float64):
        np.testing.assert_array_equal(tables(np.array(some, dtype)), expected)


@given(st.integers(1, 12), st.integers(1, 40), st.integers(0, 40))
def test_queries_are_the_last_positions_everywhere(heads, q_len, earlier):
    table = np.random.default_rng(heads).normal(size=(32, heads))
    for function in (
        posenc.relative_positions,
        posenc.causal_mask,
        lambda q_len, k_len: posenc.alibi_bias(heads, q_len, k_len),
        lambda q_len, k_len: posenc.t5_bias(table, q_len, k_len),
    ):
        k_len = q_len + earlier
        square = np.asarray(function(k_len, k_len))
        np.testing.assert_array_equal(function(q_len, k_len), square[..., earlier:, :])


@given(dims.filter(lambda dim: dim > 2), bases, st.integers(2, 10**6))
def test_a_configuration_that_extends_by_1_is_plain(dim, base, trained):
    config = {"head_dim": dim, "rope_theta": base, "max_position_embeddings": trained}
    plain = posenc.inv_freq(dim, base=base)
    options = {
        "linear": {},
        "dynamic": {},
        "yarn": {"original_max_position_embeddings": trained},
        "llama3": {
            "low_freq_factor": 1,
            "high_freq_factor": 4,
            "original_max_position_embeddings": trained,
        },
    }
    for rope_type, more in options.items():
        scaling = {"rope_type": rope_type, "factor": 1.0, **more}
        got, factor = posenc.from_config({**config, "rope_scaling": scaling}, seq_len=trained)
        np.testing.assert_allclose(got, plain, rtol=1e-12, err_msg=rope_type)
        assert factor == 1

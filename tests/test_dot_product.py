"""Attention: the formula, the mask, the bias, and the symmetry that chapter 1 is about."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc.dot_product import attention, attention_weights, causal_mask, softmax


def draws(seed, n, d):
    return np.random.default_rng(seed).normal(size=(3, n, d))


def test_softmax_is_exp_in_proportion():
    np.testing.assert_allclose(softmax([np.log(1), np.log(2), np.log(5)]), [0.125, 0.25, 0.625])


def test_softmax_survives_large_scores_and_takes_any_axis():
    assert softmax([1e4, 1e4]).tolist() == [0.5, 0.5]
    x = np.arange(6.0).reshape(2, 3)
    np.testing.assert_array_equal(softmax(x, axis=0), softmax(x.T).T)


@pytest.mark.parametrize("bad", [[np.nan, 0.0], [np.inf, 0.0], [-np.inf, -np.inf]])
def test_softmax_refuses_rows_without_a_finite_largest_entry(bad):
    with pytest.raises(ValueError, match=r"largest entry is (nan|inf|-inf)"):
        softmax([[0.0, 1.0], bad])


def test_causal_mask_queries_are_the_last_positions():
    full = causal_mask(5)
    assert full.dtype == bool
    np.testing.assert_array_equal(full, np.tril(np.ones((5, 5))) > 0)
    np.testing.assert_array_equal(causal_mask(2, 5), full[-2:])


@pytest.mark.parametrize("lengths", [(0,), (3, 2), (2.0,), (True,)])
def test_causal_mask_refuses(lengths):
    with pytest.raises(ValueError, match="_len="):
        causal_mask(*lengths)


def test_attention_is_the_formula_term_by_term():
    q, k, v = draws(0, 4, 6)
    for i in range(4):
        e = [np.exp(q[i] @ k[j] / np.sqrt(6)) for j in range(4)]
        expected = sum(e[j] * v[j] for j in range(4)) / sum(e)
        np.testing.assert_allclose(attention(q, k, v)[i], expected, rtol=1e-12)


def test_bias_is_added_after_the_scaling():
    # ALiBi's numbers: six equal scores, slope 0.5
    bias = -0.5 * np.arange(5, -1, -1.0)
    weights = attention_weights(np.zeros((1, 64)), np.zeros((6, 64)), bias=bias)
    np.testing.assert_allclose(
        100 * weights[0], [3.4, 5.6, 9.2, 15.2, 25.1, 41.4], atol=0.05, rtol=0
    )


def test_bias_and_mask_broadcast_over_heads():
    q, k, v = draws(1, 3, 4)
    bias = np.random.default_rng(2).normal(size=(2, 3, 3))
    out = attention(q, k, v, bias=bias, mask=causal_mask(3))
    assert out.shape == (2, 3, 4)
    for h in range(2):
        alone = attention(q, k, v, bias=bias[h], mask=causal_mask(3))
        np.testing.assert_array_equal(out[h], alone)


def test_hidden_keys_get_exactly_nothing():
    q, k, v = draws(3, 5, 4)
    weights = attention_weights(q, k, mask=causal_mask(5))
    assert (weights[~causal_mask(5)] == 0).all()
    np.testing.assert_allclose(weights.sum(-1), 1)
    np.testing.assert_allclose(attention(q, k, v, mask=causal_mask(5))[0], v[0])


def test_last_queries_with_cached_keys_equal_the_full_run():
    q, k, v = draws(4, 5, 4)
    full = attention(q, k, v, mask=causal_mask(5))
    np.testing.assert_allclose(attention(q[-2:], k, v, mask=causal_mask(2, 5)), full[-2:])


@given(st.integers(0, 10**6), st.integers(2, 9))
def test_equivariant_not_invariant(seed, n):
    x = draws(seed, n, 5)[0]
    order = np.roll(np.arange(n), 1)
    out = attention(x, x, x)
    moved = attention(x[order], x[order], x[order])
    np.testing.assert_allclose(moved, out[order], atol=1e-12)
    np.testing.assert_allclose(moved.mean(0), out.mean(0), atol=1e-12)
    assert np.abs(moved - out).max() > 1e-3


def test_a_causal_mask_breaks_the_symmetry_for_every_other_order():
    x = draws(5, 3, 4)[0]
    seen = causal_mask(3)
    out = attention(x, x, x, mask=seen)
    for order in map(list, itertools.permutations(range(3))):
        y = x[order]
        same = np.allclose(attention(y, y, y, mask=seen), out[order])
        assert same == (order == [0, 1, 2])


@pytest.mark.parametrize(
    ("q", "k", "v", "options", "message"),
    [
        (np.zeros((2, 3)), np.zeros((2, 4)), np.zeros((2, 3)), {}, r"q \(2, 3\) and k \(2, 4\)"),
        (np.zeros(3), np.zeros((2, 3)), np.zeros((2, 3)), {}, r"q \(3,\)"),
        (np.zeros((2, 3)), np.zeros((4, 3)), np.zeros((2, 3)), {}, r"v \(2, 3\).*4"),
        (np.zeros((1, 2)), np.zeros((3, 2)), np.zeros((3, 2)), {"mask": [[1, 1, 0]]}, "mask.*int"),
        (
            np.zeros((1, 2)),
            np.zeros((2, 2)),
            np.zeros((2, 2)),
            {"mask": [[False, False]]},
            "hide every key",
        ),
        (np.full((1, 2), np.nan), np.zeros((2, 2)), np.zeros((2, 2)), {}, "q holds nan"),
    ],
)
def test_bad_input_is_named(q, k, v, options, message):
    with pytest.raises(ValueError, match=message):
        attention(q, k, v, **options)


def test_a_bias_of_minus_infinity_hides_a_key():
    q, k = np.ones((2, 4)), np.arange(12.0).reshape(3, 4)
    seen = np.array([[True, True, False], [True, False, True]])
    hidden = np.where(seen, 0, -np.inf)
    np.testing.assert_array_equal(
        attention_weights(q, k, bias=hidden), attention_weights(q, k, mask=seen)
    )

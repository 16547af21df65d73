"""The sinusoidal code: published values, peers, identities, reports of faults elsewhere."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc import inv_freq, shift_matrix, sinusoidal
from posenc.pairs import points

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())["sinusoidal"]
EVEN = [d for d in PEERS["interleaved_paper"] if int(d) % 2 == 0]
dims = st.integers(1, 40).map(lambda pairs: 2 * pairs)
positions = st.integers(-(10**6), 10**6)
layouts = st.sampled_from(["interleaved", "concat"])


@pytest.mark.parametrize("dim", EVEN)
def test_interleaved_agrees_with_positional_encodings(dim):
    got = sinusoidal(np.arange(8), int(dim))
    np.testing.assert_allclose(got, PEERS["interleaved_paper"][dim], rtol=0, atol=1e-6)


@pytest.mark.parametrize("dim", ["4", "6", "8"])
def test_concat_agrees_with_marian(dim):
    got = sinusoidal(np.arange(8), int(dim), layout="concat")
    np.testing.assert_allclose(got, PEERS["concat_paper_freqs"][dim], rtol=0, atol=1e-6)


def test_concat_is_not_the_other_convention():
    """tensor2tensor 391: there the exponent is i/(d/2-1); here only the columns move."""
    interleaved = [0.841471, 0.540302, 0.0100, 0.999950]
    np.testing.assert_allclose(sinusoidal(1, 4), interleaved, atol=5e-7)
    np.testing.assert_allclose(
        sinusoidal(1, 4, layout="concat"), np.array(interleaved)[[0, 2, 1, 3]], atol=5e-7
    )
    assert PEERS["concat_t2t_freqs"]["4"][1] == pytest.approx([0.841471, 0.0001, 0.540302, 1.0])


def test_sine_and_cosine_of_a_pair_turn_together():
    """Transformer 25 (SamLynnEvans): column 1 at position 1 is 0.540302, not 0.99995."""
    assert sinusoidal(1, 4)[1] == pytest.approx(0.540302, abs=1e-6)
    code = sinusoidal(np.arange(50), 16, dtype=np.float64)
    np.testing.assert_allclose(code[:, 0::2] ** 2 + code[:, 1::2] ** 2, 1)


@pytest.mark.parametrize(
    ("position", "dim", "expected"),
    [
        (3, 4, [0.14, -0.99, 0.03, 1.00]),
        (4, 4, [-0.76, -0.65, 0.04, 1.00]),
        (4, 16, [-0.76, -0.65, 0.95, 0.30]),
    ],
)
def test_published_rows(position, dim, expected):
    np.testing.assert_allclose(sinusoidal(position, dim)[:4], expected, atol=0.005)


@pytest.mark.parametrize("start", [-(10**7), 10**7 - 50])
def test_far_positions_are_exact_to_rounding(start):
    """A float64 phase would err by 1e-9 here: the frequencies and products carry their rounding."""
    code = sinusoidal(start + np.arange(51), 96, base=500000.0, dtype=np.float64)
    with mpmath.workdps(50):
        for row in (0, 17, 50):
            for i in (1, 2, 7, 47):
                phase = (start + row) * mpmath.mpf(500000) ** (mpmath.mpf(-2 * i) / 96)
                assert code[row, 2 * i] == pytest.approx(float(mpmath.sin(phase)), abs=1e-14)
                assert code[row, 2 * i + 1] == pytest.approx(float(mpmath.cos(phase)), abs=1e-14)


@given(p=positions, k=positions, dim=dims, layout=layouts)
def test_a_shift_is_one_matrix(p, k, dim, layout):
    here, there = sinusoidal([p, p + k], dim, layout=layout, dtype=np.float64)
    # Both sides take w as float64, the code adds what that cuts off: k w 2^-53 at most.
    shifted = shift_matrix(k, inv_freq(dim), layout=layout) @ here
    np.testing.assert_allclose(shifted, there, rtol=0, atol=1e-14 + abs(k) * 1e-15)


@given(p=positions, dim=dims, layout=layouts)
def test_norm_is_the_root_of_half_the_width(p, dim, layout):
    code = sinusoidal(p, dim, layout=layout, dtype=np.float64)
    assert np.linalg.norm(code) == pytest.approx(math.sqrt(dim / 2), rel=1e-14)


@given(p=positions, dim=dims)
def test_concat_is_a_permutation_of_interleaved(p, dim):
    columns = np.concatenate([np.arange(0, dim, 2), np.arange(1, dim, 2)])
    np.testing.assert_array_equal(
        sinusoidal(p, dim, layout="concat"), sinusoidal(p, dim)[..., columns]
    )


def test_dot_product_of_codes_is_a_function_of_the_offset():
    code = sinusoidal(np.arange(19), 64, dtype=np.float64)
    expected = np.cos(inv_freq(64)).sum()
    assert expected == pytest.approx(30.9168, abs=5e-5)
    assert [code[0] @ code[1], code[17] @ code[18]] == pytest.approx([expected] * 2, rel=1e-13)


@pytest.mark.parametrize("shape", [(), (1,), (5,), (2, 3), (2, 1, 4), (0,), (3, 0)])
def test_any_shape_of_positions(shape):
    p = np.arange(math.prod(shape)).reshape(shape) * 7 - 3
    got = sinusoidal(p, 6)
    assert got.shape == (*shape, 6)
    for index in np.ndindex(shape):
        np.testing.assert_array_equal(got[index], sinusoidal(p[index], 6))


def test_batches_have_their_own_positions():
    """pytorch/tutorials 1547: the code depends on the position, not on the batch item."""
    code = np.zeros((2, 3, 4), np.float32) + sinusoidal([[0, 1, 2], [0, 1, 2]], 4)
    np.testing.assert_array_equal(code[0], code[1])
    assert np.unique(code[0], axis=0).shape == (3, 4)
    shifted = sinusoidal([[0, 1, 2], [5, 6, 7]], 4)
    np.testing.assert_array_equal(shifted[1], sinusoidal(np.arange(8), 4)[5:])


@pytest.mark.parametrize("kind", [int, np.int8, np.uint16, np.int64, np.float16, np.float64])
def test_dtype_of_positions_does_not_matter(kind):
    """transformers 47674: the result had the dtype of integer positions, nearly all zeros."""
    got = sinusoidal(np.arange(100, dtype=kind), 8)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, sinusoidal(np.arange(100.0), 8))


@pytest.mark.parametrize(("dtype", "bound"), [(np.float16, 5e-4), (np.float32, 3e-8)])
def test_only_the_result_is_rounded(dtype, bound):
    """vllm 54620: a half-precision phase made 1407 of 2048 rows equal to a neighbour."""
    p, w = np.arange(2048), inv_freq(64)
    got = sinusoidal(p, 64, dtype=dtype)
    assert got.dtype == dtype
    exact = points(p.astype(float), w)
    assert np.abs(got[:, 0::2] - exact.imag).max() <= bound
    assert np.abs(got[:, 1::2] - exact.real).max() <= bound
    assert len(np.unique(got, axis=0)) == 2048


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
def test_neighbours_stay_distinct_far_out(dtype):
    """transformers 29285: half-precision positions made 8190 and 8191 both 8192, 257 a 256."""
    for near, far in [(256, 257), (8190, 8191), (10**7, 10**7 + 1)]:
        assert (sinusoidal(near, 64, dtype=dtype) != sinusoidal(far, 64, dtype=dtype)).any()


def test_shift_matrix_of_many_offsets():
    offsets = np.array([[0, 1, -2], [3, 4, 0.5]])
    stack = shift_matrix(offsets, inv_freq(4))
    assert stack.shape == (2, 3, 4, 4)
    np.testing.assert_array_equal(stack[1, 2], shift_matrix(0.5, inv_freq(4)))
    np.testing.assert_array_equal(stack[0, 0], np.eye(4))


@pytest.mark.parametrize(
    ("call", "message"),
    [
        # BERT-pytorch 78: an odd width crashed deep inside, or took another width's frequencies.
        (lambda: sinusoidal([1], 7), r"dim=7: must be even"),
        (lambda: sinusoidal([1], 4, base=0.5), r"base=0.5: must be a finite number above 1"),
        (lambda: sinusoidal([math.nan], 4), r"positions holds nan: every entry must be finite"),
        (lambda: sinusoidal(["a"], 4), r"positions has dtype .*: must hold real numbers"),
        (lambda: sinusoidal([1], 4, layout="half"), r"layout='half'.*'interleaved', 'concat'"),
        (lambda: sinusoidal([1], 4, dtype=np.int64), r"dtype=int64: must be a floating type"),
        (lambda: shift_matrix(math.inf, [1.0]), r"offset holds inf: every entry must be finite"),
        (lambda: shift_matrix(1, 4), r"inv_freq has shape \(\): must be \(dim/2,\)"),
        (lambda: shift_matrix(1, [1.0], layout="half"), r"layout='half'"),
    ],
)
def test_bad_input_names_argument_value_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()

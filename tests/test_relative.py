"""Relative positions, Shaw's table index and T5's buckets: exact, and against peers."""

import json
from pathlib import Path

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.lib.array_utils import byte_bounds

from posenc import relative

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())
LENGTHS = [(1, 1), (1, 5), (3, 3), (2, 6), (7, 7)]


@pytest.mark.parametrize(("q_len", "k_len"), LENGTHS)
def test_relative_position_is_key_minus_query(q_len, k_len):
    expected = [[n - m for n in range(k_len)] for m in range(k_len - q_len, k_len)]
    got = relative.relative_positions(q_len, k_len)
    assert got.tolist() == expected
    assert np.unique(got).tolist() == relative.diagonal_offsets(q_len, k_len).tolist()


@pytest.mark.parametrize(("q_len", "k_len"), LENGTHS)
def test_diagonal_view_is_indexing_by_relative_position(q_len, k_len):
    values = np.random.default_rng(0).normal(size=(2, 3, q_len + k_len - 1))
    r = relative.relative_positions(q_len, k_len)
    view = relative.diagonal_view(values, q_len, k_len)
    np.testing.assert_array_equal(view, values[..., r + k_len - 1])
    assert not view.flags.writeable
    assert byte_bounds(view) == byte_bounds(values)


def test_diagonal_view_names_the_length_it_needs():
    with pytest.raises(ValueError, match=r"values has shape \(4,\): .* = 5 numbers"):
        relative.diagonal_view(np.zeros(4), 2, 4)


def test_shaw_index_clips_on_both_sides():
    # gluon-nlp 1470, transformers 9164: sign and clipping
    assert relative.shaw_index(relative.relative_positions(3, 3), 2).tolist() == [
        [2, 3, 4],
        [1, 2, 3],
        [0, 1, 2],
    ]
    expected = PEERS["shaw_relative"]["index_q5_k5"]
    assert relative.shaw_index(relative.relative_positions(5, 5), 2).tolist() == expected
    assert relative.shaw_index([-99, 99], 7).tolist() == [0, 14]


@pytest.mark.parametrize("name", ["bidirectional_32_128", "causal_32_128"])
def test_buckets_agree_with_transformers(name):
    case = PEERS["t5_buckets"]["cases"][name]
    got = relative.t5_bucket(np.arange(-300, 301), bidirectional=case["bidirectional"])
    assert got.tolist() == case["bucket"]


def printed_rule(distance, buckets, max_distance):
    """T5's rule as printed, in 50 digits; a value this near a whole number is that number."""
    h = buckets // 2
    if distance < h:
        return distance
    with mpmath.workdps(50):
        ratio = mpmath.log(mpmath.mpf(distance) / h) / mpmath.log(mpmath.mpf(max_distance) / h)
        step = int(mpmath.floor(ratio * (buckets - h) + mpmath.mpf(10) ** -40))
    return min(h + step, buckets - 1)


SWEEP = [
    (buckets, max_distance)
    for buckets in (2, 3, 4, 5, 8, 12, 16, 31, 32, 64)
    for max_distance in (2, 3, 5, 9, 16, 17, 33, 64, 100, 128, 333, 1000)
    if max_distance > buckets // 2
]


@pytest.mark.parametrize(("buckets", "max_distance"), SWEEP)
def test_buckets_follow_the_printed_rule(buckets, max_distance):
    distances = np.arange(max_distance + 40)
    expected = [printed_rule(int(t), buckets, max_distance) for t in distances]
    options = {"max_distance": max_distance}
    causal = {"bidirectional": False, "num_buckets": buckets, **options}
    assert relative.t5_bucket(-distances, **causal).tolist() == expected
    assert not relative.t5_bucket(distances, **causal).any()
    both = {"bidirectional": True, "num_buckets": 2 * buckets, **options}
    assert relative.t5_bucket(-distances, **both).tolist() == expected
    after = relative.t5_bucket(distances[1:], **both)
    assert after.tolist() == [b + buckets for b in expected[1:]]


def test_a_distance_on_a_boundary_opens_its_bucket():
    # h = 2, N = 3, D = 686: (98/2)^3 = 49^3 = 343^2 = (686/2)^2, so distance 98 opens bucket 4.
    # The ratio of the two logarithms in single precision is just below 2 and says 3.
    options = {"bidirectional": False, "num_buckets": 5, "max_distance": 686}
    assert relative.t5_bucket([-97, -98], **options).tolist() == [3, 4]


def test_first_distance_of_each_bucket():
    first = [0, 1, 2, 3, 4, 5, 6, 7, 8, 12, 16, 23, 32, 46, 64, 91]
    assert relative.t5_first_distances().tolist() == first
    assert relative.t5_bucket(-np.array(first)).tolist() == list(range(16))
    assert relative.t5_bucket(1 - np.array(first[1:])).tolist() == list(range(15))


def test_direction_is_not_turned_round():
    # x-transformers 10
    assert relative.t5_bucket([-4, -3, -2, -1, 0], bidirectional=False).tolist() == [4, 3, 2, 1, 0]
    assert not relative.t5_bucket(np.arange(500), bidirectional=False).any()
    assert relative.t5_bucket([1, -1]).tolist() == [17, 1]


def test_a_cache_does_not_move_the_query():
    # candle 899
    r = relative.relative_positions(1, 5)
    assert relative.t5_bucket(r, bidirectional=False).tolist() == [[4, 3, 2, 1, 0]]


@pytest.mark.parametrize("bidirectional", [True, False])
def test_bias_looks_the_table_up(bidirectional):
    table = np.random.default_rng(1).normal(size=(32, 3)).astype(np.float32)
    bias = relative.t5_bias(table, 40, 300, bidirectional=bidirectional)
    bucket = relative.t5_bucket(relative.relative_positions(40, 300), bidirectional=bidirectional)
    assert bias.dtype == np.float32
    np.testing.assert_array_equal(bias, np.moveaxis(table[bucket], -1, 0))
    assert not bias.flags.writeable
    low, high = byte_bounds(bias)
    assert high - low == bias.itemsize * 3 * (40 + 300 - 1)


@given(st.integers(1, 30), st.integers(0, 30), st.integers(1, 30), st.booleans())
def test_a_common_shift_changes_no_bias(q_len, cached, shift, bidirectional):
    table = np.random.default_rng(2).normal(size=(8, 2))
    options = {"bidirectional": bidirectional, "max_distance": 20}
    bias = relative.t5_bias(table, q_len, q_len + cached, **options)
    longer = relative.t5_bias(table, q_len, q_len + cached + shift, **options)
    np.testing.assert_array_equal(longer[:, :, shift:], bias)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"num_buckets": 33}, "num_buckets=33: must be even .*; use 32 or 34"),
        ({"num_buckets": 2}, "num_buckets=2: must be at least 4"),
        ({"num_buckets": 1, "bidirectional": False}, "num_buckets=1: must be at least 2"),
        ({"max_distance": 8}, "max_distance=8: must be at least 9"),
    ],
)
def test_bad_bucket_counts_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        relative.t5_bucket([0], **options)


def test_bad_arguments_are_named():
    with pytest.raises(
        ValueError, match=r"relative holds 0\.5: every entry must be a whole number"
    ):
        relative.t5_bucket([0, 0.5])
    with pytest.raises(ValueError, match="max_distance=0: must be at least 1"):
        relative.shaw_index([0], 0)
    with pytest.raises(ValueError, match=r"table has shape \(4,\): must be \(rows, width\)"):
        relative.t5_bias(np.zeros(4), 2, 2)
    with pytest.raises(ValueError, match="k_len=2: must be at least 3"):
        relative.relative_positions(3, 2)

"""The points of the circle: exact to rounding, and the same by addition as one by one."""

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from posenc import inv_freq
from posenc.pairs import BLOCK, point_blocks, points

EPS = 2.0**-52


@pytest.mark.parametrize(
    "position", [0, 1, -5, 12345, 10**7, -(10**7), 0.37, 1234567.875, 2**40 + 1]
)
def test_points_are_exact_to_rounding(position):
    w = np.array([1.0, 0.75, 0.1, 1e-5, 0.0])
    got = points(np.array(float(position)), w)
    with mpmath.workdps(50):
        exact = [complex(mpmath.expj(mpmath.mpf(position) * mpmath.mpf(float(v)))) for v in w]
    assert np.abs(got - exact).max() <= 4 * EPS


def gathered(positions, w, **options):
    blocks = [(rows, block.copy()) for rows, block in point_blocks(positions, w, **options)]
    rows = [range(r.start, r.stop) for r, _ in blocks]
    assert [i for r in rows for i in r] == list(range(positions.size))
    return np.concatenate([np.empty((0, w.size)), *(block for _, block in blocks)])


@given(
    pairs=st.integers(1, 8),
    runs=st.lists(st.tuples(st.integers(-(10**7), 10**7), st.integers(0, 60)), max_size=5),
    fraction=st.sampled_from([0.0, 0.5, 0.1]),
    radius=st.floats(0.1, 10),
)
def test_blocks_by_addition_equal_points_one_by_one(pairs, runs, fraction, radius):
    runs = [start + np.arange(length) + fraction for start, length in runs]
    positions = np.concatenate([np.empty(0), *runs])
    w = inv_freq(2 * pairs)
    got = gathered(positions, w, radius=radius)
    assert np.abs(got - points(positions, w, radius=radius)).max(initial=0) <= 8 * EPS * radius


@given(hnp.arrays(np.float64, st.integers(0, 50), elements=st.floats(-1e7, 1e7)))
def test_scattered_positions(positions):
    w = inv_freq(6)
    assert np.abs(gathered(positions, w) - points(positions, w)).max(initial=0) <= 8 * EPS


def test_a_fraction_far_out_is_not_rounded_by_addition():
    """1000000.1 + 1 is not exact: such a run takes its sines one by one."""
    positions = 1000000.1 + np.arange(100)
    np.testing.assert_array_equal(gathered(positions, np.ones(1)), points(positions, np.ones(1)))


def test_positions_that_float64_does_not_hold_are_not_added():
    """2^53 + 1 is no float64: what a run adds to its first position would not be its own."""
    positions = 2.0**53 + np.arange(-8.0, 16.0)
    alone = points(positions, np.ones(1))
    assert np.abs(gathered(positions, np.ones(1)) - alone).max() <= 8 * EPS


def test_more_pairs_than_fit_a_block():
    w = np.linspace(0, 1, BLOCK + 1)
    positions = np.arange(3.0)
    assert np.abs(gathered(positions, w) - points(positions, w)).max() <= 8 * EPS


def test_consecutive_positions_take_few_sines(monkeypatch):
    calls = []

    def count(positions, frequencies, **options):
        calls.append(positions.size)
        return points(positions, frequencies, **options)

    monkeypatch.setattr("posenc.pairs.points", count)
    gathered(np.arange(-50.0, 9951.0), inv_freq(4))
    assert sum(calls) <= 205

"""A position table: reading it, its end, making more rows, positions under padding."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc import learned


@pytest.fixture
def table():
    return np.random.default_rng(0).normal(size=(6, 4)).astype(np.float32)


def test_lookup_takes_positions_of_any_shape_and_type(table):
    positions = np.array([[0, 5, 2], [1, 1, 3]])
    got = learned.lookup(table, positions)
    assert got.dtype == np.float32
    np.testing.assert_array_equal(got, table[positions])
    np.testing.assert_array_equal(learned.lookup(table, positions.astype(np.float16)), got)
    np.testing.assert_array_equal(learned.lookup(table, positions.astype(np.uint8)), got)


@pytest.mark.parametrize("position", [6, 1024, -1])
def test_a_position_outside_the_table_is_named(table, position):
    # transformers 125, 2446: an opaque index error; a negative position must not wrap round
    with pytest.raises(IndexError, match=rf"position {position}: the table has 6 rows.* 0 to 5"):
        learned.lookup(table, [0, position])


def test_a_position_between_rows_is_refused(table):
    with pytest.raises(ValueError, match=r"positions holds 1\.5: every entry must be a whole"):
        learned.lookup(table, [1.5])


def test_a_table_has_two_axes():
    with pytest.raises(ValueError, match=r"table has shape \(3,\): must be \(rows, width\)"):
        learned.lookup(np.zeros(3), [0])


@given(st.lists(st.booleans(), min_size=1), st.integers(0, 5))
def test_no_real_token_shares_the_row_of_padding(mask, padding_idx):
    # transformers 10200: a padding row inside a position table silenced a position
    mask = np.array(mask)
    positions = learned.positions_from_mask(mask, padding_idx=padding_idx)
    assert (positions[~mask] == padding_idx).all()
    assert positions[mask].tolist() == list(range(padding_idx + 1, padding_idx + 1 + mask.sum()))


@pytest.mark.parametrize("method", learned.METHODS)
def test_resizing_to_the_same_length_changes_nothing(table, method):
    got = learned.resize(table, 6, method=method)
    assert got.dtype == np.float32
    np.testing.assert_allclose(got, table, rtol=1e-6)


@given(st.integers(1, 12), st.integers(1, 40))
def test_linear_is_interpolation_along_each_column(rows, length):
    table = np.random.default_rng(rows).normal(size=(rows, 3))
    places = np.linspace(0, rows - 1, length) if length > 1 else [0]
    expected = np.transpose([np.interp(places, np.arange(rows), column) for column in table.T])
    np.testing.assert_allclose(learned.resize(table, length), expected, atol=1e-12)


def test_linear_keeps_both_ends(table):
    got = learned.resize(table, 17)
    np.testing.assert_array_equal(got[[0, -1]], table[[0, -1]])


def test_repeat_starts_again(table):
    got = learned.resize(table, 15, method="repeat")
    np.testing.assert_array_equal(got, np.concatenate([table, table, table[:3]]))


def test_hierarchical_keeps_the_rows_and_tells_all_positions_apart():
    table = np.random.default_rng(1).normal(size=(7, 5))
    got = learned.resize(table, 49, method="hierarchical")
    np.testing.assert_allclose(got[:7], table, atol=1e-14)
    # Both digits: the step from one coarse digit to the next is the same at every fine digit.
    grid = got.reshape(7, 7, 5)
    coarse = grid - grid[:1]
    np.testing.assert_allclose(coarse, np.repeat(coarse[:, :1], 7, axis=1), atol=1e-14)
    np.testing.assert_allclose(coarse[:, 0], (table - table[0]) * 0.4 / 0.6, atol=1e-14)
    distances = np.linalg.norm(got[:, None] - got, axis=-1) + np.eye(49)
    assert distances.min() > 0.1


def test_bad_lengths_and_methods_are_named(table):
    with pytest.raises(ValueError, match="length=37: two digits in base 6 reach 36 positions"):
        learned.resize(table, 37, method="hierarchical")
    with pytest.raises(ValueError, match="length=0: must be at least 1"):
        learned.resize(table, 0)
    with pytest.raises(
        ValueError, match="method='cubic': must be one of 'linear', 'repeat', 'hier"
    ):
        learned.resize(table, 9, method="cubic")


@pytest.mark.parametrize(
    ("mask", "plain", "offset"),
    [
        ([1, 1, 0, 0], [0, 1, 0, 0], [2, 3, 1, 1]),  # fairseq 1177, transformers 15292
        ([0, 0, 1, 1, 1], [0, 0, 0, 1, 2], [1, 1, 2, 3, 4]),  # transformers 3021
        ([1, 1, 1], [0, 1, 2], [2, 3, 4]),
        ([1, 0, 1], [0, 0, 1], [2, 1, 3]),
        ([0, 0], [0, 0], [1, 1]),
    ],
)
def test_positions_count_real_tokens(mask, plain, offset):
    for kind in (np.int64, np.uint8, np.float32, np.bool_):
        given_mask = np.array(mask, kind)
        assert learned.positions_from_mask(given_mask).tolist() == plain
        assert learned.positions_from_mask(given_mask, padding_idx=1).tolist() == offset
    both = learned.positions_from_mask([mask, mask[::-1]])
    assert both[0].tolist() == plain


def test_bad_masks_are_named():
    with pytest.raises(ValueError, match="mask holds -10000: must be 1 for a real token"):
        learned.positions_from_mask([0, -10000])
    with pytest.raises(ValueError, match=r"mask is a single number"):
        learned.positions_from_mask(1)
    with pytest.raises(ValueError, match="padding_idx=-1: must be at least 0"):
        learned.positions_from_mask([1], padding_idx=-1)

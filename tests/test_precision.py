"""bfloat16 against its definition, by exact fractions."""

from fractions import Fraction

import numpy as np
import pytest

from posenc import bfloat16


def nearest(number):
    """The nearest multiple of the last of 8 bits, at a tie the even one."""
    if number == 0:
        return 0.0
    unit = Fraction(2) ** (int(np.floor(np.log2(abs(number)))) - 7)
    return float(round(Fraction(number) / unit) * unit)  # Python rounds a half to even


def test_rounds_to_eight_significant_bits():
    draws = np.random.default_rng(0).normal(size=2000) * 10.0 ** np.tile(np.arange(-5, 5), 200)
    numbers = [*map(float, draws.astype(np.float32)), *range(-300, 301), 0.0]
    assert bfloat16(numbers).tolist() == [nearest(number) for number in numbers]


def test_ties_go_to_even():
    assert bfloat16([257, 259, -257]).tolist() == [256, 260, -256]


def test_shape_and_type():
    for x in (1, [], [[1, 2, 3]], np.arange(6, dtype=np.int8).reshape(2, 3)):
        assert bfloat16(x).shape == np.shape(x)
        assert bfloat16(x).dtype == np.float32


def test_what_is_no_number_is_refused():
    with pytest.raises(ValueError, match="x holds nan: every entry must be finite"):
        bfloat16([1.0, np.nan])

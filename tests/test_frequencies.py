"""Frequencies against their closed form, peers, and the reports of what went wrong elsewhere."""

import json
import math
from pathlib import Path

import mpmath
import numpy as np
import pytest

from posenc import inv_freq, turns, wavelengths
from posenc.frequencies import rounding

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())["rope_inv_freq"]
PLAIN = {name: c for name, c in PEERS["cases"].items() if c["rope_type"] == "default"}


@pytest.mark.parametrize("case", PLAIN.values(), ids=PLAIN)
def test_frequencies_of_models_agree_with_transformers(case):
    got = inv_freq(case["dim"], base=case["base"])
    np.testing.assert_allclose(got, case["inv_freq"], rtol=1e-6, atol=0)


def test_slowest_frequency_at_width_4():
    """attention-is-all-you-need-pytorch 32: the exponent counts pairs, not columns."""
    assert inv_freq(4).tolist() == [1.0, 0.01]


def test_base_is_an_argument():
    """llama2.c 356: base hard-coded; right for base 1e6, width 128."""
    assert inv_freq(128, base=1e6)[-1] == pytest.approx(1.2409e-6, rel=1e-4)


def test_rotated_width_gives_the_frequencies():
    """coreai-models 66: 4 rotated dimensions of a head of 8 have frequencies 1 and 0.01."""
    assert inv_freq(4).tolist() == [1.0, 0.01]
    assert inv_freq(8)[:2].tolist() == pytest.approx([1.0, 0.1])


@pytest.mark.parametrize(("dim", "base"), [(2, 10000.0), (96, 500000.0), (1024, 10000.0), (6, 1.5)])
def test_frequency_and_rounding_make_the_exact_frequency(dim, base):
    w = inv_freq(dim, base=base)
    with mpmath.workdps(50):
        for i, (near, rest) in enumerate(zip(w, rounding(w, base), strict=True)):
            exact = mpmath.mpf(base) ** (mpmath.mpf(-2 * i) / dim)
            assert abs(mpmath.mpf(float(near)) + mpmath.mpf(float(rest)) - exact) < 1e-30


def test_wavelengths():
    assert wavelengths(inv_freq(64))[[0, 8, 16, 31]].tolist() == pytest.approx(
        [6.2832, 62.832, 628.32, 47117.2], rel=1e-4
    )
    assert wavelengths(inv_freq(512))[-1] == pytest.approx(60611, rel=1e-4)


def test_a_pair_that_does_not_turn_has_an_infinite_wavelength():
    assert wavelengths([1.0, 0.0]).tolist() == [2 * math.pi, math.inf]
    assert turns([1.0, 0.0], 100)[1] == 0


def test_turns():
    pairs = [0, 20, 21, 32, 45, 46, 63]
    assert turns(inv_freq(128), 4096)[pairs].tolist() == pytest.approx(
        [651.9, 36.66, 31.75, 6.52, 1.004, 0.869, 0.0753], rel=1e-3
    )
    np.testing.assert_allclose(turns([0.5, 0.1], 7) * wavelengths([0.5, 0.1]), 7)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: inv_freq(5), r"dim=5: must be even.*use 4 or 6"),
        (lambda: inv_freq(0), r"dim=0: must be at least 2"),
        (lambda: inv_freq(4.0), r"dim=4.0: must be an integer"),
        (lambda: inv_freq(4, base=1), r"base=1: must be a finite number above 1"),
        (lambda: inv_freq(4, base=math.inf), r"base=inf: must be a finite number above 1"),
        (lambda: wavelengths([]), r"inv_freq has shape \(0,\): must be \(dim/2,\)"),
        (lambda: wavelengths([[1.0]]), r"inv_freq has shape \(1, 1\)"),
        (lambda: wavelengths([1.0, -0.5]), r"inv_freq holds -0.5: must be at least 0"),
        (lambda: turns([1.0], -1), r"length=-1: must be a finite number of at least 0"),
        (lambda: turns([math.nan], 1), r"inv_freq holds nan: every entry must be finite"),
    ],
)
def test_bad_input_names_argument_value_and_remedy(call, message):
    with pytest.raises(ValueError, match=message):
        call()

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc.frequencies import inv_freq, turns
from posenc.scaling import (
    context_bound,
    dynamic_ntk_base,
    linear,
    llama3,
    longrope,
    longrope_attention_factor,
    ntk_base,
    yarn,
    yarn_attention_factor,
    yarn_temperature,
)

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())
NTK = PEERS["rope_ntk_aware_static"]["cases"]
DIMS = st.integers(2, 128).map(lambda half: 2 * half)
BASES = st.floats(10, 1e8)


def fates(plain, scaled, factor):
    """Counts of pairs kept, mixed and divided."""
    kept = np.isclose(scaled, plain, rtol=1e-12)
    divided = np.isclose(scaled, plain / factor, rtol=1e-12)
    return kept.sum(), (~kept & ~divided).sum(), divided.sum()


@pytest.mark.parametrize("case", NTK.values(), ids=NTK)
def test_ntk_base_equals_peers(case):
    ours = inv_freq(case["dim"], base=ntk_base(case["base"], case["dim"], case["factor"]))
    np.testing.assert_allclose(ours, case["inv_freq"], rtol=1e-6)


@pytest.mark.parametrize("case", PEERS["deepseek_yarn_softmax_mscale"]["cases"])
def test_yarn_temperature_equals_peers(case):
    """Origin: mobius 548, transformers 47435: the softmax scale carries the square."""
    m = yarn_temperature(case["factor"], case["mscale_all_dim"])
    assert m == pytest.approx(case["m"], rel=1e-12)
    assert m**2 == pytest.approx(case["m_squared"], rel=1e-12)


@pytest.mark.parametrize(
    ("factor", "base"), [(2, 20221), (4, 40890), (8, 82685), (16, 167199), (32, 338097)]
)
def test_ntk_base_numbers(factor, base):
    assert round(ntk_base(10000, 128, factor)) == base


@given(DIMS, BASES, st.floats(1, 100))
def test_ntk_keeps_the_fastest_and_divides_the_slowest(dim, base, factor):
    plain = inv_freq(dim, base=base)
    scaled = inv_freq(dim, base=ntk_base(base, dim, factor))
    assert scaled[0] == 1
    assert scaled[-1] == pytest.approx(plain[-1] / factor, rel=1e-9)


def test_ntk_doubles_by_halving_the_slowest_only():
    """Origin: keras-hub 0.32.0, which divides every frequency."""
    ratio = inv_freq(128, base=ntk_base(10000, 128, 2)) / inv_freq(128)
    assert ratio[[0, -1]] == pytest.approx([1, 0.5])


def test_ntk_leaves_slow_pairs_out_of_the_trained_range():
    plain, scaled = inv_freq(128), inv_freq(128, base=ntk_base(10000, 128, 8))
    trained, target = turns(plain, 2048), turns(scaled, 8 * 2048)
    slow = trained < 1
    assert slow.sum() == 23
    excess = (target / trained)[slow]
    assert (excess > 1 + 1e-9).sum() == 22
    assert excess.max() == pytest.approx(2.067, abs=5e-4)


@pytest.mark.parametrize("seq_len", [1, 100, 4096])
def test_dynamic_ntk_is_unchanged_up_to_the_trained_length(seq_len):
    """Origin: vllm 5093, where one constant held for all lengths."""
    assert dynamic_ntk_base(10000, 128, 2, seq_len, 4096) == 10000


def test_dynamic_ntk_at_twice_the_trained_length():
    """Origin: vllm 5093: Llama 2, factor 2: the slowest pair is divided by 2*2 - 1."""
    scaled = inv_freq(128, base=dynamic_ntk_base(10000, 128, 2, 8192, 4096))
    assert scaled[-1] / inv_freq(128)[-1] == pytest.approx(1 / 3, rel=1e-12)
    assert dynamic_ntk_base(10000, 128, 2, 4097, 4096) > 10000


def test_dynamic_ntk_with_rotated_keys_in_the_cache_is_not_relative():
    """Origin: transformers 25104: query turned with one base, cached key with an older one."""

    def score(query_length, key_length, shift):
        bases = [dynamic_ntk_base(10000, 128, 2, n, 4096) for n in (query_length, key_length)]
        turned = [
            np.exp(1j * (p + shift) * inv_freq(128, base=b))
            for p, b in zip((4200, 4100), bases, strict=True)
        ]
        return (turned[0] * turned[1].conj()).real.sum()

    relative = [score(4400, 4400, shift) for shift in (0, 100)]  # cached before the rotation
    assert relative[0] == pytest.approx(relative[1], abs=1e-8)
    broken = [score(4400, 4101, shift) for shift in (0, 100)]
    assert abs(broken[0] - broken[1]) > 1


def test_yarn_llama2_ramp():
    plain, scaled = inv_freq(128), yarn(128, 16, 4096)
    ramp = (1 - scaled / plain) / (1 - 1 / 16)
    assert ramp[20] == 0
    assert ramp[46] == pytest.approx(1)
    np.testing.assert_allclose(ramp[20:47], np.linspace(0, 1, 27), atol=1e-12)


def test_yarn_correction_range_without_rounding():
    """Origin: vllm 27722: 8.092779115512402 and 17.39802450158856 for gpt-oss."""
    low, high = 8.092779115512402, 17.39802450158856
    plain = inv_freq(64, base=150000)
    exact = yarn(64, 32, 4096, base=150000, truncate=False)
    ramp = np.clip((np.arange(32) - low) / (high - low), 0, 1)
    np.testing.assert_allclose(exact, plain * (1 - ramp + ramp / 32), rtol=1e-12)
    rounded = yarn(64, 32, 4096, base=150000)
    ramp = np.clip((np.arange(32) - 8) / (18 - 8), 0, 1)
    np.testing.assert_allclose(rounded, plain * (1 - ramp + ramp / 32), rtol=1e-12)


def test_yarn_ramp_is_the_right_way_up():
    """Origin: litgpt 0.5.13: the fastest pair divided, the slowest left."""
    ratio = yarn(128, 4, 4096) / inv_freq(128)
    assert ratio[0] == 1
    assert ratio[-1] == 0.25
    assert (np.diff(ratio) <= 1e-12).all()


def test_yarn_clamps_the_correction_range():
    """No pair made a turn in training: all but the clamped first end of the ramp are divided."""
    ratio = yarn(64, 4, 3) / inv_freq(64)
    assert ratio[0] == 1
    assert ratio[1:] == pytest.approx(0.25)
    # Every pair made more than 32 turns: none is divided, though both ends lie past the last.
    assert yarn(8, 4, 10**9, base=100) == pytest.approx(inv_freq(8, base=100))
    # high = d - 1, not d/2 - 1: the slowest pair is still on the ramp.
    slowest = yarn(8, 4, 30000, base=10000)[-1] / inv_freq(8)[-1]
    assert 0.25 < slowest < 1


@pytest.mark.parametrize(
    ("mscale", "mscale_all_dim", "value"),
    [(None, None, 1.277259), (1, 1, 1.0), (0.707, 0.707, 1.0), (0.707, 0, 1.277259)],
)
def test_yarn_attention_factor(mscale, mscale_all_dim, value):
    """Origin: exllamav3 259 against sglang 22711: a ratio, and 1.277259 with neither given."""
    assert yarn_attention_factor(16, mscale, mscale_all_dim) == pytest.approx(value, abs=5e-7)


def test_yarn_attention_factor_is_the_ratio_of_two_temperatures():
    expected = yarn_temperature(40, 1.0) / yarn_temperature(40, 0.5)
    assert yarn_attention_factor(40, 1.0, 0.5) == expected > 1.1


def test_llama3_fates():
    plain = inv_freq(128, base=500000)
    scaled = llama3(plain, 8, 1, 4, 8192)
    assert fates(plain, scaled, 8) == (29, 6, 29)


def test_llama3_middle_band_is_linear_in_turns():
    plain = inv_freq(128, base=500000)
    scaled = llama3(plain, 8, 1, 4, 8192)
    r = turns(plain, 8192)
    middle = (r > 1) & (r < 4)
    kept = (scaled / plain - 1 / 8) / (1 - 1 / 8)
    np.testing.assert_allclose(kept[middle], (r[middle] - 1) / 3, rtol=1e-12)


def test_longrope_attention_factor_of_phi3():
    """Origin: transformers 33129, vllm 27431: 1.190238 whichever list is in use."""
    assert longrope_attention_factor(32, 4096) == pytest.approx(1.190238, abs=5e-7)


@pytest.mark.parametrize(("base", "bound"), [(1e4, 1707), (5e5, 18438)])
def test_base_bounds_the_context(base, bound):
    frequencies = inv_freq(128, base=base)
    assert context_bound(frequencies, limit=20000) == bound
    assert context_bound(frequencies, limit=bound) == bound
    assert context_bound(frequencies, limit=bound - 1) is None
    sums = np.cos(np.outer([bound - 1, bound], frequencies)).sum(axis=1)
    assert sums[0] >= 0 > sums[1]


def test_context_bound_far_out():
    frequencies = inv_freq(256, base=1e6)
    assert context_bound(frequencies, limit=80000) == 71627
    assert np.cos(71627 * frequencies).sum() < 0 <= np.cos(71626 * frequencies).sum()
    assert context_bound([0.0, 1.0], limit=200000) is None


@given(DIMS, BASES)
def test_factor_one_changes_nothing(dim, base):
    plain = inv_freq(dim, base=base)
    np.testing.assert_array_equal(linear(plain, 1), plain)
    assert ntk_base(base, dim, 1) == base
    assert dynamic_ntk_base(base, dim, 1, 100, 100) == base
    np.testing.assert_allclose(yarn(dim, 1, 4096, base=base), plain, rtol=1e-14)
    np.testing.assert_allclose(llama3(plain, 1, 1, 4, 4096), plain, rtol=1e-14)
    assert yarn_attention_factor(1) == longrope_attention_factor(1, 4096) == 1


@given(DIMS, BASES, st.floats(1, 100), st.integers(16, 10**6), st.booleans())
def test_scaled_pairs_lie_between_kept_and_divided(dim, base, factor, length, truncate):
    plain = inv_freq(dim, base=base)
    for scaled in (
        yarn(dim, factor, length, base=base, truncate=truncate),
        llama3(plain, factor, 1, 4, length),
    ):
        ratio = scaled / plain
        assert (ratio <= 1 + 1e-12).all()
        assert (ratio >= 1 / factor - 1e-12).all()
        assert (np.diff(ratio) <= 1e-12).all()


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: linear([1.0], 0.5), "factor=0.5: must be a finite number of at least 1"),
        (lambda: linear([-1.0], 2), "inv_freq holds -1"),
        (lambda: ntk_base(1, 128, 2), "base=1"),
        (lambda: ntk_base(1e4, 127, 2), "dim=127: must be even"),
        (lambda: ntk_base(1e4, 2, 2), "dim=2: must be at least 4"),
        (lambda: ntk_base(1e4, 128, 0.9), "factor=0.9"),
        (lambda: dynamic_ntk_base(1e4, 128, 2, 0, 4096), "seq_len=0"),
        (lambda: dynamic_ntk_base(1e4, 128, 2, 1, 0), "max_position_embeddings=0"),
        (lambda: dynamic_ntk_base(1e4, 128, 0.5, 9000, 4096), "factor=0.5"),
        (lambda: yarn(127, 2, 4096), "dim=127"),
        (lambda: yarn(128, 0.5, 4096), "factor=0.5"),
        (lambda: yarn(128, 2, 0), "original_max_position_embeddings=0"),
        (lambda: yarn(128, 2, 4096, beta_fast=1), "beta_fast=1: must be above beta_slow=1"),
        (lambda: yarn(128, 2, 4096, beta_slow=0), "beta_slow=0"),
        (lambda: yarn_attention_factor(0.5), "factor=0.5"),
        (lambda: yarn_attention_factor(2, -1, 1), "mscale=-1"),
        (lambda: llama3([1.0], 0.5, 1, 4, 8192), "factor=0.5"),
        (lambda: llama3([1.0], 8, 4, 4, 8192), "high_freq_factor=4: must be above"),
        (lambda: llama3([1.0], 8, 1, 4, -1), "original_max_position_embeddings=-1"),
        (lambda: longrope([1.0, 0.1], [1.0]), r"factors has shape \(1,\): .* 2 pairs"),
        (lambda: longrope([1.0], [0.0]), "factors holds 0"),
        (lambda: longrope_attention_factor(0.5, 4096), "factor=0.5"),
        (lambda: longrope_attention_factor(2, 1), "original_max_position_embeddings=1"),
        (lambda: context_bound([1.0], limit=0), "limit=0"),
    ],
)
def test_bad_input_is_named(call, message):
    with pytest.raises(ValueError, match=message):
        call()

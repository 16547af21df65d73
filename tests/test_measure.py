"""Measured numbers against their definitions, closed forms and the numbers that lessons quote."""

import itertools
import math

import numpy as np
import pytest

from posenc import alibi, measure, schemes, sinusoids
from posenc.frequencies import inv_freq

DIM = 64
OFFSETS = np.arange(32)


def draws(seed, count, norm=None):
    """Contents x and y ~ N(0, 1)^d, brought to a norm if one is given."""
    contents = np.random.default_rng(seed).normal(size=(2, count, DIM))
    if norm is not None:
        contents *= norm / np.linalg.norm(contents, axis=-1, keepdims=True)
    return contents


# The four terms


def test_four_terms_make_the_score():
    rng = np.random.default_rng(0)
    x, code, m = rng.normal(size=(5, 6)), rng.normal(size=(5, 6)), rng.normal(size=(6, 6))
    terms = measure.score_terms(x, code, weights=m)
    for i in range(5):
        for j in range(5):
            assert terms.content[i, j] == pytest.approx(x[i] @ m @ x[j])
            assert terms.content_position[i, j] == pytest.approx(x[i] @ m @ code[j])
            assert terms.position_content[i, j] == pytest.approx(code[i] @ m @ x[j])
            assert terms.position[i, j] == pytest.approx(code[i] @ m @ code[j])
    np.testing.assert_allclose(terms.total, (x + code) @ m @ (x + code).T, atol=1e-12)


def test_terms_are_the_undivided_scores_of_the_sinusoidal_scheme():
    x, n = draws(1, 9)[0], np.arange(9)
    terms = measure.score_terms(x, sinusoids.sinusoidal(n, DIM, dtype=np.float64))
    expected = schemes.scores(schemes.sinusoidal_scheme(DIM), x, x, n, n) * math.sqrt(DIM)
    np.testing.assert_allclose(terms.total, expected, atol=1e-11)


def diagonals_are_constant(matrix):
    n = len(matrix)
    return max(np.ptp(np.diagonal(matrix, o)) for o in range(1 - n, n)) < 1e-12


@pytest.mark.parametrize("layout", ["interleaved", "half"])
def test_only_commuting_weights_keep_the_position_term_relative(layout):
    rng = np.random.default_rng(2)
    a, b = rng.normal(size=(2, 4))
    concat = {"interleaved": "interleaved", "half": "concat"}[layout]
    code = sinusoids.sinusoidal(np.arange(12), 8, layout=concat, dtype=np.float64)
    zero = np.zeros_like(code)
    commuting = measure.commuting_weights(a, b, layout=layout)
    for weights, relative in [
        (None, True),
        (commuting, True),
        (rng.normal(size=(8, 8)), False),
        (np.diag(rng.normal(size=8)), False),
    ]:
        terms = measure.score_terms(zero, code, weights=weights)
        assert diagonals_are_constant(terms.position) == relative
    other = measure.commuting_weights(a, b, layout="half" if layout != "half" else "interleaved")
    assert not diagonals_are_constant(measure.score_terms(zero, code, weights=other).position)


def test_terms_that_do_not_fit_are_named():
    with pytest.raises(ValueError, match=r"x has shape \(2, 3\), code \(2, 4\)"):
        measure.score_terms(np.zeros((2, 3)), np.zeros((2, 4)))
    with pytest.raises(ValueError, match=r"weights has shape \(2, 2\): must be \(3, 3\)"):
        measure.score_terms(np.zeros((2, 3)), np.zeros((2, 3)), weights=np.eye(2))
    with pytest.raises(ValueError, match=r"a has shape \(2,\), b \(3,\)"):
        measure.commuting_weights([1, 2], [1, 2, 3])


# Spread over anchors


def test_spread_is_its_definition():
    q, k = draws(3, 1)[:, 0]
    scheme = schemes.sinusoidal_scheme(DIM)
    found = measure.anchor_spread(scheme, q, k)
    curves = [
        [
            scheme.embed(q[None], np.array([a]))[0]
            @ scheme.embed(k[None], np.array([a + o]))[0]
            / 8
            for o in range(32)
        ]
        for a in (0, 8, 24)
    ]
    np.testing.assert_allclose(found.curves, curves, atol=1e-12)
    assert found.score_range == pytest.approx(np.max(curves) - np.min(curves))
    assert found.spread == pytest.approx(
        max(max(column) - min(column) for column in zip(*curves, strict=True))
    )
    codes = sinusoids.sinusoidal([0, 8, 24], DIM, dtype=np.float64)
    ratios = np.linalg.norm(q + codes, axis=-1) / np.linalg.norm(q)
    assert found.norm_ratio == pytest.approx(ratios.mean())


def test_ten_thousand_draws_of_the_compared_schemes():
    """Range and spread at 5, 50 and 95 %; the numbers of one unknown draw fall inside."""
    found = [
        measure.anchor_spread(schemes.sinusoidal_scheme(DIM), *draws(seed, 1000))
        for seed in range(10)
    ]
    percentiles = (5, 50, 95)
    score_range = np.percentile([f.score_range for f in found], percentiles)
    spread = np.percentile([f.spread for f in found], percentiles)
    np.testing.assert_allclose(score_range, [2.40, 3.23, 4.28], atol=0.04)
    np.testing.assert_allclose(spread, [1.10, 1.75, 2.66], atol=0.04)
    assert score_range[0] < 2.94 < score_range[2]
    assert spread[0] < 1.86 < spread[2]
    ratio = np.concatenate([f.norm_ratio for f in found])
    assert ratio.min() < 1.003 < np.percentile(ratio, 0.1)  # a ratio of 1.003 hardly ever occurs


def test_rope_spreads_by_rounding_alone():
    found = measure.anchor_spread(schemes.rope_scheme(DIM), *draws(0, 1000))
    assert found.spread.max() < 1e-13
    np.testing.assert_allclose(found.norm_ratio, 1, atol=1e-14)
    low, high = np.percentile(found.score_range, (5, 95))
    assert low < 1.98 < high


def test_without_positions_nothing_varies():
    found = measure.anchor_spread(schemes.none(), *draws(0, 1)[:, 0])
    assert found.score_range < 1e-14
    assert found.spread < 1e-14
    assert found.norm_ratio == pytest.approx(1)


def test_heads_keep_their_axis():
    q, k = draws(4, 1)[:, 0]
    found = measure.anchor_spread(schemes.alibi_scheme(3), q, k)
    assert found.curves.shape == (3, 3, 32)
    np.testing.assert_allclose(found.score_range, alibi.alibi_slopes(3) * 31, atol=1e-12)
    assert found.spread.max() < 1e-12
    assert measure.relativity(schemes.alibi_scheme(3), q, k).offset == pytest.approx([1, 1, 1])


def test_a_query_of_zero_has_no_ratio():
    with pytest.raises(ValueError, match="q is zero"):
        measure.anchor_spread(schemes.none(), np.zeros(4), np.ones(4))
    with pytest.raises(ValueError, match="with 0 anchors and 32 offsets"):
        measure.anchor_spread(schemes.none(), np.ones(4), np.ones(4), anchors=())


# Shares of variance


def explained(design, s):
    """R^2 of a least-squares fit: the share of variance that the columns explain."""
    fitted = design @ np.linalg.lstsq(design, s.ravel(), rcond=None)[0]
    return fitted.var() / s.var()


def test_shares_are_those_of_least_squares():
    q, k = draws(5, 1, norm=6)[:, 0]
    scheme = schemes.sinusoidal_scheme(DIM)
    share = measure.relativity(scheme, q, k, anchors=range(10), offsets=range(7))
    s = measure.anchor_spread(scheme, q, k, anchors=range(10), offsets=range(7)).curves
    by_anchor, by_offset = np.kron(np.eye(10), np.ones((7, 1))), np.tile(np.eye(7), (10, 1))
    assert share.offset == pytest.approx(explained(by_offset, s))
    assert share.anchor == pytest.approx(explained(by_anchor, s))
    both = explained(np.hstack([by_anchor, by_offset]), s)
    assert share.interaction == pytest.approx(1 - both)
    assert share.absolute == pytest.approx(1 - share.offset)


@pytest.mark.parametrize(
    ("norm", "percent", "tolerance"),
    [(0.5, 0.6, 0.1), (1, 2.5, 0.2), (2, 9, 0.5), (5.66, 44, 2), (8, 60, 2), (16, 85, 1.5)],
)
def test_absolute_share_grows_with_the_norm_of_the_content(norm, percent, tolerance):
    share = measure.relativity(schemes.sinusoidal_scheme(DIM), *draws(6, 300, norm))
    assert 100 * share.absolute.mean() == pytest.approx(percent, abs=tolerance)


@pytest.mark.parametrize("norm", [0.5, 5.66, 16])
def test_random_weights_leave_little_to_the_offset(norm):
    rng = np.random.default_rng(7)
    found = [
        measure.relativity(
            schemes.sinusoidal_scheme(DIM),
            *draws(seed, 10, norm),
            weights=rng.normal(size=(DIM, DIM)) / 8,
        ).absolute
        for seed in range(8)
    ]
    assert 0.955 < np.mean(found) < 0.99


def test_relative_schemes_leave_nothing_to_the_anchor():
    q, k = draws(8, 1)[:, 0]
    table = np.random.default_rng(8).normal(size=(9, DIM))
    for scheme in (schemes.rope_scheme(DIM), schemes.shaw_scheme(table)):
        share = measure.relativity(scheme, q, k)
        assert share.offset == pytest.approx(1)
        assert share.absolute < 1e-20


def test_shares_of_nothing_are_zero():
    q, k = draws(9, 1)[:, 0]
    assert measure.relativity(schemes.none(), q, k) == (0, 0, 0)


# The scoreboard


def index(p):
    return p[:, None]


def fraction(p):
    return p[:, None] / len(p)


def binary(p):
    return (p[:, None] >> np.arange(9)) & 1


def test_naive_codes_fail_in_three_ways():
    raw, part, digits = (measure.requirements(f) for f in (index, fraction, binary))
    assert [r.name for r in (raw, part, digits)] == ["index", "fraction", "binary"]
    assert [r.told_apart for r in (raw, part, digits)] == [512, 512, 512]
    assert (raw.gap, raw.size) == (1, 511)
    assert raw.growth == pytest.approx(4095 / 511)  # the index is not bounded
    assert part.gap == pytest.approx(1 / 512)
    assert part.drift == pytest.approx(511 / 512 - 511 / 1024)  # the fraction depends on the length
    assert part.growth == pytest.approx(1, abs=0.01)
    assert (raw.drift, digits.drift) == (0, 0)
    assert digits.gap == pytest.approx(1 / 3)  # one digit of nine: 511 and 0 are nine apart
    assert digits.size == pytest.approx(1)
    assert measure.requirements(binary, length=1024).told_apart == 512  # nine digits, then again


def test_sinusoids_in_closed_form():
    found = measure.requirements(schemes.sinusoidal_scheme(DIM))
    code = sinusoids.sinusoidal(np.arange(512), DIM, dtype=np.float64)
    distances = np.linalg.norm(code[:, None] - code, axis=-1) + 1e9 * np.eye(512)
    assert found.gap == pytest.approx(distances.min() / 8)
    assert found.size == pytest.approx(math.sqrt(32) / 8)
    assert found.growth == pytest.approx(1)
    assert (found.told_apart, found.defined_to) == (512, 2**20)
    assert found.drift < 1e-12
    same = measure.requirements(lambda p: sinusoids.sinusoidal(p, DIM, dtype=np.float64))
    for field in ("told_apart", "defined_to", "gap", "size", "growth", "near"):
        assert getattr(same, field) == pytest.approx(getattr(found, field))


def test_rope_in_closed_form():
    sinusoid = measure.requirements(schemes.sinusoidal_scheme(DIM))
    found = measure.requirements(schemes.rope_scheme(DIM))
    # A pair (1, 1) has the length sqrt(2), a pair (sin, cos) the length 1.
    assert found.gap == pytest.approx(math.sqrt(2) * sinusoid.gap)
    chords = 4 * (1 - np.cos(np.arange(512)[:, None] * inv_freq(DIM))).sum(axis=-1)
    assert found.size == pytest.approx(math.sqrt(chords.max()) / 8)
    assert found.near == pytest.approx(sinusoid.near)


def test_alibi_in_closed_form():
    found = measure.requirements(schemes.alibi_scheme(8))
    slope = math.sqrt(np.mean(alibi.alibi_slopes(8) ** 2))
    assert found.gap == pytest.approx(slope)
    assert found.size == pytest.approx(511 * slope)
    assert found.growth == pytest.approx(4095 / 511)
    assert (found.told_apart, found.near) == (512, 1)
    # |n - m| cannot tell left from right: from the middle, 0 .. 256 are all there is
    assert measure.requirements(schemes.alibi_scheme(8), query=256).told_apart == 257


def test_clipped_and_bucketed_offsets_tell_few_positions_apart():
    rng = np.random.default_rng(10)
    shaw = measure.requirements(schemes.shaw_scheme(rng.normal(size=(33, DIM))))
    t5 = measure.requirements(schemes.t5_scheme(rng.normal(size=(32, 4))))
    assert (shaw.told_apart, t5.told_apart) == (17, 16)
    assert max(shaw.gap, t5.gap) < 1e-12
    assert shaw.near == 0.5  # what Shaw's vectors favour depends on the query
    assert (t5.growth, t5.drift) == (pytest.approx(1), 0)


def test_a_table_is_defined_to_its_end():
    table = np.random.default_rng(11).normal(size=(700, DIM))
    found = measure.requirements(schemes.learned_scheme(table))
    assert found.defined_to == 700
    assert math.isnan(found.drift)
    assert math.isnan(found.growth)
    assert found.size == pytest.approx(np.linalg.norm(table[:512], axis=-1).max() / 8)
    with pytest.raises(IndexError, match="the table has 700 rows"):
        measure.requirements(schemes.learned_scheme(table), length=701)


def test_a_score_that_overflows_is_not_defined():
    # local-attention 14: a scale that grows with the position, as xPos has if it is not relative
    def rotate(x, positions):
        with np.errstate(over="ignore"):
            return x * np.exp(np.asarray(positions, float))[..., None]

    found = measure.requirements(schemes.Scheme("growing", rotate=rotate), dim=2, length=16)
    assert found.defined_to == 710  # e^710 is past the largest float64


def test_without_positions_all_positions_look_alike():
    found = measure.requirements(schemes.none())
    assert (found.told_apart, found.near, found.growth) == (1, 0.5, 1)
    assert max(found.gap, found.size, found.drift) < 1e-12


def test_a_difference_is_a_root_mean_square_over_queries():
    rng = np.random.default_rng(12)
    scheme = schemes.shaw_scheme(rng.normal(size=(3, 4)))
    found = measure.requirements(scheme, dim=4, length=2, query=0)
    u, token = rng.normal(size=(100_000, 4)), np.ones((2, 4))
    s = u @ token.T / 2 + scheme.bias(u, np.zeros(len(u)), np.arange(2))
    assert found.gap == pytest.approx(math.sqrt(np.mean((s[:, 0] - s[:, 1]) ** 2)), rel=0.02)


def share_of_nearer_keys(length, query, score):
    distance = abs(np.arange(length) - query)
    pairs = itertools.product(range(length), repeat=2)
    leads = [score(i) - score(j) for i, j in pairs if distance[i] < distance[j]]
    return np.mean([(lead > 0) + (lead == 0) / 2 for lead in leads])


def test_near_counts_pairs_of_keys_and_averages_over_queries():
    shares = [
        share_of_nearer_keys(15, m, lambda n, m=m: np.cos(abs(n - m) * inv_freq(DIM)).sum())
        for m in range(15)
    ]
    found = measure.requirements(schemes.sinusoidal_scheme(DIM), length=15)
    assert found.near == pytest.approx(np.mean(shares))


def test_near_does_not_hang_on_one_place():
    every = [
        share_of_nearer_keys(64, m, lambda n, m=m: binary(np.array([n, m])).prod(axis=0).sum())
        for m in range(64)
    ]
    assert np.ptp(every) > 0.3  # which one query is asked would decide
    found = measure.requirements(binary, length=64)
    assert found.near == pytest.approx(np.mean(every), abs=0.03)


def test_scoreboard_is_the_same_text_everywhere():
    rows = [measure.requirements(s, length=64) for s in (index, schemes.none())]
    assert measure.scoreboard(rows).splitlines() == [
        "       distinguishes  positions  any length           bounded          the near",
        "          told apart        gap  defined to    drift     size  growth     first",
        "-----  -------------  ---------  ----------  -------  -------  ------  --------",
        "index       64 of 64          1    1048576+  < 1e-12       63   8.111    0.5011",
        "none         1 of 64    < 1e-12    1048576+  < 1e-12  < 1e-12       1       0.5",
    ]
    assert str(rows[0]) == measure.scoreboard(rows[:1])


def test_a_table_cell_hides_rounding():
    table = measure.text_table(("", "x"), [("a", -0.0), ("b", -3e-16), ("c", math.nan), ("d", 3)])
    assert [line.split(maxsplit=1)[1] for line in table.splitlines()[2:]] == [
        "< 1e-12",
        "< 1e-12",
        "undefined",
        "3",
    ]
    with pytest.raises(ValueError, match="has 1 cells: the header has 2"):
        measure.text_table(("", "x"), [("a",)])


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"length": 1}, "length=1: must be at least 2"),
        ({"query": 512}, "query=512: must be a position of the text, 0 to 511"),
        ({"dim": 0}, "dim=0: must be at least 1"),
    ],
)
def test_bad_options_are_named(options, message):
    with pytest.raises(ValueError, match=message):
        measure.requirements(schemes.none(), **options)


def test_codes_of_another_shape_are_named():
    with pytest.raises(ValueError, match=r"codes of shape \(512,\) for 512 positions"):
        measure.requirements(lambda p: p)

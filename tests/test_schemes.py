"""The three doors: what each scheme adds to a score, and that a new scheme needs nothing else."""

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from posenc import alibi, dot_product, learned, palette, relative, schemes

PEERS = json.loads((Path(__file__).parent / "golden" / "peers.json").read_text())
RNG = np.random.default_rng(0)
DIM = 8
TABLE = RNG.normal(size=(40, DIM))
BUCKETS = RNG.normal(size=(8, 3))
VECTORS = RNG.normal(size=(7, DIM))


def exponential_decay(rate):
    """A scheme that is in no list, made in one function: a penalty that levels off."""

    def bias(q, q_positions, k_positions):
        distance = np.abs(k_positions[..., None, :] - q_positions[..., :, None])
        return np.exp(-rate * distance) - 1

    return schemes.Scheme("exponential decay", bias=bias)


KNOWN = [
    schemes.none(),
    schemes.sinusoidal_scheme(DIM),
    schemes.learned_scheme(TABLE),
    schemes.rope_scheme(DIM),
    schemes.alibi_scheme(3),
    schemes.t5_scheme(BUCKETS, max_distance=20),
    schemes.shaw_scheme(VECTORS),
]
ALL = [*KNOWN, exponential_decay(0.5)]
RELATIVE = [s for s in ALL if s.name not in ("sinusoidal", "learned")]
CONTENT = st.integers(0, 2**32 - 1).map(np.random.default_rng)


def named(scheme):
    return scheme.name


def test_every_scheme_has_its_mark():
    assert {s.name for s in KNOWN} == set(palette.SCHEMES)


@pytest.mark.parametrize("scheme", ALL, ids=named)
def test_a_score_is_the_formula_one_pair_at_a_time(scheme):
    q, k = RNG.normal(size=(4, DIM)), RNG.normal(size=(6, DIM))
    m, n = np.array([2, 3, 9, 11]), np.arange(6)
    got = schemes.scores(scheme, q, k, m, n)
    assert got.dtype == np.float64
    for i in range(4):
        for j in range(6):
            mi, nj = m[i : i + 1], n[j : j + 1]
            query = scheme.rotate(scheme.embed(q[i : i + 1], mi), mi)
            key = scheme.rotate(scheme.embed(k[j : j + 1], nj), nj)
            bias = scheme.bias(query, mi, nj)[..., 0, 0]
            expected = query[0] @ key[0] / np.sqrt(DIM) + bias
            np.testing.assert_allclose(got[..., i, j], expected, atol=1e-12)


@pytest.mark.parametrize("scheme", RELATIVE, ids=named)
@given(rng=CONTENT, shift=st.integers(-1000, 1000))
def test_a_common_shift_changes_no_score(scheme, rng, shift):
    # transformers 3021: what left padding does to positions
    q, k = rng.normal(size=(3, DIM)), rng.normal(size=(5, DIM))
    m, n = np.array([4, 2, 0]), np.arange(5)
    np.testing.assert_allclose(
        schemes.scores(scheme, q, k, m + shift, n + shift),
        schemes.scores(scheme, q, k, m, n),
        atol=1e-10,
    )


@pytest.mark.parametrize("name", ["sinusoidal", "learned"])
def test_a_common_shift_changes_the_scores_of_an_added_code(name):
    scheme = next(s for s in KNOWN if s.name == name)
    q, k = RNG.normal(size=(3, DIM)), RNG.normal(size=(3, DIM))
    n = np.arange(3)
    before, after = (schemes.scores(scheme, q, k, n + shift, n + shift) for shift in (0, 2))
    assert np.abs(before - after).max() > 0.1


@pytest.mark.parametrize("scheme", [s for s in ALL if s.name != "none"], ids=named)
def test_position_changes_the_score(scheme):
    q, k = np.ones((1, DIM)), np.ones((2, DIM))
    row = schemes.scores(scheme, q, k, [0], [1, 3])
    assert np.abs(np.diff(row)).max() > 1e-3


def test_without_a_scheme_positions_do_nothing():
    q, k = RNG.normal(size=(3, DIM)), RNG.normal(size=(4, DIM))
    got = schemes.scores(schemes.none(), q, k, [5, 1, 9], [7, 7, 0, 2])
    np.testing.assert_allclose(got, q @ k.T / np.sqrt(DIM), atol=1e-15)


def test_a_door_that_is_not_used_is_shut():
    x, p = RNG.normal(size=(2, DIM)), np.array([3, 4])
    for scheme in KNOWN:
        if scheme.name not in ("sinusoidal", "learned"):
            assert scheme.embed(x, p) is x
        if scheme.name != "rope":
            assert scheme.rotate(x, p) is x
        if scheme.name not in ("alibi", "t5", "shaw"):
            assert not scheme.bias(x, p, p).any()


def test_bias_schemes_agree_with_the_views():
    q_len, k_len = 4, 9
    zeros = np.zeros((k_len, DIM))
    m, n = np.arange(k_len - q_len, k_len), np.arange(k_len)
    np.testing.assert_array_equal(
        schemes.scores(schemes.alibi_scheme(3), zeros[:q_len], zeros, m, n),
        alibi.alibi_bias(3, q_len, k_len, dtype=np.float64),
    )
    for bidirectional in (True, False):
        options = {"bidirectional": bidirectional, "max_distance": 20}
        np.testing.assert_array_equal(
            schemes.scores(schemes.t5_scheme(BUCKETS, **options), zeros[:q_len], zeros, m, n),
            relative.t5_bias(BUCKETS, q_len, k_len, **options),
        )


def test_shaw_agrees_with_transformers():
    case = PEERS["shaw_relative"]
    heads, width = case["num_heads"], case["head_dim"]
    x = np.array(case["x"]).reshape(5, heads, width).swapaxes(0, 1)
    scheme = schemes.shaw_scheme(case["distance_embedding"])
    n = np.arange(5)
    weights = dot_product.softmax(schemes.scores(scheme, x, x, n, n))
    np.testing.assert_allclose(weights, case["attention_probs"], atol=2e-7)
    output = (weights @ x).swapaxes(0, 1).reshape(5, heads * width)
    np.testing.assert_allclose(output, case["output"], atol=5e-7)


def test_alibi_agrees_with_bloom_under_left_padding():
    # PaddleNLP 6495: distance counts real tokens. Bloom's form differs by a constant for a query.
    case = PEERS["alibi"]["bloom_left_padding"]
    mask = np.array(case["attention_mask"], bool)
    positions = learned.positions_from_mask(mask)
    zeros = np.zeros((*mask.shape, DIM))[:, None]
    got = schemes.scores(schemes.alibi_scheme(4), zeros, zeros, positions, positions)
    assert got.shape == (2, 4, 5, 5)
    last = got[:, :, -1]  # the last query sees every real key
    difference = last - np.array(case["alibi"])
    for item, real in zip(difference, mask, strict=True):
        np.testing.assert_allclose(item[:, real] - item[:, -1:], 0, atol=1e-12)


def test_left_padding_moves_a_table_and_not_a_rotation():
    # transformers 3021, nnsight 672
    x = RNG.normal(size=(3, DIM))
    padded, right = np.arange(2, 5), learned.positions_from_mask([0, 0, 1, 1, 1])[2:]
    for scheme in KNOWN:
        moved = np.abs(
            schemes.scores(scheme, x, x, padded, padded)
            - schemes.scores(scheme, x, x, right, right)
        ).max()
        assert (moved > 0.1) == (scheme.name in ("sinusoidal", "learned"))


@pytest.mark.parametrize("scheme", ALL, ids=named)
def test_batches_have_their_own_positions(scheme):
    q, k = RNG.normal(size=(2, 3, 4, DIM)), RNG.normal(size=(2, 3, 5, DIM))
    m, n = np.array([[0, 1, 2, 3], [5, 6, 7, 8]]), np.array([[0, 1, 2, 3, 4], [4, 5, 6, 7, 8]])
    both = schemes.scores(scheme, q, k, m, n)
    assert both.shape == (2, 3, 4, 5)
    for item in range(2):
        single = schemes.scores(scheme, q[item], k[item], m[item], n[item])
        np.testing.assert_allclose(both[item], single, atol=1e-13)


def test_weights_stand_between_the_doors():
    q, k = RNG.normal(size=(3, DIM)), RNG.normal(size=(4, DIM))
    w_q, w_k = RNG.normal(size=(2, DIM, DIM))
    m, n = np.arange(3), np.arange(4)
    scheme = schemes.sinusoidal_scheme(DIM)
    expected = (scheme.embed(q, m) @ w_q.T) @ (scheme.embed(k, n) @ w_k.T).T / np.sqrt(DIM)
    got = schemes.scores(scheme, q, k, m, n, weights=w_q.T @ w_k)
    np.testing.assert_allclose(got, expected, atol=1e-12)


def test_bias_sees_the_query_that_enters_the_product():
    rope, shaw = schemes.rope_scheme(DIM), schemes.shaw_scheme(VECTORS)
    both = schemes.Scheme("both", rotate=rope.rotate, bias=shaw.bias)
    q, k = RNG.normal(size=(3, DIM)), RNG.normal(size=(4, DIM))
    m, n = np.arange(2, 5), np.arange(4)
    bias = shaw.bias(rope.rotate(q, m), m, n)
    expected = schemes.scores(rope, q, k, m, n) + bias
    np.testing.assert_allclose(schemes.scores(both, q, k, m, n), expected, atol=1e-14)


def test_the_base_sets_the_frequencies():
    zeros, ones, p = np.zeros((1, 4)), np.ones((1, 4)), np.array([3])
    code = schemes.sinusoidal_scheme(4, base=100.0).embed(zeros, p)[0]
    np.testing.assert_allclose(code[2:], [np.sin(0.3), np.cos(0.3)], atol=1e-15)
    score = schemes.scores(schemes.rope_scheme(4, base=100.0), ones, ones, [3], [0])
    assert score.item() == pytest.approx(np.cos(3) + np.cos(0.3))


def test_a_table_ends():
    scheme = schemes.learned_scheme(TABLE)
    with pytest.raises(IndexError, match="position 40: the table has 40 rows"):
        schemes.scores(scheme, TABLE[:1], TABLE[:1], [0], [40])


def test_alibi_is_added_after_the_scaling():
    score = schemes.scores(schemes.alibi_scheme(1), np.ones((1, 64)), np.ones((1, 64)), [1], [0])
    assert score.item() == 64 / 8 - 1 / 256


def test_rope_layouts_score_alike_after_the_permutation():
    q, k = RNG.normal(size=(2, 1, DIM))
    pairs = np.arange(DIM).reshape(2, -1).T.ravel()  # where each interleaved column is in halves
    half = schemes.scores(schemes.rope_scheme(DIM), q, k, [9], [2])
    woven = schemes.rope_scheme(DIM, layout="interleaved")
    np.testing.assert_allclose(
        schemes.scores(woven, q[:, pairs], k[:, pairs], [9], [2]), half, atol=1e-14
    )


def test_a_scheme_cannot_be_changed():
    with pytest.raises(AttributeError):
        schemes.none().name = "some"


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: schemes.sinusoidal_scheme(5), "dim=5: must be even"),
        (lambda: schemes.rope_scheme(5), "dim=5: must be even"),
        (lambda: schemes.rope_scheme(4, layout="woven"), "layout='woven': must be one of"),
        (lambda: schemes.alibi_scheme(0), "^heads=0: must be at least 1"),
        (lambda: schemes.learned_scheme([1.0]), r"table has shape \(1,\): must be \(rows, width\)"),
        (
            lambda: schemes.t5_scheme(np.zeros((5, 2))),
            "table has 5 rows, one a bucket: must be even",
        ),
        (lambda: schemes.shaw_scheme(np.zeros((4, 2))), r"table has 4 rows: must be 2k \+ 1"),
    ],
)
def test_a_scheme_that_cannot_work_is_refused_when_made(make, message):
    with pytest.raises(ValueError, match=message):
        make()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ((np.zeros((2, 4)), np.zeros((2, 6)), [0, 1], [0, 1]), "the same d"),
        ((np.zeros(4), np.zeros((2, 4)), [0], [0, 1]), r"q has shape \(4,\)"),
        ((np.zeros((2, 4)), np.zeros((2, 4)), [0], [0, 1]), r"q_positions has shape \(1,\)"),
        ((np.zeros((2, 4)), np.zeros((2, 4)), [0, 1], [[0, 1]]), r"k_positions has shape \(1, 2\)"),
        ((np.zeros((2, 4)), np.zeros((2, 4)), [0, 1], [0, np.inf]), "k_positions holds inf"),
    ],
)
def test_shapes_that_do_not_fit_are_named(arguments, message):
    with pytest.raises(ValueError, match=message):
        schemes.scores(schemes.none(), *arguments)


def test_widths_that_do_not_fit_are_named():
    x = np.zeros((1, 4))
    for scheme in (schemes.sinusoidal_scheme(6), schemes.shaw_scheme(np.zeros((3, 6)))):
        with pytest.raises(ValueError, match=r"\(1, 4\): the scheme's vectors have width 6"):
            schemes.scores(scheme, x, x, [0], [0])
    with pytest.raises(ValueError, match=r"weights has shape \(4,\): must be \(4, 4\)"):
        schemes.scores(schemes.none(), x, x, [0], [0], weights=np.zeros(4))


def test_shaw_takes_a_batch_on_one_side():
    scheme = schemes.shaw_scheme(np.arange(20.0).reshape(5, 4))
    q, k = np.ones((3, 4)), np.ones((2, 3, 4))
    both = schemes.scores(scheme, q, k, [0, 1, 2], [[0, 1, 2], [3, 4, 5]])
    for batch, at in enumerate(([0, 1, 2], [3, 4, 5])):
        alone = schemes.scores(scheme, q, k[batch], [0, 1, 2], at)
        np.testing.assert_array_equal(both[batch], alone)

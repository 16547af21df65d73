"""Every identity is proved, and says the same as the arrays of the package do."""

import itertools

import numpy as np
import pytest
import sympy

from posenc import (
    commuting_weights,
    identities,
    inv_freq,
    ntk_base,
    rotation_matrix,
    score_terms,
    softmax,
    yarn,
)
from posenc.dot_product import attention

STATEMENTS = [
    (identities.cosine_addition, ()),
    (identities.pair_is_relative, ()),
    *((identities.dot_is_relative, (dim,)) for dim in (2, 4, 6)),
    *((identities.shift_is_rotation, (dim,)) for dim in (2, 4, 6)),
    *((identities.rotation_addition, (dim,)) for dim in (2, 4)),
    *((identities.rotation_is_orthogonal, (dim,)) for dim in (2, 4)),
    *((identities.rope_is_relative, (dim,)) for dim in (2, 4, 6)),
    (identities.dot_is_real_part, ()),
    (identities.block_between_pairs, ()),
    (identities.commuting_score, ()),
]


@pytest.mark.parametrize(("statement", "arguments"), STATEMENTS)
def test_statement_holds_at_random_numbers(statement, arguments):
    equation = statement(*arguments)
    assert isinstance(equation, sympy.Eq)
    rng = np.random.default_rng(0)
    symbols = sorted(equation.atoms(sympy.Symbol, sympy.Indexed), key=str)
    for values in rng.uniform(-20, 20, (5, len(symbols))):
        at = dict(zip(symbols, values, strict=True))
        sides = [
            np.array(sympy.Matrix([side.doit()]).subs(at).evalf(), dtype=float)
            for side in (equation.lhs, equation.rhs)
        ]
        assert np.allclose(*sides, atol=1e-12)


def test_both_sides_are_kept_as_written():
    equation = identities.cosine_addition()
    assert equation.lhs != equation.rhs


def test_a_false_statement_raises():
    a = sympy.Symbol("a", real=True)
    with pytest.raises(ArithmeticError, match="no identity"):
        identities.proved(sympy.sin(a) ** 2, sympy.cos(a) ** 2)
    turn = identities.rotation(a, identities.frequencies(2))
    with pytest.raises(ArithmeticError, match="no identity"):
        identities.proved(turn, turn.T)


def test_the_shift_holds_no_position():
    equation = identities.shift_is_rotation(4)
    matrix, code = equation.rhs.args
    p = sympy.Symbol("p", real=True)
    assert p not in matrix.free_symbols
    assert p in code.free_symbols


def test_concatenation_holds_for_explicit_blocks():
    equation = identities.concat_projection()
    sizes = dict(zip(sympy.symbols("r d e", integer=True, positive=True), (2, 3, 4), strict=True))
    left, right = (sympy.Matrix(side.subs(sizes).as_explicit()) for side in equation.args)
    assert (left - right).expand().is_zero_matrix


@pytest.mark.parametrize("order", [*itertools.permutations(range(3)), (1, 0), (3, 2, 0, 1)])
def test_equivariance_says_what_attention_does(order):
    equation = identities.permutation_equivariance(order)
    rng = np.random.default_rng(0)
    w_q, w_k, w_v, *tokens = rng.normal(size=3 + len(order))
    x = np.array(tokens)[:, None]
    score, value = (sympy.Function(name, real=True) for name in "sv")

    def number(side):
        side = sympy.Matrix(side.doit()).replace(score, lambda a, b: (w_q * a + 1) * w_k * b)
        side = side.replace(value, lambda a: w_v * a)
        at = {sympy.Symbol(f"x_{i}", real=True): t for i, t in enumerate(tokens)}
        return np.array(side.subs(at), dtype=float)

    moved = x[list(order)]
    expected = attention(w_q * moved + 1, w_k * moved, w_v * moved)
    np.testing.assert_allclose(number(equation.lhs), expected, rtol=1e-12)
    np.testing.assert_allclose(number(equation.rhs), expected, rtol=1e-12)


def test_equivariance_needs_a_permutation():
    with pytest.raises(ValueError, match=r"order=\(0, 0, 1\)"):
        identities.permutation_equivariance((0, 0, 1))


@pytest.mark.parametrize("dim", [0, 3, 2.0])
@pytest.mark.parametrize(
    "statement",
    [
        identities.dot_is_relative,
        identities.shift_is_rotation,
        identities.rotation_addition,
        identities.rotation_is_orthogonal,
    ],
)
def test_width_must_be_even(statement, dim):
    with pytest.raises(ValueError, match="dim="):
        statement(dim)


def test_rope_turns_as_the_package_does():
    equation = identities.rope_is_relative(4)
    query = equation.lhs.args[0].arg
    m, *omegas = sympy.symbols("m omega_0 omega_1", real=True)
    at = {m: 3.0, **dict(zip(omegas, [1.0, 0.01], strict=True))}
    turn = np.array(query.args[0].subs(at), dtype=float)
    ours = rotation_matrix(3, [1.0, 0.01], layout="interleaved")
    assert np.allclose(turn, ours, rtol=0, atol=1e-15)


def test_rope_as_complex_numbers():
    equation = identities.complex_rope_is_relative()
    m, n, w = sympy.symbols("m n omega", real=True)
    q, k = sympy.symbols("q k", complex=True)
    at = {q: 1 + 2j, k: 0.5 - 1j, m: 5, n: 3, w: 0.7}
    left, right = (complex(side.subs(at).evalf()) for side in (equation.lhs, equation.rhs))
    assert np.isclose(left, right, rtol=1e-12)
    assert np.isclose(left, (1 + 2j) * (0.5 + 1j) * np.exp(1.4j), rtol=1e-12)


def test_share_of_alibi_is_that_of_a_softmax():
    equation = identities.alibi_share()
    slope = sympy.Symbol("s", positive=True)
    near, n = sympy.symbols("W n", integer=True, nonnegative=True)
    at = {slope: 0.25, near: 3, n: 10}
    weights = softmax(-0.25 * np.arange(10))
    for side in (equation.lhs, equation.rhs):
        assert np.isclose(float(side.subs(at).doit()), weights[:3].sum(), rtol=1e-12)


def test_window_of_alibi_holds_the_share():
    equation = identities.alibi_window()
    slope, share = sympy.symbols("s a", positive=True)
    window = float(equation.rhs.subs({slope: 0.125, share: 0.9}))
    nearest = softmax(-0.125 * np.arange(10_000)).cumsum()
    assert nearest[int(window) - 1] < 0.9 < nearest[int(window)]


def test_last_token_and_constant_text():
    assert identities.last_token_is_blind().lhs.free_symbols == set(
        sympy.symbols("x_:3", real=True)
    )
    equation = identities.constant_text_stays_constant()
    assert equation.lhs.doit() == equation.rhs


def test_ntk_base_is_the_packages():
    equation = identities.ntk_base()
    b, s, d = sympy.symbols("b s d", positive=True)
    for base, factor, dim in ((10000.0, 8, 128), (500000.0, 4, 64), (10.0, 3, 4)):
        solved = float(equation.rhs.subs({b: base, s: factor, d: dim}))
        assert np.isclose(solved, ntk_base(base, dim, factor), rtol=1e-12)


def test_ntk_divides_as_the_package_does():
    equation = identities.ntk_divides_pair()
    b, s = sympy.symbols("b s", positive=True)
    i, d = sympy.symbols("i d", real=True)
    new = inv_freq(64, base=ntk_base(10000, 64, 4))
    for pair in (0, 5, 31):
        at = {b: 10000, s: 4, i: pair, d: 64}
        for side in (equation.lhs, equation.rhs):
            assert np.isclose(float(side.subs(at).evalf()), new[pair], rtol=1e-12)


def test_ends_of_the_yarn_ramp_make_their_turns():
    equation = identities.yarn_pair_with_turns()
    symbols = sympy.symbols("L r d b", positive=True)
    at = dict(zip(symbols, (4096, 32, 128, 10000), strict=True))
    assert np.isclose(float(equation.lhs.subs(at).evalf()), 32, rtol=1e-12)
    assert equation.rhs == symbols[1]


def test_yarn_limits_are_the_packages():
    equation = identities.yarn_limits()
    w, s = sympy.symbols("omega s", positive=True)
    limits = np.array(equation.lhs.doit().subs({w: 0.5, s: 4}), dtype=float).ravel()
    assert limits.tolist() == [0.5, 0.5, 0.125]
    plain, scaled = inv_freq(128), yarn(128, 4, 4096)
    assert np.allclose(yarn(128, 1, 4096), plain, rtol=1e-15)
    assert np.isclose(scaled[0] / plain[0], limits[1] / limits[0], rtol=1e-15)
    assert np.isclose(scaled[-1] / plain[-1], limits[2] / limits[0], rtol=1e-15)


def test_four_terms_are_those_of_the_package():
    rng = np.random.default_rng(0)
    x, code, weights = rng.normal(size=(2, 3)), rng.normal(size=(2, 3)), rng.normal(size=(3, 3))
    at = {"x_i": x[:1].T, "x_j": x[1:].T, "p_i": code[:1].T, "p_j": code[1:].T, "M": weights}
    parts = [
        np.linalg.multi_dot([at[str(f.arg)].T if f.is_Transpose else at[str(f)] for f in term.args])
        for term in identities.four_terms().rhs.args
    ]
    ours = [term[0, 1] for term in score_terms(x, code, weights=weights)]
    assert np.allclose(sorted(np.ravel(parts)), sorted(ours))


def test_a_block_commutes_only_if_it_is_the_solved_one():
    equation = identities.commuting_block()
    turn = rotation_matrix(1, inv_freq(2), layout="interleaved")
    at = dict(zip(sympy.symbols("a b", real=True), (2.0, 3.0), strict=True))
    solved = np.array(sympy.Matrix(equation.rhs).subs(at), dtype=float)
    assert np.array_equal(solved, commuting_weights([2.0], [3.0]))
    assert np.allclose(solved @ turn, turn @ solved)
    for row, column in np.ndindex(2, 2):
        solved[row, column] += 1
        assert not np.allclose(solved @ turn, turn @ solved)
        solved[row, column] -= 1

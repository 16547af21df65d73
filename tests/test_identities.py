"""Every identity is proved, and says the same as the arrays of the package do."""

import itertools

import numpy as np
import pytest
import sympy

from posenc import identities
from posenc.dot_product import attention

STATEMENTS = [
    (identities.cosine_addition, ()),
    (identities.pair_is_relative, ()),
    *((identities.dot_is_relative, (dim,)) for dim in (2, 4, 6)),
    *((identities.shift_is_rotation, (dim,)) for dim in (2, 4, 6)),
    *((identities.rotation_addition, (dim,)) for dim in (2, 4)),
    *((identities.rotation_is_orthogonal, (dim,)) for dim in (2, 4)),
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

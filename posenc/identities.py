"""The identities of the lessons, proved symbolically.

Each function returns its statement as a sympy equation and raises ``ArithmeticError`` if the two
sides are not equal. The symbols stand for every real value, so one proof covers all positions and
all frequencies. Trigonometric functions are proved through Euler's formula, which leaves nothing to
trust but ``exp(x + y) = exp(x) exp(y)``.
"""

# sympy carries no types.
# mypy: disable-error-code="import-untyped"

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from posenc import validate

if TYPE_CHECKING:
    import sympy

__all__ = [
    "alibi_share",
    "alibi_window",
    "block_between_pairs",
    "commuting_block",
    "commuting_score",
    "complex_rope_is_relative",
    "concat_projection",
    "constant_text_stays_constant",
    "cosine_addition",
    "dot_is_real_part",
    "dot_is_relative",
    "four_terms",
    "last_token_is_blind",
    "ntk_base",
    "ntk_divides_pair",
    "pair_is_relative",
    "permutation_equivariance",
    "rope_is_relative",
    "rotation_addition",
    "rotation_is_orthogonal",
    "shift_is_rotation",
    "yarn_limits",
    "yarn_pair_with_turns",
]


def proved(left: Any, right: Any) -> sympy.Eq:
    """Return ``left = right`` as it is written, or raise ``ArithmeticError`` if it is false.

    Both sides are scalars or explicit matrices of one shape.
    """
    import sympy

    difference = sympy.Matrix([(left - right).doit()])
    rest = difference.applyfunc(lambda term: term.rewrite(sympy.exp).expand())
    if not rest.is_zero_matrix:
        rest = rest.applyfunc(sympy.simplify)
    if not rest.is_zero_matrix:
        raise ArithmeticError(f"no identity: {left} minus {right} leaves {rest.tolist()}")
    return sympy.Eq(left, right, evaluate=False)


def frequencies(dim: int) -> list[sympy.Symbol]:
    """Return one real symbol a pair, ``omega_0`` to ``omega_(d/2-1)``."""
    import sympy

    pairs = validate.even_dim(dim) // 2
    return [sympy.Symbol(f"omega_{i}", real=True) for i in range(pairs)]


def encoding(position: sympy.Expr, omegas: list[sympy.Symbol]) -> sympy.Matrix:
    """Return PE(position) as a column: sine and cosine of every pair, interleaved."""
    import sympy

    return sympy.Matrix([f(w * position) for w in omegas for f in (sympy.sin, sympy.cos)])


def rotation(offset: sympy.Expr, omegas: list[sympy.Symbol]) -> sympy.Matrix:
    """Return R(offset), one 2 x 2 rotation a pair, for pairs written (sine, cosine)."""
    import sympy

    turns = [(sympy.cos(w * offset), sympy.sin(w * offset)) for w in omegas]
    return sympy.diag(*(sympy.Matrix([[c, s], [-s, c]]) for c, s in turns))


def permutation_equivariance(order: Sequence[int] = (2, 0, 1)) -> sympy.Eq:
    """Return that attention without positions only follows a new order of its tokens.

    ::

        Attn(P X) = P Attn(X),   Attn(X)_i = sum_j exp(s(x_i, x_j)) v(x_j) / sum_j exp(s(x_i, x_j))

    The score s and the value v are undefined functions, so the proof covers every choice of
    W_q, W_k and W_v. ``order`` gives the rows of PX as row numbers of X: row i of PX is row
    ``order[i]``. Raises ``ValueError`` if it is not a permutation of 0, 1, 2, ...

    >>> permutation_equivariance().lhs.shape
    (3, 1)

    Source: chapter 1; Lee et al. 2019 (Set Transformer), property 1.
    """
    import sympy

    n = len(order)
    if n == 0 or sorted(order) != list(range(n)):
        raise ValueError(f"order={order!r}: must hold each of 0 to n-1 once")
    score, value = sympy.Function("s", real=True), sympy.Function("v", real=True)

    def attend(rows: list[sympy.Symbol]) -> sympy.Matrix:
        weights = sympy.Matrix([[sympy.exp(score(x, y)) for y in rows] for x in rows])
        values, ones = sympy.Matrix([value(y) for y in rows]), sympy.ones(n, 1)
        return (weights * values).multiply_elementwise((weights * ones).applyfunc(lambda t: 1 / t))

    tokens = [sympy.Symbol(f"x_{i}", real=True) for i in range(n)]
    matrix = sympy.Matrix(n, n, lambda i, j: int(order[i] == j))
    moved = list(matrix * sympy.Matrix(tokens))
    right = sympy.MatMul(matrix, attend(tokens), evaluate=False)
    return proved(attend(moved), right)


def cosine_addition() -> sympy.Eq:
    """Return the addition theorem of the cosine, for a difference of angles.

    ::

        cos(a - b) = cos a cos b + sin a sin b

    >>> print(cosine_addition().lhs)
    cos(a - b)

    Source: chapter 2.
    """
    import sympy
    from sympy import cos, sin

    a, b = sympy.symbols("a b", real=True)
    return proved(cos(a - b), cos(a) * cos(b) + sin(a) * sin(b))


def pair_is_relative() -> sympy.Eq:
    """Return the share of one pair in PE(i) . PE(j), for a general pair k.

    ::

        sin(w_k i) sin(w_k j) + cos(w_k i) cos(w_k j) = cos(w_k (i - j))

    Since k is a symbol, the sum over any number of pairs follows term by term.

    >>> print(pair_is_relative().rhs)
    cos((i - j)*omega[k])

    Source: chapter 2; Vaswani et al. 2017, section 3.5.
    """
    import sympy
    from sympy import cos, sin

    i, j = sympy.symbols("i j", real=True)
    w = sympy.IndexedBase("omega", real=True)[sympy.Symbol("k", integer=True)]
    return proved(sin(w * i) * sin(w * j) + cos(w * i) * cos(w * j), cos(w * (i - j)))


def dot_is_relative(dim: int) -> sympy.Eq:
    """Return the dot product of two codes of width ``dim``, for any frequencies.

    ::

        PE(i) . PE(j) = sum_k cos(w_k (i - j))

    Raises ``ValueError`` if ``dim`` is odd or below 2.

    >>> print(dot_is_relative(4).rhs)
    cos(omega_0*(i - j)) + cos(omega_1*(i - j))

    Source: chapter 2; Vaswani et al. 2017, section 3.5.
    """
    import sympy

    i, j = sympy.symbols("i j", real=True)
    omegas = frequencies(dim)
    right = sympy.Add(*(sympy.cos(w * (i - j)) for w in omegas))
    return proved(encoding(i, omegas).dot(encoding(j, omegas)), right)


def shift_is_rotation(dim: int) -> sympy.Eq:
    """Return the shift by k as one matrix, the same for every position p.

    ::

        PE(p + k) = R(k) PE(p),   R(k) = diag of [[cos w_i k, sin w_i k], [-sin w_i k, cos w_i k]]

    The matrix holds no p. Raises ``ValueError`` if ``dim`` is odd or below 2.

    >>> import sympy
    >>> sympy.Symbol("p", real=True) in shift_is_rotation(4).rhs.args[0].free_symbols
    False

    Source: chapter 2; Vaswani et al. 2017, section 3.5 (stated there without proof).
    """
    import sympy

    p, k = sympy.symbols("p k", real=True)
    omegas = frequencies(dim)
    right = sympy.MatMul(rotation(k, omegas), encoding(p, omegas), evaluate=False)
    return proved(encoding(p + k, omegas), right)


def rotation_addition(dim: int = 2) -> sympy.Eq:
    """Return that two shifts in a row are one shift.

    ::

        R(a) R(b) = R(a + b)

    Raises ``ValueError`` if ``dim`` is odd or below 2.

    >>> rotation_addition(2).rhs.shape
    (2, 2)

    Source: chapter 2.
    """
    import sympy

    a, b = sympy.symbols("a b", real=True)
    omegas = frequencies(dim)
    left = sympy.MatMul(rotation(a, omegas), rotation(b, omegas), evaluate=False)
    return proved(left, rotation(a + b, omegas))


def rotation_is_orthogonal(dim: int = 2) -> sympy.Eq:
    """Return that the transpose of R undoes it: a shift keeps every length and every angle.

    ::

        R(k)^T R(k) = I

    Raises ``ValueError`` if ``dim`` is odd or below 2.

    >>> import sympy
    >>> rotation_is_orthogonal(2).rhs == sympy.eye(2)
    True

    Source: chapter 2.
    """
    import sympy

    turn = rotation(sympy.Symbol("k", real=True), frequencies(dim))
    return proved(sympy.MatMul(turn.T, turn, evaluate=False), sympy.eye(dim))


def concat_projection() -> sympy.Eq:
    """Return what a projection makes of a content vector x with a position vector p below it.

    ::

        [W_1 W_2] [x; p] = W_1 x + W_2 p

    The widths of x, p and the result are symbols too.

    >>> print(concat_projection().rhs)
    W_1*x + W_2*p

    Source: chapter 2.
    """
    import sympy
    from sympy import BlockMatrix, MatrixSymbol

    rows, d, e = sympy.symbols("r d e", integer=True, positive=True)
    w_1, w_2 = MatrixSymbol("W_1", rows, d), MatrixSymbol("W_2", rows, e)
    x, p = MatrixSymbol("x", d, 1), MatrixSymbol("p", e, 1)
    left = sympy.MatMul(BlockMatrix([[w_1, w_2]]), BlockMatrix([[x], [p]]))
    right = w_1 * x + w_2 * p
    if sympy.block_collapse(left) != right:
        raise ArithmeticError(f"no identity: {left} is not {right}")
    return sympy.Eq(left, right, evaluate=False)


def four_terms() -> sympy.Eq:
    """Return the score of two tokens with added codes as a sum of four terms.

    ::

        (x_i + p_i)^T M (x_j + p_j) = x_i^T M x_j + x_i^T M p_j + p_i^T M x_j + p_i^T M p_j

    ``p_i`` stands for PE(i), M for W_q^T W_k; the width is a symbol too.

    >>> len(four_terms().rhs.args)
    4

    Source: chapter 3; Dai et al. 2019 (Transformer-XL), section 3.3.
    """
    import sympy
    from sympy import MatrixSymbol

    d = sympy.Symbol("d", integer=True, positive=True)
    x_i, x_j, p_i, p_j = (MatrixSymbol(name, d, 1) for name in ("x_i", "x_j", "p_i", "p_j"))
    m = MatrixSymbol("M", d, d)
    left = sympy.MatMul((x_i + p_i).T, m, x_j + p_j, evaluate=False)
    right = x_i.T * m * x_j + x_i.T * m * p_j + p_i.T * m * x_j + p_i.T * m * p_j
    if left.doit().expand() != right:
        raise ArithmeticError(f"no identity: {left} is not {right}")
    return sympy.Eq(left, right, evaluate=False)


def commuting_block() -> sympy.Eq:
    """Return every block of 2 x 2 that commutes with the rotation of its pair.

    ::

        B R(1) = R(1) B   if and only if   B = a I + b J = [[a, -b], [b, a]]

    A shift by one position gives four linear equations for the four entries of B; they are solved
    for sin w != 0, which holds for frequencies between 0 and pi. That the solution commutes with
    the shift by any k is then proved.

    >>> commuting_block().rhs
    Matrix([
    [a, -b],
    [b,  a]])

    Source: chapter 3.
    """
    import sympy

    w, a, b, k = sympy.symbols("omega a b k", real=True)
    entries = sympy.symbols("b_11 b_12 b_21 b_22", real=True)
    block = sympy.Matrix(2, 2, entries)
    step = rotation(sympy.Integer(1), [w])
    (found,) = sympy.solve(list(block * step - step * block), entries[:2], dict=True)
    solution = block.subs(found).subs({entries[2]: b, entries[3]: a})
    turn = rotation(k, [w])
    proved(solution * turn, turn * solution)
    return sympy.Eq(block, solution, evaluate=False)


def block_between_pairs() -> sympy.Eq:
    """Return the determinant that leaves no weight between two pairs of different frequency.

    ::

        B R_w(1) - R_v(1) B = 0   is linear in the four entries of B, with the determinant
        4 (cos w - cos v)^2

    It is not 0 for two different frequencies between 0 and pi, so B = 0.

    >>> print(block_between_pairs().rhs)
    4*(-cos(nu) + cos(omega))**2

    Source: chapter 3.
    """
    import sympy

    w, v = sympy.symbols("omega nu", real=True)
    entries = sympy.symbols("b_11 b_12 b_21 b_22", real=True)
    block = sympy.Matrix(2, 2, entries)
    one = sympy.Integer(1)
    condition = block * rotation(one, [w]) - rotation(one, [v]) * block
    system, _ = sympy.linear_eq_to_matrix(list(condition), entries)
    return proved(sympy.Determinant(system), 4 * (sympy.cos(w) - sympy.cos(v)) ** 2)


def commuting_score() -> sympy.Eq:
    """Return what a commuting block makes of two codes: a function of their offset.

    ::

        PE(i)^T (a I + b J) PE(j) = a cos(w (j - i)) + b sin(w (j - i))

    >>> print(commuting_score().rhs[0])
    a*cos(omega*(-i + j)) + b*sin(omega*(-i + j))

    Source: chapter 3.
    """
    import sympy
    from sympy import cos, sin

    w, a, b, i, j = sympy.symbols("omega a b i j", real=True)
    block = sympy.Matrix([[a, -b], [b, a]])
    left = sympy.MatMul(encoding(i, [w]).T, block, encoding(j, [w]), evaluate=False)
    return proved(left, sympy.Matrix([a * cos(w * (j - i)) + b * sin(w * (j - i))]))


def rope_is_relative(dim: int = 2) -> sympy.Eq:
    """Return that a query and a key turned by their positions compare by the offset alone.

    ::

        (R(m) q) . (R(n) k) = q . (R(n - m) k),   R(p) = diag of [[cos w_i p, -sin w_i p],
                                                                  [sin w_i p,  cos w_i p]]

    Pairs are interleaved; q and k are symbols too. Raises ``ValueError`` if ``dim`` is odd or
    below 2.

    >>> rope_is_relative(4).rhs.shape
    (1, 1)

    Source: chapter 5b; Su et al. 2021 (RoFormer), equation 16.
    """
    import sympy

    m, n = sympy.symbols("m n", real=True)
    omegas = frequencies(dim)
    q, k = (sympy.Matrix(sympy.symbols(f"{x}_:{dim}", real=True)) for x in "qk")
    # rotation() turns pairs written (sine, cosine); RoPE turns (a, b) the other way.
    query = sympy.MatMul(rotation(-m, omegas), q, evaluate=False)
    key = sympy.MatMul(rotation(-n, omegas), k, evaluate=False)
    left = sympy.MatMul(sympy.Transpose(query), key, evaluate=False)
    return proved(left, sympy.MatMul(q.T, rotation(m - n, omegas), k, evaluate=False))


def complex_rope_is_relative() -> sympy.Eq:
    """Return the same for one pair written as a complex number, a + i b.

    ::

        (q e^(i w m)) conj(k e^(i w n)) = q conj(k) e^(i w (m - n))

    The real part of ``q conj(k)`` is the dot product of the pair, see ``dot_is_real_part``.

    >>> print(complex_rope_is_relative().rhs)
    q*exp(I*omega*(m - n))*conjugate(k)

    Source: chapter 5b; Su et al. 2021 (RoFormer), equation 12.
    """
    import sympy

    m, n, w = sympy.symbols("m n omega", real=True)
    q, k = sympy.symbols("q k", complex=True)
    left = q * sympy.exp(sympy.I * w * m) * sympy.conjugate(k * sympy.exp(sympy.I * w * n))
    return proved(left, q * sympy.conjugate(k) * sympy.exp(sympy.I * w * (m - n)))


def dot_is_real_part() -> sympy.Eq:
    """Return the dot product of two pairs as the real part of a complex product.

    ::

        Re((a + i b) conj(c + i d)) = a c + b d

    >>> print(dot_is_real_part().rhs)
    a*c + b*d

    Source: chapter 5b.
    """
    import sympy

    a, b, c, d = sympy.symbols("a b c d", real=True)
    left = sympy.re((a + sympy.I * b) * sympy.conjugate(c + sympy.I * d), evaluate=False)
    return proved(left, a * c + b * d)


def alibi_share() -> sympy.Eq:
    """Return the share of attention that ALiBi leaves to the nearest W of n equal keys.

    ::

        sum_(t < W) e^(-s t) / sum_(t < n) e^(-s t) = (1 - e^(-s W)) / (1 - e^(-s n))

    s is the slope and t the distance. Both sums are geometric series. Their closed form is proved
    by induction on the number of terms, so W and n are symbols.

    >>> print(alibi_share().rhs)
    (1 - exp(-W*s))/(1 - exp(-n*s))

    Source: chapter 5a.
    """
    import sympy
    from sympy import exp

    slope = sympy.Symbol("s", positive=True)
    terms, near, n, t = sympy.symbols("N W n t", integer=True, nonnegative=True)

    def closed(count: sympy.Expr) -> sympy.Expr:
        return (1 - exp(-slope * count)) / (1 - exp(-slope))

    proved(closed(sympy.Integer(0)), sympy.Integer(0))
    proved(closed(terms + 1), closed(terms) + exp(-slope * terms))
    right = (1 - exp(-slope * near)) / (1 - exp(-slope * n))
    proved(closed(near) / closed(n), right)
    sums = [sympy.Sum(exp(-slope * t), (t, 0, count - 1)) for count in (near, n)]
    return sympy.Eq(sums[0] / sums[1], right, evaluate=False)


def alibi_window() -> sympy.Eq:
    """Return how many keys hold a share a of ALiBi's attention, before an endless equal past.

    ::

        1 - e^(-s W) = a     gives     W = -ln(1 - a) / s

    The left-hand side is the limit of ``alibi_share`` as n grows. The equation is solved for W.

    >>> print(alibi_window().rhs)
    -log(1 - a)/s

    Source: chapter 5a.
    """
    import sympy
    from sympy import exp

    slope, share, near, n = sympy.symbols("s a W n", positive=True)
    rest = sympy.Symbol("r", positive=True)  # 1 - a, positive, so that it has a logarithm
    endless = sympy.limit((1 - exp(-slope * near)) / (1 - exp(-slope * n)), n, sympy.oo)
    (window,) = sympy.solve(endless - (1 - rest), near)
    proved(endless.subs(near, window), 1 - rest)
    return sympy.Eq(near, sympy.expand_log(window).subs(rest, 1 - share), evaluate=False)


def last_token_is_blind() -> sympy.Eq:
    """Return that one causal layer, read at its last token, ignores the order before it.

    ::

        out(x_0, x_1; x_2) = out(x_1, x_0; x_2)

        out = sum_j e^(s(x_2, x_j)) v(x_j) / sum_j e^(s(x_2, x_j)),   j = 0, 1, 2

    The score s and the value v are undefined functions.

    >>> last_token_is_blind().lhs == last_token_is_blind().rhs  # written in another order
    False

    Source: chapter 5c.
    """
    import sympy

    score, value = sympy.Function("s", real=True), sympy.Function("v", real=True)
    x = sympy.symbols("x_:3", real=True)

    def last(order: Sequence[int]) -> sympy.Expr:
        weights = [sympy.exp(score(x[2], x[j])) for j in order]
        values = [w * value(x[j]) for w, j in zip(weights, order, strict=True)]
        return sympy.Mul(
            sympy.Add(*values, evaluate=False),
            sympy.Pow(sympy.Add(*weights, evaluate=False), -1, evaluate=False),
            evaluate=False,
        )

    return proved(last((0, 1, 2)), last((1, 0, 2)))


def constant_text_stays_constant() -> sympy.Eq:
    """Return that a text of t equal tokens leaves attention as it came, at every t.

    ::

        sum_(j = 1..t) e^(s(x, x)) v(x) / sum_(j = 1..t) e^(s(x, x)) = v(x)

    >>> print(constant_text_stays_constant().rhs)
    v(x)

    Source: chapter 5c.
    """
    import sympy

    x = sympy.Symbol("x", real=True)
    j, t = sympy.symbols("j t", integer=True, positive=True)
    score, value = sympy.Function("s", real=True)(x, x), sympy.Function("v", real=True)(x)
    total = sympy.Sum(sympy.exp(score) * value, (j, 1, t))
    return proved(total / sympy.Sum(sympy.exp(score), (j, 1, t)), value)


def ntk_base() -> sympy.Eq:
    """Return the base that divides the slowest pair by a factor s and keeps the fastest.

    ::

        b'^(-(d-2)/d) = b^(-(d-2)/d) / s     gives     b' = b s^(d/(d-2))

    It is solved for, not put in: the logarithm of the first equation is linear in ln b', so there
    is one solution. Pair 0 turns by b'^0 = 1 whatever the base, so it is kept.

    >>> print(ntk_base().lhs)
    b'

    Source: chapter 6; bloc97 2023; Peng et al. 2023 (YaRN), appendix A.1.
    """
    import sympy
    from sympy import exp, log

    s, b, e = sympy.symbols("s b e", positive=True)  # e is d - 2, so that d is above 2
    log_base = sympy.Symbol("B", real=True)
    exponent = -e / (e + 2)  # of the last pair
    (found,) = sympy.solve(exponent * log_base - exponent * log(b) + log(s), log_base)
    proved(exp(exponent * found), b**exponent / s)
    proved(exp(found), b * s ** ((e + 2) / e))
    d = sympy.Symbol("d", positive=True)
    base = sympy.Symbol("b'", positive=True)
    return sympy.Eq(base, b * s ** (d / (d - 2)), evaluate=False)


def ntk_divides_pair() -> sympy.Eq:
    """Return what the base of ``ntk_base`` does to a general pair i.

    ::

        b'^(-2i/d) = b^(-2i/d) s^(-2i/(d-2))

    Only the last pair, 2i = d - 2, is divided by the whole s.

    >>> print(ntk_divides_pair().rhs)
    1/(b**(2*i/d)*s**(2*i/(d - 2)))

    Source: chapter 6.
    """
    import sympy

    s, b, e = sympy.symbols("s b e", positive=True)  # e is d - 2, so that d is above 2
    i, d = sympy.symbols("i d", real=True)
    left = (b * s ** (d / (d - 2))) ** (-2 * i / d)
    right = b ** (-2 * i / d) * s ** (-2 * i / (d - 2))
    proved(sympy.log(left.subs(d, e + 2)).expand(), sympy.log(right.subs(d, e + 2)).expand())
    return sympy.Eq(left, right, evaluate=False)


def yarn_pair_with_turns() -> sympy.Eq:
    """Return that an end of YaRN's ramp is the pair that makes r turns in training.

    ::

        (L / (2 pi)) e^(-2 i ln(b) / d) = r   at   i = d ln(L / (2 pi r)) / (2 ln b)

    The exponential is the frequency, b^(-2i/d).

    >>> print(yarn_pair_with_turns().rhs)
    r

    Source: chapter 6; the authors' code of YaRN.
    """
    import sympy
    from sympy import log, pi

    length, r, d, b = sympy.symbols("L r d b", positive=True)
    pair = d * log(length / (2 * pi * r)) / (2 * log(b))
    phase = sympy.Mul(-2 * log(b) / d, pair, evaluate=False)
    return proved(length * sympy.exp(phase, evaluate=False) / (2 * pi), r)


def yarn_limits() -> sympy.Eq:
    """Return what YaRN makes of a frequency in its three limits.

    ::

        w' = (1 - g) w + g w / s

        s -> 1: w' = w        g = 0: w' = w (kept)        g = 1: w' = w / s (divided)

    g is the ramp, from 0 to 1; the three statements are the rows of a column.

    >>> print(yarn_limits().rhs[2])
    omega/s

    Source: chapter 6; Peng et al. 2023 (YaRN), section 3.2.
    """
    import sympy

    w, s = sympy.symbols("omega s", positive=True)
    g = sympy.Symbol("g", real=True)
    scaled = (1 - g) * w + g * w / s
    left = [sympy.Limit(scaled, s, 1), sympy.Subs(scaled, g, 0), sympy.Subs(scaled, g, 1)]
    return proved(sympy.Matrix(left), sympy.Matrix([w, w, w / s]))

"""Angular frequencies of the pairs: one clock a pair, from fast to slow."""

from decimal import Decimal, localcontext
from itertools import accumulate, repeat

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.validate import FloatArray

__all__ = ["inv_freq", "turns", "wavelengths"]


def inv_freq(dim: int, *, base: float = 10000.0) -> FloatArray:
    """Return the angular frequency of every pair, in radians per position.

    ::

        w_i = base^(-2i/d),   i = 0 .. d/2 - 1

    Shape ``(dim/2,)``, float64, fastest pair first. Raises ``ValueError`` if ``dim`` is odd or
    below 2, or ``base`` is not a finite number above 1.

    >>> inv_freq(4).tolist()
    [1.0, 0.01]

    Source: Vaswani et al. 2017, section 3.5.
    """
    dim = validate.even_dim(dim)
    base = validate.number("base", base, above=1)
    return base ** (-np.arange(0, dim, 2) / dim)


def rounding(inv_freq: FloatArray, base: float) -> FloatArray:
    """Return what float64 cuts off the frequencies: it shows in the phase of far positions."""
    # Whole numbers of 2^-160: exact enough, and far quicker than decimals.
    with localcontext(prec=60):
        ratio = int(Decimal(base) ** (Decimal(-1) / inv_freq.size) * 2**160)
    exact = accumulate(repeat(ratio, inv_freq.size - 1), lambda w, r: w * r >> 160, initial=2**160)
    rounded = np.ldexp(inv_freq, 160).tolist()
    rest = [float(w - int(near)) for w, near in zip(exact, rounded, strict=True)]
    return np.ldexp(rest, -160)


def wavelengths(inv_freq: npt.ArrayLike) -> FloatArray:
    """Return the wavelength of every pair, in positions per turn.

    ::

        lambda_i = 2 pi / w_i

    Same shape as ``inv_freq``, ``(dim/2,)``. A pair of frequency 0 does not turn: its wavelength
    is ``inf``. Raises ``ValueError`` if a frequency is negative or not finite, or if there is none.

    >>> wavelengths(inv_freq(64))[[0, 8, 16, 31]].round(2).tolist()
    [6.28, 62.83, 628.32, 47117.24]

    Source: Vaswani et al. 2017, section 3.5.
    """
    frequencies = validate.frequencies(inv_freq)
    with np.errstate(divide="ignore"):
        return np.divide(2 * np.pi, frequencies)


def turns(inv_freq: npt.ArrayLike, length: float) -> FloatArray:
    """Return how many turns every pair makes within a length.

    ::

        turns_i = length w_i / (2 pi)

    Same shape as ``inv_freq``, ``(dim/2,)``; ``length`` counts positions. Raises ``ValueError`` if
    a frequency is negative or not finite, or ``length`` is negative or not finite.

    >>> turns(inv_freq(128), 4096)[[0, 45, 46, 63]].round(3).tolist()
    [651.899, 1.004, 0.869, 0.075]

    Source: Peng et al. 2023 (YaRN), section 3.2, where it is called r.
    """
    length = validate.number("length", length, at_least=0)
    return length * validate.frequencies(inv_freq) / (2 * np.pi)

"""Context extension: formulas that slow the pairs down so that a longer text fits.

``linear``, ``yarn``, ``llama3`` and ``longrope`` give frequencies, ``ntk_base`` and
``dynamic_ntk_base`` a base, and the functions named after a factor or a temperature a number.
"""

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate
from posenc.frequencies import inv_freq, turns
from posenc.validate import FloatArray

__all__ = [
    "context_bound",
    "dynamic_ntk_base",
    "linear",
    "llama3",
    "longrope",
    "longrope_attention_factor",
    "ntk_base",
    "yarn",
    "yarn_attention_factor",
    "yarn_temperature",
]


def linear(inv_freq: npt.ArrayLike, factor: float) -> FloatArray:
    """Return every frequency divided by the same factor: position interpolation.

    ::

        w'_i = w_i / s

    Same shape as ``inv_freq``, ``(dim/2,)``, radians per position. Raises ``ValueError`` if
    ``factor`` is below 1 or a frequency is negative or not finite.

    >>> linear([1.0, 0.01], 4).tolist()
    [0.25, 0.0025]

    Source: Chen et al. 2023 (Position Interpolation), section 2.3, equation 4.
    """
    return validate.frequencies(inv_freq) / _factor(factor)


def ntk_base(base: float, dim: int, factor: float) -> float:
    """Return the base whose slowest pair is divided by the factor and whose fastest is kept.

    ::

        b' = b s^(d/(d-2))

    A number without unit. Raises ``ValueError`` if ``base`` is not above 1, ``dim`` is odd or below
    4 (one pair cannot be both kept and divided), or ``factor`` is below 1.

    >>> round(ntk_base(10000, 128, 2))
    20221

    Source: bloc97 2023 (NTK-aware scaled RoPE); Peng et al. 2023 (YaRN), section 3.1.
    """
    base = validate.number("base", base, above=1)
    dim = validate.even_dim(dim)
    if dim == 2:
        raise ValueError("dim=2: must be at least 4, since one pair cannot be kept and divided")
    return float(base * _factor(factor) ** (dim / (dim - 2)))


def dynamic_ntk_base(
    base: float, dim: int, factor: float, seq_len: int, max_position_embeddings: int
) -> float:
    """Return the base for a text of ``seq_len`` positions: it grows once training is outgrown.

    ::

        b' = b                                         for n <= L
        b' = b (s n / L - (s - 1))^(d/(d-2))           for n >  L

    ``n`` is ``seq_len`` and ``L`` is ``max_position_embeddings``, the trained length, both in
    positions. Raises ``ValueError`` as ``ntk_base`` does, or if a length is not an integer of at
    least 1.

    >>> dynamic_ntk_base(10000, 128, 2, 4096, 4096)
    10000.0
    >>> round(dynamic_ntk_base(10000, 128, 2, 8192, 4096))
    30528

    Source: emozilla 2023 (dynamically scaled RoPE); Peng et al. 2023 (YaRN), section 3.3.
    """
    seq_len = validate.integer("seq_len", seq_len, at_least=1)
    trained = validate.integer("max_position_embeddings", max_position_embeddings, at_least=1)
    factor = _factor(factor)
    return ntk_base(base, dim, factor * max(seq_len / trained, 1.0) - (factor - 1))


def yarn(
    dim: int,
    factor: float,
    original_max_position_embeddings: int,
    *,
    base: float = 10000.0,
    beta_fast: float = 32,
    beta_slow: float = 1,
    truncate: bool = True,
) -> FloatArray:
    """Return frequencies kept where a pair turns often, divided where it hardly turns.

    ::

        i(r) = d ln(L / (2 pi r)) / (2 ln b)           the pair that makes r turns in training
        low  = i(beta_fast),  high = i(beta_slow)      rounded outwards if truncate
        g_i  = (i - low) / (high - low)                from 0 to 1; low, high within 0 .. d - 1
        w'_i = (1 - g_i) w_i + g_i w_i / s

    Shape ``(dim/2,)``, radians per position; ``L`` is ``original_max_position_embeddings``. The
    ramp is linear in the pair's index, as in the authors' code; their paper writes it in turns.
    The matching temperature is ``yarn_attention_factor``. Raises ``ValueError`` if ``factor`` is
    below 1, ``beta_fast`` is not above ``beta_slow``, or ``dim``, ``base`` or the length is bad.

    >>> (yarn(128, 16, 4096) / inv_freq(128))[[0, 20, 33, 46, 63]].round(4).tolist()
    [1.0, 1.0, 0.5312, 0.0625, 0.0625]

    Source: Peng et al. 2023 (YaRN), section 3.2; the authors' code for the ramp.
    """
    frequencies = inv_freq(dim, base=base)
    factor = _factor(factor)
    trained = validate.integer(
        "original_max_position_embeddings", original_max_position_embeddings, at_least=1
    )
    beta_slow = validate.number("beta_slow", beta_slow, above=0)
    beta_fast = validate.number("beta_fast", beta_fast)
    if beta_fast <= beta_slow:
        raise ValueError(f"beta_fast={beta_fast:g}: must be above beta_slow={beta_slow:g}")

    def pair_with_turns(r: float) -> float:
        return dim * math.log(trained / (2 * math.pi * r)) / (2 * math.log(base))

    low, high = pair_with_turns(beta_fast), pair_with_turns(beta_slow)
    if validate.boolean("truncate", truncate):
        low, high = math.floor(low), math.ceil(high)
    low, high = np.clip([low, high], 0, dim - 1)
    width = high - low or 1.0  # both ends clamped to one place: a step
    ramp: FloatArray = np.clip((np.arange(dim // 2) - low) / width, 0, 1)
    return (1 - ramp) * frequencies + ramp * frequencies / factor


def yarn_temperature(factor: float, mscale: float = 1.0) -> float:
    """Return the number that keeps attention as sharp in a longer text as it was.

    ::

        m = 0.1 a ln(s) + 1

    ``a`` is ``mscale``. Queries and keys each carry one ``m``, so scores carry ``m^2``; models
    that use ``mscale_all_dim`` multiply their softmax scale by ``m^2`` instead. Raises
    ``ValueError`` if ``factor`` is below 1 or ``mscale`` is negative.

    >>> round(yarn_temperature(16), 6)
    1.277259
    >>> round(yarn_temperature(40, 0.707) ** 2, 6)
    1.589626

    Source: Peng et al. 2023 (YaRN), section 3.4, where ``m`` is the root of ``1/t``; DeepSeek-AI
    2024 (DeepSeek-V2), section 3.1.4, for ``mscale``.
    """
    mscale = validate.number("mscale", mscale, at_least=0)
    return 0.1 * mscale * math.log(_factor(factor)) + 1.0


def yarn_attention_factor(
    factor: float, mscale: float | None = None, mscale_all_dim: float | None = None
) -> float:
    """Return the factor on cosines and sines that goes with ``yarn``.

    ::

        m(a) = 0.1 a ln(s) + 1
        m(1)                                neither or only one of the two given
        m(mscale) / m(mscale_all_dim)       both given

    Zero counts as not given. With both given the rest of the temperature is the model's own
    affair: it multiplies its softmax scale by ``m(mscale_all_dim)^2``. Raises ``ValueError`` if
    ``factor`` is below 1 or an mscale is negative.

    >>> round(yarn_attention_factor(16), 6)
    1.277259
    >>> yarn_attention_factor(40, 0.707, 0.707)
    1.0

    Source: Peng et al. 2023 (YaRN), section 3.4; DeepSeek-AI 2024 (DeepSeek-V2), section 3.1.4.
    """
    own = validate.number("mscale", mscale or 0, at_least=0)
    all_dim = validate.number("mscale_all_dim", mscale_all_dim or 0, at_least=0)
    if own and all_dim:
        return yarn_temperature(factor, own) / yarn_temperature(factor, all_dim)
    return yarn_temperature(factor)


def llama3(
    inv_freq: npt.ArrayLike,
    factor: float,
    low_freq_factor: float,
    high_freq_factor: float,
    original_max_position_embeddings: int,
) -> FloatArray:
    """Return frequencies kept above one number of turns, divided below another, mixed between.

    ::

        r_i  = L w_i / (2 pi)                          turns in training
        g_i  = (r_i - low) / (high - low)              from 0 to 1
        w'_i = g_i w_i + (1 - g_i) w_i / s

    Same shape as ``inv_freq``, ``(dim/2,)``, radians per position. ``low`` and ``high`` are the
    two ``*_freq_factor``, in turns; ``L`` is ``original_max_position_embeddings``. Raises
    ``ValueError`` if ``factor`` is below 1, ``high_freq_factor`` is not above
    ``low_freq_factor``, or a frequency or the length is bad.

    >>> (llama3([1.0, 0.002, 0.0001], 8, 1, 4, 8192) / [1.0, 0.002, 0.0001]).round(4).tolist()
    [1.0, 0.5939, 0.125]

    Source: Llama 3.1 reference code (Meta, 2024), function ``apply_scaling``.
    """
    frequencies = validate.frequencies(inv_freq)
    factor = _factor(factor)
    trained = validate.integer(
        "original_max_position_embeddings", original_max_position_embeddings, at_least=1
    )
    low = validate.number("low_freq_factor", low_freq_factor, above=0)
    high = validate.number("high_freq_factor", high_freq_factor)
    if high <= low:
        raise ValueError(f"high_freq_factor={high:g}: must be above low_freq_factor={low:g}")
    kept: FloatArray = np.clip((turns(frequencies, trained) - low) / (high - low), 0, 1)
    return kept * frequencies + (1 - kept) * frequencies / factor


def longrope(inv_freq: npt.ArrayLike, factors: npt.ArrayLike) -> FloatArray:
    """Return every frequency divided by its own factor, found by search for one model.

    ::

        w'_i = w_i / lambda_i

    Same shape as ``inv_freq``, ``(dim/2,)``, radians per position. A model has two lists: the
    short one up to the trained length, the long one beyond it; ``from_config`` chooses. Raises
    ``ValueError`` if the lists differ in length or a factor is not above 0.

    >>> longrope([1.0, 0.01], [1.0, 8.0]).tolist()
    [1.0, 0.00125]

    Source: Ding et al. 2024 (LongRoPE), section 3.
    """
    frequencies = validate.frequencies(inv_freq)
    divisors = validate.factors("factors", factors)
    if divisors.shape != frequencies.shape:
        raise ValueError(
            f"factors has shape {divisors.shape}: must hold one number for each of the "
            f"{frequencies.size} pairs"
        )
    return frequencies / divisors


def longrope_attention_factor(factor: float, original_max_position_embeddings: int) -> float:
    """Return the factor on cosines and sines that goes with ``longrope``.

    ::

        sqrt(1 + ln(s) / ln(L))

    ``s`` is the extended length over the trained one, ``L`` is
    ``original_max_position_embeddings``. Raises ``ValueError`` if ``factor`` is below 1 or the
    length below 2.

    >>> round(longrope_attention_factor(32, 4096), 6)
    1.190238

    Source: Ding et al. 2024 (LongRoPE), as released with Phi-3.
    """
    trained = validate.integer(
        "original_max_position_embeddings", original_max_position_embeddings, at_least=2
    )
    return math.sqrt(1 + math.log(_factor(factor)) / math.log(trained))


def context_bound(inv_freq: npt.ArrayLike, *, limit: int) -> int | None:
    """Return the smallest distance at which the cosines of all pairs sum below zero.

    ::

        min { m :  sum_k cos(m w_k) < 0 },   m = 1 .. limit

    ``None`` if there is none up to ``limit``. Below this distance a key like the query scores
    higher on average than a key unrelated to it; a base too small for a context ends that early.
    Raises ``ValueError`` if a frequency is negative or not finite, or ``limit`` is not an integer
    of at least 1.

    >>> context_bound(inv_freq(128), limit=4096)
    1707

    Source: Men et al. 2024 (Base of RoPE bounds context length).
    """
    frequencies = validate.frequencies(inv_freq)
    limit = validate.integer("limit", limit, at_least=1)
    steps = np.outer(np.arange(1024), frequencies)
    for start in range(1, limit + 1, 64 * 1024):  # in parts: the answer usually comes early
        ends = min(start + 64 * 1024, limit + 1)
        anchors = np.outer(np.arange(start, ends, 1024), frequencies)
        # cos(a + b) = cos a cos b - sin a sin b: sums over pairs become matrix products
        sums = np.cos(anchors) @ np.cos(steps).T - np.sin(anchors) @ np.sin(steps).T
        below = np.flatnonzero(sums < 0)
        if below.size:
            found = start + int(below[0])
            return found if found <= limit else None
    return None


def _factor(factor: Any) -> float:
    return validate.number("factor", factor, at_least=1)

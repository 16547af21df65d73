"""The formulas as the papers print them, in mpmath at 50 digits (integers where they are exact).

Nothing here imports or copies ``posenc``: an agreement of the two is evidence for both.
A number that comes in is taken as the exact value of its float64.
"""

from fractions import Fraction

import mpmath as mp
from mpmath import mpf

mp.mp.dps = 50


def frequencies(dim, base):
    """w_i = base^(-2i/d). Vaswani et al. 2017, section 3.5; Su et al. 2021, section 3.2.2."""
    return [mp.power(mpf(base), mpf(-2 * i) / dim) for i in range(dim // 2)]


def turn(position, frequency):
    """Cosine and sine of the angle that one pair has at a position."""
    angle = mpf(position) * mpf(frequency)
    return mp.cos(angle), mp.sin(angle)


def rotate(vector, position, freqs, layout):
    """R(p) x, pair by pair; dimensions beyond the pairs stay. Su et al. 2021, equation 34."""
    out = [mpf(value) for value in vector]
    for i, frequency in enumerate(freqs):
        first, second = (2 * i, 2 * i + 1) if layout == "interleaved" else (i, i + len(freqs))
        cos, sin = turn(position, frequency)
        a, b = mpf(vector[first]), mpf(vector[second])
        out[first] = a * cos - b * sin
        out[second] = a * sin + b * cos
    return out


def alibi_slopes(num_heads):
    """Geometric from 2^(-8/n) for a power of two; other counts as the authors' code fills up.

    Press et al. 2022, section 3, and ``get_slopes`` of the code they released.
    """
    power = 1
    while 2 * power <= num_heads:
        power *= 2
    slopes = [mp.power(2, mpf(-8 * h) / power) for h in range(1, power + 1)]
    between = [mp.power(2, mpf(-8 * h) / (2 * power)) for h in range(1, 2 * power + 1, 2)]
    return slopes + between[: num_heads - power]


def alibi_bias(num_heads, q_len, k_len):
    """-slope * |key - query|; the queries are the last positions. Press et al. 2022, section 3."""
    first = k_len - q_len
    return [
        [[-slope * abs(n - m) for n in range(k_len)] for m in range(first, k_len)]
        for slope in alibi_slopes(num_heads)
    ]


def t5_bucket(relative, bidirectional, num_buckets, max_distance):
    """Half the buckets hold one distance each, the rest grow geometrically up to max_distance.

    Raffel et al. 2020, section 2.1. The rule's floor of a ratio of logarithms is decided without
    logarithms: log(n/e) / log(D/e) * (B-e) >= j  holds if and only if  (n/e)^(B-e) >= (D/e)^j.
    """
    start = 0
    if bidirectional:
        num_buckets //= 2
        start = num_buckets if relative > 0 else 0
        distance = abs(relative)
    else:
        distance = max(-relative, 0)
    exact = num_buckets // 2
    if distance < exact:
        return start + distance
    logs = num_buckets - exact
    reached = Fraction(distance, exact) ** logs
    growth = Fraction(max_distance, exact)
    step = max(j for j in range(logs) if reached >= growth**j)
    return start + exact + step


def ntk_base(base, dim, factor):
    """Base under which the slowest pair slows by the factor. Peng et al. 2023, section 3.1."""
    return mpf(base) * mp.power(mpf(factor), mpf(dim) / (dim - 2))


def dynamic_ntk_base(base, dim, factor, seq_len, trained):
    """The same with a factor that follows the length and is 1 up to the trained one."""
    grown = mpf(factor) * mpf(seq_len) / mpf(trained) - (mpf(factor) - 1)
    return mpf(base) if seq_len <= trained else ntk_base(base, dim, grown)


def yarn(dim, factor, trained, base, beta_fast, beta_slow, truncate):
    """NTK-by-parts, the ramp in the pair index. Peng et al. 2023, section 3.2, and their code."""

    def pair_that_makes(turns):
        return dim * mp.log(mpf(trained) / (mpf(turns) * 2 * mp.pi)) / (2 * mp.log(mpf(base)))

    low, high = pair_that_makes(beta_fast), pair_that_makes(beta_slow)
    if truncate:
        low, high = mp.floor(low), mp.ceil(high)
    low, high = max(low, mpf(0)), min(high, mpf(dim - 1))
    result = []
    for i, frequency in enumerate(frequencies(dim, base)):
        divided = min(max((i - low) / (high - low), mpf(0)), mpf(1))
        result.append(frequency / factor * divided + frequency * (1 - divided))
    return result


def yarn_temperature(factor, scale=1):
    """0.1 * scale * ln(factor) + 1. Peng et al. 2023, equation 22."""
    return mpf(1) if factor <= 1 else mpf("0.1") * mpf(scale) * mp.log(mpf(factor)) + 1


def llama3(dim, base, factor, low_freq_factor, high_freq_factor, trained):
    """Keep fast pairs, divide slow ones, blend linearly in turns. Released code of Llama 3.1."""
    result = []
    for frequency in frequencies(dim, base):
        turns = trained * frequency / (2 * mp.pi)
        kept = (turns - low_freq_factor) / mpf(high_freq_factor - low_freq_factor)
        kept = min(max(kept, mpf(0)), mpf(1))
        result.append(kept * frequency + (1 - kept) * frequency / mpf(factor))
    return result


def longrope_attention_factor(factor, trained):
    """sqrt(1 + ln s / ln L). Ding et al. 2024, section 3 and released code."""
    return mpf(1) if factor <= 1 else mp.sqrt(1 + mp.log(mpf(factor)) / mp.log(mpf(trained)))

"""Random contents that Python and JavaScript draw alike, so that a figure needs no kernel."""

import numpy as np

from posenc.validate import FloatArray

__all__ = ["normals"]


def normals(seed: int, part: int, count: int) -> FloatArray:
    """Return standard normal numbers that depend on the seed and the part alone.

    The uniform numbers are those of ``mulberry32`` (Tommy Ettinger, public domain), a counter whose
    bits are mixed; Box and Muller's formula turns two of them, u and v, into two normal ones::

        sqrt(-2 log(1 - u)) cos(2 pi v),   sqrt(-2 log(1 - u)) sin(2 pi v)

    A longer draw begins with the shorter one. Shape ``(count,)``. ``js/src/math.js`` has the same
    function; golden vectors hold the two together. For figures, not for statistics.

    >>> normals(0, 0, 3).round(4).tolist() == normals(0, 0, 8)[:3].round(4).tolist()
    True
    """
    steps = np.arange(1, count + count % 2 + 1, dtype=np.uint32)
    counter = np.uint32((8 * seed + part) % 2**32) + steps * np.uint32(0x6D2B79F5)
    mixed = (counter ^ counter >> 15) * (counter | 1)
    mixed ^= mixed + (mixed ^ mixed >> 7) * (mixed | 61)
    u, v = (mixed ^ mixed >> 14).reshape(-1, 2).T / 2**32
    radius = np.sqrt(-2 * np.log(1 - u))
    pairs = np.stack([radius * np.cos(2 * np.pi * v), radius * np.sin(2 * np.pi * v)], axis=1)
    return np.asarray(pairs.reshape(-1)[:count])

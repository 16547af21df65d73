"""Numbers as models keep them: numpy has no bfloat16."""

import numpy as np
import numpy.typing as npt

from posenc import validate

__all__ = ["bfloat16"]


def bfloat16(x: npt.ArrayLike) -> npt.NDArray[np.float32]:
    """Return every number rounded to bfloat16, kept in float32.

    ::

        8 significant bits, one of them implied: the upper half of a float32
        rounded to the nearest, at a tie to the even one

    Same shape as ``x``. Numbers pass through float32, as they do in programs. Raises ``ValueError``
    if an entry is not a finite real number.

    >>> bfloat16([255, 256, 257, 258]).tolist()
    [255.0, 256.0, 256.0, 258.0]

    Source: chapters 2, 5b and 5c.
    """
    bits = validate.real_array("x", x).astype(np.float32).view(np.uint32)
    rounded = bits + np.uint32(0x7FFF) + ((bits >> 16) & 1)
    return np.asarray(rounded & np.uint32(0xFFFF0000)).view(np.float32)

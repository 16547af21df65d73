"""RoPE stretched: a trained model reads longer texts, with its pairs slowed down or not."""

from collections.abc import Callable

import numpy as np

import posenc
from experiments import text
from experiments.schemes import HEAD_DIM, Trained
from posenc.schemes import Scheme

L, D, BASE = text.LENGTH, HEAD_DIM, 10000.0
TUNED_MULTIPLE = 4
TUNED_STEPS = {30: (4,), 100: (4, 8)}
"""Steps of tuning, and the multiples of the trained length that are read after them."""


def ramp_in_turns(s: float, *, fast: float = 32.0, slow: float = 1.0) -> np.ndarray:
    """Return YaRN's frequencies as its paper prints them: mixed by the turns made within L."""
    inv_freq = posenc.inv_freq(D)
    kept = np.clip((posenc.turns(inv_freq, L) - slow) / (fast - slow), 0, 1)
    return kept * inv_freq + (1 - kept) * posenc.linear(inv_freq, s)


METHODS: dict[str, Callable[[float], tuple[np.ndarray, float]]] = {
    "none": lambda s: (posenc.inv_freq(D), 1.0),
    "linear": lambda s: (posenc.linear(posenc.inv_freq(D), s), 1.0),
    "ntk": lambda s: (posenc.inv_freq(D, base=posenc.ntk_base(BASE, D, s)), 1.0),
    "ntk, factor 2.5 times": lambda s: (
        posenc.inv_freq(D, base=posenc.ntk_base(BASE, D, 2.5 * s)),
        1.0,
    ),
    "yarn": lambda s: (posenc.yarn(D, s, L), posenc.yarn_attention_factor(s)),
    "yarn, ramp in turns": lambda s: (ramp_in_turns(s), posenc.yarn_attention_factor(s)),
}
"""Frequencies and attention factor for each factor s. The released code of YaRN, and posenc, ramp
in the index of the pair; the paper's formula ramps in the turns that a pair makes within L, and no
pair turns 32 times within 64 positions. Without any change, *none*, the model is the one of the
length experiment."""

TUNED = ("none", "linear", "ntk", "yarn")


def stretched(method: str, factor: float) -> Trained:
    """Return the rotation with its frequencies changed for a factor."""
    inv_freq, attention_factor = METHODS[method](factor)

    def rotate(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
        cos, sin = posenc.rope_cos_sin(
            positions, inv_freq, attention_factor=attention_factor, dtype=np.float64
        )
        return posenc.apply_rope(x, cos, sin, layout="half")

    return Trained(lambda: Scheme("rope", rotate=rotate))


def task(steps: int) -> text.Task:
    """Return the tuning task: as many characters a step as in training, at a constant rate."""
    length = L * TUNED_MULTIPLE
    return text.task(
        length, batch=16 // TUNED_MULTIPLE, steps=steps, rate=1e-3, warm_up=10, final=1.0
    )

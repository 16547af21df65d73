"""The price of silent mistakes: trained weights are used with one thing wrong, and nothing fails.

Every case is a model that was trained correctly and is then evaluated, within its trained length,
with another scheme than its own. No error is raised anywhere; the loss tells.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

import posenc
from experiments import text
from experiments.model import Params
from experiments.schemes import HEAD_DIM, HEADS, SCHEMES, WIDTH, Trained, doors
from posenc.schemes import Scheme


@dataclass(frozen=True)
class Bug:
    """A trained scheme and what is used in its place."""

    trained: str
    used: Trained
    weights: Callable[[Params], Params] = lambda params: params


def shifted(scheme: Scheme, by: int) -> Scheme:
    """Return the scheme that counts its positions from another number."""
    return Scheme(
        scheme.name,
        embed=lambda x, p: scheme.embed(x, p + by),
        rotate=lambda x, p: scheme.rotate(x, p + by),
        bias=lambda q, m, n: scheme.bias(q, m + by, n + by),
    )


def with_heads(change: Callable[[np.ndarray], np.ndarray], parts: str) -> Callable:
    """Return a change of the weights that make queries or keys, ``(width, heads, head_dim)``."""

    def weights(params: Params) -> Params:
        layers = []
        for layer in params["layers"]:
            qkv = np.array(layer["qkv"]).reshape(WIDTH, 3, HEADS, HEAD_DIM)
            for part in parts:
                i = "qkv".index(part)
                qkv[:, i] = change(qkv[:, i])
            layers.append({**layer, "qkv": jnp.asarray(qkv.reshape(WIDTH, -1))})
        return {**params, "layers": layers}

    return weights


def sinusoids(layout: str) -> Scheme:
    """Return the sinusoidal scheme in a layout."""
    return Scheme("sinusoidal", embed=lambda x, p: x + posenc.sinusoidal(p, WIDTH, layout=layout))


def alibi(change: Callable[[np.ndarray], np.ndarray]) -> Trained:
    """Return ALiBi with its bias changed."""
    scheme = posenc.alibi_scheme(HEADS)
    return Trained(lambda: Scheme("alibi", bias=lambda q, m, n: change(scheme.bias(q, m, n))))


def from_16(name: str) -> Trained:
    """Return a scheme as it is used when 16 places of padding come first and are counted."""
    own = SCHEMES[name]
    return Trained(lambda *table: shifted(own.make(*table), 16), own.table)


one_step = posenc.rotation_matrix(1, posenc.inv_freq(HEAD_DIM), layout="half")
interleaved = Trained(lambda: posenc.rope_scheme(HEAD_DIM, layout="interleaved"))

BUGS = {
    "rope: pairs of the other layout": Bug("rope", interleaved),
    "rope: the other layout, weights converted": Bug(
        "rope", interleaved, with_heads(posenc.to_interleaved, "qk")
    ),
    "rope: query one position late": Bug(
        "rope", SCHEMES["rope"], with_heads(lambda w: w @ one_step.T, "q")
    ),
    "rope: base 500000 for 10000": Bug(
        "rope", Trained(lambda: posenc.rope_scheme(HEAD_DIM, base=500000.0))
    ),
    "rope: applied twice": Bug(
        "rope",
        Trained(
            lambda: Scheme(
                "rope", rotate=lambda x, p: posenc.rope_scheme(HEAD_DIM).rotate(x, 2 * p)
            )
        ),
    ),
    "rope: 16 places of padding counted": Bug("rope", from_16("rope")),
    "sinusoidal: concatenated for interleaved": Bug(
        "sinusoidal", Trained(lambda: sinusoids("concat"))
    ),
    "sinusoidal: positions from 1": Bug(
        "sinusoidal", Trained(lambda: shifted(posenc.sinusoidal_scheme(WIDTH), 1))
    ),
    "sinusoidal: 16 places of padding counted": Bug("sinusoidal", from_16("sinusoidal")),
    "learned: positions from 1": Bug(
        "learned", Trained(lambda t: shifted(posenc.learned_scheme(t), 1), (512, WIDTH))
    ),
    "learned: 16 places of padding counted": Bug("learned", from_16("learned")),
    "alibi: slopes in reverse": Bug("alibi", alibi(lambda b: b[::-1])),
    "alibi: added before the division by sqrt(d)": Bug("alibi", alibi(lambda b: b / HEAD_DIM**0.5)),
    "alibi: 16 places of padding counted": Bug("alibi", from_16("alibi")),
    "t5: maximum distance 128 for 32": Bug(
        "t5_32",
        Trained(lambda t: posenc.t5_scheme(t, bidirectional=False, max_distance=128), (16, HEADS)),
    ),
    "t5: buckets of both directions": Bug(
        "t5_32", Trained(lambda t: posenc.t5_scheme(t, max_distance=32), (16, HEADS))
    ),
}

LENGTH = 48
"""Characters read, so that 16 places of padding still lie within the trained length."""


def price(params: Params, bug: Bug) -> dict:
    """Return the loss as trained and with the mistake, in nats a character."""

    def loss(params: Params, scheme: Trained) -> float:
        open_doors = doors(scheme, LENGTH)
        return float(text.losses(params, open_doors, LENGTH, longest=480, blocks=64).mean())

    return {
        "scheme": bug.trained,
        "right": loss(params, SCHEMES[bug.trained]),
        "wrong": loss(bug.weights(params), bug.used),
    }

"""Length: a character model reads longer texts than it was trained on."""

import functools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

from experiments.corpus import codes
from experiments.model import Params, Task, evaluate
from experiments.schemes import Doors

LENGTH = 64
"""Characters in a training text."""
MULTIPLES = (1, 2, 4, 8)
"""Lengths of the evaluation, in training lengths."""
BLOCKS = 64
"""Held-out texts of the greatest length, spread over the plays."""
TAIL = 16
"""Characters at the end of each text whose loss is the tail."""
BINS = (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, *range(64, 513, 32))
"""First position of each bin in the loss by position, and where the last one ends."""


@functools.cache
def task(
    length: int = LENGTH,
    *,
    batch: int = 16,
    steps: int = 1000,
    rate: float = 3e-3,
    warm_up: int = 100,
    final: float = 0.05,
) -> Task:
    """Return the task of predicting every next character in texts of one length."""
    train = jnp.asarray(codes("train"))

    def sample(key: jax.Array, batch: int) -> tuple[jax.Array, jax.Array, jax.Array]:
        start = jax.random.randint(key, (batch, 1), 0, len(train) - length)
        text = train[start + jnp.arange(length + 1)]
        return text[:, :-1], text[:, 1:], jnp.ones((batch, length))

    vocabulary = int(train.max()) + 1
    return Task(sample, vocabulary, length, batch, steps, rate=rate, warm_up=warm_up, final=final)


def losses(params: Params, doors: Doors, n: int, *, longest: int, blocks: int) -> np.ndarray:
    """Return the loss of every next character of the held-out texts, read n at a time.

    Every length sees the same characters. The last ``blocks`` rows end where the texts end.
    """
    held_out = codes("held_out")
    first = np.linspace(0, len(held_out) - longest - 1, blocks).astype(int)
    texts = [first + start for start in range(0, longest, n)]
    windows = held_out[np.concatenate(texts)[:, None] + np.arange(n + 1)]
    return evaluate(params, windows, doors, batch=max(1, 8192 // n))


def by_length(
    params: Params,
    doors: Callable[[int], Doors],
    *,
    length: int = LENGTH,
    multiples: tuple[int, ...] = MULTIPLES,
    longest: int | None = None,
    blocks: int = BLOCKS,
) -> dict:
    """Return mean and tail of the loss at each multiple of the length, in nats a character.

    *mean* is over all characters of texts of that length, *tail* over the same last characters of
    the longest texts, which have ever longer context. *by_position* is the mean of each bin.
    """
    longest = longest or 8 * length
    result: dict = {"mean": {}, "tail": {}}
    position = np.zeros(0)  # the loss at a position depends on what came before, not on the length
    for multiple in multiples:
        n = multiple * length
        loss = losses(params, doors(n), n, longest=longest, blocks=blocks)
        result["mean"][str(multiple)] = float(loss.mean())
        result["tail"][str(multiple)] = float(loss[-blocks:, -TAIL:].mean())
        position = np.append(position, loss.mean(0)[len(position) :])
    sums = np.add.reduceat(position, [b for b in BINS if b < n])
    result["by_position"] = (sums / np.diff([b for b in BINS if b <= n])).tolist()
    return result

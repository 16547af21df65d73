"""Order and exact tasks: what a scheme lets a small model learn at all."""

import itertools
from collections.abc import Callable

import jax
import jax.numpy as jnp
import numpy as np

import posenc
from experiments import model
from experiments.model import Params, Task
from experiments.schemes import HEADS, SCHEMES, Doors, Trained

# ---------------------------------------------------------------------- who chases whom

ANIMALS = 8
CHASES, QUESTION = ANIMALS, ANIMALS + 1
PAIRS = np.array(list(itertools.permutations(range(ANIMALS), 2)))


def sentences(*, question: bool) -> np.ndarray:
    """Return "a chases b" for every ordered pair of animals, with a question mark if asked."""
    a, b = PAIRS.T
    words = [a, np.full_like(a, CHASES), b, np.full_like(a, QUESTION)]
    return np.stack(words[: 3 + question], axis=1)


def ask(key: jax.Array, batch: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return all sentences; the answer, the first animal, is read at the question mark."""
    tokens = jnp.asarray(sentences(question=True))
    weights = jnp.zeros(tokens.shape).at[:, -1].set(1.0)
    return tokens, jnp.broadcast_to(tokens[:, :1], tokens.shape), weights


def ask_pooled(key: jax.Array, batch: int) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return all sentences without question mark; one answer is read from the mean of all words."""
    tokens = jnp.asarray(sentences(question=False))
    return tokens, tokens[:, :1], jnp.ones((len(tokens), 1))


def chase(layers: int, *, pooled: bool = False, steps: int = 200) -> Task:
    """Return the task of naming the animal that chases."""
    return Task(
        ask_pooled if pooled else ask,
        vocabulary=ANIMALS + 2,
        length=3 if pooled else 4,
        batch=len(PAIRS),
        steps=steps,
        layers=layers,
        pooled=pooled,
        warm_up=20,
    )


def chase_result(params: Params, task: Task, doors: Doors) -> dict:
    """Return the accuracy, and how far the logits of "a chases b" and "b chases a" differ."""
    tokens = sentences(question=not task.pooled)
    logits = np.asarray(model.forward(params, tokens, doors, pooled=task.pooled))[:, -1]
    mirror = np.lexsort(PAIRS.T)  # "b chases a" in the place of "a chases b"
    return {
        "accuracy": float((logits.argmax(-1) == tokens[:, 0]).mean()),
        "difference": float(np.abs(logits - logits[mirror]).max()),
    }


BIDIRECTIONAL = {**SCHEMES, "t5": Trained(posenc.t5_scheme, (32, HEADS), 0)}
CASES = {
    # name: scheme, causal, layers, pooled
    "none, all visible, 1 layer": ("none", False, 1, False),
    "none, all visible, 2 layers": ("none", False, 2, False),
    "none, all visible, 4 layers": ("none", False, 4, False),
    "none, causal, 1 layer": ("none", True, 1, False),
    "none, causal, 2 layers": ("none", True, 2, False),
    **{
        f"{name}, all visible, 1 layer": (name, False, 1, False)
        for name in ("sinusoidal", "learned", "t5", "alibi", "rope")
    },
    **{
        f"{name}, all visible, 1 layer, mean of words": (name, False, 1, True)
        for name in ("none", "sinusoidal", "learned", "t5", "alibi", "rope")
    },
}

# ---------------------------------------------------------------------- exact tasks

LENGTH = 32
BACK = 6
SYMBOLS = 16
WORDS = 64


def back(key: jax.Array, batch: int, multiple: int = 1) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return random tokens; every target is the token six places back."""
    n = LENGTH * multiple
    tokens = jax.random.randint(key, (batch, n), 0, SYMBOLS)
    weights = jnp.broadcast_to(1.0 * (jnp.arange(n) >= BACK), (batch, n))
    return tokens, jnp.roll(tokens, BACK, axis=1), weights


def repeat(key: jax.Array, batch: int, multiple: int = 1) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Return different words repeated with a period, which grows with the length of the text.

    The period is an eighth to a quarter of the text. Targets count from the second round on.
    """
    n = LENGTH * multiple
    key_words, key_period = jax.random.split(key)
    order = jax.random.uniform(key_words, (batch, WORDS)).argsort(-1)
    period = jax.random.randint(key_period, (batch, 1), n // 8, n // 4 + 1)
    text = jnp.take_along_axis(order, jnp.arange(n + 1) % period, axis=1)
    return text[:, :-1], text[:, 1:], 1.0 * (jnp.arange(n) >= period)


EXACT = {
    "back": Task(back, SYMBOLS, LENGTH, batch=16, steps=600),
    "repeat": Task(repeat, WORDS, LENGTH, batch=16, steps=2000),
}
EXACT_SCHEMES = ("none", "sinusoidal", "learned", "alibi", "t5_32", "rope")


def exact_result(
    params: Params, task: Task, doors: Callable[[int], Doors], multiples: tuple = (1, 2, 4, 8)
) -> dict:
    """Return the accuracy at each multiple of the trained length."""
    accuracy = {}
    for m in multiples:
        tokens, targets, weights = task.sample(jax.random.key(1), 64, m)
        right = model.answers(params, tokens, doors(LENGTH * m)) == targets
        accuracy[str(m)] = float((right * weights).sum() / weights.sum())
    return {"accuracy": accuracy}

"""A small transformer with three doors for position, and its training, in JAX.

Two layers of width 64, four heads of 16, an MLP four times as wide, layer normalisation before
each part, no biases, an output layer of its own: the plainest model that shows what schemes do.
"""

import functools
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from experiments.schemes import HEAD_DIM, HEADS, WIDTH, Doors, Trained

Params = dict[str, Any]
CHUNK = 50  # steps between two reports of progress

Sampler = Callable[[jax.Array, int], tuple[jax.Array, jax.Array, jax.Array]]
"""Draws a batch: tokens, targets (both ``(batch, n)``) and the weight of every target."""


@dataclass(frozen=True)
class Task:
    """What is learned and for how long."""

    sample: Sampler
    vocabulary: int
    length: int
    batch: int
    steps: int
    layers: int = 2
    pooled: bool = False
    """Read one answer from the mean over all tokens, instead of one answer at every token."""
    rate: float = 3e-3
    warm_up: int = 100
    final: float = 0.05
    """The learning rate falls along a cosine to this part of ``rate``."""


def initialize(key: jax.Array, task: Task, scheme: Trained) -> Params:
    """Return the parameters before training."""
    keys = iter(jax.random.split(key, 3 + 4 * task.layers))

    def normal(*shape: int, scale: float = 0.02) -> jax.Array:
        return scale * jax.random.normal(next(keys), shape)

    params: Params = {
        "embed": normal(task.vocabulary, WIDTH, scale=1.0),
        "head": normal(WIDTH, task.vocabulary),
        "layers": [
            {
                "gain1": jnp.ones(WIDTH),
                "qkv": normal(WIDTH, 3 * WIDTH, scale=WIDTH**-0.5),
                "out": normal(WIDTH, WIDTH),
                "gain2": jnp.ones(WIDTH),
                "up": normal(WIDTH, 4 * WIDTH, scale=WIDTH**-0.5),
                "down": normal(4 * WIDTH, WIDTH),
            }
            for _ in range(task.layers)
        ],
        "gain": jnp.ones(WIDTH),
    }
    if scheme.table:
        params["table"] = normal(*scheme.table, scale=scheme.initial)
    return params


def normalized(x: jax.Array, gain: jax.Array) -> jax.Array:
    """Return the layer normalisation of x."""
    x = x - x.mean(-1, keepdims=True)
    return x * jax.lax.rsqrt((x * x).mean(-1, keepdims=True) + 1e-5) * gain


def forward(params: Params, tokens: jax.Array, doors: Doors, *, pooled: bool = False) -> jax.Array:
    """Return the logits at every token, ``(batch, n, vocabulary)``; one answer if ``pooled``."""
    batch, n = tokens.shape
    added = doors.added if doors.added.ndim == 2 else params["table"][doors.added]  # door 1
    bias = doors.bias
    if doors.row is not None:
        bias = bias + params["table"].T[:, doors.row]  # door 3
    # The tokens of all texts share one axis: one large matrix product is faster than many.
    x = (params["embed"][tokens] + added).reshape(-1, WIDTH)
    for layer in params["layers"]:
        qkv = normalized(x, layer["gain1"]) @ layer["qkv"]
        q, k, v = qkv.reshape(batch, n, 3, HEADS, HEAD_DIM).transpose(2, 0, 3, 1, 4)
        q, k = (jnp.einsum("nij,bhnj->bhni", doors.turn, y) for y in (q, k))  # door 2
        scores = jnp.einsum("bhmd,bhnd->bhmn", q * HEAD_DIM**-0.5, k) + bias
        y = jnp.einsum("bhmn,bhnd->bhmd", jax.nn.softmax(scores), v)
        x = x + y.transpose(0, 2, 1, 3).reshape(-1, WIDTH) @ layer["out"]
        x = x + jax.nn.gelu(normalized(x, layer["gain2"]) @ layer["up"]) @ layer["down"]
    x = normalized(x, params["gain"])
    if pooled:
        x = x.reshape(batch, n, WIDTH).mean(1)
        return (x @ params["head"])[:, None]
    return (x @ params["head"]).reshape(batch, n, -1)


@functools.partial(jax.jit, static_argnames=["pooled"])
def losses(
    params: Params, tokens: jax.Array, targets: jax.Array, doors: Doors, *, pooled: bool = False
) -> jax.Array:
    """Return the loss of every target, in nats."""
    log_p = jax.nn.log_softmax(forward(params, tokens, doors, pooled=pooled))
    return -jnp.take_along_axis(log_p, targets[..., None], -1)[..., 0]


def learning_rate(task: Task, step: jax.Array) -> jax.Array:
    """Return the learning rate: a linear rise, then a cosine down."""
    rise = (step + 1) / max(task.warm_up, 1)
    done = (step - task.warm_up) / max(task.steps - task.warm_up, 1)
    fall = task.final + (1 - task.final) * 0.5 * (1 + jnp.cos(jnp.pi * jnp.clip(done, 0, 1)))
    return task.rate * jnp.minimum(rise, fall)


def adamw(
    params: Params, grads: Params, m: Params, v: Params, t: jax.Array, rate: jax.Array
) -> tuple[Params, Params, Params]:
    """Return parameters and moments after one step of AdamW (0.9, 0.95), decay 0.1, clip 1."""
    norm = jnp.sqrt(sum(jnp.sum(g * g) for g in jax.tree.leaves(grads)))
    grads = jax.tree.map(lambda g: g * jnp.minimum(1.0, 1.0 / (norm + 1e-6)), grads)
    m = jax.tree.map(lambda m, g: 0.9 * m + 0.1 * g, m, grads)
    v = jax.tree.map(lambda v, g: 0.95 * v + 0.05 * g * g, v, grads)

    def step(p: jax.Array, m: jax.Array, v: jax.Array) -> jax.Array:
        change = m / (1 - 0.9**t) / (jnp.sqrt(v / (1 - 0.95**t)) + 1e-8)
        return p - rate * (change + (0.1 * p if p.ndim == 2 else 0.0))

    return jax.tree.map(step, params, m, v), m, v


@functools.partial(jax.jit, static_argnames=["task", "steps"])
def run(state: Any, key: jax.Array, doors: Doors, first: int, *, task: Task, steps: int) -> Any:
    """Return the state after some steps, each on a batch of its own, and the loss of each."""

    def loss(params: Params, batch: Any) -> jax.Array:
        tokens, targets, weights = batch
        each = losses(params, tokens, targets, doors, pooled=task.pooled)
        return (each * weights).sum() / weights.sum()

    def step(state: Any, i: jax.Array) -> Any:
        params, m, v = state
        batch = task.sample(jax.random.fold_in(key, i), task.batch)
        value, grads = jax.value_and_grad(loss)(params, batch)
        return adamw(params, grads, m, v, i + 1, learning_rate(task, i)), value

    return jax.lax.scan(step, state, first + jnp.arange(steps))


def train(
    task: Task,
    scheme: Trained,
    doors: Doors,
    seed: int,
    *,
    start: Params | None = None,
    watch: Callable[[int], object] = lambda steps: None,
) -> Params:
    """Return trained parameters, from ``start`` if given; ``watch`` hears of the steps done."""
    key_init, key_data = jax.random.split(jax.random.key(seed))
    params = initialize(key_init, task, scheme) if start is None else start
    zeros = jax.tree.map(jnp.zeros_like, params)
    state = params, zeros, zeros
    for first in range(0, task.steps, CHUNK):
        steps = min(CHUNK, task.steps - first)
        state, loss = run(state, key_data, doors, first, task=task, steps=steps)
        loss.block_until_ready()
        watch(steps)
    return state[0]


@functools.partial(jax.jit, static_argnames=["pooled"])
def answers(params: Params, tokens: jax.Array, doors: Doors, *, pooled: bool = False) -> jax.Array:
    """Return the most likely token at every place."""
    return forward(params, tokens, doors, pooled=pooled).argmax(-1)


def evaluate(params: Params, tokens: np.ndarray, doors: Doors, *, batch: int = 16) -> np.ndarray:
    """Return the loss of every next token in texts of n + 1 tokens, ``(texts, n)``, in nats."""
    parts = [tokens[i : i + batch] for i in range(0, len(tokens), batch)]
    return np.concatenate([losses(params, t[:, :-1], t[:, 1:], doors) for t in parts])

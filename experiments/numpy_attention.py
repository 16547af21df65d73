"""One attention layer with RoPE in numpy, its backward pass written by hand.

The gradient of a rotation is the opposite rotation: what flows back through ``R(p) q`` is turned by
``-p``. Every other step is the chain rule on matrix products and one softmax.

    python -m experiments.numpy_attention
"""

import itertools

import numpy as np

import posenc

WIDTH = 16
ANIMALS = 6  # token 6 is "chases"
PAIRS = np.array(list(itertools.permutations(range(ANIMALS), 2)))
SENTENCES = np.insert(PAIRS, 1, ANIMALS, axis=1)  # (30, 3): a chases b

Params = dict[str, np.ndarray]


def initialize(rng: np.random.Generator) -> Params:
    """Return random weights."""
    shapes = {
        "embed": (ANIMALS + 1, WIDTH),
        "query": (WIDTH, WIDTH),
        "key": (WIDTH, WIDTH),
        "value": (WIDTH, WIDTH),
        "head": (WIDTH, ANIMALS),
    }
    return {name: rng.normal(scale=WIDTH**-0.5, size=shape) for name, shape in shapes.items()}


def turn(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return x rotated by its positions, complex numbers too (for the check of the gradient)."""
    return np.einsum("nij,...nj->...ni", rotations(positions), x)


def rotations(positions: np.ndarray) -> np.ndarray:
    """Return the rotation of each position."""
    return posenc.rotation_matrix(positions, posenc.inv_freq(WIDTH), layout="half")


def loss_and_gradient(
    params: Params, tokens: np.ndarray, targets: np.ndarray, positions: np.ndarray
) -> tuple[complex, Params]:
    """Return the mean loss and its gradient: who is the first animal, read from the mean word."""
    count, n = tokens.shape
    x = params["embed"][tokens]
    q, k = (turn(x @ params[name], positions) for name in ("query", "key"))
    v = x @ params["value"]
    scores = q @ k.swapaxes(1, 2) / WIDTH**0.5
    weights = np.exp(scores - scores.real.max(-1, keepdims=True))
    weights = weights / weights.sum(-1, keepdims=True)
    y = (weights @ v).mean(1)
    logits = y @ params["head"]
    p = np.exp(logits - logits.real.max(-1, keepdims=True))
    p = p / p.sum(-1, keepdims=True)
    rows = np.arange(count)
    loss = -np.log(p[rows, targets]).mean()

    # Backwards, step by step: d_z is the derivative of the loss by z.
    d_logits = p.copy()
    d_logits[rows, targets] -= 1
    d_logits /= count
    d_out = np.repeat((d_logits @ params["head"].T)[:, None] / n, n, axis=1)
    d_weights = d_out @ v.swapaxes(1, 2)
    d_v = weights.swapaxes(1, 2) @ d_out
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True))
    d_q = turn(d_scores @ k / WIDTH**0.5, -positions)  # the opposite rotation
    d_k = turn(d_scores.swapaxes(1, 2) @ q / WIDTH**0.5, -positions)
    parts = {"query": d_q, "key": d_k, "value": d_v}
    gradient = {name: np.einsum("bni,bno->io", x, d) for name, d in parts.items()}
    d_x = sum(d @ params[name].T for name, d in parts.items())
    gradient["embed"] = np.zeros_like(d_x, shape=params["embed"].shape)
    np.add.at(gradient["embed"], tokens, d_x)
    gradient["head"] = y.T @ d_logits
    return loss, gradient


def check(params: Params, positions: np.ndarray, *, step: float = 1e-30) -> float:
    """Return the largest error of the gradient, against derivatives along an imaginary step.

    f(x + ih) = f(x) + ih f'(x) + ..., so Im f(x + ih) / h is the derivative without cancellation.
    """
    targets = SENTENCES[:, 0]
    gradient = loss_and_gradient(params, SENTENCES, targets, positions)[1]
    error = 0.0
    for name, value in params.items():
        for index in np.ndindex(value.shape):
            moved = {**params, name: value.astype(complex)}
            moved[name][index] += 1j * step
            loss, _ = loss_and_gradient(moved, SENTENCES, targets, positions)
            error = max(error, abs(loss.imag / step - gradient[name][index]))
    return error


def accuracy(params: Params, positions: np.ndarray, *, steps: int = 300) -> float:
    """Train by gradient descent, and return how often the animal that chases is named."""
    for _ in range(steps):
        gradient = loss_and_gradient(params, SENTENCES, SENTENCES[:, 0], positions)[1]
        params = {name: value - 2.0 * gradient[name] for name, value in params.items()}
    losses = [
        loss_and_gradient(params, SENTENCES, np.full(len(SENTENCES), a), positions, each=True)[0]
        for a in range(ANIMALS)
    ]
    return float((np.argmin(losses, axis=0) == SENTENCES[:, 0]).mean())

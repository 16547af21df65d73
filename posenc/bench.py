"""Time and exactness beside other libraries: ``python -m posenc.bench`` prints a table.

A time is a multiple of the time to copy the same bytes, measured in the same round, on one thread:
machines differ less in it than in milliseconds. The error is the largest one of the sampled rows
against a reference of 50 digits, so the peers' float32 phases show. Peers that are not installed
are left out.
"""

import math
import statistics
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc.alibi import alibi_bias
from posenc.frequencies import inv_freq
from posenc.relative import t5_bias
from posenc.rope import apply_rope, rope_cos_sin
from posenc.sinusoids import sinusoidal

__all__ = ["Contender", "Row", "Work", "main", "measure", "works"]

Array = npt.NDArray[Any]
BASE = 10000
HEADS = 32
HEAD_DIM = 128
# A machine that is shared and busy gets this much grace over what was seen possible.
GRACE = 1.3


@dataclass(frozen=True)
class Contender:
    """A way to do some work: ``run`` is timed, ``sample`` gives what its error is measured on."""

    name: str
    run: Callable[[], Any]
    sample: Callable[[Any], Any]


@dataclass(frozen=True)
class Work:
    """Some work: its name, the ratio to a copy seen possible, posenc's way, peers, the truth."""

    name: str
    seen: float
    ours: Contender
    reference: Callable[[], Array]
    peers: list[Contender] = field(default_factory=list)


@dataclass(frozen=True)
class Row:
    """One line of the table: the median time as a multiple of the copy's, and the largest error."""

    work: str
    name: str
    ratio: float
    error: float
    bar: float | None
    copy_ms: float


def measure(work: Work, *, repeats: int = 7) -> list[Row]:
    """Return the rows of ``work``: posenc first, then its peers.

    The copy and all contenders take turns, ``repeats`` times; a time is compared with the copy of
    its own round, and the median counts.
    """
    reference = work.reference()
    contenders = [work.ours, *work.peers]
    errors = [
        float(np.max(np.abs(np.asarray(c.sample(c.run()), np.float64) - reference)))
        for c in contenders
    ]
    written = work.ours.run()
    arrays = written if isinstance(written, tuple) else (written,)
    copies: list[float] = []
    ratios: list[list[float]] = [[] for _ in contenders]
    for _ in range(repeats):
        copies.append(_seconds(lambda: [array.copy() for array in arrays]))
        for found, contender in zip(ratios, contenders, strict=True):
            found.append(_seconds(contender.run) / copies[-1])
    copy_ms = 1000 * statistics.median(copies)
    bars = [work.seen * GRACE, *[None] * len(work.peers)]
    return [
        Row(work.name, c.name, statistics.median(found), error, bar, copy_ms)
        for c, found, error, bar in zip(contenders, ratios, errors, bars, strict=True)
    ]


def _seconds(run: Callable[[], Any]) -> float:
    # Processor time of all threads: what other programs take does not count.
    start = time.process_time()
    result = run()
    seconds = time.process_time() - start
    del result
    return seconds


def works(*, shrink: int = 1, peers: bool = True) -> Iterator[Work]:
    """Yield every work, its lengths divided by ``shrink``."""
    yield _sinusoidal(8192 // shrink, 1024, peers=peers)
    yield _cos_sin(131072 // shrink, peers=peers)
    yield _rotate(4096 // shrink, "half", peers=peers)
    yield _rotate(4096 // shrink, "interleaved", peers=peers)
    yield _alibi(4096 // shrink, peers=peers)
    yield _t5(4096 // shrink, peers=peers)


def _sinusoidal(length: int, dim: int, *, peers: bool) -> Work:
    p = np.arange(length)
    rows = _sampled(length)

    def reference() -> Array:
        cos, sin = _exact_cos_sin(rows, dim)
        return np.stack([sin, cos], axis=-1).reshape(len(rows), dim)

    work = Work(
        f"sinusoidal {length} x {dim}",
        12 / 3.4,
        Contender("posenc", lambda: sinusoidal(p, dim), lambda code: code[rows]),
        reference,
    )
    if peers and (encodings := _peer("positional_encodings.torch_encodings")):
        empty = _peer("torch").zeros(1, length, dim)
        work.peers.append(
            Contender(
                "positional-encodings",
                lambda: encodings.PositionalEncoding1D(dim)(empty)[0],
                lambda code: code[rows],
            )
        )
    if peers and (x_transformers := _peer("x_transformers.x_transformers")):
        module = x_transformers.ScaledSinusoidalEmbedding(dim)
        module.scale.data.fill_(1)
        tokens = _peer("torch").zeros(1, length)
        work.peers.append(
            Contender(
                "x-transformers",
                lambda: module(tokens),
                lambda code: _interleaved(np.asarray(code)[rows]),
            )
        )
    if peers and (m2m := _peer("transformers.models.m2m_100.modeling_m2m_100")):
        # Its slowest pair ends at 1 / base, so its table is another one: no error to compare.
        table = m2m.M2M100SinusoidalPositionalEmbedding.get_embedding
        work.peers.append(
            Contender(
                "transformers",
                lambda: table(length, dim),
                lambda code: np.full((len(rows), dim), np.nan),
            )
        )
    return work


def _cos_sin(length: int, *, peers: bool) -> Work:
    p = np.arange(length)
    w = inv_freq(HEAD_DIM, base=BASE)
    rows = _sampled(length)
    work = Work(
        f"cos and sin {length} x {HEAD_DIM}",
        19 / 6.2,
        Contender("posenc", lambda: rope_cos_sin(p, w), lambda t: [t[0][rows], t[1][rows]]),
        lambda: np.array(_exact_cos_sin(rows, HEAD_DIM)),
    )
    if not peers or not (torch := _peer("torch")):
        return work
    positions = torch.arange(length)
    if llama := _peer("transformers.models.llama.modeling_llama"):
        module = llama.LlamaRotaryEmbedding(_llama_config(length))
        probe = torch.zeros(1)
        half = slice(0, HEAD_DIM // 2)
        work.peers.append(
            Contender(
                "transformers",
                lambda: module(probe, positions[None]),
                lambda tables: [table[0][rows, half] for table in tables],
            )
        )
    if rotary := _peer("rotary_embedding_torch"):
        every = rotary.RotaryEmbedding(HEAD_DIM, cache_if_possible=False)
        work.peers.append(_from_angles("rotary-embedding-torch", lambda: every(positions), rows))
    if x_transformers := _peer("x_transformers.x_transformers"):
        angles = x_transformers.RotaryEmbedding(HEAD_DIM)
        work.peers.append(_from_angles("x-transformers", lambda: angles(positions)[0][0], rows))
    return work


def _from_angles(name: str, angles: Callable[[], Any], rows: Array) -> Contender:
    def run() -> Any:
        phase = angles()
        return phase.cos(), phase.sin()

    return Contender(name, run, lambda tables: [table[rows, ::2] for table in tables])


def _rotate(length: int, layout: Any, *, peers: bool) -> Work:
    x = np.random.default_rng(0).standard_normal((1, HEADS, length, HEAD_DIM), np.float32)
    cos, sin = rope_cos_sin(np.arange(length), inv_freq(HEAD_DIM, base=BASE))
    rows = _sampled(length)
    pairs = HEAD_DIM // 2
    first, second = (
        (slice(0, pairs), slice(pairs, None))
        if layout == "half"
        else (slice(0, None, 2), slice(1, None, 2))
    )

    def sample(turned: Any) -> Any:
        return turned[0][:, rows]

    def reference() -> Array:
        exact_cos, exact_sin = _exact_cos_sin(rows, HEAD_DIM)
        some = sample(x).astype(np.float64)
        turned: Array = np.empty_like(some)
        a, b = some[..., first], some[..., second]
        turned[..., first] = a * exact_cos - b * exact_sin
        turned[..., second] = a * exact_sin + b * exact_cos
        return turned

    work = Work(
        f"rotate (1, {HEADS}, {length}, {HEAD_DIM}) {layout}",
        19 / 6.2 if layout == "half" else 10.7 / 6.2,
        Contender("posenc", lambda: apply_rope(x, cos, sin, layout=layout), sample),
        reference,
    )
    if not peers or not (torch := _peer("torch")):
        return work
    tensor = torch.from_numpy(x)
    positions = torch.arange(length)
    if layout == "half" and (llama := _peer("transformers.models.llama.modeling_llama")):
        tables = llama.LlamaRotaryEmbedding(_llama_config(length))(tensor, positions[None])
        no_keys = tensor[:, :0]
        work.peers.append(
            Contender(
                "transformers",
                lambda: llama.apply_rotary_pos_emb(tensor, no_keys, *tables)[0],
                sample,
            )
        )
    if layout == "interleaved" and (llama4 := _peer("transformers.models.llama4.modeling_llama4")):
        turns = torch.complex(torch.from_numpy(cos), torch.from_numpy(sin))[None]
        by_token = tensor.transpose(1, 2).contiguous()
        one_key = by_token[:, :, :1]
        work.peers.append(
            Contender(
                "transformers (Llama 4)",
                lambda: llama4.apply_rotary_emb(by_token, one_key, turns)[0],
                lambda turned: sample(turned.transpose(1, 2)),
            )
        )
    if layout == "interleaved" and (rotary := _peer("rotary_embedding_torch")):
        angles = rotary.RotaryEmbedding(HEAD_DIM, cache_if_possible=False)(positions)
        work.peers.append(
            Contender(
                "rotary-embedding-torch",
                lambda: rotary.apply_rotary_emb(angles, tensor),
                sample,
            )
        )
    if layout == "interleaved" and (x_transformers := _peer("x_transformers.x_transformers")):
        phase = x_transformers.RotaryEmbedding(HEAD_DIM)(positions)[0]
        work.peers.append(
            Contender(
                "x-transformers", lambda: x_transformers.apply_rotary_pos_emb(tensor, phase), sample
            )
        )
    return work


def _alibi(length: int, *, peers: bool) -> Work:
    def reference() -> Array:
        # 32 heads: the slopes are powers of 2^(1/4); distances count from the last query.
        mp = import_module("mpmath").mp
        with mp.workdps(50):
            slopes = [mp.mpf(2) ** (mp.mpf(-8 * (h + 1)) / HEADS) for h in range(HEADS)]
            return np.array([[float(-m * (length - 1 - n)) for n in range(length)] for m in slopes])

    work = Work(
        f"ALiBi {HEADS} x {length} x {length}",
        0.3 / 327,
        Contender("posenc", lambda: alibi_bias(HEADS, length, length), lambda bias: bias[:, -1]),
        reference,
    )
    if peers and (bloom := _peer("transformers.models.bloom.modeling_bloom")):
        torch = _peer("torch")
        mask = torch.ones(1, length)
        work.peers.append(
            Contender(
                "transformers (one row)",
                lambda: bloom.build_alibi_tensor(mask, HEADS, torch.float32),
                lambda row: np.asarray(row[:, 0] - row[:, 0, -1:]),
            )
        )
    if peers and (x_transformers := _peer("x_transformers.x_transformers")):
        work.peers.append(
            Contender(
                "x-transformers",
                lambda: x_transformers.AlibiPositionalBias(HEADS)(length, length),
                lambda bias: bias[:, -1],
            )
        )
    return work


def _t5(length: int, *, peers: bool) -> Work:
    buckets, max_distance = 32, 128
    table = np.random.default_rng(0).standard_normal((buckets, HEADS), np.float32)

    def reference() -> Array:
        # The bucket of the paper's code, with its logarithm taken to 50 digits.
        mp = import_module("mpmath").mp
        exact = buckets // 4
        found = []
        with mp.workdps(50):
            for distance in range(length):
                far = mp.log(mp.mpf(max(distance, 1)) / exact) / mp.log(max_distance / exact)
                # 45 digits decide: a distance on a threshold must not fall below it.
                step = int(mp.floor(exact * far + mp.mpf(10) ** -45))
                found.append(distance if distance < exact else min(exact + step, buckets // 2 - 1))
        return table[found[::-1]].T.astype(np.float64)

    work = Work(
        f"T5 bias {HEADS} x {length} x {length}",
        0.6 / 327,
        Contender("posenc", lambda: t5_bias(table, length, length), lambda bias: bias[:, -1]),
        reference,
    )
    if peers and (t5 := _peer("transformers.models.t5.modeling_t5")):
        config = import_module("transformers").T5Config(num_heads=HEADS, d_kv=1, d_model=HEADS)
        module = t5.T5Attention(config, has_relative_attention_bias=True)
        _set_table(module.relative_attention_bias, table)
        work.peers.append(
            Contender(
                "transformers",
                lambda: module.compute_bias(length, length)[0],
                lambda bias: bias[:, -1],
            )
        )
    if peers and (x_transformers := _peer("x_transformers.x_transformers")):
        relative = x_transformers.RelativePositionBias(1, heads=HEADS)
        _set_table(relative.relative_attention_bias, table)
        work.peers.append(
            Contender(
                "x-transformers",
                lambda: relative(length, length),
                lambda bias: bias[:, -1],
            )
        )
    return work


def _set_table(embedding: Any, table: Array) -> None:
    embedding.weight.data = _peer("torch").from_numpy(table)


def _llama_config(length: int) -> Any:
    return import_module("transformers").LlamaConfig(
        hidden_size=HEADS * HEAD_DIM,
        num_attention_heads=HEADS,
        max_position_embeddings=length,
        rope_theta=float(BASE),
    )


def _interleaved(code: Array) -> Array:
    sines, cosines = np.split(code, 2, axis=-1)
    return np.stack([sines, cosines], axis=-1).reshape(code.shape)


def _sampled(length: int) -> Array:
    """Return a few positions, the first and the last among them, the rest of no regular spacing."""
    return np.unique([0, 1, length // 3, length // 2 + 1, length - 2, length - 1])


def _exact_cos_sin(positions: Array, dim: int) -> tuple[Array, Array]:
    mp = import_module("mpmath").mp
    with mp.workdps(50):
        w = [mp.mpf(BASE) ** (mp.mpf(-2 * i) / dim) for i in range(dim // 2)]
        phases = [[int(p) * w_i for w_i in w] for p in positions]
        return (
            np.array([[float(mp.cos(phase)) for phase in row] for row in phases]),
            np.array([[float(mp.sin(phase)) for phase in row] for row in phases]),
        )


def _peer(module: str) -> Any:
    """Return another library's module, one thread and no gradients; None if it is missing."""
    try:
        torch = import_module("torch")
        torch.set_num_threads(1)
        torch.set_grad_enabled(False)
        return import_module(module)
    except ImportError:
        return None


def main() -> None:
    """Print the table."""
    print(f"{'work':36} {'who':24} {'/ copy':>9} {'bar':>9} {'error':>9}   copy")
    for work in works():
        for i, row in enumerate(measure(work)):
            bar = f"{row.bar:9.4f}" if row.bar is not None else f"{'':9}"
            error = "another" if math.isnan(row.error) else f"{row.error:.1e}"
            copy = f"{row.copy_ms:6.1f} ms" if i == 0 else ""
            name = row.work if i == 0 else ""
            print(f"{name:36} {row.name:24} {row.ratio:9.4f} {bar} {error:>9} {copy}", flush=True)


if __name__ == "__main__":
    main()

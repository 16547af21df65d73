"""The claims, on a reduced version that trains in about a minute; and one scheme to try."""

import time

import jax
import numpy as np

import posenc
from experiments import model, text
from experiments.model import Params
from experiments.schemes import HEAD_DIM, HEADS, SCHEMES, WIDTH, doors
from posenc.evidence import trained

LENGTH, STEPS = 32, 300


def by_posenc(params: Params, tokens: np.ndarray, name: str) -> np.ndarray:
    """Return the logits of one text as numpy and the scheme itself compute them, in float64."""
    params = jax.tree.map(lambda p: np.asarray(p, np.float64), params)
    trained_scheme = SCHEMES[name]
    scheme = trained_scheme.make(*([params["table"]] if trained_scheme.table else []))
    positions = np.arange(len(tokens))
    x = scheme.embed(params["embed"][tokens], positions)
    for layer in params["layers"]:
        qkv = normalized(x) * layer["gain1"] @ layer["qkv"]
        q, k, v = qkv.reshape(-1, 3, HEADS, HEAD_DIM).transpose(1, 2, 0, 3)
        q, k = scheme.rotate(q, positions), scheme.rotate(k, positions)
        bias = scheme.bias(q, positions, positions)
        y = posenc.attention(q, k, v, mask=posenc.causal_mask(len(tokens)), bias=bias)
        x = x + y.transpose(1, 0, 2).reshape(-1, WIDTH) @ layer["out"]
        up = normalized(x) * layer["gain2"] @ layer["up"]
        x = x + np.asarray(jax.nn.gelu(up)) @ layer["down"]
    return normalized(x) * params["gain"] @ params["head"]


def normalized(x: np.ndarray) -> np.ndarray:
    """Return the layer normalisation of x, without its gain."""
    return (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + 1e-5)


def same_as_posenc() -> None:
    """Assert that the model which is trained is the one that posenc's schemes describe."""
    tokens = np.random.default_rng(0).integers(0, 64, (1, 96))
    for name, scheme in SCHEMES.items():
        params = model.initialize(jax.random.key(0), text.task(), scheme)
        if scheme.table:  # a table that has been trained is not zero
            params["table"] = jax.random.normal(jax.random.key(1), scheme.table)
        ours = model.forward(params, tokens, doors(scheme, tokens.size))[0]
        error = np.abs(ours - by_posenc(params, tokens[0], name)).max()
        assert error < 1e-5, f"{name}: logits differ by {error:.1e}"
    print(f"the trained model computes what posenc computes, for {len(SCHEMES)} schemes")


def small(name: str) -> dict:
    """Return what a scheme measures when trained at half the length for a third of the steps."""
    scheme, task = SCHEMES[name], text.task(LENGTH, batch=32, steps=STEPS)
    params: Params = model.train(task, scheme, doors(scheme, LENGTH), seed=0)
    return text.by_length(
        params, lambda n: doors(scheme, n), length=LENGTH, multiples=(1, 2, 8), blocks=32
    )


def claims() -> None:
    """Train the reduced version and assert the claims of the book, with margins."""
    start = time.monotonic()
    same_as_posenc()
    bounds = (  # of the change on the tail
        ("alibi", "8", -0.10, 0.10, "ALiBi loses nothing at eight times its length"),
        ("sinusoidal", "2", 0.20, 9.0, "sinusoids fail at twice their length"),
        ("rope", "8", 0.50, 9.0, "RoPE fails at eight times its length"),
    )
    failed = []
    for name, multiple, low, high, claim in bounds:
        result = small(name)
        mean, tail = (result[kind][multiple] - result[kind]["1"] for kind in ("mean", "tail"))
        print(f"{claim}: mean {mean:+.3f}, tail {tail:+.3f} nats ({low:+.2f} to {high:+.2f})")
        if not low < tail < high:
            failed.append(claim)
    print(f"{len(bounds) - len(failed)} passed, {len(failed)} failed")
    print(f"{time.monotonic() - start:.0f} seconds")
    if failed:
        raise SystemExit("not seen in the reduced version: " + "; ".join(failed))


def compare(name: str) -> None:
    """Train one scheme on text, and print its losses beside those of the book's schemes."""
    scheme, task = SCHEMES[name], text.task()
    done = 0

    def watch(steps: int) -> None:
        nonlocal done
        done += steps
        print(f"\rstep {done} of {task.steps}", end="", flush=True)

    params = model.train(task, scheme, doors(scheme, text.LENGTH), seed=0, watch=watch)
    mine = text.by_length(params, lambda n: doors(scheme, n))
    print(f"\r{'nats a character':24}" + "".join(f"{m:>8}x" for m in text.MULTIPLES))
    rows = {f"{name}, trained now": mine}
    for other, result in trained("length").items():
        rows[other] = {
            kind: {m: sum(seeds) / len(seeds) for m, seeds in result[kind].items()}
            for kind in ("mean", "tail")
        }
    for kind in ("mean", "tail"):
        for title, row in rows.items():
            cells = "".join(f"{row[kind][str(m)]:9.3f}" for m in text.MULTIPLES)
            print(f"{kind}: {title:18}{cells}")

"""The claims, on a reduced version that trains in about half a minute; and one scheme to try."""

import time

from experiments import model, text
from experiments.model import Params
from experiments.schemes import SCHEMES, doors
from posenc import trained

LENGTH, STEPS = 32, 300


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
    bounds = (
        ("alibi", "8", "mean", -0.10, 0.10, "ALiBi reads eight times its length as well as one"),
        ("sinusoidal", "2", "mean", 0.20, 9.0, "sinusoids fail at twice their length"),
        ("rope", "8", "mean", 0.50, 9.0, "RoPE fails at eight times its length"),
    )
    failed = []
    for name, multiple, kind, low, high, claim in bounds:
        result = small(name)[kind]
        change = result[multiple] - result["1"]
        holds = low < change < high
        print(f"{claim}: {change:+.3f} nats, asserted {low:+.2f} to {high:+.2f}", flush=True)
        if not holds:
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
    mine = text.by_length(params, lambda n: doors(scheme, n), blocks=32)
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

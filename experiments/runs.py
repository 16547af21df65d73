"""Every experiment as a function of a name (a scheme, method or case) and a seed."""

import functools
from collections.abc import Callable, Collection
from typing import NamedTuple

from experiments import bugs, order, store, stretch, text
from experiments.model import Params, Task
from experiments.schemes import SCHEMES, Trained, doors

SEEDS = range(5)

Tell = Callable[[float], object]
"""Hears which part of a run has been done since it was last told."""


def length(name: str, seed: int, tell: Tell) -> dict:
    """Train a scheme on text and read longer texts with it, also through a sliding window."""
    scheme = SCHEMES[name]
    params = character_model(name, seed, lambda part: tell(0.6 * part))

    def measure() -> dict:
        windowed = text.by_length(
            params, lambda n: doors(scheme, n, window=text.LENGTH), multiples=(8,)
        )
        return {
            **text.by_length(params, functools.partial(doors, scheme)),
            "windowed": {"mean": windowed["mean"], "tail": windowed["tail"]},
        }

    return remember(f"length-{name}-{seed}", params, measure)


def stretched(method: str, seed: int, tell: Tell) -> dict:
    """Read longer texts with RoPE's pairs slowed down for each, without any tuning.

    The loss by position is that of the longest.
    """
    params = character_model("rope", seed)

    def measure() -> dict:
        result: dict = {"mean": {}, "tail": {}}
        for multiple in (2, 4, 8):
            scheme = stretch.stretched(method, multiple)
            own = text.by_length(params, functools.partial(doors, scheme), multiples=(multiple,))
            for kind in ("mean", "tail"):
                result[kind] |= own[kind]
        return {**result, "by_position": own["by_position"]}

    return remember(f"stretch-{method}-{seed}", params, measure)


def tuned(method: str, seed: int, tell: Tell) -> dict:
    """Tune a stretched RoPE at four times its length, then read that, and at last twice as much."""
    scheme = stretch.stretched(method, stretch.TUNED_MULTIPLE)
    start = character_model("rope", seed)
    result = {}
    for steps, multiples in stretch.TUNED_STEPS.items():
        name = f"tuned-{method}-{steps}"
        params = training(name, stretch.task(steps), scheme, seed, start=start)
        result[str(steps)] = remember(
            f"{name}-{seed}",
            params,
            lambda params=params, multiples=multiples: text.by_length(
                params, functools.partial(doors, scheme), multiples=multiples
            ),
        )
        if max(multiples) < max(text.MULTIPLES):
            del result[str(steps)]["by_position"]
    return result


def bug(name: str, seed: int, tell: Tell) -> dict:
    """Use a trained model with one thing wrong."""
    params = character_model(bugs.BUGS[name].trained, seed)
    return remember(f"bugs-{name}-{seed}", params, lambda: bugs.price(params, bugs.BUGS[name]))


def chase(name: str, seed: int, tell: Tell) -> dict:
    """Train a model to say who chases whom."""
    scheme_name, causal, layers, pooled = order.CASES[name]
    scheme, task = order.BIDIRECTIONAL[scheme_name], order.chase(layers, pooled=pooled)
    params = training(f"chase-{name}", task, scheme, seed, causal=causal)
    return remember(
        f"chase-{name}-{seed}",
        params,
        lambda: order.chase_result(params, task, doors(scheme, task.length, causal=causal)),
    )


def exact(kind: str, name: str, seed: int, tell: Tell) -> dict:
    """Train a scheme on a task that has one right answer."""
    scheme, task = SCHEMES[name], order.EXACT[kind]
    params = training(f"{kind}-{name}", task, scheme, seed, tell=lambda part: tell(0.9 * part))
    return remember(
        f"{kind}-{name}-{seed}",
        params,
        lambda: order.exact_result(params, task, functools.partial(doors, scheme)),
    )


class Experiment(NamedTuple):
    """An experiment: its names, the function that runs it, and what one run takes."""

    names: Collection[str]
    run: Callable[[str, int, Tell], dict]
    seconds: float
    """On an idle machine, for the estimate of the time left."""


EXPERIMENTS = {
    "length": Experiment(SCHEMES, length, 26),
    "chase": Experiment(order.CASES, chase, 2),
    "bugs": Experiment(bugs.BUGS, bug, 1),
    "stretch": Experiment([m for m in stretch.METHODS if m != "none"], stretched, 5),
    "back": Experiment(order.EXACT_SCHEMES, functools.partial(exact, "back"), 6),
    "tuned": Experiment(stretch.TUNED, tuned, 8),
    "repeat": Experiment(order.EXACT_SCHEMES, functools.partial(exact, "repeat"), 18),
}


def training(
    name: str,
    task: Task,
    scheme: Trained,
    seed: int,
    *,
    causal: bool = True,
    start: Params | None = None,
    tell: Tell = lambda part: None,
) -> Params:
    """Return the parameters of a training, done now or by an earlier run."""
    return store.trained(
        name,
        task,
        scheme,
        doors(scheme, task.length, causal=causal),
        seed,
        start=start,
        watch=lambda steps: tell(steps / task.steps),
    )


def character_model(name: str, seed: int, tell: Tell = lambda part: None) -> Params:
    """Return the parameters of a scheme trained on text."""
    return training(f"length-{name}", text.task(), SCHEMES[name], seed, tell=tell)


def remember(name: str, params: Params, measure: Callable[[], dict]) -> dict:
    """Return a measurement, made now or by an earlier run with the same parameters and code."""
    return store.measured(name, store.measurement_mark(params), measure)

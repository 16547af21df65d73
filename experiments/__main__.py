"""Train and measure everything, and write the results that the book reads.

``--check`` trains a reduced version and asserts the claims. ``--try NAME`` trains one scheme of
``schemes.SCHEMES``, yours perhaps, with one seed, and prints it beside the book's.
"""

import argparse
import platform
from typing import Any

import jax
import numpy as np

from experiments import check, corpus, order, stretch, text
from experiments.model import Task
from experiments.progress import Progress
from experiments.runs import EXPERIMENTS, SEEDS
from experiments.schemes import HEAD_DIM, HEADS, SCHEMES, WIDTH
from posenc import evidence

RESULTS = evidence.DATA / "trained.json"


def setup() -> dict[str, Any]:
    """Return the entries that say how the results were made."""

    def settings(task: Task) -> dict[str, Any]:
        return {key: value for key, value in vars(task).items() if key != "sample"}

    return {
        "setup/versions": {
            "python": platform.python_version(),
            "numpy": np.__version__,
            "jax": jax.__version__,
        },
        "setup/seeds": list(SEEDS),
        "setup/corpus": {
            "sha256": corpus.digest(),
            "train": len(corpus.read("train")),
            "held_out": len(corpus.read("held_out")),
            "characters": len(set(corpus.read("train"))),
            "unigram_entropy": round(corpus.unigram_entropy(), 4),
        },
        "setup/model": {"width": WIDTH, "heads": HEADS, "head_dim": HEAD_DIM, "mlp": 4 * WIDTH},
        "setup/length": {
            **settings(text.task()),
            "multiples": list(text.MULTIPLES),
            "texts": text.BLOCKS,
            "tail": text.TAIL,
            "bins": list(text.BINS),
        },
        "setup/tuned": settings(stretch.task(max(stretch.TUNED_STEPS))),
        "setup/chase": settings(order.chase(1)),
        "setup/back": settings(order.EXACT["back"]),
        "setup/repeat": settings(order.EXACT["repeat"]),
    }


def gather(values: list[Any]) -> Any:
    """Return the results of all seeds as one: a number becomes a list with one number a seed."""
    first = values[0]
    if isinstance(first, dict):
        return {key: gather([value[key] for value in values]) for key in first}
    if isinstance(first, list):
        return [gather(list(numbers)) for numbers in values]
    return first if isinstance(first, str) else [float(f"{value:.5g}") for value in values]


def measure_all() -> dict[str, Any]:
    """Return the results of all experiments, with every seed, by entry."""
    progress = Progress(sum(len(e.names) * len(SEEDS) * e.seconds for e in EXPERIMENTS.values()))
    results: dict[str, Any] = {}
    for title, experiment in EXPERIMENTS.items():
        values: dict[str, list[Any]] = {name: [] for name in experiment.names}
        for seed in SEEDS:
            for name in experiment.names:
                with progress.work(f"{title}/{name}, seed {seed}", experiment.seconds) as tell:
                    values[name].append(experiment.run(name, seed, tell))
        results |= {f"{title}/{name}": gather(seeds) for name, seeds in values.items()}
    return results


def main() -> None:
    """Run what the command line asks for."""
    parser = argparse.ArgumentParser(prog="experiments", description=__doc__.split("\n")[0])
    parser.add_argument("--check", action="store_true", help="a reduced version, with assertions")
    parser.add_argument("--try", dest="name", choices=SCHEMES, help="train one scheme, one seed")
    arguments = parser.parse_args()
    if arguments.check:
        check.claims()
    elif arguments.name:
        check.compare(arguments.name)
    else:
        results = {**setup(), **measure_all()}
        RESULTS.write_text(evidence.dump(results))
        print(f"\n{len(results)} entries in {RESULTS}")


if __name__ == "__main__":
    main()

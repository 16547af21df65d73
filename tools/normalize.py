"""Run notebooks from top to bottom and store them in the form that the repository keeps.

Kept: text outputs and execution counts, so that a diff can be read and a test can compare numbers.
Left out: pictures, widget state, timestamps, and whatever else changes from one run to the next.
"""

import sys
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
NOTEBOOKS = ROOT / "notebooks"

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"jupyter", "mystnb", "tags"}
VOLATILE = ("image/", "video/", "application/vnd.jupyter.widget")


def normalized(notebook: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy of the notebook in the form that the repository keeps."""
    result = nbformat.from_dict(notebook)
    result.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    for cell in result.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in CELL_METADATA}
        cell.pop("attachments", None)
        if cell.cell_type == "code":
            cell.outputs = _kept_outputs(cell.outputs)
    return result


def _kept_outputs(outputs: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for output in outputs:
        if "data" in output:
            output["data"] = {k: v for k, v in output["data"].items() if not k.startswith(VOLATILE)}
            output["metadata"] = {}
        same_stream = (
            kept and output.get("name") is not None and kept[-1].get("name") == output["name"]
        )
        if same_stream:
            kept[-1]["text"] += output["text"]
        else:
            kept.append(output)
    return kept


def faults(notebook: nbformat.NotebookNode) -> list[str]:
    """Return what keeps a stored notebook from being in that form.

    Code cells go by the number that a notebook shows beside them: ``[1]`` is the first.
    """
    found = []
    if notebook.metadata != NOTEBOOK_METADATA:
        found.append("metadata: holds more than the kernel's and the language's name")
    number = 0
    for cell, kept in zip(notebook.cells, normalized(notebook).cells, strict=True):
        if cell.cell_type == "code":
            number += 1
            if cell.execution_count != number:
                found.append(f"cell [{number}]: was not run, or not in order from the top")
            if cell.outputs != kept.outputs:
                found.append(f"cell [{number}]: stores a picture or widget state")
        if cell.metadata != kept.metadata:
            extra = ", ".join(sorted(set(cell.metadata) - CELL_METADATA))
            found.append(f"near cell [{number}]: metadata that changes with every run: {extra}")
    return found


def run(path: Path) -> nbformat.NotebookNode:
    """Run a notebook in its own folder and return it in the form that the repository keeps."""
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(
        notebook,
        kernel_name="python3",
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
    ).execute()
    return normalized(notebook)


def main(arguments: list[str]) -> None:
    """Run and rewrite the notebooks named, or all of them."""
    for path in map(Path, arguments or sorted(map(str, NOTEBOOKS.glob("*.ipynb")))):
        nbformat.write(run(path), path)
        print(f"{path}: run and stored")


if __name__ == "__main__":
    main(sys.argv[1:])

"""What the repository asks of a stored lesson, and how a lesson is run.

Kept in a stored notebook: text outputs and execution counts, so that a diff can be read and a test
can compare numbers. Left out: pictures, widget state, timestamps, and whatever else changes from
one run to the next. Code cells go by the number that a notebook shows beside them: ``[1]`` is the
first.
"""

import copy
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from nbclient.exceptions import CellExecutionError
from traitlets.config import Config

ROOT = Path(__file__).resolve().parent.parent

NOTEBOOK_METADATA = {
    "kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"},
    "language_info": {"name": "python"},
}
CELL_METADATA = {"jupyter", "mystnb", "tags"}
VOLATILE = ("image/", "video/", "application/vnd.jupyter.widget")
ANSI_COLOUR = re.compile(r"\x1b\[[0-9;]*m")


class LessonError(Exception):
    """A cell raised: the message names the lesson and the cell and carries the traceback."""


def all_lessons() -> list[Path]:
    """Return the lessons in the order of their numbers."""
    return sorted((ROOT / "notebooks").glob("*.ipynb"))


def read(path: Path) -> nbformat.NotebookNode:
    """Return the notebook stored at ``path``."""
    return nbformat.read(path, as_version=4)


def prose(lesson: nbformat.NotebookNode) -> str:
    """Return the words of a lesson, without its code."""
    return "\n\n".join(cell.source for cell in lesson.cells if cell.cell_type == "markdown")


def is_solution(cell: nbformat.NotebookNode) -> bool:
    """Return whether a cell is hidden until the reader opens it."""
    return "hide-cell" in cell.metadata.get("tags", [])


def execute(path: Path, kernel: str = "python3", **options: Any) -> nbformat.NotebookNode:
    """Run a lesson from top to bottom in its own folder and return it with all its outputs.

    Options, such as the environment's variables ``env``, are the kernel's.
    """
    lesson = read(path)
    client = NotebookClient(
        lesson,
        kernel_name=kernel,
        record_timing=False,
        resources={"metadata": {"path": str(path.parent)}},
        extra_arguments=["--InlineBackend.figure_formats={'svg'}"],  # small, and sharp on a phone
        config=Config(KernelManager={"transport_encryption": "auto"}),
    )
    try:
        client.execute(**options)
    except CellExecutionError as error:
        failed = next(
            number
            for number, cell in _code_cells(lesson)
            if any(output.output_type == "error" for output in cell.outputs)
        )
        traceback = ANSI_COLOUR.sub("", str(error))
        raise LessonError(f"{path.name}, cell [{failed}] raised:\n{traceback}") from None
    return lesson


def normalized(lesson: nbformat.NotebookNode) -> nbformat.NotebookNode:
    """Return a copy of the lesson in the form that the repository keeps."""
    result = copy.deepcopy(lesson)
    result.metadata = nbformat.from_dict(NOTEBOOK_METADATA)
    for cell in result.cells:
        cell.metadata = {k: v for k, v in cell.metadata.items() if k in CELL_METADATA}
        if cell.cell_type == "code":
            cell.outputs = _kept_outputs(cell.outputs)
    return result


def faults(lesson: nbformat.NotebookNode) -> list[str]:
    """Return what keeps a stored lesson from being in that form."""
    found = []
    if lesson.metadata != NOTEBOOK_METADATA:
        found.append("metadata: holds more than the kernel's and the language's name")
    kept = normalized(lesson)
    for cell, kept_cell in zip(lesson.cells, kept.cells, strict=True):
        if cell.metadata != kept_cell.metadata:
            extra = ", ".join(sorted(set(cell.metadata) - CELL_METADATA))
            found.append(f"cell {cell.id}: metadata that changes with every run: {extra}")
    for (number, cell), (_, kept_cell) in zip(_code_cells(lesson), _code_cells(kept), strict=True):
        if cell.execution_count != number:
            found.append(f"cell [{number}]: was not run, or not in order from the top")
        if cell.outputs != kept_cell.outputs:
            found.append(f"cell [{number}]: stores a picture or widget state")
    return found


def differences(stored: nbformat.NotebookNode, fresh: nbformat.NotebookNode) -> list[str]:
    """Return where a fresh run of a lesson prints something else than is stored."""
    found = []
    pairs = zip(_code_cells(stored), _code_cells(normalized(fresh)), strict=True)
    for (number, old), (_, new) in pairs:
        old_text, new_text = _text(old.outputs), _text(new.outputs)
        if old_text != new_text:
            found.append(f"cell [{number}] stored:\n{old_text}\nbut now gives:\n{new_text}")
    return found


def _code_cells(lesson: nbformat.NotebookNode) -> Iterator[tuple[int, Any]]:
    return enumerate((cell for cell in lesson.cells if cell.cell_type == "code"), start=1)


def _kept_outputs(outputs: list[Any]) -> list[Any]:
    kept: list[Any] = []
    for output in outputs:
        if output.output_type == "stream" and kept and kept[-1].get("name") == output.name:
            kept[-1].text += output.text
            continue
        if "data" in output:
            output.data = {k: v for k, v in output.data.items() if not k.startswith(VOLATILE)}
            output.metadata = {}
        kept.append(output)
    return kept


def _text(outputs: list[Any]) -> str:
    parts = [
        output.get("text") or output.get("evalue") or sorted(output.data.items())
        for output in outputs
    ]
    return "\n".join(map(str, parts))

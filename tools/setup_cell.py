"""The first code cell of every lesson, which installs posenc where it is missing.

Colab brings numpy, matplotlib, ipywidgets and sympy, and a notebook breaks when a numpy that is
loaded is replaced. The cell therefore names what Colab lacks and leaves dependencies alone.
"""

from pathlib import Path

import nbformat
import yaml
from nbformat.v4 import new_code_cell

CONFIG = Path(__file__).resolve().parent.parent / "_config.yml"
ID = "set-up"
CHECKOUT = ".."  # seen from the folder of the lessons

SOURCE = """\
# Where posenc is missing, as on Colab, install it; the numpy that is there stays.
import importlib.util

if importlib.util.find_spec("posenc") is None:
    %pip install --quiet --no-deps anywidget psygnal {}"""


def repository() -> str:
    """Return the address that the book is published under, or nothing."""
    return str(yaml.safe_load(CONFIG.read_text())["repository"]["url"])


def source(address: str) -> str:
    """Return the cell's text: posenc comes from the repository, or else from the checkout."""
    return SOURCE.format(f"git+{address}" if address else CHECKOUT)


def put_into(lesson: nbformat.NotebookNode, address: str) -> None:
    """Make the set-up cell the first code cell of the lesson; its number in a run stays."""
    first = next(place for place, cell in enumerate(lesson.cells) if cell.cell_type == "code")
    if lesson.cells[first].id != ID:
        lesson.cells.insert(first, new_code_cell(id=ID))
    lesson.cells[first].source = source(address)
    # The website leaves it out: a reader there runs nothing.
    lesson.cells[first].metadata = nbformat.from_dict({"tags": ["remove-cell"]})

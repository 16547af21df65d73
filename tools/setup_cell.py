"""The first code cell of every lesson, which installs posenc where it is missing.

Colab brings numpy, matplotlib, ipywidgets and sympy, and a notebook breaks when a numpy that is
loaded is replaced. The cell therefore names what Colab lacks and leaves dependencies alone.
"""

import nbformat
from nbformat.v4 import new_code_cell
from repository import Repository

ID = "set-up"
CHECKOUT = ".."  # seen from the folder of the lessons

SOURCE = """\
# Where posenc is missing, as on Colab, install it; the numpy that is there stays.
import importlib.util

if importlib.util.find_spec("posenc") is None:
    %pip install --quiet --no-deps anywidget psygnal {}"""


def source(repository: Repository | None) -> str:
    """Return the cell's text: posenc comes from the repository, or else from the checkout."""
    return SOURCE.format(f"git+{repository.address}" if repository else CHECKOUT)


def put_into(lesson: nbformat.NotebookNode, repository: Repository | None) -> None:
    """Make the set-up cell the first code cell of the lesson; its number in a run stays."""
    first = next(place for place, cell in enumerate(lesson.cells) if cell.cell_type == "code")
    if lesson.cells[first].id != ID:
        lesson.cells.insert(first, new_code_cell(id=ID))
    lesson.cells[first].source = source(repository)
    # The website leaves it out: a reader there runs nothing.
    lesson.cells[first].metadata = nbformat.from_dict({"tags": ["remove-cell"]})

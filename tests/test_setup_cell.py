"""The first code cell of the lessons: one text in all, which acts where posenc is missing alone."""

import pytest
import setup_cell
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook
from repository import Repository

BOOK = Repository("someone", "book")


@pytest.fixture
def small():
    cells = [new_markdown_cell("# A lesson"), new_markdown_cell("Words."), new_code_cell("x = 1")]
    return new_notebook(cells=cells)


def test_it_comes_before_all_other_code_and_once(small):
    for book in (None, None, BOOK):
        setup_cell.put_into(small, book)
        assert [cell.source for cell in small.cells] == [
            "# A lesson",
            "Words.",
            setup_cell.source(book),
            "x = 1",
        ]


def test_its_number_in_a_run_stays(small):
    setup_cell.put_into(small, None)
    small.cells[2].execution_count = 1
    setup_cell.put_into(small, BOOK)
    assert small.cells[2].execution_count == 1


@pytest.mark.parametrize(("here", "installs"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("book", [None, BOOK])
def test_it_installs_where_posenc_is_missing_alone(monkeypatch, book, here, installs):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if here else None)
    commands = []

    class Shell:
        def run_line_magic(self, name, line):
            commands.append(f"{name} {line}")

    code = TransformerManager().transform_cell(setup_cell.source(book))
    exec(code, {"get_ipython": Shell})
    assert len(commands) == installs
    for command in commands:
        assert command.startswith("pip install --quiet --no-deps ")
        assert command.endswith(f" git+{book.address}" if book else " ..")

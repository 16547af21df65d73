"""The first code cell of the lessons: one text in all, which acts where posenc is missing alone."""

import copy

import lesson
import pytest
import setup_cell
from IPython.core.inputtransformer2 import TransformerManager
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

ADDRESS = "https://github.com/someone/book"


@pytest.mark.parametrize("path", lesson.all_lessons(), ids=lambda path: path.stem)
def test_every_lesson_has_it(path):
    stored = lesson.read(path)
    fresh = copy.deepcopy(stored)
    setup_cell.put_into(fresh, setup_cell.repository())
    assert stored == fresh, "`make normalize` puts it there"


@pytest.fixture
def small():
    cells = [new_markdown_cell("# A lesson"), new_markdown_cell("Words."), new_code_cell("x = 1")]
    return new_notebook(cells=cells)


def test_it_comes_before_all_other_code_and_once(small):
    for address in ("", "", ADDRESS):
        setup_cell.put_into(small, address)
        assert [cell.source for cell in small.cells] == [
            "# A lesson",
            "Words.",
            setup_cell.source(address),
            "x = 1",
        ]


def test_its_number_in_a_run_stays(small):
    setup_cell.put_into(small, "")
    small.cells[2].execution_count = 1
    setup_cell.put_into(small, ADDRESS)
    assert small.cells[2].execution_count == 1


@pytest.mark.parametrize(("here", "installs"), [(True, 0), (False, 1)])
@pytest.mark.parametrize("address", ["", ADDRESS])
def test_it_installs_where_posenc_is_missing_alone(monkeypatch, address, here, installs):
    monkeypatch.setattr("importlib.util.find_spec", lambda name: object() if here else None)
    commands = []

    class Shell:
        def run_line_magic(self, name, line):
            commands.append(f"{name} {line}")

    code = TransformerManager().transform_cell(setup_cell.source(address))
    exec(code, {"get_ipython": Shell})
    assert len(commands) == installs
    for command in commands:
        assert command.startswith("pip install --quiet --no-deps ")
        assert command.endswith(f" git+{address}" if address else " ..")

"""Rules for stored lessons, and tests of those rules. What the lessons print, nbval compares."""

import lesson
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output

MAX_LINES = 15
WIDEST = 89  # characters of what a cell prints, on a page 1280 pixels wide


@pytest.fixture(scope="module", params=lesson.all_lessons(), ids=lambda path: path.stem)
def stored(request):
    return lesson.read(request.param)


def test_is_stored_as_run_without_pictures(stored):
    assert lesson.faults(stored) == []


@pytest.mark.parametrize("path", lesson.all_lessons(), ids=lambda path: path.stem)
def test_has_what_every_lesson_has(path):
    """CONTRIBUTING.md lists it."""
    found = lesson.read(path)
    cells, prose = found.cells, lesson.prose(found)
    code = [cell for cell in cells if cell.cell_type == "code"]
    assert "**You will be able to**" in cells[0].source
    assert "**Time:**" in cells[0].source
    assert "**Needed first:**" in cells[0].source
    assert 1 <= prose.count("\n> **Predict.**") == prose.count("**Predict.**")
    assert any("identities." in cell.source for cell in code)
    assert any(cell.source == f'Quiz.of("{path.stem}")' for cell in code)
    assert prose.count("**Try this.**") >= 1
    solutions = [cell.source for cell in code if lesson.is_solution(cell)]
    assert sum("assert " in source for source in solutions) >= 3
    assert "requirements(" in "\n".join(cell.source for cell in code)
    headings = ["## Where this bites in practice", "## Check yourself", "## Exercises"]
    places = [prose.index(f"{heading}\n") for heading in [*headings, "## Summary", "## Sources"]]
    assert places == sorted(places)
    summary = prose[places[3] : places[4]]
    assert 3 <= summary.count("\n- ") <= 5


def test_no_cell_is_longer_than_fits_a_screen(stored):
    code = [cell for cell in stored.cells if cell.cell_type == "code"]
    long = [cell.source for cell in code if len(cell.source.splitlines()) > MAX_LINES]
    assert long == []


def test_what_is_printed_fits_a_page(stored):
    outputs = [output for cell in stored.cells for output in cell.get("outputs", [])]
    lines = [line for output in outputs for line in output.get("text", "").splitlines()]
    assert [line for line in lines if len(line) > WIDEST] == []


def test_every_code_cell_that_draws_has_words_for_the_picture(stored):
    silent = []
    for cell in stored.cells:
        draws = cell.cell_type == "code" and any(
            "<Figure" in output.get("data", {}).get("text/plain", "") for output in cell.outputs
        )
        alt = cell.metadata.get("mystnb", {}).get("image", {}).get("alt", "")
        if draws and len(alt.split()) < 8:
            silent.append(cell.source)
    assert silent == []


def test_no_solution_is_open(stored):
    """A solution asserts: it is hidden on the website and in JupyterLab alike."""
    for cell in stored.cells:
        if lesson.is_solution(cell):
            assert cell.metadata.jupyter.source_hidden is True


def test_no_cell_warns(stored):
    for cell in stored.cells:
        for output in cell.get("outputs", []):
            assert output.get("name") != "stderr", output.text


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    """A lesson of three cells, as somebody wrote it."""
    cells = [
        new_markdown_cell("# A lesson"),
        new_code_cell("x = 1\nprint(x)"),
        new_code_cell("import matplotlib.pyplot as plt\nplt.plot([x, 2])\nplt.show()"),
    ]
    path = tmp_path_factory.mktemp("lessons") / "small.ipynb"
    nbformat.write(new_notebook(cells=cells), path)
    return path


@pytest.fixture(scope="module")
def fresh(path):
    return lesson.execute(path)


@pytest.fixture
def small(fresh):
    """The same lesson, run and stored."""
    return lesson.normalized(fresh)


def test_a_normalized_lesson_has_no_faults_and_runs_the_same(small, fresh):
    assert lesson.faults(small) == []
    assert lesson.differences(small, fresh) == []


def test_another_number_is_found_and_its_cell_named(small, fresh):
    small.cells[1].outputs[0].text = "2\n"
    (found,) = lesson.differences(small, fresh)
    assert found.startswith("cell [1] stored:\n2")


def test_a_cell_that_raises_is_named(small, path):
    small.cells[2].source = "1 / 0"
    broken = path.with_name("broken.ipynb")
    nbformat.write(small, broken)
    with pytest.raises(
        lesson.LessonError, match=r"broken\.ipynb, cell \[2\] raised:\n(.|\n)*division"
    ):
        lesson.execute(broken)


def unrun(stored):
    stored.cells[2].execution_count = None


def out_of_order(stored):
    stored.cells[1].execution_count, stored.cells[2].execution_count = 2, 1


def picture(stored):
    stored.cells[2].outputs[0].data["image/png"] = "iVBORw0KGgo="


def widget_state(stored):
    stored.metadata["widgets"] = {"application/vnd.jupyter.widget-state+json": {}}


def widget_view(stored):
    view = {"application/vnd.jupyter.widget-view+json": {"model_id": "1"}}
    stored.cells[2].outputs.append(new_output("display_data", view))


def timestamp(stored):
    stored.cells[1].metadata["execution"] = {"iopub.status.busy": "2026-01-01T00:00:00"}


def kernel_of_one_machine(stored):
    stored.metadata.kernelspec.name = "my-env"


@pytest.mark.parametrize(
    "damage",
    [unrun, out_of_order, picture, widget_state, widget_view, timestamp, kernel_of_one_machine],
)
def test_damage_is_found(small, damage):
    damage(small)
    assert lesson.faults(small) != []


def test_what_was_run_is_mended(fresh):
    assert lesson.faults(fresh) != []
    timestamp(fresh)
    assert lesson.faults(lesson.normalized(fresh)) == []

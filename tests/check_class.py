"""What `make student` wrote, run: as it is handed out, and with every stub filled in."""

import lesson
import make_class
import nbformat
import pytest
from nbclient import NotebookClient
from traitlets.config import Config

LESSONS = lesson.all_lessons()


def run(notebook, **options):
    folder = make_class.CLASS / "student" / "notebooks"
    config = Config(KernelManager={"transport_encryption": "auto"})
    resources = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, resources=resources, config=config, **options).execute()


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def text(cell):
    return "".join(out.get("data", {}).get("text/plain", "") for out in cell.outputs)


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_only_stubs_raise_until_they_are_filled_in(path):
    handed_out = lesson.read(make_class.CLASS / "student" / "notebooks" / path.name)
    done = {cell.id: cell for cell in code(run(handed_out, allow_errors=True))}
    errors = {
        name: (out.ename, out.evalue)
        for name, cell in done.items()
        for out in cell.outputs
        if out.output_type == "error"
    }
    exercises = list(make_class.exercises(lesson.read(path).cells))
    cells = {exercise.number: make_class.for_student(exercise) for exercise in exercises}
    assert set(errors) <= {cell.id for found in cells.values() for cell in found}
    assert {name for name, _ in errors.values()} == {"NotImplementedError"}
    for number, found in cells.items():
        said = "".join(str(errors.get(cell.id)) + text(done[cell.id]) for cell in found)
        assert f"Exercise {number}: " in said


@pytest.mark.parametrize("path", LESSONS, ids=lambda path: path.stem)
def test_a_stub_that_is_filled_in_with_the_solution_passes(path):
    filled = lesson.read(make_class.CLASS / "student" / "notebooks" / path.name)
    exercises = list(make_class.exercises(lesson.read(path).cells))
    for exercise in exercises:
        stub = next(cell for cell in filled.cells if cell.id == exercise.cells[0].id)
        stub.source = make_class.answer(exercise)
    done = {cell.id: cell for cell in code(run(filled))}
    for exercise in exercises:
        if make_class.judges(exercise):
            report = text(done[make_class.for_student(exercise)[-1].id])
            assert "name='runs', holds=True" in report
            if any(".ok" in cell.source for cell in exercise.cells):
                assert "holds=False" not in report


def test_a_teachers_copy_is_valid():
    for path in (make_class.CLASS / "teacher" / "notebooks").glob("*.ipynb"):
        nbformat.validate(lesson.read(path))

"""The copies of the lessons for a class, without running them: check_class.py does that."""

import ast

import lesson
import make_class
import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook

HIDDEN = {"tags": ["hide-cell"], "jupyter": {"source_hidden": True}}


@pytest.fixture(scope="module", params=lesson.all_lessons(), ids=lambda path: path.stem)
def whole(request):
    return lesson.read(request.param)


def code(notebook):
    return [cell for cell in notebook.cells if cell.cell_type == "code"]


def test_every_exercise_has_a_stub(whole):
    student = "\n".join(cell.source for cell in code(make_class.student_copy(whole)))
    exercises = list(make_class.exercises(whole.cells))
    written = sum(
        cell.source.count("\n**") for cell in whole.cells if "## Exercises" in cell.source
    )
    assert len(exercises) >= max(3, written)
    for exercise in exercises:
        assert f"raise NotImplementedError('Exercise {exercise.number}: " in student


def test_every_solution_belongs_to_an_exercise(whole):
    owned = [cell.id for found in make_class.exercises(whole.cells) for cell in found.cells]
    assert owned == [cell.id for cell in whole.cells if lesson.is_solution(cell)]


def test_no_solution_is_left(whole):
    """No statement of what is to be written, wherever it stands, comments included."""
    student = make_class.student_copy(whole)
    left = {line.strip() for cell in code(student) for line in cell.source.splitlines()}
    lessons_own = {
        line.strip()
        for cell in code(whole)
        if not lesson.is_solution(cell)
        for line in cell.source.splitlines()
    }
    for exercise in make_class.exercises(whole.cells):
        for cell in exercise.cells:
            made = [part for part in ast.parse(cell.source).body if exercise.asks_for(part)]
            lines = cell.source.splitlines()
            kept = make_class.for_student(exercise)
            answer = [
                line
                for part in made
                for line in lines[part.lineno - 1 : part.end_lineno]
                if "def " not in line and "class " not in line
            ]
            if len(kept) == 1:  # no judge: the whole cell is the answer
                answer = lines
            found = {line.strip() for line in answer if len(line.strip()) > 3}
            assert (found - lessons_own) & left == set()


def test_where_a_solution_calls_check_the_student_has_the_call_and_not_what_it_finds(whole):
    for exercise in make_class.exercises(whole.cells):
        for call in (calls := make_class.judges(exercise)):
            last = make_class.for_student(exercise)[-1].source
            assert call in last
            assert "assert" not in last
        if "check(my_" in exercise.text:
            assert calls


def test_copies_are_valid_and_the_lesson_stays(whole):
    before = nbformat.writes(whole)
    for copied in (make_class.student_copy, make_class.teacher_copy):
        notebook = copied(whole)
        nbformat.validate(notebook)
        ids = [cell.id for cell in notebook.cells]
        assert len(set(ids)) == len(ids)
    assert nbformat.writes(whole) == before


def test_a_student_sees_no_result_before_the_run(whole):
    assert all(cell.outputs == [] for cell in code(make_class.student_copy(whole)))


def test_a_teacher_sees_every_solution(whole):
    teacher = make_class.teacher_copy(whole)
    assert [cell.source for cell in teacher.cells] == [cell.source for cell in whole.cells]
    assert not any("jupyter" in cell.metadata for cell in teacher.cells)


def test_a_solution_is_split_into_a_head_and_what_judges_it():
    text = "**3.** Write a class `Box` with a method `add(x)`, and a function `double(x)`."
    solution = """\
class Box:
    def __init__(self):
        self.secret = 0

    def add(self, x):
        self.secret += x


def double(x):
    return helper(x)


def helper(x):
    return 2 * x


assert double(2) == 4"""
    cells = [new_markdown_cell(text), new_code_cell(solution, metadata=HIDDEN)]
    student = make_class.student_copy(new_notebook(cells=cells))
    _, stub, judge = (cell.source for cell in student.cells)
    assert "secret" not in stub
    assert "def add(self, x):" in stub
    assert stub.count("raise NotImplementedError") == 2
    assert judge.endswith("assert double(2) == 4")

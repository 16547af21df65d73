"""Write every lesson for a class: a student's copy without solutions, a teacher's copy with them.

The lessons are the one source. A solution is a hidden cell behind the exercise that it solves.
Where the exercise names a function or a class to write, in code between backquotes, the student
gets its head. What judges the answer stays: the call of ``check`` that the solution makes, or else
all that the solution does with what was to be written.
"""

import ast
import copy
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import lesson
import nbformat
import repository
import setup_cell
from nbformat import NotebookNode
from nbformat.v4 import new_code_cell

CLASS = lesson.ROOT / "_build" / "class"
NUMBER = re.compile(r"^\*\*(\d+)\.")
HEADS = ast.FunctionDef | ast.ClassDef


@dataclass
class Exercise:
    """A number, the text, and the cells that solve it."""

    number: int
    text: str
    cells: list[NotebookNode] = field(default_factory=list)

    def asks_for(self, statement: ast.stmt) -> bool:
        """Return whether the text names what the statement defines."""
        return isinstance(statement, HEADS) and bool(re.search(rf"`{statement.name}\b", self.text))

    @property
    def asked(self) -> list[ast.stmt]:
        """What the text names, as the first cell that solves it defines it."""
        return [part for part in ast.parse(self.cells[0].source).body if self.asks_for(part)]


def exercises(cells: list[NotebookNode]) -> Iterator[Exercise]:
    """Yield the exercises of a lesson that have a solution, in order."""
    found: Exercise | None = None
    for cell in cells:
        for paragraph in cell.source.split("\n\n") if cell.cell_type == "markdown" else ():
            if number := NUMBER.match(paragraph):
                if found and found.cells:
                    yield found
                found = Exercise(int(number[1]), paragraph)
        if found and lesson.is_solution(cell):
            found.cells.append(cell)
    if found and found.cells:
        yield found


def without_answer(statement: ast.stmt, message: str) -> ast.stmt:
    """Return a function or a class of which only the heads are left."""
    result = copy.deepcopy(statement)
    functions = [result] if isinstance(result, ast.FunctionDef) else result.body
    for function in functions:
        function.body = ast.parse(f"raise NotImplementedError({message!r})").body
    if isinstance(result, ast.ClassDef):
        result.body = [part for part in result.body if part.name != "__init__"]
    return result


def judges(exercise: Exercise) -> list[str]:
    """Return the calls of ``check`` that a solution makes with what was to be written."""
    statements = [part for cell in exercise.cells for part in ast.parse(cell.source).body]
    names = {part.name for part in statements if exercise.asks_for(part)}
    calls = (node for part in statements for node in ast.walk(part) if isinstance(node, ast.Call))
    found = [
        ast.unparse(call)
        for call in calls
        if ast.unparse(call.func).endswith("check") and ast.unparse(call.args[0]) in names
    ]
    return list(dict.fromkeys(found))


def answer(exercise: Exercise) -> str:
    """Return what a solution has in the place of the stub."""
    source, asked = exercise.cells[0].source, exercise.asked
    return "\n".join(source.splitlines()[: asked[-1].end_lineno]) if asked else source


def for_student(exercise: Exercise) -> list[NotebookNode]:
    """Return the cells that a student gets: what is to be written, and what judges it."""
    first, asked = exercise.cells[0], exercise.asked
    if not asked:
        message = f"Exercise {exercise.number}: put your answer in the place of this line."
        return [new_code_cell(f"raise NotImplementedError({message!r})", id=first.id)]
    message = f"Exercise {exercise.number}: write {{}} in the place of this line."
    heads = [ast.unparse(without_answer(part, message.format(part.name))) for part in asked]
    cells = [new_code_cell("\n\n\n".join(heads), id=first.id)]
    judge = judges(exercise)
    if judge:
        return [*cells, new_code_cell("\n".join(judge), id=f"{first.id}-judge")]
    after = first.source.removeprefix(answer(exercise)).strip()
    rest = [(after, f"{first.id}-judge")]
    rest += [(cell.source, cell.id) for cell in exercise.cells[1:]]
    return [*cells, *(new_code_cell(source, id=name) for source, name in rest if source)]


def student_copy(whole: NotebookNode) -> NotebookNode:
    """Return a lesson without solutions and without results: a student predicts, then runs."""
    result = copy.deepcopy(whole)
    places = {cells.cells[0].id: for_student(cells) for cells in exercises(whole.cells)}
    result.cells = [
        cell
        for old in result.cells
        for cell in (places.get(old.id, []) if lesson.is_solution(old) else [old])
    ]
    for cell in result.cells:
        if cell.cell_type == "code":
            cell.outputs, cell.execution_count = [], None
    return result


def teacher_copy(whole: NotebookNode) -> NotebookNode:
    """Return a lesson with its solutions open."""
    result = copy.deepcopy(whole)
    for cell in filter(lesson.is_solution, result.cells):
        cell.metadata = nbformat.from_dict({})
    return result


def write(copies: Path, notebooks: dict[str, NotebookNode], wheel: Path) -> None:
    """Write notebooks with all that they refer to, so that the folder can be handed out."""
    shutil.rmtree(copies, ignore_errors=True)
    (copies / "notebooks").mkdir(parents=True)
    shutil.copy(wheel, copies)
    shutil.copytree(
        lesson.ROOT / "book", copies / "book", ignore=shutil.ignore_patterns("*.toml", "fonts")
    )
    for name, notebook in notebooks.items():
        if not repository.configured():  # nothing to install from but what is handed out
            first = next(cell for cell in notebook.cells if cell.get("id") == setup_cell.ID)
            first.source = setup_cell.SOURCE.format(f"../{wheel.name}")
        nbformat.validate(notebook)
        nbformat.write(notebook, copies / "notebooks" / name)


def build_wheel(folder: Path) -> Path:
    """Return the package as one file."""
    options = ["--quiet", "--no-deps", "--no-build-isolation", "--wheel-dir", folder]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, lesson.ROOT], check=True)
    return next(folder.glob("*.whl"))


if __name__ == "__main__":
    shutil.rmtree(CLASS, ignore_errors=True)
    package = build_wheel(CLASS)
    lessons = {path.name: lesson.read(path) for path in lesson.all_lessons()}
    for who, copied in (("student", student_copy), ("teacher", teacher_copy)):
        write(CLASS / who, {name: copied(whole) for name, whole in lessons.items()}, package)
        print(f"{CLASS.relative_to(lesson.ROOT) / who}: {len(lessons)} notebooks")
    package.unlink()

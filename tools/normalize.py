"""Run the lessons named, or all of them, and store them in the form that the repository keeps."""

import sys
from pathlib import Path

import lesson
import nbformat
import repository
import setup_cell

for path in map(Path, sys.argv[1:] or lesson.all_lessons()):
    edited = lesson.read(path)
    setup_cell.put_into(edited, repository.configured())
    nbformat.write(edited, path)
    nbformat.write(lesson.normalized(lesson.execute(path)), path)
    print(f"{path.name}: run and stored")

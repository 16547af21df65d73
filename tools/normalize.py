"""Run the lessons named, or all of them, and store them in the form that the repository keeps."""

import sys
from pathlib import Path

import lesson
import nbformat

for path in map(Path, sys.argv[1:] or lesson.all_lessons()):
    nbformat.write(lesson.normalized(lesson.execute(path)), path)
    print(f"{path.name}: run and stored")

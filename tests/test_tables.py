"""Every row of a table has the cells of its head: Markdown drops what is more, without a word."""

import re
from pathlib import Path

import lesson
import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "book").glob("*.md")), *lesson.all_lessons()]
RULE = re.compile(r"\|(\s*:?-+:?\s*\|)+")  # the line between a table's head and its rows


def cells(row):
    return re.split(r"(?<!\\)\|", row)[1:-1]


def text(path):
    if path.suffix == ".md":
        return path.read_text(encoding="utf-8")
    return lesson.prose(lesson.read(path))


def tables(path):
    """Yield the rows of each table, head and rule included."""
    for block in re.findall(r"^\|.*(?:\n\|.*)*", text(path), re.MULTILINE):
        rows = block.splitlines()
        if len(rows) > 1 and RULE.fullmatch(rows[1].strip()):
            yield rows


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.stem)
def test_no_cell_is_torn(path):
    torn = [
        row for head, *rows in tables(path) for row in rows if len(cells(row)) != len(cells(head))
    ]
    assert torn == []


def test_tables_are_found():
    assert sum(len(list(tables(path))) for path in PAGES) > 20

"""Numbers on the start page and in the advice come out of a cell of the chapter beside them."""

import re
from pathlib import Path

import lesson
import pytest

BOOK = Path(__file__).parents[1] / "book"
CHAPTER = re.compile(r"notebooks/(\w+)\.ipynb")
# Links, formulas, code, years and sections hold numbers of another kind.
ASIDE = re.compile(
    r"\[[^\]]*\]\([^)]*\)|\$[^$]*\$|`[^`]*`|\b(?:19|20)\d\d\b|sections? [\d.]+|\d+ dimensions"
)
NUMBER = re.compile(r"\d[\d\xa0]*(?:\.\d+)?")
PRINTED = re.compile(r"\d+(?:[,_]\d{3})*(?:\.\d+)?(?:e[-+]?\d+)?")


def computed(stem):
    """Every number in a lesson's code and in what it printed."""
    cells = lesson.read(BOOK.parent / "notebooks" / f"{stem}.ipynb").cells
    texts = [cell.source for cell in cells if cell.cell_type == "code"]
    for output in (output for cell in cells for output in cell.get("outputs", [])):
        texts.append(output.get("text") or output.data.get("text/plain", ""))
    found = PRINTED.findall("\n".join(texts))
    return [float(number.replace(",", "").replace("_", "")) for number in found]


def is_rounding(number, values):
    """Whether a number is one of the values, or a hundred times it, rounded to its last digit."""
    half = 0.5 * 10.0 ** -len(number.partition(".")[2]) + 1e-9
    wanted = float(number.replace("\xa0", ""))
    return any(abs(scale * value - wanted) <= half for value in values for scale in (1, 100))


def claims(page):
    """Return (paragraph, chapters) where a paragraph or a row of a table names its chapters."""
    for line in (BOOK / page).read_text(encoding="utf-8").splitlines():
        if chapters := CHAPTER.findall(line):
            yield ASIDE.sub(" ", line), chapters


@pytest.mark.parametrize(
    ("page", "least"), [("intro.md", 50), ("choosing.md", 50), ("teaching.md", 30)]
)
def test_numbers_are_computed_in_the_chapter_named(page, least):
    values = {path.stem: computed(path.stem) for path in lesson.all_lessons()}
    checked, missing = 0, []
    for text, chapters in claims(page):
        known = [value for chapter in chapters for value in values[chapter]]
        for number in NUMBER.findall(text):
            checked += 1
            if not is_rounding(number, known):
                missing.append((number, text.strip()[:80]))
    assert checked > least
    assert missing == []


SPACED = re.compile(r"(?<![A-Za-z\d\xa0-])\d{1,3} \d{3}(?!\w)")


def prose():
    """Pages and lessons without what no line break can tear apart."""
    for page in ("intro.md", "choosing.md", "teaching.md", "glossary.md", "references.md"):
        yield page, (BOOK / page).read_text(encoding="utf-8")
    for path in lesson.all_lessons():
        yield path.stem, lesson.prose(lesson.read(path))


def test_a_large_number_stays_on_one_line():
    torn = [(name, SPACED.findall(ASIDE.sub(" _ ", text))) for name, text in prose()]
    assert [(name, found) for name, found in torn if found] == []


def test_a_wrong_number_is_found():
    assert is_rounding("44", [43.9])
    assert is_rounding("18\xa0438", [18438.0])
    assert is_rounding("85", [0.8494])
    assert not is_rounding("2.067", [2.0])
    assert not is_rounding("1707", [1708.0])

"""Lessons link their terms to the glossary, each once, and the glossary has them."""

import re
from pathlib import Path

import lesson
import pytest

GLOSSARY = Path(__file__).parents[1] / "book" / "glossary.md"
TERM = re.compile(r"^(?! |```|#)(\S.*)$", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\(\.\./book/glossary\.md(?:#([\w-]+))?\)")

BODY = GLOSSARY.read_text(encoding="utf-8").split("```{glossary}")[1]
TERMS = {"term-" + term.replace(" ", "-"): term for term in TERM.findall(BODY)}


def linked(path):
    """Return (text, anchor) of every link to the glossary."""
    return LINK.findall("\n".join(cell.source for cell in lesson.read(path).cells))


def test_terms_are_in_order_and_each_is_there_once():
    blocks = [block.splitlines()[0].lower() for block in BODY.strip("`\n").split("\n\n")]
    assert blocks == sorted(blocks)
    assert len(TERMS) == len(TERM.findall(BODY)) > 50


@pytest.mark.parametrize("path", lesson.all_lessons(), ids=lambda path: path.stem)
def test_a_lesson_links_its_terms(path):
    links = linked(path)
    assert len(links) >= 5
    anchors = [anchor for _, anchor in links]
    assert sorted(set(anchors)) == sorted(anchors), "a term is linked at its first use only"
    for text, anchor in links:
        term = TERMS[anchor]
        forms = {term, term.capitalize(), f"{term}s", re.sub("y$", "ies", term)}
        assert text.strip("*").removeprefix("sliding ") in forms

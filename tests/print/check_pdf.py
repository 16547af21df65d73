"""What `make pdf` made: every chapter, in order, and no word outside the margins."""

import re
import subprocess
from pathlib import Path

import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
PDF = ROOT / "_build" / "pdf" / "where-is-the-word.pdf"
RUNNING_HEAD = yaml.safe_load((ROOT / "_config.yml").read_text())["title"]
MARGIN = 62.4 - 6  # 22 mm in points, less what the frame of a code cell sticks out
WIDTH, HEIGHT = 595.3, 841.9


def pdf_text(*options: str) -> str:
    return subprocess.check_output(["pdftotext", *options, PDF, "-"], text=True)


def title(page: str) -> str:
    html = (ROOT / "_build" / "html" / f"{page}.html").read_text()
    return BeautifulSoup(html, "html.parser").h1.text.removesuffix("#")


def chapters() -> list[str]:
    toc = yaml.safe_load((ROOT / "_toc.yml").read_text())
    files = [toc["root"], *(chapter["file"] for chapter in toc["chapters"])]
    return [*map(title, files), "Answers and solutions"]


def test_every_chapter_stands_in_the_contents_and_as_a_heading_in_order():
    titles = chapters()
    pages = [" ".join(page.split()) for page in pdf_text().split("\f")]
    assert len(pages) > 150
    plain = [page for page in pages if not page.startswith(RUNNING_HEAD)]
    first = next(i for i, page in enumerate(plain) if page.startswith(titles[0]))
    begun = [next((t for t in titles if page.startswith(t)), None) for page in plain[first:]]
    assert [*filter(None, begun)] == titles
    contents = " ".join(plain[:first])
    assert [t for t in titles if t not in contents] == []


def test_no_word_leaves_the_margins():
    boxes = re.findall(
        r'<word xMin="([\d.-]+)" yMin="([\d.-]+)" xMax="([\d.-]+)" yMax="([\d.-]+)">(.*?)</word>',
        pdf_text("-bbox"),
    )
    assert len(boxes) > 20_000
    outside = [
        word
        for *box, word in boxes
        for left, top, right, bottom in [map(float, box)]
        if left < MARGIN or right > WIDTH - MARGIN or top < 20 or bottom > HEIGHT - 20
    ]
    assert outside == []


@pytest.mark.parametrize("word", ["Łukasz", "ᵀ", "√"])
def test_letters_that_few_fonts_have_are_there(word):
    assert word in pdf_text()

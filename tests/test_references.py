"""Every work and report that is cited is on the page of references, in a well-formed entry."""

import re
from pathlib import Path

import lesson
import pytest

import posenc

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "book" / "references.md").read_text(encoding="utf-8")

ARXIV = re.compile(r"arXiv[: ]\s*(\d[\w.]*\d)|arxiv\.org/\w+/(\d[\w.]*\d)", re.IGNORECASE)
REPORT = re.compile(r"github\.com/([\w.-]+/[\w.-]+/(?:issues|pull)/\d+)")
WORK = re.compile(r"([A-Z][\w-]+ (?:et al\.|and [A-Z][\w-]+)),?\s+\(?((?:19|20)\d\d)\b")
ENTRY = re.compile(r"^- ([A-Z][\w-]+ (?:et al\.|and [A-Z][\w-]+) \d{4}):", re.MULTILINE)
LINK = re.compile(r"\[([^\]]+)\]\((https?://[^)]+)\)")


def identifiers(text):
    return {a or b for a, b in ARXIV.findall(text)}


def works(text):
    return {" ".join(pair) for pair in WORK.findall(text)}


def texts():
    """All places that cite: lessons, pages, and the package, whose docstrings name sources."""
    for path in lesson.all_lessons():
        yield path, "\n".join(cell.source for cell in lesson.read(path).cells)
    others = [ROOT / "experiments" / "README.md", *sorted((ROOT / "book").glob("*.md"))]
    for path in [*others, *sorted((ROOT / "posenc").rglob("*.py"))]:
        if path.name != "references.md":
            yield path, path.read_text(encoding="utf-8")


CITING = dict(texts())


@pytest.mark.parametrize("found", [identifiers, works, lambda text: set(REPORT.findall(text))])
def test_what_is_cited_is_on_the_page(found):
    cited = {(path.name, item) for path, text in CITING.items() for item in found(text)}
    assert len(cited) > 20
    assert {(name, item) for name, item in cited if item not in found(PAGE)} == set()


def test_every_paper_on_the_page_is_cited():
    everywhere = works("\n".join(CITING.values()))
    assert set(ENTRY.findall(PAGE)) <= everywhere
    assert len(ENTRY.findall(PAGE)) == len(set(ENTRY.findall(PAGE)))


def test_links_say_what_they_open():
    for words, address in LINK.findall(PAGE):
        if identifier := identifiers(address):
            assert words == f"arXiv {identifier.pop()}"
        elif report := REPORT.search(address):
            _, _, kind, number = report[1].split("/")
            word = {"issues": "issue", "pull": "pull request"}[kind]
            assert words in (number, f"{word} {number}"), address


def test_identifiers_are_well_formed_and_listed_once():
    listed = [a or b for a, b in ARXIV.findall(PAGE)]
    for identifier in listed:
        parts = re.fullmatch(r"(\d\d)(\d\d)\.\d{5}", identifier)
        assert parts, identifier
        assert int(parts[1]) >= 15, identifier  # five digits since 2015
        assert 1 <= int(parts[2]) <= 12, identifier
        assert listed.count(identifier) == 2, f"{identifier}: once as words, once as address"


def test_no_report_is_listed_twice():
    reports = REPORT.findall(PAGE)
    assert len(reports) == len(set(reports))


def test_functions_named_beside_a_claim_exist():
    papers = PAGE.split("## Fault reports")[0]
    names = re.findall(r"`(\w+)`", papers)
    assert len(names) > 20
    assert [name for name in names if not hasattr(posenc, name)] == []


def test_every_claim_says_how_it_was_checked():
    papers = PAGE.split("## Papers")[1].split("## Fault reports")[0]
    claims = re.findall(r"^  - (.*)", papers, re.MULTILINE)
    assert len(claims) > 40
    assert [c for c in claims if not re.search(r"\*(Source|Copy|Review|Recomputed)\b", c)] == []

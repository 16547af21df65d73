"""Sphinx extension: the directive `cite-this-book` shows CITATION.cff as a BibTeX entry."""

from pathlib import Path
from typing import Any

import yaml
from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

CITATION = Path(__file__).parents[1] / "CITATION.cff"


def bibtex(citation: dict[str, Any]) -> str:
    """Return a citation in the Citation File Format as a BibTeX entry."""
    fields = {
        "author": " and ".join(f"{{{author['name']}}}" for author in citation["authors"]),
        "title": f"{{{citation['title']}}}",
        "year": citation["date-released"][:4],
        "version": citation["version"],
        "url": citation.get("url"),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join(["@misc{posenc,", *lines, "}"])


class CiteThisBook(SphinxDirective):
    """The book's entry, ready to be copied."""

    def run(self) -> list[nodes.Node]:
        """Return the entry as a block of text."""
        self.env.note_dependency(str(CITATION))
        entry = bibtex(yaml.safe_load(CITATION.read_text()))
        return [nodes.literal_block(entry, entry, language="bibtex")]


def setup(app: Sphinx) -> dict[str, bool]:
    """Register the directive."""
    app.add_directive("cite-this-book", CiteThisBook)
    return {"parallel_read_safe": True, "parallel_write_safe": True}

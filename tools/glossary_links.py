"""Sphinx extension: Markdown links to a term, as in `glossary.md#term-causal-mask`.

MyST takes the anchors of another page from its headings alone, and a term is no heading.
"""

from typing import Any

from sphinx.application import Sphinx
from sphinx.environment import BuildEnvironment


def add_terms(_app: Sphinx, env: BuildEnvironment) -> None:
    """Let MyST know the terms of each page as it knows the headings."""
    for name, _, kind, page, anchor, _ in env.get_domain("std").get_objects():
        if kind == "term":
            env.metadata[page].setdefault("myst_slugs", {})[anchor] = (None, anchor, name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the step between reading and writing."""
    app.connect("env-updated", add_terms)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

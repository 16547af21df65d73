"""Sphinx extension: a live figure's still picture stays on the page beside what brings it to life.

MyST-NB shows one kind of each output. Of a live figure the website needs two: the reference to its
state, which the figures' script reads, and the picture or the text that stands there without it.
The words of the output describe the picture.
"""

from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.transforms.post_transforms import SphinxPostTransform

VIEW = "application/vnd.jupyter.widget-view+json"
STILL = ("text/markdown", "image/png")


class PlaceFigures(SphinxPostTransform):
    """Make a place for each live figure, before MyST-NB chooses one kind of output."""

    default_priority = 3
    formats = ("html",)

    def run(self, **_: Any) -> None:
        """Replace each output that is a live figure by its place."""
        containers = list(self.document.findall(nodes.container))
        for bundle in (node for node in containers if node.get("nb_element") == "mime_bundle"):
            kinds = {part["mime_type"]: part for part in bundle.children}
            still = next((kind for kind in STILL if kind in kinds), None)
            if VIEW in kinds and still:
                words = kinds["text/plain"].astext()
                for picture in kinds[still].findall(nodes.image):
                    picture["alt"] = words
                place = nodes.container(classes=["live-figure"])
                place += kinds[VIEW].children + kinds[still].children
                bundle.replace_self(place)


def setup(app: Sphinx) -> dict[str, Any]:
    """Register the transform."""
    app.add_post_transform(PlaceFigures)
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}

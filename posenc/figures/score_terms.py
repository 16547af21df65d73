"""The four terms of a score whose tokens carry an added code, as maps, and their sum."""

from typing import TYPE_CHECKING

import numpy as np

from posenc import measure
from posenc.figures.base import Choice, Figure, Number, Whole, minus
from posenc.figures.draws import normals
from posenc.measure import Relativity, commuting_weights, relativity
from posenc.palette import DIVERGING, colormap, mark
from posenc.schemes import Scheme
from posenc.sinusoids import sinusoidal
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["ScoreTerms"]

DIM = 64
LENGTH = 40  # tokens of the text
PAIRS = 20  # of its tokens, moved through a longer text
ANCHORS, OFFSETS = 64, 32
LIMIT = 5  # scores beyond it have the full colour
TITLES = ("content", "+ content\n× position", "+ position\n× content", "+ position", "= the score")


class ScoreTerms(Figure):
    """Content, cross terms, position: maps of the four terms of every score, and of the score."""

    norm = Number(5.66, 0.0, 16.0, "The norm of every token's content.")
    scale = Number(1.0, 0.0, 3.0, "What the codes are multiplied by.")
    weights = Choice(
        "identity", ["identity", "random", "commuting"], "The matrix M between query and key."
    )
    query = Whole(12, 0, LENGTH - 1, "The query i that the cursor is on.")
    key = Whole(20, 0, LENGTH - 1, "The key j that the cursor is on.")
    seed = Whole(2, 0, 9999, "The number of the random draw.")

    def contents(self) -> FloatArray:
        """Return the content of every token, one a row, all of the same norm."""
        rows = normals(self.seed, 0, LENGTH * DIM).reshape(LENGTH, DIM)
        return np.asarray(self.norm * rows / np.linalg.norm(rows, axis=1, keepdims=True))

    def codes(self, length: int = LENGTH) -> FloatArray:
        """Return the codes of the first positions, one a row, scaled."""
        return np.asarray(self.scale * sinusoidal(np.arange(length), DIM, dtype=np.float64))

    def matrix(self) -> FloatArray:
        """Return M: the identity, random entries, or a random matrix that keeps pairs apart.

        Random ones have the size that lets a vector keep its length on average.
        """
        if self.weights == "random":
            return np.asarray(normals(self.seed, 1, DIM * DIM).reshape(DIM, DIM) / np.sqrt(DIM))
        if self.weights == "commuting":
            return commuting_weights(*(normals(self.seed, 2, DIM).reshape(2, -1) / np.sqrt(2)))
        return np.eye(DIM)

    def terms(self) -> measure.ScoreTerms:
        """Return the four terms of every score, divided by sqrt(d)."""
        parts = measure.score_terms(self.contents(), self.codes(), weights=self.matrix())
        return measure.ScoreTerms(*(part / np.sqrt(DIM) for part in parts))

    def shares(self) -> Relativity:
        """Return which share of the score's variance the offset explains, and which the anchor.

        Each of 20 pairs of tokens is moved through a text: the query to positions 0 to 63, the key
        0 to 31 places after it. The shares are means over the pairs.
        """

        def embed(x: FloatArray, positions: FloatArray) -> FloatArray:
            return np.asarray(x + self.codes(ANCHORS + OFFSETS)[np.asarray(positions, dtype=int)])

        contents = self.contents()
        found = relativity(
            Scheme("scaled", embed=embed),
            contents[0::2],
            contents[1::2],
            anchors=range(ANCHORS),
            offsets=range(OFFSETS),
            weights=self.matrix(),
        )
        return Relativity(*(share.mean() for share in found))

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        picture = Picture(figsize=(6, 5.2))
        panels = picture.subplot_mosaic("01ss;23ss;bbbb", height_ratios=[3, 3, 1])
        terms = self.terms()
        maps = zip("0123s", TITLES, (*terms, terms.total), strict=True)
        for place, title, values in maps:
            ax = panels[place]
            image = ax.imshow(values, cmap=colormap(DIVERGING), vmin=-LIMIT, vmax=LIMIT)
            ax.set_title(title, size=11)
            ax.set(xticks=[], yticks=[])
        panels["s"].set(xlabel="key j", ylabel="query i", xticks=[0, 20], yticks=[0, 20])
        picture.colorbar(image, ax=panels["s"], location="bottom", label="score", extend="both")
        left, shares = 0.0, self.shares()
        shown = (
            ("offset alone", 100 * float(shares.offset), mark("sinusoidal").color, ""),
            ("absolute position", 100 * float(shares.absolute), "#bbbbbb", "//"),
        )
        for label, percent, color, hatch in shown:
            panels["b"].barh(0, percent, left=left, color=color, hatch=hatch, ec="white")
            if percent > 20:
                panels["b"].text(left + percent / 2, 0.75, f"{label} {percent:.0f} %", ha="center")
            left += percent
        panels["b"].set(xlim=(0, 100), ylim=(-0.5, 1.3), yticks=[], xlabel="% of the variance")
        panels["b"].spines["left"].set_visible(False)
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        shares, terms = self.shares(), self.terms()
        cell = [part[self.query, self.key] for part in terms]
        meaning = (
            f"offset alone {100 * shares.offset:.1f} %, absolute position "
            f"{100 * shares.absolute:.1f} %"
            if sum(shares)
            else "nothing, the score does not vary"
        )
        return minus(
            f"ScoreTerms: content norm {self.norm:.15g}, codes times {self.scale:.15g}, "
            f"{self.weights} weights. Query {self.query}, key {self.key}: content {cell[0]:.2f}, "
            f"content x position {cell[1]:.2f}, position x content {cell[2]:.2f}, position "
            f"{cell[3]:.2f}, sum {sum(cell):.2f}. The score's variance explained by: {meaning}."
        )

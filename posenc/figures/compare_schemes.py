"""Six schemes compared: the score of one query and one key along offsets, from three anchors."""

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from posenc.figures.base import Choice, Figure, Whole, minus
from posenc.figures.draws import normals
from posenc.measure import AnchorSpread, anchor_spread
from posenc.palette import mark
from posenc.schemes import (
    Scheme,
    alibi_scheme,
    learned_scheme,
    none,
    rope_scheme,
    sinusoidal_scheme,
    t5_scheme,
)
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["CompareSchemes"]

NAMES = ["none", "sinusoidal", "learned", "rope", "alibi", "t5"]
LAST = 254  # the last position that a key can have
BUCKETS = 32
ROUNDING = 1e-12  # a spread below it is a zero of the machine


class CompareSchemes(Figure):
    """The score of one query and one key against their offset, one curve for each anchor."""

    scheme = Choice("sinusoidal", NAMES, "The scheme whose curves are drawn large.")
    dim = Whole(64, 2, 128, "The size d of the head.", even=True)
    offsets = Whole(32, 2, 128, "How many offsets are shown, from 0 on.")
    first = Whole(0, 0, 127, "The first anchor: a position of the query.")
    second = Whole(8, 0, 127, "The second anchor.")
    third = Whole(24, 0, 127, "The third anchor.")
    offset = Whole(5, 0, 127, "The offset that the cursor is on.")
    seed = Whole(0, 0, 9999, "The number of the random draw.")

    @traitlets.validate("offset")
    def _check_offset(self, proposal: Any) -> int:
        return self._inside("offset", proposal.value, "offsets")

    @traitlets.observe("offsets")
    def _pull_inside(self, _: Any) -> None:
        self._pull(("offset",), "offsets")

    def contents(self) -> tuple[FloatArray, FloatArray]:
        """Return the query and the key, drawn from N(0, 1)."""
        return normals(self.seed, 0, self.dim), normals(self.seed, 1, self.dim)

    def schemes(self) -> dict[str, Scheme]:
        """Return the schemes, their tables drawn at random.

        The rows of the learned table have the norm of the sinusoidal codes, on average. ALiBi is
        the first of four heads, of slope 1/4.
        """
        table = normals(self.seed, 2, (LAST + 1) * self.dim).reshape(-1, self.dim) / np.sqrt(2)
        return {
            "none": none(),
            "sinusoidal": sinusoidal_scheme(self.dim),
            "learned": learned_scheme(table),
            "rope": rope_scheme(self.dim),
            "alibi": alibi_scheme(4),
            "t5": t5_scheme(normals(self.seed, 3, BUCKETS)[:, None]),
        }

    def measured(self, scheme: str | None = None) -> AnchorSpread:
        """Return what ``anchor_spread`` says of a scheme, or of the one that is drawn large."""
        anchors, offsets = (self.first, self.second, self.third), range(self.offsets)
        subject = self.schemes()[scheme or self.scheme]
        result = anchor_spread(subject, *self.contents(), anchors=anchors, offsets=offsets)
        if result.curves.ndim == 2:
            return result
        curves, score_range, spread, norm_ratio = result
        return AnchorSpread(curves[0], score_range[0], spread[0], norm_ratio)  # the first head

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        picture = Picture(figsize=(6, 6.4))
        axes = picture.subplots(3, 2, sharex=True)
        lines: tuple[dict[str, Any], ...] = (
            {"lw": 6, "alpha": 0.35, "solid_capstyle": "butt"},
            {"lw": 2},
            {"lw": 1.5, "ls": ":", "color": "black"},
        )
        anchors = (self.first, self.second, self.third)
        for ax, name in zip(axes.flat, NAMES, strict=True):
            found = self.measured(name)
            for curve, anchor, style in zip(found.curves, anchors, lines, strict=True):
                ax.plot(curve, **({"color": mark(name).color} | style), label=f"anchor {anchor}")
            middle = (found.curves.max() + found.curves.min()) / 2
            reach = max(float(found.score_range), 1.0) * 0.55
            ax.set_ylim(middle - reach, middle + reach)
            ax.set_title(f"{mark(name).label}: spread {_words(found)}", size=12)
        axes[0, 0].legend(fontsize=10)
        picture.supxlabel("offset j \N{MINUS SIGN} i, in positions", size=12)
        picture.supylabel("score", size=12)
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        found = {name: self.measured(name) for name in NAMES}
        shown = found[self.scheme]
        meaning = (
            "Machine zero: the scheme is relative identically."
            if shown.spread < ROUNDING
            else "At one offset the score changes with the anchor."
        )
        all_spreads = ", ".join(f"{mark(name).label} {_words(found[name])}" for name in NAMES)
        return minus(
            f"CompareSchemes: {mark(self.scheme).label}, d = {self.dim}, offsets 0 to "
            f"{self.offsets - 1}, anchors {self.first}, {self.second} and {self.third}. Range of "
            f"scores {shown.score_range:.2f}, spread over anchors {_words(shown)}, norm of q after "
            f"{shown.norm_ratio:.3f} (before 1). {meaning} Spread of every scheme: {all_spreads}."
        )


def _words(found: AnchorSpread) -> str:
    """Return the spread in words."""
    return "0" if found.spread < ROUNDING else f"{found.spread:.2f}"

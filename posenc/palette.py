"""One colour, dash and marker for each scheme, one look for every static figure.

The colours keep a contrast of at least 3 to 1 with white, and with black once a dark page has
turned a picture over (the style rule ``invert(1) hue-rotate(180deg)``); any two of them stay apart
for full colour vision and for the three kinds of colour blindness, before and after the turn.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from posenc import validate

if TYPE_CHECKING:
    from matplotlib.colors import Colormap

__all__ = ["DIVERGING", "SCHEMES", "SEQUENTIAL", "Mark", "colormap", "mark", "use_style"]


@dataclass(frozen=True)
class Mark:
    """How one scheme is drawn: a colour, a dash pattern in points and a matplotlib marker."""

    label: str
    color: str
    dash: tuple[float, ...]
    marker: str

    @property
    def line(self) -> dict[str, Any]:
        """The keyword arguments of a matplotlib line."""
        style = (0, self.dash) if self.dash else "solid"
        return {"color": self.color, "linestyle": style, "marker": self.marker}


SCHEMES = {
    "none": Mark("none", "#212121", (1, 2), "x"),
    "sinusoidal": Mark("sinusoidal", "#db7924", (6, 2), "o"),
    "learned": Mark("learned", "#0c5500", (6, 2, 1, 2), "s"),
    "shaw": Mark("Shaw", "#3d9e92", (2, 1), "v"),
    "t5": Mark("T5", "#b679e7", (3, 2), "D"),
    "alibi": Mark("ALiBi", "#86496d", (9, 3), "^"),
    "rope": Mark("RoPE", "#5561ce", (), "P"),
}
"""One mark a scheme, in the order in which the book meets them."""

DIVERGING = ("#1f3f9c", "#8fa4e3", "#ffffff", "#f0a868", "#9c4a00")
"""Signed values: from blue (negative) through white (zero) to orange (positive)."""

SEQUENTIAL = ("#ffffff", "#a9b6ea", "#5561ce", "#1b2468")
"""Amounts: from white (nothing) to dark blue (most)."""


def mark(scheme: str) -> Mark:
    """Return the mark of a scheme.

    Raises ``ValueError`` if the scheme is not one of ``SCHEMES``.

    >>> mark("rope").label
    'RoPE'
    """
    return SCHEMES[validate.choice("scheme", scheme, SCHEMES)]


def colormap(stops: tuple[str, ...]) -> "Colormap":
    """Return a matplotlib colour map through evenly spaced stops (``DIVERGING``, ``SEQUENTIAL``).

    >>> [float(c) for c in colormap(DIVERGING)(0.5)]  # zero is white
    [1.0, 1.0, 1.0, 1.0]
    """
    from matplotlib.colors import LinearSegmentedColormap

    return LinearSegmentedColormap.from_list("posenc", stops, N=257)  # odd: the middle is exact


def use_style() -> None:
    """Set the look of the book's figures: quiet axes on white, text that a telephone can show.

    Changes matplotlib's ``rcParams``; returns nothing.

    >>> import matplotlib
    >>> with matplotlib.rc_context():
    ...     use_style()
    ...     matplotlib.rcParams["figure.figsize"]
    [6.0, 3.2]
    """
    import matplotlib as mpl
    from cycler import cycler

    quiet = "#6b6b6b"
    mpl.rcParams.update(
        {
            "figure.figsize": (6, 3.2),
            "figure.dpi": 150,
            "figure.facecolor": "white",
            "figure.constrained_layout.use": True,
            "font.family": "sans-serif",
            "font.sans-serif": ["Segoe UI", "Helvetica Neue", "Arial", "DejaVu Sans"],
            "font.size": 12,
            "axes.titlesize": 13,
            "axes.titlelocation": "left",
            "axes.labelsize": 12,
            "axes.labelcolor": "#333333",
            "axes.edgecolor": quiet,
            "axes.linewidth": 0.8,
            "axes.spines.top": False,
            "axes.spines.right": False,
            "axes.prop_cycle": cycler(color=[m.color for m in SCHEMES.values()][::-1]),
            "xtick.color": quiet,
            "ytick.color": quiet,
            "xtick.labelcolor": "#333333",
            "ytick.labelcolor": "#333333",
            "legend.frameon": False,
            "lines.linewidth": 2,
            "lines.markersize": 6,
            "svg.fonttype": "none",  # letters stay letters
            "svg.hashsalt": "posenc",  # the same figure gives the same file
        }
    )

"""The clocks: one hand a pair, turning with the position."""

from typing import TYPE_CHECKING

import numpy as np

from posenc.figures.base import Figure, Flag, Whole, minus
from posenc.frequencies import inv_freq, turns
from posenc.palette import mark

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["Clocks"]


class Clocks(Figure):
    """The hands of all pairs at a position, the waves they draw, and which codes come close."""

    dim = Whole(16, 2, 16, "The width d of a code; there are d/2 hands.", even=True)
    position = Whole(44, 0, 1000, "The position that the hands show.")
    playing = Flag(False, "Whether the position advances by itself.")

    def closest(self) -> tuple[int, float]:
        """Return the offset of the two closest codes up to the position, and their distance."""
        offsets = np.arange(1, max(self.position, 1) + 1)
        halves = np.multiply.outer(offsets, inv_freq(self.dim)) / 2
        distances = 2 * np.sqrt((np.sin(halves) ** 2).sum(axis=-1))
        return int(offsets[distances.argmin()]), float(distances.min())

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture
        from matplotlib.patches import Circle

        columns = min(4, self.dim // 2)
        rows = -(-self.dim // 2 // columns)
        picture = Picture(figsize=(6, 1.8 * rows))
        axes = np.ravel(picture.subplots(rows, columns, squeeze=False))
        w = inv_freq(self.dim)
        for ax, frequency, made in zip(axes, w, turns(w, self.position), strict=False):
            x, y = np.cos(frequency * self.position), np.sin(frequency * self.position)
            ax.add_patch(Circle((0, 0), 1, fill=False, color="gray"))
            ax.plot([0, x], [0, y], color=mark("sinusoidal").color, marker="o", markevery=[1])
            ax.set_title(f"{made:.2f} turns", size=11, loc="center")
            ax.set(xlim=(-1.15, 1.15), ylim=(-1.15, 1.15), aspect="equal")
        for ax in axes:
            ax.axis("off")
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        made = ", ".join(f"{number:.2f}" for number in turns(inv_freq(self.dim), self.position))
        closest = ""
        if self.position:
            offset, distance = self.closest()
            closest = (
                f" Of the positions up to {self.position}, 0 and {offset} are hardest to tell "
                f"apart, at distance {distance:.4f}."
            )
        return minus(
            f"Clocks: the {self.dim // 2} hands of d = {self.dim} at position {self.position}, "
            f"from fast to slow. Turns made: {made}.{closest}"
        )

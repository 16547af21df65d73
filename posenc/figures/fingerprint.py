"""The fingerprint of a position: its sinusoidal code as a row of a picture."""

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from posenc.figures.base import Figure, Number, Whole, minus
from posenc.frequencies import inv_freq, wavelengths
from posenc.palette import DIVERGING, colormap, mark
from posenc.sinusoids import sinusoidal
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["Fingerprint"]


class Fingerprint(Figure):
    """Codes of many positions as a heat map; one position's code as bars, and who resembles it."""

    dim = Whole(16, 4, 128, "The width d of a code.", even=True)
    length = Whole(24, 2, 128, "How many positions are shown, from 0 on.")
    base = Number(10000.0, 10.0, 1e6, "The base of the frequencies.")
    position = Whole(4, 0, 127, "The selected position.")
    compare = Whole(5, 0, 127, "The position to compare with.")
    dimension = Whole(0, 0, 127, "The dimension that the cell cursor is on.")

    @traitlets.validate("position", "compare")
    def _check_position(self, proposal: Any) -> int:
        return self._inside(proposal.trait.name, proposal.value, "length")

    @traitlets.validate("dimension")
    def _check_dimension(self, proposal: Any) -> int:
        return self._inside("dimension", proposal.value, "dim")

    @traitlets.observe("length", "dim")
    def _pull_inside(self, _: Any) -> None:
        self._pull(("position", "compare"), "length")
        self._pull(("dimension",), "dim")

    def codes(self) -> FloatArray:
        """Return the codes of the positions shown, one a row."""
        return sinusoidal(np.arange(self.length), self.dim, base=self.base, dtype=np.float64)

    def cosines(self) -> FloatArray:
        """Return the cosine of each position's code with the selected one's."""
        offsets = np.arange(self.length) - self.position
        phases = np.multiply.outer(offsets, inv_freq(self.dim, base=self.base))
        return np.asarray(np.cos(phases).mean(axis=-1))

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        picture = Picture(figsize=(6, 5))
        panels = picture.subplot_mosaic("mc;b.", width_ratios=[3, 1], height_ratios=[3, 1])
        heat, curve, bars = panels["m"], panels["c"], panels["b"]
        codes, columns = self.codes(), np.arange(self.dim)
        signed, ticks = colormap(DIVERGING), columns[:: max(1, self.dim // 8)]
        heat.imshow(codes, cmap=signed, vmin=-1, vmax=1, aspect="auto")
        heat.set(ylabel="position", xticks=ticks)
        row = codes[self.position]
        bars.bar(columns, row, color=signed((row + 1) / 2), edgecolor="gray")
        bars.scatter(columns, codes[self.compare], marker="_", color="black")
        bars.set(xlim=(-0.5, self.dim - 0.5), ylim=(-1.1, 1.1), xticks=ticks)
        bars.set(xlabel="dimension", ylabel="value")
        curve.plot(self.cosines(), np.arange(self.length), color=mark("sinusoidal").color)
        curve.set(ylim=heat.get_ylim(), xlim=(-1.05, 1.05), xlabel="cosine")
        for ax in (heat, curve):
            ax.axhline(self.position, color="black", lw=1.2)
            ax.axhline(self.compare, color="black", lw=1.2, ls=":")
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        code = ", ".join(f"{value:.2f}" for value in self.codes()[self.position][:4])
        cosine = self.cosines()[self.compare]
        angle = np.degrees(np.arccos(np.clip(cosine, -1, 1)))
        pair, kind = divmod(self.dimension, 2)
        value = self.codes()[self.position, self.dimension]
        wave = wavelengths(inv_freq(self.dim, base=self.base))[pair]
        return minus(
            f"Fingerprint: heat map of {self.length} positions by {self.dim} dimensions, base "
            f"{self.base:g}; left columns change fast, right ones slowly. Position {self.position} "
            f"is marked; its code stands below as bars and begins {code}. Its cosine with position "
            f"{self.compare} is {cosine:.4f}, an angle of {angle:.1f} degrees. Dimension "
            f"{self.dimension}, a {'cosine' if kind else 'sine'}, has the value {value:.2f} there "
            f"and a wavelength of {wave:.1f} positions."
        )

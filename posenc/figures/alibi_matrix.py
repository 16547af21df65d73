"""ALiBi's bias on six words, one head at a time, and what it does to equal scores."""

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from posenc.alibi import alibi_bias, alibi_slopes
from posenc.dot_product import softmax
from posenc.figures.base import Figure, FigureError, Whole, minus
from posenc.palette import DIVERGING, colormap, mark
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["AlibiMatrix"]

WORDS = ("The", "cat", "sat", "on", "warm", "stone")
STEEPEST = 4.5  # the bias that has the full colour, for every head


class AlibiMatrix(Figure):
    """The bias matrix of one head, and the attention of one row if all its scores were equal."""

    heads = Whole(8, 1, 32, "The number of heads.")
    head = Whole(1, 1, 32, "The head whose slope is shown, counted from 1.")
    row = Whole(5, 0, 5, "The query whose attention is shown, a row of the matrix.")

    @traitlets.validate("head")
    def _check_head(self, proposal: Any) -> int:
        if proposal.value <= self.heads:
            return int(proposal.value)
        raise FigureError(
            f"head={proposal.value}: must be from 1 to {self.heads}, since heads={self.heads}"
        )

    @traitlets.observe("heads")
    def _pull_head(self, _: Any) -> None:
        self.head = min(self.head, self.heads)

    @property
    def slope(self) -> float:
        """The slope of the head, per position of distance."""
        return float(alibi_slopes(self.heads)[self.head - 1])

    def bias(self) -> FloatArray:
        """Return the bias of the head, one row a query; what lies in the future is hidden."""
        every = alibi_bias(self.heads, len(WORDS), len(WORDS), dtype=np.float64)
        return np.asarray(every[self.head - 1])

    def shares(self) -> FloatArray:
        """Return the attention of the row to itself and the words before it, all scores equal."""
        return softmax(self.bias()[self.row, : self.row + 1])

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture
        from matplotlib.patches import Rectangle

        picture = Picture(figsize=(6, 4.6))
        matrix, bars = picture.subplots(2, 1, height_ratios=[3, 2], sharex=True)
        size, bias = len(WORDS), self.bias()
        future = np.triu(np.ones((size, size), dtype=bool), 1)
        scale = {"cmap": colormap(DIVERGING), "vmin": -STEEPEST, "vmax": STEEPEST}
        matrix.imshow(np.ma.masked_where(future, bias), aspect="auto", **scale)
        matrix.patch.set(facecolor="#eeeeee", hatch="//", edgecolor="gray")
        for i, j in np.argwhere(~future):
            matrix.text(j, i, minus(f"{0 + bias[i, j]:.2f}"), ha="center", va="center", size=10)
        outline = Rectangle((-0.5, self.row - 0.5), self.row + 1, 1, fill=False, lw=2)
        matrix.add_patch(outline)
        matrix.set(yticks=range(size), yticklabels=WORDS, ylabel="query")
        matrix.set_title(f"head {self.head} of {self.heads}, slope {self.slope:.3g}")
        shares = 100 * self.shares()
        drawn = bars.bar(range(self.row + 1), shares, width=0.7, color=mark("alibi").color)
        bars.bar_label(drawn, fmt="%.1f", padding=2, fontsize=11)
        bars.set(xticks=range(size), xticklabels=WORDS, xlabel="key", yticks=[], ylim=(0, 118))
        bars.set(ylabel="attention in %")
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        shares = ", ".join(
            f"{word} {100 * share:.1f} %"
            for word, share in zip(WORDS, self.shares(), strict=False)  # the future is hidden
        )
        return minus(
            f"ALiBi matrix: the biases of head {self.head} of {self.heads}, slope "
            f"{self.slope:.3g}, for the six words {' '.join(WORDS)}: 0 on the diagonal, "
            f"{self.slope:.3g} less for each step to the left, the future hatched. If all scores "
            f"were equal, {WORDS[self.row]} would attend: {shares}."
        )

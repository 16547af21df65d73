"""The order problem: attention weights of the same three words in two orders."""

from typing import TYPE_CHECKING, Any

import numpy as np

from posenc.dot_product import attention_weights
from posenc.figures.base import Figure, Flag, Order, Whole, minus
from posenc.palette import SEQUENTIAL, colormap, mark
from posenc.sinusoids import sinusoidal
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["OrderProblem"]

WORDS = ("cat", "chases", "mouse")
VECTORS = ((0.90, -0.30, 0.40, 0.10), (-0.20, 0.80, -0.50, 0.60), (0.50, 0.20, 0.90, -0.70))


class OrderProblem(Figure):
    """Two phrases of the same three words, their embeddings and their attention weights."""

    order = Order([2, 1, 0], "The words of the second phrase, by their numbers in the first.")
    position = Flag(False, "Whether each place adds its sinusoidal code.")
    looks = Whole(0, 0, 2, "The word that looks, of the linked pair.")
    at = Whole(2, 0, 2, "The word that it looks at.")

    def inputs(self) -> tuple[FloatArray, FloatArray]:
        """Return the rows of both phrases, in the order of each."""
        code = sinusoidal(np.arange(3), 4, dtype=np.float64) if self.position else 0
        words = np.array(VECTORS)
        return words + code, words[self.order] + code

    def weights(self) -> tuple[FloatArray, FloatArray]:
        """Return the attention weights of both phrases, both in the order of the first."""
        first, second = (attention_weights(rows, rows) for rows in self.inputs())
        back = np.argsort(self.order)
        return first, second[back][:, back]

    def difference(self) -> float:
        """Return the largest difference of the weights, word against word."""
        first, second = self.weights()
        return float(abs(first - second).max())

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture
        from matplotlib.patches import Rectangle

        picture = Picture(figsize=(6, 3.2))
        phrases: tuple[list[int], list[int]] = ([0, 1, 2], list(self.order))
        for ax, order, weights in zip(picture.subplots(1, 2), phrases, self.weights(), strict=True):
            shown = weights[order][:, order]
            ax.imshow(shown, vmin=0, vmax=1, cmap=colormap(SEQUENTIAL))
            for (i, j), weight in np.ndenumerate(shown):
                color = "white" if weight > 0.6 else "black"
                ax.text(j, i, f"{weight:.2f}", ha="center", va="center", color=color)
            corner = (order.index(self.at) - 0.47, order.index(self.looks) - 0.47)
            edge: dict[str, Any] = {"fill": False, "ec": mark("sinusoidal").color, "lw": 3}
            ax.add_patch(Rectangle(corner, 0.94, 0.94, **edge))
            words = [WORDS[i] for i in order]
            ax.set_xticks(range(3), words)
            ax.set_yticks(range(3), words)
            ax.set_title(" ".join(words))
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        first, second = (weights[self.looks, self.at] for weights in self.weights())
        return minus(
            f"OrderProblem: attention weights of '{' '.join(WORDS)}' and of "
            f"'{' '.join(WORDS[i] for i in self.order)}', {'with' if self.position else 'without'} "
            f"positions. {WORDS[self.looks]} gives {WORDS[self.at]} the weight {first:.4f} in the "
            f"first and {second:.4f} in the second. Largest difference of two weights after "
            f"undoing the new order: {self.difference():.4f}."
        )

"""What a causal mask gives away: equal attention, one marked token, one layer and two."""

from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from posenc.dot_product import attention, causal_mask
from posenc.figures.base import Figure, FigureError, Flag, Whole
from posenc.palette import SEQUENTIAL, colormap, mark
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["NopeLeak"]


class NopeLeak(Figure):
    """Every token attends equally to all that it sees; one token carries a mark of value 1."""

    tokens = Whole(8, 2, 24, "How many tokens the text has.")
    mark = Whole(1, 1, 24, "The token that carries the mark, counted from 1.")
    token = Whole(8, 1, 24, "The token that is read, counted from 1.")
    causal = Flag(True, "Whether a token sees only itself and those before it.")

    @traitlets.validate("mark", "token")
    def _check_token(self, proposal: Any) -> int:
        if proposal.value <= self.tokens:
            return int(proposal.value)
        raise FigureError(
            f"{proposal.trait.name}={proposal.value}: must be from 1 to {self.tokens}, since "
            f"tokens={self.tokens}"
        )

    @traitlets.observe("tokens")
    def _pull_inside(self, _: Any) -> None:
        for name in ("mark", "token"):
            setattr(self, name, min(getattr(self, name), self.tokens))

    def received(self) -> FloatArray:
        """Return what each token receives from the mark after one layer and after two."""
        equal = np.zeros((self.tokens, 1))
        mask = causal_mask(self.tokens) if self.causal else None
        value = np.eye(self.tokens)[self.mark - 1][:, None]
        layers = []
        for _ in range(2):
            value = attention(equal, equal, value, mask=mask)
            layers.append(value[:, 0])
        return np.array(layers)

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        picture = Picture(figsize=(6, 4.2))
        panels = picture.subplot_mosaic("a1;a2", width_ratios=[2, 3])
        numbers = np.arange(1, self.tokens + 1)
        sees = np.tri(self.tokens) if self.causal else np.ones((self.tokens, self.tokens))
        weights = sees / sees.sum(axis=1, keepdims=True)
        map_ = panels["a"]
        extent = (0.5, self.tokens + 0.5, self.tokens + 0.5, 0.5)
        map_.imshow(weights, cmap=colormap(SEQUENTIAL), vmin=0, vmax=1, extent=extent)
        map_.set(xlabel="key", ylabel="query", title="attention")
        map_.locator_params(integer=True)
        for panel, heard, title in zip(
            "12", self.received(), ("after one layer", "after two layers"), strict=True
        ):
            bars = panels[panel]
            drawn = bars.bar(numbers, heard, color=mark("none").color)
            drawn[self.mark - 1].set(hatch="//", edgecolor="white")
            bars.locator_params("x", integer=True)
            bars.set(title=title, ylim=(0, 1.05), ylabel="received")
        panels["2"].set(xlabel="token (hatched: the marked one)")
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        one, two = self.received()
        listed = ", ".join(f"{value:.3f}" for value in one)
        sees = "itself and those before it" if self.causal else "all tokens, without a mask"
        return (
            f"NoPE leak: {self.tokens} tokens attend equally to {sees}; token {self.mark} carries "
            f"a mark of value 1. After one layer the tokens have received {listed}. Token "
            f"{self.token} has received {one[self.token - 1]:.4f}, and {two[self.token - 1]:.4f} "
            f"after a second layer."
        )

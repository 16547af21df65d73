"""The spectrum of a model's pairs before and after an extension of its context."""

import itertools
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt
import traitlets

from posenc import scaling
from posenc.figures.base import Choice, Figure, FigureError, Number, Whole
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.palette import mark
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["FrequencySpectrum"]


@dataclass(frozen=True)
class Model:
    """What a released model's configuration says of its rotation, and the length it is used at."""

    dim: int
    base: float
    trained: int
    method: str = "none"
    factor: float = 1
    target: int = 4096
    truncate: bool = True
    lists: dict[str, list[float]] = field(default_factory=dict)


# What LongRoPE divides the 48 pairs of Phi-3.5 mini by, up to the trained length and beyond it.
PHI_SHORT = """1 1.02 1.03 1.03 1.05 1.05 1.05 1.05 1.05 1.07 1.1 1.11 1.16 1.16 1.17 1.29 1.34 1.68
1.79 1.82 1.85 1.88 1.91 1.94 1.99 2.02 2.02 2.02 2.02 2.02 2.02 2.03 2.03 2.03 2.03 2.03 2.03 2.03
2.03 2.03 2.08 2.09 2.19 2.22 2.59 2.73 2.75 2.84"""
PHI_LONG = """1.08 1.11 1.14 1.34 1.59 1.6 1.62 2.62 3.23 3.23 4.79 7.4 7.7 9.09 12.2 17.67 24.46
28.57 30.42 30.84 32.59 32.93 42.32 44.96 50.34 50.45 57.55 57.93 58.21 60.14 62.61 62.62 62.71
63.14 63.14 63.77 63.93 63.96 63.97 64.03 64.07 64.08 64.12 64.41 64.48 64.51 64.53 64.84"""

# From the models' config.json; Phi's lists are published as float32, here as the decimals meant.
MODELS = {
    "Llama 3.1 8B": Model(128, 5e5, 8192, "llama3", 8, 131_072),
    "Llama 2 7B": Model(128, 1e4, 4096, target=32768),
    "Code Llama 7B": Model(128, 1e6, 16384, target=100_000),
    "Qwen2.5-Coder 32B": Model(128, 1e6, 32768, "yarn", 4, 131_072),
    "gpt-oss 120B": Model(64, 1.5e5, 4096, "yarn", 32, 131_072, truncate=False),
    "Phi-3.5 mini": Model(
        *(96, 1e4, 4096, "longrope", 32, 131_072),
        lists={
            name: [float(number) for number in numbers.split()]
            for name, numbers in (("short", PHI_SHORT), ("long", PHI_LONG))
        },
    ),
}

METHODS = {
    "none": "none",
    "linear": "position interpolation",
    "ntk": "NTK-aware",
    "dynamic": "dynamic NTK",
    "yarn": "YaRN",
    "llama3": "Llama 3",
    "longrope": "LongRoPE",
}


class FrequencySpectrum(Figure):
    """The turns that every pair makes in training and at the wanted length, with a method."""

    model = Choice("Llama 2 7B", list(MODELS), "The model whose base, width and length are taken.")
    method = Choice("yarn", list(METHODS), "The method that changes the frequencies.")
    factor = Number(8.0, 1.0, 64.0, "The factor s of the method.")
    target = Whole(32768, 1024, 2**20, "The wanted length, in positions.")
    pair = Whole(46, 0, 63, "The selected pair, counted from 0 at the fastest.")

    @classmethod
    def of(cls, model: str, **settings: Any) -> "FrequencySpectrum":
        """Return the figure of a model as it was released."""
        known = MODELS.get(model)
        if known is None:
            raise FigureError(f"model={model!r}: must be one of {', '.join(map(repr, MODELS))}")
        given = {"method": known.method, "factor": known.factor, "target": known.target}
        return cls(**{"model": model, "pair": min(46, known.dim // 2 - 1), **given, **settings})

    @traitlets.validate("method")
    def _check_method(self, proposal: Any) -> str:
        if proposal.value != "longrope" or MODELS[self.model].lists:
            return str(proposal.value)
        raise FigureError(
            f"method='longrope': must be another one, since model={self.model!r} has no list of "
            "factors"
        )

    @traitlets.validate("pair")
    def _check_pair(self, proposal: Any) -> int:
        pairs = MODELS[self.model].dim // 2
        if proposal.value < pairs:
            return int(proposal.value)
        raise FigureError(
            f"pair={proposal.value}: must be from 0 to {pairs - 1}, since model={self.model!r}"
        )

    @traitlets.observe("model")
    def _fit_model(self, _: Any) -> None:
        model = MODELS[self.model]
        self.pair = min(self.pair, model.dim // 2 - 1)
        if self.method == "longrope" and not model.lists:
            self.method = "none"

    def frequencies(self) -> FloatArray:
        """Return the frequencies that the method gives, in radians per position."""
        model, s = MODELS[self.model], self.factor
        dim, base, trained = model.dim, model.base, model.trained
        plain = inv_freq(dim, base=base)
        match self.method:
            case "linear":
                return scaling.linear(plain, s)
            case "ntk":
                return inv_freq(dim, base=scaling.ntk_base(base, dim, s))
            case "dynamic":
                grown = scaling.dynamic_ntk_base(base, dim, s, self.target, trained)
                return inv_freq(dim, base=grown)
            case "yarn":
                return scaling.yarn(dim, s, trained, base=base, truncate=model.truncate)
            case "llama3":
                return scaling.llama3(plain, s, 1, 4, trained)
            case "longrope":
                which = "long" if self.target > trained else "short"
                return scaling.longrope(plain, model.lists[which])
        return plain

    @property
    def attention_factor(self) -> float:
        """The factor that the method puts on cosines and sines."""
        if self.method == "yarn":
            return scaling.yarn_attention_factor(self.factor)
        if self.method == "longrope":
            return scaling.longrope_attention_factor(self.factor, MODELS[self.model].trained)
        return 1.0

    def pair_turns(self) -> FloatArray:
        """Return the turns of every pair: in training, at the target without and with method."""
        model = MODELS[self.model]
        plain = inv_freq(model.dim, base=model.base)
        return np.array(
            [
                turns(plain, model.trained),
                turns(plain, self.target),
                turns(self.frequencies(), self.target),
            ]
        )

    def new_angles(self) -> "npt.NDArray[np.bool_]":
        """Return which pairs reach angles that training never showed."""
        trained, _, now = self.pair_turns()
        return np.asarray((trained < 1) & (now > trained * (1 + 1e-9)))

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        model = MODELS[self.model]
        trained, before, after = self.pair_turns()
        pairs, new = np.arange(trained.size), self.new_angles()
        picture = Picture(figsize=(6, 5.6))
        top, bottom = picture.subplots(2, 1, height_ratios=[3, 2])
        slow = trained < 1
        ceiling = 2 * before.max()
        top.fill_between(
            *(pairs[slow], trained[slow], ceiling),
            facecolor="#eeeeee",
            hatch="//",
            edgecolor="#bbbbbb",
            lw=0,
        )
        rope = mark("rope").color
        top.plot(pairs, trained, color="black", lw=1.5, label=f"training, {model.trained}")
        hollow = {"ls": "", "marker": "o", "ms": 4, "mfc": "none"}
        top.plot(pairs, before, color="gray", **hollow, label=f"at {self.target}, unchanged")
        name = METHODS[self.method]
        top.plot(pairs[~new], after[~new], color=rope, ls="", marker="o", ms=4, label=name)
        crosses = {"color": "#a33a1e", "ls": "", "marker": "x", "ms": 6}
        top.plot(pairs[new], after[new], **crosses, label="angles never seen")
        top.set(yscale="log", xlabel="pair", ylabel="turns", ylim=(trained.min() / 2, ceiling))
        top.legend(fontsize=9)
        top.set_title(f"{self.model}, {name}", size=12)
        distances = np.unique(np.geomspace(1, self.target, 400).astype(int))
        plain = inv_freq(model.dim, base=model.base)
        for frequencies, look in (
            (plain, {"color": "gray", "lw": 0.8, "label": "unchanged"}),
            (self.frequencies(), {"color": rope, "lw": 1.4, "label": name}),
        ):
            bottom.plot(distances, np.cos(np.outer(distances, frequencies)).sum(-1), **look)
        bottom.axhline(0, color="black", lw=0.8)
        bottom.axvline(model.trained, color="black", lw=0.8, ls=":")
        bottom.set(xscale="log", xlabel="distance, in positions", ylabel="sum of cosines")
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        model = MODELS[self.model]
        trained, _, after = self.pair_turns()
        plain = inv_freq(model.dim, base=model.base)
        fates = " then ".join(
            f"{len(list(run))} {fate}"
            for fate, run in itertools.groupby(
                "kept" if ratio > 1 - 1e-9 else "slowed" for ratio in self.frequencies() / plain
            )
        )
        new = self.new_angles()
        wave = wavelengths(self.frequencies())[self.pair]
        return (
            f"Frequency spectrum: {self.model}, width {model.dim}, base {model.base:g}, trained on "
            f"{model.trained} positions, read at {self.target} with {METHODS[self.method]}, factor "
            f"{self.factor:g}. Pairs from fast to slow: {fates}. {int(new.sum())} of {new.size} "
            f"pairs reach angles that training never showed. Attention factor "
            f"{self.attention_factor:.4f}. Pair {self.pair} has a wavelength of {wave:.4g} and "
            f"makes {after[self.pair]:.3g} turns, {trained[self.pair]:.3g} in training."
        )

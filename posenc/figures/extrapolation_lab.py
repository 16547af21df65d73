"""What trained models lose on texts longer than those of their training."""

import itertools
import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import traitlets

from posenc.figures.base import Choice, Figure, FigureError, Setting, Whole
from posenc.palette import SCHEMES, mark

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["ExtrapolationLab"]

WINDOW = "sliding window"
LABELS = {
    "none": "NoPE",
    "t5_32": "T5 to 32",
    "t5_128": "T5 to 128",
    "linear": "PI",
    "ntk": "NTK",
    "ntk, factor 2.5 times": "NTK, factor \N{MULTIPLICATION SIGN} 2.5",
    "yarn": "YaRN",
    "yarn, ramp in turns": "YaRN by turns",
}
GROUPS = ("scheme", "stretch", "tuned")
MEASURES = {"mean": "mean loss", "tail": "loss at the end", "position": "loss by position"}
# RoPE's rescues share its colour: the marker tells the method, the dash whether it was tuned.
MARKERS = {
    "none": "P",
    "linear": "o",
    "ntk": "s",
    "ntk, factor 2.5 times": "D",
    "yarn": "^",
    "yarn, ramp in turns": "v",
    WINDOW: "x",
}
DASHES = {"stretch": (3, 2), "tuned": (6, 2, 1, 2)}
T5 = {"t5_32": ((3, 2), "D"), "t5_128": ((2, 1), "v")}  # two schemes of one colour


def _numbers(value: Any, count: int) -> bool:
    return (
        isinstance(value, (list, tuple))
        and len(value) == count
        and all(
            isinstance(x, (int, float)) and not isinstance(x, bool) and math.isfinite(x)
            for x in value
        )
    )


class Results(Setting):
    """Losses of several curves, by length and by position."""

    def __init__(self, help_text: str) -> None:
        allowed = "results as ExtrapolationLab.of makes them from posenc.trained"
        super().__init__({}, allowed, {"kind": "results"}, help_text)

    def clean(self, value: Any) -> dict[str, Any] | None:
        """Return ``value`` if it is complete, or ``None``."""
        if not isinstance(value, dict) or set(value) != {"about", "bins", "curves"}:
            return None
        about, bins, curves = value["about"], value["bins"], value["curves"]
        good = (
            _numbers(about, 4)
            and _numbers(bins, len(bins) if isinstance(bins, list) else -1)
            and isinstance(curves, list)
            and curves
            and all(self._complete(curve, len(bins) - 1) for curve in curves)
            and len({curve["name"] for curve in curves}) == len(curves)
        )
        return value if good else None

    @staticmethod
    def _complete(curve: Any, places: int) -> bool:
        texts = ("name", "label", "group", "scheme", "marker")
        if not isinstance(curve, dict) or set(curve) != {*texts, "dash", *MEASURES}:
            return False
        by_length = (curve["mean"], curve["tail"])
        return (
            all(isinstance(curve[key], str) for key in texts)
            and curve["scheme"] in SCHEMES
            and curve["group"] in GROUPS
            and all(isinstance(rows, list) and rows for rows in by_length)
            and all(_numbers(row, 4) for rows in by_length for row in rows)
            and isinstance(curve["position"], list)
            and len(curve["position"]) in {0, places}
            and all(_numbers(row, 3) for row in curve["position"])
        )


class Names(Setting):
    """Some names, each once."""

    def __init__(self, help_text: str) -> None:
        super().__init__([], "a list of names, each once", {"kind": "names"}, help_text)

    def clean(self, value: Any) -> list[str] | None:
        """Return ``value`` as a list, or ``None``."""
        good = isinstance(value, (list, tuple)) and all(isinstance(name, str) for name in value)
        return list(value) if good and len(set(value)) == len(value) else None


def _spread(seeds: Sequence[float]) -> list[float]:
    """Return mean, lowest and highest of the seeds, in as many digits as the page needs."""
    return [float(f"{x:.4g}") for x in (sum(seeds) / len(seeds), min(seeds), max(seeds))]


class ExtrapolationLab(Figure):
    """Loss against length or position, for trained schemes and for RoPE's rescues.

    ``ExtrapolationLab.of(posenc.trained)`` shows the book's results. A curve is called by its
    group and name, ``"scheme/rope"`` or ``"stretch/ntk"``.
    """

    results = Results("What was measured.")
    shown = Names("The curves that are shown, by their names.")
    measure = Choice("mean", list(MEASURES), "The loss that is shown.")
    at = Whole(512, 0, 4096, "The length or position whose numbers are listed, in characters.")

    def __init__(self, results: dict[str, Any], **settings: Any) -> None:
        super().__init__(results=results, **settings)

    @traitlets.default("shown")
    def _every_scheme(self) -> list[str]:
        return [c["name"] for c in self.results["curves"] if c["group"] == "scheme"]

    @classmethod
    def of(
        cls,
        trained: Callable[[str], Mapping[str, Any]],
        *,
        rescues: Iterable[str] = (),
        **settings: Any,
    ) -> "ExtrapolationLab":
        """Return the figure of trained results; ``trained`` returns one experiment by its name.

        ``rescues`` names experiments with a stretched RoPE to offer beside the schemes:
        ``"stretch"`` without tuning, ``"tuned"`` with it.
        """
        setup, schemes = trained("setup"), trained("length")
        rope = schemes["rope"]
        window = {
            kind: {"1": rope[kind]["1"], **rope["windowed"][kind]} for kind in ("mean", "tail")
        }
        groups: dict[str, dict[str, Any]] = {"scheme": {**schemes}, "stretch": {}, "tuned": {}}
        for group in rescues:
            groups[group] = {**trained(group)}
        groups["stretch"].pop("none", None)  # that is RoPE itself
        groups["stretch"][WINDOW] = window
        for name, by_steps in groups["tuned"].items():
            groups["tuned"][name] = by_steps[max(by_steps, key=int)]
        curves = [
            _curve(group, name, value)
            for group, entries in groups.items()
            for name, value in entries.items()
        ]
        length, bins = setup["length"]["length"], [*setup["length"]["bins"]]
        tail, entropy = setup["length"]["tail"], setup["corpus"]["unigram_entropy"]
        about = [length, tail, len(setup["seeds"]), entropy]
        results = {"about": about, "bins": bins, "curves": curves}
        return cls(results, **{"at": 8 * length, **settings})

    @traitlets.validate("shown")
    def _check_shown(self, proposal: Any) -> list[str]:
        known = [curve["name"] for curve in self.results["curves"]]
        if set(proposal.value) <= set(known):
            return [name for name in known if name in proposal.value]
        raise FigureError(
            f"shown={proposal.value!r}: must be some of {', '.join(map(repr, known))}"
        )

    def curves(self) -> list[dict[str, Any]]:
        """Return the curves that are shown and have been measured in this way."""
        return [c for c in self.results["curves"] if c["name"] in self.shown and c[self.measure]]

    def points(self, curve: dict[str, Any]) -> list[tuple[float, ...]]:
        """Return place, mean, lowest and highest of each point, places in characters."""
        if self.measure != "position":
            return [(self.results["about"][0] * row[0], *row[1:]) for row in curve[self.measure]]
        bins = self.results["bins"]
        middles = [(a + b - 1) / 2 for a, b in itertools.pairwise(bins)]
        return [(m, *row) for m, row in zip(middles, curve["position"], strict=True)]

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture

        picture = Picture(figsize=(6, 4.4))
        ax = picture.subplots()
        by_length = self.measure != "position"
        for curve in self.curves():
            x, mean, low, high = zip(*self.points(curve), strict=True)
            line = {"color": mark(curve["scheme"]).color, "label": curve["label"]}
            dash = (0, curve["dash"]) if curve["dash"] else "solid"
            every = 1 if by_length else (1, 3)  # points by position are many
            ax.plot(x, mean, ls=dash, marker=curve["marker"], markevery=every, **line)
            ax.fill_between(x, low, high, color=line["color"], alpha=0.2, lw=0)
        length = self.results["about"][0]
        if by_length:
            ax.set_xscale("log", base=2)
            places = sorted({x for c in self.results["curves"] for x, *_ in self.points(c)})
            ax.set_xticks(places, [f"{x:g}" for x in places])
            ax.set(xlabel="length, in characters")
        else:
            ax.set_xscale("symlog", linthresh=4, base=2)
            ax.axvline(length, color="gray", ls=":")
            ax.set_xticks([0, 4, 16, 64, 256], ["0", "4", "16", "64", "256"])
            ax.set(xlabel="position, in characters")
        ax.set(ylabel="loss, nats a character", title=MEASURES[self.measure])
        if self.curves():
            picture.legend(loc="outside lower center", ncols=3, fontsize=9)
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        length, _, seeds, _ = self.results["about"]
        listed = []
        for curve in self.curves():
            place, mean, low, high = min(self.points(curve), key=lambda p: abs(p[0] - self.at))
            listed.append(f"{curve['label']} {mean:.3f} ({low:.3f} to {high:.3f}) at {place:g}")
        return (
            f"Extrapolation lab: {MEASURES[self.measure]}, in nats a character, of models trained "
            f"on {length:g} characters, mean of {seeds:g} seeds and their range. Nearest to "
            f"{self.at} characters: {'; '.join(listed) or 'no curve is shown'}."
        )


def _curve(group: str, name: str, value: Mapping[str, Any]) -> dict[str, Any]:
    """Return a curve from one entry of the results."""
    if group == "scheme":
        scheme = "t5" if name in T5 else name
        look = mark(scheme)
        dash, marker = T5.get(name, (look.dash, look.marker))
        label = LABELS.get(name, look.label)
    else:
        scheme, dash, marker = "rope", DASHES[group], MARKERS.get(name, "o")
        label = "RoPE" if name == "none" else LABELS.get(name, name)
    return {
        "name": f"{group}/{name}",
        "label": f"{label}, tuned" if group == "tuned" else label,
        "group": group,
        "scheme": scheme,
        "dash": list(dash),
        "marker": marker,
        **{
            kind: [[int(multiple), *_spread(seeds)] for multiple, seeds in value[kind].items()]
            for kind in ("mean", "tail")
        },
        "position": [_spread(seeds) for seeds in zip(*value.get("by_position", []), strict=True)],
    }

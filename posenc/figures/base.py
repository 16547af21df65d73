"""What all live figures share: checked settings, a picture and words for where nothing is alive."""

import base64
import io
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anywidget
import numpy as np
import traitlets

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = [
    "Choice",
    "Figure",
    "FigureError",
    "Flag",
    "Number",
    "Order",
    "Setting",
    "Whole",
    "minus",
]

STATIC = Path(__file__).parent / "static"


class FigureError(traitlets.TraitError, ValueError):
    """A setting has a value that its figure cannot show."""


class Setting(traitlets.TraitType[Any, Any]):
    """A setting of a figure: what the reader's controls and Python both read and set.

    ``spec`` says which values it takes, in a form that the figure's JavaScript checks too.
    """

    def __init__(self, default: Any, allowed: str, spec: dict[str, Any], help_text: str) -> None:
        super().__init__(default, help=help_text)
        self.allowed = allowed
        self.spec = spec
        self.tag(sync=True)

    def clean(self, value: Any) -> Any:
        """Return ``value`` in its clean form, or ``None`` if it is not allowed."""
        raise NotImplementedError

    def validate(self, obj: Any, value: Any) -> Any:
        """Return the clean value, or raise ``FigureError`` with name, value and what is allowed."""
        result = self.clean(value)
        if result is None:
            raise FigureError(f"{self.name}={value!r}: must be {self.allowed}")
        return result


def _is_number(value: Any) -> bool:
    number = isinstance(value, (int, float, np.integer, np.floating))
    return number and not isinstance(value, bool) and math.isfinite(value)


class Whole(Setting):
    """A whole number from ``low`` to ``high``."""

    def __init__(
        self, default: int, low: int, high: int, help_text: str, *, even: bool = False
    ) -> None:
        kind = "an even number" if even else "a whole number"
        spec = {"kind": "whole", "low": low, "high": high} | ({"even": True} if even else {})
        super().__init__(default, f"{kind} from {low} to {high}", spec, help_text)
        self.low, self.high, self.step = low, high, 2 if even else 1

    def clean(self, value: Any) -> int | None:
        """Return ``value`` as an int, or ``None``."""
        if not _is_number(value) or value != int(value) or value % self.step:
            return None
        return int(value) if self.low <= value <= self.high else None


class Number(Setting):
    """A finite number from ``low`` to ``high``."""

    def __init__(self, default: float, low: float, high: float, help_text: str) -> None:
        allowed = f"a number from {low:.15g} to {high:.15g}"
        super().__init__(default, allowed, {"kind": "number", "low": low, "high": high}, help_text)
        self.low, self.high = low, high

    def clean(self, value: Any) -> float | None:
        """Return ``value`` as a float, or ``None``."""
        return float(value) if _is_number(value) and self.low <= value <= self.high else None


class Flag(Setting):
    """True or false."""

    def __init__(self, default: bool, help_text: str) -> None:
        super().__init__(default, "True or False", {"kind": "flag"}, help_text)

    def clean(self, value: Any) -> bool | None:
        """Return ``value`` as a bool, or ``None``."""
        return bool(value) if isinstance(value, (bool, np.bool_)) else None


class Choice(Setting):
    """One of a few names."""

    def __init__(self, default: str, names: list[str], help_text: str) -> None:
        allowed = f"one of {', '.join(map(repr, names))}"
        super().__init__(default, allowed, {"kind": "choice", "names": names}, help_text)
        self.names = names

    def clean(self, value: Any) -> str | None:
        """Return ``value`` if it is one of the names, or ``None``."""
        return value if isinstance(value, str) and value in self.names else None


class Order(Setting):
    """The numbers 0 to ``size - 1`` in some order."""

    def __init__(self, default: list[int], help_text: str) -> None:
        size = len(default)
        allowed = f"the numbers 0 to {size - 1} in some order"
        super().__init__(default, allowed, {"kind": "order", "size": size}, help_text)
        self.size = size

    def clean(self, value: Any) -> list[int] | None:
        """Return ``value`` as a list, or ``None``."""
        numbers = list(value) if isinstance(value, (list, tuple, np.ndarray)) else []
        if not all(map(_is_number, numbers)) or sorted(numbers) != list(range(self.size)):
            return None
        return [int(number) for number in numbers]


def minus(text: str) -> str:
    """Return ``text`` with real minus signs, as the live figures write them."""
    return text.replace("-", "\N{MINUS SIGN}")


class Figure(anywidget.AnyWidget):
    """A live figure: settings that its controls and Python share.

    Every setting can be given by name, read back, and set later; ``reset`` returns to the first
    values. A subclass draws ``picture`` and writes ``describe``: both stand for the figure where
    nothing is alive, in a PDF, on GitHub, and without JavaScript.
    """

    _initial = traitlets.Dict(help="The settings that reset returns to.").tag(sync=True)

    def __init__(self, **settings: Any) -> None:
        known = self.specs()
        for name in settings:
            if name not in known:
                figure = type(self).__name__
                raise FigureError(f"{figure} has no setting {name!r}: it has {', '.join(known)}")
        super().__init__(**settings)
        self._initial = self.settings()

    # Read when a figure is made: its files are built from the settings below.
    @property
    def _esm(self) -> str:
        return (STATIC / f"{type(self).__name__}.js").read_text(encoding="utf-8")

    @property
    def _css(self) -> str:
        return (STATIC / "figures.css").read_text(encoding="utf-8")

    @classmethod
    def specs(cls) -> dict[str, dict[str, Any]]:
        """Return which values each setting takes."""
        traits = {name: getattr(cls, name) for name in cls.class_trait_names()}
        # In the order in which the class lists them.
        order = [name for base in reversed(cls.__mro__) for name in vars(base)]
        settings = [name for name in order if isinstance(traits.get(name), Setting)]
        return {name: traits[name].spec for name in settings}

    def settings(self) -> dict[str, Any]:
        """Return every setting with its value."""
        return {name: getattr(self, name) for name in self.specs()}

    def reset(self) -> None:
        """Return to the settings that the figure was made with."""
        with self.hold_trait_notifications():
            for name, value in self._initial.items():
                setattr(self, name, value)

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        raise NotImplementedError

    def describe(self) -> str:
        """Return in words what the figure shows."""
        raise NotImplementedError

    def _inside(self, name: str, value: int, size: str) -> int:
        count = getattr(self, size)
        if value < count:
            return value
        raise FigureError(f"{name}={value}: must be from 0 to {count - 1}, since {size}={count}")

    def _pull(self, names: tuple[str, ...], size: str) -> None:
        """Move what a smaller ``size`` would leave outside to the last place inside."""
        for name in names:
            setattr(self, name, min(getattr(self, name), getattr(self, size) - 1))

    def _still(self) -> tuple[dict[str, Any], dict[str, Any]]:
        import matplotlib as mpl
        from matplotlib.backends.backend_agg import FigureCanvasAgg

        from posenc.palette import use_style

        with mpl.rc_context():
            use_style()
            picture = self.picture()
            FigureCanvasAgg(picture)
            png = io.BytesIO()
            picture.savefig(png, format="png")
        return {"image/png": base64.b64encode(png.getvalue()).decode()}, {}

    # ipywidgets 7, which Colab has, would show a figure by this and leave its words out.
    _ipython_display_ = None

    def _repr_mimebundle_(self, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        bundle = super()._repr_mimebundle_(**options)
        data, metadata = bundle or ({}, {})  # nothing if the figure has been closed
        still, still_metadata = self._still()
        return data | still | {"text/plain": self.describe()}, metadata | still_metadata

    def __repr__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.settings().items())
        return f"{type(self).__name__}({settings})"

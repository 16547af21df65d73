"""Settings of the live figures: what they take, what they refuse, and what they say then."""

import numpy as np
import pytest
import traitlets

from posenc import figures

KINDS = [
    kind
    for kind in (getattr(figures, name) for name in figures.__all__)
    if issubclass(kind, figures.Figure) and kind.specs()
]


def outside(spec):
    """Return values that a setting must refuse."""
    common = [None, "many", float("nan"), float("inf"), {}]
    match spec["kind"]:
        case "whole":
            odd = [spec["low"] + 1] if spec.get("even") else []
            return [*common, *odd, spec["low"] - 1, spec["high"] + 1, spec["low"] + 0.5, True]
        case "number":
            return [*common, spec["low"] - 0.01, spec["high"] + 0.01, True]
        case "flag":
            return [*common, 2]
        case "choice":
            return [*common, spec["names"][0] + "x", 0]
        case "order":
            size = spec["size"]
            return [*common, [], [0] * size, list(range(1, size + 1)), [*range(size), 0], "012"]
    return common


BAD = [
    (kind, name, value)
    for kind in KINDS
    for name, spec in kind.specs().items()
    for value in outside(spec)
]


@pytest.mark.parametrize(("kind", "name", "value"), BAD)
def test_refuses_at_once(kind, name, value):
    with pytest.raises(figures.FigureError) as made:
        kind(**{name: value})
    figure = kind()
    before = figure.settings()
    with pytest.raises(figures.FigureError) as changed:
        setattr(figure, name, value)
    for error in (made, changed):
        assert str(error.value).startswith(f"{name}={value!r}: must be ")
    assert figure.settings() == before


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_an_unknown_setting(kind):
    with pytest.raises(figures.FigureError, match=r"has no setting 'sise': it has "):
        kind(sise=3)


@pytest.mark.parametrize("kind", KINDS)
def test_reset_returns_to_the_first_settings(kind):
    figure = kind()
    first = figure.settings()
    for name, spec in kind.specs().items():
        if spec["kind"] in {"whole", "number"}:
            setattr(figure, name, spec["low"])
        if spec["kind"] == "flag":
            setattr(figure, name, not getattr(figure, name))
    assert figure.settings() != first
    figure.reset()
    assert figure.settings() == first


@pytest.mark.parametrize("kind", KINDS)
def test_words_and_picture_stand_for_the_figure(kind):
    data, _ = kind()._repr_mimebundle_()
    assert len(data["text/plain"].split()) >= 8
    assert "0x" not in data["text/plain"]
    assert {"image/png", "text/markdown"} & set(data)
    assert data["text/plain"] == kind()._repr_mimebundle_()[0]["text/plain"]
    assert repr(kind()) == repr(kind())


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_explained(kind):
    for name in kind.specs():
        assert getattr(kind, name).help.endswith(".")


def test_numpy_numbers_are_taken():
    figure = figures.Fingerprint(dim=np.int64(32), base=np.float32(500))
    assert figure.settings()["dim"] == 32
    assert type(figure.dim) is int
    assert type(figure.base) is float


def test_an_error_is_of_both_worlds():
    assert issubclass(figures.FigureError, (ValueError,))
    assert issubclass(figures.FigureError, traitlets.TraitError)


def test_fingerprint_positions_stay_on_the_map():
    with pytest.raises(
        figures.FigureError, match=r"position=24: must be from 0 to 23, since length=24"
    ):
        figures.Fingerprint(position=24)
    figure = figures.Fingerprint(length=128, position=100, compare=3, dim=64, dimension=63)
    figure.length, figure.dim = 50, 8
    assert (figure.position, figure.compare, figure.dimension) == (49, 3, 7)
    with pytest.raises(figures.FigureError, match=r"dimension=8: must be from 0 to 7, since dim=8"):
        figure.dimension = 8


def test_fingerprint_words_hold_the_numbers_of_the_sources():
    words = figures.Fingerprint().describe()
    for number in ("−0.76, −0.65, 0.95, 0.30", "0.9356", "20.7"):
        assert number in words
    words = figures.Fingerprint(dim=32, length=64, position=12, compare=13, dimension=4).describe()
    assert "−0.61" in words
    assert "19.9" in words

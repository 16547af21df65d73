"""The palette on white and turned over by the dark page, for every kind of colour vision."""

import itertools
import logging

import matplotlib as mpl
import numpy as np
import pytest

from posenc.palette import DIVERGING, SCHEMES, SEQUENTIAL, colormap, mark, use_style

# Machado, Oliveira and Fernandes 2009, severity 1, on linear RGB.
VISION = {
    "full": np.eye(3),
    "protan": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deutan": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritan": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
# hue-rotate(180deg) of the CSS filter effects module
HUE_180 = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])


def rgb(color):
    return np.array(mpl.colors.to_rgb(color))


def linear(c):
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)


def turned_over(c):
    return np.clip(HUE_180 @ (1 - c), 0, 1)


def luminance(c):
    return linear(c) @ [0.2126, 0.7152, 0.0722]


def oklab(c, vision):
    seen = np.clip(np.asarray(VISION[vision]) @ linear(c), 0, 1)
    lms = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    lab = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return lab @ np.cbrt(lms @ seen)


@pytest.mark.parametrize("scheme", SCHEMES)
def test_contrast_on_white_and_on_black(scheme):
    color = rgb(mark(scheme).color)
    assert 1.05 / (luminance(color) + 0.05) >= 3
    assert (luminance(turned_over(color)) + 0.05) / 0.05 >= 3


@pytest.mark.parametrize("vision", VISION)
@pytest.mark.parametrize("page", [lambda c: c, turned_over], ids=["light", "dark"])
def test_any_two_colours_stay_apart(vision, page):
    seen = {name: oklab(page(rgb(m.color)), vision) for name, m in SCHEMES.items()}
    for a, b in itertools.combinations(seen, 2):
        assert np.linalg.norm(seen[a] - seen[b]) > 0.10, (a, b)


def test_never_colour_alone():
    for channel in ("color", "dash", "marker", "label"):
        assert len({getattr(m, channel) for m in SCHEMES.values()}) == len(SCHEMES)


def test_unknown_scheme_names_the_known_ones():
    with pytest.raises(ValueError, match=r"scheme='rop'.*'rope'"):
        mark("rop")


def test_diverging_map_is_neutral_at_zero_and_darkens_both_ways():
    values = [luminance(np.array(colormap(DIVERGING)(t)[:3])) for t in np.linspace(0, 1, 101)]
    assert values[50] == pytest.approx(1)
    assert (np.diff(values[:51]) > 0).all()
    assert (np.diff(values[50:]) < 0).all()
    assert values[0] == pytest.approx(values[100], abs=0.08)


def test_sequential_map_darkens():
    values = [luminance(np.array(colormap(SEQUENTIAL)(t)[:3])) for t in np.linspace(0, 1, 101)]
    assert (np.diff(values) < 0).all()


def test_style_draws_every_mark_without_a_warning(caplog, tmp_path):
    with mpl.rc_context(), caplog.at_level(logging.WARNING):
        use_style()
        from matplotlib.figure import Figure

        files = []
        for name in ("a.svg", "b.svg"):
            figure = Figure()
            axes = figure.subplots()
            for i, m in enumerate(SCHEMES.values()):
                axes.plot([0, 1], [i, i], label=m.label, **m.line)
            axes.legend()
            figure.savefig(tmp_path / name, metadata={"Date": None})
            files.append((tmp_path / name).read_text())
        assert files[0] == files[1]
        assert "ALiBi</text>" in files[0]
    assert not caplog.records

"""Write what the figures' JavaScript takes from Python: colours, settings, golden vectors.

    python tools/make_js_data.py

The files say where they come from; tests check that they are up to date.
"""

import itertools
import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path
from typing import Any

import lesson
import numpy as np

from posenc import figures, palette, scaling
from posenc.alibi import alibi_slopes
from posenc.dot_product import attention, attention_weights, causal_mask
from posenc.figures import frequency_spectrum
from posenc.figures.draws import normals
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.relative import t5_bucket
from posenc.sinusoids import sinusoidal

ROOT = lesson.ROOT
ORIGIN = "Written by tools/make_js_data.py: do not edit."

# What `invert(1) hue-rotate(180deg)` makes of a colour: the book's dark pages show pictures so.
TURN = np.array([[-0.574, 1.430, 0.144], [0.426, 0.430, 0.144], [0.426, 1.430, -0.856]])


def turned_over(color: str) -> str:
    """Return a colour as a dark page shows it."""
    rgb = np.array([int(color[i : i + 2], 16) for i in (1, 3, 5)]) / 255
    turned = np.clip(TURN @ (1 - rgb), 0, 1)
    return "#" + "".join(f"{round(255 * channel):02x}" for channel in turned)


def palette_css() -> str:
    """Return the palette as CSS variables, for light and for dark."""
    colors = {f"--pf-{name}": mark.color for name, mark in palette.SCHEMES.items()}
    for prefix, stops in (("d", palette.DIVERGING), ("s", palette.SEQUENTIAL)):
        colors |= {f"--pf-{prefix}{i}": stop for i, stop in enumerate(stops)}

    def block(selector: str, turn: Callable[[str], str]) -> str:
        # White is the page, whatever its colour is.
        shown = {k: "var(--pf-paper)" if c == "#ffffff" else turn(c) for k, c in colors.items()}
        lines = "".join(f"  {name}: {color};\n" for name, color in shown.items())
        return f"{selector} {{\n{lines}}}\n"

    pages = "html[data-theme=dark], [data-jp-theme-light=false], html[theme=dark], .vscode-dark"
    dark = f":is({pages}) .pf"
    return f"/* {ORIGIN} */\n" + block(".pf", str) + block(dark, turned_over)


def palette_js() -> str:
    """Return the palette as a module: stops of the maps, dash patterns of the schemes."""
    schemes = {
        name: {"label": mark.label, "dash": list(mark.dash), "marker": mark.marker}
        for name, mark in palette.SCHEMES.items()
    }
    maps = {"DIVERGING": palette.DIVERGING, "SEQUENTIAL": palette.SEQUENTIAL}
    both = {
        name: {"light": stops, "dark": [turned_over(stop) for stop in stops]}
        for name, stops in maps.items()
    }
    return (
        f"// {ORIGIN}\n"
        + "".join(f"export const {name} = {json.dumps(stops)};\n" for name, stops in both.items())
        + f"export const SCHEMES = {json.dumps(schemes, indent=2)};\n"
    )


def settings_js() -> str:
    """Return which values the settings of each figure take."""
    exported = [getattr(figures, name) for name in figures.__all__]
    kinds = [kind for kind in exported if issubclass(kind, figures.Figure) and kind.specs()]
    lines = [f"export const {kind.__name__} = {json.dumps(kind.specs())};\n" for kind in kinds]
    return f"// {ORIGIN}\n" + "".join(lines)


def models_js() -> str:
    """Return the models and methods of the frequency spectrum."""
    models = {name: asdict(model) for name, model in frequency_spectrum.MODELS.items()}
    return (
        f"// {ORIGIN}\nexport const MODELS = {json.dumps(models)};\n"
        f"export const METHODS = {json.dumps(frequency_spectrum.METHODS)};\n"
    )


def golden() -> dict[str, Any]:
    """Return inputs and what posenc makes of them."""
    rng = np.random.default_rng(1)
    cases = []
    for dim, base in [(2, 10000.0), (4, 10.0), (16, 10000.0), (32, 1e6), (128, 500.0)]:
        w = inv_freq(dim, base=base)
        positions = [*range(4), *rng.integers(4, 2000, 4).tolist(), -7, 0.5]
        offsets = [0, 1, 16, 19, 355, 1999]
        cases.append(
            {
                "dim": dim,
                "base": base,
                "inv_freq": w.tolist(),
                "wavelengths": wavelengths(w).tolist(),
                "turns": turns(w, 44).tolist(),
                "positions": positions,
                "codes": sinusoidal(positions, dim, base=base, dtype=np.float64).tolist(),
                "offsets": offsets,
                "distance": np.linalg.norm(
                    sinusoidal(offsets, dim, base=base, dtype=np.float64)
                    - sinusoidal(0, dim, base=base, dtype=np.float64),
                    axis=-1,
                ).tolist(),
                "similarity": np.cos(np.multiply.outer(offsets, w)).mean(axis=-1).tolist(),
            }
        )
    tokens = rng.normal(size=(4, 6))
    return {
        "origin": ORIGIN,
        "codes": cases,
        "attention": {
            "tokens": tokens.tolist(),
            "weights": attention_weights(tokens, tokens).tolist(),
        },
    }


def golden_extension() -> dict[str, Any]:
    """Return what posenc makes of slopes, of equal attention and of extensions of the context."""
    rng = np.random.default_rng(2)
    marks = [np.eye(n)[mark] for n, mark in [(1, 0), (8, 0), (12, 3), (32, 31)]]
    equal = [
        {
            "values": values.tolist(),
            "causal": causal,
            "received": attention(
                *np.zeros((2, values.size, 1)),
                values[:, None],
                mask=causal_mask(values.size) if causal else None,
            )[:, 0].tolist(),
        }
        for values in [*marks, rng.normal(size=9)]
        for causal in (True, False)
    ]
    extensions = []
    for dim, base, trained, factor, target, truncate in [
        (128, 10000.0, 4096, 16, 65536, True),
        (128, 500000.0, 8192, 8, 131072, True),
        (64, 150000.0, 4096, 32, 131072, False),
        (96, 10000.0, 4096, 2.5, 4095, True),
        (4, 1e6, 32768, 1, 40000, False),
        (16, 10000.0, 64, 4, 512, True),
        (8, 3.0, 200, 8, 900, True),  # the ramp ends past the last pair
    ]:
        w, factors = inv_freq(dim, base=base), rng.uniform(1, 64, dim // 2)
        extensions.append(
            {
                "dim": dim,
                "base": base,
                "trained": trained,
                "factor": factor,
                "target": target,
                "truncate": truncate,
                "factors": factors.tolist(),
                "linear": (scaling.linear(w, factor) / w).tolist(),
                "ntk_base": scaling.ntk_base(base, dim, factor) / base,
                "dynamic_ntk_base": scaling.dynamic_ntk_base(base, dim, factor, target, trained)
                / base,
                "yarn": (
                    scaling.yarn(dim, factor, trained, base=base, truncate=truncate) / w
                ).tolist(),
                "llama3": (scaling.llama3(w, factor, 1, 4, trained) / w).tolist(),
                "longrope": (scaling.longrope(w, factors) / w).tolist(),
                "attention_factors": [
                    scaling.yarn_attention_factor(factor),
                    scaling.longrope_attention_factor(factor, trained),
                ],
            }
        )
    spectra = []
    for model, method in itertools.product(
        frequency_spectrum.MODELS, [*frequency_spectrum.METHODS]
    ):
        if method == "longrope" and not frequency_spectrum.MODELS[model].lists:
            continue
        for factor, target in ((2.0, 2048), (8.0, 32768), (11.3, 70_000)):
            figure = figures.FrequencySpectrum(model=model, factor=factor, target=target, pair=0)
            figure.method = method
            spectra.append(
                {
                    "settings": figure.settings(),
                    "turns": figure.pair_turns()[2, ::8].tolist(),  # some pairs are enough
                    "new": int(figure.new_angles().sum()),
                    "attention_factor": figure.attention_factor,
                }
            )
    return {
        "origin": ORIGIN,
        "spectra": spectra,
        "slopes": [alibi_slopes(n).tolist() for n in range(1, 41)],
        "equal": equal,
        "extensions": extensions,
    }


def golden_scores() -> dict[str, Any]:
    """Return what the figures about scores show, at a few settings."""
    compared = [
        {},
        {"dim": 2, "offsets": 2, "seed": 1},
        {"dim": 128, "offsets": 40, "first": 127, "second": 127, "third": 3, "seed": 9999},
        {"dim": 30, "offsets": 128, "first": 90, "second": 1, "third": 5, "seed": 7},
    ]
    terms = [
        {"weights": weights, "norm": norm, "scale": scale, "seed": seed}
        for weights, norm, scale, seed in [
            ("identity", 5.66, 1.0, 0),
            ("identity", 0.5, 1.0, 1),
            ("identity", 16.0, 0.35, 4321),
            ("random", 8.0, 1.0, 2),
            ("random", 0.0, 2.0, 9999),
            ("commuting", 2.0, 1.0, 3),
            ("commuting", 0.0, 3.0, 5),
            ("identity", 4.0, 0.0, 6),
        ]
    ]
    return {
        "origin": ORIGIN,
        "draws": [
            {"seed": seed, "part": part, "normals": normals(seed, part, count).tolist()}
            for seed, part, count in [(0, 0, 6), (0, 1, 5), (9999, 3, 4), (2**29, 7, 3)]
        ],
        "buckets": t5_bucket(np.arange(-130, 131)).tolist(),
        "compared": [_compared(figures.CompareSchemes(**settings)) for settings in compared],
        "terms": [_terms(figures.ScoreTerms(**settings)) for settings in terms],
        "pairs": [
            {"theta": theta, "curve": figures.RopePair(theta=theta).curve().tolist()}
            for theta in (26.0, 0.0, 57.3, 180.0)
        ],
    }


def _compared(figure: figures.CompareSchemes) -> dict[str, Any]:
    """Return the settings and what each scheme gives."""
    found = {}
    for name in figure.specs()["scheme"]["names"]:
        result = figure.measured(name)
        found[name] = {
            "curves": result.curves[:, :: max(1, figure.offsets // 8)].tolist(),
            "range": float(result.score_range),
            "spread": float(result.spread),
            "ratio": float(result.norm_ratio),
        }
    return {"settings": figure.settings(), "found": found}


def _terms(figure: figures.ScoreTerms) -> dict[str, Any]:
    """Return the settings, the shares, and some cells of the terms and the score."""
    terms = figure.terms()
    cells = np.stack([*terms, terms.total])[:, ::13, ::9]
    shares = {name: float(share) for name, share in figure.shares()._asdict().items()}
    return {"settings": figure.settings(), "shares": shares, "cells": cells.tolist()}


def made() -> dict[Path, str]:
    """Return every file with its content."""
    return {
        ROOT / "js/src/palette.js": palette_js(),
        ROOT / "js/src/palette.css": palette_css(),
        ROOT / "js/src/settings.js": settings_js(),
        ROOT / "js/src/models.js": models_js(),
        ROOT / "tests/golden/js/formulas.json": json.dumps(golden(), indent=1) + "\n",
        ROOT / "tests/golden/js/extension.json": json.dumps(golden_extension()) + "\n",
        ROOT / "tests/golden/js/scores.json": json.dumps(golden_scores()) + "\n",
    }


if __name__ == "__main__":
    for path, content in made().items():
        path.write_text(content)
        print(path.relative_to(ROOT))

"""The configuration doctor: what a model's ``config.json`` does to each pair, and what is odd."""

import difflib
import html
import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from itertools import groupby
from typing import Any, Literal

import numpy as np

from posenc import model_config, validate
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.model_config import Config, Rope
from posenc.scaling import context_bound, yarn_temperature

__all__ = ["Diagnosis", "Finding", "LayerReport", "Pair", "diagnose"]

Fate = Literal["kept", "mixed", "divided", "still"]
FATES: tuple[Fate, ...] = ("kept", "mixed", "divided", "still")

LONGEST = 2**24  # positions; the search for the bound takes seconds at this length

# Keys of the scaling entry that change something other than the frequencies.
BESIDES = {"mrope_section", "mrope_interleaved", "llama_4_scaling_beta", "finetuned"}
# Keys that a misspelt one would be meant for, outside the scaling entry.
OUTSIDE = (
    "max_position_embeddings",
    "original_max_position_embeddings",
    "partial_rotary_factor",
    "rope_local_base_freq",
    "rope_parameters",
    "rope_scaling",
    "rope_theta",
)


@dataclass(frozen=True)
class Finding:
    """One thing to know about a configuration: a short code and a plain sentence or two."""

    code: str
    message: str


@dataclass(frozen=True)
class Pair:
    """What happens to one pair; wavelengths in positions, ``inf`` for a pair that stands still."""

    index: int
    fate: Fate
    divisor: float
    trained_wavelength: float
    wavelength: float
    trained_turns: float
    target_turns: float

    @property
    def new_angles(self) -> bool:
        """Whether the target brings angles that training never showed."""
        return self.trained_turns < 1 and self.target_turns > self.trained_turns * (1 + 1e-9)


@dataclass(frozen=True)
class LayerReport:
    """The pairs of one kind of layer; ``layer_type`` is ``None`` where all layers are alike."""

    layer_type: str | None
    rope_type: str
    factor: float
    base: float
    head_dim: int
    dim: int
    attention_factor: float
    trained_length: int
    target_length: int
    context_bound: int | None
    bound_applies: bool
    pairs: tuple[Pair, ...]

    @property
    def summary(self) -> str:
        """One paragraph: the extension, the fate of the pairs, what the target brings."""
        count = {fate: sum(p.fate == fate for p in self.pairs) for fate in FATES}
        new = [p for p in self.pairs if p.new_angles]
        name = "no scaling" if self.rope_type == "default" else f"type {self.rope_type}"
        factor = "" if self.factor == 1 else f", factor {self.factor:g}"
        fates = ", ".join(f"{n} {fate}" for fate, n in count.items() if n)
        text = (
            f"{name[0].upper()}{name[1:]}{factor}, base {self.base:g}: "
            f"{self.trained_length} positions trained, {self.target_length} wanted. "
            f"Of {len(self.pairs)} pairs: {fates}. Attention factor {self.attention_factor:.7g}. "
        )
        if new:
            worst = max(p.target_turns / p.trained_turns for p in new)
            text += (
                f"At {self.target_length} positions {len(new)} pairs reach angles that the "
                f"trained length never showed, up to {worst:.4g} times as far."
            )
        else:
            text += (
                f"At {self.target_length} positions every pair stays within angles that the "
                "trained length showed."
            )
        return text


@dataclass(frozen=True)
class Diagnosis:
    """What ``diagnose`` found: readable as text, in a notebook, and as JSON by ``to_dict``."""

    layers: tuple[LayerReport, ...]
    warnings: tuple[Finding, ...]
    notes: tuple[Finding, ...]

    def __str__(self) -> str:
        return self.to_text()

    def to_text(self, *, every_pair: bool = False) -> str:
        """Return the report as text; neighbouring pairs of one fate share a line by default."""
        lines: list[str] = []
        for layer in self.layers:
            lines += [_title(layer) + layer.summary, ""]
        for title, findings in (("Warnings", self.warnings), ("Notes", self.notes)):
            if findings or title == "Warnings":
                lines.append(f"{title}: {'none' if not findings else ''}".rstrip())
                lines += [f"  [{f.code}] {f.message}" for f in findings]
                lines.append("")
        for layer in self.layers:
            if layer.layer_type is not None:
                lines.append(f"{layer.layer_type}:")
            rows = [_headings(layer), *_rows(layer, every_pair=every_pair)]
            widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
            lines += [
                "  ".join(c.ljust(w) for c, w in zip(row, widths, strict=True)).rstrip()
                for row in rows
            ]
            lines.append("")
        return "\n".join(lines).rstrip()

    def _repr_html_(self) -> str:
        parts = []
        for layer in self.layers:
            parts.append(f"<p>{html.escape(_title(layer) + layer.summary)}</p>")
        for title, findings in (("Warnings", self.warnings), ("Notes", self.notes)):
            if findings:
                items = "".join(
                    f"<li><code>{html.escape(f.code)}</code> {html.escape(f.message)}</li>"
                    for f in findings
                )
                parts.append(f"<p><strong>{title}</strong></p><ul>{items}</ul>")
            elif title == "Warnings":
                parts.append("<p><strong>Warnings</strong>: none</p>")
        for layer in self.layers:
            caption = layer.layer_type or "Pairs"
            parts.append(_html_table(caption, layer, every_pair=False))
            parts.append(
                "<details><summary>Every pair</summary>"
                + _html_table(caption, layer, every_pair=True)
                + "</details>"
            )
        return "<div>" + "".join(parts) + "</div>"

    def to_dict(self) -> dict[str, Any]:
        """Return the report as plain values for JSON; an infinite number becomes ``None``."""
        return {
            "warnings": [{"code": f.code, "message": f.message} for f in self.warnings],
            "notes": [{"code": f.code, "message": f.message} for f in self.notes],
            "layers": [
                {
                    "layer_type": layer.layer_type,
                    "summary": layer.summary,
                    "rope_type": layer.rope_type,
                    "factor": layer.factor,
                    "base": layer.base,
                    "head_dim": layer.head_dim,
                    "dim": layer.dim,
                    "attention_factor": layer.attention_factor,
                    "trained_length": layer.trained_length,
                    "target_length": layer.target_length,
                    "context_bound": layer.context_bound,
                    "pairs": [
                        {
                            "index": p.index,
                            "fate": p.fate,
                            "divisor": _finite(p.divisor),
                            "trained_wavelength": _finite(p.trained_wavelength),
                            "wavelength": _finite(p.wavelength),
                            "trained_turns": p.trained_turns,
                            "target_turns": p.target_turns,
                            "new_angles": p.new_angles,
                        }
                        for p in layer.pairs
                    ],
                }
                for layer in self.layers
            ],
        }


def diagnose(
    config: Config, *, target_length: int | None = None, layer_type: str | None = None
) -> Diagnosis:
    """Return what a model's configuration does to every pair, with warnings in plain words.

    ::

        trained turns = L w_i / (2 pi)        target turns = n w'_i / (2 pi)
        new angles    = trained turns < 1 and target turns > trained turns

    ``config`` is the dict of ``config.json`` as ``from_config`` reads it. ``L`` is the trained
    length, ``n`` is ``target_length``, both in positions; without it the longest length that the
    file promises is taken. One ``LayerReport`` for each kind of layer, or for ``layer_type``
    alone. A pair is kept, mixed, divided, or stands still. Raises ``ValueError`` where
    ``from_config`` does, and if a length that is needed is missing.

    >>> report = diagnose({"head_dim": 128, "max_position_embeddings": 4096}, target_length=8192)
    >>> [warning.code for warning in report.warnings]
    ['no-scaling', 'base-too-small']

    Source: Peng et al. 2023 (YaRN), section 3.2, for turns; Men et al. 2024 (Base of RoPE bounds
    context length) for the bound.
    """
    asked = target_length is not None
    if asked:
        target_length = validate.integer("target_length", target_length, at_least=1)
    ropes = model_config.ropes(config)
    if layer_type is not None:
        ropes = {layer_type: model_config.select(ropes, layer_type)}
    warnings: list[Finding] = []
    notes: list[Finding] = []
    layers: list[LayerReport] = []
    for kind, rope in ropes.items():
        if rope is None:
            notes.append(Finding("still-layers", f"Layers of kind {kind!r} do not rotate."))
            continue
        layer = _layer(rope, target_length)
        layers.append(layer)
        for check in CHECKS:
            for severity, finding in check(rope, layer, asked):
                into = warnings if severity == "warning" else notes
                if finding not in into:
                    into.append(finding)
    return Diagnosis(tuple(layers), tuple(warnings), tuple(notes))


def _layer(rope: Rope, asked: int | None) -> LayerReport:
    trained = rope.trained_length
    target = _promised_length(rope) if asked is None else asked
    if target > LONGEST:
        whose = "the length that the file promises" if asked is None else "target_length"
        raise ValueError(
            f"{whose}={target}: must be at most {LONGEST}; give a target_length within it"
        )
    scaled, attention_factor = model_config.frequencies(rope, target)
    if rope.window is not None:  # no query looks further back than the window
        trained, target = min(trained, rope.window), min(target, rope.window)
    plain = np.where(scaled > 0, inv_freq(rope.dim, base=rope.base), 0)
    divisors = np.divide(plain, scaled, out=np.full_like(plain, math.inf), where=scaled > 0)
    factor = 1.0 if rope.rope_type == "default" else rope.factor
    full = divisors.max() if rope.rope_type == "dynamic" else factor
    return LayerReport(
        layer_type=rope.layer_type,
        rope_type=rope.rope_type,
        factor=factor,
        base=rope.base,
        head_dim=rope.head_dim,
        dim=rope.dim,
        attention_factor=attention_factor,
        trained_length=trained,
        target_length=target,
        context_bound=context_bound(scaled, limit=target) if _whole_head(rope) else None,
        bound_applies=_whole_head(rope),
        pairs=tuple(
            Pair(i, _fate(rope.rope_type, float(divisors[i]), full), *map(float, numbers))
            for i, numbers in enumerate(
                zip(
                    divisors,
                    wavelengths(plain),
                    wavelengths(scaled),
                    turns(plain, trained),
                    turns(scaled, target),
                    strict=True,
                )
            )
        ),
    )


def _promised_length(rope: Rope) -> int:
    """Return the longest length that the file means the model to reach."""
    longest = rope.max_position_embeddings or rope.trained_length
    extends = rope.rope_type in ("yarn", "longrope") and longest == rope.trained_length
    if extends or rope.rope_type == "dynamic":
        return round(rope.factor * rope.trained_length)
    return longest


def _whole_head(rope: Rope) -> bool:
    """Whether every dimension of the head turns: the bound says nothing about a part."""
    whole = rope.dim == rope.head_dim and rope.config.get("qk_rope_head_dim") is None
    return whole and rope.rope_type != "proportional" and rope.window is None


def _fate(rope_type: str, divisor: float, full: float) -> Fate:
    if math.isinf(divisor):
        return "still"
    if abs(divisor - 1) < 1e-9:
        return "kept"
    if rope_type == "longrope" or divisor > full * (1 - 1e-9):
        return "divided"
    return "mixed"


# Checks: each yields findings with their severity.

Found = Iterator[tuple[Literal["warning", "note"], Finding]]


def _lengths(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find lengths and factor that do not tell one story."""
    stated, longest, kind = rope.stated_original, rope.max_position_embeddings, rope.rope_type
    trained, target, factor = rope.trained_length, layer.target_length, layer.factor
    if rope.window is not None or kind == "dynamic":
        return
    if stated is not None and longest is not None and stated > longest:
        yield _warn(
            "original-is-extended",
            f"original_max_position_embeddings={stated} is longer than max_position_embeddings="
            f"{longest}. Has the extended length been written where the trained one belongs?",
        )
    elif stated is not None and stated == longest and factor > 1 and kind != "linear":
        if asked and target <= stated:
            yield _warn(
                "original-is-extended",
                f"original_max_position_embeddings={stated} already covers the target {target}, "
                f"yet pairs are divided by up to {factor:g}. Either it holds the extended length "
                "where the trained one belongs, or this target needs no scaling.",
            )
        else:
            yield _note(
                "lengths-equal",
                f"max_position_embeddings and original_max_position_embeddings are both {stated}: "
                f"read as trained on {stated}, meant for {factor:g} times as much.",
            )
    elif kind in ("linear", "yarn", "longrope") and stated is not None and longest is not None:
        ratio = longest / stated
        other = " transformers 4 takes the ratio instead." if kind == "longrope" else ""
        if rope.entry.get("factor") is not None and abs(ratio / factor - 1) > 0.01:
            yield _warn(
                "factor-mismatch",
                f"factor={factor:g}, but max_position_embeddings={longest} is {ratio:g} times "
                f"original_max_position_embeddings={stated}. The factor is what counts: it reaches "
                f"{factor * stated:g} positions.{other}",
            )
    if kind == "yarn" and stated is None and not (asked and target > trained):
        yield _warn(
            "original-missing",
            "original_max_position_embeddings is missing, so max_position_embeddings="
            f"{trained} counts as the trained length. If that is the extended length, add the "
            "trained one: the ramp is in the wrong place without it.",
        )
    if kind == "linear" and stated is None and factor > 1:
        yield _note(
            "trained-length-unknown",
            f"The file does not say on which length the model was trained before its frequencies "
            f"were divided by {factor:g}; {trained} (max_position_embeddings) is taken.",
        )
    if kind in ("linear", "yarn", "llama3") and asked and target <= trained and stated != longest:
        yield _note(
            "scaling-not-needed",
            f"The target {target} fits into the trained {trained}, yet the pairs are slowed for "
            "short texts too.",
        )
    reach = factor * trained
    if kind in ("llama3", "longrope") and longest is not None:
        reach = max(reach, longest)
    if asked and target > reach * 1.01 and kind in ("default", "proportional"):
        yield _warn(
            "no-scaling",
            f"The target {target} is longer than the trained {trained} and nothing is scaled: "
            f"{sum(p.new_angles for p in layer.pairs)} of {len(layer.pairs)} pairs meet angles "
            "they never made in training.",
        )
    elif asked and target > reach * 1.01:
        yield _warn(
            "factor-too-small",
            f"The target {target} is longer than {reach:g}, which factor {factor:g} reaches from "
            f"{trained}; a factor of {target / trained:.4g} would.",
        )
    if kind == "llama3" and longest is not None and factor * trained < longest * 0.99:
        yield _note(
            "factor-below-ratio",
            f"Factor {factor:g} times {trained} is {factor * trained:g}, less than "
            f"max_position_embeddings={longest}. Llama 3.1 is published so: it was trained "
            "further on long texts. Without such training use a larger factor.",
        )


def _dynamic(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find a base that follows the length: cached keys were turned with an older one."""
    if rope.rope_type != "dynamic":
        return
    trained = rope.trained_length
    yield _warn(
        "dynamic-cache",
        f"Dynamic scaling changes every frequency with each position past {trained}. Keys that "
        "were cached after their rotation keep the old ones, and scores are no longer relative. "
        "Cache keys before the rotation, or fix one base for the whole text.",
    )
    if rope.stated_original not in (None, trained):
        yield _warn(
            "dynamic-original",
            f"Dynamic scaling ignores original_max_position_embeddings={rope.stated_original}: "
            f"the base starts to grow past max_position_embeddings={trained}.",
        )


def _longrope(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find a change of lists: a cache was filled with the first."""
    if rope.rope_type == "longrope" and layer.target_length > rope.trained_length:
        yield _note(
            "list-switch",
            f"The long list takes over at {rope.trained_length + 1} positions. Keys that were "
            "cached with the short list must be computed again.",
        )


def _temperature(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find an attention factor that is missing, switched off, or applied twice."""
    entry, factor = rope.entry, layer.factor
    if rope.rope_type not in ("yarn", "longrope") or factor == 1:
        return
    given = entry.get("attention_factor")
    formula = model_config.attention_factor(rope, layer.target_length, explicit=False)
    mscale, all_dim = (
        validate.number(key, entry.get(key) or 0, at_least=0)
        for key in ("mscale", "mscale_all_dim")
    )
    besides = (
        "models that read mscale_all_dim multiply their softmax scale by "
        f"{yarn_temperature(factor, all_dim) ** 2:.6g} besides"
    )
    if given is not None and abs(given / formula - 1) > 1e-3:
        off = " That switches the correction off." if given == 1 else ""
        if given == 1 and all_dim:
            off = f" It stays 1 on cosines and sines; {besides}."
        yield _warn(
            "attention-factor",
            f"attention_factor={given:g} is final; without it the formula would give "
            f"{formula:.6g}.{off}",
        )
    if given not in (None, 1) and all_dim:
        yield _warn(
            "attention-factor-twice",
            f"attention_factor={given:g} and mscale_all_dim={all_dim:g} are both set, and "
            f"{besides}: the temperature may be applied twice.",
        )
    if given is None and all_dim and not mscale:
        yield _warn(
            "attention-factor-twice",
            f"mscale_all_dim={all_dim:g} is set but mscale is not (zero counts as not set): "
            f"cosines and sines carry {layer.attention_factor:.6g}, and {besides}. The temperature "
            "may be applied twice; set mscale to the same number.",
        )
    if given is None and mscale not in (0, 1) and not all_dim:  # 1 is what neither would give
        yield _warn(
            "mscale-ignored",
            "mscale is set but mscale_all_dim is not (zero counts as not set), so it does not "
            f"count: the attention factor is {layer.attention_factor:.6g}.",
        )
    if given is None and mscale and all_dim:
        yield _note(
            "softmax-scale",
            f"mscale and mscale_all_dim give their ratio, {layer.attention_factor:.6g}. The rest "
            "of the temperature is the model's: its softmax scale must be multiplied by "
            f"{yarn_temperature(factor, all_dim) ** 2:.6g}.",
        )


def _keys(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find keys that nothing reads, and values given twice."""
    read = model_config.KEYS[rope.rope_type]
    always = {"type", "rope_type", *model_config.BASES, *model_config.ROTATED_PARTS, *BESIDES}
    for key, value in rope.entry.items():
        if value is None or key in read | always:
            continue
        if key in model_config.SCALING_KEYS:
            yield _warn("unused-key", f"{key!r} has no effect with type {rope.rope_type!r}.")
        else:
            meant = validate.nearest(key, sorted(read | always))
            hint = f" Was {meant!r} meant?" if meant else ""
            yield _warn("unknown-key", f"{key!r} is not known, so nothing reads it.{hint}")
    for key, value in rope.config.items():
        meant_keys = difflib.get_close_matches(key, OUTSIDE, n=1, cutoff=0.9)
        if value is not None and meant_keys and key not in OUTSIDE:
            yield _warn(
                "unknown-key",
                f"{key!r} is not known, so nothing reads it. Was {meant_keys[0]!r} meant?",
            )
    for key in ("rope_theta", "original_max_position_embeddings"):
        inner, outer = rope.entry.get(key), rope.config.get(key)
        nested = rope.layer_type is not None
        if inner is not None and outer is not None and inner != outer and not nested:
            wins = outer if key.startswith("original") else inner
            yield _warn(
                "two-values",
                f"{key} is {inner!r} in the scaling entry and {outer!r} outside it. {wins!r} is "
                "taken here and by transformers 5; other software takes the other.",
            )
    if not rope.base_given:
        yield _note("base-assumed", f"The file names no rope_theta: base {rope.base:g} is taken.")


def _base(rope: Rope, layer: LayerReport, asked: bool) -> Found:
    """Find how far the base alone tells a key like the query from an unrelated one."""
    bound, target = layer.context_bound, layer.target_length
    if not layer.bound_applies or bound is None:
        return
    if rope.rope_type == "default" and target > rope.trained_length:
        yield _warn(
            "base-too-small",
            f"Base {rope.base:g} is too small for {target} positions: the sum of cos(m w) over "
            f"the pairs first goes negative at distance {bound}, and past it a key like the query "
            "no longer scores above an unrelated one on average.",
        )
    else:
        yield _note(
            "context-bound",
            f"The sum of cos(m w) over the pairs first goes negative at distance {bound}, "
            f"before the target {target}. Many released models work past this bound.",
        )


CHECKS: tuple[Callable[[Rope, LayerReport, bool], Found], ...] = (
    _lengths,
    _dynamic,
    _temperature,
    _keys,
    _base,
    _longrope,
)


def _warn(code: str, message: str) -> tuple[Literal["warning"], Finding]:
    return "warning", Finding(code, message)


def _note(code: str, message: str) -> tuple[Literal["note"], Finding]:
    return "note", Finding(code, message)


# Presentation


def _title(layer: LayerReport) -> str:
    return "" if layer.layer_type is None else f"{layer.layer_type}: "


def _headings(layer: LayerReport) -> list[str]:
    return [
        "pairs",
        "fate",
        "divided by",
        "positions per turn",
        f"turns in training ({layer.trained_length})",
        f"turns at target ({layer.target_length})",
        "angles",
    ]


def _rows(layer: LayerReport, *, every_pair: bool) -> list[list[str]]:
    """Return the table's cells; neighbours of one fate and one range share a row."""
    key = (lambda p: p.index) if every_pair else (lambda p: (p.fate, p.new_angles))
    rows = []
    for _, run in groupby(layer.pairs, key=key):
        pairs = list(run)
        first, last = pairs[0], pairs[-1]
        rows.append(
            [
                f"{first.index}" if first is last else f"{first.index}-{last.index}",
                first.fate,
                "" if first.fate == "still" else _span(first.divisor, last.divisor),
                _span(first.wavelength, last.wavelength),
                _span(first.trained_turns, last.trained_turns),
                _span(first.target_turns, last.target_turns),
                "new" if first.new_angles else "seen",
            ]
        )
    return rows


def _span(first: float, last: float) -> str:
    ends = [f"{x:.0f}" if 1000 <= x < 1e9 else f"{x:.4g}" for x in (first, last)]
    return ends[0] if ends[0] == ends[1] else " .. ".join(ends)


def _html_table(caption: str, layer: LayerReport, *, every_pair: bool) -> str:
    def cells(tag: str, row: Iterable[str]) -> str:
        return "<tr>" + "".join(f"<{tag}>{html.escape(c)}</{tag}>" for c in row) + "</tr>"

    body = "".join(cells("td", row) for row in _rows(layer, every_pair=every_pair))
    return (
        f"<table><caption>{html.escape(caption)}</caption><thead>"
        f"{cells('th', _headings(layer))}</thead><tbody>{body}</tbody></table>"
    )


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None

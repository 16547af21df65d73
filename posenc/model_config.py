"""Reading a model's ``config.json``: from the spellings people have to frequencies."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from posenc import scaling, validate
from posenc.frequencies import inv_freq
from posenc.validate import FloatArray

__all__ = ["from_config"]

Config = Mapping[str, Any]

TYPES = ("default", "linear", "dynamic", "yarn", "llama3", "longrope", "proportional")
OTHER_NAMES = {"su": "longrope", "mrope": "default"}  # older spellings of the same frequencies

BASES = ("rope_theta", "rotary_emb_base")
ROTATED_PARTS = ("partial_rotary_factor", "rotary_pct", "rotary_emb_fraction")
TEXT_PARTS = ("text_config", "llm_config", "language_config")

# The width of a head where the file has no head_dim: these families do not divide hidden_size.
DEFAULT_HEAD_DIM = {
    "ernie4_5": 128,
    "gemma": 256,
    "gemma2": 256,
    "gemma3_text": 256,
    "gemma3n_text": 256,
    "glm": 128,
    "glm4": 128,
    "gpt_oss": 64,
    "helium": 128,
    "jetmoe": 128,
    "llama4_text": 128,
    "qwen3": 128,
    "qwen3_next": 256,
    "qwen3_vl_text": 128,
    "seed_oss": 128,
    "vaultgemma": 256,
}

# The rotated part of a head where the file names none.
DEFAULT_ROTATED_PART = {"glm": 0.5, "glm4": 0.5, "qwen3_next": 0.25}

# What each type reads from the scaling entry, beside its name, the base and the rotated part.
EXTENSION = {"factor", "original_max_position_embeddings"}
KEYS = {
    "default": set[str](),
    "linear": EXTENSION,
    "dynamic": EXTENSION,
    "yarn": EXTENSION
    | {"attention_factor", "beta_fast", "beta_slow", "mscale", "mscale_all_dim", "truncate"},
    "llama3": EXTENSION | {"low_freq_factor", "high_freq_factor"},
    "longrope": EXTENSION
    | {"attention_factor", "short_factor", "long_factor", "short_mscale", "long_mscale"},
    "proportional": {"factor"},
}
SCALING_KEYS = set[str]().union(*KEYS.values())


@dataclass(frozen=True)
class Rope:
    """What one kind of layer is told about its rotation, in one spelling whatever the file's."""

    layer_type: str | None
    rope_type: str
    base: float
    base_given: bool
    head_dim: int
    dim: int
    max_position_embeddings: int | None
    window: int | None
    config: Config
    entry: Config

    @property
    def trained_length(self) -> int:
        """The length before any extension, as far as the file says."""
        stated = self.stated_original
        if stated is not None and self.rope_type != "dynamic":  # it grows from the longest
            return stated
        if self.rope_type == "llama3":
            raise ValueError(
                "rope_scaling of type 'llama3' has no 'original_max_position_embeddings': add the "
                "trained length"
            )
        return self.need_max_position_embeddings()

    @property
    def stated_original(self) -> int | None:
        """The trained length where the file states one beside the longest."""
        key = "original_max_position_embeddings"
        if key not in KEYS[self.rope_type]:
            return None
        stated = _first(self.config, (key,))
        if stated is None:
            stated = _first(self.entry, (key,))
        return None if stated is None else validate.integer(key, stated, at_least=1)

    @property
    def factor(self) -> float:
        """The factor given, or the ratio of the two lengths."""
        given = self.entry.get("factor")
        if given is not None:
            return validate.number("factor", given, at_least=1)
        if self.rope_type == "proportional":
            return 1.0
        if self.rope_type in ("yarn", "llama3", "longrope") and self.stated_original is not None:
            longest = self.need_max_position_embeddings()
            if longest < self.stated_original:
                raise ValueError(
                    f"original_max_position_embeddings={self.stated_original} is longer than "
                    f"max_position_embeddings={longest}: exchange them, or add 'factor'"
                )
            return longest / self.stated_original
        raise ValueError(
            f"rope_scaling of type {self.rope_type!r} has no 'factor': add the extended length "
            "divided by the trained one"
        )

    def need_max_position_embeddings(self) -> int:
        """Return the longest length the file names, or say that it names none."""
        if self.max_position_embeddings is None:
            raise ValueError(
                "config has no 'max_position_embeddings': add the longest length in positions"
            )
        return self.max_position_embeddings


def from_config(
    config: Config, *, seq_len: int | None = None, layer_type: str | None = None
) -> tuple[FloatArray, float]:
    """Return the frequencies and attention factor that a model's ``config.json`` asks for.

    ::

        (w'_0 .. w'_{d/2-1}, m)      cos = m cos(p w'_i),  sin = m sin(p w'_i)

    ``config`` is the file as a dict: ``rope_scaling`` beside ``rope_theta``, or
    ``rope_parameters``; ``type`` or ``rope_type``; the text part of a multimodal file. The rotated
    width comes from ``qk_rope_head_dim``, or from ``head_dim`` (else ``hidden_size /
    num_attention_heads``) and ``partial_rotary_factor``, ``rotary_pct`` or ``rotary_dim``; some
    values of ``model_type`` have defaults of their own for both.
    Frequencies have shape ``(dim/2,)``, radians per position, where ``dim`` is the rotated width;
    type ``"proportional"`` keeps the head's whole width and gives frequency 0 to pairs that do not
    turn.

    ``seq_len``, in positions, is the length of the text: ``"dynamic"`` and ``"longrope"`` depend
    on it, and without it both give what holds up to the trained length. ``layer_type`` is needed
    where kinds of layers rotate differently, for example ``"full_attention"`` and
    ``"sliding_attention"``. Raises ``ValueError`` for an unknown type, a missing or wrong value,
    an odd width, lists of the wrong length, or a missing or unknown ``layer_type``.

    >>> config = {"head_dim": 4, "rope_scaling": {"type": "linear", "factor": 2}}
    >>> frequencies, attention_factor = from_config(config)
    >>> frequencies.tolist(), attention_factor
    ([0.5, 0.005], 1.0)

    Source: the formulas are those of ``linear``, ``dynamic_ntk_base``, ``yarn``, ``llama3`` and
    ``longrope``; the keys are those of transformers 4.57 and 5.24. Where the two differ, 5.24 is
    followed: with ``"longrope"`` a ``factor`` counts, and so does a trained length in its entry;
    4.57 takes the ratio of the lengths, and ``max_position_embeddings``.
    """
    return frequencies(select(ropes(config), layer_type), seq_len)


def ropes(config: Config) -> dict[str | None, Rope | None]:
    """Return what the file tells each kind of layer, ``None`` for a kind that does not rotate.

    The one key is ``None`` where all layers are told the same.
    """
    config = _text_part(_mapping("config", config))
    others: list[tuple[str, Any]] = [("alibi", True)]
    if not _names_a_rotation(config):  # beside one this word is a leftover, as in ModernBERT's file
        others.append(("position_embedding_type", "absolute"))
    for key, value in others:
        if config.get(key) == value:
            raise ValueError(
                f"config has {key}={value!r}: this model does not rotate its queries and keys"
            )
    return {
        kind: None if entry is None else _rope(config, kind, entry)
        for kind, entry in _entries(config).items()
    }


def select(ropes: dict[str | None, Rope | None], layer_type: str | None) -> Rope:
    """Return the rotation of one kind of layer; the kind may be left out if there is one."""
    if layer_type is None and len(ropes) > 1:
        kinds = ", ".join(map(repr, ropes))
        raise ValueError(
            f"layer_type=None: layers rotate in {len(ropes)} ways; give one of {kinds}"
        )
    if None in ropes and layer_type is not None and not _is_layer_of(ropes[None], layer_type):
        raise ValueError(f"layer_type={layer_type!r}: all layers rotate alike; leave it out")
    if layer_type is None or None in ropes:
        rope = next(iter(ropes.values()))
    else:
        rope = ropes[validate.choice("layer_type", layer_type, [k for k in ropes if k is not None])]
    if rope is None:
        raise ValueError(f"layer_type={layer_type!r}: these layers do not rotate")
    return rope


def frequencies(rope: Rope, seq_len: int | None = None) -> tuple[FloatArray, float]:
    """Return frequencies and attention factor of one kind of layer for a length of text."""
    if seq_len is not None:
        seq_len = validate.integer("seq_len", seq_len, at_least=1)
    plain = inv_freq(rope.dim, base=rope.base)
    entry = rope.entry
    match rope.rope_type:
        case "linear":
            return scaling.linear(plain, rope.factor), 1.0
        case "proportional":
            turning = int(_rotated_part(rope.config, entry) * rope.head_dim // 2)
            plain[turning:] = 0
            return scaling.linear(plain, rope.factor), 1.0
        case "dynamic":
            trained = rope.need_max_position_embeddings()
            base = scaling.dynamic_ntk_base(
                rope.base, rope.dim, rope.factor, seq_len or trained, trained
            )
            return inv_freq(rope.dim, base=base), 1.0
        case "yarn":
            truncate = entry.get("truncate")
            return (
                scaling.yarn(
                    rope.dim,
                    rope.factor,
                    rope.trained_length,
                    base=rope.base,
                    beta_fast=_or(entry.get("beta_fast"), 32),
                    beta_slow=_or(entry.get("beta_slow"), 1),
                    truncate=True if truncate is None else truncate,
                ),
                attention_factor(rope, seq_len),
            )
        case "llama3":
            low, high = (
                validate.entry(entry, f"{which}_freq_factor", name="rope_scaling")
                for which in ("low", "high")
            )
            return scaling.llama3(plain, rope.factor, low, high, rope.trained_length), 1.0
        case "longrope":
            which = "long" if seq_len is not None and seq_len > rope.trained_length else "short"
            lists = {
                name: validate.factors(name, validate.entry(entry, name, name="rope_scaling"))
                for name in ("short_factor", "long_factor")
            }
            for name, values in lists.items():
                if values.shape != plain.shape:
                    raise ValueError(
                        f"{name} holds {values.size} numbers: must hold one for each of the "
                        f"{plain.size} pairs of the rotated width {rope.dim}"
                    )
            return scaling.longrope(plain, lists[f"{which}_factor"]), attention_factor(
                rope, seq_len
            )
    return plain, 1.0


def attention_factor(rope: Rope, seq_len: int | None = None, *, explicit: bool = True) -> float:
    """Return the factor on cosines and sines; without ``explicit`` what the formula would give."""
    entry = rope.entry
    given = entry.get("attention_factor")
    if explicit and given is not None:
        return validate.number("attention_factor", given, above=0)
    if rope.rope_type == "yarn":
        return scaling.yarn_attention_factor(
            rope.factor, entry.get("mscale"), entry.get("mscale_all_dim")
        )
    if rope.rope_type == "longrope":
        which = "long" if seq_len is not None and seq_len > rope.trained_length else "short"
        own = entry.get(f"{which}_mscale")
        if explicit and own is not None:
            return validate.number(f"{which}_mscale", own, above=0)
        return scaling.longrope_attention_factor(rope.factor, rope.trained_length)
    return 1.0


def _entries(config: Config) -> dict[str | None, Config | None]:
    """Return the scaling entry of each kind of layer, with the base in it where kinds differ."""
    given = {
        key: _mapping(key, config[key])
        for key in ("rope_parameters", "rope_scaling")
        if config.get(key) is not None
    }
    values = list(given.values())
    if len(values) == 2 and values[0] != values[1]:
        raise ValueError("config has both 'rope_parameters' and 'rope_scaling', and they differ")
    entry = values[0] if values else {}
    if any(isinstance(value, Mapping) for value in entry.values()):
        shared = {k: v for k, v in entry.items() if v is not None and not isinstance(v, Mapping)}
        return {
            kind: None if value is None else {**shared, **value}
            for kind, value in entry.items()
            if value is None or isinstance(value, Mapping)
        }
    family = config.get("model_type")
    if "rope_local_base_freq" in config or family in ("gemma3_text", "gemma3n_text"):
        # The extension reaches only the layers that see the whole text.
        return {
            "full_attention": {"rope_theta": _or(config.get("rope_theta"), 1e6), **entry},
            "sliding_attention": {"rope_theta": _or(config.get("rope_local_base_freq"), 1e4)},
        }
    if "global_rope_theta" in config or family == "modernbert":
        base = _or(config.get("global_rope_theta"), 160000.0)
        local = _or(config.get("local_rope_theta", 10000.0), base)
        return {
            "full_attention": {"rope_theta": base, **entry},
            "sliding_attention": {"rope_theta": local, **entry},
        }
    if family == "olmo3":
        return {"full_attention": entry, "sliding_attention": {}}
    return {None: entry}


def _rope(config: Config, kind: str | None, entry: Config) -> Rope:
    name = _first(entry, ("rope_type", "type"))
    if name is None:
        named = sorted(k for k in SCALING_KEYS if entry.get(k) is not None)
        if named:
            raise ValueError(
                f"rope_scaling has {named[0]!r} but no 'rope_type': add one of "
                + ", ".join(map(repr, TYPES))
            )
        name = "default"
    name = validate.choice("rope_type", OTHER_NAMES.get(str(name), name), TYPES)
    base = _first(entry, BASES)
    if base is None:
        base = _first(config, BASES)
    head_dim = _head_dim(config, kind)
    longest = _first(config, ("max_position_embeddings", "n_positions"))
    if longest is not None:
        longest = validate.integer("max_position_embeddings", longest, at_least=1)
    window = None
    if kind == "sliding_attention":
        window = _first(config, ("sliding_window", "local_attention"))
    if window is not None:
        window = validate.integer("sliding_window", window, at_least=1)
    return Rope(
        layer_type=kind,
        rope_type=name,
        base=validate.number("rope_theta", _or(base, 10000.0), above=1),
        base_given=base is not None,
        head_dim=head_dim,
        dim=_rotated_width(config, entry, name, head_dim),
        max_position_embeddings=longest,
        window=window,
        config=config,
        entry=entry,
    )


def _head_dim(config: Config, kind: str | None) -> int:
    wider = ("global_head_dim",) if kind == "full_attention" else ()
    given = _first(config, (*wider, "head_dim", "kv_channels"))
    if given is not None:
        return validate.integer("head_dim", given, at_least=2)
    if config.get("qk_rope_head_dim") is not None:
        return validate.integer("qk_rope_head_dim", config["qk_rope_head_dim"], at_least=2)
    own = DEFAULT_HEAD_DIM.get(str(config.get("model_type")))
    if own is not None:
        return own
    hidden = _first(config, ("hidden_size", "n_embd"))
    heads = _first(config, ("num_attention_heads", "n_head"))
    if hidden is None or heads is None:
        raise ValueError(
            "config has no width of a head: add 'head_dim', or 'hidden_size' and "
            "'num_attention_heads'"
        )
    hidden = validate.integer("hidden_size", hidden, at_least=1)
    heads = validate.integer("num_attention_heads", heads, at_least=1)
    if hidden % heads:
        raise ValueError(
            f"hidden_size={hidden} is not a multiple of num_attention_heads={heads}: add 'head_dim'"
        )
    return hidden // heads


def _rotated_width(config: Config, entry: Config, rope_type: str, head_dim: int) -> int:
    if config.get("qk_rope_head_dim") is not None:  # a part of the head kept for the rotation
        return validate.even_dim(config["qk_rope_head_dim"], name="qk_rope_head_dim")
    if rope_type == "proportional":
        return validate.even_dim(head_dim, name="head_dim")
    part = _rotated_part(config, entry)
    if part == 1 and config.get("rotary_dim") is not None:
        width = validate.even_dim(config["rotary_dim"], name="rotary_dim")
        if width > head_dim:
            raise ValueError(f"rotary_dim={width}: must be at most head_dim={head_dim}")
        return width
    if part == 1:
        return validate.even_dim(head_dim, name="head_dim")
    return validate.even_dim(
        int(head_dim * part), name=f"rotated width ({part:g} of head_dim={head_dim})"
    )


def _rotated_part(config: Config, entry: Config) -> float:
    part = _first(entry, ROTATED_PARTS)
    if part is None:
        part = _first(config, ROTATED_PARTS)
    own = DEFAULT_ROTATED_PART.get(str(config.get("model_type")), 1.0)
    part = validate.number("partial_rotary_factor", _or(part, own), above=0)
    if part > 1:
        raise ValueError(f"partial_rotary_factor={part:g}: must be at most 1")
    return part


def _names_a_rotation(config: Config) -> bool:
    """Whether the file says how to rotate."""
    keys = (*BASES, "rope_parameters", "rope_scaling", "global_rope_theta")
    return _first(config, keys) is not None


def _text_part(config: Config) -> Config:
    for key in TEXT_PARTS:
        if isinstance(config.get(key), Mapping):
            part: Config = config[key]
            return part
    return config


def _is_layer_of(rope: Rope | None, layer_type: str) -> bool:
    kinds = None if rope is None else rope.config.get("layer_types")
    return isinstance(kinds, list | tuple) and layer_type in kinds


def _mapping(name: str, value: Any) -> Config:
    if not isinstance(value, Mapping):
        raise ValueError(f"{name} is {type(value).__name__}: must be a dict, as read from JSON")
    return value


def _first(mapping: Config, keys: tuple[str, ...]) -> Any:
    return next((mapping[key] for key in keys if mapping.get(key) is not None), None)


def _or(value: Any, default: float) -> Any:
    return default if value is None else value

"""Positional encodings of transformers in plain numpy, readable beside the lessons."""

from posenc import identities, palette
from posenc.alibi import alibi_bias, alibi_slopes
from posenc.checker import CheckReport, Property, check
from posenc.doctor import Diagnosis, Finding, LayerReport, Pair, diagnose
from posenc.dot_product import attention, attention_weights, causal_mask, softmax
from posenc.evidence import position_table, trained
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.learned import lookup, positions_from_mask, resize
from posenc.measure import (
    AnchorSpread,
    Relativity,
    Requirements,
    ScoreTerms,
    anchor_spread,
    commuting_weights,
    relativity,
    requirements,
    score_terms,
    scoreboard,
    text_table,
)
from posenc.model_config import from_config
from posenc.precision import bfloat16
from posenc.recognition import Match
from posenc.relative import (
    diagonal_offsets,
    diagonal_view,
    relative_positions,
    shaw_index,
    t5_bias,
    t5_bucket,
    t5_first_distances,
)
from posenc.rope import apply_rope, rope_cos_sin, rotation_matrix, to_half, to_interleaved
from posenc.scaling import (
    context_bound,
    dynamic_ntk_base,
    linear,
    llama3,
    longrope,
    longrope_attention_factor,
    ntk_base,
    yarn,
    yarn_attention_factor,
    yarn_temperature,
)
from posenc.schemes import (
    Scheme,
    alibi_scheme,
    learned_scheme,
    none,
    rope_scheme,
    scores,
    shaw_scheme,
    sinusoidal_scheme,
    t5_scheme,
)
from posenc.sinusoids import shift_matrix, sinusoidal

__all__ = [
    "AnchorSpread",
    "CheckReport",
    "Diagnosis",
    "Finding",
    "LayerReport",
    "Match",
    "Pair",
    "Property",
    "Relativity",
    "Requirements",
    "Scheme",
    "ScoreTerms",
    "alibi_bias",
    "alibi_scheme",
    "alibi_slopes",
    "anchor_spread",
    "apply_rope",
    "attention",
    "attention_weights",
    "bfloat16",
    "causal_mask",
    "check",
    "commuting_weights",
    "context_bound",
    "diagnose",
    "diagonal_offsets",
    "diagonal_view",
    "dynamic_ntk_base",
    "from_config",
    "identities",
    "inv_freq",
    "learned_scheme",
    "linear",
    "llama3",
    "longrope",
    "longrope_attention_factor",
    "lookup",
    "none",
    "ntk_base",
    "palette",
    "position_table",
    "positions_from_mask",
    "relative_positions",
    "relativity",
    "requirements",
    "resize",
    "rope_cos_sin",
    "rope_scheme",
    "rotation_matrix",
    "score_terms",
    "scoreboard",
    "scores",
    "shaw_index",
    "shaw_scheme",
    "shift_matrix",
    "sinusoidal",
    "sinusoidal_scheme",
    "softmax",
    "t5_bias",
    "t5_bucket",
    "t5_first_distances",
    "t5_scheme",
    "text_table",
    "to_half",
    "to_interleaved",
    "trained",
    "turns",
    "wavelengths",
    "yarn",
    "yarn_attention_factor",
    "yarn_temperature",
]

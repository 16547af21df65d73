"""Positional encodings of transformers in plain numpy, readable beside the lessons."""

from posenc import identities, palette
from posenc.alibi import alibi_bias, alibi_slopes
from posenc.dot_product import attention, attention_weights, causal_mask, softmax
from posenc.frequencies import inv_freq, turns, wavelengths
from posenc.relative import relative_positions, shaw_index, t5_bias, t5_bucket
from posenc.rope import apply_rope, rope_cos_sin, rotation_matrix, to_half, to_interleaved
from posenc.sinusoids import shift_matrix, sinusoidal

__all__ = [
    "alibi_bias",
    "alibi_slopes",
    "apply_rope",
    "attention",
    "attention_weights",
    "causal_mask",
    "identities",
    "inv_freq",
    "palette",
    "relative_positions",
    "rope_cos_sin",
    "rotation_matrix",
    "shaw_index",
    "shift_matrix",
    "sinusoidal",
    "softmax",
    "t5_bias",
    "t5_bucket",
    "to_half",
    "to_interleaved",
    "turns",
    "wavelengths",
]

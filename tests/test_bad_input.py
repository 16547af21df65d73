"""Wrong arguments: each raises an error that names the argument, its value and the remedy.

The table holds a call and, beneath it, what the message must contain.
"""

import inspect

import numpy as np
import pytest

import posenc

CALLS = r"""
inv_freq(7)
    dim=7: must be even, since dimensions come in pairs; use 6 or 8
inv_freq(0)
    dim=0: must be at least 2
inv_freq(-2)
    dim=-2: must be at least 2
inv_freq(4.0)
    dim=4.0: must be an integer of at least 2
inv_freq(True)
    dim=True: must be an integer of at least 2
inv_freq("64")
    dim='64': must be an integer of at least 2
inv_freq(64, base=1)
    base=1: must be a finite number above 1
inv_freq(64, base=-10000)
    base=-10000: must be a finite number above 1
inv_freq(64, base=np.inf)
    base=inf: must be a finite number above 1
inv_freq(64, base=np.nan)
    base=nan: must be a finite number above 1
inv_freq(64, base="10000")
    base='10000': must be a finite number above 1
wavelengths([])
    inv_freq has shape (0,): must be (dim/2,), one number a pair
wavelengths([-1.0])
    inv_freq holds -1.0: must be at least 0; negate the positions to turn back
wavelengths([np.nan])
    inv_freq holds nan: every entry must be finite
wavelengths([[1.0]])
    inv_freq has shape (1, 1): must be (dim/2,), one number a pair
wavelengths("fast")
    inv_freq has dtype <U4: must hold real numbers
turns([1.0], -1)
    length=-1: must be a finite number of at least 0
turns([1.0], np.inf)
    length=inf: must be a finite number of at least 0
turns([1.0, np.inf], 8)
    inv_freq holds inf: every entry must be finite
sinusoidal([0, np.nan], 4)
    positions holds nan: every entry must be finite
sinusoidal([np.inf], 4)
    positions holds inf: every entry must be finite
sinusoidal(["a"], 4)
    positions has dtype <U1: must hold real numbers
sinusoidal([[0], [1, 2]], 4)
    positions=[[0], [1, 2]]: rows differ in length; give a full array
sinusoidal([True, False], 4)
    positions has dtype bool: must hold real numbers
sinusoidal([1j], 4)
    positions has dtype complex128: must hold real numbers
sinusoidal(None, 4)
    positions has dtype object: must hold real numbers
sinusoidal(range(3), 5)
    dim=5: must be even, since dimensions come in pairs; use 4 or 6
sinusoidal(range(3), 4, base=0.5)
    base=0.5: must be a finite number above 1
sinusoidal(range(3), 4, layout="half")
    layout='half': must be one of 'interleaved', 'concat'
sinusoidal(range(3), 4, dtype=int)
    dtype=int64: must be a floating type such as numpy.float32
sinusoidal(range(3), 4, dtype="complex64")
    dtype=complex64: must be a floating type such as numpy.float32
sinusoidal(range(3), 4, dtype="float33")
    dtype='float33': must be a floating type such as numpy.float32
shift_matrix(np.nan, [1.0])
    offset holds nan: every entry must be finite
shift_matrix(1, [])
    inv_freq has shape (0,): must be (dim/2,), one number a pair
shift_matrix(1, [1.0], layout="split")
    layout='split': must be one of 'interleaved', 'concat'
lookup(np.eye(4), 4)
    position 4: the table has 4 rows, for positions 0 to 3; shorten the text or make rows
lookup(np.eye(4), [0, -1])
    position -1: the table has 4 rows, for positions 0 to 3; shorten the text or make rows
lookup(np.eye(4), 0.5)
    positions holds 0.5: every entry must be a whole number within 2^53
lookup(np.eye(4), np.nan)
    positions holds nan: every entry must be finite
lookup(np.ones(4), 0)
    table has shape (4,): must be (rows, width), neither of them 0
lookup([["a"]], 0)
    table has dtype <U1: must hold real numbers
lookup(np.empty((0, 4)), 0)
    table has shape (0, 4): must be (rows, width), neither of them 0
resize(np.eye(4), 0)
    length=0: must be at least 1
resize(np.eye(4), 2.5)
    length=2.5: must be an integer of at least 1
resize(np.eye(4), 17, method="hierarchical")
    length=17: two digits in base 4 reach 16 positions
resize(np.eye(4), 8, method="cubic")
    method='cubic': must be one of 'linear', 'repeat', 'hierarchical'
resize(np.ones(3), 8)
    table has shape (3,): must be (rows, width), neither of them 0
positions_from_mask([0, 2])
    mask holds 2: must be 1 for a real token and 0 for padding
positions_from_mask([0, np.nan])
    mask holds nan: every entry must be finite
positions_from_mask(1)
    mask is a single number: must be (..., n), one entry a token
positions_from_mask(["pad"])
    mask has dtype <U3: must hold real numbers
positions_from_mask([1, 1], padding_idx=-1)
    padding_idx=-1: must be at least 0
positions_from_mask([1, 1], padding_idx=0.5)
    padding_idx=0.5: must be an integer of at least 0
relative_positions(0, 4)
    q_len=0: must be at least 1
relative_positions(4, 3)
    k_len=3: must be at least 4
relative_positions(1.0, 4)
    q_len=1.0: must be an integer of at least 1
diagonal_offsets(0, 4)
    q_len=0: must be at least 1
diagonal_offsets(4, 3)
    k_len=3: must be at least 4
diagonal_view(np.ones(4), 3, 3)
    values has shape (4,)
t5_first_distances(num_buckets=6, max_distance=1)
    max_distance=1: must be at least 2
t5_first_distances(num_buckets=7)
    num_buckets=7: must be even if bidirectional
shaw_index([0.5], 2)
    relative holds 0.5: every entry must be a whole number within 2^53
shaw_index([0], 0)
    max_distance=0: must be at least 1
shaw_index([0], -2)
    max_distance=-2: must be at least 1
shaw_index([np.nan], 2)
    relative holds nan: every entry must be finite
t5_bucket([0.5])
    relative holds 0.5: every entry must be a whole number within 2^53
t5_bucket([0], num_buckets=3)
    num_buckets=3: must be at least 4
t5_bucket([0], num_buckets=2)
    num_buckets=2: must be at least 4
t5_bucket([0], num_buckets=5, bidirectional=True)
    num_buckets=5: must be even if bidirectional, half for each direction; use 4 or 6
t5_bucket([0], num_buckets=32, max_distance=4)
    max_distance=4: must be at least 9
t5_bucket([0], num_buckets=1, bidirectional=False)
    num_buckets=1: must be at least 2
t5_bucket(["near"])
    relative has dtype <U4: must hold real numbers
t5_bias(np.ones(32), 4, 4)
    table has shape (32,): must be (rows, width), neither of them 0
t5_bias(np.ones((31, 2)), 4, 4)
    table has 31 rows, one a bucket: must be even and at least 4 if bidirectional
t5_bias(np.ones((1, 2)), 4, 4, bidirectional=False)
    table has 1 rows, one a bucket: must be at least 2
t5_bias(np.ones((32, 2)), 5, 4)
    k_len=4: must be at least 5
t5_bias(np.ones((32, 2)), 4, 4, max_distance=8)
    max_distance=8: must be at least 9
alibi_slopes(0)
    num_heads=0: must be at least 1
alibi_slopes(-8)
    num_heads=-8: must be at least 1
alibi_slopes(8.0)
    num_heads=8.0: must be an integer of at least 1
alibi_bias(0, 4, 4)
    num_heads=0: must be at least 1
alibi_bias(8, 0, 4)
    q_len=0: must be at least 1
alibi_bias(8, 5, 4)
    k_len=4: must be at least 5
alibi_bias(8, 4, 4, dtype=int)
    dtype=int64: must be a floating type such as numpy.float32
rope_cos_sin([np.nan], [1.0])
    positions holds nan: every entry must be finite
rope_cos_sin([0], [])
    inv_freq has shape (0,): must be (dim/2,), one number a pair
rope_cos_sin([0], [-1.0])
    inv_freq holds -1.0: must be at least 0; negate the positions to turn back
rope_cos_sin([0], [1.0], attention_factor=0)
    attention_factor=0: must be a finite number above 0
rope_cos_sin([0], [1.0], attention_factor=np.nan)
    attention_factor=nan: must be a finite number above 0
rope_cos_sin([0], [1.0], dtype=np.int64)
    dtype=int64: must be a floating type such as numpy.float32
apply_rope(np.ones((3, 4)), np.ones((3, 2)), np.ones((3, 2)), layout="interleave")
    layout='interleave': must be one of 'half', 'interleaved'
apply_rope(np.ones((3, 4)), np.ones((3, 2)), np.ones((3, 1)), layout="half")
    cos has shape (3, 2) and sin (3, 1): must be equal
apply_rope(np.ones((3, 4)), np.ones((3, 4)), np.ones((3, 4)), layout="half")
    cos and sin have shape (3, 4) and x (3, 4): the tables have one column a pair, so 1 to
apply_rope(np.ones((3, 3)), np.ones((3, 2)), np.ones((3, 2)), layout="half")
    x.shape[-1]=3: must be even, since dimensions come in pairs; use 2 or 4
apply_rope(np.ones((2, 8, 3, 4)), np.ones((8, 2)), np.ones((8, 2)), layout="half")
    cos and sin have shape (8, 2) and x (2, 8, 3, 4): axis -2 of both must be the
apply_rope(np.ones((3, 4)), np.ones((2, 3, 2)), np.ones((2, 3, 2)), layout="half")
    cos and sin have shape (2, 3, 2) and x (3, 4): the leading axes of the tables must be
apply_rope(np.ones((2, 3, 4)), np.ones((3, 3, 2)), np.ones((3, 3, 2)), layout="half")
    cos and sin have shape (3, 3, 2) and x (2, 3, 4): the leading axes of the tables must
apply_rope(np.ones((3, 4), complex), np.ones((3, 2)), np.ones((3, 2)), layout="half")
    x has shape (3, 4) and dtype complex128: must hold real numbers along at least one axis
apply_rope(1.0, 1.0, 0.0, layout="half")
    x has shape () and dtype float64: must hold real numbers along at least one axis
apply_rope("x", np.ones((3, 2)), np.ones((3, 2)), layout="half")
    x has shape () and dtype <U1: must hold real numbers along at least one axis
apply_rope(np.ones((3, 4)), np.ones((3, 2)), np.ones((3, 2), complex), layout="half")
    sin has shape (3, 2) and dtype complex128: must hold real numbers along at least one
rotation_matrix(np.nan, [1.0], layout="half")
    position holds nan: every entry must be finite
rotation_matrix(1, [], layout="half")
    inv_freq has shape (0,): must be (dim/2,), one number a pair
rotation_matrix(1, [1.0], layout="concat")
    layout='concat': must be one of 'half', 'interleaved'
to_half(np.ones(3))
    x.shape[-1]=3: must be even, since dimensions come in pairs; use 2 or 4
to_half(1.0)
    x.shape[-1]=0: must be at least 2
to_interleaved(np.ones((2, 5)))
    x.shape[-1]=5: must be even, since dimensions come in pairs; use 4 or 6
to_interleaved(2)
    x.shape[-1]=0: must be at least 2
to_half(np.ones((2, 0)))
    x.shape[-1]=0: must be at least 2
linear([1.0], 0.5)
    factor=0.5: must be a finite number of at least 1
linear([1.0], 0)
    factor=0: must be a finite number of at least 1
linear([1.0], "2")
    factor='2': must be a finite number of at least 1
linear([], 2)
    inv_freq has shape (0,): must be (dim/2,), one number a pair
ntk_base(10000.0, 2, 2)
    dim=2: must be at least 4, since one pair cannot be kept and divided
ntk_base(10000.0, 7, 2)
    dim=7: must be even, since dimensions come in pairs; use 6 or 8
ntk_base(1.0, 64, 2)
    base=1.0: must be a finite number above 1
ntk_base(10000.0, 64, 0.5)
    factor=0.5: must be a finite number of at least 1
ntk_base(10000.0, 64, np.nan)
    factor=nan: must be a finite number of at least 1
dynamic_ntk_base(10000.0, 64, 2, 0, 4096)
    seq_len=0: must be at least 1
dynamic_ntk_base(10000.0, 64, 2, 8192, 0)
    max_position_embeddings=0: must be at least 1
dynamic_ntk_base(10000.0, 64, 2, 8192.5, 4096)
    seq_len=8192.5: must be an integer of at least 1
dynamic_ntk_base(10000.0, 64, 0.5, 8192, 4096)
    factor=0.5: must be a finite number of at least 1
yarn(63, 4, 4096)
    dim=63: must be even, since dimensions come in pairs; use 62 or 64
yarn(64, 0.5, 4096)
    factor=0.5: must be a finite number of at least 1
yarn(64, 4, 0)
    original_max_position_embeddings=0: must be at least 1
yarn(64, 4, 4096, base=1)
    base=1: must be a finite number above 1
yarn(64, 4, 4096, beta_fast=1, beta_slow=1)
    beta_fast=1: must be above beta_slow=1
yarn(64, 4, 4096, beta_fast=1, beta_slow=32)
    beta_fast=1: must be above beta_slow=32
yarn(64, 4, 4096, beta_slow=0)
    beta_slow=0: must be a finite number above 0
yarn(64, 4, 4096, beta_fast=np.inf)
    beta_fast=inf: must be a finite number
yarn_temperature(0.5)
    factor=0.5: must be a finite number of at least 1
yarn_temperature(4, -1)
    mscale=-1: must be a finite number of at least 0
yarn_attention_factor(0)
    factor=0: must be a finite number of at least 1
yarn_attention_factor(4, mscale=-1, mscale_all_dim=1)
    mscale=-1: must be a finite number of at least 0
llama3([1.0], 0.5, 1, 4, 8192)
    factor=0.5: must be a finite number of at least 1
llama3([1.0], 8, 4, 4, 8192)
    high_freq_factor=4: must be above low_freq_factor=4
llama3([1.0], 8, 4, 1, 8192)
    high_freq_factor=1: must be above low_freq_factor=4
llama3([1.0], 8, 0, 4, 8192)
    low_freq_factor=0: must be a finite number above 0
llama3([1.0], 8, 1, 4, 0)
    original_max_position_embeddings=0: must be at least 1
llama3([-1.0], 8, 1, 4, 8192)
    inv_freq holds -1.0: must be at least 0; negate the positions to turn back
longrope([1.0, 0.1], [1.0])
    factors has shape (1,): must hold one number for each of the 2 pairs
longrope([1.0], [0.0])
    factors holds 0: every factor must be above 0
longrope([1.0], [np.nan])
    factors holds nan: every entry must be finite
longrope_attention_factor(0.5, 4096)
    factor=0.5: must be a finite number of at least 1
longrope_attention_factor(32, 1)
    original_max_position_embeddings=1: must be at least 2
longrope_attention_factor(32, 0)
    original_max_position_embeddings=0: must be at least 2
context_bound([1.0], limit=0)
    limit=0: must be at least 1
context_bound([], limit=10)
    inv_freq has shape (0,): must be (dim/2,), one number a pair
from_config("config.json")
    config is str: must be a dict, as read from JSON
from_config({})
    config has no width of a head: add 'head_dim', or 'hidden_size' and
from_config({"hidden_size": 64, "num_attention_heads": 0})
    num_attention_heads=0: must be at least 1
from_config({"hidden_size": 65, "num_attention_heads": 2})
    hidden_size=65 is not a multiple of num_attention_heads=2: add 'head_dim'
from_config({"head_dim": 63})
    head_dim=63: must be even, since dimensions come in pairs; use 62 or 64
from_config({"head_dim": 64, "rope_theta": 1})
    rope_theta=1: must be a finite number above 1
from_config({"head_dim": 64, "rope_scaling": {"rope_type": "yarm", "factor": 4}})
    rope_type='yarm': must be one of 'default', 'linear', 'dynamic', 'yarn', 'llama3'
from_config({"head_dim": 64, "rope_scaling": {"rope_type": "linear"}})
    rope_scaling of type 'linear' has no 'factor': add the extended length divided by the
from_config({"head_dim": 64, "rope_scaling": {"rope_type": "linear", "factor": 0.5}})
    factor=0.5: must be a finite number of at least 1
from_config({"head_dim": 64, "rope_scaling": {"rope_type": "dynamic", "factor": 2}})
    config has no 'max_position_embeddings': add the longest length in positions
from_config({"head_dim": 64, "rope_scaling": "linear"})
    rope_scaling is str: must be a dict, as read from JSON
from_config({"head_dim": 64, "partial_rotary_factor": 1.5})
    partial_rotary_factor=1.5: must be at most 1
from_config({"head_dim": 64}, seq_len=0)
    seq_len=0: must be at least 1
diagnose([])
    config is list: must be a dict, as read from JSON
diagnose({"head_dim": 64}, target_length=0)
    target_length=0: must be at least 1
diagnose({"head_dim": 64, "max_position_embeddings": -1})
    max_position_embeddings=-1: must be at least 1
sinusoidal_scheme(7)
    dim=7: must be even, since dimensions come in pairs; use 6 or 8
sinusoidal_scheme(64, base=1)
    base=1: must be a finite number above 1
learned_scheme(np.ones(4))
    table has shape (4,): must be (rows, width), neither of them 0
rope_scheme(7)
    dim=7: must be even, since dimensions come in pairs; use 6 or 8
rope_scheme(64, layout="concat")
    layout='concat': must be one of 'half', 'interleaved'
rope_scheme(64, base=np.nan)
    base=nan: must be a finite number above 1
alibi_scheme(0)
    heads=0: must be at least 1
t5_scheme(np.ones(4))
    table has shape (4,): must be (rows, width), neither of them 0
t5_scheme(np.ones((32, 2)), max_distance=2)
    max_distance=2: must be at least 9
shaw_scheme(np.ones((4, 8)))
    table has 4 rows: must be 2k + 1, one for each offset from -k to k, k >= 1
shaw_scheme(np.ones(5))
    table has shape (5,): must be (rows, width), neither of them 0
scores(none(), np.ones((2, 4)), np.ones((2, 3)), [0, 1], [0, 1])
    q has shape (2, 4), k (2, 3): must be (..., m, d) and (..., n, d), the same d
scores(none(), np.ones((2, 4)), np.ones((2, 4)), [0], [0, 1])
    q_positions has shape (1,), q (2, 4): must be (2,), or have leading axes that q begins
scores(none(), np.ones((2, 4)), np.ones((2, 4)), [0, np.nan], [0, 1])
    q_positions holds nan: every entry must be finite
scores(learned_scheme(np.eye(4)), np.ones((1, 4)), np.ones((1, 4)), [4], [0])
    position 4: the table has 4 rows, for positions 0 to 3; shorten the text or make rows
bfloat16(["a"])
    x has dtype <U1: must hold real numbers
bfloat16([1.0, np.nan])
    x holds nan: every entry must be finite
softmax(["a"])
    x has dtype <U1: must hold real numbers
softmax([])
    x has shape (0,): a softmax needs at least one entry
attention_weights(np.ones((2, 4)), np.ones((2, 4)), bias=np.ones((3, 3)))
    bias has shape (3, 3): must fit the scores, (2, 2), which are (..., m, n)
attention_weights(np.ones((2, 4)), np.ones((2, 4)), mask=np.ones((3, 3), bool))
    mask has shape (3, 3): must fit the scores, (2, 2), which are (..., m, n)
softmax([np.inf, 0.0])
    x has a row whose largest entry is inf: it must be finite
causal_mask(0)
    q_len=0: must be at least 1
causal_mask(4, 3)
    k_len=3: must be at least 4
attention_weights(np.ones((2, 4)), np.ones((2, 3)))
    q (2, 4) and k (2, 3): must be (..., m, d) and (..., n, d) with the same d
attention_weights(np.ones((2, 4)), np.ones((2, 4)), mask=np.ones((2, 2)))
    mask has dtype float64: must be boolean, True for visible
attention_weights(np.ones((2, 4)), np.ones((2, 4)), mask=np.zeros((2, 2), bool))
    mask and bias hide every key from some query: leave it at least one
attention_weights(np.ones((1, 4)), np.ones((2, 4)), bias=[-np.inf, -np.inf])
    mask and bias hide every key from some query: leave it at least one
attention_weights(np.ones((1, 4)), np.ones((2, 4)), bias=[0, np.inf])
    bias holds inf: every entry must be finite or minus infinity
attention_weights(np.ones((1, 4)), np.ones((2, 4)), bias=[0, np.nan])
    bias holds nan: every entry must be finite or minus infinity
attention_weights(np.ones((1, 0)), np.ones((2, 0)))
    q (1, 0) and k (2, 0): must be (..., m, d) and (..., n, d) with the same d, none of them 0
attention_weights(np.ones((1, 4)), np.ones((0, 4)))
    q (1, 4) and k (0, 4): must be (..., m, d) and (..., n, d) with the same d, none of them 0
attention_weights([[1e300]], [[1e300]])
    q and k: their products are too large for float64; scale them down
attention_weights(np.ones((2, 1, 4)), np.ones((3, 1, 4)))
    q (2, 1, 4), k (3, 1, 4): axes before the last two must be equal, or 1
attention(np.ones((2, 1, 4)), np.ones((2, 1, 4)), np.ones((3, 1, 4)))
    weights (2, 1, 1), v (3, 1, 4): axes before the last two must be equal, or 1
scores("rope", np.ones((1, 4)), np.ones((1, 4)), [0], [0])
    scheme='rope': must be a Scheme, as rope_scheme(64) makes one
scores(none(), np.ones((2, 1, 4)), np.ones((3, 1, 4)), [0], [0])
    q (2, 1, 4), k (3, 1, 4): axes before the last two must be equal, or 1
scores(alibi_scheme(3), np.ones((2, 1, 4)), np.ones((2, 1, 4)), [0], [0])
    contents have 2 entries along axis -3, the scheme has 3 heads: give a batch of contents as
scores(alibi_scheme(3), np.ones((2, 1, 4)), np.ones((2, 1, 4)), [[0], [1]], [[0], [1]])
    contents have 2 entries along axis -3, the scheme has 3 heads: give a batch of contents as
scores(t5_scheme(np.ones((4, 3))), np.ones((2, 1, 4)), np.ones((2, 1, 4)), [[0], [1]], [[0], [1]])
    contents have 2 entries along axis -3, the scheme has 3 heads: give a batch of contents as
requirements("rope")
    subject='rope': must be a Scheme, or a function of positions
score_terms(np.ones((2, 3, 4)), np.ones((5, 3, 4)))
    x (2, 3, 4), code (5, 3, 4): axes before the last two must be equal, or 1
inv_freq(4, base=10**400)
    must be a finite number above 1
apply_rope([[1, 2], [1]], [[1.0]], [[0.0]], layout="half")
    x=[[1, 2], [1]]: rows differ in length; give a full array
to_half([[1], [1, 2]])
    x=[[1], [1, 2]]: rows differ in length; give a full array
diagonal_view([1, 2, 3, 4], 2, 2)
    values has shape (4,): its last axis must hold q_len + k_len - 1 = 3 numbers
yarn_attention_factor(4, -1)
    mscale=-1: must be a finite number of at least 0
yarn_attention_factor(4, None, np.nan)
    mscale_all_dim=nan: must be a finite number of at least 0
attention_weights(np.ones((2, 4)), np.full((2, 4), np.nan))
    k holds nan: every entry must be finite
attention(np.ones((2, 4)), np.ones((2, 4)), np.ones((3, 4)))
    v (3, 4): must be (..., 2, e), one value for each key
attention(1.0, 1.0, 1.0)
    q () and k (): must be (..., m, d) and (..., n, d) with the same d
score_terms(np.ones((3, 4)), np.ones((2, 4)))
    x has shape (3, 4), code (2, 4): must be (..., n, d), the same n and d
score_terms(np.ones((3, 4)), np.ones((3, 4)), weights=np.eye(3))
    weights has shape (3, 3): must be (4, 4)
anchor_spread(none(), np.zeros(4), np.ones(4))
    q is zero: a ratio of norms needs a query that is not
anchor_spread(none(), np.ones(4), np.ones(3))
    q has shape (1, 4), k (32, 3): must be (..., m, d) and (..., n, d), the same d
anchor_spread(none(), np.ones(4), np.ones(4), anchors=[])
    q has shape (4,), k (4,), with 0 anchors and 32 offsets: contents must be (..., d), and
relativity(none(), np.ones(4), np.ones(3))
    q has shape (1, 4), k (32, 3): must be (..., m, d) and (..., n, d), the same d
relativity(none(), np.ones(4), np.ones(4), offsets=[])
    q has shape (4,), k (4,), with 64 anchors and 0 offsets: contents must be (..., d), and
commuting_weights([1.0], [1.0, 2.0])
    a has shape (1,), b (2,): must both be (d/2,)
commuting_weights([1.0], [1.0], layout="concat")
    layout='concat': must be one of 'interleaved', 'half'
requirements(none(), length=1)
    length=1: must be at least 2
requirements(none(), dim=0)
    dim=0: must be at least 1
requirements(none(), length=8, query=8)
    query=8: must be a position of the text, 0 to 7
requirements(lambda p: np.ones(3))
    the encoding gave codes of shape (3,) for 512 positions: must be (512, d)
palette.mark("sinusoid")
    scheme='sinusoid': must be one of 'none', 'sinusoidal', 'learned', 'shaw', 't5'
check(lambda p: p, kind="tabel")
    kind='tabel': must be one of 'table', 'rotation', 'bias'
check(lambda p: p, kind="table", dim=7)
    dim=7: must be even, since dimensions come in pairs; use 6 or 8
check("sinusoidal", kind="table")
    fn='sinusoidal': must be a function
check(lambda q, k: q, kind="bias", num_heads=0)
    num_heads=0: must be at least 1
from_config({"head_dim": 64}, layer_type="global")
    layer_type='global': all layers rotate alike; leave it out
t5_bucket([1], bidirectional="no")
    bidirectional='no': must be True or False
trained("lenght")
    experiment='lenght': must be one of
yarn(64, 4, 4096, truncate="no")
    truncate='no': must be True or False
text_table(["a"], [["b", "c"]])
    row ['b', 'c'] has 2 cells: the header has 1
"""
LINES = CALLS.strip().splitlines()
NAMES = {name: getattr(posenc, name) for name in posenc.__all__} | {"np": np}
OF_A_TABLE = "the table has"  # positions outside a table are an IndexError


@pytest.mark.parametrize(("call", "message"), list(zip(LINES[::2], LINES[1::2], strict=True)))
def test_a_wrong_call_says_what_is_wrong(call, message):
    error = IndexError if OF_A_TABLE in message else ValueError
    with pytest.raises(error) as raised:
        eval(call, NAMES)
    assert message.strip() in str(raised.value)


def test_the_layout_of_a_rotation_is_never_assumed():
    with pytest.raises(TypeError, match="layout"):
        posenc.apply_rope(np.ones((3, 4)), np.ones((3, 2)), np.ones((3, 2)))


# No argument, or what another function returned.
SAFE = {"none", "position_table", "scoreboard"}


def test_every_public_function_is_in_the_table():
    functions = {name for name in posenc.__all__ if inspect.isfunction(getattr(posenc, name))}
    covered = {call.partition("(")[0] for call in LINES[::2]}
    assert functions - covered <= SAFE
    assert len(LINES) // 2 >= 80

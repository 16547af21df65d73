import json
import math
from pathlib import Path

import numpy as np
import pytest

from posenc.frequencies import inv_freq
from posenc.model_config import from_config
from posenc.rope import apply_rope, rope_cos_sin
from posenc.scaling import dynamic_ntk_base, linear, llama3, yarn

HERE = Path(__file__).parent
PEERS = json.loads((HERE / "golden" / "peers.json").read_text())["rope_inv_freq"]["cases"]
MODELS = {f.stem: json.loads(f.read_text())["config"] for f in (HERE / "configs").glob("*.json")}
HEAD = {"head_dim": 128, "max_position_embeddings": 4096}
LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8.0,
    "low_freq_factor": 1.0,
    "high_freq_factor": 4.0,
    "original_max_position_embeddings": 8192,
}


def config(rope=None, **keys):
    return {**HEAD, "rope_scaling": rope, **keys}


def old_spelling(case):
    return {
        "head_dim": case["head_dim"],
        "rope_theta": case["base"],
        "max_position_embeddings": case["max_position_embeddings"],
        "partial_rotary_factor": case["partial_rotary_factor"],
        "rope_scaling": case["rope_scaling"],
    }


def new_spelling(case):
    return {
        "hidden_size": 4 * case["head_dim"],
        "num_attention_heads": 4,
        "max_position_embeddings": case["max_position_embeddings"],
        "rope_parameters": {
            "rope_type": "default",
            "rope_theta": case["base"],
            "partial_rotary_factor": case["partial_rotary_factor"],
            **(case["rope_scaling"] or {}),
        },
    }


@pytest.mark.parametrize("spelling", [old_spelling, new_spelling])
@pytest.mark.parametrize("case", PEERS.values(), ids=PEERS)
def test_equals_peers(case, spelling):
    frequencies, attention_factor = from_config(spelling(case), seq_len=case["seq_len"])
    np.testing.assert_allclose(frequencies, case["inv_freq"], rtol=1e-6)
    assert attention_factor == pytest.approx(case["attention_factor"], rel=1e-12)


# Applied: an independent rotation in complex numbers, from the papers' formulas.


@pytest.mark.parametrize("name", ["llama2_7b_linear_x4", "yarn_llama2_7b_64k_x16"])
def test_applied_queries_and_keys(name):
    """Origin: litgpt 0.5.13, whose own test fed both sides the same table."""
    case = PEERS[name]
    i, d, s, length = np.arange(64), 128, case["rope_scaling"]["factor"], 4096
    w = 10000.0 ** (-2 * i / d)
    if case["rope_type"] == "yarn":
        at = [d * math.log(length / (2 * math.pi * r)) / (2 * math.log(10000)) for r in (32, 1)]
        low, high = math.floor(at[0]), math.ceil(at[1])
        g = np.clip((i - low) / (high - low), 0, 1)
        w, m = w / s * g + w * (1 - g), 0.1 * math.log(s) + 1
    else:
        w, m = w / s, 1.0
    frequencies, attention_factor = from_config(old_spelling(case))
    positions = np.array([0, 1, 4095, 20000])
    tables = rope_cos_sin(positions, frequencies, attention_factor=attention_factor)
    for seed in (0, 1):
        x = np.random.default_rng(seed).normal(size=(4, 128))
        turned = m * (x[:, :64] + 1j * x[:, 64:]) * np.exp(1j * positions[:, None] * w)
        expected = np.concatenate([turned.real, turned.imag], axis=1)
        np.testing.assert_allclose(apply_rope(x, *tables, layout="half"), expected, atol=1e-5)


# Widths and bases


def test_base_is_read():
    """Origin: llama2.c 356, where the base was in the code."""
    frequencies, _ = from_config({"head_dim": 128, "rope_theta": 1e6})
    assert frequencies[-1] == pytest.approx(1.2409e-6, rel=1e-4)


@pytest.mark.parametrize(
    ("keys", "dim"),
    [
        ({"head_dim": 128}, 128),
        ({"hidden_size": 4096, "num_attention_heads": 32}, 128),
        ({"hidden_size": 4096, "num_attention_heads": 32, "head_dim": 64}, 64),
        ({"hidden_size": 4096, "num_attention_heads": 32, "head_dim": None}, 128),
        ({"head_dim": 128, "partial_rotary_factor": 0.25}, 32),
        ({"head_dim": 128, "rotary_pct": 0.25}, 32),
        ({"head_dim": 128, "rotary_dim": 64}, 64),
        ({"head_dim": 64, "partial_rotary_factor": 0.5, "rotary_dim": 32}, 32),
        ({"head_dim": 128, "rope_parameters": {"partial_rotary_factor": 0.5}}, 64),
        ({"n_embd": 4096, "n_head": 16, "rotary_dim": 64}, 64),
        ({"hidden_size": 2048, "num_attention_heads": 16, "qk_rope_head_dim": 64}, 64),
        # Mistral 4 gives the rotated part twice: of the whole head, and as its own width.
        ({"head_dim": 128, "qk_rope_head_dim": 64, "partial_rotary_factor": 0.5}, 64),
    ],
)
def test_frequencies_come_from_the_rotated_width(keys, dim):
    """Origin: coreai-models 66, pie 602, where the head's width entered the exponent."""
    frequencies, _ = from_config(keys)
    np.testing.assert_array_equal(frequencies, inv_freq(dim))


@pytest.mark.parametrize("keys", [{"rope_theta": 500.0}, {"rotary_emb_base": 500}])
def test_spellings_of_the_base(keys):
    frequencies, _ = from_config({"head_dim": 8, **keys})
    np.testing.assert_array_equal(frequencies, inv_freq(8, base=500))


def test_base_in_the_entry_wins():
    given = {"head_dim": 8, "rope_theta": 1e4, "rope_parameters": {"rope_theta": 500.0}}
    np.testing.assert_array_equal(from_config(given)[0], inv_freq(8, base=500))


def test_text_part_of_a_multimodal_file():
    inner = config({"type": "linear", "factor": 2}, rope_theta=1e6)
    outer = {"model_type": "vision", "vision_config": {"head_dim": 64}, "text_config": inner}
    np.testing.assert_array_equal(from_config(outer)[0], from_config(inner)[0])


# Scalings


def test_llama3_frequencies_are_returned():
    """Origin: transformers 32330, where the scaling was computed and thrown away."""
    frequencies, attention_factor = from_config(config(LLAMA3, rope_theta=500000))
    plain = inv_freq(128, base=500000)
    np.testing.assert_array_equal(frequencies, llama3(plain, 8, 1, 4, 8192))
    assert frequencies[-1] == plain[-1] / 8
    assert attention_factor == 1


@pytest.mark.parametrize("name", ["type", "rope_type"])
def test_both_spellings_of_the_type(name):
    given = config({name: "linear", "factor": 4})
    np.testing.assert_array_equal(from_config(given)[0], linear(inv_freq(128), 4))


@pytest.mark.parametrize("rope", [None, {}, {"type": "mrope", "mrope_section": [16, 24, 24]}])
def test_no_scaling(rope):
    frequencies, attention_factor = from_config(config(rope))
    np.testing.assert_array_equal(frequencies, inv_freq(128))
    assert attention_factor == 1


@pytest.mark.parametrize("seq_len", [None, 1, 4096, 4097, 8192])
def test_dynamic_depends_on_the_length(seq_len):
    frequencies, _ = from_config(config({"type": "dynamic", "factor": 2.0}), seq_len=seq_len)
    base = dynamic_ntk_base(1e4, 128, 2.0, seq_len or 4096, 4096)
    np.testing.assert_array_equal(frequencies, inv_freq(128, base=base))
    assert (base > 1e4) == (seq_len is not None and seq_len > 4096)


YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 1024}


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ({}, {}),
        ({"beta_fast": 16, "beta_slow": 2}, {"beta_fast": 16, "beta_slow": 2}),
        ({"beta_fast": None, "beta_slow": None, "truncate": None}, {}),
        ({"truncate": False}, {"truncate": False}),
    ],
)
def test_yarn_options(keys, expected):
    frequencies, _ = from_config(config({**YARN, **keys}))
    np.testing.assert_array_equal(frequencies, yarn(128, 4, 1024, **expected))


@pytest.mark.parametrize(
    "keys",
    [
        {},  # the key may be missing: the ratio of the lengths
        {"factor": None},
    ],
)
def test_factor_from_the_two_lengths(keys):
    rope = {k: v for k, v in YARN.items() if k != "factor"} | keys
    np.testing.assert_array_equal(from_config(config(rope))[0], yarn(128, 4, 1024))


def test_given_factor_wins_over_the_ratio():
    np.testing.assert_array_equal(from_config(config({**YARN, "factor": 2}))[0], yarn(128, 2, 1024))


def test_trained_length_outside_the_entry_wins():
    given = config(YARN, original_max_position_embeddings=2048)
    np.testing.assert_array_equal(from_config(given)[0], yarn(128, 4, 2048))


def test_yarn_without_a_trained_length_takes_the_longest():
    np.testing.assert_array_equal(
        from_config(config({"type": "yarn", "factor": 4}))[0], yarn(128, 4, 4096)
    )


@pytest.mark.parametrize(
    ("keys", "value"),
    [
        ({}, 1 + 0.1 * math.log(4)),
        ({"attention_factor": 1.5}, 1.5),
        ({"attention_factor": 1.0, "mscale": 1, "mscale_all_dim": 0.5}, 1.0),
        ({"attention_factor": None}, 1 + 0.1 * math.log(4)),
        (
            {"mscale": 1, "mscale_all_dim": 0.5},
            (1 + 0.1 * math.log(4)) / (1 + 0.05 * math.log(4)),
        ),
        ({"mscale": 0.707, "mscale_all_dim": 0.0}, 1 + 0.1 * math.log(4)),
    ],
)
def test_yarn_attention_factor(keys, value):
    assert from_config(config({**YARN, **keys}))[1] == pytest.approx(value, rel=1e-12)


def longrope(**keys):
    return {
        "type": "longrope",
        "short_factor": [1.0, 1.5],
        "long_factor": [1.0, 40.0],
        **keys,
    }


def test_longrope_chooses_the_list_and_keeps_the_attention_factor():
    """Origin: transformers 33129, vllm 27431: another list at 4097 positions, one factor."""
    given = {
        "head_dim": 4,
        "max_position_embeddings": 131072,
        "original_max_position_embeddings": 4096,
        "rope_scaling": longrope(),
    }
    for seq_len, last in [(None, 1.5), (1, 1.5), (4096, 1.5), (4097, 40.0), (131072, 40.0)]:
        frequencies, attention_factor = from_config(given, seq_len=seq_len)
        assert frequencies.tolist() == [1.0, 0.01 / last]
        assert attention_factor == pytest.approx(1.190238, abs=5e-7)


def test_older_name_of_longrope_and_its_own_temperatures():
    """Phi-3.5-MoE states one temperature for each list."""
    rope = longrope(type="su", short_mscale=1.1, long_mscale=1.2, factor=32)
    given = {"head_dim": 4, "max_position_embeddings": 4096, "rope_scaling": rope}
    assert from_config(given)[1] == 1.1
    assert from_config(given, seq_len=4097)[1] == 1.2
    rope["attention_factor"] = 1.3
    assert from_config(given)[1] == 1.3


def test_proportional_pairs_beyond_the_part_stand_still():
    rope = {"rope_type": "proportional", "partial_rotary_factor": 0.25, "rope_theta": 1e6}
    frequencies, attention_factor = from_config({"head_dim": 512, "rope_parameters": rope})
    plain = inv_freq(512, base=1e6)
    np.testing.assert_array_equal(frequencies[:64], plain[:64])
    assert frequencies.shape == (256,)
    assert not frequencies[64:].any()
    assert attention_factor == 1
    halved, _ = from_config({"head_dim": 512, "rope_parameters": {**rope, "factor": 2}})
    np.testing.assert_array_equal(halved, frequencies / 2)


# Kinds of layers


def test_kinds_of_layers_in_rope_parameters():
    given = MODELS["gemma-4-12b"]
    full, _ = from_config(given, layer_type="full_attention")
    sliding, _ = from_config(given, layer_type="sliding_attention")
    assert full.shape == (256,)  # global_head_dim
    np.testing.assert_array_equal(sliding, inv_freq(256))


@pytest.mark.parametrize(
    ("model", "full", "sliding"),
    [
        ("gemma-3-27b", linear(inv_freq(128, base=1e6), 8), inv_freq(128)),
        ("gemma-3-1b", inv_freq(256, base=1e6), inv_freq(256)),
        ("modernbert-base", inv_freq(64, base=160000), inv_freq(64)),
        ("olmo-3.1-32b", yarn(128, 8, 8192, base=5e5), inv_freq(128, base=5e5)),
    ],
)
def test_kinds_of_layers_in_older_spellings(model, full, sliding):
    for kind, expected in (("full_attention", full), ("sliding_attention", sliding)):
        frequencies, _ = from_config(MODELS[model], layer_type=kind)
        np.testing.assert_array_equal(frequencies, expected)


def test_a_leftover_word_does_not_hide_the_rotation():
    """ModernBERT's released file still says "absolute", as BERT's does, beside its two bases."""
    released = MODELS["modernbert-base"] | {"position_embedding_type": "absolute"}
    frequencies, _ = from_config(released, layer_type="full_attention")
    np.testing.assert_array_equal(frequencies, inv_freq(64, base=160000))
    with pytest.raises(ValueError, match="does not rotate"):
        from_config(HEAD | {"position_embedding_type": "absolute"})


def test_modernbert_without_a_local_base_takes_the_global_one():
    given = MODELS["modernbert-base"] | {"local_rope_theta": None}
    frequencies, _ = from_config(given, layer_type="sliding_attention")
    np.testing.assert_array_equal(frequencies, inv_freq(64, base=160000))


@pytest.mark.parametrize(
    ("family", "width"), [("gemma2", 256), ("qwen3", 128), ("glm4", 64), ("qwen3_next", 64)]
)
def test_families_whose_heads_do_not_share_the_hidden_size(family, width):
    """transformers gives them a width of their own where the file has no head_dim."""
    given = {"model_type": family, "hidden_size": 3840, "num_attention_heads": 16}
    assert len(from_config(given)[0]) == width // 2
    whole = given | {"head_dim": 32, "partial_rotary_factor": 1.0}
    assert len(from_config(whole)[0]) == 16


def test_gemma3_as_it_was_released():
    """gemma-3-12b-it names neither the width of its heads nor its bases."""
    text = {"model_type": "gemma3_text", "hidden_size": 3840, "num_attention_heads": 16}
    given = {"text_config": text | {"rope_scaling": {"factor": 8.0, "rope_type": "linear"}}}
    frequencies, _ = from_config(given, layer_type="full_attention")
    np.testing.assert_allclose(frequencies, inv_freq(256, base=1e6) / 8)


def test_kind_is_needed_where_kinds_differ():
    with pytest.raises(ValueError, match="give one of 'full_attention', 'sliding_attention'"):
        from_config(MODELS["gemma-3-1b"])
    with pytest.raises(ValueError, match="layer_type='local': must be one of 'full_attention'"):
        from_config(MODELS["gemma-3-1b"], layer_type="local")


def test_kind_of_a_model_whose_layers_are_alike():
    frequencies, _ = from_config(MODELS["gpt-oss-120b"], layer_type="sliding_attention")
    np.testing.assert_array_equal(frequencies, from_config(MODELS["gpt-oss-120b"])[0])
    with pytest.raises(ValueError, match="layer_type='local'"):
        from_config(MODELS["gpt-oss-120b"], layer_type="local")


def test_kind_that_does_not_rotate():
    nested = {"full_attention": None, "sliding_attention": {"rope_theta": 500.0}}
    given = {"head_dim": 8, "rope_parameters": nested}
    with pytest.raises(ValueError, match="'full_attention': these layers do not rotate"):
        from_config(given, layer_type="full_attention")
    frequencies, _ = from_config(given, layer_type="sliding_attention")
    np.testing.assert_array_equal(frequencies, inv_freq(8, base=500))


def test_values_beside_the_kinds_hold_for_all():
    nested = {"rope_theta": 500.0, "full_attention": {"rope_type": "linear", "factor": 2}}
    frequencies, _ = from_config({"head_dim": 8, "rope_parameters": nested})
    np.testing.assert_array_equal(frequencies, inv_freq(8, base=500) / 2)


@pytest.mark.parametrize("model", MODELS)
def test_released_models_are_read(model):
    text = MODELS[model].get("text_config", MODELS[model])
    try:
        frequencies, attention_factor = from_config(MODELS[model])
    except ValueError as error:
        assert "layer_type" in str(error)  # noqa: PT017
        frequencies, attention_factor = from_config(MODELS[model], layer_type="full_attention")
    assert frequencies.dtype == np.float64
    assert 2 * frequencies.size <= text.get("global_head_dim", 256)
    assert 1 <= attention_factor < 1.5


# Bad input


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ([], "config is list: must be a dict"),
        ({}, "config has no width of a head: add 'head_dim'"),
        ({"hidden_size": 100, "num_attention_heads": 3}, "is not a multiple of"),
        ({"head_dim": 127}, "head_dim=127: must be even"),
        ({"head_dim": 0}, "head_dim=0"),
        ({"head_dim": "128"}, "head_dim='128': must be an integer"),
        ({"hidden_size": 99, "num_attention_heads": 3}, "head_dim=33: must be even"),
        ({"head_dim": 128, "qk_rope_head_dim": 63}, "qk_rope_head_dim=63: must be even"),
        ({"head_dim": 20, "partial_rotary_factor": 0.25}, r"0.25 of head_dim=20\)=5: must be"),
        ({"head_dim": 20, "partial_rotary_factor": 1.5}, "partial_rotary_factor=1.5"),
        ({"head_dim": 20, "partial_rotary_factor": 0}, "partial_rotary_factor=0"),
        ({"head_dim": 20, "rotary_dim": 22}, "rotary_dim=22: must be at most head_dim=20"),
        ({"head_dim": 20, "rope_theta": 1}, "rope_theta=1"),
        ({"head_dim": 20, "rope_theta": "1e4"}, "rope_theta='1e4'"),
        ({"head_dim": 20, "alibi": True}, "alibi=True: this model does not rotate"),
        ({"head_dim": 20, "position_embedding_type": "absolute"}, "does not rotate"),
        (config([]), "rope_scaling is list: must be a dict"),
        (config({"factor": 2}), "'factor' but no 'rope_type': add one of 'default', 'linear'"),
        (config({"type": "ntk", "factor": 2}), "rope_type='ntk': must be one of 'default',"),
        (config({"type": 3}), "rope_type=3"),
        (config({"type": "linear"}), "has no 'factor': add"),
        (config({"type": "linear", "factor": 0.5}), "factor=0.5: must be"),
        (config({"type": "linear", "factor": "2"}), "factor='2': must be"),
        (config({"type": "dynamic", "factor": 0.5}), "factor=0.5"),
        (config({"type": "yarn"}), "has no 'factor'"),
        (
            config({**YARN, "factor": None}, max_position_embeddings=512),
            "original_max_position_embeddings=1024 is longer than max_position_embeddings=512: "
            "exchange them, or add 'factor'",
        ),
        (config({**YARN, "truncate": "false"}), "truncate='false': must be True or False"),
        (config({**YARN, "mscale": "x"}), "mscale='x': must be a finite number"),
        (
            {
                "head_dim": 4,
                "max_position_embeddings": 8,
                "rope_scaling": longrope(long_factor=[1, 0]),
            },
            "long_factor holds 0: every factor must be above 0",
        ),
        (config({**YARN, "beta_fast": 1, "beta_slow": 32}), "beta_fast=1: must be above"),
        (config({**YARN, "attention_factor": 0}), "attention_factor=0"),
        (config({**YARN, "original_max_position_embeddings": 0}), "max_position_embeddings=0"),
        ({"head_dim": 8, "rope_scaling": {"type": "yarn", "factor": 2}}, "no 'max_position_emb"),
        (config({**LLAMA3, "low_freq_factor": 4}), "high_freq_factor=4: must be above"),
        (config({**LLAMA3, "low_freq_factor": None}), "low_freq_factor=None"),
        (
            config({k: v for k, v in LLAMA3.items() if not k.startswith("original")}),
            "has no 'original_max_position_embeddings': add the trained length",
        ),
        (
            config({**LLAMA3, "original_max_position_embeddings": None}),
            "has no 'original_max_position_embeddings': add the trained length",
        ),
        (
            config({k: v for k, v in LLAMA3.items() if not k.startswith("high")}),
            "rope_scaling has no 'high_freq_factor': add it",
        ),
        (config({"type": "longrope", "factor": 2}), "has no 'short_factor': add it"),
        (config(longrope(factor=2)), "short_factor holds 2 numbers: .* 64 pairs"),
        (
            {
                "head_dim": 4,
                "max_position_embeddings": 8,
                "rope_scaling": longrope(long_factor=[1]),
            },
            "long_factor holds 1 numbers: .* 2 pairs",
        ),
        (
            {"head_dim": 4, "rope_scaling": {"type": "linear"}, "rope_parameters": {"x": 1}},
            "both 'rope_parameters' and 'rope_scaling'",
        ),
    ],
)
def test_bad_config_is_named(given, message):
    """Origin of the odd width: transformers 48101, accepted and crashed later."""
    with pytest.raises(ValueError, match=message):
        from_config(given)


def test_bad_length_is_named():
    with pytest.raises(ValueError, match="seq_len=0"):
        from_config(HEAD, seq_len=0)


def test_config_is_left_alone():
    given = json.loads(json.dumps(MODELS["gemma-3-1b"]))
    from_config(given, layer_type="full_attention")
    assert given == MODELS["gemma-3-1b"]

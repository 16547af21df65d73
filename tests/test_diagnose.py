import contextlib
import io
import json
import os
import re
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest

from posenc.__main__ import main
from posenc.doctor import diagnose

FILES = sorted((Path(__file__).parent / "configs").glob("*.json"))
MODELS = {f.stem: json.loads(f.read_text())["config"] for f in FILES}
HEAD = {"head_dim": 128, "rope_theta": 1e6}
YARN = {"rope_type": "yarn", "factor": 4.0, "original_max_position_embeddings": 32768}


def config(rope=None, longest=131072, **keys):
    return {**HEAD, "max_position_embeddings": longest, "rope_scaling": rope, **keys}


def warnings(given, **options):
    return [w.code for w in diagnose(given, **options).warnings]


def message(code, given, **options):
    report = diagnose(given, **options)
    return next(f.message for f in (*report.warnings, *report.notes) if f.code == code)


# Released models: none deserves a warning. Notes state facts and are not counted as faults.

NOTES = {
    "codellama-7b": [],
    "deepseek-v2-lite": ["softmax-scale"],
    "deepseek-v3": ["softmax-scale"],
    "devstral-2-123b": [],
    "devstral-small-2-24b": ["softmax-scale"],
    "exaone-4.0-32b": [],
    "gemma-3-1b": [],
    "gemma-3-27b": ["trained-length-unknown"],
    "gemma-4-12b": [],
    "gpt-oss-120b": ["context-bound"],
    "llama-2-7b": ["base-assumed", "context-bound"],
    "llama-3.1-8b": ["factor-below-ratio", "context-bound"],
    "llama-3.2-1b": ["context-bound"],
    "mistral-nemo-base-2407": ["context-bound"],
    "modernbert-base": ["context-bound"],
    "olmo-3.1-32b": [],
    "phi-1": [],
    "phi-3.5-mini": ["context-bound", "list-switch"],
    "pythia-14m": [],
    "qwen2.5-7b": ["context-bound"],
    "qwen2.5-coder-32b-yarn": ["lengths-equal", "context-bound"],
    "qwen3.5-9b": [],
}


def test_every_released_model_has_its_expectation():
    assert set(NOTES) == set(MODELS)


@pytest.mark.parametrize("model", NOTES)
def test_released_models(model):
    report = diagnose(MODELS[model])
    assert report.warnings == ()
    assert [note.code for note in report.notes] == NOTES[model]


# The pairs


def test_fates_of_llama3():
    (layer,) = diagnose(MODELS["llama-3.1-8b"]).layers
    fates = [pair.fate for pair in layer.pairs]
    assert fates == ["kept"] * 29 + ["mixed"] * 6 + ["divided"] * 29
    assert [p.index for p in layer.pairs if p.new_angles] == list(range(35, 64))


def test_fates_of_yarn_and_their_ranges():
    given = {"head_dim": 128, "max_position_embeddings": 65536, "rope_scaling": dict(YARN)}
    given["rope_scaling"] |= {"factor": 16, "original_max_position_embeddings": 4096}
    (layer,) = diagnose(given).layers
    fates = [pair.fate for pair in layer.pairs]
    assert fates == ["kept"] * 21 + ["mixed"] * 25 + ["divided"] * 18
    assert not any(pair.new_angles for pair in layer.pairs)
    assert layer.attention_factor == pytest.approx(1.2772588722239782, rel=1e-12)
    assert layer.trained_length == 4096
    assert layer.target_length == 65536
    assert layer.pairs[45].trained_turns == pytest.approx(1.004, abs=5e-4)
    assert layer.pairs[46].trained_turns == pytest.approx(0.869, abs=5e-4)
    assert layer.pairs[46].target_turns == pytest.approx(layer.pairs[46].trained_turns)


def test_unscaled_model_past_its_length():
    """Pairs 46 to 63 of Llama 2 never finish a turn in 4096 positions."""
    (layer,) = diagnose(MODELS["llama-2-7b"], target_length=8192).layers
    assert [p.index for p in layer.pairs if p.new_angles] == list(range(46, 64))
    assert "18 pairs reach angles" in layer.summary
    assert "up to 2 times as far" in layer.summary
    (layer,) = diagnose(MODELS["llama-2-7b"]).layers
    assert not any(p.new_angles for p in layer.pairs)
    assert "every pair stays within" in layer.summary


def test_linear_divides_all_and_dynamic_all_but_the_fastest():
    (layer,) = diagnose(config({"type": "linear", "factor": 2})).layers
    assert {pair.fate for pair in layer.pairs} == {"divided"}
    (layer,) = diagnose(config({"type": "dynamic", "factor": 2.0}, 4096)).layers
    assert layer.target_length == 8192
    assert [pair.fate for pair in layer.pairs] == ["kept"] + ["mixed"] * 62 + ["divided"]
    assert layer.pairs[-1].divisor == pytest.approx(3)


@pytest.mark.parametrize("factor", [3, 7, 10, 49])
def test_rounding_is_no_new_angle(factor):
    rope = {"type": "linear", "factor": factor, "original_max_position_embeddings": 1000}
    (layer,) = diagnose(config(rope, longest=1000 * factor)).layers
    assert not any(pair.new_angles for pair in layer.pairs)


def test_longrope_uses_the_list_of_the_target():
    (long,) = diagnose(MODELS["phi-3.5-mini"]).layers
    (short,) = diagnose(MODELS["phi-3.5-mini"], target_length=4096).layers
    assert long.pairs[-1].divisor == pytest.approx(64.84, abs=0.001)
    assert short.pairs[-1].divisor == pytest.approx(2.84, abs=0.001)
    assert {pair.fate for pair in long.pairs} == {"divided"}
    assert [pair.fate for pair in short.pairs] == ["kept"] + ["divided"] * 47


def test_still_pairs():
    full, _ = diagnose(MODELS["gemma-4-12b"]).layers
    assert [p.fate for p in full.pairs] == ["kept"] * 64 + ["still"] * 192
    assert full.pairs[-1].trained_turns == full.pairs[-1].target_turns == 0
    assert not full.pairs[-1].new_angles
    assert full.context_bound is None


def test_sliding_layers_see_no_further_than_their_window():
    full, sliding = diagnose(MODELS["gemma-3-27b"], target_length=131072).layers
    assert (full.layer_type, sliding.layer_type) == ("full_attention", "sliding_attention")
    assert full.target_length == 131072
    assert sliding.trained_length == sliding.target_length == 1024
    assert full.bound_applies
    assert not sliding.bound_applies
    (only,) = diagnose(MODELS["gemma-3-27b"], layer_type="sliding_attention").layers
    assert only == sliding


def test_layers_that_do_not_rotate_are_noted():
    nested = {"full_attention": None, "sliding_attention": {"rope_theta": 1e4}}
    given = {"head_dim": 8, "max_position_embeddings": 64, "rope_parameters": nested}
    report = diagnose(given)
    assert [layer.layer_type for layer in report.layers] == ["sliding_attention"]
    assert "still-layers" in [note.code for note in report.notes]


# Warnings: each mistake, and beside it the same configuration without it.


def test_factor_that_does_not_match_the_lengths():
    assert warnings(config(YARN)) == []
    assert warnings(config({**YARN, "factor": 8.0})) == ["factor-mismatch"]
    text = message("factor-mismatch", config({**YARN, "factor": 8.0}))
    assert "factor=8" in text
    assert "131072 is 4 times" in text
    assert "262144 positions" in text
    linear = {"type": "linear", "factor": 8, "original_max_position_embeddings": 32768}
    assert warnings(config(linear)) == ["factor-mismatch"]


def test_target_beyond_the_factor():
    assert warnings(config(YARN), target_length=131072) == []
    assert warnings(config(YARN), target_length=262144) == ["factor-too-small"]
    assert "a factor of 8 would" in message("factor-too-small", config(YARN), target_length=262144)
    llama = MODELS["llama-3.1-8b"]
    assert warnings(llama, target_length=131072) == []
    assert warnings(llama, target_length=200000) == ["factor-too-small"]
    assert warnings(MODELS["phi-3.5-mini"], target_length=200000) == ["factor-too-small"]


def test_target_beyond_an_unscaled_model():
    given = config(longest=32768)
    assert warnings(given, target_length=32768) == []
    assert warnings(given, target_length=131072) == ["no-scaling", "base-too-small"]
    # A larger base passes the bound, though not the trained range.
    assert warnings(given | {"rope_theta": 1e8}, target_length=131072) == ["no-scaling"]
    assert "distance 27115" in message("base-too-small", given, target_length=131072)


def test_extended_length_given_as_the_original():
    swapped = {**YARN, "original_max_position_embeddings": 131072}
    assert warnings(config(swapped, longest=32768)) == ["original-is-extended"]
    assert warnings(config(swapped), target_length=131072) == ["original-is-extended"]
    # The recipe of Qwen's authors leaves the longest length at the trained one.
    assert warnings(config(YARN, longest=32768)) == []
    assert warnings(config(YARN, longest=32768), target_length=131072) == []
    (layer,) = diagnose(config(YARN, longest=32768)).layers
    assert layer.target_length == 131072


def test_original_left_out():
    rope = {"type": "yarn", "factor": 4.0}
    assert warnings(config(rope)) == ["original-missing"]
    assert warnings(config(rope, longest=32768), target_length=131072) == []


def test_scaling_that_the_target_does_not_need():
    report = diagnose(config(YARN), target_length=16384)
    assert report.warnings == ()
    assert "scaling-not-needed" in [note.code for note in report.notes]


def test_attention_factor_switched_off():
    assert warnings(config({**YARN, "attention_factor": 1.0})) == ["attention-factor"]
    assert "switches the correction off" in message(
        "attention-factor", config({**YARN, "attention_factor": 1.0})
    )
    assert warnings(config({**YARN, "attention_factor": 1.138629436})) == []
    phi = MODELS["phi-3.5-mini"]
    off = {**phi["rope_scaling"], "attention_factor": 1.0}
    assert warnings(phi | {"rope_scaling": off}) == ["attention-factor"]


def test_attention_factor_twice():
    deep = MODELS["deepseek-v2-lite"]
    twice = {**deep["rope_scaling"], "attention_factor": 1.2608}
    found = warnings(deep | {"rope_scaling": twice})
    assert found == ["attention-factor", "attention-factor-twice"]
    assert "1.58963" in message("attention-factor-twice", deep | {"rope_scaling": twice})
    assert "1.58963" in message("softmax-scale", deep)
    once = {**deep["rope_scaling"], "attention_factor": 1.0}
    assert warnings(deep | {"rope_scaling": once}) == []


@pytest.mark.parametrize(
    ("mscale", "all_dim", "expected"),
    [
        (0.707, 0.0, ["mscale-ignored"]),
        (0.707, None, ["mscale-ignored"]),
        (None, 0.707, ["attention-factor-twice"]),
        (None, 1.0, ["attention-factor-twice"]),
        (1.0, 0.0, []),  # what neither would give
        (0.707, 0.707, []),
        (None, None, []),
    ],
)
def test_one_mscale_alone(mscale, all_dim, expected):
    assert warnings(config({**YARN, "mscale": mscale, "mscale_all_dim": all_dim})) == expected


def test_a_model_that_reads_mscale_all_dim_sharpens_twice():
    """Origin: modeling_deepseek_v3.py, which takes mscale_all_dim without asking for mscale."""
    lone = config({**YARN, "factor": 40.0, "mscale_all_dim": 1.0})
    assert "multiply their softmax scale by 1.87385 besides" in message(
        "attention-factor-twice", lone
    )
    switched_off = config({**YARN, "factor": 40.0, "mscale_all_dim": 1.0, "attention_factor": 1})
    assert "1 on cosines and sines; models that read mscale_all_dim multiply" in message(
        "attention-factor", switched_off
    )


def test_dynamic_scaling_and_rotated_keys():
    """Origin: transformers 25104."""
    rope = {"type": "dynamic", "factor": 2.0}
    assert warnings(config(rope)) == ["dynamic-cache"]
    assert "past 131072" in message("dynamic-cache", config(rope))
    rope["original_max_position_embeddings"] = 4096
    assert warnings(config(rope)) == ["dynamic-cache", "dynamic-original"]


def test_unknown_keys_and_the_nearest_known_one():
    assert "Was 'beta_fast' meant?" in message("unknown-key", config({**YARN, "beta_fst": 16}))
    strange = message("unknown-key", config({**YARN, "zzz": 1}))
    assert strange == "'zzz' is not known, so nothing reads it."
    assert warnings(config({**YARN, "zzz": None})) == []
    assert warnings(config(YARN, rope_scalling={})) == ["unknown-key"]
    assert warnings(config({**YARN, "low_freq_factor": 1.0})) == ["unused-key"]
    assert warnings(config({"type": "linear", "factor": 2, "attention_factor": 1})) == [
        "unused-key"
    ]


def test_two_values_for_one_thing():
    rope = {**YARN, "rope_theta": 5e5}
    assert warnings(config(rope)) == ["two-values"]
    assert warnings(config({**YARN, "rope_theta": 1e6})) == []
    assert warnings(config(YARN, original_max_position_embeddings=16384)) == [
        "factor-mismatch",
        "two-values",
    ]


def test_a_finding_that_kinds_of_layers_share_is_said_once():
    nested = {kind: {"rope_type": "default", "zzz": 1} for kind in ("full_attention", "other")}
    given = {"head_dim": 8, "max_position_embeddings": 64, "rope_parameters": nested}
    assert warnings(given) == ["unknown-key"]


@pytest.mark.parametrize(
    ("given", "options", "words"),
    [
        ({"head_dim": 127, "max_position_embeddings": 64}, {}, "head_dim=127: must be even"),
        ({"head_dim": 8}, {}, "no 'max_position_embeddings'"),
        (config(), {"target_length": 0}, "target_length=0"),
        (config(), {"target_length": 1.5}, "target_length=1.5"),
        (config(), {"layer_type": "x"}, "layer_type='x'"),
        (config({**YARN, "mscale_all_dim": "x"}), {}, "mscale_all_dim='x'"),
        (config({**YARN, "factor": 0.5}), {}, "factor=0.5"),
    ],
)
def test_bad_input_is_named(given, options, words):
    """Origin of the odd width: transformers 48101."""
    with pytest.raises(ValueError, match=words):
        diagnose(given, **options)


# Forms of the report


def test_text_begins_with_the_summary_and_warnings():
    text = str(diagnose(config({**YARN, "beta_fst": 16})))
    order = ["Type yarn, factor 4, base 1e+06", "Warnings:", "[unknown-key]", "pairs  fate"]
    assert sorted(order, key=text.index) == order
    assert "Warnings: none" in str(diagnose(config(YARN)))


def test_text_shares_lines_between_neighbours():
    report = diagnose(MODELS["gpt-oss-120b"])
    rows = [line.split()[:2] for line in str(report).splitlines() if re.match(r"\d", line)]
    assert rows == [["0-8", "kept"], ["9-17", "mixed"], ["18-31", "divided"]]
    rows = [s for s in report.to_text(every_pair=True).splitlines() if re.match(r"\d", s)]
    assert len(rows) == 32


class Outline(HTMLParser):
    """Collects tags, checks that they are closed in order, and keeps the text."""

    def __init__(self, source):
        super().__init__()
        self.open, self.tags, self.words, self.attributes = [], [], [], []
        self.feed(source)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.open.append(tag)
        self.tags.append(tag)
        self.attributes += attrs

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words.append(data)


def test_html_is_escaped_and_brings_no_colours():
    report = diagnose(config({**YARN, "<script>alert(1)</script>": 1}))
    outline = Outline(report._repr_html_())
    assert "script" not in outline.tags
    assert any("<script>alert(1)</script>" in words for words in outline.words)
    assert outline.attributes == []
    assert outline.tags.count("table") == 2
    assert outline.tags.count("tr") == 1 + 3 + 1 + 64
    kinds = Outline(diagnose(MODELS["gemma-3-27b"])._repr_html_())
    assert "full_attention" in kinds.words
    assert "none" in "".join(kinds.words)


def test_dict_is_json():
    data = json.loads(json.dumps(diagnose(MODELS["gemma-4-12b"]).to_dict(), allow_nan=False))
    full = data["layers"][0]
    assert full["layer_type"] == "full_attention"
    assert full["pairs"][-1]["wavelength"] is None
    assert full["pairs"][0]["wavelength"] == pytest.approx(6.2831853)
    assert data["warnings"] == []


# The command line


@pytest.fixture
def run(tmp_path):
    def call(content, *options, name="config.json"):
        path = tmp_path / name
        if content is not None:
            text = content if isinstance(content, str) else json.dumps(content)
            path.write_bytes(text.encode("utf-8", "surrogateescape"))
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(["diagnose", str(path), *options])
        return code, out.getvalue(), err.getvalue()

    return call


def test_exit_codes(run):
    code, out, err = run(config(YARN), "--target-length", "131072")
    assert (code, err) == (0, "")
    assert out.startswith("Type yarn, factor 4")
    code, out, err = run(config(YARN), "--target-length", "262144")
    assert (code, err) == (1, "")
    assert "[factor-too-small]" in out


@pytest.mark.parametrize(
    ("content", "options", "words"),
    [
        (None, (), "No such file"),
        ("{", (), "is not JSON"),
        ("\udcff", (), "is not JSON"),
        ("[" * 100000, (), "is not JSON"),
        ("[]", (), "config is list"),
        ("{}", (), "no width of a head"),
        (config({**YARN, "factor": 0}), (), "factor=0"),
        (config({"type": "yarnn", "factor": 2}), (), "rope_type='yarnn'"),
        ({"head_dim": 127}, (), "head_dim=127: must be even"),
        (config(), ("--target-length", "-5"), "target_length=-5"),
        (config(), ("--target-length", "16777217"), "must be at most 16777216"),
        (config({**YARN, "factor": 1e300}, longest=32768), (), "must be at most 16777216"),
        (config({**YARN, "factor": 10**400}), (), "must be a finite number"),
        (config(), ("--layer-type", "x"), "layer_type='x': all layers rotate alike"),
        (config(layer_types=5), ("--layer-type", "x"), "all layers rotate alike"),
    ],
)
def test_bad_input_exits_2_without_a_traceback(run, content, options, words):
    code, out, err = run(content, *options)
    assert (code, out) == (2, "")
    assert words in err
    assert err.startswith("error: ")
    assert "Traceback" not in err


def test_json_and_pairs(run):
    code, out, _ = run(MODELS["gemma-3-27b"], "--json")
    assert code == 0
    assert json.loads(out) == diagnose(MODELS["gemma-3-27b"]).to_dict()
    _, out, _ = run(MODELS["gemma-3-27b"], "--pairs", "--layer-type", "full_attention")
    assert sum(bool(re.match(r"\d", line)) for line in out.splitlines()) == 64


@pytest.mark.parametrize("options", [[], ["--target-length", "long"], ["--json", "--pairs"]])
def test_usage_errors_exit_2(options, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["diagnose", *options])
    assert stopped.value.code == 2
    assert "usage" in capsys.readouterr().err


def test_reader_that_stops_early(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config(YARN)))
    reading, writing = os.pipe()
    os.close(reading)
    command = [sys.executable, "-m", "posenc", "diagnose", path]
    root = Path(__file__).parent.parent
    done = subprocess.run(command, stdout=writing, stderr=subprocess.PIPE, check=False, cwd=root)
    os.close(writing)
    assert (done.returncode, done.stderr) == (0, b"")


def test_as_a_module(tmp_path):
    path = tmp_path / "config.json"
    path.write_text(json.dumps(config({**YARN, "beta_fst": 16})))
    done = subprocess.run(
        [sys.executable, "-m", "posenc", "diagnose", path],
        capture_output=True,
        text=True,
        check=False,
        cwd=Path(__file__).parent.parent,
        env={**os.environ, "PYTHONIOENCODING": "ascii"},
    )
    assert done.returncode == 1
    assert "[unknown-key]" in done.stdout
    assert done.stderr == ""

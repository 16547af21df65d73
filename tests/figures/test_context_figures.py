"""What the figures of chapters 5 and 6 compute and say."""

import json
from pathlib import Path

import made_up
import numpy as np
import pytest

import posenc
from posenc.figures import AlibiMatrix, ExtrapolationLab, FigureError, FrequencySpectrum, NopeLeak
from posenc.figures.frequency_spectrum import METHODS, MODELS

CONFIGS = Path(__file__).parents[1] / "configs"
FILES = {
    "Llama 3.1 8B": "llama-3.1-8b",
    "Llama 2 7B": "llama-2-7b",
    "Code Llama 7B": "codellama-7b",
    "Qwen2.5-Coder 32B": "qwen2.5-coder-32b-yarn",
    "gpt-oss 120B": "gpt-oss-120b",
    "Phi-3.5 mini": "phi-3.5-mini",
}


def test_alibi_matrix_shows_the_percentages_of_the_textbook():
    figure = AlibiMatrix()
    assert figure.slope == 0.5
    assert (100 * figure.shares()).round(1).tolist() == [3.4, 5.6, 9.2, 15.2, 25.1, 41.4]
    for share in ("3.4 %", "5.6 %", "9.2 %", "15.2 %", "25.1 %", "41.4 %"):
        assert share in figure.describe()
    assert figure.bias()[5].tolist() == [-2.5, -2, -1.5, -1, -0.5, 0]


def test_alibi_matrix_keeps_its_head():
    with pytest.raises(FigureError, match=r"head=9: must be from 1 to 8, since heads=8"):
        AlibiMatrix(head=9)
    figure = AlibiMatrix(heads=12, head=12)
    assert figure.slope == pytest.approx(2**-3.5)  # after the eight of 8 heads
    figure.heads = 4
    assert figure.head == 4


def test_nope_leak_is_one_over_t_under_a_mask_and_level_without():
    figure = NopeLeak(tokens=24)
    one, two = figure.received()
    np.testing.assert_allclose(one, 1 / np.arange(1, 25), rtol=1e-15)
    np.testing.assert_allclose(two, np.cumsum(one) / np.arange(1, 25), rtol=1e-14)
    figure.causal = False
    np.testing.assert_allclose(figure.received(), 1 / 24, rtol=1e-14)


def test_nope_leak_needs_two_layers_to_see_where_the_mark_is():
    ends = np.array([NopeLeak(mark=mark).received()[:, -1] for mark in range(1, 9)])
    assert np.ptp(ends[:, 0]) < 1e-15
    assert len(set(ends[:, 1].round(12))) == 8


def test_nope_leak_tokens_stay_in_the_text():
    with pytest.raises(FigureError, match=r"mark=9: must be from 1 to 8, since tokens=8"):
        NopeLeak(mark=9)
    figure = NopeLeak(tokens=12, mark=11, token=12)
    figure.tokens = 3
    assert (figure.mark, figure.token) == (3, 3)


@pytest.mark.parametrize("name", MODELS)
def test_models_are_those_of_their_configurations(name):
    config = json.loads((CONFIGS / f"{FILES[name]}.json").read_text())["config"]
    kinds = {"layer_type": "full_attention"} if "layer_types" in config else {}
    report = posenc.diagnose(config, **kinds).layers[0]
    figure = FrequencySpectrum.of(name)
    assert MODELS[name].trained == report.trained_length
    assert (report.dim, report.base) == (MODELS[name].dim, MODELS[name].base)
    frequencies, attention_factor = posenc.from_config(config, seq_len=figure.target, **kinds)
    np.testing.assert_allclose(figure.frequencies(), frequencies, rtol=3e-7)
    assert figure.attention_factor == pytest.approx(attention_factor, rel=1e-12)
    wanted = posenc.diagnose(config, target_length=figure.target, **kinds).layers[0]
    assert figure.new_angles().tolist() == [pair.new_angles for pair in wanted.pairs]
    if MODELS[name].lists:
        short = posenc.from_config(config, seq_len=1024)[0]
        figure.target = 1024
        np.testing.assert_allclose(figure.frequencies(), short, rtol=3e-7)


def test_frequency_spectrum_counts_as_the_lesson_does():
    figure = FrequencySpectrum(method="none", factor=8, target=32768)
    assert figure.new_angles().sum() == 18
    counts = {}
    for method in METHODS:
        if method != "longrope":
            figure.method = method
            counts[method] = int(figure.new_angles().sum())
    expected = {"none": 18, "linear": 0, "ntk": 17, "dynamic": 0, "yarn": 0, "llama3": 0}
    assert counts == expected
    assert "17 of 64" in FrequencySpectrum(method="ntk").describe()


def test_frequency_spectrum_refuses_what_a_model_does_not_have():
    with pytest.raises(
        FigureError, match=r"method='longrope': must be another one, since model='Llama 2 7B'"
    ):
        FrequencySpectrum(method="longrope")
    with pytest.raises(FigureError, match=r"pair=40: must be from 0 to 31, since model='gpt-oss"):
        FrequencySpectrum.of("gpt-oss 120B", pair=40)
    with pytest.raises(FigureError, match=r"model='GPT-2': must be one of 'Llama 3.1 8B'"):
        FrequencySpectrum.of("GPT-2")
    figure = FrequencySpectrum.of("Phi-3.5 mini")
    figure.model = "gpt-oss 120B"
    assert (figure.method, figure.pair) == ("none", 31)


def lab(**settings):
    return ExtrapolationLab.of(made_up.trained, rescues=("stretch", "tuned"), **settings)


def test_extrapolation_lab_keeps_mean_and_range_of_the_seeds():
    seeds = made_up.trained("length")["rope"]["tail"]["4"]
    rope = next(c for c in lab().results["curves"] if c["name"] == "scheme/rope")
    expected = [4, *(float(f"{x:.4g}") for x in (np.mean(seeds), min(seeds), max(seeds)))]
    assert rope["tail"][2] == expected
    figure = lab(measure="tail", shown=["scheme/rope"], at=200)
    assert figure.points(rope)[2] == (256, *expected[1:])
    assert f"RoPE {expected[1]:.3f} ({expected[2]:.3f} to {expected[3]:.3f}) at 256" in (
        figure.describe()
    )


def test_extrapolation_lab_names_every_curve_once():
    curves = lab().results["curves"]
    assert len({curve["label"] for curve in curves}) == len(curves)
    looks = {(c["scheme"], tuple(c["dash"]), c["marker"]) for c in curves}
    assert len(looks) == len(curves), "never colour alone"
    assert [c["name"] for c in curves if c["group"] == "stretch"] == [
        "stretch/linear",
        "stretch/ntk",
        "stretch/ntk, factor 2.5 times",
        "stretch/yarn",
        "stretch/yarn, ramp in turns",
        "stretch/sliding window",
    ]


def test_extrapolation_lab_shows_what_is_asked_for_and_measured():
    figure = lab()
    assert {curve["group"] for curve in figure.curves()} == {"scheme"}
    figure.shown = ["stretch/sliding window", "scheme/alibi"]
    assert figure.shown == ["scheme/alibi", "stretch/sliding window"]
    figure.measure = "position"
    assert [curve["name"] for curve in figure.curves()] == ["scheme/alibi"]
    places = [place for place, *_ in figure.points(figure.curves()[0])]
    assert places[:6] == [0, 1, 2, 3, 4.5, 6.5]
    assert places[-1] == 495.5
    figure.shown = []
    assert "no curve is shown" in figure.describe()
    with pytest.raises(
        FigureError, match=r"shown=\['scheme/rotary'\]: must be some of 'scheme/none'"
    ):
        figure.shown = ["scheme/rotary"]


def test_extrapolation_lab_shows_the_books_results():
    figure = ExtrapolationLab.of(posenc.trained)
    curves = {curve["name"]: curve for curve in figure.results["curves"]}
    for scheme, value in posenc.trained("length").items():
        mean = np.mean(value["by_position"], axis=0)
        shown = np.array(curves[f"scheme/{scheme}"]["position"])[:, 0]
        np.testing.assert_allclose(shown, mean, rtol=3e-4)
    assert curves["stretch/sliding window"]["mean"][1][0] == 8


def test_extrapolation_lab_is_light():
    assert len(json.dumps(lab().settings())) < 16_000

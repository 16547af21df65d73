"""Settings of the live figures: what they take, what they refuse, and what they say then."""

import subprocess
import sys

import made_up
import numpy as np
import pytest
import traitlets

import posenc
from posenc import figures
from posenc.figures.draws import normals
from posenc.figures.quiz import QUESTIONS

KINDS = [
    kind
    for kind in (getattr(figures, name) for name in figures.__all__)
    if issubclass(kind, figures.Figure) and kind.specs()
]


RESULTS = figures.ExtrapolationLab.of(made_up.trained, rescues=["stretch", "tuned"]).results
QUESTION = {"question": "Q?", "options": ["a", "b"], "right": 1, "explanations": ["no", "yes"]}


def make(kind, **settings):
    if kind is figures.Quiz:
        settings.setdefault("questions", [QUESTION, QUESTION])
    if kind is figures.ExtrapolationLab:
        settings.setdefault("results", RESULTS)
    return kind(**settings)


def outside(spec):
    """Return values that a setting must refuse."""
    common = [None, "many", float("nan"), float("inf"), {}]
    match spec["kind"]:
        case "whole":
            odd = [spec["low"] + 1] if spec.get("even") else []
            return [*common, *odd, spec["low"] - 1, spec["high"] + 1, spec["low"] + 0.5, True]
        case "number":
            return [*common, spec["low"] - 0.01, spec["high"] + 0.01, True]
        case "flag":
            return [*common, 2]
        case "choice":
            return [*common, spec["names"][0] + "x", 0]
        case "order":
            size = spec["size"]
            return [*common, [], [0] * size, list(range(1, size + 1)), [*range(size), 0], "012"]
        case "questions":
            without = [{k: v for k, v in QUESTION.items() if k != name} for name in QUESTION]
            changes = [
                {"right": 2},
                {"right": -1},
                {"right": "b"},
                {"options": ["a"], "explanations": ["no"], "right": 0},
                {"explanations": ["no"]},
                {"options": ["a", ""]},
                {"options": ["a", 2]},
                {"question": ""},
                {"hint": "?"},
            ]
            return [*common, [], *([bad] for bad in without), *([QUESTION | c] for c in changes)]
        case "results":
            curve = RESULTS["curves"][0]
            pieces = [
                *({k: v for k, v in RESULTS.items() if k != name} for name in RESULTS),
                RESULTS | {"about": [64, 16, 5]},
                RESULTS | {"bins": RESULTS["bins"][:-1]},
                RESULTS | {"curves": []},
                RESULTS | {"curves": [3]},
                RESULTS | {"curves": [curve, curve]},
                *(RESULTS | {"curves": [curve | bad]} for bad in bad_curves(curve)),
            ]
            return [*common, [], *pieces]
        case "names":
            return [*common, [1], ["a", "a"], "scheme/rope", [None]]
        case "answers":
            return [*common, [0.5, 0], [-2, 0], ["a", 0], [True, 0]]
    raise AssertionError(f"no bad values known for {spec}")


def bad_curves(curve):
    """Return changes that make a curve incomplete."""
    rows = curve["mean"]
    return [
        {"scheme": "rotary"},
        {"group": "rescues"},
        {"label": 3},
        {"mean": []},
        {"tail": [*rows, [8, 2.0, 1.9]]},
        {"mean": [[8, float("nan"), 1.9, 2.0]]},
        {"position": curve["position"][:-1]},
        {"more": 0},
    ]


BAD = [
    (kind, name, value)
    for kind in KINDS
    for name, spec in kind.specs().items()
    for value in outside(spec)
]


@pytest.mark.parametrize(("kind", "name", "value"), BAD)
def test_refuses_at_once(kind, name, value):
    with pytest.raises(figures.FigureError) as made:
        make(kind, **{name: value})
    figure = make(kind)
    before = figure.settings()
    with pytest.raises(figures.FigureError) as changed:
        setattr(figure, name, value)
    for error in (made, changed):
        assert str(error.value).startswith(f"{name}={value!r}: must be ")
    assert figure.settings() == before


@pytest.mark.parametrize("kind", KINDS)
def test_refuses_an_unknown_setting(kind):
    with pytest.raises(figures.FigureError, match=r"has no setting 'sise': it has "):
        make(kind, sise=3)


@pytest.mark.parametrize("kind", KINDS)
def test_reset_returns_to_the_first_settings(kind):
    figure = make(kind)
    first = figure.settings()
    for name, spec in kind.specs().items():
        if spec["kind"] in {"whole", "number"}:
            setattr(figure, name, spec["low"])
        if spec["kind"] == "flag":
            setattr(figure, name, not getattr(figure, name))
        if spec["kind"] == "names":
            setattr(figure, name, [])
        if spec["kind"] == "answers":
            setattr(figure, name, [0] * len(getattr(figure, name)))
    assert figure.settings() != first
    figure.reset()
    assert figure.settings() == first


@pytest.mark.parametrize("kind", KINDS)
def test_words_and_picture_stand_for_the_figure(kind):
    data, _ = make(kind)._repr_mimebundle_()
    assert len(data["text/plain"].split()) >= 6
    assert "0x" not in data["text/plain"]
    assert {"image/png", "text/markdown"} & set(data)
    assert data["text/plain"] == make(kind)._repr_mimebundle_()[0]["text/plain"]
    assert repr(make(kind)) == repr(make(kind))


@pytest.mark.parametrize("kind", KINDS)
def test_every_setting_is_explained(kind):
    for name in kind.specs():
        assert getattr(kind, name).help.endswith(".")


def test_numpy_numbers_are_taken():
    figure = figures.Fingerprint(dim=np.int64(32), base=np.float32(500))
    assert figure.settings()["dim"] == 32
    assert type(figure.dim) is int
    assert type(figure.base) is float


def test_an_error_is_of_both_worlds():
    assert issubclass(figures.FigureError, (ValueError,))
    assert issubclass(figures.FigureError, traitlets.TraitError)


def test_fingerprint_positions_stay_on_the_map():
    with pytest.raises(
        figures.FigureError, match=r"position=24: must be from 0 to 23, since length=24"
    ):
        figures.Fingerprint(position=24)
    figure = figures.Fingerprint(length=128, position=100, compare=3, dim=64, dimension=63)
    figure.length, figure.dim = 50, 8
    assert (figure.position, figure.compare, figure.dimension) == (49, 3, 7)
    with pytest.raises(figures.FigureError, match=r"dimension=8: must be from 0 to 7, since dim=8"):
        figure.dimension = 8


def test_fingerprint_words_hold_the_numbers_of_the_sources():
    words = figures.Fingerprint().describe()
    for number in ("−0.76, −0.65, 0.95, 0.30", "0.9356", "20.7"):
        assert number in words
    words = figures.Fingerprint(dim=32, length=64, position=12, compare=13, dimension=4).describe()
    assert "−0.61" in words
    assert "19.9" in words


def test_order_problem_words_hold_the_numbers_of_the_lesson():
    words = figures.OrderProblem().describe()
    assert "cat gives mouse the weight 0.3632 in the first and 0.3632 in the second" in words
    assert words.endswith("0.0000.")
    figure = figures.OrderProblem(position=True)
    first, second = figure.weights()
    assert (first[0, 2].round(2), second[0, 2].round(2)) == (0.23, 0.09)
    assert figure.difference() == abs(first - second).max() > 0.1


def test_clocks_find_the_closest_two():
    assert figures.Clocks(dim=2, position=44).closest()[0] == 44
    assert figures.Clocks(dim=2, position=43).closest()[0] != 44
    offset, distance = figures.Clocks(dim=2, position=1000).closest()
    assert offset == 710
    assert distance == pytest.approx(2 * abs(np.sin(355)), rel=1e-9)


def test_rope_pair_words_hold_the_numbers_of_the_source():
    words = figures.RopePair().describe()
    for number in ("26 degrees", "by 52 degrees", "by 0.", "n = 2.", "before: 0.747, after: 0.894"):
        assert number in words


def test_rope_pair_knows_the_offset_alone():
    figure = figures.RopePair(query=105, key=103)
    assert figure.product() == pytest.approx(figures.RopePair(query=5, key=3).product(), abs=1e-12)
    assert figure.product() == pytest.approx(figure.curve()[2 + 12], abs=1e-12)
    with pytest.raises(figures.FigureError, match=r"query=116: must be within 12 of key=103"):
        figure.query = 116
    with pytest.raises(figures.FigureError, match=r"must be within 12 of"):
        figures.RopePair(query=20)
    with figure.hold_trait_notifications():
        figure.query, figure.key = 7, 9
    assert (figure.query, figure.key) == (7, 9)


def test_compare_schemes_shows_what_the_package_measures():
    figure = figures.CompareSchemes(seed=3, dim=32, offsets=20, first=5, second=5, third=60)
    q, k = figure.contents()
    found = posenc.anchor_spread(
        posenc.sinusoidal_scheme(32), q, k, anchors=(5, 5, 60), offsets=range(20)
    )
    shown = figure.measured()
    assert all(np.array_equal(a, b) for a, b in zip(shown, found, strict=True))
    assert f"spread over anchors {found.spread:.2f}" in figure.describe()
    relative = {name for name in figure.schemes() if figure.measured(name).spread < 1e-12}
    assert relative == {"none", "rope", "alibi", "t5"}


def test_compare_schemes_keeps_the_cursor_on_the_curves():
    with pytest.raises(figures.FigureError, match=r"offset=32: must be from 0 to 31"):
        figures.CompareSchemes(offset=32)
    figure = figures.CompareSchemes(offset=31)
    figure.offsets = 10
    assert figure.offset == 9


def test_learned_rows_are_as_long_as_codes():
    figure = figures.CompareSchemes(dim=128)
    rows = figure.schemes()["learned"].embed(np.zeros((255, 128)), np.arange(255))
    assert np.linalg.norm(rows, axis=1).mean() == pytest.approx(8, rel=0.02)


def test_score_terms_add_up():
    figure = figures.ScoreTerms(weights="random", scale=0.5, norm=3)
    x, codes, matrix = figure.contents(), figure.codes(), figure.matrix()
    assert np.linalg.norm(x, axis=1) == pytest.approx(3)
    direct = (x + codes) @ matrix @ (x + codes).T / 8
    assert figure.terms().total == pytest.approx(direct, abs=1e-12)


def test_score_terms_meter_is_the_package_s():
    figure = figures.ScoreTerms()
    x = figure.contents()
    shares = [
        posenc.relativity(posenc.sinusoidal_scheme(64), x[2 * p], x[2 * p + 1]) for p in range(20)
    ]
    shown = figure.shares()
    assert shown.offset == pytest.approx(np.mean([share.offset for share in shares]), abs=1e-12)
    assert shown.absolute == pytest.approx(np.mean([share.absolute for share in shares]), abs=1e-12)
    assert f"absolute position {100 * shown.absolute:.1f} %" in figure.describe()


def test_score_terms_know_which_weights_keep_the_code_relative():
    absolute = {
        weights: figures.ScoreTerms(norm=0, weights=weights).shares().absolute
        for weights in ("identity", "commuting", "random")
    }
    assert absolute["identity"] < 1e-12
    assert absolute["commuting"] < 1e-12
    assert absolute["random"] > 0.9
    nothing = figures.ScoreTerms(scale=0).describe()
    assert nothing.endswith("explained by: nothing, the score does not vary.")


def test_draws_are_normal():
    draws = np.array([normals(seed, part, 64) for seed in range(100) for part in range(4)])
    assert draws.mean() == pytest.approx(0, abs=0.02)
    assert draws.var() == pytest.approx(1, abs=0.03)
    correlation = np.corrcoef(draws) - np.eye(len(draws))
    assert abs(correlation).max() < 0.7  # of 80 000 pairs of 64 numbers


@pytest.mark.parametrize("lesson", sorted(path.stem for path in QUESTIONS.glob("*.toml")))
def test_questions_of_a_lesson(lesson):
    quiz = figures.Quiz.of(lesson)
    assert len(quiz.questions) >= 3
    assert len({question["right"] for question in quiz.questions}) > 1, "always the same place"
    for question in quiz.questions:
        assert question["question"] in quiz.markdown()
        for why in question["explanations"]:
            assert why in quiz.markdown()
            assert "$" not in why, "formulas are plain text here"


def test_quiz_counts():
    quiz = figures.Quiz([QUESTION, QUESTION], answers=[1, 0])
    assert quiz.correct == 1
    with pytest.raises(figures.FigureError, match=r"answers=\[2, 0\]: must be 2 numbers"):
        quiz.answers = [2, 0]
    with pytest.raises(figures.FigureError, match=r"answers=\[0\]: must be 2 numbers"):
        quiz.answers = [0]
    quiz.reset()
    assert quiz.answers == [1, 0]


def test_quiz_of_an_unknown_lesson():
    with pytest.raises(figures.FigureError, match=r"lesson='03': must be one of '01_why"):
        figures.Quiz.of("03")


def test_posenc_itself_does_not_load_them():
    code = "import sys, posenc; sys.exit('anywidget' in sys.modules or 'matplotlib' in sys.modules)"
    subprocess.run([sys.executable, "-c", code], check=True)


def test_words_are_shown_with_an_older_ipywidgets_too(monkeypatch):
    """Version 7 shows a widget by itself, without the figure's words."""
    from IPython.core.formatters import DisplayFormatter
    from ipywidgets import Widget

    alone = lambda self: pytest.fail("shown without its words")  # noqa: E731
    monkeypatch.setattr(Widget, "_ipython_display_", alone, raising=False)
    figure = figures.Clocks()
    data, _ = DisplayFormatter(active_types=["text/plain"]).format(figure)
    assert data["text/plain"] == figure.describe()

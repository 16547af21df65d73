"""The live figures: alive on the website without a kernel, and in Jupyter and Colab with one.

Import what a lesson needs, ``from posenc.figures import Clocks``. The package ``anywidget`` and
matplotlib are needed here and nowhere else in ``posenc``.
"""

from posenc.figures.alibi_matrix import AlibiMatrix
from posenc.figures.base import Figure, FigureError
from posenc.figures.clocks import Clocks
from posenc.figures.compare_schemes import CompareSchemes
from posenc.figures.extrapolation_lab import ExtrapolationLab
from posenc.figures.fingerprint import Fingerprint
from posenc.figures.frequency_spectrum import FrequencySpectrum
from posenc.figures.nope_leak import NopeLeak
from posenc.figures.order_problem import OrderProblem
from posenc.figures.quiz import Quiz
from posenc.figures.rope_pair import RopePair
from posenc.figures.score_terms import ScoreTerms

__all__ = [
    "AlibiMatrix",
    "Clocks",
    "CompareSchemes",
    "ExtrapolationLab",
    "Figure",
    "FigureError",
    "Fingerprint",
    "FrequencySpectrum",
    "NopeLeak",
    "OrderProblem",
    "Quiz",
    "RopePair",
    "ScoreTerms",
]

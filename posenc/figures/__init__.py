"""The live figures: alive on the website without a kernel, and in Jupyter and Colab with one.

Import what a lesson needs, ``from posenc.figures import Clocks``. The package ``anywidget`` and
matplotlib are needed here and nowhere else in ``posenc``.
"""

from posenc.figures.base import Figure, FigureError
from posenc.figures.clocks import Clocks
from posenc.figures.fingerprint import Fingerprint
from posenc.figures.order_problem import OrderProblem
from posenc.figures.quiz import Quiz

__all__ = ["Clocks", "Figure", "FigureError", "Fingerprint", "OrderProblem", "Quiz"]

"""The live figures: alive on the website without a kernel, and in Jupyter and Colab with one.

Import what a lesson needs, ``from posenc.figures import Fingerprint``. The package ``anywidget``
and matplotlib are needed here and nowhere else in ``posenc``.
"""

from posenc.figures.base import Figure, FigureError
from posenc.figures.fingerprint import Fingerprint

__all__ = ["Figure", "FigureError", "Fingerprint"]

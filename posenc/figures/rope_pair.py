"""One pair of RoPE in the plane: a query and a key, each turned by its position."""

import math
from typing import TYPE_CHECKING, Any

import numpy as np
import traitlets

from posenc.figures.base import Figure, FigureError, Number, Whole, minus
from posenc.palette import mark
from posenc.rope import rotation_matrix
from posenc.validate import FloatArray

if TYPE_CHECKING:
    from matplotlib.figure import Figure as Picture

__all__ = ["RopePair"]

QUERY, KEY = (0.95, 0.60), (0.30, 0.77)
FARTHEST = 12  # the graph shows offsets from -12 to 12


class RopePair(Figure):
    """A query and a key of one pair before and after their rotation, and their product."""

    query = Whole(2, 0, 120, "The position m of the query.")
    key = Whole(0, 0, 120, "The position n of the key.")
    theta = Number(26.0, 0.0, 180.0, "The angle of one position, in degrees.")

    @traitlets.validate("query", "key")
    def _check_offset(self, proposal: Any) -> int:
        name, value = proposal.trait.name, proposal.value
        other = "key" if name == "query" else "query"
        if abs(value - getattr(self, other)) > FARTHEST:
            raise FigureError(
                f"{name}={value}: must be within {FARTHEST} of {other}={getattr(self, other)}; "
                "set both under hold_trait_notifications()"
            )
        return int(value)

    def turned(self) -> tuple[FloatArray, FloatArray]:
        """Return query and key after their rotation."""
        positions = np.array([self.query, self.key])
        turns = rotation_matrix(positions, [math.radians(self.theta)], layout="half")
        return turns[0] @ QUERY, turns[1] @ KEY

    def product(self) -> float:
        """Return the product of query and key after their rotation."""
        query, key = self.turned()
        return float(query @ key)

    def curve(self) -> FloatArray:
        """Return the product at every m - n from -12 to 12."""
        offsets = np.arange(-FARTHEST, FARTHEST + 1)
        turns = rotation_matrix(offsets, [math.radians(self.theta)], layout="half")
        return np.asarray(turns @ QUERY @ KEY)

    def picture(self) -> "Picture":
        """Return the figure as it stands, drawn by matplotlib."""
        from matplotlib.figure import Figure as Picture
        from matplotlib.patches import Circle, Wedge

        picture = Picture(figsize=(6, 3.1))
        plane, graph = picture.subplots(1, 2)
        angles = []
        both = ((QUERY, self.query, mark("rope").color, "q"), (KEY, self.key, "#333333", "k"))
        for vector, position, color, name in both:
            length, start = math.hypot(*vector), math.degrees(math.atan2(vector[1], vector[0]))
            angles.append(start + position * self.theta)
            sweep = np.radians(np.linspace(start, angles[-1], 600))
            plane.plot(
                0.6 * length * np.cos(sweep), 0.6 * length * np.sin(sweep), color=color, lw=1
            )
            for angle, dash in ((sweep[0], "--"), (sweep[-1], "-")):
                x, y = length * np.cos(angle), length * np.sin(angle)
                plane.plot([0, x], [0, y], dash, color=color)
            plane.text(1.17 * x, 1.17 * y, name, color=color, ha="center", va="center")
        between = (angles[0] - angles[1] + 180) % 360 - 180
        low, high = sorted([angles[1], angles[1] + between])
        plane.add_patch(Wedge((0, 0), 0.38, low, high, color="gray", alpha=0.4))
        plane.set(xlim=(-1.25, 1.25), ylim=(-1.25, 1.25), aspect="equal")
        plane.axis("off")
        for length in (math.hypot(*QUERY), math.hypot(*KEY)):
            plane.add_patch(Circle((0, 0), length, fill=False, color="#dddddd", lw=0.8))
        plane.set_title("dashed: before", size=12, loc="center", y=-0.12, color="#555555")
        offset, curve = self.query - self.key, self.curve()
        places = np.arange(-FARTHEST, FARTHEST + 1)
        graph.plot(places, curve, "o-", color=mark("rope").color, lw=1.2, ms=3)
        graph.plot(offset, curve[offset + FARTHEST], "o", color="black", ms=9)
        graph.set(
            xlabel="m \N{MINUS SIGN} n, query minus key",
            title="q\N{DOT OPERATOR}k after",
            ylim=(-1.2, 1.2),
        )
        return picture

    def describe(self) -> str:
        """Return in words what the figure shows."""
        return minus(
            f"RopePair: one pair, theta = {self.theta:.15g} degrees. The query at {self.query} is "
            f"turned by {self.query * self.theta:.15g} degrees, the key at {self.key} by "
            f"{self.key * self.theta:.15g}. m - n = {self.query - self.key}. "
            f"q.k before: {np.dot(QUERY, KEY):.3f}, after: {self.product():.3f}."
        )

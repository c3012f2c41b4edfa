"""How the picture of a page is straightened: turned upright, seen from above, turned back by its lean.

All three are maps of one plane onto another in perspective (:class:`Projection`), so that boxes have one way to the
straightened page and one way back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Self

from docspec.core.geometry import BBox

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]
"""The corners of a sheet, from the upper left one clockwise, as shares (0..1) of the width and height of a picture."""


@dataclass(frozen=True, slots=True)
class Projection:
    """A map of a plane onto another one: the point (x, y) goes to ((a x + b y + c) / w, (d x + e y + f) / w) with
    w = g x + h y + i; ``matrix`` is a to i."""

    matrix: tuple[float, ...] = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)

    @classmethod
    def scaling(cls, sx: float, sy: float) -> Self:
        return cls((sx, 0.0, 0.0, 0.0, sy, 0.0, 0.0, 0.0, 1.0))

    @classmethod
    def onto(cls, corners: Corners) -> Self:
        """From the unit square onto the quadrilateral ``corners`` (Heckbert, Fundamentals of Texture Mapping, 1989)."""
        (x0, y0), (x1, y1), (x2, y2), (x3, y3) = corners
        sx, sy = x0 - x1 + x2 - x3, y0 - y1 + y2 - y3
        dx1, dx2, dy1, dy2 = x1 - x2, x3 - x2, y1 - y2, y3 - y2
        whole = dx1 * dy2 - dx2 * dy1
        g, h = (sx * dy2 - dx2 * sy) / whole, (dx1 * sy - sx * dy1) / whole
        return cls((x1 - x0 + g * x1, x3 - x0 + h * x3, x0, y1 - y0 + g * y1, y3 - y0 + h * y3, y0, g, h, 1.0))

    @classmethod
    def turning(cls, degrees: float, width: float, height: float) -> Self:
        """Clockwise (y downwards) about the middle of a picture of ``width`` x ``height``."""
        cosine, sine = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
        x, y = width / 2, height / 2
        return cls((cosine, -sine, x - x * cosine + y * sine, sine, cosine, y - x * sine - y * cosine, 0.0, 0.0, 1.0))

    def then(self, other: Projection) -> Projection:
        """This map and ``other`` after it."""
        a, b = other.matrix, self.matrix
        return Projection(
            tuple(sum(a[3 * row + k] * b[3 * k + column] for k in range(3)) for row in range(3) for column in range(3))
        )

    def inverse(self) -> Projection:
        a, b, c, d, e, f, g, h, i = self.matrix
        minors = (e * i - f * h, c * h - b * i, b * f - c * e, f * g - d * i, a * i - c * g, c * d - a * f)
        return Projection((*minors, d * h - e * g, b * g - a * h, a * e - b * d))  # a factor does not matter

    def point(self, x: float, y: float) -> Point:
        a, b, c, d, e, f, g, h, i = self.matrix
        w = g * x + h * y + i
        return (a * x + b * y + c) / w, (d * x + e * y + f) / w

    def box(self, box: BBox) -> BBox:
        """The box around the corners of ``box``."""
        return BBox.union(BBox(x, y, x, y) for x, y in (self.point(x, y) for x, y in box.corners))

    def resized(self, box: BBox) -> BBox:
        """The box about the middle of ``box``, as large as that becomes there; for a turn, of the same size."""
        middle = x, y = self.point(box.center_x, box.center_y)
        across = math.dist(middle, self.point(box.center_x + 0.5, box.center_y)) * box.width
        down = math.dist(middle, self.point(box.center_x, box.center_y + 0.5)) * box.height
        return BBox(x - across, y - down, x + across, y + down)


@dataclass(frozen=True, slots=True)
class Straightening:
    """What is done to a picture, in this order: it is turned clockwise by ``turns`` quarters; the ``sheet`` that it
    shows is seen from above; the picture is turned back about its middle by ``tilt``, the degrees by which its print
    leans (clockwise is positive)."""

    turns: int = 0
    sheet: Corners | None = None
    tilt: float = 0.0

    def __bool__(self) -> bool:
        """Whether anything is done."""
        return bool(self.turns % 4 or self.sheet or self.tilt)

    def size(self, width: float, height: float) -> tuple[int, int]:
        """The size of the straightened picture, in pixels, of one of ``width`` x ``height``."""
        if self.turns % 2:
            width, height = height, width
        if self.sheet is None:
            return round(width), round(height)
        upper_left, upper_right, lower_right, lower_left = ((x * width, y * height) for x, y in self.sheet)
        across = max(math.dist(upper_left, upper_right), math.dist(lower_left, lower_right))
        down = max(math.dist(upper_left, lower_left), math.dist(upper_right, lower_right))
        return max(1, round(across)), max(1, round(down))

    def projection(self, width: float, height: float) -> Projection:
        """From a picture of ``width`` x ``height`` pixels to the straightened one."""
        whole = Projection()
        for _ in range(self.turns % 4):
            whole = whole.then(Projection((0.0, -1.0, height, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)))
            width, height = height, width
        if self.sheet is not None:
            across, down = Straightening(sheet=self.sheet).size(width, height)
            from_above = Projection.onto(self.sheet).then(Projection.scaling(width, height)).inverse()
            whole = whole.then(from_above).then(Projection.scaling(across, down))
            width, height = across, down
        return whole.then(Projection.turning(-self.tilt, width, height)) if self.tilt else whole

    def turned(self, turns: int) -> Straightening:
        """The same of the picture once it is turned clockwise by ``turns`` quarters; none of these are its own."""
        sheet = self.sheet
        for _ in range(turns % 4):
            if sheet is not None:
                upper_left, upper_right, lower_right, lower_left = ((1 - y, x) for x, y in sheet)
                sheet = lower_left, upper_left, upper_right, lower_right
        return replace(self, sheet=sheet)


NOTHING = Straightening()

"""Rectangles in page-image pixels: the one coordinate system that drafts, crops and results share; things in rows of a
page, and in runs that go on from each other."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Protocol, TypeVar

T = TypeVar("T")


class HasEdges(Protocol):
    """What stands between ``x0`` and ``x1``, ``y0`` and ``y1`` of a page: a box, a word, a line."""

    @property
    def x0(self) -> float: ...

    @property
    def y0(self) -> float: ...

    @property
    def x1(self) -> float: ...

    @property
    def y1(self) -> float: ...


@dataclass(frozen=True, slots=True)
class BBox:
    """An axis-aligned box, in pixels of the page image; ``x1``/``y1`` are exclusive."""

    x0: float
    y0: float
    x1: float
    y1: float

    @property
    def width(self) -> float:
        return max(0.0, self.x1 - self.x0)

    @property
    def height(self) -> float:
        return max(0.0, self.y1 - self.y0)

    @property
    def corners(self) -> tuple[tuple[float, float], ...]:
        """Its corners, from the upper left one clockwise."""
        return (self.x0, self.y0), (self.x1, self.y0), (self.x1, self.y1), (self.x0, self.y1)

    @property
    def area(self) -> float:
        return self.width * self.height

    @property
    def center_x(self) -> float:
        return (self.x0 + self.x1) / 2

    @property
    def center_y(self) -> float:
        return (self.y0 + self.y1) / 2

    def grown(self, margin: float) -> BBox:
        return BBox(self.x0 - margin, self.y0 - margin, self.x1 + margin, self.y1 + margin)

    def shifted(self, dx: float, dy: float) -> BBox:
        return BBox(self.x0 + dx, self.y0 + dy, self.x1 + dx, self.y1 + dy)

    def clamped(self, width: float, height: float) -> BBox:
        """The part of the box that lies inside a page of ``width`` x ``height`` pixels."""
        return BBox(
            min(max(self.x0, 0.0), width),
            min(max(self.y0, 0.0), height),
            min(max(self.x1, 0.0), width),
            min(max(self.y1, 0.0), height),
        )

    def scaled(self, sx: float, sy: float | None = None) -> BBox:
        """The box with x multiplied by ``sx`` and y by ``sy`` (``sx`` if not given)."""
        sy = sx if sy is None else sy
        return BBox(self.x0 * sx, self.y0 * sy, self.x1 * sx, self.y1 * sy)

    def intersection(self, other: BBox) -> BBox | None:
        box = BBox(max(self.x0, other.x0), max(self.y0, other.y0), min(self.x1, other.x1), min(self.y1, other.y1))
        return box if box.x1 > box.x0 and box.y1 > box.y0 else None

    def overlap(self, other: BBox) -> float:
        """Share (0..1) of *this* box that ``other`` covers."""
        common = self.intersection(other)
        return common.area / self.area if common is not None and self.area > 0 else 0.0

    def shared_width(self, other: BBox) -> float:
        """Width of the stretch of x that both boxes cover; below 0 it is the distance between them."""
        return min(self.x1, other.x1) - max(self.x0, other.x0)

    def shared_height(self, other: BBox) -> float:
        """Height of the stretch of y that both boxes cover; below 0 it is the distance between them."""
        return min(self.y1, other.y1) - max(self.y0, other.y0)

    def in_row_with(self, other: BBox) -> bool:
        """Whether the boxes share more than half of the lower one's height."""
        return self.shared_height(other) > 0.5 * min(self.height, other.height)

    def has_center_of(self, other: BBox) -> bool:
        """Whether the middle of ``other`` lies in this box."""
        return self.x0 <= other.center_x <= self.x1 and self.y0 <= other.center_y <= self.y1

    @staticmethod
    def union(boxes: Iterable[HasEdges]) -> BBox:
        """The smallest box around all ``boxes``, or what has such edges; raises ``ValueError`` when there are none."""
        boxes = list(boxes)
        if not boxes:
            raise ValueError("the union of no boxes is undefined")
        return BBox(
            min(b.x0 for b in boxes), min(b.y0 for b in boxes), max(b.x1 for b in boxes), max(b.y1 for b in boxes)
        )

    def rounded(self) -> tuple[int, int, int, int]:
        """Integer pixels, as written in layout JSON and used for cropping."""
        return (round(self.x0), round(self.y0), round(self.x1), round(self.y1))


def in_rows(things: Iterable[T], box: Callable[[T], BBox]) -> list[list[T]]:
    """``things`` in level rows from top to bottom, each from left to right; ``box`` gives the place of one. What stands
    in a row with its highest member belongs to it."""
    rows: list[list[T]] = []
    for thing in sorted(things, key=lambda thing: box(thing).center_y):
        if rows and box(rows[-1][0]).in_row_with(box(thing)):
            rows[-1].append(thing)
        else:
            rows.append([thing])
    return [sorted(row, key=lambda thing: box(thing).x0) for row in rows]


def runs_of(things: Iterable[T], goes_on: Callable[[T, T], bool]) -> list[list[T]]:
    """``things`` in runs, in their order: a thing that does not go on from the one before it begins another run."""
    runs: list[list[T]] = []
    for thing in things:
        if runs and goes_on(runs[-1][-1], thing):
            runs[-1].append(thing)
        else:
            runs.append([thing])
    return runs

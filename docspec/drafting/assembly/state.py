"""A page on its way from boxes and lines to regions."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from docspec.core import BBox
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine

DrawingFinder = Callable[[], Sequence[BBox]]
"""Gives the patches of ink between the lines of a page, from top to bottom; asked only where they matter."""


@dataclass(frozen=True, slots=True)
class Assembly:
    """A page that is being assembled, in one unit: its ``boxes`` in reading order, the ``lines`` that are in none of
    them yet, and what finds its ``drawings`` (``None``: they are not asked for)."""

    boxes: tuple[LayoutBox, ...]
    lines: tuple[TextLine, ...] = ()
    drawings: DrawingFinder | None = None

    def with_boxes(self, boxes: Iterable[LayoutBox]) -> Assembly:
        """The page with other ``boxes``."""
        return replace(self, boxes=tuple(boxes))

    def each_box(self, parts: Callable[[LayoutBox], Sequence[LayoutBox]]) -> Assembly:
        """The page with the ``parts`` of each box in its place."""
        return self.with_boxes(part for box in self.boxes for part in parts(box))

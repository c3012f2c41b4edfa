"""The level of a heading in its document: by its bookmark, its number, or the size of its type."""

from __future__ import annotations

import re
from dataclasses import replace

from docspec.core import Block, Category, PageResult

DEEPEST = 6
SAME_SIZE = 0.03
"""Share by which sizes of type of one level may differ."""

LEVELS = {Category.TITLE: 1, Category.SECTION_HEADER: 2}
"""Levels of headings of which no more is known."""
HEADING = re.compile(r"(#{1,6})(?:\s|$)")
"""The beginning of a Markdown heading."""
MARKS = re.compile(r"#{1,6}\s+")
"""The marks of one that has words."""

_NUMBER = re.compile(r"(?:(\d{1,3}(?:\.\d{1,3})*)|([A-Z](?:\.\d{1,3})+))\.?\s+\S")


def stands(block: Block) -> bool:
    """Whether the words of ``block`` are those of the print and no model's."""
    return block.words != "model" and block.gap is None and not block.trusted


def words_of(block: Block) -> str:
    """The words of a heading whose level is looked for; ``""`` for all else."""
    if block.category not in LEVELS or not stands(block):
        return ""
    match = MARKS.match(block.text)
    return (block.text if match is None else block.text[match.end() :]).strip()


class HeadingLevels:
    """Levels of a document's headings as they come, page by page; they depend on the headings before.

    The title is the first level and sections begin with the second, unless the title itself has a bookmark, whose level
    the others are then counted from. A number says how deep a section stands; a heading with neither takes the level of
    others of its size, or comes below the next larger ones.
    """

    def __init__(self) -> None:
        self._below_bookmark = 1  # a heading's level over that of its bookmark
        self._titled = False
        self._sizes: dict[float, int] = {}

    def level(self, block: Block, text: str) -> int:
        """From 1; ``text`` are the heading's words."""
        if block.category is Category.TITLE and not self._titled:
            self._titled = True
            if block.level:
                self._below_bookmark = 1 - block.level
            return 1
        number = _NUMBER.match(text)
        if block.level:
            below = block.level + self._below_bookmark
        elif number:
            below = 2 + (number[1] or number[2]).count(".")
        elif block.category is Category.TITLE:
            return 1
        else:
            return self._noted(block.points, self._by_size(block.points))
        return self._noted(block.points, min(max(below, 1), DEEPEST))

    def page(self, result: PageResult) -> PageResult:
        """``result`` with a ``#`` a level before each heading whose words are the print's."""
        return replace(result, blocks=tuple(map(self._levelled, result.blocks)))

    def _levelled(self, block: Block) -> Block:
        words = words_of(block)
        return replace(block, text=f"{'#' * self.level(block, words)} {words}") if words else block

    def _noted(self, points: float, level: int) -> int:
        if points:
            self._sizes[self._known(points) or points] = level
        return level

    def _known(self, points: float) -> float | None:
        """The size of earlier headings that is close to ``points``."""
        return next((size for size in self._sizes if abs(size - points) <= SAME_SIZE * points), None)

    def _by_size(self, points: float) -> int:
        if not points or not self._sizes:
            return 2
        known = self._known(points)
        if known is not None:
            return self._sizes[known]
        larger = [level for size, level in self._sizes.items() if size > points]
        smaller = [level for size, level in self._sizes.items() if size < points]
        beside = max(larger) + 1 if larger else min(smaller)
        return max(2, min([beside, DEEPEST, *(level for level in smaller if level >= 2)] if larger else [beside]))

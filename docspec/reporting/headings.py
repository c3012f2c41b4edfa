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

Style = tuple[float, int]
"""The size of a heading's type in points (0: unknown), and its emphasis."""

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
    others of its size and emphasis, or comes below the next larger ones. Of one size, bold type and capitals come
    before plain type, and italics last.
    """

    def __init__(self) -> None:
        self._below_bookmark = 1  # a heading's level over that of its bookmark
        self._titled = False
        self._styles: dict[Style, int] = {}

    def level(self, block: Block, text: str) -> int:
        """From 1; ``text`` are the heading's words."""
        if block.category is Category.TITLE and not self._titled:
            self._titled = True
            if block.level:
                self._below_bookmark = 1 - block.level
            return 1
        number, style = _NUMBER.match(text), (block.points, _emphasis(block, text))
        if block.level:
            depth = block.level + self._below_bookmark
        elif number:
            depth = 2 + (number[1] or number[2]).count(".")
        elif block.category is Category.TITLE:
            return 1
        else:
            return self._noted(style, self._by_style(style))
        return self._noted(style, min(max(depth, 1), DEEPEST))

    def page(self, result: PageResult) -> PageResult:
        """``result`` with a ``#`` a level before each heading whose words are the print's."""
        return replace(result, blocks=tuple(map(self._levelled, result.blocks)))

    def _levelled(self, block: Block) -> Block:
        words = words_of(block)
        return replace(block, text=f"{'#' * self.level(block, words)} {words}") if words else block

    def _noted(self, style: Style, level: int) -> int:
        if style[0]:
            self._styles[self._known(style) or style] = level
        return level

    def _known(self, style: Style) -> Style | None:
        """The style of earlier headings that is close to ``style``."""
        return next((one for one in self._styles if one[1] == style[1] and _is_size(one[0], style[0])), None)

    def _by_style(self, style: Style) -> int:
        if not style[0] or not self._styles:
            return 2
        known = self._known(style)
        if known is not None:
            return self._styles[known]
        above = [level for one, level in self._styles.items() if _is_above(one, style)]
        below = [level for one, level in self._styles.items() if not _is_above(one, style)]
        depth = max(above) + 1 if above else min(below)
        return max(2, min([depth, DEEPEST, *(level for level in below if level >= 2)] if above else [depth]))


def _is_size(one: float, other: float) -> bool:
    return abs(one - other) <= SAME_SIZE * other


def _is_above(one: Style, other: Style) -> bool:
    """Whether headings of the style ``one`` are larger than those of the ``other``, or as large with more emphasis."""
    return one[1] > other[1] if _is_size(one[0], other[0]) else one[0] > other[0]


def _emphasis(block: Block, text: str) -> int:
    """2: bold or in capitals, 1: plain, 0: italic."""
    bold, italic = (
        2 * sum(mark.end - mark.start for mark in block.marks if mark.kind == kind) > len(text)
        for kind in ("bold", "italic")
    )
    return 2 if bold or text.isupper() else int(not italic)

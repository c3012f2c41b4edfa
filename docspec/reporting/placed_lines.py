"""Placed words in lines, for formats that have words within lines within blocks."""

from __future__ import annotations

import math
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass, replace
from xml.sax.saxutils import quoteattr

from docspec.core import BBox, Block
from docspec.core.geometry import runs_of
from docspec.core.places import PlacedCell, PlacedWord
from docspec.core.safe_text import REPLACEMENT, safe_text

_NO_XML = re.compile("[\ufffe\uffff]")


def xml_safe(text: str) -> str:
    """``text`` without signs that XML does not have; no ``&`` is written yet."""
    return _NO_XML.sub(REPLACEMENT, safe_text(text))


def attributes(**values: object) -> str:
    """Attributes with a space in front; those that are ``None`` are left out, and a ``_`` at the end of a name is."""
    given = ((name.rstrip("_"), value) for name, value in values.items() if value is not None)
    return "".join(f" {name}={quoteattr(xml_safe(str(value)))}" for name, value in given)


def whole_box(box: BBox, width: int, height: int) -> tuple[int, int, int, int]:
    """``box`` in whole pixels of its page, at least one wide and high."""
    x0, y0, x1, y1 = box.clamped(width, height).rounded()
    x0, y0 = min(x0, max(width - 1, 0)), min(y0, max(height - 1, 0))
    return x0, y0, max(x1, x0 + 1), max(y1, y0 + 1)


FAR = 4.0
"""Heights of a line between two words from which on they are of two lines, be they level: columns of a table."""


@dataclass(frozen=True, slots=True)
class LineWord:
    """A word in its line: its first box, where its print begins."""

    word: PlacedWord
    bbox: BBox

    @property
    def way(self) -> int:
        """How its letters run: 1 rightwards, -1 leftwards, 2 down, -2 up."""
        text, box = self.word.text, self.bbox
        if len(text) > 2 and box.height > 1.5 * box.width:
            return 2 if unicodedata.east_asian_width(text[0]) in "WF" else -2
        return -1 if any(unicodedata.bidirectional(sign) in ("R", "AL") for sign in text) else 1


def lines_of(block: Block) -> list[list[LineWord]]:
    """The words of ``block`` that have places, in lines; those of which only the block is known fill its box."""
    known = [LineWord(word, _whole(word.boxes[0])) for word in block.places if word.is_known]
    only_block = [word for word in block.places if word.how == "block" and word.boxes]
    lines = runs_of(known, _goes_on)
    return [*lines, *_filling(only_block)] if only_block and not known else lines


def by_cells(block: Block) -> list[tuple[PlacedCell, list[list[LineWord]]]]:
    """The cells of a table that have words, with their lines."""
    found = []
    for cell in block.cells:
        own = tuple(word for word in block.places if cell.start <= word.start and word.end <= cell.end)
        lines = lines_of(replace(block, places=own))
        if lines:
            found.append((cell, lines))
    return found


def line_box(line: list[LineWord]) -> BBox:
    """The box around a line."""
    return BBox.union(one.bbox for one in line)


def _whole(box: BBox) -> BBox:
    """``box`` in whole pixels, as JSON has it: what is made of that is the same."""
    return BBox(*map(float, box.rounded()))


def _goes_on(one: LineWord, other: LineWord) -> bool:
    a, b = one.bbox, other.bbox
    if abs(one.way) == 2 and abs(other.way) == 2:
        level = a.shared_width(b) > 0.5 * min(a.width, b.width)
        return level and (b.center_y > a.center_y) == (one.way == 2)
    if not a.in_row_with(b):
        return False
    ahead = b.center_x > a.center_x
    leftwards = -1 in (one.way, other.way)
    return (ahead or leftwards) and -a.shared_width(b) < FAR * max(a.height, b.height)


def _filling(words: list[PlacedWord]) -> Iterator[list[LineWord]]:
    """Words of which only the block is known, in lines of equal height that fill its box."""
    box = _whole(words[0].boxes[0])
    letters = sum(len(word.text) + 1 for word in words)
    count = max(1, min(len(words), round(math.sqrt(letters * 0.4 * box.height / max(box.width, 1.0)))))
    height, each = box.height / count, math.ceil(letters / count)
    line: list[PlacedWord] = []
    at = 0
    for number, word in enumerate(words):
        line.append(word)
        if sum(len(one.text) + 1 for one in line) >= each or number == len(words) - 1:
            top = box.y0 + min(at, count - 1) * height
            yield list(_level(line, BBox(box.x0, top, box.x1, top + height)))
            line, at = [], at + 1


def _level(words: list[PlacedWord], box: BBox) -> Iterator[LineWord]:
    whole = sum(len(word.text) for word in words) + len(words) - 1
    x, step = box.x0, box.width / max(whole, 1)
    for word in words:
        yield LineWord(word, BBox(x, box.y0, x + step * len(word.text), box.y1))
        x += step * (len(word.text) + 1)

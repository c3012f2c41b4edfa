"""Whether a paragraph goes on from a column or a page in the next one. What the words say is not enough (a label in
lower case may follow a sentence that is open): the two parts must also be set alike and stand where a column ends and
one begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from docspec.core.categories import Category
from docspec.core.result import Block
from docspec.core.running_text import goes_on

SAME_SIZE = 0.05
"""Most difference of the sizes of type of one paragraph, over the larger one."""

NARROWER = 0.75
"""Least width of the first part over that of the second: its lines are full, those of the second may be one short
one."""

SAME_EDGE = 0.06
"""Most difference of the left edges of parts below each other, over their width; an item's text is indented."""

CLOSE = 0.3
"""Most white between two parts of a paragraph with nothing between them, in heights of the less high one: lines of a
paragraph leave none between their boxes, which reach from ascent to descent."""

LONG = 100
"""Least characters of a paragraph whose lines may be short because they go around something."""

BETWEEN = frozenset(
    {Category.PAGE_HEADER, Category.PAGE_FOOTER, Category.FOOTNOTE, Category.PICTURE, Category.CAPTION, Category.TABLE}
)
"""Categories that may stand between the two parts of a paragraph."""

_NO_BODY = re.compile(
    r"[*†‡§¶]|[¹²³⁰⁴-⁹]|(?i:fig(?:ure|\.)?|tab(?:le|\.)?|abb(?:ildung|\.)|tabelle|source|quelle|note)\s*[\d.:]*[.:]"
)
"""How notes, captions and sources begin that a layout calls text."""

_BROKEN_LINES = re.compile(r"[^\n]\n[^\n]")


def part_before(blocks: Sequence[Block], second: Block) -> int | None:
    """The number of the one of ``blocks``, in reading order, that ``second``, which follows them, goes on from;
    ``None`` if it begins a paragraph. The only candidate is the last paragraph set in the same type: notes, captions
    and labels between are passed over, a heading is not."""
    if not may_be_part(second) or second.category is not Category.TEXT:
        return None
    for number in range(len(blocks) - 1, -1, -1):
        first = blocks[number]
        if first.category in BETWEEN or (first.running is False and first.category is Category.TEXT):
            continue
        if not first.category.is_running_text:
            return None
        if may_be_part(first) and set_alike(first, second):
            around = number == len(blocks) - 1 and _goes_around(first, second)
            stands = _begins_column(first, second, number < len(blocks) - 1) if first.bbox and second.bbox else True
            stands = stands and not any(_is_displayed(block, first, second) for block in blocks[number + 1 :])
            return number if stands and (continues(first, second) or around) else None
        if first.bbox is None or second.bbox is None:
            return None
    return None


def may_be_part(block: Block) -> bool:
    """Whether ``block`` is body text that a column or a page may break off: no note, caption, address or listing."""
    if not block.category.is_running_text or block.running is False or not block.text.strip():
        return False
    return _NO_BODY.match(block.text) is None and not is_broken_text(block.text)


def is_broken_text(text: str) -> bool:
    """Whether ``text`` has lines that are not to be joined: a paragraph has none, a listing has a fence."""
    return _BROKEN_LINES.search(text) is not None and not text.startswith("```")


def set_alike(first: Block, second: Block) -> bool:
    """Whether two blocks are in type of one size, as far as it is known; words of a file and words read in a picture
    are not of one paragraph."""
    if first.points and second.points:
        return abs(first.points - second.points) <= SAME_SIZE * max(first.points, second.points)
    return not (first.points or second.points) or first.words == second.words


def continues(first: Block, second: Block, scale: float = 1.0) -> bool:
    """Whether ``second`` is the rest of ``first``, the last paragraph of the column or page before: the sentence is
    open, and the lines of the first part are full. ``scale`` brings the second one's page to the size of the first
    one's."""
    if not (may_be_part(first) and may_be_part(second) and set_alike(first, second)):
        return False
    full = first.bbox is None or second.bbox is None or first.bbox.width >= NARROWER * scale * second.bbox.width
    return full and goes_on(first.text, second.text)


def _goes_around(first: Block, second: Block) -> bool:
    """Whether ``second`` is the end of the long paragraph ``first`` right above it, whose lines are short beside an
    aside."""
    stacked = first.bbox and second.bbox and first.bbox.shared_width(second.bbox) > 0
    return bool(stacked) and len(first.text) >= LONG and goes_on(first.text, second.text)


def _is_displayed(block: Block, first: Block, second: Block) -> bool:
    """Whether ``block`` is text in a type of its own that stands between two parts of a sentence at their left edge: a
    line of program text that the sentence speaks of. Labels of charts stand elsewhere, notes at the end of a column."""
    a, b, own = first.bbox, second.bbox, block.bbox
    if not (a and b and own) or block.category is not Category.TEXT or block.running is False:
        return False
    below = own.y0 >= a.y1 and own.y1 <= b.y0
    return below and abs(own.x0 - a.x0) <= SAME_EDGE * max(a.width, own.width)


def _begins_column(first: Block, second: Block, apart: bool) -> bool:
    """Whether ``second`` stands in another column than ``first`` on its page, not below it, or right below it at the
    same left edge: behind what sets them ``apart``, such as a picture, or as close as a paragraph's lines are."""
    assert first.bbox is not None and second.bbox is not None
    a, b = first.bbox, second.bbox
    if a.shared_width(b) > 0:
        close = apart or b.y0 - a.y1 < CLOSE * min(a.height, b.height)
        return close and b.center_y > a.center_y and abs(a.x0 - b.x0) <= SAME_EDGE * max(a.width, b.width)
    return b.y0 < a.y1

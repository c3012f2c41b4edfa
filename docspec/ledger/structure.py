"""Whether the structure of a finished output is that of the page: its paragraphs, columns, lists and order.

Nothing of what decided the structure is asked. The places of the words on the page stand against the units of the
Markdown (:mod:`docspec.ledger.units`): within a paragraph reading goes on along a line, to the next line, or to the top
of the next column; text that stands under other text of its column is read behind it; items of one level begin at one
edge. Tables are in :mod:`docspec.ledger.cells`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import pairwise
from statistics import median

from docspec.core import BBox
from docspec.core.account import Misplaced
from docspec.ledger.placed import Line, Placed

LEADING = 2.2
"""Heights of a line from which on the next one is not under it."""

LINES = 3
"""Lines of a paragraph from which on their usual distance is that of its lines, however far they are apart."""

BRIDGED = 4.0
"""The same where a formula, which may fill a line, stands between the two."""

CLOSE = 1.6
"""Heights between the middles of lines that stand together."""

ALIKE = 0.15
"""Difference of two heights, as a share of the greater one, from which on they are of two sizes of type."""

EDGE = 1.0
"""Heights between two left edges that are not one."""

GUTTER = 1.5
"""Least heights of white between two columns."""

OFF, NEAR = 1.25, 40.0
"""Usual distances of two lines from which on the second one begins a paragraph, and heights around them in which that
is sought."""

PROSE, ROWS, MOST_ROWS = 3.5, 3, 40
"""Least words of a piece of a line, in the mean, that make columns of text of them; least rows of a grid, and most
lines in which its rows are sought."""

_NUMBER = re.compile(r"\(?\w{1,3}[.)]|[^\w\s]")
_MARK = re.compile(r"\(?(?:([A-Za-z])|(\d{1,2}))[.):]?")
_WORD = re.compile(r"[^\W\d_]{3}|[\u0e00-\u0eff\u3040-\u30ff\u4e00-\u9fff]")
_AMOUNT = re.compile(r"[-+−–(]?[$€£¥]?\d+(?:[.,'’]\d+)+\)?%?")

WORDS = 3
"""Least words of a unit that is looked at for the order of units."""

ACROSS = 4.0
"""Height of lines, over the usual one, from which on they are written across the page: a watermark has no place among
what stands under it."""

MOST = 250
"""Most units of a page that are compared with each other."""

_ENDS = (".", "!", "?", ":", ".”", '."', ".)", "。", "！", "？")
_OPEN = (",", ";", "-", "–", "‐", "\u00ad")


def structure_of(units: Sequence[Placed]) -> Iterator[Misplaced]:
    """What is out of place among the ``units`` of a page, tables aside."""
    usual = median(one.height for one in units) if units else 0.0
    units = [one for one in units if one.height < ACROSS * usual]
    running = [one for one in units if one.unit.kind in ("paragraph", "item")]
    lines = [line for one in running for line in one.lines]
    often = Counter(word.text for one in units for line in one.lines for word in line.words)
    for one in running:
        # A single word that the page has several times may have been taken for another one.
        sure = [line for line in one.lines if len(line.words) > 1 or often[line.words[0].text] == 1]
        yield from _jumps(sure, lines)
        yield from _gutters(one)
    yield from _grids(running)
    yield from _turns(running)
    yield from _counts(running)
    yield from _order(units)
    yield from _levels(units)


def _said(fault: str, before: Line, after: Line) -> Misplaced:
    words = [word.text for word in (*before.words[-3:], *after.words[:3])]
    return Misplaced(fault, " ".join(words), BBox.union([before, after]))  # type: ignore[arg-type]


def _are_alike(one: float, other: float) -> bool:
    return abs(one - other) <= ALIKE * max(one, other)


def _jumps(own: Sequence[Line], all_lines: Sequence[Line]) -> Iterator[Misplaced]:
    """Where a paragraph goes on from a line to one that is not the next."""
    downs = [after.middle - before.middle for before, after in pairwise(own)]
    usual = median([down for down in downs if down > 0] or [0.0])
    for number, (before, after) in enumerate(pairwise(own)):
        height, down = max(before.height, after.height), downs[number]
        if abs(down) <= 0.5 * height or not (_has_word(before) and _has_word(after)):
            continue
        if after.bridged and 0 < down <= BRIDGED * height:
            continue
        apart = max(after.x0 - before.x1, 0.0 if before.mixed else before.x0 - after.x1)
        sized = len(before.words) > 1 and len(after.words) > 1 and not _are_alike(before.height, after.height)
        closed = before.words[-1].text.endswith(_ENDS)
        if down < 0:
            wrong = sized or not _starts_a_column(before, after, all_lines)
        elif down <= max(LEADING * height, 1.1 * usual if len(own) > LINES else 0.0):  # set double-spaced
            wrong = apart > GUTTER * height or (sized and closed) or _is_new(before, after, own, usual, all_lines)
        else:
            wrong = sized or apart > 0 or closed or abs(before.x0 - after.x0) > 2 * EDGE * height
        if wrong:
            yield _said("joined_over_jump", before, after)


def _has_word(line: Line) -> bool:
    """Whether a line has a word of letters: those of formulas and of scales have none."""
    return any(_WORD.search(word.text) for word in line.words)


def _starts_a_column(before: Line, after: Line, lines: Sequence[Line]) -> bool:
    """Whether ``after`` is the top of a column on the right and ``before`` the foot of one on its left."""
    if after.x0 < before.x0 + 3 * before.height or after.x0 < min(before.x1, after.x1) - EDGE * before.height:
        return False
    return not any(_is_under(before, other) for other in lines) and not any(
        _is_under(other, after) for other in lines if other is not before
    )


def _is_under(upper: Line, lower: Line) -> bool:
    """Whether ``lower`` is the next line of the column, type and left edge of ``upper``."""
    height = max(upper.height, lower.height)
    return (
        0.5 * height < lower.middle - upper.middle <= CLOSE * height
        and abs(lower.x0 - upper.x0) <= EDGE * height
        and _are_alike(upper.height, lower.height)
        and min(len(upper.words), len(lower.words)) > 2
    )


def _is_new(before: Line, after: Line, own: Sequence[Line], usual: float, lines: Sequence[Line]) -> bool:
    """Whether a line begins a paragraph: the one above it ends a sentence, and it stands off or is indented alone."""
    height = max(before.height, after.height)
    if not before.words[-1].text.endswith(_ENDS):
        return False
    left = min(_text_edge(line) for line in own if abs(line.x0 - after.x0) < 6 * height)
    column = [
        line
        for line in lines
        if abs(line.x0 - left) <= 3 * EDGE * height
        and abs(line.middle - after.middle) < NEAR * height
        and _are_alike(line.height, after.height)
    ]
    downs = [b.middle - a.middle for a, b in pairwise(column) if 0.5 * height < b.middle - a.middle < LEADING * height]
    leading = min(usual or height, median(downs) if downs else usual)
    if after.middle - before.middle > OFF * leading and not (before.mixed or after.mixed):  # formulas push lines apart
        return True
    following = next((b for a, b in pairwise(own) if a is after), None)
    if after.x0 - left <= 0.7 * height or (following is not None and following.x0 - left > 0.4 * height):
        return False
    needed = sum(word.x1 - word.x0 + 0.3 * height for word in after.words[:1])
    return before.x0 - left < 0.4 * height or max((line.x1 for line in column), default=after.x1) - before.x1 > needed


def _gutters(one: Placed) -> Iterator[Misplaced]:
    """Lines of a paragraph that run over the white between two columns of text."""
    for same in _aligned([line for line in one.lines if len(line.pieces) > 1]):
        pieces = [piece for line in same for piece in line.pieces]
        if len(same) >= 2 and sum(len(piece.words) for piece in pieces) >= PROSE * len(pieces):
            yield _said("columns_alternate", same[0], same[1])
            return


def _grids(running: Sequence[Placed]) -> Iterator[Misplaced]:
    """Rows of a grid that are written as text: pieces that stand under each other, short or figures."""
    rows: list[Line] = []
    for one in running:
        rows += [line for line in one.lines if len(line.pieces) > (2 if one.unit.kind == "item" else 1)]
    for same in _aligned(rows):
        pieces = [piece for line in same for piece in line.pieces]
        wide = sum(len(line.pieces) > 2 for line in same) >= ROWS
        amounts = sum(_AMOUNT.fullmatch(line.pieces[-1].words[-1].text) is not None for line in same) >= ROWS
        if (wide or amounts) and sum(len(piece.words) for piece in pieces) < PROSE * len(pieces):
            yield _said("grid_as_text", same[0], same[-1])
            return


def _aligned(lines: Sequence[Line]) -> Iterator[Sequence[Line]]:
    """Groups of ``lines`` with white in the same place, and none far below the one above it."""
    for number, first in enumerate(lines[:MOST]):
        for left, right in ((a.x1, b.x0) for a, b in pairwise(first.pieces)):
            same = [first]
            for line in lines[number + 1 : number + MOST_ROWS]:
                down = line.middle - same[-1].middle
                white = (min(right, b.x0) - max(left, a.x1) for a, b in pairwise(line.pieces))
                if 0.5 * line.height < down < 4 * line.height and max(white) > 0.5 * line.height:
                    same.append(line)
            if len(same) > 1:
                yield same


def _turns(running: Sequence[Placed]) -> Iterator[Misplaced]:
    """Single lines of two columns that are written in turns, although they do not stand at one height."""
    lines = [line for one in running for line in one.lines]
    for first, second, third, fourth in zip(lines, lines[1:], lines[2:], lines[3:], strict=False):
        height = max(first.height, second.height)
        gap = second.x0 - first.x1
        if gap < GUTTER * height or not (_is_under(first, third) and _is_under(second, fourth)):
            continue
        if min(len(line.words) for line in (first, second, third, fourth)) >= WORDS:
            level = abs(second.middle - first.middle) < 0.12 * height
            full = all(len(line.words) >= 5 for line in (first, second, third))
            if not level or full:
                yield _said("columns_alternate", first, second)
                return


def _counts(running: Sequence[Placed]) -> Iterator[Misplaced]:
    """Lettered or numbered lines of which the next one stands beside and is read later (``A C B D``)."""
    marked: list[tuple[Line, int]] = []
    for line in (line for one in running for line in one.lines if len(line.words) > 1):
        mark = _MARK.fullmatch(line.words[0].text)
        if mark is not None and len(marked) < MOST:
            marked.append((line, ord(mark[1]) if mark[1] else int(mark[2])))
    for at, ((line, number), (_, following)) in enumerate(pairwise(marked)):
        if following == number + 1:
            continue
        for other, own in marked[at + 2 :]:
            if own == number + 1 and abs(other.middle - line.middle) < 0.3 * line.height and other.x0 > line.x1:
                yield _said("moves_up", line, other)
                return


def _order(units: Sequence[Placed]) -> Iterator[Misplaced]:
    """Text that is read after what stands under it, or between what stands together."""
    text = [one for one in units if one.unit.kind in ("paragraph", "item", "heading") and one.count >= WORDS][:MOST]
    for before, after in pairwise(text):
        a, b = BBox.union(before.lines[:2]), after.bbox  # lower lines may run below what stands beside the first ones
        height = max(before.height, after.height)
        shared = min(a.x1, b.x1) - max(a.x0, b.x0)
        if b.y1 <= a.y0 + 0.3 * height and shared > 0.5 * min(a.width, b.width) and a.y0 - b.y1 < 30 * height:
            yield _said("moves_up", before.lines[-1], after.lines[0])
    place = {one.number: at for at, one in enumerate(text)}
    for one in text:
        below = [other for other in text if other is not one and _is_under(one.lines[-1], other.lines[0])]
        for other in below:
            between = text[place[one.number] + 1 : place[other.number]]
            if not between or one.unit.kind == "heading" or not _is_prose(one) or not _is_prose(other):
                continue
            beside = [line for part in between for line in part.lines if _is_beside(line, one)]
            level = any(abs(part.lines[0].middle - one.lines[0].middle) < 0.5 * one.height for part in between)
            if beside and not level:
                yield _said("moves_up", one.lines[-1], between[0].lines[0])


def _is_prose(one: Placed) -> bool:
    return len(one.lines) > 1 and one.count >= 4 * len(one.lines)


def _is_beside(line: Line, one: Placed) -> bool:
    return line.x1 < one.bbox.x0 or line.x0 > one.bbox.x1


def _levels(units: Sequence[Placed]) -> Iterator[Misplaced]:
    """Items that are written at one level and begin at several left edges."""
    for before, after in pairwise(units):
        if before.unit.kind != "item" or after.unit.kind != "item" or before.unit.group != after.unit.group:
            continue
        if before.unit.depth != after.unit.depth:
            continue
        height = max(before.height, after.height)
        off = abs(_edge(before) - _edge(after))
        down = after.lines[0].middle - before.lines[-1].middle
        if EDGE * height < off < 8 * height and 0.5 * height < down < 3 * height:
            yield _said("levels_lost", before.lines[0], after.lines[0])
            return


def _edge(item: Placed) -> float:
    """Where the text of an item begins."""
    return _text_edge(item.lines[0])


def _text_edge(line: Line) -> float:
    """Where the text of a line begins, behind the number of an item."""
    words = line.words
    return words[1].x0 if len(words) > 1 and _NUMBER.fullmatch(words[0].text) else words[0].x0

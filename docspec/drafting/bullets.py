"""Bullets: those that are drawn, as browsers and presentations print them (small discs, rings and squares before lines
of text), those that are letters (the small ``o`` of word processors), those that stand apart from their lines, and
those that are none but signs of numbers ("+ 120 units").

Drawn ones are written as text onto a copy of the page, where a layout model sees them too.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from docspec.core import BBox, Category, Region
from docspec.core.draft import stacked
from docspec.core.geometry import runs_of
from docspec.core.marks import shifted
from docspec.drafting.lines import TextLine

SIGN = "\u00b7"
"""A drawn bullet as text: one of the letters of every font of PDF itself."""

_SIGNS = "\u2022\u00b7\u25cf\u25e6\u25aa\u25a0\u2023\u25cb"

_ALONE = frozenset({*_SIGNS, "[x]", "[ ]"})

LEAST, MOST, MOST_OF_IMAGE = 0.12, 0.6, 0.8
"""Sides of a bullet as shares of its line's height; an image has a margin."""

BESIDE = 1.2
"""Most heights of a line between a bullet and its text."""

FAR, COLUMN = 6.0, 3
"""Most heights of a line between bullets that stand below each other and their texts, which do too, and the least
number of these."""

LARGEST = 14
"""Points: most sides of a bullet."""

LETTERS = frozenset("oº°")
"""Letters that word processors set as rings."""

WHITE = 0.25
"""Least white between a letter that is a bullet and its text, in sizes of that text."""

SMALLER = 0.85
"""Largest size of such a letter in the font of its text, over that of the text."""

NEXT, SAME = 2.0, 0.2
"""Most heights of a line between an item and the only one within it, and most difference of their bullets' heights."""

MOST_DOTS = 400
"""Dots of a page beyond which they are a chart's or a map's."""


def drawn_bullets(
    drawings: Sequence[Any], words: Sequence[BBox], images: Sequence[BBox] = ()
) -> list[tuple[BBox, BBox]]:
    """Of a page's ``drawings`` and ``images`` those that are bullets, each with the first word of its line.

    A bullet stands alone before its line, about half way up, and at least one other stands below or above it, or it is
    the only one of its level, right below one of another; a mark beside one word of a chart is neither. Where other
    words are close before it, several stand in its column, nearer to their own words.
    """
    dots = [(box, MOST) for drawing in drawings if _is_dot(box := BBox(*drawing["rect"]), drawing)]
    dots += [(image, MOST_OF_IMAGE) for image in images if _is_small(image)]
    if not 2 <= len(dots) <= MOST_DOTS:
        return []
    bullets, close = [], []
    for dot, most in dots:
        row = [word for word in words if word.y0 < dot.center_y < word.y1]
        right = min((word for word in row if word.x0 >= dot.x1 - 0.5), key=lambda word: word.x0, default=None)
        if right is None:
            continue
        size, white = max(dot.width, dot.height) / right.height, right.x0 - dot.x1
        middle = abs(dot.center_y - right.center_y) < 0.3 * right.height
        if LEAST <= size <= most and middle and white <= BESIDE * right.height:
            before = min((dot.x0 - word.x1 for word in row if word.x0 < dot.x0), default=float("inf"))
            if before >= 4 * right.height:
                bullets.append((dot, right))
            elif before > 2 * white:
                close.append((dot, right))
    bullets += [own for own in close if sum(abs(own[0].x0 - dot.x0) < 1.5 for dot, _ in [*bullets, *close]) >= COLUMN]
    listed = [dot for dot, _ in bullets if sum(abs(dot.x0 - other.x0) < 1.5 for other, _ in bullets) > 1]
    return [
        (dot, word)
        for dot, word in bullets
        if dot in listed or any(_is_of_list(dot, other, NEXT * word.height) for other in listed)
    ]


def _is_of_list(dot: BBox, other: BBox, near: float) -> bool:
    """Whether a lone ``dot`` is the bullet of an item within an item whose bullet is the ``other`` one."""
    level = dot.x0 > other.x0 and 0 < dot.center_y - other.center_y < near
    return level and abs(dot.height - other.height) < SAME * other.height


def _is_dot(box: BBox, drawing: Any) -> bool:
    kinds = {item[0] for item in drawing["items"]}
    filled = drawing.get("fill") is not None
    return _is_small(box) and ("c" in kinds or (filled and kinds <= {"re", "qu"}))


def _is_small(box: BBox) -> bool:
    least, most = sorted((box.width, box.height))
    return 0.5 < 0.8 * most < least and most <= LARGEST


def spell_bullets(blocks: Sequence[Mapping[str, Any]]) -> None:
    """Writes as bullets those letters of ``blocks``, a page as MuPDF's dictionary, that begin several lines at one edge
    and are of other type than the text behind them."""
    printed = [span for block in blocks for line in block.get("lines", ()) for span in line["spans"] if _is_print(span)]
    edges: dict[tuple[str, str, int], list[dict[str, Any]]] = {}
    for before, span, after in zip([None, *printed], printed, printed[1:], strict=False):
        text, size = span["text"].strip(), after["size"]
        if text not in LETTERS or (before is not None and abs(before["origin"][1] - span["origin"][1]) < size):
            continue
        level = abs(after["origin"][1] - span["origin"][1]) < 0.5 * size
        white = after["bbox"][0] - span["bbox"][0] - span["size"] / 2
        other = span["font"] != after["font"] or span["size"] < SMALLER * size
        if level and other and WHITE * size < white < 2 * BESIDE * size:
            edges.setdefault((text, span["font"], round(span["bbox"][0])), []).append(span)
    for span in (span for own in edges.values() if len(own) > 1 for span in own):
        span["text"] = _SIGNS[0] + span["text"].lstrip()[1:]


def _is_print(span: Mapping[str, Any]) -> bool:
    return bool(span["text"].strip())


def is_bullet(line: TextLine) -> bool:
    """Whether ``line`` is nothing but a bullet or a tick."""
    return line.text.strip() in _ALONE


_NUMBER = re.compile(r"\(?(?:[0-9]{1,3}[a-z]?|[A-Za-z]|[ivxIVX]{1,5})[.)]?")
_WORD = re.compile(r"\W*[^\W\d_]")


def with_bullets(lines: Sequence[TextLine], is_cell: Callable[[TextLine], bool] = lambda line: False) -> list[TextLine]:
    """``lines``, in which bullets and ticks that are lines of their own begin the line on their right, if there is one
    near; and so do numbers and letters that count texts below each other, other than cells and lines of a listing."""
    numbers = [line for line in lines if _NUMBER.fullmatch(line.text.strip())]
    alone = [*filter(is_bullet, lines), *(numbers if len(numbers) <= MOST_DOTS else ())]
    if not 0 < len(alone) <= 2 * MOST_DOTS:
        return list(lines)
    joined = {id(line): line for line in lines}
    others = [line for line in lines if not is_bullet(line)]
    pairs: list[tuple[TextLine, TextLine]] = []
    for bullet in sorted(alone, key=lambda line: -line.bbox.x0):
        after = [one for one in others if one.bbox.x0 >= bullet.bbox.center_x and one.bbox.in_row_with(bullet.bbox)]
        near = min(after, key=lambda line: line.bbox.x0, default=None)
        if near is None or near.turns:
            continue
        if is_bullet(bullet) or (_WORD.match(near.text) and 2 * near.even < len(near.text) and not is_cell(near)):
            pairs.append((bullet, near))
    crowded = {id(bullet) for bullet, near in pairs if _is_close_before(bullet.bbox, near.bbox.height, others)}
    for bullet, near in pairs:
        white = (near.bbox.x0 - bullet.bbox.x1) / near.bbox.height
        is_sure = is_bullet(bullet) and white <= 2 * BESIDE
        if white > FAR or not (is_sure or _is_of_column(bullet, near, pairs, crowded)):
            continue
        if joined.get(id(near)) is not near:  # it has a bullet that is nearer, or is a number of another line
            continue
        sign = f"{bullet.text.strip()} "
        marks = (*bullet.marks, *shifted(near.marks, len(sign)))
        box = BBox.union([bullet.bbox, near.bbox])
        joined[id(near)] = replace(near, text=sign + near.text, bbox=box, marks=marks)
        del joined[id(bullet)]
    return [joined[id(line)] for line in lines if id(line) in joined]


def _is_of_column(
    bullet: TextLine, near: TextLine, pairs: Sequence[tuple[TextLine, TextLine]], crowded: Container[int]
) -> bool:
    """Whether ``bullet`` stands in a column of bullets, or of numbers that differ, whose texts, such as ``near``, begin
    at one edge, and none of them (by its ``id``) is ``crowded``."""
    height = near.bbox.height
    column = [
        one
        for one, line in pairs
        if abs(line.bbox.x0 - near.bbox.x0) < SAME * height
        and min(abs(one.bbox.x0 - bullet.bbox.x0), abs(one.bbox.x1 - bullet.bbox.x1)) < SAME * height
    ]
    differ = is_bullet(bullet) or len({one.text.strip() for one in column}) == len(column)
    return len(column) >= COLUMN and differ and not any(id(one) in crowded for one in column)


def _is_close_before(bullet: BBox, height: float, lines: Sequence[TextLine]) -> bool:
    """Whether one of ``lines`` stands close before a ``bullet`` in its row."""
    return any(0 <= bullet.x0 - one.bbox.x1 < FAR * height and one.bbox.in_row_with(bullet) for one in lines)


CLOSE = 0.8
"""Most white between two lines of an item, in heights of the upper one."""

ITEM = re.compile(rf"[{_SIGNS}–-]\s|\(?\w{{1,3}}[.)]\s|\[\w{{1,9}}\]\s")
"""The mark of an item."""

_DASHED = re.compile(r"[-–]\s+[^\W\d]")


def item_or(category: Category, text: str) -> Category:
    """The category of a region of ``category`` that begins with ``text``: an item of a list behind a bullet, or behind
    a dash where a heading has none."""
    is_item = category is Category.TEXT and text[:1] in tuple(_SIGNS) and text[1:2].isspace()
    is_item |= category is Category.SECTION_HEADER and _DASHED.match(text) is not None
    return Category.LIST_ITEM if is_item else category


_MARKED = re.compile(r"([-+−–±])\s+(?=\S)")
_SIGNED = re.compile(r"[-+−–±]\s+(?:[$€£¥]\s?)?[.,]?\d")


def with_signs(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which items of a list that all begin with a sign and a number are text, each for itself. Where a
    neighbour has words behind the same sign, that is a bullet."""
    result: list[Region] = []
    for is_list, run in groupby(regions, lambda region: region.category is Category.LIST_ITEM):
        own = list(run)
        starts = [line.text for region in own for line in region.lines if _MARKED.match(line.text)] if is_list else []
        bullets = {text[0] for text in starts if _SIGNED.match(text) is None}
        for region in own:
            result += _apart(region) if starts and _is_signed(region, bullets) else [region]
    return result


def with_dashes(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which text behind a dash is an item where an item stands right before or behind it."""

    def is_item(region: Region) -> bool:
        return region.category is Category.LIST_ITEM

    result = list(regions)
    for number, region in enumerate(regions):
        beside = [*regions[max(0, number - 1) : number], *regions[number + 1 : number + 2]]
        dashed = region.category is Category.TEXT and not region.listing and region.lines
        if dashed and _DASHED.match(region.lines[0].text) and any(map(is_item, beside)):
            result[number] = replace(region, category=Category.LIST_ITEM)
    return result


def with_whole_items(regions: Sequence[Region]) -> list[Region]:
    """``regions``, in which an item without a mark that goes on in small letters, right below an open one with a mark
    and not left of it, is its end."""
    result: list[Region] = []
    for region in regions:
        before = result[-1] if result else None
        if before is not None and before.lines and region.lines and _goes_on(before, region):
            result[-1] = stacked([before, region])
        else:
            result.append(region)
    return result


def _goes_on(item: Region, region: Region) -> bool:
    if not item.category is region.category is Category.LIST_ITEM or len(item.texts) != 1 or len(region.texts) != 1:
        return False
    last, first = item.lines[-1], region.lines[0]
    is_open = ITEM.match(item.lines[0].text) is not None and last.text.rstrip()[-1:].isalnum()
    below = -0.5 < (first.bbox.y0 - last.bbox.y1) / last.bbox.height < CLOSE
    return (
        is_open
        and below
        and first.text[:1].islower()
        and ITEM.match(first.text) is None
        and first.bbox.x0 >= item.bbox.x0
    )


def _is_signed(region: Region, bullets: set[str]) -> bool:
    starts = [line.text for line in region.lines if _MARKED.match(line.text)]
    return bool(starts) and starts[0] == region.lines[0].text and not any(text[0] in bullets for text in starts)


def _apart(region: Region) -> list[Region]:
    """The items of ``region``, a list, as text."""
    items = runs_of(region.lines, lambda _, line: _MARKED.match(line.text) is None)
    if len(items) == 1:
        return [replace(region, category=Category.TEXT)]
    return [
        replace(
            region,
            category=Category.TEXT,
            bbox=BBox.union(line.bbox for line in item),
            texts=("\n".join(line.text for line in item),),
            lines=tuple(item),
        )
        for item in items
    ]

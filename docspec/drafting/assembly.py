"""Regions from layout boxes and lines of text: each line goes into the box that claims it, none is lost.

The layout may come from a model or from white space, the lines from a text layer or from a recogniser; here
they meet.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from docspec.core import BBox, Category, Region
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, join_lines, printed_lines, usual_height

TableFinder = Callable[[BBox], Sequence[tuple[BBox, str]]]


@dataclass(frozen=True, slots=True)
class _Filled:
    box: LayoutBox
    lines: tuple[TextLine, ...]


def assemble(
    boxes: Sequence[LayoutBox], lines: Sequence[TextLine], tables: TableFinder | None = None
) -> list[Region]:
    """Regions in reading order, in the unit of the boxes and lines.

    ``tables`` gives the tables inside a box: frame and HTML. Lines that no box claims become Text regions of
    their own, placed before the first region of their column that stands below them.
    """
    claimed: list[list[TextLine]] = [[] for _ in boxes]
    loose: list[TextLine] = []
    for line in lines:
        index = _owner(line.bbox, boxes)
        (loose if index is None else claimed[index]).append(line)
    filled = [_Filled(box, tuple(own)) for box, own in zip(boxes, claimed, strict=True)]
    for stray in _stray_boxes(loose):
        filled.insert(place(stray.box.bbox, [item.box.bbox for item in filled]), stray)
    filled = _joined_furniture(filled)
    return [region for item in filled if (region := _region(item, tables)) is not None]


def _owner(line: BBox, boxes: Sequence[LayoutBox]) -> int | None:
    """The box that has the line as a member, or else the smallest one around its middle."""
    best, best_share = None, 0.3
    for index, box in enumerate(boxes):
        if box.bbox.intersection(line) is None:
            continue
        for member in box.members:
            share = min(line.overlap(member), member.overlap(line)) + 0.01 * line.overlap(member)
            if share > best_share:
                best, best_share = index, share
    if best is not None:
        return best
    x, y = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
    around = [
        (box.bbox.area, index)
        for index, box in enumerate(boxes)
        if box.bbox.x0 <= x <= box.bbox.x1 and box.bbox.y0 <= y <= box.bbox.y1
    ]
    return min(around)[1] if around else None


def _stray_boxes(lines: Sequence[TextLine]) -> list[_Filled]:
    """Unclaimed lines, those of one paragraph together."""
    groups: dict[int, list[TextLine]] = {}
    for line in lines:
        groups.setdefault(line.block, []).append(line)
    strays = []
    for group in groups.values():
        members = tuple(line.bbox for line in group)
        strays.append(_Filled(LayoutBox(BBox.union(members), Category.TEXT, members), tuple(group)))
    return strays


def place(box: BBox, others: Sequence[BBox]) -> int:
    """Where in the reading order a forgotten box belongs: before the first one below it in the same column."""
    for index, other in enumerate(others):
        same_column = min(box.x1, other.x1) - max(box.x0, other.x0) > 0
        if same_column and other.y0 >= (box.y0 + box.y1) / 2:
            return index
    above = [index for index, other in enumerate(others) if other.y1 <= box.y1]
    return above[-1] + 1 if above else len(others)


def _joined_furniture(items: Sequence[_Filled]) -> list[_Filled]:
    """Running heads that were taken apart within one printed line, put together again."""
    joined: list[_Filled] = []
    for item in items:
        last = joined[-1] if joined else None
        if last is not None and _continues(last.box, item.box):
            members = last.box.members + item.box.members
            box = LayoutBox(BBox.union([last.box.bbox, item.box.bbox]), item.box.category, members)
            joined[-1] = _Filled(box, last.lines + item.lines)
        else:
            joined.append(item)
    return joined


def _continues(a: LayoutBox, b: LayoutBox) -> bool:
    if not a.category.is_furniture or a.category is not b.category:
        return False
    height = min(a.bbox.height, b.bbox.height)
    shared = min(a.bbox.y1, b.bbox.y1) - max(a.bbox.y0, b.bbox.y0)
    gap = max(a.bbox.x0, b.bbox.x0) - min(a.bbox.x1, b.bbox.x1)
    return shared > 0.5 * height and gap < height


def _region(item: _Filled, tables: TableFinder | None) -> Region | None:
    box, lines = item.box, item.lines
    if box.category is Category.PICTURE:
        if not _is_only_text(item):
            return Region(box.bbox, Category.PICTURE)
        box = replace(box, category=Category.TEXT)
    if not lines or _is_rule(lines):
        return None
    bbox = BBox.union([box.bbox, *(line.bbox for line in lines)]).grown(0.1 * usual_height(lines))
    confidence = sum(line.confidence * len(line.text) for line in lines) / sum(
        len(line.text) for line in lines
    )
    if box.category is Category.TABLE:
        found = tables(box.bbox) if tables else ()
        if found:
            framed = BBox.union([bbox, *(frame for frame, _ in found)])
            return Region(framed, Category.TABLE, ("".join(html for _, html in found),), confidence)
        box = replace(box, category=Category.TEXT)
    return Region(bbox, box.category, readings(lines), confidence)


def readings(lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The printed lines as they stand, and the order of the source where that is another one."""
    printed = join_lines(printed_lines(lines))
    as_given = join_lines([[line] for line in lines])
    return (printed,) if printed.split() == as_given.split() else (printed, as_given)


def _is_rule(lines: Sequence[TextLine]) -> bool:
    """Whether the text is a ruler of dots or dashes and nothing to read."""
    text = "".join(line.text for line in lines)
    return len(text) > 5 and len(set(text) - {" "}) == 1 and not text[0].isalnum()


def _is_only_text(item: _Filled) -> bool:
    """Whether a supposed picture is nothing but lines of text that fill it."""
    if not item.lines or len(item.box.members) > len(item.lines):
        return False
    covered = sum(line.bbox.area for line in item.lines)
    return covered > 0.5 * item.box.bbox.area and usual_height(item.lines) > 0

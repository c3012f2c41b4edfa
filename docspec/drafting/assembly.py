"""Regions from layout boxes and lines of text: each line goes into the box that claims it, none is lost.

The layout may come from a model or from white space, the lines from a text layer or from a recogniser; here
they meet.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape
from itertools import groupby

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.result import WordsOf
from docspec.drafting.breaks import notes_in_order, with_breaks
from docspec.drafting.bullets import item_or, with_bullets
from docspec.drafting.columns import columns_of
from docspec.drafting.false_tables import ENTRIES, addresses, dated_prose, entries, is_no_table
from docspec.drafting.furniture import is_running_head
from docspec.drafting.layout import Claims, LayoutBox
from docspec.drafting.lines import (
    TextLine,
    join_lines,
    joined_row,
    printed_lines,
    runs_leftwards,
    touch,
    usual_height,
    without_spaces,
)
from docspec.drafting.listings import is_listing, is_typewritten, joined_listings, listings_apart
from docspec.drafting.order import by_white_space, white_space_order
from docspec.drafting.signs import with_signs
from docspec.drafting.tables import FoundTable
from docspec.drafting.titles import with_title

HOLLOW = 0.25
"""Least share of its box that lines of running text cover; with less, the box may hold a drawing, too."""

LABELS = 3
"""Least figures or letters beside a drawing that make it a chart: fewer may be numbers of pages or boxes."""

_TAG = re.compile("<[^>]*>")
_WORD = re.compile(r"[^\W\d_]{3}")

DrawingFinder = Callable[[], Sequence[BBox]]


def assemble(
    boxes: Sequence[LayoutBox],
    lines: Sequence[TextLine],
    tables: Sequence[FoundTable] = (),
    drawings: DrawingFinder | None = None,
) -> list[Region]:
    """Regions in reading order, in the unit of the boxes and lines.

    ``tables`` are those found on the page, ``drawings`` gives the patches of ink between the lines, from top to bottom.
    Lines that no box claims become Text regions of their own, placed before the first region of their column that
    stands below them.
    """
    if is_typewritten(lines):
        lines = [replace(line, even=0) for line in lines]  # no sign of a listing there
    lines = with_bullets(lines)
    claimed: list[list[TextLine]] = [[] for _ in boxes]
    loose: list[TextLine] = []
    claims = Claims(boxes)
    for line in lines:
        index = claims.owner(line.bbox)
        (loose if index is None else claimed[index]).append(line)
    filled = [part for box, own in zip(boxes, claimed, strict=True) for part in _filled(box, own)]
    for stray in _stray_boxes(loose):
        filled.insert(index_in_order(stray.bbox, [box.bbox for box in filled]), stray)
    if drawings and any(map(_is_hollow, filled)):
        filled = _without_drawings(filled, drawings())
    first = min((line.bbox.y0 for line in lines), default=0.0)
    filled = [part for box in filled for part in _head_apart(box, first)]
    filled = _apart(_joined_furniture(_parted(filled)))
    filled = [part for box in filled for part in _listings_apart(box)]
    filled = [part for box in filled for part in _entries_apart(box)]
    filled = [part for box in filled for part in _prose_apart(box, tables)]
    filled = [part for box in _once(filled, tables) for part in _tables_apart(box, tables)]
    regions = [region for box in filled if (region := _region(box)) is not None]
    return with_breaks(notes_in_order(with_title(with_signs(joined_listings(regions)))))


def _filled(box: LayoutBox, lines: Sequence[TextLine]) -> list[LayoutBox]:
    """``box`` with its ``lines``; what is falsely called a table is divided into its columns."""
    if box.category is not Category.TABLE or not is_no_table(lines):
        return [replace(box, lines=tuple(lines))]
    return [LayoutBox.around(column, Category.TEXT) for column in columns_of(lines, ragged=True)]


def _stray_boxes(lines: Sequence[TextLine]) -> list[LayoutBox]:
    """Unclaimed lines, those of one paragraph together."""
    groups: dict[int, list[TextLine]] = {}
    for line in lines:
        groups.setdefault(line.block, []).append(line)
    return [LayoutBox.around(group, Category.TEXT) for group in groups.values()]


def index_in_order(box: BBox, others: Sequence[BBox]) -> int:
    """Where a forgotten box belongs in the reading order: before the first box below it in the same column."""
    for index, other in enumerate(others):
        if box.shared_width(other) > 0 and other.y0 >= box.center_y:
            return index
    above = [index for index, other in enumerate(others) if other.y1 <= box.y1]
    return above[-1] + 1 if above else len(others)


def _parted(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """Divides regions of text that run over several columns; the white space then gives the order of all regions."""
    parted: list[LayoutBox] = []
    for box in boxes:
        columns = columns_of(box.lines) if box.category.is_running_text else []
        parted += [LayoutBox.around(lines, box.category) for lines in columns] if len(columns) > 1 else [box]
    if len(parted) == len(boxes):
        return parted
    return white_space_order(parted, runs_leftwards(line for box in parted for line in box.lines))


def _is_hollow(box: LayoutBox) -> bool:
    covered = sum(line.bbox.area for line in box.lines)
    return box.category.is_running_text and covered < HOLLOW * box.bbox.area


def _without_drawings(boxes: Sequence[LayoutBox], drawings: Sequence[BBox]) -> list[LayoutBox]:
    """Takes charts, with the labels of their axes, out of running text if the layout model made one region of both."""
    apart: list[LayoutBox] = []
    for box in boxes:
        charts = _charts_in(box, drawings) if _is_hollow(box) else []
        rest = [line for line in box.lines if not any(line in labels for _, labels in charts)]
        for drawing, labels in charts:
            above = [line for line in rest if line.bbox.y0 < drawing.center_y]
            rest = [line for line in rest if line not in above]
            bbox = BBox.union([drawing, *(line.bbox for line in labels)])
            apart += [LayoutBox.around(above, box.category)] if above else []
            apart.append(LayoutBox(bbox, Category.PICTURE, lines=labels))
        apart += ([LayoutBox.around(rest, box.category)] if rest else []) if charts else [box]
    return apart


def _charts_in(box: LayoutBox, drawings: Sequence[BBox]) -> list[tuple[BBox, tuple[TextLine, ...]]]:
    """The charts of a region: the ``drawings`` with labels around them, and the labels. A drawing with words in it, or
    with labels only inside (a frame), is no chart: charts are not read."""
    words = [line for line in box.lines if _WORD.search(line.text)]
    charts = []
    for one in drawings:
        labels = tuple(line for line in box.lines if _is_label(line, one, words))
        around = sum(not one.has_center_of(line.bbox) for line in labels)
        worded = any(one.has_center_of(line.bbox) for line in words)
        if around >= LABELS and not worded and box.bbox.has_center_of(one):
            charts.append((one, labels))
    return charts


def _is_label(line: TextLine, drawing: BBox, words: Sequence[TextLine]) -> bool:
    """Whether ``line``, a figure or a letter, stands in the drawing or right beside it, in no row with ``words``."""
    return drawing.grown(line.bbox.height).has_center_of(line.bbox) and not any(
        other is line or line.bbox.in_row_with(other.bbox) for other in words
    )


def _apart(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """Cuts running text whose box covers lines of other regions to its own lines, or, where those go around the
    others, to runs of them: the picture of a region would otherwise show the other lines, too."""
    owned = sorted(
        ((line.bbox, number) for number, box in enumerate(boxes) for line in box.lines), key=lambda one: one[0].center_y
    )
    middles = [box.center_y for box, _ in owned]

    def beside(box: BBox, number: int) -> list[BBox]:
        """Lines of other regions in ``box`` that share a row with a line of this one."""
        return [
            other
            for other, owner in owned[bisect_left(middles, box.y0) : bisect_right(middles, box.y1)]
            if owner != number
            and box.x0 <= other.center_x <= box.x1
            and any(line.bbox.in_row_with(other) for line in boxes[number].lines)
        ]

    apart: list[LayoutBox] = []
    for number, box in enumerate(boxes):
        if not box.lines or not box.category.is_running_text or not beside(box.bbox, number):
            apart.append(box)
            continue
        whole = LayoutBox.around(box.lines, box.category)
        runs = _runs_around(box.lines, beside(whole.bbox, number))
        parts = [LayoutBox.around(run, box.category) for run in runs]
        fit = len(parts) > 1 and not any(beside(part.bbox, number) for part in parts)
        apart += parts if fit else [whole]
    return apart


def _head_apart(box: LayoutBox, first: float) -> list[LayoutBox]:
    """Parts running text that begins at ``first``, the top of the page, from a running head in it."""
    is_text = box.category.is_running_text or (box.category is Category.PICTURE and _is_only_text(box))
    if not is_text or not any(line.bbox.y0 <= first for line in box.lines):
        return [box]
    rows = printed_lines(box.lines)
    if not is_running_head(rows):
        return [box]
    category = box.category if box.category.is_running_text else Category.TEXT
    rest = [line for line in box.lines if line not in rows[0]]
    return [LayoutBox.around(rows[0], Category.PAGE_HEADER), LayoutBox.around(rest, category)]


def _listings_apart(box: LayoutBox) -> list[LayoutBox]:
    """Parts running text from program text between its lines."""
    if box.category is not Category.TEXT or not any(line.even for line in box.lines):
        return [box]
    runs = listings_apart(printed_lines(box.lines))
    parts = [LayoutBox.around([line for row in run for line in row], Category.TEXT) for run in runs]
    return parts if len(parts) > 1 else [box]


def _entries_apart(box: LayoutBox) -> list[LayoutBox]:
    """A table of contents as the items of a list."""
    if not box.category.is_running_text and box.category is not Category.TABLE:
        return [box]
    found = entries(printed_lines(box.lines)) if len(box.lines) >= ENTRIES else []
    return [LayoutBox.around([line for row in one for line in row], Category.LIST_ITEM) for one in found] or [box]


def _prose_apart(box: LayoutBox, tables: Sequence[FoundTable]) -> list[LayoutBox]:
    """Dates with prose beside them, or addresses beside each other, as paragraphs; where drawn lines close
    the cells, they are a table."""
    if box.category not in (Category.TABLE, Category.TEXT) or not box.lines:
        return [box]
    if any(one.ruled for one in _tables_in(box, tables)):
        return [box]
    rows = printed_lines(box.lines)
    found = dated_prose(rows) or addresses(rows)
    return [LayoutBox.around([line for row in one for line in row], Category.TEXT) for one in found] or [box]


def _runs_around(lines: Sequence[TextLine], others: Sequence[BBox]) -> list[list[TextLine]]:
    """``lines`` from top to bottom, in runs of those that stand above or below one of ``others`` and those that stand
    beside all of them."""
    ordered = sorted(lines, key=lambda line: line.bbox.y0)

    def is_stacked(line: TextLine) -> bool:
        return any(line.bbox.shared_width(one) > 0.5 * min(line.bbox.height, one.height) for one in others)

    return [list(run) for _, run in groupby(ordered, is_stacked)]


def _joined_furniture(boxes: Sequence[LayoutBox]) -> list[LayoutBox]:
    """Running heads that were taken apart within one printed line, put together again."""
    joined: list[LayoutBox] = []
    for box in boxes:
        last = joined[-1] if joined else None
        same = last is not None and box.category.is_furniture and last.category is box.category
        if last is not None and same and touch(last.bbox, box.bbox):
            bbox = BBox.union([last.bbox, box.bbox])
            joined[-1] = replace(last, bbox=bbox, members=last.members + box.members, lines=last.lines + box.lines)
        else:
            joined.append(box)
    return joined


def _tables_in(box: LayoutBox, tables: Sequence[FoundTable]) -> list[FoundTable]:
    """The ``tables`` that lie mostly inside ``box``, if that is called a table, and have lines of it."""
    return [
        table
        for table in tables
        if box.category is Category.TABLE
        and table.bbox.overlap(box.bbox) > 0.5
        and any(table.bbox.has_center_of(line.bbox) for line in box.lines)
    ]


def _once(boxes: Sequence[LayoutBox], tables: Sequence[FoundTable]) -> list[LayoutBox]:
    """``boxes`` without headings and running text that are in the cells of a table around them."""
    around = [table for box in boxes for table in _tables_in(box, tables)]
    told = {id(table): without_spaces(unescape(_TAG.sub("", table.html))) for table in around}

    def is_told(box: LayoutBox) -> bool:
        if not (box.category.is_running_text or box.category.is_heading):
            return False
        words = without_spaces("".join(line.text for line in box.lines))
        inside = (table for table in around if all(table.bbox.has_center_of(line.bbox) for line in box.lines))
        return bool(words) and any(words in told[id(table)] for table in inside)

    return [box for box in boxes if not is_told(box)]


def _tables_apart(box: LayoutBox, tables: Sequence[FoundTable]) -> list[LayoutBox]:
    """Each table found in a supposed table's box for itself, and as text the lines that are in none of them (they would
    be lost), in reading order."""
    found = _tables_in(box, tables)
    inside: list[list[TextLine]] = [[] for _ in found]
    beside: dict[tuple[int, int], list[TextLine]] = {}
    for line in box.lines:
        owner = next((number for number, one in enumerate(found) if one.bbox.has_center_of(line.bbox)), None)
        (beside.setdefault(_side(line.bbox, found), []) if owner is None else inside[owner]).append(line)
    if not found:
        return [box]
    whole = len(found) == 1 and not beside
    parts = [
        replace(box, lines=tuple(own), table=table)
        if whole
        else replace(LayoutBox.around(own, box.category), bbox=table.bbox, table=table)
        for table, own in zip(found, inside, strict=True)
        if own
    ]
    parts += [LayoutBox.around(lines, Category.TEXT) for lines in beside.values()]
    return by_white_space(parts, runs_leftwards(box.lines))


def _side(line: BBox, tables: Sequence[FoundTable]) -> tuple[int, int]:
    """The table that ``line`` stands next to, the one below it rather than the one above it, and on which side."""
    over = [number for number, one in enumerate(tables) if one.bbox.shared_width(line) > 0]
    below = min((n for n in over if tables[n].bbox.y0 >= line.center_y), key=lambda n: tables[n].bbox.y0, default=None)
    above = max((n for n in over if tables[n].bbox.y1 <= line.center_y), key=lambda n: tables[n].bbox.y1, default=None)
    if below is not None:
        return below, -1
    return (-1, 0) if above is None else (above, 1)


def _region(box: LayoutBox) -> Region | None:
    lines = box.lines
    if box.category is Category.PICTURE:
        if not _is_only_text(box):
            labels = tuple(map(_printed, printed_lines(lines)))
            return Region(box.bbox, Category.PICTURE, words=_source_of(lines), labels=labels)
        box = replace(box, category=Category.TEXT)
    if not lines or _is_rule(lines):
        return None
    bbox = BBox.union([box.bbox, *(line.bbox for line in lines)]).grown(0.1 * usual_height(lines))
    confidence = sum(line.confidence * len(line.text) for line in lines) / sum(len(line.text) for line in lines)
    if box.category is Category.TABLE and box.table is not None:
        framed, html = BBox.union([bbox, box.table.bbox]), box.table.html
        words, links = _source_of(lines), _links(printed_lines(lines))
        return Region(framed, Category.TABLE, (html,), confidence, grid=box.table.grid, words=words, links=links)
    if box.category is Category.TABLE:
        box = replace(box, category=Category.TEXT)
    rows = printed_lines(lines)
    listing = is_listing(rows, box.category)
    category = Category.TEXT if listing else item_or(box.category, lines[0].text)
    texts, words = _readings(rows, lines), _source_of(lines)
    return Region(bbox, category, texts, confidence, tuple(map(_printed, rows)), listing=listing, words=words)


def _links(rows: Sequence[Sequence[TextLine]]) -> tuple[tuple[str, str], ...]:
    """The linked words, with their addresses."""
    marked = [(line.text, mark) for row in rows for line in row for mark in line.marks if mark.kind == "link"]
    return tuple((text[mark.start : mark.end], mark.target) for text, mark in marked)


def _printed(row: Sequence[TextLine]) -> PrintedLine:
    text, marks = joined_row(row)
    box, size, sure = (
        BBox.union(run.bbox for run in row),
        max(run.size for run in row),
        min(run.confidence for run in row),
    )
    return PrintedLine(box, text, size, row[0].turns, sure, marks)


def _source_of(lines: Sequence[TextLine]) -> WordsOf | None:
    """The source of the words of ``lines``; of several the least certain. ``None`` without lines, and if letters of a
    line are unknown."""
    sources = {line.words for line in lines}
    if None in sources:
        return None
    return "recognition" if "recognition" in sources else "text layer" if sources else None


def _readings(rows: Sequence[Sequence[TextLine]], lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The text of the printed lines ``rows``, and of the source's ``lines`` if their order differs."""
    printed = join_lines(rows)
    as_given = join_lines([[line] for line in lines])
    return (printed,) if printed.split() == as_given.split() else (printed, as_given)


def _is_rule(lines: Sequence[TextLine]) -> bool:
    """Whether the text is only a ruler of dots or dashes."""
    text = "".join(line.text for line in lines)
    return len(text) > 5 and len(set(text) - {" "}) == 1 and not text[0].isalnum()


def _is_only_text(box: LayoutBox) -> bool:
    """Whether a supposed picture is nothing but lines of text that fill it."""
    if not box.lines or len(box.members) > len(box.lines):
        return False
    covered = sum(line.bbox.area for line in box.lines)
    return covered > 0.5 * box.bbox.area and usual_height(box.lines) > 0

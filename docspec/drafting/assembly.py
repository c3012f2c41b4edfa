"""Regions from layout boxes and lines of text: each line goes into the box that claims it, none is lost.

The layout may come from a model or from white space, the lines from a text layer or from a recogniser; here
they meet.
"""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from html import unescape

from docspec.core import BBox, Category, PrintedLine, Region
from docspec.core.result import WordsOf
from docspec.drafting.claims import Claims
from docspec.drafting.columns import columns_of
from docspec.drafting.contents import ENTRIES, entries
from docspec.drafting.false_tables import is_no_table
from docspec.drafting.furniture import is_running_head
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, join_lines, joined_row, printed_lines, runs_leftwards, usual_height
from docspec.drafting.listings import is_listing, is_typewritten, joined_listings, listings_apart
from docspec.drafting.order import white_space_order
from docspec.drafting.tables import FoundTable
from docspec.drafting.titles import with_title

RUNNING = frozenset({Category.TEXT, Category.LIST_ITEM})
"""Categories that may be set in columns."""

HEADINGS = frozenset({Category.SECTION_HEADER, Category.TITLE})

HOLLOW = 0.25
"""Least share of its box that lines of running text cover; with less, the box may hold a drawing, too."""

LABELS = 3
"""Least figures or letters beside a drawing that make it a chart: fewer may be numbers of pages or items."""

_TAG = re.compile("<[^>]*>")
_WORD = re.compile(r"[^\W\d_]{3}")

TableFinder = Callable[[BBox], Sequence[FoundTable]]
DrawingFinder = Callable[[], Sequence[BBox]]


@dataclass(frozen=True, slots=True)
class _Filled:
    box: LayoutBox
    lines: tuple[TextLine, ...]


def assemble(
    boxes: Sequence[LayoutBox],
    lines: Sequence[TextLine],
    tables: TableFinder | None = None,
    drawings: DrawingFinder | None = None,
) -> list[Region]:
    """Regions in reading order, in the unit of the boxes and lines.

    ``tables`` gives the tables inside a box, ``drawings`` the patches of ink between the lines, from top to bottom.
    Lines that no box claims become Text regions of their own, placed before the first region of their column that
    stands below them.
    """
    if is_typewritten(lines):
        lines = [replace(line, even=0) for line in lines]  # no sign of a listing there
    claimed: list[list[TextLine]] = [[] for _ in boxes]
    loose: list[TextLine] = []
    claims = Claims(boxes)
    for line in lines:
        index = claims.owner(line.bbox)
        (loose if index is None else claimed[index]).append(line)
    filled = [part for box, own in zip(boxes, claimed, strict=True) for part in _filled(box, own)]
    for stray in _stray_boxes(loose):
        filled.insert(place(stray.box.bbox, [item.box.bbox for item in filled]), stray)
    if drawings and any(map(_is_hollow, filled)):
        filled = _without_drawings(filled, drawings())
    first = min((line.bbox.y0 for line in lines), default=0.0)
    filled = [part for item in filled for part in _head_apart(item, first)]
    filled = _apart(_joined_furniture(_parted(filled)))
    filled = [part for item in filled for part in _listings_apart(item)]
    filled = [part for item in filled for part in _entries_apart(item)]
    filled = [part for item in _once(filled, tables) for part in _beside_tables(item, tables)]
    regions = [region for item in filled if (region := _region(item, tables)) is not None]
    return with_title(joined_listings(regions))


def _filled(box: LayoutBox, lines: Sequence[TextLine]) -> list[_Filled]:
    """``box`` with its ``lines``; running text is divided into its columns."""
    if box.category is not Category.TABLE or not is_no_table(lines):
        return [_Filled(box, tuple(lines))]
    return [_of_lines(column, Category.TEXT) for column in columns_of(lines, ragged=True)]


def _stray_boxes(lines: Sequence[TextLine]) -> list[_Filled]:
    """Unclaimed lines, those of one paragraph together."""
    groups: dict[int, list[TextLine]] = {}
    for line in lines:
        groups.setdefault(line.block, []).append(line)
    return [_of_lines(group, Category.TEXT) for group in groups.values()]


def place(box: BBox, others: Sequence[BBox]) -> int:
    """The place of a forgotten box in the reading order: before the first box below it in the same column."""
    for index, other in enumerate(others):
        same_column = min(box.x1, other.x1) - max(box.x0, other.x0) > 0
        if same_column and other.y0 >= (box.y0 + box.y1) / 2:
            return index
    above = [index for index, other in enumerate(others) if other.y1 <= box.y1]
    return above[-1] + 1 if above else len(others)


def _parted(items: Sequence[_Filled]) -> list[_Filled]:
    """Divides regions of text that run over several columns; the white space then gives the order of all regions."""
    parted: list[_Filled] = []
    for item in items:
        columns = columns_of(item.lines) if item.box.category in RUNNING else []
        parted += [_of_lines(lines, item.box.category) for lines in columns] if len(columns) > 1 else [item]
    if len(parted) == len(items):
        return parted
    leftwards = runs_leftwards(line for item in parted for line in item.lines)
    order = white_space_order([item.box for item in parted], leftwards)
    rank = {id(box): index for index, box in enumerate(order)}
    return sorted(parted, key=lambda item: rank[id(item.box)])


def _of_lines(lines: Sequence[TextLine], category: Category) -> _Filled:
    members = tuple(line.bbox for line in lines)
    return _Filled(LayoutBox(BBox.union(members), category, members), tuple(lines))


def _is_hollow(item: _Filled) -> bool:
    covered = sum(line.bbox.area for line in item.lines)
    return item.box.category in RUNNING and covered < HOLLOW * item.box.bbox.area


def _without_drawings(items: Sequence[_Filled], drawings: Sequence[BBox]) -> list[_Filled]:
    """Takes charts, with the labels of their axes, out of running text if the layout model made one region of both."""
    apart: list[_Filled] = []
    for item in items:
        charts = _charts_in(item, drawings) if _is_hollow(item) else []
        rest = [line for line in item.lines if not any(line in labels for _, labels in charts)]
        for drawing, labels in charts:
            above = [line for line in rest if line.bbox.y0 < (drawing.y0 + drawing.y1) / 2]
            rest = [line for line in rest if line not in above]
            bbox = BBox.union([drawing, *(line.bbox for line in labels)])
            apart += [_of_lines(above, item.box.category)] if above else []
            apart.append(_Filled(LayoutBox(bbox, Category.PICTURE), labels))
        apart += ([_of_lines(rest, item.box.category)] if rest else []) if charts else [item]
    return apart


def _charts_in(item: _Filled, drawings: Sequence[BBox]) -> list[tuple[BBox, tuple[TextLine, ...]]]:
    """The charts of a region: the ``drawings`` with labels around them, and the labels. A drawing with words in it, or
    with labels only inside (a frame), is no chart: charts are not read."""
    words = [line for line in item.lines if _WORD.search(line.text)]
    charts = []
    for one in drawings:
        labels = tuple(line for line in item.lines if _is_label(line, one, words))
        around = sum(not _stands_in(line.bbox, one) for line in labels)
        worded = any(_stands_in(line.bbox, one) for line in words)
        if around >= LABELS and not worded and _stands_in(one, item.box.bbox):
            charts.append((one, labels))
    return charts


def _is_label(line: TextLine, drawing: BBox, words: Sequence[TextLine]) -> bool:
    """Whether ``line``, a figure or a letter, stands in the drawing or right beside it, in no row with ``words``."""
    return _stands_in(line.bbox, drawing.grown(line.bbox.height)) and not any(
        other is line or _in_one_row(line.bbox, other.bbox) for other in words
    )


def _stands_in(box: BBox, other: BBox) -> bool:
    x, y = (box.x0 + box.x1) / 2, (box.y0 + box.y1) / 2
    return other.x0 <= x <= other.x1 and other.y0 <= y <= other.y1


def _apart(items: Sequence[_Filled]) -> list[_Filled]:
    """Cuts running text whose box covers lines of other regions to its own lines, or, where those go around the
    others, to runs of them: the picture of a region would otherwise show the other lines, too."""
    owned = sorted(
        ((line.bbox, number) for number, item in enumerate(items) for line in item.lines),
        key=lambda one: one[0].y0 + one[0].y1,
    )
    middles = [(box.y0 + box.y1) / 2 for box, _ in owned]

    def beside(box: BBox, number: int) -> list[BBox]:
        """Lines of other regions in ``box`` that share a row with a line of this one."""
        return [
            other
            for other, owner in owned[bisect_left(middles, box.y0) : bisect_right(middles, box.y1)]
            if owner != number
            and box.x0 <= (other.x0 + other.x1) / 2 <= box.x1
            and any(_in_one_row(line.bbox, other) for line in items[number].lines)
        ]

    apart: list[_Filled] = []
    for number, item in enumerate(items):
        if not item.lines or item.box.category not in RUNNING or not beside(item.box.bbox, number):
            apart.append(item)
            continue
        whole = _of_lines(item.lines, item.box.category)
        runs = _runs_around(item.lines, beside(whole.box.bbox, number))
        parts = [_of_lines(run, item.box.category) for run in runs]
        fit = len(parts) > 1 and not any(beside(part.box.bbox, number) for part in parts)
        apart += parts if fit else [whole]
    return apart


def _head_apart(item: _Filled, first: float) -> list[_Filled]:
    """Parts running text that begins at ``first``, the top of the page, from a running head in it."""
    is_text = item.box.category in RUNNING or (item.box.category is Category.PICTURE and _is_only_text(item))
    if not is_text or not any(line.bbox.y0 <= first for line in item.lines):
        return [item]
    rows = printed_lines(item.lines)
    if not is_running_head(rows):
        return [item]
    category = item.box.category if item.box.category in RUNNING else Category.TEXT
    rest = [line for line in item.lines if line not in rows[0]]
    return [_of_lines(rows[0], Category.PAGE_HEADER), _of_lines(rest, category)]


def _listings_apart(item: _Filled) -> list[_Filled]:
    """Parts running text from program text between its lines."""
    if item.box.category is not Category.TEXT or not any(line.even for line in item.lines):
        return [item]
    runs = listings_apart(printed_lines(item.lines))
    parts = [_of_lines([line for row in run for line in row], Category.TEXT) for run in runs]
    return parts if len(parts) > 1 else [item]


def _entries_apart(item: _Filled) -> list[_Filled]:
    """A table of contents as the items of a list."""
    if item.box.category not in RUNNING and item.box.category is not Category.TABLE:
        return [item]
    found = entries(printed_lines(item.lines)) if len(item.lines) >= ENTRIES else []
    return [_of_lines([line for row in one for line in row], Category.LIST_ITEM) for one in found] or [item]


def _runs_around(lines: Sequence[TextLine], others: Sequence[BBox]) -> list[list[TextLine]]:
    """``lines`` from top to bottom, in runs of those that stand above or below one of ``others`` and those that stand
    beside all of them."""
    ordered = sorted(lines, key=lambda line: line.bbox.y0)
    stacked = [any(_above_each_other(line.bbox, one) for one in others) for line in ordered]
    runs: list[list[TextLine]] = []
    for index, line in enumerate(ordered):
        if index == 0 or stacked[index] != stacked[index - 1]:
            runs.append([])
        runs[-1].append(line)
    return runs


def _in_one_row(a: BBox, b: BBox) -> bool:
    return min(a.y1, b.y1) - max(a.y0, b.y0) > 0.5 * min(a.height, b.height)


def _above_each_other(a: BBox, b: BBox) -> bool:
    return min(a.x1, b.x1) - max(a.x0, b.x0) > 0.5 * min(a.height, b.height)


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


def _once(items: Sequence[_Filled], tables: TableFinder | None) -> list[_Filled]:
    """``items`` without headings and running text that are in the cells of a table around them."""
    around = [
        table for item in items if tables and item.box.category is Category.TABLE for table in tables(item.box.bbox)
    ]
    told = {id(table): _signs(unescape(_TAG.sub("", table.html))) for table in around}

    def is_told(item: _Filled) -> bool:
        if item.box.category not in RUNNING | HEADINGS:
            return False
        words = _signs("".join(line.text for line in item.lines))
        inside = (table for table in around if all(_stands_in(line.bbox, table.bbox) for line in item.lines))
        return bool(words) and any(words in told[id(table)] for table in inside)

    return [item for item in items if not is_told(item)]


def _signs(text: str) -> str:
    return "".join(text.split())


def _beside_tables(item: _Filled, tables: TableFinder | None) -> list[_Filled]:
    """A supposed table, and as text the lines in its box that are in none of the tables found there (they would be
    lost)."""
    found = tables(item.box.bbox) if tables and item.box.category is Category.TABLE else ()
    beside = [line for line in item.lines if not any(_stands_in(line.bbox, table.bbox) for table in found)]
    if not found or not beside:
        return [item]
    inside = tuple(line for line in item.lines if line not in beside)
    apart = _of_lines(beside, Category.TEXT)
    return [apart, replace(item, lines=inside)] if inside else [apart]


def _region(item: _Filled, tables: TableFinder | None) -> Region | None:
    box, lines = item.box, item.lines
    if box.category is Category.PICTURE:
        if not _is_only_text(item):
            labels = _printed(printed_lines(lines))
            return Region(box.bbox, Category.PICTURE, words=source_of(lines), labels=labels)
        box = replace(box, category=Category.TEXT)
    if not lines or _is_rule(lines):
        return None
    bbox = BBox.union([box.bbox, *(line.bbox for line in lines)]).grown(0.1 * usual_height(lines))
    confidence = sum(line.confidence * len(line.text) for line in lines) / sum(len(line.text) for line in lines)
    if box.category is Category.TABLE:
        found = tables(box.bbox) if tables else ()
        if found:
            framed = BBox.union([bbox, *(table.bbox for table in found)])
            html = "".join(table.html for table in found)
            grid = found[0].grid if len(found) == 1 else ()
            words, links = source_of(lines), _links(printed_lines(lines))
            return Region(framed, Category.TABLE, (html,), confidence, grid=grid, words=words, links=links)
        box = replace(box, category=Category.TEXT)
    rows = printed_lines(lines)
    listing = is_listing(rows, box.category)
    category = Category.TEXT if listing else box.category
    texts, words = readings(rows, lines), source_of(lines)
    return Region(bbox, category, texts, confidence, _printed(rows), listing=listing, words=words)


def _links(rows: Sequence[Sequence[TextLine]]) -> tuple[tuple[str, str], ...]:
    """The linked words, with their addresses."""
    marked = [(line.text, mark) for row in rows for line in row for mark in line.marks if mark.kind == "link"]
    return tuple((text[mark.start : mark.end], mark.target) for text, mark in marked)


def _printed(rows: Sequence[Sequence[TextLine]]) -> tuple[PrintedLine, ...]:
    return tuple(
        PrintedLine(
            BBox.union(run.bbox for run in row),
            join_lines([row]),
            max(run.size for run in row),
            row[0].turns,
            min(run.confidence for run in row),
            joined_row(row)[1],
        )
        for row in rows
    )


def source_of(lines: Sequence[TextLine]) -> WordsOf | None:
    """The source of the words of ``lines``; of several the least certain. ``None`` without lines, and if letters of a
    line are unknown."""
    sources = {line.words for line in lines}
    if None in sources:
        return None
    return "recognition" if "recognition" in sources else "text layer" if sources else None


def readings(rows: Sequence[Sequence[TextLine]], lines: Sequence[TextLine]) -> tuple[str, ...]:
    """The text of the printed lines ``rows``, and of the source's ``lines`` if their order differs."""
    printed = join_lines(rows)
    as_given = join_lines([[line] for line in lines])
    return (printed,) if printed.split() == as_given.split() else (printed, as_given)


def _is_rule(lines: Sequence[TextLine]) -> bool:
    """Whether the text is only a ruler of dots or dashes."""
    text = "".join(line.text for line in lines)
    return len(text) > 5 and len(set(text) - {" "}) == 1 and not text[0].isalnum()


def _is_only_text(item: _Filled) -> bool:
    """Whether a supposed picture is nothing but lines of text that fill it."""
    if not item.lines or len(item.box.members) > len(item.lines):
        return False
    covered = sum(line.bbox.area for line in item.lines)
    return covered > 0.5 * item.box.bbox.area and usual_height(item.lines) > 0

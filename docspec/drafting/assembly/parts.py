"""Steps that part what a layout model has put into one box, and join what it has taken apart."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Sequence
from dataclasses import replace
from html import unescape
from itertools import groupby

from docspec.core import BBox, Category
from docspec.core.geometry import runs_of
from docspec.drafting.assembly.claims import Assembly
from docspec.drafting.columns import columns_of
from docspec.drafting.contents import ENTRIES, entries
from docspec.drafting.furniture import is_running_head
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines, runs_leftwards, touch
from docspec.drafting.listings import APART, LEADED, is_listing, listings_apart
from docspec.drafting.reading_order import page_order
from docspec.drafting.right_to_left import has_right_to_left


def running_heads_parted(page: Assembly) -> Assembly:
    """Parts running text that begins at the top of the page from a running head in it."""
    first = min((line.bbox.y0 for box in page.boxes for line in box.lines), default=0.0)
    return page.each_box(lambda box: _head_apart(box, first))


def _head_apart(box: LayoutBox, first: float) -> list[LayoutBox]:
    is_text = box.category.is_running_text or (box.category is Category.PICTURE and box.is_only_text)
    if not is_text or not any(line.bbox.y0 <= first for line in box.lines):
        return [box]
    rows = printed_lines(box.lines)
    if not is_running_head(rows):
        return [box]
    category = box.category if box.category.is_running_text else Category.TEXT
    rest = [line for line in box.lines if line not in rows[0]]
    return [LayoutBox.around(rows[0], Category.PAGE_HEADER), LayoutBox.around(rest, category)]


def columns_parted(page: Assembly) -> Assembly:
    """Divides text that runs over several columns; the white space then gives the order of all boxes."""

    def parted(box: LayoutBox) -> Sequence[LayoutBox]:
        columns = columns_of(box.lines) if box.category.is_running_text else []
        return [LayoutBox.around(lines, box.category) for lines in columns] if len(columns) > 1 else [box]

    done = page.each_box(parted)
    if len(done.boxes) == len(page.boxes):
        return page
    leftwards = runs_leftwards(line for box in done.boxes for line in box.lines)
    return done.with_boxes(page_order(done.boxes, leftwards, given=False))


def furniture_joined(page: Assembly) -> Assembly:
    """Puts running heads together that were taken apart within one printed line."""
    return _joined(page, lambda a, b: b.category.is_furniture and a.category is b.category and touch(a.bbox, b.bbox))


def _joined(page: Assembly, go_on: Callable[[LayoutBox, LayoutBox], bool]) -> Assembly:
    """``page`` with one box for each run of boxes that ``go_on``."""
    return page.with_boxes(
        replace(
            run[0],
            bbox=BBox.union(box.bbox for box in run),
            members=tuple(member for box in run for member in box.members),
            lines=tuple(line for box in run for line in box.lines),
        )
        for run in runs_of(page.boxes, go_on)
    )


def covering_boxes_cut(page: Assembly) -> Assembly:
    """Cuts running text whose box covers lines of other regions to its own lines, or, where those go around the
    others, to runs of them: the picture of a region would otherwise show the other lines, too."""
    boxes = page.boxes
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
    return page.with_boxes(apart)


def _runs_around(lines: Sequence[TextLine], others: Sequence[BBox]) -> list[list[TextLine]]:
    """``lines`` from top to bottom, in runs of those that stand above or below one of ``others`` and those that stand
    beside all of them."""
    ordered = sorted(lines, key=lambda line: line.bbox.y0)

    def is_stacked(line: TextLine) -> bool:
        return any(line.bbox.shared_width(one) > 0.5 * min(line.bbox.height, one.height) for one in others)

    return [list(run) for _, run in groupby(ordered, is_stacked)]


def listings_parted(page: Assembly) -> Assembly:
    """Parts running text from program text between its lines."""
    return page.each_box(_listings_apart)


def _listings_apart(box: LayoutBox) -> list[LayoutBox]:
    if box.category is not Category.TEXT or not any(line.even for line in box.lines):
        return [box]
    runs = listings_apart(printed_lines(box.lines))
    parts = [LayoutBox.around([line for row in run for line in row], Category.TEXT) for run in runs]
    return parts if len(parts) > 1 else [box]


def listings_joined(page: Assembly) -> Assembly:
    """Joins listings below each other, which blank lines divide, or a layout model took for numbered items: their
    indents tell only together."""
    return _joined(page, lambda above, box: _is_listing(above) and _is_listing(box) and _follows(above, box))


def _is_listing(box: LayoutBox) -> bool:
    return any(line.even for line in box.lines) and is_listing(printed_lines(box.lines), box.category)


def _follows(above: LayoutBox, box: LayoutBox) -> bool:
    """Whether ``box`` stands below ``above`` with at most two blank lines between them."""
    last, first = above.lines[-1], box.lines[0]
    height = min(max(line.bbox.height, LEADED * line.size) for line in (last, first))  # letters without tails are low
    white = first.bbox.y1 - last.bbox.y1 - height
    return above.bbox.shared_width(box.bbox) > 0 and -height < white <= APART * height


def contents_itemised(page: Assembly) -> Assembly:
    """Makes a table of contents the items of a list."""
    return page.each_box(_entries_apart)


def _entries_apart(box: LayoutBox) -> list[LayoutBox]:
    if not box.category.is_running_text and box.category is not Category.TABLE:
        return [box]
    items = entries(printed_lines(box.lines)) if len(box.lines) >= ENTRIES else []
    return [LayoutBox.around([line for row in one for line in row], Category.LIST_ITEM) for one in items] or [box]


HOLLOW = 0.25
"""Least share of its box that lines of running text cover; with less, the box may hold a drawing, too."""

LABELS = 3
"""Least figures or letters beside a drawing that make it a chart: fewer may be numbers of pages or boxes."""

_WORD = re.compile(r"[^\W\d_]{3}")


def charts_apart(page: Assembly) -> Assembly:
    """Takes charts, with their labels, out of running text. Drawings are looked for only where text leaves most of its
    box empty."""
    if page.drawings is None or not any(map(_is_hollow, page.boxes)):
        return page
    drawings = page.drawings()
    return page.each_box(lambda box: _without(box, drawings) if _is_hollow(box) else [box])


def _is_hollow(box: LayoutBox) -> bool:
    covered = sum(line.bbox.area for line in box.lines)
    return box.category.is_running_text and covered < HOLLOW * box.bbox.area


def _without(box: LayoutBox, drawings: Sequence[BBox]) -> list[LayoutBox]:
    """``box`` without its charts, which stand among what is left of it."""
    charts = _charts_in(box, drawings)
    if not charts:
        return [box]
    apart: list[LayoutBox] = []
    rest = [line for line in box.lines if not any(line in labels for _, labels in charts)]
    for drawing, labels in charts:
        above = [line for line in rest if line.bbox.y0 < drawing.center_y]
        rest = [line for line in rest if line not in above]
        bbox = BBox.union([drawing, *(line.bbox for line in labels)])
        apart += [LayoutBox.around(above, box.category)] if above else []
        apart.append(LayoutBox(bbox, Category.PICTURE, lines=labels))
    return apart + ([LayoutBox.around(rest, box.category)] if rest else [])


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


LONG = 4
"""Letters from which on a word is in a table if they stand there next to each other, whatever is a word there: cells
join words that are hyphenated, and part those of languages without spaces."""

MOST = 0.5
"""Least share of the letters of a row, or a line, in words that a table does not have."""

_NO_LETTER = re.compile(r"[\W_]+")
_TAG = re.compile("<[^>]*>")


def tables_settled(page: Assembly) -> Assembly:
    """Gives boxes of text, above and below a table, to lines of its box that are in none of its cells: they would be
    lost."""
    return page.each_box(_settled)


def _settled(box: LayoutBox) -> list[LayoutBox]:
    left_out = _lines_left_out(box.table.html, box.lines) if box.table is not None else []
    if not left_out or box.table is None:
        return [box]
    own = [line for line in box.lines if line not in left_out]
    around = BBox.union(line.bbox for line in own)
    table = replace(LayoutBox.around(own, box.category), table=replace(box.table, bbox=around))
    above = [line for line in left_out if line.bbox.center_y < around.y0]
    below = [line for line in left_out if line not in above]
    text = [[LayoutBox.around(lines, Category.TEXT)] if lines else [] for lines in (above, below)]
    return [*text[0], table, *text[1]]


def _told_by(html: str) -> Callable[[str], bool]:
    """Whether a text is among those of the cells of ``html``: most of its letters, in words that they have. A text
    without letters and figures counts as told, and one of a script that runs from right to left."""
    words = _letters_of(unescape(_TAG.sub(" ", html)))
    every, joined = set(words), "".join(words)

    def has(word: str) -> bool:
        return word in every or (len(word) >= LONG and word in joined) or any(word in one for one in every)

    def tells(text: str) -> bool:
        own = _letters_of(text)
        lacking = sum(len(word) for word in own if not has(word))
        return lacking < MOST * sum(map(len, own)) or not own or has_right_to_left(text)

    return tells


def _lines_left_out(html: str, lines: Sequence[TextLine]) -> list[TextLine]:
    """Those of ``lines``, in a table of this ``html``, that are in none of its cells. If none is in one, its words are
    others than those of the lines, and say nothing about them."""
    tells = _told_by(html)
    out = [line for line in lines if not tells(line.text)]
    return out if len(out) < len(lines) else []


def _letters_of(text: str) -> list[str]:
    """The runs of letters and figures of ``text``."""
    return [part for part in _NO_LETTER.split(unicodedata.normalize("NFKC", text).casefold()) if part]

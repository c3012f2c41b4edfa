"""Steps that part what a layout model has put into one box, and join what it has taken apart."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from itertools import groupby

from docspec.core import BBox, Category
from docspec.core.geometry import runs_of
from docspec.drafting.assembly.claims import Assembly
from docspec.drafting.columns import columns_of
from docspec.drafting.contents import ENTRIES, entries
from docspec.drafting.layout import LayoutBox
from docspec.drafting.lines import TextLine, printed_lines
from docspec.drafting.listings import APART, LEADED, is_listing, listings_apart
from docspec.drafting.order import in_order


def columns_parted(page: Assembly) -> Assembly:
    """Divides text that runs over several columns; the white space then gives the order of all boxes."""

    def parted(box: LayoutBox) -> Sequence[LayoutBox]:
        columns = columns_of(box.lines) if box.category.is_running_text and not _is_listing(box) else []
        return [LayoutBox.around(lines, box.category) for lines in columns] if len(columns) > 1 else [box]

    done = page.each_box(parted)
    if len(done.boxes) == len(page.boxes):
        return page
    return done.with_boxes(in_order(done.boxes, given=False))


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

    def go_on(above: LayoutBox, box: LayoutBox) -> bool:
        return _is_listing(above) and _is_listing(box) and _follows(above, box)

    return page.with_boxes(
        LayoutBox.around([line for box in run for line in box.lines], run[0].category) if len(run) > 1 else run[0]
        for run in runs_of(page.boxes, go_on)
    )


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


def tables_settled(page: Assembly) -> Assembly:
    """Gives boxes of text, above and below a table, to lines of its box that are in none of its cells: they would be
    lost."""
    return page.each_box(_settled)


def _settled(box: LayoutBox) -> list[LayoutBox]:
    if box.table is None:
        return [box]
    own = [line for line in box.lines if any(member.has_center_of(line.bbox) for member in box.members)]
    left_out = [line for line in box.lines if line not in own]
    if not own or not left_out:
        return [box]
    around = BBox.union(line.bbox for line in own)
    table = replace(LayoutBox.around(own, box.category), table=replace(box.table, bbox=around))
    above = [line for line in left_out if line.bbox.center_y < around.y0]
    below = [line for line in left_out if line not in above]
    text = [[LayoutBox.around(lines, Category.TEXT)] if lines else [] for lines in (above, below)]
    return [*text[0], table, *text[1]]

"""Heads over several columns of a table without closed cells. Everything is in points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docspec.core import BBox
from docspec.core.grouping import in_rows
from docspec.drafting.cell_grid import CellGrid, PlacedCell, as_html, close_words, joined, plain_text, words_box
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_figure
from docspec.drafting.head_tiles import shares, tiles
from docspec.drafting.lines import without_spaces
from docspec.drafting.wrapped_rows import is_end

CENTRED = 0.6
"""Heights of a word by which a head may stand beside the middle of its columns."""

ALIGNED = 0.3
"""Heights of a word by which the middles of lines of one head may be out of line."""

OFF = 1.2
"""Heights of a word from which on a head does not stand over the middle of one column alone."""

BELOW = 1.0
"""Most heights of a word from a head to the line below it that shows its columns."""

LEADER = ".·…_"
"""What leads from a label to a figure."""

PARTIAL = 0.9
"""Most of the width of a table that such a line has."""


@dataclass(frozen=True, slots=True)
class HeadRun:
    """Words that follow each other closely, in one or several lines."""

    bbox: BBox
    text: str


def with_spanning_heads(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox], body: int) -> CellGrid:
    """``grid``, in which words of one head above the last row of heads, that are in several cells or over several
    columns, are one cell; so is a title in a row of its own. ``body`` is the first row below the heads."""
    for row in range(len(grid.ys)):
        cells = grid.row(row)
        if any(cell.rows > 1 for cell in cells) or sum(cell.columns for cell in cells) < len(grid.xs):
            continue
        band = BBox(grid.xs[0][0], grid.ys[row][0], grid.xs[-1][1], grid.ys[row][1])
        runs = head_runs([word for word in words if band.has_center_of(word.bbox)])
        one = len(runs) == 1 and not all(cell.text for cell in cells)
        alone = _is_title(cells) or (one and names_rows(runs[0].bbox, runs[0].text, grid))
        if not (row < body - 1 or alone):
            continue
        if Counter(without_spaces("".join(run.text for run in runs))) != Counter(
            without_spaces("".join(plain_text(cell.text) for cell in cells))
        ):
            continue
        spans = _spans(grid, row, runs, words, strokes, alone, max(body - 1 - row, 0))
        was = [(cell.column, cell.column + cell.columns - 1) for cell in cells if cell.text]
        if spans and spans != was and len(spans) <= len(was):
            heads = {
                first: PlacedCell(as_html(run.text), row, first, 1, last - first + 1, row < body)
                for run, (first, last) in zip(runs, spans, strict=True)
            }
            taken = {column for first, last in spans for column in range(first, last + 1)}
            rest = [
                PlacedCell("", row, column, head=row < body) for column in range(len(grid.xs)) if column not in taken
            ]
            grid = grid.with_cells([*(cell for cell in grid.cells if cell.row != row), *heads.values(), *rest])
    if body > grid.head_rows:
        grid = grid.with_cells(replace(cell, head=cell.head or cell.row + cell.rows <= body) for cell in grid.cells)
    return grid


def names_rows(box: BBox, text: str, grid: CellGrid) -> bool:
    """Whether a ``text`` that stands alone in a row is a name of the rows below it, in the middle of the table."""
    words = any(letter.isupper() for letter in text) and not is_figure(text)
    return words and is_centred(box, grid)


def is_centred(box: BBox, grid: CellGrid) -> bool:
    """Whether ``box`` has its middle in the middle of the table."""
    return abs(box.center_x - (grid.xs[0][0] + grid.xs[-1][1]) / 2) <= CENTRED * box.height


def _is_title(cells: Sequence[PlacedCell]) -> bool:
    """Whether a row has nothing but one text that is not in its first cell."""
    return sum(bool(cell.text) for cell in cells) == 1 and not cells[0].text


def head_runs(words: Sequence[Word]) -> list[HeadRun]:
    """The heads that ``words`` are, from left to right: lines of one head stand above each other."""
    runs: list[HeadRun] = []
    for line in in_rows(sorted(words, key=lambda word: word.bbox.x0), lambda word: word.bbox):
        for piece in close_words(line):
            box = BBox.union(word.bbox for word in piece)
            text = joined(*(word.text for word in piece))
            above = [run for run in runs if run.bbox.shared_width(box) > 0 and run.bbox.y1 <= box.center_y]
            if len(above) == 1:
                runs.remove(above[0])
                box, text = BBox.union([above[0].bbox, box]), joined(above[0].text, text)
            runs.append(HeadRun(box, text))
    return sorted(runs, key=lambda run: run.bbox.x0)


def with_level_rows(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """``grid``, in which two rows that have no column in common and stand beside each other (heads that read upwards
    are of any height, dashes are low) are one."""
    for row in reversed(range(len(grid.ys) - 1)):
        upper, lower = ([cell for cell in grid.row(number) if cell.text] for number in (row, row + 1))
        apart = not {cell.column for cell in upper} & {cell.column for cell in lower}
        plain = all(cell.rows == cell.columns == 1 for cell in (*grid.row(row), *grid.row(row + 1)))
        if not (apart and plain):
            continue
        heights = [[word.bbox for cell in cells for word in grid.words_in(cell, words)] for cells in (upper, lower)]
        if all(heights) and any(
            a.shared_height(b) > 0.5 * min(a.height, b.height) for a in heights[0] for b in heights[1]
        ):
            cells = [
                replace(cell, row=row) if cell.row == row + 1 else cell
                for cell in grid.cells
                if cell.row not in (row, row + 1) or cell.text
            ]
            ys = (*grid.ys[:row], (grid.ys[row][0], grid.ys[row + 1][1]), *grid.ys[row + 2 :])
            cells = [replace(cell, row=cell.row - 1) if cell.row > row + 1 else cell for cell in cells]
            filled = {cell.column for cell in cells if cell.row == row}
            heads = row < grid.head_rows
            empty = [PlacedCell("", row, column, head=heads) for column in range(len(grid.xs)) if column not in filled]
            grid = CellGrid((), grid.xs, ys).with_cells([*cells, *empty])
    return grid


def _spans(
    grid: CellGrid,
    row: int,
    runs: Sequence[HeadRun],
    words: Sequence[Word],
    strokes: Sequence[BBox],
    alone: bool,
    headed: int,
) -> list[tuple[int, int]]:
    """The first and the last column of each of ``runs``; empty if two of them share one. The first column of all is
    under no head of others, but may be under a title that stands ``alone``. ``headed`` rows of heads are
    below it."""
    extents = [_extent(grid, row, column, words) for column in range(len(grid.xs))]
    own = [_over(run.bbox, extents) for run in runs]
    lines = [_line_below(run.bbox, grid, strokes) for run in runs]
    heads = [
        _head_below(run.bbox, grid, row, columns[0], words) if headed == 1 else None
        for run, columns in zip(runs, own, strict=True)
    ]
    begun = {number for number, head in enumerate(heads) if head and is_end(plain_text(head.text))}
    begun |= {number for number, columns in enumerate(own) if columns == [0] and headed}
    if alone and len(runs) == 1 and not begun and names_rows(runs[0].bbox, runs[0].text, grid):
        return [(0, len(grid.xs) - 1)]
    others = [number for number in range(len(runs)) if number not in begun]
    if others and headed and not any(lines) and not any(others[0] < number < others[-1] for number in begun):
        height = min(word.bbox.height for word in words)
        first = max((own[number][0] for number in begun if number < others[0]), default=0)
        last = min((own[number][0] for number in begun if number > others[-1]), default=len(extents))
        groups = tiles([runs[number].bbox for number in others], extents[first:last], height)
        if groups:
            singles = [(own[number][0], own[number][0]) for number in begun]
            return sorted([*singles, *((first + a, first + b) for a, b in groups)])
    if any(not columns for columns in own):
        return []
    spans = []
    shared = _under_one_line([run.bbox for run in runs], lines, extents)
    for number, (run, columns) in enumerate(zip(runs, own, strict=True)):
        if number in shared:
            spans.append(shared[number])
            continue
        least = 1 if columns[0] and not alone else 0
        first = max((other[-1] + 1 for other in own[:number]), default=least)
        last = min((other[0] - 1 for other in own[number + 1 :]), default=len(grid.xs) - 1)
        if first > columns[0] or last < columns[-1]:
            return []
        line = lines[number]
        if line is not None:
            under = [n for n in range(first, last + 1) if line.x0 <= (extents[n].x0 + extents[n].x1) / 2 <= line.x1]
            if under:
                columns = [min(columns[0], under[0]), max(columns[-1], under[-1])]
                spans.append((columns[0], columns[-1]))
                continue
        if number in begun:
            spans.append((columns[0], columns[0]))
            continue
        wide = next((span for span in _wide_cells(grid, row) if span[0] <= columns[0] and columns[-1] <= span[1]), None)
        if wide is not None and first <= wide[0] and wide[1] <= last:
            spans.append(wide)
            continue
        spans.append(_centred(run.bbox, columns, first, last, extents))
    if not any(
        head is not None and head.column and _stands_over(run.bbox, grid.box(head), words)
        for run, head in zip(runs, heads, strict=True)
    ):
        spans = _in_shares(spans, len(grid.xs))
    return spans if all(a[1] < b[0] for a, b in pairwise(spans)) else []


def _under_one_line(
    runs: Sequence[BBox], lines: Sequence[BBox | None], extents: Sequence[BBox]
) -> dict[int, tuple[int, int]]:
    """The first and the last column of each of ``runs`` whose line below goes on below others: it shows which columns
    are below them together, and their middles show whose each one is."""
    spans: dict[int, tuple[int, int]] = {}
    for line in dict.fromkeys(line for line in lines if line is not None):
        own = [number for number, other in enumerate(lines) if other == line]
        under = [n for n, one in enumerate(extents) if line.x0 <= one.center_x <= line.x1]
        parts = shares([runs[number] for number in own], [extents[n] for n in under]) if len(own) > 1 else []
        spans.update({number: (under[a], under[b]) for number, (a, b) in zip(own, parts, strict=False)})
    return spans


def _head_below(run: BBox, grid: CellGrid, row: int, column: int, words: Sequence[Word]) -> PlacedCell | None:
    """The head of one ``column`` right below ``run``, if this stands over its middle; the first column's wherever it
    stands."""
    for cell in grid.row(row + 1):
        if cell.column == column and cell.columns == 1 and (box := words_box(grid.box(cell), words)) is not None:
            return cell if column == 0 or abs(box.center_x - run.center_x) <= ALIGNED * run.height else None
    return None


def _stands_over(run: BBox, head: BBox, words: Sequence[Word]) -> bool:
    """Whether ``run`` stands over the middle of ``head``, and not at its left."""
    box = words_box(head, words)
    return box is not None and abs(box.x0 - run.x0) > ALIGNED * run.height


def _in_shares(spans: list[tuple[int, int]], columns: int) -> list[tuple[int, int]]:
    """Heads at the left of equal shares of the ``columns`` after the first one are over these."""
    share, rest = divmod(columns - 1, max(len(spans), 1))
    firsts = [first for first, _ in spans]
    if len(spans) < 2 or rest or share < 2 or firsts != list(range(1, columns, share)):
        return spans
    return [(first, first + share - 1) for first in firsts]


def _wide_cells(grid: CellGrid, row: int) -> list[tuple[int, int]]:
    """The first and last columns of cells of ``row`` that have several."""
    return [(cell.column, cell.column + cell.columns - 1) for cell in grid.row(row) if cell.columns > 1 and cell.text]


def _centred(run: BBox, columns: Sequence[int], first: int, last: int, extents: Sequence[BBox]) -> tuple[int, int]:
    """The columns, between ``first`` and ``last``, over whose middle ``run`` stands; ``columns`` are among them."""
    choices = [
        (abs((extents[a].x0 + extents[b].x1) / 2 - run.center_x), b - a, a, b)
        for a in range(first, columns[0] + 1)
        for b in range(columns[-1], last + 1)
    ]
    own = next(choice for choice in choices if choice[2:] == (columns[0], columns[-1]))
    wide = [choice for choice in choices if choice[0] <= CENTRED * run.height]
    best = min(wide, key=lambda choice: choice[1:2]) if wide else own
    return (columns[0], columns[-1]) if own[0] < OFF * run.height else (best[2], best[3])


def _extent(grid: CellGrid, row: int, column: int, words: Sequence[Word]) -> BBox:
    """Where the words of a column below ``row`` (above the last one) stand; all of the column without words."""
    spanned = {r for cell in grid.cells if cell.columns > 1 for r in range(cell.row, cell.row + cell.rows)}
    spanned |= {r for r in range(len(grid.ys)) if _is_title(grid.row(r))}
    boxes = [
        BBox(grid.xs[column][0], y0, grid.xs[column][1], y1)
        for number, (y0, y1) in enumerate(grid.ys)
        if number not in spanned and (number > row if row < len(grid.ys) - 1 else number < row)
    ]
    inside = [
        word.bbox for word in words if word.text.strip(LEADER) and any(box.has_center_of(word.bbox) for box in boxes)
    ]
    return (
        BBox.union(inside) if inside else BBox(grid.xs[column][0], grid.ys[row][1], grid.xs[column][1], grid.ys[-1][1])
    )


def _over(run: BBox, extents: Sequence[BBox]) -> list[int]:
    """The columns that ``run`` stands over, or the nearest one."""
    over = [number for number, one in enumerate(extents) if run.shared_width(one) > 0.3 * min(run.width, one.width)]
    if over:
        return list(range(over[0], over[-1] + 1))
    return [min(range(len(extents)), key=lambda number: -run.shared_width(extents[number]))]


def _line_below(run: BBox, grid: CellGrid, strokes: Sequence[BBox]) -> BBox | None:
    """The nearest of ``strokes`` right below ``run`` that does not go over the whole table."""
    width = PARTIAL * (grid.xs[-1][1] - grid.xs[0][0])
    near = [
        stroke
        for stroke in strokes
        if run.center_y < stroke.center_y < run.y1 + BELOW * run.height
        and stroke.x0 <= run.center_x <= stroke.x1
        and run.width < 1.1 * stroke.width < 1.1 * width
    ]
    return min(near, key=lambda stroke: stroke.center_y, default=None)

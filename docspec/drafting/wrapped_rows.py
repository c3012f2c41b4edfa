"""Lines of one cell that a layout model took for rows of their own."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from docspec.core import BBox
from docspec.drafting.cell_grid import CellGrid, PlacedCell, close_words, joined, plain_text, words_box
from docspec.drafting.drawn_grids import Word
from docspec.drafting.figure_columns import is_figure, is_of_body

CLOSE = 1.7
"""Most heights of a word from one line of a cell to the next one."""

ALIGNED = 0.3
"""Heights of a word by which lines of one head may be out of line."""

_GOES_ON = re.compile(
    r"(?:[,;/(–-]|\b(?:a|an|and|as|at|by|for|from|in|incl\.|including|of|on|or|other|per|than|the|to|with))$"
)
_UNIT = re.compile(r"[(\[].*[)\]]")
_LOWER = re.compile(r"[(\"'“‘]?[a-zà-ÿ]{2}")


def with_whole_rows(grid: CellGrid, words: Sequence[Word], body: int) -> CellGrid:
    """``grid``, in which rows from ``body`` on that go on in the next one are one with it."""
    row = body + 1
    while 0 < row < len(grid.ys):
        if _are_one(grid, row, words):
            grid = _joined(grid, row)
        else:
            row += 1
    return grid


def with_whole_labels(grid: CellGrid, words: Sequence[Word]) -> CellGrid:
    """``grid``, in which a label that reaches over the next columns, where its row has nothing else, is one cell."""
    for row in range(max(grid.head_rows, 1), len(grid.ys)):
        cells = grid.row(row)
        filled = [cell for cell in cells if cell.text]
        first = list(range(len(filled))) == [cell.column for cell in filled]
        if not first or not 1 < len(filled) < len(grid.xs) or any(cell.rows > 1 or cell.columns > 1 for cell in cells):
            continue
        inside = [word for cell in filled for word in grid.words_in(cell, words)]
        level = all(word.bbox.in_row_with(inside[0].bbox) for word in inside)
        label = joined(*(cell.text for cell in filled))
        if level and len(close_words(inside)) == 1 and not any(is_of_body(plain_text(cell.text)) for cell in filled):
            texts = {filled[0]: label, **dict.fromkeys(filled[1:], "")}
            grid = grid.with_cells(replace(cell, text=texts.get(cell, cell.text)) for cell in grid.cells)
    return grid


def with_whole_heads(grid: CellGrid, words: Sequence[Word], strokes: Sequence[BBox], body: int) -> CellGrid:
    """``grid``, in which rows of heads are one: one that holds nothing but units or the ends of the heads above it, or
    the end of each of these, and heads that stand close below those above with no stroke between. Heads that repeat
    have others above them, unless each has one. Beside a head over several columns, two lines of a head are one."""
    for row in range(1, body):
        grid = _with_heads_beside_spans(grid, row, words, strokes)
    for row in reversed(range(1, body)):
        if (whole := _with_whole_spans(grid, row, words, strokes)) is not None:
            grid = whole
            continue
        upper, lower = ({cell.column: cell for cell in grid.row(number) if cell.text} for number in (row - 1, row))
        if not lower or _spans(grid, row):
            continue
        texts = [plain_text(cell.text) for cell in lower.values()]
        ends = {column for column, text in zip(lower, texts, strict=True) if is_end(text)}
        all_end = ends == set(lower) <= set(upper) and len(lower) >= len(upper) - 1
        if all_end or (upper and set(upper) <= ends and _stand_close(grid, row, words)):
            grid = _joined(grid, row)
        elif (
            len(upper) > 1
            and set(upper) <= set(lower)
            and (len(set(texts)) == len(texts) or set(lower) <= {0, *upper})
            and 2 * sum(map(is_of_body, texts)) < len(texts)
            and _stand_close(grid, row, words)
        ):
            pairs = [[words_box(grid.box(cells[column]), words) for cells in (upper, lower)] for column in upper]
            if all(a and b and _are_aligned(a, b) and not _parted(a, b, strokes) for a, b in pairs):
                grid = _joined(grid, row)
    return grid


def _with_whole_spans(grid: CellGrid, row: int, words: Sequence[Word], strokes: Sequence[BBox]) -> CellGrid | None:
    """``grid`` with the heads of ``row`` as the ends of those above them, which are over the same columns, some over
    several; ``None`` where they are heads of their own."""
    rows = [grid.row(row - 1), grid.row(row)]
    upper, lower = ({(cell.column, cell.columns): cell for cell in cells if cell.text} for cells in rows)
    wide = any(columns > 1 for _, columns in upper)
    spanned = any(cell.rows > 1 and cell.row <= row < cell.row + cell.rows + 1 for cell in grid.cells)
    texts = {plain_text(cell.text) for cell in lower.values()}
    if not wide or spanned or not set(upper) <= set(lower) or len(texts) < len(lower):
        return None
    pairs = [[words_box(grid.box(cells[place]), words) for cells in (upper, lower)] for place in upper]
    close = all(a and b and _are_aligned(a, b) and not _parted(a, b, strokes) for a, b in pairs)
    if not close or not _stand_close(grid, row, words):
        return None
    cells = [
        replace(cell, row=row - 1, text=joined(upper[place].text, cell.text) if place in upper else cell.text)
        for cell in grid.row(row)
        for place in [(cell.column, cell.columns)]
    ]
    whole = grid.with_cells([*(cell for cell in grid.cells if cell.row not in (row - 1, row)), *cells])
    ys = [*grid.ys[: row - 1], (grid.ys[row - 1][0], grid.ys[row][1]), *grid.ys[row + 1 :]]
    return replace(whole.without_rows({row}), ys=tuple(ys))


def _with_heads_beside_spans(grid: CellGrid, row: int, words: Sequence[Word], strokes: Sequence[BBox]) -> CellGrid:
    """``grid``, in which heads of one column that end in ``row``, and begin beside a head over several columns in the
    row above, are whole."""
    upper = {cell.column: cell for cell in grid.row(row - 1) if cell.text}
    if not any(cell.columns > 1 for cell in upper.values()):
        return grid
    texts = Counter(cell.text for cell in grid.row(row))
    whole: dict[PlacedCell, str] = {}
    for cell in grid.row(row):
        above = upper.get(cell.column)
        if not cell.text or above is None or texts[cell.text] > 1 or (cell.rows, cell.columns) != (1, 1):
            continue
        if (above.rows, above.columns) == (1, 1):
            a, b = words_box(grid.box(above), words), words_box(grid.box(cell), words)
            if a and b and _are_aligned(a, b) and not _parted(a, b, strokes) and _follow(above, cell, grid, words):
                whole |= {above: "", cell: joined(above.text, cell.text)}
    return grid.with_cells(replace(cell, text=whole.get(cell, cell.text)) for cell in grid.cells) if whole else grid


def _follow(above: PlacedCell, below: PlacedCell, grid: CellGrid, words: Sequence[Word]) -> bool:
    """Whether the last line of a cell and the first one of the cell below it are as close as lines of one cell."""
    lasts, firsts = ([word.bbox for word in grid.words_in(cell, words)] for cell in (above, below))
    gap = min(box.center_y for box in firsts) - max(box.center_y for box in lasts)
    return gap <= CLOSE * min(box.height for box in firsts)


def is_end(text: str) -> bool:
    """Whether a line of a head is the end of the line above it: a unit, or words within a sentence."""
    return _UNIT.fullmatch(text) is not None or begins_within(text)


def _are_aligned(a: BBox, b: BBox) -> bool:
    """Whether two lines of a head begin, end or have their middles below each other."""
    apart = abs(a.x0 - b.x0), abs(a.x1 - b.x1), abs(a.center_x - b.center_x)
    return min(apart) <= ALIGNED * min(a.height, b.height)


def _parted(a: BBox, b: BBox, strokes: Sequence[BBox]) -> bool:
    """Whether one of ``strokes`` is between ``a`` and ``b``, which stands below."""
    return any(a.center_y < stroke.center_y < b.center_y and stroke.shared_width(a) > 0 for stroke in strokes)


def _are_one(grid: CellGrid, row: int, words: Sequence[Word]) -> bool:
    """Whether the rows ``row - 1`` and ``row`` are one: a label alone goes on in the next row, or a row holds nothing
    but the rest of labels and words above it."""
    upper, lower = ([cell for cell in grid.row(number) if cell.text] for number in (row - 1, row))
    if not upper or not lower or _spans(grid, row):
        return False
    above, below = ({cell.column: plain_text(cell.text) for cell in cells} for cells in (upper, lower))
    if not _stand_close(grid, row, words):
        return False
    if list(above) == [0] and 0 in below and len(below) > 1:
        return goes_on(above[0], below[0])
    shared = above.keys() & below.keys()
    if shared and len(above) < len(grid.xs) and below.keys() - above.keys():  # labels and figures beside either line
        return all(" " in above[n] and begins_within(below[n]) and not is_figure(above[n]) for n in shared)
    rest = all(
        column in above and not is_figure(text) and not is_figure(above[column]) for column, text in below.items()
    )
    return rest and len(below) < len(above) and all(goes_on(above[column], text) for column, text in below.items())


def _spans(grid: CellGrid, row: int) -> bool:
    """Whether a cell in the rows ``row - 1`` and ``row`` spans several rows or columns, also an empty one."""
    return any(
        (cell.rows > 1 or cell.columns > 1) and cell.row <= row < cell.row + cell.rows + 1 for cell in grid.cells
    )


def begins_within(text: str) -> bool:
    """Whether ``text`` begins within a sentence."""
    return _LOWER.match(text) is not None


def goes_on(first: str, second: str) -> bool:
    """Whether ``second`` is the rest of ``first``, a line of the same cell."""
    return not first.endswith(":") and not second.endswith(":") and bool(_LOWER.match(second) or _GOES_ON.search(first))


def _stand_close(grid: CellGrid, row: int, words: Sequence[Word]) -> bool:
    """Whether the last line of the row above ``row`` and its first line are as close as lines of one cell."""
    rows = [
        [word.bbox for word in words if BBox(grid.xs[0][0], *y0, grid.xs[-1][1], *y1).has_center_of(word.bbox)]
        for y0, y1 in (((grid.ys[number][0],), (grid.ys[number][1],)) for number in (row - 1, row))
    ]
    if not all(rows):
        return False
    last, first = max(box.center_y for box in rows[0]), min(box.center_y for box in rows[1])
    return first - last <= CLOSE * min(box.height for box in rows[1])


def _joined(grid: CellGrid, row: int) -> CellGrid:
    """``grid`` with ``row`` as a part of the row above it."""
    below = {cell.column: cell for cell in grid.row(row)}
    cells = []
    for cell in grid.cells:
        if cell.row == row:
            continue
        if cell.row == row - 1 and cell.column in below:
            cell = replace(cell, text=joined(cell.text, below.pop(cell.column).text))
        cells.append(cell)
    whole = grid.with_cells([*cells, *(replace(cell, row=row - 1) for cell in below.values() if cell.text)])
    shorter = whole.without_rows({row})
    ys = list(shorter.ys)
    ys[row - 1] = (grid.ys[row - 1][0], grid.ys[row][1])
    return replace(shorter, ys=tuple(ys))

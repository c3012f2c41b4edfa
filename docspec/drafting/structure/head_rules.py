"""Heads that the page shows where the network does not see them: over several columns, one with a rule right below it
that runs over them is the head of just these, and belongs to the table even where the network takes it for text; one
that lies over two heads of the next line is that of both; and a first row that is set otherwise than all below it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.core.geometry import runs_of
from docspec.drafting.structure.enclosed import gap
from docspec.drafting.structure.grid import Cell, Grid, columns_of
from docspec.drafting.structure.tokens import Floats, PageTokens, Token, rows_of

UNDER = 0.9
"""Most distance of a rule from the bottom of its head, in sizes of the type."""

WIDEST = 0.9
"""Most width of a rule under a head, as a share of the table's."""

CENTRED, OFF = 0.06, 0.6
"""Most distance of a head from the middle of its rule, as a share of the rule's length and in sizes of the type: what
stands elsewhere over one is the entry of a frame."""

MOST = 300
"""Most rules within the width of a table: with more, it is a drawing or has a rule around each cell."""

BEYOND = 3.0
"""Most that a rule under a head reaches beyond the words of the table, in sizes of the type."""

NEAR = 1.5
"""Most distance of a rule under heads from the first row of the table below them, in sizes of the type."""

BETWEEN, LINES = 0.6, 2.0
"""Least white between two heads of one line, and most distance of the lines of a head and those below it, in sizes of
the type."""

APART = 1.0
"""Least white between two heads over one rule, in sizes of the type."""

LAP = 0.15
"""Least overlap of a head with one below it, as a share of the narrower one."""

OVER = 4.0
"""Log-odds that a head over two others is in their columns, and in no row with them."""

Piece = Sequence[int]
"""Words of a line without white between them: the numbers of their tokens."""

Look = tuple[bool, int, bool]
"""Whether a token is bold, its colour, and whether it stands on a filled ground."""

Span = tuple[float, float, float]
"""Where a rule begins and ends, and its height."""


def with_heads_set_off(tables: Sequence[Grid], page: PageTokens) -> list[Grid]:
    """``tables``, in which the first row is one of heads if it has a weight, a colour or a ground of its own in most
    columns."""
    return [
        replace(grid, head_rows=1) if grid.head_rows == 0 and _is_set_off(grid.cells, page) else grid for grid in tables
    ]


def _is_set_off(cells: Sequence[Cell], page: PageTokens) -> bool:
    heads: dict[int, set[Look]] = {}
    below: dict[int, set[Look]] = {}
    for cell in cells:
        looks = {_look_of(page.tokens[token], page) for token in cell.tokens}
        for column in range(cell.column, cell.column + cell.columns) if looks else ():
            (below if cell.row else heads).setdefault(column, set()).update(looks)
    both = heads.keys() & below.keys()
    apart = [column for column in both if not heads[column] & below[column]]
    one = {look for column in apart for look in heads[column]}
    return len(apart) > max(1, len(both) / 2) and len(one) == 1


def _look_of(token: Token, page: PageTokens) -> Look:
    x, y = (token.box[0] + token.box[2]) / 2, token.baseline - 0.3 * token.size
    fills = page.fills
    ground = (fills[:, 0] <= x) & (x <= fills[:, 2]) & (fills[:, 1] <= y) & (y <= fills[:, 3])
    return token.bold, token.colour, bool(ground.any())


def with_head_rules(tables: Sequence[Grid], page: PageTokens) -> list[Grid]:
    """``tables`` with the heads that have rules under them."""
    boxes = np.array([token.box for token in page.tokens])
    taken = np.zeros(len(page.tokens), bool)
    for grid in tables:
        taken[[token for cell in grid.cells for token in cell.tokens]] = True
    result = []
    for grid in tables:
        cells, added = _with_rules(grid.cells, taken, boxes, page)
        tokens = [token for cell in cells for token in cell.tokens]
        taken[tokens] = True
        around = BBox.union(BBox(*box) for box in (grid.box, *(page.tokens[token].box for token in tokens)))
        box = (around.x0, around.y0, around.x1, around.y1)
        ordered = tuple(sorted(cells, key=lambda cell: (cell.row, cell.column)))
        heads = added + (max(grid.head_rows, 1) if added else grid.head_rows)  # what stands under such heads are heads
        result.append(replace(grid, cells=ordered, box=box, head_rows=heads))
    return result


def _with_rules(
    cells: Sequence[Cell], taken: NDArray[np.bool_], boxes: Floats, page: PageTokens
) -> tuple[list[Cell], bool]:
    """``cells`` of a table, whose heads with rules under them span what these rules run over, with further heads over
    such rules whose words are not ``taken``: beside others, or in a row of their own above the table. Whether there is
    such a row."""
    own = np.array(sorted(token for cell in cells for token in cell.tokens))
    size = float(np.median([page.tokens[token].size for token in own]))
    left, right = boxes[own, 0].min(), boxes[own, 2].max()
    rules = [
        (start, end, y)
        for start, end, y in page.level.tolist()
        if start > left - BEYOND * size and end < right + BEYOND * size and end - start < WIDEST * (right - left)
    ]
    if not 0 < len(rules) <= MOST:
        return list(cells), False
    columns = columns_of(cells, boxes)
    result = [_spanned(cell, cells, rules, columns, boxes, size) for cell in cells]
    top, added = boxes[own, 1].min(), list[Cell]()
    for rule in rules:
        head = _head_over(rule, columns, taken, boxes, size)
        if head is None:
            continue
        level = next((cell for cell in result if _are_level(cell, head, boxes, size)), None)
        if level is not None:
            head = replace(head, row=level.row, rows=level.rows)
        elif not -0.2 * size < top - rule[2] < NEAR * size:
            continue
        row = added if level is None else result
        if not any(_share(head, one) for one in row):
            row.append(head)
    if len(added) < 2 and all(head.column == 0 for head in added):  # none, or an underlined line above the table
        return result, False
    return [*added, *(replace(cell, row=cell.row + 1) for cell in result)], True


def _are_level(one: Cell, other: Cell, boxes: Floats, size: float) -> bool:
    """Whether two cells stand in one printed line."""
    return all(abs(boxes[a, 3] - boxes[b, 3]) < 0.5 * size for a in one.tokens for b in other.tokens)


def _share(one: Cell, other: Cell) -> bool:
    """Whether two cells take the same place."""
    return (
        _share_row(one, other) and one.column < other.column + other.columns and other.column < one.column + one.columns
    )


def _run_under(rule: Span, columns: Sequence[tuple[float, float] | None]) -> tuple[int, int] | None:
    """The first of the ``columns`` whose middles a rule runs over, and how many they are; None if it runs over fewer
    than two."""
    start, end, _ = rule
    within = [at for at, one in enumerate(columns) if one is not None and start < (one[0] + one[1]) / 2 < end]
    if len(within) < 2:
        return None
    return within[0], within[-1] + 1 - within[0]


def _is_under(rule: Span, box: Floats, size: float) -> bool:
    """Whether a rule runs right below a head with this ``box``, which stands at its middle."""
    start, end, y = rule
    if not (start - size < box[0] and box[2] < end + size and -0.3 * size < y - box[3] < UNDER * size):
        return False
    return bool(abs(box[0] + box[2] - start - end) < 2 * max(CENTRED * (end - start), OFF * size))


def _spanned(
    cell: Cell,
    cells: Sequence[Cell],
    rules: Sequence[Span],
    columns: Sequence[tuple[float, float] | None],
    boxes: Floats,
    size: float,
) -> Cell:
    own = list(cell.tokens)
    box = np.array([*boxes[own, :2].min(axis=0), *boxes[own, 2:].max(axis=0)])
    below = [rule for rule in rules if _is_under(rule, box, size)]
    run = _run_under(below[0], columns) if len(below) == 1 and cell.row + cell.rows < _height(cells) else None
    if run is None or run == (cell.column, cell.columns):
        return cell
    wide = replace(cell, column=run[0], columns=run[1])
    return cell if any(one is not cell and _share(one, wide) for one in cells) else wide


def _height(cells: Sequence[Cell]) -> int:
    return max(cell.row + cell.rows for cell in cells)


def _share_row(one: Cell, other: Cell) -> bool:
    return one.row < other.row + other.rows and other.row < one.row + one.rows


def _head_over(
    rule: Span, columns: Sequence[tuple[float, float] | None], taken: NDArray[np.bool_], boxes: Floats, size: float
) -> Cell | None:
    """The cell of the words right above a ``rule``, none of them ``taken``, in the first row; None if there are none,
    or they do not stand at its middle, or are several heads."""
    run = _run_under(rule, columns)
    middle = (boxes[:, 0] + boxes[:, 2]) / 2
    over = (rule[0] < middle) & (middle < rule[1])
    under = rule[2] - boxes[:, 3]
    own = np.nonzero(over & (under > -0.3 * size) & (under < UNDER * size))[0]
    if run is None or not len(own) or taken[own].any():
        return None
    own = own[np.argsort(boxes[own, 0])]
    whole = np.array([*boxes[own, :2].min(axis=0), *boxes[own, 2:].max(axis=0)])
    several = (boxes[own[1:], 0] - boxes[own[:-1], 2] > APART * size).any()
    if several or not _is_under(rule, whole, size):
        return None
    return Cell(tuple(map(int, own)), 0, run[0], 1, run[1])


def with_heads_over_two(scores: Floats, heads: Floats, tokens: Sequence[Token]) -> Floats:
    """``scores`` (n, n, 3: row, column, cell) of the ``tokens`` of a table, in which a head that lies over two heads of
    the next line, which are apart, is no cell and in no row with either of them, and is in the columns of both.
    ``heads`` (n) are the log-odds of being a head."""

    def are_one(left: int, right: int) -> bool:
        return gap(tokens[left], tokens[right]) < BETWEEN and bool(scores[left, right, 2] > 0)

    rows = [runs_of(row, are_one) for row in rows_of(tokens)]
    result = scores.copy()
    for number, row in enumerate(rows):
        repeated = _repeated(row, rows[number + 1 :], tokens)
        for head in row:
            under = repeated.get(head[0]) or _under(head, rows[number + 1 :], tokens)
            own = [token for one in under for token in one]
            if len(under) < 2 or heads[head].mean() < 0 or heads[own].mean() < 0:
                continue
            if scores[np.ix_(under[0], under[-1])][..., 1].mean() > 0:
                continue
            for kind in (0, 2):
                result[np.ix_(head, own, [kind])] = result[np.ix_(own, head, [kind])] = -OVER
            columns = np.max([scores[one, :, 1].mean(axis=0) for one in under], axis=0)
            columns[own] = OVER
            result[head, :, 1] = np.maximum(result[head, :, 1], columns)
            result[:, head, 1] = np.maximum(result[:, head, 1], columns[:, None])
    return result


def _repeated(row: Sequence[Piece], rows: Sequence[Sequence[Piece]], tokens: Sequence[Token]) -> dict[int, list[Piece]]:
    """What stands under each head of a ``row``, by its first token, where the heads of the next line are the same under
    several of them: precision and recall of this and of that."""
    size = tokens[row[0][0]].size
    near = [one for one in rows if tokens[one[0][0]].baseline - tokens[row[0][0]].baseline < LINES * size]
    if len(row) < 2 or not near:
        return {}
    below = max(near, key=len)
    middles = [_middle(head, tokens) for head in row]
    groups: list[list[Piece]] = [[] for _ in row]
    for one in below:
        far = [abs(_middle(one, tokens) - middle) for middle in middles]
        at = int(np.argmin(far))
        apart = min(abs(middles[at] - middles[other]) for other in (at - 1, at + 1) if 0 <= other < len(row))
        if far[at] <= apart / 2:
            groups[at].append(one)
    texts = [tuple(" ".join(tokens[token].text for token in one) for one in group) for group in groups]
    return {
        head[0]: group
        for head, group, text in zip(row, groups, texts, strict=True)
        if len(group) > 1 and texts.count(text) > 1
    }


def _middle(piece: Piece, tokens: Sequence[Token]) -> float:
    return (tokens[piece[0]].box[0] + tokens[piece[-1]].box[2]) / 2


def _under(head: Piece, rows: Sequence[Sequence[Piece]], tokens: Sequence[Token]) -> list[Piece]:
    """What stands under ``head``, most of its width or of its own, in the first of the next ``rows`` that has something
    there."""
    size = tokens[head[0]].size
    start, end = _ends(head, tokens)
    for row in rows:
        if tokens[row[0][0]].baseline - tokens[head[0]].baseline > LINES * size:
            break
        spans = [_ends(one, tokens) for one in row]
        shared = [
            (min(end, right) - max(start, left)) / max(min(end - start, right - left), 0.1) for left, right in spans
        ]
        if any(share > 0 for share in shared):
            return [one for one, share in zip(row, shared, strict=True) if share > LAP]
    return []


def _ends(piece: Piece, tokens: Sequence[Token]) -> tuple[float, float]:
    return tokens[piece[0]].box[0], tokens[piece[-1]].box[2]

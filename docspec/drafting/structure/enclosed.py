"""What stands between the tokens of a table is of it: words within its box, the rest of a line, and the lines of text
that describe its rows.

The network decides word by word. An item of an invoice that is described in ten lines has more words outside of the
grid than in it, and these are the ones that it takes for running text.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from docspec.core.geometry import runs_of
from docspec.drafting.structure.grid import Cell
from docspec.drafting.structure.tokens import LEVEL, Floats, PageTokens, Token, rows_of

GAP = 1.0
"""White in a line, in sizes of its type, at which it may be cut between a table and what stands beside it."""

ENCLOSED = 0.8
"""Most tokens that are added to a table because they stand between its own, as a share of these."""

EDGE = 0.5
"""Most distance of the beginning of a line from the left edge of the column that it is a part of, in sizes of the
type."""

ALIGNED = 2 / 3
"""Least share of the lines between the rows of a table that begin where its columns do, for these to be descriptions of
its rows."""

ACROSS = 0.25
"""Least share of descriptions that are wider than their column, for lines to be no cells of the table."""

PITCH = 1.6
"""Most distance of two lines of one description, in those of the table's lines."""

SLACK, BANDS, BAND = 3.0, 2, 72.0
"""Most points between the ends of rules that part the rows of one table, least of these within it, and most points that
the end of a frame is below its words in the table."""

MOST_DIVIDED = 50
"""Most pairs of groups that are divided anew."""

Lines = list[list[int]]
"""Printed lines: the numbers of the tokens of each, from left to right."""


def uninterrupted(parts: list[NDArray[np.int64]], scores: Floats, boxes: Floats) -> list[NDArray[np.int64]]:
    """``parts`` of tokens with ``boxes`` (n, 4) of which none stands between tokens of another: two that do are divided
    anew by one level line, or are one, as their pairs' ``scores`` (n, n) add up best. Single tokens are left out."""
    parts = [part for part in parts if len(part) > 1]
    for _ in range(MOST_DIVIDED):
        crossed = _crossed(parts, boxes)
        if crossed is None:
            break
        both = np.concatenate([parts[at] for at in crossed])
        order = both[np.argsort(boxes[both][:, [1, 3]].sum(axis=1), kind="stable")]
        own = scores[np.ix_(order, order)].astype(np.float64)
        np.fill_diagonal(own, 0)
        sums = own.cumsum(axis=0).cumsum(axis=1)
        whole, upper = sums[-1, -1], sums.diagonal()
        lower = whole - sums[-1] - sums[:, -1] + upper
        middle = boxes[order][:, [1, 3]].mean(axis=1)
        level = 0.5 * (middle[1:] - boxes[order[1:], 1])
        ends_row = np.append(np.diff(middle) > level, True)  # words of one row are not parted
        at = int(np.where(ends_row, upper + lower, -np.inf).argmax())
        divided = [part for part in (order[: at + 1], order[at + 1 :]) if len(part)]
        parts = [part for number, part in enumerate(parts) if number not in crossed] + divided
    return parts


def _crossed(parts: Sequence[NDArray[np.int64]], boxes: Floats) -> tuple[int, int] | None:
    """The first two of ``parts`` that share some of their width and are neither above nor below each other."""
    if len(parts) < 2:
        return None
    around = np.array([[*boxes[own, :2].min(axis=0), *boxes[own, 2:].max(axis=0)] for own in parts])
    line = np.array([np.median(boxes[own, 3] - boxes[own, 1]) for own in parts])
    low, high = np.maximum(around[:, None, :2], around[:, :2]), np.minimum(around[:, None, 2:], around[:, 2:])
    shared, width = high - low, around[:, 2] - around[:, 0]
    cross = (shared[..., 0] > 0.5 * np.minimum(width[:, None], width)) & (
        shared[..., 1] > 0.5 * np.minimum(line[:, None], line)
    )
    found = np.argwhere(np.triu(cross, 1))
    return (int(found[0, 0]), int(found[0, 1])) if len(found) else None


def with_whole_lines(groups: Sequence[NDArray[np.int64]], page: PageTokens) -> list[NDArray[np.int64]]:
    """``groups`` of tokens in which no line is cut but at a gap: the words between two gaps go where most of them are,
    or stay out of all."""
    owner = {int(token): number for number, group in enumerate(groups) for token in group}
    lines: dict[int, list[int]] = {}
    for token, one in enumerate(page.tokens):
        lines.setdefault(one.line, []).append(token)
    whole: list[list[int]] = [[] for _ in groups]
    for line in lines.values():
        line.sort(key=lambda token: page.tokens[token].box[0])
        for words in runs_in(line, page.tokens):
            most, _ = Counter(owner.get(token, -1) for token in words).most_common(1)[0]
            if most >= 0:
                whole[most] += words
    return [np.array(sorted(group), np.int64) for group in whole if len(group) > 1]


def with_whole_boxes(groups: Sequence[NDArray[np.int64]], boxes: Floats, page: PageTokens) -> list[NDArray[np.int64]]:
    """``groups`` with what stands between their tokens: a word within the box of a table is of it, and so is one in the
    frame below its last row. If many are, they describe its rows (:func:`descriptions`), or the group is no
    table, or several."""
    center = (boxes[:, :2] + boxes[:, 2:]) / 2
    owner = np.full(len(boxes), -1)
    for number, group in enumerate(groups):
        owner[group] = number
    whole = list(groups)
    for number, group in enumerate(groups):
        if not len(whole[number]):
            continue
        around = _to_end_of_frame(np.concatenate([boxes[group, :2].min(axis=0), boxes[group, 2:].max(axis=0)]), page)
        within = np.all([*(center > around[:2]).T, *(center < around[2:]).T], axis=0)
        others = [at for at in np.unique(owner[within & (owner >= 0)]).tolist() if at != number]
        held = [at for at in others if within[whole[at]].all() and len(whole[at]) < len(group)]
        inside = np.nonzero(within & np.isin(owner, [-1, *held]))[0]
        if len(inside) <= ENCLOSED * len(group):
            for at in held:
                whole[at] = whole[at][:0]
            owner[inside] = number
            whole[number] = np.union1d(group, inside)
    return [group for group in whole if len(group)]


def _to_end_of_frame(box: Floats, page: PageTokens) -> Floats:
    """``box`` of a table down to the end of its frame, if several rules as long part its rows."""
    x0, y0, x1, y1 = box
    over = page.level[(page.level[:, 0] <= x0 + SLACK) & (page.level[:, 1] >= x1 - SLACK)]
    for start, end in np.unique(over[:, :2].round(), axis=0):
        own = over[(np.abs(over[:, :2] - (start, end)) <= SLACK).all(axis=1), 2]
        below = own[(own >= y1 - SLACK) & (own <= y1 + BAND)]
        if ((own > y0 + SLACK) & (own < y1 - SLACK)).sum() < BANDS or not len(below):
            continue
        bottom = float(below.max())
        sides = page.upright[(page.upright[:, 0] <= y1) & (page.upright[:, 1] >= bottom - SLACK), 2]
        if all(len(sides) and np.abs(sides - side).min() <= SLACK for side in (start, end)):
            return np.array([x0, y0, x1, bottom], np.float32)
    return box


def descriptions(own: NDArray[np.int64], cells: Sequence[Cell], taken: NDArray[np.bool_], page: PageTokens) -> Lines:
    """The lines of text that describe the rows of a table of the tokens ``own`` with the ``cells``: those between its
    rows, with what the rows lack themselves, if most of them begin where its columns do, and what goes on from them
    below its last row. None of them is ``taken``."""
    tokens = page.tokens
    boxes = np.array([token.box for token in tokens])
    (x0, top), (x1, end) = boxes[own, :2].min(axis=0), boxes[own, 2:].max(axis=0)
    size = float(np.median([tokens[token].size for token in own]))
    middle = boxes.reshape(-1, 2, 2).mean(axis=1)
    rows = rows_among(np.nonzero(~taken & (middle[:, 1] > top))[0], tokens)
    within = (middle[:, 0] > x0) & (middle[:, 0] < x1)
    whole = (boxes[:, 0] > x0 - size) & (boxes[:, 2] < x1 + size)
    lines = []
    for row in rows:
        line = [token for run in runs_in(row, tokens) if within[run].any() for token in run]
        if line and whole[line].all():
            lines.append(line)
    inside = [line for line in lines if middle[line[0], 1] < end]
    edges = np.array(_edges(cells, boxes))
    below = [line for line in inside if np.abs(middle[own, 1] - middle[line[0], 1]).min() > LEVEL * size]
    starts = [np.abs(edges - boxes[line[0], 0]).min() < EDGE * size for line in below]
    if not below or np.mean(starts) < ALIGNED:
        return []
    heights = [float(middle[row[0], 1]) for row in rows_among(np.concatenate([own, *inside]), tokens)]
    pitch = float(np.median(np.diff(heights)))
    last = max(heights)
    for line in lines[len(inside) :]:
        if middle[line[0], 1] - last > PITCH * pitch:
            break
        inside.append(line)
        last = float(middle[line[0], 1])
    return inside


def cross_columns(lines: Lines, cells: Sequence[Cell], boxes: Floats) -> bool:
    """Whether some of the ``lines``, at least :data:`ACROSS` of them, run below what stands in the column beside
    theirs."""
    edges = np.array(_edges(cells, boxes))
    spans = [(boxes[line, 0].min(), boxes[line, 2].max()) for line in lines]
    across = [bool(((edges > start + 1) & (edges < end)).any()) for start, end in spans]
    return bool(np.mean(across) >= ACROSS)


def with_descriptions(cells: Sequence[Cell], lines: Lines, heads: int, page: PageTokens) -> list[Cell]:
    """``cells``, of which the first ``heads`` rows are heads, with ``lines`` of text between and below their rows. Each
    goes on in the cells above it, column by column; one across columns that begins in the first one, or below the
    heads, is a row of its own."""
    boxes = np.array([token.box for token in page.tokens])
    result = list(cells)
    edges = _edges(cells, boxes)
    middles = [
        np.mean([boxes[token, [1, 3]].mean() for cell in cells if cell.row == row for token in cell.tokens] or [np.inf])
        for row in range(max(cell.row + cell.rows for cell in cells))
    ]
    width = max(cell.column + cell.columns for cell in cells)
    added = 0
    for line in lines:
        size = page.tokens[line[0]].size
        above = max(0, sum(middle < boxes[line[0], [1, 3]].mean() + LEVEL * size for middle in middles) - 1)
        row = above + added
        parts: dict[int, list[int]] = {}
        for run in runs_in(line, page.tokens):
            at = max(0, sum(edge <= boxes[run[0], 0] + EDGE * size for edge in edges) - 1)
            parts.setdefault(at, []).extend(run)
        across = 0 in parts and width > 1 and boxes[parts[0][-1], 2] > edges[1]
        if across or above < heads:
            first = min(parts)
            result = [
                replace(cell, row=cell.row + 1)
                if cell.row > row
                else replace(cell, rows=cell.rows + 1)
                if cell.row + cell.rows > row + 1
                else cell
                for cell in result
            ]
            result.append(Cell(tuple(line), row + 1, first, 1, width - first))
            added += 1
            continue
        for column, run in parts.items():
            at = next((n for n, cell in enumerate(result) if _covers(cell, row, column)), None)
            if at is None:
                result.append(Cell(tuple(run), row, column))
            else:
                result[at] = replace(result[at], tokens=(*result[at].tokens, *run))
    return sorted(result, key=lambda cell: (cell.row, cell.column))


def _covers(cell: Cell, row: int, column: int) -> bool:
    return cell.row <= row < cell.row + cell.rows and cell.column <= column < cell.column + cell.columns


def _edges(cells: Sequence[Cell], boxes: Floats) -> list[float]:
    """The left edge of each column, from the cells that are in it alone; never left of the one before it."""
    edges = [-np.inf]
    for column in range(max(cell.column + cell.columns for cell in cells)):
        own = [cell for cell in cells if cell.column == column and cell.columns == 1]
        left = min((boxes[token, 0] for cell in own for token in cell.tokens), default=edges[-1])
        edges.append(max(edges[-1], left))
    return [float(edge) for edge in edges[1:]]


def rows_among(own: NDArray[np.int64], tokens: Sequence[Token]) -> list[list[int]]:
    """The printed lines of the tokens ``own``."""
    return [[int(own[at]) for at in row] for row in rows_of([tokens[token] for token in own])]


def runs_in(line: Sequence[int], tokens: Sequence[Token]) -> list[list[int]]:
    """The words of a ``line`` between two gaps."""
    return [list(run) for run in runs_of(line, lambda a, b: gap(tokens[a], tokens[b]) < GAP)]


def gap(left: Token, right: Token) -> float:
    """The white between two words of a line, in sizes of their type."""
    return (right.box[0] - left.box[2]) / max(left.size, right.size, 1.0)

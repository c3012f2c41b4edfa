"""The tables of a page: its tokens, their relations, and for each group of tokens of one table the search for its
grid."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docspec.core import BBox
from docspec.drafting.structure.clusters import LIMIT, clusters
from docspec.drafting.structure.cuts import with_whole_words
from docspec.drafting.structure.enclosed import (
    cross_columns,
    descriptions,
    rows_among,
    runs_in,
    uninterrupted,
    with_descriptions,
    with_whole_boxes,
    with_whole_lines,
)
from docspec.drafting.structure.features import features_of
from docspec.drafting.structure.going_on import goes_on
from docspec.drafting.structure.grid import Cell, Grid, agreed, grid_of, without_empty
from docspec.drafting.structure.head_rules import with_head_rules, with_heads_over_two, with_heads_set_off
from docspec.drafting.structure.lattice import with_lattices
from docspec.drafting.structure.panels import Parting, partings_of
from docspec.drafting.structure.plain import plain_grids
from docspec.drafting.structure.relations import Relations
from docspec.drafting.structure.tokens import BOXES, LAYOUT, Box, Floats, PageTokens, Token, in_boxes, rows_of

DOUBTFUL = -3.0
"""Log-odds of a token to be in a table above which its neighbours may speak for it."""

MOST_TOKENS = 2000
"""Most tokens of a page on which tables are looked for: time and memory grow with their square."""

MOSTLY = 0.5
"""Least share of a side of a table that a rule of its frame runs along."""

DEPICTED, DEPICTED_SURE, DEPICTED_FILLED = 0.5, 0.98, 0.8
"""Share of the words of a supposed table in pictures of the layout model from which it is a chart or a diagram, unless
the network is so sure and so much of the grid is filled (labels of charts: 0.97 and 0.7). The made pages have none yet:
with them among what is taught this can go."""

RULED = 0.8
"""Least share of the words of a table in closed cells whose cells are closed by rules."""

GIVEN_UP = 0.92
"""Certainty below which a table that the layout model calls text is text."""
GIVEN_UP_RECOGNISED = 0.97
"""The same on recognised pages, whose words are placed by their letters: none of the made pages is recognised yet."""

GIVEN_UP_TYPEWRITTEN = 0.9
"""The same in letters of one width, whoever calls it what: a listing keeps its columns. On 108 made typewritten tables
no right one is below."""

JOINED, NEAR = 0.9, 2.0
"""Least certainty of a table of two groups of which one is none by itself, and most white between these, in heights of
a line."""

SURE, SURER = 0.97, 0.03
"""Certainty up to which a table is tried without its lines of text, and how much surer it must be so."""

PLAIN = 0.9
"""What is said of the certainty of a table that white space alone divides."""

PARTED, OUTSIDE = 5.0, 2.0
"""Log-odds against two tokens being of one table that are in two tables of the layout model, or one of them outside of
its table and in another box."""

SPARSE, SPARSE_RULED = 0.4, 0.25
"""Least share of a grid's places with words, and the same where rules close the cells: the labels of heat maps and the
scales of charts are spread over their whole area. Tables of ICDAR EU and pdf-parse-bench have 0.5 at least, all but one
of 1,480 made ones 0.46."""

BULLETS, BEHIND = "•▪●◦‣➢►", 2.5
"""Signs that begin items, and most white behind one, in sizes of the type: a sign in a column of its own is farther
from the next."""

DECIMAL, BELOW = re.compile(r"[-+−–]?[€$£]?\d[\d.,' ]*[.,]\d+%?"), 2.0
"""A decimal figure, and the log-odds against two right below each other being of one row where no rules close cells."""

LEAST_ROWS = 3
"""Least rows of a table of one column."""

LEAST_HEADS = 3
"""Least cells of the one row of several in a table whose cells are closed by rules."""


@dataclass(frozen=True, slots=True)
class Structure:
    """The tokens of a page in one direction, the tables among them, from top to bottom, and the log-odds that each two
    are of one block of text (n, n; none on a page of too many tokens)."""

    page: PageTokens
    tables: tuple[Grid, ...] = ()
    together: Floats | None = None


def structure_of(page: PageTokens, relations: Relations) -> Structure:
    """What the network sees on ``page``."""
    if not 2 <= len(page.tokens) <= MOST_TOKENS:
        return Structure(page)
    features = features_of(page)
    pairs, states, lattice = with_lattices(page, *relations.of(features))
    partings = partings_of(page)
    for left, right in partings:
        apart = (left[:, None] & right) | (right[:, None] & left)
        pairs[apart] = np.minimum(pairs[apart], -LIMIT)
    return Structure(page, tuple(_tables(page, pairs, states, lattice, partings)), pairs[..., 4])


def tables_of(page: PageTokens, relations: Relations) -> list[Grid]:
    """The tables of ``page``, from top to bottom."""
    return list(structure_of(page, relations).tables)


def _tables(
    page: PageTokens, pairs: Floats, states: Floats, lattice: NDArray[np.int64], partings: Sequence[Parting]
) -> list[Grid]:
    boxes = np.array([token.box for token in page.tokens], np.float32)
    inside = np.nonzero(states[:, 0] > DOUBTFUL)[0]
    if len(inside) < 2:
        return _plain_tables(page, (), states, partings)
    table = np.clip((pairs[..., 0] - _parted(page))[np.ix_(inside, inside)], -LIMIT, LIMIT)
    parts = uninterrupted([np.array(group) for group in clusters(table)], table, boxes[inside])
    groups = [inside[own] for own in parts]
    groups = [own for own in groups if states[own, 0].mean() > 0]
    groups = with_whole_lines(with_whole_boxes(groups, boxes, page), page)
    depicted, textual = in_boxes(page, "picture"), in_boxes(page, "text") & (lattice < 0)
    search = _Search(page, boxes, pairs, states, lattice, depicted, textual)
    found = [search.table_of(own) for own in groups]
    tables = [grid for _, grid in _with_rows_joined(found, search) if grid is not None]
    every = with_head_rules(_described([*tables, *_plain_tables(page, tables, states, partings)], page), page)
    return [grid for grid in with_heads_set_off(every, page) if not _is_of_answers(grid, page)]


def _is_of_answers(grid: Grid, page: PageTokens) -> bool:
    """Whether each cell of ``grid`` is a box to tick with its answer: the questions stand beside them."""
    return all(page.tokens[cell.tokens[0]].text.startswith(BOXES) for cell in grid.cells if cell.tokens)


def _plain_tables(page: PageTokens, tables: Sequence[Grid], states: Floats, partings: Sequence[Parting]) -> list[Grid]:
    """Further tables of ``page``, which the layout model calls so and white space divides. Whether they are ones is in
    doubt."""
    taken = [token for grid in tables for cell in grid.cells for token in cell.tokens]
    found = []
    for cells in plain_grids(page, taken):
        own = [token for cell in cells for token in cell.tokens]
        if any(left[own].any() and right[own].any() for left, right in partings):
            continue
        around = BBox.union(BBox(*page.tokens[token].box) for cell in cells for token in cell.tokens)
        box = (around.x0, around.y0, around.x1, around.y1)
        found.append(Grid(tuple(cells), _heads(cells, states[:, 1]), box, PLAIN))
    return found


def _with_rows_joined(
    found: Sequence[tuple[NDArray[np.int64], Grid | None]], search: _Search
) -> list[tuple[NDArray[np.int64], Grid | None]]:
    """What was ``found`` among groups of tokens, in which a group that is no table by itself is one with the group
    below or above it, if both together are a sure one: heads above a single row."""
    result = sorted(found, key=lambda one: float(search.boxes[one[0], 1].min()))
    at = 0
    while at < len(result) - 1:
        (above, first), (below, second) = result[at : at + 2]
        alone = first is None or second is None
        is_rest = first is not None and second is not None and goes_on(first, second, search.page)
        if _are_near(search.boxes[above], search.boxes[below]) and (alone or is_rest):
            both = np.union1d(above, below)
            grid = search.grid_among(both)
            least = max([JOINED, *(one.certainty for one in (first, second) if one and alone)])
            if grid is not None and grid.certainty >= least:
                result[at : at + 2] = [(both, grid)]
                continue
        at += 1
    return result


def _are_near(above: Floats, below: Floats) -> bool:
    """Whether the tokens of two groups stand below each other, a few lines apart at most."""
    line = float(np.median(above[:, 3] - above[:, 1]))
    white = float(below[:, 1].min() - above[:, 3].max())
    shared = min(above[:, 2].max(), below[:, 2].max()) - max(above[:, 0].min(), below[:, 0].min())
    return -line < white < NEAR * line and bool(shared > 0)


@dataclass(frozen=True, slots=True)
class _Search:
    """The search for the grids of a page with what the network says of its tokens, and the layout model: which are in
    pictures, and which in text outside of drawn lattices."""

    page: PageTokens
    boxes: Floats
    pairs: Floats
    states: Floats
    lattice: NDArray[np.int64]
    depicted: NDArray[np.bool_]
    textual: NDArray[np.bool_]

    def table_of(self, own: NDArray[np.int64]) -> tuple[NDArray[np.int64], Grid | None]:
        """The tokens of a table among ``own``, and the table: of all of them, or, where that is in doubt, of the lines
        with white in them, if that is surer and the others, some of which run across columns, describe its rows."""
        grid = self.grid_among(own)
        sure = grid.certainty if grid is not None else 0.0
        if sure >= SURE:
            return own, grid
        rows = rows_among(own, self.page.tokens)
        core = [token for row in rows if len(runs_in(row, self.page.tokens)) > 1 for token in row]
        if not 2 <= len(core) < len(own):
            return own, grid
        apart = np.array(sorted(core), np.int64)
        other = self.grid_among(apart)
        if other is None or other.certainty < max(JOINED, sure + SURER):
            return own, grid
        taken = np.ones(len(self.boxes), bool)
        taken[np.setdiff1d(own, apart)] = False
        lines = descriptions(apart, other.cells, taken, self.page)
        if sum(map(len, lines)) < len(own) - len(apart) or not cross_columns(lines, other.cells, self.boxes):
            return own, grid
        return apart, other

    def grid_among(self, own: NDArray[np.int64]) -> Grid | None:
        """The table that the tokens ``own`` are; None if they are none. The bullet of an item stands in the cell of the
        word behind it, and is no word of a column."""
        marked = bullets_among(own, self.page.tokens)
        rest = own[~np.isin(own, list(marked.values()))] if marked else own
        grid = self._grid_among(rest) if len(rest) > 1 else None
        if grid is None or not marked:
            return grid
        cells = tuple(
            replace(cell, tokens=tuple(at for word in cell.tokens for at in (marked.get(word), word) if at is not None))
            for cell in grid.cells
        )
        around = BBox.union(BBox(*box) for box in (grid.box, *self.boxes[list(marked.values())].tolist()))
        return replace(grid, cells=cells, box=(around.x0, around.y0, around.x1, around.y1))

    def _grid_among(self, own: NDArray[np.int64]) -> Grid | None:
        page, boxes, lattice = self.page, self.boxes, self.lattice
        scores = self.pairs[np.ix_(own, own)]
        tokens = [page.tokens[token] for token in own]
        scores[..., 1:4] = agreed(scores[..., 1:4], rows_of(tokens))
        scores[..., 1:4] = with_heads_over_two(scores[..., 1:4], self.states[own, 1], tokens)
        below = figures_below(tokens) & (lattice[own] < 0)[:, None]
        scores[below, 1] = np.minimum(scores[below, 1], -BELOW)
        scores[below, 3] = np.minimum(scores[below, 3], -BELOW)
        cells = clusters(np.clip(scores[..., 1:4].min(axis=-1), -LIMIT, LIMIT))  # of one row and one column
        grid = grid_of(scores[..., 1:4], boxes[own], with_whole_words(cells, tokens))
        ruled = bool(np.mean(lattice[own] >= 0) > RULED)
        if not (_has_rows(grid, ruled) or _is_ruled_column(grid, own, page)):
            return None
        if _filled(grid) < (SPARSE_RULED if ruled else SPARSE):
            return None
        grid = [
            Cell(tuple(int(own[token]) for token in cell.tokens), cell.row, cell.column, cell.rows, cell.columns)
            for cell in grid
        ]
        if ruled:
            grid = without_empty(_without_titles(grid, lattice))
            if not _has_rows(grid, ruled) and len({cell.column for cell in grid}) > 1:
                return None
            whole, own = own, np.array(sorted(token for cell in grid for token in cell.tokens), np.int64)
            left = np.searchsorted(whole, own)
            scores = scores[np.ix_(left, left)]
        sure = _certainty(grid, own, scores)
        if self._is_given_up(own, grid, ruled, sure):
            return None
        x0, y0 = boxes[own, :2].min(axis=0)
        x1, y1 = boxes[own, 2:].max(axis=0)
        size = float(np.median([page.tokens[token].size for token in own]))
        box = _framed((float(x0), float(y0), float(x1), float(y1)), page, size)
        return Grid(tuple(grid), _heads(grid, self.states[:, 1]), box, sure, ruled)

    def _is_given_up(self, own: NDArray[np.int64], grid: Sequence[Cell], ruled: bool, sure: float) -> bool:
        """Whether what the layout model says of the tokens ``own``, or their type, outweighs the grid."""
        page = self.page
        depicted = self.depicted[own].mean() >= DEPICTED and not ruled
        if depicted and (sure < DEPICTED_SURE or _filled(grid) < DEPICTED_FILLED):
            return True
        even = sum(page.tokens[token].even for token in own) > 0.5 * len(own)
        least = GIVEN_UP_RECOGNISED if page.recognised else GIVEN_UP
        return bool(
            (sure < least and self.textual[own].mean() > 0.5) or (even and not ruled and sure < GIVEN_UP_TYPEWRITTEN)
        )


def bullets_among(own: NDArray[np.int64], tokens: Sequence[Token]) -> dict[int, int]:
    """For each of the tokens ``own`` that a bullet stands right before, in the same printed row, that bullet."""
    found = {}
    for row in rows_of([tokens[at] for at in own]):
        for left, right in pairwise(int(own[at]) for at in row):
            white = tokens[right].box[0] - tokens[left].box[2]
            if (
                tokens[left].text in BULLETS
                and tokens[right].text not in BULLETS
                and white < BEHIND * tokens[right].size
            ):
                found[right] = left
    return found


def figures_below(tokens: Sequence[Token]) -> NDArray[np.bool_]:
    """Which two of ``tokens`` (n, n) are decimal figures right below each other: the values of two rows."""
    boxes = np.array([token.box for token in tokens], np.float32)
    is_figure = np.array([DECIMAL.fullmatch(token.text) is not None for token in tokens])
    shared = np.minimum(boxes[:, None, 2], boxes[None, :, 2]) > np.maximum(boxes[:, None, 0], boxes[None, :, 0])
    lines = np.array([token.baseline for token in tokens], np.float32)
    apart = np.abs(lines[:, None] - lines) > 0.5 * np.array([token.size for token in tokens], np.float32)
    return is_figure[:, None] & is_figure & shared & apart & apart.T


def _described(tables: Sequence[Grid], page: PageTokens) -> list[Grid]:
    """``tables`` with the lines that describe their rows, from top to bottom."""
    own = [np.array(sorted(token for cell in grid.cells for token in cell.tokens), np.int64) for grid in tables]
    taken = np.zeros(len(page.tokens), bool)
    for tokens in own:
        taken[tokens] = True
    result = []
    for grid, tokens in zip(tables, own, strict=True):
        lines = descriptions(tokens, grid.cells, taken, page)
        if lines:
            cells = with_descriptions(grid.cells, lines, grid.head_rows, page)
            added = [token for line in lines for token in line]
            taken[added] = True
            around = BBox.union(BBox(*box) for box in (grid.box, *(page.tokens[token].box for token in added)))
            grid = replace(grid, cells=tuple(cells), box=(around.x0, around.y0, around.x1, around.y1))
        result.append(grid)
    return sorted(result, key=lambda one: (one.box[1], one.box[0]))


def _parted(page: PageTokens) -> Floats:
    """Log-odds (n, n) against two tokens being of one table by the boxes of the layout model: ``PARTED`` in two of
    its tables, ``OUTSIDE`` for one in a table and one in something else."""
    numbers, other = np.full(len(page.tokens), -1, np.int64), in_boxes(page, *LAYOUT[1:])
    centers = np.array([((t.box[0] + t.box[2]) / 2, (t.box[1] + t.box[3]) / 2) for t in page.tokens])
    for number, (x0, y0, x1, y1, kind) in enumerate(page.layout):
        if LAYOUT[int(kind)] == "table":
            numbers[(centers >= (x0, y0)).all(axis=1) & (centers <= (x1, y1)).all(axis=1)] = number
    within = numbers >= 0
    two = (numbers[:, None] != numbers[None]) & within[:, None] & within[None]
    beside = within[:, None] & (other & ~within)[None]
    return (PARTED * two + OUTSIDE * (beside | beside.T)).astype(np.float32)


def _has_rows(cells: Sequence[Cell], ruled: bool) -> bool:
    """Whether two rows have several cells: words of which no two share a row, or a column, are no table. Where rules
    close the cells, a row of heads above one that says that there is nothing is a table as well."""
    counts = Counter(cell.row for cell in cells)
    if ruled and len(counts) > 1 and max(counts.values()) >= LEAST_HEADS:
        return True
    return sum(count > 1 for count in counts.values()) > 1 and max(cell.column for cell in cells) > 0


def _filled(cells: Sequence[Cell]) -> float:
    """The share of the grid's places that ``cells`` take, each cell counted once."""
    height, width = max(cell.row + cell.rows for cell in cells), max(cell.column + cell.columns for cell in cells)
    spanned = sum(cell.rows * cell.columns - 1 for cell in cells)
    return len(cells) / max(1, height * width - spanned)


def _is_ruled_column(cells: Sequence[Cell], own: NDArray[np.int64], page: PageTokens) -> bool:
    """Whether ``cells`` (of the tokens ``own``) are one column that the layout model calls a table, with a rule between
    each two rows."""
    rows = sorted(cells, key=lambda cell: cell.row)
    if len(rows) < LEAST_ROWS or len({cell.row for cell in rows}) < len(rows):
        return False
    boxes = [np.array([page.tokens[int(own[token])].box for token in cell.tokens]) for cell in rows]
    return bool(in_boxes(page, "table")[own].all()) and all(
        any(
            start <= min(a[:, 0].min(), b[:, 0].min()) and max(a[:, 2].max(), b[:, 2].max()) <= end
            for start, end, y in page.level
            if a[:, [1, 3]].mean() < y < b[:, [1, 3]].mean()
        )
        for a, b in pairwise(boxes)
    )


def _without_titles(cells: Sequence[Cell], lattice: NDArray[np.int64]) -> list[Cell]:
    """The ``cells`` of a drawn lattice without those above or below it, outside of all rules, of which one stands
    alone, or two over several columns each: a title, a note, a line of a letter."""
    result = list(cells)
    width = max(cell.column + cell.columns for cell in cells)
    for last in (False, True):
        while True:
            edge = max(cell.row + cell.rows - 1 for cell in result) if last else 0
            own = [cell for cell in result if cell.row <= edge < cell.row + cell.rows]
            is_text = len(own) == 1 or (
                len(own) == 2 and width > 4 and own[0].column == 0 and all(cell.columns > 1 for cell in own)
            )
            if not is_text or len(result) == 1 or any(lattice[token] >= 0 for cell in own for token in cell.tokens):
                break
            result = [cell if last else replace(cell, row=cell.row - 1) for cell in result if cell not in own]
    return result


def _framed(box: Box, page: PageTokens, size: float) -> Box:
    """``box`` with the rules around it: those that run along most of one of its sides, no farther off than the ``size``
    of its type."""
    x0, y0, x1, y1 = box
    rules = [(BBox(start, y, end, y), False) for start, end, y in page.level.tolist()]
    rules += [(BBox(x, start, x, end), True) for start, end, x in page.upright.tolist()]
    for rule, is_upright in rules:
        length, side = (rule.y1 - rule.y0, y1 - y0) if is_upright else (rule.x1 - rule.x0, x1 - x0)
        shared = min(rule.y1, y1) - max(rule.y0, y0) if is_upright else min(rule.x1, x1) - max(rule.x0, x0)
        near = x0 - size < rule.x0 < x1 + size if is_upright else y0 - size < rule.y0 < y1 + size
        if near and MOSTLY * side < shared and length < side / MOSTLY + 2 * size:
            box = (min(box[0], rule.x0), min(box[1], rule.y0), max(box[2], rule.x1), max(box[3], rule.y1))
    return box


def _heads(cells: list[Cell], states: Floats) -> int:
    heads = 0
    for row in range(max(cell.row for cell in cells) + 1):
        own = [states[token] for cell in cells if cell.row <= row < cell.row + cell.rows for token in cell.tokens]
        if (not own or np.mean(own) <= 0) and not _are_under_heads(cells, row, heads):
            break
        heads = row + 1
    return heads


def _are_under_heads(cells: Sequence[Cell], row: int, heads: int) -> bool:
    """Whether the cells of ``row`` divide heads over several columns right above them, and none stands in front: the
    first column has the names of rows."""
    width = max(cell.column + cell.columns for cell in cells)
    spans = [cell for cell in cells if cell.row + cell.rows == row == heads and 1 < cell.columns < width]
    under = {cell.column for cell in cells if cell.row == row and cell.columns == 1}
    divided = all(set(range(cell.column, cell.column + cell.columns)) <= under for cell in spans)
    return bool(spans) and divided and 0 not in under


def _certainty(cells: Sequence[Cell], own: NDArray[np.int64], scores: Floats) -> float:
    """The mean probability that the network gives to what ``cells`` say of two of the tokens ``own``: whether they
    share a row, a column and a cell. Pairs that are near each other in one of these count alone: of the others
    everybody is sure."""
    at = {token: cell for cell in cells for token in cell.tokens}
    places = np.array(
        [(at[t].row, at[t].row + at[t].rows, at[t].column, at[t].column + at[t].columns) for t in own.tolist()]
    )
    start, end = np.maximum(places[:, None], places[None]), np.minimum(places[:, None], places[None])
    row, column = end[..., 1] > start[..., 0], end[..., 3] > start[..., 2]
    near = (start[..., 0] - end[..., 1] <= 0) & (start[..., 2] - end[..., 3] <= 0)
    np.fill_diagonal(near, False)
    if not near.any():
        return 0.0
    same = (places[:, None] == places[None]).all(axis=-1)
    told = [
        np.where(is_so, scores[..., at], -scores[..., at])[near] for at, is_so in ((1, row), (2, column), (3, same))
    ]
    return float(np.mean(1 / (1 + np.exp(-np.clip(np.concatenate(told), -20, 20)))))

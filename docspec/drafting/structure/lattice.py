"""Drawn lattices: level and upright rules that meet and close cells. Where the network takes their words for one table,
what they say of two words is certain, so it goes into the relations as such: words on two sides of a rule share no
cell, those of one closed cell do.

What a lattice leaves open is whether a closed row holds several rows of its own, as bodies of tables do that are ruled
between columns alone, or a closed column several columns. There the network's word stands.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from docspec.drafting.structure.clusters import LIMIT, clusters
from docspec.drafting.structure.rules import with_sides
from docspec.drafting.structure.tokens import Floats, PageTokens, in_boxes

NEAR = 3.0
"""Most points between two rules that meet, and between the lines of a double rule."""
MOST_RULES = 1500
"""Rules of one direction beyond which a page is a drawing."""
COVERED = 0.7
"""Least share of a side of a cell that is drawn."""
SURE = 12.0
"""Log-odds of what is drawn."""
ROWS_WITHIN = -1.0
"""Mean log-odds for one row (or cell) of what is in a closed cell below which it is taken for several."""
SURELY = -3.0
"""The same where no other cell of the row has words."""
LEVEL, SHARED, LINE = 0.3, 0.8, 0.5
"""Most difference of two baselines of one row within a closed one, in sizes of the type, least share of the lines of
its cells that have a partner on their baseline, and least distance of two lines. Of 160 such rows of public files all
but four have 0.86 at least; lines of texts that stand at the middle of their cells have 0.3 to 0.5."""
GUTTER = 0.5
"""Least white between two columns within a closed one, in sizes of the type: what is less is a space between words."""
APART = 1.0
"""Least white between two heads in a band without rules between them, in sizes of the type."""
DRAWING = -2.0
"""Mean log-odds for one table of the words in a lattice below which it is a drawing, a chart, a form or marked text.
The tables of ICDAR EU and pdf-parse-bench have 2.6 at least; drawings and marked text of public files -17 to -4."""
CALLED = 0.8
"""Share of these words in tables of the layout model from which it is a table all the same: of cells full of prose."""
REGULAR_ROWS, ALIGNED, EDGE = 3, 0.8, 0.3
"""Least rows of a lattice that is a table by its regularity, least share of its cells that are aligned with others of
their column, and most difference of their edges or middles, in sizes of the type."""
LEAST_SLOTS, LEAST_FILLED = 4, 3
"""Closed cells of a lattice, and those of them with words."""


@dataclass(frozen=True, slots=True)
class Lattice:
    """The places of a page's tokens in one lattice: which ``tokens`` are in a closed cell, and for each its first row
    and column and the ones behind its last, the number of the closed cell, and the column between whose edges the token
    itself stands (-1: it crosses one)."""

    tokens: NDArray[np.int64]
    rows: NDArray[np.int64]
    columns: NDArray[np.int64]
    slots: NDArray[np.int64]
    own_columns: NDArray[np.int64]


def lattices_of(page: PageTokens) -> Iterator[Lattice]:
    """The lattices of ``page`` that close cells in two rows and two columns at least."""
    level, upright = page.level, with_sides(page.level, page.upright)
    if len(level) < 2 or not len(upright) or max(len(level), len(upright)) > MOST_RULES:
        return
    meet = (
        (upright[None, :, 0] - NEAR <= level[:, None, 2])
        & (level[:, None, 2] <= upright[None, :, 1] + NEAR)
        & (level[:, None, 0] - NEAR <= upright[None, :, 2])
        & (upright[None, :, 2] <= level[:, None, 1] + NEAR)
    )
    boxes = np.array([token.box for token in page.tokens]).reshape(-1, 4)
    for levels, uprights in _groups(meet):
        lattice = _lattice(level[levels], upright[uprights], boxes)
        if lattice is not None:
            yield lattice


def _groups(meet: NDArray[np.bool_]) -> Iterator[tuple[list[int], list[int]]]:
    """Level and upright rules that meet each other, directly or by others."""
    left = set(range(meet.shape[0]))
    while left:
        levels: set[int] = set()
        uprights: set[int] = set()
        new = {left.pop()}
        while new:
            levels |= new
            fresh = set(np.nonzero(meet[sorted(new)].any(axis=0))[0].tolist()) - uprights
            uprights |= fresh
            new = set(np.nonzero(meet[:, sorted(fresh)].any(axis=1))[0].tolist()) - levels if fresh else set()
        left -= levels
        if len(levels) > 1 and uprights:
            yield sorted(levels), sorted(uprights)


def _places(values: Floats) -> list[float]:
    """``values`` in order, those that are near as one."""
    places: list[list[float]] = []
    for value in sorted(values.tolist()):
        if places and value - places[-1][-1] <= NEAR:
            places[-1].append(value)
        else:
            places.append([value])
    return [sum(group) / len(group) for group in places]


def _lattice(level: Floats, upright: Floats, boxes: NDArray[np.float64]) -> Lattice | None:
    ys = _places(level[:, 2])
    xs = _places(np.concatenate([upright[:, 2], [level[:, 0].min(), level[:, 1].max()]]))
    height, width = len(ys) - 1, len(xs) - 1
    if height < 2 or width < 2:
        return None
    across = np.zeros((height + 1, width), bool)
    for start, end, y in level:
        k = int(np.abs(np.array(ys) - y).argmin())
        across[k] |= [_covers(start, end, xs[j], xs[j + 1]) for j in range(width)]
    along = np.zeros((height, width + 1), bool)
    for start, end, x in upright:
        k = int(np.abs(np.array(xs) - x).argmin())
        along[:, k] |= [_covers(start, end, ys[i], ys[i + 1]) for i in range(height)]
    along[:, [0, -1]] = True  # many tables have no rules at their sides
    slots = _slots(across, along)
    closed = [slot for slot in slots if slot is not None]
    if len(closed) < LEAST_SLOTS:
        return None
    rows = np.searchsorted(ys, boxes[:, 1::2].mean(axis=1)) - 1
    columns = np.searchsorted(xs, boxes[:, ::2].mean(axis=1)) - 1
    inside = (rows >= 0) & (rows < height) & (columns >= 0) & (columns < width)
    number = {place: at for at, slot in enumerate(closed) for place in _inside(slot)}
    tokens, own = [], []
    for token in np.nonzero(inside)[0].tolist():
        at = number.get((int(rows[token]), int(columns[token])))
        if at is not None:
            tokens.append(token)
            own.append(at)
    if len(set(own)) < LEAST_FILLED or len({closed[at][0] for at in own}) < 2 or len({closed[at][2] for at in own}) < 2:
        return None
    edges = np.array([closed[at] for at in own])
    starts, ends = boxes[tokens, 0] + NEAR, boxes[tokens, 2] - NEAR
    whole = np.searchsorted(xs, starts) >= np.searchsorted(xs, ends)
    own_columns = np.where(whole, columns[tokens], -1)
    return Lattice(np.array(tokens), edges[:, :2], edges[:, 2:], np.array(own), own_columns)


def _covers(start: float, end: float, low: float, high: float) -> bool:
    return min(end + NEAR, high) - max(start - NEAR, low) >= COVERED * (high - low)


Slot = tuple[int, int, int, int]
"""The first row of a closed cell, the one behind its last, and the same of its columns."""


def _inside(slot: Slot) -> Iterator[tuple[int, int]]:
    return ((row, column) for row in range(slot[0], slot[1]) for column in range(slot[2], slot[3]))


def _slots(across: NDArray[np.bool_], along: NDArray[np.bool_]) -> list[Slot | None]:
    """The cells that are closed by rules: ``across`` (rows + 1, columns) says which level sides are drawn, ``along``
    (rows, columns + 1) which upright ones; ``None`` for a part that is open or no rectangle."""
    height, width = along.shape[0], across.shape[1]
    seen = np.zeros((height, width), bool)
    slots: list[Slot | None] = []
    for row in range(height):
        for column in range(width):
            if seen[row, column]:
                continue
            part, stack, is_open = [], [(row, column)], False
            seen[row, column] = True
            while stack:
                y, x = stack.pop()
                part.append((y, x))
                for drawn, (y1, x1) in (
                    (across[y, x], (y - 1, x)),
                    (across[y + 1, x], (y + 1, x)),
                    (along[y, x], (y, x - 1)),
                    (along[y, x + 1], (y, x + 1)),
                ):
                    if drawn:
                        continue
                    if not (0 <= y1 < height and 0 <= x1 < width):
                        is_open = True
                    elif not seen[y1, x1]:
                        seen[y1, x1] = True
                        stack.append((y1, x1))
            ys, xs = [y for y, _ in part], [x for _, x in part]
            slot = (min(ys), max(ys) + 1, min(xs), max(xs) + 1)
            whole = len(part) == (slot[1] - slot[0]) * (slot[3] - slot[2])
            slots.append(None if is_open or not whole else slot)
    return slots


def with_lattices(page: PageTokens, pairs: Floats, states: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The log-odds ``pairs`` (n, n, relations) and ``states`` (n, 2) of the tokens of ``page``, and what its lattices
    say; and the number of each token's lattice (-1: none)."""
    pairs, states = pairs.copy(), states.copy()
    member, tabular, depicted = np.full(len(page.tokens), -1), in_boxes(page, "table"), in_boxes(page, "picture")
    for number, lattice in enumerate(lattices_of(page)):
        own = lattice.tokens
        own_pairs = np.ix_(own, own)
        told = pairs[own_pairs]
        is_drawing = told[..., 0].mean() < DRAWING and tabular[own].mean() < CALLED
        if is_drawing and (depicted[own].any() or not is_regular(lattice, page)):
            continue
        states[own, 0] = SURE
        row_meets = _meets(lattice.rows)
        rows = _with_rows_within(lattice, told[..., 1], page)
        # Rows without rules between their columns are cut into columns as those above or below them.
        below = rows & (lattice.columns[:, 1] - lattice.columns[:, 0] > 1) & (lattice.own_columns >= 0)
        own_columns = np.stack([lattice.own_columns, lattice.own_columns + 1], axis=1)
        lattice = replace(lattice, columns=np.where(below[:, None], own_columns, lattice.columns))
        lattice = _with_open_rows_divided(lattice, told[..., 3], page)
        same_slot = lattice.slots[:, None] == lattice.slots[None, :]
        columns = _with_columns_within(lattice, told[..., 3], told[..., 2], page)
        wide = ((lattice.rows[:, 1] - lattice.rows[:, 0]) > 1) & ((lattice.columns[:, 1] - lattice.columns[:, 0]) > 1)
        rows, columns = rows | wide, columns | wide  # an area within which rules are missing
        column_meets = _meets(lattice.columns)
        open_rows, open_columns = rows[:, None] | rows[None, :], columns[:, None] | columns[None, :]
        told[..., 0] = SURE
        told[..., 1] = np.where(row_meets, np.where(open_rows, told[..., 1], SURE), -SURE)
        told[..., 2] = np.where(column_meets, np.where(open_columns, told[..., 2], SURE), -SURE)
        told[..., 3] = np.where(same_slot, np.where(open_rows | open_columns, told[..., 3], SURE), -SURE)
        pairs[own_pairs] = told
        member[own] = number
    apart = (member[:, None] >= 0) & (member[None, :] >= 0) & (member[:, None] != member[None, :])
    pairs[..., 0] = np.where(apart, -SURE, pairs[..., 0])
    return pairs, states, member


def is_regular(lattice: Lattice, page: PageTokens) -> bool:
    """Whether the cells of ``lattice`` that have words stand in rows of several, and their texts begin, end or have
    their middle where others of their column do. Boxes of a diagram, a form or marked words do not."""
    slots, first = np.unique(lattice.slots, return_index=True)
    boxes = np.array([page.tokens[token].box for token in lattice.tokens])
    spans = np.array([(boxes[lattice.slots == slot, 0].min(), boxes[lattice.slots == slot, 2].max()) for slot in slots])
    places = np.column_stack([spans, spans.mean(axis=1)])
    size = float(np.median([page.tokens[token].size for token in lattice.tokens]))
    columns = lattice.columns[first, 0]
    count = 0
    for column in np.unique(columns):
        own = places[columns == column]
        level = np.abs(own[:, None] - own) < EDGE * size
        count += int(level.sum(axis=1).max()) if len(own) > 1 else 0
    rows = len(np.unique(lattice.rows, axis=0))
    return rows >= REGULAR_ROWS and count >= ALIGNED * len(slots) and 2 * len(slots) >= 3 * rows


def _meets(edges: NDArray[np.int64]) -> NDArray[np.bool_]:
    start, end = edges[:, 0], edges[:, 1]
    return np.minimum(end[:, None], end[None]) > np.maximum(start[:, None], start[None])


def _with_rows_within(lattice: Lattice, rows: Floats, page: PageTokens) -> NDArray[np.bool_]:
    """Which tokens are in a closed row that holds rows of its own: the lines of most of its cells that have several
    share no row by the log-odds ``rows``, and stand on the baselines of each other; of a cell that is alone in its row
    they surely do not, beside cells of one line its lines are one text."""
    base = np.array([page.tokens[token].baseline for token in lattice.tokens])
    size = np.array([page.tokens[token].size for token in lattice.tokens])
    free = np.zeros(len(lattice.tokens), bool)
    for edges in np.unique(lattice.rows, axis=0):
        odds = []
        inside = (lattice.rows == edges).all(axis=1)
        slots = np.unique(lattice.slots[inside])
        for slot in slots:
            own = np.nonzero(lattice.slots == slot)[0]
            drop = base[None, own] - base[own, None]
            lower = drop > 0.5 * size[own, None]
            next_line = np.min(drop, axis=1, where=lower, initial=np.inf)
            below = lower & (drop < np.maximum(2.5 * size[own], next_line + 0.5 * size[own])[:, None])
            if below.any():
                odds.append(float(rows[np.ix_(own, own)][below].mean()))
        apart = [one < ROWS_WITHIN for one in odds]
        if 2 * sum(apart) < max(len(apart), 1):
            continue
        lines = [base[lattice.slots == slot] for slot in slots]
        alone = len(slots) == 1 and min(odds) < SURELY
        if alone or (sum(apart) > 1 and _share_baselines(lines, float(np.median(size)))):
            free |= inside
    return free


def _share_baselines(cells: Sequence[Floats], size: float) -> bool:
    """Whether the lines of ``cells`` beside each other, those with several lines, stand on the same baselines; of two
    cells nobody can tell, formulas have lines of their own."""
    lines = [np.sort(own) for own in cells]
    lines = [own[np.append(True, np.diff(own) > LINE * size)] for own in lines]
    lines = [own for own in lines if len(own) > 1]
    if len(lines) < 3:
        return True
    shared = [
        np.abs(own[:, None] - np.concatenate([*lines[:at], *lines[at + 1 :]])).min(axis=1) < LEVEL * size
        for at, own in enumerate(lines)
    ]
    return bool(np.concatenate(shared).mean() >= SHARED)


def _with_open_rows_divided(lattice: Lattice, cells: Floats, page: PageTokens) -> Lattice:
    """``lattice``, in which a closed cell over several columns, whose words stand within these, apart from each other,
    and are no cell together by the log-odds ``cells``, is one cell for each column: the head of a table in a filled
    band without rules."""
    tokens = [page.tokens[token] for token in lattice.tokens]
    columns, slots = lattice.columns.copy(), lattice.slots.copy()
    for slot in np.unique(lattice.slots):
        own = np.nonzero(lattice.slots == slot)[0]
        within = lattice.own_columns[own]
        if (within < 0).any() or len(set(within.tolist())) < 2:
            continue
        order = own[np.argsort([tokens[at].box[0] for at in own])]
        beside = [(a, b) for a, b in pairwise(order.tolist()) if lattice.own_columns[a] != lattice.own_columns[b]]
        if all(
            cells[a, b] < 0 and tokens[b].box[0] - tokens[a].box[2] > APART * max(tokens[a].size, tokens[b].size)
            for a, b in beside
        ):
            columns[own] = np.stack([within, within + 1], axis=1)
            slots[own] = slots.max() + 1 + within
    return replace(lattice, columns=columns, slots=slots)


def _with_columns_within(lattice: Lattice, cells: Floats, columns: Floats, page: PageTokens) -> NDArray[np.bool_]:
    """Which tokens are in a closed column that holds columns of its own: in two of its lines, and in most, words beside
    each other, with more than a space between them, are no cell together by the log-odds ``cells``; or its words fall,
    by the log-odds ``columns``, into groups beside each other that have words of several closed cells each. A closed
    cell holds several where each of its lines surely has words of two cells and two columns: a row of heads above
    columns without rules between them."""
    tokens = [page.tokens[token] for token in lattice.tokens]
    free = np.zeros(len(tokens), bool)
    surely_apart: dict[int, list[bool]] = {}
    for edges in np.unique(lattice.columns, axis=0):
        inside = np.nonzero((lattice.columns == edges).all(axis=1))[0]
        lines: dict[tuple[int, int], list[int]] = {}
        for at in inside.tolist():
            lines.setdefault((int(lattice.slots[at]), round(tokens[at].baseline / 3)), []).append(at)
        votes = []
        for (slot, _), own in lines.items():
            own.sort(key=lambda at: tokens[at].box[0])
            whites = [
                (a, b, (tokens[b].box[0] - tokens[a].box[2]) / max(tokens[a].size, tokens[b].size))
                for a, b in pairwise(own)
            ]
            votes.append(any(cells[a, b] < ROWS_WITHIN and white > GUTTER for a, b, white in whites))
            surely = (max(cells[a, b], columns[a, b]) < SURELY and white > APART for a, b, white in whites)
            surely_apart.setdefault(slot, []).append(any(surely))
        if (sum(votes) >= 2 and 2 * sum(votes) >= len(votes)) or _are_beside(lattice, inside, columns, page):
            free[inside] = True
    return free | np.isin(lattice.slots, [slot for slot, lines in surely_apart.items() if all(lines)])


def _are_beside(lattice: Lattice, inside: NDArray[np.int64], columns: Floats, page: PageTokens) -> bool:
    """Whether the tokens ``inside`` of a lattice are columns beside each other, each in several closed cells."""
    groups = clusters(np.clip(columns[np.ix_(inside, inside)], -LIMIT, LIMIT))
    if len(groups) < 2 or any(len(set(lattice.slots[inside[own]].tolist())) < 2 for own in groups):
        return False
    tokens = [page.tokens[token] for token in lattice.tokens[inside]]
    white = GUTTER * max(token.size for token in tokens)
    spans = sorted((min(tokens[at].box[0] for at in own), max(tokens[at].box[2] for at in own)) for own in groups)
    return all(start - end > white for (_, end), (start, _) in pairwise(spans))

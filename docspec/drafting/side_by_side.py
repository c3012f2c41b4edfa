"""Tables without lines that stand beside each other: seen as one, they share their rows. Everything is in points."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from docspec.drafting.figure_columns import Cell, CellRow, Columns, is_figure

CLEARLY = 1.5
"""How much wider the white between tables is than that between the columns of any."""

NUMBERED_TITLE = re.compile(r"(?:Table|Exhibit|Figure|Chart|Appendix|Annex|Schedule)\s+[\dA-Z]", re.IGNORECASE)
"""How a title begins that says itself what it is."""

Cuts = list[int]
"""The first columns of all sides but the left one."""


@dataclass(frozen=True, slots=True)
class Side:
    """One of the tables that stand beside each other, or the only one, and its title where each has one."""

    columns: Columns
    title: Cell | None = None


def sides_of(columns: Columns, above: Sequence[CellRow] = ()) -> list[Side]:
    """The tables that ``columns`` are, from left to right; ``above`` are the rows over the table, nearest first.

    They are several where gutters are clearly wider than others, with the same heads on all sides or a title over each,
    or where each has a title with a number; and labels behind every gutter. Otherwise gutters part panels of one table.
    """
    gutters = _by_gutters(columns)
    for cuts in (*gutters, _by_titles(columns, above)):
        titles, whole = _titles(columns, cuts, above)
        numbered = bool(titles) and all(NUMBERED_TITLE.match(title.text) for title in titles)
        starts = [0, *cuts, len(columns.edges)]
        heads = [whole.texts[0][first:last] for first, last in pairwise(starts)]
        same = whole.headed and all(heads[0]) and all(one == heads[0] for one in heads)
        confirmed = numbered or (cuts in gutters and (same or titles))
        if cuts and confirmed and all(_are_labels(whole, cut) for cut in cuts):
            return [Side(*side) for side in zip(_divided(whole, starts), titles or [None] * len(heads), strict=True)]
    return [Side(columns)]


def _by_gutters(columns: Columns) -> list[Cuts]:
    """The ways to part ``columns`` at gutters clearly wider than all others, a label and a figure on every side."""
    gaps = [right[0] - left[1] for left, right in pairwise(columns.edges)]
    order = sorted(range(len(gaps)), key=lambda number: -gaps[number])
    ways = ((sorted(n + 1 for n in order[:count]), order[count - 1], order[count]) for count in range(1, len(gaps)))
    return [
        cuts
        for cuts, least, next_one in ways
        if gaps[least] >= CLEARLY * gaps[next_one] and _have_room(cuts, len(columns.edges))
    ]


def _by_titles(columns: Columns, above: Sequence[CellRow]) -> Cuts:
    """The columns at whose left edges the cells of the row over the table stand; empty if one stands elsewhere."""
    row = sorted(above[0], key=lambda cell: cell.bbox.x0) if above else []
    at = [
        next((n for n, (x0, _) in enumerate(columns.edges) if abs(cell.bbox.x0 - x0) <= cell.bbox.height), None)
        for cell in row
    ]
    cuts = [number for number in at if number]
    return cuts if len(cuts) + 1 == len(at) and at[0] == 0 and _have_room(cuts, len(columns.edges)) else []


def _have_room(cuts: Cuts, count: int) -> bool:
    return all(last - first > 1 for first, last in pairwise([0, *cuts, count]))


def _are_labels(columns: Columns, number: int) -> bool:
    """Whether the entries of a column are words rather than figures."""
    texts = [row[number] for row in columns.texts[columns.headed :] if row[number]]
    return 2 * sum(map(is_figure, texts)) < len(texts)


def _titles(columns: Columns, cuts: Cuts, above: Sequence[CellRow]) -> tuple[tuple[Cell, ...], Columns]:
    """The titles at the left of each side, alone in the first row or in the row over it, and ``columns`` without
    them."""
    starts = [0, *cuts]
    if [n for n, text in enumerate(columns.texts[0]) if text] == starts and len(columns.rows[0]) == len(starts):
        first = columns.texts[1]
        lasts = [*(cut - 1 for cut in cuts), -1]
        headed = all(first[last] for last in lasts) and not any(map(is_figure, first))
        return columns.rows[0], replace(columns, rows=columns.rows[1:], texts=columns.texts[1:], headed=headed)
    row = above[0] if above else ()
    lefts = [columns.edges[start][0] for start in starts]
    level = len(row) == len(lefts) and all(
        abs(cell.bbox.x0 - x0) <= cell.bbox.height for cell, x0 in zip(row, lefts, strict=True)
    )
    return (tuple(row) if level else ()), columns


def _divided(columns: Columns, starts: Sequence[int]) -> Iterator[Columns]:
    """The columns from each of ``starts`` to the next one, with the rows that have words there."""
    inner = [(columns.edges[cut - 1][1] + columns.edges[cut][0]) / 2 for cut in starts[1:-1]]
    middles = [float("-inf"), *inner, float("inf")]
    for (first, last), (x0, x1) in zip(pairwise(starts), pairwise(middles), strict=True):
        rows = (
            (tuple(cell for cell in row if x0 <= cell.bbox.center_x < x1), texts[first:last])
            for row, texts in zip(columns.rows, columns.texts, strict=True)
        )
        kept = [(row, texts) for row, texts in rows if row]
        yield replace(
            columns,
            rows=tuple(row for row, _ in kept),
            texts=tuple(texts for _, texts in kept),
            edges=columns.edges[first:last],
        )
